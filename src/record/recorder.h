#pragma once

/*
 * Records a session into one log file.
 *
 * Entries are queued in memory, without a limit, and written by one asynchronous file request at a
 * time: what gathers while one is out goes with the next, in order, at once. Nothing waits for the
 * disk, and nothing is held back while it is idle.
 *
 * When a write fails, one message says so on stderr, the rest of the session is not recorded, and
 * everything else goes on.
 *
 * Thread: loop. No function calls back before it returns.
 */

#include <uv.h>

#include "base/sp_err.h"
#include "trace/logformat.h"

struct recorder;

/* recorder_close(), which had to wait, is done. */
typedef void (*recorder_closed_cb)(struct recorder *r);

/*
 * Creates the directory and the log, and writes the header, before it returns.
 *
 * dir:       where the log goes; created with its parents.
 * header:    borrowed.
 * on_closed: see recorder_close().
 * ret:       the recorder, the caller's, ended by recorder_close() and recorder_free().
 * Returns:   0 or a negative libuv code, told in ret_err, no log being left then.
 */
int recorder_open(uv_loop_t *loop, const char *dir, const struct logformat_header *header,
                  recorder_closed_cb on_closed, void *owner, struct recorder **ret,
                  struct sp_err *ret_err);

/*
 * The same for a log of other lines than a session's: opens the file for appending, and creates it
 * if it is missing; not its directory. When a write fails, nothing is said.
 */
int recorder_open_append(uv_loop_t *loop, const char *path, recorder_closed_cb on_closed,
                         void *owner, struct recorder **ret, struct sp_err *ret_err);

/* Queues a text, copied. */
void recorder_add_text(struct recorder *r, struct sp_str text);

/* The log's path, the recorder's. */
const char *recorder_path(const struct recorder *r);

/* What recorder_open() was given. */
void *recorder_owner(const struct recorder *r);

/* Queues a line's entry. Borrows the line, and takes a reference of its own if it needs one. */
void recorder_add(struct recorder *r, struct line *line);

/* Starts writing what is queued unless a write is out. Called after lines were forwarded. */
void recorder_flush(struct recorder *r);

/*
 * Writes what is queued, then closes the file.
 *
 * Returns: whether that is done; if not, on_closed follows.
 */
bool recorder_close(struct recorder *r);

/* Closes and deletes a log that nothing was added to. recorder_free() is still to be called. */
void recorder_discard(struct recorder *r);

/* Frees a closed or discarded recorder; NULL is nothing. */
void recorder_free(struct recorder *r);
