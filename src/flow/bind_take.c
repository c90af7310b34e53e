/*
 * Takes in what the session shows.
 *
 *  1. A message of the customer makes texts mentioned; the values and scalars that watch these are
 *     told.
 *  2. A call uses values, and gives the scalars that no output before its turn has.
 *  3. A successful result is an output: it has the lists of its tool's sources, and scalars. The
 *     last result of a call's id says whether the call succeeded, so when that changes, the calls
 * of the id become reads of the values they pass, or cease to be.
 *  4. A scalar that is mentioned or given is known from then on, to all outputs that have it.
 */

#include "base/sp_alloc.h"
#include "flow/bind_state.h"
#include "json/jget.h"

static void know(struct bind *b, struct bind_output *output, struct bind_text *text)
{
    BIND_ROOM(&b->arena, output->known, output->n_known, output->max_known);
    output->known[output->n_known++] = text;
    b->n_known++;
}

static void make_known(struct bind *b, struct bind_text *text)
{
    if (text->is_known)
        return;
    text->is_known = true;
    for (size_t i = 0; i < text->n_outputs; i++)
        know(b, text->outputs[i], text);
}

/* Watches a text; gives the list of who has to know when it is mentioned, NULL if it is already. */
static struct bind_watch *watch(struct bind *b, struct sp_str text, size_t *ret)
{
    *ret = mentions_watch(b->mentions, text);
    while (*ret >= b->max_watches)
        BIND_ROOM(&b->arena, b->watches, b->max_watches, b->max_watches);
    return mentions_has(b->mentions, *ret) ? NULL : &b->watches[*ret];
}

/* The text of a scalar that looks like a key, made if there is none. */
static struct bind_text *intern(struct bind *b, struct sp_str scalar)
{
    const size_t *known = sp_map_find(&b->by_text, scalar);
    struct bind_text *text;
    struct bind_watch *w;

    if (known != NULL)
        return b->texts[*known];
    text = sp_arena_alloc(&b->arena, sizeof *text);
    text->text = sp_arena_copy(&b->arena, scalar);
    text->first_output = SIZE_MAX;
    *sp_map_put(&b->by_text, text->text, NULL) = b->n_texts;
    BIND_ROOM(&b->arena, b->texts, b->n_texts, b->max_texts);
    b->texts[b->n_texts++] = text;
    w = watch(b, scalar, &text->mention);
    if (w == NULL) {
        text->is_known = true;
    } else {
        BIND_ROOM(&b->arena, w->texts, w->n_texts, w->max_texts);
        w->texts[w->n_texts++] = text;
    }
    return text;
}

static void mention(struct bind *b, struct bind_list *list, size_t pos)
{
    if (list->values[pos].is_mentioned)
        return;
    list->values[pos].is_mentioned = true;
    for (size_t i = 0; i < list->source->n_users; i++)
        bind_rank_mention(b, &list->source->users[i], i, list, pos);
}

void bind_take_said(struct bind *b, struct sp_str text)
{
    size_t number;

    mentions_say(b->mentions, text);
    while (mentions_next(b->mentions, &number)) {
        struct bind_watch *w = &b->watches[number];

        for (size_t i = 0; i < w->n_texts; i++)
            make_known(b, w->texts[i]);
        /* The latest first: these are visited first, so that each stays where a heap gets it. */
        for (size_t i = w->n_spots; i-- > 0;)
            mention(b, w->spots[i].list, w->spots[i].pos);
        *w = (struct bind_watch){0};
    }
}

struct bind_id *bind_take_id(const struct bind *b, struct sp_str id)
{
    const size_t *index = sp_map_find(&b->by_id, id);

    return index != NULL ? b->ids[*index] : NULL;
}

static struct bind_id *id_of(struct bind *b, struct sp_str id)
{
    struct bind_id *known = bind_take_id(b, id);
    struct bind_id *added;

    if (known != NULL)
        return known;
    added = sp_arena_alloc(&b->arena, sizeof *added);
    *sp_map_put(&b->by_id, id, NULL) = b->n_ids; /* the key is the episode's */
    BIND_ROOM(&b->arena, b->ids, b->n_ids, b->max_ids);
    b->ids[b->n_ids++] = added;
    return added;
}

/* Where a call stands, or would, among the reads of an entry. */
static size_t find_read(const struct bind_entry *entry, size_t call)
{
    size_t i = entry->n_reads;

    while (i > 0 && entry->reads[i - 1] >= call)
        i--;
    return i;
}

