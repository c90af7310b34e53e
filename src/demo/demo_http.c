/*
 * The demo server over Streamable HTTP: one request a connection.
 *
 *   HEAD ──► BODY ──► DELAYED ──► ENDING ──► CLOSING
 *     │        └───────────────────▲
 *     ├────────────────────────────┤
 *     └──► STREAM ─────────────────┘
 *
 *  1. HEAD: bytes are gathered up to the blank line, or to where the client ends its sending.
 *  2. judge() answers at once, opens a GET's STREAM, or goes on to a POST's BODY, which answer()
 *     answers, for a tool's call with a delay when that is over.
 *  3. ENDING: the reply, then the end of sending, are on their way. What the client still sends is
 *     read and dropped, for LINGER_MS at most: closing with unread bytes would reset the connection
 *     and could take the reply from the client.
 *  4. A body that is cut off, and any failure of the connection, go to CLOSING straight away.
 */

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

#include "base/sp_alloc.h"
#include "base/sp_log.h"
#include "demo/demo_head.h"
#include "demo/demo_http.h"
#include "json/jput.h"

#define MAX_HEAD  ((size_t)64 * 1024)
#define MAX_BODY  ((size_t)1024 * 1024 * 1024)
#define STREAM_MS 60000 /* how long a GET's stream stays open */
#define LINGER_MS 2000

#define SESSION_PREFIX SP_STR("demo-session-")

struct session {
    bool is_live;
    struct sp_buf version; /* while live */
};

struct server {
    const struct demo_world *world;
    const char *require_auth;
    uv_loop_t loop;
    uv_tcp_t listener;
    struct conn *streams;     /* all connections in CONN_STREAM */
    struct session *sessions; /* number K is at K - 1 */
    size_t n_sessions;
    char buffer[65536]; /* lent to one read at a time */
};

enum conn_state {
    CONN_HEAD,
    CONN_BODY,
    CONN_DELAYED,
    CONN_STREAM,
    CONN_ENDING,
    CONN_CLOSING,
};

struct conn {
    struct server *server;
    enum conn_state state;
    uv_tcp_t tcp;
    uv_timer_t timer; /* of CONN_DELAYED, CONN_STREAM and CONN_ENDING */
    uv_write_t write;
    uv_shutdown_t shutdown;
    unsigned n_handles;
    bool is_input_ended;  /* the client sends no more */
    bool is_output_ended; /* everything, and the end of sending, has left */
    struct sp_buf in;     /* the head */
    size_t n_searched;    /* what of it is known not to end it */
    struct demo_head head;
    struct sp_buf body; /* what has come of it, and maybe more */
    size_t body_len;    /* as announced */
    struct sp_buf out;
    size_t session;    /* CONN_STREAM: its number */
    struct conn *next; /* in the server's streams */
};

static void judge(struct conn *c);
static void answer(struct conn *c);

/* Ends. */

static void on_handle_closed(struct conn *c)
{
    if (--c->n_handles > 0)
        return;
    sp_buf_deinit(&c->in);
    sp_buf_deinit(&c->body);
    sp_buf_deinit(&c->out);
    free(c);
}

static void on_tcp_closed(uv_handle_t *handle)
{
    on_handle_closed(sp_container_of(handle, struct conn, tcp));
}

static void on_timer_closed(uv_handle_t *handle)
{
    on_handle_closed(sp_container_of(handle, struct conn, timer));
}

static void leave_streams(struct conn *c)
{
    struct conn **link = &c->server->streams;

    while (*link != NULL && *link != c)
        link = &(*link)->next;
    if (*link != NULL)
        *link = c->next;
}

static void conn_close(struct conn *c)
{
    if (c->state == CONN_CLOSING)
        return;
    leave_streams(c);
    c->state = CONN_CLOSING;
    uv_close((uv_handle_t *)&c->tcp, on_tcp_closed);
    uv_close((uv_handle_t *)&c->timer, on_timer_closed);
}

static void on_timer(uv_timer_t *timer);

