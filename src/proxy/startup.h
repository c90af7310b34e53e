#pragma once

/*
 * Makes the parts of a session. Failures are negative, told in ret_err; nothing is left of the part
 * then.
 *
 * Thread: loop.
 */

#include "proxy/session_state.h"

/* Deletes what is too old; what there is to say of it goes to ret_notices, one line each. */
void startup_prune(const struct options *o, struct sp_buf *ret_notices);

/* Prints notices, and frees them. */
void startup_print_notices(struct sp_buf *notices);

/* Loads the flow, and makes ready who answers its questions; what is to be said of it goes to
 * ret_notices. */
int startup_load_flow(struct session *s, struct sp_buf *ret_notices, struct sp_err *ret_err);

/* Finds the guards of the domain, if guards are asked for. */
int startup_find_guards(struct session *s, struct sp_err *ret_err);

/* Makes the confirmation judge ready, if one is asked for; as startup_load_flow(). Without a key it
 * has its cache. */
int startup_ready_judge(struct session *s, struct sp_buf *ret_notices, struct sp_err *ret_err);

/* What an HTTP server needs and can fail before anything is created: the headers, the module. */
int startup_prepare_upstream(struct session *s, struct sp_err *ret_err);

/* Makes the session's id, and its log if it records. */
int startup_open_recorder(struct session *s, recorder_closed_cb on_closed, struct sp_err *ret_err);

/* The server, not started. */
struct transport *startup_make_transport(struct session *s, const struct transport_events *events);

/* NULL in passive mode; what there is to say goes to ret_notices. */
struct active *startup_make_active(struct session *s, active_event_cb on_event,
                                   struct sp_buf *ret_notices);
