/* Tests of learn/replay.h: what is a hit, what is a detour, and what a lookup saves. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow_carts.h"
#include "flow_edit.h"
#include "learn/replay.h"
#include "sessiontext.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

static struct replay_counts replay(const char *flow_text, const struct flow_edit *edits, size_t n,
                                   const char *log, struct sp_buf *lines)
{
    struct flow *flow = flow_parsed(flow_text, edits, n);
    struct replay_options options = {
        .flow = flow,
        .decider = DECIDE_HABIT,
        .threshold = 0.3,
        .per_call = 8,
    };
    struct turns *turns = sessiontext_new(log);
    struct replay_counts counts = replay_session(&options, turns, lines);

    turns_free(turns);
    flow_free(flow);
    return counts;
}

static void check_counts(const char *log, const struct replay_counts *got, uint64_t lookups,
                         uint64_t hits, uint64_t detours, uint64_t saved)
{
    if (got->lookups != lookups || got->hits != hits || got->detours != detours ||
        got->saved != saved)
        fail_msg("%s: %ju lookups, %ju hits, %ju detours, %ju saved", log, (uintmax_t)got->lookups,
                 (uintmax_t)got->hits, (uintmax_t)got->detours, (uintmax_t)got->saved);
}

static size_t count(struct sp_buf *text, const char *part)
{
    size_t n = 0;

    for (const char *p = sp_buf_cstr(text); (p = strstr(p, part)) != NULL; p++)
        n++;
    return n;
}

#define PROFILE \
    "0 C 1 profile {}; 9 R 1 {\"carts\":[\"K7\"]}; " /* the flow looks up cart K7 behind it */
#define CART_K7 "{\"id\":\"K7\"}"

struct later_case {
    const char *later;
    uint64_t lookups, hits, detours, saved;
    size_t at_cart; /* decisions there */
};

