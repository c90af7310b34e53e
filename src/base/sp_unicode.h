#pragma once

/*
 * Properties of Unicode characters (version 15.0), and what is done to texts by them.
 *
 * Thread: any.
 */

#include <stdint.h>

#include "base/sp_buf.h"

/* The property White_Space. */
bool sp_unicode_is_space(uint32_t c);

/* Letters and numbers: the property Alphabetic, or a general category N (Nd, Nl, No). */
bool sp_unicode_is_alnum(uint32_t c);

/* The simple lower-case mapping: one character for one; the character itself if it has none. */
uint32_t sp_unicode_lower(uint32_t c);

/* Appends a text with every character in lower case; valid UTF-8. */
void sp_unicode_put_lower(struct sp_buf *ret_b, struct sp_str s);

/* The general category Cc. */
static inline bool sp_unicode_is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

/* The text without white space at both ends; valid UTF-8. */
struct sp_str sp_unicode_trim(struct sp_str s);
