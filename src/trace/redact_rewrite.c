/*
 * The second pass: copies of logs.
 *
 * Messages are walked in their canonical form, and written with what is replaced in place; the
 * log's writer then puts renamed members where they belong. Since they come in byte order of the
 * original names, the last of two that became the same is the one that stays.
 */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "json/jcanon.h"
#include "json/jput.h"
#include "trace/redact_impl.h"

/* Appends a name, a string or a number of a canonical value, or what replaces it. */
static void put_leaf(struct redact *r, struct sp_str leaf, enum redact_place place,
                     struct sp_buf *out)
{
    struct sp_str text = *leaf.p == '"' ? redact_text(leaf, &r->leaf) : leaf;
    struct sp_str pseudonym = redact_replace(r, redact_find(r, text), place);

    if (pseudonym.p != NULL)
        jput_string(out, pseudonym);
    else
        sp_buf_add(out, leaf);
}

/* Recurses as deep as the value nests. */
static void put_leaves(struct redact *r, struct sp_str value, enum redact_place place,
                       struct sp_buf *out)
{
    bool is_first = true;
    struct jget_iter it;

    switch (jget_type(value)) {
    case JSCAN_OBJECT:
    case JSCAN_ARRAY:
        sp_buf_add_char(out, *value.p);
        for (it = jget_iter(value); jget_next(&it); is_first = false) {
            if (!is_first)
                sp_buf_add_char(out, ',');
            if (it.is_object) {
                put_leaf(r, it.name, place, out);
                sp_buf_add_char(out, ':');
            }
            put_leaves(r, it.value, place, out);
        }
        sp_buf_add_char(out, it.is_object ? '}' : ']');
        break;
    case JSCAN_STRING:
    case JSCAN_NUMBER:
        put_leaf(r, value, place, out);
        break;
    default:
        sp_buf_add(out, value);
        break;
    }
}

static void put_lines(struct redact *r, struct sp_str text, enum redact_place place,
                      struct sp_buf *out)
{
    bool is_first = true;
    struct sp_str line;

    for (; redact_next_line(&text, &line); is_first = false) {
        struct sp_str pseudonym = redact_replace(r, redact_find(r, line), place);

        if (!is_first)
            sp_buf_add_char(out, '\n');
        sp_buf_add(out, pseudonym.p != NULL ? pseudonym : line);
    }
}

static void put_tool_text(struct redact *r, struct sp_str text, enum redact_place place,
                          struct sp_buf *out)
{
    struct jscan found;

    if (!redact_text_is_json(text, &found)) {
        put_lines(r, text, place, out);
        return;
    }
    sp_buf_clear(&r->json);
    sp_buf_clear(&r->canonical);
    jcanon(&r->canonical, found.value);
    put_leaves(r, sp_buf_str(&r->canonical), place, &r->json);
    jcanon(out, sp_buf_str(&r->json));
}

/* Finds the values of a line's words. */
static size_t read_words(struct redact *r, struct sp_str line)
{
    struct sp_str word;
    size_t n = 0;

    while (redact_next_word(&line, &word)) {
        if (n == r->max_words) {
            r->max_words = r->max_words > 0 ? 2 * r->max_words : 64;
            r->words = sp_realloc(r->words, r->max_words * sizeof *r->words);
        }
        r->words[n++] = redact_find(r, redact_core(word));
    }
    return n;
}

/* Appends what stands before, or after, the core of a word. */
static void put_before(struct sp_str word, struct sp_buf *out)
{
    sp_buf_add(out, sp_str_sub(word, 0, (size_t)(redact_core(word).p - word.p)));
}

static void put_after(struct sp_str word, struct sp_buf *out)
{
    struct sp_str core = redact_core(word);

    sp_buf_add(out, sp_str_sub(word, (size_t)(core.p + core.len - word.p), word.len));
}

static void put_line_by_words(struct redact *r, struct sp_str line, enum redact_place place,
                              struct sp_buf *out)
{
    size_t n_words = read_words(r, line);
    struct sp_str word;

    for (size_t i = 0; i < n_words;) {
        size_t len = 1;
        size_t value = redact_phrases_find(r, r->words + i, n_words - i, &len);
        struct sp_str pseudonym;
        struct sp_str last;

        (void)redact_next_word(&line, &word); /* there are as many as were read */
        last = word;
        pseudonym = redact_replace(r, value != REDACT_NONE ? value : r->words[i], place);
        for (size_t more = len; more > 1; more--)
            (void)redact_next_word(&line, &last);
        if (i > 0)
            sp_buf_add_char(out, ' ');
        if (pseudonym.p != NULL) {
            put_before(word, out);
            sp_buf_add(out, pseudonym);
            put_after(last, out);
        } else {
            sp_buf_add(out, word);
        }
        i += len;
    }
}

