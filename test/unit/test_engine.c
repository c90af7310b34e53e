/* Tests of engine/engine.h: what goes on as it came, who is answered, and what is recorded. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine_fixture.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define CALL_OF(id, name)                                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" name \
    "\",\"arguments\":{\"text\":\"x\"}}}"
#define CALL(id)   CALL_OF(id, "lookup")
#define ANSWER(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"content\":[]}}"
#define LIST(id)   "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/list\"}"
#define TOOLS(id) \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"tools\":[{\"name\":\"lookup\"}]}}"

/* A commit of one call. */
#define COMMIT(id)                                                                                \
    "{\"jsonrpc\":\"2.0\",\"id\":" id                                                             \
    ",\"method\":\"tools/call\",\"params\":{\"name\":\"stretto_commit\",\"arguments\":{\"calls\"" \
    ":[{\"name\":\"lookup\"}]}}}"

#define USER(text) "{\"role\":\"user\",\"content\":\"" text "\"}\n"

static void expect(struct engine_fixture *f, const char *wanted)
{
    assert_string_equal(engine_fixture_look(f), wanted);
}

static void expect_sent(struct engine_fixture *f, const char *wanted)
{
    assert_string_equal(engine_fixture_look_sent(f), wanted);
}

#define LINE(literal)                  \
    {                                  \
        (literal), sizeof(literal) - 1 \
    }

/* Lines that nothing acts on, in either direction; with LF and without, in whatever encoding. */
static const struct sp_str plain_lines[] = {
    LINE(""),
    LINE("\n"),
    LINE("\r\n"),
    LINE(" \t \n"),
    LINE("not json\n"),
    LINE("not json"),
    LINE("\xff\xfe\x80\n"),
    LINE("a\0b\n"),
    LINE("\xef\xbb\xbf{\"id\":1,\"method\":\"tools/call\"}\n"),
    LINE("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"),
    LINE("  { \"jsonrpc\" : \"2.0\" , \"id\" : 1.0 , \"method\" : \"ping\" }  \r\n"),
    LINE("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"),
    LINE("{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n"),
    LINE("{\"id\":9,\"method\":\"sampling/createMessage\",\"params\":{}}\n"),
    LINE("{\"id\":9,\"result\":{\"b\":1e2,\"a\":-0}}\n"),
    LINE("{\"id\":9,\"error\":null}\n"),
    LINE("{\"id\":null,\"error\":{\"code\":-32700,\"message\":\"x\"}}\n"),
    LINE("[{\"id\":1,\"method\":\"tools/call\"},{\"id\":2,\"method\":\"tools/list\"}]\n"),
    LINE("[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]\n"),
    LINE("{\"method\":\"tools/call\",\"params\":{\"name\":\"stretto_commit\"}}\n"),
    LINE("{\"id\":null,\"method\":\"tools/call\",\"params\":{\"name\":\"stretto_commit\"}}\n"),
    LINE("{\"id\":1,\"id\":2,\"method\":\"a\",\"method\":\"b\"}\n"),
    LINE("{\"id\":1,\"method\":7}\n"),
    LINE("{\"id\":1,\"method\":\"TOOLS/CALL\",\"params\":{\"name\":\"stretto_commit\"}}\n"),
    LINE("1\n"),
    LINE("null\n"),
    LINE("\"text\"\n"),
    LINE("{}\n"),
    LINE("[]\n"),
    LINE("{\"a\":1e999}\n"),
};

static void engine_forwards_what_it_does_not_act_on_byte_for_byte(void **state)
{
    (void)state;
    for (int options = 0; options < 4; options++) {
        struct engine_fixture f;
        struct sp_buf all = {0};

        engine_fixture_init(&f, NULL, (options & 1) != 0, (options & 2) != 0);
        for (size_t i = 0; i < N_OF(plain_lines); i++) {
            engine_fixture_host_bytes(&f, plain_lines[i]);
            engine_fixture_server_bytes(&f, plain_lines[i]);
            sp_buf_add(&all, plain_lines[i]);
        }
        assert_int_equal(f.to_server.len, all.len);
        assert_memory_equal(f.to_server.p, all.p, all.len);
        assert_int_equal(f.to_host.len, all.len);
        assert_memory_equal(f.to_host.p, all.p, all.len);
        assert_int_equal(f.n_readings, 0);
        assert_int_equal(f.n_notes, 0);
        assert_int_equal(engine_due_ms(f.engine), UINT64_MAX);
        sp_buf_deinit(&all);
        engine_fixture_deinit(&f);
    }
}

