/* Tests of flow/flowdiff.h: which changes are listed, and which of them need review. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow_carts.h"
#include "flow_changes.h"
#include "flow_example.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

static void flowdiff_of_equal_flows_is_one_sentence(void **state)
{
    static const char *const texts[] = {FLOW_EXAMPLE, FLOW_CARTS, FLOW_FULL};

    (void)state;
    for (size_t i = 0; i < N_OF(texts); i++) {
        static const struct flowdiff_options nothing_is_left_out = {0, 0};
        struct flow *f = flow_parsed(texts[i], NULL, 0);
        struct flow *again = flow_parsed(texts[i], NULL, 0);
        struct sp_buf b = {0};

        assert_int_equal(flowdiff_put(&b, f, again, &nothing_is_left_out), 0);
        assert_non_null(strstr(sp_buf_cstr(&b), "\n\nNothing needs review"));
        assert_null(strstr(sp_buf_cstr(&b), "\n- "));
        assert_null(strstr(sp_buf_cstr(&b), "\n## "));
        sp_buf_deinit(&b);
        flow_free(f);
        flow_free(again);
    }
}

static void flowdiff_is_headed_by_the_new_flows_domain(void **state)
{
    static const struct flow_edit edits[] = {{"\"tickets\",\"tools\"", "\"a|b\",\"tools\""}};
    struct flow *from = flow_parsed(FLOW_EXAMPLE, NULL, 0);
    struct flow *to = flow_parsed(FLOW_EXAMPLE, edits, 1);
    struct sp_buf b = {0};

    (void)state;
    assert_int_equal(flowdiff_put(&b, from, to, &flow_changes_defaults), 0);
    assert_string_equal(sp_buf_cstr(&b), "# Flow diff: a\\|b\n\n"
                                         "Nothing needs review.\n\n"
                                         "## Provenance\n\n"
                                         "- Domain: `tickets` → `a\\|b`\n");
    sp_buf_deinit(&b);
    flow_free(from);
    flow_free(to);
}

/* ---- tools ---- */

#define KINDS(kinds)                                                           \
    {                                                                          \
        "\"tools\":{\"find_tickets\":\"read\",\"get_ticket\":\"read\"}", kinds \
    }

static void flowdiff_lists_tools_of_another_kind(void **state)
{
    static const struct flow_changes_case cases[] = {
        {.edits = {{"\"get_ticket\":\"read\"}", "\"get_ticket\":\"write\"}"}},
         .there = "- `get_ticket`: read → write\n",
         .back = "- `get_ticket`: write → read\n",
         .back_review = "- `get_ticket`: write → read\n"},
        {.edits = {{"\"get_ticket\":\"read\"}", "\"get_ticket\":\"generic\"}"}},
         .there = "- `get_ticket`: read → neither\n",
         .back = "- `get_ticket`: neither → read\n",
         .back_review = "- `get_ticket`: neither → read\n"},
        {.edits = {{"\"tools\":{", "\"tools\":{\"z\":\"write\",\"a\":\"read\",\"b\":\"generic\","}},
         .there = "- `a`: absent → read\n- `b`: absent → neither\n- `z`: absent → write\n",
         .there_review = "- `a`: absent → read\n",
         .back = "- `a`: read → absent\n- `b`: neither → absent\n- `z`: write → absent\n"},
        {.both = {{"\"tools\":{", "\"tools\":{\"z\":\"write\","}},
         .edits = {{"\"z\":\"write\"", "\"z\":\"generic\""}},
         .there = "- `z`: write → neither\n",
         .back = "- `z`: neither → write\n"},
    };

    (void)state;
    flow_changes_check("Tools", cases, N_OF(cases));
}

