#pragma once

/*
 * Pieces of Markdown reports. Whatever a recorded or learned text holds, it stays within its line
 * and its cell of a table.
 *
 * All texts are valid UTF-8.
 *
 * Thread: any.
 */

#include <stdint.h>

#include "base/sp_buf.h"

/* Appends a text as it is read: control characters are spaces, what would be markup is escaped. */
void markdown_put_text(struct sp_buf *b, struct sp_str text);

/* Appends a code span; an empty text gives an empty one, of a space. */
void markdown_put_code(struct sp_buf *b, struct sp_str text);

/* Appends a number with commas between its thousands. */
void markdown_put_count(struct sp_buf *b, uint64_t n);

/* The same of one that need not be whole, rounded; not negative. */
void markdown_put_real_count(struct sp_buf *b, double n);

/* Appends a share as a whole percentage: "67%". */
void markdown_put_percent(struct sp_buf *b, double share);
