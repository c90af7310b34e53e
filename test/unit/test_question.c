/* Tests of flow/question.h and flow/question_text.h: the arbiter's request, byte for byte. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow/question.h"
#include "flow/question_text.h"
#include "flow_edit.h"
#include "flow_example.h"
#include "flow_tickets.h"
#include "oracle/oracle_key.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define CONTEXT                                                                                \
    "An agent serves a customer. Between its messages to the customer it can look things up "  \
    "with tools. It changes something, or transfers the customer, only once the customer has " \
    "confirmed it."
#define RETURNED CONTEXT " Its call to `find_tickets` has just returned."
#define FAILED   CONTEXT " Its call to `find_tickets` has just failed."

#define GO_ON(context)                                                                          \
    "\"go_on\":{\"type\":\"noul\",\"instructions\":\"" context                                  \
    " Does the agent look anything else up now, before it writes to the customer or changes "   \
    "anything?\",\"criteria\":{\"true\":\"It lacks information that a lookup can give before "  \
    "it can answer or act.\",\"false\":\"It has enough for now, and writes to the customer or " \
    "makes a change.\"}}"
#define NEXT(context, before, after)                                                            \
    "\"next\":{\"type\":\"choice\",\"instructions\":\"" context                                 \
    " What does the agent do now? Choose the lookup it makes, or 'respond' if it hands back."   \
    "\",\"criteria\":{" before "\"respond\":\"Hand back: the agent now writes to the customer " \
    "(a question, a request for confirmation, a report or an answer), makes a change, or "      \
    "transfers the customer.\"" after "}}"
#define TOOL(context, criteria)                                 \
    "\"tool\":{\"type\":\"choice\",\"instructions\":\"" context \
    " If the agent makes one more lookup now, which one is it?\",\"criteria\":{" criteria "}}"
#define PREDICATE(id)                                                                           \
    "\"pred_" id "\":{\"type\":\"noul\",\"instructions\":\"" CONTEXT                            \
    " Is the agent working through a list, with entries it has not looked up yet?\","           \
    "\"criteria\":{\"true\":\"Entries it needs are still unread.\",\"false\":\"Every entry it " \
    "needs has been read, or there is no list.\"}}"

#define FLOW_PREDICATE(id)                                                                       \
    "{\"id\":\"" id "\",\"favors\":\"same_lookup\",\"question\":\"Is the agent working through " \
    "a list, with entries it has not looked up yet?\",\"yes\":\"Entries it needs are still "     \
    "unread.\",\"no\":\"Every entry it needs has been read, or there is no list.\"}"

#define ONE_TICKET "\"get_ticket\":\"One ticket.\""
#define STATE                                                                                  \
    "{\"customer_request\":\"Where is my ticket?\",\"latest_results\":[{\"arguments\":{"       \
    "\"email\":\"dee@example.com\"},\"result\":\"{\\\"owner\\\":\\\"dee\\\",\\\"tickets\\\":[" \
    "\\\"T-41\\\",\\\"T-42\\\"]}\",\"tool_call\":\"find_tickets\"}]}"

#define WITH_MODEL                                   \
    {                                                \
        "\"model\":\"\"", "\"model\":\"jev-latest\"" \
    }

/* Appends the canonical request after a session's last call. */
static void put_request(struct sp_buf *b, const struct flow *f,
                        const struct flow_session_event *events)
{
    struct episode e = {0};
    struct episode_view view;
    struct recall recall = {0};
    struct sp_arena arena = {0};
    struct predict_site site;
    struct predict_options options;
    struct oracle_request r;

    flow_session_add_all(&e, events);
    view = episode_view_whole(&e);
    recall_update(&recall, &e);
    assert_true(predict_site(&view, &arena, &site));
    options = predict_options(f, &site, &arena);
    question_make(f, &view, &recall, &site, &options, &r);
    /* The request outlives what it was made from. */
    sp_arena_deinit(&arena);
    recall_deinit(&recall);
    episode_deinit(&e);
    oracle_put_request(b, &r);
    oracle_request_deinit(&r);
}

