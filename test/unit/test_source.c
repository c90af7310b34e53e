/* Tests of io/source.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "channel.h"
#include "io/source.h"
#include "json_gen.h"
#include "loop.h"

#define N_KEPT 4

/* A source and what it has reported. */
struct sink {
    struct source src;
    struct sp_buf got;
    int n_chunks;
    int n_ends;
    int n_closed;
    int err;
    int stop_at;  /* the chunk in which it is stopped; 0 for none */
    int close_at; /* the same for source_close() */
    bool closes_at_end;
    struct line *kept[N_KEPT]; /* references to the first chunks */
    size_t kept_at[N_KEPT];    /* where in `got` they begin */
    size_t n_kept;
    size_t max_kept;
};

static void on_chunk(struct source *src, struct line *chunk)
{
    struct sink *s = src->owner;

    assert_false(src->is_closing);
    assert_int_equal(s->n_ends, 0);
    assert_true(chunk->len > 0);
    s->n_chunks++;
    if (s->n_kept < s->max_kept) {
        s->kept_at[s->n_kept] = s->got.len;
        s->kept[s->n_kept++] = line_ref(chunk);
    }
    sp_buf_add(&s->got, line_str(chunk));
    if (s->n_chunks == s->stop_at)
        source_stop(src);
    if (s->n_chunks == s->close_at)
        source_close(src);
}

static void on_end(struct source *src, int err)
{
    struct sink *s = src->owner;

    assert_false(src->is_closing);
    s->n_ends++;
    s->err = err;
    if (s->closes_at_end)
        source_close(src);
}

static void on_closed(struct source *src)
{
    struct sink *s = src->owner;

    assert_true(src->is_closed);
    s->n_closed++;
}

static const struct source_callbacks callbacks = {on_chunk, on_end, on_closed};

/* On the heap, so that a use after sink_free() is seen. */
static struct sink *sink_new(uv_loop_t *loop, struct fdesc fd)
{
    struct sink *s = sp_calloc(1, sizeof *s);

    source_init(&s->src, loop, fd, &callbacks, s);
    assert_ptr_equal(s->src.owner, s);
    return s;
}

/* Closes the source and frees all. */
static void sink_free(struct sink *s, uv_loop_t *loop)
{
    source_close(&s->src);
    source_close(&s->src);
    loop_run_until(loop, s->src.is_closed);
    loop_run_for(loop, 4);
    assert_true(s->n_closed <= 1);
    for (size_t i = 0; i < s->n_kept; i++)
        line_unref(s->kept[i]);
    sp_buf_deinit(&s->got);
    free(s);
}

/* Opens a channel with `len` bytes on their way; a file has them all at once. */
static void open_with(struct channel *c, enum channel_kind kind, size_t len, struct sp_buf *ret)
{
    struct json_gen g = {.state = 99};

    channel_open(c, kind, O_RDONLY);
    if (kind == CHANNEL_NULL)
        len = 0;
    while (ret->len < len)
        sp_buf_add_char(ret, (char)json_gen_below(&g, 256));
    if (kind == CHANNEL_FILE)
        assert_int_equal(channel_write(c, sp_buf_str(ret)), len);
}

/* Writes some of what has not yet been written; for conditions. */
static bool write_some(struct channel *c, const struct sp_buf *bytes, size_t *done)
{
    size_t n = bytes->len - *done;

    if (c->kind < CHANNEL_N_POLLED && n > 0)
        *done += channel_write(c, (struct sp_str){bytes->p + *done, n < 9001 ? n : 9001});
    return true;
}

