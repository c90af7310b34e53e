/* A scripted server for tests. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/queue.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "base/sp_buf.h"
#include "httpd.h"

#define MAX_SCRIPTS 16

struct peer {
    LIST_ENTRY(peer) link;
    struct httpd *h;
    uv_tcp_t tcp;
    const struct httpd_step *step;
    struct sp_buf got; /* not yet taken by a step */
    size_t n_needed;   /* bytes of the request under way, when its head has come */
    size_t n_dripped;
    size_t n_writes; /* under way */
    SSL *ssl;        /* NULL without TLS */
    BIO *in;
    BIO *out;
    bool may_go_on;
};

struct write {
    uv_write_t req;
    struct peer *peer;
    char *bytes;
};

struct httpd {
    uv_loop_t *loop;
    uv_tcp_t listener;
    bool is_closed; /* the listener */
    unsigned short port;
    SSL_CTX *tls;
    const struct httpd_step *scripts[MAX_SCRIPTS];
    size_t n_scripts;
    LIST_HEAD(, peer) peers;
    size_t n_open;
    size_t n_accepted;
    size_t n_resumed;
    size_t n_notices;
    struct sp_buf *requests;
    size_t n_requests;
    char read_buf[65536];
};

static void peer_step(struct peer *p);

static void on_peer_closed(uv_handle_t *handle)
{
    struct peer *p = sp_container_of((uv_tcp_t *)handle, struct peer, tcp);

    LIST_REMOVE(p, link);
    p->h->n_open--;
    SSL_free(p->ssl);
    sp_buf_deinit(&p->got);
    free(p);
}

static void peer_close(struct peer *p)
{
    if (!uv_is_closing((uv_handle_t *)&p->tcp))
        uv_close((uv_handle_t *)&p->tcp, on_peer_closed);
}

static void on_written(uv_write_t *req, int status)
{
    struct write *w = sp_container_of(req, struct write, req);
    struct peer *p = w->peer;

    free(w->bytes);
    free(w);
    p->n_writes--;
    if (status < 0)
        peer_close(p);
    else if (p->n_writes == 0)
        peer_step(p);
}

/* Takes the bytes. */
static void send_raw(struct peer *p, char *bytes, size_t len)
{
    struct write *w = sp_calloc(1, sizeof *w);
    uv_buf_t buf = uv_buf_init(bytes, (unsigned)len);

    w->peer = p;
    w->bytes = bytes;
    p->n_writes++;
    if (uv_write(&w->req, (uv_stream_t *)&p->tcp, &buf, 1, on_written) < 0) {
        p->n_writes--;
        free(bytes);
        free(w);
        peer_close(p);
    }
}

static void flush_tls(struct peer *p)
{
    size_t len = BIO_ctrl_pending(p->out);
    char *bytes;

    if (len == 0 || uv_is_closing((uv_handle_t *)&p->tcp))
        return;
    bytes = sp_malloc(len);
    (void)BIO_read(p->out, bytes, (int)len);
    send_raw(p, bytes, len);
}

static void peer_send(struct peer *p, const char *text, size_t len)
{
    if (p->ssl != NULL) {
        assert_int_equal(SSL_write(p->ssl, text, (int)len), (int)len);
        flush_tls(p);
    } else {
        send_raw(p, memcpy(sp_malloc(len), text, len), len);
    }
}

/* The length of the request that `got` begins with, without its body if asked; 0 while not whole.
 */
static size_t request_len(struct peer *p, bool with_body)
{
    const char *text, *end, *len;

    if (p->n_needed == 0) {
        text = sp_buf_cstr(&p->got);
        end = strstr(text, "\r\n\r\n");
        if (end == NULL)
            return 0;
        p->n_needed = (size_t)(end - text) + 4;
        len = strcasestr(text, "\r\ncontent-length: ");
        if (with_body && len != NULL && len < end)
            p->n_needed += strtoul(len + 18, NULL, 10);
    }
    return p->n_needed <= p->got.len ? p->n_needed : 0;
}

