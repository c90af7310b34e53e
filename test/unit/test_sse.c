/* Tests of io/sse.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "io/sse.h"

#define MAX_EVENT 1000

/* The events of a stream, each as "ID|DATA\n". */
struct events {
    struct sse *sse;
    struct sp_buf text;
    size_t n;
    size_t n_wanted; /* the event after which to stop */
};

static bool on_event(void *owner, struct sp_str data)
{
    struct events *events = owner;

    assert_int_equal(events->sse->has_id, events->sse->id.len > 0);
    sp_buf_add(&events->text, sp_buf_str(&events->sse->id));
    sp_buf_add_char(&events->text, '|');
    sp_buf_add(&events->text, data);
    sp_buf_add_char(&events->text, '\n');
    return ++events->n != events->n_wanted;
}

static int feed(struct sse *s, struct sp_str piece)
{
    /* From memory that is gone afterwards, as a read buffer is. */
    char *copy = sp_malloc(piece.len);
    int outcome;

    if (piece.len > 0)
        memcpy(copy, piece.p, piece.len);
    outcome = sse_feed(s, (struct sp_str){copy, piece.len});
    free(copy);
    return outcome;
}

/* Feeds a stream cut at `split`, or byte by byte, to its end, and compares. */
static void check(struct sp_str stream, size_t split, bool is_bytewise, bool is_broken,
                  struct sp_str wanted)
{
    struct sse s;
    struct events events = {.sse = &s};

    sse_init(&s, MAX_EVENT, on_event, &events);
    if (is_bytewise) {
        for (size_t i = 0; i < stream.len; i++)
            assert_int_equal(feed(&s, sp_str_sub(stream, i, i + 1)), 0);
    } else {
        assert_int_equal(feed(&s, sp_str_sub(stream, 0, split)), 0);
        assert_int_equal(feed(&s, sp_str_sub(stream, split, stream.len)), 0);
    }
    assert_int_equal(sse_finish(&s, is_broken), 0);
    if (!sp_str_eq(sp_buf_str(&events.text), wanted))
        fail_msg("'%.*s' cut at %zu gave '%.*s'", SP_STR_ARG(stream), is_bytewise ? 1 : split,
                 SP_STR_ARG(sp_buf_str(&events.text)));
    sse_deinit(&s);
    sp_buf_deinit(&events.text);
}

static void check_everywhere(struct sp_str stream, bool is_broken, struct sp_str wanted)
{
    for (size_t split = 0; split <= stream.len; split++)
        check(stream, split, false, is_broken, wanted);
    check(stream, 0, true, is_broken, wanted);
}

struct stream_case {
    struct sp_str stream;
    struct sp_str in_order; /* the events when the stream ends in order */
    struct sp_str broken;   /* and when it breaks off */
};

/* `same` when it makes no difference how the stream ends. */
#define CASE(stream, same)                         \
    {                                              \
        SP_STR(stream), SP_STR(same), SP_STR(same) \
    }
#define CASE2(stream, in_order, broken)                  \
    {                                                    \
        SP_STR(stream), SP_STR(in_order), SP_STR(broken) \
    }

