/*
 * Tests of trace/turns.h, by chapter 40, sections 2.6, 4 and 7. Logs are written as
 * sessiontext.h says.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sessiontext.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

struct log_case {
    const char *log;
    const char *want;
    const char *sent_after; /* NULL where it is of no interest */
};

static void assert_logs(const struct log_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct turns *t = sessiontext_new(cases[i].log);
        struct sp_buf b = {0};

        sessiontext_tell(turns_episode(t), &b);
        if (strcmp(sp_buf_cstr(&b), cases[i].want) != 0)
            fail_msg("%s\n gives %s\n not   %s", cases[i].log, b.p, cases[i].want);
        sp_buf_clear(&b);
        turns_put_sent_after(t, &b);
        if (cases[i].sent_after != NULL && strcmp(sp_buf_cstr(&b), cases[i].sent_after) != 0)
            fail_msg("%s\n sent after %s\n not %s", cases[i].log, b.p, cases[i].sent_after);
        sp_buf_deinit(&b);
        turns_free(t);
    }
}

static void turns_follow_the_vectors_of_the_chapter(void **state)
{
    static const struct log_case cases[] = {
        {"0 C 1 a; 1 C 2 b; 2000 R 2 two; 2001 C 3 c; 2002 R 1 one; 2003 R 3 three; 9000 C 4 d",
         "turn(1,2,3) result:2 result:1 result:3 turn(4)", "{\"1\":0,\"2\":0,\"3\":1,\"4\":0}"},
        {"0 C 1 a {\"q\":\"x1\"}; 10 R 1 res; 510 C 2 a {\"q\":\"x2\"}", "turn(1,2) result:1",
         "{\"1\":0,\"2\":1}"},
        {"0 C 1 a {\"q\":\"x1\"}; 10 R 1 res; 511 C 2 a {\"q\":\"x2\"}", "turn(1) result:1 turn(2)",
         "{\"1\":0,\"2\":0}"},
        {"0 C 1 a {\"email\":\"ana@shop.test\"}; 4 R 1 cust_81; 6 C 2 a {\"id\":\"cust_81\"}; "
         "9 R 2 {\"carts\":[\"K7\",\"K9\"]}; 12 C 3 a {\"id\":\"K7\"}; 15 R 3 "
         "{\"state\":\"open\"}; "
         "18 C 4 a {\"id\":\"K9\"}; 21 R 4 ",
         "turn(1) result:1 turn(2) result:2 turn(3,4) result:3 result:4",
         "{\"1\":0,\"2\":0,\"3\":0,\"4\":1}"},
        {"0 C 1 a {\"id\":\"cust_81\"}; 5 R 1 cust_81 fine; 9 C 2 a {\"id\":\"cust_81\"}",
         "turn(1,2) result:1", NULL},
        {"0 C 1; 5 R 1; 50 U hello; 60 C 2", "turn(1) result:1 user turn(2)", NULL},
        {"0 C 1; 5 R 1; 50 A; 60 C 2", "turn(1,2) result:1", NULL},
        {"0 C 1; 5 R 1 K7; 6 P \"stretto-1\"; 8 R \"stretto-1\"; 9 P \"stretto-2\"; "
         "11 R \"stretto-2\"; 12 RP 1; 40 C 2 a {}",
         "turn(1) result:1 turn(stretto-1) result:stretto-1 turn(stretto-2,2) result:stretto-2",
         "{\"1\":0,\"2\":1,\"stretto-1\":0,\"stretto-2\":0}"},
        {"0 C 7 stretto_commit; 1 P \"stretto-1\"; 3 R \"stretto-1\"; 4 P \"stretto-2\"; "
         "6 R \"stretto-2\"; 7 RP 7",
         "turn(7,stretto-1,stretto-2) result:stretto-1 result:stretto-2 result:7",
         "{\"7\":0,\"stretto-1\":0,\"stretto-2\":1}"},
        {"0 C 1; 1000 X 1; 2000 C 2; 2010 R 2; 2500 R 1 late; 2505 C 3",
         "turn(1) turn(2,3) result:2 result:1", "{\"1\":0,\"2\":0,\"3\":1}"},
        {"0 C 1; 60000 C 2; 60010 R 2; 120000 C 3", "turn(1,2,3) result:2",
         "{\"1\":0,\"2\":0,\"3\":1}"},
        {"0 C 1 a; 10 C 1 b; 20 R 1", "turn(1) turn(1) result:1", "{\"1\":0}"},
        {"0 C 1; 0 C 2; 8 R 1; 9 R 2; 200 C 3; 206 R 3; 900 C 4; 905 R 4",
         "turn(1,2,3) result:1 result:2 result:3 turn(4) result:4",
         "{\"1\":0,\"2\":0,\"3\":2,\"4\":0}"},
        {"0 C 7; 1 C \"7\"; 2 R \"7\"; 3 R 7", "turn(7,7) result:7 result:7", "{\"7\":0}"},
    };

    (void)state;
    assert_logs(cases, N_OF(cases));
}

