/* What a session has shown, paragraph by paragraph of the chapter. */

#include <stdlib.h>

#include "base/sp_unicode.h"
#include "base/sp_utf8.h"
#include "json/jcanon.h"
#include "json/jget.h"
#include "json/jput.h"
#include "plain_session.h"

struct sp_str plain_session_keep(struct plain_session *m, struct sp_buf *b)
{
    struct sp_str s = sp_arena_copy(&m->arena, sp_buf_str(b));

    sp_buf_deinit(b);
    return s;
}

void plain_session_add_text(struct plain_session *m, struct plain_texts *t, struct sp_str text)
{
    if (t->n == t->max) {
        struct sp_str *grown = sp_arena_alloc(&m->arena, (2 * t->n + 4) * sizeof *grown);

        for (size_t i = 0; i < t->n; i++)
            grown[i] = t->of[i];
        t->of = grown;
        t->max = 2 * t->n + 4;
    }
    t->of[t->n++] = text;
}

bool plain_session_has_text(const struct plain_texts *t, struct sp_str text)
{
    for (size_t i = 0; i < t->n; i++) {
        if (sp_str_eq(t->of[i], text))
            return true;
    }
    return false;
}

static struct sp_str text_of(struct plain_session *m, struct sp_str string)
{
    struct sp_buf b = {0};

    jget_text(string, &b);
    return plain_session_keep(m, &b);
}

struct sp_str plain_session_value_text(struct plain_session *m, struct sp_str json)
{
    return jget_type(json) == JSCAN_STRING ? text_of(m, json) : json;
}

static struct sp_str lower(struct plain_session *m, struct sp_str s)
{
    struct sp_buf b = {0};

    while (s.len > 0) {
        char bytes[4];
        size_t n = sp_utf8_encode(sp_unicode_lower(sp_utf8_next(&s)), bytes);

        sp_buf_add(&b, (struct sp_str){bytes, n});
    }
    return plain_session_keep(m, &b);
}

static size_t n_chars(struct sp_str s)
{
    size_t n = 0;

    for (; s.len > 0; n++)
        (void)sp_utf8_next(&s);
    return n;
}

/* 9.2: a string that was reached; `holder` is the object it is a member of. */
static void add_value(struct plain_session *m, struct sp_str value, struct sp_str holder,
                      struct plain_values *ret)
{
    struct plain_value *v = &ret->of[ret->n];

    if (jget_type(value) != JSCAN_STRING)
        return;
    if (++ret->n == sizeof ret->of / sizeof *ret->of)
        abort();
    *v = (struct plain_value){.text = text_of(m, value)};
    if (holder.p == NULL)
        return;
    for (struct jget_iter it = jget_iter(holder); jget_next(&it);) {
        if (jget_type(it.value) == JSCAN_STRING && !sp_str_eq(text_of(m, it.value), v->text))
            plain_session_add_text(m, &v->siblings, text_of(m, it.value));
    }
}

/* 9.2: `path` is what is left of it. */
static void values_at(struct plain_session *m, struct sp_str value, struct sp_str holder,
                      struct sp_str path, struct plain_values *ret)
{
    struct sp_str member;
    size_t n = 1;

    if (path.len == 0) {
        add_value(m, value, holder, ret);
        return;
    }
    if (sp_str_starts(path, SP_STR("[*]"))) {
        if (jget_type(value) != JSCAN_ARRAY)
            return;
        for (struct jget_iter it = jget_iter(value); jget_next(&it);)
            values_at(m, it.value, (struct sp_str){0}, sp_str_sub(path, 3, path.len), ret);
        return;
    }
    if (path.p[0] != '.')
        return;
    while (n < path.len && path.p[n] != '.' && path.p[n] != '[')
        n++;
    if (jget_type(value) == JSCAN_OBJECT && jget_member(value, sp_str_sub(path, 1, n), &member))
        values_at(m, member, value, sp_str_sub(path, n, path.len), ret);
}

const struct plain_values *plain_session_values_of(struct plain_session *m,
                                                   const struct plain_output *o, struct sp_str path)
{
    struct plain_values *v = sp_arena_alloc(&m->arena, sizeof *v);

    if (path.len > 0 && path.p[0] == '$')
        values_at(m, o->json, (struct sp_str){0}, sp_str_sub(path, 1, path.len), v);
    return v;
}

/* 9.7: every string member with that key. */
void plain_session_named(struct plain_session *m, struct sp_str value, struct sp_str key,
                         struct plain_values *ret)
{
    if (jget_type(value) != JSCAN_OBJECT && jget_type(value) != JSCAN_ARRAY)
        return;
    for (struct jget_iter it = jget_iter(value); jget_next(&it);) {
        if (it.is_object && sp_str_eq(text_of(m, it.name), key))
            add_value(m, it.value, value, ret);
        plain_session_named(m, it.value, key, ret);
    }
}

