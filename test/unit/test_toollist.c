/* Tests of engine/toollist.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/toollist.h"
#include "json/jscan.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

/* Learns from a text of its own memory, as a line is gone after its event. */
static void learn(struct toollist *l, const char *result)
{
    struct sp_buf text = {0};
    struct jscan scan;

    sp_buf_add(&text, sp_str_of(result));
    assert_true(jscan(sp_buf_str(&text), JSCAN_LOG_DEPTH, &scan));
    toollist_learn(l, scan.value);
    sp_buf_deinit(&text);
}

static void learn_tool(struct toollist *l, const char *members)
{
    struct sp_buf text = {0};

    sp_buf_addf(&text, "{\"tools\":[{\"name\":\"t\"%s}]}", members);
    learn(l, sp_buf_cstr(&text));
    sp_buf_deinit(&text);
}

static void check(const struct toollist *l, const char *name, enum toollist_hint hint,
                  const char *contract)
{
    const struct toollist_tool *tool = toollist_find(l, sp_str_of(name));

    assert_non_null(tool);
    assert_int_equal(tool->hint, hint);
    if (contract == NULL)
        assert_null(tool->contract.p);
    else
        assert_true(sp_str_eq(tool->contract, sp_str_of(contract)));
}

static const struct {
    const char *members;
    enum toollist_hint hint;
    const char *contract;
} tools[] = {
    {"", TOOLLIST_NO_HINT, NULL},
    {",\"annotations\":{\"readOnlyHint\":true}", TOOLLIST_READS, NULL},
    {",\"annotations\":{\"readOnlyHint\":false}", TOOLLIST_WRITES, NULL},
    {",\"annotations\":{\"readOnlyHint\":\"false\"}", TOOLLIST_NO_HINT, NULL},
    {",\"annotations\":{\"readOnlyHint\":null}", TOOLLIST_NO_HINT, NULL},
    {",\"annotations\":{\"readOnlyHint\":0}", TOOLLIST_NO_HINT, NULL},
    {",\"annotations\":{\"destructiveHint\":false}", TOOLLIST_NO_HINT, NULL},
    {",\"annotations\":[{\"readOnlyHint\":false}]", TOOLLIST_NO_HINT, NULL},
    {",\"annotations\":false,\"readOnlyHint\":false", TOOLLIST_NO_HINT, NULL},
    {",\"inputSchema\":{}", TOOLLIST_NO_HINT, ""},
    {",\"inputSchema\":{\"type\":\"object\",\"properties\":{}}", TOOLLIST_NO_HINT, ""},
    {",\"inputSchema\":null", TOOLLIST_NO_HINT, ""},
    {",\"inputSchema\":{\"properties\":{\"reason\":{\"type\":\"string\"},\"order_id\":{\"type\":"
     "\"string\"},\"n\":{\"type\":[\"integer\",\"null\"]},\"x\":{}},\"required\":[\"order_id\"]}",
     TOOLLIST_NO_HINT, "n:integer|null, order_id:string!, reason:string, x:any"},
};

static void toollist_learns_hint_and_contract(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(tools); i++) {
        struct toollist l = {0};

        learn_tool(&l, tools[i].members);
        check(&l, "t", tools[i].hint, tools[i].contract);
        assert_int_equal(l.n_tools, 1);
        toollist_deinit(&l);
    }
}

static void toollist_takes_the_later_listing_of_a_tool(void **state)
{
    struct toollist l = {0};

    (void)state;
    for (size_t n = 0; n < 2; n++) {
        for (size_t i = 0; i < N_OF(tools); i++) {
            learn_tool(&l, tools[i].members);
            check(&l, "t", tools[i].hint, tools[i].contract);
        }
    }
    assert_int_equal(l.n_tools, 1);
    toollist_deinit(&l);
}

static void toollist_takes_the_last_of_a_listing(void **state)
{
    struct toollist l = {0};

    (void)state;
    learn(&l, "{\"tools\":[{\"name\":\"t\",\"annotations\":{\"readOnlyHint\":false}},"
              "{\"name\":\"\\u0074\"}]}");
    check(&l, "t", TOOLLIST_NO_HINT, NULL);
    assert_int_equal(l.n_tools, 1);
    toollist_deinit(&l);
}

static void toollist_skips_what_is_no_tool(void **state)
{
    static const char *const results[] = {
        "null",
        "7",
        "[]",
        "{}",
        "{\"tools\":null}",
        "{\"tools\":{\"name\":\"t\"}}",
        "{\"tools\":[]}",
        "{\"tools\":[null,\"t\",[\"t\"],{},{\"name\":7},{\"name\":null},{\"Name\":\"t\"}]}",
    };
    struct toollist l = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(results); i++)
        learn(&l, results[i]);
    assert_int_equal(l.n_tools, 0);
    assert_null(toollist_find(&l, SP_STR("t")));
    toollist_deinit(&l);
}

static void toollist_keeps_all_tools_it_ever_saw(void **state)
{
    struct toollist l = {0};
    char name[16];

    (void)state;
    for (int i = 0; i < 300; i++) {
        struct sp_buf text = {0};

        sp_buf_addf(&text,
                    "{\"tools\":[{\"name\":\"t%d\",\"inputSchema\":{\"properties\":{\"p%d\":"
                    "{}}}}]}",
                    i, i);
        learn(&l, sp_buf_cstr(&text));
        sp_buf_deinit(&text);
    }
    assert_int_equal(l.n_tools, 300);
    for (int i = 0; i < 300; i++) {
        char contract[16];

        (void)snprintf(name, sizeof name, "t%d", i);
        (void)snprintf(contract, sizeof contract, "p%d:any", i);
        check(&l, name, TOOLLIST_NO_HINT, contract);
    }
    toollist_deinit(&l);
    assert_null(toollist_find(&l, SP_STR("t0"))); /* it is an empty list again */
}

static void toollist_tells_names_apart_byte_by_byte(void **state)
{
    struct toollist l = {0};

    (void)state;
    learn(&l, "{\"tools\":[{\"name\":\"t\"},{\"name\":\"\"},{\"name\":\"T\"},"
              "{\"name\":\"t\\u0000\"},{\"name\":\"\xc3\xa9\"}]}");
    assert_int_equal(l.n_tools, 5);
    check(&l, "", TOOLLIST_NO_HINT, NULL);
    check(&l, "\xc3\xa9", TOOLLIST_NO_HINT, NULL);
    assert_non_null(toollist_find(&l, SP_STR("t\0")));
    assert_null(toollist_find(&l, SP_STR("t ")));
    toollist_deinit(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(toollist_learns_hint_and_contract),
        cmocka_unit_test(toollist_takes_the_later_listing_of_a_tool),
        cmocka_unit_test(toollist_takes_the_last_of_a_listing),
        cmocka_unit_test(toollist_skips_what_is_no_tool),
        cmocka_unit_test(toollist_keeps_all_tools_it_ever_saw),
        cmocka_unit_test(toollist_tells_names_apart_byte_by_byte),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
