#pragma once

/*
 * The exchange that a confirmation rests on: the customer's last message, and what the agent had
 * said last before it.
 *
 * Thread: any, one at a time.
 */

#include "trace/episode.h"

/* A zeroed struct is that of an empty session. The views are the episode's, of valid UTF-8. */
struct exchange {
    size_t n_events;        /* that were taken in */
    struct sp_str customer; /* empty when nothing was said, its `p` then perhaps NULL */
    struct sp_str proposal; /* the same; what the agent says after the customer is not in it */
    struct sp_str said;     /* private: the agent's last words */
};

/*
 * Takes in the episode's events up to the one at index `n`, not included; never fewer than before.
 * A turn without text, or with nothing but white space, says nothing.
 *
 * Costs what is new. The views are good as long as the episode.
 */
void exchange_update(struct exchange *x, const struct episode *e, size_t n);
