#pragma once

/*
 * Where a command's report goes: a file, or standard output.
 *
 * Thread: any.
 */

#include "base/sp_alloc.h"
#include "base/sp_err.h"
#include "cmd/spool.h"

/*
 * Writes what is in the spool to a file, whose directories are created as needed, mode 0700; the
 * file has mode 0600, both less the umask. A `path` of NULL is standard output.
 *
 * Returns: 0, or CMD_FAILED, the reason being told on stderr.
 */
int report_deliver(struct spool *spool, const char *path);

/*
 * Whether there is a directory for a file that is to be written in the end, so that a long or
 * costly command can say so at its start.
 *
 * doing:   what is to be done with it, "writing".
 * Returns: 0, or negative, told in ret_err: "DOING PATH: CAUSE".
 */
int report_find_dir(const char *doing, const char *path, struct sp_err *ret_err) SP_MUST_CHECK;
