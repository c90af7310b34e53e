/*
 * One POST and what becomes of its answer.
 *
 *  1. http_post_send() sends the line as it is, but for white space at its end.
 *  2. The answer's head tells what its body is: nothing, an event stream, or one text.
 *  3. Each text that comes is given as a line, and settles the requests that it answers.
 *  4. When the answer has ended, requests without an answer get an error of the proxy's making, so
 *     that none is left waiting; the post is gone.
 *
 * An event stream that ends too early is resumed by a GET if it has told an event id: after `retry`
 * or RESUME_MS, and when that fails after 1, 2, 4, 8 s, until RESUME_TRIES attempts in a row
 * failed.
 */

#include <stdlib.h>
#include <strings.h>

#include "base/sp_alloc.h"
#include "base/sp_log.h"
#include "transport/http.h"

#define RESUME_MS    1000
#define RESUME_TRIES 5

static void add_id(struct http_post *p, struct sp_str id)
{
    p->ids = sp_realloc(p->ids, (p->n_ids + 1) * sizeof *p->ids);
    p->ids[p->n_ids++] = id;
}

static void note_ids(struct http_post *p)
{
    if (p->message.kind == MESSAGE_REQUEST)
        add_id(p, p->message.parts.id);
    if (p->message.kind != MESSAGE_BATCH)
        return;
    for (struct jget_iter it = jget_iter(p->message.parts.value); jget_next(&it);) {
        struct message element;

        message_read(it.value, &element);
        if (element.kind == MESSAGE_REQUEST)
            add_id(p, element.parts.id);
    }
}

struct http_post *http_post_new(struct http *h, enum http_post_kind kind, struct line *line)
{
    struct http_post *p = sp_calloc(1, sizeof *p);
    struct sp_str version;

    p->h = h;
    p->kind = kind;
    p->line = line;
    p->body = http_text_trim_end(line_str(line));
    message_read(p->body, &p->message);
    p->is_modern = message_version(&p->message, &version);
    note_ids(p);
    return p;
}

/* Forgets what came of an attempt, so that the post can be sent again. */
static void forget_answer(struct http_post *p)
{
    http_refusal_deinit(&p->refusal);
    sp_buf_deinit(&p->text);
    if (p->has_sse)
        sse_deinit(&p->sse);
    p->has_sse = false;
    p->answer = HTTP_ANSWER_NONE;
    p->is_resuming = false;
    p->n_failures = 0;
}

static void release(struct http_post *p)
{
    forget_answer(p);
    line_unref(p->line);
    free(p->ids);
    free(p);
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct http_post *p = handle->data;
    struct http *h = p->h;

    release(p);
    h->n_handles--;
    h->base.events->on_change(h->base.owner);
}

void http_post_free(struct http_post *p)
{
    if (p->has_timer)
        uv_close((uv_handle_t *)&p->timer, on_timer_closed);
    else
        release(p);
}

/* ---- sending ---- */

static bool is_initialize(const struct http_post *p)
{
    return p->kind == HTTP_POST_INIT || (p->kind == HTTP_POST_HOST && !p->is_modern &&
                                         message_is(&p->message, SP_STR("initialize")));
}

static bool is_initialized(const struct http_post *p)
{
    return p->kind == HTTP_POST_HOST && !p->is_modern &&
           message_is(&p->message, SP_STR("notifications/initialized"));
}

static const struct httpc_callbacks post_callbacks;

void http_post_send(struct http_post *p)
{
    struct http *h = p->h;
    struct http_modern_headers modern = http_modern_headers(p);
    struct httpc_header *headers = sp_calloc(2 + modern.n, sizeof *headers);
    size_t n = 0;

    TAILQ_INSERT_TAIL(&h->out, p, link);
    if (p->kind == HTTP_POST_HOST && (is_initialize(p) || is_initialized(p)))
        h->gate = p;
    headers[n++] = (struct httpc_header){SP_STR("Content-Type"), SP_STR("application/json")};
    headers[n++] =
        (struct httpc_header){SP_STR("Accept"), SP_STR("application/json, text/event-stream")};
    for (size_t i = 0; i < modern.n; i++)
        headers[n++] = modern.v[i];
    p->generation = !p->is_modern && h->session_id != NULL ? h->generation : 0;
    if (h->url_error.text[0] == '\0')
        p->request =
            http_send(h, "POST", !p->is_modern, headers, n, true, p->body, &post_callbacks, p);
    else
        http_step_soon(h); /* http_post_fail_unsent() */
    free(headers);
    http_modern_headers_deinit(&modern);
}

