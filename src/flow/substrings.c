/*
 * The suffix automaton of a text: the smallest one that takes all its substrings (Blumer and
 * others, 1985). It is built byte by byte in linear time. Each state stands for the substrings that
 * end at the same places; the longest of them is `len` long, and the link leads to the state of
 * their longest suffix that ends at more places.
 */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "flow/substrings.h"

#define ROOT 0
#define NONE UINT32_MAX

struct substrings_state {
    uint32_t len;
    uint32_t link;
    uint32_t edge; /* the first, NONE for none */
};

struct substrings_edge {
    uint32_t to;
    uint32_t next; /* of the same state */
    unsigned char byte;
};

void substrings_deinit(struct substrings *s)
{
    free(s->states);
    free(s->edges);
    *s = (struct substrings){0};
}

static uint32_t add_state(struct substrings *s, uint32_t len)
{
    if (s->n_states == s->max_states) {
        s->max_states = s->max_states > 0 ? 2 * s->max_states : 64;
        s->states = sp_realloc(s->states, s->max_states * sizeof *s->states);
    }
    s->states[s->n_states] = (struct substrings_state){len, NONE, NONE};
    return s->n_states++;
}

static void add_edge(struct substrings *s, uint32_t from, unsigned char byte, uint32_t to)
{
    if (s->n_edges == s->max_edges) {
        s->max_edges = s->max_edges > 0 ? 2 * s->max_edges : 64;
        s->edges = sp_realloc(s->edges, s->max_edges * sizeof *s->edges);
    }
    s->edges[s->n_edges] = (struct substrings_edge){to, s->states[from].edge, byte};
    s->states[from].edge = s->n_edges++;
}

/* The edge of a state by a byte; NULL for none. */
static struct substrings_edge *edge_of(const struct substrings *s, uint32_t state,
                                       unsigned char byte)
{
    for (uint32_t i = s->states[state].edge; i != NONE; i = s->edges[i].next) {
        if (s->edges[i].byte == byte)
            return &s->edges[i];
    }
    return NULL;
}

static void copy_edges(struct substrings *s, uint32_t from, uint32_t to)
{
    for (uint32_t i = s->states[from].edge; i != NONE; i = s->edges[i].next)
        add_edge(s, to, s->edges[i].byte, s->edges[i].to);
}

/*
 * Splits a state: the substrings that continue `from` by `byte` now end at more places than the
 * longer ones of their state, so they get one of their own.
 */
static uint32_t split(struct substrings *s, uint32_t from, unsigned char byte, uint32_t state)
{
    uint32_t part = add_state(s, s->states[from].len + 1);

    copy_edges(s, state, part);
    s->states[part].link = s->states[state].link;
    s->states[state].link = part;
    for (uint32_t p = from; p != NONE; p = s->states[p].link) {
        struct substrings_edge *edge = edge_of(s, p, byte);

        if (edge == NULL || edge->to != state)
            break;
        edge->to = part;
    }
    return part;
}

static void add_byte(struct substrings *s, unsigned char byte)
{
    uint32_t state = add_state(s, s->states[s->last].len + 1);
    uint32_t p = s->last, q;

    for (; p != NONE && edge_of(s, p, byte) == NULL; p = s->states[p].link)
        add_edge(s, p, byte, state);
    s->last = state;
    if (p == NONE) {
        s->states[state].link = ROOT;
        return;
    }
    q = edge_of(s, p, byte)->to;
    if (s->states[q].len != s->states[p].len + 1)
        q = split(s, p, byte, q);
    s->states[state].link = q;
}

void substrings_add(struct substrings *s, struct sp_str bytes)
{
    if (s->n_states == 0)
        s->last = add_state(s, 0);
    for (size_t i = 0; i < bytes.len; i++)
        add_byte(s, (unsigned char)bytes.p[i]);
}

bool substrings_has(const struct substrings *s, struct sp_str part)
{
    uint32_t state = ROOT;

    if (s->n_states == 0)
        return part.len == 0;
    for (size_t i = 0; i < part.len; i++) {
        const struct substrings_edge *edge = edge_of(s, state, (unsigned char)part.p[i]);

        if (edge == NULL)
            return false;
        state = edge->to;
    }
    return true;
}
