#pragma once

/*
 * The queue of lines on their way to one descriptor.
 *
 * The owner sends lines, then calls outq_flush(): what the descriptor takes at once is written
 * before that returns, many lines by one call. The rest follows from the loop, and on_change tells
 * of it. Lines are written whole and in order.
 *
 * Thread: loop. No function calls back before it returns.
 */

#include "base/sp_alloc.h"
#include "io/fdesc.h"
#include "mcp/line.h"

/*
 * Above `high` waiting bytes the sender is to be stopped, until no more than a quarter of that
 * wait. A line counts with what it takes beside its bytes. For lines OUTQ_HIGH is a good measure;
 * pieces of a stream pass fastest when as little as possible waits.
 */
#define OUTQ_HIGH (1024 * 1024)
#define OUTQ_RAW  0

struct outq;

/* Waiting lines were written, or writing failed, or outq_close(), which had to wait, is done. */
typedef void (*outq_change_cb)(struct outq *q);

struct outq {
    void *owner; /* the caller's */
    outq_change_cb on_change;
    uv_loop_t *loop;
    struct fdesc fd;
    union {
        uv_handle_t handle;
        uv_poll_t poll; /* kinds that can be polled */
        uv_fs_t fs;     /* FDESC_FILE */
    } u;
    struct line **lines; /* a ring of n_slots, a power of two */
    size_t n_slots;
    size_t first;    /* index of the first waiting line, modulo n_slots */
    size_t n_lines;  /* waiting, the one begun included */
    size_t n_done;   /* bytes of the first line already written */
    size_t n_bytes;  /* of all waiting lines, with what they take beside */
    size_t high;     /* see outq_is_full() */
    int error;       /* 0, or the negative libuv code that ended writing */
    bool is_full;    /* see outq_is_full() */
    bool is_waiting; /* polls, or a file request is out */
    bool is_closing;
    bool is_closed; /* the struct may go */
};

/*
 * Takes over a descriptor. One that the loop cannot watch fails when it is written.
 *
 * high:      bytes, see outq_is_full().
 * on_change: kept until closed.
 */
void outq_init(struct outq *q, uv_loop_t *loop, struct fdesc fd, size_t high,
               outq_change_cb on_change, void *owner);

/* Queues a line; takes the caller's reference. After a failure or outq_close() it is dropped. */
void outq_send(struct outq *q, struct line *line);

/*
 * Writes what can be written now.
 *
 * Returns: 0, or the negative libuv code with which writing fails; that is returned, or seen in
 *          `error` from on_change, once. From then on the queue is empty and takes nothing more.
 */
int outq_flush(struct outq *q) SP_MUST_CHECK;

/* Whether the sender is to be stopped: from above `high` until no more than a quarter of it waits.
 */
static inline bool outq_is_full(const struct outq *q)
{
    return q->is_full;
}

/* Whether everything sent was handed to the system, or given up. */
static inline bool outq_is_empty(const struct outq *q)
{
    return q->n_lines == 0;
}

/*
 * Drops what waits, and closes the descriptor if it is owned. When it returns without `is_closed`,
 * on_change follows. Idempotent.
 */
void outq_close(struct outq *q);
