/*
 * The HTTP client: requests, the pool of idle connections, redirects.
 *
 *     httpc_send ──► an idle connection, the one used last, or a new one ──► answer ──► on_end
 *
 * A redirect that is followed begins again there. So does, on a new connection, a request whose
 * reused connection ended before its answer began: the server closed it while it was idle.
 *
 * A connection belongs to one request or to the pool. When its request is done it goes into the
 * pool before the request's owner is told, who may send the next one on it.
 */

#include <assert.h>
#include <stdlib.h>
#include <strings.h>

#include "base/sp_base64.h"
#include "io/httpconn.h"
#include "io/httpc.h"

#define MAX_REDIRECTS 10

/* After this time something between here and the server may have forgotten an idle connection. */
#define MAX_IDLE_MS (90 * 1000)

struct httpc_request {
    LIST_ENTRY(httpc_request) link;
    struct httpc *client;
    const struct httpc_callbacks *callbacks;
    void *owner;
    struct httpconn *conn;
    const char *method;
    struct url url;       /* without user information */
    struct sp_buf fields; /* the caller's header lines, and Authorization */
    struct sp_buf body;   /* until nothing can need it again */
    bool has_body;
    struct sp_buf head; /* as sent */
    size_t n_unsent;    /* the body's part of the client's */
    unsigned n_redirects;
    bool is_redirected; /* the answer under way is a redirect, to be followed when it is done: */
    bool becomes_get;   /* without body */
    struct url next;    /* to there */
    bool is_paused;
    bool is_ended; /* on_end is being called */
};

LIST_HEAD(request_list, httpc_request);
LIST_HEAD(conn_list, httpconn);

struct httpc {
    struct net_hub hub;
    struct proxyenv *proxies;
    struct request_list requests;
    struct conn_list idle; /* the one used last first */
    size_t n_conns;        /* not yet gone */
    size_t n_unsent;       /* bytes */
    size_t max_unsent;     /* bytes; see httpc_new() */
    void (*on_low)(void *owner);
    void *low_owner;
    uv_idle_t presence; /* brings on_low; also there is something to close when nothing else is */
    bool is_closed;     /* `presence` is gone */
    void (*on_closed)(void *owner);
    void *owner;
};

static void request_start(struct httpc_request *r, bool may_reuse);
static void on_ready(struct httpconn *conn);
static void on_sent(struct httpconn *conn);
static void on_head(struct httpconn *conn, const struct httpc_head *head);
static void on_body(struct httpconn *conn, struct sp_str bytes);
static void on_done(struct httpconn *conn, bool is_reusable);
static void on_end(struct httpconn *conn, enum httpc_error error, const char *cause);
static void on_conn_closed(void *client);
static void on_presence_closed(uv_handle_t *handle);

static const struct httpconn_callbacks conn_callbacks = {
    .on_ready = on_ready,
    .on_sent = on_sent,
    .on_head = on_head,
    .on_body = on_body,
    .on_done = on_done,
    .on_end = on_end,
    .on_closed = on_conn_closed,
};

static bool equals_nocase(struct sp_str a, struct sp_str b)
{
    return a.len == b.len && strncasecmp(a.p, b.p, a.len) == 0;
}

bool httpc_find(const struct httpc_head *head, struct sp_str name, struct sp_str *ret_value)
{
    for (size_t i = 0; i < head->n_headers; i++) {
        if (equals_nocase(head->headers[i].name, name)) {
            *ret_value = head->headers[i].value;
            return true;
        }
    }
    return false;
}

struct httpc *httpc_new(uv_loop_t *loop, size_t max_unsent, void (*on_low)(void *owner),
                        void *owner)
{
    struct httpc *c = sp_calloc(1, sizeof *c);

    c->max_unsent = max_unsent;
    c->on_low = on_low;
    c->low_owner = owner;
    net_hub_init(&c->hub, loop);
    c->proxies = proxyenv_new(getenv);
    LIST_INIT(&c->requests);
    LIST_INIT(&c->idle);
    (void)uv_idle_init(loop, &c->presence); /* cannot fail */
    return c;
}