static void add_read(struct bind *b, struct bind_entry *entry, size_t call)
{
    size_t i = find_read(entry, call);

    BIND_ROOM(&b->arena, entry->reads, entry->n_reads, entry->max_reads);
    memmove(&entry->reads[i + 1], &entry->reads[i], (entry->n_reads - i) * sizeof *entry->reads);
    entry->reads[i] = call;
    entry->n_reads++;
}

static void remove_read(struct bind_entry *entry, size_t call)
{
    size_t i = find_read(entry, call);

    entry->n_reads--;
    memmove(&entry->reads[i], &entry->reads[i + 1], (entry->n_reads - i) * sizeof *entry->reads);
}

/* A call becomes a read of what it passes, or ceases to be one. */
static void change_reads(struct bind *b, size_t number, bool is_read)
{
    const struct bind_made *call = &b->calls[number];

    for (size_t i = 0; call->tool != NULL && i < call->tool->n_args; i++) {
        if (call->used[i] == NULL)
            continue;
        if (is_read)
            add_read(b, call->used[i], number);
        else
            remove_read(call->used[i], number);
    }
}

bool bind_take_value(struct bind *b, struct sp_str arguments, struct sp_str name)
{
    struct sp_str value;

    if (!jget_member(arguments, name, &value))
        return false;
    sp_buf_clear(&b->text);
    outputs_value_text(value, &b->text);
    return true;
}

static void use(struct bind *b, struct bind_made *call, struct sp_str arguments)
{
    struct bind_tool *tool = call->tool;

    tool->n_made++;
    call->used = sp_arena_alloc(&b->arena, tool->n_args * sizeof(struct bind_entry *));
    for (size_t i = 0; i < tool->n_args; i++) {
        struct bind_arg *arg = &tool->args[i];

        if (arg->n_rules == 0 || !bind_take_value(b, arguments, arg->name))
            continue;
        call->used[i] = bind_rank_entry(b, arg, sp_buf_str(&b->text));
        bind_rank_use(b, arg, call->used[i]);
    }
}

/* A call whose scalars are taken in. */
struct giving {
    struct bind *b;
    struct bind_made *call;
};

static void on_argument(void *data, struct sp_str scalar)
{
    struct giving *g = data;
    struct bind *b = g->b;
    struct bind_text *text;

    if (!outputs_is_key_like(scalar))
        return;
    text = intern(b, scalar);
    if (text->first_output < g->call->turn)
        return;
    text->n_given++;
    BIND_ROOM(&b->arena, g->call->given, g->call->n_given, g->call->max_given);
    g->call->given[g->call->n_given++] = text;
    make_known(b, text);
}

void bind_take_call(struct bind *b, size_t turn, const struct episode_call *call)
{
    struct bind_id *id = id_of(b, call->id);
    struct bind_made made = {.id = id, .tool = bind_plan_tool(b, call->name), .turn = turn};
    struct giving giving = {b, &made};
    size_t number = b->n_calls;

    if (made.tool != NULL)
        use(b, &made, call->arguments);
    outputs_scalars(call->arguments, on_argument, &giving);
    BIND_ROOM(&b->arena, b->calls, b->n_calls, b->max_calls);
    b->calls[b->n_calls++] = made;
    BIND_ROOM(&b->arena, id->calls, id->n_calls, id->max_calls);
    id->calls[id->n_calls++] = number;
    if (id->output != NULL)
        change_reads(b, number, true);
}

static void on_value(void *data, struct sp_str value, struct sp_str holder)
{
    struct bind_source *source = data;

    if (source->n_found == source->max_found) {
        source->max_found = source->max_found > 0 ? 2 * source->max_found : 8;
        source->found = sp_realloc(source->found, source->max_found * sizeof *source->found);
    }
    source->found[source->n_found++] = (struct bind_found){value, holder};
}

static void on_member(void *data, struct sp_str name, struct sp_str value, struct sp_str holder)
{
    struct bind *b = data;
    const size_t *index = sp_map_find(&b->by_name, name);

    if (index != NULL)
        on_value(b->named.of[*index], value, holder);
}

static void watch_spot(struct bind *b, struct sp_str text, struct bind_spot spot)
{
    size_t number;
    struct bind_watch *w = watch(b, text, &number);

    if (w == NULL) {
        spot.list->values[spot.pos].is_mentioned = true;
        return;
    }
    BIND_ROOM(&b->arena, w->spots, w->n_spots, w->max_spots);
    w->spots[w->n_spots++] = spot;
}

