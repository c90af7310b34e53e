/* The reference checker: a recursive descent by the grammar of RFC 8259. */

#include <math.h>
#include <stdlib.h>

#include "json_ref.h"

struct ref {
    const unsigned char *p;
    const unsigned char *end;
    unsigned max_depth;
    struct jscan found;
};

static bool ref_value(struct ref *r, unsigned depth, enum jscan_type *ret_type);

static bool ref_take(struct ref *r, char c)
{
    if (r->p == r->end || *r->p != (unsigned char)c)
        return false;
    r->p++;
    return true;
}

static void ref_space(struct ref *r)
{
    while (ref_take(r, ' ') || ref_take(r, '\t') || ref_take(r, '\r') || ref_take(r, '\n'))
        ;
}

static bool ref_word(struct ref *r, const char *word)
{
    for (; *word != '\0'; word++) {
        if (!ref_take(r, *word))
            return false;
    }
    return true;
}

static bool ref_digits(struct ref *r)
{
    const unsigned char *start = r->p;

    while (r->p < r->end && *r->p >= '0' && *r->p <= '9')
        r->p++;
    return r->p > start;
}

static bool ref_number(struct ref *r)
{
    const unsigned char *start = r->p;
    size_t len;
    char *text;
    bool is_finite;

    ref_take(r, '-');
    if (!ref_take(r, '0') && !ref_digits(r))
        return false;
    if (ref_take(r, '.') && !ref_digits(r))
        return false;
    if (ref_take(r, 'e') || ref_take(r, 'E')) {
        if (!ref_take(r, '+'))
            ref_take(r, '-');
        if (!ref_digits(r))
            return false;
    }

    len = (size_t)(r->p - start);
    text = calloc(len + 1, 1);
    memcpy(text, start, len);
    is_finite = isfinite(strtod(text, NULL)) != 0;
    free(text);
    return is_finite;
}

/* One character of UTF-8 by its bits, or -1. */
static long ref_character(struct ref *r)
{
    static const long least[] = {0, 0, 0x80, 0x800, 0x10000};
    int len = 1;
    long c = *r->p++;

    if (c < 0x80)
        return c;
    while (len < 8 && (c & (0x80 >> len)) != 0)
        len++;
    if (len < 2 || len > 4)
        return -1;
    c &= 0x7f >> len;
    for (int i = 1; i < len; i++) {
        if (r->p == r->end || *r->p >> 6 != 2)
            return -1;
        c = c << 6 | (*r->p++ & 0x3f);
    }
    if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return -1;
    return c;
}

/* The four digits of a \u escape, or -1. */
static long ref_hex4(struct ref *r)
{
    char text[5] = {0};

    for (int i = 0; i < 4; i++) {
        if (r->p == r->end || strchr("0123456789abcdefABCDEF", *r->p) == NULL || *r->p == '\0')
            return -1;
        text[i] = (char)*r->p++;
    }
    return strtol(text, NULL, 16);
}

/* What follows a backslash; the character it stands for, or -1. */
static long ref_escape(struct ref *r)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char characters[] = "\"\\/\b\f\n\r\t";
    const char *letter;
    long high;
    long low;

    if (r->p == r->end || *r->p == '\0')
        return -1;
    letter = strchr(letters, *r->p);
    if (letter != NULL) {
        r->p++;
        return characters[letter - letters];
    }
    if (!ref_take(r, 'u'))
        return -1;
    high = ref_hex4(r);
    if (high < 0xd800 || high > 0xdfff)
        return high;
    if (high > 0xdbff || !ref_take(r, '\\') || !ref_take(r, 'u'))
        return -1;
    low = ref_hex4(r);
    if (low < 0xdc00 || low > 0xdfff)
        return -1;
    return 0x10000 + (high - 0xd800) * 0x400 + (low - 0xdc00);
}