static void engine_forwards_calls_and_listings_as_they_came(void **state)
{
    struct engine_fixture f;

    (void)state;
    engine_fixture_init(&f, NULL, false, true);
    engine_fixture_host(&f, " " CALL("1") "\t\r");
    expect(&f, "[client 0]  " CALL("1") "\t\r\n>  " CALL("1") "\t\r\n");
    engine_fixture_server(&f, "\t" ANSWER("1") "\r");
    expect(&f, "[server 0] \t" ANSWER("1") "\r\n< \t" ANSWER("1") "\r\n");
    engine_fixture_server(&f, ANSWER("1"));
    expect(&f, "[server 0] " ANSWER("1") "\n< " ANSWER("1") "\n");
    engine_fixture_host(&f, LIST("2"));
    engine_fixture_server(&f, TOOLS("2"));
    expect_sent(&f, "> " LIST("2") "\n< " TOOLS("2") "\n");
    engine_fixture_host(&f, CALL_OF("3", "stretto_commit"));
    expect_sent(&f, "> " CALL_OF("3", "stretto_commit") "\n");
    engine_fixture_deinit(&f);
}

/* A request tools/call is one at which the conversation is read. */
static void engine_tells_requests_from_other_messages(void **state)
{
    static const struct {
        const char *line;
        bool is_call;
    } cases[] = {
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}", true},
        {"{\"id\":\"\",\"method\":\"tools\\/call\"}", true},
        {"{\"\\u0069d\":0,\"\\u006dethod\":\"\\u0074ools/call\",\"params\":null}", true},
        {"{\"id\":false,\"method\":\"tools/call\",\"params\":[1]}", true},
        {"{\"id\":{},\"method\":\"tools/call\",\"result\":{}}", true},
        {"{\"id\":[1],\"method\":\"tools/call\",\"params\":{\"name\":7}}", true},
        {"{\"id\":null,\"id\":3,\"method\":\"x\",\"method\":\"tools/call\"}", true},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", false},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", false},
        {"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"x\"}}", false},
        {"[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]", false},
        {"[{\"id\":1,\"method\":\"tools/call\"}]", false},
        {"{\"method\":\"tools/call\"}", false},
        {"{\"id\":null,\"method\":\"tools/call\"}", false},
        {"{\"id\":1,\"method\":\"tools/list\"}", false},
        {"{\"id\":1,\"method\":\"tools/call \"}", false},
        {"{\"id\":1,\"method\":[\"tools/call\"]}", false},
        {"{\"id\":1,\"Method\":\"tools/call\"}", false},
        {"{\"id\":1,\"method\":\"tools/call\",}", false},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct engine_fixture f;
        struct sp_buf sent = {0};

        engine_fixture_init(&f, NULL, false, true);
        engine_fixture_host(&f, cases[i].line);
        if (f.n_readings != (cases[i].is_call ? 1 : 0))
            fail_msg("%s", cases[i].line);
        sp_buf_addf(&sent, "> %s\n", cases[i].line);
        expect_sent(&f, sp_buf_cstr(&sent));
        sp_buf_deinit(&sent);
        engine_fixture_deinit(&f);
    }
}

