/*
 * Tests of learn/trybook.h by chapter 23: the bindings of the worked example and of the further
 * vectors, from sessions to what is picked at new ones, and the rules of section 10.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "learn/trybook.h"
#include "learned.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

static void check(const char *tools, const struct flow_session_event *const *sessions,
                  const char *bindings, const struct learned_pick *picks, size_t n_picks)
{
    struct flow *f = learned_tools(tools);

    learned_trace(f, sessions);
    learned_try(f, sessions);
    learned_check(f, bindings);
    learned_check_picks(f, picks, n_picks);
    flow_free(f);
}

/* Section 13; what is picked is in chapter 21, section 14. */
static void trybook_learns_the_bindings_of_the_worked_example(void **state)
{
    const struct flow_session_event *const sessions[] = {
        SESSION(USER("My tickets, please."),
                MADE("1", "find_tickets", "{\"email\":\"ann@example.com\"}",
                     "{\"owner\":\"ann\",\"tickets\":[\"T-11\",\"T-12\"]}"),
                MADE("2", "get_ticket", "{\"ticket_id\":\"T-11\"}",
                     "{\"state\":\"open\",\"ticket_id\":\"T-11\"}"),
                MADE("3", "get_ticket", "{\"ticket_id\":\"T-12\"}",
                     "{\"state\":\"closed\",\"ticket_id\":\"T-12\"}"),
                SAYS("One is open."), USER("Thanks."), SAYS("You are welcome.")),
        SESSION(USER("Any news?"),
                MADE("1", "find_tickets", "{\"email\":\"bob@example.com\"}",
                     "{\"owner\":\"bob\",\"tickets\":[\"T-21\",\"T-22\"]}"),
                MADE("2", "get_ticket", "{\"ticket_id\":\"T-21\"}",
                     "{\"state\":\"open\",\"ticket_id\":\"T-21\"}"),
                SAYS("It is open.")),
        SESSION(USER("My ticket?"), CALL("1", "find_tickets", "{\"email\":\"cy@example.org\"}"),
                ERROR("1", "find_tickets", "no such customer"), SAYS("Which address did you use?"),
                USER("cy@example.com"),
                MADE("2", "find_tickets", "{\"email\":\"cy@example.com\"}",
                     "{\"owner\":\"cy\",\"tickets\":[\"T-31\"]}"),
                MADE("3", "get_ticket", "{\"ticket_id\":\"T-31\"}",
                     "{\"state\":\"open\",\"ticket_id\":\"T-31\"}"),
                SAYS("It is open.")),
        NULL,
    };
#define L1(said)                                                             \
    USER(said), MADE("7", "find_tickets", "{\"email\":\"dee@example.com\"}", \
                     "{\"owner\":\"dee\",\"tickets\":[\"T-41\",\"T-42\"]}")
    const struct learned_pick picks[] = {
        {SESSION(L1("Where is my ticket?")), "get_ticket", "{\"ticket_id\":\"T-41\"}", NULL,
         BIND_NONE, 5.0 / 6},
        {SESSION(L1("Where is T-42?")), "get_ticket", "{\"ticket_id\":\"T-42\"}", NULL, BIND_PICKED,
         1.0 / 2},
        {SESSION(L1("Where?")), "find_tickets", NULL,
         "no source for `email`, so it is left to the agent", BIND_NONE, 0},
    };

    (void)state;
    check("find_tickets get_ticket", sessions,
          "{\"args\":{\"find_tickets\":[4,{\"email\":4}],\"get_ticket\":[4,{\"ticket_id\":4}]},"
          "\"sources\":[[[\"find_tickets\",\"email\"],{\"values\":4,\"found\":[]}],"
          "[[\"get_ticket\",\"ticket_id\"],{\"values\":4,\"found\":[[[\"find_tickets\","
          "\"$.tickets[*]\"],4]]}]],\"agreed\":{\"get_ticket\":[[4,4],[0,0]]}}",
          picks, N_OF(picks));
}

