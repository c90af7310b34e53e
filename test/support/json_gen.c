/* Random JSON values. */

#include "json_gen.h"

static void gen_value(struct json_gen *g, struct sp_buf *b, unsigned depth);

/* Marsaglia's xorshift with a multiplication on top. */
static uint64_t gen_next(struct json_gen *g)
{
    g->state ^= g->state >> 12;
    g->state ^= g->state << 25;
    g->state ^= g->state >> 27;
    return g->state * UINT64_C(0x2545f4914f6cdd1d);
}

uint64_t json_gen_below(struct json_gen *g, uint64_t limit)
{
    return (gen_next(g) >> 11) % limit;
}

static void gen_space(struct json_gen *g, struct sp_buf *b)
{
    while (json_gen_below(g, 8) == 0)
        sp_buf_add_char(b, " \t\r\n"[json_gen_below(g, 4)]);
}

static void gen_digits(struct json_gen *g, struct sp_buf *b, uint64_t n)
{
    for (; n > 0; n--)
        sp_buf_add_char(b, (char)('0' + json_gen_below(g, 10)));
}

void json_gen_number(struct json_gen *g, struct sp_buf *b)
{
    bool is_big = json_gen_below(g, 16) == 0;
    bool has_exponent;

    if (json_gen_below(g, 3) == 0)
        sp_buf_add_char(b, '-');
    if (json_gen_below(g, 4) == 0) {
        sp_buf_add_char(b, '0');
    } else {
        sp_buf_add_char(b, (char)('1' + json_gen_below(g, 9)));
        gen_digits(g, b, json_gen_below(g, is_big ? 300 : 20));
    }
    has_exponent = !is_big && json_gen_below(g, 4) == 0;
    if (json_gen_below(g, 3) == 0) {
        sp_buf_add_char(b, '.');
        gen_digits(g, b, 1 + json_gen_below(g, 20));
    }
    if (has_exponent) {
        sp_buf_add_char(b, "eE"[json_gen_below(g, 2)]);
        sp_buf_add(b, (struct sp_str[]){SP_STR(""), SP_STR("+"), SP_STR("-"),
                                        SP_STR("-0")}[json_gen_below(g, 4)]);
        sp_buf_addf(b, "%u", (unsigned)json_gen_below(g, 287));
    }
}

/* One character, other than a surrogate, in UTF-8. */
static void gen_character(struct json_gen *g, struct sp_buf *b)
{
    static const unsigned edges[] = {0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff};
    unsigned c = json_gen_below(g, 4) == 0
                     ? edges[json_gen_below(g, sizeof edges / sizeof *edges)]
                     : 0x80 + (unsigned)json_gen_below(g, json_gen_below(g, 2) ? 0x2000 : 0x10ff80);

    if (c >= 0xd800 && c <= 0xdfff)
        c = 0xfffd;
    if (c < 0x800) {
        sp_buf_add_char(b, (char)(0xc0 | c >> 6));
    } else if (c < 0x10000) {
        sp_buf_add_char(b, (char)(0xe0 | c >> 12));
        sp_buf_add_char(b, (char)(0x80 | (c >> 6 & 0x3f)));
    } else {
        sp_buf_add_char(b, (char)(0xf0 | c >> 18));
        sp_buf_add_char(b, (char)(0x80 | (c >> 12 & 0x3f)));
        sp_buf_add_char(b, (char)(0x80 | (c >> 6 & 0x3f)));
    }
    sp_buf_add_char(b, (char)(0x80 | (c & 0x3f)));
}

static void gen_escape(struct json_gen *g, struct sp_buf *b)
{
    unsigned c = (unsigned)json_gen_below(g, json_gen_below(g, 2) == 0 ? 0x80 : 0x10000);

    if (json_gen_below(g, 2) == 0)
        sp_buf_addf(b, "\\%c", "\"\\/bfnrt"[json_gen_below(g, 8)]);
    else if (c < 0xd800 || c > 0xdfff)
        sp_buf_addf(b, json_gen_below(g, 2) == 0 ? "\\u%04x" : "\\u%04X", c);
    else
        sp_buf_addf(b, "\\u%04x\\u%04X", 0xd800 | (c & 0x3ff),
                    0xdc00 | (unsigned)json_gen_below(g, 0x400));
}

static void gen_string(struct json_gen *g, struct sp_buf *b)
{
    uint64_t n = json_gen_below(g, json_gen_below(g, 4) == 0 ? 100 : 12);

    sp_buf_add_char(b, '"');
    for (; n > 0; n--) {
        char c = (char)(0x20 + json_gen_below(g, 0x60));

        switch (json_gen_below(g, 16)) {
        case 0:
            gen_escape(g, b);
            break;
        case 1:
            gen_character(g, b);
            break;
        default:
            sp_buf_add_char(b, c == '"' || c == '\\' ? 'x' : c);
        }
    }
    sp_buf_add_char(b, '"');
}

static void gen_name(struct json_gen *g, struct sp_buf *b)
{
    static const char *const names[] = {"id",       "method",      "params", "result", "error",
                                        "\\u0069d", "erro\\u0072", "a",      "b",      "\\u0061",
                                        ""};
    uint64_t i = json_gen_below(g, 2 * sizeof names / sizeof *names);

    if (i < sizeof names / sizeof *names)
        sp_buf_addf(b, "\"%s\"", names[i]);
    else
        gen_string(g, b);
}

static void gen_container(struct json_gen *g, struct sp_buf *b, unsigned depth,
                          const char *brackets)
{
    uint64_t n = json_gen_below(g, 5);

    sp_buf_add_char(b, brackets[0]);
    gen_space(g, b);
    for (uint64_t i = 0; i < n; i++) {
        if (i > 0) {
            sp_buf_add_char(b, ',');
            gen_space(g, b);
        }
        if (brackets[0] == '{') {
            gen_name(g, b);
            gen_space(g, b);
            sp_buf_add_char(b, ':');
            gen_space(g, b);
        }
        gen_value(g, b, depth);
        gen_space(g, b);
    }
    sp_buf_add_char(b, brackets[1]);
}

static void gen_value(struct json_gen *g, struct sp_buf *b, unsigned depth)
{
    switch (json_gen_below(g, depth == JSON_GEN_DEPTH ? 5 : depth == 0 ? 20 : 9)) {
    case 0:
        sp_buf_add(b, SP_STR("null"));
        break;
    case 1:
        sp_buf_add(b, SP_STR("true"));
        break;
    case 2:
        sp_buf_add(b, SP_STR("false"));
        break;
    case 3:
        json_gen_number(g, b);
        break;
    case 4:
        gen_string(g, b);
        break;
    case 5:
    case 6:
        gen_container(g, b, depth + 1, "[]");
        break;
    default:
        gen_container(g, b, depth + 1, "{}");
    }
}

void json_gen_value(struct json_gen *g, struct sp_buf *b)
{
    gen_value(g, b, 0);
}