static void turns_keep_who_is_answered_where_ids_look_alike(void **state)
{
    struct turns *t = sessiontext_new("0 C 7 a; 1 C \"7\" b; 2 R \"7\" text; 3 R 7 number; "
                                      "1000 C 1 a; 1010 C 1 b; 1020 R 1 one");
    const struct episode *e = turns_episode(t);

    (void)state;
    assert_true(sp_str_eq(e->events[1].name, SP_STR("b")));
    assert_true(sp_str_eq(e->events[1].text, SP_STR("text")));
    assert_true(sp_str_eq(e->events[2].name, SP_STR("a")));
    assert_true(sp_str_eq(e->events[2].text, SP_STR("number")));
    assert_true(sp_str_eq(e->events[5].name, SP_STR("b")));
    turns_free(t);
}

/* Step A. */
static void turns_take_in_the_conversation(void **state)
{
    static const struct log_case cases[] = {
        {"0 U; 1 U hi", "user user", NULL},
        {"0 A hi; 1 A", "says", NULL},
        {"0 S hi; 1 Jx {\"content\":\"hi\"}; 2 Jx {\"role\":7,\"content\":\"hi\"}", "", NULL},
        {"0 Jx {\"role\":\"user\"}; 1 Jx {\"role\":\"user\",\"content\":[\"hi\"]}", "user user",
         NULL},
        {"0 Jx {\"role\":\"assistant\",\"content\":null}", "", NULL},
        /* What was said is no turn of calls, and ends the one before it. */
        {"0 A hi; 1 C 1; 2 R 1; 3 A ho; 4 C 2", "says turn(1) result:1 says turn(2)", NULL},
        {"0 U hi; 1 C 1; 2 R 1; 3 C 2", "user turn(1,2) result:1", NULL},
        /* An open turn goes on, but nothing continues it once it is answered. */
        {"0 C 1; 1 U hi; 2 C 2; 3 R 1; 4 R 2; 5 C 3", "turn(1,2) user result:1 result:2 turn(3)",
         NULL},
        /* Text without an event is known all the same. */
        {"0 C 1; 1 R 1 K7; 2 S K7; 3 C 2 a {\"id\":\"K7\"}", "turn(1,2) result:1", NULL},
        {"0 U K7; 1 C 1; 2 R 1 K7; 3 C 2 a {\"id\":\"K7\"}", "user turn(1,2) result:1", NULL},
        {"0 A K7; 1 C 1; 2 R 1 K7; 3 C 2 a {\"id\":\"K7\"}", "says turn(1,2) result:1", NULL},
        /* Neither a call nor an answer, whatever it looks like. */
        {"0 Jx {\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}}", "", NULL},
        {"0 C 1; 1 Jx {\"id\":1,\"result\":{}}", "turn(1)", NULL},
    };
    struct turns *t = sessiontext_new("0 U hi; 1 A ho; 2 Jx {\"role\":\"user\",\"content\":7}");
    const struct episode *e = turns_episode(t);

    (void)state;
    assert_logs(cases, N_OF(cases));
    assert_true(sp_str_eq(e->events[0].text, SP_STR("hi")));
    assert_true(sp_str_eq(e->events[1].text, SP_STR("ho")));
    assert_false(e->events[1].has_usage);
    assert_true(sp_str_eq(e->events[2].text, SP_STR("")));
    assert_non_null(e->events[2].text.p);
    turns_free(t);
}