/* Section 14.1. */
static void trybook_counts_what_is_read_once_the_named_one_was(void **state)
{
    const struct flow_session_event *const session =
        SESSION(USER("T-52, any news?"),
                MADE("1", "find_tickets", "{\"email\":\"a@b.cc\"}",
                     "{\"tickets\":[\"T-51\",\"T-52\",\"T-53\"]}"),
                MADE("2", "get_ticket", "{\"ticket_id\":\"T-52\"}", "{\"state\":\"open\"}"));
    const struct flow_session_event *const sessions[] = {session, session, session, NULL};
#define T8X                                                                   \
    USER("How is T-82?"), MADE("1", "find_tickets", "{\"email\":\"e@b.cc\"}", \
                               "{\"tickets\":[\"T-81\",\"T-82\",\"T-83\"]}")
#define T82_READ MADE("2", "get_ticket", "{\"ticket_id\":\"T-82\"}", "{\"state\":\"open\"}")
    const struct learned_pick picks[] = {
        {SESSION(T8X), "get_ticket", "{\"ticket_id\":\"T-82\"}", NULL, BIND_PICKED, 4.0 / 5},
        {SESSION(T8X, T82_READ), "get_ticket", "{\"ticket_id\":\"T-81\"}", NULL, BIND_OTHER,
         1.0 / 5},
    };
    const struct learned_pick uncounted = {SESSION(T8X, T82_READ),
                                           "get_ticket",
                                           "{\"ticket_id\":\"T-81\"}",
                                           NULL,
                                           BIND_OTHER,
                                           1.0 / 2};
    struct flow *f = learned_tools("find_tickets get_ticket");

    (void)state;
    learned_trace(f, sessions);
    learned_try(f, sessions);
    learned_check(f, "{\"args\":{\"find_tickets\":[3,{\"email\":3}],\"get_ticket\":[3,{"
                     "\"ticket_id\":3}]},\"sources\":[[[\"find_tickets\",\"email\"],{\"values\":3,"
                     "\"found\":[]}],[[\"get_ticket\",\"ticket_id\"],{\"values\":3,\"found\":[[["
                     "\"find_tickets\",\"$.tickets[*]\"],3]]}]],\"agreed\":{\"get_ticket\":[[0,0],"
                     "[3,3]]},\"named_other\":{\"get_ticket\":[0,3]}}");
    learned_check_picks(f, picks, N_OF(picks));
    assert_int_equal(flow_version(f), 2);
    f->bindings.named_other.n = 0;
    learned_check_picks(f, &uncounted, 1);
    flow_free(f);
}

/* Section 14.2. */
#define LINES_OF(phone)                                                                          \
    MADE("1", "find_customer", "{\"phone\":\"" phone "\"}",                                      \
         "{\"customer\":\"C1\",\"lines\":[\"L1\",\"L2\",\"L3\"],\"phone\":\"" phone "\"}"),      \
        MADE("2", "get_line", "{\"line\":\"L1\"}", "{\"line\":\"L1\",\"number\":\"555-0101\"}"), \
        MADE("3", "get_line", "{\"line\":\"L2\"}", "{\"line\":\"L2\",\"number\":\"555-0102\"}")

static void trybook_counts_what_is_read_once_the_described_one_was(void **state)
{
    const struct flow_session_event *const session = SESSION(LINES_OF("555-0102"));
    const struct flow_session_event *const sessions[] = {session, session, session, NULL};
    const struct learned_pick picks[] = {
        {session, "get_line", "{\"line\":\"L3\"}", NULL, BIND_DESCRIBED, 0.35},
        {SESSION(LINES_OF("555-0103")), "get_line", "{\"line\":\"L3\"}", NULL, BIND_NONE, 7.0 / 8},
    };

    (void)state;
    check("find_customer get_line", sessions,
          "{\"args\":{\"find_customer\":[3,{\"phone\":3}],\"get_line\":[6,{\"line\":6}]},"
          "\"sources\":[[[\"find_customer\",\"phone\"],{\"values\":3,\"found\":[]}],"
          "[[\"get_line\",\"line\"],{\"values\":6,\"found\":[[[\"find_customer\",\"$.lines[*]\"],"
          "6]]}]],\"agreed\":{\"get_line\":[[6,6],[0,0]]},\"described_read\":{\"get_line\":[0,3]}}",
          picks, N_OF(picks));
}

/* Section 14.3. */
#define ORDERS_THEN(order)                                                                         \
    SESSION(USER("my orders"),                                                                     \
            MADE("1", "get_user", "{\"user\":\"ann\"}", "{\"orders\":[\"W1\",\"W2\",\"W3\"]}"),    \
            MADE("2", "get_order", "{\"order\":\"W1\"}", "{\"order\":\"W1\",\"related\":\"W9\"}"), \
            MADE("3", "get_order", "{\"order\":\"" order "\"}",                                    \
                 "{\"order\":\"" order "\",\"related\":\"W0\"}"))

