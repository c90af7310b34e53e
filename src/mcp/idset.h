#pragma once

/*
 * A set of JSON-RPC ids, each with a number of the caller's. Ids are compared by their canonical
 * JSON, whole numbers by all their digits, so 1, "1" and 1.0 are three ids and "\u0061" is "a".
 *
 * Thread: any, one at a time.
 */

#include "base/sp_map.h"

/* A zeroed struct is an empty set. */
struct idset {
    struct sp_map map; /* private */
};

/* Adds an id, a span; of one that is there already only the number changes. */
void idset_put(struct idset *set, struct sp_str id, size_t value);

/* Whether an id is in the set. */
bool idset_has(const struct idset *set, struct sp_str id);

/* Takes an id out; whether it was there. ret_value may be NULL. */
bool idset_take(struct idset *set, struct sp_str id, size_t *ret_value);

void idset_deinit(struct idset *set);
