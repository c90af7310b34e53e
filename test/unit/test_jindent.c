/* Tests of json/jindent.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "json/jcanon.h"
#include "json/jindent.h"
#include "json/jscan.h"
#include "json_gen.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

static void jindent_puts_each_element_on_its_line(void **state)
{
    static const struct {
        struct sp_str value;
        const char *want;
    } cases[] = {
        {SP_STR("1"), "1"},
        {SP_STR("\"a,[{:\\\"}\""), "\"a,[{:\\\"}\""},
        {SP_STR("[]"), "[]"},
        {SP_STR("{ \n}"), "{}"},
        {SP_STR("[1.50,null]"), "[\n  1.50,\n  null\n]"},
        {SP_STR("{\"b\":1e2,\"a\" : [ ],\"c\":{}}"),
         "{\n  \"b\": 1e2,\n  \"a\": [],\n  \"c\": {}\n}"},
        {SP_STR("[[[true]],{\"x\":{\"y\":[1,2]}}]"),
         "[\n  [\n    [\n      true\n    ]\n  ],\n  {\n    \"x\": {\n      \"y\": [\n        1,\n"
         "        2\n      ]\n    }\n  }\n]"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_buf text = {0};

        jindent(&text, cases[i].value);
        assert_string_equal(sp_buf_cstr(&text), cases[i].want);
        sp_buf_deinit(&text);
    }
}

static void jindent_keeps_random_values(void **state)
{
    struct json_gen g = {.state = 30};
    struct sp_buf value = {0};
    struct sp_buf texts[3] = {{0}};

    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct jscan found;

        sp_buf_clear(&value);
        for (size_t i = 0; i < 3; i++)
            sp_buf_clear(&texts[i]);
        json_gen_value(&g, &value);
        jindent(&texts[0], sp_buf_str(&value));
        assert_true(jscan(sp_buf_str(&texts[0]), JSCAN_MAX_DEPTH, &found));
        jcanon(&texts[1], found.value);
        jcanon(&texts[2], sp_buf_str(&value));
        assert_true(sp_str_eq(sp_buf_str(&texts[1]), sp_buf_str(&texts[2])));
        sp_buf_clear(&texts[1]);
        jindent(&texts[1], found.value);
        assert_true(sp_str_eq(sp_buf_str(&texts[1]), sp_buf_str(&texts[0])));
    }
    sp_buf_deinit(&value);
    for (size_t i = 0; i < 3; i++)
        sp_buf_deinit(&texts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jindent_puts_each_element_on_its_line),
        cmocka_unit_test(jindent_keeps_random_values),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
