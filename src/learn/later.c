/*
 * What came later in a recorded session.
 *
 * A list's key is what the calls in it have in common: a tool, or a tool with an argument and the
 * text of its value. Tools and arguments may hold any characters, so calls that differ may share a
 * key: it only says where to look.
 */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "flow/outputs.h"
#include "json/jget.h"
#include "learn/later.h"

enum key_kind { KEY_RESULT = 'r', KEY_TOOL = 't', KEY_ARGUMENT = 'a' };

void later_init(struct later *l, const struct episode *e)
{
    *l = (struct later){.e = e};
}

void later_deinit(struct later *l)
{
    for (size_t i = 0; i < l->n_lists; i++)
        free(l->lists[i].of);
    free(l->lists);
    sp_map_deinit(&l->by_key);
    sp_arena_deinit(&l->arena);
    *l = (struct later){0};
}

/* ---- lists ---- */

static void begin_key(struct sp_buf *key, enum key_kind kind, struct sp_str name)
{
    sp_buf_clear(key);
    sp_buf_add_char(key, (char)kind);
    sp_buf_add(key, name);
}

/* name: of the argument, as canonical JSON has it. */
static void set_argument_key(struct sp_buf *key, struct sp_str tool, struct sp_str name,
                             struct sp_str value)
{
    begin_key(key, KEY_ARGUMENT, tool);
    sp_buf_add(key, name);
    outputs_value_text(value, key);
}

static void list(struct later *l, struct sp_str key, struct later_place place)
{
    size_t *index = sp_map_find(&l->by_key, key);
    struct later_list *to;

    if (index == NULL) {
        index = sp_map_put(&l->by_key, sp_arena_copy(&l->arena, key), NULL);
        *index = l->n_lists;
        if (l->n_lists == l->max_lists) {
            l->max_lists = l->max_lists > 0 ? 2 * l->max_lists : 32;
            l->lists = sp_realloc(l->lists, l->max_lists * sizeof *l->lists);
        }
        l->lists[l->n_lists++] = (struct later_list){0};
    }
    to = &l->lists[*index];
    if (to->n == to->max) {
        to->max = to->max > 0 ? 2 * to->max : 4;
        to->of = sp_realloc(to->of, to->max * sizeof *to->of);
    }
    to->of[to->n++] = place;
}

static void list_call(struct later *l, struct sp_buf *key, struct later_place place)
{
    const struct episode_call *call = &l->e->events[place.event].calls[place.call];

    begin_key(key, KEY_TOOL, call->name);
    list(l, sp_buf_str(key), place);
    if (jget_type(call->arguments) != JSCAN_OBJECT)
        return;
    for (struct jget_iter it = jget_iter(call->arguments); jget_next(&it);) {
        set_argument_key(key, call->name, it.name, it.value);
        list(l, sp_buf_str(key), place);
    }
}

static void list_all(struct later *l)
{
    struct sp_buf key = {0};

    if (l->is_listed)
        return;
    l->is_listed = true;
    for (size_t i = 0; i < l->e->n_events; i++) {
        const struct episode_event *event = &l->e->events[i];

        for (size_t k = 0; k < event->n_calls; k++)
            list_call(l, &key, (struct later_place){i, k});
        if (event->kind == EPISODE_RESULT) {
            begin_key(&key, KEY_RESULT, event->call_id);
            list(l, sp_buf_str(&key), (struct later_place){i, 0});
        }
    }
    sp_buf_deinit(&key);
}

static const struct later_list *find_list(const struct later *l, const struct sp_buf *key)
{
    const size_t *index = sp_map_find(&l->by_key, sp_buf_str(key));

    return index != NULL ? &l->lists[*index] : NULL;
}

/* The index of the first place of a list behind an event. */
static size_t first_behind(const struct later_list *of, size_t after)
{
    size_t from = 0;
    size_t to = of->n;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (of->of[middle].event > after)
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

/* ---- finding ---- */

/* The shortest list in which all calls that make a lookup are; NULL: there are none. */
static const struct later_list *shortest_list(const struct later *l, struct sp_str tool,
                                              struct sp_str arguments)
{
    struct sp_buf key = {0};
    const struct later_list *shortest;

    begin_key(&key, KEY_TOOL, tool);
    shortest = find_list(l, &key);
    for (struct jget_iter it = jget_iter(arguments); shortest != NULL && jget_next(&it);) {
        const struct later_list *one;

        set_argument_key(&key, tool, it.name, it.value);
        one = find_list(l, &key);
        if (one == NULL || one->n < shortest->n)
            shortest = one;
    }
    sp_buf_deinit(&key);
    return shortest;
}

bool later_has_arguments(struct sp_str arguments, struct sp_str wanted)
{
    struct sp_buf name = {0}, text = {0}, wanted_text = {0};
    bool has_all = true;

    for (struct jget_iter it = jget_iter(wanted); has_all && jget_next(&it);) {
        struct sp_str value;

        sp_buf_clear(&name);
        sp_buf_clear(&text);
        sp_buf_clear(&wanted_text);
        jget_text(it.name, &name);
        has_all = jget_member(arguments, sp_buf_str(&name), &value);
        if (!has_all)
            break;
        outputs_value_text(value, &text);
        outputs_value_text(it.value, &wanted_text);
        has_all = sp_str_eq(sp_buf_str(&text), sp_buf_str(&wanted_text));
    }
    sp_buf_deinit(&name);
    sp_buf_deinit(&text);
    sp_buf_deinit(&wanted_text);
    return has_all;
}

const struct episode_call *later_call(struct later *l, size_t after, struct sp_str tool,
                                      struct sp_str arguments)
{
    const struct later_list *calls;

    list_all(l);
    calls = shortest_list(l, tool, arguments);
    if (calls == NULL)
        return NULL;
    for (size_t i = first_behind(calls, after); i < calls->n; i++) {
        const struct later_place *place = &calls->of[i];
        const struct episode_call *call = &l->e->events[place->event].calls[place->call];

        if (sp_str_eq(call->name, tool) && later_has_arguments(call->arguments, arguments))
            return call;
    }
    return NULL;
}

const struct episode_event *later_result(struct later *l, size_t after, struct sp_str call_id)
{
    struct sp_buf key = {0};
    const struct later_list *results;
    size_t i;

    list_all(l);
    begin_key(&key, KEY_RESULT, call_id);
    results = find_list(l, &key);
    sp_buf_deinit(&key);
    if (results == NULL)
        return NULL;
    i = first_behind(results, after);
    return i < results->n ? &l->e->events[results->of[i].event] : NULL;
}
