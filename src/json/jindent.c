/* Indents by looking at brackets, commas and colons alone; no recursion. */

#include "json/jbytes.h"
#include "json/jindent.h"

static void put_line(struct sp_buf *b, size_t depth)
{
    sp_buf_add_char(b, '\n');
    for (size_t i = 0; i < depth; i++)
        sp_buf_add(b, SP_STR("  "));
}

/* Copies a bracket that opens, or both when there is nothing between them; returns what follows. */
static const char *put_open(struct sp_buf *b, const char *p, const char *end, size_t *depth)
{
    const char *next = jbytes_space_end(p + 1, end);

    sp_buf_add_char(b, *p);
    if (*next == ']' || *next == '}') {
        sp_buf_add_char(b, *next);
        return next + 1;
    }
    put_line(b, ++*depth);
    return next;
}

void jindent(struct sp_buf *ret, struct sp_str value)
{
    const char *p = value.p;
    const char *end = value.p + value.len;
    size_t depth = 0;

    while (p < end) {
        const char *start = p;

        switch (*p) {
        case '[':
        case '{':
            p = put_open(ret, p, end, &depth);
            break;
        case ']':
        case '}':
            put_line(ret, --depth);
            sp_buf_add_char(ret, *p++);
            break;
        case ',':
            sp_buf_add_char(ret, *p++);
            put_line(ret, depth);
            break;
        case ':':
            sp_buf_add(ret, SP_STR(": "));
            p++;
            break;
        case '"':
            p = jbytes_string_end(p, end);
            sp_buf_add(ret, (struct sp_str){start, (size_t)(p - start)});
            break;
        default:
            sp_buf_add_char(ret, *p++);
            break;
        }
        p = jbytes_space_end(p, end);
    }
}