static void flowdiff_tells_of_lookups_that_the_tools_do_not_show(void **state)
{
    static const struct flow_changes_case cases[] = {
        {.edits = {{"\"reads\":[", "\"reads\":[\"zap\","}},
         .there = "- `zap`: may be looked up now\n",
         .there_review = "- `zap`: may be looked up now\n",
         .back = "- `zap`: is looked up no longer\n"},
        {.edits = {{"\"reads\":[", "\"reads\":[\"zap\","},
                   {"\"tools\":{", "\"tools\":{\"zap\":\"read\","}},
         .there = "- `zap`: absent → read\n",
         .there_review = "- `zap`: absent → read\n",
         .back = "- `zap`: read → absent\n"},
        {.both = {{"\"tools\":{", "\"tools\":{\"zap\":\"read\","}},
         .edits = {{"\"reads\":[", "\"reads\":[\"zap\","},
                   {"\"zap\":\"read\"", "\"zap\":\"write\""}},
         .there = "- `zap`: read → write\n- `zap`: may be looked up now\n",
         .there_review = "- `zap`: may be looked up now\n",
         .back = "- `zap`: write → read\n- `zap`: is looked up no longer\n",
         .back_review = "- `zap`: write → read\n"},
    };

    (void)state;
    flow_changes_check("Tools", cases, N_OF(cases));
}

/* ---- the program ---- */

#define ASSIGNED "{\"stmt\":\"assign\",\"var\":\"prev\",\"value\":{\"op\":\"var\",\"name\":\"d\"}},"
#define NEGATED                                                                          \
    "{\"stmt\":\"assign\",\"var\":\"failed\",\"value\":{\"op\":\"not\",\"arg\":{\"op\":" \
    "\"var\",\"name\":\"ok\"}}}"
#define STOPPED                                                                            \
    "{\"stmt\":\"if\",\"cond\":{\"op\":\"not\",\"arg\":{\"op\":\"var\",\"name\":\"ok\"}}," \
    "\"then\":[{\"stmt\":\"break\"}]},"

static void flowdiff_has_every_change_of_the_program_reviewed(void **state)
{
#define FACTOR(n)        "{\"stmt\":\"factor\",\"logw\":{\"op\":\"f64\",\"value\":" n ".0}},"
#define MOVED(n, lines)  "- Program lines only reordered: `factor(" n ".0);` (" lines ")"
#define ADDED(n, line)   "- Program line " n " added: `" line "`\n"
#define REMOVED(n, line) "- Program line " n " removed: `" line "`\n"
#define STOP(changed) \
    changed("9", "    if !ok {") changed("10", "        break;") changed("11", "    }")
    static const struct flow_changes_case cases[] = {
        {.edits = {{ASSIGNED, STOPPED ASSIGNED}},
         .there = STOP(ADDED),
         .there_review = STOP(ADDED),
         .back = STOP(REMOVED),
         .back_review = STOP(REMOVED)},
        {.edits = {{ASSIGNED, NEGATED ","}, {NEGATED "]}", "{\"stmt\":\"break\"}]}"}},
         .there = ADDED("10", "    break;") REMOVED("9", "    prev = d;"),
         .there_review = ADDED("10", "    break;") REMOVED("9", "    prev = d;"),
         .back = ADDED("9", "    prev = d;") REMOVED("10", "    break;"),
         .back_review = ADDED("9", "    prev = d;") REMOVED("10", "    break;")},
        {.edits = {{ASSIGNED NEGATED, NEGATED ",{\"stmt\":\"assign\",\"var\":\"prev\",\"value\":{"
                                              "\"op\":\"var\",\"name\":\"d\"}}"}},
         .there = "- Program lines only reordered: `    prev = d;` (9 → 10)\n",
         .there_review = "- Program lines only reordered: `    prev = d;` (9 → 10)\n",
         .back = "- Program lines only reordered: `    failed = !ok;` (9 → 10)\n",
         .back_review = "- Program lines only reordered: `    failed = !ok;` (9 → 10)\n"},
        {.both = {{"\"ret\":{\"op\":\"var\",\"name\":\"prev\"}",
                   "\"ret\":{\"op\":\"neg\",\"arg\":{\"op\":\"int\",\"value\":1}}"}},
         .edits = {{"{\"op\":\"neg\",\"arg\":{\"op\":\"int\",\"value\":1}}",
                    "{\"op\":\"int\",\"value\":-1}"}},
         .there = "- The program changed, but not its text\n",
         .there_review = "- The program changed, but not its text\n",
         .back = "- The program changed, but not its text\n",
         .back_review = "- The program changed, but not its text\n"},
        {.edits = {{ASSIGNED, ASSIGNED ASSIGNED}},
         .there = ADDED("10", "    prev = d;"),
         .there_review = ADDED("10", "    prev = d;"),
         .back = REMOVED("10", "    prev = d;"),
         .back_review = REMOVED("10", "    prev = d;")},
        {.both = {{"\"body\":[", "\"body\":[" FACTOR("1") FACTOR("2") FACTOR("3")}},
         .edits = {{FACTOR("1") FACTOR("2") FACTOR("3"), FACTOR("3") FACTOR("2") FACTOR("1")}},
         .there = MOVED("1", "1 → 3") ", `factor(2.0);` (2 → 2)\n",
         .there_review = MOVED("1", "1 → 3") ", `factor(2.0);` (2 → 2)\n",
         .back = "- Program lines only reordered: `factor(2.0);` (2 → 2), `factor(3.0);` (1 → 3)\n",
         .back_review =
             "- Program lines only reordered: `factor(2.0);` (2 → 2), `factor(3.0);` (1 → 3)\n"},
        /* A flow without a program has the standard one. */
        {.edits = {{"\"program\":", "\"unknown\":"}}},
    };

    (void)state;
    flow_changes_check("Run", cases, N_OF(cases));
}

