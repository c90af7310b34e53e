/*
 * Lines, words and phrases of texts.
 *
 * Phrases are a tree: from its root one step a word, so that in a text the longest phrase that
 * begins at some word is found without a look at the others. Of phrases with the same words the one
 * whose hash is first counts.
 */

#include <assert.h>

#include "base/sp_alloc.h"
#include "base/sp_unicode.h"
#include "base/sp_utf8.h"
#include "trace/redact_impl.h"

/* A step in the tree, as its map's key. */
struct edge {
    size_t node;
    size_t word; /* a value's index */
};

bool redact_next_line(struct sp_str *rest, struct sp_str *ret)
{
    size_t end = sp_str_find(*rest, '\n');

    if (rest->len == 0)
        return false;
    *ret = sp_str_sub(*rest, 0, end);
    if (end == rest->len) {
        rest->len = 0;
        return true;
    }
    if (ret->len > 0 && ret->p[ret->len - 1] == '\r')
        ret->len--;
    *rest = sp_str_sub(*rest, end + 1, rest->len);
    return true;
}

bool redact_next_word(struct sp_str *rest, struct sp_str *ret)
{
    struct sp_str word = {NULL, 0};

    while (rest->len > 0) {
        struct sp_str here = *rest;
        bool is_space = sp_unicode_is_space(sp_utf8_next(rest));

        if (word.p == NULL && !is_space)
            word.p = here.p;
        if (word.p != NULL && is_space) {
            word.len = (size_t)(here.p - word.p);
            break;
        }
        if (word.p != NULL)
            word.len = (size_t)(rest->p - word.p);
    }
    if (word.p == NULL)
        return false;
    *ret = word;
    return true;
}

static bool is_punctuation(char c)
{
    return c != '\0' && strchr(".,;:!?()[]\"'`", c) != NULL;
}

struct sp_str redact_core(struct sp_str word)
{
    while (word.len > 0 && is_punctuation(word.p[0]))
        word = sp_str_sub(word, 1, word.len);
    while (word.len > 0 && is_punctuation(word.p[word.len - 1]))
        word.len--;
    return word;
}

static struct sp_str edge_key(const struct edge *edge)
{
    return (struct sp_str){(const char *)edge, sizeof *edge};
}

static size_t node_add(struct redact *r)
{
    if (r->n_nodes == r->max_nodes) {
        r->max_nodes = r->max_nodes > 0 ? 2 * r->max_nodes : 64;
        r->nodes = sp_realloc(r->nodes, r->max_nodes * sizeof *r->nodes);
    }
    r->nodes[r->n_nodes] = (struct redact_node){.value = REDACT_NONE};
    return r->n_nodes++;
}

/* The node one word on, which is added if it is new. */
static size_t node_step(struct redact *r, size_t node, size_t word)
{
    struct edge edge = {node, word};
    size_t *next = sp_map_find(&r->edges, edge_key(&edge));

    if (next == NULL) {
        next = sp_map_put(&r->edges, sp_arena_copy(&r->arena, edge_key(&edge)), NULL);
        *next = node_add(r);
    }
    return *next;
}

static void phrase_add(struct redact *r, size_t phrase)
{
    struct sp_str rest = r->values[phrase].key;
    struct sp_str hash = redact_pseudonym(r, phrase);
    struct sp_str word;
    size_t n_words = 0;
    size_t first = REDACT_NONE;
    size_t node = 0;
    size_t *value;

    if (hash.p == NULL)
        return;
    while (redact_next_word(&rest, &word)) {
        size_t core = redact_find(r, redact_core(word));

        if (core == REDACT_NONE)
            continue;
        /* Most phrases of one word do not get here; those that do leave the tree as it is. */
        if (n_words++ == 0) {
            first = core;
            continue;
        }
        if (n_words == 2)
            node = node_step(r, node, first);
        node = node_step(r, node, core);
    }
    if (n_words < 2)
        return;
    value = &r->nodes[node].value;
    if (*value == REDACT_NONE || sp_str_cmp(hash, redact_pseudonym(r, *value)) < 0)
        *value = phrase;
}

void redact_phrases_build(struct redact *r)
{
    size_t n = r->n_values; /* words of phrases are added behind */

    assert(r->n_nodes == 0);
    node_add(r);
    for (size_t i = 0; i < n; i++) {
        if (r->values[i].is_phrase)
            phrase_add(r, i);
    }
}

size_t redact_phrases_find(const struct redact *r, const size_t *words, size_t n_words,
                           size_t *ret_len)
{
    size_t found = REDACT_NONE;
    size_t node = 0;

    for (size_t i = 0; i < n_words && words[i] != REDACT_NONE; i++) {
        struct edge edge = {node, words[i]};
        const size_t *next = sp_map_find(&r->edges, edge_key(&edge));

        if (next == NULL)
            break;
        node = *next;
        if (r->nodes[node].value != REDACT_NONE) {
            found = r->nodes[node].value;
            *ret_len = i + 1;
        }
    }
    return found;
}
