#pragma once

/*
 * How a flow is served, as the commands that judge one on recorded sessions are told: by which
 * decider, and who answers its questions.
 *
 * Thread: any, one at a time.
 */

#include "base/sp_err.h"
#include "flow/decide.h"
#include "io/oracle_client.h"

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

/* Who answers the questions of a command. It stays where it is while it is open. */
struct served_oracle {
    enum oracle_client_kind kind;
    uv_loop_t loop; /* of the client, and nobody else's; runs while an answer is waited for */
    struct oracle_client *client; /* NULL for MOCK */
    bool is_open;                 /* private, as the rest: there is a loop */
    void (*on_pipe)(int);         /* what SIGPIPE did before; SIG_ERR: it was not touched */
    char key[ORACLE_KEY_SIZE];    /* of the last question */
};

/*
 * Readies who answers. For JEV the settings are those of the environment, and SIGPIPE is ignored
 * until served_close().
 *
 * cache:   the directory of cached answers; NULL: ORACLE_CACHE_STRETTO.
 * Returns: 0; negative, told in ret_err, for JEV without a usable key or with a setting of no use.
 *          Nothing is open then.
 */
int served_open(struct served_oracle *oracle, enum oracle_client_kind kind, const char *cache,
                struct sp_err *ret_err) SP_MUST_CHECK;

/* The same for a decider: one that goes by counts asks nobody, so nothing is opened. */
int served_open_for(struct served_oracle *oracle, enum decide_decider decider,
                    enum oracle_client_kind kind, const char *cache,
                    struct sp_err *ret_err) SP_MUST_CHECK;

/* Gives up what is asked. A zeroed struct, or one that could not be opened, is nothing. */
void served_close(struct served_oracle *oracle);

/*
 * Answers a question, as learn/ask.h has it; waits for as long as that takes.
 *
 * data: a struct served_oracle that is open; the key is good until its next question.
 */
int served_ask(void *data, const struct oracle_request *request, struct sp_str *ret_key,
               struct oracle_response *ret, struct sp_err *ret_why);