/* ---- pinned inputs and code features ---- */

static void flowdiff_lists_pinned_inputs(void **state)
{
    static const struct flow_changes_case cases[] = {
        {.edits = {{"\"email:string!\"", "\"email:string\""}},
         .there = "- `find_tickets`: `email:string!` → `email:string`\n",
         .back = "- `find_tickets`: `email:string` → `email:string!`\n"},
        {.edits = {{"\"find_tickets\":\"email:string!\",", ""}},
         .there = "- `find_tickets`: no longer pinned, was `email:string!`\n",
         .back = "- `find_tickets`: pinned to `email:string!`\n"},
        {.edits = {{"\"contracts\":", "\"unknown\":"}}},
    };

    (void)state;
    flow_changes_check("Pinned inputs", cases, N_OF(cases));
}

static void flowdiff_lists_fields_of_code_features(void **state)
{
    static const struct flow_changes_case cases[] = {
        {.edits = {{"\"map\":{\"fields\":{}", "\"map\":{\"fields\":{\"find_tickets\":[{\"Len\":"
                                              "\"\"},{\"Scalar\":\"a.b\"}],\"a\":[]}"}},
         .there = "- `find_tickets`: none → number in the output, `a.b`\n",
         .back = "- `find_tickets`: number in the output, `a.b` → none\n"},
        {.both = {{"\"map\":{\"fields\":{}", "\"map\":{\"fields\":{\"a\":[{\"Len\":\"x\"}],\"b\":["
                                             "{\"Len\":\"x\"}]}"}},
         .edits = {{"\"a\":[{\"Len\":\"x\"}]", "\"a\":[{\"Scalar\":\"x\"}]"}},
         .there = "- `a`: number in `x` → `x`\n",
         .back = "- `a`: `x` → number in `x`\n"},
        {.edits = {{"\"ids\":[]", "\"ids\":[[[\"a\",[\"1\"]],1]]"}}},
    };

    (void)state;
    flow_changes_check("Code features", cases, N_OF(cases));
}

/* ---- the arbiter ---- */

#define RATES         "\"rates\":{\"sites\":[],\"agree\":0.7,\"cover\":0.95}}"
#define FOLD(weights) "{\"weights\":[" weights "]," RATES
#define FOLDS(weights)                                                                          \
    "\"folds\":[" FOLD(weights) "," FOLD(weights) "," FOLD(weights) "," FOLD(weights) "," FOLD( \
        weights) "]"
#define MODEL(model)                                \
    {                                               \
        "\"model\":\"\"", "\"model\":\"" model "\"" \
    }
#define FAVORS(id, favors, question)                                    \
    "{\"id\":\"" id "\",\"favors\":" favors ",\"question\":\"" question \
    "\",\"yes\":\"y\",\"no\":\"n\"}"