/* A commit awaits "stretto-1": what answers it is not forwarded. */
static void engine_tells_responses_from_other_messages(void **state)
{
    static const struct {
        const char *line;
        bool is_response;
    } cases[] = {
        {"{\"jsonrpc\":\"2.0\",\"id\":\"stretto-1\",\"result\":{}}", true},
        {"{\"id\":\"stretto-1\",\"result\":null}", true},
        {"{\"id\":\"stretto-1\",\"error\":null}", true},
        {"{\"id\":\"stretto-1\",\"error\":{\"code\":1}}", true},
        {"{\"id\":\"\\u0073tretto\\u002d1\",\"result\":7}", true},
        {"{\"id\":null,\"id\":\"stretto-1\",\"result\":7}", true},
        {"{\"id\":\"stretto-1\"}", false},
        {"{\"id\":\"stretto-1\",\"method\":\"ping\"}", false},
        {"{\"id\":\"stretto-1\",\"method\":null,\"result\":{}}", false},
        {"{\"id\":null,\"result\":{}}", false},
        {"{\"result\":{}}", false},
        {"{\"id\":\"stretto-2\",\"result\":{}}", false},
        {"{\"id\":\"Stretto-1\",\"result\":{}}", false},
        {"{\"id\":\"stretto-1 \",\"result\":{}}", false},
        {"{\"id\":\"stretto-01\",\"result\":{}}", false},
        {"{\"id\":1,\"result\":{}}", false},
        {"[{\"id\":\"stretto-1\",\"result\":{}}]", false},
        {"{\"id\":\"stretto-1\",\"result\":{}} x", false},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct engine_fixture f;
        struct sp_buf sent = {0};

        engine_fixture_init(&f, NULL, true, false);
        engine_fixture_host(&f, COMMIT("1"));
        (void)engine_fixture_look(&f);
        engine_fixture_server(&f, cases[i].line);
        sp_buf_addf(&sent, "< %s\n", cases[i].line);
        if ((strcmp(engine_fixture_look_sent(&f), sp_buf_cstr(&sent)) != 0) != cases[i].is_response)
            fail_msg("%s", cases[i].line);
        assert_int_equal(engine_due_ms(f.engine) == UINT64_MAX, cases[i].is_response);
        sp_buf_deinit(&sent);
        engine_fixture_deinit(&f);
    }
}

/* An id matches when the listing that is answered under it gets the proxy's tool. */
static void engine_matches_ids_by_their_canonical_text(void **state)
{
    static const struct {
        const char *asked;
        const char *answered;
        bool is_same;
    } cases[] = {
        {"1", "1", true},
        {"1", "\"1\"", false},
        {"1", "1.0", false},
        {"\"1\"", "1", false},
        {"1.0", "1.0", true},
        {"1.0", "1.00", true},
        {"1.0", "10e-1", true},
        {"0", "-0", true},
        {"0", "-0.0", false},
        {"1e2", "100.0", true},
        {"100", "1e2", false},
        {"9007199254740993", "9007199254740992", false},
        {"18446744073709551616", "18446744073709551616", true},
        {"18446744073709551616", "18446744073709551617", false},
        {"100000000000000000000000000000000000001", "100000000000000000000000000000000000002",
         false},
        {"-9223372036854775809", "-9223372036854775810", false},
        {"\"\"", "\"\"", true},
        {"\"a\"", "\"\\u0061\"", true},
        {"\"a\\/b\"", "\"a/b\"", true},
        {"\"\\u0000\"", "\"\"", false},
        {"\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\"", true},
        {"\"a\"", "\"A\"", false},
        {"true", "true", true},
        {"true", "\"true\"", false},
        {"false", "0", false},
        {"[1, 2]", "[1,2]", true},
        {"[1,2]", "[2,1]", false},
        {"{\"b\":1,\"a\":2}", "{ \"a\":2, \"b\":1 }", true},
        {"{}", "[]", false},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct engine_fixture f;
        struct sp_buf line = {0};

        engine_fixture_init(&f, NULL, true, false);
        sp_buf_addf(&line, "{\"id\":%s,\"method\":\"tools/list\"}", cases[i].asked);
        engine_fixture_host(&f, sp_buf_cstr(&line));
        sp_buf_clear(&line);
        sp_buf_addf(&line, "{\"id\":%s,\"result\":{\"tools\":[]}}", cases[i].answered);
        engine_fixture_server(&f, sp_buf_cstr(&line));
        if ((memmem(f.to_host.p, f.to_host.len, "stretto_commit", 14) != NULL) != cases[i].is_same)
            fail_msg("%s and %s", cases[i].asked, cases[i].answered);
        sp_buf_deinit(&line);
        engine_fixture_deinit(&f);
    }
}

static void engine_echoes_ids_as_they_were_sent(void **state)
{
    static const char *const ids[] = {
        "0",
        "-7",
        "1.50",
        "1e2",
        "123456789012345678901234567890",
        "\"\"",
        "\"a\\/\\u0062\"",
        "false",
        "[1]",
        "{\"b\":1,\"a\":2}",
    };

    (void)state;
    for (size_t i = 0; i < N_OF(ids); i++) {
        struct engine_fixture f;
        struct sp_buf line = {0}, wanted = {0};

        engine_fixture_init(&f, NULL, true, false);
        sp_buf_addf(
            &line, "{\"id\":%s,\"method\":\"tools/call\",\"params\":{\"name\":\"stretto_commit\"}}",
            ids[i]);
        engine_fixture_host(&f, sp_buf_cstr(&line));
        sp_buf_addf(&wanted, "{\"id\":%s,\"jsonrpc\":\"2.0\",\"result\":{", ids[i]);
        assert_true(sp_str_starts(sp_buf_str(&f.to_host), sp_buf_str(&wanted)));
        sp_buf_deinit(&line);
        sp_buf_deinit(&wanted);
        engine_fixture_deinit(&f);
    }
}