static void on_shutdown(uv_shutdown_t *request, int status)
{
    struct conn *c = sp_container_of(request, struct conn, shutdown);

    c->is_output_ended = true;
    if (status < 0 || c->is_input_ended)
        conn_close(c);
    else if (c->state == CONN_ENDING)
        (void)uv_timer_start(&c->timer, on_timer, LINGER_MS, 0); /* fails only without callback */
}

/* Ends the sending behind what is being written. */
static void conn_end(struct conn *c)
{
    leave_streams(c);
    c->state = CONN_ENDING;
    (void)uv_timer_stop(&c->timer); /* never fails */
    if (uv_shutdown(&c->shutdown, (uv_stream_t *)&c->tcp, on_shutdown) < 0)
        conn_close(c);
}

static void on_written(uv_write_t *request, int status)
{
    struct conn *c = sp_container_of(request, struct conn, write);

    sp_buf_deinit(&c->out);
    if (status < 0)
        conn_close(c);
}

/* Sends what is in `out`; whether that could begin. */
static bool conn_write(struct conn *c)
{
    uv_buf_t buf = {.base = c->out.p, .len = c->out.len};

    if (uv_write(&c->write, (uv_stream_t *)&c->tcp, &buf, 1, on_written) == 0)
        return true;
    conn_close(c);
    return false;
}

static void conn_send(struct conn *c)
{
    if (conn_write(c))
        conn_end(c);
}

/* Replies. */

static void put_status(struct conn *c, const char *status)
{
    sp_buf_addf(&c->out, "HTTP/1.1 %s\r\nConnection: close\r\n", status);
}

static void reply_empty(struct conn *c, const char *status, const char *headers)
{
    put_status(c, status);
    sp_buf_addf(&c->out, "%sContent-Length: 0\r\n\r\n", headers);
    conn_send(c);
}

/* session: its number, told in a header; 0: none. */
static void reply_json(struct conn *c, size_t session, struct sp_str json)
{
    put_status(c, "200 OK");
    sp_buf_addf(&c->out, "Content-Type: application/json\r\nContent-Length: %zu\r\n", json.len);
    if (session > 0)
        sp_buf_addf(&c->out, "Mcp-Session-Id: %.*s%zu\r\n", SP_STR_ARG(SESSION_PREFIX), session);
    sp_buf_add(&c->out, SP_STR("\r\n"));
    sp_buf_add(&c->out, json);
    conn_send(c);
}

static void put_event(struct conn *c, struct sp_str json)
{
    sp_buf_add(&c->out, SP_STR("event: message\ndata: "));
    sp_buf_add(&c->out, json);
    sp_buf_add(&c->out, SP_STR("\n\n"));
}

/* The head of an event stream and its first event, a notification that says `text`. */
static void put_stream(struct conn *c, struct sp_str text)
{
    struct sp_buf json = {0};

    put_status(c, "200 OK");
    sp_buf_add(&c->out, SP_STR("Content-Type: text/event-stream\r\n\r\n"));
    sp_buf_add(&json, SP_STR("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\","
                             "\"params\":{\"data\":"));
    jput_string(&json, text);
    sp_buf_add(&json, SP_STR(",\"level\":\"info\"}}"));
    put_event(c, sp_buf_str(&json));
    sp_buf_deinit(&json);
}

/* Sessions. */

static size_t add_session(struct server *s, struct sp_str version)
{
    struct session *session;

    s->sessions = sp_realloc(s->sessions, (s->n_sessions + 1) * sizeof *s->sessions);
    session = &s->sessions[s->n_sessions++];
    *session = (struct session){.is_live = true};
    sp_buf_add(&session->version, version);
    return s->n_sessions;
}

/* The number of the live session that a request names; 0 when there is none. */
static size_t live_session(const struct conn *c)
{
    struct sp_str id = c->head.session_id;
    size_t number = 0;

    if (id.p == NULL || !sp_str_starts(id, SESSION_PREFIX))
        return 0;
    id = sp_str_sub(id, SESSION_PREFIX.len, id.len);
    for (size_t i = 0; i < id.len; i++) {
        if (id.p[i] < (number == 0 ? '1' : '0') || id.p[i] > '9')
            return 0;
        number = 10 * number + (size_t)(id.p[i] - '0');
        if (number > c->server->n_sessions)
            return 0;
    }
    return number > 0 && c->server->sessions[number - 1].is_live ? number : 0;
}