void httpc_free(struct httpc *c)
{
    if (c == NULL)
        return;
    assert(c->is_closed && c->n_conns == 0);
    proxyenv_free(c->proxies);
    net_hub_deinit(&c->hub);
    free(c);
}

size_t httpc_unsent(const struct httpc *c)
{
    return c->n_unsent;
}

static void on_presence(uv_idle_t *idle)
{
    struct httpc *c = sp_container_of(idle, struct httpc, presence);

    uv_idle_stop(idle);
    c->on_low(c->low_owner);
}

static void set_unsent(struct httpc_request *r, size_t n)
{
    struct httpc *c = r->client;
    bool was_much = c->n_unsent > c->max_unsent;

    c->n_unsent += n - r->n_unsent; /* modulo SIZE_MAX + 1 that is right either way */
    r->n_unsent = n;
    if (was_much && c->n_unsent <= c->max_unsent && !uv_is_closing((uv_handle_t *)&c->presence))
        (void)uv_idle_start(&c->presence, on_presence); /* fails only without a callback */
}

static void put_field(struct sp_buf *b, struct sp_str name, struct sp_str value)
{
    sp_buf_add(b, name);
    sp_buf_add(b, SP_STR(": "));
    sp_buf_add(b, value);
    sp_buf_add(b, SP_STR("\r\n"));
}

static void put_authorization(struct sp_buf *b, const struct url *url)
{
    struct sp_buf plain = {0};

    sp_buf_addf(&plain, "%s:%s", url->user != NULL ? url->user : "",
                url->password != NULL ? url->password : "");
    sp_buf_add(b, SP_STR("Authorization: Basic "));
    sp_base64_put(b, sp_buf_str(&plain));
    sp_buf_add(b, SP_STR("\r\n"));
    sp_buf_deinit(&plain);
}

/* The caller's header lines in their order; then the URL's user, unless one of them says who. */
static void put_fields(struct sp_buf *b, const struct url *url, const struct httpc_header *headers,
                       size_t n_headers)
{
    bool has_authorization = false;

    for (size_t i = 0; i < n_headers; i++) {
        put_field(b, headers[i].name, headers[i].value);
        has_authorization =
            has_authorization || equals_nocase(headers[i].name, SP_STR("authorization"));
    }
    if (!has_authorization && (url->user != NULL || url->password != NULL))
        put_authorization(b, url);
}

struct httpc_request *httpc_send(struct httpc *c, const char *method, const struct url *url,
                                 const struct httpc_header *headers, size_t n_headers,
                                 bool has_body, struct sp_str body,
                                 const struct httpc_callbacks *callbacks, void *owner)
{
    struct httpc_request *r = sp_calloc(1, sizeof *r);

    r->client = c;
    r->callbacks = callbacks;
    r->owner = owner;
    r->method = method;
    r->url = *url;
    r->url.user = r->url.password = NULL;
    r->url.host = sp_strdup(url->host);
    r->url.target = sp_strdup(url->target);
    put_fields(&r->fields, url, headers, n_headers);
    r->has_body = has_body;
    if (body.len > 0) /* memory of just its size, as it may be large */
        r->body =
            (struct sp_buf){memcpy(sp_malloc(body.len), body.p, body.len), body.len, body.len};
    LIST_INSERT_HEAD(&c->requests, r, link);
    request_start(r, true);
    return r;
}

static void request_free(struct httpc_request *r)
{
    if (r->is_redirected)
        url_deinit(&r->next);
    url_deinit(&r->url);
    sp_buf_deinit(&r->fields);
    sp_buf_deinit(&r->body);
    sp_buf_deinit(&r->head);
    free(r);
}

/* Takes the connection to the URL's server that was used last out of the pool; NULL for none. */
static struct httpconn *take_idle(struct httpc *c, const struct url *url)
{
    uint64_t now_ms = uv_hrtime() / 1000000;
    struct httpconn *conn, *next;

    for (conn = LIST_FIRST(&c->idle); conn != NULL; conn = next) {
        next = LIST_NEXT(conn, link);
        if (!httpconn_leads_to(conn, url))
            continue;
        LIST_REMOVE(conn, link);
        if (now_ms - conn->idle_since_ms <= MAX_IDLE_MS)
            return conn;
        httpconn_close(conn);
    }
    return NULL;
}

