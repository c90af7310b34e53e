#pragma once

/*
 * The two distributions of a program, made from how often calls followed each other in training.
 *
 * Thread: any, one at a time.
 */

#include "flow/program_run.h"

/* A distribution with its arguments. */
struct program_chances {
    enum program_dist dist;
    uint64_t tool;
    bool failed;     /* only of PROGRAM_DIST_DECIDE */
    double of_false; /* the count of handing back, or of failures; one more than was seen */
    double all;      /* of all counts with what is added to them; finite and above 0 */
};

/*
 * Makes a distribution.
 *
 * tool:    a tool's number, which the model may not have.
 * Returns: whether there is one: not when the counts are too large to be added up.
 */
bool program_chances_init(struct program_chances *c, const struct program_model *m,
                          enum program_dist dist, uint64_t tool, bool failed) SP_MUST_CHECK;

/* The probability of a value: of a decision the option's number, of an outcome 0 or 1. */
double program_chances_of(const struct program_chances *c, const struct program_model *m,
                          int64_t value);
