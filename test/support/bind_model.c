/* Binding as the chapter has it, section 9, paragraph by paragraph. */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "bind_model.h"
#include "json/jcanon.h"
#include "json/jget.h"
#include "json/jput.h"
#include "plain_session.h"

#define MAX_CANDIDATES 512

struct candidate {
    struct sp_str text;
    bool is_mentioned;
    const struct plain_values *list;
};

struct model {
    struct plain_session s;
    const struct flow *flow;
    struct sp_str tool;
    bool is_called;
    bool are_mentioned;
    bool is_other;
    bool is_described;
    struct bind_result *ret;
};

static bool passes(struct model *m, const struct plain_made *made, struct sp_str arg,
                   struct sp_str text)
{
    struct sp_str value;

    return sp_str_eq(made->call.name, m->tool) && jget_member(made->call.arguments, arg, &value) &&
           sp_str_eq(plain_session_value_text(&m->s, value), text);
}

static bool is_used(struct model *m, struct sp_str arg, struct sp_str text)
{
    for (size_t i = 0; i < m->s.n_made; i++) {
        if (passes(m, &m->s.made[i], arg, text))
            return true;
    }
    return false;
}

static bool is_rule(const struct flow_traced *t, const struct flow_found *found)
{
    return found->n >= 2 && (double)found->n >= 0.1 * (double)t->values;
}

static size_t n_rules(const struct flow_traced *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->n_found; i++)
        n += is_rule(t, &t->found[i]);
    return n;
}

static bool fail(struct model *m, const char *format, struct sp_str arg)
{
    const char *at = strchr(format, '%');

    sp_buf_add(&m->ret->why, (struct sp_str){format, (size_t)(at - format)});
    sp_buf_add(&m->ret->why, arg);
    sp_buf_add(&m->ret->why, sp_str_of(at + 1));
    return false;
}

/* 9.5, step 3a */
static bool bind_list(struct model *m, const struct flow_traced *t, struct sp_buf *ret)
{
    if (n_rules(t) == 0)
        return fail(m, "no source for the list `%`, so it is left to the agent", t->arg);
    for (size_t i = m->s.n_outputs; i-- > 0;) {
        for (size_t k = 0; k < t->n_found; k++) {
            const struct plain_values *v;
            struct sp_buf list = {0};
            struct sp_str text;

            if (!is_rule(t, &t->found[k]) || !sp_str_eq(t->found[k].tool, m->s.outputs[i].tool))
                continue;
            v = plain_session_values_of(&m->s, &m->s.outputs[i], t->found[k].path);
            for (size_t j = 0; j < v->n; j++) {
                sp_buf_add_char(&list, j == 0 ? '[' : ',');
                jput_string(&list, v->of[j].text);
            }
            sp_buf_add_char(&list, ']');
            text = plain_session_keep(&m->s, &list);
            if (v->n == 0 || is_used(m, t->arg, text))
                continue;
            for (size_t j = 0; j < v->n; j++)
                m->are_mentioned = m->are_mentioned && plain_session_mentions(&m->s, v->of[j].text);
            sp_buf_add(ret, text);
            return true;
        }
    }
    return fail(m, "no list left to pass as `%`", t->arg);
}

/* The places that are visited for one argument, in order. */
struct visits {
    const struct plain_values *of[1024];
    size_t n;
};