static void check_request(const struct flow_edit *edits, size_t n,
                          const struct flow_session_event *events, const char *want)
{
    struct flow *f = flow_parsed(FLOW_EXAMPLE, edits, n);
    struct sp_buf b = {0};

    put_request(&b, f, events);
    assert_string_equal(sp_buf_cstr(&b), want);
    sp_buf_deinit(&b);
    flow_free(f);
}

static const struct flow_session_event found[] = {TICKETS_ASKED, TICKETS_FOUND, {0}};

static void question_is_that_of_the_example_and_has_its_key(void **state)
{
    static const struct flow_edit edits[] = {
        WITH_MODEL,
        {"\"predicates\":[]", "\"predicates\":[" FLOW_PREDICATE("more_listed") "]"},
    };
    static const char want[] =
        "{\"model\":\"jev-latest\",\"state\":" STATE ",\"questions\":{" GO_ON(RETURNED) "," NEXT(
            RETURNED, ONE_TICKET ",", "") "," PREDICATE("more_listed") "}}";
    char key[ORACLE_KEY_SIZE];

    (void)state;
    check_request(edits, N_OF(edits), found, want);
    oracle_key_of(sp_str_of(want), key);
    assert_string_equal(key, "49b30847b67969c18501ea9002a98691ad9c1ea7071776e0c7cee5b9c494d095");
}

#define FIND "\"find_tickets\":\"List a customer's tickets.\""
#define ZZ   "\"zz\":\"Call the tool zz.\""

static void question_asks_for_the_tool_among_two_lookups_and_more(void **state)
{
    static const struct {
        const char *next;
        const char *want;
    } cases[] = {
        {"{\"zz\":1,\"get_ticket\":3}",
         NEXT(RETURNED, ONE_TICKET ",", "," ZZ) "," TOOL(RETURNED, ONE_TICKET "," ZZ)},
        {"{\"get_ticket\":3,\"zz\":1,\"find_tickets\":1}",
         NEXT(RETURNED, FIND "," ONE_TICKET ",", "," ZZ) "," TOOL(RETURNED,
                                                                  FIND "," ONE_TICKET "," ZZ)},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        const struct flow_edit edits[] = {WITH_MODEL, {"{\"get_ticket\":3}", cases[i].next}};
        struct sp_buf want = {0};

        sp_buf_addf(&want, "%s%s}}",
                    "{\"model\":\"jev-latest\",\"state\":" STATE
                    ",\"questions\":{" GO_ON(RETURNED) ",",
                    cases[i].want);
        check_request(edits, N_OF(edits), found, sp_buf_cstr(&want));
        sp_buf_deinit(&want);
    }
}

static void question_says_that_the_call_failed(void **state)
{
    static const struct flow_edit edits[] = {
        WITH_MODEL,
        {"[\"find_tickets\",false]", "[\"find_tickets\",true]"},
    };
    static const struct flow_session_event events[] = {
        CALL("7", "find_tickets", "{}"), ERROR("7", "find_tickets", " no\n"), {0}};

    (void)state;
    check_request(edits, N_OF(edits), events,
                  "{\"model\":\"jev-latest\",\"state\":{\"customer_request\":null,"
                  "\"latest_results\":[{\"arguments\":{},\"error\":true,\"result\":\"no\","
                  "\"tool_call\":\"find_tickets\"}]},\"questions\":{" GO_ON(FAILED) "," NEXT(
                      FAILED, ONE_TICKET ",", "") "}}");
}

static void question_asks_each_predicate_once(void **state)
{
    static const struct flow_edit edits[] = {
        WITH_MODEL,
        {"\"predicates\":[]", "\"predicates\":[" FLOW_PREDICATE("b") "," FLOW_PREDICATE(
                                  "next") ","
                                          "{\"id\":\"b\",\"favors\":\"any_lookup\",\"question\":"
                                          "\"Again?\",\"yes\":\"y\","
                                          "\"no\":\"n\"}]"},
    };

    (void)state;
    check_request(edits, N_OF(edits), found,
                  "{\"model\":\"jev-latest\",\"state\":" STATE
                  ",\"questions\":{" GO_ON(RETURNED) "," NEXT(
                      RETURNED, ONE_TICKET ",", "") ",\"pred_b\":{\"type\":\"noul\","
                                                    "\"instructions\":\"" CONTEXT
                                                    " Again?\",\"criteria\":{\"true\":\"y\","
                                                    "\"false\":\"n\"}}," PREDICATE("next") "}}");
}