static void engine_gives_a_listing_one_answer_and_forwards_a_second(void **state)
{
    struct engine_fixture f;

    (void)state;
    engine_fixture_init(&f, NULL, true, false);
    engine_fixture_server(&f, TOOLS("1"));
    expect_sent(&f, "< " TOOLS("1") "\n");
    engine_fixture_host(&f, LIST("1"));
    engine_fixture_host(&f, LIST("1")); /* a reused id is one member */
    engine_fixture_server(&f, TOOLS("1"));
    assert_non_null(strstr(engine_fixture_look_sent(&f), "stretto_commit"));
    engine_fixture_server(&f, TOOLS("1"));
    expect_sent(&f, "< " TOOLS("1") "\n");
    /* An error takes the id out, too. */
    engine_fixture_host(&f, LIST("1"));
    engine_fixture_server(&f, "{\"id\":1,\"error\":{\"code\":1}}");
    engine_fixture_server(&f, TOOLS("1"));
    expect_sent(&f, "> " LIST("1") "\n< {\"id\":1,\"error\":{\"code\":1}}\n< " TOOLS("1") "\n");
    /* So does neither a request of the server nor a batch. */
    engine_fixture_host(&f, LIST("1"));
    engine_fixture_server(&f, "{\"id\":1,\"method\":\"ping\"}");
    engine_fixture_server(&f, "[" TOOLS("1") "]");
    engine_fixture_server(&f, TOOLS("1"));
    assert_non_null(strstr(engine_fixture_look_sent(&f), "stretto_commit"));
    engine_fixture_deinit(&f);
}

static void engine_forwards_all_else_while_a_commit_waits(void **state)
{
    struct engine_fixture f;

    (void)state;
    engine_fixture_init(&f, NULL, true, false);
    engine_fixture_host(&f, COMMIT("1"));
    (void)engine_fixture_look(&f);
    engine_fixture_host(&f, CALL("2"));
    engine_fixture_server(&f, "{\"id\":5,\"method\":\"sampling/createMessage\"}");
    engine_fixture_host(&f, "{\"id\":5,\"result\":{}}");
    engine_fixture_server(&f, "{\"method\":\"notifications/progress\"}");
    engine_fixture_server(&f, ANSWER("2"));
    engine_fixture_host(&f,
                        "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}");
    expect_sent(&f, "> " CALL("2") "\n"
                                   "< {\"id\":5,\"method\":\"sampling/createMessage\"}\n"
                                   "> {\"id\":5,\"result\":{}}\n"
                                   "< {\"method\":\"notifications/progress\"}\n"
                                   "< " ANSWER("2") "\n"
                                                    "> "
                                                    "{\"method\":\"notifications/"
                                                    "cancelled\",\"params\":{\"requestId\":1}}\n");
    engine_fixture_server(&f, ANSWER("\"stretto-1\""));
    assert_true(sp_str_starts(sp_str_of(engine_fixture_look_sent(&f)), SP_STR("< {\"id\":1,")));
    engine_fixture_deinit(&f);
}

static void engine_only_records_what_the_transport_keeps(void **state)
{
    struct engine_fixture f;

    (void)state;
    engine_fixture_init(&f, NULL, true, false);
    engine_fixture_host(&f, LIST("1"));
    f.now_ms = 3;
    engine_fixture_kept(&f, LINE_SERVER, TOOLS("1"));
    engine_fixture_kept(&f, LINE_PROXY, "{\"id\":\"stretto-init-1\",\"method\":\"initialize\"}");
    expect(&f, "[client 0] " LIST("1") "\n> " LIST("1") "\n[server 3] " TOOLS(
                   "1") "\n[proxy 3] {\"id\":\"stretto-init-1\",\"method\":\"initialize\"}\n");
    engine_fixture_server(&f, TOOLS("1"));
    assert_non_null(strstr(engine_fixture_look_sent(&f), "stretto_commit"));
    engine_fixture_deinit(&f);
}

