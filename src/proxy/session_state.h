#pragma once

/*
 * One run of the proxy, as session.c, which runs it, and startup.c, which makes its parts, share
 * it.
 */

#include <signal.h>
#include <uv.h>

#include "io/endsignals.h"
#include "io/outq.h"
#include "io/source.h"
#include "mcp/framer.h"
#include "proxy/active.h"
#include "proxy/modules.h"
#include "trace/sessionid.h"

struct session {
    const struct options *options;
    uv_loop_t loop;
    uint64_t zero_ns; /* time zero of t_ms, on uv_hrtime()'s clock */
    struct source host_in;
    struct outq host_out;
    struct framer framer; /* of the host's lines */
    char id[SESSIONID_SIZE];
    struct recorder *recorder; /* NULL: not recording */
    struct flow *flow;         /* NULL: none, as the next two */
    struct sp_str *flow_tools; /* those of --flow-tools, owned */
    const struct guard_domain *guards;
    struct engine_flow served;          /* if there is a flow */
    struct engine_judge judge;          /* if --confirm-judge is given */
    const struct oracle_module *oracle; /* NULL: not loaded */
    uv_lib_t oracle_lib;
    struct oracle_client *client;           /* NULL: none; the active part's when that is made */
    struct active *active;                  /* NULL: passive, or before the start */
    struct transport *transport;            /* NULL: before the start */
    struct httpc_header *headers;           /* of --upstream-header */
    const struct upstream_module *upstream; /* NULL: not loaded */
    uv_lib_t upstream_lib;
    struct endsignals signals;
    uv_timer_t timer;
    bool host_ended;   /* no more lines will come from the host */
    bool is_late;      /* the time after a signal is over */
    bool is_abandoned; /* the transport could not close; nothing may be freed */
    bool is_last_turn; /* all is closed but what waits for signals */
    bool is_closing;   /* the server is over and the host has got everything */
    int signum;        /* the signal that ends the session; 0 for none */
};

/* Whether pieces of the streams go on as they come, since nothing needs whole lines. */
static inline bool session_is_raw(const struct session *s)
{
    return s->options->record == NULL && s->options->upstream == NULL &&
           !active_is_wanted(s->options);
}
