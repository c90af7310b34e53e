#pragma once

/*
 * The proposal check: values that a write passes although the confirmation chose another record
 * than theirs. It asks no model and refuses nothing.
 *
 * Thread: any.
 */

#include "judge/exchange.h"

struct proposal_flag {
    struct sp_str argument; /* its name */
    struct sp_str value;    /* in the form that scalars.h gives */
};

/* Views look into the arena. */
struct proposal_flags {
    struct proposal_flag *of; /* in the order found: a value passed twice is there twice */
    size_t n;
    size_t max; /* private, as the next */
    struct sp_arena arena;
};

/*
 * Checks a write.
 *
 * It goes through the results from the last one back until all values that the write passes are
 * found, at worst through all of them. Those that may have one are read as JSON, as often as they
 * nest deep. In a list that has a value, every scalar is then looked for in the exchange.
 *
 * e:         the session before the write; of its events the first `n`. Not kept, as the next two.
 * exchange:  of these.
 * arguments: a JSON value's span; what is no object gives no flags.
 * ret:       the caller's, ended by proposal_flags_deinit().
 */
void proposal_check(const struct episode *e, size_t n, const struct exchange *exchange,
                    struct sp_str arguments, struct proposal_flags *ret);

void proposal_flags_deinit(struct proposal_flags *flags);
