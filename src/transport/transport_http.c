/*
 * The server as a Streamable HTTP endpoint.
 *
 *  1. A line to the server becomes a post. It is sent when no earlier initialize or
 *     notifications/initialized is under way (`gate`), all others at the same time; what the
 * message itself makes independent of a session ("modern") is sent at once.
 *  2. What the answers bring is given as lines (http_post.c).
 *  3. When the host has ended and every post has, the session is deleted, and it is over.
 *
 * A signal drops the posts and leaves the deletion INTERRUPTED_MS.
 */

#include <stdlib.h>
#include <sys/resource.h>

#include "base/sp_alloc.h"
#include "base/sp_log.h"
#include "transport/http.h"

/* Limits of the deletion, ms. */
#define DELETE_MS      5000
#define INTERRUPTED_MS 2000

/* While more than this waits, the host is not read: lines that wait for the gate, and bodies. */
#define MAX_WAITING ((size_t)1024 * 1024)
#define MAX_UNSENT  ((size_t)64 * 1024 * 1024)

static struct http *http_of(struct transport *t)
{
    return sp_container_of(t, struct http, base);
}

static const struct http *const_http_of(const struct transport *t)
{
    return sp_container_of(t, const struct http, base);
}

uint64_t http_now_ms(const struct http *h)
{
    return (uv_hrtime() - h->zero_ns) / 1000000;
}

static void stamp(const struct http *h, struct line *line, enum line_from from)
{
    line->from = from;
    line->t_ms = http_now_ms(h);
}

void http_give(struct http *h, struct line *line, enum line_from from)
{
    stamp(h, line, from);
    h->base.events->on_line(h->base.owner, line);
    line_unref(line);
}

void http_keep(struct http *h, struct line *line, enum line_from from)
{
    stamp(h, line, from);
    h->base.events->on_kept(h->base.owner, line);
    line_unref(line);
}

void http_keep_text(struct http *h, struct sp_str text, bool *io_has_noted)
{
    if (!*io_has_noted)
        sp_log("the HTTP server sent a text that is not JSON; it is not handed on");
    *io_has_noted = true;
    http_keep(h, http_text_line(text), LINE_SERVER);
}

void http_pause(struct http *h)
{
    h->base.events->on_pause(h->base.owner);
}

static struct httpc_header header(const char *name, const char *value)
{
    return (struct httpc_header){sp_str_of(name), sp_str_of(value)};
}

struct httpc_request *http_send(struct http *h, const char *method, bool has_session,
                                const struct httpc_header *headers, size_t n_headers, bool has_body,
                                struct sp_str body, const struct httpc_callbacks *callbacks,
                                void *owner)
{
    struct httpc_header *all = sp_calloc(n_headers + 2 + h->n_headers, sizeof *all);
    struct httpc_request *request;
    size_t n = 0;

    for (size_t i = 0; i < n_headers; i++)
        all[n++] = headers[i];
    if (has_session && h->session_id != NULL)
        all[n++] = header("Mcp-Session-Id", h->session_id);
    if (has_session && h->version != NULL)
        all[n++] = header("MCP-Protocol-Version", h->version);
    for (size_t i = 0; i < h->n_headers; i++)
        all[n++] = h->headers[i];
    request = httpc_send(h->client, method, &h->url, all, n, has_body, body, callbacks, owner);
    if (h->is_held)
        httpc_pause(request);
    free(all);
    return request;
}

/* ---- the end ---- */

static void set_over(struct http *h)
{
    h->state = HTTP_OVER;
    uv_timer_stop(&h->limit);
    http_stream_stop(h);
}

static void on_delete_head(void *owner, const struct httpc_head *head)
{
    (void)owner;
    (void)head; /* any status is fine */
}

static void on_delete_body(void *owner, struct sp_str bytes)
{
    (void)owner;
    (void)bytes;
}

static void on_delete_end(void *owner, enum httpc_error error, const char *cause)
{
    struct http *h = owner;

    h->deletion = NULL;
    if (error != HTTPC_OK)
        sp_log("ending the HTTP session: %s", cause);
    set_over(h);
    http_step(h);
}

static const struct httpc_callbacks delete_callbacks = {on_delete_head, on_delete_body,
                                                        on_delete_end};

static void on_limit(uv_timer_t *timer)
{
    struct http *h = timer->data;

    sp_log("ending the HTTP session: timed out");
    httpc_cancel(h->deletion);
    h->deletion = NULL;
    set_over(h);
    http_step(h);
}

static void begin_end(struct http *h, uint64_t limit_ms)
{
    if (h->session_id == NULL) {
        set_over(h);
        return;
    }
    h->state = HTTP_DELETING;
    h->deletion = http_send(h, "DELETE", true, NULL, 0, false, SP_STR(""), &delete_callbacks, h);
    if (h->is_held)
        httpc_resume(h->deletion); /* its answer goes nowhere */
    uv_update_time(h->loop);
    (void)uv_timer_start(&h->limit, on_limit, limit_ms, 0); /* fails only without a callback */
}

