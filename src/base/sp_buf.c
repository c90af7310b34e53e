/* The growing byte buffer. */

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "base/sp_buf.h"

#define FIRST_CAP 64

void sp_buf_deinit(struct sp_buf *b)
{
    free(b->p);
    *b = (struct sp_buf){0};
}

char *sp_buf_reserve(struct sp_buf *b, size_t n)
{
    assert(n <= SIZE_MAX / 2 - b->len);
    if (b->p == NULL || b->cap - b->len < n) {
        size_t cap = b->cap > 0 ? b->cap : FIRST_CAP;

        while (cap - b->len < n)
            cap *= 2;
        b->p = sp_realloc(b->p, cap);
        b->cap = cap;
    }
    return b->p + b->len;
}

void sp_buf_add(struct sp_buf *b, struct sp_str s)
{
    if (s.len == 0)
        return;
    memcpy(sp_buf_reserve(b, s.len), s.p, s.len);
    b->len += s.len;
}

void sp_buf_add_char(struct sp_buf *b, char c)
{
    *sp_buf_reserve(b, 1) = c;
    b->len++;
}

void sp_buf_addv(struct sp_buf *b, const char *format, va_list args)
{
    va_list again;
    int n;

    va_copy(again, args);
    n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    assert(n >= 0);
    vsnprintf(sp_buf_reserve(b, (size_t)n + 1), (size_t)n + 1, format, args);
    b->len += (size_t)n;
}

void sp_buf_addf(struct sp_buf *b, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    sp_buf_addv(b, format, args);
    va_end(args);
}

const char *sp_buf_cstr(struct sp_buf *b)
{
    *sp_buf_reserve(b, 1) = '\0';
    return b->p;
}
