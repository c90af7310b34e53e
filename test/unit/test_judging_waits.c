/* Tests of what a question of the confirmation judge holds up, and what goes on meanwhile. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "booking.h"
#include "desk_session.h"
#include "flow_example.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

static void judging_puts_off_later_lines_of_the_host_in_order(void **state)
{
    struct engine_fixture f;

    (void)state;
    booking_begin(&f);
    engine_fixture_host(&f, PING("0"));
    engine_fixture_host(&f, WRITE("1", "1"));
    engine_fixture_host(&f, PING("2"));
    engine_fixture_host(&f, NOTE("3"));
    engine_fixture_host(&f, "{\"id\":\"server-1\",\"result\":{}}");
    engine_fixture_host(&f, READ("4"));
    engine_fixture_host(&f, " \r");
    engine_fixture_host(&f, "[" PING("5") "]");
    engine_fixture_host_bytes(&f, SP_STR("{\"id\":6,\"method\":\"ping\"} "));
    booking_expect_sent(&f, "> " PING("0") "\n" ASKED);
    f.now_ms = 50;
    engine_fixture_judge(&f, 0.9);
    booking_expect(
        &f,
        LOGGED("1", "false", "01", "50", "0.9", "false") "[client 50] " WRITE(
            "1",
            "1") "\n> " WRITE("1",
                              "1") "\n"
                                   "[client 50] " PING("2") "\n> " PING(
                                       "2") "\n"
                                            "[client 50] " NOTE("3") "\n> " NOTE(
                                                "3") "\n"
                                                     "[client 50] "
                                                     "{\"id\":\"server-1\",\"result\":{}}\n"
                                                     "> {\"id\":\"server-1\",\"result\":{}}\n"
                                                     "[client 50] " READ("4") "\n> " READ(
                                                         "4") "\n"
                                                              "[client 50]  \r\n>  \r\n"
                                                              "[client 50] [" PING(
                                                                  "5") "]\n> [" PING("5") "]\n"
                                                                                          "[client "
                                                                                          "50] "
                                                                                          "{\"id\":"
                                                                                          "6,"
                                                                                          "\"method"
                                                                                          "\":"
                                                                                          "\"ping\""
                                                                                          "} ~\n> "
                                                                                          "{\"id\":"
                                                                                          "6,"
                                                                                          "\"method"
                                                                                          "\":"
                                                                                          "\"ping\""
                                                                                          "} ~\n");
    engine_fixture_deinit(&f);
}

static void judging_lets_lines_of_the_server_go_on(void **state)
{
    static const char *const lines[] = {
        NOTE("1"),  PING("\"server-1\""), TEXT("1", "x"), TEXT("9", "of nothing"),
        "not json", "[" NOTE("2") "]",
    };
    struct engine_fixture f;

    (void)state;
    booking_begin(&f);
    engine_fixture_host(&f, READ("1"));
    engine_fixture_host(&f, WRITE("2", "1"));
    (void)engine_fixture_look(&f);
    for (size_t i = 0; i < N_OF(lines); i++) {
        struct sp_buf wanted = {0};

        f.now_ms++;
        engine_fixture_server(&f, lines[i]);
        sp_buf_addf(&wanted, "[server %zu] %s\n< %s\n", i + 1, lines[i], lines[i]);
        booking_expect(&f, sp_buf_cstr(&wanted));
        sp_buf_deinit(&wanted);
    }
    engine_fixture_kept(&f, LINE_SERVER, NOTE("3"));
    booking_expect(&f, "[server 6] " NOTE("3") "\n");
    engine_fixture_deinit(&f);
}

/* A listing that waited is answered as any other. */
static void judging_puts_off_a_listing(void **state)
{
    static const char list[] = "{\"id\":2,\"method\":\"tools/list\"}";
    struct engine_fixture f;

    (void)state;
    booking_begin(&f);
    engine_fixture_host(&f, WRITE("1", "1"));
    engine_fixture_host(&f, list);
    /* It was not asked yet. */
    engine_fixture_server(&f, "{\"id\":2,\"result\":{\"tools\":[]}}");
    booking_expect_sent(&f, ASKED "< {\"id\":2,\"result\":{\"tools\":[]}}\n");
    engine_fixture_judge(&f, 0.9);
    (void)engine_fixture_look(&f);
    engine_fixture_server(&f, "{\"id\":2,\"result\":{\"tools\":[]}}");
    assert_non_null(strstr(engine_fixture_look(&f), "\"name\":\"stretto_commit\""));
    engine_fixture_deinit(&f);
}

