/*
 * Where values came from.
 *
 * Every output is walked once. A string in it that was told of gets the output and its path as its
 * latest place; one that some list has keeps all its places. A list is looked for when it is asked
 * about, in the outputs since the last time, from the latest back, by the string of its own that
 * has the fewest places.
 */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "base/sp_arena.h"
#include "base/sp_map.h"
#include "flow/outputs.h"
#include "json/jget.h"
#include "learn/shown.h"

/* Where a string stands. Outputs and paths are numbers. */
struct place {
    size_t output;
    size_t path;
    bool is_reached; /* by its path: no key on the way holds what ends a key */
};

/* A string that was told of. */
struct wanted {
    bool is_listed;
    bool is_shown;
    struct place last;    /* if is_shown: in the latest output the first place */
    struct place *places; /* if is_listed: in the order of the outputs, then of the document */
    size_t n_places;
    size_t max_places;
    size_t list; /* scratch: one more than the number of the last list that has it */
};

/* A list that was told of. */
struct list {
    size_t *strings; /* numbers of its distinct ones, in their order */
    size_t n_strings;
    size_t n_searched; /* outputs that were searched for it */
    bool is_found;
    struct place last; /* if is_found */
};

struct path {
    struct sp_str text;
    uint64_t search;  /* scratch, as the next: the last one that met it */
    size_t n_strings; /* of the list, from its first on, that stand at it */
};

struct shown {
    struct wanted *strings;
    size_t n_strings;
    size_t max_strings;
    struct sp_map by_string;
    struct list *lists;
    size_t n_lists;
    size_t max_lists;
    struct sp_map by_list; /* from its JSON */
    struct path *paths;
    size_t n_paths;
    size_t max_paths;
    struct sp_map by_path;
    struct sp_str *tools; /* by output */
    size_t n_outputs;
    size_t max_outputs;
    struct sp_arena arena; /* texts and the strings of lists */
    uint64_t n_searches;
    struct sp_buf json; /* scratch, as the next */
    struct sp_buf text;
};

enum shown_kind shown_kind(struct sp_str value)
{
    size_t n = 0;

    if (jget_type(value) == JSCAN_STRING)
        return SHOWN_STRING;
    if (jget_type(value) != JSCAN_ARRAY)
        return SHOWN_OTHER;
    for (struct jget_iter it = jget_iter(value); jget_next(&it); n++) {
        if (jget_type(it.value) != JSCAN_STRING)
            return SHOWN_OTHER;
    }
    return n > 0 ? SHOWN_LIST : SHOWN_OTHER;
}

struct shown *shown_new(void)
{
    return sp_calloc(1, sizeof(struct shown));
}

void shown_free(struct shown *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->n_strings; i++)
        free(s->strings[i].places);
    free(s->strings);
    free(s->lists);
    free(s->paths);
    free(s->tools);
    sp_map_deinit(&s->by_string);
    sp_map_deinit(&s->by_list);
    sp_map_deinit(&s->by_path);
    sp_arena_deinit(&s->arena);
    sp_buf_deinit(&s->json);
    sp_buf_deinit(&s->text);
    free(s);
}

/* Makes room for one more element behind `n`; returns the array. */
static void *room(void *of, size_t n, size_t *max, size_t size)
{
    if (n < *max)
        return of;
    *max = *max > 0 ? 2 * *max : 8;
    return sp_realloc(of, *max * size);
}

/*
 * The number of a text, which is `n` if it is new, with a copy of it as the map's key.
 *
 * Returns: whether it is new.
 */
static bool number(struct shown *s, struct sp_map *by_text, struct sp_str text, size_t n,
                   size_t *ret)
{
    const size_t *known = sp_map_find(by_text, text);

    *ret = known != NULL ? *known : n;
    if (known == NULL)
        *sp_map_put(by_text, sp_arena_copy(&s->arena, text), NULL) = n;
    return known == NULL;
}

static struct sp_str text_of(struct shown *s, struct sp_str string)
{
    sp_buf_clear(&s->text);
    jget_text(string, &s->text);
    return sp_buf_str(&s->text);
}