/* 9.5, step 3c */
static void find_visits(struct model *m, const struct flow_traced *t, struct visits *ret)
{
    const struct flow_bindings *b = &m->flow->bindings;
    uint64_t sums[32] = {0}, total = 0;
    bool is_taken[32] = {0};

    for (size_t k = 0; k < t->n_found; k++) {
        for (size_t i = 0; i < b->n_site_sources && m->s.n_outputs > 0; i++) {
            const struct flow_site_source *s = &b->site_sources[i];

            if (is_rule(t, &t->found[k]) && sp_str_eq(s->tool, m->tool) &&
                sp_str_eq(s->arg, t->arg) && sp_str_eq(s->source_tool, t->found[k].tool) &&
                sp_str_eq(s->source_path, t->found[k].path) &&
                sp_str_eq(s->site, m->s.outputs[m->s.n_outputs - 1].tool))
                sums[k] += s->values;
        }
        total += sums[k];
    }
    for (size_t i = m->s.n_outputs; total < 5 && i-- > 0;) {
        for (size_t k = 0; k < t->n_found; k++) {
            if (is_rule(t, &t->found[k]) && sp_str_eq(t->found[k].tool, m->s.outputs[i].tool))
                ret->of[ret->n++] =
                    plain_session_values_of(&m->s, &m->s.outputs[i], t->found[k].path);
        }
    }
    for (size_t round = 0; total >= 5 && round < n_rules(t); round++) {
        size_t best = SIZE_MAX;

        for (size_t k = 0; k < t->n_found; k++) {
            if (is_rule(t, &t->found[k]) && !is_taken[k] &&
                (best == SIZE_MAX || sums[k] > sums[best]))
                best = k;
        }
        is_taken[best] = true;
        for (size_t i = m->s.n_outputs; i-- > 0;) {
            if (sp_str_eq(t->found[best].tool, m->s.outputs[i].tool))
                ret->of[ret->n++] =
                    plain_session_values_of(&m->s, &m->s.outputs[i], t->found[best].path);
        }
    }
}

/* 9.5, step 3d: adds what a list has of candidates. */
static void add_candidates(struct model *m, struct sp_str arg, const struct plain_values *list,
                           struct candidate *candidates, size_t *n, bool *any)
{
    for (size_t i = 0; i < list->n; i++) {
        bool is_named = plain_session_mentions_record(&m->s, &list->of[i]), is_known = false;

        *any = *any || is_named;
        for (size_t k = 0; k < *n; k++)
            is_known = is_known || sp_str_eq(candidates[k].text, list->of[i].text);
        if (!is_known && !is_used(m, arg, list->of[i].text))
            candidates[(*n)++] = (struct candidate){list->of[i].text, is_named, list};
    }
}

/* 9.5, step 3f: R(u); false for none. */
static bool record_of(struct model *m, struct sp_str arg, struct sp_str text,
                      struct plain_texts *ret)
{
    for (size_t i = 0; i < m->s.n_made; i++) {
        const struct episode_event *result = NULL;

        if (!passes(m, &m->s.made[i], arg, text))
            continue;
        for (size_t k = 0; k < m->s.e->n_events; k++) {
            if (m->s.e->events[k].kind == EPISODE_RESULT &&
                sp_str_eq(m->s.e->events[k].call_id, m->s.made[i].call.id))
                result = &m->s.e->events[k];
        }
        if (result == NULL || result->is_error)
            continue;
        plain_session_scalars(&m->s, plain_session_output(&m->s, result->text), ret);
        return true;
    }
    return false;
}

static bool is_described(struct model *m, struct sp_str arg, const struct candidate *pick)
{
    struct plain_texts records[64] = {0};
    size_t n = 0;

    for (size_t i = 0; i < pick->list->n; i++) {
        struct sp_str u = pick->list->of[i].text;

        if (!sp_str_eq(u, pick->text) && is_used(m, arg, u) && record_of(m, arg, u, &records[n]))
            n++;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < records[i].n; k++) {
            for (size_t j = 0; j < n; j++) {
                if (plain_session_is_from_customer(&m->s, records[i].of[k]) &&
                    !plain_session_has_text(&records[j], records[i].of[k]))
                    return true;
            }
        }
    }
    return false;
}

static const struct candidate *first_of(const struct candidate *candidates, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (candidates[i].is_mentioned)
            return &candidates[i];
    }
    return n > 0 ? candidates : NULL;
}

