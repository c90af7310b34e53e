/* Tests of who answers, in cmd/served.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/served.h"
#include "io/oracle_cache.h"
#include "jevd.h"
#include "tmpdir.h"

#define ANSWER(model) "{\"model\":\"" model "\",\"answers\":{}}"
#define KEY           "d2d80e9752a6f71cc5c8416846f94f6d28eab9fb168b97b6bc3f268a4caf3305"
#define BYTES         "{\"model\":\"m\",\"state\":null,\"questions\":{}}"

static const struct httpd_step good[] = {JEVD_ANSWER("200 OK", ANSWER("jev-1"))};
static const struct httpd_step bad[] = {JEVD_ANSWER("400 Bad", "no such model")};
static const struct httpd_step *const scripts[] = {bad, good};

static const struct oracle_request request = {.model = SP_STR("m"), .state = SP_STR("null")};

/* A directory of answers, and who answers. */
struct world {
    char *dir;
    struct served_oracle oracle;
    struct sp_err err;
};

static int setup(void **state)
{
    static const char *const variables[] = {
        "http_proxy",   "all_proxy", "ALL_PROXY", "TYPESAFE_API_KEY", "TYPESAFE_API_KEY_FILE",
        "SSL_CERT_FILE"};
    struct world *w = sp_calloc(1, sizeof *w);

    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        (void)unsetenv(variables[i]);
    w->dir = tmpdir_new();
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;

    served_close(&w->oracle);
    tmpdir_remove(w->dir);
    free(w);
    return 0;
}

static void open_oracle(struct world *w, enum oracle_client_kind kind, const char *cache)
{
    served_close(&w->oracle);
    if (served_open(&w->oracle, kind, cache, &w->err) < 0)
        fail_msg("%s", w->err.text);
}

static int ask(struct world *w, struct oracle_response *ret)
{
    struct sp_str key = {0};
    int err = served_ask(&w->oracle, &request, &key, ret, &w->err);

    assert_true(sp_str_eq(key, SP_STR(KEY)));
    return err;
}

static void assert_answer(struct world *w, const char *model)
{
    struct oracle_response response;

    if (ask(w, &response) < 0)
        fail_msg("%s", w->err.text);
    assert_true(sp_str_eq(response.model, sp_str_of(model)));
    oracle_response_deinit(&response);
}

static void assert_no_answer(struct world *w, const char *error)
{
    struct oracle_response response;

    assert_true(ask(w, &response) < 0);
    assert_string_equal(w->err.text, error);
}

static void served_mock_answers_at_once(void **state)
{
    struct world *w = *state;
    char *cache = tmpdir_path(w->dir, "cache");

    open_oracle(w, ORACLE_CLIENT_MOCK, cache);
    assert_answer(w, "mock");
    assert_answer(w, "mock");
    assert_true(access(cache, F_OK) < 0);
    free(cache);
}

static void served_replay_answers_from_the_cache_alone(void **state)
{
    static const struct oracle_response cached = {.model = SP_STR("cached")};
    struct world *w = *state;

    open_oracle(w, ORACLE_CLIENT_REPLAY, w->dir);
    assert_no_answer(w, "no cached answer for request " KEY);
    assert_int_equal(oracle_cache_store(w->dir, KEY, &cached, &w->err), 0);
    assert_answer(w, "cached");
    assert_answer(w, "cached");
}

/* The working directory has the cache where none is named. */
static void served_replay_has_a_cache_of_its_own(void **state)
{
    static const struct oracle_response cached = {.model = SP_STR("cached")};
    struct world *w = *state;
    char *old = getcwd(NULL, 0);

    assert_non_null(old);
    assert_int_equal(chdir(w->dir), 0);
    assert_int_equal(oracle_cache_store(".oracle-cache", KEY, &cached, &w->err), 0);
    open_oracle(w, ORACLE_CLIENT_REPLAY, NULL);
    assert_answer(w, "cached");
    assert_int_equal(chdir(old), 0);
    free(old);
}

static void served_jev_asks_what_is_not_cached(void **state)
{
    struct world *w = *state;
    struct jevd *j = jevd_start(scripts, 2, 0);

    open_oracle(w, ORACLE_CLIENT_JEV, w->dir);
    assert_no_answer(w, "Jev answered 400: no such model");
    assert_answer(w, "jev-1");
    assert_answer(w, "jev-1");
    open_oracle(w, ORACLE_CLIENT_REPLAY, w->dir);
    assert_answer(w, "jev-1");
    jevd_stop(j);
    assert_int_equal(jevd_n_requests(j), 2);
    assert_true(sp_str_eq(jevd_body(j, 1), SP_STR(BYTES)));
    jevd_free(j);
}

static void served_jev_ignores_a_closed_pipe_while_it_is_open(void **state)
{
    struct world *w = *state;
    struct sigaction action;

    assert_int_equal(setenv("TYPESAFE_API_KEY", "k", 1), 0);
    open_oracle(w, ORACLE_CLIENT_JEV, w->dir);
    assert_int_equal(sigaction(SIGPIPE, NULL, &action), 0);
    assert_true(action.sa_handler == SIG_IGN);
    served_close(&w->oracle);
    assert_int_equal(sigaction(SIGPIPE, NULL, &action), 0);
    assert_true(action.sa_handler == SIG_DFL);
    assert_int_equal(unsetenv("TYPESAFE_API_KEY"), 0);
}

static void served_jev_needs_a_key(void **state)
{
    struct world *w = *state;

    assert_true(served_open(&w->oracle, ORACLE_CLIENT_JEV, w->dir, &w->err) < 0);
    assert_string_equal(w->err.text,
                        "no TypeSafe key: set TYPESAFE_API_KEY or TYPESAFE_API_KEY_FILE");
    assert_int_equal(setenv("TYPESAFE_BASE_URL", "h", 1), 0);
    assert_true(served_open(&w->oracle, ORACLE_CLIENT_JEV, w->dir, &w->err) < 0);
    assert_string_equal(w->err.text, "TYPESAFE_BASE_URL is no http or https URL");
    assert_int_equal(unsetenv("TYPESAFE_BASE_URL"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(served_mock_answers_at_once),
        TEST(served_replay_answers_from_the_cache_alone),
        TEST(served_replay_has_a_cache_of_its_own),
        TEST(served_jev_asks_what_is_not_cached),
        TEST(served_jev_ignores_a_closed_pipe_while_it_is_open),
        TEST(served_jev_needs_a_key),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
