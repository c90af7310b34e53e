/*
 * Reading one descriptor.
 *
 *  1. source_start() polls for readability, or sends off a file request.
 *  2. When it is answered, what has come is given to on_chunk, and 1 goes on.
 *  3. The end or an error stops reading and is given to on_end.
 *
 * A file request cannot be taken back once it runs: source_close() waits for it.
 */

#include <assert.h>

#include "base/sp_alloc.h"
#include "io/source.h"

/* Large enough to empty a pipe of usual size in one call, small enough to stay in the cache. */
#define CHUNK_SIZE (64 * 1024)

static void read_file(struct source *src);

void source_init(struct source *src, uv_loop_t *loop, struct fdesc fd,
                 const struct source_callbacks *callbacks, void *owner)
{
    *src = (struct source){.owner = owner, .callbacks = callbacks, .loop = loop, .fd = fd};
    if (fd.kind != FDESC_FILE && fdesc_poll_init(loop, &src->u.poll, &fd) < 0)
        fdesc_close(&src->fd);
}

/* Somebody may have kept the last chunk. */
static struct line *fresh_chunk(struct source *src)
{
    if (src->chunk != NULL && !line_is_unique(src->chunk)) {
        line_unref(src->chunk);
        src->chunk = NULL;
    }
    if (src->chunk == NULL)
        src->chunk = line_new(CHUNK_SIZE);
    return src->chunk;
}

/* Reports what a read brought. The last thing done with `src`. */
static void report(struct source *src, ssize_t n)
{
    if (n > 0) {
        src->chunk->len = (size_t)n;
        src->callbacks->on_chunk(src, src->chunk);
        return;
    }
    src->is_ended = true;
    source_stop(src);
    src->callbacks->on_end(src, (int)n);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct source *src = sp_container_of(poll, struct source, u.poll);
    ssize_t n;

    /* A failed poll is no news of its own: reading says what is wrong, once all is read. */
    (void)events;
    n = fdesc_read(&src->fd, fresh_chunk(src)->bytes, CHUNK_SIZE);
    if (status < 0) {
        if (n == UV_EAGAIN)
            n = status;
        else if (n > 0) /* libuv has stopped the handle */
            (void)uv_poll_start(&src->u.poll, UV_READABLE, on_readable);
    }
    if (n != UV_EAGAIN)
        report(src, n);
}

static void finish_closing(struct source *src)
{
    line_unref(src->chunk);
    src->chunk = NULL;
    fdesc_close(&src->fd);
    src->is_closed = true;
}

static void on_file_read(uv_fs_t *req)
{
    struct source *src = sp_container_of(req, struct source, u.fs);
    ssize_t n = req->result;

    uv_fs_req_cleanup(req);
    src->is_reading = false;
    if (src->is_closing) {
        finish_closing(src);
        src->callbacks->on_closed(src);
        return;
    }
    /* The callee may close; the request for more then has to be out already, or never be made. */
    if (n > 0) {
        struct line *chunk = src->chunk;

        src->chunk = NULL;
        chunk->len = (size_t)n;
        if (src->is_started)
            read_file(src);
        src->callbacks->on_chunk(src, chunk);
        line_unref(chunk);
        return;
    }
    report(src, n);
}

static void read_file(struct source *src)
{
    uv_buf_t buf = uv_buf_init(fresh_chunk(src)->bytes, CHUNK_SIZE);
    int err = uv_fs_read(src->loop, &src->u.fs, src->fd.fd, &buf, 1, -1, on_file_read);

    assert(err == 0); /* only a request without a callback can fail at once */
    src->is_reading = true;
}

void source_start(struct source *src)
{
    if (src->is_started || src->is_ended || src->is_closing)
        return;
    src->is_started = true;
    if (src->fd.kind == FDESC_FILE) {
        if (!src->is_reading)
            read_file(src);
        return;
    }
    (void)uv_poll_start(&src->u.poll, UV_READABLE, on_readable); /* cannot fail on a live handle */
}

void source_stop(struct source *src)
{
    if (!src->is_started)
        return;
    src->is_started = false;
    if (src->fd.kind != FDESC_FILE)
        uv_poll_stop(&src->u.poll);
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct source *src = sp_container_of(handle, struct source, u.handle);

    finish_closing(src);
    src->callbacks->on_closed(src);
}

void source_close(struct source *src)
{
    if (src->is_closing)
        return;
    source_stop(src);
    src->is_closing = true;
    if (src->fd.kind != FDESC_FILE) {
        uv_close(&src->u.handle, on_handle_closed);
        fdesc_close(&src->fd); /* now, not in the callback: the writer is to notice at once */
    } else if (!src->is_reading) {
        finish_closing(src);
    }
}
