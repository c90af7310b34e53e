/* Tests of trace/tracemsg.h, by chapter 40, sections 2.6 and 4.4. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/tracemsg.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

static struct tracemsg message(struct sp_str text)
{
    struct tracemsg_iter it = tracemsg_iter(LINE_SERVER, 7, text);
    struct tracemsg m;

    assert_true(tracemsg_next(&it, &m));
    return m;
}

static void assert_span(struct sp_str got, const char *want)
{
    if (want == NULL)
        assert_null(got.p);
    else
        assert_true(sp_str_eq(got, sp_str_of(want)));
}

static void tracemsg_finds_members_the_last_of_a_name(void **state)
{
    struct tracemsg m = message(
        SP_STR("{\"id\":1,\"method\":\"a\", \"i\\u0064\" : \"x\" ,\"params\":[1],\"result\":null,"
               "\"error\":{},\"role\":\"user\",\"content\":7,\"method\":null,\"ids\":3}"));

    (void)state;
    assert_span(m.id, "\"x\"");
    assert_span(m.method, "null");
    assert_span(m.params, "[1]");
    assert_span(m.result, "null");
    assert_span(m.error, "{}");
    assert_true(m.has_error);
    assert_span(m.role, "\"user\"");
    assert_span(m.content, "7");
    m = message(SP_STR("{\"id\":1,\"error\":{},\"id\":null,\"error\":null}"));
    assert_span(m.id, NULL);
    assert_span(m.error, NULL);
    assert_true(m.has_error);
    assert_span(m.method, NULL);
    assert_span(m.params, NULL);
    assert_span(m.result, NULL);
    assert_span(m.role, NULL);
    assert_span(m.content, NULL);
}

static void tracemsg_walks_the_objects_of_an_entry(void **state)
{
    static const struct {
        const char *entry;
        const char *want[3];
    } cases[] = {
        {"{\"a\":1}", {"{\"a\":1}"}},
        {"[{\"a\":1}, 7, [{\"b\":1}], null, { }]", {"{\"a\":1}", "{ }"}},
        {"[]", {NULL}},
        {"[ ]", {NULL}},
        {"[7]", {NULL}},
        {"7", {NULL}},
        {"null", {NULL}},
        {"\"{}\"", {NULL}},
        {NULL, {NULL}},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_str entry =
            cases[i].entry != NULL ? sp_str_of(cases[i].entry) : (struct sp_str){0};
        struct tracemsg_iter it = tracemsg_iter(LINE_CONTEXT, 9, entry);
        struct tracemsg m;
        size_t n = 0;

        for (; tracemsg_next(&it, &m); n++) {
            assert_true(n < 2);
            assert_span(m.text, cases[i].want[n]);
            assert_int_equal(m.from, LINE_CONTEXT);
            assert_int_equal(m.t_ms, 9);
        }
        assert_null(cases[i].want[n]);
        assert_false(tracemsg_next(&it, &m));
    }
}

static void tracemsg_keeps_no_member_of_the_message_before(void **state)
{
    struct tracemsg_iter it = tracemsg_iter(
        LINE_CLIENT, 7, SP_STR("[{\"id\":1,\"method\":\"a\",\"error\":null},{\"params\":2}]"));
    struct tracemsg m;

    (void)state;
    assert_true(tracemsg_next(&it, &m));
    assert_span(m.id, "1");
    assert_true(tracemsg_next(&it, &m));
    assert_span(m.id, NULL);
    assert_span(m.method, NULL);
    assert_span(m.params, "2");
    assert_false(m.has_error);
}

static void tracemsg_knows_requests_and_responses(void **state)
{
    static const struct {
        const char *text;
        bool is_request;
        bool is_response;
    } cases[] = {
        {"{\"id\":1,\"method\":\"ping\"}", true, false},
        {"{\"id\":0,\"method\":\"\"}", true, false},
        {"{\"id\":null,\"method\":\"ping\"}", false, false},
        {"{\"method\":\"ping\"}", false, false},
        {"{\"id\":1,\"method\":7}", false, false},
        {"{\"id\":1,\"method\":7,\"result\":1}", false, false},
        {"{\"id\":1,\"method\":null,\"result\":1}", false, false},
        {"{\"id\":1,\"method\":\"p\\u0069ng\",\"result\":{}}", true, false},
        {"{\"id\":1,\"result\":{},\"id\":null}", false, false},
        {"{\"id\":1,\"result\":null}", false, true},
        {"{\"id\":\"\",\"error\":0}", false, true},
        {"{\"id\":1,\"error\":null}", false, false},
        {"{\"id\":null,\"result\":1}", false, false},
        {"{\"result\":1}", false, false},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct tracemsg_iter it = tracemsg_iter(LINE_CLIENT, 7, sp_str_of(cases[i].text));
        struct tracemsg m;

        assert_true(tracemsg_next(&it, &m));
        assert_int_equal(m.from, LINE_CLIENT);
        assert_int_equal(m.t_ms, 7);
        assert_true(sp_str_eq(m.text, sp_str_of(cases[i].text)));
        assert_int_equal(tracemsg_is(&m, SP_STR("ping")), strstr(cases[i].text, "ng\"") != NULL);
        assert_int_equal(tracemsg_is_request(&m), cases[i].is_request);
        assert_int_equal(tracemsg_is_response(&m), cases[i].is_response);
        assert_false(tracemsg_next(&it, &m));
    }
}

static void tracemsg_gives_ids_a_key_and_a_name(void **state)
{
    static const char *const cases[][3] = {
        {"7", "7", "7"},
        {"\"7\"", "\"7\"", "7"},
        {"7.0", "7.0", "7.0"},
        {"1e2", "100.0", "100.0"},
        {"-0", "0", "0"},
        {"\"\\u0041\\/\\u000a\"", "\"A/\\n\"", "A/\n"},
        {"\"\"", "\"\"", ""},
        {"true", "true", "true"},
        {"{ \"b\":1, \"a\":[\"\\u0041\"] }", "{\"a\":[\"A\"],\"b\":1}", "{\"a\":[\"A\"],\"b\":1}"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_buf b = {0};

        sp_buf_add_char(&b, '#');
        tracemsg_id_key(sp_str_of(cases[i][0]), &b);
        assert_string_equal(sp_buf_cstr(&b) + 1, cases[i][1]);
        sp_buf_clear(&b);
        sp_buf_add_char(&b, '#');
        tracemsg_call_id(sp_str_of(cases[i][0]), &b);
        assert_string_equal(sp_buf_cstr(&b) + 1, cases[i][2]);
        sp_buf_deinit(&b);
    }
}

struct result_case {
    const char *members; /* of the response */
    bool is_error;
    const char *text;
};

