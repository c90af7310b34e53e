/*
 * The first pass: which sessions contain a value, what schemas declare, what is always replaced.
 *
 * Messages are walked in their canonical form, so that of a name that occurs twice only the value
 * counts that is written in the end, and numbers are texts as they stand.
 */

#include "base/sp_unicode.h"
#include "json/jcanon.h"
#include "trace/redact_impl.h"

/* A value's text stands in the current session. Only leaves and lines can be phrases. */
static void count(struct redact *r, struct sp_str text)
{
    size_t value = redact_find(r, text);
    struct redact_value *v;
    struct sp_str word;

    if (value == REDACT_NONE)
        return;
    v = &r->values[value];
    if (v->last_session != r->n_sessions) {
        v->last_session = r->n_sessions;
        v->n_sessions++;
    }
    if (!v->is_phrase) {
        struct sp_str rest = text;

        v->is_phrase = redact_next_word(&rest, &word) && redact_next_word(&rest, &word);
    }
}

static void count_words(struct redact *r, struct sp_str text)
{
    struct sp_str word;

    while (redact_next_word(&text, &word))
        count(r, redact_core(word));
}

static void count_lines(struct redact *r, struct sp_str text)
{
    struct sp_str line;

    while (redact_next_line(&text, &line))
        count(r, line);
}

static void force(struct redact *r, struct sp_str text)
{
    size_t value = redact_find(r, text);
    struct sp_str word;

    if (value != REDACT_NONE)
        r->values[value].is_forced = true;
    while (redact_next_word(&text, &word)) {
        value = redact_find(r, redact_core(word));
        if (value != REDACT_NONE)
            r->values[value].is_forced = true;
    }
}

/* Whether a name, as written, is one of the fields that are always replaced. */
static bool is_field(struct redact *r, struct sp_str name)
{
    redact_key(redact_text(name, &r->leaf), &r->key);
    return sp_map_find(&r->fields, sp_buf_str(&r->key)) != NULL;
}

/*
 * Counts all the leaves of a canonical value. Recurses as deep as it nests.
 *
 * is_forced: whether it stands below one of the fields that are always replaced.
 */
static void count_leaves(struct redact *r, struct sp_str value, bool is_forced)
{
    struct sp_str text = value;

    switch (jget_type(value)) {
    case JSCAN_OBJECT:
    case JSCAN_ARRAY:
        for (struct jget_iter it = jget_iter(value); jget_next(&it);) {
            if (it.is_object)
                count(r, redact_text(it.name, &r->leaf));
            count_leaves(r, it.value,
                         is_forced || (it.is_object && r->fields.n > 0 && is_field(r, it.name)));
        }
        break;
    case JSCAN_STRING:
    case JSCAN_NUMBER:
        if (*value.p == '"')
            text = redact_text(value, &r->leaf);
        count(r, text);
        if (is_forced)
            force(r, text);
        break;
    default:
        break;
    }
}

static void count_tool_text(struct redact *r, struct sp_str text)
{
    struct jscan found;

    if (!redact_text_is_json(text, &found)) {
        count_lines(r, text);
        return;
    }
    sp_buf_clear(&r->json);
    jcanon(&r->json, found.value);
    count_leaves(r, sp_buf_str(&r->json), false);
}

static void declare(struct redact *r, struct sp_str string)
{
    size_t value = redact_find(r, redact_text(string, &r->leaf));

    if (value != REDACT_NONE)
        r->values[value].is_declared = true;
}

/* Declares the names of the properties and the texts of the enums in a schema, at any depth. */
static void declare_schema(struct redact *r, struct sp_str schema)
{
    for (struct jget_iter it = jget_iter(schema); jget_next(&it);) {
        bool is_properties = it.is_object && jget_is_text(it.name, SP_STR("properties")) &&
                             jget_type(it.value) == JSCAN_OBJECT;
        bool is_enum = it.is_object && jget_is_text(it.name, SP_STR("enum")) &&
                       jget_type(it.value) == JSCAN_ARRAY;

        if (is_properties || is_enum) {
            for (struct jget_iter in = jget_iter(it.value); jget_next(&in);) {
                if (is_properties)
                    declare(r, in.name);
                else if (jget_type(in.value) == JSCAN_STRING)
                    declare(r, in.value);
            }
        }
        declare_schema(r, it.value);
    }
}

static void declare_tools(struct redact *r, struct sp_str result)
{
    struct sp_str part;

    if (!jget_member(result, SP_STR("tools"), &part) || jget_type(part) != JSCAN_ARRAY)
        return;
    for (struct jget_iter it = jget_iter(part); jget_next(&it);) {
        if (jget_member(it.value, SP_STR("name"), &part) && jget_type(part) == JSCAN_STRING)
            declare(r, part);
        if (jget_member(it.value, SP_STR("inputSchema"), &part))
            declare_schema(r, part);
        if (jget_member(it.value, SP_STR("outputSchema"), &part))
            declare_schema(r, part);
    }
}

static void count_part(struct redact *r, struct sp_str value, const struct redact_shape *shape)
{
    enum jscan_type type = jget_type(value);

    switch (shape->how) {
    case REDACT_PARTS:
        if (type != JSCAN_OBJECT)
            break;
        for (struct jget_iter it = jget_iter(value); jget_next(&it);) {
            const struct redact_shape *part = redact_part_of(shape, it.name);

            if (part != NULL)
                count_part(r, it.value, part);
        }
        break;
    case REDACT_ELEMENTS:
        if (type != JSCAN_ARRAY)
            break;
        for (struct jget_iter it = jget_iter(value); jget_next(&it);)
            count_part(r, it.value, shape->parts[0].shape);
        break;
    case REDACT_LEAVES:
        count_leaves(r, value, false);
        break;
    case REDACT_TEXT:
        if (type == JSCAN_STRING)
            count_tool_text(r, redact_text(value, &r->text));
        break;
    case REDACT_WORDS:
        if (type == JSCAN_STRING)
            count_words(r, redact_text(value, &r->text));
        break;
    case REDACT_LISTING:
        break;
    }
}

static void count_message(struct redact *r, struct redact_asked *asked, const struct tracemsg *m)
{
    const struct redact_shape *shape = redact_shape_of(asked, m);

    if (shape == NULL)
        return;
    if (shape->how == REDACT_LISTING && m->result.p != NULL)
        declare_tools(r, m->result);
    count_part(r, m->text, shape);
}

void redact_count(struct redact *r, const struct sessionlog *log)
{
    struct redact_asked asked = {0};

    r->n_sessions++;
    for (size_t i = 0; i < log->n_entries; i++) {
        const struct sessionlog_entry *e = &log->entries[i];
        struct tracemsg_iter it;
        struct tracemsg m;

        if (e->message.p == NULL)
            continue;
        sp_buf_clear(&r->message);
        jcanon_exact(&r->message, e->message);
        it = tracemsg_iter(e->from, e->t_ms, sp_buf_str(&r->message));
        while (tracemsg_next(&it, &m))
            count_message(r, &asked, &m);
    }
    redact_asked_deinit(&asked);
}