struct criterion_case {
    const char *summary; /* NULL: no documentation */
    const char *feeds;   /* of get_ticket; NULL: none */
    const char *criterion;
};

#define A10  "aaaaaaaaaa"
#define A50  A10 A10 A10 A10 A10
#define A250 A50 A50 A50 A50 A50
#define E50                                                                                        \
    "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9" A10 A10 A10 \
        A10

static const struct criterion_case criteria[] = {
    {"One ticket.", NULL, "One ticket."},
    {" One\\n\\t ticket.\\u2003\\n", NULL, "One\n\t ticket."},
    {"", NULL, "Call the tool get_ticket."},
    {" \\n", NULL, "Call the tool get_ticket."},
    {NULL, NULL, "Call the tool get_ticket."},
    {A250, NULL, A250},
    {A250 "b", NULL, A250 "\xe2\x80\xa6"},
    {E50 E50 E50 E50 E50, NULL, E50 E50 E50 E50 E50},
    {E50 E50 E50 E50 E50 "\xc3\xa9", NULL, E50 E50 E50 E50 E50 "\xe2\x80\xa6"},
    {"T.", "[[\"w\",\"a\"],3]", "T. Supplies `a` to `w`."},
    {NULL, "[[\"w\",\"a\"],3]", "Call the tool get_ticket. Supplies `a` to `w`."},
    {"T.", "[[\"w\",\"a\"],2]", "T."},
    {"T.", "[[\"w\",\"a\"],3],[[\"v\",\"a\"],3]", "T. Supplies `a` to `v` or `w`."},
    {"T.", "[[\"w\",\"a\"],4],[[\"v\",\"a\"],3]", "T. Supplies `a` to `w` or `v`."},
    {"T.", "[[\"w\",\"a\"],4],[[\"v\",\"a\"],3],[[\"x\",\"a\"],5]",
     "T. Supplies `a` to `x` or `w`."},
    /* Arguments by what they count for together, then by name; few are as good as none. */
    {"T.", "[[\"w\",\"a\"],4],[[\"v\",\"b\"],3],[[\"w\",\"b\"],3],[[\"x\",\"b\"],2]",
     "T. Supplies `b` to `v` or `w`, and `a` to `w`."},
    {"T.", "[[\"w\",\"c\"],4],[[\"w\",\"b\"],4],[[\"w\",\"a\"],4]",
     "T. Supplies `a` to `w`, and `b` to `w`."},
    {"T.", "[[\"w\",\"a\"],3],[[\"w\",\"b\"],5],[[\"w\",\"c\"],4]",
     "T. Supplies `b` to `w`, and `c` to `w`."},
    {A250, "[[\"w\",\"a\"],3]", A250 "\xe2\x80\xa6"},
    {A50 A50 A50 A50 A10 A10 A10, "[[\"w\",\"a\"],3]",
     A50 A50 A50 A50 A10 A10 A10 " Supplies `a` to `w`\xe2\x80\xa6"},
};

