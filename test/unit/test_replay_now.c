/* Tests of learn/replay_now.h: the session as it stands, event by event. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow_carts.h"
#include "flow_edit.h"
#include "learn/replay_now.h"
#include "sessiontext.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

struct fixture {
    struct flow *flow;
    struct turns *turns;
    struct replay_now now;
};

static void begin(struct fixture *f, const char *log)
{
    f->flow = flow_parsed(FLOW_CARTS, NULL, 0);
    f->turns = sessiontext_new(log);
    replay_now_init(&f->now, f->turns, f->flow);
}

static void end(struct fixture *f)
{
    replay_now_deinit(&f->now);
    turns_free(f->turns);
    flow_free(f->flow);
}

static void check(const struct episode *e, const char *want)
{
    struct sp_buf b = {0};

    sessiontext_tell(e, &b);
    assert_string_equal(sp_buf_cstr(&b), want);
    sp_buf_deinit(&b);
}

static void see(struct fixture *f, const char *call_id, const char *want)
{
    struct episode_view view;

    replay_now_view(&f->now, sp_str_of(call_id), &view);
    replay_now_see(&f->now, f->flow, &view);
    episode_view_deinit(&view);
    check(&f->now.seen, want);
}

/* Calls 1 and 2, the result of 2, call 3, the results of 1 and 3; a turn with call 4. */
#define PARALLEL \
    "0 C 1; 1 C 2; 5 R 2; 6 C 3; 9 R 1; 12 R 3; 2000 C 4; 2009 R 4; 3000 A so; 4000 U well"

static void replay_now_gives_a_turn_its_calls_as_they_were_sent(void **state)
{
    static const struct {
        const char *episode;
        const char *seen;
        const char *after;
        bool runs;
    } steps[] = {
        {"turn()", NULL, NULL, false},
        {"turn(1,2) result:2", "turn(2) result:2", "2", true},
        {"turn(1,2,3) result:2 result:1", "turn(2,1) result:2 result:1", "1", true},
        {"turn(1,2,3) result:2 result:1 result:3", "turn(1,2,3) result:2 result:1 result:3", "3",
         true},
        {"turn(1,2,3) result:2 result:1 result:3 turn()", NULL, NULL, false},
        {"turn(1,2,3) result:2 result:1 result:3 turn(4) result:4",
         "turn(1,2,3) result:2 result:1 result:3 turn(4) result:4", "4", true},
        {"turn(1,2,3) result:2 result:1 result:3 turn(4) result:4 says", NULL, NULL, false},
        {"turn(1,2,3) result:2 result:1 result:3 turn(4) result:4 says user", NULL, NULL, false},
    };
    struct fixture f;

    (void)state;
    begin(&f, PARALLEL);
    for (size_t i = 0; i < N_OF(steps); i++) {
        assert_int_equal(replay_now_take(&f.now, i), steps[i].runs);
        check(&f.now.episode, steps[i].episode);
        if (steps[i].after != NULL)
            see(&f, steps[i].after, steps[i].seen);
    }
    end(&f);
}

/* Behind which result which calls of the turn are pending. */
static void replay_now_knows_what_was_asked_for(void **state)
{
    static const char *const pending[] = {NULL, "1", "3", ""};
    struct fixture f;

    (void)state;
    begin(&f, PARALLEL);
    for (size_t i = 0; i < N_OF(pending); i++) {
        const struct episode *recorded = turns_episode(f.turns);
        struct episode_call calls[3];
        struct episode_view view;
        size_t n;

        (void)replay_now_take(&f.now, i);
        if (pending[i] == NULL)
            continue;
        replay_now_view(&f.now, recorded->events[i].call_id, &view);
        n = replay_now_pending(&f.now, &view, calls);
        episode_view_deinit(&view);
        assert_int_equal(n, pending[i][0] != '\0');
        if (n > 0)
            assert_true(sp_str_eq(calls[0].id, sp_str_of(pending[i])));
    }
    end(&f);
}

static void replay_now_puts_a_lookup_behind_what_was_sent(void **state)
{
    const struct episode *recorded;
    struct fixture f;
    struct sp_str id;

    (void)state;
    begin(&f, PARALLEL);
    recorded = turns_episode(f.turns);
    (void)replay_now_take(&f.now, 0);
    (void)replay_now_take(&f.now, 1);
    /* Call 4 and its result, which come later. */
    id = replay_now_look_up(&f.now, &recorded->events[4].calls[0], &recorded->events[5]);
    assert_true(sp_str_eq(id, SP_STR("stretto-1")));
    see(&f, "stretto-1", "turn(2,stretto-1) result:2 result:stretto-1");
    assert_true(replay_now_take(&f.now, 2));
    assert_true(replay_now_take(&f.now, 3));
    check(&f.now.episode, "turn(1,2,stretto-1,3) result:2 result:stretto-1 result:1 result:3");
    /* The turn with call 4 has nothing left, and so the agent's last step is call 3 still. */
    assert_false(replay_now_take(&f.now, 4));
    assert_false(replay_now_take(&f.now, 5));
    assert_true(replay_now_is_covered(&f.now, SP_STR("4")));
    assert_false(replay_now_is_covered(&f.now, SP_STR("3")));
    check(&f.now.episode, "turn(1,2,stretto-1,3) result:2 result:stretto-1 result:1 result:3");
    end(&f);
}

/* A call that is never answered is part of its turn when the agent has gone on. */
static void replay_now_keeps_calls_without_an_answer(void **state)
{
    struct fixture f;

    (void)state;
    begin(&f, "0 C 1; 5 R 1; 6 C 2; 7 X 2; 2000 C 3; 2009 R 3; 3000 A so");
    for (size_t i = 0; i < 2; i++)
        (void)replay_now_take(&f.now, i);
    see(&f, "1", "turn(1) result:1");
    for (size_t i = 2; i < 4; i++)
        (void)replay_now_take(&f.now, i);
    see(&f, "3", "turn(1,2) result:1 turn(3) result:3");
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replay_now_gives_a_turn_its_calls_as_they_were_sent),
        cmocka_unit_test(replay_now_knows_what_was_asked_for),
        cmocka_unit_test(replay_now_puts_a_lookup_behind_what_was_sent),
        cmocka_unit_test(replay_now_keeps_calls_without_an_answer),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
