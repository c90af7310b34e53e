/*
 * HTTP connections.
 *
 *     NEW ──► CONNECTING ─┬──────────────────────────────┬──► IDLE ◄──► BUSY
 *                         ├────────────────► SECURING ───┤
 *                         └─► TUNNELLING ──► SECURING ───┘
 *
 * Any of them becomes CLOSED by httpconn_close(). What goes wrong before IDLE has reached no
 * server; an end while IDLE is no failure; while BUSY the answer tells what it is, see
 * on_net_end().
 *
 * The memory lives until the network connection is gone, so a callback may close the connection
 * while the parser runs.
 */

#include <assert.h>
#include <stdlib.h>

#include "io/httpconn.h"

static void on_net_ready(void *owner);
static size_t on_net_read(void *owner, struct sp_str bytes);
static void on_net_sent(void *owner);
static void on_net_end(void *owner, const char *cause);
static void on_net_closed(void *owner);
static bool on_resp_head(void *owner, const struct httpc_head *head);
static bool on_resp_body(void *owner, struct sp_str bytes);

static const struct net_callbacks net_callbacks = {
    .on_ready = on_net_ready,
    .on_read = on_net_read,
    .on_sent = on_net_sent,
    .on_end = on_net_end,
    .on_closed = on_net_closed,
};

static const struct httpresp_callbacks resp_callbacks = {
    .on_head = on_resp_head,
    .on_body = on_resp_body,
};

struct httpconn *httpconn_new(struct net_hub *hub, const struct httpconn_callbacks *callbacks,
                              void *client)
{
    struct httpconn *c = sp_calloc(1, sizeof *c);

    c->callbacks = callbacks;
    c->client = client;
    c->net = net_new(hub, &net_callbacks, c);
    httpresp_init(&c->resp, &resp_callbacks, c);
    return c;
}

void httpconn_connect(struct httpconn *c, const struct url *url, const struct proxyenv_proxy *proxy)
{
    assert(c->state == HTTPCONN_NEW);
    c->state = HTTPCONN_CONNECTING;
    c->scheme = url->scheme;
    c->host = sp_strdup(url->host);
    c->port = url->port;
    c->proxy = proxy;
    if (proxy != NULL)
        net_dial(c->net, proxy->host, proxy->port, HTTPC_CONNECT_MS);
    else
        net_dial(c->net, url->host, url->port, HTTPC_CONNECT_MS);
}

void httpconn_fail(struct httpconn *c, const char *cause)
{
    assert(c->state == HTTPCONN_NEW);
    net_fail(c->net, cause);
}

bool httpconn_leads_to(const struct httpconn *c, const struct url *url)
{
    return c->port == url->port && c->scheme == url->scheme && strcmp(c->host, url->host) == 0;
}

/* Appends "host:port", an IPv6 address in brackets. */
static void put_authority(struct sp_buf *b, const char *host, unsigned short port)
{
    bool is_ipv6 = strchr(host, ':') != NULL;

    sp_buf_addf(b, "%s%s%s:%u", is_ipv6 ? "[" : "", host, is_ipv6 ? "]" : "", port);
}

static void send_connect(struct httpconn *c)
{
    struct sp_buf *b = &c->connect;

    sp_buf_add(b, SP_STR("CONNECT "));
    put_authority(b, c->host, c->port);
    sp_buf_add(b, SP_STR(" HTTP/1.1\r\nHost: "));
    put_authority(b, c->host, c->port);
    if (c->proxy->authorization != NULL)
        sp_buf_addf(b, "\r\nProxy-Authorization: %s", c->proxy->authorization);
    sp_buf_add(b, SP_STR("\r\n\r\n"));

    c->state = HTTPCONN_TUNNELLING;
    httpresp_start(&c->resp, true);
    c->is_sent = net_write(c->net, sp_buf_str(b), SP_STR(""));
}

static void secure(struct httpconn *c)
{
    c->state = HTTPCONN_SECURING;
    net_secure(c->net, c->host, c->port);
}

