/*
 * Reads JSON with comments.
 *
 * One pass over the bytes decides what may come next; what is nested around them is on a stack of
 * opening brackets. Strings, numbers and literals are cut out here and judged by jscan.
 */

#include <errno.h>

#include "base/sp_utf8.h"
#include "config/jsonc.h"
#include "json/jscan.h"

#define NOWHERE SIZE_MAX

/* What has to come next. */
enum want {
    WANT_VALUE,   /* nothing but a value */
    WANT_ELEMENT, /* the first element or the one behind a comma, or the array's end */
    WANT_NAME,    /* the same of an object */
    WANT_COLON,
    WANT_COMMA, /* or the end of what is open */
    WANT_NOTHING,
};

struct reader {
    struct sp_str source;
    char *plain; /* as long as the source */
    size_t at;
    enum want want;
    size_t comma; /* the comma that stands directly before, or NOWHERE */
    char open[JSONC_DEPTH];
    size_t depth;
    size_t from; /* of the value as a whole */
    size_t to;
    struct sp_err *ret_err;
};

static int fail(struct reader *r, size_t at, const char *what)
{
    size_t line = 1;

    for (size_t i = 0; i < at; i++)
        line += r->source.p[i] == '\n';
    sp_err_set(r->ret_err, "line %zu: %s", line, what);
    return -EINVAL;
}

static int fail_wanting(struct reader *r)
{
    static const char *const whats[] = {
        [WANT_VALUE] = "a value is missing",
        [WANT_ELEMENT] = "a value is missing",
        [WANT_NAME] = "a name in quotes is missing",
        [WANT_COLON] = "a colon is missing behind a name",
        [WANT_COMMA] = "a comma is missing before what stands here",
        [WANT_NOTHING] = "something follows the end of the value",
    };

    if (r->at == r->source.len && r->depth > 0)
        return fail(r, r->at, "the text ends before all brackets are closed");
    return fail(r, r->at, whats[r->want]);
}