void http_post_send_again(struct http_post *p)
{
    TAILQ_REMOVE(&p->h->out, p, link);
    forget_answer(p);
    http_post_send(p);
}

/* ---- the end ---- */

/* Takes a post that has ended out of everything, and goes on with what waited for it. */
static void finish(struct http_post *p)
{
    struct http *h = p->h;
    struct sp_buf text = p->text;
    struct jscan answer;
    bool has_answer = p->kind != HTTP_POST_HOST && jscan_grammar(sp_buf_str(&text), &answer);

    TAILQ_REMOVE(&h->out, p, link);
    if (h->gate == p)
        h->gate = NULL;
    if (is_initialized(p)) {
        line_unref(h->kept_initialized);
        h->kept_initialized = line_ref(p->line);
        http_stream_open(h);
    }
    p->text = (struct sp_buf){0};
    if (p->kind == HTTP_POST_LIST)
        http_modern_list_ended(p, has_answer ? &answer : NULL);
    else if (p->kind != HTTP_POST_HOST)
        http_reinit_post_ended(h, p->kind, has_answer ? &answer : NULL);
    sp_buf_deinit(&text);
    http_post_free(p);
    http_pause(h);
    http_step(h);
}

bool http_post_is_idle(const struct http_post *p)
{
    return p->is_resuming && p->n_ids == 0;
}

void http_post_cancel(struct http_post *p)
{
    struct http *h = p->h;
    struct http_post *child, *next;

    for (child = TAILQ_FIRST(&h->out); child != NULL; child = next) {
        next = TAILQ_NEXT(child, link);
        if (child->parent != p)
            continue;
        child->parent = NULL;
        http_post_cancel(child);
        next = TAILQ_FIRST(&h->out); /* from the start: the list has changed */
    }
    if (p->request != NULL)
        httpc_cancel(p->request);
    if (h->gate == p)
        h->gate = NULL;
    TAILQ_REMOVE(&h->out, p, link);
    http_post_free(p);
}

/* Gives an error to each request that has no answer. */
static void give_errors(struct http_post *p, const char *message,
                        const struct http_refusal *refusal)
{
    for (size_t i = 0; i < p->n_ids && p->kind == HTTP_POST_HOST; i++)
        http_give(p->h, http_text_error(p->ids[i], message, refusal), LINE_SERVER);
    p->n_ids = 0;
}

void http_post_fail(struct http_post *p, const char *message, const struct http_refusal *refusal)
{
    give_errors(p, message, refusal);
    if (p->kind != HTTP_POST_HOST)
        sp_buf_clear(&p->text);
    finish(p);
}

void http_post_fail_unsent(struct http *h)
{
    struct http_post *p;

    while (h->url_error.text[0] != '\0' && (p = TAILQ_FIRST(&h->out)) != NULL) {
        sp_log("the HTTP server could not be reached: %s", h->url_error.text);
        http_post_fail(p, "the server could not be reached", NULL);
    }
}

static void fail_cut(struct http_post *p, const char *cause)
{
    if (p->n_ids > 0 || p->message.kind != MESSAGE_REQUEST)
        sp_log("reading the HTTP server's answer: %s", cause);
    http_post_fail(p, "the server's answer was cut off", NULL);
}

/* ---- what comes ---- */

/* Strikes the request that a message answers off the list; whether there was one. */
static bool settle_one(struct http_post *p, const struct message *m)
{
    if (m->kind != MESSAGE_RESPONSE || m->parts.id.p == NULL)
        return false;
    for (size_t i = 0; i < p->n_ids; i++) {
        if (!message_same_id(p->ids[i], m->parts.id))
            continue;
        p->n_ids--;
        memmove(&p->ids[i], &p->ids[i + 1], (p->n_ids - i) * sizeof *p->ids);
        return true;
    }
    return false;
}

