/* Tests of flow/flowdiff.h: where arguments come from. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flow_changes.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define F "`find_tickets` `$.tickets[*]`"
#define N "`get_ticket` `$.next`"
#define FOUND(of)                                               \
    {                                                           \
        "[[[\"find_tickets\",\"$.tickets[*]\"],4]]", "[" of "]" \
    }
#define FROM_FIND         "[[\"find_tickets\",\"$.tickets[*]\"],4]"
#define FROM_NEXT         "[[\"get_ticket\",\"$.next\"],3]"
#define TICKETS           "`find_tickets` `$.tickets`"
#define FROM_LAST         "[[\"a\",\"$.last\"],2]"
#define BOUND(source)     "- `get_ticket` `ticket_id`: bound from a new source, " source "\n"
#define BOUND_NOT(source) "- `get_ticket` `ticket_id`: no longer bound from " source "\n"
#define FIND_EMAIL(of)                                                         \
    {                                                                          \
        "[[\"find_tickets\",\"email\"],{\"values\":4,\"found\":[]}]",          \
            "[[\"find_tickets\",\"email\"],{\"values\":4,\"found\":[" of "]}]" \
    }

static void flowdiff_lists_sources_of_arguments(void **state)
{
#define LISTS                                                                                \
    {                                                                                        \
        "[[4,4],[0,0]]}", "[[4,4],[0,0]]},\"lists\":[[[\"get_ticket\",\"ticket_id\"],{"      \
                          "\"values\":4,\"found\":[[[\"find_tickets\",\"$.tickets\"],4]]}]]" \
    }
    static const struct flow_changes_case cases[] = {
        {.edits = {FOUND(FROM_FIND "," FROM_NEXT "," FROM_LAST)},
         .there = BOUND("`a` `$.last`") BOUND("`get_ticket` `$.next`"),
         .there_review = BOUND("`a` `$.last`") BOUND("`get_ticket` `$.next`"),
         .back = BOUND_NOT("`a` `$.last`") BOUND_NOT("`get_ticket` `$.next`")},
        {.edits = {FOUND(FROM_NEXT)},
         .there = BOUND("`get_ticket` `$.next`") BOUND_NOT("`find_tickets` `$.tickets[*]`"),
         .there_review = BOUND("`get_ticket` `$.next`"),
         .back = BOUND("`find_tickets` `$.tickets[*]`") BOUND_NOT("`get_ticket` `$.next`"),
         .back_review = BOUND("`find_tickets` `$.tickets[*]`")},
        /* What training found too rarely is no source. */
        {.edits = {FOUND(FROM_FIND ",[[\"get_ticket\",\"$.rare\"],1]")}},
        {.both = {VERSION_2},
         .edits = {LISTS},
         .there = BOUND("whole list: `find_tickets` `$.tickets`")
             BOUND_NOT("`find_tickets` `$.tickets[*]`"),
         .there_review = BOUND("whole list: `find_tickets` `$.tickets`"),
         .back = BOUND("`find_tickets` `$.tickets[*]`")
             BOUND_NOT("whole list: `find_tickets` `$.tickets`"),
         .back_review = BOUND("`find_tickets` `$.tickets[*]`")},
        {.both = {VERSION_2, FOUND("[[\"find_tickets\",\"$.tickets\"],4]")},
         .edits = {LISTS},
         .there = BOUND("whole list: " TICKETS) BOUND_NOT(TICKETS),
         .there_review = BOUND("whole list: " TICKETS),
         .back = BOUND(TICKETS) BOUND_NOT("whole list: " TICKETS),
         .back_review = BOUND(TICKETS)},
        /* A lookup that could not be bound before needs no second line. */
        {.edits = {FIND_EMAIL("[[\"a\",\"$\"],4]")},
         .there = "- `find_tickets` `email`: bound from a new source, `a` `$`\n",
         .there_review = "- `find_tickets` `email`: bound from a new source, `a` `$`\n",
         .back = "- `find_tickets` `email`: no longer bound from `a` `$`\n"},
        /* An argument that is rarely passed is not bound. */
        {.edits = {{"{\"ticket_id\":4}", "{\"ticket_id\":3}"}},
         .there = BOUND_NOT("`find_tickets` `$.tickets[*]`"),
         .back = BOUND("`find_tickets` `$.tickets[*]`"),
         .back_review = BOUND("`find_tickets` `$.tickets[*]`")},
        {.edits = {{"{\"email\":4}", "{\"email\":3}"}},
         .there = "- `find_tickets`: can be made now, with the arguments that are passed\n",
         .there_review = "- `find_tickets`: can be made now, with the arguments that are passed\n",
         .back = "- `find_tickets`: can be made no longer, for an argument without a source\n"},
    };

    (void)state;
    flow_changes_check("Bindings", cases, N_OF(cases));
}

