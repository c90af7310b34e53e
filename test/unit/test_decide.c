/* Tests of flow/decide.h: decisions of the chapters' examples, and every reason. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decided.h"
#include "flow_edit.h"
#include "flow_example.h"
#include "flow_tickets.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define MAX_EVENTS 12
#define MAX_EDITS  4

struct decide_case {
    struct flow_session_event events[MAX_EVENTS];
    const char *after; /* the view's call; NULL: the whole episode */
    struct flow_edit edits[MAX_EDITS];
    enum decide_decider decider;
    double threshold;
    const char *arguments; /* of get_ticket; NULL: it hands back */
    const char *reason;    /* if it does */
};

static void check_cases(const struct decide_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct decide_case *c = &cases[i];
        struct decide_options options = {.decider = c->decider, .threshold = c->threshold};
        struct decided d;

        decided_begin(&d, flow_parsed(FLOW_EXAMPLE, c->edits, MAX_EDITS), "t1", c->events, c->after,
                      &options);
        decided_check(&d, "get_ticket", c->arguments, c->reason);
        assert_false(decide_has_asked(d.decide));
        decided_end(&d);
    }
}

#define L1 TICKETS_ASKED, TICKETS_FOUND
#define L2 L1, TICKETS_READ_FIRST
#define L3 L2, TICKETS_READ_SECOND

#define T_41 "{\"ticket_id\":\"T-41\"}"
#define T_42 "{\"ticket_id\":\"T-42\"}"

#define NO_EDITS       \
    {                  \
        {              \
            NULL, NULL \
        }              \
    }

static const struct decide_case worked_examples[] = {
    {{L1}, NULL, NO_EDITS, DECIDE_HABIT, 0.3, T_41, NULL},
    {{L1}, "7", NO_EDITS, DECIDE_REACH, 0.3, T_41, NULL},
    {{L1},
     NULL,
     NO_EDITS,
     DECIDE_HABIT,
     0.9,
     NULL,
     "get_ticket at 0.98, times 0.83 for its arguments, below 0.9"},
    {{L1}, NULL, NO_EDITS, DECIDE_HABIT, 0.99, NULL, "get_ticket at 0.98, below 0.99"},
    /* A threshold that is no number takes no lookup. */
    {{L1}, NULL, NO_EDITS, DECIDE_HABIT, NAN, NULL, "get_ticket at 0.98, below nan"},
    {{TICKETS_ASKED, CALL("7", "find_tickets", "{}"), ALSO("8", "get_ticket", T_41),
      RESULT("7", "find_tickets", "{\"owner\":\"dee\",\"tickets\":[\"T-41\",\"T-42\"]}")},
     "7",
     NO_EDITS,
     DECIDE_HABIT,
     0.3,
     T_42,
     NULL},
    {{USER("Where is T-42?"), TICKETS_FOUND}, NULL, NO_EDITS, DECIDE_HABIT, 0.3, T_42, NULL},
    {{L2},
     NULL,
     NO_EDITS,
     DECIDE_HABIT,
     0.3,
     NULL,
     "get_ticket at 0.33, times 0.83 for its arguments, below 0.3"},
    {{L2},
     NULL,
     NO_EDITS,
     DECIDE_REACH,
     0.3,
     NULL,
     "get_ticket at 0.33, times 0.83 for its arguments, below 0.3"},
    {{L2}, NULL, NO_EDITS, DECIDE_HABIT, 0.25, T_42, NULL},
    {{L2}, NULL, NO_EDITS, DECIDE_REACH, 0.25, T_42, NULL},
    {{L3}, NULL, NO_EDITS, DECIDE_HABIT, 0.3, NULL, "get_ticket at 0.07, below 0.3"},
    {{L3},
     NULL,
     NO_EDITS,
     DECIDE_HABIT,
     0.05,
     NULL,
     "get_ticket: nothing left to pass as `ticket_id`"},
};

static void decide_is_that_of_the_worked_examples(void **state)
{

    (void)state;
    check_cases(worked_examples, N_OF(worked_examples));
}

