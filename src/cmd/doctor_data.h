#pragma once

/*
 * `stretto doctor`: the directory where flows, recorded sessions and cached answers are kept.
 *
 * Thread: any.
 */

#include "cmd/findings.h"

/*
 * Checks that it can be used.
 *
 * dir:  NULL when there is none, as there is no home.
 * home: as findings_put_path() has it.
 */
void doctor_data_dir(struct findings *f, const char *dir, const char *home);

/* Looks at the files in it. */
void doctor_data_files(struct findings *f, const char *dir, const char *home);