static void flowdiff_lists_chances_that_moved(void **state)
{
#define AGREED(to)                                      \
    {                                                   \
        "\"agreed\":{\"get_ticket\":[[4,4],[0,0]]}", to \
    }
#define CHANCE(of) "- `get_ticket`: chance when " of "\n"
    static const struct flow_changes_case cases[] = {
        {.edits = {AGREED("\"agreed\":{\"get_ticket\":[[1,4],[8,8]]}")},
         .there = CHANCE("not mentioned 0.83 → 0.33") CHANCE("mentioned 0.50 → 0.90"),
         .back = CHANCE("not mentioned 0.33 → 0.83") CHANCE("mentioned 0.90 → 0.50")},
        {.edits = {AGREED("\"agreed\":{}")},
         .there = CHANCE("not mentioned 0.83 → 0.50"),
         .back = CHANCE("not mentioned 0.50 → 0.83")},
        {.edits = {AGREED("\"agreed\":{\"get_ticket\":[[5,5],[0,0]]}")}},
        {.both = {VERSION_2},
         .edits = {AGREED("\"agreed\":{\"get_ticket\":[[4,4],[0,0]]},"
                          "\"named_other\":{\"get_ticket\":[0,3]},"
                          "\"described_read\":{\"get_ticket\":[1,3]}")},
         .there = CHANCE("another named 0.83 → 0.33") CHANCE("described record read 0.83 → 0.53"),
         .back = CHANCE("another named 0.33 → 0.83") CHANCE("described record read 0.53 → 0.83")},
        {.both = {VERSION_2},
         .edits = {AGREED("\"agreed\":{\"get_ticket\":[[4,4],[0,0]]},"
                          "\"named_other\":{\"get_ticket\":[10,12]}")}},
        {.both = {VERSION_2, AGREED("\"agreed\":{\"get_ticket\":[[4,4],[0,0]]},"
                                    "\"named_other\":{\"get_ticket\":[0,0]}")},
         .edits = {{"[[4,4],[0,0]]", "[[1,4],[0,0]]"}},
         .there = CHANCE("not mentioned 0.83 → 0.33") CHANCE("another named 0.83 → 0.33"),
         .back = CHANCE("not mentioned 0.33 → 0.83") CHANCE("another named 0.33 → 0.83")},
        /* A lookup that cannot be bound has none. */
        {.edits = {{"\"agreed\":{", "\"agreed\":{\"find_tickets\":[[8,8],[0,0]],"}}},
        {.edits = {{",\"get_ticket\":[4,{\"ticket_id\":4}]", ""},
                   {"[[4,4],[0,0]]", "[[0,4],[0,0]]"}},
         .there = BOUND_NOT(F),
         .back = BOUND(F),
         .back_review = BOUND(F)},
        {.edits = {{"\"find_tickets\":[4,{\"email\":4}],", ""},
                   {"\"agreed\":{", "\"agreed\":{\"find_tickets\":[[8,8],[0,0]],"}}},
    };

    (void)state;
    flow_changes_check("Bindings", cases, N_OF(cases));
}

