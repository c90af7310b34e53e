/* Figures of a session. */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "trace/sessionstats.h"

/* Keeps a member's text, unless another was kept before or it is no string. */
static void keep_member(struct sessionstats *s, struct sp_str object, struct sp_str name,
                        struct sp_str *ret)
{
    struct sp_buf text = {0};
    struct sp_str value;

    if (ret->p != NULL || object.p == NULL || !jget_member(object, name, &value) ||
        jget_type(value) != JSCAN_STRING)
        return;
    jget_text(value, &text);
    *ret = sp_arena_copy(&s->arena, sp_buf_str(&text));
    sp_buf_deinit(&text);
}

static void keep_program(struct sessionstats *s, struct sp_str object, struct sp_str name,
                         struct sessionstats_program *ret)
{
    struct sp_str info;

    if (object.p == NULL || !jget_member(object, name, &info))
        return;
    keep_member(s, info, SP_STR("name"), &ret->name);
    keep_member(s, info, SP_STR("version"), &ret->version);
}

static void read_message(struct sessionstats *s, const struct tracemsg *m)
{
    struct exchanges_note note = exchanges_feed(&s->exchanges, m);
    const struct exchanges_request *request;

    if (note.kind == EXCHANGES_TALK && m->role.p != NULL) {
        s->n_user += jget_is_text(m->role, SP_STR("user"));
        s->n_agent += jget_is_text(m->role, SP_STR("assistant"));
    }
    if (note.kind != EXCHANGES_REQUEST && note.kind != EXCHANGES_ANSWER)
        return;
    request = &s->exchanges.requests[note.request];
    if (request->from != LINE_CLIENT || !sp_str_eq(request->method, SP_STR("initialize")))
        return;
    if (note.kind == EXCHANGES_REQUEST) {
        keep_program(s, m->params, SP_STR("clientInfo"), &s->host);
    } else {
        keep_program(s, m->result, SP_STR("serverInfo"), &s->server);
        keep_member(s, m->result, SP_STR("protocolVersion"), &s->protocol);
    }
}

static struct sessionstats_tool *find_tool(struct sessionstats *s, struct sp_map *index,
                                           struct sp_str name)
{
    bool is_new;
    size_t *i = sp_map_put(index, name, &is_new);

    if (is_new) {
        *i = s->n_tools;
        s->tools[s->n_tools++] = (struct sessionstats_tool){.name = name};
    }
    return &s->tools[*i];
}

static int latency_cmp(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static int tool_cmp(const void *a, const void *b)
{
    const struct sessionstats_tool *x = a, *y = b;

    if (x->n_calls != y->n_calls)
        return x->n_calls < y->n_calls ? 1 : -1;
    return sp_str_cmp(x->name, y->name);
}

void sessionstats_sort_tools(struct sessionstats_tool *tools, size_t n)
{
    qsort(tools, n, sizeof *tools, tool_cmp);
}

static void count_call(struct sessionstats *s, struct sp_map *index,
                       const struct exchanges_request *call)
{
    struct sessionstats_tool *tool = find_tool(s, index, call->tool);

    s->n_calls++;
    s->n_proxy_calls += call->from == LINE_PROXY;
    s->n_cancelled += call->is_cancelled;
    s->n_refused += exchanges_is_refused(call);
    tool->n_calls++;
    if (call->state == EXCHANGES_OPEN) {
        s->n_unanswered++;
        return;
    }
    s->n_errors += call->state == EXCHANGES_FAILED;
    tool->n_errors += call->state == EXCHANGES_FAILED;
    /* A file that someone has edited may have times that go back. */
    s->latencies_ms[s->n_latencies++] =
        call->answered_ms > call->sent_ms ? call->answered_ms - call->sent_ms : 0;
}

static void count_calls(struct sessionstats *s)
{
    const struct exchanges *x = &s->exchanges;
    struct sp_map index = {0};
    size_t n = 0;

    for (size_t i = 0; i < x->n_requests; i++)
        n += x->requests[i].tool.p != NULL;
    s->latencies_ms = sp_calloc(n, sizeof *s->latencies_ms);
    s->tools = sp_calloc(n, sizeof *s->tools);
    for (size_t i = 0; i < x->n_requests; i++) {
        if (x->requests[i].tool.p != NULL)
            count_call(s, &index, &x->requests[i]);
    }
    sp_map_deinit(&index);
    qsort(s->latencies_ms, s->n_latencies, sizeof *s->latencies_ms, latency_cmp);
    sessionstats_sort_tools(s->tools, s->n_tools);
}

void sessionstats_read(const struct sessionlog *log, struct sessionstats *ret)
{
    struct tracemsg m;

    *ret = (struct sessionstats){0};
    for (size_t i = 0; i < log->n_entries; i++) {
        const struct sessionlog_entry *entry = &log->entries[i];

        if (entry->t_ms > ret->duration_ms)
            ret->duration_ms = entry->t_ms;
        ret->n_raw += entry->raw.p != NULL;
        for (struct tracemsg_iter it = tracemsg_iter(entry->from, entry->t_ms, entry->message);
             tracemsg_next(&it, &m);)
            read_message(ret, &m);
    }
    count_calls(ret);
}

void sessionstats_deinit(struct sessionstats *s)
{
    free(s->latencies_ms);
    free(s->tools);
    exchanges_deinit(&s->exchanges);
    sp_arena_deinit(&s->arena);
    *s = (struct sessionstats){0};
}

bool sessionstats_percentile(const struct sessionstats *s, unsigned percent, uint64_t *ret_ms)
{
    if (s->n_latencies == 0)
        return false;
    *ret_ms = s->latencies_ms[(s->n_latencies * percent + 99) / 100 - 1];
    return true;
}