static bool settle(struct http_post *p, const struct message *m)
{
    bool is_answer = settle_one(p, m);

    if (m->kind != MESSAGE_BATCH || p->n_ids == 0)
        return is_answer;
    for (struct jget_iter it = jget_iter(m->parts.value); jget_next(&it);) {
        struct message element;

        message_read(it.value, &element);
        is_answer = settle_one(p, &element) || is_answer;
    }
    return is_answer;
}

static void note_version(struct http *h, const struct message *m)
{
    struct sp_buf version = {0};
    struct sp_str span;

    if (m->parts.type == JSCAN_OBJECT && m->parts.result.p != NULL &&
        jget_member(m->parts.result, SP_STR("protocolVersion"), &span) &&
        jget_type(span) == JSCAN_STRING) {
        jget_text(span, &version);
        if (http_text_is_visible(sp_buf_str(&version))) {
            free(h->version);
            h->version = sp_strdup(sp_buf_cstr(&version));
        }
    }
    sp_buf_deinit(&version);
}

/* Gives a text that came for a post; whether it is JSON. */
static bool deliver(struct http_post *p, struct sp_str text)
{
    struct http *h = p->h;
    struct message m;
    bool is_answer;

    message_read(text, &m);
    if (m.kind == MESSAGE_NOT_JSON) {
        http_keep_text(h, text, &p->has_noted_text);
        return false;
    }
    is_answer = settle(p, &m);
    if (is_initialize(p))
        note_version(h, &m);
    if (is_answer && p->kind != HTTP_POST_HOST) {
        http_keep(h, http_text_line(text), LINE_SERVER);
        sp_buf_clear(&p->text);
        sp_buf_add(&p->text, text);
    } else if (is_answer && p->is_modern && message_is(&p->message, SP_STR("tools/list"))) {
        http_modern_give_tools(h, text);
    } else {
        http_give(h, http_text_line(text), LINE_SERVER);
    }
    if (is_answer && is_initialize(p) && p->kind == HTTP_POST_HOST)
        http_reinit_keep(h, p, &m.parts);
    if (h->gate == p && is_initialize(p) && p->n_ids == 0)
        h->gate = NULL;
    return true;
}

static bool on_event(void *owner, struct sp_str data)
{
    struct sp_str text = http_text_trim(data);

    if (text.len > 0)
        (void)deliver(owner, text); /* what is not JSON is kept from the host, the stream goes on */
    return true;
}

static void too_large(struct http_post *p)
{
    if (p->request != NULL)
        httpc_cancel(p->request);
    p->request = NULL;
    sp_log("the HTTP server's answer is too large");
    http_post_fail(p, "the server's answer is too large", NULL);
}

static char *copy_header(const struct httpc_head *head, struct sp_str name)
{
    struct sp_buf text = {0};
    struct sp_str value;

    if (!httpc_find(head, name, &value))
        return NULL;
    sp_buf_add(&text, value);
    return (char *)sp_buf_cstr(&text);
}

static bool is_event_stream(const struct httpc_head *head)
{
    static const char type[] = "text/event-stream";
    struct sp_str value;

    return httpc_find(head, SP_STR("Content-Type"), &value) && value.len >= sizeof type - 1 &&
           strncasecmp(value.p, type, sizeof type - 1) == 0;
}

static void adopt_session(struct http *h, const struct httpc_head *head)
{
    struct sp_str value;
    struct sp_buf id = {0};

    if (!httpc_find(head, SP_STR("Mcp-Session-Id"), &value) || !http_text_is_visible(value))
        return;
    sp_buf_add(&id, value);
    free(h->session_id);
    h->session_id = (char *)sp_buf_cstr(&id);
    h->generation++;
}

