#pragma once

/*
 * An HTTP/1.1 client on the loop, for one server: a pool of kept-alive connections, TLS, proxies
 * and redirects.
 *
 * Each request has a connection of its own while it runs, so one slow answer delays no other. There
 * is no limit on their number. Connecting (name look-up, TCP, a proxy's CONNECT, TLS) may take
 * HTTPC_CONNECT_MS in all; after that nothing has a time limit.
 *
 * TLS is 1.2 or newer; chain and host name are always verified, against OpenSSL's default trust
 * store (SSL_CERT_FILE and SSL_CERT_DIR as OpenSSL reads them).
 *
 * All addresses of a name are tried, IPv6 and IPv4 in turn, each HTTPC_NEXT_ADDRESS_MS after the
 * one before or at once when that has failed (RFC 8305).
 *
 * Redirects: at most 10, within the same scheme, host and port or from http to https on the same
 * host; any other is given to the caller as the answer it is. 307 and 308 repeat method and body,
 * 301 and 302 turn a POST, 303 every method, into a GET without body.
 *
 * A request sent on a reused connection that ends before the first byte of an answer is sent once
 * more, on a fresh connection.
 *
 * Thread: loop. No function calls back before it returns, and each may be called in a callback.
 */

#include <uv.h>

#include "io/url.h"

#define HTTPC_CONNECT_MS      10000
#define HTTPC_NEXT_ADDRESS_MS 250
#define HTTPC_MAX_HEAD        (256 * 1024) /* bytes of an answer's status line and headers */
#define HTTPC_MAX_INTERIM     100          /* answers 1xx to one request */

struct httpc;
struct httpc_request;

struct httpc_header {
    struct sp_str name;
    struct sp_str value; /* without the white space around it */
};

/* The head of a final answer; good until on_head returns. */
struct httpc_head {
    unsigned status;
    const struct httpc_header *headers; /* in the order they came */
    size_t n_headers;
};

/* The first header of that name (compared without regard to case); false when there is none. */
bool httpc_find(const struct httpc_head *head, struct sp_str name, struct sp_str *ret_value);

/* How a request ended, when not in order. */
enum httpc_error {
    HTTPC_OK,
    HTTPC_E_UNREACHED, /* no answer: not resolved, refused, timed out, TLS, closed, not HTTP */
    HTTPC_E_CUT,       /* the answer broke off after its head */
    HTTPC_E_TOO_LARGE, /* the answer's head is larger than HTTPC_MAX_HEAD, or too many 1xx */
};

struct httpc_callbacks {
    /* The final answer's head has come. */
    void (*on_head)(void *owner, const struct httpc_head *head);

    /* A piece of its body, decoded from chunks; borrowed. */
    void (*on_body)(void *owner, struct sp_str bytes);

    /*
     * The request has ended; comes once, as the last, unless it was cancelled. The handle is no
     * longer valid afterwards.
     *
     * cause: a short text for people, without any part of the URL but its host and port; ""
     *        with HTTPC_OK. Borrowed.
     */
    void (*on_end)(void *owner, enum httpc_error error, const char *cause);
};

/*
 * Makes a client. Proxies are read from the environment once: http_proxy, https_proxy, all_proxy,
 * no_proxy, in upper case too except HTTP_PROXY. A proxy is http:// (the scheme may be left out);
 * user and password in its URL become Proxy-Authorization. no_proxy is a comma list of "*", names
 * (which match themselves and what ends with "." and them), IP literals and CIDR blocks. A request
 * for http goes to the proxy in absolute form, one for https through CONNECT.
 *
 * max_unsent, on_sent: when httpc_unsent() was above `max_unsent` and no longer is, on_sent
 * follows. Returns: the client, the caller's: httpc_close(), then httpc_free().
 */
struct httpc *httpc_new(uv_loop_t *loop, size_t max_unsent, void (*on_low)(void *owner),
                        void *owner);

/*
 * Sends a request.
 *
 * method:    "GET", "POST" or "DELETE"; a literal.
 * url:       copied. Its user and password become Authorization: Basic unless a header of that name
 *            is given.
 * headers:   copied, sent in their order after Host. Names and values were checked.
 * body:      sent with Content-Length when `has_body`; its bytes are copied.
 * callbacks: kept until on_end or httpc_cancel().
 * Returns:   a handle, good until on_end has returned or httpc_cancel() is called.
 */
struct httpc_request *httpc_send(struct httpc *c, const char *method, const struct url *url,
                                 const struct httpc_header *headers, size_t n_headers,
                                 bool has_body, struct sp_str body,
                                 const struct httpc_callbacks *callbacks, void *owner);

/* Ends a request without a further callback and closes its connection. Allowed in its callbacks. */
void httpc_cancel(struct httpc_request *r);

/* Stops and goes on reading the answer: for receivers that cannot take more. */
void httpc_pause(struct httpc_request *r);
void httpc_resume(struct httpc_request *r);

/* Bytes of bodies that wait to be sent, over all requests. */
size_t httpc_unsent(const struct httpc *c);

/*
 * Cancels every request and closes every connection.
 *
 * on_closed: called later, once; then only httpc_free() may follow.
 */
void httpc_close(struct httpc *c, void (*on_closed)(void *owner), void *owner);

/* Frees a closed client; NULL is nothing. */
void httpc_free(struct httpc *c);
