#pragma once

/*
 * Deletes old files that stretto wrote.
 *
 * Thread: any; works at once, before a session begins.
 */

#include <stdint.h>
#include <time.h>

#include "base/sp_buf.h"

enum retain_kind {
    RETAIN_SESSIONS, /* files that a session gives its id */
    RETAIN_ANSWERS,  /* cached answers: 64 lower-case hex digits and ".json" */
};

/*
 * Deletes, below `dir` at any depth, the regular files whose name is of the given kind and whose
 * modification time lies more than `days` days before now. Symbolic links are neither deleted nor
 * followed (`dir` itself may be one), directories stay. A missing directory holds nothing. An error
 * ends the work on this directory.
 *
 * now:         the wall clock's time.
 * ret_notices: gets at most two texts, "\n" after each: how many were deleted, if any; the error.
 */
void retain_prune(const char *dir, enum retain_kind kind, uint64_t days, struct timespec now,
                  struct sp_buf *ret_notices);
