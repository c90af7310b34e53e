/* Tests of judge/scalars.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "json/jcanon.h"
#include "judge/scalars.h"

static void list(void *data, struct sp_str scalar)
{
    struct sp_buf *b = data;

    sp_buf_add_char(b, '<');
    sp_buf_add(b, scalar);
    sp_buf_add_char(b, '>');
}

static void check(void (*give)(struct scalars *, struct sp_str), const char *json, const char *want)
{
    struct sp_buf canonical = {0}, got = {0};
    struct scalars s = {.fn = list, .data = &got};

    jcanon(&canonical, sp_str_of(json));
    give(&s, sp_buf_str(&canonical));
    if (strcmp(sp_buf_cstr(&got), want) != 0)
        fail_msg("%s gives %s, not %s", json, sp_buf_cstr(&got), want);
    scalars_deinit(&s);
    sp_buf_deinit(&canonical);
    sp_buf_deinit(&got);
}

static void scalars_have_one_form(void **state)
{
    static const char *const cases[][2] = {
        {"[true,null,5.0,2.5,{\"a\":\"X \"}]", "<5><2.5><x>"},
        {"false", ""},
        {"\"\"", "<>"},
        {"\"\\t \\u00a0\"", "<>"},
        {"\"\\u3000 #W7a, \\u00c9T\\u00c9\\n\"", "<#w7a, \xc3\xa9t\xc3\xa9>"},
        {"\"5.0\"", "<5.0>"},
        {"0", "<0>"},
        {"-0", "<0>"},
        {"-0.0", "<0>"},
        {"0e5", "<0>"},
        {"-17", "<-17>"},
        {"-17.0", "<-17>"},
        {"1e2", "<100>"},
        {"2.50", "<2.5>"},
        {"1e-6", "<1e-6>"},
        {"999999999999999.0", "<999999999999999>"},
        {"-999999999999999.0", "<-999999999999999>"},
        {"1000000000000000.0", "<1000000000000000.0>"},
        {"1e15", "<1000000000000000.0>"},
        {"1000000000000000", "<1000000000000000>"},
        {"18446744073709551615", "<18446744073709551615>"},
        {"18446744073709551616", "<1.8446744073709552e19>"},
        {"1e16", "<1e16>"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(scalars_all, cases[i][0], cases[i][1]);
}

static void scalars_come_in_byte_order_of_names(void **state)
{
    (void)state;
    check(scalars_all, "{\"b\":[2,{\"d\":4,\"c\":3}],\"a\":1,\"B\":0}", "<0><1><2><3><4>");
}

static void scalars_of_their_own_are_an_objects_without_containers(void **state)
{
    static const char *const cases[][2] = {
        {"{\"c\":[1],\"b\":{\"a\":2},\"a\":3,\"d\":null,\"e\":\"F\"}", "<3><f>"},
        {"[1,2]", ""},
        {"{}", ""},
        {"null", ""},
        {"\"A\"", "<a>"},
        {"7.0", "<7>"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(scalars_own, cases[i][0], cases[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_have_one_form),
        cmocka_unit_test(scalars_come_in_byte_order_of_names),
        cmocka_unit_test(scalars_of_their_own_are_an_objects_without_containers),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