#define CALL(id, params) "Jc {\"id\":" id ",\"method\":\"tools/call\",\"params\":" params "}"

/* Step B 2. */
static void turns_take_only_calls_with_an_id_and_a_name(void **state)
{
    static const struct log_case cases[] = {
        {"0 Jc {\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}}", "", "{}"},
        {"0 " CALL("null", "{\"name\":\"a\"}"), "", "{}"},
        {"0 " CALL("1", "{\"name\":7}"), "", "{}"},
        {"0 " CALL("1", "{}"), "", "{}"},
        {"0 " CALL("1", "[\"name\"]"), "", "{}"},
        {"0 " CALL("1", "null"), "", "{}"},
        {"0 Jc {\"id\":1,\"method\":\"tools/call\"}", "", "{}"},
        {"0 Jc {\"id\":1,\"method\":[\"tools/call\"],\"params\":{\"name\":\"a\"}}", "", "{}"},
        {"0 Jc {\"id\":1,\"method\":\"tools/list\",\"params\":{\"name\":\"a\"}}", "", "{}"},
        {"0 Js {\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}}", "", "{}"},
        {"0 " CALL("1", "{\"name\":\"\"}"), "turn(1)", "{\"1\":0}"},
        {"0 Jc {\"i\\u0064\":1,\"meth\\u006fd\":\"tools\\/call\",\"params\":{\"name\":\"a\"}}",
         "turn(1)", "{\"1\":0}"},
        /* Of a member that occurs twice the last counts. */
        {"0 Jc {\"id\":1,\"method\":\"x\",\"method\":\"tools/call\",\"id\":2,"
         "\"params\":1,\"params\":{\"name\":7,\"name\":\"a\"}}",
         "turn(2)", NULL},
        {"0 Jc {\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"},\"id\":null}", "",
         NULL},
    };

    (void)state;
    assert_logs(cases, N_OF(cases));
}

static void turns_keep_arguments_as_canonical_json(void **state)
{
    struct turns *t = sessiontext_new("0 " CALL(
        "1", "{\"name\":\"\\u0061\"}") "; "
                                       "0 " CALL("2",
                                                 "{\"name\":\"b\",\"arguments\":"
                                                 "null}") "; "
                                                          "0 " CALL("3", "{\"name\":\"c\","
                                                                         "\"arguments\":[1.50, "
                                                                         "2]}") "; "
                                                                                "0 C 4 d { "
                                                                                "\"b\" : 1, "
                                                                                "\"a\" : "
                                                                                "\"\\u00e9\", "
                                                                                "\"b\" : 2 }");
    const struct episode_call *calls = turns_episode(t)->events[0].calls;

    (void)state;
    assert_int_equal(turns_episode(t)->events[0].n_calls, 4);
    assert_true(sp_str_eq(calls[0].name, SP_STR("a")));
    assert_true(sp_str_eq(calls[0].arguments, SP_STR("{}")));
    assert_true(sp_str_eq(calls[1].arguments, SP_STR("null")));
    assert_true(sp_str_eq(calls[2].arguments, SP_STR("[1.5,2]")));
    assert_true(sp_str_eq(calls[3].name, SP_STR("d")));
    assert_true(sp_str_eq(calls[3].arguments, SP_STR("{\"a\":\"é\",\"b\":2}")));
    turns_free(t);
}

/* Step B 2 a. */
static void turns_forget_a_pending_call_whose_id_is_used_again(void **state)
{
    static const struct log_case cases[] = {
        {"0 C 1 a; 1 C 2; 2 C 1 b; 3 R 2; 4 R 1; 5 C 3", "turn(1,2,1,3) result:2 result:1",
         "{\"1\":0,\"2\":0,\"3\":2}"},
        {"0 C 1 a; 1 C 1 b; 2 R 1; 3 R 1", "turn(1) turn(1) result:1", NULL},
        /* One that no longer held its turn lets go of nothing. */
        {"0 C 1; 1 C 2; 2 X 1; 3 C 1; 4 R 1; 5000 C 3", "turn(1,2,1,3) result:1", NULL},
        /* Answered calls may be followed by others of their id. */
        {"0 C 1; 1 R 1; 2 C 1; 3 R 1", "turn(1,1) result:1 result:1", "{\"1\":1}"},
    };

    (void)state;
    assert_logs(cases, N_OF(cases));
}

