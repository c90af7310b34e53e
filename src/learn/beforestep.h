#pragma once

/*
 * A recorded session as it stood before each step of the agent: all events before the step's turn
 * and, if the step is not the first call of its turn, the turn with the calls before it and their
 * results. Going through all steps costs what the session is long, unless results come when the
 * agent has already gone on.
 *
 * Thread: any, one at a time.
 */

#include "flow/recall.h"

struct beforestep_call; /* private */

struct beforestep {
    struct episode now; /* the session before the step that was given last; its task id and all are
                           the recorded session's. A turn has its results, and those of one call
                           their order; results of different calls may stand in another order */
    struct recall recall; /* of `now`, up to date */

    const struct episode *recorded; /* private, as the rest */
    size_t event;                   /* of the next step */
    size_t call;                    /* of the next step, in its turn */
    size_t n_calls_before;          /* of the turns before that */
    size_t n_whole;                 /* the first events, that `now` has all of */
    size_t turn;                    /* in `now`, if it has some calls of the event at n_whole */
    size_t n_joined;                /* how many it has of these */
    size_t n_reached; /* one more than the index of the last event that `now` has, or part of it */
    bool *is_taken;   /* per event: whether it is a result that `now` has */
    struct beforestep_call *calls; /* all of the session */
    size_t *next_result;           /* per result: the next one of the same call; 0: none */
};

/* recorded: kept until beforestep_deinit(). */
void beforestep_init(struct beforestep *b, const struct episode *recorded);

void beforestep_deinit(struct beforestep *b);

/*
 * Goes on to the next step, at first to the first one.
 *
 * ret_call: the call, the recorded session's; NULL for a message to the customer. Untouched without
 *           a step.
 * Returns:  whether there was one.
 */
bool beforestep_next(struct beforestep *b, const struct episode_call **ret_call);