static void decide_knows_the_binding_chance_of_a_named_and_another_ticket(void **state)
{
    static const struct {
        struct flow_session_event events[MAX_EVENTS];
        struct flow_edit edits[MAX_EDITS];
        const char *binding;
    } cases[] = {
        {{L1}, NO_EDITS, "\"binding\":0.8333333333333334,"},
        {{USER("Where is T-42?"), TICKETS_FOUND}, NO_EDITS, "\"binding\":0.5,"},
        {{USER("Where is T-42?"), TICKETS_FOUND, TICKETS_READ_SECOND},
         NO_EDITS,
         "\"binding\":0.8333333333333334,"},
        {{USER("Where is T-42?"), TICKETS_FOUND, TICKETS_READ_SECOND},
         {{"\"stretto_flow\":1", "\"stretto_flow\":2"},
          {"\"agreed\":{\"get_ticket\":[[4,4],[0,0]]}",
           "\"agreed\":{\"get_ticket\":[[4,4],[0,0]]},\"named_other\":{\"get_ticket\":[0,3]}"}},
         "\"binding\":0.3333333333333333"},
    };
    struct decide_options options = {.decider = DECIDE_HABIT, .threshold = 0};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_buf b = {0};
        struct decided d;

        decided_begin(&d, flow_parsed(FLOW_EXAMPLE, cases[i].edits, MAX_EDITS), "t1",
                      cases[i].events, NULL, &options);
        decided_put_record(&b, &d, NULL);
        if (strstr(sp_buf_cstr(&b), cases[i].binding) == NULL)
            fail_msg("%s without %s", sp_buf_cstr(&b), cases[i].binding);
        sp_buf_deinit(&b);
        decided_end(&d);
    }
}

#define PROMOTED(site, is_promoted)                                                    \
    {                                                                                  \
        "\"contracts\"", "\"promoted\":{\"bar\":{\"threshold\":0.9,\"min_used\":0.5,"  \
                         "\"min_lower\":0.25,\"min_tasks\":3},\"sites\":{\"" site      \
                         "\":{\"decisions\":9,\"lookups\":8,\"used\":7,\"tasks\":4,"   \
                         "\"lower\":0.4,\"promoted\":" is_promoted "}}},\"contracts\"" \
    }
#define VERSION_2                                  \
    {                                              \
        "\"stretto_flow\":1", "\"stretto_flow\":2" \
    }
#define THRESHOLD(site, t)                                                   \
    {                                                                        \
        "\"contracts\"", "\"thresholds\":{\"" site "\":" t "},\"contracts\"" \
    }

static const struct decide_case unweighed[] = {
    {{{0}}, NULL, NO_EDITS, DECIDE_HABIT, 0, NULL, "the last step is not a tool call"},
    {{L1, SAYS("Here")}, NULL, NO_EDITS, DECIDE_HABIT, 0, NULL, "the last step is not a tool call"},
    {{CALL("1", "find_tickets", "{}"), ERROR("1", "find_tickets", "")},
     NULL,
     NO_EDITS,
     DECIDE_HABIT,
     0,
     NULL,
     "no lookups followed here in training"},
    {{CALL("1", "other", "{}"), RESULT("1", "other", "")},
     NULL,
     NO_EDITS,
     DECIDE_REACH,
     0,
     NULL,
     "no lookups followed here in training"},
    /* The bar itself is not asked. */
    {{L1}, NULL, {PROMOTED("find_tickets", "true")}, DECIDE_HABIT, 0.3, T_41, NULL},
    {{L1},
     NULL,
     {PROMOTED("find_tickets", "false")},
     DECIDE_HABIT,
     0,
     NULL,
     "the site is not promoted"},
    {{L1},
     NULL,
     {PROMOTED("get_ticket", "true")},
     DECIDE_HABIT,
     0,
     NULL,
     "the site is not promoted"},
    {{CALL("1", "other", "{}")},
     NULL,
     {PROMOTED("other", "true")},
     DECIDE_HABIT,
     0,
     NULL,
     "the site is not promoted"},
    {{L1},
     NULL,
     {VERSION_2, PROMOTED("find_tickets", "false"), THRESHOLD("find_tickets", "2.0")},
     DECIDE_HABIT,
     0,
     NULL,
     "the site is not promoted"},
    {{L1},
     NULL,
     {VERSION_2, THRESHOLD("find_tickets", "1.5")},
     DECIDE_HABIT,
     0,
     NULL,
     "the site is switched off"},
    {{CALL("1", "other", "{}")},
     NULL,
     {VERSION_2, THRESHOLD("other (error)", "1.5")},
     DECIDE_HABIT,
     0,
     NULL,
     "the site is switched off"},
    /* A site's own threshold goes before the one that is served. */
    {{L1},
     NULL,
     {VERSION_2, THRESHOLD("find_tickets", "1.0")},
     DECIDE_HABIT,
     0,
     NULL,
     "get_ticket at 0.98, below 1"},
    {{L1}, NULL, {VERSION_2, THRESHOLD("find_tickets", "0.3")}, DECIDE_HABIT, 2, T_41, NULL},
    {{L1},
     NULL,
     {VERSION_2, THRESHOLD("find_tickets (error)", "2.0")},
     DECIDE_HABIT,
     0.3,
     T_41,
     NULL},
};

