#pragma once

/*
 * Which sessions are held out of training, for an arbiter to be fitted on. It depends on their ids
 * alone, not on their order.
 *
 * Thread: any.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/sp_str.h"

/* Scrambles the hash of a text (decide_hash()), so that texts that are alike are not near. */
uint64_t heldout_rank(struct sp_str text);

/*
 * Picks about three tenths of the sessions, at least one, and leaves at least one.
 *
 * n:    at least 2.
 * ret:  room for n: whether each is held out.
 */
void heldout_pick(const struct sp_str *ids, size_t n, bool *ret);
