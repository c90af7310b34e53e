#pragma once

/*
 * How the headers of revision 2026-07-28 write values of a message.
 *
 * Thread: any.
 */

#include "base/sp_buf.h"

/*
 * Appends a header value: plain when it consists of 0x20 to 0x7e and tab, does not begin or end
 * with space or tab, and does not have the form of the sentinel; otherwise "=?base64?", the base64
 * of its bytes, "?=".
 */
void paramvalue_put(struct sp_buf *ret, struct sp_str text);

/* The memory that the tools may take; one that does not fit makes the others be forgotten. */
#define PARAMHEADER_MAX_BYTES ((size_t)16 << 20)

/*
 * Appends what a header says of a JSON value: a string as above, a whole number in decimal, a
 * boolean.
 *
 * value:   a span.
 * Returns: whether it has a header; nothing is appended if not.
 */
bool paramvalue_put_json(struct sp_buf *ret, struct sp_str value);
