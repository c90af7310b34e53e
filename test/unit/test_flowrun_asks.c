/*
 * Tests of a flow's run that asks the model, of its budgets, and of programs that are not the
 * standard one.
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

#define FOLD                                                                                    \
    "{\"weights\":[0.5,0.3,0.2,0.1,0.6],\"rates\":{\"sites\":[[\"find_tickets\",[8.0,6.0,8.0]]" \
    "],\"agree\":0.7,\"cover\":0.95}}"

/* The tickets' flow with an arbiter, which offers get_ticket behind find_tickets and itself. */
static const struct flow_edit with_arbiter[] = {
    {"\"model\":\"\"", "\"model\":\"jev-latest\""},
    {"\"folds\":[]", "\"folds\":[" FOLD "," FOLD "," FOLD "," FOLD "," FOLD "]"},
};

static struct engine_flow tickets(void)
{
    return (struct engine_flow){
        .flow = flow_parsed(FLOW_EXAMPLE, with_arbiter, N_OF(with_arbiter)),
        .decide = {.decider = DECIDE_ARBITER, .threshold = 0.3},
        .per_call = 8,
        .per_session = 40,
        .questions = 300,
    };
}

static void expect_sent(struct engine_fixture *f, const char *want)
{
    assert_string_equal(engine_fixture_look_sent(f), want);
}

/* What was sent and logged since the last look has these parts in this order. */
static void expect_parts(struct engine_fixture *f, const char *const *parts, size_t n)
{
    const char *sent = engine_fixture_look_sent(f), *at = sent;

    for (size_t i = 0; i < n; i++) {
        const char *found = strstr(at, parts[i]);

        if (found != NULL)
            at = found + strlen(parts[i]);
        else
            fail_msg("no '%s' in its place in:\n%s", parts[i], sent);
    }
}

#define EXPECT_PARTS(f, ...)                               \
    do {                                                   \
        static const char *const parts_[] = {__VA_ARGS__}; \
                                                           \
        expect_parts((f), parts_, N_OF(parts_));           \
    } while (0)

#define FIND  DESK_CALL("3", "find_tickets", "{\"email\":\"dee@example.com\"}")
#define FOUND DESK_RESULT("3", "{\\\"owner\\\":\\\"dee\\\",\\\"tickets\\\":[\\\"T-41\\\"]}")
#define ASK   "? next go_on\n"
#define READ_TICKET                                                                      \
    "> {\"id\":\"stretto-1\",\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{" \
    "\"arguments\":{\"ticket_id\":\"T-41\"},\"name\":\"get_ticket\"}}\n"
#define TICKET \
    DESK_ANSWER("1", "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"T-41 is open\"}]}")

#define KEY_1 "0000000000000000000000000000000000000000000000000000000000000001"

/* An engine whose question behind the agent's call is out. */
static void fixture_init_asked(struct engine_fixture *f, const struct engine_flow *served)
{
    engine_fixture_init_flow(f, served, false, true);
    f->now_ms = 100;
    engine_fixture_host(f, FIND);
    (void)engine_fixture_look(f);
    engine_fixture_server(f, FOUND);
    expect_sent(f, ASK);
}

/* Answers the question as the stand-in without a model does. */
static void answer(struct engine_fixture *f)
{
    struct oracle_response response;

    oracle_mock(f->question, &response);
    engine_fixture_answer(f, &response);
    oracle_response_deinit(&response);
}

static void flowrun_asks_and_goes_on_with_the_answer(void **state)
{
    struct engine_flow served = tickets();
    struct engine_fixture f;

    (void)state;
    fixture_init_asked(&f, &served);
    f.now_ms = 1334;
    answer(&f);
    EXPECT_PARTS(&f, "# {\"action\":\"lookup\",\"address\":\"decide#0\",\"after\":3,",
                 ",\"key\":\"" KEY_1 "\",\"ms\":1234,\"oracle\":{\"get_ticket\":", "\n",
                 READ_TICKET);
    engine_fixture_server(&f, TICKET);
    expect_sent(&f, ASK);
    answer(&f);
    EXPECT_PARTS(&f, "# {\"action\":\"hand_back\",\"address\":\"decide#1\"", "\n# {\"after\":3,",
                 "\n< {\"id\":3,");
    assert_int_equal(f.n_questions, 2);
    engine_fixture_deinit(&f);
}

