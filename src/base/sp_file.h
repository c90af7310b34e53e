#pragma once

/*
 * Paths and directories.
 *
 * Thread: any.
 */

#include "base/sp_alloc.h"
#include "base/sp_buf.h"

/*
 * Replaces a leading "~" (alone or before "/") by the environment variable HOME or, when that is
 * unset or empty, USERPROFILE; without either the path stays as it is. "~user" is not expanded.
 *
 * home, userprofile: the two variables' values, NULL when unset.
 * Returns: a new string, the caller's.
 */
char *sp_file_expand(const char *path, const char *home, const char *userprofile) SP_MUST_CHECK;

/*
 * Creates a directory and its missing parents, mode 0700 less the umask. One that exists is fine.
 *
 * Returns: 0; a negative errno when it cannot be created or is something else than a directory.
 */
int sp_file_make_dirs(const char *path) SP_MUST_CHECK;

/*
 * Appends a file's bytes.
 *
 * max: how many are read at most; SIZE_MAX for all.
 * Returns: 0; a negative errno, what was read before it then being appended.
 */
int sp_file_read(const char *path, size_t max, struct sp_buf *ret) SP_MUST_CHECK;
