/* What is done with texts. */

#include "procedure/procedure_text.h"

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
