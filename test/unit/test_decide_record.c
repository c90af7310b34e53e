/* Tests of flow/decide.h: the records of decisions, and exploration in them. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decided.h"
#include "flow_edit.h"
#include "flow_example.h"
#include "flow_tickets.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define MAX_EVENTS 12

#define T_41 "{\"ticket_id\":\"T-41\"}"

#define DESK_EVENTS                                                \
    CALL("3", "find_customer", "{\"email\":\"ana@example.com\"}"), \
        RESULT("3", "find_customer", "cust_7")
#define DESK_READ                                                      \
    CALL("stretto-1", "get_customer", "{\"customer_id\":\"cust_7\"}"), \
        RESULT("stretto-1", "get_customer", "{\"id\":\"cust_7\",\"orders\":[\"o-1\"]}")
static void decide_writes_the_lines_of_a_run(void **state)
{
    static const struct {
        struct flow_session_event events[MAX_EVENTS];
        const char *after;
        const char *address;
        const char *line;
    } cases[] = {
        {{DESK_EVENTS},
         "3",
         "decide#0",
         "{\"action\":\"lookup\",\"address\":\"decide#0\",\"after\":3,\"arguments\":{"
         "\"customer_id\":\"cust_7\"},\"binding\":0.9,\"key\":null,\"ms\":0,\"oracle\":{},"
         "\"predicates\":{},\"prob\":0.9917275552196188,\"probs\":{\"get_customer\":"
         "0.9917275552196188,\"respond\":0.0},\"site\":\"find_customer\",\"tool\":"
         "\"get_customer\"}"},
        {{DESK_EVENTS, DESK_READ},
         "stretto-1",
         "decide#1",
         "{\"action\":\"lookup\",\"address\":\"decide#1\",\"after\":3,\"arguments\":{"
         "\"order_id\":\"o-1\"},\"binding\":0.9,\"key\":null,\"ms\":0,\"oracle\":{},"
         "\"predicates\":{},\"prob\":0.9937431762828588,\"probs\":{\"get_order\":"
         "0.9937431762828588,\"respond\":0.0},\"site\":\"get_customer\",\"tool\":\"get_order\"}"},
        {{DESK_EVENTS, DESK_READ, CALL("stretto-2", "get_order", "{\"order_id\":\"o-1\"}"),
          ERROR("stretto-2", "get_order", "Order not found")},
         "stretto-2",
         "decide#2",
         "{\"action\":\"hand_back\",\"address\":\"decide#2\",\"after\":3,\"binding\":null,"
         "\"key\":null,\"ms\":0,\"oracle\":{},\"predicates\":{},\"prob\":null,\"probs\":{},"
         "\"reason\":\"no lookups followed here in training\",\"site\":\"get_order (error)\"}"},
    };
    struct decide_options options = {.decider = DECIDE_REACH, .threshold = 0.3};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct decide_context context = {.after = SP_STR("3"),
                                         .address = sp_str_of(cases[i].address)};
        struct sp_buf b = {0};
        struct decided d;

        decided_begin(&d, flow_parsed(FLOW_DESK, NULL, 0), "s", cases[i].events, cases[i].after,
                      &options);
        sp_buf_add_char(&b, '{');
        decide_put_record(d.decide, &context, &b);
        sp_buf_add_char(&b, '}');
        assert_string_equal(sp_buf_cstr(&b), cases[i].line);
        sp_buf_deinit(&b);
        decided_end(&d);
    }
}

static void decide_writes_what_its_context_says(void **state)
{
    static const struct flow_session_event events[] = {SAYS("Hi"), {0}};
    static const struct decide_context context = {.key = {"abc", 3},
                                                  .after = {"\"a\\u0062\"", 9},
                                                  .address = {"d\"#1", 4},
                                                  .ms = 1234,
                                                  .is_shadow = true};
    struct decide_options options = {.decider = DECIDE_HABIT, .explores = true, .epsilon = 1};
    struct sp_buf b = {0};
    struct decided d;

    (void)state;
    decided_begin(&d, flow_parsed(FLOW_DESK, NULL, 0), "s", events, NULL, &options);
    assert_null(decide_site(d.decide).p);
    decide_put_record(d.decide, &context, &b);
    /* No question was asked, so there is no key to it. */
    assert_string_equal(sp_buf_cstr(&b),
                        "\"action\":\"hand_back\",\"address\":\"d\\\"#1\",\"after\":\"a\\u0062\","
                        "\"binding\":null,\"key\":null,\"ms\":1234,\"oracle\":{},"
                        "\"predicates\":{},\"prob\":null,\"probs\":{},\"reason\":\"the last step "
                        "is not a tool call\",\"shadow\":true,\"site\":null");
    sp_buf_deinit(&b);
    decided_check_record(
        &d, "abc",
        "{\"action\":\"hand_back\",\"binding\":null,\"key\":null,\"oracle\":{},"
        "\"predicates\":{},\"prob\":null,\"probs\":{},\"reason\":\"the last step is not "
        "a tool call\",\"site\":null}");
    decided_end(&d);
}

#define DESK_POLICY(explored, greedy, propensity, threshold, epsilon)                \
    "\"policy\":{\"decider\":\"reach\",\"epsilon\":" epsilon                         \
    ",\"events\":2,\"explored\":" explored ",\"greedy\":" greedy                     \
    ",\"options\":[{\"arguments\":{\"customer_id\":\"cust_7\"},"                     \
    "\"binding\":0.9,\"habit\":0.998856881572931,\"p\":0.9917275552196188,\"tool\":" \
    "\"get_customer\"}],\"propensity\":" propensity                                  \
    ",\"task_id\":\"task-1\",\"threshold\":" threshold "}"
