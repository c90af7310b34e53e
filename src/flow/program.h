#pragma once

/*
 * A flow's program: the loop of decisions and lookups that follows one of the agent's calls. It
 * only says when to ask the flow and when to make the lookup that was chosen; which tool and which
 * arguments come from elsewhere. Here it is read from its JSON form, checked, and written;
 * program_run.h runs it.
 *
 * Thread: any. A program never changes, so any number of runs may share it.
 */

#include "base/sp_alloc.h"
#include "base/sp_buf.h"
#include "base/sp_err.h"

/* How deep the JSON of a program nests at most, as program_put() writes it. */
#define PROGRAM_MAX_NESTING 100

struct program;

/*
 * Reads and checks a program.
 *
 * value:   a value's span in a text that jscan() accepted; not needed any more afterwards.
 * ret:     the program, freed by program_free().
 * Returns: 0; negative when it is none or does not check, told in ret_err as
 *          "the flow's program: DETAIL", DETAIL naming the offending name.
 */
int program_parse(struct sp_str value, struct program **ret, struct sp_err *ret_err) SP_MUST_CHECK;

/* The program of a flow that has none of its own, as a new one that program_free() frees. */
struct program *program_standard(void);

/* Whether it is written as the standard program is. */
bool program_is_standard(const struct program *p);

/* Appends the JSON form. Writing what was read from such a text gives the same bytes. */
void program_put(struct sp_buf *b, const struct program *p);

/* Accepts NULL. */
void program_free(struct program *p);
