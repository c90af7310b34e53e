/*
 * Writing queued lines to one descriptor.
 *
 *  1. outq_flush() hands lines to the kernel until it takes no more.
 *  2. It then polls for writability (a file: sends off one request for a batch of lines).
 *  3. When that is answered the written lines are dropped, 1 and 2 go on, on_change tells.
 *  4. An error drops every line; later ones are dropped as they come.
 *
 * A file request cannot be taken back once it runs: outq_close() waits for it.
 */

#include <assert.h>
#include <limits.h>
#include <stdlib.h>

#include "io/outq.h"

#define BATCH       64 /* lines a call */
#define FIRST_SLOTS 16

void outq_init(struct outq *q, uv_loop_t *loop, struct fdesc fd, size_t high,
               outq_change_cb on_change, void *owner)
{
    *q =
        (struct outq){.owner = owner, .on_change = on_change, .loop = loop, .fd = fd, .high = high};
    if (fd.kind != FDESC_FILE && fdesc_poll_init(loop, &q->u.poll, &fd) < 0)
        fdesc_close(&q->fd);
}

static struct line *line_at(const struct outq *q, size_t i)
{
    return q->lines[(q->first + i) & (q->n_slots - 1)];
}

static size_t cost(const struct line *line)
{
    return sizeof *line + line->len;
}

static void grow(struct outq *q)
{
    size_t n_slots = q->n_slots > 0 ? 2 * q->n_slots : FIRST_SLOTS;
    struct line **lines = sp_calloc(n_slots, sizeof *lines);

    for (size_t i = 0; i < q->n_lines; i++)
        lines[i] = line_at(q, i);
    free(q->lines);
    q->lines = lines;
    q->n_slots = n_slots;
    q->first = 0;
}

static void drop_first(struct outq *q)
{
    struct line *line = line_at(q, 0);

    q->n_bytes -= cost(line);
    q->first = (q->first + 1) & (q->n_slots - 1);
    q->n_lines--;
    q->n_done = 0;
    line_unref(line);
    if (q->n_bytes <= q->high / 4)
        q->is_full = false;
}

static void fail(struct outq *q, int err)
{
    q->error = err;
    while (q->n_lines > 0)
        drop_first(q);
    q->is_full = false;
}

void outq_send(struct outq *q, struct line *line)
{
    if (q->error < 0 || q->is_closing || line->len == 0) {
        line_unref(line);
        return;
    }
    if (q->n_lines == q->n_slots)
        grow(q);
    q->lines[(q->first + q->n_lines) & (q->n_slots - 1)] = line;
    q->n_lines++;
    q->n_bytes += cost(line);
    if (q->n_bytes > q->high)
        q->is_full = true;
}

/* Fills `iov` with the next lines to write and returns how many there are. */
static int next_batch(const struct outq *q, struct iovec iov[BATCH])
{
    int n = 0;

    for (; n < BATCH && (size_t)n < q->n_lines; n++) {
        struct line *line = line_at(q, (size_t)n);
        size_t skip = n == 0 ? q->n_done : 0;

        iov[n] = (struct iovec){line->bytes + skip, line->len - skip};
    }
    return n;
}

static void written(struct outq *q, size_t n)
{
    while (n > 0) {
        size_t left = line_at(q, 0)->len - q->n_done;

        if (n < left) {
            q->n_done += n;
            return;
        }
        n -= left;
        drop_first(q);
    }
}

static void on_file_written(uv_fs_t *req);

static void write_file(struct outq *q)
{
    struct iovec iov[BATCH];
    uv_buf_t bufs[BATCH];
    int n = next_batch(q, iov), err;

    for (int i = 0; i < n; i++)
        bufs[i] = (uv_buf_t){.base = iov[i].iov_base, .len = iov[i].iov_len};
    err = uv_fs_write(q->loop, &q->u.fs, q->fd.fd, bufs, (unsigned)n, -1, on_file_written);
    assert(err == 0); /* only a request without a callback can fail at once */
    q->is_waiting = true;
}

static void finish_closing(struct outq *q)
{
    while (q->n_lines > 0)
        drop_first(q);
    free(q->lines);
    q->lines = NULL;
    q->n_slots = 0;
    fdesc_close(&q->fd);
    q->is_closed = true;
}

static void on_file_written(uv_fs_t *req)
{
    struct outq *q = sp_container_of(req, struct outq, u.fs);
    ssize_t n = req->result;

    uv_fs_req_cleanup(req);
    q->is_waiting = false;
    if (q->is_closing) {
        finish_closing(q);
    } else {
        if (n < 0)
            fail(q, (int)n);
        else
            written(q, (size_t)n);
        if (q->n_lines > 0)
            write_file(q);
    }
    q->on_change(q);
}

static void on_writable(uv_poll_t *poll, int status, int events);

/* Writes until the kernel takes no more; whether to poll follows from what is left. */
static void write_polled(struct outq *q)
{
    struct iovec iov[BATCH];
    bool must_wait = false;

    while (q->n_lines > 0 && !must_wait) {
        ssize_t n = fdesc_writev(&q->fd, iov, next_batch(q, iov));

        if (n == UV_EAGAIN)
            must_wait = true;
        else if (n < 0)
            fail(q, (int)n);
        else
            written(q, (size_t)n);
    }
    if (must_wait == q->is_waiting)
        return;
    q->is_waiting = must_wait;
    if (must_wait)
        (void)uv_poll_start(&q->u.poll, UV_WRITABLE,
                            on_writable); /* cannot fail on a live handle */
    else
        uv_poll_stop(&q->u.poll);
}

static void on_writable(uv_poll_t *poll, int status, int events)
{
    struct outq *q = sp_container_of(poll, struct outq, u.poll);

    /* libuv has stopped a handle whose poll failed; writing says what is wrong. */
    (void)events;
    if (status < 0)
        q->is_waiting = false;
    write_polled(q);
    q->on_change(q);
}

int outq_flush(struct outq *q)
{
    if (q->n_lines == 0 || q->is_closing)
        return 0;
    if (q->fd.kind != FDESC_FILE)
        write_polled(q);
    else if (!q->is_waiting)
        write_file(q);
    return q->error;
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct outq *q = sp_container_of(handle, struct outq, u.handle);

    finish_closing(q);
    q->on_change(q);
}

void outq_close(struct outq *q)
{
    if (q->is_closing)
        return;
    q->is_closing = true;
    if (q->fd.kind != FDESC_FILE) {
        uv_close(&q->u.handle, on_handle_closed);
        fdesc_close(&q->fd); /* now, not in the callback: the reader is to notice at once */
    } else if (!q->is_waiting) {
        finish_closing(q);
    }
}
