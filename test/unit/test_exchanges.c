/* Tests of trace/exchanges.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/exchanges.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))
#define NONE        SIZE_MAX

#define CALL(id, tool) \
    "{\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool "\"}}"
#define RESULT(id) "{\"id\":" id ",\"result\":{\"content\":[]}}"
#define FAILED(id) "{\"id\":" id ",\"result\":{\"content\":[],\"isError\":true}}"
#define CANCEL(id) "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" id "}}"

static struct exchanges_note feed(struct exchanges *x, enum line_from from, uint64_t t_ms,
                                  const char *text)
{
    struct tracemsg_iter it = tracemsg_iter(from, t_ms, sp_str_of(text));
    struct tracemsg m;

    assert_true(tracemsg_next(&it, &m));
    return exchanges_feed(x, &m);
}

/* One message after the other, and what each is. */
struct step {
    enum line_from from;
    const char *text;
    enum exchanges_kind kind;
    size_t request;
};

static void run_steps(const struct step *steps, size_t n)
{
    struct exchanges x = {0};

    for (size_t i = 0; i < n; i++) {
        struct exchanges_note note = feed(&x, steps[i].from, i, steps[i].text);

        if (note.kind != steps[i].kind || note.request != steps[i].request)
            fail_msg("step %zu: kind %d, request %zu", i, (int)note.kind, note.request);
    }
    exchanges_deinit(&x);
}

static void exchanges_pairs_by_id_and_side(void **state)
{
    static const struct step steps[] = {
        {LINE_CLIENT, CALL("7", "a"), EXCHANGES_REQUEST, 0},
        {LINE_CLIENT, CALL("\"7\"", "b"), EXCHANGES_REQUEST, 1},
        /* The server's own request and its answer reuse the id. */
        {LINE_SERVER, "{\"id\":7,\"method\":\"ping\"}", EXCHANGES_REQUEST, 2},
        {LINE_CLIENT, "{\"id\":7,\"result\":{}}", EXCHANGES_ANSWER, 2},
        {LINE_CLIENT, "{\"id\":7,\"result\":{}}", EXCHANGES_AGAIN, 2},
        {LINE_SERVER, RESULT("\"7\""), EXCHANGES_ANSWER, 1},
        {LINE_SERVER, RESULT("7.0"), EXCHANGES_STRAY, NONE},
        {LINE_SERVER, RESULT("7"), EXCHANGES_ANSWER, 0},
        {LINE_SERVER, RESULT("7"), EXCHANGES_AGAIN, 0},
        {LINE_CLIENT, RESULT("8"), EXCHANGES_STRAY, NONE},
    };

    (void)state;
    run_steps(steps, N_OF(steps));
}

static void exchanges_gives_an_answer_to_the_request_that_waits(void **state)
{
    static const struct step steps[] = {
        {LINE_CLIENT, CALL("1", "a"), EXCHANGES_REQUEST, 0},
        {LINE_SERVER, RESULT("1"), EXCHANGES_ANSWER, 0},
        {LINE_CLIENT, "{\"id\":1,\"method\":\"tools/list\"}", EXCHANGES_REQUEST, 1},
        {LINE_SERVER, RESULT("1"), EXCHANGES_ANSWER, 1},
        {LINE_CLIENT, "{\"id\":1,\"method\":\"tools/list\"}", EXCHANGES_REQUEST, 2},
        {LINE_CLIENT, CALL("1", "b"), EXCHANGES_REQUEST, 3},
        /* A call that waits comes first, as it does in an episode. */
        {LINE_SERVER, RESULT("1"), EXCHANGES_ANSWER, 3},
        {LINE_SERVER, RESULT("1"), EXCHANGES_ANSWER, 2},
        {LINE_SERVER, RESULT("1"), EXCHANGES_AGAIN, 3},
        /* A call that uses the id again takes its place. */
        {LINE_CLIENT, CALL("1", "c"), EXCHANGES_REQUEST, 4},
        {LINE_CLIENT, CALL("1", "d"), EXCHANGES_REQUEST, 5},
        {LINE_SERVER, RESULT("1"), EXCHANGES_ANSWER, 5},
        {LINE_SERVER, RESULT("1"), EXCHANGES_AGAIN, 5},
    };

    (void)state;
    run_steps(steps, N_OF(steps));
}

