/* Tests of flow/bind.h, by chapter 21, sections 9, 14 and 15. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "flow/bind.h"
#include "flow_edit.h"
#include "flow_example.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

/* The members of `bindings` that a case has in place of the example's. */
#define EXAMPLE_BINDINGS                                                                           \
    "\"bindings\":{\"args\":{\"find_tickets\":[4,{\"email\":4}],\"get_ticket\":[4,{"               \
    "\"ticket_id\":4}]},\"sources\":[[[\"find_tickets\",\"email\"],{\"values\":4,\"found\":[]}],"  \
    "[[\"get_ticket\",\"ticket_id\"],{\"values\":4,\"found\":[[[\"find_tickets\",\"$.tickets[*]\"" \
    "],4]]}]],\"agreed\":{\"get_ticket\":[[4,4],[0,0]]}}"

#define V2                                         \
    {                                              \
        "\"stretto_flow\":1", "\"stretto_flow\":2" \
    }

/*
 * A session in short. Its events stand between "\n": "U TEXT" is a message of the customer, "C ID
 * TOOL ARGUMENTS" a call in a turn of its own, "+ ID TOOL ARGUMENTS" one more in the last turn,
 * "R ID TOOL TEXT" a result and "E ID TOOL TEXT" a failed one; "\\n" in a text is a newline.
 */
static struct sp_str word(struct sp_str *rest)
{
    size_t end = sp_str_find(*rest, ' ');
    struct sp_str w = sp_str_sub(*rest, 0, end);

    *rest = sp_str_sub(*rest, end < rest->len ? end + 1 : end, rest->len);
    return w;
}

static void add_call(struct episode *e, size_t turn, struct sp_str rest)
{
    struct sp_str id = word(&rest);
    struct sp_str tool = word(&rest);

    episode_add_call(e, turn, (struct episode_call){id, tool, rest});
}

static void add_event(struct episode *e, struct sp_str line, size_t *turn)
{
    char kind = line.p[0];
    struct sp_str rest = line, id, tool;
    struct sp_buf text = {0};

    (void)word(&rest);
    if (kind == 'C')
        *turn = episode_add_turn(e, (struct sp_str){0});
    if (kind == 'C' || kind == '+') {
        add_call(e, *turn, rest);
        return;
    }
    if (kind == 'U') {
        episode_add_user(e, rest);
        return;
    }
    id = word(&rest);
    tool = word(&rest);
    for (size_t i = 0; i < rest.len; i++) {
        bool is_newline = sp_str_starts(sp_str_sub(rest, i, rest.len), SP_STR("\\n"));

        sp_buf_add_char(&text, is_newline ? '\n' : rest.p[i]);
        i += is_newline;
    }
    episode_add_result(e, id, tool, kind == 'E', sp_buf_str(&text));
    sp_buf_deinit(&text);
}

struct bind_case {
    const char *session;
    const char *after; /* the call id of the view; NULL: nothing is set apart */
    const char *tool;
    const char *arguments; /* NULL: it does not bind */
    enum bind_class class;
    double chance;
    const char *why;
};

static void check_case(const struct flow *f, const struct bind_case *c)
{
    struct bind *b = bind_new(f);
    struct episode e = {0};
    struct episode_view view;
    struct bind_result r;
    size_t turn = 0;

    for (const char *at = c->session; *at != '\0';) {
        size_t n = strcspn(at, "\n");

        add_event(&e, (struct sp_str){at, n}, &turn);
        bind_update(b, &e);
        at += n + (at[n] != '\0');
    }
    view = episode_view_whole(&e);
    if (c->after != NULL)
        episode_view_after(&e, sp_str_of(c->after), &view);
    bind_lookup(b, &view, sp_str_of(c->tool), &r);
    assert_int_equal(r.is_bound, c->arguments != NULL);
    assert_string_equal(sp_buf_cstr(&r.arguments), c->arguments != NULL ? c->arguments : "");
    assert_string_equal(sp_buf_cstr(&r.why), c->arguments != NULL ? "" : c->why);
    if (c->arguments != NULL) {
        assert_int_equal(r.class, c->class);
        assert_true(r.chance - c->chance < 1e-12 && c->chance - r.chance < 1e-12);
    }
    bind_result_deinit(&r);
    if (c->after != NULL)
        episode_view_deinit(&view);
    bind_free(b);
    episode_deinit(&e);
}