static const struct stream_case cases[] = {
    /* The upstream's specification. */
    CASE2(": a comment\n\nretry\n\nevent: message\nid: 7\ndata: {\"a\":1}\n\ndata: {\"b\":\n"
          "data: 2}\n\ndata: cut off",
          "7|{\"a\":1}\n7|{\"b\":\n2}\n7|cut off\n", "7|{\"a\":1}\n7|{\"b\":\n2}\n"),
    CASE("data:{\"a\":1}\r\n\r\n", "|{\"a\":1}\n"),
    CASE("data: x\n\n\n\ndata: y\n\n", "|x\n|y\n"),
    CASE("id: 5\ndata:\n\n", "5|\n"),
    CASE("id: e1\nid\ndata: x\n\n", "|x\n"),
    CASE("event: ping\ndata: {}\n\n", "|{}\n"),
    CASE("data: a\rdata: b\r\r", "|a\nb\n"),
    CASE(" data: x\n\n", ""),
    CASE("Data: x\n\n", ""),
    CASE("foo: bar\n\n", ""),
    CASE("data: a:b: c\n\n", "|a:b: c\n"),

    /* Ends of lines. */
    CASE("data: a\r\ndata: b\rdata: c\ndata: d\n\r\n", "|a\nb\nc\nd\n"),
    CASE("data: x\r\r\ndata: y\n\r", "|x\n|y\n"),
    CASE("data: x\n\ndata: y\r\n\r\n", "|x\n|y\n"),
    CASE("\r\n\n\r\rdata: x\r\n\r\n\r\n", "|x\n"),
    CASE2("data: x\r\n\r", "|x\n", "|x\n"),

    /* Names, colons and spaces. */
    CASE("data:x\n\n", "|x\n"),
    CASE("data:  x \n\n", "| x \n"),
    CASE("data:\tx\n\n", "|\tx\n"),
    CASE("data::x\n\n", "|:x\n"),
    CASE("data : x\n\n", ""),
    CASE("dat: x\ndatax: y\ndataxx: y\nretryy: 1\nidd: 1\ni: 2\n\n", ""),
    CASE(":data: x\n:\n\n", ""),
    CASE("\xc3\xa9: x\ndata: \xe2\x98\x95\n\n", "|\xe2\x98\x95\n"),
    CASE("data: \0x\n\n", "|\0x\n"),

    /* Data of several lines, and none. */
    CASE("data\n\n", "|\n"),
    CASE("data\ndata\ndata: x\ndata:\ndata\n\n", "|\n\nx\n"),
    CASE("data: a\nfoo: b\n: c\ndata: d\n\n", "|a\nd\n"),
    CASE("event: x\n\nretry: 1\n\n: c\n\n", ""),

    /* Ids. */
    CASE("id: 1\n\n", "1|\n"),
    CASE("id\n\n", "|\n"),
    CASE("id: 1\ndata: x\n\ndata: y\n\nid:\ndata: z\n\n", "1|x\n1|y\n|z\n"),
    CASE("id:  a b \ndata: x\n\n", " a b |x\n"),
    CASE("id: 1\n\nid: 2\0\ndata: x\n\n", "1|\n1|x\n"),
    CASE("id: 1\nid: \0\n\n", "1|\n"),
    CASE("id: \0\n\n", ""),

    /* Byte-order marks. */
    CASE("\xef\xbb\xbf"
         "data: x\n\n",
         "|x\n"),
    CASE("\xef\xbb\xbf\xef\xbb\xbf"
         "data: x\n\n",
         ""),
    CASE("\xef\xbb"
         "data: x\n\n",
         ""),
    CASE("\xef\xbb\n"
         "data: x\n\n",
         "|x\n"),
    CASE("data: 1\n\n\xef\xbb\xbf"
         "data: x\n\n",
         "|1\n"),
    CASE("\xef\xbb\xbf\n\n", ""),
    CASE("\xef\xbb", ""),

    /* Ends of streams. */
    CASE("", ""),
    CASE("data: x\n", "|x\n"),
    CASE("data: x\r", "|x\n"),
    CASE2("data: x", "|x\n", ""),
    CASE2("data", "|\n", ""),
    CASE2("data: a\ndata: b", "|a\nb\n", "|a\n"),
    CASE2("data: a\ndata: b\ndata", "|a\nb\n", "|a\nb\n"),
    CASE2("id: 1\ndata: x\nid: 2", "2|x\n", "1|x\n"),
    CASE2("id: 1\n", "1|\n", ""),
    CASE2("id: 1\n\nid: 2\ndata: {\"half", "1|\n2|{\"half\n", "1|\n"),
};

static void sse_gives_the_same_events_at_every_split(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_everywhere(cases[i].stream, false, cases[i].in_order);
        check_everywhere(cases[i].stream, true, cases[i].broken);
    }
}

static void sse_gives_an_event_as_soon_as_its_last_line_has_ended(void **state)
{
    struct sse s;
    struct events events = {.sse = &s};

    (void)state;
    sse_init(&s, MAX_EVENT, on_event, &events);
    assert_int_equal(feed(&s, SP_STR("data: x\n")), 0);
    assert_int_equal(events.n, 0);
    assert_int_equal(feed(&s, SP_STR("\r")), 0); /* without waiting for a LF */
    assert_int_equal(events.n, 1);
    assert_int_equal(feed(&s, SP_STR("\ndata: y\n\ndata")), 0);
    assert_int_equal(events.n, 2);
    sse_deinit(&s);
    sp_buf_deinit(&events.text);
}

