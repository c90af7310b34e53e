/*
 * libcurl's multi interface on libuv.
 *
 * libcurl says by two callbacks what it waits for: sockets, for each of which there is a uv_poll_t,
 * and one time. When either comes it is called (curl_multi_socket_action()), and goes on with what
 * it can. Its callbacks only start and stop handles. What has ended is taken from it afterwards, in
 * one place, drain().
 *
 * Failures: when a socket cannot be watched, libcurl gives up on all transfers, which then end.
 */

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "io/curlio.h"

struct curlio {
    uv_loop_t *loop;
    CURLM *multi; /* NULL once closing */
    uv_timer_t timer;
    LIST_HEAD(, curlio_transfer) transfers; /* under way */
    size_t n_handles;                       /* the timer and all sockets' */
    bool is_closing;
    curlio_closed_cb on_closed;
    void *owner;
};

struct socket {
    struct curlio *c;
    curl_socket_t fd;
    uv_poll_t poll;
};

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *data, void *socket_data);
static int on_timeout(CURLM *multi, long timeout_ms, void *data);

struct curlio *curlio_new(uv_loop_t *loop)
{
    struct curlio *c;
    CURLM *multi;

    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return NULL;
    c = sp_calloc(1, sizeof *c);
    multi = curl_multi_init();
    if (multi == NULL || curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket) != CURLM_OK ||
        curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, c) != CURLM_OK ||
        curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timeout) != CURLM_OK ||
        curl_multi_setopt(multi, CURLMOPT_TIMERDATA, c) != CURLM_OK)
        goto fail;
    if (uv_timer_init(loop, &c->timer) < 0)
        goto fail;
    c->loop = loop;
    c->multi = multi;
    c->n_handles = 1;
    return c;

fail:
    (void)curl_multi_cleanup(multi); /* NULL is refused, and nothing else can fail */
    free(c);
    curl_global_cleanup();
    return NULL;
}

int curlio_start(struct curlio *c, struct curlio_transfer *t)
{
    assert(!c->is_closing);
    if (curl_easy_setopt(t->easy, CURLOPT_PRIVATE, t) != CURLE_OK ||
        curl_multi_add_handle(c->multi, t->easy) != CURLM_OK)
        return -EIO;
    LIST_INSERT_HEAD(&c->transfers, t, link);
    return 0;
}

void curlio_cancel(struct curlio *c, struct curlio_transfer *t)
{
    CURLMcode code = curl_multi_remove_handle(c->multi, t->easy);

    assert(code == CURLM_OK);
    (void)code;
    LIST_REMOVE(t, link);
}

static void maybe_closed(struct curlio *c)
{
    curlio_closed_cb on_closed = c->on_closed;
    void *owner = c->owner;

    if (!c->is_closing || c->n_handles > 0)
        return;
    free(c);
    curl_global_cleanup();
    on_closed(owner);
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct curlio *c = sp_container_of((uv_timer_t *)handle, struct curlio, timer);

    c->n_handles--;
    maybe_closed(c);
}

void curlio_close(struct curlio *c, curlio_closed_cb on_closed, void *owner)
{
    assert(!c->is_closing);
    c->on_closed = on_closed;
    c->owner = owner;
    c->is_closing = true;
    while (!LIST_EMPTY(&c->transfers))
        curlio_cancel(c, LIST_FIRST(&c->transfers));
    (void)curl_multi_cleanup(c->multi); /* fails for a wrong pointer alone */
    c->multi = NULL;
    uv_close((uv_handle_t *)&c->timer, on_timer_closed);
}

/* Takes out what has ended. A callback may start, cancel and close. */
static void drain(struct curlio *c)
{
    CURLMsg *message;
    int n_left;

    while (!c->is_closing && (message = curl_multi_info_read(c->multi, &n_left)) != NULL) {
        CURL *easy = message->easy_handle;
        CURLcode result = message->data.result; /* the message goes with the handle */
        struct curlio_transfer *t = NULL;

        if (message->msg != CURLMSG_DONE)
            continue;
        (void)curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&t);
        assert(t != NULL);
        curlio_cancel(c, t);
        t->on_done(t, result);
    }
}

/* Has libcurl go on, because of a socket or of the time. */
static void act(struct curlio *c, curl_socket_t fd, int events)
{
    int n_running;

    if (curl_multi_socket_action(c->multi, fd, events, &n_running) != CURLM_OK) {
        while (!c->is_closing && !LIST_EMPTY(&c->transfers)) {
            struct curlio_transfer *t = LIST_FIRST(&c->transfers);

            curlio_cancel(c, t);
            t->on_done(t, CURLE_ABORTED_BY_CALLBACK);
        }
        return;
    }
    drain(c);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct socket *s = sp_container_of(poll, struct socket, poll);
    int flags = status < 0 ? CURL_CSELECT_ERR : 0;

    if ((events & UV_READABLE) != 0)
        flags |= CURL_CSELECT_IN;
    if ((events & UV_WRITABLE) != 0)
        flags |= CURL_CSELECT_OUT;
    act(s->c, s->fd, flags);
}

static void on_timer(uv_timer_t *timer)
{
    act(sp_container_of(timer, struct curlio, timer), CURL_SOCKET_TIMEOUT, 0);
}

static void on_socket_closed(uv_handle_t *handle)
{
    struct socket *s = sp_container_of((uv_poll_t *)handle, struct socket, poll);
    struct curlio *c = s->c;

    free(s);
    c->n_handles--;
    maybe_closed(c);
}

static struct socket *socket_new(struct curlio *c, curl_socket_t fd)
{
    struct socket *s = sp_calloc(1, sizeof *s);

    s->c = c;
    s->fd = fd;
    if (uv_poll_init_socket(c->loop, &s->poll, fd) < 0) {
        free(s);
        return NULL;
    }
    c->n_handles++;
    return s;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *data, void *socket_data)
{
    struct curlio *c = data;
    struct socket *s = socket_data;
    int events = 0;

    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (s != NULL) {
            (void)curl_multi_assign(c->multi, fd, NULL);
            uv_close((uv_handle_t *)&s->poll, on_socket_closed);
        }
        return 0;
    }
    if (s == NULL) {
        s = socket_new(c, fd);
        if (s == NULL)
            return -1;
        (void)curl_multi_assign(c->multi, fd, s);
    }
    if ((what & CURL_POLL_IN) != 0)
        events |= UV_READABLE;
    if ((what & CURL_POLL_OUT) != 0)
        events |= UV_WRITABLE;
    return uv_poll_start(&s->poll, events, on_poll) < 0 ? -1 : 0;
}

/* A time of 0 is only noted too: libcurl must not be called from within this. */
static int on_timeout(CURLM *multi, long timeout_ms, void *data)
{
    struct curlio *c = data;

    (void)multi;
    if (c->is_closing)
        return 0;
    if (timeout_ms < 0)
        (void)uv_timer_stop(&c->timer);
    else
        (void)uv_timer_start(&c->timer, on_timer, (uint64_t)timeout_ms, 0);
    return 0;
}