static void check_cases(const char *bindings, const struct bind_case *cases, size_t n)
{
    struct flow_edit edits[] = {V2, {bindings != NULL ? EXAMPLE_BINDINGS : NULL, bindings}};
    struct flow *f = flow_parsed(FLOW_EXAMPLE, edits, N_OF(edits));

    for (size_t i = 0; i < n; i++)
        check_case(f, &cases[i]);
    flow_free(f);
}

#define L1                                               \
    "C 7 find_tickets {\"email\":\"dee@example.com\"}\n" \
    "R 7 find_tickets {\"owner\":\"dee\",\"tickets\":[\"T-41\",\"T-42\"]}\n"
#define ASKS  "U Where is my ticket?\n"
#define NAMES "U Where is T-42?\n"
#define READ(id, ticket)                                   \
    "C " id " get_ticket {\"ticket_id\":\"" ticket "\"}\n" \
    "R " id " get_ticket {\"state\":\"open\",\"ticket_id\":\"" ticket "\"}\n"

/* Section 14. */
static void bind_picks_as_in_the_worked_examples(void **state)
{
    static const char t41[] = "{\"ticket_id\":\"T-41\"}", t42[] = "{\"ticket_id\":\"T-42\"}";
    const struct bind_case cases[] = {
        {ASKS L1, "7", "get_ticket", t41, BIND_NONE, 5.0 / 6, NULL},
        {ASKS "C 7 find_tickets {\"email\":\"dee@example.com\"}\n"
              "+ 8 get_ticket {\"ticket_id\":\"T-41\"}\n"
              "R 7 find_tickets {\"owner\":\"dee\",\"tickets\":[\"T-41\",\"T-42\"]}",
         "7", "get_ticket", t42, BIND_NONE, 5.0 / 6, NULL},
        {NAMES L1, "7", "get_ticket", t42, BIND_PICKED, 0.5, NULL},
        {ASKS L1 READ("stretto-1", "T-41"), "stretto-1", "get_ticket", t42, BIND_NONE, 5.0 / 6,
         NULL},
        {ASKS L1 READ("stretto-1", "T-41") READ("stretto-2", "T-42"), "stretto-2", "get_ticket",
         NULL, BIND_NONE, 0, "nothing left to pass as `ticket_id`"},
        {NAMES L1 READ("stretto-1", "T-42"), "stretto-1", "get_ticket", t41, BIND_OTHER, 5.0 / 6,
         NULL},
        {ASKS L1, "7", "find_tickets", NULL, BIND_NONE, 0,
         "no source for `email`, so it is left to the agent"},
    };

    (void)state;
    check_cases(NULL, cases, N_OF(cases));
}

static void bind_counts_what_the_customer_named_apart(void **state)
{
    const struct bind_case other = {NAMES L1 READ("1", "T-42"),
                                    "1",
                                    "get_ticket",
                                    "{\"ticket_id\":\"T-41\"}",
                                    BIND_OTHER,
                                    1.0 / 3,
                                    NULL};
    const struct flow_edit edits[] = {V2,
                                      {"\"agreed\":{\"get_ticket\":[[4,4],[0,0]]}",
                                       "\"agreed\":{\"get_ticket\":[[4,4],[0,0]]},"
                                       "\"named_other\":{\"get_ticket\":[0,3]}"}};
    struct flow *f = flow_parsed(FLOW_EXAMPLE, edits, N_OF(edits));

    (void)state;
    check_case(f, &other);
    flow_free(f);
}