static void flowrun_hands_back_without_an_answer(void **state)
{
    struct engine_flow served = tickets();
    struct engine_fixture f;

    (void)state;
    fixture_init_asked(&f, &served);
    f.now_ms = 150;
    engine_fixture_no_answer(&f, "no cached answer");
    EXPECT_PARTS(&f, "! the System-One model failed: no cached answer\n",
                 ",\"key\":\"" KEY_1 "\",\"ms\":50,\"oracle\":{}",
                 "\"reason\":\"the System-One model failed: no cached answer\"", "\n# ",
                 "\"sites\":[[\"decide#0\",0,0.0]],\"surprise\":0.0}}\n< " FOUND "\n");
    engine_fixture_deinit(&f);
}

static void flowrun_holds_up_nothing_else_while_it_asks(void **state)
{
    static const char call[] = DESK_CALL("4", "find_tickets", "{}");
    struct engine_flow served = tickets();
    struct engine_fixture f;

    (void)state;
    fixture_init_asked(&f, &served);
    assert_int_equal(engine_due_ms(f.engine), UINT64_MAX); /* whoever answers has its own time */
    engine_fixture_host(&f, call);
    engine_fixture_server(&f, DESK_RESULT("4", "[]"));
    engine_fixture_server(&f, "{\"method\":\"notifications/message\"}");
    expect_sent(&f, "> " DESK_CALL("4", "find_tickets", "{}") "\n< " DESK_RESULT(
                        "4", "[]") "\n< {\"method\":\"notifications/message\"}\n");
    /* It is decided on the session as it stood: the lookup is bound from the first result. */
    answer(&f);
    EXPECT_PARTS(&f, READ_TICKET);
    engine_fixture_deinit(&f);
}

static void flowrun_gives_its_question_up_at_the_end(void **state)
{
    struct engine_fixture f;

    (void)state;
    for (int how = 0; how < 2; how++) {
        struct engine_flow served = tickets();

        fixture_init_asked(&f, &served);
        if (how == 0)
            engine_fixture_server_end(&f);
        else
            engine_fixture_interrupt(&f);
        expect_sent(&f, "? cancelled\n< " FOUND "\n");
        assert_int_equal(f.flow_log.len, 0);
        engine_fixture_deinit(&f);
    }
}

static void flowrun_is_freed_while_it_asks(void **state)
{
    struct engine_flow served = tickets();
    struct engine_fixture f;

    (void)state;
    fixture_init_asked(&f, &served);
    engine_fixture_deinit(&f);
}

static void flowrun_takes_an_answer_after_the_host_has_closed_its_end(void **state)
{
    struct engine_flow served = tickets();
    struct engine_fixture f;

    (void)state;
    fixture_init_asked(&f, &served);
    engine_fixture_host_end(&f);
    expect_sent(&f, "");
    answer(&f);
    EXPECT_PARTS(&f, "# {\"action\":\"lookup\"", "\n< " FOUND "\n");
    assert_null(strstr(sp_buf_cstr(&f.flow_log), "\"run\""));
    engine_fixture_deinit(&f);
}

static void flowrun_judges_by_the_listing_when_the_answer_comes(void **state)
{
    struct engine_flow served = tickets();
    struct engine_fixture f;

    (void)state;
    fixture_init_asked(&f, &served);
    engine_fixture_host(&f, "{\"id\":\"l\",\"method\":\"tools/list\"}");
    engine_fixture_server(&f, "{\"id\":\"l\",\"result\":{\"tools\":[{\"name\":\"x\"}]}}");
    answer(&f);
    EXPECT_PARTS(&f, "\"action\":\"lookup\"", "\n< " FOUND "\n");
    engine_fixture_deinit(&f);
}

static void flowrun_does_not_ask_beyond_its_budget(void **state)
{
    struct engine_flow served = tickets();
    struct engine_fixture f;

    (void)state;
    served.questions = 2;
    fixture_init_asked(&f, &served);
    engine_fixture_no_answer(&f, "x"); /* counts */
    engine_fixture_host(&f, FIND);
    engine_fixture_server(&f, FOUND);
    assert_int_equal(f.n_questions, 2);
    answer(&f);
    (void)engine_fixture_look(&f);
    engine_fixture_server(&f, TICKET);
    EXPECT_PARTS(&f, "\"sites\":[[\"decide#0\",2,0.0],[\"outcome#0\",true,",
                 "],[\"decide#1\",0,0.0]]");
    engine_fixture_host(&f, FIND);
    (void)engine_fixture_look(&f);
    engine_fixture_server(&f, FOUND);
    expect_sent(&f, "< " FOUND "\n");
    engine_fixture_deinit(&f);
}

