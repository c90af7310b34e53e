/*
 * Where the arguments of lookups came from.
 *
 * What is kept are counts, each by what it is of: an argument, and the tool and the path of its
 * source. Names and paths are numbers, the same for equal texts.
 */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "flow/bind_rules.h"
#include "json/jget.h"
#include "learn/shown.h"
#include "learn/tracebook.h"

/* How many values were found at a source, in all or behind one site. */
enum count_kind { COUNT_VALUES, COUNT_LISTS, COUNT_SITE_VALUES, COUNT_N_KINDS };

/* Keys of maps by their bytes; there is no padding in them. */
struct arg_key {
    size_t lookup; /* its index in the flow's kinds */
    size_t name;
};

struct count_key {
    size_t arg;
    size_t kind;
    size_t site; /* of COUNT_SITE_VALUES, else 0 */
    size_t tool;
    size_t path;
};

struct count {
    struct count_key key;
    uint64_t n;
    struct count *next; /* of the same argument and kind */
};

struct arg {
    struct arg_key key;
    size_t number;
    uint64_t n_calls; /* that have it */
    uint64_t n_values;
    uint64_t n_lists;
    struct count *counts[COUNT_N_KINDS];
    size_t n_counts[COUNT_N_KINDS];
};

struct lookup {
    uint64_t n_calls;
    uint64_t n_bare;
    size_t n_args;
};

struct tracebook {
    const struct flow *flow;
    struct lookup *lookups; /* by index in the flow's kinds */
    struct sp_str *texts;
    size_t n_texts;
    size_t max_texts;
    struct sp_map by_text;
    struct arg **args;
    size_t n_args;
    size_t max_args;
    struct sp_map by_arg;
    struct count **counts;
    size_t n_counts;
    size_t max_counts;
    struct sp_map by_count;
    struct sp_arena arena;
    struct sp_buf text; /* scratch */
};

/* A session that is walked. */
struct walk {
    struct tracebook *book;
    struct shown *shown;
    struct sp_str last_tool; /* of the last output; p is NULL when there is none yet */
};

struct tracebook *tracebook_new(const struct flow *f)
{
    struct tracebook *t = sp_calloc(1, sizeof *t);

    t->flow = f;
    t->lookups = sp_calloc(f->n_kinds, sizeof *t->lookups);
    return t;
}

void tracebook_free(struct tracebook *t)
{
    if (t == NULL)
        return;
    free(t->lookups);
    free(t->texts);
    free(t->args);
    free(t->counts);
    sp_map_deinit(&t->by_text);
    sp_map_deinit(&t->by_arg);
    sp_map_deinit(&t->by_count);
    sp_arena_deinit(&t->arena);
    sp_buf_deinit(&t->text);
    free(t);
}

/* Makes room for one more pointer or text behind `n`; returns the array. */
static void *room(void *of, size_t n, size_t *max, size_t size)
{
    if (n < *max)
        return of;
    *max = *max > 0 ? 2 * *max : 8;
    return sp_realloc(of, *max * size);
}

static size_t text_number(struct tracebook *t, struct sp_str text)
{
    const size_t *known = sp_map_find(&t->by_text, text);

    if (known != NULL)
        return *known;
    t->texts = room(t->texts, t->n_texts, &t->max_texts, sizeof *t->texts);
    t->texts[t->n_texts] = sp_arena_copy(&t->arena, text);
    *sp_map_put(&t->by_text, t->texts[t->n_texts], NULL) = t->n_texts;
    return t->n_texts++;
}

static struct arg *arg_of(struct tracebook *t, size_t lookup, struct sp_str name)
{
    const struct arg_key key = {lookup, text_number(t, name)};
    const size_t *known = sp_map_find(&t->by_arg, (struct sp_str){(const char *)&key, sizeof key});
    struct arg *arg;

    if (known != NULL)
        return t->args[*known];
    arg = sp_arena_alloc(&t->arena, sizeof *arg);
    arg->key = key;
    arg->number = t->n_args;
    t->args = room(t->args, t->n_args, &t->max_args, sizeof *t->args);
    t->args[t->n_args++] = arg;
    *sp_map_put(&t->by_arg, (struct sp_str){(const char *)&arg->key, sizeof key}, NULL) =
        arg->number;
    t->lookups[lookup].n_args++;
    return arg;
}

