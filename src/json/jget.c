/* Typed reads of spans that the scanner has accepted. */

#include "base/sp_utf8.h"
#include "json/jbytes.h"
#include "json/jget.h"

/* One escape decoded: the text that it stands for, in UTF-8. */
struct escape {
    size_t len;      /* bytes of the escape itself; of a surrogate pair both halves */
    size_t text_len; /* bytes of its text */
    char text[4];
};

/* Whether half a surrogate pair, the low one, is at `p`. */
static bool is_low_escape(const char *p, const char *end)
{
    int unit = end - p >= 6 && p[0] == '\\' && p[1] == 'u' ? jbytes_hex4(p + 2) : -1;

    return unit >= 0xdc00 && unit <= 0xdfff;
}

/* `p` is at a backslash. Half a pair that stands alone is encoded as if it were a character. */
static struct escape escape_read(const char *p, const char *end)
{
    static const char letters[] = "bfnrt";
    static const char controls[] = "\b\f\n\r\t";
    struct escape e = {.len = 2, .text_len = 1, .text = {p[1]}};
    const char *letter;

    if (p[1] == 'u') {
        unsigned c = (unsigned)jbytes_hex4(p + 2);

        e.len = 6;
        if (c >= 0xd800 && c <= 0xdbff && is_low_escape(p + 6, end)) {
            c = 0x10000 + ((c - 0xd800) << 10) + ((unsigned)jbytes_hex4(p + 8) - 0xdc00);
            e.len = 12;
        }
        e.text_len = sp_utf8_encode(c, e.text);
    } else if ((letter = strchr(letters, p[1])) != NULL) {
        e.text[0] = controls[letter - letters];
    }
    return e;
}

/* What stands between a string's quotes. */
static struct sp_str inside(struct sp_str string)
{
    return sp_str_sub(string, 1, string.len - 1);
}

/* The end of the value at `p`, an element's or a member's. */
static const char *value_end(const char *p, const char *end)
{
    size_t depth = 0;

    if (*p != '[' && *p != '{')
        return jbytes_scalar_end(p, end);
    do {
        if (*p == '"') {
            p = jbytes_string_end(p, end);
            continue;
        }
        if (*p == '[' || *p == '{')
            depth++;
        else if (*p == ']' || *p == '}')
            depth--;
        p++;
    } while (depth > 0);
    return p;
}

enum jscan_type jget_type(struct sp_str value)
{
    switch (value.p[0]) {
    case 'n':
        return JSCAN_NULL;
    case 'f':
        return JSCAN_FALSE;
    case 't':
        return JSCAN_TRUE;
    case '"':
        return JSCAN_STRING;
    case '[':
        return JSCAN_ARRAY;
    case '{':
        return JSCAN_OBJECT;
    default:
        return JSCAN_NUMBER;
    }
}

void jget_members(struct sp_str object, const struct sp_str *names, size_t n, struct sp_str *ret)
{
    memset(ret, 0, n * sizeof *ret);
    if (jget_type(object) != JSCAN_OBJECT)
        return;
    for (struct jget_iter it = jget_iter(object); jget_next(&it);) {
        for (size_t i = 0; i < n; i++) {
            if (jget_is_text(it.name, names[i]))
                ret[i] = it.value;
        }
    }
}

bool jget_member(struct sp_str object, struct sp_str name, struct sp_str *ret)
{
    struct sp_str last;

    jget_members(object, &name, 1, &last);
    if (last.p == NULL)
        return false;
    *ret = last;
    return true;
}

struct jget_iter jget_iter(struct sp_str value)
{
    enum jscan_type type = jget_type(value);
    struct jget_iter it = {.is_object = type == JSCAN_OBJECT};

    if (type == JSCAN_OBJECT || type == JSCAN_ARRAY)
        it.rest = sp_str_sub(value, 1, value.len);
    return it;
}

bool jget_next(struct jget_iter *it)
{
    const char *p = it->rest.p;
    const char *end;

    if (it->rest.len == 0)
        return false;
    end = p + it->rest.len;
    p = jbytes_space_end(p, end);
    if (*p == ']' || *p == '}') {
        it->rest.len = 0;
        return false;
    }
    if (*p == ',')
        p = jbytes_space_end(p + 1, end);
    if (it->is_object) {
        it->name.p = p;
        p = jbytes_string_end(p, end);
        it->name.len = (size_t)(p - it->name.p);
        p = jbytes_space_end(p, end);
        p = jbytes_space_end(p + 1, end);
    }
    it->value.p = p;
    p = value_end(p, end);
    it->value.len = (size_t)(p - it->value.p);
    it->rest = (struct sp_str){p, (size_t)(end - p)};
    return true;
}

size_t jget_count(struct sp_str value)
{
    size_t n = 0;

    for (struct jget_iter it = jget_iter(value); jget_next(&it);)
        n++;
    return n;
}

/* Copies what stands before the next backslash, eight bytes at a time. Returns where that ends. */
static const char *copy_plain(const char *p, const char *end, char **io_out)
{
    const uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;
    char *out = *io_out;

    while (end - p >= 8) {
        uint64_t word, diff;

        memcpy(&word, p, 8);
        memcpy(out, p, 8); /* what is too much is written over by what follows */
        diff = word ^ (ones * '\\');
        if (((diff - ones) & ~diff & highs) != 0)
            break;
        p += 8;
        out += 8;
    }
    while (p < end && *p != '\\')
        *out++ = *p++;
    *io_out = out;
    return p;
}

void jget_text(struct sp_str string, struct sp_buf *ret)
{
    struct sp_str rest = inside(string);
    const char *p = rest.p, *end = rest.p + rest.len;
    char *out = sp_buf_reserve(ret, rest.len + 1); /* no escape is shorter than its text */

    while ((p = copy_plain(p, end, &out)) < end) {
        struct escape e = escape_read(p, end);

        memcpy(out, e.text, e.text_len);
        out += e.text_len;
        p += e.len;
    }
    ret->len = (size_t)(out - ret->p);
}

bool jget_is_text(struct sp_str value, struct sp_str text)
{
    struct sp_str rest;

    /* No escape is shorter than its text, so a shorter value cannot be it. */
    if (value.p[0] != '"' || value.len < text.len + 2)
        return false;
    rest = inside(value);
    while (rest.len > 0) {
        if (*rest.p == '\\') {
            struct escape e = escape_read(rest.p, rest.p + rest.len);

            if (!sp_str_starts(text, (struct sp_str){e.text, e.text_len}))
                return false;
            rest = sp_str_sub(rest, e.len, rest.len);
            text = sp_str_sub(text, e.text_len, text.len);
        } else {
            if (text.len == 0 || *rest.p != *text.p)
                return false;
            rest = sp_str_sub(rest, 1, rest.len);
            text = sp_str_sub(text, 1, text.len);
        }
    }
    return text.len == 0;
}

bool jget_u64(struct sp_str value, uint64_t *ret)
{
    uint64_t n = 0;

    for (size_t i = 0; i < value.len; i++) {
        if (value.p[i] < '0' || value.p[i] > '9' || __builtin_mul_overflow(n, 10, &n) ||
            __builtin_add_overflow(n, (uint64_t)(value.p[i] - '0'), &n))
            return false;
    }
    *ret = n;
    return true;
}
