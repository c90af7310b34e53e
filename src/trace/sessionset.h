#pragma once

/*
 * The session logs that a command line names: of a directory every file whose name ends in ".jsonl"
 * but not in ".flow.jsonl" or ".confirm.jsonl", directly in it; a regular file whatever its name.
 *
 * Only headers are read here, so a set takes memory for its names alone.
 *
 * Thread: any.
 */

#include <stdint.h>

#include "base/sp_arena.h"
#include "base/sp_err.h"

struct sessionset_log {
    const char *path;
    struct sp_str session;
    uint64_t started_unix_ms;
};

/* A zeroed struct is an empty set. */
struct sessionset {
    struct sessionset_log *logs;
    size_t n_logs;
    struct sp_arena arena; /* private */
};

/*
 * Adds the logs of a directory, or one log. In a directory only regular files count, or links to
 * such; a link that leads nowhere fails it. One log has to be a regular file too: a pipe could not
 * be read again after its header.
 *
 * Returns: 0, or negative, told in ret_err: "reading PATH: …" or "parsing PATH: …". One bad header
 *          fails it; the set is then only good for sessionset_deinit().
 */
int sessionset_add(struct sessionset *set, const char *path, struct sp_err *ret_err);

/*
 * Orders the logs by session; logs of one session by the argument they came with, then by file
 * name; bytes count. Called once, after the last sessionset_add().
 */
void sessionset_sort(struct sessionset *set);

/* Whether a file of that name counts as a log in a directory. */
bool sessionset_is_log(struct sp_str name);

void sessionset_deinit(struct sessionset *set);