static void count(struct tracebook *t, struct arg *arg, const struct count_key *key)
{
    const size_t *known =
        sp_map_find(&t->by_count, (struct sp_str){(const char *)key, sizeof *key});
    struct count *c;

    if (known != NULL) {
        t->counts[*known]->n++;
        return;
    }
    c = sp_arena_alloc(&t->arena, sizeof *c);
    *c = (struct count){*key, 1, arg->counts[key->kind]};
    arg->counts[key->kind] = c;
    arg->n_counts[key->kind]++;
    t->counts = room(t->counts, t->n_counts, &t->max_counts, sizeof *t->counts);
    t->counts[t->n_counts] = c;
    *sp_map_put(&t->by_count, (struct sp_str){(const char *)&c->key, sizeof *key}, NULL) =
        t->n_counts++;
}

/* The index of a lookup in the flow's kinds; n_kinds for any other tool. */
static size_t lookup_of(const struct tracebook *t, struct sp_str tool)
{
    const struct flow_kind *kind = flow_kind_of(t->flow, tool);

    if (kind == NULL || kind->kind != MANIFEST_READ)
        return t->flow->n_kinds;
    return (size_t)(kind - t->flow->kinds);
}

/* site: a `p` of NULL for none. */
static void add_value(struct walk *w, struct arg *arg, struct sp_str value, struct sp_str site)
{
    struct tracebook *t = w->book;
    enum shown_kind kind = shown_kind(value);
    struct count_key key = {.arg = arg->number};
    struct shown_place origin;

    arg->n_values += kind == SHOWN_STRING;
    arg->n_lists += kind == SHOWN_LIST;
    if (kind == SHOWN_OTHER || !shown_find(w->shown, value, &origin))
        return;
    key.kind = kind == SHOWN_STRING ? COUNT_VALUES : COUNT_LISTS;
    key.tool = text_number(t, origin.tool);
    key.path = text_number(t, origin.path);
    count(t, arg, &key);
    if (kind == SHOWN_LIST || site.p == NULL)
        return;
    key.kind = COUNT_SITE_VALUES;
    key.site = text_number(t, site);
    count(t, arg, &key);
}

static void add_call(struct walk *w, size_t lookup, struct sp_str arguments, struct sp_str site)
{
    struct tracebook *t = w->book;
    size_t n = 0;

    if (jget_type(arguments) != JSCAN_OBJECT)
        return;
    for (struct jget_iter it = jget_iter(arguments); jget_next(&it); n++) {
        struct arg *arg;

        sp_buf_clear(&t->text);
        jget_text(it.name, &t->text);
        arg = arg_of(t, lookup, sp_buf_str(&t->text));
        arg->n_calls++;
        add_value(w, arg, it.value, site);
    }
    t->lookups[lookup].n_calls++;
    t->lookups[lookup].n_bare += n == 0;
}

static void add_turn(struct walk *w, const struct episode_event *turn)
{
    struct sp_str site = w->last_tool;

    for (size_t i = 0; i < turn->n_calls; i++) {
        const struct episode_call *call = &turn->calls[i];
        size_t lookup = lookup_of(w->book, call->name);

        if (lookup == w->book->flow->n_kinds)
            continue;
        add_call(w, lookup, call->arguments, site);
        site = call->name;
    }
}

/* Tells what values will be traced, so that nothing else of the outputs is kept. */
static void want_values(struct walk *w, const struct episode *e)
{
    for (size_t i = 0; i < e->n_events; i++) {
        const struct episode_event *event = &e->events[i];

        for (size_t k = 0; k < event->n_calls; k++) {
            struct sp_str arguments = event->calls[k].arguments;

            if (jget_type(arguments) != JSCAN_OBJECT ||
                lookup_of(w->book, event->calls[k].name) == w->book->flow->n_kinds)
                continue;
            for (struct jget_iter it = jget_iter(arguments); jget_next(&it);)
                shown_want(w->shown, it.value);
        }
    }
}

void tracebook_add(struct tracebook *t, const struct episode *e)
{
    struct walk w = {.book = t, .shown = shown_new()};

    want_values(&w, e);
    for (size_t i = 0; i < e->n_events; i++) {
        const struct episode_event *event = &e->events[i];

        if (event->kind == EPISODE_ASSISTANT) {
            add_turn(&w, event);
        } else if (event->kind == EPISODE_RESULT && !event->is_error) {
            shown_add(w.shown, event->name, event->text);
            w.last_tool = event->name;
        }
    }
    shown_free(w.shown);
}

static struct sp_str own(const struct tracebook *t, struct flow *f, size_t text)
{
    return sp_arena_copy(&f->arena, t->texts[text]);
}

