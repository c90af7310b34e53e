#pragma once

/*
 * Transfers of libcurl on a libuv loop, by its multi interface.
 *
 * Thread: loop. No function calls back before it returns.
 */

#include <curl/curl.h>
#include <sys/queue.h>
#include <uv.h>

#include "base/sp_alloc.h"

struct curlio;
struct curlio_transfer;

/*
 * A transfer is over and out of the multi; the handle may be started again or cleaned up.
 *
 * result: what libcurl says of it.
 */
typedef void (*curlio_done_cb)(struct curlio_transfer *t, CURLcode result);

/* Embedded in whoever has the handle. */
struct curlio_transfer {
    CURL *easy; /* the caller's, with its options set; CURLOPT_PRIVATE is used here */
    curlio_done_cb on_done;
    LIST_ENTRY(curlio_transfer) link; /* private */
};

typedef void (*curlio_closed_cb)(void *owner);

/* Returns: the caller's, ended by curlio_close(); NULL when libcurl cannot be used. */
struct curlio *curlio_new(uv_loop_t *loop);

/*
 * Starts a transfer; on_done follows, unless it is cancelled first.
 *
 * t:       kept until then; not started already.
 * Returns: 0; negative when libcurl refuses it, nothing following then.
 */
int curlio_start(struct curlio *c, struct curlio_transfer *t) SP_MUST_CHECK;

/* Ends a transfer that is under way; on_done does not come. */
void curlio_cancel(struct curlio *c, struct curlio_transfer *t);

/*
 * Cancels all transfers, closes all connections, and frees all; on_closed follows.
 *
 * c: not used by the caller from here on.
 */
void curlio_close(struct curlio *c, curlio_closed_cb on_closed, void *owner);
