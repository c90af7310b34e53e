/*
 * Tests of what a flow's run waits for: answers of the server that come late or never, the model,
 * other traffic meanwhile, and the ends of a session.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "desk_session.h"
#include "engine_fixture.h"
#include "flow_example.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

static void expect_sent(struct engine_fixture *f, const char *want)
{
    assert_string_equal(engine_fixture_look_sent(f), want);
}

static void expect_no_run(struct engine_fixture *f)
{
    assert_null(strstr(sp_buf_cstr(&f->flow_log), "\"run\""));
}

/* An engine with the desk's flow, and the commit tool. */
static void fixture_init(struct engine_fixture *f)
{
    struct engine_flow served = desk_session_flow(NULL, 0);

    engine_fixture_init_flow(f, &served, true, true);
}

/* The same where the agent's call has returned, and the first lookup is sent. */
static void fixture_init_sent(struct engine_fixture *f)
{
    fixture_init(f);
    engine_fixture_host(f, DESK_FIND);
    engine_fixture_server(f, DESK_FOUND);
    (void)engine_fixture_look(f);
}

#define SENT_ORDER "# " DESK_DECIDED_ORDER "\n> " DESK_ASK_ORDER("2") "\n"

/* ---- late or never ---- */

static void flowrun_gives_up_after_more_than_60_s(void **state)
{
    struct engine_fixture f;

    (void)state;
    fixture_init_sent(&f);
    engine_fixture_wait_until(&f, 60000);
    expect_sent(&f, "");
    engine_fixture_wait_until(&f, 60001);
    expect_sent(&f, "! no answer from the server to get_customer within 60 s\n< " DESK_FOUND "\n");
    expect_no_run(&f);
    assert_int_equal(engine_due_ms(f.engine), UINT64_MAX);
    /* The answer that comes all the same is recorded and dropped; a second is not known. */
    engine_fixture_server(&f, DESK_ANSWER("1", DESK_CUSTOMER));
    assert_string_equal(engine_fixture_look(&f),
                        "[server 60001] " DESK_ANSWER("1", DESK_CUSTOMER) "\n");
    engine_fixture_server(&f, DESK_ANSWER("1", DESK_CUSTOMER));
    expect_sent(&f, "< " DESK_ANSWER("1", DESK_CUSTOMER) "\n");
    engine_fixture_deinit(&f);
}

static void flowrun_tells_what_it_had_before_it_gave_up(void **state)
{
    struct engine_fixture f;

    (void)state;
    fixture_init_sent(&f);
    engine_fixture_wait_until(&f, 50000);
    engine_fixture_server(&f, DESK_ANSWER("1", DESK_CUSTOMER));
    expect_sent(&f, SENT_ORDER);
    engine_fixture_wait_until(&f, 110000);
    expect_sent(&f, "");
    engine_fixture_wait_until(&f, 200000);
    expect_sent(&f, "! no answer from the server to get_order within 60 s\n< " DESK_ANSWERED(
                        DESK_TOLD_CUSTOMER) "\n");
    expect_no_run(&f);
    /* The next call has a run again, and numbers go on. */
    engine_fixture_host(&f, DESK_CALL("9", "find_customer", "{}"));
    engine_fixture_server(&f, DESK_RESULT("9", "cust_8"));
    assert_non_null(strstr(engine_fixture_look_sent(&f), "\"id\":\"stretto-3\""));
    engine_fixture_deinit(&f);
}

static void flowrun_waits_for_the_younger_of_two_jobs_alone(void **state)
{
    struct engine_fixture f;

    (void)state;
    fixture_init_sent(&f);
    engine_fixture_wait_until(&f, 1000);
    engine_fixture_host(&f, DESK_CALL("4", "stretto_commit", "{\"calls\":[{\"name\":\"t\"}]}"));
    engine_fixture_wait_until(&f, 60001);
    assert_int_equal(engine_due_ms(f.engine), 61001);
    engine_fixture_wait_until(&f, 61001);
    assert_int_equal(engine_due_ms(f.engine), UINT64_MAX);
    engine_fixture_deinit(&f);
}

/* ---- meanwhile ---- */

