/* Tests of learn/heldout.h: which sessions are held out. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "learn/heldout.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

static void heldout_ranks_by_a_scrambled_hash(void **state)
{
    static const struct {
        const char *text;
        uint64_t rank;
    } cases[] = {
        {"learn-split/s1", UINT64_C(12211400150050633668)},
        {"learn-split/s2", UINT64_C(4547027961427322942)},
        {"learn-split/s3", UINT64_C(6632676367998867627)},
        {"learn-split/s4", UINT64_C(11605426214623403948)},
        {"learn-split/s5", UINT64_C(9847020842502938392)},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++)
        assert_true(heldout_rank(sp_str_of(cases[i].text)) == cases[i].rank);
}

static void heldout_takes_the_first_by_rank_in_whatever_order_the_ids_come(void **state)
{
    static const char *const orders[][5] = {
        {"s1", "s2", "s3", "s4", "s5"},
        {"s5", "s4", "s3", "s2", "s1"},
        {"s3", "s1", "s5", "s2", "s4"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(orders); i++) {
        struct sp_str ids[5];
        bool is_held[5];

        for (size_t k = 0; k < 5; k++)
            ids[k] = sp_str_of(orders[i][k]);
        heldout_pick(ids, 5, is_held);
        for (size_t k = 0; k < 5; k++)
            assert_int_equal(is_held[k],
                             sp_str_eq(ids[k], SP_STR("s2")) || sp_str_eq(ids[k], SP_STR("s3")));
    }
}

static void heldout_takes_three_tenths_but_neither_none_nor_all(void **state)
{
    static const struct {
        size_t n;
        size_t n_held;
    } cases[] = {
        {2, 1},  {3, 1},  {4, 1},  {5, 2},   {6, 2},    {8, 2},      {9, 3},
        {10, 3}, {15, 5}, {25, 8}, {45, 14}, {100, 30}, {1000, 300},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        size_t n = cases[i].n;
        char(*names)[8] = sp_calloc(n, sizeof *names);
        struct sp_str *ids = sp_calloc(n, sizeof *ids);
        bool *is_held = sp_calloc(n, sizeof *is_held);
        size_t n_held = 0;

        for (size_t k = 0; k < n; k++) {
            snprintf(names[k], sizeof names[k], "s%u", (unsigned)k);
            ids[k] = sp_str_of(names[k]);
        }
        heldout_pick(ids, n, is_held);
        for (size_t k = 0; k < n; k++)
            n_held += is_held[k];
        assert_int_equal(n_held, cases[i].n_held);
        free(is_held);
        free(ids);
        free(names);
    }
}

static void heldout_takes_the_first_of_equal_ids(void **state)
{
    static const struct sp_str ids[] = {{"s4", 2}, {"s2", 2}, {"s2", 2}, {"s2", 2}, {"s2", 2}};
    static const bool want[] = {false, true, true, false, false};
    bool is_held[N_OF(ids)];

    (void)state;
    heldout_pick(ids, N_OF(ids), is_held);
    assert_memory_equal(is_held, want, sizeof want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heldout_ranks_by_a_scrambled_hash),
        cmocka_unit_test(heldout_takes_the_first_by_rank_in_whatever_order_the_ids_come),
        cmocka_unit_test(heldout_takes_three_tenths_but_neither_none_nor_all),
        cmocka_unit_test(heldout_takes_the_first_of_equal_ids),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
