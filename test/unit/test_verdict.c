/* Tests of flow/verdict.h: shares, the likely lookup, and what the habit does with it. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow/verdict.h"
#include "flow_carts.h"
#include "flow_edit.h"
#include "flow_example.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define MAX_EDITS 4

/* What follows a profile, of the shop's flow. */
#define COUNTS "[[32768],{\"by_action\":[[1,8.0]],\"total\":8.0}]"

#define NONE       \
    {              \
        NULL, NULL \
    }

static void verdict_shares_add_up_what_followed_whatever_the_feature(void **state)
{
    static const struct flow_edit edits[] = {
        {COUNTS, "[[32768],{\"by_action\":[[0,1.0],[1,2.0]],\"total\":4.0}],"
                 "[[32769],{\"by_action\":[[1,2.0],[2,1.0],[3,1.0]],\"total\":4.0}],"
                 "[[36864],{\"by_action\":[[2,5.0]],\"total\":5.0}],"
                 "[[16384],{\"by_action\":[[2,7.0]],\"total\":7.0}]"},
    };
    static const struct {
        const char *action;
        double share;
    } want[] = {{"cart", 0.5}, {"respond", 0.25}, {"profile", 0.125}};
    struct flow *f = flow_parsed(FLOW_CARTS, edits, N_OF(edits));
    struct sp_arena arena = {0};
    struct verdict_shares shares = verdict_shares(f, SP_STR("profile"), false, &arena);

    (void)state;
    assert_true(shares.total == 8);
    assert_int_equal(shares.n, N_OF(want));
    for (size_t i = 0; i < shares.n; i++) {
        assert_true(sp_str_eq(shares.of[i].action, sp_str_of(want[i].action)));
        assert_true(shares.of[i].share == want[i].share);
    }
    assert_true(verdict_share_of(&shares, SP_STR("profile")) == 0.125);
    assert_true(verdict_share_of(&shares, SP_STR("stock")) == 0);
    shares = verdict_shares(f, SP_STR("profile"), true, &arena);
    assert_true(shares.total == 5 && shares.n == 1 && shares.of[0].share == 1);
    shares = verdict_shares(f, SP_STR("stock"), false, &arena);
    assert_true(shares.total == 0 && shares.n == 0);
    sp_arena_deinit(&arena);
    flow_free(f);
}

static void verdict_shares_of_equals_are_in_byte_order(void **state)
{
    static const struct flow_edit edits[] = {
        {COUNTS, "[[32768],{\"by_action\":[[0,2.0],[1,2.0],[2,2.0]],\"total\":6.0}]"},
    };
    struct flow *f = flow_parsed(FLOW_CARTS, edits, N_OF(edits));
    struct sp_arena arena = {0};
    struct verdict_shares shares = verdict_shares(f, SP_STR("profile"), false, &arena);

    (void)state;
    assert_true(sp_str_eq(shares.of[0].action, SP_STR("cart")));
    assert_true(sp_str_eq(shares.of[1].action, SP_STR("profile")));
    assert_true(sp_str_eq(shares.of[2].action, SP_STR("respond")));
    sp_arena_deinit(&arena);
    flow_free(f);
}

struct chance_case {
    struct flow_edit edit;
    const char *lookup;
    double chance; /* negative: it cannot be bound */
};

/* The end of the tools, with documentation of a lookup that training never made. */
#define DOCS(args) "\"stock\":\"read\"},\"docs\":{\"stock\":{\"summary\":\"\",\"args\":{" args "}}}"

static void verdict_chance_is_that_of_all_picks(void **state)
{
    static const struct chance_case cases[] = {
        {NONE, "cart", 0.9},
        {{"[[8,8],[0,0]]", "[[3,4],[4,4]]"}, "cart", 0.8},
        {{",\"agreed\":{\"cart\":[[8,8],[0,0]]}", ",\"agreed\":{}"}, "cart", 0.5},
        /* no source, or one that training found too seldom */
        {{"[[[\"profile\",\"$.carts[*]\"],8]]", "[]"}, "cart", -1},
        {{"\"$.carts[*]\"],8]]", "\"$.carts[*]\"],1]]"}, "cart", -1},
        {{"{\"values\":8,", "{\"values\":81,"}, "cart", -1},
        {{"{\"values\":8,", "{\"values\":80,"}, "cart", 0.9},
        /* an argument that is not required needs no source */
        {{"[8,{\"id\":8}]", "[8,{\"id\":8,\"zip\":7}]"}, "cart", 0.9},
        {{"[8,{\"id\":8}]", "[10,{\"id\":8,\"zip\":9}]"}, "cart", -1},
        /* lookups that training never made */
        {NONE, "stock", -1},
        {{"\"stock\":\"read\"}", DOCS("\"id\":\"An id.\"")}, "stock", 0.5},
        {{"\"stock\":\"read\"}", DOCS("")}, "stock", 1},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct flow *f = flow_parsed(FLOW_CARTS, &cases[i].edit, 1);
        double chance = -1;

        assert_true(verdict_chance(f, sp_str_of(cases[i].lookup), &chance) == (chance >= 0));
        if (chance != cases[i].chance)
            fail_msg("case %zu: %f instead of %f", i, chance, cases[i].chance);
        flow_free(f);
    }
}

