/* Tests of the conversation file in active mode: when it is read, and what becomes of its lines. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine_fixture.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define CALL(id)                                                                \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{" \
    "\"name\":\"lookup\"}}"
#define ANSWER(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"content\":[]}}"
#define COMMIT(id)                                                                                \
    "{\"jsonrpc\":\"2.0\",\"id\":" id                                                             \
    ",\"method\":\"tools/call\",\"params\":{\"name\":\"stretto_commit\",\"arguments\":{\"calls\"" \
    ":[{\"name\":\"lookup\"}]}}}"

#define USER(text) "{\"role\":\"user\",\"content\":\"" text "\"}\n"

static void expect(struct engine_fixture *f, const char *wanted)
{
    assert_string_equal(engine_fixture_look(f), wanted);
}

static void expect_senders(struct engine_fixture *f, const char *wanted)
{
    assert_string_equal(sp_buf_cstr(&f->senders), wanted);
}

static void conversation_is_read_before_each_call(void **state)
{
    struct engine_fixture f;

    (void)state;
    engine_fixture_init(&f, NULL, false, true); /* vector 1 */
    f.has_conversation = false;
    engine_fixture_host(&f, CALL("1"));
    engine_fixture_server(&f, ANSWER("1"));
    f.has_conversation = true;
    engine_fixture_says(&f, USER("Hi"));
    engine_fixture_server(&f, "{\"method\":\"notifications/message\"}");
    engine_fixture_host(&f, "{\"id\":7,\"method\":\"ping\"}");
    engine_fixture_host(&f, "{\"id\":8,\"method\":\"tools/list\"}");
    expect_senders(&f, "client server server client client ");
    engine_fixture_host(&f, CALL("2"));
    engine_fixture_server(&f, ANSWER("2"));
    expect_senders(&f, "client server server client client context client server ");
    engine_fixture_deinit(&f);
}

static void conversation_is_taken_by_whole_lines(void **state)
{
    struct engine_fixture f;

    (void)state;
    engine_fixture_init(&f, NULL, false, true); /* vectors 2 and 3 */
    engine_fixture_says(&f, "{\"role\":");
    engine_fixture_host(&f, CALL("1"));
    expect_senders(&f, "client ");
    sp_buf_clear(&f.conversation);
    engine_fixture_says(&f, "\n" USER("Hi") "{\"role\":");
    engine_fixture_host(&f, CALL("2"));
    expect_senders(&f, "client context client ");
    engine_fixture_says(&f, " \"assistant\",\"content\":\"Hello\"}\n");
    engine_fixture_host(&f, CALL("3"));
    expect_senders(&f, "client context client context client ");
    assert_string_equal(engine_fixture_episode(&f),
                        "agent calls lookup lookup lookup\nuser: Hi\nagent: Hello\n");
    engine_fixture_deinit(&f);
}

static void conversation_that_cannot_be_read_is_done_without(void **state)
{
    struct engine_fixture f;

    (void)state;
    engine_fixture_init(&f, NULL, false, true); /* vector 4 */
    engine_fixture_says(&f, USER("Hi"));
    f.has_conversation = false; /* what was read before the error does not count */
    engine_fixture_host(&f, CALL("1"));
    expect_senders(&f, "client ");
    f.has_conversation = true;
    engine_fixture_host(&f, CALL("2"));
    expect_senders(&f, "client context client ");
    assert_int_equal(f.n_notes, 0);
    engine_fixture_deinit(&f);
}

