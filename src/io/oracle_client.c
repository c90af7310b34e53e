/*
 * The oracle.
 *
 * A question is looked up at once. Where that gives its outcome, or there is nobody to ask, the
 * outcome waits in the list `ready` for the next turn of the loop, and on_idle() tells one a turn.
 * Otherwise the service is asked; its answer is stored and told by on_jev().
 *
 * Failures: a cached answer that cannot be read, one that cannot be stored, and whatever the
 * service fails with, fail the question alone.
 */

#include <assert.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "io/oracle_cache.h"
#include "io/oracle_client.h"

TAILQ_HEAD(ask_list, oracle_client_ask);

struct oracle_client {
    enum oracle_client_kind kind;
    char *cache;
    struct oracle_jev *jev; /* NULL for other kinds, and once it is closed */
    struct ask_list sent;   /* to the service */
    struct ask_list ready;
    uv_idle_t idle; /* runs while there are ready ones */
    bool has_idle;  /* it is not closed */
    bool is_closing;
    oracle_client_closed_cb on_closed;
    void *owner;
};

struct oracle_client_ask {
    struct oracle_client *client;
    TAILQ_ENTRY(oracle_client_ask) link;
    struct oracle_jev_ask *jev; /* while it is in `sent` */
    struct oracle_response response;
    char *error; /* NULL: there is a response */
    char key[ORACLE_KEY_SIZE];
    oracle_client_cb cb;
    void *owner;
};

static void on_idle(uv_idle_t *idle);

struct oracle_client *oracle_client_new(uv_loop_t *loop,
                                        const struct oracle_client_settings *settings,
                                        struct sp_err *ret_err)
{
    struct oracle_client *c = sp_calloc(1, sizeof *c);

    c->kind = settings->kind;
    if (c->kind == ORACLE_CLIENT_JEV) {
        c->jev = oracle_jev_new(loop, &settings->jev, ret_err);
        if (c->jev == NULL) {
            free(c);
            return NULL;
        }
    }
    if (c->kind != ORACLE_CLIENT_MOCK)
        c->cache = sp_strdup(settings->cache);
    TAILQ_INIT(&c->sent);
    TAILQ_INIT(&c->ready);
    (void)uv_idle_init(loop, &c->idle); /* has nothing to fail by */
    c->has_idle = true;
    return c;
}

const char *oracle_client_key_error(const struct oracle_client *c)
{
    return c->jev != NULL ? oracle_jev_key_error(c->jev) : NULL;
}

static void on_jev(void *owner, struct oracle_response *response, const char *error);

static struct oracle_client_ask *make_ask(struct oracle_client *c, const char *key,
                                          oracle_client_cb cb, void *owner)
{
    struct oracle_client_ask *ask = sp_calloc(1, sizeof *ask);

    assert(!c->is_closing);
    ask->client = c;
    ask->cb = cb;
    ask->owner = owner;
    memcpy(ask->key, key, ORACLE_KEY_LEN);
    return ask;
}

/* The outcome of a question is known. */
static void make_ready(struct oracle_client_ask *ask)
{
    struct oracle_client *c = ask->client;

    TAILQ_INSERT_TAIL(&c->ready, ask, link);
    (void)uv_idle_start(&c->idle, on_idle);
}

struct oracle_client_ask *oracle_client_ask_by_key(struct oracle_client *c, const char *key,
                                                   struct sp_str canonical, oracle_client_cb cb,
                                                   void *owner)
{
    struct oracle_client_ask *ask = make_ask(c, key, cb, owner);
    struct sp_err err;
    int code;

    assert(c->kind != ORACLE_CLIENT_MOCK);
    code = oracle_cache_read(c->cache, ask->key, &ask->response, &err);
    if (code == ORACLE_CACHE_E_ABSENT && c->kind == ORACLE_CLIENT_JEV) {
        ask->jev = oracle_jev_ask(c->jev, canonical, on_jev, ask);
        TAILQ_INSERT_TAIL(&c->sent, ask, link);
        return ask;
    }
    if (code == ORACLE_CACHE_E_ABSENT)
        sp_err_set(&err, "no cached answer for request %s", ask->key);
    if (code != 0)
        ask->error = sp_strdup(err.text);
    make_ready(ask);
    return ask;
}