/* 9.5, steps 3b to 3f */
static bool bind_value(struct model *m, struct sp_str arg, struct sp_buf *ret)
{
    const struct flow_traced *t = flow_traced_of(&m->flow->bindings.sources, m->tool, arg);
    struct candidate *candidates = sp_arena_alloc(&m->s.arena, MAX_CANDIDATES * sizeof *candidates);
    struct visits *visits = sp_arena_alloc(&m->s.arena, sizeof *visits);
    const struct candidate *pick;
    size_t n = 0;
    bool any = false;

    if (t == NULL)
        return fail(m, "training never saw `%` as a string", arg);
    find_visits(m, t, visits);
    for (size_t i = 0; i < visits->n; i++)
        add_candidates(m, arg, visits->of[i], candidates, &n, &any);
    if (n_rules(t) == 0)
        return fail(m, "no source for `%`, so it is left to the agent", arg);
    pick = first_of(candidates, n);
    if (pick == NULL)
        return fail(m, "nothing left to pass as `%`", arg);
    jput_string(ret, pick->text);
    if (!pick->is_mentioned) {
        m->are_mentioned = false;
        m->is_other = m->is_other || any;
        m->is_described = m->is_described || is_described(m, arg, pick);
    }
    return true;
}

/* 9.7 */
static bool bind_named(struct model *m, struct sp_str arg, struct sp_buf *ret)
{
    struct candidate *candidates = sp_arena_alloc(&m->s.arena, MAX_CANDIDATES * sizeof *candidates);
    const struct candidate *pick;
    size_t n = 0;
    bool any = false;

    for (size_t i = m->s.n_outputs; i-- > 0;) {
        struct plain_values *v = sp_arena_alloc(&m->s.arena, sizeof *v);

        plain_session_named(&m->s, m->s.outputs[i].json, arg, v);
        add_candidates(m, arg, v, candidates, &n, &any);
    }
    pick = first_of(candidates, n);
    if (pick == NULL)
        return fail(m, "no `%` in the results so far", arg);
    m->are_mentioned = m->are_mentioned && pick->is_mentioned;
    jput_string(ret, pick->text);
    return true;
}

static const struct flow_constant *constant_of(struct model *m, struct sp_str arg)
{
    size_t n;
    const struct flow_constant *c = flow_constants_of(m->flow, m->tool, &n);

    for (size_t i = 0; c != NULL && i < n; i++) {
        if (sp_str_eq(c[i].arg, arg))
            return &c[i];
    }
    return NULL;
}

static void put_member(struct sp_buf *b, struct sp_str name, struct sp_str json)
{
    sp_buf_add_char(b, b->len == 0 ? '{' : ',');
    jput_string(b, name);
    sp_buf_add_char(b, ':');
    sp_buf_add(b, json);
}

/* Section 15: the constants that were not passed as required arguments. */
static void put_constants(struct model *m, struct sp_buf *b, const struct plain_texts *passed)
{
    size_t n;
    const struct flow_constant *c = flow_constants_of(m->flow, m->tool, &n);

    for (size_t i = 0; c != NULL && i < n; i++) {
        if (!plain_session_has_text(passed, c[i].arg))
            put_member(b, c[i].arg, c[i].value);
    }
}

/* 9.5, steps 2 and 3, and 9.7: the object comes in any order. */
static bool bind_args(struct model *m, const struct plain_texts *args, bool is_by_name,
                      struct sp_buf *b)
{
    for (size_t i = 0; i < args->n; i++) {
        struct sp_str arg = args->of[i];
        const struct flow_constant *constant = is_by_name ? NULL : constant_of(m, arg);
        const struct flow_traced *list = flow_traced_of(&m->flow->bindings.lists, m->tool, arg);
        struct sp_buf value = {0};
        bool is_bound = true;

        if (constant != NULL)
            sp_buf_add(&value, constant->value);
        else if (is_by_name)
            is_bound = bind_named(m, arg, &value);
        else if (list != NULL)
            is_bound = bind_list(m, list, &value);
        else
            is_bound = bind_value(m, arg, &value);
        if (is_bound)
            put_member(b, arg, sp_buf_str(&value));
        sp_buf_deinit(&value);
        if (!is_bound)
            return false;
    }
    if (!is_by_name || args->n == 0)
        put_constants(m, b, args);
    sp_buf_add(b, b->len == 0 ? SP_STR("{}") : SP_STR("}"));
    return true;
}

