/* Tests of transport/http_text. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "transport/http_text.h"

static void is_line(struct line *line, const char *want)
{
    struct sp_str text = sp_str_of(want);

    if (!sp_str_eq(line_str(line), text))
        fail_msg("%.*s is not %s", SP_STR_ARG(line_str(line)), want);
    line_unref(line);
}

static void trimming_takes_ascii_white_space_alone(void **state)
{
    (void)state;
    assert_true(sp_str_eq(http_text_trim(SP_STR(" \t\r\n\fa b\f\n\r\t ")), SP_STR("a b")));
    assert_true(sp_str_eq(http_text_trim_end(SP_STR(" a \n")), SP_STR(" a")));
    assert_true(sp_str_eq(http_text_trim(SP_STR("\v\xc2\xa0")), SP_STR("\v\xc2\xa0")));
    assert_int_equal(http_text_trim(SP_STR(" \r\n")).len, 0);
    assert_int_equal(http_text_trim(SP_STR("")).len, 0);
}

static void a_line_has_its_line_breaks_replaced_and_one_appended(void **state)
{
    (void)state;
    is_line(http_text_line(SP_STR("{\"b\":\n2}")), "{\"b\": 2}\n");
    is_line(http_text_line(SP_STR("\r\na\r\rb\n")), "  a  b \n");
    is_line(http_text_line(SP_STR("a")), "a\n");
    is_line(http_text_line(SP_STR("")), "\n");
}

static void an_error_keeps_the_id_as_it_was_written(void **state)
{
    struct http_refusal refusal = {.status = 503, .retry_after = (char *)"12\"0"};
    struct http_refusal unauthorized = {.status = 401, .www_authenticate = (char *)"Bearer"};

    (void)state;
    is_line(http_text_error(SP_STR("1.0"), "the server could not be reached", NULL),
            "{\"error\":{\"code\":-32000,\"message\":\"stretto-proxy: the server could not be "
            "reached\"},\"id\":1.0,\"jsonrpc\":\"2.0\"}\n");
    is_line(http_text_error(SP_STR("\"a\\/b\""), "m", &refusal),
            "{\"error\":{\"code\":-32000,\"data\":{\"retry_after\":\"12\\\"0\",\"status\":503},"
            "\"message\":\"stretto-proxy: m\"},\"id\":\"a\\/b\",\"jsonrpc\":\"2.0\"}\n");
    is_line(http_text_error(SP_STR("7"), "m", &unauthorized),
            "{\"error\":{\"code\":-32000,\"data\":{\"status\":401,\"www_authenticate\":\"Bearer\"},"
            "\"message\":\"stretto-proxy: m\"},\"id\":7,\"jsonrpc\":\"2.0\"}\n");
}

static void a_json_rpc_error_has_a_whole_code_and_a_message(void **state)
{
    static const struct {
        const char *text;
        bool is_error;
    } cases[] = {
        {"{\"id\":1,\"error\":{\"code\":-32022,\"message\":\"m\",\"data\":{}}}", true},
        {"{\"error\":{\"code\":0,\"message\":\"\"}}", true},
        {"{\"error\":{\"code\":1.5,\"message\":\"m\"}}", false},
        {"{\"error\":{\"code\":1e2,\"message\":\"m\"}}", false},
        {"{\"error\":{\"code\":\"1\",\"message\":\"m\"}}", false},
        {"{\"error\":{\"code\":1,\"message\":7}}", false},
        {"{\"error\":{\"code\":1}}", false},
        {"{\"error\":\"text\"}", false},
        {"{\"result\":{}}", false},
        {"[{\"error\":{\"code\":1,\"message\":\"m\"}}]", false},
        {"not JSON", false},
        {"", false},
    };
    struct sp_str id, code;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (http_text_is_error(sp_str_of(cases[i].text), &id, &code) != cases[i].is_error)
            fail_msg("%s", cases[i].text);
    assert_true(http_text_is_error(sp_str_of(cases[0].text), &id, &code));
    assert_true(sp_str_eq(id, SP_STR("1")) && sp_str_eq(code, SP_STR("-32022")));
    assert_true(http_text_is_error(sp_str_of(cases[1].text), &id, &code));
    assert_null(id.p);
}

static void an_id_is_replaced_or_put_first(void **state)
{
    static const struct {
        const char *text;
        const char *want;
    } cases[] = {
        {"{\"a\" : 1, \"id\" : null }", "{\"a\" : 1, \"id\" : \"x\" }"},
        {" {\"error\":{}}", " {\"id\":\"x\",\"error\":{}}"},
        {"{\"id\":1,\"id\":2,\"b\":1.50}", "{\"id\":\"x\",\"id\":2,\"b\":1.50}"},
    };
    struct sp_buf b = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sp_buf_clear(&b);
        http_text_put_with_id(&b, sp_str_of(cases[i].text), SP_STR("\"x\""));
        assert_string_equal(sp_buf_cstr(&b), cases[i].want);
    }
    sp_buf_deinit(&b);
}

static void reasons_are_the_standard_ones(void **state)
{
    (void)state;
    assert_string_equal(http_text_reason(401), "Unauthorized");
    assert_string_equal(http_text_reason(503), "Service Unavailable");
    assert_string_equal(http_text_reason(599), "");
    assert_string_equal(http_text_reason(0), "");
}

static void visible_text_has_no_space_and_is_not_empty(void **state)
{
    (void)state;
    assert_true(http_text_is_visible(SP_STR("demo-session-1~!")));
    assert_false(http_text_is_visible(SP_STR("")));
    assert_false(http_text_is_visible(SP_STR("a b")));
    assert_false(http_text_is_visible(SP_STR("a\x7f")));
    assert_false(http_text_is_visible(SP_STR("\xc3\xa9")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trimming_takes_ascii_white_space_alone),
        cmocka_unit_test(a_line_has_its_line_breaks_replaced_and_one_appended),
        cmocka_unit_test(an_error_keeps_the_id_as_it_was_written),
        cmocka_unit_test(a_json_rpc_error_has_a_whole_code_and_a_message),
        cmocka_unit_test(an_id_is_replaced_or_put_first),
        cmocka_unit_test(reasons_are_the_standard_ones),
        cmocka_unit_test(visible_text_has_no_space_and_is_not_empty),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