static void conversation_that_was_rewritten_is_read_from_where_it_was(void **state)
{
    struct engine_fixture f;

    (void)state;
    engine_fixture_init(&f, NULL, false, true); /* vector 5 */
    engine_fixture_says(&f, USER("one"));
    engine_fixture_host(&f, CALL("1"));
    sp_buf_clear(&f.conversation);
    engine_fixture_says(&f, USER("ONE") USER("two"));
    engine_fixture_host(&f, CALL("2"));
    expect_senders(&f, "context client context client ");
    assert_null(strstr(engine_fixture_look(&f), "ONE"));
    engine_fixture_deinit(&f);

    engine_fixture_init(&f, NULL, false, true); /* vector 8 */
    for (int i = 0; i < 10; i++)
        engine_fixture_says(&f, "123456789\n");
    engine_fixture_host(&f, CALL("1"));
    (void)engine_fixture_look(&f);
    sp_buf_clear(&f.conversation);
    for (int i = 0; i < 5; i++)
        engine_fixture_says(&f, "abcdefghi\n");
    engine_fixture_host(&f, CALL("2"));
    expect(&f, "[client 0] " CALL("2") "\n> " CALL("2") "\n");
    /* Longer again: from the offset, in the middle of a line. */
    engine_fixture_says(&f, "12345678901234567890123456789012345678901234567890" USER("Hi"));
    engine_fixture_host(&f, CALL("3"));
    expect(&f, "[context 0] {\"role\":\"user\",\"content\":\"Hi\"}~\n[client 0] " CALL(
                   "3") "\n> " CALL("3") "\n");
    engine_fixture_deinit(&f);
}

static void conversation_is_read_to_its_end_when_the_host_ends(void **state)
{
    struct engine_fixture f;

    (void)state;
    engine_fixture_init(&f, NULL, false, true); /* vector 7 */
    engine_fixture_host(&f, CALL("1"));
    engine_fixture_server(&f, ANSWER("1"));
    engine_fixture_says(&f, USER("one") USER("two") "half");
    engine_fixture_host_end(&f);
    expect_senders(&f, "client server context context ");
    engine_fixture_server(&f, ANSWER("9")); /* the session goes on without the host's lines */
    expect_senders(&f, "client server context context server ");
    engine_fixture_server_end(&f);
    expect_senders(&f, "client server context context server ");
    engine_fixture_deinit(&f);
}

