/*
 * Requests and their answers.
 *
 * Calls are apart from other requests since an episode knows only them: whatever else uses a call's
 * id, its answer stays its answer.
 */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "trace/exchanges.h"

#define NO_REQUEST SIZE_MAX

void exchanges_deinit(struct exchanges *x)
{
    free(x->requests);
    sp_map_deinit(&x->calls);
    sp_map_deinit(&x->others);
    sp_map_deinit(&x->servers);
    sp_buf_deinit(&x->scratch);
    sp_arena_deinit(&x->arena);
    *x = (struct exchanges){0};
}

static struct sp_str keep_scratch(struct exchanges *x)
{
    struct sp_str kept = sp_arena_copy(&x->arena, sp_buf_str(&x->scratch));

    sp_buf_clear(&x->scratch);
    return kept;
}

static struct sp_str keep_text(struct exchanges *x, struct sp_str string)
{
    sp_buf_clear(&x->scratch);
    jget_text(string, &x->scratch);
    return keep_scratch(x);
}

/* The latest request of an id in a table; NO_REQUEST for none. */
static size_t find(struct exchanges *x, const struct sp_map *table, struct sp_str id)
{
    const size_t *i;

    sp_buf_clear(&x->scratch);
    tracemsg_id_key(id, &x->scratch);
    i = sp_map_find(table, sp_buf_str(&x->scratch));
    return i != NULL ? *i : NO_REQUEST;
}

static bool is_open(const struct exchanges *x, size_t i)
{
    return i != NO_REQUEST && x->requests[i].state == EXCHANGES_OPEN;
}

static struct exchanges_note feed_request(struct exchanges *x, const struct tracemsg *m)
{
    struct exchanges_request request = {.from = m->from, .sent_ms = m->t_ms};
    struct sp_map *table = m->from == LINE_SERVER ? &x->servers : &x->others;
    struct sp_str name;

    request.method = keep_text(x, m->method);
    if (m->from != LINE_SERVER && tracemsg_is(m, SP_STR("tools/call")) && m->params.p != NULL &&
        jget_member(m->params, SP_STR("name"), &name) && jget_type(name) == JSCAN_STRING) {
        request.tool = keep_text(x, name);
        table = &x->calls;
    }
    tracemsg_call_id(m->id, &x->scratch);
    request.id = keep_scratch(x);

    if (x->n_requests == x->max_requests) {
        x->max_requests = x->max_requests > 0 ? 2 * x->max_requests : 16;
        x->requests = sp_realloc(x->requests, x->max_requests * sizeof *x->requests);
    }
    x->requests[x->n_requests] = request;
    tracemsg_id_key(m->id, &x->scratch);
    *sp_map_put(table, keep_scratch(x), NULL) = x->n_requests;
    return (struct exchanges_note){EXCHANGES_REQUEST, x->n_requests++};
}

static struct exchanges_note feed_answer(struct exchanges *x, const struct tracemsg *m)
{
    struct exchanges_request *request;
    size_t i, other;

    if (m->from == LINE_CLIENT) {
        i = find(x, &x->servers, m->id);
    } else {
        i = find(x, &x->calls, m->id);
        other = find(x, &x->others, m->id);
        if (i == NO_REQUEST || (!is_open(x, i) && is_open(x, other)))
            i = other;
    }
    if (i == NO_REQUEST)
        return (struct exchanges_note){EXCHANGES_STRAY, NO_REQUEST};
    request = &x->requests[i];
    if (request->state != EXCHANGES_OPEN)
        return (struct exchanges_note){EXCHANGES_AGAIN, i};
    sp_buf_clear(&x->scratch);
    request->state = tracemsg_result_text(m, &x->scratch) ? EXCHANGES_FAILED : EXCHANGES_DONE;
    request->answered_by = m->from;
    request->answered_ms = m->t_ms;
    return (struct exchanges_note){EXCHANGES_ANSWER, i};
}

static struct exchanges_note feed_notification(struct exchanges *x, const struct tracemsg *m)
{
    struct sp_str id;
    size_t i;

    if (!tracemsg_is(m, SP_STR("notifications/cancelled")) || m->params.p == NULL ||
        !jget_member(m->params, SP_STR("requestId"), &id))
        return (struct exchanges_note){EXCHANGES_NOTIFICATION, NO_REQUEST};
    if (m->from == LINE_SERVER) {
        i = find(x, &x->servers, id);
    } else {
        i = find(x, &x->calls, id);
        if (!is_open(x, i))
            i = find(x, &x->others, id);
    }
    if (!is_open(x, i))
        return (struct exchanges_note){EXCHANGES_NOTIFICATION, NO_REQUEST};
    x->requests[i].is_cancelled = true;
    return (struct exchanges_note){EXCHANGES_CANCELLATION, i};
}

struct exchanges_note exchanges_feed(struct exchanges *x, const struct tracemsg *m)
{
    if (m->from == LINE_CONTEXT)
        return (struct exchanges_note){EXCHANGES_TALK, NO_REQUEST};
    if (tracemsg_is_request(m))
        return feed_request(x, m);
    if (tracemsg_is_response(m))
        return feed_answer(x, m);
    if (m->method.p != NULL && jget_type(m->method) == JSCAN_STRING)
        return feed_notification(x, m);
    return (struct exchanges_note){EXCHANGES_STRAY, NO_REQUEST};
}

bool exchanges_is_commit(const struct exchanges_request *request)
{
    return request->from == LINE_CLIENT && request->tool.p != NULL &&
           sp_str_eq(request->tool, SP_STR("stretto_commit"));
}

bool exchanges_is_refused(const struct exchanges_request *request)
{
    return request->from == LINE_CLIENT && request->tool.p != NULL &&
           request->state == EXCHANGES_FAILED && request->answered_by == LINE_PROXY &&
           !exchanges_is_commit(request);
}