#define ASKED(id, question) FAVORS(id, "\"any_lookup\"", question)
#define PREDICATES(of)                                 \
    {                                                  \
        "\"predicates\":[]", "\"predicates\":[" of "]" \
    }
#define WEIGHED(of)                              \
    {                                            \
        "\"weighed\":[]", "\"weighed\":[" of "]" \
    }
#define FIVE "0.5,0.3,0.2,0.1,-0.4"
#define ARBITER                     \
    {                               \
        "\"folds\":[]", FOLDS(FIVE) \
    }

static void flowdiff_tells_of_an_arbiter(void **state)
{
    static const struct flow_changes_case cases[] = {
        {.edits = {ARBITER, MODEL("jev-1")},
         .there = "- Arbiter added; it asks `jev-1`\n",
         .there_review = "- Arbiter added; it asks `jev-1`\n",
         .back = "- Arbiter removed\n"},
        {.both = {ARBITER, MODEL("jev-1")},
         .edits = {{"\"model\":\"jev-1\"", "\"model\":\"jev-2\""}},
         .there = "- System-One model: `jev-1` → `jev-2`\n",
         .there_review = "- System-One model: `jev-1` → `jev-2`\n",
         .back = "- System-One model: `jev-2` → `jev-1`\n",
         .back_review = "- System-One model: `jev-2` → `jev-1`\n"},
        {.edits = {MODEL("jev-1")}},
    };

    (void)state;
    flow_changes_check("Arbiter", cases, N_OF(cases));
}

static void flowdiff_lists_predicates(void **state)
{
    static const struct flow_changes_case cases[] = {
        {.edits = {PREDICATES(ASKED("more", "Is *it* so?") "," ASKED("a", "A?"))},
         .there = "- Predicate `a` new: A?\n- Predicate `more` new: Is \\*it\\* so?\n",
         .there_review = "- Predicate `a` new: A?\n- Predicate `more` new: Is \\*it\\* so?\n",
         .back = "- Predicate `a` dropped: A?\n- Predicate `more` dropped: Is \\*it\\* so?\n"},
        {.both = {PREDICATES(ASKED("a", "A?") "," ASKED("b", "B?"))},
         .edits = {{ASKED("b", "B?"), ASKED("b", "C?")}},
         .there = "- Predicate `b` reworded; question: B? → C?\n",
         .there_review = "- Predicate `b` reworded; question: B? → C?\n",
         .back = "- Predicate `b` reworded; question: C? → B?\n",
         .back_review = "- Predicate `b` reworded; question: C? → B?\n"},
        {.both = {PREDICATES(ASKED("a", "A?"))},
         .edits = {{"\"yes\":\"y\",\"no\":\"n\"", "\"yes\":\"Y\",\"no\":\"N\""},
                   {"\"any_lookup\"", "{\"lookup\":\"get_ticket\"}"}},
         .there = "- Predicate `a` reworded; yes: y → Y; no: n → N; favors: any lookup → "
                  "`get_ticket`\n",
         .there_review = "- Predicate `a` reworded; yes: y → Y; no: n → N; favors: any lookup → "
                         "`get_ticket`\n",
         .back = "- Predicate `a` reworded; yes: Y → y; no: N → n; favors: `get_ticket` → any "
                 "lookup\n",
         .back_review = "- Predicate `a` reworded; yes: Y → y; no: N → n; favors: `get_ticket` → "
                        "any lookup\n"},
        {.both = {PREDICATES(ASKED("a", "A?"))},
         .edits = {{"\"yes\":\"y\"", "\"yes\":\"Y\""}},
         .there = "- Predicate `a` reworded; yes: y → Y\n",
         .there_review = "- Predicate `a` reworded; yes: y → Y\n",
         .back = "- Predicate `a` reworded; yes: Y → y\n",
         .back_review = "- Predicate `a` reworded; yes: Y → y\n"},
        {.both = {PREDICATES(ASKED("a", "A?"))},
         .edits = {{"\"any_lookup\"", "\"hand_back\""}},
         .there = "- Predicate `a` reworded; favors: any lookup → handing back\n",
         .there_review = "- Predicate `a` reworded; favors: any lookup → handing back\n",
         .back = "- Predicate `a` reworded; favors: handing back → any lookup\n",
         .back_review = "- Predicate `a` reworded; favors: handing back → any lookup\n"},
        {.both = {PREDICATES(ASKED("a", "A?") "," ASKED("b", "B?"))},
         .edits = {{ASKED("a", "A?") "," ASKED("b", "B?"), ASKED("b", "B?") "," ASKED("a", "A?")}}},
        /* Of two with one id the last is asked. */
        {.both = {PREDICATES(ASKED("a", "A?"))},
         .edits = {{ASKED("a", "A?"), ASKED("a", "A?") "," ASKED("a", "B?")}},
         .there = "- Predicate `a` reworded; question: A? → B?\n",
         .there_review = "- Predicate `a` reworded; question: A? → B?\n",
         .back = "- Predicate `a` reworded; question: B? → A?\n",
         .back_review = "- Predicate `a` reworded; question: B? → A?\n"},
    };

    (void)state;
    flow_changes_check("Arbiter", cases, N_OF(cases));
}