static void decide_hands_back_before_it_weighs_anything(void **state)
{

    (void)state;
    check_cases(unweighed, N_OF(unweighed));
}

static void decide_writes_thresholds_as_short_as_they_are(void **state)
{
    static const struct {
        double t;
        const char *text;
    } cases[] = {
        {1, "1"},
        {1.5, "1.5"},
        {100, "100"},
        {1e15, "1000000000000000"},
        {1e16, "10000000000000000"},
        {1.5e20, "150000000000000000000"},
        {12345678901234567000.0, "12345678901234567000"},
        {INFINITY, "inf"},
        {NAN, "nan"},
    };
    static const struct flow_session_event events[] = {L1, {0}};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct decide_options options = {.decider = DECIDE_REACH, .threshold = cases[i].t};
        char reason[100];
        struct decided d;

        snprintf(reason, sizeof reason, "get_ticket at 0.97, below %s", cases[i].text);
        decided_begin(&d, flow_parsed(FLOW_EXAMPLE, NULL, 0), "t1", events, NULL, &options);
        decided_check(&d, NULL, NULL, reason);
        decided_end(&d);
    }
}

static void decide_writes_thresholds_without_exponents(void **state)
{
    static const struct {
        double t;
        const char *text;
    } cases[] = {{1e-6, "0.000001"}, {1.25e-7, "0.000000125"}, {0.00001, "0.00001"}};
    static const struct flow_session_event events[] = {L1, {0}};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct decide_options options = {.decider = DECIDE_HABIT, .threshold = cases[i].t};
        struct flow *f = flow_parsed(FLOW_EXAMPLE, NULL, 0);
        char reason[100];
        struct decided d;

        /* Counts that leave hardly any chance. */
        for (size_t k = 0; k < f->top.n; k++) {
            f->top.contexts[k].counts.n = 0;
            f->top.contexts[k].counts.total = 1e9;
        }
        snprintf(reason, sizeof reason, "get_ticket at 0.00, below %s", cases[i].text);
        decided_begin(&d, f, "t1", events, NULL, &options);
        decided_check(&d, NULL, NULL, reason);
        decided_end(&d);
    }
}

static void decide_serves_the_best_decider_that_a_flow_has(void **state)
{
    static const struct flow_edit no_reach = {"\"reach\":{", "\"no_reach\":{"};
    struct flow *f = flow_parsed(FLOW_FULL, NULL, 0);

    (void)state;
    assert_int_equal(decide_default(f), DECIDE_ARBITER);
    flow_free(f);
    f = flow_parsed(FLOW_EXAMPLE, NULL, 0);
    assert_int_equal(decide_default(f), DECIDE_REACH);
    flow_free(f);
    f = flow_parsed(FLOW_EXAMPLE, &no_reach, 1);
    assert_int_equal(decide_default(f), DECIDE_HABIT);
    flow_free(f);
}

static void decide_hashes_tasks_to_folds(void **state)
{
    static const struct {
        const char *task;
        unsigned fold;
    } cases[] = {{"", 3},
                 {"a", 1},
                 {"1", 3},
                 {"s1", 4},
                 {"task-1", 0},
                 {"task-7", 3},
                 {"20260923T212000.123Z-4242", 0}};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++)
        assert_int_equal(decide_hash(sp_str_of(cases[i].task)) % FLOW_N_FOLDS, cases[i].fold);
}