/*
 * Watches a value and its record. A sibling with the value's own text is none, but as that is
 * mentioned together with the value, it does no harm here.
 */
static void watch_value(struct bind *b, struct bind_spot spot, struct sp_str holder)
{
    watch_spot(b, spot.list->values[spot.pos].text, spot);
    if (holder.p == NULL)
        return;
    for (struct jget_iter it = jget_iter(holder); jget_next(&it);) {
        if (jget_type(it.value) != JSCAN_STRING)
            continue;
        sp_buf_clear(&b->text);
        jget_text(it.value, &b->text);
        if (outputs_has_chars(sp_buf_str(&b->text), BIND_MIN_SIBLING))
            watch_spot(b, sp_buf_str(&b->text), spot);
    }
}

/* Makes the list of what was found for a source in the newest output. */
static void add_list(struct bind *b, struct bind_source *source)
{
    struct bind_list *list;

    if (source->n_found == 0)
        return;
    list = sp_arena_alloc(&b->arena, sizeof *list);
    *list = (struct bind_list){
        .source = source,
        .output = b->n_outputs,
        .n = source->n_found,
        .values = sp_arena_alloc(&b->arena, source->n_found * sizeof *list->values),
        .entries = sp_arena_alloc(&b->arena, source->n_users * sizeof *list->entries),
    };
    for (size_t i = 0; i < list->n; i++) {
        sp_buf_clear(&b->text);
        jget_text(source->found[i].value, &b->text);
        list->values[i].text = sp_arena_copy(&b->arena, sp_buf_str(&b->text));
        if (source->has_values)
            watch_value(b, (struct bind_spot){list, i}, source->found[i].holder);
    }
    source->n_found = 0;
    for (size_t i = 0; i < source->n_users; i++)
        bind_rank_add(b, &source->users[i], i, list);
}

static void add_lists(struct bind *b, struct sp_str tool, struct sp_str json)
{
    const size_t *index = sp_map_find(&b->by_source_tool, tool);
    const struct bind_sources *sources = index != NULL ? &b->of_tools[*index] : NULL;

    for (size_t i = 0; sources != NULL && i < sources->n; i++) {
        outputs_at(json, &sources->of[i]->path, on_value, sources->of[i]);
        add_list(b, sources->of[i]);
    }
    if (b->named.n == 0)
        return;
    outputs_members(json, on_member, b);
    for (size_t i = 0; i < b->named.n; i++)
        add_list(b, b->named.of[i]);
}

/* An output whose scalars are taken in. */
struct showing {
    struct bind *b;
    struct bind_output *output;
    size_t event;
};

static void on_shown(void *data, struct sp_str scalar)
{
    struct showing *s = data;
    struct bind_text *text;

    if (!outputs_is_key_like(scalar))
        return;
    text = intern(s->b, scalar);
    if (text->mark == s->b->mark)
        return;
    text->mark = s->b->mark;
    if (text->first_output == SIZE_MAX)
        text->first_output = s->event;
    if (text->is_known) {
        know(s->b, s->output, text);
    } else {
        BIND_ROOM(&s->b->arena, text->outputs, text->n_outputs, text->max_outputs);
        text->outputs[text->n_outputs++] = s->output;
    }
}

static struct bind_output *add_output(struct bind *b, size_t event, struct sp_str tool,
                                      struct sp_str content)
{
    struct bind_output *output = sp_arena_alloc(&b->arena, sizeof *output);
    struct showing showing = {b, output, event};

    sp_buf_clear(&b->json);
    outputs_read(content, &b->json);
    b->mark++;
    outputs_scalars(sp_buf_str(&b->json), on_shown, &showing);
    add_lists(b, tool, sp_buf_str(&b->json));
    b->n_outputs++;
    b->last_tool = tool;
    return output;
}

void bind_take_result(struct bind *b, size_t event, struct sp_str call_id, struct sp_str tool,
                      bool is_error, struct sp_str content)
{
    struct bind_output *output = is_error ? NULL : add_output(b, event, tool, content);
    struct bind_id *id = id_of(b, call_id);
    bool was_read = id->output != NULL, is_read = output != NULL;

    id->output = output;
    for (size_t i = 0; was_read != is_read && i < id->n_calls; i++)
        change_reads(b, id->calls[i], is_read);
}