static size_t want_string(struct shown *s, struct sp_str string)
{
    size_t i;

    if (number(s, &s->by_string, text_of(s, string), s->n_strings, &i)) {
        s->strings = room(s->strings, s->n_strings, &s->max_strings, sizeof *s->strings);
        s->strings[s->n_strings++] = (struct wanted){0};
    }
    return i;
}

static void want_list(struct shown *s, struct sp_str value)
{
    struct list list = {0};
    size_t i;

    if (!number(s, &s->by_list, value, s->n_lists, &i))
        return;
    list.strings = sp_arena_alloc(&s->arena, jget_count(value) * sizeof *list.strings);
    for (struct jget_iter it = jget_iter(value); jget_next(&it);) {
        size_t string = want_string(s, it.value);
        struct wanted *w = &s->strings[string];

        w->is_listed = true;
        if (w->list != s->n_lists + 1)
            list.strings[list.n_strings++] = string;
        w->list = s->n_lists + 1;
    }
    s->lists = room(s->lists, s->n_lists, &s->max_lists, sizeof *s->lists);
    s->lists[s->n_lists++] = list;
}

void shown_want(struct shown *s, struct sp_str value)
{
    switch (shown_kind(value)) {
    case SHOWN_STRING:
        (void)want_string(s, value); /* its number is found again by its text */
        break;
    case SHOWN_LIST:
        want_list(s, value);
        break;
    case SHOWN_OTHER:
        break;
    }
}

/* The way to a value from the whole output, whose `up` is NULL. */
struct way {
    const struct way *up;
    struct sp_str name; /* a member's, as written; empty: an element */
};

/* Appends a path; returns whether it leads back to where the way does. */
static bool put_path(const struct way *way, struct sp_buf *ret)
{
    size_t begin;
    struct sp_str key;
    bool is_reached;

    if (way->up == NULL) {
        sp_buf_add_char(ret, '$');
        return true;
    }
    is_reached = put_path(way->up, ret);
    if (way->name.len == 0) {
        sp_buf_add(ret, SP_STR("[*]"));
        return is_reached;
    }
    sp_buf_add_char(ret, '.');
    begin = ret->len;
    jget_text(way->name, ret);
    key = sp_str_sub(sp_buf_str(ret), begin, ret->len);
    return is_reached && sp_str_find(key, '.') == key.len && sp_str_find(key, '[') == key.len;
}

/* Where the way leads in the newest output. */
static struct place place_of(struct shown *s, const struct way *way)
{
    struct place place = {.output = s->n_outputs - 1};

    sp_buf_clear(&s->text);
    place.is_reached = put_path(way, &s->text);
    if (number(s, &s->by_path, sp_buf_str(&s->text), s->n_paths, &place.path)) {
        struct sp_str text = sp_arena_copy(&s->arena, sp_buf_str(&s->text));

        s->paths = room(s->paths, s->n_paths, &s->max_paths, sizeof *s->paths);
        s->paths[s->n_paths++] = (struct path){.text = text};
    }
    return place;
}

static bool is_same_place(const struct place *a, const struct place *b)
{
    return a->output == b->output && a->path == b->path && a->is_reached == b->is_reached;
}

static void show_string(struct shown *s, struct sp_str string, const struct way *way)
{
    const size_t *known = sp_map_find(&s->by_string, text_of(s, string));
    struct wanted *w = known != NULL ? &s->strings[*known] : NULL;
    bool is_new = w != NULL && !(w->is_shown && w->last.output == s->n_outputs - 1);
    struct place place;

    if (w == NULL || !(is_new || w->is_listed))
        return;
    place = place_of(s, way);
    if (is_new) {
        w->is_shown = true;
        w->last = place;
    }
    if (!w->is_listed || (w->n_places > 0 && is_same_place(&w->places[w->n_places - 1], &place)))
        return;
    w->places = room(w->places, w->n_places, &w->max_places, sizeof *w->places);
    w->places[w->n_places++] = place;
}

