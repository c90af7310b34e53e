#pragma once

/* Bindings of a flow that are learned from sessions, and what the flow then picks. */

#include "flow/bind.h"
#include "flow_session.h"

/* A session is a list of events up to the first without a text. */
#define SESSION(...)                    \
    (const struct flow_session_event[]) \
    {                                   \
        __VA_ARGS__,                    \
        {                               \
            0                           \
        }                               \
    }

/* A call and what it returns. */
#define MADE(id, tool, arguments, text) CALL(id, tool, arguments), RESULT(id, tool, text)

/*
 * Gives a flow that knows tools, and nothing else; the caller's.
 *
 * tools: names with blanks between them. "!" before a name: it is a write; "?": it is neither a
 *        read nor a write.
 */
struct flow *learned_tools(const char *tools);

/* Learns where arguments come from, by learn/tracebook.h, of sessions up to a NULL; indexes. */
void learned_trace(struct flow *f, const struct flow_session_event *const *sessions);

/* Learns how often picks agree, by learn/trybook.h; the same. */
void learned_try(struct flow *f, const struct flow_session_event *const *sessions);

/* Fails the test unless the file of the flow has these bindings. */
void learned_check(const struct flow *f, const char *bindings);

/* What a flow picks at the end of a session. */
struct learned_pick {
    const struct flow_session_event *session;
    const char *tool;
    const char *arguments; /* NULL: it does not bind */
    const char *why;       /* if it does not */
    enum bind_class class; /* if it does, as the next */
    double chance;
};

void learned_check_picks(const struct flow *f, const struct learned_pick *picks, size_t n);
