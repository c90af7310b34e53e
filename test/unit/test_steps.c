/* Tests of flow/steps.h: which steps a session has, how they came out, and their symbols. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow/steps.h"
#include "flow_edit.h"
#include "flow_example.h"
#include "flow_tickets.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define MAX_EVENTS 12
#define PAD        FLOW_PADDING

#define SAID_OPEN  12288 /* a message that is not answered */
#define SAID       8192
#define FIND       16384
#define FIND_ERROR 20480
#define GET        32768
#define OTHER      49152 /* a tool that the flow does not know */
#define ANSWERED   "{\"a\":1}"

struct steps_case {
    struct flow_session_event events[MAX_EVENTS];
    const char *after;   /* the view's call; NULL: the whole episode */
    uint32_t symbols[4]; /* the last four */
};

static void check_history(const struct flow *f, const struct steps_case *c)
{
    struct episode e = {0};
    struct episode_view view;
    uint32_t symbols[N_OF(c->symbols)];

    flow_session_add_all(&e, c->events);
    if (c->after != NULL)
        episode_view_after(&e, sp_str_of(c->after), &view);
    else
        view = episode_view_whole(&e);
    for (size_t n = 0; n <= N_OF(symbols); n++) {
        steps_history(f, &view, symbols, n);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(symbols[i], c->symbols[N_OF(c->symbols) - n + i]);
    }
    episode_view_deinit(&view);
    episode_deinit(&e);
}

static const struct steps_case step_cases[] = {
    {{{0}}, NULL, {PAD, PAD, PAD, PAD}},
    {{TICKETS_ASKED}, NULL, {PAD, PAD, PAD, PAD}},
    {{TICKETS_ASKED, TICKETS_FOUND}, NULL, {PAD, PAD, PAD, FIND}},
    {{TICKETS_ASKED, TICKETS_FOUND, TICKETS_READ_FIRST}, NULL, {PAD, PAD, FIND, GET}},
    {{SAYS("Hello")}, NULL, {PAD, PAD, PAD, SAID_OPEN}},
    {{SAYS("")}, NULL, {PAD, PAD, PAD, SAID_OPEN}},
    {{SAYS("Hello"), USER("Hi")}, NULL, {PAD, PAD, PAD, SAID}},
    {{SAYS("Hello"), USER("Hi"), USER("you")}, NULL, {PAD, PAD, PAD, SAID}},
    {{USER("Hi"), SAYS("Hello")}, NULL, {PAD, PAD, PAD, SAID_OPEN}},
    {{SAYS("Hello"), SAYS("you"), USER("Hi")}, NULL, {PAD, PAD, SAID_OPEN, SAID}},
    /* A call in between ends the waiting for a reply; a result does not. */
    {{SAYS("Hello"), CALL("1", "find_tickets", "{}"), USER("Hi")},
     NULL,
     {PAD, PAD, SAID_OPEN, FIND_ERROR}},
    {{CALL("1", "find_tickets", "{}"), SAYS("Wait"), RESULT("1", "find_tickets", ""), USER("Hi")},
     NULL,
     {PAD, PAD, FIND, SAID}},
    /* No result counts as failed. Of a call's results the last counts, wherever it stands. */
    {{CALL("1", "find_tickets", "{}")}, NULL, {PAD, PAD, PAD, FIND_ERROR}},
    {{CALL("1", "find_tickets", "{}"), ERROR("1", "find_tickets", "")},
     NULL,
     {PAD, PAD, PAD, FIND_ERROR}},
    {{CALL("1", "find_tickets", "{}"), ERROR("1", "find_tickets", ""),
      RESULT("1", "find_tickets", "")},
     NULL,
     {PAD, PAD, PAD, FIND}},
    {{CALL("1", "find_tickets", "{}"), RESULT("1", "find_tickets", ""),
      CALL("2", "get_ticket", "{}"), ERROR("1", "find_tickets", ""), RESULT("2", "get_ticket", "")},
     NULL,
     {PAD, PAD, FIND_ERROR, GET}},
    {{CALL("1", "find_tickets", "{}"), RESULT("1", "find_tickets", ""),
      CALL("1", "get_ticket", "{}")},
     NULL,
     {PAD, PAD, FIND, GET}},
    {{CALL("1", "other", "{}"), RESULT("1", "other", "")}, NULL, {PAD, PAD, PAD, OTHER}},
    {{CALL("1", "Respond", "{}"), RESULT("1", "Respond", "")}, NULL, {PAD, PAD, PAD, OTHER}},
    /* A view has what has returned of its turn, and its call last. */
    {{CALL("1", "find_tickets", "{}"), ALSO("2", "get_ticket", "{}"), ALSO("3", "other", "{}"),
      RESULT("1", "find_tickets", ""), RESULT("3", "other", "")},
     "1",
     {PAD, PAD, OTHER, FIND}},
    {{CALL("1", "find_tickets", "{}"), ALSO("2", "get_ticket", "{}"),
      RESULT("1", "find_tickets", ""), SAYS("Wait")},
     "1",
     {PAD, PAD, FIND, SAID_OPEN}},
    /* Only the last steps are asked for. */
    {{SAYS("a"), USER("b"), TICKETS_FOUND, TICKETS_READ_FIRST, TICKETS_READ_SECOND},
     NULL,
     {SAID, FIND, GET, GET}},
    {{SAYS("a"), SAYS("b"), TICKETS_FOUND, TICKETS_READ_FIRST, TICKETS_READ_SECOND},
     NULL,
     {SAID_OPEN, FIND, GET, GET}},
};