static void flowrun_holds_up_nothing_but_the_response(void **state)
{
    static const char ask[] = "{\"id\":\"s\",\"method\":\"sampling/createMessage\"}";
    static const char call[] = DESK_CALL("4", "find_customer", "{\"email\":\"x\"}");
    static const char error[] = "{\"id\":\"stretto-7\",\"error\":{\"code\":1}}";
    struct engine_fixture f;

    (void)state;
    fixture_init_sent(&f);
    engine_fixture_server(&f, ask);
    engine_fixture_host(&f, "{\"id\":\"s\",\"result\":{}}");
    engine_fixture_host(&f, call);
    engine_fixture_server(&f, DESK_RESULT("4", "cust_9"));
    engine_fixture_host(&f,
                        "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":3}}");
    engine_fixture_server(&f, error); /* no request of the proxy's has that number */
    expect_sent(
        &f,
        "< {\"id\":\"s\",\"method\":\"sampling/createMessage\"}\n"
        "> {\"id\":\"s\",\"result\":{}}\n"
        "> " DESK_CALL(
            "4", "find_customer",
            "{\"email\":\"x\"}") "\n"
                                 "< " DESK_RESULT(
                                     "4",
                                     "cust_9") "\n"
                                               "> "
                                               "{\"method\":\"notifications/"
                                               "cancelled\",\"params\":{\"requestId\":3}}\n"
                                               "< {\"id\":\"stretto-7\",\"error\":{\"code\":1}}\n");
    engine_fixture_server(&f, DESK_ANSWER("1", DESK_CUSTOMER));
    engine_fixture_server(&f, DESK_ANSWER("2", DESK_NO_ORDER));
    assert_non_null(strstr(engine_fixture_look_sent(&f), "< {\"id\":3,"));
    /* An answer that is given twice is forwarded. */
    engine_fixture_server(&f, DESK_ANSWER("2", DESK_NO_ORDER));
    expect_sent(&f, "< " DESK_ANSWER("2", DESK_NO_ORDER) "\n");
    engine_fixture_deinit(&f);
}

static void flowrun_never_repeats_a_pending_call(void **state)
{
    struct engine_fixture f;

    (void)state;
    fixture_init(&f);
    engine_fixture_host(&f, DESK_FIND);
    engine_fixture_host(&f, DESK_CALL("5", "get_order", "{\"order_id\":\"o-1\"}"));
    engine_fixture_server(&f, DESK_FOUND);
    (void)engine_fixture_look(&f);
    engine_fixture_server(&f, DESK_ANSWER("1", DESK_CUSTOMER));
    expect_sent(
        &f, "# {\"action\":\"hand_back\",\"address\":\"decide#1\",\"after\":3,\"binding\":null,"
            "\"key\":null,\"ms\":0,\"oracle\":{},\"predicates\":{},\"prob\":0.9937431762828588,"
            "\"probs\":{\"get_order\":0.9937431762828588,\"respond\":0.0},\"reason\":\"get_order: "
            "nothing left to pass as `order_id`\",\"site\":\"get_customer\"}\n# " DESK_RUN(
                "find_customer", "false", "8",
                "[\"decide#0\",2,0.0],[\"outcome#0\",true,-0.10536051565782628],[\"decide#1\",0,"
                "0.0]",
                "0.10536051565782628") "\n< " DESK_ANSWERED(DESK_TOLD_CUSTOMER) "\n");
    engine_fixture_deinit(&f);
}

/* ---- the conversation ---- */

static void flowrun_hands_back_when_the_agent_has_spoken(void **state)
{
    struct engine_fixture f;

    (void)state;
    fixture_init(&f);
    engine_fixture_host(&f, DESK_FIND);
    engine_fixture_says(&f, "{\"role\":\"assistant\",\"content\":\"One moment.\"}\n");
    (void)engine_fixture_look(&f);
    engine_fixture_server(&f, DESK_FOUND);
    assert_string_equal(
        engine_fixture_look(&f),
        "[server 0] " DESK_FOUND
        "\n[context 0] {\"role\":\"assistant\",\"content\":\"One moment.\"}~\n# " DESK_HANDED_BACK(
            "decide#0", "null",
            "the last step is not a tool call") "\n# " DESK_RUN("find_customer", "false", "8",
                                                                "[\"decide#0\",0,0.0]",
                                                                "0.0") "\n< " DESK_FOUND "\n");
    engine_fixture_deinit(&f);
}

