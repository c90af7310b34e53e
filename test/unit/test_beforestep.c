/* Tests of learn/beforestep.h: the session before each step. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "flow/question_text.h"
#include "flow_session.h"
#include "learn/beforestep.h"
#include "sessiontext.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

/* What the session is before each step, and the step: a call's id or "says". */
static void check(const char *log, const char *const want[][2], size_t n)
{
    struct turns *turns = sessiontext_new(log);
    struct beforestep b;
    const struct episode_call *call;

    beforestep_init(&b, turns_episode(turns));
    for (size_t i = 0; i < n; i++) {
        struct sp_buf now = {0};

        assert_true(beforestep_next(&b, &call));
        sessiontext_tell(&b.now, &now);
        assert_string_equal(sp_buf_cstr(&now), want[i][0]);
        assert_true(sp_str_eq(call != NULL ? call->id : SP_STR("says"), sp_str_of(want[i][1])));
        sp_buf_deinit(&now);
    }
    assert_false(beforestep_next(&b, &call));
    assert_false(beforestep_next(&b, &call));
    beforestep_deinit(&b);
    turns_free(turns);
}

static void beforestep_gives_what_was_before_calls_and_messages(void **state)
{
    static const char *const want[][2] = {
        {"user", "1"},
        {"user turn(1) result:1", "2"},
        {"user turn(1) result:1 turn(2) result:2", "says"},
        {"user turn(1) result:1 turn(2) result:2 says user", "says"},
        {"user turn(1) result:1 turn(2) result:2 says user says", "3"},
    };

    (void)state;
    check("0 U hi; 1 C 1; 2 R 1; 900 C 2; 902 R 2; 903 A so; 904 U well; 905 A bye; 2000 C 3;"
          " 2001 R 3; 2002 U more",
          want, N_OF(want));
    check("", NULL, 0);
}

static void beforestep_gives_calls_of_a_turn_the_calls_before_with_their_results(void **state)
{
    static const char *const in_order[][2] = {
        {"", "1"},
        {"turn(1) result:1", "2"},
        {"turn(1,2) result:1 result:2", "3"},
        {"turn(1,2,3) result:1 result:2 result:3", "4"},
    };
    /* Call 3 came back first; the customer said something before call 1 came back. */
    static const char *const mixed[][2] = {
        {"", "1"},
        {"turn(1) result:1", "2"},
        {"turn(1,2) result:1", "3"},
        {"turn(1,2,3) result:1 result:3 user", "says"},
    };

    (void)state;
    check("0 C 1; 1 C 2; 2 C 3; 3 R 1; 4 R 2; 5 R 3; 2000 C 4", in_order, N_OF(in_order));
    check("0 C 1; 1 C 2; 2 C 3; 3 R 3; 4 U hm; 5 R 1; 6 A so", mixed, N_OF(mixed));
}

static void beforestep_gives_a_late_result_to_its_turn_alone_until_it_came(void **state)
{
    static const char *const want[][2] = {
        {"", "1"},
        {"turn(1) result:1", "2"},
        {"turn(1,2) result:2", "3"},
        {"turn(1,2) result:2 turn(3) result:3 result:1", "4"},
    };

    (void)state;
    check("0 C 1; 1 C 2; 2 X 1; 3 R 2; 2000 C 3; 2001 R 3; 2002 R 1; 4000 C 4", want, N_OF(want));
}

/* An id that is used again has the results before and those behind the second call apart. */
static void beforestep_tells_calls_with_one_id_apart(void **state)
{
    static const char *const want[][2] = {
        {"", "1"},
        {"turn(1) result:1", "2"},
        {"turn(1,2) result:1 result:2", "1"},
        {"turn(1,2) result:1 result:2 turn(1) result:1", "3"},
    };

    (void)state;
    check("0 C 1; 1 R 1; 2 C 2; 3 R 2; 2000 C 1; 2001 R 1; 2002 C 3", want, N_OF(want));
}

/* ---- against what is built anew for each step ---- */

