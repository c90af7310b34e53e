#pragma once

/*
 * How a flow is served, as the commands that judge one on recorded sessions are told: by which
 * decider, and who answers its questions.
 *
 * Thread: any.
 */

#include "base/sp_err.h"
#include "flow/decide.h"
#include "oracle/oracle_key.h"

/* The name of a decider, as options have it. */
const char *served_decider_name(enum decide_decider decider);

/*
 * Picks the decider.
 *
 * choice: 1 + the decider that was asked for; 0 for none: the one the flow is served with.
 * Returns: 0, or negative when the flow does not have its numbers, told in ret_err.
 */
int served_decider(const struct flow *flow, int choice, enum decide_decider *ret,
                   struct sp_err *ret_err);

/* Who answers; without the network. */
struct served_oracle {
    bool is_mock;
    const char *cache;         /* the directory of cached answers */
    char key[ORACLE_KEY_SIZE]; /* private: of the last question */
};

/*
 * Answers a question, as replay.h asks it.
 *
 * data: a struct served_oracle; the key is good until its next question.
 */
int served_ask(void *data, const struct oracle_request *request, struct sp_str *ret_key,
               struct oracle_response *ret, struct sp_err *ret_why);
