#pragma once

/*
 * What the parts of the engine share. Only files of this folder include it.
 */

#include <sys/queue.h>

#include "engine/engine.h"
#include "mcp/idset.h"
#include "trace/turns.h"

/* How long one of the proxy's own requests waits for its answer at least, ms. */
#define ENGINE_WAIT_MS 60000

struct commit;
TAILQ_HEAD(commits, commit);

struct engine {
    const struct engine_options *options;
    const struct engine_ops *ops;
    void *owner;
    uint64_t now_ms;     /* of the event under way */
    struct turns *turns; /* NULL: nothing needs the episode */
    struct guard_facts facts;
    struct idset calls;         /* of the host's tools/call that are unanswered */
    struct idset lists;         /* of its tools/list; the number: 1 for a first page */
    struct idset abandoned;     /* of own requests that were given up */
    uint64_t n_own;             /* own requests so far */
    struct sp_buf meta;         /* what own requests have for _meta; empty: none */
    struct commits commits;     /* in progress, in the order of their last requests */
    uint64_t conversation_read; /* bytes of the conversation file that are taken */
    bool is_server_ended;
};

/* A tools/call as it is checked and made. */
struct engine_call {
    struct sp_str name;      /* unescaped */
    struct sp_str arguments; /* a value's span */
};

/* engine.c */

/* Records a line and adds it to the session so far. Borrowed. */
void engine_record(struct engine *e, struct line *line, enum line_from from);

/* The same with a text that has no LF, of the proxy's own; returns its line, the caller's. */
struct line *engine_record_own(struct engine *e, struct sp_buf *text);

/* Records a text and sends it to the host; empties `text`. */
void engine_answer_host(struct engine *e, struct sp_buf *text);

/* Whether a message states its protocol version itself, as revisions from 2026-07-28 on do. */
bool engine_is_modern(const struct tracemsg *m);

/* Answers the host's call of an id with a result of one text. */
void engine_answer_call(struct engine *e, struct sp_str id, bool is_modern, struct sp_str text,
                        bool is_error);

/* Records and sends a tools/call of the proxy's own; returns its number. */
uint64_t engine_send_own(struct engine *e, const struct engine_call *call);

void engine_note(struct engine *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Handles a host's line that is one message, or none that anything here reads. Borrowed. */
void engine_host_message(struct engine *e, struct line *line);

/* A call as it stands in a message; name_buf holds its unescaped name. */
struct engine_call engine_call_of(const struct tracemsg *m, struct sp_buf *name_buf);

/*
 * Checks a call against the session as it stands.
 *
 * ret_reasons: gets why it is refused; stays as it is if it is not.
 * Returns:     whether it may be made.
 */
bool engine_check(struct engine *e, const struct engine_call *call, struct sp_buf *ret_reasons);

/* Text and failure of a response, as the host is told of it. Returns whether it failed. */
bool engine_response_text(const struct tracemsg *m, struct sp_buf *ret);

/* conversation.c: reads the new lines of the conversation file and records them. */
void conversation_read(struct engine *e);

/* strict.c: handles a host's line as guards want it read: in one way, or not at all. Borrowed. */
void strict_host_line(struct engine *e, struct line *line);

/* commit.c */

/* Whether a call is one of stretto_commit. */
bool commit_is_called(const struct engine_call *call);

/* Starts the commit that a host's message asks for, which is recorded. Borrowed. */
void commit_start(struct engine *e, const struct tracemsg *m);

/* Gives a server's response to the commit that awaits it; whether one does. Borrowed. */
bool commit_take(struct engine *e, const struct tracemsg *m);

/* Ends commits whose request has waited too long; those behind it in the list are younger. */
void commit_timeout(struct engine *e);

/* Ends all commits with what they have. */
void commit_end_all(struct engine *e);

/* When the oldest request will have waited too long; UINT64_MAX: there is none. */
uint64_t commit_due_ms(const struct engine *e);

/*
 * Adds the tool to an answer to tools/list, or takes a tool of that name out of it.
 *
 * text:     the answer.
 * is_first: the request asked for a first page.
 * ret:      gets the changed answer.
 * Returns:  whether anything was changed.
 */
bool commit_list(struct sp_str text, bool is_first, struct sp_buf *ret);

/* Drops all commits without a word. */
void commit_free_all(struct engine *e);
