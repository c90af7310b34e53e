#pragma once

/*
 * A text that grows, and whether it holds another: asking costs what the other text is long,
 * however much there is to search in.
 *
 * Thread: any, one at a time.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/sp_str.h"

struct substrings_state;
struct substrings_edge;

/*
 * A zeroed struct has the empty text. It takes some 60 bytes for each byte of the text, so memory
 * ends before its 32-bit numbers do.
 */
struct substrings {
    struct substrings_state *states; /* private, as the rest */
    uint32_t n_states;
    uint32_t max_states;
    struct substrings_edge *edges;
    uint32_t n_edges;
    uint32_t max_edges;
    uint32_t last;
};

void substrings_deinit(struct substrings *s);

/* Appends to the text. */
void substrings_add(struct substrings *s, struct sp_str bytes);

/* Whether the text holds `part` anywhere; an empty one always. */
bool substrings_has(const struct substrings *s, struct sp_str part);