/* Step B 2 c and d. */
static void turns_are_continued_within_half_a_second(void **state)
{
    static const struct log_case cases[] = {
        {"0 C 1; 0 C 2; 10 R 1; 1000 R 2; 1500 C 3", "turn(1,2,3) result:1 result:2", NULL},
        {"0 C 1; 0 C 2; 10 R 1; 1000 R 2; 1501 C 3", "turn(1,2) result:1 result:2 turn(3)", NULL},
        {"5000 C 1; 5010 R 1; 0 C 2", "turn(1,2) result:1", NULL},
        {"0 C 1; 18446744073709551615 R 1; 0 C 2; 3 R 2; 503 C 3", "turn(1,2,3) result:1 result:2",
         NULL},
        /* The time of the last answer is the one that counts, though an earlier came later. */
        {"0 C 1; 10 R 1; 400 C 2; 410 R 2; 900 C 3", "turn(1,2,3) result:1 result:2",
         "{\"1\":0,\"2\":1,\"3\":2}"},
        /* The proxy's calls continue nothing but join what is open. */
        {"0 C 1; 10 R 1; 11 P 2", "turn(1) result:1 turn(2)", NULL},
        {"0 C 1; 10 P 2; 11 R 1; 12 P 3", "turn(1,2,3) result:1", NULL},
        {"0 P 1; 10 R 1; 11 C 2", "turn(1,2) result:1", NULL},
        /* A new turn has no answer to count from. */
        {"0 C 1; 1 R 1 K7; 2 C 2 a {\"id\":\"K7\"}; 3 X 2; 4 C 3",
         "turn(1) result:1 turn(2) turn(3)", NULL},
    };

    (void)state;
    assert_logs(cases, N_OF(cases));
}

/* Step B 3. */
static void turns_are_held_no_longer_by_a_cancelled_call(void **state)
{
    static const struct log_case cases[] = {
        {"0 C 1; 1 X 1; 2 C 2", "turn(1) turn(2)", NULL},
        {"0 C 1; 1 XP 1; 2 C 2", "turn(1) turn(2)", NULL},
        {"0 C 1; 1 Js {\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}; 2 C 2",
         "turn(1,2)", NULL},
        {"0 C 1; 1 X \"1\"; 2 X 2; 3 X null; 4 C 2", "turn(1,2)", NULL},
        {"0 C 1; 1 Jc {\"method\":\"notifications/cancelled\"}; "
         "2 Jc {\"method\":\"notifications/cancelled\",\"params\":[1]}; 3 C 2",
         "turn(1,2)", NULL},
        {"0 C 1; 1 C 2; 2 X 1; 3 X 1; 4 C 3", "turn(1,2,3)", NULL},
        /* The time of the last answer stays. */
        {"0 C 1; 10 R 1; 20 C 2; 100 X 2; 510 C 3", "turn(1,2,3) result:1", NULL},
        {"0 C 1; 10 R 1; 20 C 2; 100 X 2; 511 C 3", "turn(1,2) result:1 turn(3)", NULL},
        /* A late answer counts for nothing, but what it says does. */
        {"0 C 1; 1 C 2; 2 X 1; 3 R 2; 600 R 1; 601 C 3", "turn(1,2) result:2 result:1 turn(3)",
         NULL},
        {"0 C 1; 1 C 2; 2 X 1; 3 R 2; 4 R 1 K7; 5 C 3 a {\"id\":\"K7\"}",
         "turn(1,2) result:2 result:1 turn(3)", NULL},
        {"0 C 1; 1 C 2; 2 X 1; 3 R 1; 4 C 3; 5 R 2; 6 R 3",
         "turn(1,2,3) result:1 result:2 result:3", "{\"1\":0,\"2\":0,\"3\":0}"},
        {"0 C 1; 1 X 1; 2 R 1; 3 C 2", "turn(1) result:1 turn(2)", NULL},
    };

    (void)state;
    assert_logs(cases, N_OF(cases));
}