static void steps_are_messages_and_calls_with_how_they_came_out(void **state)
{
    struct flow *f = flow_parsed(FLOW_EXAMPLE, NULL, 0);

    (void)state;
    for (size_t i = 0; i < N_OF(step_cases); i++)
        check_history(f, &step_cases[i]);
    flow_free(f);
}

static void steps_walk_gives_calls_with_their_results(void **state)
{
    static const struct flow_session_event events[] = {
        SAYS("a"), USER("b"), CALL("1", "x", "{}"), ALSO("2", "y", "[1]"), ERROR("1", "x", "no"),
    };
    struct episode e = {0};
    struct episode_view view;
    struct steps_iter it;
    struct steps_step step;

    (void)state;
    flow_session_add(&e, events, N_OF(events));
    view = episode_view_whole(&e);
    it = steps_iter(&view);

    assert_true(steps_back(&it, &step));
    assert_true(sp_str_eq(step.call->id, SP_STR("2")));
    assert_null(step.result);
    assert_int_equal(step.outcome, STEPS_FAILED);
    assert_true(steps_back(&it, &step));
    assert_true(sp_str_eq(step.call->name, SP_STR("x")));
    assert_true(sp_str_eq(step.result->text, SP_STR("no")));
    assert_true(steps_back(&it, &step));
    assert_null(step.call);
    assert_null(step.result);
    assert_int_equal(step.outcome, STEPS_ANSWERED);
    assert_false(steps_back(&it, &step));
    assert_false(steps_back(&it, &step));
    episode_deinit(&e);
}

struct feature_case {
    const char *fields; /* get_ticket's */
    const char *values; /* the combination with id 9 */
    const char *output;
    uint32_t feature;
};

static void check_feature(const struct feature_case *c)
{
    struct flow_session_event events[] = {
        CALL("1", "get_ticket", "{}"),
        ERROR("1", "get_ticket", c->output),
    };
    struct sp_buf map = {0};
    struct flow_edit edit = {"\"map\":{\"fields\":{},\"ids\":[]}", NULL};
    struct episode e = {0};
    struct episode_view view;
    struct flow *f;
    uint32_t symbol;

    sp_buf_addf(&map,
                "\"map\":{\"fields\":{\"get_ticket\":[%s]},\"ids\":[[[\"get_ticket\",[%s]],9],"
                "[[\"find_tickets\",[%s]],8]]}",
                c->fields, c->values, c->values);
    edit.to = sp_buf_cstr(&map);
    f = flow_parsed(FLOW_EXAMPLE, &edit, 1);
    flow_session_add(&e, events, N_OF(events));
    view = episode_view_whole(&e);
    steps_history(f, &view, &symbol, 1);
    /* An error's content is an output as any. */
    if (symbol != 36864 + c->feature)
        fail_msg("%s of %s: feature %d", c->fields, c->output, (int)symbol - 36864);
    episode_deinit(&e);
    flow_free(f);
    sp_buf_deinit(&map);
}

