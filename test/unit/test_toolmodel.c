/* Tests of flow/toolmodel.h: numbers, and the distributions that rest on it. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow/program_chances.h"
#include "flow/toolmodel.h"
#include "flow_edit.h"
#include "flow_example.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

struct fixture {
    struct flow *flow;
    struct toolmodel t;
};

static void fixture_init(struct fixture *f, const char *text, const struct flow_edit *edits,
                         size_t n)
{
    f->flow = flow_parsed(text, edits, n);
    toolmodel_init(&f->t, f->flow);
}

static void fixture_deinit(struct fixture *f)
{
    toolmodel_deinit(&f->t);
    flow_free(f->flow);
}

static void check_number(struct fixture *f, const char *tool, uint64_t want)
{
    assert_int_equal(toolmodel_number(&f->t, sp_str_of(tool)), want);
}

static void check_chances(const struct fixture *f, enum program_dist dist, uint64_t tool,
                          bool failed, const double *want, size_t n)
{
    struct program_chances c;

    assert_true(program_chances_init(&c, &f->t.base, dist, tool, failed));
    for (size_t i = 0; i < n; i++) {
        double p = program_chances_of(&c, &f->t.base, (int64_t)i);

        if (!(fabs(p - want[i]) <= 1e-15))
            fail_msg("tool %ju: value %zu has %.17g instead of %.17g", (uintmax_t)tool, i, p,
                     want[i]);
    }
}

static void toolmodel_numbers_lookups_first_and_then_the_manifest_by_name(void **state)
{
    static const struct flow_edit edits[] = {
        {"\"get_order\":\"read\"", "\"get_order\":\"read\",\"add_note\":\"write\",\"zz\":\"read\""},
        {"\"reads\":[\"find_customer\",\"get_customer\",\"get_order\"]",
         "\"reads\":[\"get_order\",\"find_customer\"]"},
    };
    struct fixture f;

    (void)state;
    fixture_init(&f, FLOW_DESK, NULL, 0);
    assert_int_equal(f.t.base.n_reads, 3);
    assert_int_equal(f.t.base.n_tools, 5);
    check_number(&f, "find_customer", 1);
    check_number(&f, "get_customer", 2);
    check_number(&f, "get_order", 3);
    check_number(&f, "cancel_order", 4);
    check_number(&f, "ping", 5);
    check_number(&f, "", 5);
    check_number(&f, "get_order", 3);
    fixture_deinit(&f);

    fixture_init(&f, FLOW_DESK, edits, N_OF(edits));
    assert_int_equal(f.t.base.n_reads, 2);
    assert_int_equal(f.t.base.n_tools, 7);
    check_number(&f, "get_order", 1);
    check_number(&f, "find_customer", 2);
    check_number(&f, "add_note", 3);
    check_number(&f, "cancel_order", 4);
    check_number(&f, "get_customer", 5);
    check_number(&f, "zz", 6);
    check_number(&f, "ping", 7);
    fixture_deinit(&f);
}

static void toolmodel_gives_the_chances_of_the_tickets_flow(void **state)
{
    static const double found[] = {0.2, 0, 0.8}, got[] = {4.0 / 6, 0, 2.0 / 6}, none[] = {1, 0, 0};
    static const double of_1[] = {1.0 / 3, 2.0 / 3}, of_2[] = {1.0 / 6, 5.0 / 6}, of_0[] = {.5, .5};
    struct fixture f;

    (void)state;
    fixture_init(&f, FLOW_EXAMPLE, NULL, 0);
    check_number(&f, "unknown", 3);
    check_chances(&f, PROGRAM_DIST_DECIDE, 1, false, found, 3);
    check_chances(&f, PROGRAM_DIST_DECIDE, 2, false, got, 3);
    check_chances(&f, PROGRAM_DIST_DECIDE, 1, true, none, 3);
    check_chances(&f, PROGRAM_DIST_DECIDE, 2, true, none, 3);
    check_chances(&f, PROGRAM_DIST_DECIDE, 3, false, none, 3);
    check_chances(&f, PROGRAM_DIST_OUTCOME, 1, false, of_1, 2);
    check_chances(&f, PROGRAM_DIST_OUTCOME, 2, false, of_2, 2);
    check_chances(&f, PROGRAM_DIST_OUTCOME, 0, false, of_0, 2);
    check_chances(&f, PROGRAM_DIST_OUTCOME, 3, false, of_0, 2);
    fixture_deinit(&f);
}

static void toolmodel_gives_the_chances_of_the_desks_flow(void **state)
{
    static const double order[] = {1.0 / 10, 0, 0, 9.0 / 10}, none[] = {1, 0, 0, 0};
    static const double outcome[] = {1.0 / 10, 9.0 / 10};
    struct fixture f;

    (void)state;
    fixture_init(&f, FLOW_DESK, NULL, 0);
    check_chances(&f, PROGRAM_DIST_DECIDE, 2, false, order, 4);
    check_chances(&f, PROGRAM_DIST_DECIDE, 3, false, none, 4);
    check_chances(&f, PROGRAM_DIST_DECIDE, 4, false, none, 4);
    for (uint64_t tool = 1; tool <= 4; tool++)
        check_chances(&f, PROGRAM_DIST_OUTCOME, tool, false, outcome, 2);
    fixture_deinit(&f);
}

static void toolmodel_adds_up_over_features(void **state)
{
    /* What followed find_customer, split over two of its features. */
    static const struct flow_edit edits[] = {
        {"[[32768],{\"by_action\":[[3,8.0]],\"total\":8.0}]",
         "[[32768],{\"by_action\":[[3,2.25]],\"total\":3.0}],[[32769],{\"by_action\":[[3,4.0]],"
         "\"total\":5.0}]"},
    };
    static const double want[] = {3.0 / 10, 0, 7.0 / 10, 0}; /* 8 - 6.25 and 6.25, rounded */
    struct fixture f;

    (void)state;
    fixture_init(&f, FLOW_DESK, edits, N_OF(edits));
    check_chances(&f, PROGRAM_DIST_DECIDE, 1, false, want, 4);
    fixture_deinit(&f);
}

