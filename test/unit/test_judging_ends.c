/* Tests of the confirmation judge in commits, and of sessions that end while it is asked. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "booking.h"

/* ---- commits ---- */

static void judging_judges_each_call_of_a_commit(void **state)
{
    struct engine_fixture f;

    (void)state;
    booking_begin(&f);
    engine_fixture_host(
        &f, COMMIT("5", COMMIT_WRITE("1") "," COMMIT_READ "," COMMIT_WRITE("2") "," COMMIT_READ));
    engine_fixture_host(&f, PING("6"));
    booking_expect(&f, "[client 0] " COMMIT("5", COMMIT_WRITE("1") "," COMMIT_READ "," COMMIT_WRITE(
                                                     "2") "," COMMIT_READ) "\n" ASKED);
    engine_fixture_judge(&f, 0.9);
    booking_expect_sent(&f, LOGGED_YES("1", "01") "> " SENT_WRITE("1", "1") "> " PING("6") "\n");
    engine_fixture_server(&f, TEXT("\"stretto-1\"", "A"));
    booking_expect_sent(&f, "> " SENT_READ("2"));
    engine_fixture_says(&f, SAYS("user", "No"));
    engine_fixture_server(&f, TEXT("\"stretto-2\"", "B"));
    booking_expect_sent(&f, ASKED);
    engine_fixture_judge(&f, 0.1);
    booking_expect_sent(
        &f,
        LOGGED_NO("2", "02") "< " ANSWER(
            "5",
            PART("1") ":\\nA\\n\\nget_user_details {}:\\nB\\n\\n" PART(
                "2") " was refused by the policy check: " REASONS("p_yes 0.10") "\\n\\nget_user_"
                                                                                "details {} was "
                                                                                "not run",
            "true"));
    assert_false(engine_is_judging(f.engine));
    engine_fixture_deinit(&f);
}

static void judging_has_a_second_commit_wait(void **state)
{
    struct engine_fixture f;

    (void)state;
    booking_begin(&f);
    engine_fixture_host(&f, COMMIT("5", COMMIT_READ "," COMMIT_WRITE("1")));
    engine_fixture_host(&f, COMMIT("6", COMMIT_READ "," COMMIT_WRITE("2")));
    engine_fixture_host(&f, COMMIT("7", COMMIT_READ "," COMMIT_READ));
    booking_expect_sent(&f, "> " SENT_READ("1") "> " SENT_READ("2") "> " SENT_READ("3"));
    engine_fixture_server(&f, TEXT("\"stretto-2\"", "B"));
    booking_expect_sent(&f, ASKED);
    engine_fixture_host(&f, WRITE("8", "8"));
    engine_fixture_says(&f, SAYS("user", "one"));
    engine_fixture_server(&f, TEXT("\"stretto-1\"", "A"));
    /* That one waits for the judge; one that needs none does not. */
    booking_expect(
        &f, "[server 0] " TEXT("\"stretto-1\"",
                               "A") "\n[context 0] {\"role\":\"user\",\"content\":\"one\"}~\n");
    engine_fixture_server(&f, TEXT("\"stretto-3\"", "C"));
    booking_expect_sent(&f, "> " SENT_READ("4"));
    /* It is taken up when the judge is free: the session is read again. */
    engine_fixture_says(&f, SAYS("user", "two"));
    f.now_ms = 9;
    engine_fixture_judge(&f, 0.9);
    booking_expect(
        &f,
        LOGGED("2", "false", "01", "9", "0.9", "false") "[proxy 9] " SENT_WRITE(
            "5", "2") "> " SENT_WRITE("5", "2") "[context 9] "
                                                "{\"role\":\"user\",\"content\":\"two\"}~\n" ASKED);
    engine_fixture_judge(&f, 0.9);
    booking_expect_sent(&f, LOGGED_YES("1", "02") "> " SENT_WRITE("6", "1") ASKED);
    engine_fixture_judge(&f, 0.9);
    booking_expect_sent(&f, LOGGED_YES("8", "03") "> " WRITE("8", "8") "\n");
    engine_fixture_server(&f, TEXT("\"stretto-6\"", "D"));
    booking_expect_sent(
        &f, "< " ANSWER("5", "get_user_details {}:\\nA\\n\\n" PART("1") ":\\nD", "false"));
    engine_fixture_deinit(&f);
}

