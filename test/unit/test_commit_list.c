/* Tests of the listing of the tool stretto_commit. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine_fixture.h"
#include "demo/demo_world.h"
#include "json/jcanon.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define COMMIT(id, arguments)                                                                     \
    "{\"jsonrpc\":\"2.0\",\"id\":" id                                                             \
    ",\"method\":\"tools/call\",\"params\":{\"name\":\"stretto_commit\",\"arguments\":" arguments \
    "}}"

#define DECLARATION                                                                                \
    "{\"annotations\":{\"destructiveHint\":true,\"readOnlyHint\":false},\"description\":\"Run "    \
    "several of the server's tools in order, in one call, once the user has agreed to all of the " \
    "changes. Each call passes the policy check before it is made; the first one that is refused " \
    "or fails ends the commit. Returns every call's result and the calls that were not run.\","    \
    "\"inputSchema\":{\"properties\":{\"calls\":{\"items\":{\"properties\":{\"arguments\":{"       \
    "\"type\":\"object\"},\"name\":{\"description\":\"The name of one of the other tools.\","      \
    "\"type\":\"string\"}},\"required\":[\"name\",\"arguments\"],\"type\":\"object\"},"            \
    "\"minItems\":1,\"type\":\"array\"}},\"required\":[\"calls\"],\"type\":\"object\"},\"name\":"  \
    "\"stretto_commit\"}"

static void expect_sent(struct engine_fixture *f, const char *wanted)
{
    assert_string_equal(engine_fixture_look_sent(f), wanted);
}

static void begin(struct engine_fixture *f)
{
    engine_fixture_init(f, NULL, true, false);
}

/* The names of the tools in an answer, each with a space behind it. */
static void put_tools(struct sp_str answer, struct sp_buf *ret)
{
    struct sp_str result, tools, name;
    struct jscan scan;

    assert_true(jscan(answer, JSCAN_LOG_DEPTH, &scan));
    assert_true(jget_member(scan.value, SP_STR("result"), &result));
    assert_true(jget_member(result, SP_STR("tools"), &tools));
    for (struct jget_iter it = jget_iter(tools); jget_next(&it);) {
        assert_true(jget_member(it.value, SP_STR("name"), &name));
        jget_text(name, ret);
        sp_buf_add_char(ret, ' ');
    }
}

static void commit_is_listed_after_the_servers_tools(void **state)
{
    static const struct demo_world world = {.kind = DEMO_WORLD_RETAIL};
    struct engine_fixture f;
    struct demo_world_answer answer;
    struct sp_buf names = {0};

    (void)state;
    begin(&f);
    engine_fixture_host(&f, "{\"id\":1,\"method\":\"tools/list\"}");
    demo_world_answer(&world, sp_buf_str(&f.to_server), &answer);
    engine_fixture_server(&f, sp_buf_cstr(&answer.text));
    put_tools(sp_buf_str(&f.to_host), &names);
    assert_string_equal(sp_buf_cstr(&names), "find_user_id_by_email get_user_details "
                                             "get_order_details cancel_pending_order "
                                             "stretto_commit ");
    assert_string_equal(sp_buf_cstr(&f.senders), "client server proxy ");
    demo_world_answer_deinit(&answer);
    sp_buf_deinit(&names);
    engine_fixture_deinit(&f);
}

static void commit_is_declared_by_canonical_json(void **state)
{
    struct engine_fixture f;
    struct sp_buf form = {0};

    (void)state;
    begin(&f);
    engine_fixture_host(&f, "{\"id\":1,\"method\":\"tools/list\"}");
    engine_fixture_server(&f, "{\"id\":1,\"result\":{\"tools\":[]}}");
    assert_string_equal(sp_buf_cstr(&f.to_host),
                        "{\"id\":1,\"result\":{\"tools\":[" DECLARATION "]}}\n");
    jcanon(&form, SP_STR(DECLARATION));
    assert_string_equal(sp_buf_cstr(&form), DECLARATION);
    sp_buf_deinit(&form);
    engine_fixture_deinit(&f);
}

static void commit_is_listed_once_over_all_pages(void **state)
{
    struct engine_fixture f;

    (void)state;
    begin(&f);
    engine_fixture_host(&f, "{\"id\":2,\"method\":\"tools/list\"}");
    engine_fixture_host(&f, "{\"id\":3,\"method\":\"tools/list\",\"params\":{\"cursor\":\"p2\"}}");
    (void)engine_fixture_look(&f);
    engine_fixture_server(&f, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"tools\":[{\"name\":"
                              "\"update\"}]}}");
    engine_fixture_server(&f, "{\"id\":2,\"result\":{\"nextCursor\":\"p2\",\"tools\":[{\"name\":"
                              "\"lookup\"}]}}");
    expect_sent(&f,
                "< {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"tools\":[{\"name\":\"update\"}]}}\n"
                "< {\"id\":2,\"result\":{\"nextCursor\":\"p2\",\"tools\":[{\"name\":\"lookup\"}"
                "," DECLARATION "]}}\n");
    engine_fixture_deinit(&f);
}

static void commit_tells_first_pages_from_later_ones(void **state)
{
    static const struct {
        const char *params; /* with the comma before them */
        bool is_first;
    } cases[] = {
        {"", true},
        {",\"params\":{}", true},
        {",\"params\":{\"cursor\":null}", true},
        {",\"params\":{\"_meta\":{\"cursor\":\"x\"}}", true},
        {",\"params\":null", true},
        {",\"params\":[\"cursor\"]", true},
        {",\"params\":{\"cursor\":\"x\"}", false},
        {",\"params\":{\"cursor\":\"\"}", false},
        {",\"params\":{\"curs\\u006fr\":0}", false},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct engine_fixture f;
        struct sp_buf line = {0};

        begin(&f);
        sp_buf_addf(&line, "{\"id\":1,\"method\":\"tools/list\"%s}", cases[i].params);
        engine_fixture_host(&f, sp_buf_cstr(&line));
        engine_fixture_server(&f, "{\"id\":1,\"result\":{\"tools\":[]}}");
        if ((memmem(f.to_host.p, f.to_host.len, "stretto", 7) != NULL) != cases[i].is_first)
            fail_msg("%s", sp_buf_cstr(&line));
        sp_buf_deinit(&line);
        engine_fixture_deinit(&f);
    }
}