static void flowrun_asks_in_shadow_and_counts_it(void **state)
{
    struct engine_flow served = tickets();
    struct engine_fixture f;

    (void)state;
    served.shadow = true;
    served.questions = 1;
    fixture_init_asked(&f, &served);
    answer(&f);
    EXPECT_PARTS(&f, "# {\"action\":\"lookup\"", "\"shadow\":true",
                 "\"sites\":[[\"decide#0\",0,0.0]],\"surprise\":0.0}}\n< " FOUND "\n");
    engine_fixture_host(&f, FIND);
    (void)engine_fixture_look(&f);
    engine_fixture_server(&f, FOUND);
    expect_sent(&f, "< " FOUND "\n");
    engine_fixture_deinit(&f);
}

/* ---- budgets ---- */

/* Plays a session of the desk, of a number of one digit; how many lookups were made. */
static size_t play_desk(struct engine_fixture *f, int number)
{
    size_t n = 0;
    struct sp_buf line = {0};

    sp_buf_addf(&line, DESK_CALL("%d", "find_customer", "{}"), number);
    engine_fixture_host(f, sp_buf_cstr(&line));
    (void)engine_fixture_look(f);
    sp_buf_clear(&line);
    sp_buf_addf(&line, DESK_RESULT("%d", "cust_%d"), number, number);
    engine_fixture_server(f, sp_buf_cstr(&line));
    for (const char *at; (at = strstr(engine_fixture_look_sent(f), "> {\"id\":\"")) != NULL; n++) {
        at += strlen("> {\"id\":\"");
        sp_buf_clear(&line);
        sp_buf_addf(&line,
                    "{\"id\":\"%.*s\",\"result\":{\"content\":[{\"text\":\"%so-%d%s\","
                    "\"type\":\"text\"}],\"isError\":%s}}",
                    (int)strcspn(at, "\""), at, n == 0 ? "{\\\"orders\\\":[\\\"" : "", number,
                    n == 0 ? "\\\"]}" : "", n == 0 ? "false" : "true");
        engine_fixture_server(f, sp_buf_cstr(&line));
    }
    sp_buf_deinit(&line);
    return n;
}

static void flowrun_keeps_to_the_budgets_of_the_session(void **state)
{
    struct engine_flow served = desk_session_flow(NULL, 0);
    struct engine_fixture f;

    (void)state;
    served.per_session = 3;
    engine_fixture_init_flow(&f, &served, false, false);
    assert_int_equal(play_desk(&f, 1), 2);
    assert_int_equal(play_desk(&f, 2), 1); /* the failed one counted */
    sp_buf_clear(&f.flow_log);
    assert_int_equal(play_desk(&f, 3), 0);
    assert_int_equal(f.flow_log.len, 0);
    engine_fixture_deinit(&f);
}

/* ---- programs ---- */

#define SAMPLE(var, name, dist, args)                                     \
    "{\"stmt\":\"sample\",\"var\":\"" var "\",\"addr\":{\"name\":\"" name \
    "\"},\"dist\":{\"name\":\"" dist "\",\"args\":[" args "]}}"
#define VAR(name) "{\"op\":\"var\",\"name\":\"" name "\"}"
#define DECIDES   SAMPLE("d", "choose", "Decide", VAR("call") "," VAR("call_failed"))
#define PROGRAM(body)                                                                      \
    "\"model\":\"\",\"program\":{\"fugue_program\":1,\"body\":[" body "],\"ret\":{\"op\":" \
    "\"int\",\"value\":0}}"

static void fixture_init_program(struct engine_fixture *f, const char *program)
{
    struct flow_edit edit = {"\"model\":\"\"", program};
    struct engine_flow served = desk_session_flow(&edit, 1);

    engine_fixture_init_flow(f, &served, false, false);
    engine_fixture_host(f, DESK_FIND);
    (void)engine_fixture_look(f);
    engine_fixture_server(f, DESK_FOUND);
}

static void flowrun_makes_a_lookup_once_however_often_it_is_asked_for(void **state)
{
    struct engine_fixture f;

    (void)state;
    fixture_init_program(
        &f,
        PROGRAM(
            SAMPLE("a", "early", "Outcome", "{\"op\":\"int\",\"value\":2}") "," DECIDES "," SAMPLE(
                "b", "made", "Outcome", VAR("d")) "," SAMPLE("c", "again", "Outcome", VAR("d"))));
    EXPECT_PARTS(&f, "\"address\":\"choose\"", "> " DESK_ASK_CUSTOMER("1") "\n");
    engine_fixture_server(&f, DESK_ANSWER("1", DESK_CUSTOMER));
    EXPECT_PARTS(&f, "\"sites\":[[\"again\",false,", "[\"choose\",2,0.0],[\"early\",false,",
                 "[\"made\",true,", "< " DESK_ANSWERED(DESK_TOLD_CUSTOMER) "\n");
    assert_null(strstr(sp_buf_cstr(&f.to_server), "stretto-2"));
    engine_fixture_deinit(&f);
}

