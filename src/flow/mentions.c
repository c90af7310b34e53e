/*
 * What the customer has mentioned.
 *
 *  1. All that was said is one text, of which an automaton knows every part; it answers for a text
 *     that is first watched.
 *  2. Texts not mentioned yet are in a set. At every place of a new message the set tells which of
 *     them begin there.
 *  3. A text with a newline inside can begin in one message and end in a later one. The places
 *     where one may have begun are kept as `open`, and looked at again with each message.
 */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "base/sp_arena.h"
#include "base/sp_map.h"
#include "base/sp_unicode.h"
#include "flow/mentions.h"
#include "flow/outputs.h"
#include "flow/prefixes.h"
#include "flow/substrings.h"

struct mentions {
    struct sp_buf said;
    struct substrings parts; /* of `said` */
    struct sp_map numbers;   /* text -> number */
    bool *is_mentioned;      /* by number */
    size_t n;
    size_t max;
    struct prefixes awaited; /* texts that were not mentioned when they were first watched */
    size_t *awaited_numbers; /* by their number in the set */
    size_t max_awaited;
    size_t *open;
    size_t n_open;
    size_t max_open;
    size_t *news; /* numbers; those before n_told were given */
    size_t n_news;
    size_t n_told;
    size_t max_news;
    struct sp_arena arena;
    struct sp_buf lower; /* scratch */
};

struct mentions *mentions_new(void)
{
    return sp_calloc(1, sizeof(struct mentions));
}

void mentions_free(struct mentions *m)
{
    if (m == NULL)
        return;
    sp_buf_deinit(&m->said);
    substrings_deinit(&m->parts);
    sp_map_deinit(&m->numbers);
    free(m->is_mentioned);
    prefixes_deinit(&m->awaited);
    free(m->awaited_numbers);
    free(m->open);
    free(m->news);
    sp_arena_deinit(&m->arena);
    sp_buf_deinit(&m->lower);
    free(m);
}

/* A text as it is looked for; good until the next call. */
static struct sp_str wanted(struct mentions *m, struct sp_str text)
{
    struct sp_str lower;
    size_t at = 0;

    sp_buf_clear(&m->lower);
    outputs_lower(text, &m->lower);
    lower = sp_buf_str(&m->lower);
    while (at < lower.len && lower.p[at] == '#')
        at++;
    return sp_str_sub(lower, at, lower.len);
}

bool mentions_of(struct mentions *m, struct sp_str text)
{
    struct sp_str want = wanted(m, text);

    return want.len > 0 && substrings_has(&m->parts, want);
}

static size_t *grow(size_t *array, size_t n, size_t *max)
{
    if (n < *max)
        return array;
    *max = *max > 0 ? 2 * *max : 8;
    return sp_realloc(array, *max * sizeof *array);
}

static void add_open(struct mentions *m, size_t at)
{
    for (size_t i = 0; i < m->n_open; i++) {
        if (m->open[i] == at)
            return;
    }
    m->open = grow(m->open, m->n_open, &m->max_open);
    m->open[m->n_open++] = at;
}

/* Waits for a text to be said; the beginning of it may have been already. */
static void await(struct mentions *m, struct sp_str text, size_t number)
{
    struct sp_str said = sp_buf_str(&m->said);
    uint32_t i = prefixes_add(&m->awaited, text);

    m->awaited_numbers = grow(m->awaited_numbers, i, &m->max_awaited);
    m->awaited_numbers[i] = number;
    for (size_t at = sp_str_find(text, '\n'); at < text.len;) {
        if (sp_str_ends(said, sp_str_sub(text, 0, at + 1)))
            add_open(m, said.len - (at + 1));
        at += 1 + sp_str_find(sp_str_sub(text, at + 1, text.len), '\n');
    }
}

size_t mentions_watch(struct mentions *m, struct sp_str text)
{
    struct sp_str want = wanted(m, text);
    const size_t *known = sp_map_find(&m->numbers, want);
    size_t number = m->n;

    if (known != NULL)
        return *known;
    if (m->n == m->max) {
        m->max = m->max > 0 ? 2 * m->max : 64;
        m->is_mentioned = sp_realloc(m->is_mentioned, m->max * sizeof *m->is_mentioned);
    }
    want = sp_arena_copy(&m->arena, want);
    *sp_map_put(&m->numbers, want, NULL) = number;
    m->is_mentioned[m->n++] = want.len > 0 && substrings_has(&m->parts, want);
    if (want.len > 0 && !m->is_mentioned[number])
        await(m, want, number);
    return number;
}

size_t mentions_count(const struct mentions *m)
{
    return m->n;
}

bool mentions_has(const struct mentions *m, size_t number)
{
    return m->is_mentioned[number];
}

bool mentions_next(struct mentions *m, size_t *ret)
{
    if (m->n_told == m->n_news) {
        m->n_news = m->n_told = 0;
        return false;
    }
    *ret = m->news[m->n_told++];
    return true;
}

static void on_said(void *data, uint32_t i)
{
    struct mentions *m = data;
    size_t number = m->awaited_numbers[i];

    if (m->is_mentioned[number])
        return;
    m->is_mentioned[number] = true;
    m->news = grow(m->news, m->n_news, &m->max_news);
    m->news[m->n_news++] = number;
}

/* Finds the texts that begin at a place; returns whether one may that is not all said yet. */
static bool look_at(struct mentions *m, size_t at)
{
    return prefixes_of(&m->awaited, sp_str_sub(sp_buf_str(&m->said), at, m->said.len), on_said, m);
}

void mentions_say(struct mentions *m, struct sp_str message)
{
    size_t old_len = m->said.len, n_open = 0;

    sp_unicode_put_lower(&m->said, message);
    sp_buf_add_char(&m->said, '\n');
    substrings_add(&m->parts, sp_str_sub(sp_buf_str(&m->said), old_len, m->said.len));
    for (size_t i = 0; i < m->n_open; i++) {
        if (look_at(m, m->open[i]))
            m->open[n_open++] = m->open[i];
    }
    m->n_open = n_open;
    for (size_t at = old_len; at < m->said.len; at++) {
        if (look_at(m, at))
            add_open(m, at);
    }
}
