/* Results and their features. */

#include "base/sp_unicode.h"
#include "json/jcanon.h"
#include "json/jget.h"
#include "json/jput.h"
#include "procedure/procedure_features.h"
#include "procedure/procedure_text.h"

/* A member's text is a feature only up to so many characters. */
#define MAX_MEMBER 24

/* A line without a key is one only up to so many. */
#define MAX_LINE 60

/* So many digits in a row make a member's text an identifier, a date, an amount. */
#define MANY_DIGITS 3

void procedure_features_value(struct sp_str text, struct sp_buf *ret)
{
    struct sp_buf inner = {0};
    struct jscan found, inner_found;

    if (!jscan(text, PROCEDURE_TEXT_DEPTH, &found)) {
        jput_string(ret, text);
        return;
    }
    if (found.type == JSCAN_STRING) {
        jget_text(found.value, &inner);
        if (jscan(sp_buf_str(&inner), PROCEDURE_TEXT_DEPTH, &inner_found))
            found = inner_found;
    }
    jcanon(ret, found.value);
    sp_buf_deinit(&inner);
}

/* A feature under way. */
struct features {
    struct sp_buf text;
    size_t tool_len; /* what of the text is "TOOL:" */
    procedure_features_fn fn;
    void *data;
    struct sp_buf scratch;
};

static void begin(struct features *f)
{
    f->text.len = f->tool_len;
}

static void give(struct features *f)
{
    f->fn(f->data, sp_buf_str(&f->text));
}

static void add_name(struct features *f, struct sp_str name)
{
    jget_text(name, &f->text);
}

static void add_lower(struct features *f, struct sp_str text)
{
    sp_unicode_put_lower(&f->text, sp_unicode_trim(text));
}

/* The text of a string's span, good until the next. */
static struct sp_str text_of(struct features *f, struct sp_str string)
{
    sp_buf_clear(&f->scratch);
    jget_text(string, &f->scratch);
    return sp_buf_str(&f->scratch);
}

static bool has_many_digits(struct sp_str text)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len && n < MANY_DIGITS; i++)
        n = text.p[i] >= '0' && text.p[i] <= '9' ? n + 1 : 0;
    return n == MANY_DIGITS;
}

/* Gives len(NAME); name: a string's span, or NULL in its `p` for the whole value. */
static void give_length(struct features *f, struct sp_str name, struct sp_str container)
{
    struct jget_iter it = jget_iter(container);
    size_t n = 0;

    while (n < 2 && jget_next(&it))
        n++;
    begin(f);
    sp_buf_add(&f->text, SP_STR("len("));
    if (name.p != NULL)
        add_name(f, name);
    else
        sp_buf_add_char(&f->text, '$');
    sp_buf_add(&f->text, SP_STR(")="));
    sp_buf_addf(&f->text, n < 2 ? "%zu" : "%zu+", n);
    give(f);
}

static void give_statuses(struct features *f, struct sp_str name, struct sp_str object)
{
    struct sp_str status;

    for (struct jget_iter it = jget_iter(object); jget_next(&it);) {
        if (!jget_member(it.value, SP_STR("status"), &status) || jget_type(status) != JSCAN_STRING)
            continue;
        begin(f);
        add_name(f, name);
        sp_buf_add(&f->text, SP_STR(".*.status="));
        add_lower(f, text_of(f, status));
        give(f);
    }
}

static void give_text(struct features *f, struct sp_str name, struct sp_str text)
{
    begin(f);
    add_name(f, name);
    sp_buf_add_char(&f->text, '=');
    add_lower(f, text);
    give(f);
}

/* A number in canonical JSON is whole if it has neither fraction nor exponent. */
static bool is_whole(struct sp_str number)
{
    return sp_str_find(number, '.') == number.len && sp_str_find(number, 'e') == number.len;
}

static void give_member(struct features *f, struct sp_str name, struct sp_str value)
{
    struct sp_str text;

    switch (jget_type(value)) {
    case JSCAN_STRING:
        text = text_of(f, value);
        if (procedure_text_length(text) <= MAX_MEMBER && !has_many_digits(text))
            give_text(f, name, text);
        break;
    case JSCAN_NUMBER:
        if (is_whole(value))
            give_text(f, name, value);
        break;
    case JSCAN_TRUE:
    case JSCAN_FALSE:
        give_text(f, name, value);
        break;
    case JSCAN_ARRAY:
        give_length(f, name, value);
        break;
    case JSCAN_OBJECT:
        give_length(f, name, value);
        give_statuses(f, name, value);
        break;
    case JSCAN_NULL:
        break;
    }
}

/* Gives the parts of what follows a line's key. */
static void give_parts(struct features *f, struct sp_str key, struct sp_str rest)
{
    for (bool is_last = false; !is_last;) {
        size_t bar = sp_str_find(rest, '|');
        struct sp_str part = sp_unicode_trim(sp_str_sub(rest, 0, bar));

        is_last = bar == rest.len;
        rest = sp_str_sub(rest, is_last ? bar : bar + 1, rest.len);
        if (part.len == 0 || procedure_text_has_digit(part))
            continue;
        begin(f);
        add_lower(f, key);
        sp_buf_add_char(&f->text, '=');
        add_lower(f, part);
        give(f);
    }
}

static void give_line(struct features *f, struct sp_str line)
{
    const char *colon = line.len > 0 ? memmem(line.p, line.len, ": ", 2) : NULL;

    if (colon != NULL) {
        size_t at = (size_t)(colon - line.p);

        give_parts(f, sp_str_sub(line, 0, at), sp_str_sub(line, at + 2, line.len));
    } else if (line.len > 0 && procedure_text_length(line) <= MAX_LINE &&
               !procedure_text_has_digit(line)) {
        begin(f);
        sp_buf_add(&f->text, SP_STR("says "));
        add_lower(f, line);
        give(f);
    }
}

static void give_lines(struct features *f, struct sp_str text)
{
    while (text.len > 0) {
        size_t end = sp_str_find(text, '\n');

        give_line(f, sp_unicode_trim(sp_str_sub(text, 0, end)));
        text = sp_str_sub(text, end < text.len ? end + 1 : end, text.len);
    }
}

static void give_all(struct features *f, struct sp_str value)
{
    switch (jget_type(value)) {
    case JSCAN_OBJECT:
        for (struct jget_iter it = jget_iter(value); jget_next(&it);)
            give_member(f, it.name, it.value);
        break;
    case JSCAN_ARRAY:
        give_length(f, (struct sp_str){0}, value);
        break;
    case JSCAN_STRING:
        give_lines(f, text_of(f, value));
        break;
    case JSCAN_NUMBER:
    case JSCAN_NULL:
    case JSCAN_FALSE:
    case JSCAN_TRUE:
        break;
    }
}

static void start(struct features *f, struct sp_str tool, const char *first)
{
    sp_buf_add(&f->text, tool);
    sp_buf_add_char(&f->text, ':');
    f->tool_len = f->text.len;
    sp_buf_add(&f->text, sp_str_of(first));
    give(f);
}

static void finish(struct features *f)
{
    sp_buf_deinit(&f->text);
    sp_buf_deinit(&f->scratch);
}

void procedure_features_of(struct sp_str tool, struct sp_str value, procedure_features_fn fn,
                           void *data)
{
    struct features f = {.fn = fn, .data = data};

    start(&f, tool, "error=False");
    give_all(&f, value);
    finish(&f);
}

void procedure_features_of_failure(struct sp_str tool, procedure_features_fn fn, void *data)
{
    struct features f = {.fn = fn, .data = data};

    start(&f, tool, "error");
    finish(&f);
}