static void flowdiff_lists_weights_that_moved(void **state)
{
    static const struct flow_changes_case cases[] = {
        {.both = {ARBITER},
         .edits = {{FOLDS(FIVE), FOLDS("0.55,0.3,0.2,0.149,-0.5")}},
         .there = "- Weight of ln habit probability 0.500 → 0.550\n"
                  "- Weight of the model's record at the site -0.400 → -0.500\n",
         .back = "- Weight of ln habit probability 0.550 → 0.500\n"
                 "- Weight of the model's record at the site -0.500 → -0.400\n"},
        /* What counts is the mean over the folds. */
        {.both = {ARBITER},
         .edits = {{"\"folds\":[" FOLD(FIVE), "\"folds\":[" FOLD("0.75,0.3,0.2,0.1,-0.2")}},
         .there = "- Weight of ln habit probability 0.500 → 0.550\n",
         .back = "- Weight of ln habit probability 0.550 → 0.500\n"},
        {.both = {{"\"folds\":[]", FOLDS("0,0,0,0,0.6,0")}, WEIGHED(ASKED("a", "A?"))},
         .edits = {{FOLDS("0,0,0,0,0.6,0"), FOLDS("0,0,0,0,0.9,0")}},
         .there = "- Weight of predicate `a` 0.600 → 0.900\n",
         .back = "- Weight of predicate `a` 0.900 → 0.600\n"},
        {.both = {{"\"folds\":[]", FOLDS("0,0,0,0,0.6,0")}, WEIGHED(ASKED("a", "A?"))},
         .edits = {{FOLDS("0,0,0,0,0.6,0"), FOLDS("1,1,1,1,0.9,1")},
                   {ASKED("a", "A?"), ASKED("b", "A?")}},
         .there = "- Weighed predicates: `a` for any lookup → `b` for any lookup\n",
         .back = "- Weighed predicates: `b` for any lookup → `a` for any lookup\n"},
        {.both = {{"\"folds\":[]", FOLDS(FIVE)}},
         .edits = {{FOLDS(FIVE), FOLDS("1,1,1,1,0.9,1")},
                   WEIGHED(FAVORS("a", "\"hand_back\"", "A?"))},
         .there = "- Weighed predicates: none → `a` for handing back\n",
         .back = "- Weighed predicates: `a` for handing back → none\n"},
        {.both = {{"\"folds\":[]", FOLDS("0,0,0,0,0.6,0")}, WEIGHED(ASKED("a", "A?"))},
         .edits = {{ASKED("a", "A?"), FAVORS("a", "\"same_lookup\"", "A?")}},
         .there = "- Weighed predicates: `a` for any lookup → `a` for the same lookup\n",
         .back = "- Weighed predicates: `a` for the same lookup → `a` for any lookup\n"},
        {.edits = {WEIGHED(ASKED("a", "A?"))}},
    };

    (void)state;
    flow_changes_check("Arbiter", cases, N_OF(cases));
}

/* ---- promotion and provenance ---- */

