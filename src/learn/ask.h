#pragma once

/*
 * Who answers the questions that a flow asks when it is learned or judged offline.
 *
 * Thread: any.
 */

#include "base/sp_err.h"
#include "oracle/oracle.h"

/*
 * Answers a question.
 *
 * ret_key: the question's key, good until the next question; a `p` of NULL for none.
 * ret:     the caller's, ended by oracle_response_deinit(); untouched unless the result is 0.
 * Returns: 0, or negative, the cause in ret_why in one line.
 */
typedef int (*ask_fn)(void *data, const struct oracle_request *request, struct sp_str *ret_key,
                      struct oracle_response *ret, struct sp_err *ret_why);
