/*
 * Connections: TCP and TLS.
 *
 *     net_dial ──► dial ──► reading ──┬─ plain: on_read from the read buffer
 *                                     └─ TLS:   feed, then shake hands or decrypt, on_read
 *     net_write ─┬─ plain: one uv_write of head and body
 *                └─ TLS:   NET_PORTION encrypted at a time, the next when the socket took the last
 *
 * The one timer is the time limit until net_settle(). Afterwards, and when something fails inside a
 * function of the owner's, it calls back from the loop: see on_timer().
 *
 * A failed write is left to the reader: what the server sent before it closed is still read, and
 * the error of the socket then comes from there.
 *
 * Once net_close() was called, n_open counts what is left of the dial, the socket and the timer.
 */

#include <assert.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/sp_buf.h"
#include "io/dial.h"
#include "io/net.h"

#define RECORD_SIZE (16 * 1024) /* a TLS record's largest content */

/* How far the connection is. */
enum stage {
    STAGE_NEW,
    STAGE_DIALLING,
    STAGE_PLAIN,
    STAGE_HANDSHAKE,
    STAGE_SECURE,
    STAGE_OVER,    /* on_end was called, or is due from the timer */
    STAGE_CLOSING, /* no callback but on_closed */
};

struct net {
    struct net_hub *hub;
    const struct net_callbacks *callbacks;
    void *owner;
    enum stage stage;
    struct dial *dial; /* NULL when there is none */
    uv_tcp_t *tcp;     /* NULL until connected */
    uv_timer_t timer;
    uv_write_t write;
    struct tls *tls;
    struct sp_str unsent[2]; /* with TLS: what of head and body is not yet encrypted */
    struct sp_buf out;       /* with TLS: what the write under way sends */
    struct sp_buf held;      /* was read but not taken */
    char *cause;             /* with which to call on_end from the timer */
    bool is_settled;
    bool is_paused;
    bool is_sending; /* a net_write() is not yet all handed over */
    bool is_writing; /* a uv_write() is under way */
    bool has_write_failed;
    unsigned n_open;
};

static void on_timer(uv_timer_t *timer);
static void on_dialled(void *owner, uv_tcp_t *tcp, const char *cause);
static void on_dial_closed(void *owner);
static void on_alloc(uv_handle_t *handle, size_t size, uv_buf_t *ret_buf);
static void on_uv_read(uv_stream_t *stream, ssize_t nread, const uv_buf_t *buf);
static void on_written(uv_write_t *write, int status);
static void on_tcp_closed(uv_handle_t *handle);
static void on_timer_closed(uv_handle_t *handle);

static const struct dial_callbacks dial_callbacks = {on_dialled, on_dial_closed};

void net_hub_init(struct net_hub *hub, uv_loop_t *loop)
{
    *hub = (struct net_hub){.loop = loop, .read_buf = sp_malloc(NET_PORTION)};
}

void net_hub_deinit(struct net_hub *hub)
{
    tls_context_free(hub->tls);
    free(hub->read_buf);
    free(hub->plain_buf);
}

struct net *net_new(struct net_hub *hub, const struct net_callbacks *callbacks, void *owner)
{
    struct net *n = sp_calloc(1, sizeof *n);

    n->hub = hub;
    n->callbacks = callbacks;
    n->owner = owner;
    (void)uv_timer_init(hub->loop, &n->timer); /* cannot fail */
    n->n_open = 1;
    return n;
}

void net_dial(struct net *n, const char *host, unsigned short port, unsigned limit_ms)
{
    assert(n->stage == STAGE_NEW);
    n->stage = STAGE_DIALLING;
    (void)uv_timer_start(&n->timer, on_timer, limit_ms, 0);
    n->dial = dial_start(n->hub->loop, host, port, &dial_callbacks, n);
    n->n_open++;
}

void net_fail(struct net *n, const char *cause)
{
    if (n->stage >= STAGE_OVER)
        return;
    n->stage = STAGE_OVER;
    n->cause = sp_strdup(cause);
    if (n->tcp != NULL)
        uv_read_stop((uv_stream_t *)n->tcp);
    (void)uv_timer_start(&n->timer, on_timer, 0, 0);
}

/* The connection is over; called from the loop. */
static void finish(struct net *n, const char *cause)
{
    n->stage = STAGE_OVER;
    uv_timer_stop(&n->timer);
    if (n->tcp != NULL)
        uv_read_stop((uv_stream_t *)n->tcp);
    n->callbacks->on_end(n->owner, cause);
}