static void judging_judges_one_call_after_the_other(void **state)
{
    struct engine_fixture f;

    (void)state;
    booking_begin(&f);
    engine_fixture_host(&f, WRITE("1", "1"));
    engine_fixture_host(&f, PING("2"));
    engine_fixture_host(&f, WRITE("3", "3"));
    engine_fixture_host(&f, PING("4"));
    engine_fixture_host(&f, WRITE("5", "5"));
    engine_fixture_says(&f, SAYS("user", "Well"));
    booking_expect_sent(&f, ASKED);
    f.now_ms = 10;
    engine_fixture_judge(&f, 0.9);
    booking_expect(
        &f,
        LOGGED("1", "false", "01", "10", "0.9", "false") "[client 10] " WRITE(
            "1",
            "1") "\n> " WRITE("1",
                              "1") "\n[client 10] " PING("2") "\n> " PING("2") "\n"
                                                                               "[context 10] "
                                                                               "{\"role\":\"user\","
                                                                               "\"content\":"
                                                                               "\"Well\"}~"
                                                                               "\n" ASKED);
    f.now_ms = 30;
    engine_fixture_judge(&f, 0.1);
    booking_expect_sent(&f, LOGGED("3", "true", "02", "20", "0.1", "false")
                                REFUSED_NOTE("p_yes 0.10") "< " REFUSED(
                                    "3", "p_yes 0.10") "> " PING("4") "\n" ASKED);
    engine_fixture_host(&f, PING("6"));
    engine_fixture_judge(&f, 0.9);
    booking_expect_sent(&f, LOGGED_YES("5", "03") "> " WRITE("5", "5") "\n> " PING("6") "\n");
    engine_fixture_deinit(&f);
}

static void judging_takes_a_batch_apart_around_a_call(void **state)
{
    struct engine_fixture f;

    (void)state;
    booking_begin(&f);
    engine_fixture_host(&f, "[" PING("1") "," WRITE("2", "2") "," PING("3") ",[" WRITE(
                                "4", "4") ",7]," NO_ID("5") "]");
    engine_fixture_host(&f, PING("6"));
    booking_expect_sent(&f, "> " PING("1") "\n" ASKED);
    engine_fixture_judge(&f, 0.1);
    booking_expect_sent(&f, LOGGED_NO("2", "01") REFUSED_NOTE("p_yes 0.10") "< " REFUSED(
                                "2", "p_yes 0.10") "> " PING("3") "\n" ASKED);
    engine_fixture_judge(&f, 0.9);
    booking_expect_sent(&f, LOGGED_YES("4", "02") "> " WRITE("4", "4") "\n> 7\n" ASKED);
    engine_fixture_judge(&f, 0.9);
    booking_expect_sent(&f, LOGGED_YES("5", "03") "> " NO_ID("5") "\n> " PING("6") "\n");
    engine_fixture_deinit(&f);
}

/* The rest of a batch that was put off whole comes before the lines behind the batch. */
static void judging_keeps_a_batch_in_its_place(void **state)
{
    struct engine_fixture f;

    (void)state;
    booking_begin(&f);
    engine_fixture_host(&f, WRITE("1", "1"));
    engine_fixture_host(&f,
                        "[" WRITE("2", "2") "," PING("3") "," WRITE("4", "4") "," PING("5") "]");
    engine_fixture_host(&f, PING("6"));
    engine_fixture_host(&f, "[" WRITE("7", "7") "," PING("8") "]");
    engine_fixture_host(&f, PING("9"));
    for (int i = 0; i < 4; i++)
        engine_fixture_judge(&f, 0.9);
    assert_string_equal(
        sp_buf_cstr(&f.to_server),
        WRITE("1", "1") "\n" WRITE("2", "2") "\n" PING("3") "\n" WRITE("4", "4") "\n" PING(
            "5") "\n" PING("6") "\n" WRITE("7", "7") "\n" PING("8") "\n" PING("9") "\n");
    engine_fixture_deinit(&f);
}

