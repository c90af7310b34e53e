/* Tests of base/sp_header.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/sp_header.h"

static void a_name_is_a_token_that_http_does_not_need_itself(void **state)
{
    static const char *const good[] = {"A",   "X-Api-Key", "authorization", "!#$%&'*+.^_`|~0",
                                       "Hos", "Hosts"};
    static const char *const bad[] = {
        "", "A b", "A:", "\xc3\xa4", "Host", "CONTENT-LENGTH", "connection", "transfer-encoding"};

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(sp_header_is_name(sp_str_of(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(sp_header_is_name(sp_str_of(bad[i])));
}

static void a_value_is_utf8_without_control_characters_but_tab(void **state)
{
    static const char *const good[] = {"", " a\tb ", "\xc3\xa4", "~"};
    static const char *const bad[] = {"a\nb", "\r", "\x01", "\x7f", "\xff"};

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(sp_header_is_value(sp_str_of(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(sp_header_is_value(sp_str_of(bad[i])));
    assert_false(sp_header_is_value((struct sp_str){"a\0b", 3}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_a_token_that_http_does_not_need_itself),
        cmocka_unit_test(a_value_is_utf8_without_control_characters_but_tab),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
