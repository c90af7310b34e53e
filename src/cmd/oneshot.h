#pragma once

/*
 * Runs another program once, from its start to its end.
 *
 * Thread: any; it runs a loop of its own.
 */

#include <stdint.h>

#include "base/sp_alloc.h"
#include "base/sp_buf.h"
#include "base/sp_err.h"

/* How much is kept of what a program prints, in bytes. */
#define ONESHOT_MAX ((size_t)1024 * 1024)

/*
 * Starts the program, gives it `input` and then the end of its input, and waits until it is gone;
 * one that is not by `max_ms` is killed. Its stderr is this program's.
 *
 * argv:    its command line, ended by NULL.
 * ret:     gets what it has printed, up to ONESHOT_MAX, on failure too.
 * Returns: 0 when it ended with the status 0; else negative, told in ret_err: "it, or what it
 *          has started, does not end", "it ended with status 3" ...
 */
int oneshot_run(char *const *argv, struct sp_str input, uint64_t max_ms, struct sp_buf *ret,
                struct sp_err *ret_err) SP_MUST_CHECK;
