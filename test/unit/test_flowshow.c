/* Tests of flow/flowshow.h and of what it is made of: the sections of a flow's report. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow/flowshow.h"
#include "flow/promotion_report.h"
#include "flow_carts.h"
#include "flow_edit.h"
#include "flow_example.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define MAX_EDITS 4

static struct sp_buf show(const char *text, const struct flow_edit *edits, size_t n)
{
    struct flow *f = flow_parsed(text, edits, n);
    struct sp_buf b = {0};

    flowshow_put(&b, f, 0.3);
    flow_free(f);
    return b;
}

struct show_case {
    struct flow_edit edits[MAX_EDITS];
    const char *lines; /* that the report has, one after the other */
};

static void check_lines(const char *text, const struct show_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct sp_buf b = show(text, cases[i].edits, MAX_EDITS);

        if (strstr(sp_buf_cstr(&b), cases[i].lines) == NULL)
            fail_msg("no '%s' in\n%s", cases[i].lines, sp_buf_cstr(&b));
        sp_buf_deinit(&b);
    }
}

/* An order's details fail, and the user's are looked up in two of three cases. */
#define ORDERS                                                                                   \
    "{\"stretto_flow\":1,\"provenance\":{\"stretto\":\"0.1.0\",\"sources\":[\"a\",\"b|c\"],"     \
    "\"habit_episodes\":1234567,\"arbiter_cases\":0,\"compiled_unix_ms\":0},\"vocab\":["         \
    "\"Respond\",{\"Tool\":\"get_order_details\"},{\"Tool\":\"get_user_details\"}],"             \
    "\"manifest\":{\"domain\":\"shop\",\"tools\":{\"get_user_details\":\"read\","                \
    "\"get_order_details\":\"read\",\"zap\":\"generic\",\"close\":\"write\"}},"                  \
    "\"map\":{\"fields\":{},\"ids\":[]},\"group\":1,\"habit\":{\"base\":{\"order\":1,"           \
    "\"alpha\":1.0,\"vocab_size\":4,\"levels\":[[],"                                             \
    "[[[20480],{\"by_action\":[[0,1.0],[2,2.0]],\"total\":3.0}]]]},\"beta\":1.0,\"top\":[]},"    \
    "\"sites\":{\"reads\":[\"get_order_details\",\"get_user_details\"],\"next\":[[["             \
    "\"get_order_details\",true],{\"get_user_details\":2}]],\"feeds\":{}},\"predicates\":[],"    \
    "\"weighed\":[],\"folds\":[],\"bindings\":{\"args\":{\"get_user_details\":[8,{\"id\":8}]},"  \
    "\"sources\":[[[\"get_user_details\",\"id\"],{\"values\":8,\"found\":[[["                    \
    "\"get_order_details\",\"$.user\"],8]]}]],\"agreed\":{\"get_user_details\":[[4,4],[4,4]]}}," \
    "\"model\":\"\"}"

static void flowshow_has_a_row_for_every_site(void **state)
{
    static const struct show_case cases[] = {
        {.lines = "| `get_order_details` (failed) | `get_user_details` (2) | get_user_details 67%, "
                  "respond 33% (of 3) | looks up `get_user_details` (0.67 × 0.90 = 0.60) |\n"},
        {.edits = {{"[[0,1.0],[2,2.0]],\"total\":3.0", "[],\"total\":0.0"},
                   {"{\"get_user_details\":2}", "{\"get_user_details\":2000}"}},
         .lines = "| `get_user_details` (2,000) | — (of 0) | hands back (`get_user_details` 0.00 × "
                  "0.90 = 0.00) |\n"},
        {.edits = {{"{\"get_user_details\":2}", "{}"}},
         .lines = "## Sites\n\nNo lookup followed any call in training.\n\n## Bindings\n"},
    };

    (void)state;
    check_lines(ORDERS, cases, N_OF(cases));
}

static void flowshow_begins_with_what_the_flow_is(void **state)
{
    static const struct show_case cases[] = {
        {.lines = "# Flow: shop\n\n- Written by stretto 0.1.0; sources: a, b\\|c.\n"
                  "- Habit: learned from 1,234,567 sessions.\n- Arbiter: none.\n"
                  "- Reach: holds no counts of what came before the next write.\n\n## Tools\n\n"
                  "- Read, the only ones the flow may call: `get_order_details`, "
                  "`get_user_details`\n- Write: `close`\n- Neither: `zap`\n\n## Run\n"},
        {.edits = {{",\"zap\":\"generic\",\"close\":\"write\"", ""}},
         .lines = "`get_user_details`\n\n## Run\n"},
    };

    (void)state;
    check_lines(ORDERS, cases, N_OF(cases));
}

#define STANDARD_TEXT                                                    \
    "let prev = call;\n"                                                 \
    "let failed = call_failed;\n"                                        \
    "for i in 0..max_lookups {\n"                                        \
    "    let d <- sample(addr!(\"decide\", i), Decide(prev, failed));\n" \
    "    if d == 0 {\n"                                                  \
    "        break;\n"                                                   \
    "    }\n"                                                            \
    "    let ok <- sample(addr!(\"outcome\", i), Outcome(d));\n"         \
    "    prev = d;\n"                                                    \
    "    failed = !ok;\n"                                                \
    "}\n"                                                                \
    "pure(prev)\n"

