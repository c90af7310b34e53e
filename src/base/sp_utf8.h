#pragma once

/*
 * UTF-8 (RFC 3629): no overlong forms, no encoded surrogates, nothing above U+10FFFF.
 *
 * Thread: any.
 */

#include "base/sp_buf.h"

/* Whether `s` is valid UTF-8 as a whole; an empty text is. */
bool sp_utf8_is_valid(struct sp_str s);

/*
 * Appends `s` with each maximal subpart of an ill-formed sequence replaced by one U+FFFD (the
 * practice that the Unicode standard recommends in its section 3.9 and that WHATWG's Encoding
 * Standard requires). Valid text is appended unchanged.
 */
void sp_utf8_repair(struct sp_buf *ret_b, struct sp_str s);