/* Moves a request from what has come to what is shown; false while it is not whole. */
static bool take_request(struct peer *p, bool with_body)
{
    struct httpd *h = p->h;
    size_t len = request_len(p, with_body);
    struct sp_buf *request;

    if (len == 0)
        return false;
    h->requests = sp_realloc(h->requests, (h->n_requests + 1) * sizeof *h->requests);
    request = &h->requests[h->n_requests++];
    *request = (struct sp_buf){0};
    sp_buf_add(request, (struct sp_str){p->got.p, len});
    (void)sp_buf_cstr(request);
    memmove(p->got.p, p->got.p + len, p->got.len - len);
    p->got.len -= len;
    p->n_needed = 0;
    return true;
}

static void start_tls(struct peer *p)
{
    p->ssl = SSL_new(p->h->tls);
    p->in = BIO_new(BIO_s_mem());
    p->out = BIO_new(BIO_s_mem());
    BIO_set_mem_eof_return(p->in, -1);
    BIO_set_mem_eof_return(p->out, -1);
    SSL_set_bio(p->ssl, p->in, p->out);
    SSL_set_accept_state(p->ssl);
}

static void send_fill(struct peer *p, size_t n)
{
    char *bytes = memset(sp_malloc(n), 'x', n);

    if (p->ssl != NULL) {
        peer_send(p, bytes, n);
        free(bytes);
    } else {
        send_raw(p, bytes, n);
    }
}

static void end(struct peer *p, enum httpd_step_kind kind)
{
    if (kind == HTTPD_RESET) {
        if (uv_tcp_close_reset(&p->tcp, on_peer_closed) < 0)
            peer_close(p);
        return;
    }
    if (kind == HTTPD_CLOSE && p->ssl != NULL) {
        (void)SSL_shutdown(p->ssl);
        flush_tls(p);
    }
    peer_close(p);
}

/* Does the step; false when it has to wait. */
static bool do_step(struct peer *p, const struct httpd_step *s)
{
    switch (s->kind) {
    case HTTPD_END:
        return false;
    case HTTPD_WANT:
        return take_request(p, true);
    case HTTPD_HEAD:
        if (!take_request(p, false))
            return false;
        uv_read_stop((uv_stream_t *)&p->tcp);
        return true;
    case HTTPD_SEND:
        peer_send(p, s->text, s->n);
        return true;
    case HTTPD_DRIP:
        peer_send(p, s->text + p->n_dripped++, 1);
        if (p->n_dripped < s->n)
            return false;
        p->n_dripped = 0;
        return true;
    case HTTPD_FILL:
        send_fill(p, s->n);
        return true;
    case HTTPD_SECURE:
        start_tls(p);
        return true;
    case HTTPD_CLOSE:
    case HTTPD_DROP:
    case HTTPD_RESET:
        end(p, s->kind);
        return false;
    case HTTPD_WAIT:
        if (!p->may_go_on)
            return false;
        p->may_go_on = false;
        return true;
    }
    return false;
}

/* A step begins when what the one before has sent is gone. */
static void peer_step(struct peer *p)
{
    while (!uv_is_closing((uv_handle_t *)&p->tcp) && p->n_writes == 0 && do_step(p, p->step))
        p->step++;
}

static void on_alloc(uv_handle_t *handle, size_t size, uv_buf_t *ret_buf)
{
    struct peer *p = sp_container_of((uv_tcp_t *)handle, struct peer, tcp);

    (void)size;
    *ret_buf = uv_buf_init(p->h->read_buf, sizeof p->h->read_buf);
}

static void read_tls(struct peer *p)
{
    char plain[4096];
    int n;

    if (!SSL_is_init_finished(p->ssl)) {
        if (SSL_do_handshake(p->ssl) == 1 && SSL_session_reused(p->ssl))
            p->h->n_resumed++;
    }
    while ((n = SSL_read(p->ssl, plain, sizeof plain)) > 0)
        sp_buf_add(&p->got, (struct sp_str){plain, (size_t)n});
    if ((SSL_get_shutdown(p->ssl) & SSL_RECEIVED_SHUTDOWN) != 0)
        p->h->n_notices++;
    flush_tls(p);
}

static void on_read(uv_stream_t *stream, ssize_t nread, const uv_buf_t *buf)
{
    struct peer *p = sp_container_of((uv_tcp_t *)stream, struct peer, tcp);

    if (nread < 0) {
        peer_close(p);
        return;
    }
    if (p->ssl != NULL) {
        (void)BIO_write(p->in, buf->base, (int)nread);
        read_tls(p);
    } else {
        sp_buf_add(&p->got, (struct sp_str){buf->base, (size_t)nread});
    }
    peer_step(p);
}

