#pragma once

/*
 * `stretto doctor`: whether the programs of this project are installed, are of one version, and
 * work together.
 *
 * Thread: any.
 */

#include "cmd/findings.h"

/* Starts programs, each for some seconds at most. */
void doctor_programs(struct findings *f);
