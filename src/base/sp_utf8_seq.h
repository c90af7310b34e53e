#pragma once

/*
 * The one place that says what a well-formed UTF-8 sequence is (table 3-7 of the Unicode standard),
 * inline for the loops that meet one at every other byte.
 *
 * Thread: any.
 */

#include <stdbool.h>
#include <stddef.h>

static inline bool sp_utf8_is_tail(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}

/*
 * The length of the well-formed sequence of two to four bytes that begins at `p`.
 *
 * left:    how many bytes there are from `p` on, at least 1.
 * Returns: 2, 3 or 4; 0 when none begins here, an ASCII character among others.
 */
static inline size_t sp_utf8_seq_len(const unsigned char *p, size_t left)
{
    unsigned char lead = p[0];

    if (lead < 0xe0) {
        /* C0 and C1 could only begin overlong forms. */
        return lead >= 0xc2 && left >= 2 && sp_utf8_is_tail(p[1]) ? 2 : 0;
    }
    if (lead < 0xf0) {
        if (left < 3 || !sp_utf8_is_tail(p[1]) || !sp_utf8_is_tail(p[2]))
            return 0;
        /* E0 80..9F is overlong, ED A0..BF a surrogate. */
        return (lead != 0xe0 || p[1] >= 0xa0) && (lead != 0xed || p[1] < 0xa0) ? 3 : 0;
    }
    if (lead > 0xf4 || left < 4 || !sp_utf8_is_tail(p[1]) || !sp_utf8_is_tail(p[2]) ||
        !sp_utf8_is_tail(p[3]))
        return 0;
    /* F0 80..8F is overlong, F4 90..BF above U+10FFFF. */
    return (lead != 0xf0 || p[1] >= 0x90) && (lead != 0xf4 || p[1] < 0x90) ? 4 : 0;
}