static void steps_read_features_from_outputs(void **state)
{
#define SCALAR(path) "{\"Scalar\":\"" path "\"}"
#define LEN(path)    "{\"Len\":\"" path "\"}"
    static const struct feature_case cases[] = {
        {SCALAR("a"), "\"x\"", "{\"a\":\"x\"}", 9},
        {SCALAR("a"), "\"x\"", " {\"b\":[],\"a\" : \"x\"}\n", 9},
        {SCALAR("a"), "\"x\"", "{\"a\":\"x\",\"a\":\"y\"}", 0},
        {SCALAR("a"), "\"y\"", "{\"a\":\"x\",\"a\":\"y\"}", 9},
        {SCALAR("a"), "\"x\"", "{\"a\":\"x\"} x", 0},
        {SCALAR("a"), "\"x\"", "", 0},
        {SCALAR("a"), "\"\"", "{\"a\":\"\"}", 9},
        {SCALAR("a"), "\"\xc3\xa9\"", "{\"a\":\"\\u00e9\"}", 9},
        {SCALAR("a"), "\"true\"", "{\"a\":true}", 9},
        {SCALAR("a"), "\"false\"", "{\"a\":false}", 9},
        {SCALAR("a"), "\"5\"", "{\"a\":5}", 9},
        {SCALAR("a"), "\"1.5\"", "{\"a\":1.50}", 9},
        {SCALAR("a"), "\"100.0\"", "{\"a\":1e2}", 9},
        {SCALAR("a"), "\"\xe2\x88\x85\"", "{\"a\":null}", 9},
        {SCALAR("a"), "\"\xe2\x88\x85\"", "{\"a\":[1]}", 9},
        {SCALAR("a"), "\"\xe2\x88\x85\"", "{\"a\":{}}", 9},
        {SCALAR("a"), "\"\xe2\x88\x85\"", "{}", 9},
        {SCALAR("a"), "\"\xe2\x88\x85\"", "[{\"a\":1}]", 9},
        {SCALAR("a"), "\"\xe2\x88\x85\"", "12", 9},
        {SCALAR("a.b"), "\"x\"", "{\"a\":{\"b\":\"x\"}}", 9},
        {SCALAR("a.b"), "\"\xe2\x88\x85\"", "{\"a.b\":\"x\"}", 9},
        {SCALAR("a.b"), "\"\xe2\x88\x85\"", "{\"a\":[{\"b\":\"x\"}]}", 9},
        {SCALAR("a."), "\"x\"", "{\"a\":{\"\":\"x\"}}", 9},
        {SCALAR(".a"), "\"x\"", "{\"\":{\"a\":\"x\"}}", 9},
        {LEN(""), "\"0\"", "[]", 9},
        {LEN(""), "\"1\"", "[[]]", 9},
        {LEN(""), "\"2+\"", "[1,2]", 9},
        {LEN(""), "\"2+\"", "[1,2,3]", 9},
        {LEN(""), "\"\xe2\x88\x85\"", "{\"a\":1}", 9},
        {LEN("a.b"), "\"1\"", "{\"a\":{\"b\":[null]}}", 9},
        {LEN("a.b"), "\"\xe2\x88\x85\"", "{\"a\":{\"b\":\"x\"}}", 9},
        {SCALAR("a") "," LEN("b"), "\"x\",\"0\"", "{\"a\":\"x\",\"b\":[]}", 9},
        {SCALAR("a") "," LEN("b"), "\"x\",\"0\"", "{\"a\":\"x\",\"b\":[1]}", 0},
        {SCALAR("a") "," LEN("b"), "\"0\",\"x\"", "{\"a\":\"x\",\"b\":[]}", 0},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++)
        check_feature(&cases[i]);
}

static void steps_symbols_have_room_for_features_up_to_4095(void **state)
{
    static const struct {
        const char *id;
        uint32_t symbol;
    } cases[] = {{"2", 16386}, {"4095", 20479}, {"4096", 20479}, {"9007199254740993", 20479}};
    static const struct flow_session_event events[] = {
        CALL("1", "find_tickets", "{}"),
        RESULT("1", "find_tickets", "[]"),
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_buf map = {0};
        struct flow_edit edit = {"\"map\":{\"fields\":{},\"ids\":[]}", NULL};
        struct episode e = {0};
        struct episode_view view;
        struct flow *f;
        uint32_t symbol;

        sp_buf_addf(&map,
                    "\"map\":{\"fields\":{\"find_tickets\":[{\"Len\":\"\"}]},"
                    "\"ids\":[[[\"find_tickets\",[\"0\"]],%s]]}",
                    cases[i].id);
        edit.to = sp_buf_cstr(&map);
        f = flow_parsed(FLOW_EXAMPLE, &edit, 1);
        flow_session_add(&e, events, N_OF(events));
        view = episode_view_whole(&e);
        steps_history(f, &view, &symbol, 1);
        assert_int_equal(symbol, cases[i].symbol);
        episode_deinit(&e);
        flow_free(f);
        sp_buf_deinit(&map);
    }
}