static void judging_puts_off_lines_that_are_refused_for_their_form(void **state)
{
    static const char twice[] = "{\"id\":2,\"method\":\"ping\",\"method\":\"pong\"}";
    struct engine_fixture f;

    (void)state;
    booking_begin(&f);
    engine_fixture_host(&f, WRITE("1", "1"));
    engine_fixture_host(&f, "not json");
    engine_fixture_host(&f, PING("2"));
    engine_fixture_host(&f, twice);
    booking_expect_sent(&f, ASKED);
    engine_fixture_judge(&f, 0.9);
    booking_expect_sent(
        &f,
        LOGGED_YES("1", "01") "> " WRITE(
            "1",
            "1") "\n"
                 "! refused a line of the client that is not JSON\n"
                 "< {\"error\":{\"code\":-32700,\"message\":\"Parse error\"},\"id\":null,"
                 "\"jsonrpc\":\"2.0\"}\n"
                 "> " PING("2") "\n"
                                "! refused a message of the client in which a name occurs twice\n"
                                "< {\"error\":{\"code\":-32600,\"message\":\"Invalid Request: a "
                                "name occurs "
                                "twice, so the policy check cannot read "
                                "it\"},\"id\":2,\"jsonrpc\":\"2.0\"}\n");
    engine_fixture_deinit(&f);
}

static void judging_ends_before_the_servers_input_does(void **state)
{
    struct engine_fixture f;

    (void)state;
    booking_begin(&f);
    engine_fixture_host(&f, WRITE("1", "1"));
    engine_fixture_host(&f, PING("2"));
    engine_fixture_host(&f, WRITE("3", "3"));
    engine_fixture_says(&f, SAYS("user", "Well"));
    engine_fixture_host_end(&f);
    assert_true(engine_is_judging(f.engine));
    booking_expect_sent(&f, ASKED);
    engine_fixture_judge(&f, 0.9);
    assert_true(engine_is_judging(f.engine));
    engine_fixture_says(&f, SAYS("user", "Bye"));
    booking_expect_sent(&f, LOGGED_YES("1", "01") "> " WRITE("1", "1") "\n> " PING("2") "\n" ASKED);
    f.now_ms = 5;
    engine_fixture_judge(&f, 0.9);
    booking_expect(
        &f,
        LOGGED("3", "false", "02", "5", "0.9", "false") "[client 5] " WRITE("3", "3") "\n> " WRITE(
            "3", "3") "\n[context 5] {\"role\":\"user\",\"content\":\"Bye\"}~\n");
    assert_false(f.is_server_open);
    engine_fixture_server(&f, TEXT("3", "x"));
    booking_expect_sent(&f, "< " TEXT("3", "x") "\n");
    engine_fixture_deinit(&f);
}

/* ---- beside a flow ---- */

#define FIND  DESK_CALL("3", "find_tickets", "{\"email\":\"dee@example.com\"}")
#define FOUND DESK_RESULT("3", "{\\\"owner\\\":\\\"dee\\\",\\\"tickets\\\":[\\\"T-41\\\"]}")
#define FOLD                                                                                    \
    "{\"weights\":[0.5,0.3,0.2,0.1,0.6],\"rates\":{\"sites\":[[\"find_tickets\",[8.0,6.0,8.0]]" \
    "],\"agree\":0.7,\"cover\":0.95}}"

