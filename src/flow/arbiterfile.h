#pragma once

/*
 * The arbiter file: an arbiter without the flow that it was fitted for, to be served by others. Its
 * format is in docs/formats.md.
 *
 * Thread: any, one at a time.
 */

#include "flow/flow.h"

/* A zeroed struct is an empty arbiter. Views look into its arena, or at what outlives it. */
struct arbiterfile {
    struct sp_str domain;
    struct flow_provenance provenance;
    struct flow_predicates predicates;
    struct flow_predicates weighed;
    struct flow_fold fitted;
    struct sp_str model; /* the System-One model that it asks */
    struct sp_arena arena;
};

void arbiterfile_deinit(struct arbiterfile *a);

/* Whether a text is an object with a member `stretto_arbiter`, whatever that is. */
bool arbiterfile_is(struct sp_str text);

/*
 * Reads an arbiter from the text of its file.
 *
 * ret:     a zeroed struct; after a failure it is one again.
 * Returns: 0; negative when it is none or one that this build does not read, told in ret_err.
 */
int arbiterfile_parse(struct sp_str text, struct arbiterfile *ret, struct sp_err *ret_err);

/* The same from a file; one that cannot be read gives "reading PATH: REASON". */
int arbiterfile_load(const char *path, struct arbiterfile *ret, struct sp_err *ret_err);

/* Appends the text of the arbiter's file, indented, without a newline at its end. */
void arbiterfile_put(struct sp_buf *b, const struct arbiterfile *a);
