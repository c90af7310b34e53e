#pragma once

/*
 * Where the arguments of lookups came from, over many sessions: the first pass of learning how to
 * bind. A session costs what it is long; it need not stay.
 *
 * Thread: any, one at a time.
 */

#include "flow/flow.h"
#include "trace/episode.h"

struct tracebook;

/*
 * Gives an empty book; the caller's.
 *
 * f: was indexed; its tools of kind MANIFEST_READ are the lookups. Kept until tracebook_free().
 */
struct tracebook *tracebook_new(const struct flow *f);

/* NULL is nothing. */
void tracebook_free(struct tracebook *t);

/* Takes in the next session. Nothing of it is kept. */
void tracebook_add(struct tracebook *t, const struct episode *e);

/*
 * Sets `args`, `sources`, `site_sources`, `lists` and `bare` of the bindings; the caller indexes
 * the flow.
 *
 * f: the flow of tracebook_new(), whose arena takes all texts.
 */
void tracebook_set(const struct tracebook *t, struct flow *f);
