/* Tests of io/outq.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "channel.h"
#include "io/outq.h"
#include "json_gen.h"
#include "loop.h"

/* A queue and what it has told. */
struct watch {
    struct outq q;
    int n_changes;
    int n_errors;  /* changes at which an error was seen that was not there before */
    int n_closed;  /* changes at which it was closed */
    bool was_full; /* at the last change */
    int error;
};

static void on_change(struct outq *q)
{
    struct watch *w = q->owner;

    w->n_changes++;
    w->n_errors += q->error != 0 && w->error == 0;
    w->error = q->error;
    w->n_closed += q->is_closed;
    /* Between the marks it stays what it was; nothing is sent meanwhile. */
    assert_int_equal(outq_is_full(q), w->was_full && q->n_bytes > OUTQ_HIGH / 4);
}

static void watch_init(struct watch *w, uv_loop_t *loop, struct fdesc fd)
{
    *w = (struct watch){0};
    outq_init(&w->q, loop, fd, OUTQ_HIGH, on_change, w);
    assert_ptr_equal(w->q.owner, w);
    assert_true(outq_is_empty(&w->q) && !outq_is_full(&w->q));
}

static void watch_close(struct watch *w, uv_loop_t *loop)
{
    outq_close(&w->q);
    loop_run_until(loop, w->q.is_closed);
}

static struct line *line_of(size_t len, char fill)
{
    struct line *line = line_new(len);

    memset(line->bytes, fill, len);
    line->len = len;
    return line;
}

/* Sends lines of mixed lengths, `total` bytes at least, with small reads at the other end. */
static void send_and_read(struct watch *w, struct channel *c, uv_loop_t *loop, size_t total,
                          struct sp_buf *ret_sent, struct sp_buf *ret_got)
{
    struct json_gen g = {.state = 77};

    while (ret_sent->len < total) {
        for (uint64_t n = json_gen_below(&g, 100); n > 0; n--) {
            size_t max = json_gen_below(&g, 60) == 0 ? 150000 : 90;
            struct line *line = line_of(1 + json_gen_below(&g, max), (char)('a' + n % 26));

            line->bytes[line->len - 1] = '\n';
            sp_buf_add(ret_sent, line_str(line));
            outq_send(&w->q, line);
        }
        assert_int_equal(outq_flush(&w->q), 0);
        w->was_full = outq_is_full(&w->q);
        channel_check_flags(c);
        if (c->kind < CHANNEL_N_POLLED)
            channel_read(c, json_gen_below(&g, 20000), ret_got);
        (void)uv_run(loop, UV_RUN_NOWAIT);
        w->was_full = outq_is_full(&w->q);
    }
}

/* Reads what has come, in small portions; for conditions. */
static bool read_some(struct channel *c, struct sp_buf *got)
{
    if (c->kind < CHANNEL_N_POLLED)
        channel_read(c, 7001, got);
    return true;
}

static void outq_writes_lines_whole_and_in_order(void **state)
{
    uv_loop_t *loop = *state;

    for (enum channel_kind kind = 0; kind < CHANNEL_N_KINDS; kind++) {
        struct sp_buf sent = {0}, got = {0};
        struct channel c;
        struct watch w;

        channel_open(&c, kind, O_WRONLY);
        watch_init(&w, loop, c.end);
        send_and_read(&w, &c, loop, kind == CHANNEL_PTY ? 300000 : 3000000, &sent, &got);
        loop_run_until(loop, read_some(&c, &got) && outq_is_empty(&w.q));
        if (kind != CHANNEL_NULL) {
            channel_read_to(&c, sent.len, &got);
            assert_int_equal(got.len, sent.len);
            assert_memory_equal(got.p, sent.p, sent.len);
        }
        assert_int_equal(w.q.error, 0);
        assert_false(outq_is_full(&w.q));
        channel_check_flags(&c);
        watch_close(&w, loop);
        channel_check_flags(&c);
        channel_close(&c);
        sp_buf_deinit(&sent);
        sp_buf_deinit(&got);
    }
}

