#pragma once

/*
 * What a flow would have decided behind every result of a recorded session, and what the agent's
 * own later calls say of it.
 *
 * The recorded session grows event by event, calls from the moment they were sent. Behind a result
 * decisions make a chain: where the agent made a lookup itself later on, the proxy would have
 * brought that answer and decided again. Chains here go on after every such lookup.
 *
 * Thread: any, one at a time.
 */

#include "learn/promote.h"

/* What became of one decision. All but the last end a chain. */
enum scoring_what {
    SCORING_UNANSWERED, /* its question had no answer, or no complete one: it counts for nothing */
    SCORING_HAND_BACK,
    SCORING_DETOUR,  /* a lookup that the agent did not make */
    SCORING_USED,    /* a lookup that it made, with nothing to go on with */
    SCORING_CHAINED, /* the same, and the next decision is made with its answer */
};

/*
 * Takes a decision.
 *
 * site:     good until it returns.
 * is_first: whether it begins a chain.
 */
typedef void (*scoring_fn)(void *data, struct sp_str site, enum scoring_what what, bool is_first);

/*
 * Scores a session.
 *
 * options: of it the flow counts, which is not promoted, and how it is served.
 * turns:   as promote_add() says.
 */
void scoring_session(const struct promote_options *options, const struct episode *e,
                     const struct turns *turns, scoring_fn fn, void *data);
