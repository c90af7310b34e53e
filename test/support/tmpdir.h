#pragma once

/* A directory of a test's own, and short ways to make and read files. */

#include "base/sp_buf.h"

/* Makes an empty directory; returns its path, which tmpdir_remove() frees. */
char *tmpdir_new(void);

/* Removes the directory with all that is in it. */
void tmpdir_remove(char *dir);

/* Returns "DIR/NAME", the caller's. */
char *tmpdir_path(const char *dir, const char *name);

/* Makes an empty file. */
void tmpdir_touch(const char *path);

/* Returns a file's content, the caller's. */
struct sp_buf tmpdir_read(const char *path);
