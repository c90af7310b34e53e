#pragma once

/*
 * The files that learning takes beside session logs: a manifest of tools, rewards of sessions,
 * predicates. Their formats are in docs/formats.md.
 *
 * Texts are any bytes; what is read of them is copied. Errors name the member that is wrong and no
 * file.
 *
 * Thread: any.
 */

#include "flow/flow.h"

/* Sets the kinds and the docs of a flow that has none; its arena takes them. */
int learnfile_read_tools(struct sp_str text, struct flow *f, struct sp_err *ret_err);

/* A zeroed struct has no rewards. */
struct learnfile_rewards {
    struct sp_map by_session; /* the session's id -> its index in `values` */
    double *values;
};

/*
 * Reads the rewards of sessions: an object of numbers.
 *
 * arena: takes the names; ends after `ret`.
 * ret:   a zeroed struct, ended by learnfile_rewards_deinit() whatever the outcome.
 */
int learnfile_read_rewards(struct sp_str text, struct sp_arena *arena,
                           struct learnfile_rewards *ret, struct sp_err *ret_err);

void learnfile_rewards_deinit(struct learnfile_rewards *r);

/*
 * Reads the predicates of an object with a member of that name. Their ids are all different and
 * not empty.
 *
 * arena: takes all of `ret`.
 */
int learnfile_read_predicates(struct sp_str text, struct sp_arena *arena,
                              struct flow_predicates *ret, struct sp_err *ret_err);
