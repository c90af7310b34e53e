#pragma once

/*
 * Where a command's report goes: a file, or standard output.
 *
 * Thread: any.
 */

#include "cmd/spool.h"

/*
 * Writes what is in the spool to a file, whose directories are created as needed, mode 0700; the
 * file has mode 0600, both less the umask. A `path` of NULL is standard output.
 *
 * Returns: 0, or CMD_FAILED, the reason being told on stderr.
 */
int report_deliver(struct spool *spool, const char *path);