/* Makes the text of the request's head. */
static void make_head(struct httpc_request *r, const struct proxyenv_proxy *proxy)
{
    struct sp_buf *b = &r->head;
    bool is_absolute = proxy != NULL && r->url.scheme == URL_HTTP;

    sp_buf_clear(b);
    (void)sp_buf_reserve(b, 256 + r->fields.len);
    sp_buf_add(b, sp_str_of(r->method));
    sp_buf_add_char(b, ' ');
    if (is_absolute)
        url_put(&r->url, b);
    else
        sp_buf_add(b, sp_str_of(r->url.target));
    sp_buf_add(b, SP_STR(" HTTP/1.1\r\nHost: "));
    url_put_host(&r->url, b);
    sp_buf_add(b, SP_STR("\r\n"));
    sp_buf_add(b, sp_buf_str(&r->fields));
    if (r->has_body)
        sp_buf_addf(b, "Content-Length: %zu\r\n", r->body.len);
    if (is_absolute && proxy->authorization != NULL)
        put_field(b, SP_STR("Proxy-Authorization"), sp_str_of(proxy->authorization));
    sp_buf_add(b, SP_STR("\r\n"));
}

static void send_on(struct httpc_request *r, struct httpconn *conn)
{
    if (httpconn_send(conn, sp_buf_str(&r->head), sp_buf_str(&r->body)))
        set_unsent(r, 0);
    if (r->is_paused)
        httpconn_pause(conn);
}

static void request_start(struct httpc_request *r, bool may_reuse)
{
    struct httpc *c = r->client;
    const struct proxyenv_proxy *proxy = NULL;
    struct sp_err err;
    struct httpconn *conn = NULL;
    int status = proxyenv_find(c->proxies, &r->url, &proxy, &err);

    set_unsent(r, r->body.len);
    if (status == 0) {
        make_head(r, proxy);
        conn = may_reuse ? take_idle(c, &r->url) : NULL;
    }
    if (conn != NULL) {
        r->conn = conn;
        conn->request = r;
        send_on(r, conn);
        return;
    }
    c->n_conns++;
    conn = r->conn = httpconn_new(&c->hub, &conn_callbacks, c);
    conn->request = r;
    if (status < 0)
        httpconn_fail(conn, err.text);
    else
        httpconn_connect(conn, &r->url, proxy);
}

static void on_ready(struct httpconn *conn)
{
    send_on(conn->request, conn);
}

static void on_sent(struct httpconn *conn)
{
    set_unsent(conn->request, 0);
}

/* Whether what was sent to `from` may be sent to `to` too. */
static bool is_same_site(const struct url *from, const struct url *to)
{
    return url_same_origin(from, to) || (from->scheme == URL_HTTP && to->scheme == URL_HTTPS &&
                                         strcmp(from->host, to->host) == 0);
}

/* Whether the answer is a redirect that is to be followed; notes what it asks for. */
static bool note_redirect(struct httpc_request *r, const struct httpc_head *head)
{
    unsigned status = head->status;
    struct sp_str location;
    struct sp_err err;
    struct url url;

    if ((status < 301 || status > 303) && status != 307 && status != 308)
        return false;
    if (r->n_redirects == MAX_REDIRECTS || !httpc_find(head, SP_STR("location"), &location) ||
        url_resolve(&r->url, location, &url, &err) < 0)
        return false;
    if (!is_same_site(&r->url, &url)) {
        url_deinit(&url);
        return false;
    }
    r->next = url;
    r->becomes_get = strcmp(r->method, "GET") != 0 &&
                     (status == 303 || (status <= 302 && strcmp(r->method, "POST") == 0));
    return true;
}

static void on_head(struct httpconn *conn, const struct httpc_head *head)
{
    struct httpc_request *r = conn->request;

    r->is_redirected = note_redirect(r, head);
    if (r->is_redirected) {
        httpconn_skip(conn);
        return;
    }
    if (r->n_unsent == 0)
        sp_buf_deinit(&r->body); /* sent, and not to be sent again */
    r->callbacks->on_head(r->owner, head);
}

