/* Tests of learn/stepbook.h: alpha and counts from sessions. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow/predict.h"
#include "flow_edit.h"
#include "flow_example.h"
#include "flow_session.h"
#include "learn/stepbook.h"
#include "tool_flow.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define FOUND(id, email, result) \
    CALL(id, "find_tickets", "{\"email\":\"" email "\"}"), RESULT(id, "find_tickets", result)
#define READ(id, ticket, status)                              \
    CALL(id, "get_ticket", "{\"ticket_id\":\"" ticket "\"}"), \
        RESULT(id, "get_ticket", "{\"state\":\"" status "\",\"ticket_id\":\"" ticket "\"}")

/* The three sessions from which FLOW_EXAMPLE is learned. */
static const struct flow_session_event tickets[3][13] = {
    {
        USER("My tickets, please."),
        FOUND("1", "ann@example.com", "{\"owner\":\"ann\",\"tickets\":[\"T-11\",\"T-12\"]}"),
        READ("2", "T-11", "open"),
        READ("3", "T-12", "closed"),
        SAYS("One is open."),
        USER("Thanks."),
        SAYS("You are welcome."),
    },
    {
        USER("Any news?"),
        FOUND("1", "bob@example.com", "{\"owner\":\"bob\",\"tickets\":[\"T-21\",\"T-22\"]}"),
        READ("2", "T-21", "open"),
        SAYS("It is open."),
    },
    {
        USER("My ticket?"),
        CALL("1", "find_tickets", "{\"email\":\"cy@example.org\"}"),
        ERROR("1", "find_tickets", "no such customer"),
        SAYS("Which address did you use?"),
        USER("cy@example.com"),
        FOUND("2", "cy@example.com", "{\"owner\":\"cy\",\"tickets\":[\"T-31\"]}"),
        READ("3", "T-31", "open"),
        SAYS("It is open."),
    },
};
static const char *const ticket_ids[] = {"s1", "s2", "s3"};

static void add(struct stepbook *b, const char *task_id, const struct flow_session_event *events)
{
    struct episode e = {.task_id = sp_str_of(task_id)};

    flow_session_add_all(&e, events);
    stepbook_add(b, &e);
    episode_deinit(&e);
}

/* The sessions of FLOW_EXAMPLE from the one at `first` on. */
static struct stepbook *tickets_from(size_t first)
{
    struct stepbook *b = stepbook_new();

    for (size_t i = first; i < N_OF(tickets); i++)
        add(b, ticket_ids[i], tickets[i]);
    return b;
}

/* FLOW_EXAMPLE without what a book sets. */
static struct flow *without_counts(void)
{
    struct flow *f = flow_parsed(FLOW_EXAMPLE, NULL, 0);

    for (size_t i = 0; i < f->habit.n_levels; i++) {
        sp_map_deinit(&f->habit.levels[i].by_history);
        sp_map_deinit(&f->reach.levels[i].by_history);
    }
    sp_map_deinit(&f->top.by_history);
    f->group = 0;
    f->habit = (struct flow_model){0};
    f->beta = 0;
    f->top = (struct flow_level){0};
    f->reach = (struct flow_model){0};
    f->has_reach = false;
    f->sites.next = NULL;
    f->sites.n_next = 0;
    return f;
}

static void stepbook_counts_the_worked_example(void **state)
{
    struct stepbook *b = tickets_from(0);
    struct flow *f = without_counts();

    (void)state;
    stepbook_choose_features(b, f, 1.0);
    flow_index(f);
    stepbook_count(b, f, 1.0);
    flow_index(f);
    flow_check_written(f, SP_STR(FLOW_EXAMPLE));
    flow_free(f);
    stepbook_free(b);
}

static void assert_near(double is, double wanted, double tolerance)
{
    if (!(fabs(is - wanted) <= tolerance))
        fail_msg("%.17g is not %.17g", is, wanted);
}