/* All steps by walking the events forward, as the rules are written. */
static size_t walk(const struct episode_view *view, struct steps_step *ret)
{
    const struct episode *e = view->episode;
    size_t n = 0;
    size_t awaiting = SIZE_MAX;

    for (size_t i = 0; i < e->n_events; i++) {
        size_t n_calls;
        const struct episode_call *calls = episode_view_calls(view, i, &n_calls);

        if (e->events[i].kind == EPISODE_USER && awaiting != SIZE_MAX) {
            ret[awaiting].outcome = STEPS_ANSWERED;
            awaiting = SIZE_MAX;
        }
        if (e->events[i].kind != EPISODE_ASSISTANT)
            continue;
        awaiting = n_calls == 0 ? n : SIZE_MAX;
        if (n_calls == 0)
            ret[n++] = (struct steps_step){.outcome = STEPS_UNANSWERED};
        for (size_t k = 0; k < n_calls; k++) {
            struct steps_step step = {.call = &calls[k], .outcome = STEPS_FAILED};

            for (size_t j = 0; j < e->n_events; j++) {
                if (e->events[j].kind == EPISODE_RESULT &&
                    sp_str_eq(e->events[j].call_id, calls[k].id))
                    step.result = &e->events[j];
            }
            if (step.result != NULL && !step.result->is_error)
                step.outcome = STEPS_SUCCEEDED;
            ret[n++] = step;
        }
    }
    return n;
}

static void check_walks(const struct flow *f, const struct episode_view *view)
{
    static struct steps_step forward[1000];
    size_t n = walk(view, forward);
    struct steps_iter it = steps_iter(view);
    struct steps_step step;
    uint32_t history[FLOW_MAX_ORDER];

    steps_history(f, view, history, FLOW_MAX_ORDER);
    for (size_t i = 0; i < FLOW_MAX_ORDER; i++) {
        uint32_t want = i < n ? steps_symbol(f, &forward[n - 1 - i]) : FLOW_PADDING;

        assert_int_equal(history[FLOW_MAX_ORDER - 1 - i], want);
    }
    for (; steps_back(&it, &step); n--) {
        assert_ptr_equal(step.call, forward[n - 1].call);
        assert_ptr_equal(step.result, forward[n - 1].result);
        assert_int_equal(step.outcome, forward[n - 1].outcome);
    }
    assert_int_equal(n, 0);
}

static void steps_walked_back_are_those_walked_forward(void **state)
{
    static const char *const tools[] = {"find_tickets", "get_ticket", "close_ticket"};
    struct flow *f = flow_parsed(FLOW_FULL, NULL, 0);
    struct json_gen g = {.state = 21};

    (void)state;
    for (int i = 0; i < 60; i++) {
        struct episode e = {0};

        for (int k = 0; k < 60; k++) {
            struct episode_view view = episode_view_whole(&e);
            struct sp_str id = SP_STR("1");

            check_walks(f, &view);
            if (e.n_events > 0 && e.events[e.n_events - 1].kind == EPISODE_RESULT)
                id = e.events[e.n_events - 1].call_id;
            episode_view_after(&e, id, &view);
            check_walks(f, &view);
            episode_view_deinit(&view);
            flow_session_grow(&e, &g, tools, N_OF(tools));
        }
        episode_deinit(&e);
    }
    flow_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_messages_and_calls_with_how_they_came_out),
        cmocka_unit_test(steps_walk_gives_calls_with_their_results),
        cmocka_unit_test(steps_read_features_from_outputs),
        cmocka_unit_test(steps_symbols_have_room_for_features_up_to_4095),
        cmocka_unit_test(steps_walked_back_are_those_walked_forward),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
