#pragma once

/*
 * Promotion: replays a flow's decisions on recorded sessions, scores the lookups it would have made
 * against what the agent did, and finds the sites where it may act.
 *
 * Thread: any, one at a time.
 */

#include "flow/decide.h"
#include "learn/ask.h"
#include "trace/turns.h"

struct promote_options {
    const struct flow *flow;     /* what it is promoted for already is set aside */
    enum decide_decider decider; /* one that the flow has the numbers for */
    double threshold;            /* that it will be served with */
    uint64_t per_call;           /* lookups after one call, at most */
    double min_used;             /* the bar, as the next two */
    double min_lower;
    uint64_t min_tasks;
    ask_fn ask; /* NULL only if the decider is not the arbiter */
    void *ask_data;
};

struct promote;

/* options: copied; the flow is kept until promote_free(). Returns: the caller's. */
struct promote *promote_new(const struct promote_options *options);

/* NULL is nothing. */
void promote_free(struct promote *p);

/*
 * Scores a session; one flow decision is never made twice, however often the promotion is found
 * anew.
 *
 * e:     its task id says whose task it is.
 * turns: what says when its calls were sent; NULL for a session that does not know: all at once.
 */
void promote_add(struct promote *p, const struct episode *e, const struct turns *turns);

struct promote_counts {
    uint64_t episodes;
    uint64_t unanswered; /* decisions that were left out */
    uint64_t sites;      /* with at least one decision */
    uint64_t promoted;   /* of these */
};

/*
 * Finds the promotion of all sessions so far.
 *
 * arena: takes the sites and their names.
 * ret:   sites sorted by name.
 */
struct promote_counts promote_find(const struct promote *p, struct sp_arena *arena,
                                   struct flow_promoted *ret);

/* The lower bound of the share of `used` in `n` by Wilson's interval of 90%; 0 for none. */
double promote_wilson(uint64_t used, uint64_t n);
