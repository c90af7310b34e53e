/*
 * Which parts of a session's messages hold data (docs/privacy.md). The tables below are what both
 * passes walk by, so that nothing is rewritten that was not counted, or the other way round.
 */

#include "trace/redact_impl.h"

/* What was asked, as far as it matters for the answer. */
enum method {
    METHOD_OTHER,
    METHOD_CALL,
    METHOD_LIST,
    METHOD_INITIALIZE,
    METHOD_PING,
};

static const struct redact_shape error_message = {REDACT_WORDS, REDACT_ERRORS, {{{0}, NULL}}};
static const struct redact_shape error_data = {REDACT_LEAVES, REDACT_ERRORS, {{{0}, NULL}}};
static const struct redact_shape error = {
    REDACT_PARTS,
    REDACT_ERRORS,
    {{SP_STR("message"), &error_message}, {SP_STR("data"), &error_data}},
};

static const struct redact_shape said = {REDACT_WORDS, REDACT_CONVERSATION, {{{0}, NULL}}};
static const struct redact_shape conversation = {
    REDACT_PARTS,
    REDACT_CONVERSATION,
    {{SP_STR("content"), &said}},
};

static const struct redact_shape arguments = {REDACT_LEAVES, REDACT_ARGUMENTS, {{{0}, NULL}}};
static const struct redact_shape call_params = {
    REDACT_PARTS,
    REDACT_ARGUMENTS,
    {{SP_STR("arguments"), &arguments}},
};
static const struct redact_shape call = {
    REDACT_PARTS,
    REDACT_ARGUMENTS,
    {{SP_STR("params"), &call_params}},
};

static const struct redact_shape tool_text = {REDACT_TEXT, REDACT_RESULTS, {{{0}, NULL}}};
static const struct redact_shape content_item = {
    REDACT_PARTS,
    REDACT_RESULTS,
    {{SP_STR("text"), &tool_text}},
};
static const struct redact_shape content = {
    REDACT_ELEMENTS,
    REDACT_RESULTS,
    {{{0}, &content_item}},
};
static const struct redact_shape structured = {REDACT_LEAVES, REDACT_RESULTS, {{{0}, NULL}}};
static const struct redact_shape call_result = {
    REDACT_PARTS,
    REDACT_RESULTS,
    {{SP_STR("content"), &content}, {SP_STR("structuredContent"), &structured}},
};
static const struct redact_shape result = {
    REDACT_PARTS,
    REDACT_RESULTS,
    {{SP_STR("result"), &call_result}, {SP_STR("error"), &error}},
};

static const struct redact_shape other_leaves = {REDACT_LEAVES, REDACT_OTHER, {{{0}, NULL}}};
static const struct redact_shape other = {
    REDACT_PARTS,
    REDACT_OTHER,
    {{SP_STR("params"), &other_leaves},
     {SP_STR("result"), &other_leaves},
     {SP_STR("error"), &error}},
};

static const struct redact_shape listing = {REDACT_LISTING, REDACT_OTHER, {{{0}, NULL}}};

const struct redact_shape redact_raw = {REDACT_WORDS, REDACT_OTHER, {{{0}, NULL}}};

static enum method method_of(const struct tracemsg *m)
{
    if (tracemsg_is(m, SP_STR("tools/call")))
        return METHOD_CALL;
    if (tracemsg_is(m, SP_STR("tools/list")))
        return METHOD_LIST;
    if (tracemsg_is(m, SP_STR("initialize")))
        return METHOD_INITIALIZE;
    return tracemsg_is(m, SP_STR("ping")) ? METHOD_PING : METHOD_OTHER;
}

/* A later request with the same id takes the place of an earlier one. */
static void note_request(struct redact_asked *asked, const struct tracemsg *m)
{
    struct sp_str id;
    size_t *method;

    sp_buf_clear(&asked->id);
    tracemsg_id_key(m->id, &asked->id);
    id = sp_buf_str(&asked->id);
    method = sp_map_find(&asked->by_id, id);
    if (method == NULL)
        method = sp_map_put(&asked->by_id, sp_arena_copy(&asked->ids, id), NULL);
    *method = method_of(m);
}

/* The method that a message answers. */
static enum method method_answered(struct redact_asked *asked, const struct tracemsg *m)
{
    const size_t *method;

    if (!tracemsg_is_response(m))
        return METHOD_OTHER;
    sp_buf_clear(&asked->id);
    tracemsg_id_key(m->id, &asked->id);
    method = sp_map_find(&asked->by_id, sp_buf_str(&asked->id));
    return method != NULL ? (enum method) * method : METHOD_OTHER;
}

static bool has_text_method(const struct tracemsg *m)
{
    return m->method.p != NULL && jget_type(m->method) == JSCAN_STRING;
}

static const struct redact_shape *client_shape(const struct tracemsg *m)
{
    if (!has_text_method(m))
        return &other;
    switch (method_of(m)) {
    case METHOD_CALL:
        return &call;
    case METHOD_OTHER:
        /* Of notifications a cancellation's requestId must still match. */
        return m->id.p != NULL ? &other : NULL;
    default:
        return NULL;
    }
}

static const struct redact_shape *server_shape(struct redact_asked *asked, const struct tracemsg *m)
{
    switch (method_answered(asked, m)) {
    case METHOD_CALL:
        return &result;
    case METHOD_LIST:
        return m->error.p == NULL ? &listing : &other;
    case METHOD_INITIALIZE:
        return m->error.p == NULL ? NULL : &other;
    default:
        return &other;
    }
}

static const struct redact_shape *proxy_shape(struct redact_asked *asked, const struct tracemsg *m)
{
    if (method_of(m) == METHOD_CALL)
        return &call;
    return method_answered(asked, m) == METHOD_CALL ? &result : NULL;
}

const struct redact_shape *redact_shape_of(struct redact_asked *asked, const struct tracemsg *m)
{
    if ((m->from == LINE_CLIENT || m->from == LINE_PROXY) && tracemsg_is_request(m))
        note_request(asked, m);
    switch (m->from) {
    case LINE_CLIENT:
        return client_shape(m);
    case LINE_SERVER:
        return server_shape(asked, m);
    case LINE_PROXY:
        return proxy_shape(asked, m);
    case LINE_CONTEXT:
        return &conversation;
    }
    return NULL;
}

const struct redact_shape *redact_part_of(const struct redact_shape *shape, struct sp_str name)
{
    for (const struct redact_part *part = shape->parts; part->shape != NULL; part++) {
        if (jget_is_text(name, part->name))
            return part->shape;
    }
    return NULL;
}

void redact_asked_deinit(struct redact_asked *asked)
{
    sp_map_deinit(&asked->by_id);
    sp_arena_deinit(&asked->ids);
    sp_buf_deinit(&asked->id);
}