#define DESK_EVENTS                                                \
    CALL("3", "find_customer", "{\"email\":\"ana@example.com\"}"), \
        RESULT("3", "find_customer", "cust_7")

#define DESK_NEXT(lookups)                                  \
    {                                                       \
        "[[\"find_customer\",false],{\"get_customer\":8}]", \
            "[[\"find_customer\",false],{" lookups "}]"     \
    }

static void decide_by_reach_judges_each_lookup_by_itself(void **state)
{
    static const struct {
        struct flow_edit edits[MAX_EDITS];
        double threshold;
        const char *tool;
        const char *reason;
    } cases[] = {
        /* find_customer is unlikely, get_order does not bind, get_customer does. */
        {{DESK_NEXT("\"find_customer\":1,\"get_customer\":1,\"get_order\":1")},
         0.3,
         "get_customer",
         NULL},
        {{DESK_NEXT("\"find_customer\":1,\"get_customer\":1,\"get_order\":1")},
         0.95,
         NULL,
         "get_customer at 0.99, times 0.90 for its arguments, below 0.95"},
        /* Of those that are likely and do not bind the last is named, not the likeliest. */
        {{DESK_NEXT("\"find_customer\":1,\"get_order\":1")},
         0.3,
         NULL,
         "get_order: nothing left to pass as `order_id`"},
        {{DESK_NEXT("\"find_customer\":1,\"get_order\":1")},
         0.001,
         NULL,
         "get_order: nothing left to pass as `order_id`"},
        {{DESK_NEXT("\"find_customer\":1,\"aa\":1")},
         0.5,
         NULL,
         "find_customer at 0.00, below 0.5"},
        {{DESK_NEXT("\"find_customer\":1,\"get_order\":1")},
         0.999,
         NULL,
         "get_order at 0.99, below 0.999"},
        /* Of equals the first. */
        {{DESK_NEXT("\"x\":1,\"y\":1")}, 0.9, NULL, "x at 0.00, below 0.9"},
        {{DESK_NEXT("\"x\":1,\"y\":1")},
         0,
         NULL,
         "y: training never called it, and its arguments are not known"},
    };
    static const struct flow_session_event events[] = {DESK_EVENTS, {0}};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct decide_options options = {.decider = DECIDE_REACH, .threshold = cases[i].threshold};
        struct decided d;

        decided_begin(&d, flow_parsed(FLOW_DESK, cases[i].edits, MAX_EDITS), "t1", events, NULL,
                      &options);
        decided_check(&d, cases[i].tool, "{\"customer_id\":\"cust_7\"}", cases[i].reason);
        decided_end(&d);
    }
}

static void decide_by_reach_takes_the_first_of_equals(void **state)
{
    static const struct flow_edit edits[MAX_EDITS] = {
        DESK_NEXT("\"y\":1,\"x\":1,\"w\":1"),
        {"\"bindings\":{\"args\":{", "\"bindings\":{\"args\":{\"y\":[8,{}],\"x\":[8,{}],"},
    };
    static const struct flow_session_event events[] = {DESK_EVENTS, {0}};
    struct decide_options options = {.decider = DECIDE_REACH, .threshold = 0};
    struct decided d;

    (void)state;
    decided_begin(&d, flow_parsed(FLOW_DESK, edits, MAX_EDITS), "t1", events, NULL, &options);
    decided_check(&d, "x", "{}", NULL);
    decided_end(&d);
}

