#pragma once

/* A decision of a flow on a session, for tests. */

#include "flow/decide.h"
#include "flow_session.h"

struct decided {
    struct flow *flow;
    struct decide *decide;
    enum decide_outcome outcome;
};

/*
 * Begins a decision.
 *
 * flow:   taken.
 * events: up to the first without a text. Nothing of them is left when this returns.
 * after:  the view's call; NULL: the whole session.
 */
void decided_begin(struct decided *d, struct flow *flow, const char *task_id,
                   const struct flow_session_event *events, const char *after,
                   const struct decide_options *options);

void decided_end(struct decided *d);

/* Fails the test unless it hands back for the reason or, where that is NULL, makes the lookup. */
void decided_check(const struct decided *d, const char *tool, const char *arguments,
                   const char *reason);

/* Appends the record of a decision that is not logged; a `key` of NULL is none. */
void decided_put_record(struct sp_buf *b, const struct decided *d, const char *key);

/* Fails the test unless the record is `want`. */
void decided_check_record(const struct decided *d, const char *key, const char *want);
