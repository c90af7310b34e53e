#pragma once

/*
 * `stretto doctor`: the directory where flows, recorded sessions and cached answers are kept.
 *
 * Thread: any.
 */

#include "cmd/findings.h"

/*
 * Checks that files can be written there, and looks at those that are there.
 *
 * dir:  NULL when there is none, as there is no home.
 * home: as findings_put_path() has it.
 */
void doctor_data(struct findings *f, const char *dir, const char *home);