static void bind_binds_the_desk_by_lines_and_whole_texts(void **state)
{
    const struct bind_case cases[] = {
        {"C 1 find_customer {}\nR 1 find_customer cust 81", "1", "get_customer",
         "{\"customer_id\":\"cust 81\"}", BIND_NONE, 0.9, NULL},
        /* A number is no string, and lines are an array: nothing is at "$". */
        {"C 1 find_customer {}\nR 1 find_customer 8821", "1", "get_customer", NULL, BIND_NONE, 0,
         "nothing left to pass as `customer_id`"},
        {"C 1 find_customer {}\nR 1 find_customer cust 81\\ncust 82", "1", "get_customer", NULL,
         BIND_NONE, 0, "nothing left to pass as `customer_id`"},
        {"C 1 find_customer {}\nE 1 find_customer cust 81", "1", "get_customer", NULL, BIND_NONE, 0,
         "nothing left to pass as `customer_id`"},
    };
    struct flow *f = flow_parsed(FLOW_DESK, NULL, 0);

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++)
        check_case(f, &cases[i]);
    flow_free(f);
}

/* One lookup "look" of an argument "id" with these rules and what more the bindings have. */
#define LOOK(found, more)                                                                 \
    "\"bindings\":{\"args\":{\"look\":[10,{\"id\":9}]},\"sources\":[[[\"look\",\"id\"],{" \
    "\"values\":20,\"found\":[" found "]}]],\"agreed\":{\"look\":[[3,7],[5,6]]}" more "}"

static void bind_takes_the_sources_that_training_saw_often(void **state)
{
    const struct bind_case cases[] = {
        {"R 1 a {\"few\":\"x\",\"rare\":\"y\",\"often\":\"z\"}", NULL, "look", "{\"id\":\"z\"}",
         BIND_NONE, 4.0 / 9, NULL},
        {"R 1 a {\"few\":\"x\",\"rare\":\"y\"}", NULL, "look", NULL, BIND_NONE, 0,
         "nothing left to pass as `id`"},
    };

    (void)state;
    check_cases(LOOK("[[\"a\",\"$.few\"],1],[[\"a\",\"$.often\"],2]", ""), cases, N_OF(cases));
}

static void bind_visits_the_latest_output_first_and_its_paths_in_order(void **state)
{
    const struct bind_case cases[] = {
        {"R 1 a {\"x\":\"1\",\"y\":\"2\"}\nR 2 b {\"x\":\"3\"}", NULL, "look", "{\"id\":\"3\"}",
         BIND_NONE, 4.0 / 9, NULL},
        {"R 2 b {\"x\":\"3\"}\nR 1 a {\"y\":\"2\",\"x\":\"1\"}", NULL, "look", "{\"id\":\"1\"}",
         BIND_NONE, 4.0 / 9, NULL},
        /* One that was used is passed over, also as a number, and by any call but of this tool. */
        {"C 9 look {\"id\":1}\nC 8 a {\"id\":\"2\"}\nR 1 a {\"y\":\"2\",\"x\":\"1\"}", NULL, "look",
         "{\"id\":\"2\"}", BIND_NONE, 4.0 / 9, NULL},
        /* A value that comes again is as recent as its last output. */
        {"R 1 b {\"x\":\"3\"}\nR 2 b {\"x\":\"4\"}\nR 3 b {\"x\":\"3\"}", NULL, "look",
         "{\"id\":\"3\"}", BIND_NONE, 4.0 / 9, NULL},
    };

    (void)state;
    check_cases(LOOK("[[\"a\",\"$.x\"],9],[[\"a\",\"$.y\"],9],[[\"b\",\"$.x\"],9]", ""), cases,
                N_OF(cases));
}

#define SITE(site, path, n)                                                             \
    "{\"tool\":\"look\",\"arg\":\"id\",\"site\":\"" site "\",\"source\":[\"a\",\"" path \
    "\"],\"values\":" #n "}"

