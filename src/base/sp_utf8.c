/* UTF-8: validation, repair by maximal subparts, characters one by one. */

#include <stdint.h>

#include "base/sp_utf8.h"
#include "base/sp_utf8_seq.h"

#define HIGH_BITS UINT64_C(0x8080808080808080)

/* Skips what ASCII there is from `p` on. */
static const unsigned char *ascii_end(const unsigned char *p, const unsigned char *end)
{
    uint64_t w[4];

    for (; end - p >= (ptrdiff_t)sizeof w; p += sizeof w) {
        memcpy(w, p, sizeof w);
        if (((w[0] | w[1] | w[2] | w[3]) & HIGH_BITS) != 0)
            break;
    }
    while (p < end && *p < 0x80)
        p++;
    return p;
}

/* Skips what valid UTF-8 there is from `p` on. */
static const unsigned char *valid_end(const unsigned char *p, const unsigned char *end)
{
    while (p < end) {
        if (*p < 0x80) {
            p = ascii_end(p, end);
        } else {
            size_t len = sp_utf8_seq_len(p, (size_t)(end - p));

            if (len == 0)
                break;
            p += len;
        }
    }
    return p;
}

/*
 * The length of the maximal subpart at `p`, where no well-formed sequence begins: the longest
 * beginning of one, or one byte.
 */
static size_t subpart_len(const unsigned char *p, const unsigned char *end)
{
    unsigned char lead = p[0];
    unsigned char low = 0x80; /* the second byte's range */
    unsigned char high = 0xbf;
    size_t left = (size_t)(end - p);
    size_t full_len;

    if (lead < 0xc2 || lead > 0xf4)
        return 1;
    full_len = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (lead == 0xe0)
        low = 0xa0;
    else if (lead == 0xed)
        high = 0x9f;
    else if (lead == 0xf0)
        low = 0x90;
    else if (lead == 0xf4)
        high = 0x8f;

    if (left < 2 || p[1] < low || p[1] > high)
        return 1;
    for (size_t i = 2; i < full_len; i++) {
        if (i == left || !sp_utf8_is_tail(p[i]))
            return i;
    }
    return full_len;
}

bool sp_utf8_is_valid(struct sp_str s)
{
    const unsigned char *p = (const unsigned char *)s.p;

    return s.len == 0 || valid_end(p, p + s.len) == p + s.len;
}

void sp_utf8_repair(struct sp_buf *ret_b, struct sp_str s)
{
    const unsigned char *p = (const unsigned char *)s.p;
    const unsigned char *end;

    if (s.len == 0)
        return;
    for (end = p + s.len; p < end;) {
        const unsigned char *good_end = valid_end(p, end);

        sp_buf_add(ret_b, (struct sp_str){(const char *)p, (size_t)(good_end - p)});
        p = good_end;
        if (p < end) {
            sp_buf_add(ret_b, SP_STR("\xef\xbf\xbd"));
            p += subpart_len(p, end);
        }
    }
}

uint32_t sp_utf8_next(struct sp_str *s)
{
    const unsigned char *p = (const unsigned char *)s->p;
    size_t len = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    uint32_t c = len == 1 ? p[0] : p[0] & (0x7fU >> len);

    for (size_t i = 1; i < len; i++)
        c = c << 6 | (p[i] & 0x3f);
    *s = sp_str_sub(*s, len, s->len);
    return c;
}

uint32_t sp_utf8_last(struct sp_str *s)
{
    size_t start = s->len - 1;
    struct sp_str last;

    while (sp_utf8_is_tail((unsigned char)s->p[start]))
        start--;
    last = sp_str_sub(*s, start, s->len);
    *s = sp_str_sub(*s, 0, start);
    return sp_utf8_next(&last);
}

size_t sp_utf8_encode(uint32_t c, char ret[4])
{
    size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

    for (size_t i = len - 1; i > 0; i--) {
        ret[i] = (char)(0x80 | (c & 0x3f));
        c >>= 6;
    }
    /* What is left of the character follows as many set bits as the sequence has bytes. */
    ret[0] = (char)(len == 1 ? c : (0xf00U >> len) | c);
    return len;
}
