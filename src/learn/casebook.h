#pragma once

/*
 * Decisions of held-out sessions, each with what the agent did and what a System-One model said:
 * what an arbiter is fitted on.
 *
 * Thread: any, one at a time.
 */

#include "flow/flow.h"
#include "learn/ask.h"
#include "trace/episode.h"

struct casebook;

/*
 * Gives an empty book; the caller's.
 *
 * f: was indexed and has all that was learned from the training sessions, the predicates that are
 *    asked and weighed, and the model that is asked. Kept until casebook_free().
 */
struct casebook *casebook_new(const struct flow *f);

/* NULL is nothing. */
void casebook_free(struct casebook *c);

/*
 * Asks, in the order of the steps, at every decision of a held-out session, whether its task was
 * done or not. One whose question gets no answer, or no complete one, is no case.
 *
 * A walk over the sessions with an `ask` that only notes the questions and answers none leaves a
 * book of decisions without a case; the walk that gets the answers takes a new book.
 *
 * e:   nothing of it is kept.
 * ask: is called before this returns, with requests that end then.
 */
void casebook_add(struct casebook *c, const struct episode *e, ask_fn ask, void *data);

struct casebook_counts {
    uint64_t decisions; /* where the flow offers a lookup: the questions that were put */
    uint64_t cases;     /* of these, that were answered in full */
};

struct casebook_counts casebook_count(const struct casebook *c);

/*
 * Fits the arbiter: the rates of its sites, and the weights. Without a case all of them are 0.
 *
 * arena: takes the arrays and the names of the sites.
 * ret:   indexed.
 */
void casebook_fit(const struct casebook *c, struct sp_arena *arena, struct flow_fold *ret);