#define PROGRAM(body) \
    "\"model\":\"\",\"program\":{\"fugue_program\":1,\"body\":[" body "],\"ret\":" ONE "}"
#define ONE          "{\"op\":\"int\",\"value\":1}"
#define OP(op, a, b) "{\"op\":\"" op "\",\"lhs\":" a ",\"rhs\":" b "}"

static void flowshow_prints_the_program(void **state)
{
    static const struct show_case cases[] = {
        {.lines = "## Run\n\nThe standard run after each of the agent's calls.\n\n```text\n" //
         STANDARD_TEXT "```\n\n## Sites\n"},
        {.edits = {{"\"model\":\"\"", PROGRAM("")}},
         .lines = "## Run\n\n**Not the standard run: review when it decides and looks up.**\n\n"
                  "```text\npure(1)\n```\n"},
        {.edits =
             {{"\"model\":\"\"",
               PROGRAM("{\"stmt\":\"factor\",\"logw\":" OP(
                   "mul", OP("add", ONE, "{\"op\":\"f64\",\"value\":2.0}"),
                   "{\"op\":\"neg\",\"arg\":" OP(
                       "sub", ONE,
                       ONE) "}") "},"
                                 "{\"stmt\":\"observe\",\"addr\":{\"name\":\"a\\\"\"},\"dist\":{"
                                 "\"name\":"
                                 "\"Outcome\",\"args\":[" ONE
                                 "]},\"value\":{\"op\":\"bool\",\"value\":true"
                                 "}},{\"stmt\":\"if\",\"cond\":" OP(
                                     "and", OP("lt", ONE, ONE),
                                     ONE) ","
                                          "\"then\":[],\"else\":[{\"stmt\":\"let\",\"var\":\"x\","
                                          "\"value\":{\"op\":"
                                          "\"index\",\"array\":{\"op\":\"array\",\"items\":[" ONE
                                          "," ONE "]},"
                                          "\"index\":{\"op\":\"len\",\"array\":{\"op\":\"array\","
                                          "\"items\":[]}}}}]}")}},
         .lines = "```text\n"
                  "factor((1 + 2.0) * -(1 - 1));\n"
                  "observe(addr!(\"a\\\"\"), Outcome(1), true);\n"
                  "if (1 < 1) && 1 {\n"
                  "} else {\n"
                  "    let x = [1, 1][len([])];\n"
                  "}\n"
                  "pure(1)\n"
                  "```\n"},
    };

    (void)state;
    check_lines(ORDERS, cases, N_OF(cases));
}

#define TICKET_ROW "| `get_ticket` | `ticket_id` | `find_tickets` `$.tickets[*]` (4 of 4) | "

static void flowshow_says_where_arguments_come_from(void **state)
{
    static const struct show_case cases[] = {
        {.lines = "| Lookup | Argument | Sources | Chance |\n|---|---|---|---|\n"
                  "| `find_tickets` | `email` | none: never made | — |\n" TICKET_ROW
                  "0.83 (4/4), 0.50 (0/0) |\n\n"
                  "## Pinned inputs\n\n| Lookup | Input |\n|---|---|\n"
                  "| `find_tickets` | `email:string!` |\n"
                  "| `get_ticket` | `ticket_id:string!` |\n"},
        {.edits = {{"\"stretto_flow\":1", "\"stretto_flow\":2"},
                   {"[[4,4],[0,0]]}", "[[4,4],[0,0]]},\"named_other\":{\"get_ticket\":[0,3]}"}},
         .lines = "| Chance | Another value named |\n|---|---|---|---|---|\n"
                  "| `find_tickets` | `email` | none: never made | — | — |\n" TICKET_ROW
                  "0.83 (4/4), 0.50 (0/0) | 0.33 (0/3) |\n"},
        {.edits = {{"\"stretto_flow\":1", "\"stretto_flow\":2"},
                   {"[[4,4],[0,0]]}", "[[4,4],[0,0]]},\"named_other\":{\"find_tickets\":[0,3]},"
                                      "\"described_read\":{\"get_ticket\":[1,3]}"}},
         .lines = "| Another value named | Described record read |\n|---|---|---|---|---|---|\n"
                  "| `find_tickets` | `email` | none: never made | — | — | — |\n" TICKET_ROW
                  "0.83 (4/4), 0.50 (0/0) | — | 0.53 (1/3) |\n"},
        {.edits = {{"\"find_tickets\":[4,{\"email\":4}]", "\"find_tickets\":[4,{\"email\":3}]"}},
         .lines = "| `find_tickets` | none | — | 0.50 (0/0), 0.50 (0/0) |\n"},
    };

    (void)state;
    check_lines(FLOW_EXAMPLE, cases, N_OF(cases));
}

