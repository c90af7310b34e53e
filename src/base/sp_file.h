#pragma once

/*
 * Paths, directories, and files read or written whole.
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

/*
 * Puts a file with this text, mode 0600 less the umask, in the place of whatever has that path,
 * were it a link. It is written beside that first, so that whoever looks, after a crash too, finds
 * what was there before or all of the text.
 *
 * Returns: 0; a negative errno, nothing then being changed.
 */
int sp_file_replace(const char *path, struct sp_str text) SP_MUST_CHECK;

/*
 * The same where a user says what is written: a link stays one and its target is replaced, unless
 * it leads nowhere; what is no regular file, as a device or a pipe, is written to, perhaps in part.
 */
int sp_file_write(const char *path, struct sp_str text) SP_MUST_CHECK;