static void flowdiff_sums_up_the_promotion(void **state)
{
#define BOTH SCORED("find_tickets", "true") "," SCORED("get_ticket", "true")
#define BAR  "(threshold 0.3, min-used 0.7, min-lower 0.5, min-tasks 3)"
    static const struct flow_changes_case cases[] = {
        {.edits = {PROMOTED(BOTH)},
         .there = "- Promotion: none → 2 of 2 sites promoted " BAR "\n",
         .back = "- Promotion: 2 of 2 sites promoted " BAR " → none\n"},
        {.both = {PROMOTED(BOTH)},
         .edits = {{"," SCORED("get_ticket", "true"), ""}, {NEXT, "[[\"get_ticket\",true],{}]"}},
         .there = "- Promotion: 2 of 2 sites promoted " BAR " → 1 of 1 site promoted " BAR "\n",
         .back = "- Promotion: 1 of 1 site promoted " BAR " → 2 of 2 sites promoted " BAR "\n",
         .back_review = "- After `get_ticket`: `get_ticket` newly offered\n"},
        {.both = {PROMOTED(BOTH)},
         .edits = {{SCORED("get_ticket", "true"), SCORED("get_ticket", "false")}},
         .there = "- Promotion: 2 of 2 sites promoted " BAR " → 1 of 2 sites promoted " BAR "\n",
         .back = "- Promotion: 1 of 2 sites promoted " BAR " → 2 of 2 sites promoted " BAR "\n",
         .back_review = "- After `get_ticket`: acts now, where it handed back (not promoted)\n"},
        {.both = {PROMOTED(BOTH)},
         .edits = {{"\"min_used\":0.7", "\"min_used\":0.701"}},
         .there = "- Promotion: 2 of 2 sites promoted " BAR " → 2 of 2 sites promoted "
                  "(threshold 0.3, min-used 0.701, min-lower 0.5, min-tasks 3)\n",
         .back = "- Promotion: 2 of 2 sites promoted (threshold 0.3, min-used 0.701, min-lower "
                 "0.5, min-tasks 3) → 2 of 2 sites promoted " BAR "\n"},
        {.both = {PROMOTED(BOTH)}, .edits = {{"\"decisions\":41", "\"decisions\":42"}}},
    };

    (void)state;
    flow_changes_check("Promotion", cases, N_OF(cases));
}

static void flowdiff_says_what_a_flow_was_learned_from(void **state)
{
    static const struct flow_changes_case cases[] = {
        {.edits = {{"[\"glm-5\"]", "[\"glm-5\",\"b\"]"},
                   {"\"habit_episodes\":3", "\"habit_episodes\":1234"},
                   {"\"arbiter_cases\":0", "\"arbiter_cases\":7"}},
         .there = "- Sources: `glm-5` → `glm-5`, `b`\n- Sessions learned from: 3 → 1,234\n"
                  "- Decisions behind the arbiter: 0 → 7\n",
         .back = "- Sources: `glm-5`, `b` → `glm-5`\n- Sessions learned from: 1,234 → 3\n"
                 "- Decisions behind the arbiter: 7 → 0\n"},
        {.edits = {{"[\"glm-5\"]", "[]"}},
         .there = "- Sources: `glm-5` → none\n",
         .back = "- Sources: none → `glm-5`\n"},
        {.edits = {{"\"stretto\":\"0.1.0\"", "\"stretto\":\"0.2.0\""},
                   {"1790198400000", "1790198400001"}}},
    };

    (void)state;
    flow_changes_check("Provenance", cases, N_OF(cases));
}

/* ---- the whole ---- */

