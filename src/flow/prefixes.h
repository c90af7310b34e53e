#pragma once

/*
 * A set of texts, and which of them another text begins with: asking costs what the texts agree in,
 * however many there are.
 *
 * Thread: any, one at a time.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/sp_str.h"

struct prefixes_node;

/* A zeroed struct is an empty set. */
struct prefixes {
    struct prefixes_node *nodes; /* private, as the rest */
    uint32_t n_nodes;
    uint32_t max_nodes;
    struct sp_str *texts; /* by number */
    uint32_t n_texts;
    uint32_t max_texts;
};

void prefixes_deinit(struct prefixes *p);

/*
 * Adds a text that is not empty and not in the set yet.
 *
 * text:    kept until prefixes_deinit().
 * Returns: its number: 0 for the first, then one more each time.
 */
uint32_t prefixes_add(struct prefixes *p, struct sp_str text);

/* Is called for a text of the set. */
typedef void (*prefixes_fn)(void *data, uint32_t number);

/*
 * Gives the texts that `text` begins with, the shortest first.
 *
 * Returns: whether `text` ends where a longer one of the set goes on, so that more of it could
 *          begin with that.
 */
bool prefixes_of(const struct prefixes *p, struct sp_str text, prefixes_fn fn, void *data);