static void flowrun_keeps_to_the_budget_of_a_call_whatever_the_program(void **state)
{
    struct flow_edit edit = {
        "\"model\":\"\"",
        PROGRAM(DECIDES "," SAMPLE("ok", "made", "Outcome", VAR("d")) "," SAMPLE(
            "e", "more", "Decide", VAR("d") ",{\"op\":\"bool\",\"value\":false}"))};
    struct engine_flow served = desk_session_flow(&edit, 1);
    struct engine_fixture f;

    (void)state;
    served.per_call = 1;
    engine_fixture_init_flow(&f, &served, false, false);
    engine_fixture_host(&f, DESK_FIND);
    engine_fixture_server(&f, DESK_FOUND);
    (void)engine_fixture_look(&f);
    engine_fixture_server(&f, DESK_ANSWER("1", DESK_CUSTOMER));
    EXPECT_PARTS(&f, "\"sites\":[[\"choose\",2,0.0],[\"made\",true,", "[\"more\",0,0.0]");
    assert_null(strstr(sp_buf_cstr(&f.flow_log), "\"address\":\"more\""));
    engine_fixture_deinit(&f);
}

static void flowrun_makes_no_lookup_that_the_programs_site_does_not_offer(void **state)
{
    /* Training saw it there, but the flow does not list it among its lookups. */
    struct flow_edit edit = {"[\"find_customer\",\"get_customer\",\"get_order\"]",
                             "[\"find_customer\",\"get_order\"]"};
    struct engine_flow served = desk_session_flow(&edit, 1);
    struct engine_fixture f;

    (void)state;
    engine_fixture_init_flow(&f, &served, false, false);
    engine_fixture_host(&f, DESK_FIND);
    engine_fixture_server(&f, DESK_FOUND);
    EXPECT_PARTS(&f, "# {\"action\":\"lookup\"",
                 "! the flow's program does not offer get_customer\n", "[\"decide#0\",0,0.0]",
                 "< " DESK_FOUND "\n");
    engine_fixture_deinit(&f);
}

static void flowrun_ends_a_program_that_does_not(void **state)
{
    struct engine_fixture f;

    (void)state;
    fixture_init_program(
        &f, PROGRAM("{\"stmt\":\"for\",\"var\":\"i\",\"start\":{\"op\":\"int\",\"value\":0},"
                    "\"end\":{\"op\":\"int\",\"value\":4000000000},\"body\":[{\"stmt\":\"let\","
                    "\"var\":\"x\",\"value\":{\"op\":\"int\",\"value\":1}}]}"));
    EXPECT_PARTS(&f, "\"sites\":[],\"surprise\":0.0}}\n! the flow's program was ended: ",
                 "< " DESK_FOUND "\n");
    engine_fixture_deinit(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flowrun_asks_and_goes_on_with_the_answer),
        cmocka_unit_test(flowrun_hands_back_without_an_answer),
        cmocka_unit_test(flowrun_holds_up_nothing_else_while_it_asks),
        cmocka_unit_test(flowrun_gives_its_question_up_at_the_end),
        cmocka_unit_test(flowrun_is_freed_while_it_asks),
        cmocka_unit_test(flowrun_takes_an_answer_after_the_host_has_closed_its_end),
        cmocka_unit_test(flowrun_judges_by_the_listing_when_the_answer_comes),
        cmocka_unit_test(flowrun_does_not_ask_beyond_its_budget),
        cmocka_unit_test(flowrun_asks_in_shadow_and_counts_it),
        cmocka_unit_test(flowrun_keeps_to_the_budgets_of_the_session),
        cmocka_unit_test(flowrun_makes_a_lookup_once_however_often_it_is_asked_for),
        cmocka_unit_test(flowrun_keeps_to_the_budget_of_a_call_whatever_the_program),
        cmocka_unit_test(flowrun_makes_no_lookup_that_the_programs_site_does_not_offer),
        cmocka_unit_test(flowrun_ends_a_program_that_does_not),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