static void trybook_tries_a_site_s_own_order_of_sources(void **state)
{
    const struct flow_session_event *const next = ORDERS_THEN("W2");
    const struct flow_session_event *const related = ORDERS_THEN("W9");
    const struct flow_session_event *const sessions[] = {
        next, next, next, next, next, next, next, related, related, related, NULL};
    const struct learned_pick pick = {
        SESSION(
            MADE("1", "get_user", "{\"user\":\"bob\"}", "{\"orders\":[\"W7\",\"W8\"]}"),
            MADE("2", "get_order", "{\"order\":\"W7\"}", "{\"order\":\"W7\",\"related\":\"W5\"}")),
        "get_order",
        "{\"order\":\"W8\"}",
        NULL,
        BIND_NONE,
        18.0 / 22};
    struct learned_pick by_recency = pick;
    struct flow *f = learned_tools("get_user get_order");

    (void)state;
    learned_trace(f, sessions);
    learned_try(f, sessions);
    learned_check(f, "{\"args\":{\"get_order\":[20,{\"order\":20}],\"get_user\":[10,{\"user\":10}]"
                     "},\"sources\":[[[\"get_order\",\"order\"],{\"values\":20,\"found\":[[["
                     "\"get_order\",\"$.related\"],3],[[\"get_user\",\"$.orders[*]\"],17]]}],[["
                     "\"get_user\",\"user\"],{\"values\":10,\"found\":[]}]],\"agreed\":{"
                     "\"get_order\":[[17,20],[0,0]]},\"site_sources\":[{\"tool\":\"get_order\","
                     "\"arg\":\"order\",\"site\":\"get_order\",\"source\":[\"get_order\","
                     "\"$.related\"],\"values\":3},{\"tool\":\"get_order\",\"arg\":\"order\","
                     "\"site\":\"get_order\",\"source\":[\"get_user\",\"$.orders[*]\"],"
                     "\"values\":7},{\"tool\":\"get_order\",\"arg\":\"order\",\"site\":"
                     "\"get_user\",\"source\":[\"get_user\",\"$.orders[*]\"],\"values\":10}]}");
    learned_check_picks(f, &pick, 1);
    f->bindings.n_site_sources = 0;
    by_recency.arguments = "{\"order\":\"W5\"}";
    learned_check_picks(f, &by_recency, 1);
    flow_free(f);
}

/* Section 14.4. */
static void trybook_tries_lists_that_are_passed_whole(void **state)
{
    const struct flow_session_event *const sessions[] = {
        SESSION(MADE("1", "city_hotels", "{}", "{\"names\":[\"Alba\",\"Brio\"]}"),
                MADE("2", "hotel_prices", "{\"hotels\":[\"Alba\",\"Brio\"]}", "{}")),
        SESSION(MADE("1", "city_hotels", "{}", "{\"names\":[\"Cove\",\"Dune\"]}"),
                MADE("2", "hotel_prices", "{\"hotels\":[\"Cove\",\"Dune\"]}", "{}")),
        NULL,
    };
#define THREE_HOTELS MADE("1", "city_hotels", "{}", "{\"names\":[\"Elm\",\"Fjord\",\"Glen\"]}")
    const struct learned_pick picks[] = {
        {SESSION(THREE_HOTELS), "hotel_prices", "{\"hotels\":[\"Elm\",\"Fjord\",\"Glen\"]}", NULL,
         BIND_NONE, 3.0 / 4},
        {SESSION(THREE_HOTELS,
                 MADE("2", "hotel_prices", "{\"hotels\":[\"Elm\",\"Fjord\",\"Glen\"]}", "{}")),
         "hotel_prices", NULL, "no list left to pass as `hotels`", BIND_NONE, 0},
    };

    (void)state;
    check("city_hotels hotel_prices", sessions,
          "{\"args\":{\"city_hotels\":[2,{}],\"hotel_prices\":[2,{\"hotels\":2}]},\"sources\":[],"
          "\"agreed\":{\"hotel_prices\":[[2,2],[0,0]]},\"lists\":[[[\"hotel_prices\",\"hotels\"],{"
          "\"values\":2,\"found\":[[[\"city_hotels\",\"$.names[*]\"],2]]}]]}",
          picks, N_OF(picks));
}

