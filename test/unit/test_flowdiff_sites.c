/* Tests of flow/flowdiff.h: what changed at sites. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flow_changes.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

/* ---- sites ---- */

static void flowdiff_lists_lookups_that_are_offered_or_not(void **state)
{
    static const struct flow_changes_case cases[] = {
        {.edits = {{"{\"get_ticket\":3}", "{\"get_ticket\":9,\"find_tickets\":1,\"zap\":1}"}},
         .there = "- After `find_tickets`: `find_tickets` newly offered\n"
                  "- After `find_tickets`: `zap` newly offered\n",
         .there_review = "- After `find_tickets`: `find_tickets` newly offered\n"
                         "- After `find_tickets`: `zap` newly offered\n",
         .back = "- After `find_tickets`: `find_tickets` no longer offered\n"
                 "- After `find_tickets`: `zap` no longer offered\n"},
        {.edits = {{NEXT, NEXT ",[[\"find_tickets\",true],{\"a\":1}],[[\"a\",false],{\"b\":1}]"}},
         .there = "- After `a`: `b` newly offered\n"
                  "- After `find_tickets` (failed): `a` newly offered\n",
         .there_review = "- After `a`: `b` newly offered\n"
                         "- After `find_tickets` (failed): `a` newly offered\n",
         .back = "- After `a`: `b` no longer offered\n"
                 "- After `find_tickets` (failed): `a` no longer offered\n"},
        {.edits = {{NEXT, NEXT ",[[\"a (error)\",false],{\"b\":1}],[[\"a\",true],{\"c\":1}]"}},
         .there = "- After `a` (failed): `c` newly offered\n"
                  "- After `a (error)`: `b` newly offered\n",
         .there_review = "- After `a` (failed): `c` newly offered\n"
                         "- After `a (error)`: `b` newly offered\n",
         .back = "- After `a` (failed): `c` no longer offered\n"
                 "- After `a (error)`: `b` no longer offered\n"},
        {.edits = {{NEXT, NEXT ",[[\"a\",false],{}]"}}},
    };

    (void)state;
    flow_changes_check("Sites", cases, N_OF(cases));
}

static void flowdiff_tells_when_every_read_tool_is_offered(void **state)
{
#define EVERY_READ                                         \
    {                                                      \
        "\"feeds\":{}", "\"feeds\":{},\"every_read\":true" \
    }
#define EVERYWHERE "- Every read tool is offered at every site now\n"
    static const struct flow_changes_case cases[] = {
        {.edits = {EVERY_READ},
         .there = EVERYWHERE,
         .there_review = EVERYWHERE,
         .back = "- Every read tool is offered at every site no longer\n"},
        {.edits = {EVERY_READ, {"{\"get_ticket\":3}", "{\"get_ticket\":3,\"zap\":1}"}},
         .there = EVERYWHERE,
         .there_review = EVERYWHERE,
         .back = "- Every read tool is offered at every site no longer\n"},
        {.both = {EVERY_READ}, .edits = {{"{\"get_ticket\":3}", "{\"find_tickets\":3}"}}},
        {.both = {{"{\"get_ticket\":3}", "{\"get_ticket\":3,\"zap\":1}"}},
         .edits = {EVERY_READ, {",\"zap\":1", ""}},
         .there = "- After `find_tickets`: `zap` no longer offered\n" EVERYWHERE,
         .there_review = EVERYWHERE,
         .back = "- After `find_tickets`: `zap` newly offered\n"
                 "- Every read tool is offered at every site no longer\n",
         .back_review = "- After `find_tickets`: `zap` newly offered\n"},
    };

    (void)state;
    flow_changes_check("Sites", cases, N_OF(cases));
}

#define THRESHOLDS(of)                                             \
    {                                                              \
        ",\"contracts\"", ",\"thresholds\":{" of "},\"contracts\"" \
    }

