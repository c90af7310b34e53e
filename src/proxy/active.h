#pragma once

/*
 * Active mode in a session: joins the engine, which decides, to what carries it out: the recorder,
 * the queue to the host, the transport, the conversation file, and a timer.
 *
 * Thread: loop.
 */

#include <uv.h>

#include "engine/engine.h"
#include "io/oracle_module.h"
#include "io/outq.h"
#include "proxy/options.h"
#include "record/recorder.h"
#include "transport/transport.h"

struct active;

/* Something happened of itself (a time is up, the model has answered, a log is closed) and was
 * handled; lines may have been queued. */
typedef void (*active_event_cb)(void *owner);

struct active_parts {
    uv_loop_t *loop;
    uint64_t zero_ns; /* time zero of the session, on uv_hrtime()'s clock */
    const struct options *options;
    const struct engine_flow *flow;    /* NULL: no flow */
    const struct guard_domain *guards; /* NULL: no guards */
    const struct engine_judge *judge;  /* NULL: no judge */
    const char *session;               /* its id */
    struct recorder *recorder;         /* NULL: not recording */
    struct outq *host_out;
    struct transport *transport;
    const struct oracle_module *oracle; /* NULL: nobody is asked, as with the next */
    struct oracle_client *client;       /* given: closed by active_close() */
    active_event_cb on_event;
    void *owner;
};

/* Whether the options ask for it. */
bool active_is_wanted(const struct options *options);

/*
 * parts:       copied; what they point at is kept until active_free().
 * ret_notices: gets what is to be said of a log that cannot be opened, one line each.
 * Returns:     the caller's.
 */
struct active *active_new(const struct active_parts *parts, struct sp_buf *ret_notices);

/* The events of engine.h. Lines are borrowed. */
void active_host_line(struct active *a, struct line *line);
void active_server_line(struct active *a, struct line *line);
void active_kept_line(struct active *a, struct line *line);
void active_host_end(struct active *a);
void active_server_end(struct active *a); /* idempotent */
void active_interrupt(struct active *a);

/* Arms the timer for what waits. Called after every event. */
void active_arm(struct active *a);

/* Whether a call is being judged: then the server's input does not end yet. */
bool active_is_judging(const struct active *a);

/*
 * Whether the host is not to be read: a call is being judged, or the host does not take the answers
 * which its own lines were given here. Either would gather without a bound.
 */
bool active_holds_host(struct active *a);

/* The session could not start: deletes the logs that were made for it. */
void active_discard(struct active *a);

/* Closes all. When it returns false, on_event follows with it done. Idempotent. */
bool active_close(struct active *a);

/* After that and the end of the loop; NULL is nothing. */
void active_free(struct active *a);