static void forget_session(struct server *s, size_t number)
{
    struct conn *next;

    s->sessions[number - 1].is_live = false;
    sp_buf_deinit(&s->sessions[number - 1].version);
    for (struct conn *c = s->streams; c != NULL; c = next) {
        next = c->next;
        if (c->session == number)
            conn_end(c);
    }
}

/* Requests. */

/* Reads Content-Length; whether it is a number, or missing. */
static bool read_length(struct conn *c)
{
    struct sp_str text = c->head.content_length;

    c->body_len = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.p[i] < '0' || text.p[i] > '9')
            return false;
        if (c->body_len <= MAX_BODY)
            c->body_len = 10 * c->body_len + (size_t)(text.p[i] - '0');
    }
    return text.p == NULL || text.len > 0;
}

static void open_stream(struct conn *c)
{
    struct server *s = c->server;

    c->session = live_session(c);
    if (c->session == 0) {
        reply_empty(c, "404 Not Found", "");
        return;
    }
    put_stream(c, SP_STR("hello from the server's own stream"));
    if (!conn_write(c))
        return;
    c->state = CONN_STREAM;
    c->next = s->streams;
    s->streams = c;
    (void)uv_timer_start(&c->timer, on_timer, STREAM_MS, 0); /* fails only without callback */
}

static void take_body(struct conn *c)
{
    if (c->body.len >= c->body_len)
        answer(c);
    else if (c->is_input_ended)
        conn_close(c);
}

static void begin_body(struct conn *c)
{
    if (!read_length(c)) {
        reply_empty(c, "400 Bad Request", "");
    } else if (c->body_len > MAX_BODY) {
        reply_empty(c, "413 Content Too Large", "");
    } else {
        c->state = CONN_BODY;
        take_body(c);
    }
}

static void judge(struct conn *c)
{
    const char *auth = c->server->require_auth;
    size_t session;

    demo_head_parse(sp_buf_str(&c->in), &c->head);
    if (!sp_str_eq(c->head.path, SP_STR("/mcp"))) {
        reply_empty(c, "404 Not Found", "");
    } else if (auth != NULL && (c->head.authorization.p == NULL ||
                                !sp_str_eq(c->head.authorization, sp_str_of(auth)))) {
        reply_empty(c, "401 Unauthorized", "");
    } else if (sp_str_eq(c->head.method, SP_STR("POST"))) {
        begin_body(c);
    } else if (sp_str_eq(c->head.method, SP_STR("GET"))) {
        open_stream(c);
    } else if (sp_str_eq(c->head.method, SP_STR("DELETE"))) {
        session = live_session(c);
        if (session > 0)
            forget_session(c->server, session);
        reply_empty(c, "200 OK", "");
    } else {
        reply_empty(c, "405 Method Not Allowed", "Allow: GET, POST, DELETE\r\n");
    }
}

/* Whether the request has a session and its version; if not, it is answered. */
static bool check_session(struct conn *c)
{
    size_t session = live_session(c);
    struct sp_str version = c->head.protocol_version;

    if (c->head.session_id.p == NULL) {
        reply_empty(c, "400 Bad Request", "");
        return false;
    }
    if (session == 0) {
        reply_empty(c, "404 Not Found", "");
        return false;
    }
    if (version.p == NULL ||
        !sp_str_eq(version, sp_buf_str(&c->server->sessions[session - 1].version))) {
        reply_empty(c, "400 Bad Request", "");
        return false;
    }
    return true;
}

