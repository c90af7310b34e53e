#pragma once

/*
 * A connection to a server: TCP, and TLS over it when asked.
 *
 * The owner makes it, dials, may secure it, and calls net_settle() when it counts as connected;
 * until then all of that together has a time limit. What comes is given to on_read, which may leave
 * a part of it while the connection is paused. One net_write() is under way at a time. Writing that
 * fails is not told: the reading of what the server still sent goes on and ends by itself.
 *
 * Beyond what the owner keeps, a connection holds at most NET_PORTION bytes in each direction and
 * what TLS adds to them.
 *
 * Thread: loop. No function calls back before it returns.
 */

#include <stdbool.h>
#include <uv.h>

#include "base/sp_str.h"
#include "io/tls.h"

#define NET_PORTION (64 * 1024)

/* What the connections of one client share; they lie in it while they read and decrypt. */
struct net_hub {
    uv_loop_t *loop;
    struct tls_context *tls; /* NULL until the first net_secure() */
    char *read_buf;          /* NET_PORTION bytes, lent to one read at a time */
    char *plain_buf;         /* as many, decrypted */
};

void net_hub_init(struct net_hub *hub, uv_loop_t *loop);

/* Only after every connection has told on_closed. */
void net_hub_deinit(struct net_hub *hub);

struct net;

struct net_callbacks {
    /* What net_dial() or net_secure() began is done. */
    void (*on_ready)(void *owner);

    /*
     * Bytes have come; borrowed. Returns how many were taken: all, or fewer when the connection was
     * paused meanwhile. After net_resume() it is called once with what was left, which may be
     * nothing.
     */
    size_t (*on_read)(void *owner, struct sp_str bytes);

    /* All of the last net_write() has been handed to the system, which it could not be at once. */
    void (*on_sent)(void *owner);

    /*
     * Nothing more comes.
     *
     * cause: "" when the server has ended the stream in order, with TLS by its closing notice;
     *        otherwise a short text for people. Borrowed.
     */
    void (*on_end)(void *owner, const char *cause);

    /* After net_close(): all is closed and the connection is gone. */
    void (*on_closed)(void *owner);
};

/* Makes a connection that is not yet dialled; it ends by net_close(). The table is kept. */
struct net *net_new(struct net_hub *hub, const struct net_callbacks *callbacks, void *owner);

/* Connects; on_ready or on_end follows. `host`: a name or IP literal without brackets; borrowed. */
void net_dial(struct net *n, const char *host, unsigned short port, unsigned limit_ms);

/* Begins TLS with that host, which is who the certificate must name; on_ready or on_end follows. */
void net_secure(struct net *n, const char *host, unsigned short port);

/* Ends it for a cause of the owner's: on_end follows with it. `cause` is copied. */
void net_fail(struct net *n, const char *cause);

/* Ends the time limit of net_dial(). */
void net_settle(struct net *n);

/*
 * Sends `head`, then `body`. Not before on_ready, and not while a write is under way.
 *
 * Returns: whether all has been handed to the system; otherwise both are kept until on_sent or
 *          net_close().
 */
bool net_write(struct net *n, struct sp_str head, struct sp_str body);

/* Stops and goes on giving what comes. Not before net_settle(). */
void net_pause(struct net *n);
void net_resume(struct net *n);

/* Closes at once, with TLS after a closing notice if the system takes it; on_closed follows. */
void net_close(struct net *n);