static void source_reads_all_in_order_and_ends_once(void **state)
{
    uv_loop_t *loop = *state;

    for (enum channel_kind kind = 0; kind < CHANNEL_N_KINDS; kind++) {
        struct sp_buf bytes = {0};
        struct channel c;
        struct sink *s;
        size_t done = 0;

        open_with(&c, kind, kind == CHANNEL_PTY ? 100000 : 1000000, &bytes);
        s = sink_new(loop, c.end);
        source_start(&s->src);
        assert_int_equal(s->n_chunks, 0);
        channel_check_flags(&c);
        loop_run_until(loop, write_some(&c, &bytes, &done) && s->got.len >= bytes.len);
        channel_check_flags(&c);
        channel_close_peer(&c);
        loop_run_until(loop, s->n_ends > 0);
        assert_int_equal(s->err, 0);
        assert_true(s->src.is_ended);
        assert_int_equal(s->got.len, bytes.len);
        if (bytes.len > 0)
            assert_memory_equal(s->got.p, bytes.p, bytes.len);
        loop_run_for(loop, 4);
        source_stop(&s->src);
        source_start(&s->src);
        loop_run_for(loop, 4);
        assert_int_equal(s->n_ends, 1); /* and no chunk, as on_chunk() checks */
        channel_check_flags(&c);
        sink_free(s, loop);
        channel_check_flags(&c);
        channel_close(&c);
        sp_buf_deinit(&bytes);
    }
}

static void source_reads_nothing_before_it_is_started(void **state)
{
    uv_loop_t *loop = *state;

    for (enum channel_kind kind = 0; kind < CHANNEL_N_KINDS; kind++) {
        struct sp_buf bytes = {0};
        struct channel c;
        struct sink *s;
        size_t done = 0;

        open_with(&c, kind, 100, &bytes);
        s = sink_new(loop, c.end);
        assert_true(write_some(&c, &bytes, &done));
        loop_run_for(loop, 4);
        assert_int_equal(s->n_chunks + s->n_ends, 0);
        sink_free(s, loop);
        channel_close(&c);
        sp_buf_deinit(&bytes);
    }
}

static void source_gives_one_chunk_more_at_most_after_it_is_stopped(void **state)
{
    uv_loop_t *loop = *state;

    for (enum channel_kind kind = 0; kind < CHANNEL_NULL; kind++) {
        struct sp_buf bytes = {0};
        struct channel c;
        struct sink *s;
        size_t done = 0;

        open_with(&c, kind, kind == CHANNEL_PTY ? 50000 : 500000, &bytes);
        s = sink_new(loop, c.end);
        s->stop_at = 1;
        source_start(&s->src);
        loop_run_until(loop, write_some(&c, &bytes, &done) && s->n_chunks > 0);
        assert_true(write_some(&c, &bytes, &done));
        loop_run_for(loop, 10);
        assert_true(s->n_chunks <= 2);
        assert_int_equal(s->n_ends, 0);
        source_start(&s->src);
        source_start(&s->src);
        loop_run_until(loop, write_some(&c, &bytes, &done) && s->got.len >= bytes.len);
        assert_memory_equal(s->got.p, bytes.p, bytes.len);
        channel_check_flags(&c);
        sink_free(s, loop);
        channel_close(&c);
        sp_buf_deinit(&bytes);
    }
}

static void source_loses_nothing_when_stopped_and_started_at_any_time(void **state)
{
    uv_loop_t *loop = *state;
    struct json_gen g = {.state = 5};

    for (enum channel_kind kind = 0; kind < CHANNEL_NULL; kind++) {
        struct sp_buf bytes = {0};
        struct channel c;
        struct sink *s;
        size_t done = 0;

        open_with(&c, kind, kind == CHANNEL_PTY ? 50000 : 3000000, &bytes);
        s = sink_new(loop, c.end);
        for (int i = 0; i < 300; i++) {
            if (json_gen_below(&g, 2) == 0)
                source_stop(&s->src);
            else
                source_start(&s->src);
            if (json_gen_below(&g, 3) > 0)
                (void)uv_run(loop, UV_RUN_NOWAIT);
            (void)write_some(&c, &bytes, &done);
        }
        source_start(&s->src);
        loop_run_until(loop, write_some(&c, &bytes, &done) && s->got.len >= bytes.len);
        assert_int_equal(s->got.len, bytes.len);
        assert_memory_equal(s->got.p, bytes.p, bytes.len);
        sink_free(s, loop);
        channel_close(&c);
        sp_buf_deinit(&bytes);
    }
}

