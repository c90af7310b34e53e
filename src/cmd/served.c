/* How a flow is served. */

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "cmd/served.h"
#include "io/oracle_cache.h"

const char *served_decider_name(enum decide_decider decider)
{
    switch (decider) {
    case DECIDE_ARBITER:
        return "arbiter";
    case DECIDE_HABIT:
        return "habit";
    case DECIDE_REACH:
        return "reach";
    }
    return "";
}

int served_decider(const struct flow *flow, int choice, enum decide_decider *ret,
                   struct sp_err *ret_err)
{
    enum decide_decider served = decide_default(flow);
    enum decide_decider decider = choice > 0 ? (enum decide_decider)(choice - 1) : served;

    if (decider == DECIDE_ARBITER && flow->n_folds == 0) {
        sp_err_set(ret_err, "the flow has no arbiter: it is served with --decider %s",
                   served_decider_name(served));
        return -EINVAL;
    }
    if (decider == DECIDE_REACH && !flow->has_reach) {
        sp_err_set(ret_err, "the flow has no reach counts: learn it again to use --decider reach");
        return -EINVAL;
    }
    *ret = decider;
    return 0;
}

static int open_client(struct served_oracle *oracle, const char *cache, struct sp_err *ret_err)
{
    struct oracle_client_settings settings = {
        .kind = oracle->kind,
        .cache = cache != NULL ? cache : ORACLE_CACHE_STRETTO,
        .jev = oracle_jev_from_env(getenv),
    };
    const char *key_error;

    oracle->client = oracle_client_new(&oracle->loop, &settings, ret_err);
    if (oracle->client == NULL)
        return -EINVAL;
    key_error = oracle_client_key_error(oracle->client);
    if (key_error == NULL)
        return 0;
    sp_err_set(ret_err, "%s", key_error);
    return -EACCES;
}

int served_open(struct served_oracle *oracle, enum oracle_client_kind kind, const char *cache,
                struct sp_err *ret_err)
{
    int err;

    *oracle = (struct served_oracle){.kind = kind, .on_pipe = SIG_ERR};
    if (kind == ORACLE_CLIENT_MOCK)
        return 0;
    err = uv_loop_init(&oracle->loop);
    if (err < 0) {
        sp_err_set(ret_err, "starting an event loop: %s", sp_err_cause(err));
        return err;
    }
    oracle->is_open = true;
    if (kind == ORACLE_CLIENT_JEV)
        oracle->on_pipe = signal(SIGPIPE, SIG_IGN); /* a closed one is an error of the write */
    err = open_client(oracle, cache, ret_err);
    if (err < 0)
        served_close(oracle);
    return err;
}

static void on_closed(void *owner)
{
    struct served_oracle *oracle = owner;

    oracle->client = NULL;
}

int served_open_for(struct served_oracle *oracle, enum decide_decider decider,
                    enum oracle_client_kind kind, const char *cache, struct sp_err *ret_err)
{
    return decider == DECIDE_ARBITER ? served_open(oracle, kind, cache, ret_err) : 0;
}

void served_close(struct served_oracle *oracle)
{
    int err;

    if (!oracle->is_open)
        return;
    if (oracle->client != NULL)
        oracle_client_close(oracle->client, on_closed, oracle);
    while (oracle->client != NULL)
        (void)uv_run(&oracle->loop, UV_RUN_ONCE);
    err = uv_loop_close(&oracle->loop);
    assert(err == 0);
    (void)err;
    if (oracle->on_pipe != SIG_ERR)
        (void)signal(SIGPIPE, oracle->on_pipe);
    oracle->is_open = false;
}

/* What comes of a question that is waited for. */
struct outcome {
    bool is_over;
    struct oracle_response *ret;
    struct sp_err *ret_why;
    int err;
};

static void on_answer(void *owner, struct oracle_response *response, const char *error)
{
    struct outcome *outcome = owner;

    outcome->is_over = true;
    if (response != NULL) {
        *outcome->ret = *response;
        *response = (struct oracle_response){0};
    } else {
        sp_err_set(outcome->ret_why, "%s", error);
        outcome->err = -EIO;
    }
}

int served_ask(void *data, const struct oracle_request *request, struct sp_str *ret_key,
               struct oracle_response *ret, struct sp_err *ret_why)
{
    struct served_oracle *oracle = data;
    struct outcome outcome = {.ret = ret, .ret_why = ret_why};
    struct sp_buf canonical = {0};

    oracle_put_request(&canonical, request);
    oracle_key_of(sp_buf_str(&canonical), oracle->key);
    *ret_key = (struct sp_str){oracle->key, ORACLE_KEY_LEN};
    if (oracle->kind == ORACLE_CLIENT_MOCK) {
        oracle_mock(request, ret);
    } else {
        (void)oracle_client_ask_by_key(oracle->client, oracle->key, sp_buf_str(&canonical),
                                       on_answer, &outcome);
        while (!outcome.is_over)
            (void)uv_run(&oracle->loop, UV_RUN_ONCE);
    }
    sp_buf_deinit(&canonical);
    return outcome.err;
}