static void replay_counts_what_became_of_a_lookup(void **state)
{
    static const struct later_case cases[] = {
        {"1000 C 2 cart " CART_K7 "; 1009 R 2 open; 2000 A so", 1, 1, 0, 1, 1},
        {"1000 C 2 cart {\"id\":\"K7\",\"full\":true}; 1009 R 2 open; 2000 A so", 1, 0, 1, 0, 1},
        {"1000 C 2 cart " CART_K7 "; 1001 C 3 stock {\"id\":\"S1\"}; 1009 R 2 open; 1010 R 3 1; "
         "2000 A so",
         1, 1, 0, 0, 1},
        {"1000 C 2 cart " CART_K7 "; 2000 A so", 1, 0, 1, 0, 0},
        {"1000 C 2 order {}; 1009 R 2 done; 2000 C 3 cart " CART_K7 "; 2009 R 3 open; 3000 A so", 1,
         0, 1, 0, 1},
        {"1000 U well; 2000 C 2 cart " CART_K7 "; 2009 R 2 open; 3000 A so", 1, 1, 0, 1, 1},
        {"", 0, 0, 0, 0, 0},
        {"1000 A so", 1, 0, 1, 0, 0},
        /* Of the call a result counts that comes before the write. */
        {"1000 C 2 cart " CART_K7 "; 1001 X 2; 2000 C 3 order {}; 2009 R 3 done; 2010 R 2 open; "
         "3000 A so",
         1, 0, 1, 0, 0},
        /* An answer with an error is one, and where it failed the flow decides anew. */
        {"1000 C 2 cart " CART_K7
         "; 1009 Js {\"id\":2,\"error\":{\"code\":1,\"message\":\"no\"}}; 2000 A so",
         1, 1, 0, 1, 1},
        /* The second of two equal calls is the agent's own. */
        {"1000 C 2 cart " CART_K7 "; 1009 R 2 open; 2000 C 3 cart " CART_K7
         "; 2009 R 3 open; 3000 A so",
         1, 1, 0, 1, 2},
        /* A detour is not made twice in a session. */
        {"1000 C 2 profile {}; 1009 R 2 {\"carts\":[\"K7\"]}; 2000 A so", 1, 0, 1, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        const struct later_case *c = &cases[i];
        struct sp_buf log = {0}, lines = {0};
        struct replay_counts got;

        sp_buf_addf(&log,
                    c->later[0] != '\0' ? PROFILE "%s"
                                        : "0 C 1 profile {}; 9 R 1 "
                                          "{\"carts\":[\"K7\"]}%s",
                    c->later);
        got = replay(FLOW_CARTS, NULL, 0, sp_buf_cstr(&log), &lines);
        check_counts(sp_buf_cstr(&log), &got, c->lookups, c->hits, c->detours, c->saved);
        assert_int_equal(count(&lines, "\"site\":\"cart"), c->at_cart);
        sp_buf_deinit(&log);
        sp_buf_deinit(&lines);
    }
}

static void replay_says_nothing_of_a_run_that_a_detour_ended(void **state)
{
    struct sp_buf lines = {0};

    (void)state;
    (void)replay(FLOW_CARTS, NULL, 0, PROFILE "1000 A so", &lines);
    assert_int_equal(count(&lines, "\n"), 1);
    assert_non_null(strstr(sp_buf_cstr(&lines), "{\"action\":\"lookup\",\"address\":\"decide#0\","
                                                "\"after\":\"1\",\"arguments\":" CART_K7
                                                ",\"binding\":0.9,\"hit\":false,\"key\":null,"));
    sp_buf_deinit(&lines);
}

static void replay_writes_a_run_behind_its_decisions(void **state)
{
    static const char *const starts[] = {
        "{\"action\":\"lookup\",\"address\":\"decide#0\",\"after\":\"1\"",
        "{\"action\":\"hand_back\",\"address\":\"decide#1\",\"after\":\"1\"",
        "{\"after\":\"1\",\"run\":{\"call\":\"profile\",\"failed\":false,\"max_lookups\":8,",
    };
    struct sp_buf lines = {0};
    const char *p;

    (void)state;
    (void)replay(FLOW_CARTS, NULL, 0, PROFILE "1000 C 2 cart " CART_K7 "; 1009 R 2 open; 2000 A so",
                 &lines);
    p = sp_buf_cstr(&lines);
    for (size_t i = 0; i < N_OF(starts); i++) {
        assert_int_equal(strncmp(p, starts[i], strlen(starts[i])), 0);
        p = strchr(p, '\n') + 1;
    }
    assert_string_equal(p, "");
    assert_int_equal(count(&lines, ",\"session\":\"s1\""), 3);
    sp_buf_deinit(&lines);
}

/*
 * Calls 1, 2 and 3 of a turn: 3 is sent when 2 was answered, then 1 and 3 are. Behind 1 the call 3
 * was asked for already, behind 2 it was not.
 */
static void replay_knows_which_calls_were_asked_for(void **state)
{
    static const char log[] =
        "0 C 1 profile {}; 1 C 2 profile {\"n\":2}; 5 R 2 {\"carts\":[\"K7\"]}; 6 C 3 cart " CART_K7
        "; 9 R 1 {\"carts\":[]}; 12 R 3 open; 2000 C 4 cart " CART_K7 "; 2009 R 4 open; 3000 A so";
    struct sp_buf lines = {0};
    struct replay_counts got;

    (void)state;
    /* Behind 2 the lookup is made, and answers call 3 of the same turn no more than call 4. */
    got = replay(FLOW_CARTS, NULL, 0, log, &lines);
    assert_int_equal(got.lookups, 1);
    assert_non_null(strstr(sp_buf_cstr(&lines), "\"after\":\"2\",\"arguments\":" CART_K7));
    assert_non_null(strstr(sp_buf_cstr(&lines),
                           "\"after\":\"1\",\"binding\":null,\"key\":null,\"oracle\":{},"
                           "\"predicates\":{},\"prob\":0.9"));
    assert_non_null(strstr(sp_buf_cstr(&lines), "cart: nothing left to pass as `id`"));
    sp_buf_deinit(&lines);
}

static void replay_does_not_propose_what_was_asked_for(void **state)
{
    static const char log[] =
        "0 C 1 profile {}; 1 C 2 cart " CART_K7
        "; 9 R 1 {\"carts\":[\"K7\"]}; 12 R 2 open; 2000 C 4 cart " CART_K7 "; 2009 R 4 open; "
        "3000 A so";
    struct replay_counts got = replay(FLOW_CARTS, NULL, 0, log, NULL);

    (void)state;
    check_counts(log, &got, 0, 0, 0, 0);
}

/* Behind call 1, which comes last, the steps are 2, 3, 1; behind a later turn they are 1, 2, 3. */
static void replay_sees_calls_that_return_out_of_order(void **state)
{
    static const char log[] =
        "0 C 1 profile {}; 1 C 2 stock {\"id\":\"a\"}; 2 C 3 stock {\"id\":\"b\"}; 5 R 2 x; 6 R 3 "
        "y; 9 R 1 {\"carts\":[\"K7\"]}; 1000 C 4 profile {}; 1009 R 4 {\"carts\":[\"K8\"]}; "
        "2000 C 5 cart {\"id\":\"K7\"}; 2001 C 6 cart {\"id\":\"K8\"}; 2009 R 6 x; 2010 R 5 x; "
        "3000 A so";
    struct replay_counts got = replay(FLOW_CARTS, NULL, 0, log, NULL);

    (void)state;
    check_counts(log, &got, 2, 2, 0, 1);
}

static void replay_decides_nothing_when_the_agent_went_on(void **state)
{
    static const char *const logs[] = {
        /* a message, and a turn that was not waited for */
        "0 C 1 profile {}; 5 A so; 9 R 1 {\"carts\":[\"K7\"]}; 1000 A so",
        "0 C 1 profile {}; 1 X 1; 1000 C 2 stock {}; 1005 R 1 {\"carts\":[\"K7\"]}; 1006 A so",
    };

    (void)state;
    for (size_t i = 0; i < N_OF(logs); i++) {
        struct replay_counts got = replay(FLOW_CARTS, NULL, 0, logs[i], NULL);

        check_counts(logs[i], &got, 0, 0, 0, 0);
    }
}

static void replay_makes_only_lookups_that_the_flow_may_make(void **state)
{
    static const struct flow_edit edits[][1] = {
        {{"\"cart\":\"read\"", "\"cart\":\"write\""}},
        {{"\"cart\":\"read\"", "\"cart\":\"generic\""}},
        {{"\"cart\":\"read\",", ""}},
        {{"\"reads\":[\"cart\",", "\"reads\":["}},
    };
    static const char log[] = PROFILE "1000 C 2 cart " CART_K7 "; 1009 R 2 open; 2000 A so";

    (void)state;
    for (size_t i = 0; i < N_OF(edits); i++) {
        struct sp_buf lines = {0};
        struct replay_counts got = replay(FLOW_CARTS, edits[i], 1, log, &lines);

        check_counts(log, &got, 0, 0, 0, 0);
        assert_int_equal(count(&lines, "\"action\":\"lookup\""), 1);
        assert_int_equal(count(&lines, "\"hit\""), 0);
        /* The run behind the profile, and that behind the agent's own cart. */
        assert_int_equal(count(&lines, "\"sites\":[[\"decide#0\",0,0.0]]"), 2);
        sp_buf_deinit(&lines);
    }
}

static void replay_takes_no_id_that_was_recorded(void **state)
{
    static const char log[] = PROFILE
        "1000 C 2 cart " CART_K7 "; 1009 R 2 open; 2000 P \"stretto-1\" profile {}; 2009 R "
        "\"stretto-1\" {\"carts\":[\"K9\"]}; 3000 C 3 cart {\"id\":\"K9\"}; 3009 R 3 x; 4000 A so";
    struct replay_counts got = replay(FLOW_CARTS, NULL, 0, log, NULL);

    (void)state;
    check_counts(log, &got, 2, 2, 0, 2);
}

static void replay_ends_a_program_without_an_end(void **state)
{
    static const struct flow_edit edits[] = {
        {"\"model\":\"\"", "\"model\":\"\",\"program\":{\"fugue_program\":1,\"body\":[{\"stmt\":"
                           "\"for\",\"var\":\"i\",\"start\":{\"op\":\"int\",\"value\":0},\"end\":{"
                           "\"op\":\"int\",\"value\":9000000000},\"body\":[{\"stmt\":\"factor\","
                           "\"logw\":{\"op\":\"f64\",\"value\":0.0}}]}],\"ret\":{\"op\":\"var\","
                           "\"name\":\"call\"}}"},
    };
    struct replay_counts got = replay(FLOW_CARTS, edits, 1, PROFILE "1000 A so", NULL);

    (void)state;
    assert_int_equal(got.cut, 1);
}

/* The lookup of a hit fails as the agent's own call did. */
static void replay_gives_a_run_the_recorded_outcome(void **state)
{
    static const char log[] =
        PROFILE "1000 C 2 cart " CART_K7
                "; 1009 Js {\"id\":2,\"error\":{\"code\":1,\"message\":\"no\"}}; 2000 A so";
    struct sp_buf lines = {0};

    (void)state;
    (void)replay(FLOW_CARTS, NULL, 0, log, &lines);
    assert_int_equal(count(&lines, "[\"outcome#0\",false,"), 1);
    assert_int_equal(count(&lines, "\"site\":\"cart (error)\""), 1);
    sp_buf_deinit(&lines);
}

/* A program that decides more often than there may be lookups is not asked again. */
static void replay_makes_no_more_lookups_than_it_may(void **state)
{
    struct sp_buf program = {0}, lines = {0};
    struct replay_counts got;

    (void)state;
    sp_buf_add(&program, SP_STR("\"model\":\"\",\"program\":{\"fugue_program\":1,\"body\":["));
    for (int i = 0; i < 10; i++)
        sp_buf_addf(
            &program,
            "{\"stmt\":\"sample\",\"var\":\"d\",\"addr\":{\"name\":\"decide\",\"index\":{\"op\":"
            "\"int\",\"value\":%d}},\"dist\":{\"name\":\"Decide\",\"args\":[{\"op\":\"var\","
            "\"name\":\"call\"},{\"op\":\"var\",\"name\":\"call_failed\"}]}},",
            i);
    program.len--;
    sp_buf_add(&program, SP_STR("],\"ret\":{\"op\":\"int\",\"value\":1}}"));
    got = replay(FLOW_CARTS, &(struct flow_edit){"\"model\":\"\"", sp_buf_cstr(&program)}, 1,
                 PROFILE "1000 C 2 cart " CART_K7 "; 1009 R 2 open", &lines);
    assert_int_equal(got.lookups, 8);
    assert_int_equal(count(&lines, "\"decide#9\",0,0.0]"), 1);
    assert_int_equal(count(&lines, "\"action\""), 8);
    sp_buf_deinit(&program);
    sp_buf_deinit(&lines);
}

static void replay_adds_counts_up(void **state)
{
    struct replay_counts sum = {1, 2, 3, 4, 5, 6, 7, 8};

    (void)state;
    replay_add(&sum, &(struct replay_counts){10, 20, 30, 40, 50, 60, 70, 80});
    assert_memory_equal(&sum, (&(struct replay_counts){11, 22, 33, 44, 55, 66, 77, 88}),
                        sizeof sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replay_counts_what_became_of_a_lookup),
        cmocka_unit_test(replay_says_nothing_of_a_run_that_a_detour_ended),
        cmocka_unit_test(replay_writes_a_run_behind_its_decisions),
        cmocka_unit_test(replay_knows_which_calls_were_asked_for),
        cmocka_unit_test(replay_does_not_propose_what_was_asked_for),
        cmocka_unit_test(replay_sees_calls_that_return_out_of_order),
        cmocka_unit_test(replay_decides_nothing_when_the_agent_went_on),
        cmocka_unit_test(replay_makes_only_lookups_that_the_flow_may_make),
        cmocka_unit_test(replay_takes_no_id_that_was_recorded),
        cmocka_unit_test(replay_ends_a_program_without_an_end),
        cmocka_unit_test(replay_gives_a_run_the_recorded_outcome),
        cmocka_unit_test(replay_makes_no_more_lookups_than_it_may),
        cmocka_unit_test(replay_adds_counts_up),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