/* Steps C and D. */
static void turns_pair_answers_by_id_alone(void **state)
{
    static const struct log_case cases[] = {
        {"0 C 1; 1 R 2; 2 R \"1\"", "turn(1)", NULL},
        {"0 C 1; 1 Jc {\"id\":1,\"result\":{}}", "turn(1)", NULL},
        {"0 C 1; 1 Js {\"id\":1,\"method\":\"sampling/createMessage\",\"result\":{}}; "
         "2 Jc {\"id\":1,\"result\":{}}; 3 R 1",
         "turn(1) result:1", NULL},
        {"0 C 1; 1 Js {\"id\":1,\"method\":null,\"result\":{}}", "turn(1)", NULL},
        {"0 C 1; 1 Js {\"id\":1,\"method\":7,\"error\":{}}", "turn(1)", NULL},
        {"0 C 1; 1 Jp {\"id\":1,\"method\":7,\"result\":{}}", "turn(1)", NULL},
        {"0 C 1; 1 Js {\"id\":1}; 2 Js {\"id\":1,\"error\":null}; 3 Js {\"result\":{}}; "
         "4 Js {\"id\":null,\"result\":{}}",
         "turn(1)", NULL},
        {"0 C 1; 1 Js {\"id\":1,\"result\":null}", "turn(1) result:1", NULL},
        {"0 C 1; 1 Js {\"id\":1,\"error\":null,\"result\":{}}", "turn(1) result:1", NULL},
        {"0 C 1; 1 Js {\"id\":1,\"error\":false}", "turn(1) result:1", NULL},
        {"0 C 1; 1 RP 1; 2 R 1", "turn(1) result:1", NULL},
        {"0 R 1; 1 C 1", "turn(1)", NULL},
    };

    (void)state;
    assert_logs(cases, N_OF(cases));
}

static void turns_know_ids_of_every_type(void **state)
{
    static const struct log_case cases[] = {
        {"0 C 1; 0 C 1.0; 0 C \"1\"; 0 C true; 0 C [1]; 1 R [1]; 2 R true; 3 R \"1\"; 4 R 1.0; "
         "5 R 1",
         "turn(1,1.0,1,true,[1]) result:[1] result:true result:1 result:1.0 result:1", NULL},
        {"0 Jc {\"id\":{\"b\":1,\"a\":\"\\u0041\"},\"method\":\"tools/call\",\"params\":"
         "{\"name\":\"a\"}}; 1 Js {\"id\":{ \"a\":\"A\", \"b\":1 },\"result\":{}}",
         "turn({\"a\":\"A\",\"b\":1}) result:{\"a\":\"A\",\"b\":1}", NULL},
        {"0 C 1e2; 1 R 100.0", "turn(100.0) result:100.0", NULL},
        {"0 C 18446744073709551615; 0 C -7; 1 R -7; 1 R 18446744073709551615",
         "turn(18446744073709551615,-7) result:-7 result:18446744073709551615", NULL},
        {"0 C \"\"; 1 R \"\"", "turn() result:", "{\"\":0}"},
        {"0 C \"a\\u0062\"; 1 R \"ab\"", "turn(ab) result:ab", NULL},
        {"0 C \"a\\\"b\\n\"; 1 R \"a\\u0022b\\u000a\"", "turn(a\"b\n) result:a\"b\n",
         "{\"a\\\"b\\n\":0}"},
        {"0 C false; 0 C \"false\"; 1 X \"false\"; 2 R false; 3 C 9",
         "turn(false,false,9) result:false", NULL},
    };

    (void)state;
    assert_logs(cases, N_OF(cases));
}

/* Section 4.3. What the first call passes is known when the second is judged. */
struct value_case {
    const char *known;
    const char *returned; /* as JSON, without the quotes */
    const char *arguments;
    bool is_new;
};