static void outq_writes_at_once_what_the_descriptor_takes(void **state)
{
    uv_loop_t *loop = *state;

    for (enum channel_kind kind = 0; kind < CHANNEL_N_POLLED; kind++) {
        struct sp_buf got = {0};
        struct channel c;
        struct watch w;

        channel_open(&c, kind, O_WRONLY);
        watch_init(&w, loop, c.end);
        outq_send(&w.q, line_of(10, 'a'));
        outq_send(&w.q, line_of(20, 'b'));
        assert_false(outq_is_empty(&w.q));
        assert_int_equal(outq_flush(&w.q), 0);
        assert_true(outq_is_empty(&w.q));
        channel_read_to(&c, 30, &got);
        assert_memory_equal(got.p, "aaaaaaaaaabbbbbbbbbbbbbbbbbbbb", 30);
        assert_int_equal(w.n_changes, 0);
        watch_close(&w, loop);
        channel_close(&c);
        sp_buf_deinit(&got);
    }
}

static void outq_holds_a_line_until_it_is_written_and_no_longer(void **state)
{
    struct line *line = line_of(1, 'x'), *big = line_of(3000000, 'y');
    struct sp_buf got = {0};
    struct channel c;
    struct watch w;

    channel_open(&c, CHANNEL_PIPE, O_WRONLY);
    watch_init(&w, *state, c.end);
    outq_send(&w.q, line_ref(line));
    assert_false(line_is_unique(line));
    assert_int_equal(outq_flush(&w.q), 0);
    assert_true(line_is_unique(line));
    outq_send(&w.q, line_ref(big));
    w.was_full = true;
    assert_int_equal(outq_flush(&w.q), 0);
    assert_false(line_is_unique(big));
    loop_run_until(*state, read_some(&c, &got) && outq_is_empty(&w.q));
    assert_true(line_is_unique(big));
    assert_true(w.n_changes > 0);
    watch_close(&w, *state);
    channel_close(&c);
    sp_buf_deinit(&got);
    line_unref(line);
    line_unref(big);
}

static void outq_is_full_from_above_the_high_mark_until_a_quarter_is_left(void **state)
{
    const size_t len = 4096 - sizeof(struct line); /* 4096 bytes in all */
    struct sp_buf got = {0};
    bool was_between = false;
    struct channel c;
    struct watch w;

    channel_open(&c, CHANNEL_PIPE, O_WRONLY);
    watch_init(&w, *state, c.end);
    for (size_t i = 0; i < OUTQ_HIGH / 4096; i++)
        outq_send(&w.q, line_of(len, 'x'));
    assert_int_equal(w.q.n_bytes, OUTQ_HIGH);
    assert_false(outq_is_full(&w.q));
    outq_send(&w.q, line_of(1, 'x'));
    assert_true(outq_is_full(&w.q));
    assert_int_equal(outq_flush(&w.q), 0);
    while (!outq_is_empty(&w.q)) {
        size_t before = w.q.n_bytes;

        w.was_full = outq_is_full(&w.q);
        assert_int_equal(w.was_full, w.q.n_bytes > OUTQ_HIGH / 4);
        was_between |= w.was_full && w.q.n_bytes < OUTQ_HIGH / 2;
        loop_run_until(*state, read_some(&c, &got) && w.q.n_bytes < before);
    }
    assert_true(was_between);

    /* Short lines count with what they take beside their bytes. */
    for (size_t i = 0; i < OUTQ_HIGH / (sizeof(struct line) + 1); i++)
        outq_send(&w.q, line_of(1, 'x'));
    assert_false(outq_is_full(&w.q));
    outq_send(&w.q, line_of(1, 'x'));
    assert_true(outq_is_full(&w.q));
    watch_close(&w, *state);
    channel_close(&c);
    sp_buf_deinit(&got);
}

