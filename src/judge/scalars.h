#pragma once

/*
 * The scalars of JSON values, each in the one form in which the proposal check compares them: a
 * string in lower case without white space at its ends; a number as canonical JSON has it, but one
 * that is whole and below 10^15 in size without ".0". What is true, false or null gives none.
 *
 * All values are spans of canonical JSON (jcanon.h).
 *
 * Thread: any, one at a time.
 */

#include <stdbool.h>

#include "base/sp_buf.h"

/* Is called for a scalar; it is good until the function returns. */
typedef void (*scalars_fn)(void *data, struct sp_str scalar);

/* Set the first two, zero the others. */
struct scalars {
    scalars_fn fn;
    void *data;
    struct sp_buf text; /* private, as the next */
    struct sp_buf lower;
};

void scalars_deinit(struct scalars *s);

/* Gives those of a value at any depth, in document order. */
void scalars_all(struct scalars *s, struct sp_str value);

/* Gives those of an object's members that are neither object nor array; of a string or a number
 * its own. */
void scalars_own(struct scalars *s, struct sp_str value);