#define REFUSED_CALL                                                                               \
    "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":"                \
    "\"cancel_pending_order\",\"arguments\":{\"order_id\":\"#W1\",\"reason\":\"found it cheaper\"" \
    "}}}"
#define REASONS                                                                           \
    "nobody has been identified by email or by name and zip code (policy check "          \
    "retail.authenticated); the order's status has not been read (policy check "          \
    "retail.status_checked); 'found it cheaper' is not an accepted reason (policy check " \
    "retail.cancel_reason)"
#define REFUSAL                                                                                 \
    "{\"id\":4,\"jsonrpc\":\"2.0\",\"result\":{\"content\":[{\"text\":\"Refused by the policy " \
    "check, so cancel_pending_order was not run and nothing changed: " REASONS                  \
    ".\",\"type\":\"text\"}],\"isError\":true}}"

static void engine_answers_a_refused_call_and_does_not_forward_it(void **state)
{
    struct engine_fixture f;

    (void)state;
    engine_fixture_init(&f, "retail", false, true);
    engine_fixture_says(&f, USER("Cancel #W1"));
    f.now_ms = 12;
    engine_fixture_host(&f, REFUSED_CALL);
    expect(&f, "[context 12] {\"role\":\"user\",\"content\":\"Cancel #W1\"}~\n"
               "[client 12] " REFUSED_CALL "\n"
               "! refused cancel_pending_order: " REASONS "\n"
               "[proxy 12] " REFUSAL "\n< " REFUSAL "\n");
    assert_int_equal(f.n_readings, 2);
    /* The call is in the session now, with an error, and the next is not checked otherwise. */
    engine_fixture_host(&f, REFUSED_CALL);
    assert_non_null(strstr(engine_fixture_look_sent(&f), REFUSAL));
    assert_int_equal(f.to_server.len, 0);
    engine_fixture_deinit(&f);
}

