/* What a run says to its server and hears from it. */

#include "json/jget.h"
#include "json/jput.h"
#include "procedure/procedure_rpc.h"

#define PROTOCOL "2025-06-18"

void procedure_rpc_put_initialize(struct sp_buf *ret, uint64_t id)
{
    sp_buf_addf(ret,
                "{\"id\":%ju,\"jsonrpc\":\"2.0\",\"method\":\"initialize\",\"params\":{"
                "\"capabilities\":{},\"clientInfo\":{\"name\":\"stretto-procedure\","
                "\"version\":\"" SP_VERSION "\"},\"protocolVersion\":\"" PROTOCOL "\"}}\n",
                (uintmax_t)id);
}

void procedure_rpc_put_initialized(struct sp_buf *ret)
{
    sp_buf_add(ret, SP_STR("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"));
}

void procedure_rpc_put_call(struct sp_buf *ret, uint64_t id, struct sp_str tool,
                            struct sp_str arguments)
{
    sp_buf_addf(ret,
                "{\"id\":%ju,\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{"
                "\"arguments\":",
                (uintmax_t)id);
    sp_buf_add(ret, arguments);
    sp_buf_add(ret, SP_STR(",\"name\":"));
    jput_string(ret, tool);
    sp_buf_add(ret, SP_STR("}}\n"));
}

enum procedure_rpc_kind procedure_rpc_read(struct sp_str line, uint64_t id, struct sp_str *ret)
{
    struct jscan found;
    uint64_t of;

    if (!jscan(line, JSCAN_LOG_DEPTH, &found) || found.method.p != NULL || found.id.p == NULL ||
        !jget_u64(found.id, &of) || of != id)
        return PROCEDURE_RPC_OTHER;
    if (found.error.p != NULL && jget_type(found.error) != JSCAN_NULL) {
        *ret = found.error;
        return PROCEDURE_RPC_ERROR;
    }
    *ret = found.result;
    return PROCEDURE_RPC_RESULT;
}

bool procedure_rpc_result(struct sp_str result, struct sp_buf *ret)
{
    static const struct sp_str names[] = {{"content", 7}, {"isError", 7}};
    struct sp_str members[2] = {0}, text;
    bool is_first = true;

    if (result.p != NULL)
        jget_members(result, names, 2, members);
    if (members[0].p != NULL && jget_type(members[0]) == JSCAN_ARRAY) {
        for (struct jget_iter it = jget_iter(members[0]); jget_next(&it);) {
            if (!jget_member(it.value, SP_STR("text"), &text) || jget_type(text) != JSCAN_STRING)
                continue;
            if (!is_first)
                sp_buf_add_char(ret, '\n');
            is_first = false;
            jget_text(text, ret);
        }
    }
    return members[1].p != NULL && jget_type(members[1]) == JSCAN_TRUE;
}
