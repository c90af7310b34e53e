#pragma once

/*
 * Whoever answers questions: the Jev service behind the cache of its answers, that cache alone, or
 * the stand-in without a model.
 *
 * Thread: loop. No function calls back before it returns.
 */

#include "io/oracle_jev.h"
#include "oracle/oracle_key.h"

enum oracle_client_kind { ORACLE_CLIENT_JEV = 1, ORACLE_CLIENT_REPLAY, ORACLE_CLIENT_MOCK };

/* Strings are borrowed. */
struct oracle_client_settings {
    enum oracle_client_kind kind;
    const char *cache;              /* JEV, REPLAY: the directory, expanded; it may be missing */
    struct oracle_jev_settings jev; /* JEV */
};

struct oracle_client;
struct oracle_client_ask;

/*
 * The outcome of a question; the question is gone.
 *
 * response: borrowed; NULL on failure. Who wants to keep it moves the struct out and leaves a
 *           zeroed one.
 * error:    the cause, one line; NULL on success.
 */
typedef void (*oracle_client_cb)(void *owner, struct oracle_response *response, const char *error);

typedef void (*oracle_client_closed_cb)(void *owner);

/*
 * Makes a client. One of kind JEV without a usable key is made all the same, for its cache.
 *
 * Returns: the caller's, ended by oracle_client_close(); NULL with the cause in ret_err when a
 *          setting is of no use.
 */
struct oracle_client *oracle_client_new(uv_loop_t *loop,
                                        const struct oracle_client_settings *settings,
                                        struct sp_err *ret_err);

/*
 * Why there is no usable key, one line; NULL if there is, and for other kinds than JEV. Every
 * question that has no cached answer then fails with it.
 */
const char *oracle_client_key_error(const struct oracle_client *c);

/*
 * Asks; cb follows, unless the question is cancelled. Any number may be under way; they may end in
 * any order.
 *
 * request: borrowed.
 * Returns: a handle, good until then.
 */
struct oracle_client_ask *oracle_client_ask(struct oracle_client *c,
                                            const struct oracle_request *request,
                                            oracle_client_cb cb, void *owner);

/*
 * The same by what a request comes to, for who no longer has it; not for MOCK, which looks at the
 * request.
 *
 * key:       of the request; see oracle_key_of().
 * canonical: its canonical bytes, borrowed; for REPLAY of no use.
 */
struct oracle_client_ask *oracle_client_ask_by_key(struct oracle_client *c, const char *key,
                                                   struct sp_str canonical, oracle_client_cb cb,
                                                   void *owner);

/* The key of a question that is out; good as long as the handle. */
const char *oracle_client_ask_key(const struct oracle_client_ask *ask);

/* Gives a question up; cb does not come. */
void oracle_client_cancel(struct oracle_client_ask *ask);

/* Cancels all questions and frees all; on_closed follows. */
void oracle_client_close(struct oracle_client *c, oracle_client_closed_cb on_closed, void *owner);