static void bind_follows_the_order_of_sources_at_a_site(void **state)
{
    const struct bind_case cases[] = {
        {"R 1 a {\"x\":\"1\",\"y\":\"2\"}\nR 2 a {\"x\":\"3\"}", NULL, "look", "{\"id\":\"2\"}",
         BIND_NONE, 4.0 / 9, NULL},
        {"R 1 a {\"x\":\"1\",\"y\":\"2\"}\nR 2 few {}", NULL, "look", "{\"id\":\"1\"}", BIND_NONE,
         4.0 / 9, NULL},
        {"R 1 a {\"x\":\"1\",\"y\":\"2\"}\nR 2 enough {}", NULL, "look", "{\"id\":\"2\"}",
         BIND_NONE, 4.0 / 9, NULL},
        {"R 1 a {\"x\":\"1\",\"y\":\"2\"}\nR 2 even {}", NULL, "look", "{\"id\":\"1\"}", BIND_NONE,
         4.0 / 9, NULL},
        /* A failed call does not make a site. */
        {"R 1 a {\"x\":\"1\",\"y\":\"2\"}\nE 2 few {}", NULL, "look", "{\"id\":\"2\"}", BIND_NONE,
         4.0 / 9, NULL},
        /* What became a candidate unnamed stays so, though it comes again in a record that is. */
        {"U my blue one\nR 1 a {\"x\":\"7\",\"y\":\"6\"}\nR 2 a {\"z\":\"blue\",\"x\":\"6\"}", NULL,
         "look", "{\"id\":\"6\"}", BIND_OTHER, 4.0 / 9, NULL},
    };

    (void)state;
    check_cases(LOOK("[[\"a\",\"$.x\"],9],[[\"a\",\"$.y\"],9]",
                     ",\"site_sources\":[" SITE("a", "$.y", 5) "," SITE("few", "$.y", 4) "," SITE(
                         "enough", "$.x",
                         2) "," SITE("enough", "$.y",
                                     3) "," SITE("even", "$.x", 3) "," SITE("even", "$.y", 3) "]"),
                cases, N_OF(cases));
}

#define ROWS "[[\"a\",\"$.rows[*].id\"],9]"

static void bind_prefers_what_the_customer_mentioned(void **state)
{
    const struct bind_case cases[] = {
        {"U the K2, please\nR 1 a {\"rows\":[{\"id\":\"k1\"},{\"id\":\"#k2\"}]}", NULL, "look",
         "{\"id\":\"#k2\"}", BIND_PICKED, 6.0 / 8, NULL},
        {"R 1 a {\"rows\":[{\"id\":\"k1\"},{\"id\":\"#k2\"}]}\nU the K2, please", NULL, "look",
         "{\"id\":\"#k2\"}", BIND_PICKED, 6.0 / 8, NULL},
        /* By its record: a sibling of at least four characters. */
        {"U the BLUE one\nR 1 a {\"rows\":[{\"id\":\"k1\"},{\"id\":\"k2\",\"c\":\"Blue\"}]}", NULL,
         "look", "{\"id\":\"k2\"}", BIND_PICKED, 6.0 / 8, NULL},
        {"U the red one\nR 1 a {\"rows\":[{\"id\":\"k1\"},{\"id\":\"k2\",\"c\":\"red\"}]}", NULL,
         "look", "{\"id\":\"k1\"}", BIND_NONE, 4.0 / 9, NULL},
        /* The latest of two that are mentioned. */
        {"U k1 or k2\nR 1 a {\"rows\":[{\"id\":\"k1\"}]}\nR 2 a {\"rows\":[{\"id\":\"k2\"}]}", NULL,
         "look", "{\"id\":\"k2\"}", BIND_PICKED, 6.0 / 8, NULL},
        /* Where it was last seen, its record is not mentioned, so the first comes first. */
        {"U the blue one\nR 1 a {\"rows\":[{\"id\":\"k2\",\"c\":\"blue\"}]}\n"
         "R 2 a {\"rows\":[{\"id\":\"k1\"},{\"id\":\"k2\"}]}",
         NULL, "look", "{\"id\":\"k1\"}", BIND_OTHER, (1 + 8.0 / 9) / 8, NULL},
        /* Where it was last seen, its record is not mentioned any more; but something was. */
        {"U the blue one\nR 1 a {\"rows\":[{\"id\":\"k2\",\"c\":\"blue\"}]}\n"
         "R 2 a {\"rows\":[{\"id\":\"k2\"}]}",
         NULL, "look", "{\"id\":\"k2\"}", BIND_OTHER, (1 + 8.0 / 9) / 8, NULL},
    };

    (void)state;
    check_cases(LOOK(ROWS, ",\"named_other\":{\"look\":[1,6]}"), cases, N_OF(cases));
}

