/* Tests of learn/regrow.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flow_edit.h"
#include "flow_example.h"
#include "flow_session.h"
#include "flow_tickets.h"
#include "learn/regrow.h"
#include "sessiontext.h"

static const struct flow_session_event events[] = {
    TICKETS_ASKED,
    TICKETS_FOUND,
    CALL("8", "get_ticket", "{\"ticket_id\":\"T-41\"}"),
    ALSO("9", "get_ticket", "{\"ticket_id\":\"T-42\"}"),
    ALSO("10", "find_tickets", "{}"),
    ERROR("9", "get_ticket", "gone"),
    SAYS("It is open."),
    USER("Thanks."),
};

struct fixture {
    struct flow *flow;
    struct episode recorded;
    struct regrow grown;
};

static void begin(struct fixture *f)
{
    *f = (struct fixture){
        .flow = flow_parsed(FLOW_EXAMPLE, NULL, 0),
        .recorded = {.id = SP_STR("s"), .task_id = SP_STR("t"), .reward = 0.5},
    };
    flow_session_add(&f->recorded, events, sizeof events / sizeof *events);
    regrow_init(&f->grown, &f->recorded, f->flow);
}

static void end(struct fixture *f)
{
    regrow_deinit(&f->grown);
    episode_deinit(&f->recorded);
    flow_free(f->flow);
}

static void check(const struct episode *e, const char *want)
{
    struct sp_buf b = {0};

    sessiontext_tell(e, &b);
    assert_string_equal(sp_buf_cstr(&b), want);
    sp_buf_deinit(&b);
}

static void regrow_grows_by_events_and_by_calls(void **state)
{
    struct fixture f;

    (void)state;
    begin(&f);
    check(&f.grown.now, "");
    regrow_to(&f.grown, 1);
    check(&f.grown.now, "user");
    regrow_to_call(&f.grown, 3, 0);
    check(&f.grown.now, "user turn(7) result:7");
    regrow_to_call(&f.grown, 3, 1);
    check(&f.grown.now, "user turn(7) result:7 turn(8)");
    regrow_to_call(&f.grown, 3, 2);
    check(&f.grown.now, "user turn(7) result:7 turn(8,9)");
    regrow_to(&f.grown, 5);
    check(&f.grown.now, "user turn(7) result:7 turn(8,9,10) result:9");
    regrow_to(&f.grown, f.recorded.n_events);
    check(&f.grown.now, "user turn(7) result:7 turn(8,9,10) result:9 says user");
    end(&f);
}

static void regrow_completes_a_turn_at_the_end(void **state)
{
    struct fixture f;

    (void)state;
    begin(&f);
    regrow_to_call(&f.grown, 3, 2);
    regrow_to(&f.grown, 4);
    check(&f.grown.now, "user turn(7) result:7 turn(8,9,10)");
    end(&f);
}

static void regrow_is_the_recorded_session(void **state)
{
    struct fixture f;
    const struct episode_event *result;

    (void)state;
    begin(&f);
    regrow_to(&f.grown, 5);
    assert_true(sp_str_eq(f.grown.now.id, SP_STR("s")));
    assert_true(sp_str_eq(f.grown.now.task_id, SP_STR("t")));
    assert_true(f.grown.now.reward == 0.5);
    assert_true(sp_str_eq(f.grown.now.events[3].calls[2].name, SP_STR("find_tickets")));
    result = episode_result_of(&f.grown.now, SP_STR("9"));
    assert_non_null(result);
    assert_true(result->is_error);
    assert_true(sp_str_eq(result->text, SP_STR("gone")));
    end(&f);
}

static void check_pick(const struct regrow *r, const char *want)
{
    struct episode_view view = episode_view_whole(&r->now);
    struct bind_result got;

    bind_lookup(r->bind, &view, SP_STR("get_ticket"), &got);
    assert_string_equal(sp_buf_cstr(&got.arguments), want);
    bind_result_deinit(&got);
}

static void regrow_keeps_what_decisions_are_made_from_up_to_date(void **state)
{
    struct fixture f;

    (void)state;
    begin(&f);
    regrow_to_call(&f.grown, 3, 0);
    check_pick(&f.grown, "{\"ticket_id\":\"T-41\"}");
    regrow_to_call(&f.grown, 3, 1);
    check_pick(&f.grown, "{\"ticket_id\":\"T-42\"}");
    regrow_to_call(&f.grown, 3, 2);
    check_pick(&f.grown, "");
    assert_int_equal(f.grown.recall.n_users, 1);
    assert_int_equal(f.grown.recall.n_message_past, 0);
    regrow_to(&f.grown, f.recorded.n_events);
    assert_int_equal(f.grown.recall.n_users, 2);
    assert_int_equal(f.grown.recall.n_message_past, 6);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regrow_grows_by_events_and_by_calls),
        cmocka_unit_test(regrow_completes_a_turn_at_the_end),
        cmocka_unit_test(regrow_is_the_recorded_session),
        cmocka_unit_test(regrow_keeps_what_decisions_are_made_from_up_to_date),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