static void flowdiff_tells_where_a_flow_acts(void **state)
{
#define FIND_ACTS "- After `find_tickets`: acts now, where it handed back "
#define GET_ACTS  "- After `get_ticket`: acts now, where it handed back "
    static const struct flow_changes_case cases[] = {
        {.both = {VERSION_2},
         .edits = {THRESHOLDS("\"find_tickets\":1.5")},
         .there = "- After `find_tickets`: acts no longer (switched off)\n"
                  "- After `find_tickets`: own threshold set: off\n",
         .back = FIND_ACTS "(switched off)\n"
                           "- After `find_tickets`: own threshold lifted: off\n",
         .back_review = FIND_ACTS "(switched off)\n"},
        {.both = {VERSION_2},
         .edits = {THRESHOLDS("\"find_tickets\":1.0")},
         .there = "- After `find_tickets`: own threshold set: 1.00\n",
         .back = "- After `find_tickets`: own threshold lifted: 1.00\n"},
        {.edits = {PROMOTED(SCORED("find_tickets", "true"))},
         .there = "- After `get_ticket`: acts no longer (not promoted)\n",
         .back = GET_ACTS "(not promoted)\n",
         .back_review = GET_ACTS "(not promoted)\n"},
        {.both = {PROMOTED(SCORED("find_tickets", "true") "," SCORED("get_ticket", "false"))},
         .edits = {{SCORED("get_ticket", "false"), SCORED("get_ticket", "true")}},
         .there = GET_ACTS "(not promoted)\n",
         .there_review = GET_ACTS "(not promoted)\n",
         .back = "- After `get_ticket`: acts no longer (not promoted)\n"},
        {.both = {VERSION_2, THRESHOLDS("\"get_ticket\":2.0")},
         .edits = {PROMOTED(SCORED("find_tickets", "true")),
                   {"\"thresholds\":{\"get_ticket\":2.0}", "\"thresholds\":{}"}},
         .there = "- After `get_ticket`: own threshold lifted: off\n",
         .back = "- After `get_ticket`: own threshold set: off\n"},
        {.both = {VERSION_2},
         .edits = {THRESHOLDS("\"zap\":1.5")},
         .there = "- After `zap`: own threshold set: off\n",
         .back = "- After `zap`: own threshold lifted: off\n"},
        {.both = {VERSION_2, EVERY_READ},
         .edits = {THRESHOLDS("\"get_ticket (error)\":1.5")},
         .there = "- After `get_ticket` (failed): acts no longer (switched off)\n"
                  "- After `get_ticket` (failed): own threshold set: off\n",
         .back = "- After `get_ticket` (failed): acts now, where it handed back (switched off)\n"
                 "- After `get_ticket` (failed): own threshold lifted: off\n",
         .back_review =
             "- After `get_ticket` (failed): acts now, where it handed back (switched off)\n"},
        {.both = {EVERY_READ},
         .edits = {PROMOTED(SCORED("find_tickets", "true") "," SCORED("get_ticket", "true"))},
         .there = "- After `find_tickets` (failed): acts no longer (not promoted)\n"
                  "- After `get_ticket` (failed): acts no longer (not promoted)\n",
         .back = "- After `find_tickets` (failed): acts now, where it handed back (not promoted)\n"
                 "- After `get_ticket` (failed): acts now, where it handed back (not promoted)\n",
         .back_review =
             "- After `find_tickets` (failed): acts now, where it handed back (not promoted)\n"
             "- After `get_ticket` (failed): acts now, where it handed back (not promoted)\n"},
    };

    (void)state;
    flow_changes_check("Sites", cases, N_OF(cases));
}

static void flowdiff_lists_thresholds_of_sites(void **state)
{
    static const struct flow_changes_case cases[] = {
        {.both = {VERSION_2},
         .edits = {THRESHOLDS("\"get_ticket\":0.125,\"find_tickets (error)\":0.95")},
         .there = "- After `find_tickets` (failed): own threshold set: 0.95\n"
                  "- After `get_ticket`: own threshold set: 0.12\n",
         .back = "- After `find_tickets` (failed): own threshold lifted: 0.95\n"
                 "- After `get_ticket`: own threshold lifted: 0.12\n"},
        {.both = {VERSION_2, THRESHOLDS("\"a\":0.2,\"b\":0.5,\"c\":1.5,\"d\":0.7,\"e\":0.61")},
         .edits = {{"{\"a\":0.2,\"b\":0.5,\"c\":1.5,\"d\":0.7,\"e\":0.61}",
                    "{\"a\":1,\"b\":1.01,\"c\":2,\"d\":0.7,\"e\":0.612}"}},
         .there = "- After `a`: own threshold changed: 0.20 → 1.00\n"
                  "- After `b`: own threshold changed: 0.50 → off\n"
                  "- After `e`: own threshold changed: 0.61 → 0.612\n",
         .back = "- After `a`: own threshold changed: 1.00 → 0.20\n"
                 "- After `b`: own threshold changed: off → 0.50\n"
                 "- After `e`: own threshold changed: 0.612 → 0.61\n"},
    };

    (void)state;
    flow_changes_check("Sites", cases, N_OF(cases));
}