static void decide_by_habit_judges_the_likeliest_alone(void **state)
{
    /* get_order is likelier once the customer was read, and cannot be bound to anything more. */
    static const struct flow_edit edits[MAX_EDITS] = {
        {"[[\"get_customer\",false],{\"get_order\":8}]",
         "[[\"get_customer\",false],{\"get_customer\":1,\"get_order\":8}]"}};
    static const struct flow_session_event events[] = {
        DESK_EVENTS,
        CALL("4", "find_customer", "{}"),
        RESULT("4", "find_customer", "cust_8"),
        CALL("5", "get_customer", "{\"customer_id\":\"cust_7\"}"),
        RESULT("5", "get_customer", "{}"),
        {0},
    };
    struct decide_options options = {.decider = DECIDE_HABIT, .threshold = 0};
    struct decided d;

    (void)state;
    decided_begin(&d, flow_parsed(FLOW_DESK, edits, MAX_EDITS), "t1", events, NULL, &options);
    decided_check(&d, NULL, NULL, "get_order: nothing left to pass as `order_id`");
    decided_end(&d);
    options.decider = DECIDE_REACH;
    decided_begin(&d, flow_parsed(FLOW_DESK, edits, MAX_EDITS), "t1", events, NULL, &options);
    decided_check(&d, "get_customer", "{\"customer_id\":\"cust_8\"}", NULL);
    decided_end(&d);
}

static void decide_tells_the_chances_of_its_options(void **state)
{
    static const struct {
        enum decide_decider decider;
        double lookup;
        double respond;
    } cases[] = {
        {DECIDE_HABIT, 0.980654762, 0.019345238},
        {DECIDE_REACH, 0.971726190, 0},
    };
    static const struct flow_session_event events[] = {L1, {0}};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct decide_options options = {.decider = cases[i].decider, .threshold = INFINITY};
        const struct predict_options *offered = NULL;
        const double *chances;
        struct decided d;

        decided_begin(&d, flow_parsed(FLOW_EXAMPLE, NULL, 0), "t1", events, NULL, &options);
        chances = decide_chances(d.decide, &offered);
        assert_non_null(chances);
        assert_int_equal(offered->n, 2);
        assert_true(sp_str_eq(offered->of[0], SP_STR("get_ticket")));
        assert_true(sp_str_eq(offered->of[1], SP_STR("respond")));
        assert_int_equal(offered->respond, 1);
        assert_true(fabs(chances[0] - cases[i].lookup) < 1e-9);
        assert_true(fabs(chances[1] - cases[i].respond) < 1e-9);
        decided_end(&d);
    }
}

static void decide_has_no_chances_where_it_weighs_nothing(void **state)
{
    static const struct flow_edit promoted[] = {
        {"\"model\":\"\"",
         "\"model\":\"\",\"promoted\":{\"bar\":{\"threshold\":0.3,\"min_used\":0.7,"
         "\"min_lower\":0.5,\"min_tasks\":3},\"sites\":{}}"},
    };
    static const struct {
        struct flow_session_event events[MAX_EVENTS];
        size_t n_edits;
    } cases[] = {
        {{TICKETS_ASKED}, 0},
        {{TICKETS_ASKED, CALL("7", "find_tickets", "{}"), ERROR("7", "find_tickets", "no")}, 0},
        {{L1}, 1},
    };
    struct decide_options options = {.decider = DECIDE_HABIT, .threshold = INFINITY};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        const struct predict_options *offered = NULL;
        struct decided d;

        decided_begin(&d, flow_parsed(FLOW_EXAMPLE, promoted, cases[i].n_edits), "t1",
                      cases[i].events, NULL, &options);
        assert_null(decide_chances(d.decide, &offered));
        assert_null(offered);
        decided_end(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decide_is_that_of_the_worked_examples),
        cmocka_unit_test(decide_knows_the_binding_chance_of_a_named_and_another_ticket),
        cmocka_unit_test(decide_hands_back_before_it_weighs_anything),
        cmocka_unit_test(decide_writes_thresholds_as_short_as_they_are),
        cmocka_unit_test(decide_writes_thresholds_without_exponents),
        cmocka_unit_test(decide_serves_the_best_decider_that_a_flow_has),
        cmocka_unit_test(decide_hashes_tasks_to_folds),
        cmocka_unit_test(decide_by_reach_judges_each_lookup_by_itself),
        cmocka_unit_test(decide_by_reach_takes_the_first_of_equals),
        cmocka_unit_test(decide_by_habit_judges_the_likeliest_alone),
        cmocka_unit_test(decide_tells_the_chances_of_its_options),
        cmocka_unit_test(decide_has_no_chances_where_it_weighs_nothing),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
