#pragma once

/*
 * Binding: the arguments of a lookup that a flow would make, taken from what the session has shown,
 * and how likely they are the agent's own.
 *
 * What a session shows is taken in as it grows, so that binding after the n-th call costs what is
 * new since the last time and not what is old. A lookup costs what its pick's list is long at most.
 *
 * Thread: any, one at a time.
 */

#include "flow/flow.h"
#include "trace/episode.h"

struct bind;

/*
 * Begins a session.
 *
 * flow:    kept until bind_free().
 * Returns: the caller's.
 */
struct bind *bind_new(const struct flow *flow);

/* NULL is nothing. */
void bind_free(struct bind *b);

/*
 * Takes in what the episode has since the last time.
 *
 * e: the same episode each time, which has only grown: by events, and by calls of the last turn
 *    that has calls or of the last turn. Its texts are kept until bind_free(), the struct is not.
 */
void bind_update(struct bind *b, const struct episode *e);

enum bind_class {
    BIND_NONE,      /* the customer had mentioned none of the values */
    BIND_PICKED,    /* all of them; so it is when there are none */
    BIND_OTHER,     /* another value was mentioned where one was picked */
    BIND_DESCRIBED, /* a record that the customer had described was read already */
};

struct bind_result {
    bool is_bound;
    struct sp_buf arguments; /* canonical JSON, an object; empty if not bound */
    double chance;           /* if bound: that the agent passes these */
    enum bind_class class;   /* if bound */
    struct sp_buf why;       /* if not: the reason; else empty */
};

/*
 * Binds a lookup.
 *
 * view: of the episode as bind_update() last saw it; its pending calls count as made. One with
 *       nothing set apart may have pending calls that the episode does not have yet.
 * tool: a lookup that the flow offers: training called it, it is one of the flow's `reads`, or it
 *       follows a site. Any other is not bound.
 * ret:  the caller's, ended by bind_result_deinit() whether it is bound or not.
 */
void bind_lookup(struct bind *b, const struct episode_view *view, struct sp_str tool,
                 struct bind_result *ret);

void bind_result_deinit(struct bind_result *r);
