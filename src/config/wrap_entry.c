/* A server's entry, and edits of it. */

#include <stdlib.h>

#include "config/wrap_entry.h"
#include "json/jget.h"
#include "json/jput.h"

#define NO_COMMA SIZE_MAX

static const struct {
    const char *name;
    enum wrap_entry_member which;
} known[] = {
    {"command", WRAP_COMMAND},     {"args", WRAP_ARGS},       {"url", WRAP_URL},
    {"serverUrl", WRAP_URL},       {"headers", WRAP_HEADERS}, {"env", WRAP_ENV},
    {"type", WRAP_TYPE},           {"oauth", WRAP_OTHER},     {"auth", WRAP_OTHER},
    {"headersHelper", WRAP_OTHER},
};

struct wrap_entry wrap_entry_read(const struct jsonc *c, const struct hostconfig_server *server)
{
    struct wrap_entry e = {.c = c, .server = server};

    if (jget_type(server->value) != JSCAN_OBJECT)
        return e;
    for (struct jget_iter it = jget_iter(server->value); jget_next(&it);) {
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            if (!jget_is_text(it.name, sp_str_of(known[i].name)))
                continue;
            e.is_unclear |= known[i].which != WRAP_OTHER && wrap_entry_has(&e, known[i].which);
            e.of[known[i].which] = (struct wrap_member){it.name, it.value};
        }
    }
    return e;
}

bool wrap_entry_has(const struct wrap_entry *e, enum wrap_entry_member which)
{
    return e->of[which].name.p != NULL;
}

bool wrap_entry_is_wrapped(const struct wrap_entry *e)
{
    static const struct sp_str names[] = {SP_STR("stretto-proxy"), SP_STR("stretto-proxy.exe")};
    struct sp_buf text = {0};
    bool is_wrapped = false;

    if (!wrap_entry_has(e, WRAP_COMMAND) || jget_type(e->of[WRAP_COMMAND].value) != JSCAN_STRING)
        return false;
    jget_text(e->of[WRAP_COMMAND].value, &text);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct sp_str command = sp_buf_str(&text);

        if (!sp_str_ends(command, names[i]))
            continue;
        command.len -= names[i].len;
        is_wrapped |= command.len == 0 || command.p[command.len - 1] == '/' ||
                      command.p[command.len - 1] == '\\';
    }
    sp_buf_deinit(&text);
    return is_wrapped;
}

struct sp_str wrap_entry_source(const struct wrap_entry *e)
{
    return jsonc_source(e->c, e->server->value);
}

void wrap_entry_replace(const struct wrap_entry *e, struct splice *s, struct sp_str span,
                        struct sp_str text)
{
    size_t from = jsonc_at(e->c, span.p);

    splice_add(s, from, from + span.len, text);
}

/* ---- layout ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Where the line begins that `at` is in, if nothing but blanks stands before it; else `at`. */
static size_t line_start(struct sp_str source, size_t at)
{
    size_t from = at;

    while (from > 0 && is_blank(source.p[from - 1]))
        from--;
    return from > 0 && source.p[from - 1] == '\n' ? from : at;
}

static size_t skip_blanks(struct sp_str source, size_t at)
{
    while (at < source.len && is_blank(source.p[at]))
        at++;
    return at;
}

/* Where the next line begins, if nothing but blanks stands before that; else `at`. */
static size_t line_end(struct sp_str source, size_t at)
{
    size_t to = skip_blanks(source, at);

    if (to < source.len && source.p[to] == '\r')
        to++;
    return to < source.len && source.p[to] == '\n' ? to + 1 : at;
}

/* Whether the file has no space behind its colons: told by the entry's first member. */
static bool is_close(const struct wrap_entry *e)
{
    struct jget_iter it = jget_iter(e->server->value);

    return jget_next(&it) && it.value.p == it.name.p + it.name.len + 1;
}

void wrap_entry_put_close_comma(struct sp_buf *b, const struct wrap_entry *e)
{
    sp_buf_add(b, is_close(e) ? SP_STR(",") : SP_STR(", "));
}