/* Section 14.5. */
#define SEARCH(argument)                                \
    SESSION(MADE("1", "today", "{}", "\"2026-01-02\""), \
            MADE("2", "search", "{\"" argument "\":\"x\"}", "[]"))

static void trybook_tries_nothing_where_nothing_is_passed(void **state)
{
    const struct flow_session_event *const sessions[] = {SEARCH("name"), SEARCH("owner"),
                                                         SEARCH("board"), NULL};
    const struct learned_pick picks[] = {
        {SESSION(USER("?")), "search", "{}", NULL, BIND_PICKED, 0.2},
        {SESSION(USER("?")), "today", "{}", NULL, BIND_PICKED, 1},
        {SESSION(MADE("1", "today", "{}", "\"2026-01-02\"")), "today", NULL, "already looked up",
         BIND_NONE, 0},
    };

    (void)state;
    check("today search", sessions,
          "{\"args\":{\"search\":[3,{\"board\":1,\"name\":1,\"owner\":1}],\"today\":[3,{}]},"
          "\"sources\":[[[\"search\",\"board\"],{\"values\":1,\"found\":[]}],[[\"search\",\"name\"]"
          ",{\"values\":1,\"found\":[]}],[[\"search\",\"owner\"],{\"values\":1,\"found\":[]}]],"
          "\"agreed\":{},\"bare\":{\"search\":0}}",
          picks, N_OF(picks));
}

/* Section 14.6. */
#define FILES(folder)                                                                            \
    SESSION(                                                                                     \
        MADE("1", "list_files", "{\"dir\":\"/n\"}", "/n/" folder "/a.md\n/n/" folder "/b.md\n"), \
        MADE("2", "read_file", "{\"path\":\"/n/" folder "/a.md\"}", "# A"),                      \
        MADE("3", "read_file", "{\"path\":\"/n/" folder "/b.md\"}", "# B"))

static void trybook_tries_lines_of_text(void **state)
{
    const struct flow_session_event *const sessions[] = {FILES("p"), FILES("q"), NULL};
    const struct flow_session_event *const listing =
        SESSION(MADE("1", "list_files", "{\"dir\":\"/n\"}", "/n/r/c.md\r\n\r\n  /n/r/d.md  "));
    const struct learned_pick picks[] = {
        {listing, "read_file", "{\"path\":\"/n/r/c.md\"}", NULL, BIND_NONE, 5.0 / 6},
        {listing, "list_files", NULL, "no source for `dir`, so it is left to the agent", BIND_NONE,
         0},
    };

    (void)state;
    check("list_files read_file", sessions,
          "{\"args\":{\"list_files\":[2,{\"dir\":2}],\"read_file\":[4,{\"path\":4}]},\"sources\":[["
          "[\"list_files\",\"dir\"],{\"values\":2,\"found\":[]}],[[\"read_file\",\"path\"],{"
          "\"values\":4,\"found\":[[[\"list_files\",\"$[*]\"],4]]}]],\"agreed\":{\"read_file\":[["
          "4,4],[0,0]]}}",
          picks, N_OF(picks));
}

/* ---- the rules of section 10 ---- */

/* Sessions that are traced are others than those that are tried, so that each can be short. */
struct try_case {
    const char *what;
    const struct flow_session_event *session;
    struct flow_ratio unmentioned;
    struct flow_ratio mentioned;
    struct flow_ratio other;
    struct flow_ratio described;
};

static void check_ratio(const char *what, struct flow_ratio got, struct flow_ratio want)
{
    if (got.hits != want.hits || got.n != want.n)
        fail_msg("%s: %d of %d, not %d of %d", what, (int)got.hits, (int)got.n, (int)want.hits,
                 (int)want.n);
}

static struct flow_ratio used_of(const struct flow_useds *useds, struct sp_str tool)
{
    const struct flow_used *used = flow_used_of(useds, tool);

    return used != NULL ? used->ratio : (struct flow_ratio){0};
}