static void flowdiff_lists_groups_in_order(void **state)
{
    static const char *const groups[] = {
        "Tools",
        "Run",
        "Sites",
        "Habit alone (at 0.3)",
        "Next actions in training",
        "Bindings",
        "Sources by site",
        "Constants",
        "Pinned inputs",
        "Code features",
        "Arbiter",
        "Promotion",
        "Provenance",
    };
    static const struct flow_edit edits[] = {
        {"\"habit_episodes\":3", "\"habit_episodes\":4"},
        {ASSIGNED, STOPPED ASSIGNED},
        {"\"email:string!\"", "\"email:string\""},
        SHARES("[0,2.0],[2,2.0]"),
    };
    static const struct flow_edit bindings[] = {
        VERSION_2,
        {"[\"find_tickets\",\"$.tickets[*]\"],4]]",
         "[\"find_tickets\",\"$.tickets[*]\"],4],[[\"get_ticket\",\"$.next\"],3]]"},
        {"[[4,4],[0,0]]}",
         "[[4,4],[0,0]]},\"site_sources\":[{\"tool\":\"get_ticket\",\"arg\":\"ticket_id\","
         "\"site\":\"a\",\"source\":[\"get_ticket\",\"$.next\"],\"values\":5}]"},
    };
    struct sp_buf old_text = flow_edited(FLOW_EXAMPLE, bindings, N_OF(bindings));
    struct sp_buf new_text = flow_edited(FLOW_FULL, edits, N_OF(edits));
    struct flow *from = flow_parsed(sp_buf_cstr(&old_text), NULL, 0);
    struct flow *to = flow_parsed(sp_buf_cstr(&new_text), NULL, 0);
    struct sp_buf b = {0};
    const char *at;

    (void)state;
    (void)flowdiff_put(&b, from, to, &flow_changes_defaults);
    at = strstr(sp_buf_cstr(&b), "\n\n" FLOW_CHANGES_REVIEW "- ");
    assert_non_null(at);
    for (size_t i = 0; i < N_OF(groups); i++) {
        char heading[64];

        (void)snprintf(heading, sizeof heading, "\n\n## %s\n\n- ", groups[i]);
        if (strstr(at, heading) == NULL)
            fail_msg("no '%s' behind\n%s", groups[i], at);
        at = strstr(at, heading) + 1;
    }
    sp_buf_deinit(&b);
    flow_free(from);
    flow_free(to);
    sp_buf_deinit(&old_text);
    sp_buf_deinit(&new_text);
}

/* Changes of FLOW_FULL by which a flow may do more; each applies whatever the others are. */
static const struct flow_edit additions[] = {
    {"\"ping\":\"generic\"", "\"ping\":\"read\""},
    {"\"close_ticket\":\"write\"", "\"close_ticket\":\"read\",\"zap\":\"read\""},
    {"[\"find_tickets\",true],{\"find_tickets\":2}",
     "[\"find_tickets\",true],{\"find_tickets\":2,\"get_ticket\":1}"},
    {"\"every_read\":false", "\"every_read\":true"},
    {"\"get_ticket (error)\":1.5", "\"get_ticket (error)\":0.5"},
    {"\"lower\":0.0,\"promoted\":false", "\"lower\":0.0,\"promoted\":true"},
    {"\"$.tickets[*]\"],4]]", "\"$.tickets[*]\"],4],[[\"get_ticket\",\"$.next\"],2]]"},
    {"\"constants\":[", "\"constants\":[[[\"find_tickets\",\"sort\"],\"up\"],"},
    {"\"predicates\":[", "\"predicates\":[" ASKED("z", "Z?") ","},
};

/* Changes by which it does not. */
static const struct flow_edit others[] = {
    {"\"habit_episodes\":3", "\"habit_episodes\":5"},
    {"\"find_tickets\":0.95", "\"find_tickets\":0.5"},
    {"\"agreed\":{\"get_ticket\":[[4,4],[0,0]]}", "\"agreed\":{\"get_ticket\":[[1,4],[0,5]]}"},
    {"[[0,3.0],[2,1.0]],\"total\":4.0", "[[0,1.0],[2,3.0]],\"total\":4.0"},
    {"\"email:string!\"", "\"email:string\""},
    {"{\"Len\":\"notes\"}", "{\"Scalar\":\"notes\"}"},
    {"\"weights\":[0.5,0.3", "\"weights\":[2.5,0.1"},
    {"\"min_tasks\":3", "\"min_tasks\":4"},
    {"\"described_read\":{\"get_ticket\":[2,3]}", "\"described_read\":{}"},
};

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

