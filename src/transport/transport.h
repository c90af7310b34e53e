#pragma once

/*
 * The server as the session sees it: something that takes lines and gives lines, and is over one
 * day. What kind it is is known only to who makes it.
 *
 * Life: made by transport_*_new(), then start(), then the other operations, until is_over() and
 * close(). After every event the session looks at the transport's state; nothing here decides for
 * the session.
 *
 * Thread: loop. No operation calls back before it returns.
 */

#include "base/sp_err.h"
#include "mcp/line.h"

struct transport;

/* What a transport tells its owner. */
struct transport_events {
    /*
     * A line of the server, or at the end of its output a last one without LF; with raw pieces,
     * what has come. Borrowed: keep it by a reference.
     */
    void (*on_line)(void *owner, struct line *line);

    /* A line that is recorded but not handed on. Borrowed. */
    void (*on_kept)(void *owner, struct line *line);

    /* The lines that came together have been given: time to hand them on. */
    void (*on_pause)(void *owner);

    /* Something that the functions below tell of has changed. */
    void (*on_change)(void *owner);
};

struct transport_ops {
    /* Starts the server; 0, or negative with the cause in ret_err. Then only close() may follow. */
    int (*start)(struct transport *t, struct sp_err *ret_err);

    /* Queues a line for the server; takes the caller's reference. flush() then sends it off. */
    void (*send)(struct transport *t, struct line *line);
    void (*flush)(struct transport *t);

    /* Whether so much waits for the server that the host is not to be read. */
    bool (*is_full)(const struct transport *t);

    /* No more lines will be sent: when all are written, the server's input ends. Idempotent. */
    void (*end)(struct transport *t);

    /* Stops and goes on reading what the server writes. Idempotent. */
    void (*hold)(struct transport *t);
    void (*release)(struct transport *t);

    /*
     * The proxy was told to end by a signal: drops what cannot be sent at once, ends the server's
     * input and, when `signum` is not 0, passes the signal on.
     */
    void (*interrupt)(struct transport *t, int signum);

    /* The time that the server had for that is up: ends it by force. */
    void (*kill)(struct transport *t);

    /* Whether what is sent can still reach the server. */
    bool (*is_open)(const struct transport *t);

    /* Whether no more lines will come; the server may live on. */
    bool (*has_ended)(const struct transport *t);

    /* Whether nothing more will come and the server is gone. */
    bool (*is_over)(const struct transport *t);

    /* When over: the exit status that stands for how the server ended. */
    int (*exit_status)(const struct transport *t);

    /* Closes what is left. When it returns false, on_change follows with it done. Idempotent. */
    bool (*close)(struct transport *t);

    void (*free)(struct transport *t);
};

/* Embedded in every implementation. */
struct transport {
    const struct transport_ops *ops;
    const struct transport_events *events;
    void *owner;
};