/* ---- lines to the server ---- */

static void take_up(struct http *h)
{
    struct http_post *p;

    while (h->gate == NULL && h->reinit == HTTP_REINIT_NONE && h->state == HTTP_OPEN &&
           (p = TAILQ_FIRST(&h->waiting)) != NULL) {
        TAILQ_REMOVE(&h->waiting, p, link);
        h->n_waiting_bytes -= p->line->len;
        if (h->is_lost && !message_is(&p->message, SP_STR("initialize"))) {
            http_reinit_retry(p);
            return;
        }
        http_post_send(p);
    }
}

static bool is_idle(const struct http *h)
{
    return TAILQ_EMPTY(&h->waiting) && TAILQ_EMPTY(&h->out) && TAILQ_EMPTY(&h->refused) &&
           h->reinit == HTTP_REINIT_NONE;
}

void http_step(struct http *h)
{
    take_up(h);
    if (h->state == HTTP_OPEN && h->is_ending && is_idle(h))
        begin_end(h, DELETE_MS);
    h->base.events->on_change(h->base.owner);
}

/* Closes the modern request that a cancellation names; false when there is none in flight. */
static bool cancel_named(struct http *h, const struct message *m)
{
    struct http_post *p;
    struct sp_str id;

    if (m->kind != MESSAGE_NOTIFICATION || !message_is(m, SP_STR("notifications/cancelled")) ||
        m->parts.params.p == NULL || !jget_member(m->parts.params, SP_STR("requestId"), &id))
        return false;
    TAILQ_FOREACH (p, &h->out, link) {
        if (p->is_modern && p->kind == HTTP_POST_HOST && p->message.kind == MESSAGE_REQUEST &&
            message_same_id(p->message.parts.id, id)) {
            http_post_cancel(p);
            return true;
        }
    }
    return false;
}

static void http_op_send(struct transport *t, struct line *line)
{
    struct http *h = http_of(t);
    struct http_post *p;

    if (h->state != HTTP_OPEN || http_text_trim_end(line_str(line)).len == 0) {
        line_unref(line);
        return;
    }
    p = http_post_new(h, HTTP_POST_HOST, line);
    if (cancel_named(h, &p->message)) {
        http_post_free(p);
    } else if (p->is_modern) {
        http_post_send(p);
    } else {
        h->n_waiting_bytes += line->len;
        TAILQ_INSERT_TAIL(&h->waiting, p, link);
    }
}

static void http_op_flush(struct transport *t)
{
    take_up(http_of(t));
}

static bool http_op_is_full(const struct transport *t)
{
    const struct http *h = const_http_of(t);

    return h->n_waiting_bytes > MAX_WAITING || httpc_unsent(h->client) > MAX_UNSENT;
}

static void on_soon(uv_timer_t *timer)
{
    struct http *h = timer->data;

    http_post_fail_unsent(h);
    http_reinit_begin_due(h);
    http_pause(h);
    http_step(h);
}

void http_step_soon(struct http *h)
{
    (void)uv_timer_start(&h->soon, on_soon, 0, 0); /* fails only without a callback */
}

static void http_op_end(struct transport *t)
{
    struct http *h = http_of(t);
    struct http_post *p, *next;

    if (h->is_ending)
        return;
    h->is_ending = true;
    for (p = TAILQ_FIRST(&h->out); p != NULL; p = next) {
        next = TAILQ_NEXT(p, link);
        if ((p->is_modern && message_is(&p->message, SP_STR("subscriptions/listen"))) ||
            http_post_is_idle(p))
            http_post_cancel(p);
    }
    http_step_soon(h);
}

/* ---- the transport's other operations ---- */

static int http_op_start(struct transport *t, struct sp_err *ret_err)
{
    struct rlimit limit;

    /* Each answer under way has a connection. */
    (void)t;
    (void)ret_err;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit); /* refused: there are fewer connections */
    }
    return 0;
}

static void set_held(struct http *h, bool is_held)
{
    void (*set)(struct httpc_request * r) = is_held ? httpc_pause : httpc_resume;
    struct http_post *p;

    if (h->is_held == is_held)
        return;
    h->is_held = is_held;
    TAILQ_FOREACH (p, &h->out, link) {
        if (p->request != NULL)
            set(p->request);
    }
    if (h->stream.request != NULL)
        set(h->stream.request);
}

static void http_op_hold(struct transport *t)
{
    set_held(http_of(t), true);
}

static void http_op_release(struct transport *t)
{
    set_held(http_of(t), false);
}

static void drop_all(struct http_posts *posts)
{
    struct http_post *p;

    while ((p = TAILQ_FIRST(posts)) != NULL) {
        TAILQ_REMOVE(posts, p, link);
        http_post_free(p);
    }
}

