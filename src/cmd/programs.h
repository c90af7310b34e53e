#pragma once

/*
 * Where the programs of this project are installed.
 *
 * Thread: any.
 */

#include <stdbool.h>

/* Whether there is an executable file. */
bool programs_is(const char *path);

/*
 * The first executable file of that name in the directories of PATH.
 *
 * Returns: its absolute path, the caller's; NULL when there is none.
 */
char *programs_on_path(const char *name);

/*
 * The program that runs.
 *
 * Returns: its absolute path, the caller's; NULL when the system does not tell.
 */
char *programs_self(void);

/* The first regular file of that name in them, whether it can be run or not. */
char *programs_file_on_path(const char *name);

/* As programs_on_path(), in the directory of the program that runs. */
char *programs_beside(const char *name);

/*
 * A path that holds from any directory: a relative one is put behind the current directory, without
 * the "." in it; one that is absolute stays as it is.
 *
 * Returns: a new string, the caller's; NULL when the current directory cannot be told, errno set.
 */
char *programs_absolute(const char *path);
