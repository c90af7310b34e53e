/* Asks the Jev service one question. */

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "cmd/jevcheck.h"
#include "cmd/screen.h"
#include "io/oracle_jev.h"

#define ID SP_STR("reachable")

struct check {
    struct oracle_response response; /* if there is no error */
    struct sp_err *err;
    int status;
};

static void on_answer(void *owner, struct oracle_response *response, const char *error)
{
    struct check *check = owner;

    if (response != NULL) {
        check->response = *response;
        *response = (struct oracle_response){0};
        check->status = 0;
    } else {
        sp_err_set(check->err, "%s", error);
        check->status = -EIO;
    }
}

static void on_closed(void *owner)
{
    (void)owner; /* the loop has waited for it */
}

/* Puts the question and waits for the answer; how long that takes, in ms. */
static uint64_t ask(uv_loop_t *loop, struct oracle_jev *jev, struct check *check)
{
    struct oracle_question question = {
        .id = ID,
        .type = ORACLE_NOUL,
        .instructions = SP_STR("Is this text a greeting?"),
    };
    struct oracle_request request = {
        .model = oracle_jev_model(getenv),
        .state = SP_STR("{\"text\":\"Hello!\"}"),
        .questions = &question,
        .n_questions = 1,
    };
    struct sp_buf body = {0};
    uint64_t start = uv_hrtime();

    oracle_put_request(&body, &request);
    (void)oracle_jev_ask(jev, sp_buf_str(&body), on_answer, check);
    sp_buf_deinit(&body);
    (void)uv_run(loop, UV_RUN_DEFAULT); /* until it is answered: nothing else is under way */
    return (uv_hrtime() - start) / 1000000;
}

static int tell(const struct check *check, uint64_t ms, struct sp_buf *ret)
{
    const struct oracle_answer *answer = oracle_answer_of(&check->response, ID);

    if (answer == NULL || answer->type != ORACLE_NOUL) {
        sp_err_set(check->err, "Jev's answer has no yes/no answer to the question");
        return -EPROTO;
    }
    sp_buf_addf(ret, "Jev answered: P(yes) = %.2f, by ", answer->noul);
    screen_put(ret, check->response.model, SIZE_MAX);
    sp_buf_addf(ret, " in %ju ms", (uintmax_t)ms);
    return 0;
}

static int run(uv_loop_t *loop, struct sp_buf *ret, struct sp_err *ret_err)
{
    struct oracle_jev_settings settings = oracle_jev_from_env(getenv);
    struct oracle_jev *jev = oracle_jev_new(loop, &settings, ret_err);
    struct check check = {.err = ret_err, .status = -EACCES};
    const char *key_error;

    if (jev == NULL)
        return -EINVAL;
    key_error = oracle_jev_key_error(jev);
    if (key_error != NULL) {
        sp_err_set(ret_err, "%s", key_error);
    } else {
        uint64_t ms = ask(loop, jev, &check);

        if (check.status == 0)
            check.status = tell(&check, ms, ret);
        oracle_response_deinit(&check.response);
    }
    oracle_jev_close(jev, on_closed, NULL);
    (void)uv_run(loop, UV_RUN_DEFAULT);
    return check.status;
}

int jevcheck(struct sp_buf *ret, struct sp_err *ret_err)
{
    uv_loop_t loop;
    int err = uv_loop_init(&loop);
    int closed;

    if (err < 0) {
        sp_err_set(ret_err, "the event loop could not be made");
        return err;
    }
    (void)signal(SIGPIPE, SIG_IGN); /* a connection that breaks off is an error to tell */
    err = run(&loop, ret, ret_err);
    closed = uv_loop_close(&loop);
    assert(closed == 0); /* all is closed */
    (void)closed;
    return err;
}