static void source_reads_on_into_another_chunk_when_one_is_kept(void **state)
{
    uv_loop_t *loop = *state;

    for (enum channel_kind kind = 0; kind < CHANNEL_NULL; kind++) {
        struct sp_buf bytes = {0};
        struct channel c;
        struct sink *s;
        size_t done = 0;

        open_with(&c, kind, kind == CHANNEL_PTY ? 50000 : 500000, &bytes);
        s = sink_new(loop, c.end);
        s->max_kept = N_KEPT;
        source_start(&s->src);
        loop_run_until(loop, write_some(&c, &bytes, &done) && s->got.len >= bytes.len);
        assert_int_equal(s->n_kept, N_KEPT);
        for (size_t i = 0; i < N_KEPT; i++)
            assert_memory_equal(s->kept[i]->bytes, bytes.p + s->kept_at[i], s->kept[i]->len);
        source_close(&s->src);
        loop_run_until(loop, s->src.is_closed);
        for (size_t i = 0; i < N_KEPT; i++)
            assert_true(line_is_unique(s->kept[i]));
        sink_free(s, loop);
        channel_close(&c);
        sp_buf_deinit(&bytes);
    }
}

struct bad_case {
    const char *path; /* opened for `flags`; NULL: no descriptor */
    int flags;
    enum fdesc_kind kind;
    int error;
};

static void source_fails_once_on_a_descriptor_that_cannot_be_read(void **state)
{
    static const struct bad_case cases[] = {
        {NULL, 0, FDESC_FILE, UV_EBADF},
        {"/", O_RDONLY, FDESC_FILE, UV_EISDIR},
        {"/dev/null", O_WRONLY, FDESC_FILE, UV_EBADF},
        {"/dev/null", O_RDONLY, FDESC_PRIVATE, UV_EBADF}, /* the loop cannot watch it */
        {"/dev/null", O_RDONLY, FDESC_SHARED, UV_EBADF},
    };
    uv_loop_t *loop = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int fd = cases[i].path != NULL ? open(cases[i].path, cases[i].flags | O_CLOEXEC) : -1;
        struct sink *s =
            sink_new(loop, (struct fdesc){.fd = fd, .kind = cases[i].kind, .is_owned = true});

        source_start(&s->src);
        assert_int_equal(s->n_ends, 0);
        loop_run_until(loop, s->n_ends > 0);
        assert_int_equal(s->err, cases[i].error);
        source_start(&s->src);
        loop_run_for(loop, 4);
        assert_int_equal(s->n_ends, 1);
        assert_int_equal(s->n_chunks, 0);
        sink_free(s, loop);
    }
}

static void source_tells_of_a_connection_that_is_reset(void **state)
{
    struct channel c;
    struct sink *s;

    channel_open(&c, CHANNEL_SOCKET, O_RDONLY);
    s = sink_new(*state, c.end);
    source_start(&s->src);
    assert_int_equal(write(c.original, "unread", 6), 6);
    channel_close_peer(&c);
    loop_run_until(*state, s->n_ends > 0);
    assert_int_equal(s->err, UV_ECONNRESET);
    sink_free(s, *state);
    channel_close(&c);
}

static void source_reports_nothing_after_it_is_closed(void **state)
{
    uv_loop_t *loop = *state;

    for (enum channel_kind kind = 0; kind < CHANNEL_N_KINDS; kind++) {
        struct sp_buf bytes = {0};
        struct channel c;
        struct sink *s;
        size_t done = 0;

        open_with(&c, kind, 30000, &bytes);
        s = sink_new(loop, c.end);
        source_start(&s->src);
        (void)write_some(&c, &bytes, &done);
        source_close(&s->src); /* what was to come is there already */
        assert_false(s->src.is_closed);
        assert_int_equal(s->n_closed, 0);
        loop_run_until(loop, s->n_closed > 0);
        source_start(&s->src);
        loop_run_for(loop, 4);
        assert_int_equal(s->n_chunks + s->n_ends, 0);
        channel_check_flags(&c);
        sink_free(s, loop);
        channel_close(&c);
        sp_buf_deinit(&bytes);
    }
}