/* Every row of the table of the lines, and vector 6. */
static void conversation_gives_entries_as_the_table_says(void **state)
{
    static const struct {
        const char *line;    /* of the file, without LF */
        const char *entry;   /* `message` or `raw` and its value; NULL: none */
        const char *episode; /* before the call */
    } cases[] = {
        {"{\"role\": \"user\", \"content\": \"Hi, \\u00fc\", \"at\": 1e2}",
         "\"message\":{\"role\": \"user\", \"content\": \"Hi, \\u00fc\", \"at\": 1e2}",
         "user: Hi, \xc3\xbc\n"},
        {"{\"role\":\"user\",\"content\":\"\"}", "\"message\":{\"role\":\"user\",\"content\":\"\"}",
         "user: \n"},
        {"{\"role\":\"user\",\"content\":[1]}", "\"message\":{\"role\":\"user\",\"content\":[1]}",
         "user: \n"},
        {"{\"role\":\"user\"}", "\"message\":{\"role\":\"user\"}", "user: \n"},
        {"{\"role\":\"assistant\",\"content\":\"Shall I?\"}",
         "\"message\":{\"role\":\"assistant\",\"content\":\"Shall I?\"}", "agent: Shall I?\n"},
        {"{\"role\":\"assistant\",\"content\":\"\"}",
         "\"message\":{\"role\":\"assistant\",\"content\":\"\"}", ""},
        {"{\"role\":\"assistant\",\"content\":7}",
         "\"message\":{\"role\":\"assistant\",\"content\":7}", ""},
        {"{\"role\":\"assistant\"}", "\"message\":{\"role\":\"assistant\"}", ""},
        {"{\"role\":\"system\",\"content\":\"x\"}",
         "\"message\":{\"role\":\"system\",\"content\":\"x\"}", ""},
        {"{\"role\":7,\"content\":\"x\"}", "\"message\":{\"role\":7,\"content\":\"x\"}", ""},
        {"{\"content\":\"x\"}", "\"message\":{\"content\":\"x\"}", ""},
        {"{}", "\"message\":{}", ""},
        {"null", "\"message\":null", ""},
        {"7", "\"message\":7", ""},
        {"\"text\"", "\"message\":\"text\"", ""},
        {"[1]", "\"message\":[1]", ""},
        {"[]", "\"message\":[]", ""},
        {"[{\"role\":\"user\",\"content\":\"a\"},7,{\"role\":\"assistant\",\"content\":\"b\"}]",
         "\"message\":[{\"role\":\"user\",\"content\":\"a\"},7,{\"role\":\"assistant\",\"content\":"
         "\"b\"}]",
         "user: a\nagent: b\n"},
        {" \t{\"role\":\"user\",\"content\":\"a\"} \r",
         "\"message\":{\"role\":\"user\",\"content\":\"a\"}", "user: a\n"},
        {"not json", "\"raw\":\"not json\"", ""},
        {"\xff", "\"raw\":\"\xef\xbf\xbd\"", ""},
        {"{\"role\":\"user\",\"content\":\"\xff\"}",
         "\"raw\":\"{\\\"role\\\":\\\"user\\\",\\\"content\\\":\\\"\xef\xbf\xbd\\\"}\"", ""},
        {"\xef\xbb\xbf{}", "\"raw\":\"\xef\xbb\xbf{}\"", ""},
        {"\xc2\xa0", "\"raw\":\"\xc2\xa0\"", ""},
        {"\v", "\"raw\":\"\\u000b\"", ""},
        {"", NULL, ""},
        {"   ", NULL, ""},
        {" \t\r\f ", NULL, ""},
        {"\r", NULL, ""},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct engine_fixture f;
        struct sp_buf wanted = {0};

        engine_fixture_init(&f, NULL, false, true);
        engine_fixture_says(&f, cases[i].line);
        engine_fixture_says(&f, "\n");
        engine_fixture_host_end(&f);
        if (cases[i].entry != NULL)
            sp_buf_addf(&wanted, "{\"t_ms\":0,\"from\":\"context\",%s}\n", cases[i].entry);
        assert_string_equal(sp_buf_cstr(&f.entries), sp_buf_cstr(&wanted));
        assert_string_equal(engine_fixture_episode(&f), cases[i].episode);
        assert_int_equal(f.n_notes, 0);
        assert_int_equal(f.to_host.len + f.to_server.len, 0);
        sp_buf_deinit(&wanted);
        engine_fixture_deinit(&f);
    }
}

static void conversation_takes_a_nul_for_no_white_space(void **state)
{
    struct engine_fixture f;

    (void)state;
    engine_fixture_init(&f, NULL, false, true);
    sp_buf_add(&f.conversation, (struct sp_str){" \0\n", 3});
    engine_fixture_host_end(&f);
    assert_string_equal(sp_buf_cstr(&f.entries),
                        "{\"t_ms\":0,\"from\":\"context\",\"raw\":\" \\u0000\"}\n");
    engine_fixture_deinit(&f);
}

static void conversation_is_not_read_without_the_option(void **state)
{
    struct engine_fixture f;

    (void)state;
    engine_fixture_init(&f, "retail", true, false);
    engine_fixture_host(&f, CALL("1"));
    engine_fixture_host(&f, COMMIT("2"));
    engine_fixture_host_end(&f);
    assert_int_equal(f.n_readings, 0);
    engine_fixture_deinit(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversation_is_read_before_each_call),
        cmocka_unit_test(conversation_is_taken_by_whole_lines),
        cmocka_unit_test(conversation_that_cannot_be_read_is_done_without),
        cmocka_unit_test(conversation_that_was_rewritten_is_read_from_where_it_was),
        cmocka_unit_test(conversation_is_read_to_its_end_when_the_host_ends),
        cmocka_unit_test(conversation_gives_entries_as_the_table_says),
        cmocka_unit_test(conversation_takes_a_nul_for_no_white_space),
        cmocka_unit_test(conversation_is_not_read_without_the_option),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