static void on_connection(uv_stream_t *listener, int status)
{
    struct httpd *h = sp_container_of((uv_tcp_t *)listener, struct httpd, listener);
    struct peer *p = sp_calloc(1, sizeof *p);
    size_t i = h->n_accepted < h->n_scripts ? h->n_accepted : h->n_scripts - 1;

    assert_int_equal(status, 0);
    p->h = h;
    p->step = h->scripts[i];
    assert_int_equal(uv_tcp_init(h->loop, &p->tcp), 0);
    assert_int_equal(uv_accept(listener, (uv_stream_t *)&p->tcp), 0);
    (void)uv_tcp_nodelay(&p->tcp, 1);
    LIST_INSERT_HEAD(&h->peers, p, link);
    h->n_accepted++;
    h->n_open++;
    assert_int_equal(uv_read_start((uv_stream_t *)&p->tcp, on_alloc, on_read), 0);
    peer_step(p);
}

struct httpd *httpd_new(uv_loop_t *loop, SSL_CTX *tls)
{
    struct httpd *h = sp_calloc(1, sizeof *h);
    struct sockaddr_in address;
    int len = sizeof address;

    h->loop = loop;
    h->tls = tls;
    LIST_INIT(&h->peers);
    assert_int_equal(uv_ip4_addr("127.0.0.1", 0, &address), 0);
    assert_int_equal(uv_tcp_init(loop, &h->listener), 0);
    assert_int_equal(uv_tcp_bind(&h->listener, (struct sockaddr *)&address, 0), 0);
    assert_int_equal(uv_listen((uv_stream_t *)&h->listener, 128, on_connection), 0);
    assert_int_equal(uv_tcp_getsockname(&h->listener, (struct sockaddr *)&address, &len), 0);
    h->port = ntohs(address.sin_port);
    return h;
}

void httpd_add(struct httpd *h, const struct httpd_step *steps)
{
    assert_true(h->n_scripts < MAX_SCRIPTS);
    h->scripts[h->n_scripts++] = steps;
}

unsigned short httpd_port(const struct httpd *h)
{
    return h->port;
}

size_t httpd_n_accepted(const struct httpd *h)
{
    return h->n_accepted;
}

size_t httpd_n_requests(const struct httpd *h)
{
    return h->n_requests;
}

size_t httpd_n_open(const struct httpd *h)
{
    return h->n_open;
}

struct sp_str httpd_request(const struct httpd *h, size_t i)
{
    assert_true(i < h->n_requests);
    return sp_buf_str(&h->requests[i]);
}

size_t httpd_unsent(const struct httpd *h)
{
    struct peer *p;
    size_t n = 0;

    LIST_FOREACH (p, &h->peers, link)
        n += uv_stream_get_write_queue_size((uv_stream_t *)&p->tcp);
    return n;
}

size_t httpd_n_resumed(const struct httpd *h)
{
    return h->n_resumed;
}

size_t httpd_n_notices(const struct httpd *h)
{
    return h->n_notices;
}

void httpd_go_on(struct httpd *h)
{
    struct peer *p, *next;

    for (p = LIST_FIRST(&h->peers); p != NULL; p = next) {
        next = LIST_NEXT(p, link);
        p->may_go_on = p->step->kind == HTTPD_WAIT;
        peer_step(p);
    }
}

static void on_listener_closed(uv_handle_t *handle)
{
    sp_container_of((uv_tcp_t *)handle, struct httpd, listener)->is_closed = true;
}

void httpd_free(struct httpd *h)
{
    struct peer *p;

    LIST_FOREACH (p, &h->peers, link)
        peer_close(p);
    uv_close((uv_handle_t *)&h->listener, on_listener_closed);
    while (!h->is_closed || h->n_open > 0)
        (void)uv_run(h->loop, UV_RUN_ONCE);
    for (size_t i = 0; i < h->n_requests; i++)
        sp_buf_deinit(&h->requests[i]);
    free(h->requests);
    free(h);
}
