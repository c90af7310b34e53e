/* Tests of trace/sessionstats.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/sessionstats.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define HEADER                  "{\"stretto_mcp_log\":2,\"session\":\"s\",\"started_unix_ms\":5}\n"
#define ENTRY(t, from, message) "{\"t_ms\":" t ",\"from\":\"" from "\",\"message\":" message "}\n"
#define CALL(t, from, id, tool) \
    ENTRY(t, from, "{\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool "\"}}")
#define ANSWER(t, from, id, is_error) \
    ENTRY(t, from, "{\"id\":" id ",\"result\":{\"content\":[],\"isError\":" is_error "}}")

static void read_stats(const char *text, struct sessionstats *ret)
{
    struct sp_buf buf = {0};
    struct sessionlog log;
    struct sp_err err;

    sp_buf_add(&buf, SP_STR(HEADER));
    sp_buf_add(&buf, sp_str_of(text));
    if (sessionlog_parse(&buf, &log, &err) < 0)
        fail_msg("%s", err.text);
    sessionstats_read(&log, ret);
    sessionlog_deinit(&log); /* the figures do not look into it */
}

static void assert_text(struct sp_str got, const char *wanted)
{
    assert_true(sp_str_eq(got, sp_str_of(wanted)));
}

static void sessionstats_of_an_empty_session_are_zero(void **state)
{
    struct sessionstats s;
    uint64_t ms = 77;

    (void)state;
    read_stats("", &s);
    assert_int_equal(s.duration_ms, 0);
    assert_int_equal(s.n_calls, 0);
    assert_int_equal(s.n_tools, 0);
    assert_int_equal(s.n_latencies, 0);
    assert_null(s.host.name.p);
    assert_null(s.server.name.p);
    assert_null(s.protocol.p);
    assert_false(sessionstats_percentile(&s, 50, &ms));
    assert_int_equal(ms, 77);
    sessionstats_deinit(&s);
}

static void sessionstats_counts_calls_and_what_became_of_them(void **state)
{
    struct sessionstats s;

    (void)state;
    read_stats(CALL("10", "client", "1", "b") CALL("20", "client", "2", "a")
                   ANSWER("25", "server", "1", "false") ANSWER("29", "server", "2", "true")
                       CALL("30", "proxy", "\"stretto-1\"", "a")
                           ANSWER("32", "server", "\"stretto-1\"", "false")
               /* The copy with the lookups is no second answer. */
               ANSWER("33", "proxy", "2", "true")
               /* Refused, cancelled, never answered. */
               CALL("40", "client", "3", "c") ANSWER("41", "proxy", "3", "true")
                   CALL("50", "client", "4", "c")
                       ENTRY("51", "client",
                             "{\"method\":\"notifications/cancelled\",\"params\":"
                             "{\"requestId\":4}}") CALL("60", "client", "5", "c"),
               &s);
    assert_int_equal(s.duration_ms, 60);
    assert_int_equal(s.n_calls, 6);
    assert_int_equal(s.n_proxy_calls, 1);
    assert_int_equal(s.n_errors, 2);
    assert_int_equal(s.n_refused, 1);
    assert_int_equal(s.n_cancelled, 1);
    assert_int_equal(s.n_unanswered, 2);
    assert_int_equal(s.n_latencies, 4);
    assert_int_equal(s.exchanges.n_requests, 6);
    sessionstats_deinit(&s);
}

static void sessionstats_orders_tools_by_calls_then_by_name(void **state)
{
    static const struct {
        const char *name;
        size_t n_calls;
        size_t n_errors;
    } wanted[] = {{"c", 3, 1}, {"B", 1, 0}, {"a", 1, 1}, {"a\xc3\xa9", 1, 0}};
    struct sessionstats s;

    (void)state;
    read_stats(CALL("1", "client", "1", "a\xc3\xa9") CALL("1", "client", "2", "a")
                   CALL("1", "client", "3", "B") CALL("1", "client", "4", "c")
                       CALL("1", "client", "5", "c") CALL("1", "client", "6", "c")
                           ANSWER("2", "server", "2", "true") ANSWER("2", "server", "5", "true"),
               &s);
    assert_int_equal(s.n_tools, N_OF(wanted));
    for (size_t i = 0; i < N_OF(wanted); i++) {
        assert_text(s.tools[i].name, wanted[i].name);
        assert_int_equal(s.tools[i].n_calls, wanted[i].n_calls);
        assert_int_equal(s.tools[i].n_errors, wanted[i].n_errors);
    }
    sessionstats_deinit(&s);
}

/* A session with calls that took 1, 2, … n ms, the longest first. */
static void read_latencies(size_t n, struct sessionstats *ret)
{
    struct sp_buf text = {0};

    for (size_t i = n; i > 0; i--) {
        sp_buf_addf(&text,
                    "{\"t_ms\":%zu,\"from\":\"client\",\"message\":{\"id\":%zu,\"method\":"
                    "\"tools/call\",\"params\":{\"name\":\"a\"}}}\n",
                    1000 * (n - i), i);
        sp_buf_addf(&text,
                    "{\"t_ms\":%zu,\"from\":\"server\",\"message\":{\"id\":%zu,\"result\":{}}}\n",
                    1000 * (n - i) + i, i);
    }
    read_stats(sp_buf_cstr(&text), ret);
    sp_buf_deinit(&text);
}