/* Applies some of the changes; returns how many. */
static size_t apply_some(struct sp_buf *text, const struct flow_edit *edits, size_t n,
                         uint32_t *random)
{
    size_t n_applied = 0;

    for (size_t i = 0; i < n; i++) {
        struct sp_buf edited;

        if (next_random(random) % 2 == 0)
            continue;
        edited = flow_edited(sp_buf_cstr(text), &edits[i], 1);
        sp_buf_deinit(text);
        *text = edited;
        n_applied++;
    }
    return n_applied;
}

/* Every change that needs review stands behind the list of these a second time. */
static void check_listed_twice(const char *report)
{
    struct sp_buf review = flow_changes_below(report, FLOW_CHANGES_REVIEW);
    const char *groups = strstr(report, "\n## ");
    const char *line = sp_buf_cstr(&review);

    while (*line != '\0') {
        size_t len = (size_t)(strchr(line, '\n') + 1 - line);
        char *bullet = strndup(line, len);

        assert_non_null(groups);
        assert_non_null(bullet);
        assert_non_null(strstr(groups, bullet));
        free(bullet);
        line += len;
    }
    sp_buf_deinit(&review);
}

static size_t count_review(const struct flow *from, const struct flow *to)
{
    static const struct flowdiff_options nothing_is_left_out = {0, 0.3};
    struct sp_buf b = {0};
    size_t n = flowdiff_put(&b, from, to, &nothing_is_left_out);

    check_listed_twice(sp_buf_cstr(&b));
    if (from == to)
        assert_null(strstr(sp_buf_cstr(&b), "\n- "));
    sp_buf_deinit(&b);
    return n;
}

static void flowdiff_needs_review_for_what_a_flow_may_do_more(void **state)
{
    static const struct flow_edit base[] = {
        {"\"every_read\":true", "\"every_read\":false"},
        {"[\"get_ticket\",false],{\"get_ticket\":1}]",
         "[\"get_ticket\",false],{\"get_ticket\":1}],[[\"get_ticket\",true],{\"get_ticket\":1}]"},
        {",\"get_ticket\":{\"decisions\":1", ",\"get_ticket (error)\":{\"decisions\":1,"
                                             "\"lookups\":0,\"used\":0,\"tasks\":1,\"lower\":0.4,"
                                             "\"promoted\":true},\"get_ticket\":{\"decisions\":1"},
    };
    uint32_t random = 20;

    (void)state;
    for (size_t i = 0; i < 100; i++) {
        struct sp_buf text = flow_edited(FLOW_FULL, base, N_OF(base));
        struct flow *from;
        struct flow *to;
        size_t n;

        (void)apply_some(&text, others, N_OF(others), &random);
        from = flow_parsed(sp_buf_cstr(&text), NULL, 0);
        n = apply_some(&text, additions, N_OF(additions), &random);
        to = flow_parsed(sp_buf_cstr(&text), NULL, 0);
        assert_true(count_review(from, to) >= n);
        assert_int_equal(count_review(to, from), 0);
        assert_int_equal(count_review(from, from), 0);
        assert_int_equal(count_review(to, to), 0);
        flow_free(from);
        flow_free(to);
        sp_buf_deinit(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flowdiff_of_equal_flows_is_one_sentence),
        cmocka_unit_test(flowdiff_is_headed_by_the_new_flows_domain),
        cmocka_unit_test(flowdiff_lists_tools_of_another_kind),
        cmocka_unit_test(flowdiff_tells_of_lookups_that_the_tools_do_not_show),
        cmocka_unit_test(flowdiff_has_every_change_of_the_program_reviewed),
        cmocka_unit_test(flowdiff_lists_pinned_inputs),
        cmocka_unit_test(flowdiff_lists_fields_of_code_features),
        cmocka_unit_test(flowdiff_tells_of_an_arbiter),
        cmocka_unit_test(flowdiff_lists_predicates),
        cmocka_unit_test(flowdiff_lists_weights_that_moved),
        cmocka_unit_test(flowdiff_sums_up_the_promotion),
        cmocka_unit_test(flowdiff_says_what_a_flow_was_learned_from),
        cmocka_unit_test(flowdiff_lists_groups_in_order),
        cmocka_unit_test(flowdiff_needs_review_for_what_a_flow_may_do_more),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
