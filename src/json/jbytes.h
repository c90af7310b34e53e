#pragma once

/*
 * What the files of this folder share, inline for their inner loops: runs of plain bytes, white
 * space, and the pieces of a string.
 *
 * A plain byte is an ASCII character that stands for itself inside a JSON string: 0x20 to 0x7F
 * without the quote and the backslash.
 *
 * Thread: any.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#include "base/sp_str.h"

#define JBYTES_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

static inline bool jbytes_is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* How many of the eight bytes from `p` on are plain before the first that is not; 8 if all are. */
static inline size_t jbytes_plain_in_word(const char *p)
{
    uint64_t w;
    uint64_t quote;
    uint64_t backslash;
    uint64_t stops;

    memcpy(&w, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    /*
     * Subtracting n sets the top bit of a byte below n. A borrow spoils only the bytes above one
     * that already counts, and the lowest is what is asked for.
     */
    quote = (w ^ JBYTES_EACH('"')) - JBYTES_EACH(1);
    backslash = (w ^ JBYTES_EACH('\\')) - JBYTES_EACH(1);
    stops = (w | (w - JBYTES_EACH(0x20)) | quote | backslash) & JBYTES_EACH(0x80);
    return stops != 0 ? (size_t)__builtin_ctzll(stops) / 8 : 8;
}

/* Skips the plain bytes from `p` on, by eight in a machine word. */
static inline const char *jbytes_plain_end_portable(const char *p, const char *end)
{
    while (end - p >= 8) {
        size_t n = jbytes_plain_in_word(p);

        p += n;
        if (n < 8)
            return p;
    }
    while (p < end && jbytes_is_plain((unsigned char)*p))
        p++;
    return p;
}

/*
 * The same by the processor's vectors where it has them. Most runs are short, and for these a word
 * is ready sooner than a vector.
 */
static inline const char *jbytes_plain_end(const char *p, const char *end)
{
    if (end - p >= 8) {
        size_t n = jbytes_plain_in_word(p);

        p += n;
        if (n < 8)
            return p;
    }
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');
    const __m128i space = _mm_set1_epi8(' ');

    for (; end - p >= 16; p += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
        /* Compared as signed numbers, the bytes from 0x80 on are below the space too. */
        __m128i stop =
            _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmplt_epi8(v, space)),
                         _mm_cmpeq_epi8(v, backslash));
        int stops = _mm_movemask_epi8(stop);

        if (stops != 0)
            return p + __builtin_ctz((unsigned)stops);
    }
#elif defined(__aarch64__) && defined(__ARM_NEON)
    for (; end - p >= 16; p += 16) {
        uint8x16_t v = vld1q_u8((const uint8_t *)p);
        /* Compared as signed numbers, the bytes from 0x80 on are below the space too. */
        uint8x16_t stop = vorrq_u8(vceqq_u8(v, vdupq_n_u8('"')),
                                   vcltq_s8(vreinterpretq_s8_u8(v), vdupq_n_s8(' ')));
        uint64_t stops; /* four bits a byte */

        stop = vorrq_u8(stop, vceqq_u8(v, vdupq_n_u8('\\')));
        stops = vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(stop), 4)), 0);
        if (stops != 0)
            return p + __builtin_ctzll(stops) / 4;
    }
#endif
    return jbytes_plain_end_portable(p, end);
}

/* Skips JSON's white space. */
static inline const char *jbytes_space_end(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
        p++;
    return p;
}

/* Skips decimal digits. */
static inline const char *jbytes_digits_end(const char *p, const char *end)
{
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p;
}

/* The number that four hexadecimal digits stand for, or -1 if one of them is none. */
static inline int jbytes_hex4(const char *p)
{
    int n = 0;

    for (int i = 0; i < 4; i++) {
        unsigned decimal = (unsigned char)p[i] - '0';
        unsigned letter = ((unsigned char)p[i] | 0x20) - 'a';

        if (decimal < 10)
            n = n * 16 + (int)decimal;
        else if (letter < 6)
            n = n * 16 + 10 + (int)letter;
        else
            return -1;
    }
    return n;
}

/* Skips what is neither quote nor backslash; inside a string, so that one of them comes. */
static inline const char *jbytes_mark(const char *p, const char *end)
{
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');

    for (; end - p >= 16; p += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
        int stops =
            _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash)));

        if (stops != 0)
            return p + __builtin_ctz((unsigned)stops);
    }
#endif
    while (p < end && *p != '"' && *p != '\\')
        p++;
    return p;
}

/*
 * The end of the string that begins at `p`, its closing quote included.
 *
 * p: the opening quote of a string in a text that jscan() accepted.
 */
static inline const char *jbytes_string_end(const char *p, const char *end)
{
    p = jbytes_mark(p + 1, end);
    while (*p != '"')
        p = jbytes_mark(p + 2, end); /* behind the backslash and what it escapes */
    return p + 1;
}

/*
 * The end of the value at `p`, which is no array and no object; in a text that jscan() accepted,
 * with something behind the value.
 */
static inline const char *jbytes_scalar_end(const char *p, const char *end)
{
    if (*p == '"')
        return jbytes_string_end(p, end);
    while (*p != ',' && *p != ']' && *p != '}' && (unsigned char)*p > ' ')
        p++;
    return p;
}
