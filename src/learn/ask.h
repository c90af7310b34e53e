#pragma once

/*
 * Who answers the questions that a flow asks when it is learned or judged offline.
 *
 * Thread: any.
 */

#include "base/sp_err.h"
#include "flow/decide.h"

/*
 * Answers a question.
 *
 * ret_key: the question's key, good until the next question; a `p` of NULL for none.
 * ret:     the caller's, ended by oracle_response_deinit(); untouched unless the result is 0.
 * Returns: 0, or negative, the cause in ret_why in one line.
 */
typedef int (*ask_fn)(void *data, const struct oracle_request *request, struct sp_str *ret_key,
                      struct oracle_response *ret, struct sp_err *ret_why);

/*
 * Asks what a decision asks, and ends it with the answer or without one.
 *
 * d:       after DECIDE_ASKS.
 * ret_key: as above.
 * ret:     what was decided.
 * Returns: whether there was an answer.
 */
bool ask_decide(ask_fn ask, void *data, struct decide *d, struct sp_str *ret_key,
                enum decide_outcome *ret);
