/* Telling JSON-RPC messages apart. */

#include "mcp/message.h"

void message_read(struct sp_str text, struct message *ret)
{
    *ret = (struct message){.kind = MESSAGE_NOT_JSON};
    if (!jscan_grammar(text, &ret->parts))
        return;
    if (ret->parts.type == JSCAN_ARRAY)
        ret->kind = MESSAGE_BATCH;
    else if (ret->parts.type != JSCAN_OBJECT)
        ret->kind = MESSAGE_OTHER;
    else if (ret->parts.method.p == NULL)
        ret->kind = MESSAGE_RESPONSE;
    else if (ret->parts.id.p == NULL || jget_type(ret->parts.id) == JSCAN_NULL)
        ret->kind = MESSAGE_NOTIFICATION;
    else
        ret->kind = MESSAGE_REQUEST;
}

bool message_is(const struct message *m, struct sp_str method)
{
    return m->parts.method.p != NULL && jget_is_text(m->parts.method, method);
}

bool message_same_id(struct sp_str a, struct sp_str b)
{
    struct sp_buf text = {0};
    bool is_same;

    if (sp_str_eq(a, b))
        return true;
    if (jget_type(a) != JSCAN_STRING || jget_type(b) != JSCAN_STRING)
        return false;
    jget_text(b, &text);
    is_same = jget_is_text(a, sp_buf_str(&text));
    sp_buf_deinit(&text);
    return is_same;
}

bool message_params_version(struct sp_str params, struct sp_str *ret)
{
    struct sp_str meta, version;

    if (params.p == NULL || !jget_member(params, SP_STR("_meta"), &meta) ||
        !jget_member(meta, SP_STR("io.modelcontextprotocol/protocolVersion"), &version) ||
        jget_type(version) != JSCAN_STRING)
        return false;
    *ret = version;
    return true;
}

bool message_version(const struct message *m, struct sp_str *ret)
{
    return message_params_version(m->parts.params, ret);
}