static void turns_tell_new_values_from_known_ones(void **state)
{
    static const struct value_case cases[] = {
        {"{}", "12", "{\"a\":[7,\"x\"],\"b\":12}", true},
        {"{}", "x", "{\"a\":\"x\",\"b\":true,\"c\":null}", false},
        {"{}", "true null", "{\"b\":true,\"c\":null}", false},
        {"{}", "K7", "{\"K7\":1}", false},
        {"{}", "K7", "{\"a\":[[{\"b\":[\"K7\"]}]]}", true},
        {"{}", "K7", "\"K7\"", true},
        {"{}", "say K7.", "[\"K7\"]", true},
        {"{}", "K7", "[\"K77\"]", false},
        {"{}", "k7", "[\"K7\"]", false},
        {"{}", "K7 K8", "[\"K7\",\"K8\"]", true},
        {"[\"K7\"]", "K7 K8", "[\"K7\",\"K8\"]", true},
        {"[\"K7\",\"K8\"]", "K7 K8", "[\"K7\",\"K8\"]", false},
        {"[\"AK79\"]", "K7", "[\"K7\"]", false},
        {"{\"K7\":1}", "K7", "[\"K7\"]", false},
        {"{}", "", "[\"\",\"K7\",12]", false},
        {"{}", "K7", "[\"\"]", false},
        /* Characters, not bytes. */
        {"{}", "é", "[\"é\"]", false},
        {"{}", "😀", "[\"😀\"]", false},
        {"{}", "éa", "[\"éa\"]", true},
        {"{}", "éé", "[\"\\u00e9\\u00e9\"]", true},
        /* Numbers are their canonical text. */
        {"{}", "7", "[7]", false},
        {"{}", "1.5", "[1.50]", true},
        {"{}", "1.50", "[1.50]", true},
        {"{}", "1e2", "[1e2]", false},
        {"{}", "100.0", "[1e2]", true},
        {"{}", "-7", "[-7]", true},
        {"[312]", "12", "[12]", false},
        {"{}", "12", "[\"12\"]", true},
        /* Results are stored unescaped, arguments as canonical JSON. */
        {"{}", "a\\nb", "[\"a\\nb\"]", true},
        {"[\"a\\nb\"]", "a\\nb", "[\"a\\nb\"]", true},
        {"[\"a\\u0041\"]", "aA", "[\"aA\"]", false},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct turns *t = sessiontext_new("");
        struct sp_buf log = {0};

        sp_buf_addf(&log,
                    "0 C 1 a %s; 1 Js {\"id\":1,\"result\":{\"content\":[{\"type\":\"text\","
                    "\"text\":\"%s\"}]}}; 2 C 2 a %s",
                    cases[i].known, cases[i].returned, cases[i].arguments);
        sessiontext_feed(t, sp_buf_cstr(&log));
        if (turns_episode(t)->n_events != (cases[i].is_new ? 3 : 2))
            fail_msg("%s", log.p);
        sp_buf_deinit(&log);
        turns_free(t);
    }
}

static void turns_look_for_new_values_in_all_that_was_said(void **state)
{
    static const struct log_case cases[] = {
        /* Texts are put together without anything between them. */
        {"0 C 1; 0 C 2; 1 R 1 K; 2 R 2 7; 3 C 3 a {\"id\":\"K7\"}",
         "turn(1,2) result:1 result:2 turn(3)", NULL},
        {"0 U K; 0 U 7; 1 C 1; 2 R 1 K7; 3 C 2 a {\"id\":\"K7\"}", "user user turn(1,2) result:1",
         NULL},
        /* What an earlier turn returned is known in the next. */
        {"0 C 1; 1 R 1 K7; 1000 C 2; 1001 R 2 K7; 1002 C 3 a {\"id\":\"K7\"}",
         "turn(1) result:1 turn(2,3) result:2", NULL},
        /* So is what a call of the same turn passed, which then opens no other turn. */
        {"0 C 1; 1 C 2 a {\"id\":\"K7\"}; 2 R 1 K7; 3 R 2; 4 C 3 a {\"id\":\"K7\"}",
         "turn(1,2,3) result:1 result:2", NULL},
        /* While the turn is open nothing is asked about values. */
        {"0 C 1; 0 C 2; 1 R 1 K7; 2 C 3 a {\"id\":\"K7\"}", "turn(1,2,3) result:1", NULL},
        /* An answer without any text comes before one that has some. */
        {"0 C 1; 1 R 1; 2 C 2 a {\"id\":\"K7\"}; 3 R 2 K8; 4 C 3 a {\"id\":\"K8\"}",
         "turn(1,2) result:1 result:2 turn(3)", NULL},
    };

    (void)state;
    assert_logs(cases, N_OF(cases));
}