static void commit_hides_a_tool_of_its_name_and_keeps_all_else(void **state)
{
    static const struct {
        bool is_first;
        const char *answer;
        const char *wanted; /* NULL: the same bytes */
    } cases[] = {
        {true,
         "{\"id\":1,\"result\":{\"tools\":[{\"name\":\"stretto_commit\"},{\"name\":\"lookup\"}]}}",
         "{\"id\":1,\"result\":{\"tools\":[{\"name\":\"lookup\"}," DECLARATION "]}}"},
        {true,
         "{\"id\":1,\"result\":{\"tools\":[{\"name\":\"a\"}, "
         "{\"n\\u0061me\":\"stretto\\u005fcommit\"}"
         ",{\"name\":\"stretto_commit\"} ]}}",
         "{\"id\":1,\"result\":{\"tools\":[{\"name\":\"a\"}," DECLARATION "]}}"},
        {false,
         "{ \"id\":1,\"result\":{\"tools\":[{\"name\":\"stretto_commit\"},{\"name\":\"b\"}]}}",
         "{\"id\":1,\"result\":{\"tools\":[{\"name\":\"b\"}]}}"},
        {false, "{\"id\":1,\"result\":{\"tools\":[{\"name\":\"stretto_commit\"}]}}",
         "{\"id\":1,\"result\":{\"tools\":[]}}"},
        {false, "{\"id\":1, \"result\":{\"tools\":[ {\"name\":\"b\"}, 7 ]}}", NULL},
        {false, "{\"id\":1,\"result\":{\"tools\":[]}}", NULL},
        /* What is there stays, in canonical form: digits, items that are no tools, escapes. */
        {true,
         "{\"z\":1,\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"nextCursor\":\"\\u00fc\\/"
         "\",\"_meta\":{"
         "\"n\":123456789012345678901234567890,\"d\":1e2},\"tools\":[7,{\"b\":null,\"a\":[]},\"x\"]"
         "}}",
         "{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{\"_meta\":{\"d\":100.0,\"n\":"
         "123456789012345678901234567890},\"nextCursor\":\"\xc3\xbc/"
         "\",\"tools\":[7,{\"a\":[],\"b\":"
         "null},\"x\"," DECLARATION "]},\"z\":1}"},
        /* No array of tools: the same bytes. */
        {true, "{\"id\":1,\"result\":{\"tools\":\"none\"}}", NULL},
        {true, "{\"id\":1,\"result\":{\"tools\":{\"0\":1}}}", NULL},
        {true, "{\"id\":1,\"result\":{}}", NULL},
        {true, "{\"id\":1,\"result\":null}", NULL},
        {true, "{\"id\":1,\"result\":[{\"tools\":[]}]}", NULL},
        {true, "{\"id\":1,\"error\":{\"code\":1,\"message\":\"no\"}}", NULL},
        {true, "{\"id\":1,\"error\":{\"tools\":[]}}", NULL},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct engine_fixture f;
        struct sp_buf wanted = {0};

        begin(&f);
        engine_fixture_host(&f, cases[i].is_first ? "{\"id\":1,\"method\":\"tools/list\"}"
                                                  : "{\"id\":1,\"method\":\"tools/list\","
                                                    "\"params\":{\"cursor\":\"c\"}}");
        (void)engine_fixture_look(&f);
        engine_fixture_server(&f, cases[i].answer);
        if (cases[i].wanted != NULL)
            sp_buf_addf(&wanted, "[server 0] %s\n[proxy 0] %s\n< %s\n", cases[i].answer,
                        cases[i].wanted, cases[i].wanted);
        else
            sp_buf_addf(&wanted, "[server 0] %s\n< %s\n", cases[i].answer, cases[i].answer);
        assert_string_equal(engine_fixture_look(&f), sp_buf_cstr(&wanted));
        sp_buf_deinit(&wanted);
        engine_fixture_deinit(&f);
    }
}

static void commit_without_the_option_is_like_any_other_tool(void **state)
{
    static const char line[] = COMMIT("1", "{}");
    struct engine_fixture f;

    (void)state;
    engine_fixture_init(&f, "retail", false, false);
    engine_fixture_host(&f, line);
    engine_fixture_host(&f, "{\"id\":2,\"method\":\"tools/list\"}");
    engine_fixture_server(&f, "{\"id\":2,\"result\":{\"tools\":[{\"name\":\"stretto_commit\"}]}}");
    expect_sent(&f,
                "> " COMMIT("1", "{}") "\n> {\"id\":2,\"method\":\"tools/list\"}\n< {\"id\":2,"
                                       "\"result\":{\"tools\":[{\"name\":\"stretto_commit\"}]}}\n");
    engine_fixture_deinit(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commit_is_listed_after_the_servers_tools),
        cmocka_unit_test(commit_is_declared_by_canonical_json),
        cmocka_unit_test(commit_is_listed_once_over_all_pages),
        cmocka_unit_test(commit_tells_first_pages_from_later_ones),
        cmocka_unit_test(commit_hides_a_tool_of_its_name_and_keeps_all_else),
        cmocka_unit_test(commit_without_the_option_is_like_any_other_tool),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
