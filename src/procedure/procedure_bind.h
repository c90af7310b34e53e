#pragma once

/*
 * Puts values in the place of symbols: what an action passes is written by where it was found, in
 * the ticket ("@ticketPATTERN") or in what a tool returned ("@TOOL$PATH", perhaps with "?" and the
 * members that set a record apart from others of its list).
 *
 * Thread: any, one at a time.
 */

#include "procedure/procedure_state.h"

/* Set the first two, zero the others. */
struct procedure_bind {
    const struct procedure_state *state; /* kept */
    struct sp_str ticket;                /* kept */
    struct sp_arena arena;               /* private, as the next */
    struct sp_map passed;                /* values passed so far, by tool and argument */
};

void procedure_bind_deinit(struct procedure_bind *b);

/*
 * Appends an action's arguments with each symbol replaced by its value.
 *
 * tool:      that the action calls.
 * arguments: an object, canonical JSON; its members that are strings beginning with "@" are
 *            symbols.
 * Returns:   whether each symbol has a value; nothing is appended if not.
 */
bool procedure_bind_arguments(const struct procedure_bind *b, struct sp_str tool,
                              struct sp_str arguments, struct sp_buf *ret);

/* Notes what a call passes: the arguments, canonical JSON, that are strings. */
void procedure_bind_pass(struct procedure_bind *b, struct sp_str tool, struct sp_str arguments);