static void outq_for_raw_pieces_is_full_while_anything_waits(void **state)
{
    struct sp_buf got = {0};
    struct channel c;
    struct watch w = {0};

    channel_open(&c, CHANNEL_PIPE, O_WRONLY);
    outq_init(&w.q, *state, c.end, OUTQ_RAW, on_change, &w);
    assert_false(outq_is_full(&w.q));
    outq_send(&w.q, line_of(1, 'x'));
    assert_true(outq_is_full(&w.q));
    assert_int_equal(outq_flush(&w.q), 0);
    assert_false(outq_is_full(&w.q));
    outq_send(&w.q, line_of(300000, 'x'));
    assert_int_equal(outq_flush(&w.q), 0);
    w.was_full = true;
    assert_true(outq_is_full(&w.q));
    loop_run_until(*state, read_some(&c, &got) && outq_is_empty(&w.q));
    assert_false(outq_is_full(&w.q));
    watch_close(&w, *state);
    channel_close(&c);
    sp_buf_deinit(&got);
}

/* Checks that a queue that has failed with `error` is empty and takes nothing more. */
static void check_failed(struct watch *w, uv_loop_t *loop, int error)
{
    struct line *line = line_of(1, 'x');
    int n_changes = w->n_changes;

    assert_int_equal(w->q.error, error);
    assert_true(outq_is_empty(&w->q));
    assert_false(outq_is_full(&w->q));
    outq_send(&w->q, line_ref(line));
    assert_true(line_is_unique(line));
    assert_int_equal(outq_flush(&w->q), 0); /* the error was returned or seen once */
    loop_run_for(loop, 5);
    assert_int_equal(w->n_changes, n_changes);
    assert_int_equal(w->q.error, error);
    line_unref(line);
}

static void outq_returns_a_failure_that_comes_at_once(void **state)
{
    uv_loop_t *loop = *state;

    for (enum channel_kind kind = 0; kind < CHANNEL_N_POLLED; kind++) {
        struct line *line = line_of(1, 'x');
        struct channel c;
        struct watch w;

        channel_open(&c, kind, O_WRONLY);
        watch_init(&w, loop, c.end);
        channel_close_peer(&c);
        outq_send(&w.q, line_ref(line));
        outq_send(&w.q, line_of(2 * OUTQ_HIGH, 'y'));
        assert_int_equal(outq_flush(&w.q), kind == CHANNEL_PTY ? UV_EIO : UV_EPIPE);
        assert_true(line_is_unique(line));
        check_failed(&w, loop, kind == CHANNEL_PTY ? UV_EIO : UV_EPIPE);
        assert_int_equal(w.n_changes, 0);
        watch_close(&w, loop);
        channel_close(&c);
        line_unref(line);
    }
}

static void outq_tells_once_of_a_failure_that_comes_later(void **state)
{
    uv_loop_t *loop = *state;

    for (enum channel_kind kind = 0; kind < CHANNEL_N_POLLED; kind++) {
        struct channel c;
        struct watch w;

        channel_open(&c, kind, O_WRONLY);
        watch_init(&w, loop, c.end);
        outq_send(&w.q, line_of(3000000, 'x'));
        assert_int_equal(outq_flush(&w.q), 0);
        assert_false(outq_is_empty(&w.q));
        channel_close_peer(&c);
        loop_run_until(loop, w.n_changes > 0);
        assert_int_equal(w.n_errors, 1);
        check_failed(&w, loop, kind == CHANNEL_PTY ? UV_EIO : UV_EPIPE);
        watch_close(&w, loop);
        channel_check_flags(&c);
        channel_close(&c);
    }
}

struct bad_case {
    const char *path; /* opened for `flags`; NULL: no descriptor */
    int flags;
    enum fdesc_kind kind;
    int error;
};

static void outq_fails_on_a_descriptor_that_cannot_be_written(void **state)
{
    static const struct bad_case cases[] = {
        {NULL, 0, FDESC_FILE, UV_EBADF},
        {"/dev/full", O_WRONLY, FDESC_FILE, UV_ENOSPC},
        {"/dev/null", O_RDONLY, FDESC_FILE, UV_EBADF},
        {"/dev/null", O_WRONLY, FDESC_PRIVATE, UV_EBADF}, /* the loop cannot watch it */
        {"/dev/null", O_WRONLY, FDESC_SHARED, UV_EBADF},
    };
    uv_loop_t *loop = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int fd = cases[i].path != NULL ? open(cases[i].path, cases[i].flags | O_CLOEXEC) : -1;
        struct watch w;

        watch_init(&w, loop, (struct fdesc){.fd = fd, .kind = cases[i].kind, .is_owned = true});
        outq_send(&w.q, line_of(1, 'x'));
        assert_int_equal(outq_flush(&w.q), 0);
        loop_run_until(loop, w.n_changes > 0);
        assert_int_equal(w.n_errors, 1);
        check_failed(&w, loop, cases[i].error);
        watch_close(&w, loop);
    }
}