static void flowdiff_lists_the_source_tried_first_behind_a_site(void **state)
{
#define TWO_SOURCES FOUND(FROM_FIND "," FROM_NEXT)
#define SITES(of)                                                    \
    {                                                                \
        "[[4,4],[0,0]]}", "[[4,4],[0,0]]},\"site_sources\":[" of "]" \
    }
#define AT(site, tool, path, values)                                                           \
    "{\"tool\":\"get_ticket\",\"arg\":\"ticket_id\",\"site\":\"" site "\",\"source\":[\"" tool \
    "\",\"" path "\"],\"values\":" values "}"
#define AT_FIND(site, values) AT(site, "find_tickets", "$.tickets[*]", values)
#define AT_NEXT(site, values) AT(site, "get_ticket", "$.next", values)
#define TWO_LISTS                                                                                  \
    "\"lists\":[[[\"get_ticket\",\"ticket_id\"],{\"values\":4,\"found\":[" FROM_FIND "," FROM_NEXT \
    "]}]]"
#define FIRST(site) "- `get_ticket` `ticket_id` after `" site "`: tried first "
    static const struct flow_changes_case cases[] = {
        {.both = {VERSION_2, TWO_SOURCES, SITES(AT_FIND("a", "4") "," AT_NEXT("a", "3"))},
         .edits = {{AT_NEXT("a", "3"), AT_NEXT("a", "5")}},
         .there = FIRST("a") F " → " N "\n",
         .back = FIRST("a") N " → " F "\n"},
        {.both = {VERSION_2, TWO_SOURCES, SITES(AT_FIND("a", "4") "," AT_NEXT("a", "3"))},
         .edits = {{AT_NEXT("a", "3"), AT_NEXT("a", "4")}}},
        {.both = {VERSION_2, TWO_SOURCES},
         .edits = {SITES(AT_NEXT("b", "5") "," AT_FIND("a", "5") "," AT_FIND("c", "4"))},
         .there = FIRST("a") "the latest result → " F "\n" FIRST("b") "the latest result → " N "\n",
         .back = FIRST("a") F " → the latest result\n" FIRST("b") N " → the latest result\n"},
        {.both = {VERSION_2, SITES(AT_FIND("a", "5") "," AT_NEXT("a", "6"))},
         .edits = {TWO_SOURCES},
         .there = FIRST("a") F " → " N "\n",
         .there_review = BOUND(N),
         .back = FIRST("a") N " → " F "\n"},
        /* Without an order of its own, a site says no more than the sources do. */
        {.both = {VERSION_2, SITES(AT_FIND("a", "5"))},
         .edits = {FOUND(FROM_NEXT)},
         .there_review = BOUND(N),
         .back_review = BOUND(F)},
        /* A list is taken from the latest result. */
        {.both = {VERSION_2,
                  TWO_SOURCES,
                  SITES(AT_FIND("a", "4") "," AT_NEXT("a", "3")),
                  {"\"site_sources\"", TWO_LISTS ",\"site_sources\""}},
         .edits = {{AT_NEXT("a", "3"), AT_NEXT("a", "5")}}},
        /* Where one flow does not bind the argument, its sources are the change. */
        {.both = {VERSION_2, TWO_SOURCES, SITES(AT_FIND("a", "5"))},
         .edits = {{"[" FROM_FIND "," FROM_NEXT "]", "[]"}},
         .back_review = BOUND(F) BOUND(N)},
    };

    (void)state;
    flow_changes_check("Sources by site", cases, N_OF(cases));
}

static void flowdiff_lists_constants(void **state)
{
#define CONSTANTS(of)                                             \
    {                                                             \
        "[[4,4],[0,0]]}", "[[4,4],[0,0]]},\"constants\":[" of "]" \
    }
    static const struct flow_changes_case cases[] = {
        {.both = {VERSION_2},
         .edits = {CONSTANTS("[[\"get_ticket\",\"b\"],1],[[\"get_ticket\",\"a\"],{\"x\":[]}]")},
         .there = "- `get_ticket` `a`: new constant `{\"x\":[]}`\n"
                  "- `get_ticket` `b`: new constant `1`\n",
         .there_review = "- `get_ticket` `a`: new constant `{\"x\":[]}`\n"
                         "- `get_ticket` `b`: new constant `1`\n",
         .back = "- `get_ticket` `a`: dropped constant `{\"x\":[]}`\n"
                 "- `get_ticket` `b`: dropped constant `1`\n"},
        {.both = {VERSION_2, CONSTANTS("[[\"get_ticket\",\"a\"],true],[[\"z\",\"a\"],0]")},
         .edits = {{"\"a\"],true]", "\"a\"],false]"}},
         .there = "- `get_ticket` `a`: constant `true` → `false`\n",
         .there_review = "- `get_ticket` `a`: constant `true` → `false`\n",
         .back = "- `get_ticket` `a`: constant `false` → `true`\n",
         .back_review = "- `get_ticket` `a`: constant `false` → `true`\n"},
        /* Where a lookup can be made for a new constant, that is the change. */
        {.both = {VERSION_2},
         .edits = {CONSTANTS("[[\"find_tickets\",\"email\"],\"a@b\"]")},
         .there = "- `find_tickets` `email`: new constant `\"a@b\"`\n",
         .there_review = "- `find_tickets` `email`: new constant `\"a@b\"`\n",
         .back = "- `find_tickets` `email`: dropped constant `\"a@b\"`\n"},
        /* An argument that is a constant has no sources. */
        {.both = {VERSION_2},
         .edits = {CONSTANTS("[[\"get_ticket\",\"ticket_id\"],\"T-1\"]")},
         .there = "- `get_ticket` `ticket_id`: new constant `\"T-1\"`\n",
         .there_review = "- `get_ticket` `ticket_id`: new constant `\"T-1\"`\n",
         .back = "- `get_ticket` `ticket_id`: dropped constant `\"T-1\"`\n",
         .back_review = BOUND(F)},
    };

    (void)state;
    flow_changes_check("Constants", cases, N_OF(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flowdiff_lists_sources_of_arguments),
        cmocka_unit_test(flowdiff_lists_chances_that_moved),
        cmocka_unit_test(flowdiff_lists_the_source_tried_first_behind_a_site),
        cmocka_unit_test(flowdiff_lists_constants),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