/* Tries one session with a flow that passes "id" to "get", from the list of "find". */
static void check_try(const struct try_case *c)
{
    const struct flow_session_event *const trace[] = {
        SESSION(MADE("1", "find", "{}", "[\"K-1\",\"K-2\"]"),
                MADE("2", "get", "{\"id\":\"K-1\"}", "{}"),
                MADE("3", "get", "{\"id\":\"K-2\"}", "{}")),
        NULL,
    };
    const struct flow_session_event *const tried[] = {c->session, NULL};
    static const struct flow_agreed none = {0};
    struct flow *f = learned_tools("find get !put");
    const struct flow_agreed *agreed;

    learned_trace(f, trace);
    learned_try(f, tried);
    agreed = flow_agreed_of(f, SP_STR("get"));
    if (agreed == NULL)
        agreed = &none;
    check_ratio(c->what, agreed->unmentioned, c->unmentioned);
    check_ratio(c->what, agreed->mentioned, c->mentioned);
    check_ratio(c->what, used_of(&f->bindings.named_other, SP_STR("get")), c->other);
    check_ratio(c->what, used_of(&f->bindings.described_read, SP_STR("get")), c->described);
    assert_null(flow_agreed_of(f, SP_STR("find")));
    flow_free(f);
}

static void check_tries(const struct try_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++)
        check_try(&cases[i]);
}

#define FOUND         MADE("1", "find", "{}", "[\"T-1\",\"T-2\",\"T-3\"]")
#define GOT(id, what) MADE(id, "get", "{\"id\":\"" what "\"}", "{}")

static void trybook_holds_picks_against_calls(void **state)
{
    const struct try_case cases[] = {
        {"the same", SESSION(FOUND, GOT("2", "T-1")), .unmentioned = {1, 1}},
        {"another", SESSION(FOUND, GOT("2", "T-2")), .unmentioned = {0, 1}},
        {"mentioned", SESSION(USER("t-2!"), FOUND, GOT("2", "T-2")), .mentioned = {1, 1},
         .other = {0, 1}},
        {"mentioned too late", SESSION(FOUND, GOT("2", "T-2"), USER("t-2!")),
         .unmentioned = {0, 1}},
        {"nothing to pass", SESSION(GOT("1", "T-1"), FOUND), .unmentioned = {0, 0}},
        {"further arguments",
         SESSION(FOUND, MADE("2", "get", "{\"deep\":true,\"id\":\"T-1\"}", "{}")),
         .unmentioned = {1, 1}},
        {"without it", SESSION(FOUND, MADE("2", "get", "{}", "{}")), .unmentioned = {0, 1}},
        {"no object", SESSION(FOUND, MADE("2", "get", "\"T-1\"", "{}")), .unmentioned = {0, 1}},
        {"the same text",
         SESSION(MADE("1", "find", "{}", "[\"12\"]"), MADE("2", "get", "{\"id\":12}", "{}")),
         .unmentioned = {1, 1}},
        {"calls before it in the turn",
         SESSION(FOUND, CALL("2", "get", "{\"id\":\"T-1\"}"), ALSO("3", "put", "{\"id\":\"T-2\"}"),
                 ALSO("4", "get", "{\"id\":\"T-2\"}")),
         .unmentioned = {2, 2}},
        {"results behind its turn do not count",
         SESSION(CALL("1", "find", "{}"), ALSO("2", "get", "{\"id\":\"T-1\"}"),
                 RESULT("1", "find", "[\"T-1\"]")),
         .unmentioned = {0, 0}},
        {"failed results do not count",
         SESSION(CALL("1", "find", "{}"), ERROR("1", "find", "[\"T-1\"]"), GOT("2", "T-1")),
         .unmentioned = {0, 0}},
        {"no lookup", SESSION(FOUND, MADE("2", "put", "{\"id\":\"T-1\"}", "{}")),
         .unmentioned = {0, 0}},
    };

    (void)state;
    check_tries(cases, N_OF(cases));
}