/* ---- the habit alone ---- */

#define RARELY     "(`get_ticket` 0.25 × 0.83 = 0.21)"
#define HANDS_BACK "hands back " RARELY

static void flowdiff_tells_what_clears_the_threshold(void **state)
{
    static const struct flow_changes_case cases[] = {
        {.edits = {SHARES("[0,2.0],[2,2.0]")},
         .there =
             "- After `get_ticket`: " HANDS_BACK " → looks up `get_ticket` (0.50 × 0.83 = 0.42)\n",
         .back =
             "- After `get_ticket`: looks up `get_ticket` (0.50 × 0.83 = 0.42) → " HANDS_BACK "\n"},
        {.both = {VERSION_2},
         .edits = {THRESHOLDS("\"get_ticket\":0.2")},
         .there = "- After `get_ticket`: " HANDS_BACK " → looks up " //
                  "`get_ticket` (0.25 × 0.83 = 0.21)\n",
         .back =
             "- After `get_ticket`: looks up `get_ticket` (0.25 × 0.83 = 0.21) → " HANDS_BACK "\n"},
        {.edits = {SHARES("[0,4.0]")}},
        {.edits = {{"[[4,4],[0,0]]", "[[3,4],[0,0]]"}}},
        {.edits = {{NEXT, NEXT ",[[\"a\",false],{\"b\":1}]"}},
         .there_review = "- After `a`: `b` newly offered\n"},
        {.both = {{",[[\"get_ticket\",false],{\"get_ticket\":1}]", ""}, SHARES("[0,2.0],[2,2.0]")},
         .edits = {{"{\"get_ticket\":3}]", "{\"get_ticket\":3}]," NEXT}},
         .there = "- After `get_ticket`, a new site: looks up `get_ticket` (0.50 × 0.83 = 0.42)\n",
         .there_review = "- After `get_ticket`: `get_ticket` newly offered\n"},
        {.both = {{NEXT, "[[\"get_ticket\",false],{}]"}, SHARES("[0,2.0],[2,2.0]")},
         .edits = {{"[[\"get_ticket\",false],{}]", NEXT}},
         .there = "- After `get_ticket`, a new site: looks up `get_ticket` (0.50 × 0.83 = 0.42)\n",
         .there_review = "- After `get_ticket`: `get_ticket` newly offered\n"},
        {.both = {{"," NEXT, ""}},
         .edits = {{"{\"get_ticket\":3}]", "{\"get_ticket\":3}]," NEXT}},
         .there_review = "- After `get_ticket`: `get_ticket` newly offered\n"},
        {.both = {SHARES("[1,2.0],[2,2.0]"),
                  {"{\"get_ticket\":1}", "{\"find_tickets\":1,\"get_ticket\":1}"},
                  {"[[\"find_tickets\",\"email\"],{\"values\":4,\"found\":[]}]",
                   "[[\"find_tickets\",\"email\"],{\"values\":4,\"found\":[[[\"a\",\"$\"],4]]}]"},
                  {"\"agreed\":{", "\"agreed\":{\"find_tickets\":[[4,4],[0,0]],"}},
         .edits = {{"[[32768],{\"by_action\":[[1,2.0],[2,2.0]]",
                    "[[32768],{\"by_action\":[[1,1.9],[2,2.1]]"}},
         .there = "- After `get_ticket`: looks up `find_tickets` (0.50 × 0.83 = 0.42) → looks up "
                  "`get_ticket` (0.53 × 0.83 = 0.44)\n",
         .back = "- After `get_ticket`: looks up `get_ticket` (0.53 × 0.83 = 0.44) → looks up "
                 "`find_tickets` (0.50 × 0.83 = 0.42)\n"},
    };

    (void)state;
    flow_changes_check("Habit alone (at 0.3)", cases, N_OF(cases));
}