static void answer_call(struct conn *c, const struct demo_world_answer *a)
{
    struct sp_buf text = {0};

    sp_buf_add(&text, SP_STR("calling "));
    sp_buf_add(&text, sp_buf_str(&a->name));
    put_stream(c, sp_buf_str(&text));
    put_event(c, sp_buf_str(&a->text));
    sp_buf_deinit(&text);
    if (a->delay_ms == 0) {
        conn_send(c);
        return;
    }
    c->state = CONN_DELAYED;
    (void)uv_timer_start(&c->timer, on_timer, a->delay_ms, 0); /* fails only without callback */
}

static void answer(struct conn *c)
{
    struct server *s = c->server;
    struct demo_world_answer a;

    uv_update_time(&s->loop); /* a delay counts from when its request was read */
    demo_world_answer(s->world, sp_str_sub(sp_buf_str(&c->body), 0, c->body_len), &a);
    sp_buf_deinit(&c->body);
    switch (a.asked) {
    case DEMO_WORLD_INITIALIZE_NOTE:
        reply_empty(c, "400 Bad Request", "");
        break;
    case DEMO_WORLD_INITIALIZE:
        reply_json(c, add_session(s, sp_buf_str(&a.version)), sp_buf_str(&a.text));
        break;
    case DEMO_WORLD_NOTHING:
        if (check_session(c))
            reply_empty(c, "202 Accepted", "");
        break;
    case DEMO_WORLD_CALL:
        if (check_session(c))
            answer_call(c, &a);
        break;
    case DEMO_WORLD_OTHER:
        if (check_session(c))
            reply_json(c, 0, sp_buf_str(&a.text));
        break;
    }
    demo_world_answer_deinit(&a);
}

/* Reading. */

static void take_head(struct conn *c, struct sp_str bytes)
{
    size_t end;

    sp_buf_add(&c->in, bytes);
    end = demo_head_end(sp_buf_str(&c->in), &c->n_searched);
    if (end > 0) {
        sp_buf_add(&c->body, sp_str_sub(sp_buf_str(&c->in), end, c->in.len));
        c->in.len = end;
        judge(c);
    } else if (c->in.len > MAX_HEAD) {
        reply_empty(c, "431 Request Header Fields Too Large", "");
    }
}

static void on_input_end(struct conn *c)
{
    c->is_input_ended = true;
    if (c->state == CONN_HEAD)
        judge(c);
    else if (c->state == CONN_BODY || c->is_output_ended)
        conn_close(c);
}

static void on_read(uv_stream_t *stream, ssize_t nread, const uv_buf_t *buf)
{
    struct conn *c = sp_container_of(stream, struct conn, tcp);
    struct sp_str bytes = {buf->base, nread > 0 ? (size_t)nread : 0};

    if (nread == UV_EOF) {
        on_input_end(c);
    } else if (nread < 0) {
        conn_close(c);
    } else if (c->state == CONN_HEAD) {
        take_head(c, bytes);
    } else if (c->state == CONN_BODY) {
        sp_buf_add(&c->body, bytes);
        take_body(c);
    }
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_buf)
{
    struct server *s = sp_container_of(handle, struct conn, tcp)->server;

    (void)suggested;
    *ret_buf = uv_buf_init(s->buffer, sizeof s->buffer);
}

static void on_timer(uv_timer_t *timer)
{
    struct conn *c = sp_container_of(timer, struct conn, timer);

    if (c->state == CONN_DELAYED)
        conn_send(c);
    else if (c->state == CONN_STREAM)
        conn_end(c);
    else
        conn_close(c); /* the client has lingered long enough */
}

static void on_connection(uv_stream_t *stream, int status)
{
    struct server *s = sp_container_of(stream, struct server, listener);
    struct conn *c;

    if (status < 0)
        return; /* that one is gone; others may come */
    c = sp_calloc(1, sizeof *c);
    c->server = s;
    c->n_handles = 2;
    (void)uv_tcp_init(&s->loop, &c->tcp); /* neither fails */
    (void)uv_timer_init(&s->loop, &c->timer);
    if (uv_accept(stream, (uv_stream_t *)&c->tcp) < 0 ||
        uv_read_start((uv_stream_t *)&c->tcp, on_alloc, on_read) < 0)
        conn_close(c);
}

