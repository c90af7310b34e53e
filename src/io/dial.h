#pragma once

/*
 * Makes a TCP connection to a host by its name: all its addresses are tried, IPv6 and IPv4 in turn,
 * each DIAL_NEXT_MS after the one before or at once when that has failed (RFC 8305).
 *
 * Thread: loop. No function calls back before it returns.
 */

#include <uv.h>

#define DIAL_NEXT_MS 250

struct dial;

struct dial_callbacks {
    /*
     * The outcome; comes once, unless dial_close() comes first, and asks for dial_close().
     *
     * tcp:   connected, without delay (TCP_NODELAY); NULL on failure. Given: it is closed by
     *        uv_close() and freed by free().
     * cause: why there is none, a short text; "" on success. A literal.
     */
    void (*on_done)(void *owner, uv_tcp_t *tcp, const char *cause);

    /* All is closed and the dial is gone. A name look-up that cannot be cancelled delays this. */
    void (*on_closed)(void *owner);
};

/*
 * Starts.
 *
 * host:    a name or an IP literal without brackets; borrowed.
 * Returns: a handle, good until dial_close().
 */
struct dial *dial_start(uv_loop_t *loop, const char *host, unsigned short port,
                        const struct dial_callbacks *callbacks, void *owner);

/* Gives up what is under way and frees the dial; on_closed follows. */
void dial_close(struct dial *d);
