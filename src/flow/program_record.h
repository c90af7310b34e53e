#pragma once

/*
 * The record of a run: what a line of the flow log says under "run".
 *
 * Thread: any, one at a time.
 */

#include <stdint.h>

#include "base/sp_alloc.h"
#include "base/sp_arena.h"
#include "base/sp_err.h"

/* The distributions of a program. */
enum program_dist {
    PROGRAM_DIST_DECIDE,  /* values are whole numbers */
    PROGRAM_DIST_OUTCOME, /* values are truth values */
};

struct program_site {
    struct sp_str address;
    enum program_dist dist;
    int64_t value; /* of an outcome 0 or 1 */
    double logp;   /* minus infinity for a value that is not possible */
};

struct program_record {
    struct sp_str call; /* the tool's name */
    bool failed;
    int64_t max_lookups;
    struct program_site *sites; /* in the order of program_record_sort() */
    size_t n_sites;
    double surprise; /* in nats; may be infinite */
};

/*
 * Sorts the sites by the integer behind the last '#' of the address, those without one first, then
 * by address.
 */
void program_record_sort(struct program_record *r);

/* Appends the record as canonical JSON; infinite numbers are null. */
void program_record_put(struct sp_buf *b, const struct program_record *r);

/*
 * Reads a record. Members it does not know are ignored, and sites are taken as they stand.
 *
 * value:   a value's span in a text that jscan() accepted.
 * arena:   takes what `ret` looks into.
 * Returns: 0; negative when it is none, told in ret_err.
 */
int program_record_read(struct sp_arena *arena, struct sp_str value, struct program_record *ret,
                        struct sp_err *ret_err) SP_MUST_CHECK;
