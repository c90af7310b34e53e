#pragma once

/*
 * The questions that the confirmation judge puts to a System-One model about a write: whether the
 * customer has clearly agreed to it, and whether the agent had put it forward. Answers are kept
 * under a hash of the question, so its texts are part of an interface.
 *
 * Thread: any.
 */

#include "judge/exchange.h"
#include "oracle/oracle.h"

enum confirmation_kind {
    CONFIRMATION_CONFIRMED, /* the first question */
    CONFIRMATION_PROPOSED,  /* a second one, as the next */
    CONFIRMATION_DESCRIBED,
};

/* The id of the question of a kind. */
struct sp_str confirmation_id(enum confirmation_kind kind);

/*
 * Makes a request with one yes-or-no question. Of what the agent said last it has the last 1,500
 * characters, of what the customer replied the first 600.
 *
 * model:     borrowed.
 * tool:      the write's name; copied, as the next and the exchange's texts.
 * arguments: a JSON value's span.
 * ret:       the caller's, ended by oracle_request_deinit().
 */
void confirmation_make(enum confirmation_kind kind, struct sp_str model,
                       const struct exchange *exchange, struct sp_str tool, struct sp_str arguments,
                       struct oracle_request *ret);