static void sse_keeps_an_id_from_the_end_of_its_event_on(void **state)
{
    struct sse s;
    struct events events = {.sse = &s};

    (void)state;
    sse_init(&s, MAX_EVENT, on_event, &events);
    assert_int_equal(feed(&s, SP_STR("id: 1\ndata: x\n")), 0);
    assert_false(s.has_id);
    assert_int_equal(feed(&s, SP_STR("\n")), 0);
    assert_true(s.has_id);
    assert_int_equal(feed(&s, SP_STR("id: 2\ndata: {")), 0);
    assert_int_equal(sse_finish(&s, true), 0);
    assert_true(sp_str_eq(sp_buf_str(&s.id), SP_STR("1")));
    sse_deinit(&s);
    sp_buf_deinit(&events.text);
}

static const struct {
    struct sp_str stream;
    bool has_retry;
    uint64_t retry_ms;
} retries[] = {
    {SP_STR("retry: 500\n"), true, 500},
    {SP_STR("retry:0\n"), true, 0},
    {SP_STR("retry: 007\n"), true, 7},
    {SP_STR("retry: 18446744073709551615\n"), true, UINT64_MAX},
    {SP_STR("retry: 18446744073709551616\n"), true, UINT64_MAX},
    {SP_STR("retry: 99999999999999999999999999990\n"), true, UINT64_MAX},
    {SP_STR("retry: 1\nretry: 2\nretry: x\n"), true, 2},
    {SP_STR("retry: 1\nretry\nretry:\n"), true, 1},
    {SP_STR("retry\n"), false, 0},
    {SP_STR("retry:\n"), false, 0},
    {SP_STR("retry: -1\n"), false, 0},
    {SP_STR("retry: +1\n"), false, 0},
    {SP_STR("retry: 1.5\n"), false, 0},
    {SP_STR("retry: 1 \n"), false, 0},
    {SP_STR("retry:  1\n"), false, 0},
    {SP_STR("Retry: 1\n"), false, 0},
    {SP_STR("retry: 50"), false, 0}, /* the stream breaks off in it */
};

static void sse_reads_retry_of_digits_only(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof retries / sizeof *retries; i++) {
        struct sp_str stream = retries[i].stream;

        for (size_t split = 0; split <= stream.len; split++) {
            struct sse s;
            struct events events = {.sse = &s};

            sse_init(&s, MAX_EVENT, on_event, &events);
            assert_int_equal(feed(&s, sp_str_sub(stream, 0, split)), 0);
            assert_int_equal(feed(&s, sp_str_sub(stream, split, stream.len)), 0);
            assert_int_equal(sse_finish(&s, true), 0);
            assert_int_equal(s.has_retry, retries[i].has_retry);
            if (s.has_retry)
                assert_true(s.retry_ms == retries[i].retry_ms);
            assert_int_equal(events.n, 0);
            sse_deinit(&s);
        }
    }
}

static void sse_goes_on_with_a_resumed_stream_after_finish(void **state)
{
    static const bool is_broken[] = {false, true};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct sse s;
        struct events events = {.sse = &s};

        sse_init(&s, MAX_EVENT, on_event, &events);
        assert_int_equal(feed(&s, SP_STR("retry: 5\nid: 1\ndata: x\n\ndat")), 0);
        assert_int_equal(sse_finish(&s, is_broken[i]), 0);
        assert_int_equal(feed(&s, SP_STR("\xef\xbb\xbf"
                                         "data: y\n\r")),
                         0);
        assert_int_equal(sse_finish(&s, is_broken[i]), 0);
        assert_int_equal(feed(&s, SP_STR("\ndata: z\n\n")), 0);
        assert_true(sp_str_eq(sp_buf_str(&events.text), SP_STR("1|x\n1|y\n1|z\n")));
        assert_true(s.has_retry && s.retry_ms == 5);
        sse_deinit(&s);
        sp_buf_deinit(&events.text);
    }
}

/* How feeding and finishing a stream with a limit of 4 bytes comes out. */
static int limited(struct sp_str stream, size_t split)
{
    struct sse s;
    struct events events = {.sse = &s};
    int outcome;

    sse_init(&s, 4, on_event, &events);
    outcome = feed(&s, sp_str_sub(stream, 0, split));
    if (outcome == 0)
        outcome = feed(&s, sp_str_sub(stream, split, stream.len));
    if (outcome == 0)
        outcome = sse_finish(&s, false);
    sse_deinit(&s);
    sp_buf_deinit(&events.text);
    return outcome;
}