/* Whether a result is one of the first `n` calls of the turn, whose ids no turn has had since. */
static bool is_of_calls(const struct episode *e, size_t turn, size_t n, size_t result)
{
    const struct sp_str id = e->events[result].call_id;
    bool is_found = false;

    for (size_t i = turn + 1; i < result; i++) {
        for (size_t k = 0; k < e->events[i].n_calls; k++) {
            if (sp_str_eq(e->events[i].calls[k].id, id))
                return false;
        }
    }
    for (size_t k = 0; k < n; k++)
        is_found = is_found || sp_str_eq(e->events[turn].calls[k].id, id);
    return is_found;
}

static struct episode build(const struct episode *e, size_t turn, size_t n_calls)
{
    struct episode copy = episode_copy(e, turn);

    if (n_calls == 0)
        return copy;
    episode_add_turn(&copy, e->events[turn].text);
    for (size_t k = 0; k < n_calls; k++)
        episode_add_call(&copy, turn, e->events[turn].calls[k]);
    for (size_t i = turn + 1; i < e->n_events; i++) {
        const struct episode_event *event = &e->events[i];

        if (event->kind == EPISODE_RESULT && is_of_calls(e, turn, n_calls, i))
            episode_add_result(&copy, event->call_id, event->name, event->is_error, event->text);
    }
    return copy;
}

/* Appends all that flows look at: the steps with their results, and the state of a question. */
static void describe(const struct episode *e, const struct recall *recall, struct sp_buf *b)
{
    struct episode_view view = episode_view_whole(e);
    struct steps_step step;

    for (struct steps_iter it = steps_iter(&view); steps_back(&it, &step);) {
        sp_buf_addf(b, "%d ", (int)step.outcome);
        if (step.call != NULL)
            sp_buf_addf(b, "%.*s %.*s ", SP_STR_ARG(step.call->id), SP_STR_ARG(step.call->name));
        if (step.result != NULL)
            sp_buf_addf(b, "%.*s", SP_STR_ARG(step.result->text));
        sp_buf_add_char(b, '\n');
    }
    question_text_put_state(b, &view, recall);
}

static void check_step(const struct beforestep *b, const struct episode *want)
{
    struct recall recall = {0};
    struct sp_buf text = {0};
    struct sp_buf want_text = {0};

    recall_update(&recall, want);
    describe(&b->now, &b->recall, &text);
    describe(want, &recall, &want_text);
    assert_int_equal(b->now.n_events, want->n_events);
    assert_string_equal(sp_buf_cstr(&text), sp_buf_cstr(&want_text));
    assert_true(sp_str_eq(b->now.task_id, want->task_id));
    recall_deinit(&recall);
    sp_buf_deinit(&text);
    sp_buf_deinit(&want_text);
}

static void beforestep_gives_what_would_be_built_anew(void **state)
{
    static const char *const tools[] = {"a", "b", "c"};
    struct json_gen g = {.state = 7};
    size_t n_in_turn = 0;

    (void)state;
    for (int i = 0; i < 300; i++) {
        struct episode e = {.id = SP_STR("s"), .task_id = SP_STR("t")};
        struct beforestep b;
        const struct episode_call *call;

        for (size_t n = json_gen_below(&g, 70); n > 0; n--)
            flow_session_grow(&e, &g, tools, N_OF(tools));
        beforestep_init(&b, &e);
        for (size_t at = 0; at < e.n_events; at++) {
            size_t n_calls = e.events[at].n_calls;

            if (e.events[at].kind != EPISODE_ASSISTANT)
                continue;
            for (size_t k = 0; k == 0 || k < n_calls; k++) {
                struct episode want = build(&e, at, k);

                assert_true(beforestep_next(&b, &call));
                assert_ptr_equal(call, n_calls > 0 ? &e.events[at].calls[k] : NULL);
                check_step(&b, &want);
                n_in_turn += k > 0;
                episode_deinit(&want);
            }
        }
        assert_false(beforestep_next(&b, &call));
        beforestep_deinit(&b);
        episode_deinit(&e);
    }
    assert_true(n_in_turn > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beforestep_gives_what_was_before_calls_and_messages),
        cmocka_unit_test(beforestep_gives_calls_of_a_turn_the_calls_before_with_their_results),
        cmocka_unit_test(beforestep_gives_a_late_result_to_its_turn_alone_until_it_came),
        cmocka_unit_test(beforestep_tells_calls_with_one_id_apart),
        cmocka_unit_test(beforestep_gives_what_would_be_built_anew),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