static void flowshow_ranks_sources_where_a_site_has_its_own_order(void **state)
{
#define TWO_SOURCES                                                                     \
    {"\"stretto_flow\":1", "\"stretto_flow\":2"},                                       \
    {                                                                                   \
        "[[[\"find_tickets\",\"$.tickets[*]\"],4]]",                                    \
            "[[[\"find_tickets\",\"$.tickets[*]\"],4],[[\"get_ticket\",\"$.next\"],3]," \
            "[[\"get_ticket\",\"$.rare\"],1]]"                                          \
    }
#define SITE(source, path, values)                                                                 \
    "{\"tool\":\"get_ticket\",\"arg\":\"ticket_id\",\"site\":\"get_ticket\",\"source\":[\"" source \
    "\",\"" path "\"],\"values\":" values "}"
    static const struct show_case cases[] = {
        {.edits = {TWO_SOURCES,
                   {"[[4,4],[0,0]]}", "[[4,4],[0,0]]},\"site_sources\":[" SITE(
                                          "find_tickets", "$.tickets[*]", "1") "," //
                    SITE("get_ticket", "$.next", "4") "," SITE("get_ticket", "$.rare", "9") "]"}},
         .lines = "## Sources by site\n\n| Lookup | Argument | After | Sources in the order tried |"
                  "\n|---|---|---|---|\n| `get_ticket` | `ticket_id` | `get_ticket` | "
                  "`get_ticket` `$.next` (4), `find_tickets` `$.tickets[*]` (1) |\n\n## Pinned"},
        {.edits = {TWO_SOURCES,
                   {"[[4,4],[0,0]]}",
                    "[[4,4],[0,0]]},\"site_sources\":[" SITE("get_ticket", "$.next", "4") "]"}},
         .lines = "0.50 (0/0) |\n\n## Pinned inputs"},
    };

    (void)state;
    check_lines(FLOW_EXAMPLE, cases, N_OF(cases));
}

static void flowshow_shows_all_that_a_flow_can_hold(void **state)
{
    static const char *const headings[] = {
        "Tools",    "Run",           "Sites",         "Promotion",
        "Bindings", "Pinned inputs", "Code features", "Arbiter",
    };
    struct sp_buf b = show(FLOW_FULL, NULL, 0);
    const char *p = sp_buf_cstr(&b);

    (void)state;
    for (size_t i = 0; i < N_OF(headings); i++) {
        char heading[32];

        (void)snprintf(heading, sizeof heading, "\n## %s\n", headings[i]);
        p = strstr(p, heading);
        assert_non_null(p);
    }
    assert_non_null(strstr(sp_buf_cstr(&b), "| `find_tickets` | number in the output, `owner.name` "
                                            "| 2 |\n"
                                            "| `get_ticket` | number in `notes` | 1 |\n"));
    assert_non_null(strstr(sp_buf_cstr(&b), "| ln habit probability | "));
    sp_buf_deinit(&b);
}

static void flowshow_keeps_names_in_their_cells(void **state)
{
    static const struct show_case cases[] = {
        {.edits = {{"\"close\":\"write\"", "\"a|b`c\\n#\":\"write\",\"\":\"write\""}},
         .lines = "- Write: ` `, `` a\\|b`c # ``\n"},
    };

    (void)state;
    check_lines(ORDERS, cases, N_OF(cases));
}

static void promotion_report_has_the_bar_and_a_row_for_every_site(void **state)
{
    struct flow_promoted_site sites[] = {
        {SP_STR("broad"), 41, 40, 36, 12, 0.795, true},
        {SP_STR("idle"), 3, 0, 0, 0, 0, false},
    };
    const struct flow_promoted promoted = {0.3, 0.7, 0.5, 3, sites, N_OF(sites)};
    struct sp_buf b = {0};

    (void)state;
    promotion_report_put(&b, &promoted);
    assert_string_equal(
        sp_buf_cstr(&b),
        "Served at threshold 0.3, a site is promoted if at least 70% of its lookups were used, the "
        "lower bound of that share (of a 90% interval) is at least 0.50, and its lookups come from "
        "at least 3 tasks.\n"
        "\n"
        "| After | Decisions | Lookups | Used | Lower bound | Tasks | Promoted |\n"
        "|---|---|---|---|---|---|---|\n"
        "| `broad` | 41 | 40 | 36 (90%) | 0.80 | 12 | yes |\n"
        "| `idle` | 3 | 0 | — | 0.00 | 0 | no |\n");
    sp_buf_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flowshow_has_a_row_for_every_site),
        cmocka_unit_test(flowshow_begins_with_what_the_flow_is),
        cmocka_unit_test(flowshow_prints_the_program),
        cmocka_unit_test(flowshow_says_where_arguments_come_from),
        cmocka_unit_test(flowshow_ranks_sources_where_a_site_has_its_own_order),
        cmocka_unit_test(flowshow_shows_all_that_a_flow_can_hold),
        cmocka_unit_test(flowshow_keeps_names_in_their_cells),
        cmocka_unit_test(promotion_report_has_the_bar_and_a_row_for_every_site),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