/* Sets what the flow knows of the lookups that were called, and which are at times called bare. */
static void set_args(const struct tracebook *t, struct flow *f)
{
    struct flow_bindings *b = &f->bindings;
    size_t *places = sp_calloc(f->n_kinds, sizeof *places);

    b->args = sp_arena_alloc(&f->arena, f->n_kinds * sizeof *b->args);
    b->n_args = 0;
    for (size_t i = 0; i < f->n_kinds; i++) {
        const struct lookup *lookup = &t->lookups[i];

        if (lookup->n_calls == 0)
            continue;
        places[i] = b->n_args;
        b->args[b->n_args++] = (struct flow_args){
            .lookup = f->kinds[i].name,
            .calls = lookup->n_calls,
            .args = {.of = sp_arena_alloc(&f->arena, lookup->n_args * sizeof(struct flow_tally))},
        };
    }
    for (size_t i = 0; i < t->n_args; i++) {
        const struct arg *arg = t->args[i];
        struct flow_tallies *args = &b->args[places[arg->key.lookup]].args;

        args->of[args->n++] = (struct flow_tally){own(t, f, arg->key.name), arg->n_calls};
    }
    free(places);
}

static bool requires_any(const struct flow_args *args)
{
    for (size_t i = 0; i < args->args.n; i++) {
        if (bind_rules_requires(args, &args->args.of[i]))
            return true;
    }
    return false;
}

static void set_bare(const struct tracebook *t, struct flow *f)
{
    struct flow_bindings *b = &f->bindings;

    b->bare = (struct flow_tallies){
        .of = sp_arena_alloc(&f->arena, b->n_args * sizeof *b->bare.of),
    };
    for (size_t i = 0; i < b->n_args; i++) {
        uint64_t n_bare = t->lookups[lookup_of(t, b->args[i].lookup)].n_bare;

        if (n_bare < b->args[i].calls && !requires_any(&b->args[i]))
            b->bare.of[b->bare.n++] = (struct flow_tally){b->args[i].lookup, n_bare};
    }
}

/* Sets where the values, or the lists, of all arguments that have any were found. */
static void set_traces(const struct tracebook *t, struct flow *f, enum count_kind kind,
                       struct flow_traces *ret)
{
    *ret = (struct flow_traces){.of = sp_arena_alloc(&f->arena, t->n_args * sizeof *ret->of)};
    for (size_t i = 0; i < t->n_args; i++) {
        const struct arg *arg = t->args[i];
        struct flow_traced traced = {
            .values = kind == COUNT_VALUES ? arg->n_values : arg->n_lists,
        };

        if (traced.values == 0)
            continue;
        traced.lookup = f->kinds[arg->key.lookup].name;
        traced.arg = own(t, f, arg->key.name);
        traced.found = sp_arena_alloc(&f->arena, arg->n_counts[kind] * sizeof *traced.found);
        for (const struct count *c = arg->counts[kind]; c != NULL; c = c->next)
            traced.found[traced.n_found++] =
                (struct flow_found){own(t, f, c->key.tool), own(t, f, c->key.path), c->n};
        ret->of[ret->n++] = traced;
    }
}

/* Only where there is more than one source does it say something which is more likely at a site. */
static void set_site_sources(const struct tracebook *t, struct flow *f)
{
    struct flow_bindings *b = &f->bindings;
    size_t n = 0;

    for (size_t i = 0; i < t->n_args; i++)
        n += t->args[i]->n_counts[COUNT_SITE_VALUES];
    b->site_sources = sp_arena_alloc(&f->arena, n * sizeof *b->site_sources);
    b->n_site_sources = 0;
    for (size_t i = 0; i < t->n_args; i++) {
        const struct arg *arg = t->args[i];

        if (arg->n_counts[COUNT_VALUES] < 2)
            continue;
        for (const struct count *c = arg->counts[COUNT_SITE_VALUES]; c != NULL; c = c->next)
            b->site_sources[b->n_site_sources++] = (struct flow_site_source){
                .tool = f->kinds[arg->key.lookup].name,
                .arg = own(t, f, arg->key.name),
                .site = own(t, f, c->key.site),
                .source_tool = own(t, f, c->key.tool),
                .source_path = own(t, f, c->key.path),
                .values = c->n,
            };
    }
}

void tracebook_set(const struct tracebook *t, struct flow *f)
{
    set_args(t, f);
    set_bare(t, f);
    set_traces(t, f, COUNT_VALUES, &f->bindings.sources);
    set_traces(t, f, COUNT_LISTS, &f->bindings.lists);
    set_site_sources(t, f);
}