static void flowrun_reads_the_conversation_at_every_decision(void **state)
{
    struct engine_fixture f;

    (void)state;
    fixture_init(&f);
    engine_fixture_host(&f, DESK_FIND);
    engine_fixture_says(&f, "{\"role\":\"user\",\"content\":\"Hurry.\"}\n");
    engine_fixture_server(&f, DESK_FOUND);
    engine_fixture_says(&f, "{\"role\":\"assistant\",\"content\":\"Yes.\"}\n");
    engine_fixture_server(&f, DESK_ANSWER("1", DESK_CUSTOMER));
    assert_non_null(strstr(engine_fixture_look_sent(&f), "\"address\":\"decide#1\",\"after\":3,"
                                                         "\"binding\":null"));
    assert_string_equal(sp_buf_cstr(&f.senders),
                        "client server context proxy server context proxy ");
    engine_fixture_deinit(&f);
}

static void flowrun_does_not_start_behind_a_message_of_the_agent(void **state)
{
    struct engine_fixture f;

    (void)state;
    fixture_init(&f);
    engine_fixture_host(&f, DESK_FIND);
    engine_fixture_says(&f, "{\"role\":\"assistant\",\"content\":\"One moment.\"}\n");
    engine_fixture_host(&f, DESK_CALL("4", "stretto_commit", "{}")); /* reads it */
    (void)engine_fixture_look(&f);
    engine_fixture_server(&f, DESK_FOUND);
    expect_sent(&f, "< " DESK_FOUND "\n");
    assert_int_equal(f.flow_log.len, 0);
    engine_fixture_deinit(&f);
}

/* ---- the ends ---- */

static void flowrun_ends_with_the_servers_output(void **state)
{
    struct engine_fixture f;

    (void)state;
    fixture_init_sent(&f);
    engine_fixture_server(&f, DESK_ANSWER("1", DESK_CUSTOMER));
    (void)engine_fixture_look(&f);
    engine_fixture_server_end(&f);
    expect_sent(&f, "< " DESK_ANSWERED(DESK_TOLD_CUSTOMER) "\n");
    expect_no_run(&f);
    assert_int_equal(engine_due_ms(f.engine), UINT64_MAX);
    engine_fixture_deinit(&f);

    fixture_init_sent(&f);
    engine_fixture_server_end(&f);
    expect_sent(&f, "< " DESK_FOUND "\n");
    engine_fixture_deinit(&f);
}

static void flowrun_ends_at_its_next_lookup_when_the_servers_input_is_closed(void **state)
{
    struct engine_fixture f;

    (void)state;
    fixture_init_sent(&f);
    engine_fixture_host_end(&f);
    expect_sent(&f, "");
    engine_fixture_server(&f, DESK_ANSWER("1", DESK_CUSTOMER));
    expect_sent(&f, "# " DESK_DECIDED_ORDER "\n< " DESK_ANSWERED(DESK_TOLD_CUSTOMER) "\n");
    expect_no_run(&f);
    engine_fixture_deinit(&f);
}

static void flowrun_lets_go_of_the_response_when_it_is_interrupted(void **state)
{
    static const char call[] = DESK_CALL("4", "find_customer", "{}");
    struct engine_fixture f;

    (void)state;
    fixture_init_sent(&f);
    engine_fixture_server(&f, DESK_ANSWER("1", DESK_CUSTOMER));
    engine_fixture_host(&f, call);
    (void)engine_fixture_look(&f);
    engine_fixture_interrupt(&f);
    expect_sent(&f, "< " DESK_FOUND "\n");
    expect_no_run(&f);
    /* What still comes is not held, and what was awaited is dropped. */
    engine_fixture_server(&f, DESK_ANSWER("2", DESK_NO_ORDER));
    engine_fixture_server(&f, DESK_RESULT("4", "cust_7"));
    expect_sent(&f, "< " DESK_RESULT("4", "cust_7") "\n");
    engine_fixture_deinit(&f);
}

#define COMMIT DESK_CALL("4", "stretto_commit", "{\"calls\":[{\"name\":\"t\"},{\"name\":\"t\"}]}")
#define T_OK   "\"result\":{\"content\":[]}"

/* Whether the flow's response goes out before the commit's report. */
static bool is_flow_first(struct engine_fixture *f)
{
    const char *sent = engine_fixture_look_sent(f);
    const char *flow = strstr(sent, "\"id\":3,"), *commit = strstr(sent, "\"id\":4,");

    assert_true(flow != NULL && commit != NULL);
    return flow < commit;
}

