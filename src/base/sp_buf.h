#pragma once

/*
 * A growing buffer of bytes. It owns its memory; a zeroed struct is an empty buffer, so
 * `struct sp_buf b = {0};` needs no init. Growth doubles, so n appended bytes cost O(n).
 *
 * Thread: any, one at a time.
 */

#include <stdarg.h>
#include <stddef.h>

#include "base/sp_str.h"

struct sp_buf {
    char *p;    /* NULL while nothing was ever reserved */
    size_t len; /* bytes in use */
    size_t cap; /* bytes allocated */
};

/* Frees the memory and leaves an empty buffer. */
void sp_buf_deinit(struct sp_buf *b);

/* Makes room for `n` more bytes and returns where they go; the caller then adds to b->len. */
char *sp_buf_reserve(struct sp_buf *b, size_t n);

void sp_buf_add(struct sp_buf *b, struct sp_str s);
void sp_buf_add_char(struct sp_buf *b, char c);

/* Appends as printf() formats. */
void sp_buf_addf(struct sp_buf *b, const char *format, ...)
    __attribute__((format(printf, 2, 3), nonnull));

void sp_buf_addv(struct sp_buf *b, const char *format, va_list args)
    __attribute__((format(printf, 2, 0), nonnull(1, 2)));

/* Forgets the content, keeps the memory. */
static inline void sp_buf_clear(struct sp_buf *b)
{
    b->len = 0;
}

/* A view of the content, good until the buffer next changes. */
static inline struct sp_str sp_buf_str(const struct sp_buf *b)
{
    return (struct sp_str){b->p != NULL ? b->p : "", b->len};
}

/* The content as a NUL-terminated string, good until the buffer next changes. */
const char *sp_buf_cstr(struct sp_buf *b);