static void on_net_ready(void *owner)
{
    struct httpconn *c = owner;

    if (c->state == HTTPCONN_CONNECTING && c->scheme == URL_HTTPS) {
        if (c->proxy != NULL)
            send_connect(c);
        else
            secure(c);
        return;
    }
    c->state = HTTPCONN_IDLE;
    net_settle(c->net);
    sp_buf_deinit(&c->connect);
    c->callbacks->on_ready(c);
}

bool httpconn_send(struct httpconn *c, struct sp_str head, struct sp_str body)
{
    assert(c->state == HTTPCONN_IDLE);
    c->state = HTTPCONN_BUSY;
    c->n_requests++;
    c->is_skipping = false;
    httpresp_start(&c->resp, false);
    c->is_sent = net_write(c->net, head, body);
    return c->is_sent;
}

static void on_net_sent(void *owner)
{
    struct httpconn *c = owner;

    c->is_sent = true;
    if (c->state == HTTPCONN_BUSY)
        c->callbacks->on_sent(c);
}

/* What goes wrong before the connection is ready, or before an answer, has reached no server. */
static void fail_unreached(struct httpconn *c, const char *cause)
{
    struct sp_buf text = {0};

    if (c->proxy != NULL && c->state <= HTTPCONN_TUNNELLING) {
        sp_buf_add(&text, SP_STR("proxy "));
        put_authority(&text, c->proxy->host, c->proxy->port);
        sp_buf_add(&text, SP_STR(": "));
    }
    sp_buf_add(&text, sp_str_of(cause));
    c->callbacks->on_end(c, HTTPC_E_UNREACHED, sp_buf_cstr(&text));
    sp_buf_deinit(&text);
}

static void finish_answer(struct httpconn *c, bool is_reusable)
{
    c->state = HTTPCONN_IDLE;
    c->callbacks->on_done(c, is_reusable);
}

/* The answer has failed; one that is not wanted is over in any case. */
static void fail_answer(struct httpconn *c, enum httpc_error error, const char *cause)
{
    if (c->is_skipping)
        finish_answer(c, false);
    else if (error == HTTPC_E_UNREACHED)
        fail_unreached(c, cause);
    else
        c->callbacks->on_end(c, error, cause);
}

static void finish_complete(struct httpconn *c)
{
    finish_answer(c, c->is_sent && c->resp.is_kept_alive && !c->is_dirty);
}

void httpconn_skip(struct httpconn *c)
{
    c->is_skipping = true;
}

static bool on_resp_head(void *owner, const struct httpc_head *head)
{
    struct httpconn *c = owner;

    if (c->state == HTTPCONN_TUNNELLING) {
        c->tunnel_status = head->status;
        return true;
    }
    c->callbacks->on_head(c, head);
    return c->state == HTTPCONN_BUSY && !c->is_paused;
}

static bool on_resp_body(void *owner, struct sp_str bytes)
{
    struct httpconn *c = owner;

    if (c->state != HTTPCONN_BUSY)
        return false;
    if (c->is_skipping)
        return true;
    c->callbacks->on_body(c, bytes);
    return c->state == HTTPCONN_BUSY && !c->is_paused;
}

/* Takes bytes of the proxy's answer to CONNECT. */
static void read_tunnel(struct httpconn *c, struct sp_str bytes)
{
    size_t n_taken;
    char text[64];

    switch (httpresp_feed(&c->resp, bytes, &n_taken)) {
    case HTTPRESP_MORE:
    case HTTPRESP_STOPPED:
    case HTTPRESP_E_CUT:
        return;
    case HTTPRESP_E_TOO_LARGE:
        fail_unreached(c, "the answer's head is too large");
        return;
    case HTTPRESP_E_BAD:
        fail_unreached(c, "not an HTTP answer");
        return;
    case HTTPRESP_DONE:
        break;
    }
    if (c->tunnel_status / 100 != 2) {
        snprintf(text, sizeof text, "refused with HTTP %u", c->tunnel_status);
        fail_unreached(c, text);
    } else if (n_taken < bytes.len || !c->is_sent) {
        fail_unreached(c, "not an answer to CONNECT");
    } else {
        secure(c);
    }
}

