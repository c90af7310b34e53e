#pragma once

/*
 * The server as a Streamable HTTP endpoint: each line to it becomes a POST, each message of it a
 * line. Protocol revisions 2025-03-26 to 2026-07-28.
 *
 * It is over when the host has ended, every POST has been answered, and the session, if the server
 * gave one, has been deleted. Its exit status is 0.
 */

#include <uv.h>

#include "io/httpc.h"
#include "transport/transport.h"

/* The largest body or event that is taken, bytes. */
#define TRANSPORT_HTTP_MAX_ANSWER ((size_t)1 << 30)

struct transport_http_options {
    struct sp_str url;
    const struct httpc_header *headers; /* that go with every request, in this order */
    size_t n_headers;
    bool reinit; /* start a session again that the server has ended */
};

/*
 * A URL that cannot be used is no failure here: such a server cannot be reached, at every message.
 *
 * options: borrowed.
 * zero_ns: time zero of the lines' t_ms, on uv_hrtime()'s clock.
 * events:  kept.
 * Returns: the caller's, freed by ops->free().
 */
struct transport *transport_http_new(uv_loop_t *loop, const struct transport_http_options *options,
                                     uint64_t zero_ns, const struct transport_events *events,
                                     void *owner);
