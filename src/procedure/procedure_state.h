#pragma once

/*
 * What a run of a procedure knows: the ticket's words and identifiers, the tools called, the writes
 * made, and what the tools returned. Trees ask it for features.
 *
 * Thread: any, one at a time.
 */

#include "procedure/procedure.h"

/* A successful result. */
struct procedure_output {
    struct sp_str tool;
    struct sp_str value;    /* canonical JSON */
    bool has_ticket_record; /* a string or number in it is an identifier of the ticket */
};

struct procedure_state;

/*
 * p:       kept until the state is freed.
 * ticket:  valid UTF-8; borrowed.
 * Returns: a state at the site "start", the caller's.
 */
struct procedure_state *procedure_state_new(const struct procedure *p, struct sp_str ticket);

/* NULL is nothing. */
void procedure_state_free(struct procedure_state *s);

/*
 * Takes in the result of a call. As long as a procedure is symbolic, another record of the kind
 * does not replace what is known of the one that the ticket names.
 *
 * text: a successful result's; of a failed one it means nothing.
 */
void procedure_state_take(struct procedure_state *s, struct sp_str tool, struct sp_str text);
void procedure_state_take_failure(struct procedure_state *s, struct sp_str tool);

/* Notes a write, by the action as the tree has it. */
void procedure_state_made(struct procedure_state *s, struct sp_str action);

/* Where the run is: "start", the tool of the last call, or with "!" if that failed. */
struct sp_str procedure_state_site(const struct procedure_state *s);

/* Whether the state has a feature, compared exactly. */
bool procedure_state_has(const struct procedure_state *s, struct sp_str feature);

/* The successful results so far, in order; good until the next is taken in. */
const struct procedure_output *procedure_state_outputs(const struct procedure_state *s,
                                                       size_t *ret_n);