static void tracemsg_gives_the_text_of_results(void **state)
{
    static const struct result_case cases[] = {
        {"\"result\":{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"not open\"},"
         "{\"type\":\"text\",\"text\":\"try later\"}]}",
         true, "not open\ntry later"},
        {"\"error\":{\"code\":-32602,\"message\":\"Unknown tool: z\"}", true, "Unknown tool: z"},
        {"\"result\":{\"content\":[{\"type\":\"image\",\"data\":\"\"}],\"structuredContent\":"
         "{\"state\":\"open\"}}",
         false, "{\"state\":\"open\"}"},
        {"\"result\":{\"content\":[]}", false, "{\"content\":[]}"},
        {"\"error\":{\"message\":7, \"code\":1.50}", true, "{\"code\":1.5,\"message\":7}"},
        {"\"error\":\"bad\"", true, "\"bad\""},
        {"\"error\":{\"message\":\"\"}", true, ""},
        {"\"error\":{\"message\":\"m\"},\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
         "\"t\"}]}",
         true, "m"},
        {"\"error\":null,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"t\"}]}", false,
         "t"},
        {"\"result\":null", false, "null"},
        {"\"result\":[1, 2]", false, "[1,2]"},
        {"\"result\":{\"isError\":\"true\", \"content\":7}", false,
         "{\"content\":7,\"isError\":\"true\"}"},
        {"\"result\":{\"isError\":true}", true, "{\"isError\":true}"},
        {"\"result\":{\"isError\":false,\"structuredContent\":null}", false, "null"},
        {"\"result\":{\"content\":{\"type\":\"text\",\"text\":\"t\"},\"structuredContent\":1e2}",
         false, "100.0"},
        {"\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\"}],\"structuredContent\":1}",
         false, ""},
        {"\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"},7,null,[],"
         "{\"type\":\"text\"},{\"type\":\"text\",\"text\":7},{\"type\":\"Text\",\"text\":\"b\"},"
         "{\"text\":\"c\"},{\"type\":\"text\",\"text\":\"\"},"
         "{\"text\":\"d\\u00e9\\n\",\"type\":\"te\\u0078t\"}]}",
         false, "a\n\ndé\n"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_buf text = {0}, b = {0};
        struct tracemsg m;

        sp_buf_addf(&b, "{\"id\":1,%s}", cases[i].members);
        m = message(sp_buf_str(&b));
        sp_buf_add(&text, SP_STR("before "));
        assert_true(tracemsg_is_response(&m));
        assert_int_equal(tracemsg_result_text(&m, &text), cases[i].is_error);
        if (strncmp(sp_buf_cstr(&text), "before ", 7) != 0 ||
            strcmp(text.p + 7, cases[i].text) != 0)
            fail_msg("%s gives '%s'", cases[i].members, text.p);
        sp_buf_deinit(&text);
        sp_buf_deinit(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tracemsg_finds_members_the_last_of_a_name),
        cmocka_unit_test(tracemsg_walks_the_objects_of_an_entry),
        cmocka_unit_test(tracemsg_keeps_no_member_of_the_message_before),
        cmocka_unit_test(tracemsg_knows_requests_and_responses),
        cmocka_unit_test(tracemsg_gives_ids_a_key_and_a_name),
        cmocka_unit_test(tracemsg_gives_the_text_of_results),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