static void stepbook_alpha_of_the_worked_example_is_the_median(void **state)
{
    struct stepbook *b = tickets_from(0);
    struct flow *f = without_counts();
    double alpha = stepbook_alpha(b, f);

    (void)state;
    assert_near(alpha, 2.3210005, 5e-8);
    stepbook_count(b, f, alpha);
    flow_index(f);
    assert_true(f->habit.alpha == alpha);
    assert_true(f->reach.alpha == alpha);
    assert_true(f->beta == alpha);
    flow_free(f);
    stepbook_free(b);
}

struct chance_case {
    double alpha;
    size_t n_events; /* of the first session */
    double habit;
    double reach;
};

static void stepbook_counts_predict_the_worked_example(void **state)
{
    static const struct chance_case cases[] = {
        {1, 3, 0.980654762, 0.971726190},
        {2.3210005, 3, 0.911771017, 0.912208111},
        {1, 5, 0.328794643, 0.333035714},
        {2.3210005, 5, 0.320897746, 0.357094384},
    };
    struct stepbook *b = tickets_from(0);

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct flow *f = without_counts();
        struct episode e = {0};
        struct episode_view view;
        struct predict_counts counts;

        stepbook_count(b, f, cases[i].alpha);
        flow_index(f);
        flow_session_add(&e, tickets[0], cases[i].n_events);
        view = episode_view_whole(&e);
        counts = predict_habit(f, &view);
        assert_near(predict_chance(&counts, 2), cases[i].habit, 1e-8);
        counts = predict_reach(f, &view);
        assert_near(predict_chance(&counts, 2), cases[i].reach, 1e-8);
        episode_deinit(&e);
        flow_free(f);
    }
    stepbook_free(b);
}

static void stepbook_next_has_the_reads_of_the_sessions_it_was_given(void **state)
{
    struct stepbook *b = tickets_from(1);
    struct flow *f = without_counts();

    (void)state;
    stepbook_count(b, f, 1.0);
    flow_index(f);
    assert_int_equal(f->sites.n_next, 1);
    assert_true(sp_str_eq(f->sites.next[0].tool, SP_STR("find_tickets")));
    assert_false(f->sites.next[0].failed);
    assert_int_equal(f->sites.next[0].lookups.n, 1);
    assert_true(sp_str_eq(f->sites.next[0].lookups.of[0].name, SP_STR("get_ticket")));
    assert_int_equal(f->sites.next[0].lookups.of[0].n, 2);
    flow_free(f);
    stepbook_free(b);
}

static void stepbook_next_counts_reads_right_after_calls(void **state)
{
    static const struct tool_flow_tool tools[] = {
        {"a", MANIFEST_READ}, {"b", MANIFEST_READ}, {"g", MANIFEST_GENERIC}, {"w", MANIFEST_WRITE}};
    static const struct flow_session_event first[] = {
        /* The calls of one turn are steps one after the other. */
        CALL("1", "w", "{}"),
        ALSO("2", "b", "{}"),
        ALSO("3", "a", "{}"),
        ALSO("4", "g", "{}"),
        RESULT("1", "w", ""),
        RESULT("2", "b", ""),
        RESULT("3", "a", ""),
        RESULT("4", "g", ""),
        /* A message stands between. */
        SAYS("Well"),
        CALL("5", "a", "{}"),
        ERROR("5", "a", ""),
        CALL("6", "a", "{}"),
        {0}};
    static const struct flow_session_event second[] = {CALL("1", "a", "{}"),
                                                       RESULT("1", "a", ""),
                                                       CALL("2", "b", "{}"),
                                                       CALL("3", "b", "{}"),
                                                       CALL("4", "unknown", "{}"),
                                                       CALL("5", "a", "{}"),
                                                       {0}};
    struct flow *f = tool_flow(tools, N_OF(tools));
    struct stepbook *b = stepbook_new();

    (void)state;
    add(b, "1", first);
    add(b, "2", second);
    stepbook_count(b, f, 1.0);
    flow_index(f);
    tool_flow_check_has(f, "\"next\":[[[\"a\",false],{\"b\":1}],[[\"a\",true],{\"a\":1}],"
                           "[[\"b\",false],{\"a\":1}],[[\"b\",true],{\"b\":1}],"
                           "[[\"unknown\",true],{\"a\":1}],[[\"w\",false],{\"b\":1}]]");
    flow_free(f);
    stepbook_free(b);
}