static void blank(struct reader *r, size_t from, size_t to)
{
    memset(r->plain + from, ' ', to - from);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Skips a comment, whose first slash is next. */
static int skip_comment(struct reader *r)
{
    struct sp_str rest = sp_str_sub(r->source, r->at, r->source.len);
    size_t len;

    if (sp_str_starts(rest, SP_STR("//"))) {
        len = sp_str_find(rest, '\n');
    } else if (sp_str_starts(rest, SP_STR("/*"))) {
        const char *end = memmem(rest.p + 2, rest.len - 2, "*/", 2);

        if (end == NULL)
            return fail(r, r->at, "a comment has no end");
        len = (size_t)(end + 2 - rest.p);
    } else {
        return fail(r, r->at, "a slash begins no comment here");
    }
    blank(r, r->at, r->at + len);
    r->at += len;
    return 0;
}

/* Skips white space and comments. */
static int skip_space(struct reader *r)
{
    int err = 0;

    while (err == 0 && r->at < r->source.len) {
        if (is_space(r->source.p[r->at]))
            r->at++;
        else if (r->source.p[r->at] == '/')
            err = skip_comment(r);
        else
            break;
    }
    return err;
}

static int take_string(struct reader *r)
{
    size_t from = r->at;
    size_t end = from + 1;
    struct jscan scan;

    while (end < r->source.len && r->source.p[end] != '"' && r->source.p[end] != '\n')
        end += r->source.p[end] == '\\' ? 2 : 1;
    if (end >= r->source.len || r->source.p[end] != '"')
        return fail(r, from, "a string has no end");
    if (!jscan_grammar(sp_str_sub(r->source, from, end + 1), &scan))
        return fail(r, from, "a string holds what JSON does not have");
    r->at = end + 1;
    return 0;
}

/* Takes a number, true, false or null. */
static int take_word(struct reader *r)
{
    size_t from = r->at;
    struct jscan scan;

    while (r->at < r->source.len && !is_space(r->source.p[r->at]) &&
           (r->source.p[r->at] == '\0' || strchr(",:[]{}\"/", r->source.p[r->at]) == NULL))
        r->at++;
    if (!jscan_grammar(sp_str_sub(r->source, from, r->at), &scan))
        return fail(r, from, "this is no value of JSON");
    return 0;
}

static void value_ends(struct reader *r)
{
    r->want = r->depth > 0 ? WANT_COMMA : WANT_NOTHING;
    r->comma = NOWHERE;
    r->to = r->at;
}

static int open_bracket(struct reader *r, char c)
{
    if (r->depth == JSONC_DEPTH)
        return fail(r, r->at, "brackets nest too deep");
    r->open[r->depth++] = c;
    r->at++;
    r->comma = NOWHERE;
    r->want = c == '[' ? WANT_ELEMENT : WANT_NAME;
    return 0;
}

static int take_value(struct reader *r, char c)
{
    int err;

    if (r->depth == 0)
        r->from = r->at;
    if (c == '[' || c == '{')
        return open_bracket(r, c);
    err = c == '"' ? take_string(r) : take_word(r);
    if (err == 0)
        value_ends(r);
    return err;
}

/* Whether `c` closes what is open, where it may be closed. */
static bool is_closing(const struct reader *r, char c)
{
    if (r->depth == 0)
        return false;
    if (r->open[r->depth - 1] == '[')
        return c == ']' && (r->want == WANT_ELEMENT || r->want == WANT_COMMA);
    return c == '}' && (r->want == WANT_NAME || r->want == WANT_COMMA);
}

static int close_bracket(struct reader *r)
{
    if (r->comma != NOWHERE)
        blank(r, r->comma, r->comma + 1);
    r->depth--;
    r->at++;
    value_ends(r);
    return 0;
}

static int take_punctuation(struct reader *r, char c, enum want want)
{
    r->comma = c == ',' ? r->at : NOWHERE;
    r->at++;
    r->want = want;
    return 0;
}

static int take_name(struct reader *r)
{
    int err = take_string(r);

    r->want = WANT_COLON;
    return err;
}

/* Takes what is next, which is no space. */
static int take(struct reader *r)
{
    char c = r->source.p[r->at];
    bool is_value = c != '\0' && strchr(",:]}", c) == NULL;

    if (is_closing(r, c))
        return close_bracket(r);
    if ((r->want == WANT_VALUE || r->want == WANT_ELEMENT) && is_value)
        return take_value(r, c);
    if (r->want == WANT_NAME && c == '"')
        return take_name(r);
    if (r->want == WANT_COLON && c == ':')
        return take_punctuation(r, c, WANT_VALUE);
    if (r->want == WANT_COMMA && c == ',')
        return take_punctuation(r, c, r->open[r->depth - 1] == '[' ? WANT_ELEMENT : WANT_NAME);
    return fail_wanting(r);
}

static int check_utf8(struct reader *r)
{
    size_t at = 0;

    while (at < r->source.len) {
        struct sp_str rest = sp_str_sub(r->source, at, r->source.len);
        size_t end = sp_str_find(rest, '\n');

        if (!sp_utf8_is_valid(sp_str_sub(rest, 0, end)))
            return fail(r, at, "this is not valid UTF-8");
        at += end + (end < rest.len);
    }
    return 0;
}

static int read_all(struct reader *r)
{
    static const struct sp_str mark = SP_STR("\xef\xbb\xbf");
    int err = check_utf8(r);

    if (err == 0 && sp_str_starts(r->source, mark)) {
        blank(r, 0, mark.len);
        r->at = mark.len;
    }
    while (err == 0) {
        err = skip_space(r);
        if (err < 0 || r->at == r->source.len)
            break;
        err = take(r);
    }
    return err == 0 && r->want != WANT_NOTHING ? fail_wanting(r) : err;
}

int jsonc_read(struct sp_str source, struct jsonc *ret, struct sp_err *ret_err)
{
    struct sp_buf plain = {0};
    struct reader r = {.source = source, .comma = NOWHERE, .ret_err = ret_err};
    int err;

    sp_buf_add(&plain, source);
    r.plain = plain.p;
    err = read_all(&r);
    if (err < 0) {
        sp_buf_deinit(&plain);
        return err;
    }
    *ret = (struct jsonc){source, plain, sp_str_sub(sp_buf_str(&plain), r.from, r.to)};
    return 0;
}

void jsonc_deinit(struct jsonc *c)
{
    sp_buf_deinit(&c->plain);
    *c = (struct jsonc){0};
}

size_t jsonc_at(const struct jsonc *c, const char *p)
{
    return (size_t)(p - c->plain.p);
}

struct sp_str jsonc_source(const struct jsonc *c, struct sp_str span)
{
    size_t from = jsonc_at(c, span.p);

    return sp_str_sub(c->source, from, from + span.len);
}