static void http_op_interrupt(struct transport *t, int signum)
{
    struct http *h = http_of(t);
    struct http_post *p;

    (void)signum; /* there is no process to pass it on to */
    h->is_ending = true;
    drop_all(&h->waiting);
    drop_all(&h->refused);
    h->n_waiting_bytes = 0;
    while ((p = TAILQ_FIRST(&h->out)) != NULL)
        http_post_cancel(p);
    h->reinit = HTTP_REINIT_NONE;
    http_stream_stop(h);
    if (h->state == HTTP_OPEN)
        begin_end(h, INTERRUPTED_MS);
    else if (h->state == HTTP_DELETING)
        (void)uv_timer_start(&h->limit, on_limit, INTERRUPTED_MS, 0);
}

static void http_op_kill(struct transport *t)
{
    struct http *h = http_of(t);

    if (h->deletion != NULL)
        httpc_cancel(h->deletion);
    h->deletion = NULL;
    set_over(h);
}

static bool http_op_is_open(const struct transport *t)
{
    const struct http *h = const_http_of(t);

    return h->state == HTTP_OPEN && !h->is_ending;
}

static bool http_op_is_over(const struct transport *t)
{
    return const_http_of(t)->state == HTTP_OVER;
}

static int http_op_exit_status(const struct transport *t)
{
    (void)t;
    return 0;
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct http *h = handle->data;

    h->n_handles--;
    h->base.events->on_change(h->base.owner);
}

static void on_client_closed(void *owner)
{
    struct http *h = owner;

    h->is_client_closed = true;
    h->base.events->on_change(h->base.owner);
}

static bool http_op_close(struct transport *t)
{
    struct http *h = http_of(t);

    if (!h->is_closing) {
        h->is_closing = true;
        http_stream_close(h);
        uv_close((uv_handle_t *)&h->limit, on_timer_closed);
        uv_close((uv_handle_t *)&h->soon, on_timer_closed);
        httpc_close(h->client, on_client_closed, h);
    }
    return h->n_handles == 0 && h->is_client_closed;
}

static void free_headers(struct http *h)
{
    for (size_t i = 0; i < h->n_headers; i++) {
        free((char *)h->headers[i].name.p);
        free((char *)h->headers[i].value.p);
    }
    free(h->headers);
}

static void http_op_free(struct transport *t)
{
    struct http *h = http_of(t);

    httpc_free(h->client);
    if (h->url_error.text[0] == '\0')
        url_deinit(&h->url);
    free_headers(h);
    paramheader_tools_free(h->tools);
    sse_deinit(&h->stream.sse);
    line_unref(h->kept_init);
    line_unref(h->kept_initialized);
    free(h->kept_result);
    free(h->session_id);
    free(h->version);
    free(h);
}

static const struct transport_ops http_ops = {
    .start = http_op_start,
    .send = http_op_send,
    .flush = http_op_flush,
    .is_full = http_op_is_full,
    .end = http_op_end,
    .hold = http_op_hold,
    .release = http_op_release,
    .interrupt = http_op_interrupt,
    .kill = http_op_kill,
    .is_open = http_op_is_open,
    .has_ended = http_op_is_over, /* no more lines, and no server */
    .is_over = http_op_is_over,
    .exit_status = http_op_exit_status,
    .close = http_op_close,
    .free = http_op_free,
};

/* ---- making it ---- */

static void copy_headers(struct http *h, const struct httpc_header *headers, size_t n)
{
    h->headers = sp_calloc(n, sizeof *h->headers);
    h->n_headers = n;
    for (size_t i = 0; i < n; i++)
        h->headers[i] = (struct httpc_header){http_text_copy(headers[i].name),
                                              http_text_copy(headers[i].value)};
}

/* So many bodies are sent that the host may be read again. */
static void on_sent(void *owner)
{
    http_step(owner);
}

static void init_timer(struct http *h, uv_timer_t *timer)
{
    (void)uv_timer_init(h->loop, timer); /* never fails */
    timer->data = h;
    h->n_handles++;
}

struct transport *transport_http_new(uv_loop_t *loop, const struct transport_http_options *options,
                                     uint64_t zero_ns, const struct transport_events *events,
                                     void *owner)
{
    struct http *h = sp_calloc(1, sizeof *h);

    h->base = (struct transport){.ops = &http_ops, .events = events, .owner = owner};
    h->loop = loop;
    h->zero_ns = zero_ns;
    h->can_reinit = options->reinit;
    TAILQ_INIT(&h->waiting);
    TAILQ_INIT(&h->out);
    TAILQ_INIT(&h->refused);
    copy_headers(h, options->headers, options->n_headers);
    if (url_parse(options->url, &h->url, &h->url_error) == 0)
        h->url_error.text[0] = '\0';
    h->client = httpc_new(loop, MAX_UNSENT, on_sent, h);
    h->tools = paramheader_tools_new();
    init_timer(h, &h->limit);
    init_timer(h, &h->soon);
    init_timer(h, &h->stream.timer);
    return &h->base;
}
