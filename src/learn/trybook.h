#pragma once

/*
 * How often what a flow would pass is what the agent passed, over many sessions: the second and the
 * third pass of learning how to bind.
 *
 * Thread: any, one at a time.
 */

#include "flow/flow.h"
#include "trace/episode.h"

struct trybook;

/*
 * Gives an empty book; the caller's.
 *
 * f: was indexed and has what tracebook_set() sets; `agreed`, `named_other` and `described_read`
 *    are empty. Kept until trybook_free().
 */
struct trybook *trybook_new(const struct flow *f);

/* NULL is nothing. */
void trybook_free(struct trybook *t);

/* Tries the flow on the next session. Nothing of it is kept. */
void trybook_add(struct trybook *t, const struct episode *e);

/*
 * Sets `agreed`, `named_other` and `described_read`; the caller indexes the flow.
 *
 * f: the flow of trybook_new(), whose arena takes all texts.
 */
void trybook_set(const struct trybook *t, struct flow *f);
