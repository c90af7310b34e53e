#pragma once

/*
 * Indented JSON, for files that people read: two spaces a level, one element or member a line, an
 * empty array or object as "[]" or "{}". Order, strings and numbers stay as they are.
 *
 * Thread: any.
 */

#include "base/sp_buf.h"

/*
 * Appends the indented form of `value`, without a newline at the end.
 *
 * value: one value that jscan() accepted, white space inside allowed, around it not.
 */
void jindent(struct sp_buf *ret, struct sp_str value);