static void stepbook_reach_ends_at_writes(void **state)
{
    static const struct tool_flow_tool tools[] = {{"cancel", MANIFEST_WRITE},
                                                  {"get_order", MANIFEST_READ}};
    static const struct flow_session_event events[] = {
        CALL("1", "get_order", "{}"),
        RESULT("1", "get_order", ""),
        SAYS("This one?"),
        USER("Yes"),
        CALL("2", "get_order", "{}"),
        RESULT("2", "get_order", ""),
        CALL("3", "cancel", "{}"),
        RESULT("3", "cancel", ""),
        CALL("4", "get_order", "{}"),
        RESULT("4", "get_order", ""),
        SAYS("Done"),
        {0},
    };
    static const double habit[] = {0.790179, 0.147321, 0.058036, 0.004464};
    static const double reach[] = {0.825893, 0.004464, 0.700893, 0.004464};
    struct flow *f = tool_flow(tools, N_OF(tools));
    struct stepbook *b = stepbook_new();
    struct episode e = {0};
    struct episode_view view;
    struct predict_counts counts;

    (void)state;
    add(b, "1", events);
    stepbook_count(b, f, 1.0);
    flow_index(f);
    tool_flow_check_has(f, "\"reach\":{\"order\":2,\"alpha\":1.0,\"vocab_size\":4,\"levels\":["
                           "[[[],{\"by_action\":[[0,4.0],[2,4.0]],\"total\":6.0}]],");
    tool_flow_check_has(f, "[[32768],{\"by_action\":[[0,2.0],[2,1.0]],\"total\":3.0}]");
    tool_flow_check_has(f, "[[8192,32768],{\"by_action\":[],\"total\":1.0}]");

    flow_session_add(&e, events, 2);
    view = episode_view_whole(&e);
    counts = predict_habit(f, &view);
    counts.top = NULL;
    for (uint64_t i = 0; i < N_OF(habit); i++)
        assert_near(predict_chance(&counts, i), habit[i], 1e-6);
    counts = predict_reach(f, &view);
    for (uint64_t i = 0; i < N_OF(reach); i++)
        assert_near(predict_chance(&counts, i), reach[i], 1e-6);
    episode_deinit(&e);
    flow_free(f);
    stepbook_free(b);
}

static void stepbook_without_sessions_has_no_counts(void **state)
{
    static const struct tool_flow_tool tools[] = {
        {"a", MANIFEST_READ}, {"b", MANIFEST_WRITE}, {"c", MANIFEST_GENERIC}};
    struct flow *f = tool_flow(tools, N_OF(tools));
    struct stepbook *b = stepbook_new();

    (void)state;
    for (int i = 0; i < 2; i++) {
        static const struct flow_session_event events[] = {USER("Hello"), {0}};

        /* Without steps, what is left is the prior. */
        assert_near(stepbook_alpha(b, f), 1, 1e-9);
        add(b, "1", events);
    }
    stepbook_choose_features(b, f, 1.0);
    flow_index(f);
    stepbook_count(b, f, 1.0);
    flow_index(f);
    tool_flow_check_has(f, "\"habit\":{\"base\":{\"order\":2,\"alpha\":1.0,\"vocab_size\":5,"
                           "\"levels\":[[],[],[]]},\"beta\":1.0,\"top\":[]}");
    tool_flow_check_has(f, "\"next\":[]");
    assert_true(f->has_reach);
    flow_free(f);
    stepbook_free(b);
    stepbook_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stepbook_counts_the_worked_example),
        cmocka_unit_test(stepbook_alpha_of_the_worked_example_is_the_median),
        cmocka_unit_test(stepbook_counts_predict_the_worked_example),
        cmocka_unit_test(stepbook_next_has_the_reads_of_the_sessions_it_was_given),
        cmocka_unit_test(stepbook_next_counts_reads_right_after_calls),
        cmocka_unit_test(stepbook_reach_ends_at_writes),
        cmocka_unit_test(stepbook_without_sessions_has_no_counts),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
