/*
 * The stream that the server writes on by itself: a GET.
 *
 *  1. http_stream_open() sends it, once the host's notifications/initialized has been posted.
 *  2. Its events are given as lines. It is opened again when it ends, from the last event id on.
 *  3. A status that says there is no such stream stops it for good.
 *
 * Waits: what the server's `retry` says, else 500 ms after a stream with an event, doubled up to 30
 * s for each in a row without one; after failures in a row 0.5, 1, 1.5, 2 s, then 30 s.
 */

#include "base/sp_log.h"
#include "transport/http.h"

#define STEP_MS       500
#define MAX_MS        30000
#define MANY_FAILURES 5

static void open_now(struct http *h);

static void on_timer(uv_timer_t *timer)
{
    open_now(timer->data);
}

static void open_in(struct http *h, uint64_t ms)
{
    if (h->stream.has_stopped || h->state != HTTP_OPEN)
        return;
    uv_update_time(h->loop);
    (void)uv_timer_start(&h->stream.timer, on_timer, ms > HTTP_MIN_WAIT_MS ? ms : HTTP_MIN_WAIT_MS,
                         0); /* fails only without a callback */
}

static bool on_event(void *owner, struct sp_str data)
{
    struct http *h = owner;
    struct sp_str text = http_text_trim(data);
    struct message m;

    if (text.len == 0)
        return true;
    h->stream.had_event = true;
    message_read(text, &m);
    if (m.kind == MESSAGE_NOT_JSON)
        http_keep_text(h, text, &h->stream.has_noted_text);
    else
        http_give(h, http_text_line(text), LINE_SERVER);
    return true;
}

static bool means_no_stream(unsigned status)
{
    return status == 400 || status == 404 || status == 405 || status == 406 || status == 501;
}

static void on_head(void *owner, const struct httpc_head *head)
{
    struct http_stream *st = &((struct http *)owner)->stream;

    if (means_no_stream(head->status))
        st->has_stopped = true;
    st->is_open = head->status >= 200 && head->status <= 299;
    st->had_event = false;
    st->has_noted_text = false;
    if (st->is_open)
        st->n_failures = 0;
}

static void note_too_large(void)
{
    sp_log("an event of the server's own stream is too large");
}

static void on_body(void *owner, struct sp_str bytes)
{
    struct http *h = owner;

    if (!h->stream.is_open)
        return;
    if (sse_feed(&h->stream.sse, bytes) == SSE_E_TOO_LARGE) {
        note_too_large();
        http_stream_stop(h);
    }
    http_pause(h);
    http_step(h);
}

static uint64_t wait_after_stream(struct http_stream *st)
{
    uint64_t ms = STEP_MS;

    if (st->had_event)
        st->n_empty = 0;
    else
        for (unsigned k = st->n_empty++; k > 0 && ms < MAX_MS; k--)
            ms *= 2;
    if (st->sse.has_retry)
        return st->sse.retry_ms;
    return ms < MAX_MS ? ms : MAX_MS;
}

static uint64_t wait_after_failure(struct http_stream *st)
{
    st->n_failures++;
    if (st->n_failures == MANY_FAILURES)
        sp_log("the server's own stream is gone; trying every 30 s");
    return st->n_failures < MANY_FAILURES ? (uint64_t)STEP_MS * st->n_failures : MAX_MS;
}

static void on_end(void *owner, enum httpc_error error, const char *cause)
{
    struct http *h = owner;
    struct http_stream *st = &h->stream;
    bool was_open = st->is_open;

    (void)cause; /* a stream that drops is opened again in silence */
    st->request = NULL;
    st->is_open = false;
    if (was_open && sse_finish(&st->sse, error != HTTPC_OK) == SSE_E_TOO_LARGE)
        note_too_large();
    open_in(h, was_open ? wait_after_stream(st) : wait_after_failure(st));
    http_pause(h);
    http_step(h);
}

static const struct httpc_callbacks callbacks = {on_head, on_body, on_end};

static void open_now(struct http *h)
{
    struct http_stream *st = &h->stream;
    struct httpc_header headers[2] = {{SP_STR("Accept"), SP_STR("text/event-stream")}};
    size_t n = 1;

    if (st->has_stopped || h->state != HTTP_OPEN)
        return;
    if (!st->has_sse) {
        sse_init(&st->sse, TRANSPORT_HTTP_MAX_ANSWER, on_event, h);
        st->has_sse = true;
    }
    if (st->sse.has_id)
        headers[n++] = (struct httpc_header){SP_STR("Last-Event-ID"), sp_buf_str(&st->sse.id)};
    st->request = http_send(h, "GET", true, headers, n, false, SP_STR(""), &callbacks, h);
}

void http_stream_open(struct http *h)
{
    if (h->stream.has_begun)
        return;
    h->stream.has_begun = true;
    if (h->url_error.text[0] != '\0')
        h->stream.has_stopped = true;
    open_now(h);
}

void http_stream_reopen(struct http *h)
{
    struct http_stream *st = &h->stream;

    if (!st->has_begun)
        return;
    http_stream_stop(h);
    st->has_stopped = false;
    st->n_failures = 0;
    st->n_empty = 0;
    if (st->has_sse)
        sse_deinit(&st->sse);
    st->has_sse = false;
    open_now(h);
}

void http_stream_stop(struct http *h)
{
    struct http_stream *st = &h->stream;

    st->has_stopped = true;
    st->is_open = false;
    uv_timer_stop(&st->timer);
    if (st->request != NULL)
        httpc_cancel(st->request);
    st->request = NULL;
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct http *h = handle->data;

    h->n_handles--;
    h->base.events->on_change(h->base.owner);
}

void http_stream_close(struct http *h)
{
    http_stream_stop(h);
    uv_close((uv_handle_t *)&h->stream.timer, on_timer_closed);
}
