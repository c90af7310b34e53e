#pragma once

/*
 * A hash table from byte strings to numbers, mostly indexes of an array of the caller's. Keys are
 * borrowed: the caller keeps their bytes alive and unchanged. Hashes have a secret seed, so texts
 * made to collide do not.
 *
 * Thread: any, one at a time.
 */

#include <stdint.h>

#include "base/sp_str.h"

struct sp_map_slot;

/* A zeroed struct is an empty table. */
struct sp_map {
    struct sp_map_slot *slots; /* private, as the next */
    size_t n_slots;
    size_t n_used; /* slots that are or were taken */
    size_t n;      /* keys in the table */
    uint64_t seed;
};

/* The value of a key, which the caller may change; NULL when there is none. Good until a put. */
size_t *sp_map_find(const struct sp_map *m, struct sp_str key);

/*
 * Finds a key or adds it with the value 0.
 *
 * ret_is_new: whether it was added; may be NULL.
 * Returns:    its value, good until the next put.
 */
size_t *sp_map_put(struct sp_map *m, struct sp_str key, bool *ret_is_new);

/* Takes a key out. Returns the bytes it was put in with; p is NULL when it was not there. */
struct sp_str sp_map_take(struct sp_map *m, struct sp_str key);

/*
 * Walks all keys in no particular order:
 *
 *     for (size_t at = 0; sp_map_next(&m, &at, &key, &value);)
 */
bool sp_map_next(const struct sp_map *m, size_t *at, struct sp_str *ret_key, size_t *ret_value);

/* Frees the table and leaves an empty one. */
void sp_map_deinit(struct sp_map *m);