static void toolmodel_offers_every_lookup_where_the_flow_does(void **state)
{
    static const struct flow_edit edit = {"\"feeds\":{}", "\"feeds\":{},\"every_read\":true"};
    static const double want[] = {1.0 / 12, 1.0 / 12, 9.0 / 12, 1.0 / 12};
    static const double after_unknown[] = {1.0 / 4, 1.0 / 4, 1.0 / 4, 1.0 / 4};
    struct fixture f;

    (void)state;
    fixture_init(&f, FLOW_DESK, &edit, 1);
    check_chances(&f, PROGRAM_DIST_DECIDE, 1, false, want, 4);
    check_number(&f, "ping", 5);
    check_chances(&f, PROGRAM_DIST_DECIDE, 5, false, after_unknown, 4);
    fixture_deinit(&f);
}

/* A tool that the habit knows, but not the manifest, has what was counted of it. */
static void toolmodel_knows_the_unknown_tool_by_its_name(void **state)
{
    static const struct flow_edit edit = {"\"cancel_order\":\"write\",", ""};
    static const double known[] = {1.0 / 10, 9.0 / 10}, unknown[] = {0.5, 0.5};
    struct fixture f;

    (void)state;
    fixture_init(&f, FLOW_DESK, &edit, 1);
    check_number(&f, "cancel_order", 4);
    check_chances(&f, PROGRAM_DIST_OUTCOME, 4, false, known, 2);
    check_number(&f, "ping", 4);
    check_chances(&f, PROGRAM_DIST_OUTCOME, 4, false, unknown, 2);
    fixture_deinit(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(toolmodel_numbers_lookups_first_and_then_the_manifest_by_name),
        cmocka_unit_test(toolmodel_gives_the_chances_of_the_tickets_flow),
        cmocka_unit_test(toolmodel_gives_the_chances_of_the_desks_flow),
        cmocka_unit_test(toolmodel_adds_up_over_features),
        cmocka_unit_test(toolmodel_offers_every_lookup_where_the_flow_does),
        cmocka_unit_test(toolmodel_knows_the_unknown_tool_by_its_name),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