void wrap_entry_put_comma(struct sp_buf *b, const struct wrap_entry *e, struct sp_str span)
{
    size_t at = jsonc_at(e->c, span.p);
    size_t start = line_start(e->c->source, at);

    if (start == at && (at == 0 || e->c->source.p[at - 1] != '\n')) {
        wrap_entry_put_close_comma(b, e);
        return;
    }
    sp_buf_add_char(b, ',');
    start -= start > 1 && e->c->source.p[start - 2] == '\r' ? 2 : 1;
    sp_buf_add(b, sp_str_sub(e->c->source, start, at));
}

void wrap_entry_put_name(struct sp_buf *b, const struct wrap_entry *e, const char *name)
{
    jput_string(b, sp_str_of(name));
    sp_buf_add(b, is_close(e) ? SP_STR(":") : SP_STR(": "));
}

/* ---- removing ---- */

/* Whether the last member has a comma directly behind it, as files with trailing commas have. */
static bool ends_in_comma(const struct wrap_entry *e, struct sp_str object)
{
    struct sp_str last = {0};

    for (struct jget_iter it = jget_iter(object); jget_next(&it);)
        last = it.value;
    return e->c->source.p[jsonc_at(e->c, last.p) + last.len] == ',';
}

/* The comma that follows a span of the plain text, which is not the last of its object. */
static size_t comma_behind(const struct wrap_entry *e, struct sp_str span)
{
    size_t at = jsonc_at(e->c, span.p) + span.len;

    while (e->c->plain.p[at] != ',')
        at++;
    return at;
}

/* Removes what stands from `from` to `to`, with its lines when it has them to itself. */
static void remove_range(const struct wrap_entry *e, struct splice *s, size_t from, size_t to)
{
    struct sp_str source = e->c->source;
    size_t start = line_start(source, from);
    size_t end = line_end(source, to);
    bool is_at_start = start != from || (from > 0 && source.p[from - 1] == '\n');

    if (is_at_start && end != to) {
        splice_add(s, start, end, SP_STR(""));
        return;
    }
    splice_add(s, from, to, SP_STR(""));
}

/* Removes a member, and the comma behind it when it has one that `comma` is the place of. */
static void remove_member(const struct wrap_entry *e, struct splice *s, struct wrap_member m,
                          size_t comma)
{
    size_t from = jsonc_at(e->c, m.name.p);
    size_t to = jsonc_at(e->c, m.value.p) + m.value.len;

    if (comma == to)
        to++;
    else if (comma != NO_COMMA)
        splice_add(s, comma, comma + 1, SP_STR(""));
    if (comma == to - 1 && line_end(e->c->source, to) == to)
        to = skip_blanks(e->c->source, to);
    remove_range(e, s, from, to);
}

/* Removes the comma behind the last member that is kept, and the space to the next on its line. */
static void remove_last_comma(const struct wrap_entry *e, struct splice *s, size_t comma)
{
    size_t next = skip_blanks(e->c->source, comma + 1);

    splice_add(s, comma, e->c->source.p[next] == '"' ? next : comma + 1, SP_STR(""));
}

void wrap_entry_remove(const struct wrap_entry *e, struct splice *s, struct sp_str object,
                       const bool *is_out)
{
    size_t n = jget_count(object);
    size_t n_kept = n; /* up to the last that is kept */
    bool has_trailing = n > 0 && ends_in_comma(e, object);
    size_t i = 0;

    while (n_kept > 0 && is_out[n_kept - 1])
        n_kept--;
    if (n_kept == 0) {
        wrap_entry_replace(e, s, object, SP_STR("{}"));
        return;
    }
    for (struct jget_iter it = jget_iter(object); jget_next(&it); i++) {
        size_t end = jsonc_at(e->c, it.value.p) + it.value.len;
        size_t comma = i < n - 1 ? comma_behind(e, it.value) : has_trailing ? end : NO_COMMA;

        if (is_out[i])
            remove_member(e, s, (struct wrap_member){it.name, it.value}, comma);
        else if (i == n_kept - 1 && i < n - 1 && !has_trailing)
            remove_last_comma(e, s, comma);
    }
}