/* A string; its first characters go to `ret_text`, those from 0x80 on as '?'. */
static bool ref_string(struct ref *r, char ret_text[16])
{
    size_t n = 0;

    if (!ref_take(r, '"'))
        return false;
    while (!ref_take(r, '"')) {
        long c;

        if (r->p == r->end || *r->p < 0x20)
            return false;
        c = ref_take(r, '\\') ? ref_escape(r) : ref_character(r);
        if (c < 0)
            return false;
        if (n < 15)
            ret_text[n++] = c >= 0x80 || c == 0 ? '?' : (char)c;
    }
    ret_text[n] = '\0';
    return true;
}

static void ref_note(struct ref *r, const char *name, struct sp_str value)
{
    struct {
        const char *name;
        struct sp_str *slot;
    } const wanted[] = {
        {"id", &r->found.id},         {"method", &r->found.method}, {"params", &r->found.params},
        {"result", &r->found.result}, {"error", &r->found.error},
    };

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        if (strcmp(name, wanted[i].name) == 0 && wanted[i].slot->p == NULL)
            *wanted[i].slot = value;
    }
}

static bool ref_member(struct ref *r, unsigned depth)
{
    const unsigned char *start;
    enum jscan_type type;
    char name[16];

    ref_space(r);
    if (!ref_string(r, name))
        return false;
    ref_space(r);
    if (!ref_take(r, ':'))
        return false;
    ref_space(r);
    start = r->p;
    if (!ref_value(r, depth, &type))
        return false;
    if (depth == 1)
        ref_note(r, name, (struct sp_str){(const char *)start, (size_t)(r->p - start)});
    return true;
}

static bool ref_object(struct ref *r, unsigned depth)
{
    ref_space(r);
    if (ref_take(r, '}'))
        return true;
    for (;;) {
        if (!ref_member(r, depth))
            return false;
        ref_space(r);
        if (ref_take(r, '}'))
            return true;
        if (!ref_take(r, ','))
            return false;
    }
}

static bool ref_array(struct ref *r, unsigned depth)
{
    enum jscan_type type;

    ref_space(r);
    if (ref_take(r, ']'))
        return true;
    for (;;) {
        ref_space(r);
        if (!ref_value(r, depth, &type))
            return false;
        ref_space(r);
        if (ref_take(r, ']'))
            return true;
        if (!ref_take(r, ','))
            return false;
    }
}

/* `depth` is that of the array or object around the value. */
static bool ref_value(struct ref *r, unsigned depth, enum jscan_type *ret_type)
{
    char text[16];

    if (r->p == r->end)
        return false;
    switch (*r->p) {
    case '{':
        *ret_type = JSCAN_OBJECT;
        r->p++;
        return depth < r->max_depth && ref_object(r, depth + 1);
    case '[':
        *ret_type = JSCAN_ARRAY;
        r->p++;
        return depth < r->max_depth && ref_array(r, depth + 1);
    case '"':
        *ret_type = JSCAN_STRING;
        return ref_string(r, text);
    case 't':
        *ret_type = JSCAN_TRUE;
        return ref_word(r, "true");
    case 'f':
        *ret_type = JSCAN_FALSE;
        return ref_word(r, "false");
    case 'n':
        *ret_type = JSCAN_NULL;
        return ref_word(r, "null");
    default:
        *ret_type = JSCAN_NUMBER;
        return ref_number(r);
    }
}

bool json_ref(struct sp_str text, unsigned max_depth, struct jscan *ret)
{
    struct ref r = {.max_depth = max_depth};
    const unsigned char *start;

    if (text.len == 0)
        return false;
    r.p = (const unsigned char *)text.p;
    r.end = r.p + text.len;
    ref_space(&r);
    start = r.p;
    if (!ref_value(&r, 0, &r.found.type))
        return false;
    r.found.value = (struct sp_str){(const char *)start, (size_t)(r.p - start)};
    if (r.found.type != JSCAN_OBJECT)
        r.found = (struct jscan){.value = r.found.value, .type = r.found.type};
    ref_space(&r);
    if (r.p != r.end)
        return false;
    *ret = r.found;
    return true;
}