static void flowrun_and_commits_end_in_the_order_of_their_last_requests(void **state)
{
    struct engine_fixture f;

    (void)state;
    for (int how = 0; how < 2; how++) {
        void (*end)(struct engine_fixture *) =
            how == 0 ? engine_fixture_server_end : engine_fixture_interrupt;

        fixture_init_sent(&f); /* 1 */
        engine_fixture_host(&f, COMMIT);
        (void)engine_fixture_look(&f);
        end(&f);
        assert_true(is_flow_first(&f));
        engine_fixture_deinit(&f);

        fixture_init_sent(&f);                                      /* 1 */
        engine_fixture_host(&f, COMMIT);                            /* 2 */
        engine_fixture_server(&f, DESK_ANSWER("1", DESK_CUSTOMER)); /* 3 */
        (void)engine_fixture_look(&f);
        end(&f);
        assert_false(is_flow_first(&f));
        engine_fixture_deinit(&f);

        fixture_init_sent(&f);                                      /* 1 */
        engine_fixture_host(&f, COMMIT);                            /* 2 */
        engine_fixture_server(&f, DESK_ANSWER("1", DESK_CUSTOMER)); /* 3 */
        engine_fixture_server(&f, DESK_ANSWER("2", T_OK));          /* 4 */
        (void)engine_fixture_look(&f);
        end(&f);
        assert_true(is_flow_first(&f));
        engine_fixture_deinit(&f);
    }
}

/* ---- modern revisions ---- */

#define MODERN(progress)                                                 \
    "{\"id\":3,\"method\":\"tools/"                                      \
    "call\",\"params\":{\"name\":\"find_customer\",\"_meta\":{" progress \
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"a\":1}}}"

static void flowrun_carries_the_meta_of_a_modern_call(void **state)
{
    struct engine_fixture f;

    (void)state;
    fixture_init(&f);
    engine_fixture_host(&f, MODERN("\"progressToken\":7,"));
    (void)engine_fixture_look(&f);
    engine_fixture_server(&f, "{\"id\":3,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
                              "\"cust_7\"}],\"resultType\":\"complete\"}}");
    assert_non_null(
        strstr(engine_fixture_look_sent(&f),
               "> {\"id\":\"stretto-1\",\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{"
               "\"_meta\":{\"a\":1,\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"},"
               "\"arguments\":{\"customer_id\":\"cust_7\"},\"name\":\"get_customer\"}}\n"));
    engine_fixture_server(&f, DESK_ANSWER("1", DESK_CUSTOMER));
    engine_fixture_server(&f, DESK_ANSWER("2", DESK_NO_ORDER));
    assert_non_null(strstr(engine_fixture_look_sent(&f), "\"}],\"resultType\":\"complete\"}}\n"));
    engine_fixture_deinit(&f);
}

static void flowrun_does_not_start_when_the_server_wants_input(void **state)
{
    static const char response[] = "{\"id\":3,\"result\":{\"resultType\":\"input_required\","
                                   "\"content\":[{\"type\":\"text\",\"text\":\"cust_7\"}]}}";
    struct engine_fixture f;

    (void)state;
    fixture_init(&f);
    engine_fixture_host(&f, MODERN(""));
    (void)engine_fixture_look(&f);
    engine_fixture_server(&f, response);
    expect_sent(&f, "< {\"id\":3,\"result\":{\"resultType\":\"input_required\","
                    "\"content\":[{\"type\":\"text\",\"text\":\"cust_7\"}]}}\n");
    assert_int_equal(f.flow_log.len, 0);
    engine_fixture_deinit(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flowrun_gives_up_after_more_than_60_s),
        cmocka_unit_test(flowrun_tells_what_it_had_before_it_gave_up),
        cmocka_unit_test(flowrun_waits_for_the_younger_of_two_jobs_alone),
        cmocka_unit_test(flowrun_holds_up_nothing_but_the_response),
        cmocka_unit_test(flowrun_never_repeats_a_pending_call),
        cmocka_unit_test(flowrun_hands_back_when_the_agent_has_spoken),
        cmocka_unit_test(flowrun_reads_the_conversation_at_every_decision),
        cmocka_unit_test(flowrun_does_not_start_behind_a_message_of_the_agent),
        cmocka_unit_test(flowrun_ends_with_the_servers_output),
        cmocka_unit_test(flowrun_ends_at_its_next_lookup_when_the_servers_input_is_closed),
        cmocka_unit_test(flowrun_lets_go_of_the_response_when_it_is_interrupted),
        cmocka_unit_test(flowrun_and_commits_end_in_the_order_of_their_last_requests),
        cmocka_unit_test(flowrun_carries_the_meta_of_a_modern_call),
        cmocka_unit_test(flowrun_does_not_start_when_the_server_wants_input),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