#define LINE(n, number)                                                                          \
    "C 1" n " look {\"id\":\"L" n "\"}\nR 1" n " look {\"line\":\"L" n "\",\"number\":\"" number \
    "\"}\n"

/* Section 9.5, step 3f; chapter 23, section 14, the second vector. */
static void bind_sees_that_the_described_record_was_read(void **state)
{
    const struct bind_case cases[] = {
        {"C 1 a {\"phone\":\"555-0102\"}\nR 1 a {\"rows\":[{\"id\":\"L1\"},{\"id\":\"L2\"},"
         "{\"id\":\"L3\"}]}\n" LINE("1", "555-0101") LINE("2", "555-0102"),
         "12", "look", "{\"id\":\"L3\"}", BIND_DESCRIBED, (2 + 8.0 / 9) / 7, NULL},
        /* Nobody gave what the records differ in. */
        {"C 1 a {\"phone\":\"555-0103\"}\nR 1 a {\"rows\":[{\"id\":\"L1\"},{\"id\":\"L2\"},"
         "{\"id\":\"L3\"}]}\n" LINE("1", "555-0101") LINE("2", "555-0102"),
         "12", "look", "{\"id\":\"L3\"}", BIND_NONE, 4.0 / 9, NULL},
        /* An output had it before it was passed. */
        {"R 0 b 5 and 555-0102\\n555-0102\nC 1 a {\"phone\":\"555-0102\"}\nR 1 a {\"rows\":["
         "{\"id\":\"L1\"},{\"id\":\"L2\"},{\"id\":\"L3\"}]}\n" LINE("1", "555-0101")
             LINE("2", "555-0102"),
         "12", "look", "{\"id\":\"L3\"}", BIND_NONE, 4.0 / 9, NULL},
        /* One record alone does not differ; a read that failed is none. */
        {"C 1 a {\"phone\":\"555-0102\"}\nR 1 a {\"rows\":[{\"id\":\"L1\"},{\"id\":\"L2\"},"
         "{\"id\":\"L3\"}]}\nC 11 look {\"id\":\"L1\"}\nE 11 look no\n" LINE("2", "555-0102"),
         "12", "look", "{\"id\":\"L3\"}", BIND_NONE, 4.0 / 9, NULL},
        /* It is mentioned later. */
        {"R 1 a {\"rows\":[{\"id\":\"L1\"},{\"id\":\"L2\"},{\"id\":\"L3\"}]}\n" LINE(
             "1", "555-0101") LINE("2", "555-0102") "U it is 555-0102",
         NULL, "look", "{\"id\":\"L3\"}", BIND_DESCRIBED, (2 + 8.0 / 9) / 7, NULL},
        /* A pending call has given nothing yet. */
        {"C 1 a {}\n+ 2 b {\"phone\":\"555-0102\"}\nR 1 a {\"rows\":[{\"id\":\"L1\"},"
         "{\"id\":\"L2\"},{\"id\":\"L3\"}]}\n" LINE("1", "555-0101") LINE("2", "555-0102"),
         "1", "look", "{\"id\":\"L3\"}", BIND_NONE, 4.0 / 9, NULL},
        /* The first call that succeeded counts; of its turn, the one that returned is the last. */
        {"C 1 a {\"phone\":\"555-0102\"}\nR 1 a {\"rows\":[{\"id\":\"L1\"},{\"id\":\"L2\"},"
         "{\"id\":\"L3\"}]}\nC 11 look {\"id\":\"L1\"}\n+ 21 look {\"id\":\"L1\"}\n"
         "R 11 look {\"number\":\"555-0101\"}\nR 21 look {\"number\":\"555-0102\"}\n" LINE(
             "2", "555-0102"),
         NULL, "look", "{\"id\":\"L3\"}", BIND_DESCRIBED, (2 + 8.0 / 9) / 7, NULL},
        {"C 1 a {\"phone\":\"555-0102\"}\nR 1 a {\"rows\":[{\"id\":\"L1\"},{\"id\":\"L2\"},"
         "{\"id\":\"L3\"}]}\nC 11 look {\"id\":\"L1\"}\n+ 21 look {\"id\":\"L1\"}\n"
         "R 11 look {\"number\":\"555-0101\"}\nR 21 look {\"number\":\"555-0102\"}\n" LINE(
             "2", "555-0102"),
         "11", "look", "{\"id\":\"L3\"}", BIND_NONE, 4.0 / 9, NULL},
        {"C 1 a {\"phone\":\"555-0102\"}\nR 1 a {\"rows\":[{\"id\":\"L1\"},{\"id\":\"L2\"},"
         "{\"id\":\"L3\"}]}\nC 11 look {\"id\":\"L1\"}\nR 11 look {}\nC 21 look {\"id\":\"L1\"}\n"
         "R 21 look {\"number\":\"555-0102\"}\nE 11 look no\n" LINE("2", "555-0101"),
         "12", "look", "{\"id\":\"L3\"}", BIND_DESCRIBED, (2 + 8.0 / 9) / 7, NULL},
        /* Its last result decides whether a call succeeded. */
        {"C 1 a {\"phone\":\"555-0102\"}\nR 1 a {\"rows\":[{\"id\":\"L1\"},{\"id\":\"L2\"},"
         "{\"id\":\"L3\"}]}\n" LINE("1", "555-0101") LINE("2", "555-0102") "E 12 look no",
         NULL, "look", "{\"id\":\"L3\"}", BIND_NONE, 4.0 / 9, NULL},
    };

    (void)state;
    check_cases(LOOK(ROWS, ",\"described_read\":{\"look\":[2,5]}"), cases, N_OF(cases));
}

