/* What is done with texts. */

#include "base/sp_unicode.h"
#include "base/sp_utf8.h"
#include "procedure/procedure_text.h"

void procedure_text_lower(struct sp_buf *ret, struct sp_str text)
{
    while (text.len > 0) {
        uint32_t c = sp_unicode_lower(sp_utf8_next(&text));

        ret->len += sp_utf8_encode(c, sp_buf_reserve(ret, 4));
    }
}

bool procedure_text_has(struct sp_str text, struct sp_str part)
{
    if (part.len == 0)
        return true;
    return text.len >= part.len && memmem(text.p, text.len, part.p, part.len) != NULL;
}

bool procedure_text_has_digit(struct sp_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.p[i] >= '0' && text.p[i] <= '9')
            return true;
    }
    return false;
}

size_t procedure_text_length(struct sp_str text)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++)
        n += (text.p[i] & 0xc0) != 0x80;
    return n;
}
