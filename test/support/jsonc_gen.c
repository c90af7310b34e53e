/* Random comments for JSON, and a reader that is as simple as can be. */

#include "base/sp_utf8.h"
#include "json/jget.h"
#include "jsonc_gen.h"

static void put_noise(struct json_gen *g, struct sp_buf *b)
{
    static const struct sp_str noises[] = {
        SP_STR(" "),         SP_STR("\t"),         SP_STR("\n"),       SP_STR("\r\n"),
        SP_STR("/**/"),      SP_STR("/* \" */"),   SP_STR("// , ]\n"), SP_STR("// x\r\n"),
        SP_STR("/*\n*\n*/"), SP_STR("/* } // */"), SP_STR("//\n"),     SP_STR("/* \xe2\x82\xac */"),
    };

    while (json_gen_below(g, 3) == 0)
        sp_buf_add(b, noises[json_gen_below(g, sizeof noises / sizeof *noises)]);
}

/* One value with noise around it, without recursion into strings. */
static void decorate(struct json_gen *g, struct sp_str value, struct sp_buf *b)
{
    enum jscan_type type = jget_type(value);
    size_t n = 0;

    put_noise(g, b);
    if (type != JSCAN_ARRAY && type != JSCAN_OBJECT) {
        sp_buf_add(b, value);
        put_noise(g, b);
        return;
    }
    sp_buf_add_char(b, value.p[0]);
    for (struct jget_iter it = jget_iter(value); jget_next(&it); n++) {
        if (n > 0)
            sp_buf_add_char(b, ',');
        if (type == JSCAN_OBJECT) {
            put_noise(g, b);
            sp_buf_add(b, it.name);
            put_noise(g, b);
            sp_buf_add_char(b, ':');
        }
        decorate(g, it.value, b);
    }
    put_noise(g, b);
    if (n > 0 && json_gen_below(g, 2) == 0) {
        sp_buf_add_char(b, ',');
        put_noise(g, b);
    }
    sp_buf_add_char(b, value.p[value.len - 1]);
    put_noise(g, b);
}

void jsonc_gen_decorate(struct json_gen *g, struct sp_str json, struct sp_buf *b)
{
    if (json_gen_below(g, 4) == 0)
        sp_buf_add(b, SP_STR("\xef\xbb\xbf"));
    decorate(g, json, b);
}

/* ---- the simple reader: each function moves behind what it reads, or gives false ---- */

static bool skip(struct sp_str *s)
{
    for (;;) {
        if (s->len > 0 && strchr(" \t\r\n", s->p[0]) != NULL && s->p[0] != '\0') {
            *s = sp_str_sub(*s, 1, s->len);
        } else if (sp_str_starts(*s, SP_STR("//"))) {
            *s = sp_str_sub(*s, sp_str_find(*s, '\n'), s->len);
        } else if (sp_str_starts(*s, SP_STR("/*"))) {
            size_t i = 2;

            while (i + 1 < s->len && !(s->p[i] == '*' && s->p[i + 1] == '/'))
                i++;
            if (i + 1 >= s->len)
                return false;
            *s = sp_str_sub(*s, i + 2, s->len);
        } else {
            return true;
        }
    }
}

static bool take(struct sp_str *s, char c)
{
    if (!skip(s) || s->len == 0 || s->p[0] != c)
        return false;
    *s = sp_str_sub(*s, 1, s->len);
    return true;
}

/* A string, a number or a word, as long as the strict scanner takes it. */
static bool take_scalar(struct sp_str *s)
{
    struct jscan scan;
    size_t n = 0;

    if (!skip(s) || s->len == 0)
        return false;
    if (s->p[0] == '"') {
        for (n = 1; n < s->len && s->p[n] != '"'; n++)
            n += s->p[n] == '\\';
        n++;
    } else {
        while (n < s->len && strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", s->p[n]) != NULL &&
               s->p[n] != '\0')
            n++;
    }
    if (n == 0 || n > s->len || !jscan_grammar(sp_str_sub(*s, 0, n), &scan))
        return false;
    *s = sp_str_sub(*s, n, s->len);
    return true;
}

static bool take_value(struct sp_str *s);

static bool take_items(struct sp_str *s, char end)
{
    while (!take(s, end)) {
        struct sp_str name = *s;

        if (end == '}' &&
            (!skip(&name) || name.len == 0 || name.p[0] != '"' || !take_scalar(s) || !take(s, ':')))
            return false;
        if (!take_value(s))
            return false;
        if (!take(s, ','))
            return take(s, end);
    }
    return true;
}

static bool take_value(struct sp_str *s)
{
    if (take(s, '['))
        return take_items(s, ']');
    if (take(s, '{'))
        return take_items(s, '}');
    return take_scalar(s);
}

bool jsonc_gen_is(struct sp_str text)
{
    if (!sp_utf8_is_valid(text))
        return false;
    if (sp_str_starts(text, SP_STR("\xef\xbb\xbf")))
        text = sp_str_sub(text, 3, text.len);
    return take_value(&text) && skip(&text) && text.len == 0;
}