/* A call that the view drops, as it has the id of the one that returned, was not made in it. */
static void bind_forgets_calls_that_the_view_does_not_have(void **state)
{
    const struct bind_case cases[] = {
        {"R 0 a {\"rows\":[{\"id\":\"k1\"},{\"id\":\"k2\"}]}\nC 1 look {\"id\":\"k2\"}\n"
         "+ 1 look {\"id\":\"k1\"}\nR 1 look {}",
         "1", "look", "{\"id\":\"k1\"}", BIND_NONE, 4.0 / 9, NULL},
        {"R 0 a {\"rows\":[{\"id\":\"k1\"},{\"id\":\"k2\"}]}\nC 1 look {\"id\":\"k2\"}\n"
         "+ 1 look {\"id\":\"k1\"}\nR 1 look {}",
         NULL, "look", NULL, BIND_NONE, 0, "nothing left to pass as `id`"},
    };

    (void)state;
    check_cases(LOOK(ROWS, ""), cases, N_OF(cases));
}

/* Chapter 23, section 14, the fourth vector. */
static void bind_passes_lists_whole(void **state)
{
    const struct bind_case cases[] = {
        {"R 1 a {\"names\":[\"Elm\",\"Fjord\",\"Glen\"]}", NULL, "look",
         "{\"ids\":[\"Elm\",\"Fjord\",\"Glen\"]}", BIND_NONE, 4.0 / 9, NULL},
        {"U glen, elm\nU or fjord\nR 1 a {\"names\":[\"Elm\",\"Fjord\",\"Glen\"]}", NULL, "look",
         "{\"ids\":[\"Elm\",\"Fjord\",\"Glen\"]}", BIND_PICKED, 6.0 / 8, NULL},
        {"U glen, elm\nR 1 a {\"names\":[\"Elm\",\"Fjord\",\"Glen\"]}", NULL, "look",
         "{\"ids\":[\"Elm\",\"Fjord\",\"Glen\"]}", BIND_NONE, 4.0 / 9, NULL},
        {"R 1 a {\"names\":[\"Elm\",\"Glen\"]}\nR 2 a {\"names\":[]}\n"
         "C 3 look {\"ids\":[\"Elm\"]}",
         NULL, "look", "{\"ids\":[\"Elm\",\"Glen\"]}", BIND_NONE, 4.0 / 9, NULL},
        {"R 1 a {\"names\":[\"Elm\",\"Glen\"]}\nC 2 look {\"ids\":[\"Elm\",\"Glen\"]}", NULL,
         "look", NULL, BIND_NONE, 0, "no list left to pass as `ids`"},
        {"", NULL, "other", NULL, BIND_NONE, 0,
         "no source for the list `ids`, so it is left to the agent"},
    };

    (void)state;
    check_cases("\"bindings\":{\"args\":{\"look\":[10,{\"ids\":9}],\"other\":[9,{\"ids\":9}]},"
                "\"sources\":[],\"agreed\":{\"look\":[[3,7],[5,6]]},\"lists\":["
                "[[\"look\",\"ids\"],{\"values\":9,\"found\":[[[\"a\",\"$.names[*]\"],9]]}],"
                "[[\"other\",\"ids\"],{\"values\":9,\"found\":[[[\"a\",\"$.names[*]\"],1]]}]]}",
                cases, N_OF(cases));
}