static void outq_close_drops_what_waits(void **state)
{
    uv_loop_t *loop = *state;

    for (enum channel_kind kind = 0; kind < CHANNEL_N_KINDS; kind++) {
        struct line *begun = line_of(3000000, 'x'), *queued = line_of(10, 'y');
        struct line *late = line_of(10, 'z');
        struct channel c;
        struct watch w;

        channel_open(&c, kind, O_WRONLY);
        watch_init(&w, loop, c.end);
        w.was_full = true;
        outq_send(&w.q, line_ref(begun));
        assert_int_equal(outq_flush(&w.q), 0);
        outq_send(&w.q, line_ref(queued));
        outq_close(&w.q);
        outq_close(&w.q);
        outq_send(&w.q, line_ref(late));
        assert_true(line_is_unique(late));
        assert_int_equal(w.n_changes, 0);
        assert_false(w.q.is_closed);
        w.was_full = false;
        loop_run_until(loop, w.q.is_closed);
        assert_int_equal(w.n_closed, 1);
        assert_int_equal(w.n_changes, 1);
        assert_true(line_is_unique(begun) && line_is_unique(queued));
        outq_close(&w.q);
        assert_int_equal(w.n_changes, 1);
        channel_check_flags(&c);
        channel_close(&c);
        line_unref(begun);
        line_unref(queued);
        line_unref(late);
    }
}

static void outq_close_is_done_at_once_when_no_file_request_is_out(void **state)
{
    struct channel c;
    struct watch w;

    channel_open(&c, CHANNEL_FILE, O_WRONLY);
    watch_init(&w, *state, c.end);
    outq_send(&w.q, line_of(10, 'x')); /* not flushed */
    outq_close(&w.q);
    assert_true(w.q.is_closed);
    loop_run_for(*state, 5);
    assert_int_equal(w.n_changes, 0);
    channel_close(&c);
}

static void outq_close_closes_only_what_is_owned(void **state)
{
    uv_loop_t *loop = *state;
    struct channel c;
    struct watch w;
    char byte;

    channel_open(&c, CHANNEL_PIPE, O_WRONLY);
    watch_init(&w, loop, c.end);
    assert_int_equal(read(c.peer, &byte, 1), -1);
    watch_close(&w, loop);
    assert_int_equal(read(c.peer, &byte, 1), 0);
    channel_close(&c);

    channel_open(&c, CHANNEL_SOCKET, O_WRONLY);
    watch_init(&w, loop, c.end);
    watch_close(&w, loop);
    assert_int_equal(write(c.original, "x", 1), 1);
    assert_int_equal(read(c.peer, &byte, 1), 1);
    channel_close(&c);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, loop_setup, loop_teardown)
    const struct CMUnitTest tests[] = {
        TEST(outq_writes_lines_whole_and_in_order),
        TEST(outq_writes_at_once_what_the_descriptor_takes),
        TEST(outq_holds_a_line_until_it_is_written_and_no_longer),
        TEST(outq_is_full_from_above_the_high_mark_until_a_quarter_is_left),
        TEST(outq_for_raw_pieces_is_full_while_anything_waits),
        TEST(outq_returns_a_failure_that_comes_at_once),
        TEST(outq_tells_once_of_a_failure_that_comes_later),
        TEST(outq_fails_on_a_descriptor_that_cannot_be_written),
        TEST(outq_close_drops_what_waits),
        TEST(outq_close_is_done_at_once_when_no_file_request_is_out),
        TEST(outq_close_closes_only_what_is_owned),
    };

    (void)signal(SIGPIPE, SIG_IGN);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
