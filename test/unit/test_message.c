/* Tests of mcp/message. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mcp/message.h"

static void message_read_tells_the_kinds_apart(void **state)
{
    static const struct {
        const char *text;
        enum message_kind kind;
    } cases[] = {
        {"{\"id\":1,\"method\":\"ping\"}", MESSAGE_REQUEST},
        {" {\"id\":\"a\",\"method\":7}\r\n", MESSAGE_REQUEST},
        {"{\"id\":null,\"method\":\"ping\"}", MESSAGE_NOTIFICATION},
        {"{\"method\":\"notifications/initialized\"}", MESSAGE_NOTIFICATION},
        {"{\"id\":1,\"result\":{}}", MESSAGE_RESPONSE},
        {"{}", MESSAGE_RESPONSE},
        {"[]", MESSAGE_BATCH},
        {"[{\"id\":1,\"method\":\"ping\"}]", MESSAGE_BATCH},
        {"7", MESSAGE_OTHER},
        {"\"text\"", MESSAGE_OTHER},
        {"", MESSAGE_NOT_JSON},
        {"this is not JSON", MESSAGE_NOT_JSON},
        {"{\"id\":1,\"method\":\"ping\"} x", MESSAGE_NOT_JSON},
        /* What a log keeps as raw text may still be a message. */
        {"{\"id\":1,\"method\":\"ping\",\"n\":1e999}", MESSAGE_REQUEST},
        {"{\"id\":1,\"method\":\"ping\",\"s\":\"\\ud800\"}", MESSAGE_REQUEST},
        {"{\"\\u0069d\":1,\"me\\u0074hod\":\"ping\"}", MESSAGE_REQUEST},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct message m;

        message_read(sp_str_of(cases[i].text), &m);
        if (m.kind != cases[i].kind)
            fail_msg("%s: kind %d, not %d", cases[i].text, m.kind, cases[i].kind);
    }
}

static void message_read_takes_the_first_of_two_ids(void **state)
{
    struct message m;

    (void)state;
    message_read(SP_STR("{\"id\":1,\"method\":\"a\",\"id\":2}"), &m);
    assert_true(sp_str_eq(m.parts.id, SP_STR("1")));
}

static void message_is_compares_the_method_unescaped(void **state)
{
    struct message m;

    (void)state;
    message_read(SP_STR("{\"method\":\"tools\\/call\"}"), &m);
    assert_true(message_is(&m, SP_STR("tools/call")));
    assert_false(message_is(&m, SP_STR("tools/calls")));
    message_read(SP_STR("{\"id\":1}"), &m);
    assert_false(message_is(&m, SP_STR("")));
}

static void ids_are_equal_as_strings_by_value_and_else_by_text(void **state)
{
    static const struct {
        const char *a;
        const char *b;
        bool is_same;
    } cases[] = {
        {"7", "7", true},
        {"7", "7.0", false},
        {"7", "\"7\"", false},
        {"\"a/b\"", "\"a\\/b\"", true},
        {"\"\\u0061\"", "\"a\"", true},
        {"\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\"", true},
        {"\"\\ud83d\"", "\"\\ud83e\"", false},
        {"\"a\"", "\"A\"", false},
        {"123456789012345678901234567890", "123456789012345678901234567890", true},
        {"[1]", "[1]", true},
        {"[1]", "[1 ]", false},
        {"true", "true", true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sp_str a = sp_str_of(cases[i].a), b = sp_str_of(cases[i].b);

        if (message_same_id(a, b) != cases[i].is_same || message_same_id(b, a) != cases[i].is_same)
            fail_msg("%s and %s", cases[i].a, cases[i].b);
    }
}

static void message_version_finds_what_a_message_states(void **state)
{
    static const char *const without[] = {
        "{\"method\":\"ping\",\"id\":1}",
        "{\"method\":\"ping\",\"params\":[]}",
        "{\"method\":\"ping\",\"params\":{\"_meta\":7}}",
        "{\"method\":\"ping\",\"params\":{\"_meta\":{}}}",
        "{\"method\":\"a\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":1}}}",
        "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}",
        "[{\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"x\"}}}]",
    };
    struct message m;
    struct sp_str version = SP_STR("untouched");

    (void)state;
    for (size_t i = 0; i < sizeof without / sizeof without[0]; i++) {
        message_read(sp_str_of(without[i]), &m);
        if (message_version(&m, &version))
            fail_msg("%s", without[i]);
        assert_true(sp_str_eq(version, SP_STR("untouched")));
    }
    message_read(SP_STR("{\"method\":\"a\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/"
                        "protocolVersion\":\"2026-07-28\"}}}"),
                 &m);
    assert_true(message_version(&m, &version));
    assert_true(sp_str_eq(version, SP_STR("\"2026-07-28\"")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(message_read_tells_the_kinds_apart),
        cmocka_unit_test(message_read_takes_the_first_of_two_ids),
        cmocka_unit_test(message_is_compares_the_method_unescaped),
        cmocka_unit_test(ids_are_equal_as_strings_by_value_and_else_by_text),
        cmocka_unit_test(message_version_finds_what_a_message_states),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
