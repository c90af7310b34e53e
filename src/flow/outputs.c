/* What tools returned. */

#include "base/sp_unicode.h"
#include "flow/outputs.h"
#include "json/jcanon.h"
#include "json/jget.h"
#include "json/jput.h"

/* Takes the next line from a text, without its end; returns whether there was one. */
static bool next_line(struct sp_str *rest, struct sp_str *ret)
{
    size_t end = sp_str_find(*rest, '\n');

    if (rest->len == 0)
        return false;
    *ret = sp_unicode_trim(sp_str_sub(*rest, 0, end)); /* a CR before the end goes with it */
    *rest = sp_str_sub(*rest, end < rest->len ? end + 1 : end, rest->len);
    return true;
}

static void read_lines(struct sp_str text, struct sp_buf *ret)
{
    size_t begin = ret->len, n = 0;
    struct sp_str line;

    for (struct sp_str rest = text; next_line(&rest, &line);) {
        if (line.len == 0)
            continue;
        sp_buf_add_char(ret, n++ > 0 ? ',' : '[');
        jput_string(ret, line);
    }
    if (n >= 2) {
        sp_buf_add_char(ret, ']');
        return;
    }
    ret->len = begin;
    jput_string(ret, text);
}

void outputs_read(struct sp_str text, struct sp_buf *ret)
{
    struct jscan scan;

    if (jscan(text, OUTPUTS_MAX_DEPTH, &scan))
        jcanon(ret, scan.value);
    else
        read_lines(text, ret);
}

/* The end of a key that begins at `from`. */
static size_t key_end(struct sp_str text, size_t from)
{
    while (from < text.len && text.p[from] != '.' && text.p[from] != '[')
        from++;
    return from;
}

struct outputs_path outputs_path(struct sp_str text, struct sp_arena *arena)
{
    static const struct outputs_path nowhere = {.leads_nowhere = true};
    struct outputs_path path = {
        .keys = sp_arena_alloc(arena, text.len * sizeof *path.keys),
    };
    size_t at = 1;

    if (!sp_str_starts(text, SP_STR("$")))
        return nowhere;
    while (at < text.len) {
        struct sp_str rest = sp_str_sub(text, at, text.len);

        if (sp_str_starts(rest, SP_STR("[*]"))) {
            path.keys[path.n++] = (struct sp_str){0};
            at += 3;
        } else if (rest.p[0] == '.') {
            size_t end = key_end(text, at + 1);

            path.keys[path.n++] = sp_str_sub(text, at + 1, end);
            at = end;
        } else {
            return nowhere;
        }
    }
    return path;
}

struct search {
    const struct outputs_path *path;
    outputs_value_fn fn;
    void *data;
};

static void walk_path(const struct search *s, size_t depth, struct sp_str value,
                      struct sp_str holder)
{
    enum jscan_type type = jget_type(value);
    struct sp_str key, member;

    if (depth == s->path->n) {
        if (type == JSCAN_STRING)
            s->fn(s->data, value, holder);
        return;
    }
    key = s->path->keys[depth];
    if (key.p != NULL) {
        if (jget_member(value, key, &member))
            walk_path(s, depth + 1, member, value);
    } else if (type == JSCAN_ARRAY) {
        for (struct jget_iter it = jget_iter(value); jget_next(&it);)
            walk_path(s, depth + 1, it.value, (struct sp_str){0});
    }
}

void outputs_at(struct sp_str json, const struct outputs_path *path, outputs_value_fn fn,
                void *data)
{
    struct search search = {.path = path, .fn = fn, .data = data};

    if (!path->leads_nowhere)
        walk_path(&search, 0, json, (struct sp_str){0});
}

static bool is_container(struct sp_str value)
{
    return jget_type(value) == JSCAN_ARRAY || jget_type(value) == JSCAN_OBJECT;
}

struct members {
    outputs_member_fn fn;
    void *data;
    struct sp_buf name; /* scratch */
};

static void walk_members(struct members *m, struct sp_str value)
{
    for (struct jget_iter it = jget_iter(value); jget_next(&it);) {
        if (is_container(it.value)) {
            walk_members(m, it.value);
        } else if (it.is_object && jget_type(it.value) == JSCAN_STRING) {
            sp_buf_clear(&m->name);
            jget_text(it.name, &m->name);
            m->fn(m->data, sp_buf_str(&m->name), it.value, value);
        }
    }
}

void outputs_members(struct sp_str json, outputs_member_fn fn, void *data)
{
    struct members members = {.fn = fn, .data = data};

    if (is_container(json))
        walk_members(&members, json);
    sp_buf_deinit(&members.name);
}

struct scalars {
    outputs_scalar_fn fn;
    void *data;
    struct sp_buf text; /* scratch, as the next */
    struct sp_buf lower;
};

static void walk_scalars(struct scalars *s, struct sp_str value)
{
    switch (jget_type(value)) {
    case JSCAN_STRING:
        sp_buf_clear(&s->text);
        sp_buf_clear(&s->lower);
        jget_text(value, &s->text);
        outputs_lower(sp_buf_str(&s->text), &s->lower);
        s->fn(s->data, sp_buf_str(&s->lower));
        break;
    case JSCAN_NUMBER:
        s->fn(s->data, value);
        break;
    case JSCAN_ARRAY:
    case JSCAN_OBJECT:
        for (struct jget_iter it = jget_iter(value); jget_next(&it);)
            walk_scalars(s, it.value);
        break;
    case JSCAN_NULL:
    case JSCAN_FALSE:
    case JSCAN_TRUE:
        break;
    }
}

void outputs_scalars(struct sp_str json, outputs_scalar_fn fn, void *data)
{
    struct scalars scalars = {.fn = fn, .data = data};

    walk_scalars(&scalars, json);
    sp_buf_deinit(&scalars.text);
    sp_buf_deinit(&scalars.lower);
}

void outputs_lower(struct sp_str text, struct sp_buf *ret)
{
    sp_unicode_put_lower(ret, sp_unicode_trim(text));
}

bool outputs_has_chars(struct sp_str text, size_t n)
{
    for (size_t i = 0; i < text.len && n > 0; i++)
        n -= (text.p[i] & 0xc0) != 0x80;
    return n == 0;
}

bool outputs_is_key_like(struct sp_str text)
{
    bool has_digit = false;

    for (size_t i = 0; i < text.len && !has_digit; i++)
        has_digit = text.p[i] >= '0' && text.p[i] <= '9';
    return has_digit && outputs_has_chars(text, 4);
}

void outputs_value_text(struct sp_str json, struct sp_buf *ret)
{
    if (jget_type(json) == JSCAN_STRING)
        jget_text(json, ret);
    else
        sp_buf_add(ret, json);
}