static void check_criterion(const struct criterion_case *c)
{
    static const char doc[] = "{\"summary\":\"One ticket.\"";
    struct sp_buf summary = {0};
    struct sp_buf feeds = {0};
    struct flow_edit edits[] = {{"\"feeds\":{}", NULL}, {doc, NULL}, {NULL, NULL}};
    struct episode e = {0};
    struct episode_view view = episode_view_whole(&e);
    struct recall recall = {0};
    struct predict_site site = {.prev = SP_STR("find_tickets"), .name = SP_STR("find_tickets")};
    struct sp_str names[] = {SP_STR("get_ticket"), PREDICT_RESPOND};
    struct predict_options options = {names, 2, 1};
    struct oracle_request r;
    struct flow *f;

    sp_buf_addf(&feeds, "\"feeds\":{\"get_ticket\":[%s]}", c->feeds != NULL ? c->feeds : "");
    edits[0].to = sp_buf_cstr(&feeds);
    sp_buf_addf(&summary, "{\"summary\":\"%s\"", c->summary != NULL ? c->summary : "");
    edits[1].to = sp_buf_cstr(&summary);
    if (c->summary == NULL)
        edits[2] = (struct flow_edit){"\"get_ticket\":{\"summary\"", "\"other\":{\"summary\""};
    f = flow_parsed(FLOW_EXAMPLE, edits, N_OF(edits));
    question_make(f, &view, &recall, &site, &options, &r);
    assert_true(sp_str_eq(r.questions[0].options[0].name, names[0]));
    if (!sp_str_eq(r.questions[0].options[0].text, sp_str_of(c->criterion)))
        fail_msg("'%.*s' is not '%s'", SP_STR_ARG(r.questions[0].options[0].text), c->criterion);
    oracle_request_deinit(&r);
    flow_free(f);
    sp_buf_deinit(&summary);
    sp_buf_deinit(&feeds);
}

static void question_describes_lookups_and_what_they_are_good_for(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(criteria); i++)
        check_criterion(&criteria[i]);
}