static void note_refusal(struct http_post *p, const struct httpc_head *head)
{
    http_refusal_deinit(&p->refusal);
    p->refusal.status = head->status;
    p->refusal.retry_after = copy_header(head, SP_STR("Retry-After"));
    if (head->status == 401 || head->status == 403)
        p->refusal.www_authenticate = copy_header(head, SP_STR("WWW-Authenticate"));
}

static void on_head(void *owner, const struct httpc_head *head)
{
    struct http_post *p = owner;
    bool is_success = head->status >= 200 && head->status <= 299;

    note_refusal(p, head);
    if (p->is_resuming) {
        p->answer = is_success && is_event_stream(head) ? HTTP_ANSWER_EVENTS : HTTP_ANSWER_IGNORED;
        return;
    }
    if (is_initialize(p))
        adopt_session(p->h, head);
    if (head->status == 202)
        p->answer = HTTP_ANSWER_IGNORED;
    else if (!is_success)
        p->answer = HTTP_ANSWER_REFUSED;
    else
        p->answer = is_event_stream(head) ? HTTP_ANSWER_EVENTS : HTTP_ANSWER_BODY;
    if (p->answer == HTTP_ANSWER_EVENTS) {
        sse_init(&p->sse, TRANSPORT_HTTP_MAX_ANSWER, on_event, p);
        p->has_sse = true;
    }
}

static void on_body(void *owner, struct sp_str bytes)
{
    struct http_post *p = owner;
    struct http *h = p->h;

    if (p->answer == HTTP_ANSWER_EVENTS) {
        if (sse_feed(&p->sse, bytes) == SSE_E_TOO_LARGE) {
            too_large(p);
            return;
        }
        if (h->is_ending && http_post_is_idle(p))
            http_post_cancel(p);
        http_pause(h);
        http_step(h);
    } else if (p->answer == HTTP_ANSWER_BODY || p->answer == HTTP_ANSWER_REFUSED) {
        if (bytes.len > TRANSPORT_HTTP_MAX_ANSWER - p->text.len)
            too_large(p);
        else
            sp_buf_add(&p->text, bytes);
    }
}

/* ---- resuming a stream ---- */

static void on_resume(uv_timer_t *timer)
{
    struct http_post *p = timer->data;
    struct httpc_header headers[] = {
        {SP_STR("Accept"), SP_STR("text/event-stream")},
        {SP_STR("Last-Event-ID"), sp_buf_str(&p->sse.id)},
    };

    /* What is known of the last attempt says nothing of this one. */
    http_refusal_deinit(&p->refusal);
    p->answer = HTTP_ANSWER_NONE;
    p->is_resuming = true;
    p->request = http_send(p->h, "GET", true, headers, 2, false, SP_STR(""), &post_callbacks, p);
}

static void resume_in(struct http_post *p, uint64_t ms)
{
    if (!p->has_timer) {
        (void)uv_timer_init(p->h->loop, &p->timer); /* never fails */
        p->timer.data = p;
        p->has_timer = true;
        p->h->n_handles++;
    }
    uv_update_time(p->h->loop);
    (void)uv_timer_start(&p->timer, on_resume, ms > HTTP_MIN_WAIT_MS ? ms : HTTP_MIN_WAIT_MS,
                         0); /* fails only without a callback */
}

static void resume_failed(struct http_post *p, const char *cause)
{
    uint64_t ms;

    p->n_failures++;
    if (p->refusal.status == 404 || p->refusal.status == 405 || p->n_failures == RESUME_TRIES) {
        fail_cut(p, cause);
        return;
    }
    ms = (uint64_t)RESUME_MS << (p->n_failures - 1);
    if (p->sse.has_retry && p->sse.retry_ms > ms)
        ms = p->sse.retry_ms;
    resume_in(p, ms);
}

/* ---- the end of an answer ---- */

static void events_ended(struct http_post *p, bool is_broken, const char *cause)
{
    struct http *h = p->h;
    bool is_too_large = sse_finish(&p->sse, is_broken) == SSE_E_TOO_LARGE;

    p->n_failures = 0;
    if (p->n_ids == 0) {
        finish(p);
    } else if (is_too_large) {
        too_large(p);
    } else if (p->is_modern || !p->sse.has_id) {
        fail_cut(p, cause[0] != '\0' ? cause : "the stream ended without the answer");
    } else {
        resume_in(p, p->sse.has_retry ? p->sse.retry_ms : RESUME_MS);
        http_pause(h); /* the end of the stream may have brought an event */
        http_step(h);
    }
}

