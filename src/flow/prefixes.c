/*
 * A tree of texts by their bytes. Where only one text goes on below a node, the node keeps that
 * text's number in place of further nodes; they are made when a second one comes that way.
 */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "flow/prefixes.h"

#define ROOT 0
#define NONE UINT32_MAX

struct prefixes_node {
    uint32_t child;   /* the first, NONE for none, as in the rest */
    uint32_t sibling; /* the next child of the same node */
    uint32_t ends;    /* the text that ends here */
    uint32_t goes_on; /* the one text that goes on below; only without children */
    unsigned char byte;
};

void prefixes_deinit(struct prefixes *p)
{
    free(p->nodes);
    free(p->texts);
    *p = (struct prefixes){0};
}

static uint32_t add_node(struct prefixes *p)
{
    if (p->n_nodes == p->max_nodes) {
        p->max_nodes = p->max_nodes > 0 ? 2 * p->max_nodes : 64;
        p->nodes = sp_realloc(p->nodes, p->max_nodes * sizeof *p->nodes);
    }
    p->nodes[p->n_nodes] = (struct prefixes_node){NONE, NONE, NONE, NONE, 0};
    return p->n_nodes++;
}

static uint32_t add_text(struct prefixes *p, struct sp_str text)
{
    if (p->n_texts == p->max_texts) {
        p->max_texts = p->max_texts > 0 ? 2 * p->max_texts : 64;
        p->texts = sp_realloc(p->texts, p->max_texts * sizeof *p->texts);
    }
    p->texts[p->n_texts] = text;
    return p->n_texts++;
}

static uint32_t child_of(const struct prefixes *p, uint32_t node, char byte)
{
    uint32_t child = p->nodes[node].child;

    while (child != NONE && p->nodes[child].byte != (unsigned char)byte)
        child = p->nodes[child].sibling;
    return child;
}

/* Puts the rest of a text, from its byte `at` on, below a node that has no child for it. */
static void hang(struct prefixes *p, uint32_t node, uint32_t number, size_t at)
{
    uint32_t child = add_node(p);
    struct prefixes_node *added = &p->nodes[child];

    added->byte = (unsigned char)p->texts[number].p[at];
    added->sibling = p->nodes[node].child;
    p->nodes[node].child = child;
    if (p->texts[number].len == at + 1)
        added->ends = number;
    else
        added->goes_on = number;
}

uint32_t prefixes_add(struct prefixes *p, struct sp_str text)
{
    uint32_t number = add_text(p, text);
    uint32_t node = ROOT;
    size_t at = 0;

    if (p->n_nodes == 0)
        add_node(p);
    for (; at < text.len; at++) {
        uint32_t other = p->nodes[node].goes_on;
        uint32_t child;

        if (other != NONE) {
            p->nodes[node].goes_on = NONE;
            hang(p, node, other, at);
        }
        child = child_of(p, node, text.p[at]);
        if (child == NONE) {
            hang(p, node, number, at);
            return number;
        }
        node = child;
    }
    p->nodes[node].ends = number;
    return number;
}

bool prefixes_of(const struct prefixes *p, struct sp_str text, prefixes_fn fn, void *data)
{
    uint32_t node = ROOT;

    if (p->n_nodes == 0)
        return false;
    for (size_t at = 0;; at++) {
        const struct prefixes_node *here = &p->nodes[node];

        if (here->ends != NONE)
            fn(data, here->ends);
        if (here->goes_on != NONE) {
            struct sp_str other = p->texts[here->goes_on];

            if (text.len < other.len)
                return sp_str_starts(other, text);
            if (sp_str_starts(text, other))
                fn(data, here->goes_on);
            return false;
        }
        if (at == text.len)
            return here->child != NONE;
        node = child_of(p, node, text.p[at]);
        if (node == NONE)
            return false;
    }
}