/* Section 4.5: the first response wins; a refusal is the proxy's alone. */
static void turns_keep_the_first_answer(void **state)
{
    struct turns *t = sessiontext_new(
        "0 C 1; 1 R 1 server; 2 RP 1 rewritten; 1000 C 2; 1001 Jp {\"id\":2,\"result\":{\"isError\""
        ":true,\"content\":[{\"type\":\"text\",\"text\":\"refused\"}]}}");
    const struct episode *e = turns_episode(t);

    (void)state;
    assert_int_equal(e->n_events, 4);
    assert_true(sp_str_eq(e->events[1].text, SP_STR("server")));
    assert_false(e->events[1].is_error);
    assert_true(sp_str_eq(e->events[3].text, SP_STR("refused")));
    assert_true(e->events[3].is_error);
    turns_free(t);
}

static void turns_take_a_batch_apart(void **state)
{
    static const struct log_case cases[] = {
        {"0 Jc [{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}},"
         "{\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"b\"}}]; "
         "8 Js [{\"id\":2,\"result\":1},{\"id\":1,\"result\":2}]",
         "turn(1,2) result:2 result:1", "{\"1\":0,\"2\":0}"},
        {"0 Jc [7,null,\"x\",[{\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}}], "
         "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}},true]",
         "turn(1)", NULL},
        {"0 Jc []; 0 Jc {}; 0 Jc 7; 0 Jc \"x\"; 0 Jc null; 0 Js []; 0 Jx [7]", "", "{}"},
        {"0 Jx [{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":\"b\"}]",
         "user says", NULL},
        /* The parts of one batch come at one time, each judged after the one before. */
        {"0 C 1; 0 C 2; 100 Js [{\"id\":1,\"result\":1},{\"id\":2,\"result\":2}]; 600 C 3; 601 R 3",
         "turn(1,2,3) result:1 result:2 result:3", "{\"1\":0,\"2\":0,\"3\":2}"},
    };

    (void)state;
    assert_logs(cases, N_OF(cases));
}

static void turns_of_an_entry_without_a_message_do_nothing(void **state)
{
    struct turns *t = sessiontext_new("0 C 1");

    (void)state;
    turns_feed(t, LINE_SERVER, 1, (struct sp_str){0});
    assert_int_equal(turns_episode(t)->n_events, 1);
    turns_free(t);
    turns_free(NULL);
}

#define INIT(from, name)                                                                         \
    "0 J" from " {\"id\":0,\"method\":\"initialize\",\"params\":{\"clientInfo\":{\"name\":" name \
    "}}}; "

static void turns_name_the_agent_by_the_first_initialize(void **state)
{
    static const char *const cases[][2] = {
        {"", "unknown"},
        {INIT("c", "\"desk-app\"") INIT("c", "\"other\""), "desk-app"},
        {INIT("c", "7") INIT("c", "\"desk\\u002dapp\""), "desk-app"},
        {INIT("p", "\"desk-app\""), "desk-app"},
        {INIT("s", "\"server\"") INIT("x", "\"said\""), "unknown"},
        {INIT("c", "\"\"") INIT("c", "\"late\""), ""},
        {"0 Jc {\"method\":\"initialize\"}; 0 Jc {\"method\":\"initialize\",\"params\":[]}; "
         "0 Jc {\"method\":\"initialize\",\"params\":{\"clientInfo\":\"x\"}}",
         "unknown"},
    };
    struct turns *t;

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        t = sessiontext_new(cases[i][0]);
        if (!sp_str_eq(turns_episode(t)->agent_model, sp_str_of(cases[i][1])))
            fail_msg("%s", cases[i][0]);
        turns_free(t);
    }
    t = turns_new(SP_STR("s"), (struct sp_str){0}, SP_STR("given"));
    sessiontext_feed(t, INIT("c", "\"desk-app\""));
    assert_true(sp_str_eq(turns_episode(t)->agent_model, SP_STR("given")));
    turns_free(t);
}