static void show_value(struct shown *s, struct sp_str value, const struct way *way)
{
    switch (jget_type(value)) {
    case JSCAN_STRING:
        show_string(s, value, way);
        break;
    case JSCAN_ARRAY:
    case JSCAN_OBJECT:
        for (struct jget_iter it = jget_iter(value); jget_next(&it);) {
            const struct way next = {way, it.name};

            show_value(s, it.value, &next);
        }
        break;
    case JSCAN_NULL:
    case JSCAN_FALSE:
    case JSCAN_TRUE:
    case JSCAN_NUMBER:
        break;
    }
}

void shown_add(struct shown *s, struct sp_str tool, struct sp_str text)
{
    static const struct way whole = {0};

    if (s->n_strings == 0)
        return;
    s->tools = room(s->tools, s->n_outputs, &s->max_outputs, sizeof *s->tools);
    s->tools[s->n_outputs++] = tool;
    sp_buf_clear(&s->json);
    outputs_read(text, &s->json);
    show_value(s, sp_buf_str(&s->json), &whole);
}

/* The number of a string's places in the outputs before this one. */
static size_t n_before(const struct wanted *w, size_t output)
{
    size_t low = 0, high = w->n_places;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (w->places[middle].output < output)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/*
 * Of the paths where all of a list's first `k` strings stand in an output, keeps those where the
 * next one stands. Returns whether it stands anywhere.
 */
static bool narrow(struct shown *s, const struct list *list, size_t output, size_t k)
{
    const struct wanted *w = &s->strings[list->strings[k]];
    size_t begin = n_before(w, output), i = begin;

    for (; i < w->n_places && w->places[i].output == output; i++) {
        struct path *path = &s->paths[w->places[i].path];

        if (!w->places[i].is_reached)
            continue;
        if (path->search != s->n_searches) {
            path->search = s->n_searches;
            path->n_strings = 0;
        }
        if (path->n_strings == k)
            path->n_strings++;
    }
    return i > begin;
}

/* Finds the first path of an output where all strings of a list stand. */
static bool find_path(struct shown *s, const struct list *list, size_t output, struct place *ret)
{
    const struct wanted *first = &s->strings[list->strings[0]];

    s->n_searches++;
    for (size_t k = 0; k < list->n_strings; k++) {
        if (!narrow(s, list, output, k))
            return false;
    }
    for (size_t i = n_before(first, output);
         i < first->n_places && first->places[i].output == output; i++) {
        const struct path *path = &s->paths[first->places[i].path];

        if (path->search == s->n_searches && path->n_strings == list->n_strings) {
            *ret = first->places[i];
            return true;
        }
    }
    return false;
}

static const struct wanted *rarest(const struct shown *s, const struct list *list)
{
    const struct wanted *least = &s->strings[list->strings[0]];

    for (size_t k = 1; k < list->n_strings; k++) {
        const struct wanted *w = &s->strings[list->strings[k]];

        if (w->n_places < least->n_places)
            least = w;
    }
    return least;
}

/* Looks a list up in the outputs that were not searched for it yet, from the latest back. */
static void search(struct shown *s, struct list *list)
{
    const struct wanted *w = rarest(s, list);

    for (size_t i = w->n_places; i > 0;) {
        size_t output = w->places[i - 1].output;

        if (output < list->n_searched)
            break;
        if (find_path(s, list, output, &list->last)) {
            list->is_found = true;
            break;
        }
        i = n_before(w, output);
    }
    list->n_searched = s->n_outputs;
}

/* The latest place of a value; NULL for none. */
static const struct place *last_place(struct shown *s, struct sp_str value)
{
    bool is_string = jget_type(value) == JSCAN_STRING;
    const size_t *known =
        is_string ? sp_map_find(&s->by_string, text_of(s, value)) : sp_map_find(&s->by_list, value);
    const struct wanted *w = known != NULL && is_string ? &s->strings[*known] : NULL;
    struct list *list = known != NULL && !is_string ? &s->lists[*known] : NULL;

    if (w != NULL && w->is_shown)
        return &w->last;
    if (list != NULL)
        search(s, list);
    return list != NULL && list->is_found ? &list->last : NULL;
}

bool shown_find(struct shown *s, struct sp_str value, struct shown_place *ret)
{
    const struct place *place = last_place(s, value);

    if (place == NULL)
        return false;
    *ret = (struct shown_place){s->tools[place->output], s->paths[place->path].text};
    return true;
}
