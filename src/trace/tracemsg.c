/* Messages of a session. */

#include "json/jcanon.h"
#include "trace/tracemsg.h"

struct tracemsg_iter tracemsg_iter(enum line_from from, uint64_t t_ms, struct sp_str value)
{
    struct tracemsg_iter it = {.from = from, .t_ms = t_ms};

    if (value.p != NULL && jget_type(value) == JSCAN_ARRAY)
        it.batch = jget_iter(value);
    else
        it.single = value;
    return it;
}

static bool is_null(struct sp_str value)
{
    return jget_type(value) == JSCAN_NULL;
}

/* Where the message keeps a member of that name; NULL for a name of no interest. */
static struct sp_str *place(struct tracemsg *m, struct sp_str name)
{
    if (jget_is_text(name, SP_STR("id")))
        return &m->id;
    if (jget_is_text(name, SP_STR("method")))
        return &m->method;
    if (jget_is_text(name, SP_STR("params")))
        return &m->params;
    if (jget_is_text(name, SP_STR("result")))
        return &m->result;
    if (jget_is_text(name, SP_STR("error")))
        return &m->error;
    if (jget_is_text(name, SP_STR("role")))
        return &m->role;
    if (jget_is_text(name, SP_STR("content")))
        return &m->content;
    return NULL;
}

static void read_members(struct tracemsg *m)
{
    for (struct jget_iter it = jget_iter(m->text); jget_next(&it);) {
        struct sp_str *member = place(m, it.name);

        if (member != NULL)
            *member = it.value;
    }
    if (m->id.p != NULL && is_null(m->id))
        m->id = (struct sp_str){0};
    m->has_error = m->error.p != NULL;
    if (m->has_error && is_null(m->error))
        m->error = (struct sp_str){0};
}

bool tracemsg_next(struct tracemsg_iter *it, struct tracemsg *ret)
{
    struct sp_str text = it->single;

    it->single = (struct sp_str){0};
    while (text.p == NULL || jget_type(text) != JSCAN_OBJECT) {
        if (!jget_next(&it->batch))
            return false;
        text = it->batch.value;
    }
    *ret = (struct tracemsg){.from = it->from, .t_ms = it->t_ms, .text = text};
    read_members(ret);
    return true;
}

bool tracemsg_is(const struct tracemsg *m, struct sp_str method)
{
    return m->method.p != NULL && jget_is_text(m->method, method);
}

bool tracemsg_is_request(const struct tracemsg *m)
{
    return m->id.p != NULL && m->method.p != NULL && jget_type(m->method) == JSCAN_STRING;
}

bool tracemsg_is_response(const struct tracemsg *m)
{
    return m->id.p != NULL && m->method.p == NULL && (m->result.p != NULL || m->error.p != NULL);
}

void tracemsg_id_key(struct sp_str id, struct sp_buf *ret)
{
    jcanon_exact(ret, id);
}

void tracemsg_call_id(struct sp_str id, struct sp_buf *ret)
{
    if (jget_type(id) == JSCAN_STRING)
        jget_text(id, ret);
    else
        jcanon_exact(ret, id);
}

/* Appends the texts of the items of type "text"; whether there is one. */
static bool put_texts(struct sp_str content, struct sp_buf *ret)
{
    static const struct sp_str names[] = {SP_STR("type"), SP_STR("text")};
    struct sp_str item[2]; /* type, text */
    bool is_any = false;

    if (content.p == NULL || jget_type(content) != JSCAN_ARRAY)
        return false;
    for (struct jget_iter it = jget_iter(content); jget_next(&it);) {
        jget_members(it.value, names, 2, item);
        if (item[0].p == NULL || !jget_is_text(item[0], SP_STR("text")) || item[1].p == NULL ||
            jget_type(item[1]) != JSCAN_STRING)
            continue;
        if (is_any)
            sp_buf_add_char(ret, '\n');
        jget_text(item[1], ret);
        is_any = true;
    }
    return is_any;
}

bool tracemsg_result_text(const struct tracemsg *m, struct sp_buf *ret)
{
    enum { CONTENT, STRUCTURED, IS_ERROR, N };
    static const struct sp_str names[N] = {SP_STR("content"), SP_STR("structuredContent"),
                                           SP_STR("isError")};
    struct sp_str parts[N], message;

    if (m->error.p != NULL) {
        if (jget_member(m->error, SP_STR("message"), &message) &&
            jget_type(message) == JSCAN_STRING)
            jget_text(message, ret);
        else
            jcanon(ret, m->error);
        return true;
    }
    jget_members(m->result, names, N, parts);
    if (!put_texts(parts[CONTENT], ret))
        jcanon(ret, parts[STRUCTURED].p != NULL ? parts[STRUCTURED] : m->result);
    return parts[IS_ERROR].p != NULL && jget_type(parts[IS_ERROR]) == JSCAN_TRUE;
}
