#pragma once

/*
 * Random JSON for tests, the same for the same seed: all types, escapes of every kind, characters
 * of every length, names that repeat, numbers of any size, white space anywhere.
 */

#include <stdint.h>

#include "base/sp_buf.h"

/* How deep generated values nest at most. */
#define JSON_GEN_DEPTH 12

struct json_gen {
    uint64_t state; /* the seed at first; anything but 0 */
};

/* A number below `limit`. */
uint64_t json_gen_below(struct json_gen *g, uint64_t limit);

/* Appends one value without white space around it. */
void json_gen_value(struct json_gen *g, struct sp_buf *b);

/* Appends one number that rounds to a finite double. */
void json_gen_number(struct json_gen *g, struct sp_buf *b);
