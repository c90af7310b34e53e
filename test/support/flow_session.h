#pragma once

/* Sessions for tests of flows: an episode from a list of what happened. */

#include "json_gen.h"
#include "trace/episode.h"

enum flow_session_kind {
    FLOW_SESSION_USER,
    FLOW_SESSION_SAYS, /* the agent, to the customer */
    FLOW_SESSION_CALL, /* in a turn of its own */
    FLOW_SESSION_ALSO, /* a call in the turn of the one before */
    FLOW_SESSION_RESULT,
    FLOW_SESSION_ERROR,
};

struct flow_session_event {
    enum flow_session_kind kind;
    const char *text; /* what is said, a result's content, a call's arguments */
    const char *id;   /* of calls and results, as the next */
    const char *tool;
};

#define USER(text)                            \
    {                                         \
        FLOW_SESSION_USER, (text), NULL, NULL \
    }
#define SAYS(text)                            \
    {                                         \
        FLOW_SESSION_SAYS, (text), NULL, NULL \
    }
#define CALL(id, tool, text)                    \
    {                                           \
        FLOW_SESSION_CALL, (text), (id), (tool) \
    }
#define ALSO(id, tool, text)                    \
    {                                           \
        FLOW_SESSION_ALSO, (text), (id), (tool) \
    }
#define RESULT(id, tool, text)                    \
    {                                             \
        FLOW_SESSION_RESULT, (text), (id), (tool) \
    }
#define ERROR(id, tool, text)                    \
    {                                            \
        FLOW_SESSION_ERROR, (text), (id), (tool) \
    }

void flow_session_add(struct episode *e, const struct flow_session_event *events, size_t n);

/* The same as an array's elements up to the first without a text. */
void flow_session_add_all(struct episode *e, const struct flow_session_event *events);

/*
 * Adds one random event that fits: messages, calls to the tools with every sort of arguments, late,
 * missing and repeated results, some of them JSON.
 *
 * tools: n_tools names.
 */
void flow_session_grow(struct episode *e, struct json_gen *g, const char *const *tools,
                       size_t n_tools);