static void start_reading(struct net *n)
{
    int status = uv_read_start((uv_stream_t *)n->tcp, on_alloc, on_uv_read);

    if (status < 0 && status != UV_EALREADY)
        net_fail(n, uv_strerror(status));
}

static void on_dialled(void *owner, uv_tcp_t *tcp, const char *cause)
{
    struct net *n = owner;

    dial_close(n->dial);
    n->dial = NULL;
    if (n->stage == STAGE_OVER) {
        if (tcp != NULL) {
            n->tcp = tcp;
            tcp->data = n;
            n->n_open++;
        }
        return;
    }
    if (tcp == NULL) {
        finish(n, cause);
        return;
    }
    n->tcp = tcp;
    tcp->data = n;
    n->n_open++;
    n->stage = STAGE_PLAIN;
    start_reading(n);
    if (n->stage == STAGE_PLAIN)
        n->callbacks->on_ready(n->owner);
}

void net_settle(struct net *n)
{
    n->is_settled = true;
    if (n->stage != STAGE_OVER)
        uv_timer_stop(&n->timer);
}

/* Gives bytes to the owner and keeps what it leaves. */
static void deliver(struct net *n, struct sp_str bytes)
{
    size_t n_taken = n->callbacks->on_read(n->owner, bytes);

    if (n->stage >= STAGE_OVER || n_taken == bytes.len)
        return;
    assert(n->is_paused && n->held.len == 0);
    sp_buf_add(&n->held, sp_str_sub(bytes, n_taken, bytes.len));
}

/* Leaves out the first `n` bytes. */
static void skip(uv_buf_t bufs[], unsigned n_bufs, size_t n)
{
    for (unsigned i = 0; i < n_bufs; i++) {
        size_t len = n < bufs[i].len ? n : bufs[i].len;

        bufs[i].base += len;
        bufs[i].len -= len;
        n -= len;
    }
}

/*
 * Starts sending bytes as they go on the wire.
 *
 * may_try: first try to hand over all at once. For a small request that is all: uv_write() alone
 *          would try too, but then ask the system to tell when the socket is writable and take that
 *          back, which is one call more for each request.
 * Returns: whether all was handed over; otherwise on_written() follows, or a failed write is left
 * to the reader.
 */
static bool write_wire(struct net *n, uv_buf_t bufs[], unsigned n_bufs, bool may_try)
{
    size_t len = 0;

    for (unsigned i = 0; i < n_bufs; i++)
        len += bufs[i].len;
    if (may_try) {
        int n_written = uv_try_write((uv_stream_t *)n->tcp, bufs, n_bufs);

        if (n_written >= 0 && (size_t)n_written == len)
            return true;
        if (n_written > 0)
            skip(bufs, n_bufs, (size_t)n_written);
        n->has_write_failed = n_written < 0 && n_written != UV_EAGAIN;
    }
    if (!n->has_write_failed) {
        n->is_writing = uv_write(&n->write, (uv_stream_t *)n->tcp, bufs, n_bufs, on_written) == 0;
        n->has_write_failed = !n->is_writing;
    }
    return false;
}

/* Encrypts what there is room for. Returns whether TLS still works, else with the cause. */
static bool encrypt(struct net *n, struct sp_err *ret_err)
{
    for (size_t i = 0; i < 2; i++) {
        struct sp_str *s = &n->unsent[i];

        while (s->len > 0 && tls_pending(n->tls) < NET_PORTION) {
            size_t len = s->len < RECORD_SIZE ? s->len : RECORD_SIZE;
            int outcome = tls_write(n->tls, sp_str_sub(*s, 0, len), ret_err);

            if (outcome < 0)
                return false;
            if (outcome > 0)
                return true;
            *s = sp_str_sub(*s, len, s->len);
        }
    }
    return true;
}

/*
 * Sends what TLS has for the socket, the handshake's messages and alerts too. After one portion
 * that was handed over at once the next waits for the loop, so that a large body leaves it to
 * others.
 */