static void engine_checks_a_call_against_what_came_before_it(void **state)
{
    static const char look_up[] = "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
                                  "\"find_user_id_by_email\",\"arguments\":{}}}";
    static const char read[] = "{\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":"
                               "\"get_order_details\",\"arguments\":{\"order_id\":\"#W1\"}}}";
    static const char cancel[] =
        "{\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"cancel_pending_order\","
        "\"arguments\":{\"order_id\":\"#W1\",\"reason\":\"no longer needed\"}}}\n";
    struct engine_fixture f;

    (void)state;
    engine_fixture_init(&f, "retail", false, false);
    engine_fixture_host(&f, look_up);
    engine_fixture_server(&f, "{\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
                              "\"mia_7\"}]}}");
    engine_fixture_host(&f, read);
    engine_fixture_host_bytes(&f, SP_STR(cancel));
    assert_non_null(strstr(engine_fixture_look_sent(&f), "status has not been read"));
    engine_fixture_server(
        &f, "{\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"{"
            "\\\"order_id\\\":\\\"#W1\\\",\\\"user_id\\\":\\\"mia_7\\\",\\\"status\\\""
            ":\\\"pending\\\"}\"}]}}");
    (void)engine_fixture_look(&f);
    engine_fixture_host_bytes(&f, SP_STR(cancel));
    assert_true(sp_str_ends(sp_buf_str(&f.to_server), SP_STR(cancel)));
    assert_int_equal(f.n_readings, 0);
    engine_fixture_deinit(&f);
}

static void engine_stamps_entries_when_it_records_them(void **state)
{
    struct engine_fixture f;

    (void)state;
    engine_fixture_init(&f, NULL, true, true);
    f.now_ms = 5;
    engine_fixture_says(&f, USER("Hi"));
    engine_fixture_host(&f, COMMIT("1"));
    f.now_ms = 9;
    engine_fixture_server(&f, ANSWER("\"stretto-1\""));
    assert_string_equal(
        sp_buf_cstr(&f.entries),
        "{\"t_ms\":5,\"from\":\"context\",\"message\":{\"role\":\"user\",\"content\":\"Hi\"}}\n"
        "{\"t_ms\":5,\"from\":\"client\",\"message\":" COMMIT(
            "1") "}\n"
                 "{\"t_ms\":5,\"from\":\"proxy\",\"message\":{\"id\":\"stretto-1\",\"jsonrpc\":\"2."
                 "0\","
                 "\"method\":\"tools/call\",\"params\":{\"arguments\":{},\"name\":\"lookup\"}}}\n"
                 "{\"t_ms\":9,\"from\":\"server\",\"message\":" ANSWER(
                     "\"stretto-1\"") "}\n"
                                      "{\"t_ms\":9,\"from\":\"proxy\",\"message\":{\"id\":1,"
                                      "\"jsonrpc\":\"2.0\",\"result\":{"
                                      "\"content\":[{\"text\":\"lookup "
                                      "{}:\\n\",\"type\":\"text\"}],\"isError\":false}}}\n");
    engine_fixture_deinit(&f);
}

static void engine_drops_the_hosts_lines_when_the_servers_output_has_ended(void **state)
{
    struct engine_fixture f;

    (void)state;
    engine_fixture_init(&f, "retail", true, true);
    engine_fixture_host(&f, CALL("1"));
    (void)engine_fixture_look(&f);
    engine_fixture_server_end(&f);
    engine_fixture_says(&f, USER("Hi"));
    engine_fixture_host(&f, CALL("2"));
    engine_fixture_host(&f, COMMIT("3"));
    engine_fixture_host(&f, "not json");
    engine_fixture_host_end(&f);
    expect(&f, "");
    engine_fixture_deinit(&f);
}

static void engine_drops_late_answers_to_its_own_requests_when_it_was_interrupted(void **state)
{
    struct engine_fixture f;

    (void)state;
    engine_fixture_init(&f, NULL, true, false);
    engine_fixture_host(&f, COMMIT("1"));
    engine_fixture_host(&f, CALL("2"));
    (void)engine_fixture_look(&f);
    engine_fixture_interrupt(&f);
    expect_sent(&f,
                "< {\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{\"content\":[{\"text\":\"lookup {} "
                "got no answer from the server\",\"type\":\"text\"}],\"isError\":true}}\n");
    assert_int_equal(engine_due_ms(f.engine), UINT64_MAX);
    engine_fixture_server(&f, ANSWER("\"stretto-1\""));
    expect(&f, "[server 0] " ANSWER("\"stretto-1\"") "\n");
    engine_fixture_server(&f, ANSWER("2"));
    engine_fixture_server(&f, ANSWER("\"stretto-1\"")); /* a second one is nobody's */
    expect_sent(&f, "< " ANSWER("2") "\n< " ANSWER("\"stretto-1\"") "\n");
    engine_fixture_interrupt(&f);
    engine_fixture_server_end(&f);
    expect(&f, "");
    engine_fixture_deinit(&f);
}

static void engine_is_freed_with_all_that_waits(void **state)
{
    struct engine_fixture f;

    (void)state;
    engine_fixture_init(&f, "retail", true, true);
    engine_fixture_host(&f, COMMIT("1"));
    engine_fixture_host(&f, COMMIT("\"two\""));
    engine_fixture_host(&f, CALL("3"));
    engine_fixture_host(&f, LIST("4"));
    engine_fixture_deinit(&f);
    engine_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engine_forwards_what_it_does_not_act_on_byte_for_byte),
        cmocka_unit_test(engine_forwards_calls_and_listings_as_they_came),
        cmocka_unit_test(engine_tells_requests_from_other_messages),
        cmocka_unit_test(engine_tells_responses_from_other_messages),
        cmocka_unit_test(engine_matches_ids_by_their_canonical_text),
        cmocka_unit_test(engine_echoes_ids_as_they_were_sent),
        cmocka_unit_test(engine_gives_a_listing_one_answer_and_forwards_a_second),
        cmocka_unit_test(engine_forwards_all_else_while_a_commit_waits),
        cmocka_unit_test(engine_only_records_what_the_transport_keeps),
        cmocka_unit_test(engine_answers_a_refused_call_and_does_not_forward_it),
        cmocka_unit_test(engine_checks_a_call_against_what_came_before_it),
        cmocka_unit_test(engine_stamps_entries_when_it_records_them),
        cmocka_unit_test(engine_drops_the_hosts_lines_when_the_servers_output_has_ended),
        cmocka_unit_test(engine_drops_late_answers_to_its_own_requests_when_it_was_interrupted),
        cmocka_unit_test(engine_is_freed_with_all_that_waits),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