/* 9.3 */
struct sp_str plain_session_output(struct plain_session *m, struct sp_str content)
{
    struct sp_buf b = {0};
    struct plain_texts lines = {0};
    struct jscan scan;
    size_t begin = 0;

    if (jscan(content, 127, &scan)) {
        jcanon(&b, scan.value);
        return plain_session_keep(m, &b);
    }
    for (size_t i = 0; i <= content.len; i++) {
        if (i < content.len && content.p[i] != '\n')
            continue;
        if (sp_unicode_trim(sp_str_sub(content, begin, i)).len > 0)
            plain_session_add_text(m, &lines, sp_unicode_trim(sp_str_sub(content, begin, i)));
        begin = i + 1;
    }
    if (lines.n < 2) {
        jput_string(&b, content);
        return plain_session_keep(m, &b);
    }
    for (size_t i = 0; i < lines.n; i++) {
        sp_buf_add_char(&b, i == 0 ? '[' : ',');
        jput_string(&b, lines.of[i]);
    }
    sp_buf_add_char(&b, ']');
    return plain_session_keep(m, &b);
}

/* 9.4 */
bool plain_session_mentions(struct plain_session *m, struct sp_str text)
{
    struct sp_str want = sp_unicode_trim(lower(m, text));

    while (want.len > 0 && want.p[0] == '#')
        want = sp_str_sub(want, 1, want.len);
    for (size_t i = 0; want.len > 0 && i + want.len <= m->customer.len; i++) {
        if (memcmp(m->customer.p + i, want.p, want.len) == 0)
            return true;
    }
    return false;
}

bool plain_session_mentions_record(struct plain_session *m, const struct plain_value *v)
{
    if (plain_session_mentions(m, v->text))
        return true;
    for (size_t i = 0; i < v->siblings.n; i++) {
        if (n_chars(v->siblings.of[i]) >= 4 && plain_session_mentions(m, v->siblings.of[i]))
            return true;
    }
    return false;
}

static bool is_key_like(struct sp_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.p[i] >= '0' && text.p[i] <= '9')
            return n_chars(text) >= 4;
    }
    return false;
}

void plain_session_scalars(struct plain_session *m, struct sp_str value, struct plain_texts *ret)
{
    if (jget_type(value) == JSCAN_STRING)
        plain_session_add_text(m, ret, lower(m, sp_unicode_trim(text_of(m, value))));
    else if (jget_type(value) == JSCAN_NUMBER)
        plain_session_add_text(m, ret, value);
    else if (jget_type(value) == JSCAN_ARRAY || jget_type(value) == JSCAN_OBJECT)
        for (struct jget_iter it = jget_iter(value); jget_next(&it);)
            plain_session_scalars(m, it.value, ret);
}

static bool is_shown_before(struct plain_session *m, size_t event, struct sp_str text)
{
    for (size_t i = 0; i < m->n_outputs; i++) {
        struct plain_texts shown = {0};

        if (m->outputs[i].event > event)
            continue;
        plain_session_scalars(m, m->outputs[i].json, &shown);
        if (plain_session_has_text(&shown, text))
            return true;
    }
    return false;
}

static void find_given(struct plain_session *m)
{
    for (size_t i = 0; i < m->n_made; i++) {
        struct plain_texts passed = {0};

        if (m->made[i].event == SIZE_MAX)
            continue;
        plain_session_scalars(m, m->made[i].call.arguments, &passed);
        for (size_t k = 0; k < passed.n; k++) {
            if (is_key_like(passed.of[k]) && !is_shown_before(m, m->made[i].event, passed.of[k]))
                plain_session_add_text(m, &m->given, passed.of[k]);
        }
    }
}

bool plain_session_is_from_customer(struct plain_session *m, struct sp_str text)
{
    return is_key_like(text) &&
           (plain_session_has_text(&m->given, text) || plain_session_mentions(m, text));
}

/* 9.5, step 1 */
void plain_session_read(struct plain_session *m, const struct episode_view *view)
{
    struct sp_buf customer = {0};
    const struct episode_call *calls;
    size_t n;

    for (size_t i = 0; i < m->e->n_events; i++) {
        const struct episode_event *event = &m->e->events[i];

        switch (event->kind) {
        case EPISODE_USER:
            sp_buf_add(&customer, lower(m, event->text));
            sp_buf_add_char(&customer, '\n');
            break;
        case EPISODE_ASSISTANT:
            calls = episode_view_calls(view, i, &n);
            for (size_t k = 0; k < n; k++)
                m->made[m->n_made++] = (struct plain_made){i, calls[k]};
            break;
        case EPISODE_RESULT:
            if (!event->is_error)
                m->outputs[m->n_outputs++] =
                    (struct plain_output){i, event->name, plain_session_output(m, event->text)};
            break;
        }
    }
    for (size_t i = 0; i < view->n_pending; i++)
        m->made[m->n_made++] = (struct plain_made){SIZE_MAX, view->pending[i]};
    m->customer = plain_session_keep(m, &customer);
    find_given(m);
}