struct oracle_client_ask *oracle_client_ask(struct oracle_client *c,
                                            const struct oracle_request *request,
                                            oracle_client_cb cb, void *owner)
{
    struct oracle_client_ask *ask;
    struct sp_buf canonical = {0};
    char key[ORACLE_KEY_SIZE];

    oracle_put_request(&canonical, request);
    oracle_key_of(sp_buf_str(&canonical), key);
    if (c->kind == ORACLE_CLIENT_MOCK) {
        ask = make_ask(c, key, cb, owner);
        oracle_mock(request, &ask->response);
        make_ready(ask);
    } else {
        ask = oracle_client_ask_by_key(c, key, sp_buf_str(&canonical), cb, owner);
    }
    sp_buf_deinit(&canonical);
    return ask;
}

const char *oracle_client_ask_key(const struct oracle_client_ask *ask)
{
    return ask->key;
}

void oracle_client_cancel(struct oracle_client_ask *ask)
{
    struct oracle_client *c = ask->client;

    if (ask->jev != NULL) {
        oracle_jev_cancel(ask->jev);
        TAILQ_REMOVE(&c->sent, ask, link);
    } else {
        TAILQ_REMOVE(&c->ready, ask, link);
        if (TAILQ_EMPTY(&c->ready) && c->has_idle)
            (void)uv_idle_stop(&c->idle);
    }
    oracle_response_deinit(&ask->response);
    free(ask->error);
    free(ask);
}

/* Tells the outcome of one question; the others have the next turns. */
static void on_idle(uv_idle_t *idle)
{
    struct oracle_client *c = sp_container_of(idle, struct oracle_client, idle);
    struct oracle_client_ask *ask = TAILQ_FIRST(&c->ready);
    struct oracle_response response = ask->response;
    oracle_client_cb cb = ask->cb;
    void *owner = ask->owner;
    char *error = ask->error;

    ask->response = (struct oracle_response){0};
    ask->error = NULL;
    oracle_client_cancel(ask);
    cb(owner, error == NULL ? &response : NULL, error);
    oracle_response_deinit(&response);
    free(error);
}

static void on_jev(void *owner, struct oracle_response *response, const char *error)
{
    struct oracle_client_ask *ask = owner;
    struct oracle_client *c = ask->client;
    oracle_client_cb cb = ask->cb;
    void *cb_owner = ask->owner;
    struct sp_err err;

    if (response != NULL && oracle_cache_store(c->cache, ask->key, response, &err) < 0) {
        response = NULL;
        error = err.text;
    }
    TAILQ_REMOVE(&c->sent, ask, link);
    free(ask);
    cb(cb_owner, response, error);
}

static void maybe_closed(struct oracle_client *c)
{
    oracle_client_closed_cb on_closed = c->on_closed;
    void *owner = c->owner;

    if (c->has_idle || c->jev != NULL)
        return;
    free(c->cache);
    free(c);
    on_closed(owner);
}

static void on_jev_closed(void *owner)
{
    struct oracle_client *c = owner;

    c->jev = NULL;
    maybe_closed(c);
}

static void on_idle_closed(uv_handle_t *handle)
{
    struct oracle_client *c = sp_container_of((uv_idle_t *)handle, struct oracle_client, idle);

    c->has_idle = false;
    maybe_closed(c);
}

static void cancel_all(struct ask_list *list)
{
    struct oracle_client_ask *ask, *next;

    for (ask = TAILQ_FIRST(list); ask != NULL; ask = next) {
        next = TAILQ_NEXT(ask, link);
        oracle_client_cancel(ask);
    }
}

void oracle_client_close(struct oracle_client *c, oracle_client_closed_cb on_closed, void *owner)
{
    assert(!c->is_closing);
    c->is_closing = true;
    c->on_closed = on_closed;
    c->owner = owner;
    cancel_all(&c->sent);
    cancel_all(&c->ready);
    uv_close((uv_handle_t *)&c->idle, on_idle_closed);
    if (c->jev != NULL)
        oracle_jev_close(c->jev, on_jev_closed, c);
}