static void exchanges_knows_every_kind_of_message(void **state)
{
    static const struct step steps[] = {
        {LINE_CONTEXT, "{\"role\":\"user\",\"content\":\"x\"}", EXCHANGES_TALK, NONE},
        {LINE_CONTEXT, CALL("1", "a"), EXCHANGES_TALK, NONE},
        {LINE_CLIENT, "{\"method\":\"notifications/initialized\"}", EXCHANGES_NOTIFICATION, NONE},
        {LINE_CLIENT, "{\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}}",
         EXCHANGES_NOTIFICATION, NONE},
        {LINE_CLIENT, "{\"id\":null,\"method\":\"ping\"}", EXCHANGES_NOTIFICATION, NONE},
        {LINE_CLIENT, "{\"id\":1,\"method\":5}", EXCHANGES_STRAY, NONE},
        {LINE_CLIENT, "{\"id\":1}", EXCHANGES_STRAY, NONE},
        {LINE_CLIENT, "{}", EXCHANGES_STRAY, NONE},
        {LINE_PROXY, CALL("\"stretto-1\"", "a"), EXCHANGES_REQUEST, 0},
        {LINE_SERVER, "{\"id\":\"stretto-1\",\"result\":null}", EXCHANGES_ANSWER, 0},
        {LINE_SERVER, "{\"id\":\"stretto-1\",\"error\":null}", EXCHANGES_STRAY, NONE},
        {LINE_CLIENT, CALL("2", "a"), EXCHANGES_REQUEST, 1},
        {LINE_CLIENT, CANCEL("3"), EXCHANGES_NOTIFICATION, NONE},
        {LINE_SERVER, CANCEL("2"), EXCHANGES_NOTIFICATION, NONE},
        {LINE_CLIENT, CANCEL("2"), EXCHANGES_CANCELLATION, 1},
        {LINE_SERVER, RESULT("2"), EXCHANGES_ANSWER, 1},
        {LINE_CLIENT, CANCEL("2"), EXCHANGES_NOTIFICATION, NONE},
        {LINE_SERVER, "{\"id\":2,\"method\":\"roots/list\"}", EXCHANGES_REQUEST, 2},
        {LINE_SERVER, CANCEL("2"), EXCHANGES_CANCELLATION, 2},
        {LINE_CLIENT, "{\"id\":2,\"method\":\"tools/list\"}", EXCHANGES_REQUEST, 3},
        {LINE_CLIENT, CANCEL("2"), EXCHANGES_CANCELLATION, 3},
    };

    (void)state;
    run_steps(steps, N_OF(steps));
}

static void exchanges_keeps_what_became_of_a_request(void **state)
{
    struct exchanges x = {0};

    (void)state;
    feed(&x, LINE_CLIENT, 10, CALL("\"caf\\u00e9\"", "get\\u005fit"));
    feed(&x, LINE_CLIENT, 20, "{\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":5}}");
    feed(&x, LINE_SERVER, 30, "{\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}}");
    feed(&x, LINE_SERVER, 35, FAILED("\"caf\\u00e9\""));
    feed(&x, LINE_PROXY, 36, RESULT("\"caf\\u00e9\""));

    assert_int_equal(x.n_requests, 3);
    assert_true(sp_str_eq(x.requests[0].id, SP_STR("caf\xc3\xa9")));
    assert_true(sp_str_eq(x.requests[0].tool, SP_STR("get_it")));
    assert_true(sp_str_eq(x.requests[0].method, SP_STR("tools/call")));
    assert_int_equal(x.requests[0].sent_ms, 10);
    assert_int_equal(x.requests[0].state, EXCHANGES_FAILED);
    assert_int_equal(x.requests[0].answered_by, LINE_SERVER);
    assert_int_equal(x.requests[0].answered_ms, 35);
    /* Neither without a name nor asked by the server is it a call. */
    assert_null(x.requests[1].tool.p);
    assert_int_equal(x.requests[1].state, EXCHANGES_OPEN);
    assert_null(x.requests[2].tool.p);
    exchanges_deinit(&x);
}

static void exchanges_tells_refusals_and_commits(void **state)
{
    static const struct {
        enum line_from from;
        const char *call;
        enum line_from by;
        const char *answer;
        bool is_refused;
        bool is_commit;
    } cases[] = {
        {LINE_CLIENT, CALL("1", "a"), LINE_PROXY, FAILED("1"), true, false},
        {LINE_CLIENT, CALL("1", "a"), LINE_PROXY, "{\"id\":1,\"error\":{\"code\":-32600}}", true,
         false},
        {LINE_CLIENT, CALL("1", "a"), LINE_PROXY, RESULT("1"), false, false},
        {LINE_CLIENT, CALL("1", "a"), LINE_SERVER, FAILED("1"), false, false},
        {LINE_PROXY, CALL("1", "a"), LINE_PROXY, FAILED("1"), false, false},
        {LINE_CLIENT, CALL("1", "stretto_commit"), LINE_PROXY, FAILED("1"), false, true},
        {LINE_CLIENT, CALL("1", "stretto_commit"), LINE_PROXY, RESULT("1"), false, true},
        {LINE_PROXY, CALL("1", "stretto_commit"), LINE_SERVER, RESULT("1"), false, false},
        {LINE_CLIENT, "{\"id\":1,\"method\":\"ping\"}", LINE_PROXY, FAILED("1"), false, false},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct exchanges x = {0};

        feed(&x, cases[i].from, 1, cases[i].call);
        assert_false(exchanges_is_refused(&x.requests[0]));
        feed(&x, cases[i].by, 2, cases[i].answer);
        if (exchanges_is_refused(&x.requests[0]) != cases[i].is_refused ||
            exchanges_is_commit(&x.requests[0]) != cases[i].is_commit)
            fail_msg("case %zu", i);
        exchanges_deinit(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exchanges_pairs_by_id_and_side),
        cmocka_unit_test(exchanges_gives_an_answer_to_the_request_that_waits),
        cmocka_unit_test(exchanges_knows_every_kind_of_message),
        cmocka_unit_test(exchanges_keeps_what_became_of_a_request),
        cmocka_unit_test(exchanges_tells_refusals_and_commits),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
