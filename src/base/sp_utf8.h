#pragma once

/*
 * UTF-8 (RFC 3629): no overlong forms, no encoded surrogates, nothing above U+10FFFF.
 *
 * Thread: any.
 */

#include <stdint.h>

#include "base/sp_buf.h"

/* Whether `s` is valid UTF-8 as a whole; an empty text is. */
bool sp_utf8_is_valid(struct sp_str s);

/*
 * Appends `s` with each maximal subpart of an ill-formed sequence replaced by one U+FFFD (the
 * practice that the Unicode standard recommends in its section 3.9 and that WHATWG's Encoding
 * Standard requires). Valid text is appended unchanged.
 */
void sp_utf8_repair(struct sp_buf *ret_b, struct sp_str s);

/* Takes the first character from a valid text that is not empty. */
uint32_t sp_utf8_next(struct sp_str *s);

/* The same with its last character. */
uint32_t sp_utf8_last(struct sp_str *s);

/*
 * Encodes a character. Half a surrogate pair is encoded as if it were one.
 *
 * Returns: the bytes it takes, 1 to 4.
 */
size_t sp_utf8_encode(uint32_t c, char ret[4]);
