#pragma once

/*
 * One HTTP/1.1 connection of a client: it connects, through a proxy's tunnel and with TLS where
 * that is needed, and then carries one request after the other.
 *
 * Thread: loop. No function calls back before it returns.
 */

#include <stdint.h>
#include <sys/queue.h>

#include "io/httpresp.h"
#include "io/net.h"
#include "io/proxyenv.h"

struct httpconn;

/* After each but on_closed the connection may be used further, or closed in the call. */
struct httpconn_callbacks {
    /* It is connected and idle. */
    void (*on_ready)(struct httpconn *c);

    /*
     * The request has been handed to the system, which it could not be at once; does not come when
     * the answer was faster.
     */
    void (*on_sent)(struct httpconn *c);

    void (*on_head)(struct httpconn *c, const struct httpc_head *head);
    void (*on_body)(struct httpconn *c, struct sp_str bytes);

    /* The answer is complete. A connection that is not reusable is to be closed. */
    void (*on_done)(struct httpconn *c, bool is_reusable);

    /*
     * It has failed, or was idle and the server has ended it (HTTPC_OK); it is to be closed.
     *
     * cause: for people, see httpc.h; borrowed.
     */
    void (*on_end)(struct httpconn *c, enum httpc_error error, const char *cause);

    /* It is gone, after httpconn_close(). */
    void (*on_closed)(void *client);
};

enum httpconn_state {
    HTTPCONN_NEW,
    HTTPCONN_CONNECTING, /* TCP, to the server or the proxy */
    HTTPCONN_TUNNELLING, /* the proxy's answer to CONNECT */
    HTTPCONN_SECURING,   /* TLS */
    HTTPCONN_IDLE,
    HTTPCONN_BUSY, /* a request is sent, its answer not complete */
    HTTPCONN_CLOSED,
};

struct httpconn {
    /* The owner's. */
    LIST_ENTRY(httpconn) link;
    void *client;
    struct httpc_request *request; /* NULL when it serves none */
    uint64_t idle_since_ms;        /* by uv_hrtime() */

    /* Private. */
    const struct httpconn_callbacks *callbacks;
    enum httpconn_state state;
    struct net *net;
    struct httpresp resp;
    enum url_scheme scheme; /* where it leads to */
    char *host;
    unsigned short port;
    const struct proxyenv_proxy *proxy; /* NULL for none */
    struct sp_buf connect;              /* the text of CONNECT, while that is sent */
    unsigned tunnel_status;             /* of the proxy's answer */
    size_t n_requests;                  /* sent so far */
    bool is_sent;                       /* the request or CONNECT is handed to the system */
    bool is_paused;
    bool is_skipping; /* the rest of the answer is not wanted */
    bool is_held;     /* the answer is complete, and on_done waits for the end of the pause */
    bool is_dirty;    /* bytes that belong to no answer have come */
};

/* Makes a connection, which ends by httpconn_close(); the table is kept. */
struct httpconn *httpconn_new(struct net_hub *hub, const struct httpconn_callbacks *callbacks,
                              void *client);

/* Connects to the URL's server; on_ready or on_end follows. `proxy`: NULL for none; kept. */
void httpconn_connect(struct httpconn *c, const struct url *url,
                      const struct proxyenv_proxy *proxy);

/* Fails in place of connecting: on_end follows with HTTPC_E_UNREACHED. `cause` is copied. */
void httpconn_fail(struct httpconn *c, const char *cause);

/* Whether it leads to the URL's server. */
bool httpconn_leads_to(const struct httpconn *c, const struct url *url);

/*
 * Sends a request on an idle connection.
 *
 * Returns: whether all has been handed to the system; otherwise the texts are kept until on_sent or
 *          httpconn_close().
 */
bool httpconn_send(struct httpconn *c, struct sp_str head, struct sp_str body);

/* In on_head: the rest of the answer is not wanted; on_done follows soon. */
void httpconn_skip(struct httpconn *c);

/* In on_end: whether it carried a request before this one, whose answer has not begun. */
bool httpconn_is_stale(const struct httpconn *c);

/* Stops and goes on with the callbacks of a busy connection. */
void httpconn_pause(struct httpconn *c);
void httpconn_resume(struct httpconn *c);

/* Closes; only on_closed follows. Idempotent until then. */
void httpconn_close(struct httpconn *c);