static void judging_of_a_commit_holds_up_the_host(void **state)
{
    struct engine_fixture f;

    (void)state;
    booking_begin(&f);
    engine_fixture_host(&f, COMMIT("5", COMMIT_WRITE("1")));
    engine_fixture_host(&f, COMMIT("6", COMMIT_WRITE("2") "," COMMIT_WRITE("3")));
    engine_fixture_host(&f, PING("7"));
    engine_fixture_host_end(&f);
    booking_expect_sent(&f, ASKED);
    engine_fixture_judge(&f, 0.9);
    booking_expect_sent(&f, LOGGED_YES("1", "01") "> " SENT_WRITE("1", "1") ASKED);
    engine_fixture_judge(&f, 0.9);
    booking_expect_sent(&f, LOGGED_YES("2", "02") "> " SENT_WRITE("2", "2") "> " PING("7") "\n");
    assert_false(f.is_server_open);
    /* What cannot be sent any more is judged all the same. */
    engine_fixture_server(&f, TEXT("\"stretto-2\"", "B"));
    booking_expect_sent(&f, ASKED);
    engine_fixture_judge(&f, 0.9);
    booking_expect_sent(
        &f, LOGGED_YES("3", "03") "< " ANSWER(
                "6", PART("2") ":\\nB\\n\\n" PART("3") " got no answer from the server", "true"));
    engine_fixture_server(&f, TEXT("\"stretto-1\"", "A"));
    booking_expect_sent(&f, "< " ANSWER("5", PART("1") ":\\nA", "false"));
    engine_fixture_deinit(&f);
}

/* The time limit is the server's: a question does not count. */
static void judging_does_not_count_for_a_commits_time(void **state)
{
    struct engine_fixture f;

    (void)state;
    booking_begin(&f);
    engine_fixture_host(&f, COMMIT("5", COMMIT_WRITE("1")));
    assert_int_equal(engine_due_ms(f.engine), UINT64_MAX);
    engine_fixture_wait_until(&f, 165000);
    booking_expect_sent(&f, ASKED);
    engine_fixture_judge(&f, 0.9);
    assert_int_equal(engine_due_ms(f.engine), 165000 + 60001);
    engine_fixture_deinit(&f);
}

/* ---- ends ---- */

#define RECORDED(line)  "[client 3] " line "\n"
#define FORWARDED(line) RECORDED(line) "> " line "\n"
#define ANSWERED(line)  "[proxy 3] " line "< " line
#define PARSE_ERROR \
    "{\"error\":{\"code\":-32700,\"message\":\"Parse error\"},\"id\":null,\"jsonrpc\":\"2.0\"}\n"
#define SEVENTH       COMMIT("7", COMMIT_WRITE("7"))
#define SEVENTH_ENDED ANSWER("7", NOT_RUN("7"), "true")
#define EIGHTH        COMMIT("8", COMMIT_READ "," COMMIT_WRITE("8"))
#define EIGHTH_ENDED  ANSWER("8", "get_user_details {} was not run\\n\\n" NOT_RUN("8"), "true")

static void judging_is_given_up_when_the_proxy_is_to_end(void **state)
{
    static const char *const happened[] = {
        "? cancelled\n",
        RECORDED(WRITE("1", "1")),
        FORWARDED(PING("2")),
        RECORDED(WRITE("3", "3")),
        FORWARDED(READ("4")),
        RECORDED(NO_ID("5")),
        FORWARDED(PING("6")),
        RECORDED("not json"),
        "! refused a line of the client that is not JSON\n",
        ANSWERED(PARSE_ERROR),
        RECORDED(SEVENTH),
        ANSWERED(SEVENTH_ENDED),
        RECORDED(EIGHTH),
        ANSWERED(EIGHTH_ENDED),
    };
    struct sp_buf wanted = {0};
    struct engine_fixture f;

    (void)state;
    booking_begin(&f);
    engine_fixture_host(&f, WRITE("1", "1"));
    engine_fixture_host(&f, PING("2"));
    engine_fixture_host(&f, WRITE("3", "3"));
    engine_fixture_host(&f, "[" READ("4") "," NO_ID("5") "," PING("6") "]");
    engine_fixture_host(&f, "not json");
    engine_fixture_host(&f, SEVENTH);
    engine_fixture_host(&f, EIGHTH);
    booking_expect_sent(&f, ASKED);
    f.now_ms = 3;
    engine_fixture_interrupt(&f);
    for (size_t i = 0; i < sizeof happened / sizeof happened[0]; i++)
        sp_buf_add(&wanted, sp_str_of(happened[i]));
    booking_expect(&f, sp_buf_cstr(&wanted));
    sp_buf_deinit(&wanted);
    assert_false(engine_is_judging(f.engine));
    assert_int_equal(f.confirm_log.len, 0);
    /* What the server still says goes on. */
    engine_fixture_server(&f, TEXT("4", "x"));
    booking_expect_sent(&f, "< " TEXT("4", "x") "\n");
    assert_int_equal(engine_due_ms(f.engine), UINT64_MAX);
    engine_fixture_deinit(&f);
}