/* A session with a flow's run whose question about a call of the host is out. */
static void begin_with_flow(struct engine_fixture *f)
{
    static const struct flow_edit with_arbiter[] = {
        {"\"model\":\"\"", "\"model\":\"jev-latest\""},
        {"\"folds\":[]", "\"folds\":[" FOLD "," FOLD "," FOLD "," FOLD "," FOLD "]"},
    };
    struct engine_flow served = {
        .flow = flow_parsed(FLOW_EXAMPLE, with_arbiter, N_OF(with_arbiter)),
        .decide = {.decider = DECIDE_ARBITER, .threshold = 0.3},
        .per_call = 8,
        .per_session = 40,
        .questions = 300,
    };
    struct engine_judge judge = booking_judge();

    engine_fixture_init_judge(f, &judge, &served, "airline", true);
}

static void judging_goes_on_beside_a_flow(void **state)
{
    struct oracle_response response;
    struct engine_fixture f;

    (void)state;
    begin_with_flow(&f);
    engine_fixture_host(&f, FIND);
    engine_fixture_host(&f, WRITE("1", "1"));
    booking_expect_sent(&f, "> " FIND "\n" ASKED);
    /* The run starts, asks for itself, and makes its lookup, which nobody judges. */
    engine_fixture_server(&f, FOUND);
    booking_expect_sent(&f, "? next go_on\n");
    oracle_mock(f.question, &response);
    engine_fixture_answer(&f, &response);
    oracle_response_deinit(&response);
    assert_true(engine_is_judging(f.engine));
    assert_non_null(strstr(sp_buf_cstr(&f.to_server), "{\"id\":\"stretto-1\""));
    (void)engine_fixture_look(&f);
    engine_fixture_server(&f, DESK_ANSWER("1", "\"result\":{\"content\":[]}"));
    booking_expect_sent(&f, "? next go_on\n");
    /* Now the judge's question ends while the flow's is out. */
    engine_fixture_judge(&f, 0.9);
    assert_non_null(f.question);
    booking_expect_sent(&f, LOGGED_YES("1", "01") "> " WRITE("1", "1") "\n");
    engine_fixture_no_answer(&f, "lost");
    assert_non_null(strstr(sp_buf_cstr(&f.to_host), "Also looked up automatically"));
    engine_fixture_deinit(&f);
}

static void judging_and_a_flow_are_interrupted_together(void **state)
{
    struct engine_fixture f;

    (void)state;
    begin_with_flow(&f);
    engine_fixture_host(&f, FIND);
    engine_fixture_server(&f, FOUND);
    engine_fixture_host(&f, WRITE("1", "1"));
    engine_fixture_host(&f, PING("2"));
    (void)engine_fixture_look(&f);
    engine_fixture_interrupt(&f);
    booking_expect_sent(&f, "? cancelled\n> " PING("2") "\n? cancelled\n< " FOUND "\n");
    assert_null(f.judged);
    assert_null(f.question);
    engine_fixture_deinit(&f);
}

static void judging_can_be_freed_beside_a_flow(void **state)
{
    struct engine_fixture f;

    (void)state;
    begin_with_flow(&f);
    engine_fixture_host(&f, FIND);
    engine_fixture_server(&f, FOUND);
    engine_fixture_host(&f, WRITE("1", "1"));
    assert_non_null(f.judged);
    assert_non_null(f.question);
    engine_fixture_deinit(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judging_puts_off_later_lines_of_the_host_in_order),
        cmocka_unit_test(judging_lets_lines_of_the_server_go_on),
        cmocka_unit_test(judging_puts_off_a_listing),
        cmocka_unit_test(judging_judges_one_call_after_the_other),
        cmocka_unit_test(judging_takes_a_batch_apart_around_a_call),
        cmocka_unit_test(judging_keeps_a_batch_in_its_place),
        cmocka_unit_test(judging_puts_off_lines_that_are_refused_for_their_form),
        cmocka_unit_test(judging_ends_before_the_servers_input_does),
        cmocka_unit_test(judging_goes_on_beside_a_flow),
        cmocka_unit_test(judging_and_a_flow_are_interrupted_together),
        cmocka_unit_test(judging_can_be_freed_beside_a_flow),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