/* 9.6 */
static double chance(struct model *m, const struct flow_args *trained, bool has_args)
{
    const struct flow_tally *bare = flow_tally_of(&m->flow->bindings.bare, m->tool);
    const struct flow_agreed *agreed = flow_agreed_of(m->flow, m->tool);
    const struct flow_used *other = flow_used_of(&m->flow->bindings.named_other, m->tool);
    const struct flow_used *read = flow_used_of(&m->flow->bindings.described_read, m->tool);
    double c0 = agreed == NULL
                    ? 0.5
                    : ((double)agreed->unmentioned.hits + 1) / ((double)agreed->unmentioned.n + 2);

    if (!has_args)
        return bare == NULL ? 1 : ((double)bare->n + 1) / ((double)trained->calls + 2);
    if (m->ret->class == BIND_PICKED)
        return agreed == NULL
                   ? 0.5
                   : ((double)agreed->mentioned.hits + 1) / ((double)agreed->mentioned.n + 2);
    if (m->ret->class == BIND_OTHER && other != NULL)
        return ((double)other->ratio.hits + 2 * c0) / ((double)other->ratio.n + 2);
    if (m->ret->class == BIND_DESCRIBED && read != NULL)
        return ((double)read->ratio.hits + 2 * c0) / ((double)read->ratio.n + 2);
    return c0;
}

static bool bind_all(struct model *m)
{
    const struct flow_args *trained = flow_args_of(m->flow, m->tool);
    const struct flow_doc *doc = flow_doc_of(m->flow, m->tool);
    struct plain_texts args = {0};
    struct sp_buf b = {0};
    bool is_bound;

    for (size_t i = 0; trained != NULL && i < trained->args.n; i++) {
        if ((double)trained->args.of[i].n >= 0.9 * (double)trained->calls)
            plain_session_add_text(&m->s, &args, trained->args.of[i].name);
    }
    for (size_t i = 0; trained == NULL && doc != NULL && i < doc->n_args; i++)
        plain_session_add_text(&m->s, &args, doc->args[i].name);
    if (trained == NULL && doc == NULL)
        return fail(m, "training never called it%, and its arguments are not known", SP_STR(""));
    if (args.n == 0 && m->is_called)
        return fail(m, "already looked up%", SP_STR(""));
    is_bound = bind_args(m, &args, trained == NULL, &b);
    if (is_bound) {
        jcanon(&m->ret->arguments, sp_buf_str(&b));
        m->ret->class = m->are_mentioned  ? BIND_PICKED
                        : m->is_other     ? BIND_OTHER
                        : m->is_described ? BIND_DESCRIBED
                                          : BIND_NONE;
        if (trained != NULL)
            m->ret->chance = chance(m, trained, b.len > 2);
        else
            m->ret->chance = args.n > 0 ? 0.5 : 1;
    }
    sp_buf_deinit(&b);
    return is_bound;
}

void bind_model(const struct flow *flow, const struct episode_view *view, struct sp_str tool,
                struct bind_result *ret)
{
    struct model *m = sp_calloc(1, sizeof *m);

    *ret = (struct bind_result){0};
    m->flow = flow;
    m->tool = tool;
    m->are_mentioned = true;
    m->ret = ret;
    m->s.e = view->episode;
    plain_session_read(&m->s, view);
    for (size_t i = 0; i < m->s.n_made; i++)
        m->is_called = m->is_called || sp_str_eq(m->s.made[i].call.name, tool);
    ret->is_bound = bind_all(m);
    sp_arena_deinit(&m->s.arena);
    free(m);
}
