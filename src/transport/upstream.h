#pragma once

/*
 * The loadable module "upstream": what a session with an HTTP server needs and a plain one does not
 * load. It carries its own copy of the code it shares with the program, and nothing that changes.
 */

#include "transport/transport_http.h"

/* The table that the module exports under UPSTREAM_SYMBOL. */
struct upstream_module {
    const char *version; /* the program's, so that no other one's module is taken */

    /* Names the program in the messages of the module; see sp_log_init(). */
    void (*log_init)(const char *name);

    struct transport *(*transport_new)(uv_loop_t *loop,
                                       const struct transport_http_options *options,
                                       uint64_t zero_ns, const struct transport_events *events,
                                       void *owner);
};

#define UPSTREAM_FILE   "stretto-upstream.so"
#define UPSTREAM_SYMBOL "upstream_module"

extern const struct upstream_module upstream_module;
