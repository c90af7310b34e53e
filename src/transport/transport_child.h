#pragma once

/*
 * The server as a child process, over its stdin and stdout.
 *
 * It is over when it has exited and its stdout has ended, in either order: a descendant that holds
 * the pipe open keeps the session going. After kill() the exit alone counts.
 */

#include <uv.h>

#include "transport/transport.h"

enum transport_pieces {
    TRANSPORT_LINES, /* on_line gives whole lines */
    TRANSPORT_RAW,   /* on_line gives pieces of the stream as they come */
};

/*
 * argv:    the command line, ended by NULL; kept.
 * zero_ns: time zero of the lines' t_ms, on uv_hrtime()'s clock.
 * events:  kept.
 * Returns: the caller's, freed by ops->free().
 */
struct transport *transport_child_new(uv_loop_t *loop, char *const *argv,
                                      enum transport_pieces pieces, uint64_t zero_ns,
                                      const struct transport_events *events, void *owner);