static void flush(struct net *n)
{
    bool may_try = true;

    while (!n->is_writing && !n->has_write_failed && n->stage != STAGE_CLOSING) {
        struct sp_err err;
        size_t len;
        uv_buf_t buf;

        if (n->stage == STAGE_SECURE && !encrypt(n, &err))
            net_fail(n, err.text);
        len = tls_pending(n->tls);
        if (len == 0)
            return;
        sp_buf_clear(&n->out);
        n->out.len = tls_take(n->tls, sp_buf_reserve(&n->out, len), len);
        buf = uv_buf_init(n->out.p, (unsigned)n->out.len);
        if (!write_wire(n, &buf, 1, may_try))
            return;
        may_try = false;
    }
}

/* Whether all of the net_write() under way has been handed over; then it is no longer under way. */
static bool take_sent(struct net *n)
{
    if (!n->is_sending || n->is_writing || n->unsent[0].len + n->unsent[1].len > 0 ||
        n->has_write_failed)
        return false;
    n->is_sending = false;
    sp_buf_deinit(&n->out);
    return true;
}

/* Decrypts what was fed and gives it to the owner, until there is no more or it pauses. */
static void decrypt(struct net *n)
{
    struct sp_err err;
    size_t len;
    int outcome = 0;

    while (n->stage == STAGE_SECURE && !n->is_paused) {
        outcome = tls_read(n->tls, n->hub->plain_buf, NET_PORTION, &len, &err);
        if (outcome != 0)
            break;
        deliver(n, (struct sp_str){n->hub->plain_buf, len});
    }
    if (n->stage != STAGE_SECURE)
        return;
    flush(n);
    if (take_sent(n)) {
        n->callbacks->on_sent(n->owner);
        if (n->stage >= STAGE_OVER)
            return;
    }
    if (outcome == TLS_E_CLOSED)
        finish(n, "");
    else if (outcome < 0)
        finish(n, err.text);
}

/* Goes on with the handshake, from the loop. */
static void shake_hands(struct net *n)
{
    struct sp_err err;
    int outcome = tls_handshake(n->tls, &err);

    if (outcome != 0) {
        flush(n);
        if (outcome < 0)
            finish(n, err.text);
        return;
    }
    n->stage = STAGE_SECURE;
    n->callbacks->on_ready(n->owner);
    flush(n); /* the end of the handshake, with what the owner has written already */
    decrypt(n);
}

void net_secure(struct net *n, const char *host, unsigned short port)
{
    struct sp_err err;

    assert(n->stage == STAGE_PLAIN && !n->is_sending && n->held.len == 0);
    if (n->hub->tls == NULL) {
        n->hub->tls = tls_context_new(&err);
        if (n->hub->plain_buf == NULL)
            n->hub->plain_buf = sp_malloc(NET_PORTION);
    }
    if (n->hub->tls != NULL)
        n->tls = tls_new(n->hub->tls, host, port, &err);
    if (n->tls == NULL) {
        net_fail(n, err.text);
        return;
    }
    n->stage = STAGE_HANDSHAKE;
    if (tls_handshake(n->tls, &err) < 0)
        net_fail(n, err.text);
    flush(n);
}

static void on_alloc(uv_handle_t *handle, size_t size, uv_buf_t *ret_buf)
{
    struct net *n = handle->data;

    (void)size;
    *ret_buf = uv_buf_init(n->hub->read_buf, NET_PORTION);
}