static void flowdiff_asks_the_habit_at_the_threshold_that_is_served(void **state)
{
    static const struct flowdiff_options higher = {.tolerance = 0.05, .threshold = 0.45};
    static const struct flow_changes_case cases[] = {
        {.edits = {SHARES("[0,2.0],[2,2.0]")}},
        {.edits = {SHARES("[0,1.0],[2,3.0]")},
         .there =
             "- After `get_ticket`: " HANDS_BACK " → looks up `get_ticket` (0.75 × 0.83 = 0.62)\n",
         .back =
             "- After `get_ticket`: looks up `get_ticket` (0.75 × 0.83 = 0.62) → " HANDS_BACK "\n"},
    };

    (void)state;
    flow_changes_check_at("Habit alone (at 0.45)", &higher, cases, N_OF(cases));
}

/* ---- next actions ---- */

static void flowdiff_lists_shares_that_moved(void **state)
{
#define TOTAL_100(of)                                                \
    {                                                                \
        "[[32768],{\"by_action\":[[0,3.0],[2,1.0]],\"total\":4.0}]", \
            "[[32768],{\"by_action\":[" of "],\"total\":100.0}]"     \
    }
    static const struct flow_changes_case cases[] = {
        {.edits = {SHARES("[0,2.0],[1,1.0],[2,1.0]")},
         .there = "- After `get_ticket`: find_tickets 0% → 25%\n"
                  "- After `get_ticket`: respond 75% → 50%\n",
         .back = "- After `get_ticket`: find_tickets 25% → 0%\n"
                 "- After `get_ticket`: respond 50% → 75%\n"},
        {.both = {TOTAL_100("[0,30.0]")},
         .edits = {{"[0,30.0]", "[0,35.0]"}},
         .there = "- After `get_ticket`: respond 30% → 35%\n",
         .back = "- After `get_ticket`: respond 35% → 30%\n"},
        {.both = {TOTAL_100("[0,30.0]")}, .edits = {{"[0,30.0]", "[0,34.99]"}}},
        {.both = {TOTAL_100("[0,10.0]")},
         .edits = {{"[0,10.0]", "[0,15.0]"}},
         .there = "- After `get_ticket`: respond 10% → 15%\n",
         .back = "- After `get_ticket`: respond 15% → 10%\n"},
        /* Of a site that one flow only has, nothing moved. */
        {.both = {{",[[\"get_ticket\",false],{\"get_ticket\":1}]", ""}},
         .edits = {SHARES("[0,4.0]")}},
    };

    (void)state;
    flow_changes_check("Next actions in training", cases, N_OF(cases));
}

static void flowdiff_leaves_out_what_moved_by_less_than_the_tolerance(void **state)
{
    static const struct flow_changes_case moved = {
        .both = {TOTAL_100("[0,30.0]")},
        .edits = {{"[0,30.0]", "[0,42.0]"}},
        .there = "- After `get_ticket`: respond 30% → 42%\n",
        .back = "- After `get_ticket`: respond 42% → 30%\n",
    };
    struct flow_changes_case left_out = moved;

    (void)state;
    left_out.there = NULL;
    left_out.back = NULL;
    flow_changes_check_at("Next actions in training", &(struct flowdiff_options){.tolerance = 0.12},
                          &moved, 1);
    flow_changes_check_at("Next actions in training", &(struct flowdiff_options){.tolerance = 0},
                          &moved, 1);
    flow_changes_check_at("Next actions in training",
                          &(struct flowdiff_options){.tolerance = 0.121}, &left_out, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flowdiff_lists_lookups_that_are_offered_or_not),
        cmocka_unit_test(flowdiff_tells_when_every_read_tool_is_offered),
        cmocka_unit_test(flowdiff_tells_where_a_flow_acts),
        cmocka_unit_test(flowdiff_lists_thresholds_of_sites),
        cmocka_unit_test(flowdiff_tells_what_clears_the_threshold),
        cmocka_unit_test(flowdiff_asks_the_habit_at_the_threshold_that_is_served),
        cmocka_unit_test(flowdiff_lists_shares_that_moved),
        cmocka_unit_test(flowdiff_leaves_out_what_moved_by_less_than_the_tolerance),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
