#pragma once

/*
 * What is remembered of a session from one decision to the next, so that a question or a draw costs
 * what is new in the session and not what is old: who said what where, and the hash of the events
 * that change no more.
 *
 * Thread: any, one at a time.
 */

#include <stdint.h>

#include "trace/episode.h"

/* A zeroed struct remembers nothing. */
struct recall {
    size_t n_events; /* that were taken in */
    size_t *users;   /* the indexes of the events of the customer, in order */
    size_t n_users;
    size_t max_users;      /* private */
    size_t n_message_past; /* one more than the index of the last message to the customer that is
                              not blank; 0: there is none */
    size_t n_hashed;       /* explore.c's, as the next: the events whose hash is known */
    uint64_t hash;
};

void recall_deinit(struct recall *r);

/*
 * Takes in what the episode has since the last time: the same episode each time, which has only
 * grown as turns.h lets it grow, where calls join no turn but the last that has any.
 */
void recall_update(struct recall *r, const struct episode *e);
