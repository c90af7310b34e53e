#pragma once

/*
 * Running a program at once: with values that are drawn, or with those of a recorded run.
 *
 * Thread: any, one at a time.
 */

#include "flow/program_run.h"

/* Gives the next random number from 0 up to, not including, 1. */
typedef double (*program_draw_fn)(void *data);

/* Runs to the end with values drawn at every site. `run` is a new one of PROGRAM_DRAW. */
void program_simulate(struct program_run *run, program_draw_fn draw, void *data);

/*
 * Runs with the values of a record, up to the end or to the first site whose value the record
 * lacks or cannot have.
 *
 * run:     a new one; of PROGRAM_EXECUTE it gives the numbers of an executed run again.
 * Returns: whether it came to the end. If not, the record's score is minus infinity.
 */
bool program_replay(struct program_run *run, const struct program_record *record);

/*
 * The log-probability of a recorded run under a program and a flow; minus infinity for a run that
 * the program cannot make.
 *
 * number: of the tool that the record calls by name, as in struct program_data.
 */
double program_score(const struct program *p, const struct program_model *m, uint64_t number,
                     const struct program_record *record);