static void on_body(struct httpconn *conn, struct sp_str bytes)
{
    struct httpc_request *r = conn->request;

    r->callbacks->on_body(r->owner, bytes);
}

static void request_end(struct httpc_request *r, enum httpc_error error, const char *cause)
{
    set_unsent(r, 0);
    LIST_REMOVE(r, link);
    r->conn = NULL;
    r->is_ended = true;
    r->callbacks->on_end(r->owner, error, cause);
    request_free(r);
}

/* Drops the header lines that tell of a body. */
static void drop_content_fields(struct sp_buf *fields)
{
    static const char prefix[] = "content-";
    struct sp_str rest = sp_buf_str(fields);
    struct sp_buf kept = {0};

    while (rest.len > 0) {
        size_t len = sp_str_find(rest, '\n') + 1;

        if (strncasecmp(rest.p, prefix, sizeof prefix - 1) != 0)
            sp_buf_add(&kept, sp_str_sub(rest, 0, len));
        rest = sp_str_sub(rest, len, rest.len);
    }
    sp_buf_deinit(fields);
    *fields = kept;
}

static void turn_into_get(struct httpc_request *r)
{
    r->method = "GET";
    r->has_body = false;
    sp_buf_deinit(&r->body);
    drop_content_fields(&r->fields);
}

/* Goes where the redirect asks; the connection no longer sends what changes here. */
static void follow(struct httpc_request *r)
{
    r->is_redirected = false;
    r->n_redirects++;
    url_deinit(&r->url);
    r->url = r->next;
    if (r->becomes_get)
        turn_into_get(r);
    request_start(r, true);
}

static void on_done(struct httpconn *conn, bool is_reusable)
{
    struct httpc_request *r = conn->request;

    conn->request = NULL;
    if (is_reusable) {
        conn->idle_since_ms = uv_hrtime() / 1000000;
        LIST_INSERT_HEAD(&r->client->idle, conn, link);
    } else {
        httpconn_close(conn);
    }
    if (r->is_redirected)
        follow(r);
    else
        request_end(r, HTTPC_OK, "");
}

static void on_end(struct httpconn *conn, enum httpc_error error, const char *cause)
{
    struct httpc_request *r = conn->request;
    bool is_stale = httpconn_is_stale(conn);

    if (r == NULL)
        LIST_REMOVE(conn, link);
    conn->request = NULL;
    httpconn_close(conn);
    if (r == NULL)
        return;
    if (is_stale)
        request_start(r, false);
    else
        request_end(r, error, cause);
}

void httpc_cancel(struct httpc_request *r)
{
    if (r->is_ended)
        return;
    set_unsent(r, 0);
    LIST_REMOVE(r, link);
    httpconn_close(r->conn);
    request_free(r);
}

void httpc_pause(struct httpc_request *r)
{
    if (r->is_ended || r->is_paused)
        return;
    r->is_paused = true;
    httpconn_pause(r->conn);
}

void httpc_resume(struct httpc_request *r)
{
    if (r->is_ended || !r->is_paused)
        return;
    r->is_paused = false;
    httpconn_resume(r->conn);
}

void httpc_close(struct httpc *c, void (*on_closed)(void *owner), void *owner)
{
    struct httpconn *conn;

    assert(c->on_closed == NULL);
    c->on_closed = on_closed;
    c->owner = owner;
    while (!LIST_EMPTY(&c->requests))
        httpc_cancel(LIST_FIRST(&c->requests)); /* NOLINT: the analyzer cannot see LIST_REMOVE() */
    LIST_FOREACH (conn, &c->idle, link)
        httpconn_close(conn);
    LIST_INIT(&c->idle);
    uv_close((uv_handle_t *)&c->presence, on_presence_closed);
}

static void maybe_closed(struct httpc *c)
{
    if (c->is_closed && c->n_conns == 0)
        c->on_closed(c->owner);
}

static void on_presence_closed(uv_handle_t *handle)
{
    struct httpc *c = sp_container_of((uv_idle_t *)handle, struct httpc, presence);

    c->is_closed = true;
    maybe_closed(c);
}

static void on_conn_closed(void *client)
{
    struct httpc *c = client;

    c->n_conns--;
    maybe_closed(c);
}