/* Chapter 23, section 14, the fifth vector. */
static void bind_makes_lookups_without_arguments_once(void **state)
{
    const struct bind_case cases[] = {
        {"", NULL, "search", "{}", BIND_PICKED, 0.2, NULL},
        {"", NULL, "today", "{}", BIND_PICKED, 1, NULL},
        {"C 1 today {}", NULL, "today", NULL, BIND_NONE, 0, "already looked up"},
        {"C 1 a {}\n+ 2 today {}\nR 1 a {}", "1", "today", NULL, BIND_NONE, 0, "already looked up"},
        {"", NULL, "unseen", NULL, BIND_NONE, 0, "training never saw `id` as a string"},
    };

    (void)state;
    check_cases("\"bindings\":{\"args\":{\"search\":[3,{\"a\":1,\"b\":1,\"c\":1}],\"today\":[3,{}],"
                "\"unseen\":[10,{\"id\":9}]},\"sources\":[],\"agreed\":{},\"bare\":{\"search\":0}}",
                cases, N_OF(cases));
}

/* Section 15. */
static void bind_passes_constants(void **state)
{
    const struct bind_case cases[] = {
        {"", NULL, "bare", "{\"k\":1.5,\"z\":[null]}", BIND_PICKED, 0.5, NULL},
        {"C 1 bare {}", NULL, "bare", NULL, BIND_NONE, 0, "already looked up"},
        {"R 1 a {\"x\":\"7\"}", NULL, "look", "{\"a\":true,\"id\":\"7\",\"k\":\"q\",\"z\":0}",
         BIND_NONE, 4.0 / 9, NULL},
        {"U 7\nR 1 a {\"x\":\"7\"}", NULL, "look", "{\"a\":true,\"id\":\"7\",\"k\":\"q\",\"z\":0}",
         BIND_PICKED, 6.0 / 8, NULL},
        {"", NULL, "look", NULL, BIND_NONE, 0, "nothing left to pass as `id`"},
    };

    (void)state;
    check_cases("\"bindings\":{\"args\":{\"bare\":[3,{}],\"look\":[10,{\"id\":9,\"k\":10}]},"
                "\"sources\":[[[\"look\",\"id\"],{\"values\":20,\"found\":[[[\"a\",\"$.x\"],9]]}]],"
                "\"agreed\":{\"look\":[[3,7],[5,6]]},\"bare\":{\"bare\":1},\"constants\":["
                "[[\"bare\",\"k\"],1.5],[[\"bare\",\"z\"],[null]],[[\"look\",\"a\"],true],"
                "[[\"look\",\"k\"],\"q\"],[[\"look\",\"z\"],0]]}",
                cases, N_OF(cases));
}