static void sse_refuses_what_is_larger_than_the_limit(void **state)
{
    static const struct {
        struct sp_str stream;
        int outcome;
    } limits[] = {
        {SP_STR("data: 1234\n\ndata: 1234\n\n"), 0},
        {SP_STR("data: 12345\n\n"), SSE_E_TOO_LARGE},
        {SP_STR("data: 12345"), SSE_E_TOO_LARGE},
        {SP_STR("data: 12\ndata: 3\n\n"), 0},
        {SP_STR("data: 12\ndata: 34\n\n"), SSE_E_TOO_LARGE},
        {SP_STR("data: 1234\ndata\n\n"), SSE_E_TOO_LARGE},
        {SP_STR("data: 1234\ndata"), SSE_E_TOO_LARGE},
        {SP_STR("id: 1234\n\n"), 0},
        {SP_STR("id: 12345\n\n"), SSE_E_TOO_LARGE},
        {SP_STR("retry: 12345\n\n"), SSE_E_TOO_LARGE},
        {SP_STR(": a long comment\nevent: a long type\na long name\n\n"), 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        for (size_t split = 0; split <= limits[i].stream.len; split++)
            assert_int_equal(limited(limits[i].stream, split), limits[i].outcome);
}

static void sse_stops_when_the_owner_says_so(void **state)
{
    struct sse s;
    struct events events = {.sse = &s, .n_wanted = 2};

    (void)state;
    sse_init(&s, MAX_EVENT, on_event, &events);
    assert_int_equal(feed(&s, SP_STR("data: 1\n\ndata: 2\n\ndata: 3\n\ndata: 4")), 0);
    assert_int_equal(events.n, 2);
    assert_int_equal(feed(&s, SP_STR("data: 5\n\n")), 0);
    assert_true(sp_str_eq(sp_buf_str(&events.text), SP_STR("|1\n|2\n|5\n")));
    sse_deinit(&s);
    sp_buf_deinit(&events.text);
}

static bool on_last_event(void *owner, struct sp_str data)
{
    struct sse *s = owner;

    assert_true(sp_str_eq(data, SP_STR("x")));
    sse_deinit(s);
    memset(s, 0xff, sizeof *s);
    return false;
}

static void sse_may_be_freed_by_the_owner_that_stops(void **state)
{
    struct sse s;

    (void)state;
    sse_init(&s, MAX_EVENT, on_last_event, &s);
    assert_int_equal(feed(&s, SP_STR("data: x\n\ndata: y\n\n")), 0);
}

static bool on_large_event(void *owner, struct sp_str data)
{
    *(size_t *)owner += data.len;
    return true;
}

static void sse_takes_large_events_and_gives_the_memory_back(void **state)
{
    size_t len = (size_t)16 * 1024 * 1024, n_data = 0;
    struct sp_buf stream = {0};
    struct sse s;

    (void)state;
    sp_buf_add(&stream, SP_STR("data: "));
    memset(sp_buf_reserve(&stream, len), 'x', len);
    stream.len += len;
    sp_buf_add(&stream, SP_STR("\n\n"));
    sse_init(&s, len, on_large_event, &n_data);
    for (size_t i = 0; i < stream.len; i += 65536)
        assert_int_equal(sse_feed(&s, sp_str_sub(sp_buf_str(&stream), i,
                                                 i + 65536 < stream.len ? i + 65536 : stream.len)),
                         0);
    assert_int_equal(n_data, len);
    assert_true(s.data.cap + s.value.cap + s.id.cap + s.new_id.cap < 65536);
    sse_deinit(&s);
    sp_buf_deinit(&stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sse_gives_the_same_events_at_every_split),
        cmocka_unit_test(sse_gives_an_event_as_soon_as_its_last_line_has_ended),
        cmocka_unit_test(sse_keeps_an_id_from_the_end_of_its_event_on),
        cmocka_unit_test(sse_reads_retry_of_digits_only),
        cmocka_unit_test(sse_goes_on_with_a_resumed_stream_after_finish),
        cmocka_unit_test(sse_refuses_what_is_larger_than_the_limit),
        cmocka_unit_test(sse_stops_when_the_owner_says_so),
        cmocka_unit_test(sse_may_be_freed_by_the_owner_that_stops),
        cmocka_unit_test(sse_takes_large_events_and_gives_the_memory_back),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
