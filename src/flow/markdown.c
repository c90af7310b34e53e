/* Pieces of Markdown reports. */

#include <inttypes.h>
#include <math.h>

#include "base/sp_unicode.h"
#include "base/sp_utf8.h"
#include "flow/markdown.h"

/* Takes the next character, a control character as a space. */
static uint32_t next_char(struct sp_str *text)
{
    uint32_t c = sp_utf8_next(text);

    return sp_unicode_is_control(c) ? ' ' : c;
}

static void put_char(struct sp_buf *b, uint32_t c)
{
    char encoded[4];

    sp_buf_add(b, (struct sp_str){encoded, sp_utf8_encode(c, encoded)});
}

void markdown_put_text(struct sp_buf *b, struct sp_str text)
{
    while (text.len > 0) {
        uint32_t c = next_char(&text);

        if (c < 0x80 && strchr("\\`*[]<>|", (int)c) != NULL)
            sp_buf_add_char(b, '\\');
        put_char(b, c);
    }
}

/* The longest run of backquotes in a text. */
static size_t longest_fence(struct sp_str text)
{
    size_t longest = 0;
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++) {
        n = text.p[i] == '`' ? n + 1 : 0;
        if (n > longest)
            longest = n;
    }
    return longest;
}

static void put_fence(struct sp_buf *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sp_buf_add_char(b, '`');
}

void markdown_put_code(struct sp_buf *b, struct sp_str text)
{
    size_t fence = longest_fence(text) + 1;
    bool is_padded = fence > 1 || text.len == 0;

    put_fence(b, fence);
    if (is_padded)
        sp_buf_add_char(b, ' ');
    while (text.len > 0) {
        uint32_t c = next_char(&text);

        if (c == '|')
            sp_buf_add_char(b, '\\'); /* in a table even code is split there */
        put_char(b, c);
    }
    if (fence > 1)
        sp_buf_add_char(b, ' ');
    put_fence(b, fence);
}

void markdown_put_count(struct sp_buf *b, uint64_t n)
{
    if (n >= 1000) {
        markdown_put_count(b, n / 1000);
        sp_buf_addf(b, ",%03" PRIu64, n % 1000);
    } else {
        sp_buf_addf(b, "%" PRIu64, n);
    }
}

void markdown_put_real_count(struct sp_buf *b, double n)
{
    if (n < 1e15)
        markdown_put_count(b, (uint64_t)round(n));
    else
        sp_buf_addf(b, "%g", n);
}

void markdown_put_percent(struct sp_buf *b, double share)
{
    sp_buf_addf(b, "%.0f%%", 100 * share);
}