/* Section 9.7: training never called these tools. */
static void bind_binds_by_name(void **state)
{
    const struct bind_case cases[] = {
        {"R 1 a {\"email\":\"x\",\"z\":[{\"email\":\"y\"}]}", NULL, "find_tickets",
         "{\"email\":\"x\"}", BIND_NONE, 0.5, NULL},
        {"R 1 a {\"a\":{\"email\":\"y\"},\"email\":\"x\"}", NULL, "find_tickets",
         "{\"email\":\"y\"}", BIND_NONE, 0.5, NULL},
        {"R 1 a {\"email\":\"x\"}\nR 2 b {\"email\":[\"z\"],\"a\":[{\"email\":\"y\"}]}", NULL,
         "find_tickets", "{\"email\":\"y\"}", BIND_NONE, 0.5, NULL},
        {"R 1 a {\"email\":\"x\"}\nR 2 b {\"email\":\"y\"}\nC 3 find_tickets {\"email\":\"y\"}",
         NULL, "find_tickets", "{\"email\":\"x\"}", BIND_NONE, 0.5, NULL},
        {"U for Annabel\nR 1 a {\"email\":\"x\",\"of\":\"Anna\"}\nR 2 b {\"email\":\"y\"}", NULL,
         "find_tickets", "{\"email\":\"x\"}", BIND_PICKED, 0.5, NULL},
        {"R 1 a {\"mail\":\"x\"}", NULL, "find_tickets", NULL, BIND_NONE, 0,
         "no `email` in the results so far"},
        {"", NULL, "get_ticket", "{}", BIND_PICKED, 1, NULL},
        {"C 1 get_ticket {}", NULL, "get_ticket", NULL, BIND_NONE, 0, "already looked up"},
        {"", NULL, "nobody", NULL, BIND_NONE, 0,
         "training never called it, and its arguments are not known"},
    };
    struct flow_edit edits[] = {
        {EXAMPLE_BINDINGS, "\"bindings\":{\"args\":{},\"sources\":[],\"agreed\":{}}"},
        {"\"args\":{\"ticket_id\":\"The ticket's id.\"}", "\"args\":{}"},
        {"\"reads\":[", "\"reads\":[\"nobody\","},
    };
    struct flow *f = flow_parsed(FLOW_EXAMPLE, edits, N_OF(edits));

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++)
        check_case(f, &cases[i]);
    flow_free(f);
}

static void bind_counts_pending_calls_that_the_episode_does_not_have(void **state)
{
    struct flow *f = flow_parsed(FLOW_EXAMPLE, NULL, 0);
    struct bind *b = bind_new(f);
    struct episode e = {0};
    struct episode_call ahead = {SP_STR("x"), SP_STR("get_ticket"),
                                 SP_STR("{\"ticket_id\":\"T-41\"}")};
    struct episode_view view = episode_view_whole(&e);
    struct bind_result r;

    (void)state;
    episode_add_result(&e, SP_STR("7"), SP_STR("find_tickets"), false,
                       SP_STR("{\"tickets\":[\"T-41\",\"T-42\"]}"));
    bind_update(b, &e);
    view.pending = &ahead;
    view.n_pending = 1;
    bind_lookup(b, &view, SP_STR("get_ticket"), &r);
    assert_string_equal(sp_buf_cstr(&r.arguments), "{\"ticket_id\":\"T-42\"}");
    bind_result_deinit(&r);
    view.n_pending = 0;
    bind_lookup(b, &view, SP_STR("get_ticket"), &r);
    assert_string_equal(sp_buf_cstr(&r.arguments), "{\"ticket_id\":\"T-41\"}");
    bind_result_deinit(&r);
    bind_lookup(b, &view, SP_STR("no such lookup"), &r);
    assert_false(r.is_bound);
    bind_result_deinit(&r);
    bind_free(b);
    bind_free(NULL);
    episode_deinit(&e);
    flow_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bind_picks_as_in_the_worked_examples),
        cmocka_unit_test(bind_counts_what_the_customer_named_apart),
        cmocka_unit_test(bind_binds_the_desk_by_lines_and_whole_texts),
        cmocka_unit_test(bind_takes_the_sources_that_training_saw_often),
        cmocka_unit_test(bind_visits_the_latest_output_first_and_its_paths_in_order),
        cmocka_unit_test(bind_follows_the_order_of_sources_at_a_site),
        cmocka_unit_test(bind_prefers_what_the_customer_mentioned),
        cmocka_unit_test(bind_sees_that_the_described_record_was_read),
        cmocka_unit_test(bind_forgets_calls_that_the_view_does_not_have),
        cmocka_unit_test(bind_passes_lists_whole),
        cmocka_unit_test(bind_makes_lookups_without_arguments_once),
        cmocka_unit_test(bind_passes_constants),
        cmocka_unit_test(bind_binds_by_name),
        cmocka_unit_test(bind_counts_pending_calls_that_the_episode_does_not_have),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
