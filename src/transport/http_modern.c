/*
 * What revision 2026-07-28 asks of a POST: headers that repeat parts of the message, and those that
 * a tool's schema names.
 *
 *  1. A listing of tools is learned as it passes, and given without those that cannot be offered.
 *  2. A call of a known tool carries the headers that its schema asks for.
 *  3. The server finds that they do not fit: its tools are listed on the call's behalf, all pages,
 *     and the call is sent once more.
 */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "base/sp_log.h"
#include "mcp/paramvalue.h"
#include "transport/http.h"

/* What a server answers to a call whose headers do not fit the tool. */
#define HEADER_MISMATCH SP_STR("-32020")

/* So many pages a tool list may have, for one refused call. */
#define MAX_PAGES 1000

static void add_header(struct http_modern_headers *m, struct sp_str name, struct sp_str value)
{
    m->v = sp_realloc(m->v, (m->n + 1) * sizeof *m->v);
    m->v[m->n++] = (struct httpc_header){http_text_copy(name), http_text_copy(value)};
}

static void add_text_header(struct http_modern_headers *m, const char *name, struct sp_str string)
{
    struct sp_buf text = {0}, value = {0};

    jget_text(string, &text);
    paramvalue_put(&value, sp_buf_str(&text));
    add_header(m, sp_str_of(name), sp_buf_str(&value));
    sp_buf_deinit(&text);
    sp_buf_deinit(&value);
}

static void on_param_header(void *owner, struct sp_str name, struct sp_str value)
{
    add_header(owner, name, value);
}

/* The member of params that Mcp-Name repeats; NULL for none. */
static const char *name_member(const struct message *m)
{
    if (message_is(m, SP_STR("tools/call")) || message_is(m, SP_STR("prompts/get")))
        return "name";
    return message_is(m, SP_STR("resources/read")) ? "uri" : NULL;
}

struct http_modern_headers http_modern_headers(const struct http_post *p)
{
    const struct message *m = &p->message;
    struct http_modern_headers headers = {0};
    const char *member = name_member(m);
    struct sp_str span;

    if (!p->is_modern)
        return headers;
    if (message_version(m, &span))
        add_text_header(&headers, "MCP-Protocol-Version", span);
    if (m->kind == MESSAGE_REQUEST && jget_type(m->parts.method) == JSCAN_STRING)
        add_text_header(&headers, "Mcp-Method", m->parts.method);
    if (member != NULL && m->parts.params.p != NULL &&
        jget_member(m->parts.params, sp_str_of(member), &span) && jget_type(span) == JSCAN_STRING)
        add_text_header(&headers, "Mcp-Name", span);
    if (message_is(m, SP_STR("tools/call")) && m->parts.params.p != NULL)
        paramheader_for_call(p->h->tools, m->parts.params, on_param_header, &headers);
    return headers;
}

void http_modern_headers_deinit(struct http_modern_headers *m)
{
    for (size_t i = 0; i < m->n; i++) {
        free((char *)m->v[i].name.p);
        free((char *)m->v[i].value.p);
    }
    free(m->v);
}

static void on_tool_refused(void *owner, struct sp_str tool, const char *reason)
{
    (void)owner;
    sp_log("the tool '%.*s' is not offered: %s", SP_STR_ARG(tool), reason);
}

/* Learns a listing of tools; gives it, without the tools that cannot be offered. */
void http_modern_give_tools(struct http *h, struct sp_str text)
{
    struct sp_buf cut = {0};

    paramheader_learn(h->tools, text, &cut, on_tool_refused, NULL);
    if (cut.len > 0) {
        http_keep(h, http_text_line(text), LINE_SERVER);
        http_give(h, http_text_line(sp_buf_str(&cut)), LINE_PROXY);
    } else {
        http_give(h, http_text_line(text), LINE_SERVER);
    }
    sp_buf_deinit(&cut);
}

static void send_list(struct http_post *call, struct sp_str cursor)
{
    struct http *h = call->h;
    struct sp_str meta = SP_STR("{}");
    struct sp_buf b = {0};
    struct line *line;
    struct http_post *list;

    (void)jget_member(call->message.parts.params, SP_STR("_meta"), &meta); /* it is modern */
    sp_buf_addf(&b,
                "{\"id\":\"stretto-list-%u\",\"jsonrpc\":\"2.0\",\"method\":\"tools/list\","
                "\"params\":{\"_meta\":",
                ++h->n_lists);
    sp_buf_add(&b, meta);
    if (cursor.len > 0) {
        sp_buf_add(&b, SP_STR(",\"cursor\":"));
        sp_buf_add(&b, cursor);
    }
    sp_buf_add(&b, SP_STR("}}"));
    line = http_text_line(sp_buf_str(&b));
    sp_buf_deinit(&b);
    http_keep(h, line_ref(line), LINE_PROXY);
    list = http_post_new(h, HTTP_POST_LIST, line);
    list->parent = call;
    http_post_send(list);
}

/* A call met a mismatch of headers for the first time: takes it, and asks for the tools. */
bool http_modern_refresh(struct http_post *p)
{
    struct sp_str id, code;

    if (!p->is_modern || p->kind != HTTP_POST_HOST || p->is_refreshed || p->refusal.status != 400 ||
        p->message.kind != MESSAGE_REQUEST || !message_is(&p->message, SP_STR("tools/call")) ||
        p->message.parts.params.p == NULL ||
        !http_text_is_error(http_text_trim(sp_buf_str(&p->text)), &id, &code) ||
        !sp_str_eq(code, HEADER_MISMATCH))
        return false;
    p->is_refreshed = true;
    send_list(p, SP_STR(""));
    return true;
}

/* Asks for the next page, or sends the call again. */
void http_modern_list_ended(struct http_post *list, const struct jscan *answer)
{
    struct http_post *call = list->parent;
    struct http *h = list->h;
    struct sp_str cursor;

    if (call == NULL)
        return;
    if (answer != NULL) {
        struct sp_buf cut = {0};

        paramheader_learn(h->tools, answer->value, &cut, on_tool_refused, NULL);
        sp_buf_deinit(&cut); /* it is not for the host */
        if (answer->result.p != NULL &&
            jget_member(answer->result, SP_STR("nextCursor"), &cursor) &&
            jget_type(cursor) == JSCAN_STRING && ++call->n_pages < MAX_PAGES) {
            send_list(call, cursor);
            return;
        }
    }
    http_post_send_again(call);
}