static void trybook_counts_picks_that_are_counted_apart_once_a_session(void **state)
{
    const struct try_case cases[] = {
        {"not made", SESSION(USER("T-2"), FOUND, GOT("2", "T-2")), .mentioned = {1, 1},
         .other = {0, 1}},
        {"made next", SESSION(USER("T-2"), FOUND, GOT("2", "T-2"), GOT("3", "T-1")),
         .unmentioned = {1, 1}, .mentioned = {1, 1}, .other = {1, 2}},
        {"made later",
         SESSION(USER("T-2"), FOUND, GOT("2", "T-2"), MADE("3", "put", "{}", "{}"),
                 CALL("4", "put", "{}"), ALSO("5", "get", "{\"deep\":1,\"id\":\"T-1\"}")),
         .unmentioned = {1, 1}, .mentioned = {1, 1}, .other = {1, 1}},
        {"passed to another tool",
         SESSION(USER("T-2"), FOUND, GOT("2", "T-2"), CALL("3", "put", "{\"id\":\"T-1\"}")),
         .mentioned = {1, 1}, .other = {0, 1}},
        {"behind a failed result nothing is picked",
         SESSION(USER("T-2"), FOUND, CALL("2", "get", "{\"id\":\"T-2\"}"), ERROR("2", "get", "?")),
         .mentioned = {1, 1}},
        {"made in the turn already: the next one is picked",
         SESSION(USER("T-2"), FOUND, CALL("2", "get", "{\"id\":\"T-2\"}"),
                 ALSO("3", "get", "{\"id\":\"T-1\"}"), RESULT("2", "get", "{}")),
         .unmentioned = {1, 1}, .mentioned = {1, 1}, .other = {0, 1}},
        /* T-1 is picked as the record of another one was described, then as that one is named. */
        {"both kinds of one pick",
         SESSION(CALL("1", "put", "{\"tel\":\"555-0102\"}"), FOUND,
                 MADE("2", "get", "{\"id\":\"T-3\"}", "{\"tel\":\"555-0102\"}"),
                 MADE("3", "get", "{\"id\":\"T-2\"}", "{\"tel\":\"555-0103\"}"), USER("T-2"),
                 MADE("4", "put", "{}", "{}")),
         .unmentioned = {0, 2}, .other = {0, 1}, .described = {0, 1}},
        {"described",
         SESSION(CALL("1", "put", "{\"tel\":\"555-0102\"}"), FOUND,
                 MADE("2", "get", "{\"id\":\"T-3\"}", "{\"tel\":\"555-0102\"}"),
                 MADE("3", "get", "{\"id\":\"T-2\"}", "{\"tel\":\"555-0103\"}"),
                 MADE("4", "put", "{}", "{}"), GOT("5", "T-1")),
         .unmentioned = {1, 3}, .described = {1, 1}},
    };

    (void)state;
    check_tries(cases, N_OF(cases));
}

static void trybook_counts_a_pick_again_in_another_session(void **state)
{
    const struct flow_session_event *const session =
        SESSION(USER("T-2"), FOUND, GOT("2", "T-2"), GOT("3", "T-1"));
    const struct flow_session_event *const trace[] = {session, session, NULL};
    struct flow *f = learned_tools("find get");

    (void)state;
    learned_trace(f, trace);
    learned_try(f, trace);
    check_ratio("other", used_of(&f->bindings.named_other, SP_STR("get")),
                (struct flow_ratio){2, 4});
    flow_free(f);
    trybook_free(NULL);
}

static void trybook_counts_a_pick_for_each_lookup(void **state)
{
    const struct flow_session_event *const sessions[] = {
        SESSION(USER("T-2"), FOUND, GOT("2", "T-2"), GOT("3", "T-1"),
                MADE("4", "list", "{\"id\":\"T-2\"}", "{}"),
                MADE("5", "list", "{\"id\":\"T-1\"}", "{}")),
        NULL,
    };
    struct flow *f = learned_tools("find get list");

    (void)state;
    learned_trace(f, sessions);
    learned_try(f, sessions);
    check_ratio("get", used_of(&f->bindings.named_other, SP_STR("get")), (struct flow_ratio){1, 2});
    check_ratio("list", used_of(&f->bindings.named_other, SP_STR("list")),
                (struct flow_ratio){1, 2});
    flow_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trybook_learns_the_bindings_of_the_worked_example),
        cmocka_unit_test(trybook_counts_what_is_read_once_the_named_one_was),
        cmocka_unit_test(trybook_counts_what_is_read_once_the_described_one_was),
        cmocka_unit_test(trybook_tries_a_site_s_own_order_of_sources),
        cmocka_unit_test(trybook_tries_lists_that_are_passed_whole),
        cmocka_unit_test(trybook_tries_nothing_where_nothing_is_passed),
        cmocka_unit_test(trybook_tries_lines_of_text),
        cmocka_unit_test(trybook_holds_picks_against_calls),
        cmocka_unit_test(trybook_counts_picks_that_are_counted_apart_once_a_session),
        cmocka_unit_test(trybook_counts_a_pick_again_in_another_session),
        cmocka_unit_test(trybook_counts_a_pick_for_each_lookup),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