struct verdict_case {
    struct flow_edit edits[MAX_EDITS];
    const char *tool;
    bool failed;
    double threshold;
    const char *words;
};

#define EXAMPLE_PROMOTED(site)                                                                     \
    "\"promoted\":{\"bar\":{\"threshold\":0.3,\"min_used\":0.7,\"min_lower\":0.5,\"min_tasks\":3}" \
    ","                                                                                            \
    "\"sites\":{\"" site "\":{\"decisions\":9,\"lookups\":8,\"used\":8,\"tasks\":6,\"lower\":0.7," \
    "\"promoted\":true}}},\"contracts\":{"

#define VERSION_2                                  \
    {                                              \
        "\"stretto_flow\":1", "\"stretto_flow\":2" \
    }

static void verdict_says_what_the_habit_does(void **state)
{
    static const struct verdict_case cases[] = {
        {{NONE}, "find_tickets", false, 0.3, "looks up `get_ticket` (1.00 × 0.83 = 0.83)"},
        {{NONE}, "get_ticket", false, 0.3, "hands back (`get_ticket` 0.25 × 0.83 = 0.21)"},
        {{NONE}, "get_ticket", false, 0.2, "looks up `get_ticket` (0.25 × 0.83 = 0.21)"},
        {{NONE}, "get_ticket", true, 0.3, "hands back (nothing offered)"},
        {{{"[[[\"find_tickets\",\"$.tickets[*]\"],4]]", "[]"}},
         "find_tickets",
         false,
         0,
         "hands back (`get_ticket` 1.00, unbound)"},
        /* the site's own threshold comes before the one it is served with */
        {{VERSION_2, {"\"contracts\":{", "\"thresholds\":{\"find_tickets\":0.9},\"contracts\":{"}},
         "find_tickets",
         false,
         0.3,
         "hands back (`get_ticket` 1.00 × 0.83 = 0.83)"},
        {{VERSION_2, {"\"contracts\":{", "\"thresholds\":{\"find_tickets\":1.5},\"contracts\":{"}},
         "find_tickets",
         false,
         0.3,
         "hands back (switched off)"},
        {{VERSION_2,
          {"\"contracts\":{", "\"thresholds\":{\"find_tickets (error)\":1.5},\"contracts\":{"}},
         "find_tickets",
         false,
         0.3,
         "looks up `get_ticket` (1.00 × 0.83 = 0.83)"},
        {{{"\"contracts\":{", EXAMPLE_PROMOTED("get_ticket")}},
         "find_tickets",
         false,
         0.3,
         "hands back (not promoted)"},
        {{{"\"contracts\":{", EXAMPLE_PROMOTED("find_tickets")}},
         "find_tickets",
         false,
         0.3,
         "looks up `get_ticket` (1.00 × 0.83 = 0.83)"},
        /* of lookups that never followed it is the first */
        {{{"\"find_tickets\",false],{\"get_ticket\":3}",
           "\"find_tickets\",true],{\"get_ticket\":3,\"find_tickets\":1}"}},
         "find_tickets",
         true,
         0.3,
         "hands back (`find_tickets` 0.00, unbound)"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        const struct verdict_case *c = &cases[i];
        struct flow *f = flow_parsed(FLOW_EXAMPLE, c->edits, MAX_EDITS);
        struct verdict v = verdict_of(f, sp_str_of(c->tool), c->failed, c->threshold);
        struct sp_buf b = {0};

        verdict_put(&b, &v);
        if (strcmp(sp_buf_cstr(&b), c->words) != 0)
            fail_msg("%zu: '%s' instead of '%s'", i, sp_buf_cstr(&b), c->words);
        sp_buf_deinit(&b);
        flow_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdict_shares_add_up_what_followed_whatever_the_feature),
        cmocka_unit_test(verdict_shares_of_equals_are_in_byte_order),
        cmocka_unit_test(verdict_chance_is_that_of_all_picks),
        cmocka_unit_test(verdict_says_what_the_habit_does),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
