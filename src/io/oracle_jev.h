#pragma once

/*
 * The Jev service: asks it by POST <base>/v1/systemone, over libcurl. An exchange that could not be
 * made, or was answered by a status that says to come again, is repeated up to ORACLE_JEV_RETRIES
 * times, after waits that double. Proxies are those of the environment, as libcurl reads it.
 *
 * The key is in no error text and in no answer that is given; the copies made here are wiped from
 * memory in the end.
 *
 * Thread: loop. No function calls back before it returns.
 */

#include <uv.h>

#include "oracle/oracle.h"

#define ORACLE_JEV_BASE_URL   "https://api.typesafe.ai"
#define ORACLE_JEV_RETRIES    4
#define ORACLE_JEV_WAIT_MS    1000
#define ORACLE_JEV_TIMEOUT_MS 30000

/* Strings are borrowed, and NULL or empty when they are not set. */
struct oracle_jev_settings {
    const char *key;
    const char *key_file; /* read when there is no key */
    const char *base_url; /* ORACLE_JEV_BASE_URL when not set */
    const char *ssl_cert_file;
    const char *ssl_cert_dir;
    uint64_t wait_ms;    /* before the first retry; 0: ORACLE_JEV_WAIT_MS */
    uint64_t timeout_ms; /* of one exchange; 0: ORACLE_JEV_TIMEOUT_MS */
};

/* The settings in the environment, read as getenv() does. */
static inline struct oracle_jev_settings oracle_jev_from_env(char *(*get)(const char *name))
{
    return (struct oracle_jev_settings){
        .key = get("TYPESAFE_API_KEY"),
        .key_file = get("TYPESAFE_API_KEY_FILE"),
        .base_url = get("TYPESAFE_BASE_URL"),
        .ssl_cert_file = get("SSL_CERT_FILE"),
        .ssl_cert_dir = get("SSL_CERT_DIR"),
    };
}

/* The model that is asked where no flow names one; read as getenv() does. */
static inline struct sp_str oracle_jev_model(char *(*get)(const char *name))
{
    const char *model = get("TYPESAFE_DEFAULT_MODEL");

    return sp_str_of(model != NULL && model[0] != '\0' ? model : ORACLE_DEFAULT_MODEL);
}

struct oracle_jev;
struct oracle_jev_ask;

/*
 * The outcome of a question; the question is gone.
 *
 * response: borrowed; NULL on failure. Who wants to keep it moves the struct out and leaves a
 *           zeroed one.
 * error:    the cause, one line; NULL on success.
 */
typedef void (*oracle_jev_cb)(void *owner, struct oracle_response *response, const char *error);

typedef void (*oracle_jev_closed_cb)(void *owner);

/*
 * Reads the settings, the files they name too; a key that cannot be used is no failure.
 *
 * Returns: the caller's, ended by oracle_jev_close(); NULL with the cause in ret_err when a setting
 *          is of no use.
 */
struct oracle_jev *oracle_jev_new(uv_loop_t *loop, const struct oracle_jev_settings *settings,
                                  struct sp_err *ret_err);

/* Why there is no usable key, one line, which every question then fails with; NULL if there is. */
const char *oracle_jev_key_error(const struct oracle_jev *j);

/*
 * Asks; cb follows unless the question is cancelled.
 *
 * body:    the request's canonical bytes; copied.
 * Returns: a handle, good until then.
 */
struct oracle_jev_ask *oracle_jev_ask(struct oracle_jev *j, struct sp_str body, oracle_jev_cb cb,
                                      void *owner);

/* Gives a question up; cb does not come. */
void oracle_jev_cancel(struct oracle_jev_ask *ask);

/* Cancels all questions and frees all; on_closed follows. */
void oracle_jev_close(struct oracle_jev *j, oracle_jev_closed_cb on_closed, void *owner);