#define DESK_LOOKUP                                                                      \
    "{\"action\":\"lookup\",\"arguments\":{\"customer_id\":\"cust_7\"},\"binding\":0.9," \
    "\"key\":null,\"oracle\":{},"
#define DESK_PROB                                                                 \
    ",\"predicates\":{},\"prob\":0.9917275552196188,\"probs\":{\"get_customer\":" \
    "0.9917275552196188,\"respond\":0.0},"

static void decide_explores_as_the_draws_say(void **state)
{
    static const struct {
        double threshold;
        double epsilon;
        uint64_t seed;
        const char *record;
    } cases[] = {
        {0.95, 0.2, 0,
         "{\"action\":\"hand_back\",\"binding\":0.9,\"key\":null,\"oracle\":{}," DESK_POLICY(
             "false", "null", "0.8", "0.95", "0.2") DESK_PROB
         "\"reason\":\"get_customer at 0.99, times 0.90 for its arguments, below 0.95\","
         "\"site\":\"find_customer\"}"},
        {0.95, 0.2, 3,
         DESK_LOOKUP DESK_POLICY("true", "null", "0.2", "0.95", "0.2") DESK_PROB
         "\"site\":\"find_customer\",\"tool\":\"get_customer\"}"},
        {0.3, 1, 3,
         DESK_LOOKUP DESK_POLICY("false", "\"get_customer\"", "1.0", "0.3", "1.0") DESK_PROB
         "\"site\":\"find_customer\",\"tool\":\"get_customer\"}"},
        {0.3, 0, 3,
         DESK_LOOKUP DESK_POLICY("false", "\"get_customer\"", "1.0", "0.3", "0.0") DESK_PROB
         "\"site\":\"find_customer\",\"tool\":\"get_customer\"}"},
    };
    static const struct flow_session_event events[] = {DESK_EVENTS, {0}};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct decide_options options = {.decider = DECIDE_REACH,
                                         .threshold = cases[i].threshold,
                                         .explores = true,
                                         .epsilon = cases[i].epsilon,
                                         .seed = cases[i].seed};
        struct decided d;

        decided_begin(&d, flow_parsed(FLOW_DESK, NULL, 0), "task-1", events, "3", &options);
        decided_check_record(&d, NULL, cases[i].record);
        decided_end(&d);
    }
}

static void decide_explores_the_example_by_seed(void **state)
{
    static const bool explores[] = {false, true, false, true, true, false};
    static const struct flow_session_event events[] = {TICKETS_ASKED, TICKETS_FOUND, {0}};

    (void)state;
    for (uint64_t seed = 0; seed < N_OF(explores); seed++) {
        struct decide_options options = {.decider = DECIDE_HABIT,
                                         .threshold = 0.99,
                                         .explores = true,
                                         .epsilon = 0.5,
                                         .seed = seed};
        struct sp_buf b = {0};
        struct decided d;

        decided_begin(&d, flow_parsed(FLOW_EXAMPLE, NULL, 0), "t1", events, "7", &options);
        if (explores[seed])
            decided_check(&d, "get_ticket", T_41, NULL);
        else
            decided_check(&d, NULL, NULL, "get_ticket at 0.98, below 0.99");
        decided_put_record(&b, &d, NULL);
        /* The rule did not get as far as the binding; the policy tells of it. */
        assert_non_null(strstr(sp_buf_cstr(&b), "\"binding\":null,\"key\""));
        assert_non_null(strstr(sp_buf_cstr(&b), "\"binding\":0.8333333333333334,\"habit\""));
        assert_non_null(strstr(sp_buf_cstr(&b), "\"propensity\":0.5,"));
        sp_buf_deinit(&b);
        decided_end(&d);
    }
}

static void decide_tells_in_its_policy_what_does_not_bind(void **state)
{
    static const struct flow_session_event events[] = {
        TICKETS_ASKED, TICKETS_FOUND, TICKETS_READ_FIRST, TICKETS_READ_SECOND, {0}};
    struct decide_options options = {
        .decider = DECIDE_HABIT, .threshold = 0.3, .explores = true, .epsilon = 1};
    struct sp_buf b = {0};
    struct decided d;

    (void)state;
    decided_begin(&d, flow_parsed(FLOW_EXAMPLE, NULL, 0), "t1", events, NULL, &options);
    decided_check(&d, NULL, NULL, "get_ticket at 0.07, below 0.3");
    decided_put_record(&b, &d, NULL);
    assert_non_null(strstr(sp_buf_cstr(&b), "\"options\":[{\"arguments\":null,\"binding\":null,"));
    assert_non_null(strstr(sp_buf_cstr(&b), "\"tool\":\"get_ticket\",\"unbound\":\"nothing left to "
                                            "pass as `ticket_id`\"}],\"propensity\":1.0,"));
    sp_buf_deinit(&b);
    decided_end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decide_writes_the_lines_of_a_run),
        cmocka_unit_test(decide_writes_what_its_context_says),
        cmocka_unit_test(decide_explores_as_the_draws_say),
        cmocka_unit_test(decide_explores_the_example_by_seed),
        cmocka_unit_test(decide_tells_in_its_policy_what_does_not_bind),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