static void question_clips_texts_by_characters(void **state)
{
    static const struct {
        const char *text;
        size_t max;
        const char *clipped;
    } cases[] = {
        {"", 3, ""},
        {" \t\n", 3, ""},
        {"abc", 3, "abc"},
        {" abc\xc2\xa0", 3, "abc"},
        {"abcd", 3, "abc\xe2\x80\xa6"},
        {"abc d", 3, "abc\xe2\x80\xa6"},
        {"ab  cd", 3, "ab \xe2\x80\xa6"},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 3, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"
         "a",
         3, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xe2\x80\xa6"},
        {"a", 0, "\xe2\x80\xa6"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_buf b = {0};

        question_text_clip(&b, sp_str_of(cases[i].text), cases[i].max);
        assert_string_equal(sp_buf_cstr(&b), cases[i].clipped);
        sp_buf_deinit(&b);
    }
}

struct state_case {
    struct flow_session_event events[12];
    const char *after; /* the view's call; NULL: the whole episode */
    const char *state;
};

static void put_state(struct sp_buf *b, const struct episode *e, const char *after)
{
    struct episode_view view = episode_view_whole(e);
    struct recall recall = {0};

    if (after != NULL)
        episode_view_after(e, sp_str_of(after), &view);
    recall_update(&recall, e);
    question_text_put_state(b, &view, &recall);
    recall_deinit(&recall);
    episode_view_deinit(&view);
}

static void question_state_shows_messages_and_calls(void **state)
{
    static const struct state_case cases[] = {
        {{{0}}, NULL, "{\"customer_request\":null,\"latest_results\":[]}"},
        {{USER(" Hi ")}, NULL, "{\"customer_request\":\"Hi\",\"latest_results\":[]}"},
        {{USER(""), USER("b")},
         NULL,
         "{\"customer_request\":\"\",\"later_customer_messages\":[\"b\"],\"latest_results\":[]}"},
        {{USER("a"), USER("b"), SAYS("c"), USER("d"), USER("e"), USER("f")},
         NULL,
         "{\"agent_last_message\":\"c\",\"customer_request\":\"a\",\"later_customer_messages\":["
         "\"b\",\"d\",\"e\",\"f\"],\"latest_results\":[]}"},
        {{USER("a"), USER("b"), USER("c"), USER("d"), USER("e"), USER("f")},
         NULL,
         "{\"customer_request\":\"a\",\"later_customer_messages\":[\"c\",\"d\",\"e\",\"f\"],"
         "\"latest_results\":[]}"},
        /* A blank message is none. */
        {{SAYS("c"), SAYS(" \n"), SAYS("")},
         NULL,
         "{\"agent_last_message\":\"c\",\"customer_request\":null,\"latest_results\":[]}"},
        {{CALL("1", "x", "[\"\xc3\xa9\"]")},
         NULL,
         "{\"customer_request\":null,\"latest_results\":[{\"arguments\":[\"\xc3\xa9\"],"
         "\"error\":true,\"result\":\"(no result)\",\"tool_call\":\"x\"}]}"},
        /* Nothing of a turn that is pending is shown, and the call that returned comes last. */
        {{CALL("1", "x", "{}"), ALSO("2", "y", "{}"), ALSO("3", "z", "{}"), RESULT("3", "z", "c"),
          RESULT("1", "x", "a")},
         "1",
         "{\"customer_request\":null,\"latest_results\":[{\"arguments\":{},\"result\":\"c\","
         "\"tool_call\":\"z\"},{\"arguments\":{},\"result\":\"a\",\"tool_call\":\"x\"}]}"},
        {{CALL("1", "a", "{\"n\":1}"), RESULT("1", "a", ""), CALL("2", "b", "null"),
          CALL("3", "c", "{}"), CALL("4", "d", "{}"), CALL("5", "e", "{}"), CALL("6", "f", "{}")},
         NULL,
         "{\"customer_request\":null,\"earlier_lookups\":[\"a({\\\"n\\\":1}) \xe2\x86\x92 ok\","
         "\"b(null) \xe2\x86\x92 error\"],\"latest_results\":["
         "{\"arguments\":{},\"error\":true,\"result\":\"(no result)\",\"tool_call\":\"c\"},"
         "{\"arguments\":{},\"error\":true,\"result\":\"(no result)\",\"tool_call\":\"d\"},"
         "{\"arguments\":{},\"error\":true,\"result\":\"(no result)\",\"tool_call\":\"e\"},"
         "{\"arguments\":{},\"error\":true,\"result\":\"(no result)\",\"tool_call\":\"f\"}]}"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct episode e = {0};
        struct sp_buf b = {0};

        flow_session_add_all(&e, cases[i].events);
        put_state(&b, &e, cases[i].after);
        assert_string_equal(sp_buf_cstr(&b), cases[i].state);
        sp_buf_deinit(&b);
        episode_deinit(&e);
    }
}

static void question_state_is_about_twenty_calls(void **state)
{
    struct episode e = {0};
    struct sp_buf want = {0};
    struct sp_buf b = {0};

    (void)state;
    for (int i = 0; i < 30; i++) {
        char id[8], arguments[16];
        size_t turn = episode_add_turn(&e, SP_STR("unused"));

        snprintf(id, sizeof id, "%d", i);
        snprintf(arguments, sizeof arguments, "{\"n\":%d}", i);
        episode_add_call(&e, turn,
                         (struct episode_call){sp_str_of(id), SP_STR("t"), sp_str_of(arguments)});
        episode_add_result(&e, sp_str_of(id), SP_STR("t"), i % 2 == 0, SP_STR("r"));
        if (i == 10)
            sp_buf_addf(&want, "{\"customer_request\":null,\"earlier_lookups\":[");
        if (i >= 10 && i < 26)
            sp_buf_addf(&want, "%s\"t({\\\"n\\\":%d}) \xe2\x86\x92 %s\"", i > 10 ? "," : "", i,
                        i % 2 == 0 ? "error" : "ok");
        if (i == 26)
            sp_buf_addf(&want, "],\"latest_results\":[");
        if (i >= 26)
            sp_buf_addf(&want,
                        "%s{\"arguments\":{\"n\":%d},%s\"result\":\"r\",\"tool_call\":\"t\"}",
                        i > 26 ? "," : "", i, i % 2 == 0 ? "\"error\":true," : "");
    }
    sp_buf_addf(&want, "]}");
    put_state(&b, &e, NULL);
    assert_string_equal(sp_buf_cstr(&b), sp_buf_cstr(&want));
    sp_buf_deinit(&b);
    sp_buf_deinit(&want);
    episode_deinit(&e);
}

/* Fills a buffer with a letter. */
static struct sp_str many(struct sp_buf *b, size_t n)
{
    sp_buf_clear(b);
    memset(sp_buf_reserve(b, n), 'x', n);
    b->len = n;
    return sp_buf_str(b);
}

static void question_state_clips_what_is_long(void **state)
{
    static const struct {
        size_t first, later, said, arguments, result;
        bool is_clipped;
    } cases[] = {{1000, 600, 600, 160, 1500, false}, {1001, 601, 601, 161, 1501, true}};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        const char *end = cases[i].is_clipped ? "\xe2\x80\xa6" : "";
        struct episode e = {0};
        struct sp_buf x = {0}, want = {0}, b = {0}, arguments = {0};
        size_t turn;

        episode_add_user(&e, many(&x, cases[i].first));
        episode_add_user(&e, many(&x, cases[i].later));
        episode_add_turn(&e, many(&x, cases[i].said));
        sp_buf_addf(&arguments, "\"%.*s\"", SP_STR_ARG(many(&x, cases[i].arguments - 2)));
        turn = episode_add_turn(&e, (struct sp_str){0});
        for (int k = 0; k < 5; k++)
            episode_add_call(&e, turn,
                             (struct episode_call){SP_STR("1"), SP_STR("t"),
                                                   k == 0 ? sp_buf_str(&arguments) : SP_STR("0")});
        episode_add_result(&e, SP_STR("1"), SP_STR("t"), false, many(&x, cases[i].result));

        many(&x, 2000);
        sp_buf_addf(&want,
                    "{\"agent_last_message\":\"%.600s%s\",\"customer_request\":\"%.1000s%s\"",
                    sp_buf_cstr(&x), end, sp_buf_cstr(&x), end);
        sp_buf_addf(&want, ",\"earlier_lookups\":[\"t(\\\"%.*s%s) \xe2\x86\x92 ok\"]",
                    cases[i].is_clipped ? 159 : 158, sp_buf_cstr(&x),
                    cases[i].is_clipped ? "\xe2\x80\xa6" : "\\\"");
        sp_buf_addf(&want, ",\"later_customer_messages\":[\"%.600s%s\"],\"latest_results\":[",
                    sp_buf_cstr(&x), end);
        for (int k = 0; k < 4; k++)
            sp_buf_addf(&want, "%s{\"arguments\":0,\"result\":\"%.1500s%s\",\"tool_call\":\"t\"}",
                        k > 0 ? "," : "", sp_buf_cstr(&x), end);
        sp_buf_addf(&want, "]}");
        put_state(&b, &e, NULL);
        assert_string_equal(sp_buf_cstr(&b), sp_buf_cstr(&want));
        sp_buf_deinit(&arguments);
        sp_buf_deinit(&b);
        sp_buf_deinit(&want);
        sp_buf_deinit(&x);
        episode_deinit(&e);
    }
}

static void question_state_is_the_same_from_scratch(void **state)
{
    static const char *const tools[] = {"a", "b"};
    struct json_gen g = {.state = 77};

    (void)state;
    for (int i = 0; i < 30; i++) {
        struct episode e = {0};
        struct recall recall = {0};

        for (int k = 0; k < 80; k++) {
            struct episode_view view = episode_view_whole(&e);
            struct sp_buf grown = {0}, scratch = {0};

            recall_update(&recall, &e);
            question_text_put_state(&grown, &view, &recall);
            put_state(&scratch, &e, NULL);
            assert_string_equal(sp_buf_cstr(&grown), sp_buf_cstr(&scratch));
            sp_buf_deinit(&grown);
            sp_buf_deinit(&scratch);
            flow_session_grow(&e, &g, tools, N_OF(tools));
        }
        recall_deinit(&recall);
        episode_deinit(&e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(question_is_that_of_the_example_and_has_its_key),
        cmocka_unit_test(question_asks_for_the_tool_among_two_lookups_and_more),
        cmocka_unit_test(question_says_that_the_call_failed),
        cmocka_unit_test(question_asks_each_predicate_once),
        cmocka_unit_test(question_describes_lookups_and_what_they_are_good_for),
        cmocka_unit_test(question_clips_texts_by_characters),
        cmocka_unit_test(question_state_shows_messages_and_calls),
        cmocka_unit_test(question_state_is_about_twenty_calls),
        cmocka_unit_test(question_state_clips_what_is_long),
        cmocka_unit_test(question_state_is_the_same_from_scratch),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