/* Takes the error that the system has for the socket, as a negative code; 0 for none. */
static int take_socket_error(const struct net *n)
{
    int error = 0;
    socklen_t len = sizeof error;
    uv_os_fd_t fd;

    if (uv_fileno((const uv_handle_t *)n->tcp, &fd) < 0 ||
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
        return 0;
    return -error;
}

/*
 * The socket has no more to read. When a reset comes right behind data, libuv tells the end of the
 * stream, which must not pass for the end of a body; the system knows better.
 */
static void end_reading(struct net *n, int error)
{
    int socket_error = error == UV_EOF ? take_socket_error(n) : 0;

    if (socket_error < 0)
        error = socket_error;
    if (error != UV_EOF)
        finish(n, uv_strerror(error));
    else if (n->stage == STAGE_HANDSHAKE)
        finish(n, "TLS: closed during the handshake");
    else if (n->stage == STAGE_SECURE)
        finish(n, "TLS: closed without notice");
    else
        finish(n, "");
}

static void on_uv_read(uv_stream_t *stream, ssize_t nread, const uv_buf_t *buf)
{
    struct net *n = stream->data;
    struct sp_str bytes = {buf->base, nread > 0 ? (size_t)nread : 0};

    if (nread == 0)
        return;
    if (nread < 0) {
        end_reading(n, (int)nread);
        return;
    }
    if (n->stage == STAGE_PLAIN) {
        deliver(n, bytes);
        return;
    }
    tls_feed(n->tls, bytes);
    if (n->stage == STAGE_HANDSHAKE)
        shake_hands(n);
    else
        decrypt(n);
}

bool net_write(struct net *n, struct sp_str head, struct sp_str body)
{
    uv_buf_t bufs[2] = {{(char *)head.p, head.len}, {(char *)body.p, body.len}};

    assert(!n->is_sending);
    if (n->stage >= STAGE_OVER)
        return false;
    n->is_sending = true;
    if (n->stage == STAGE_PLAIN) {
        (void)write_wire(n, bufs, body.len > 0 ? 2 : 1, true); /* take_sent() tells */
    } else {
        assert(n->stage == STAGE_SECURE);
        n->unsent[0] = head;
        n->unsent[1] = body;
        flush(n);
    }
    return take_sent(n);
}

static void on_written(uv_write_t *write, int status)
{
    struct net *n = sp_container_of(write, struct net, write);

    n->is_writing = false;
    n->has_write_failed = status < 0;
    if (n->stage >= STAGE_OVER || status < 0)
        return;
    if (n->tls != NULL)
        flush(n);
    if (n->stage < STAGE_OVER && take_sent(n))
        n->callbacks->on_sent(n->owner);
}

void net_pause(struct net *n)
{
    assert(n->is_settled);
    n->is_paused = true;
    if (n->stage < STAGE_OVER)
        uv_read_stop((uv_stream_t *)n->tcp);
}

void net_resume(struct net *n)
{
    if (!n->is_paused)
        return;
    n->is_paused = false;
    (void)uv_timer_start(&n->timer, on_timer, 0, 0);
}

/* Goes on after a pause. */
static void go_on(struct net *n)
{
    struct sp_buf held = n->held;

    n->held = (struct sp_buf){0};
    deliver(n, sp_buf_str(&held));
    sp_buf_deinit(&held);
    if (n->stage == STAGE_SECURE)
        decrypt(n);
    if (n->stage < STAGE_OVER && !n->is_paused)
        start_reading(n);
}

/* The time limit, an end that is due, or the end of a pause. */
static void on_timer(uv_timer_t *timer)
{
    struct net *n = sp_container_of(timer, struct net, timer);

    if (n->stage == STAGE_OVER)
        finish(n, n->cause);
    else if (!n->is_settled)
        finish(n, "timed out");
    else if (!n->is_paused)
        go_on(n);
}

/* Tells the server that TLS ends, if the socket is free to take that at once. */
static void say_goodbye(struct net *n)
{
    char notice[256];
    uv_buf_t buf;

    if (n->tls == NULL || n->is_writing)
        return;
    tls_shutdown(n->tls);
    buf = uv_buf_init(notice, (unsigned)tls_take(n->tls, notice, sizeof notice));
    if (buf.len > 0)
        (void)uv_try_write((uv_stream_t *)n->tcp, &buf, 1);
}

void net_close(struct net *n)
{
    if (n->stage == STAGE_CLOSING)
        return;
    if (n->tcp != NULL) {
        say_goodbye(n);
        uv_close((uv_handle_t *)n->tcp, on_tcp_closed);
    }
    n->stage = STAGE_CLOSING;
    if (n->dial != NULL)
        dial_close(n->dial);
    uv_close((uv_handle_t *)&n->timer, on_timer_closed);
}

static void one_closed(struct net *n)
{
    void (*on_closed)(void *owner) = n->callbacks->on_closed;
    void *owner = n->owner;

    if (--n->n_open > 0)
        return;
    tls_free(n->tls);
    sp_buf_deinit(&n->out);
    sp_buf_deinit(&n->held);
    free(n->cause);
    free(n);
    on_closed(owner);
}

static void on_dial_closed(void *owner)
{
    one_closed(owner);
}

static void on_tcp_closed(uv_handle_t *handle)
{
    struct net *n = handle->data;

    free(handle);
    one_closed(n);
}

static void on_timer_closed(uv_handle_t *handle)
{
    one_closed(sp_container_of((uv_timer_t *)handle, struct net, timer));
}