static void turns_begin_with_the_headers_fields(void **state)
{
    char texts[] = "s9shopmodel";
    struct turns *t = turns_new((struct sp_str){texts, 2}, (struct sp_str){texts + 2, 4},
                                (struct sp_str){texts + 6, 5});
    struct episode *e = turns_episode(t);

    (void)state;
    memset(texts, '?', sizeof texts);
    assert_true(sp_str_eq(e->id, SP_STR("s9")));
    assert_true(sp_str_eq(e->domain, SP_STR("shop")));
    assert_true(sp_str_eq(e->agent_model, SP_STR("model")));
    assert_true(sp_str_eq(e->task_id, SP_STR("")));
    assert_int_equal(e->trial, 0);
    assert_true(e->reward == 0);
    assert_int_equal(e->n_events, 0);
    turns_free(t);
    t = sessiontext_new("");
    assert_true(sp_str_eq(turns_episode(t)->domain, SP_STR("mcp")));
    turns_free(t);
}

static void turns_tell_after_how_many_answers_a_call_was_sent(void **state)
{
    struct turns *t = sessiontext_new("0 C 10; 0 C 9; 0 C \"b\"; 1 R 10; 2 R 9; 3 C \"a\\u0000\"; "
                                      "4 R \"b\"; 5 C 10");
    uint64_t n = 77;
    struct sp_buf b = {0};

    (void)state;
    assert_false(turns_sent_after(t, SP_STR("8"), &n));
    assert_int_equal(n, 77);
    assert_true(turns_sent_after(t, SP_STR("9"), &n));
    assert_int_equal(n, 0);
    assert_true(turns_sent_after(t, (struct sp_str){"a\0", 2}, &n));
    assert_int_equal(n, 2);
    assert_true(turns_sent_after(t, SP_STR("10"), &n));
    assert_int_equal(n, 3);
    turns_put_sent_after(t, &b);
    assert_string_equal(sp_buf_cstr(&b), "{\"10\":3,\"9\":0,\"a\\u0000\":2,\"b\":0}");
    sp_buf_deinit(&b);
    turns_free(t);
}

static void turns_read_arguments_nested_as_deep_as_a_log_has_them(void **state)
{
    struct turns *t = sessiontext_new("0 C 1; 1 R 1 K7");
    struct sp_buf b = {0};

    (void)state;
    sp_buf_add(&b, SP_STR("{\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\","
                          "\"arguments\":"));
    for (int i = 0; i < 125; i++)
        sp_buf_add_char(&b, '[');
    sp_buf_add(&b, SP_STR("\"K7\""));
    for (int i = 0; i < 125; i++)
        sp_buf_add_char(&b, ']');
    sp_buf_add(&b, SP_STR("}}"));
    sessiontext_feed_json(t, LINE_CLIENT, 2, sp_buf_str(&b));
    assert_int_equal(turns_episode(t)->n_events, 3);
    sp_buf_deinit(&b);
    turns_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_follow_the_vectors_of_the_chapter),
        cmocka_unit_test(turns_keep_who_is_answered_where_ids_look_alike),
        cmocka_unit_test(turns_take_in_the_conversation),
        cmocka_unit_test(turns_take_only_calls_with_an_id_and_a_name),
        cmocka_unit_test(turns_keep_arguments_as_canonical_json),
        cmocka_unit_test(turns_forget_a_pending_call_whose_id_is_used_again),
        cmocka_unit_test(turns_are_continued_within_half_a_second),
        cmocka_unit_test(turns_are_held_no_longer_by_a_cancelled_call),
        cmocka_unit_test(turns_pair_answers_by_id_alone),
        cmocka_unit_test(turns_know_ids_of_every_type),
        cmocka_unit_test(turns_tell_new_values_from_known_ones),
        cmocka_unit_test(turns_look_for_new_values_in_all_that_was_said),
        cmocka_unit_test(turns_keep_the_first_answer),
        cmocka_unit_test(turns_take_a_batch_apart),
        cmocka_unit_test(turns_of_an_entry_without_a_message_do_nothing),
        cmocka_unit_test(turns_name_the_agent_by_the_first_initialize),
        cmocka_unit_test(turns_begin_with_the_headers_fields),
        cmocka_unit_test(turns_tell_after_how_many_answers_a_call_was_sent),
        cmocka_unit_test(turns_read_arguments_nested_as_deep_as_a_log_has_them),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
