#pragma once

/*
 * A view of bytes: no NUL at the end, no ownership, any bytes (NUL too). Passed by value and never
 * kept longer than what it looks at. Printed with "%.*s" and SP_STR_ARG().
 */

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct sp_str {
    const char *p;
    size_t len; /* bytes */
};

/* A view of a string literal. */
#define SP_STR(literal) ((struct sp_str){(literal), sizeof(literal) - 1})

/* The two arguments that "%.*s" takes; for views shorter than 2 GiB. */
#define SP_STR_ARG(s) (int)(s).len, (s).p

/* A view of a NUL-terminated string, without its NUL. */
static inline struct sp_str sp_str_of(const char *s)
{
    return (struct sp_str){s, strlen(s)};
}

static inline bool sp_str_eq(struct sp_str a, struct sp_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

/* Orders by bytes as unsigned numbers; of two where one begins the other, the shorter is less. */
static inline int sp_str_cmp(struct sp_str a, struct sp_str b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int c = n > 0 ? memcmp(a.p, b.p, n) : 0;

    return c != 0 ? c : (a.len > b.len) - (a.len < b.len);
}

/* For qsort() of `const char *`: by their bytes. */
static inline int sp_str_cmp_cstrs(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Whether `s` begins with, or ends with, all of `part`. */
static inline bool sp_str_starts(struct sp_str s, struct sp_str part)
{
    return s.len >= part.len && (part.len == 0 || memcmp(s.p, part.p, part.len) == 0);
}

static inline bool sp_str_ends(struct sp_str s, struct sp_str part)
{
    return s.len >= part.len &&
           (part.len == 0 || memcmp(s.p + (s.len - part.len), part.p, part.len) == 0);
}

/* The bytes from `from` up to, not including, `to`; both within `s`. */
static inline struct sp_str sp_str_sub(struct sp_str s, size_t from, size_t to)
{
    return (struct sp_str){s.p + from, to - from};
}

/* The index of the first `c`, or `s.len` when there is none. */
static inline size_t sp_str_find(struct sp_str s, char c)
{
    const char *hit = s.len > 0 ? memchr(s.p, c, s.len) : NULL;

    return hit != NULL ? (size_t)(hit - s.p) : s.len;
}

/* Whether `s` is nothing but JSON's white space: space, tab, CR, LF. */
static inline bool sp_str_is_blank(struct sp_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] != ' ' && s.p[i] != '\t' && s.p[i] != '\r' && s.p[i] != '\n')
            return false;
    }
    return true;
}

/* Whether `s` is a token of HTTP (RFC 9110, section 5.6.2): a header's name, for one. */
static inline bool sp_str_is_token(struct sp_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.p[i];
        bool is_alnum = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');

        if (!is_alnum && (c == '\0' || strchr("!#$%&'*+-.^_`|~", c) == NULL))
            return false;
    }
    return s.len > 0;
}
