/*
 * A new session in place of one that the server has ended (--upstream-reinit).
 *
 *  1. A request meets a 404: it waits in h->refused, later lines wait in h->waiting, and the kept
 *     initialize is posted, with an id of the proxy's.
 *  2. Its result came: the kept notifications/initialized is posted.
 *  3. That has ended: the refused requests are sent once more, then the waiting lines.
 *
 * No result: the refused requests get the error of an ended session, and the host's next line
 * begins again at 1.
 */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "base/sp_log.h"
#include "json/jcanon.h"
#include "transport/http.h"

/* The parts of a result that a host goes by, as one text to compare. */
static char *parts_of(const struct jscan *answer)
{
    static const char *const names[] = {"capabilities", "protocolVersion", "serverInfo"};
    struct sp_buf b = {0};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct sp_str value;
        struct jscan scan;

        /* What nests too deep for the canonical form is compared as it stands. */
        if (!jget_member(answer->result, sp_str_of(names[i]), &value))
            continue;
        if (jscan(value, JSCAN_MAX_DEPTH, &scan))
            jcanon(&b, value);
        else
            sp_buf_add(&b, value);
        sp_buf_add_char(&b, '\n');
    }
    return (char *)sp_buf_cstr(&b);
}

void http_reinit_keep(struct http *h, struct http_post *p, const struct jscan *answer)
{
    if (answer->type != JSCAN_OBJECT || answer->result.p == NULL)
        return;
    line_unref(h->kept_init);
    h->kept_init = line_ref(p->line);
    free(h->kept_result);
    h->kept_result = parts_of(answer);
    h->is_lost = false;
}

static void begin(struct http *h)
{
    struct sp_str init = http_text_trim_end(line_str(h->kept_init));
    struct sp_buf id = {0}, text = {0};
    struct line *line;

    free(h->session_id);
    free(h->version);
    h->generation++; /* what is still out belongs to the session before */
    h->session_id = NULL;
    h->version = NULL;
    h->reinit = HTTP_REINIT_INIT;
    sp_buf_addf(&id, "\"stretto-init-%u\"", ++h->n_reinits);
    http_text_put_with_id(&text, init, sp_buf_str(&id));
    line = http_text_line(sp_buf_str(&text));
    sp_buf_deinit(&id);
    sp_buf_deinit(&text);
    http_keep(h, line_ref(line), LINE_PROXY);
    http_post_send(http_post_new(h, HTTP_POST_INIT, line));
}

static void resend(struct http_post *p)
{
    struct http *h = p->h;
    struct line *line = line_ref(p->line);

    http_post_free(p);
    p = http_post_new(h, HTTP_POST_HOST, line);
    p->is_resent = true;
    http_post_send(p);
}

bool http_reinit_take(struct http_post *p)
{
    struct http *h = p->h;

    if (p->is_resent)
        h->is_lost = h->can_reinit;
    if (!h->can_reinit || h->kept_init == NULL || p->kind != HTTP_POST_HOST || p->is_resent ||
        p->is_modern || p->generation == 0)
        return false;
    /* Only a request begins; what met the same end waits with it, or goes to the new session. */
    if (p->message.kind != MESSAGE_REQUEST && p->generation == h->generation)
        return false;
    TAILQ_REMOVE(&h->out, p, link);
    if (h->gate == p)
        h->gate = NULL;
    if (h->reinit == HTTP_REINIT_NONE && p->generation != h->generation) {
        resend(p); /* another post's 404 has led to a new session already */
        return true;
    }
    TAILQ_INSERT_TAIL(&h->refused, p, link);
    if (h->reinit == HTTP_REINIT_NONE)
        begin(h);
    return true;
}

void http_reinit_retry(struct http_post *p)
{
    struct http *h = p->h;

    TAILQ_INSERT_TAIL(&h->refused, p, link);
    h->reinit = HTTP_REINIT_DUE;
    http_step_soon(h);
}

void http_reinit_begin_due(struct http *h)
{
    if (h->reinit == HTTP_REINIT_DUE)
        begin(h);
}

static void fail_refused(struct http *h)
{
    const struct http_refusal unsent = {.status = 404};
    struct http_post *p;

    h->reinit = HTTP_REINIT_NONE;
    h->is_lost = true;
    while ((p = TAILQ_FIRST(&h->refused)) != NULL) {
        const struct http_refusal *refusal = p->refusal.status != 0 ? &p->refusal : &unsent;

        TAILQ_REMOVE(&h->refused, p, link);
        sp_log("the server has ended the session");
        for (size_t i = 0; i < p->n_ids; i++)
            http_give(h, http_text_error(p->ids[i], "the server has ended the session", refusal),
                      LINE_SERVER);
        http_post_free(p);
    }
}

static void note_new_session(struct http *h, const struct jscan *answer)
{
    struct sp_str capabilities, tools, list_changed;
    char *parts = parts_of(answer);

    sp_log("the server ended the session; a new one has begun");
    if (strcmp(parts, h->kept_result) != 0)
        sp_log("the server of the new session differs from the first");
    free(parts);
    if (jget_member(answer->result, SP_STR("capabilities"), &capabilities) &&
        jget_member(capabilities, SP_STR("tools"), &tools) &&
        jget_member(tools, SP_STR("listChanged"), &list_changed) &&
        jget_type(list_changed) == JSCAN_TRUE)
        http_give(h,
                  http_text_line(SP_STR("{\"jsonrpc\":\"2.0\","
                                        "\"method\":\"notifications/tools/list_changed\"}")),
                  LINE_PROXY);
}

static void go_on(struct http *h)
{
    struct http_posts refused = TAILQ_HEAD_INITIALIZER(refused);
    struct http_post *p;

    h->reinit = HTTP_REINIT_NONE;
    h->is_lost = false;
    http_stream_reopen(h);
    TAILQ_CONCAT(&refused, &h->refused, link);
    while ((p = TAILQ_FIRST(&refused)) != NULL) {
        TAILQ_REMOVE(&refused, p, link);
        resend(p);
    }
}

void http_reinit_post_ended(struct http *h, enum http_post_kind kind, const struct jscan *answer)
{
    struct line *line;

    if (kind == HTTP_POST_INITIALIZED) {
        go_on(h);
        return;
    }
    if (answer == NULL || answer->type != JSCAN_OBJECT || answer->result.p == NULL) {
        fail_refused(h);
        return;
    }
    note_new_session(h, answer);
    if (h->kept_initialized == NULL) {
        go_on(h);
        return;
    }
    h->reinit = HTTP_REINIT_INITIALIZED;
    line = http_text_line(http_text_trim_end(line_str(h->kept_initialized)));
    http_keep(h, line_ref(line), LINE_PROXY);
    http_post_send(http_post_new(h, HTTP_POST_INITIALIZED, line));
}
