#pragma once

/*
 * Reads one descriptor to its end.
 *
 * Life: source_init(), then any number of source_start() and source_stop(), then source_close().
 * At the end of the input, or when reading fails, it reports once and never reads again; it still
 * has to be closed.
 *
 * Thread: loop. No function calls back before it returns.
 */

#include "io/fdesc.h"
#include "mcp/line.h"

struct source;

/*
 * Bytes have come. `chunk` is borrowed: a callee that keeps it takes a reference of its own, and
 * the source then reads on into another. After source_stop() one more chunk may still be given.
 */
typedef void (*source_chunk_cb)(struct source *src, struct line *chunk);

/* The input has ended (err is 0) or failed (a negative libuv code). */
typedef void (*source_end_cb)(struct source *src, int err);

/* source_close(), which had to wait, is done. */
typedef void (*source_closed_cb)(struct source *src);

struct source_callbacks {
    source_chunk_cb on_chunk;
    source_end_cb on_end;
    source_closed_cb on_closed;
};

struct source {
    void *owner; /* the caller's */
    const struct source_callbacks *callbacks;
    uv_loop_t *loop;
    struct fdesc fd;
    union {
        uv_handle_t handle;
        uv_poll_t poll; /* kinds that can be polled */
        uv_fs_t fs;     /* FDESC_FILE */
    } u;
    struct line *chunk; /* what is read into */
    bool is_started;    /* the owner wants to read */
    bool is_reading;    /* a file request is out */
    bool is_ended;      /* on_end was called */
    bool is_closing;
    bool is_closed; /* the struct may go */
};

/*
 * Takes over a descriptor; reads nothing yet. One that the loop cannot watch fails when it is read.
 *
 * callbacks: kept until closed.
 */
void source_init(struct source *src, uv_loop_t *loop, struct fdesc fd,
                 const struct source_callbacks *callbacks, void *owner);

void source_start(struct source *src);
void source_stop(struct source *src);

/*
 * Stops for good and closes the descriptor if it is owned; on_chunk and on_end are called no more.
 * When it returns without `is_closed`, on_closed follows. Idempotent.
 */
void source_close(struct source *src);