static void sessionstats_takes_percentiles_by_the_nearest_rank(void **state)
{
    static const struct {
        size_t n;
        unsigned percent;
        uint64_t ms;
    } cases[] = {
        {1, 1, 1},     {1, 50, 1},    {1, 95, 1},      {1, 100, 1},  {2, 50, 1},    {2, 51, 2},
        {2, 95, 2},    {3, 50, 2},    {4, 50, 2},      {19, 95, 19}, {20, 95, 19},  {21, 95, 20},
        {100, 50, 50}, {100, 95, 95}, {100, 100, 100}, {100, 1, 1},  {101, 95, 96},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sessionstats s;
        uint64_t ms;

        read_latencies(cases[i].n, &s);
        assert_true(sessionstats_percentile(&s, cases[i].percent, &ms));
        if (ms != cases[i].ms)
            fail_msg("case %zu: %u", i, (unsigned)ms);
        sessionstats_deinit(&s);
    }
}

static void sessionstats_takes_times_that_go_back_as_no_time(void **state)
{
    struct sessionstats s;
    uint64_t ms;

    (void)state;
    read_stats(CALL("90", "client", "1", "a") ANSWER("20", "server", "1", "false"), &s);
    assert_int_equal(s.duration_ms, 90);
    assert_true(sessionstats_percentile(&s, 50, &ms));
    assert_int_equal(ms, 0);
    sessionstats_deinit(&s);
}

static void sessionstats_names_the_two_sides_as_the_first_handshake_does(void **state)
{
    struct sessionstats s;

    (void)state;
    read_stats(
        ENTRY(
            "1", "client",
            "{\"id\":0,\"method\":\"initialize\",\"params\":{\"clientInfo\":{\"name\":\"desk\"}}}")
            ENTRY("2", "server",
                  "{\"id\":0,\"result\":{\"protocolVersion\":\"2025-06-18\",\"serverInfo\":"
                  "{\"name\":\"shop\",\"version\":\"1.2\"}}}")
        /* What the proxy does when the server has ended a session names nobody. */
        ENTRY("3", "proxy",
              "{\"id\":1,\"method\":\"initialize\",\"params\":{\"clientInfo\":{\"name\":\"p\","
              "\"version\":\"9\"}}}")
            ENTRY("4", "client",
                  "{\"id\":2,\"method\":\"initialize\",\"params\":{\"clientInfo\":{\"name\":"
                  "\"other\"}}}")
                ENTRY("5", "server", "{\"id\":2,\"result\":{\"serverInfo\":{\"name\":\"else\"}}}"),
        &s);
    assert_text(s.host.name, "desk");
    assert_null(s.host.version.p);
    assert_text(s.server.name, "shop");
    assert_text(s.server.version, "1.2");
    assert_text(s.protocol, "2025-06-18");
    sessionstats_deinit(&s);
}

static void sessionstats_counts_the_conversation_and_raw_lines(void **state)
{
    struct sessionstats s;

    (void)state;
    read_stats(ENTRY("1", "context", "{\"role\":\"user\",\"content\":\"a\"}")
                   ENTRY("2", "context", "{\"role\":\"assistant\",\"content\":\"\"}")
                       ENTRY("2", "context", "{\"role\":\"tool\",\"content\":\"\"}") ENTRY(
                           "3", "context",
                           "{\"role\":\"user\"}") "{\"t_ms\":4,\"from\":\"server\",\"raw\":\"x\"}"
                                                  "\n{\"t_ms\":9,\"from\":\"server\"}\n",
               &s);
    assert_int_equal(s.n_user, 2);
    assert_int_equal(s.n_agent, 1);
    assert_int_equal(s.n_raw, 1);
    assert_int_equal(s.duration_ms, 9);
    sessionstats_deinit(&s);
}

static void sessionstats_reads_the_elements_of_batches(void **state)
{
    struct sessionstats s;

    (void)state;
    read_stats(ENTRY("1", "client",
                     "[{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}},5,"
                     "{\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"b\"}}]")
                   ENTRY("8", "server", "[{\"id\":2,\"result\":{}},{\"id\":1,\"result\":{}}]"),
               &s);
    assert_int_equal(s.n_calls, 2);
    assert_int_equal(s.n_unanswered, 0);
    assert_int_equal(s.latencies_ms[1], 7);
    sessionstats_deinit(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessionstats_of_an_empty_session_are_zero),
        cmocka_unit_test(sessionstats_counts_calls_and_what_became_of_them),
        cmocka_unit_test(sessionstats_orders_tools_by_calls_then_by_name),
        cmocka_unit_test(sessionstats_takes_percentiles_by_the_nearest_rank),
        cmocka_unit_test(sessionstats_takes_times_that_go_back_as_no_time),
        cmocka_unit_test(sessionstats_names_the_two_sides_as_the_first_handshake_does),
        cmocka_unit_test(sessionstats_counts_the_conversation_and_raw_lines),
        cmocka_unit_test(sessionstats_reads_the_elements_of_batches),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