static void put_by_words(struct redact *r, struct sp_str text, enum redact_place place,
                         struct sp_buf *out)
{
    bool is_first = true;
    struct sp_str line;

    for (; redact_next_line(&text, &line); is_first = false) {
        if (!is_first)
            sp_buf_add_char(out, '\n');
        put_line_by_words(r, line, place, out);
    }
}

/* Appends a text's string as its shape says. */
static void put_text(struct redact *r, struct sp_str string, const struct redact_shape *shape,
                     struct sp_buf *out)
{
    struct sp_str text = redact_text(string, &r->text);

    sp_buf_clear(&r->rewritten);
    if (shape->how == REDACT_TEXT)
        put_tool_text(r, text, shape->place, &r->rewritten);
    else
        put_by_words(r, text, shape->place, &r->rewritten);
    jput_string(out, sp_buf_str(&r->rewritten));
}

/*
 * Appends a part of a message.
 *
 * shape: NULL if it is no data.
 */
static void put_part(struct redact *r, struct sp_str value, const struct redact_shape *shape,
                     struct sp_buf *out);

static void put_parts(struct redact *r, struct sp_str value, const struct redact_shape *shape,
                      struct sp_buf *out)
{
    struct jget_iter it = jget_iter(value);

    sp_buf_add_char(out, *value.p);
    for (bool is_first = true; jget_next(&it); is_first = false) {
        if (!is_first)
            sp_buf_add_char(out, ',');
        if (it.is_object) {
            sp_buf_add(out, it.name);
            sp_buf_add_char(out, ':');
            put_part(r, it.value, redact_part_of(shape, it.name), out);
        } else {
            put_part(r, it.value, shape->parts[0].shape, out);
        }
    }
    sp_buf_add_char(out, it.is_object ? '}' : ']');
}

static void put_part(struct redact *r, struct sp_str value, const struct redact_shape *shape,
                     struct sp_buf *out)
{
    enum jscan_type type = jget_type(value);
    enum redact_how how = shape != NULL ? shape->how : REDACT_LISTING;

    if ((how == REDACT_PARTS && type == JSCAN_OBJECT) ||
        (how == REDACT_ELEMENTS && type == JSCAN_ARRAY))
        put_parts(r, value, shape, out);
    else if (how == REDACT_LEAVES)
        put_leaves(r, value, shape->place, out);
    else if ((how == REDACT_TEXT || how == REDACT_WORDS) && type == JSCAN_STRING)
        put_text(r, value, shape, out);
    else
        sp_buf_add(out, value);
}

/* Appends one message of an entry, or what is no object among them. */
static void put_message(struct redact *r, struct redact_asked *asked,
                        const struct sessionlog_entry *e, struct sp_str value, struct sp_buf *out)
{
    const struct redact_shape *shape = NULL;
    struct tracemsg_iter it;
    struct tracemsg m;

    if (jget_type(value) == JSCAN_OBJECT) {
        it = tracemsg_iter(e->from, e->t_ms, value);
        if (tracemsg_next(&it, &m))
            shape = redact_shape_of(asked, &m);
    }
    put_part(r, value, shape, out);
}

/* The copy of an entry's message; good until the next. */
static struct sp_str rewrite_message(struct redact *r, struct redact_asked *asked,
                                     const struct sessionlog_entry *e)
{
    struct sp_str value;
    bool is_first = true;

    sp_buf_clear(&r->message);
    sp_buf_clear(&r->out);
    jcanon_exact(&r->message, e->message);
    value = sp_buf_str(&r->message);
    if (jget_type(value) != JSCAN_ARRAY) {
        put_message(r, asked, e, value, &r->out);
        return sp_buf_str(&r->out);
    }
    sp_buf_add_char(&r->out, '[');
    for (struct jget_iter it = jget_iter(value); jget_next(&it); is_first = false) {
        if (!is_first)
            sp_buf_add_char(&r->out, ',');
        put_message(r, asked, e, it.value, &r->out);
    }
    sp_buf_add_char(&r->out, ']');
    return sp_buf_str(&r->out);
}

void redact_rewrite(struct redact *r, const struct sessionlog *log, struct sp_buf *ret)
{
    struct redact_asked asked = {0};

    sessionlog_write_header(ret, &log->header);
    for (size_t i = 0; i < log->n_entries; i++) {
        struct sessionlog_entry copy = log->entries[i];

        if (copy.message.p != NULL)
            copy.message = rewrite_message(r, &asked, &log->entries[i]);
        if (copy.raw.p != NULL) {
            sp_buf_clear(&r->raw);
            put_text(r, copy.raw, &redact_raw, &r->raw);
            copy.raw = sp_buf_str(&r->raw);
        }
        sessionlog_write_entry(ret, &copy);
    }
    redact_asked_deinit(&asked);
}