static void source_may_be_closed_in_its_callbacks(void **state)
{
    uv_loop_t *loop = *state;

    for (unsigned i = 0; i < 2 * CHANNEL_N_KINDS; i++) {
        bool at_end = i % 2 == 1 || i / 2 == CHANNEL_NULL;
        struct sp_buf bytes = {0};
        struct channel c;
        struct sink *s;
        size_t done = 0;
        bool is_done_at_once;

        open_with(&c, i / 2, 30000, &bytes);
        s = sink_new(loop, c.end);
        s->close_at = at_end ? 0 : 1;
        s->closes_at_end = at_end;
        source_start(&s->src);
        (void)write_some(&c, &bytes, &done);
        loop_run_until(loop, s->n_chunks > 0 || bytes.len == 0);
        if (at_end)
            loop_run_until(loop, write_some(&c, &bytes, &done) && s->got.len >= bytes.len);
        channel_close_peer(&c);
        loop_run_until(loop, s->src.is_closing);
        is_done_at_once = s->src.is_closed && s->n_closed == 0;
        loop_run_until(loop, s->src.is_closed);
        loop_run_for(loop, 4);
        assert_int_equal(s->n_closed, !is_done_at_once);
        assert_int_equal(s->n_ends, at_end);
        sink_free(s, loop);
        channel_close(&c);
        sp_buf_deinit(&bytes);
    }
}

static void source_close_is_done_at_once_when_no_file_request_is_out(void **state)
{
    struct channel c;
    struct sink *s;

    channel_open(&c, CHANNEL_FILE, O_RDONLY);
    s = sink_new(*state, c.end);
    source_close(&s->src);
    assert_true(s->src.is_closed);
    loop_run_for(*state, 4);
    assert_int_equal(s->n_closed, 0);
    sink_free(s, *state);
    channel_close(&c);
}

static void source_close_closes_only_what_is_owned(void **state)
{
    uv_loop_t *loop = *state;
    struct channel c;
    struct sink *s;
    char byte;

    channel_open(&c, CHANNEL_PIPE, O_RDONLY);
    s = sink_new(loop, c.end);
    sink_free(s, loop);
    assert_int_equal(write(c.peer, "x", 1), -1);
    channel_close(&c);

    channel_open(&c, CHANNEL_SOCKET, O_RDONLY);
    s = sink_new(loop, c.end);
    source_start(&s->src);
    sink_free(s, loop);
    assert_int_equal(write(c.peer, "x", 1), 1);
    assert_int_equal(read(c.original, &byte, 1), 1);
    channel_close(&c);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, loop_setup, loop_teardown)
    const struct CMUnitTest tests[] = {
        TEST(source_reads_all_in_order_and_ends_once),
        TEST(source_reads_nothing_before_it_is_started),
        TEST(source_gives_one_chunk_more_at_most_after_it_is_stopped),
        TEST(source_loses_nothing_when_stopped_and_started_at_any_time),
        TEST(source_reads_on_into_another_chunk_when_one_is_kept),
        TEST(source_fails_once_on_a_descriptor_that_cannot_be_read),
        TEST(source_tells_of_a_connection_that_is_reset),
        TEST(source_reports_nothing_after_it_is_closed),
        TEST(source_may_be_closed_in_its_callbacks),
        TEST(source_close_is_done_at_once_when_no_file_request_is_out),
        TEST(source_close_closes_only_what_is_owned),
    };

    (void)signal(SIGPIPE, SIG_IGN);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