/* Takes bytes of an answer; gives how many. */
static size_t read_answer(struct httpconn *c, struct sp_str bytes)
{
    size_t n_taken;
    enum httpresp_outcome outcome = httpresp_feed(&c->resp, bytes, &n_taken);

    if (c->state == HTTPCONN_CLOSED)
        return bytes.len;
    switch (outcome) {
    case HTTPRESP_DONE:
        c->is_dirty = n_taken < bytes.len;
        c->is_held = c->is_paused;
        if (!c->is_held)
            finish_complete(c);
        return bytes.len;
    case HTTPRESP_MORE:
    case HTTPRESP_STOPPED:
        if (!c->is_skipping)
            return n_taken;
        finish_answer(c, false);
        return bytes.len;
    case HTTPRESP_E_TOO_LARGE:
        fail_answer(c, HTTPC_E_TOO_LARGE, "the answer's head is too large");
        return bytes.len;
    case HTTPRESP_E_BAD:
    case HTTPRESP_E_CUT:
        break;
    }
    if (c->resp.has_head)
        fail_answer(c, HTTPC_E_CUT, "the answer's body is malformed");
    else
        fail_answer(c, HTTPC_E_UNREACHED, "not an HTTP answer");
    return bytes.len;
}

static size_t on_net_read(void *owner, struct sp_str bytes)
{
    struct httpconn *c = owner;

    switch (c->state) {
    case HTTPCONN_TUNNELLING:
        read_tunnel(c, bytes);
        break;
    case HTTPCONN_BUSY:
        if (!c->is_held)
            return read_answer(c, bytes);
        c->is_held = false;
        finish_complete(c);
        break;
    case HTTPCONN_IDLE:
        if (bytes.len > 0)
            c->callbacks->on_end(c, HTTPC_OK, "");
        break;
    case HTTPCONN_NEW:
    case HTTPCONN_CONNECTING:
    case HTTPCONN_SECURING:
    case HTTPCONN_CLOSED:
        break;
    }
    return bytes.len;
}

static void on_net_end(void *owner, const char *cause)
{
    struct httpconn *c = owner;
    bool is_in_order = cause[0] == '\0';

    if (c->state == HTTPCONN_IDLE)
        c->callbacks->on_end(c, HTTPC_OK, "");
    else if (c->state != HTTPCONN_BUSY)
        fail_unreached(c, is_in_order ? "the connection was closed" : cause);
    else if (c->is_held || (is_in_order && httpresp_finish(&c->resp) == HTTPRESP_DONE))
        finish_answer(c, false);
    else if (c->resp.has_head)
        fail_answer(c, HTTPC_E_CUT, is_in_order ? "the connection was closed" : cause);
    else
        fail_answer(c, HTTPC_E_UNREACHED,
                    is_in_order ? "the connection was closed before an answer" : cause);
}

bool httpconn_is_stale(const struct httpconn *c)
{
    return c->state == HTTPCONN_BUSY && c->n_requests > 1 && !c->resp.is_begun;
}

void httpconn_pause(struct httpconn *c)
{
    if (c->state != HTTPCONN_BUSY)
        return;
    c->is_paused = true;
    net_pause(c->net);
}

void httpconn_resume(struct httpconn *c)
{
    if (!c->is_paused)
        return;
    c->is_paused = false;
    net_resume(c->net);
}

void httpconn_close(struct httpconn *c)
{
    if (c->state == HTTPCONN_CLOSED)
        return;
    c->state = HTTPCONN_CLOSED;
    net_close(c->net);
}

static void on_net_closed(void *owner)
{
    struct httpconn *c = owner;
    void (*on_closed)(void *client) = c->callbacks->on_closed;
    void *client = c->client;

    httpresp_deinit(&c->resp);
    sp_buf_deinit(&c->connect);
    free(c->host);
    free(c);
    on_closed(client);
}