static void body_ended(struct http_post *p)
{
    struct sp_buf body = p->text;
    struct sp_str text = http_text_trim(sp_buf_str(&body));
    const char *message = "the server gave no answer";

    p->text = (struct sp_buf){0}; /* of a post of the proxy's own it takes the answer */
    if (text.len > 0 && !deliver(p, text))
        message = "the server's answer is not JSON";
    sp_buf_deinit(&body);
    if (p->n_ids > 0) {
        sp_log("%s", message);
        http_post_fail(p, message, NULL);
    } else {
        finish(p);
    }
}

/* Hands on a refusal's JSON-RPC error in place of one of our own; whether it is one. */
static bool give_refusal(struct http_post *p, struct sp_str text)
{
    struct sp_buf with_id = {0};
    struct sp_str id, code;

    if (p->message.kind != MESSAGE_REQUEST || p->kind != HTTP_POST_HOST || p->n_ids == 0 ||
        !http_text_is_error(text, &id, &code))
        return false;
    if (id.p == NULL || jget_type(id) == JSCAN_NULL)
        http_text_put_with_id(&with_id, text, p->ids[0]);
    else if (message_same_id(id, p->ids[0]))
        sp_buf_add(&with_id, text);
    else
        return false;
    http_give(p->h, http_text_line(sp_buf_str(&with_id)), LINE_SERVER);
    sp_buf_deinit(&with_id);
    p->n_ids = 0;
    return true;
}

static void refused(struct http_post *p)
{
    unsigned status = p->refusal.status;
    const char *reason = http_text_reason(status);
    struct sp_buf message = {0};

    struct http *h = p->h;

    if ((status == 404 && p->generation != 0 && http_reinit_take(p)) || http_modern_refresh(p)) {
        http_pause(h); /* what the proxy sends now is recorded */
        http_step(h);
        return;
    }
    if (status == 404 && p->generation != 0) {
        sp_log("the server has ended the session");
        http_post_fail(p, "the server has ended the session", &p->refusal);
        return;
    }
    sp_buf_addf(&message, "the server answered HTTP %u%s%s", status, reason[0] != '\0' ? " " : "",
                reason);
    sp_log("%s", sp_buf_cstr(&message));
    if (give_refusal(p, http_text_trim(sp_buf_str(&p->text))))
        finish(p);
    else
        http_post_fail(p, sp_buf_cstr(&message), &p->refusal);
    sp_buf_deinit(&message);
}

static void on_end(void *owner, enum httpc_error error, const char *cause)
{
    struct http_post *p = owner;

    p->request = NULL;
    if (error == HTTPC_E_TOO_LARGE) {
        too_large(p);
        return;
    }
    switch (p->answer) {
    case HTTP_ANSWER_NONE:
        if (p->is_resuming) {
            resume_failed(p, cause);
        } else {
            sp_log("the HTTP server could not be reached: %s", cause);
            http_post_fail(p, "the server could not be reached", NULL);
        }
        return;
    case HTTP_ANSWER_IGNORED:
        if (p->is_resuming) {
            resume_failed(p, "the stream could not be resumed");
        } else if (p->n_ids > 0) {
            sp_log("the server gave no answer");
            http_post_fail(p, "the server gave no answer", NULL);
        } else {
            finish(p);
        }
        return;
    case HTTP_ANSWER_REFUSED:
        if (error != HTTPC_OK)
            sp_buf_clear(&p->text);
        refused(p);
        return;
    case HTTP_ANSWER_EVENTS:
        events_ended(p, error != HTTPC_OK, cause);
        return;
    case HTTP_ANSWER_BODY:
        if (error != HTTPC_OK)
            fail_cut(p, cause);
        else
            body_ended(p);
        return;
    }
}

static const struct httpc_callbacks post_callbacks = {on_head, on_body, on_end};
