#pragma once

/*
 * A recorded session growing again, event by event or call by call, with what decisions are made
 * from: so that asking a flow behind every event costs what is new and not what is old.
 *
 * Thread: any, one at a time.
 */

#include "flow/bind.h"
#include "flow/recall.h"

struct regrow {
    const struct episode *recorded; /* private */
    struct episode now; /* the recorded session's first events; its task id and all are the same */
    struct bind *bind;  /* of `now`, up to date, as the next */
    struct recall recall;
};

/*
 * Begins with no event.
 *
 * recorded: kept until regrow_deinit(), as the flow.
 */
void regrow_init(struct regrow *r, const struct episode *recorded, const struct flow *flow);

void regrow_deinit(struct regrow *r);

/* Grows to the first `n` events; never fewer than before. */
void regrow_to(struct regrow *r, size_t n);

/*
 * Grows to the first `n` events and the turn behind them with the first `n_calls` of its calls;
 * with none of them the turn itself is not there yet. Never less than before.
 */
void regrow_to_call(struct regrow *r, size_t n, size_t n_calls);