/* A session with one commit judged, one that waits for the judge, and one that awaits the server.
 */
static void begin_commits(struct engine_fixture *f)
{
    booking_begin(f);
    engine_fixture_host(f, COMMIT("5", COMMIT_READ "," COMMIT_WRITE("1") "," COMMIT_READ));
    engine_fixture_host(f, COMMIT("6", COMMIT_READ "," COMMIT_WRITE("2")));
    engine_fixture_host(f, COMMIT("7", COMMIT_READ));
    engine_fixture_server(f, TEXT("\"stretto-1\"", "A"));
    engine_fixture_server(f, TEXT("\"stretto-2\"", "B"));
    engine_fixture_host(f, PING("8"));
    (void)engine_fixture_look(f);
}

#define COMMITS_ENDED                                                                          \
    "< " ANSWER("5",                                                                           \
                "get_user_details {}:\\nA\\n\\n" NOT_RUN("1") "\\n\\nget_user_details {} was " \
                                                              "not run",                       \
                "true") "< " ANSWER("6", "get_user_details {}:\\nB\\n\\n" NOT_RUN("2"), "true")
#define LAST_ENDED "< " ANSWER("7", "get_user_details {} got no answer from the server", "true")

static void judging_has_commits_answer_when_the_proxy_is_to_end(void **state)
{
    struct engine_fixture f;

    (void)state;
    begin_commits(&f);
    engine_fixture_interrupt(&f);
    booking_expect_sent(&f, "? cancelled\n" COMMITS_ENDED "> " PING("8") "\n" LAST_ENDED);
    engine_fixture_deinit(&f);
}

static void judging_has_commits_answer_when_the_server_ends(void **state)
{
    struct engine_fixture f;

    (void)state;
    begin_commits(&f);
    engine_fixture_server_end(&f);
    booking_expect_sent(&f, "? cancelled\n" COMMITS_ENDED LAST_ENDED);
    assert_false(engine_is_judging(f.engine));
    assert_null(f.judged);
    engine_fixture_deinit(&f);
}

static void judging_drops_what_waits_when_the_server_ends(void **state)
{
    struct engine_fixture f;

    (void)state;
    booking_begin(&f);
    engine_fixture_host(&f, WRITE("1", "1"));
    engine_fixture_host(&f, PING("2"));
    engine_fixture_host(&f, WRITE("3", "3"));
    engine_fixture_host(&f, COMMIT("4", COMMIT_WRITE("4")));
    engine_fixture_host(&f, "[" PING("5") "," WRITE("6", "6") "]");
    engine_fixture_says(&f, SAYS("user", "Bye"));
    (void)engine_fixture_look(&f);
    engine_fixture_server_end(&f);
    booking_expect(&f, "? cancelled\n");
    assert_false(engine_is_judging(f.engine));
    engine_fixture_host(&f, WRITE("7", "7"));
    engine_fixture_host_end(&f);
    booking_expect(&f, "");
    engine_fixture_deinit(&f);
}

/* Whatever is held, or waits, is the engine's. */
static void judging_can_be_freed_at_any_point(void **state)
{
    struct engine_judge judge = booking_judge();
    struct engine_fixture f;

    (void)state;
    judge.options.second = JUDGMENT_PROPOSED;
    booking_begin_with(&f, &judge);
    engine_fixture_host(&f, WRITE("1", "1"));
    engine_fixture_host(&f, PING("2"));
    engine_fixture_host_end(&f);
    engine_fixture_judge_fails(&f, "lost");
    assert_true(engine_is_judging(f.engine));
    engine_fixture_deinit(&f);

    begin_commits(&f);
    engine_fixture_host(&f, "[" WRITE("9", "9") "]");
    engine_fixture_deinit(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judging_judges_each_call_of_a_commit),
        cmocka_unit_test(judging_has_a_second_commit_wait),
        cmocka_unit_test(judging_of_a_commit_holds_up_the_host),
        cmocka_unit_test(judging_does_not_count_for_a_commits_time),
        cmocka_unit_test(judging_is_given_up_when_the_proxy_is_to_end),
        cmocka_unit_test(judging_has_commits_answer_when_the_proxy_is_to_end),
        cmocka_unit_test(judging_has_commits_answer_when_the_server_ends),
        cmocka_unit_test(judging_drops_what_waits_when_the_server_ends),
        cmocka_unit_test(judging_can_be_freed_at_any_point),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