/* Listening. */

/* Splits HOST:PORT, brackets around an IPv6 address taken off. */
static bool split_addr(const char *addr, struct sp_buf *ret_host, struct sp_buf *ret_port)
{
    const char *colon = strrchr(addr, ':');
    struct sp_str host;

    if (colon == NULL)
        return false;
    host = (struct sp_str){addr, (size_t)(colon - addr)};
    if (sp_str_starts(host, SP_STR("[")) && sp_str_ends(host, SP_STR("]")) && host.len > 2)
        host = sp_str_sub(host, 1, host.len - 1);
    sp_buf_add(ret_host, host);
    sp_buf_add(ret_port, sp_str_of(colon + 1));
    return ret_host->len > 0 && ret_port->len > 0 && ret_port->len <= 5 &&
           strspn(colon + 1, "0123456789") == ret_port->len && strtol(colon + 1, NULL, 10) <= 65535;
}

static int listen_at(struct server *s, const struct sockaddr *address)
{
    int err;

    (void)uv_tcp_init(&s->loop, &s->listener); /* never fails */
    err = uv_tcp_bind(&s->listener, address, 0);
    if (err == 0)
        err = uv_listen((uv_stream_t *)&s->listener, SOMAXCONN, on_connection);
    if (err < 0) {
        uv_close((uv_handle_t *)&s->listener, NULL);
        (void)uv_run(&s->loop, UV_RUN_DEFAULT); /* until that is closed */
    }
    return err;
}

/* Listens at the first address of the host that can be had. */
static int listen_anywhere(struct server *s, const char *addr)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | AI_PASSIVE};
    struct sp_buf host = {0}, port = {0};
    uv_getaddrinfo_t request;
    int err = UV_EINVAL;

    if (split_addr(addr, &host, &port))
        err = uv_getaddrinfo(&s->loop, &request, NULL, sp_buf_cstr(&host), sp_buf_cstr(&port),
                             &hints);
    if (err == 0) {
        for (const struct addrinfo *ai = request.addrinfo; ai != NULL; ai = ai->ai_next) {
            err = listen_at(s, ai->ai_addr);
            if (err == 0)
                break;
        }
        uv_freeaddrinfo(request.addrinfo);
    }
    sp_buf_deinit(&host);
    sp_buf_deinit(&port);
    return err;
}

static void print_url(const struct server *s)
{
    struct sockaddr_storage address;
    char ip[64] = "";
    int len = sizeof address, port;

    (void)uv_tcp_getsockname(&s->listener, (struct sockaddr *)&address, &len); /* it is bound */
    if (address.ss_family == AF_INET6) {
        const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&address;

        (void)uv_ip6_name(in6, ip, sizeof ip); /* it fits */
        port = ntohs(in6->sin6_port);
    } else {
        const struct sockaddr_in *in = (const struct sockaddr_in *)&address;

        (void)uv_ip4_name(in, ip, sizeof ip); /* it fits */
        port = ntohs(in->sin_port);
    }
    printf(address.ss_family == AF_INET6 ? "http://[%s]:%d/mcp\n" : "http://%s:%d/mcp\n", ip, port);
    fflush(stdout);
}

int demo_http_serve(const struct demo_world *world, const char *addr, const char *require_auth)
{
    struct server *s;
    int err;

    s = sp_calloc(1, sizeof *s);
    s->world = world;
    s->require_auth = require_auth;
    if (uv_loop_init(&s->loop) < 0) {
        sp_log("starting: the event loop could not be made");
        free(s);
        return 1;
    }
    err = listen_anywhere(s, addr);
    if (err == 0) {
        print_url(s);
        (void)uv_run(&s->loop, UV_RUN_DEFAULT); /* the listener stays open, so it stays here */
    } else {
        sp_log("listening at '%s': %s", addr,
               err == UV_EINVAL ? "it is not HOST:PORT" : uv_strerror(err));
    }
    err = uv_loop_close(&s->loop);
    assert(err == 0);
    (void)err;
    free(s);
    return 1;
}
