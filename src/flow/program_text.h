#pragma once

/*
 * A program as text for who reviews it, a line a statement.
 *
 * Thread: any.
 */

#include "flow/program.h"

/*
 * Appends the program's lines, LF at the end of each. Expressions within expressions stand in
 * parentheses where their order could be mistaken.
 */
void program_text_put(struct sp_buf *b, const struct program *p);
