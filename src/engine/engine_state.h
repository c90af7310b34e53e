#pragma once

/*
 * What the parts of the engine share. Only files of this folder include it.
 */

#include <sys/queue.h>

#include "engine/engine.h"
#include "engine/toollist.h"
#include "mcp/idset.h"
#include "trace/turns.h"

/* How long one of the proxy's own requests waits for its answer at least, ms. */
#define ENGINE_WAIT_MS 60000

/* How much of one text a note has, bytes. */
#define ENGINE_MAX_NOTED ((size_t)4096)

struct commit;
TAILQ_HEAD(commits, commit);

struct flowstate;
struct judging;

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
    struct toollist tools;      /* the server's, as far as it listed them */
    struct flowstate *flow;     /* NULL: no flow is served */
    struct judging *judging;    /* NULL: there is no judge */
    struct commits commits;     /* in progress, in the order of their last requests */
    uint64_t conversation_read; /* bytes of the conversation file that are taken */
    bool is_server_ended;
    bool is_interrupted; /* nothing is to be held any more */
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

/* What of a text that a peer wrote goes into a note: its beginning. */
static inline struct sp_str engine_clip(struct sp_str text)
{
    return sp_str_sub(text, 0, text.len < ENGINE_MAX_NOTED ? text.len : ENGINE_MAX_NOTED);
}

void engine_note(struct engine *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Handles a host's line, or puts it off while a call is judged. Borrowed. */
void engine_handle_host(struct engine *e, struct line *line);

/* Handles a host's line that is one message, or none that anything here reads. Borrowed. */
void engine_host_message(struct engine *e, struct line *line);

/* A call as it stands in a message; name_buf holds its unescaped name. */
struct engine_call engine_call_of(const struct tracemsg *m, struct sp_buf *name_buf);

enum engine_verdict {
    ENGINE_MAY_CALL,
    ENGINE_REFUSED,
    ENGINE_JUDGED,  /* the judge is asked: judging_hold_line() or judging_hold_commit() follows */
    ENGINE_WAITS,   /* the judge is busy: judging_wait() follows; only for a commit's call */
    ENGINE_NOT_NOW, /* the proxy is to end, and nobody is asked any more: it is not made */
};

/*
 * Checks a call against the session as it stands.
 *
 * ret_reasons: gets why it is refused; stays as it is if it is not.
 */
enum engine_verdict engine_check(struct engine *e, const struct engine_call *call,
                                 struct sp_buf *ret_reasons);

/* Goes on with a host's call whose judgment is over: as engine_check() does, it may or may not be
 * made. Borrowed. */
void engine_resume_call(struct engine *e, struct line *line, enum engine_verdict verdict,
                        struct sp_str reasons);

/* Text and failure of a response, as the host is told of it. Returns whether it failed. */
bool engine_response_text(const struct tracemsg *m, struct sp_buf *ret);

/* judging.c; without a judge the first two, judging_put_off_end() and judging_stop() do nothing,
 * and the others are not called */

void judging_init(struct engine *e);
void judging_deinit(struct engine *e);

/*
 * Begins the judgment of a call that the guards let pass.
 *
 * word_list: whether their list of words takes what the customer said for a yes.
 */
enum engine_verdict judging_begin(struct engine *e, const struct engine_call *call, bool word_list,
                                  struct sp_buf *ret_reasons);

/* What the judgment that was begun holds up: the line of a host's call, or a commit. */
void judging_hold_line(struct engine *e, struct line *line);
void judging_hold_commit(struct engine *e, struct commit *cm);

/* A commit goes on when the judge is free. */
void judging_wait(struct engine *e, struct commit *cm);

/* Puts a host's line off until the judge is free. Borrowed. */
void judging_put_off(struct engine *e, struct line *line);

/* What the host said last is read when the judge is free; whether that is put off. */
bool judging_put_off_end(struct engine *e);

/* Gives the judgment what the model said. */
void judging_answer(struct engine *e, const struct oracle_response *response, const char *error);

/* Ends the judgment: its call is not made, and what waited for it goes on. */
void judging_stop(struct engine *e);

/* conversation.c: reads the new lines of the conversation file and records them. */
void conversation_read(struct engine *e);

/* strict.c: handles a host's line as guards want it read: in one way, or not at all. Borrowed. */
void strict_host_line(struct engine *e, struct line *line);

/* Whether a server of a modern revision asks for more before it goes on, which nobody gives. */
bool engine_wants_input(const struct tracemsg *m);

/* Gives up an own request: its answer is dropped if it still comes. */
void engine_abandon(struct engine *e, uint64_t own);

/* flowrun.c; without a flow these do nothing */

void flowrun_init(struct engine *e);
void flowrun_deinit(struct engine *e);

/* Starts a run behind the response to a call of the host; whether that is held now. */
bool flowrun_start(struct engine *e, const struct tracemsg *m, struct line *line);

/* Gives a server's response to the own request of a number to the run that awaits it. */
bool flowrun_take(struct engine *e, const struct tracemsg *m, uint64_t own);

/* Gives the run what the model said. */
void flowrun_answer(struct engine *e, const struct oracle_response *response, const char *error);

/* Ends a run whose lookup has waited too long. */
void flowrun_timeout(struct engine *e);

/* Ends the run: the agent gets what was looked up, or the response as the server sent it. */
void flowrun_end(struct engine *e, bool with_found);

/* The number of the run's last own request; UINT64_MAX: there is no run. */
uint64_t flowrun_last_own(const struct engine *e);

/* When its lookup will have waited too long; UINT64_MAX: none waits. */
uint64_t flowrun_due_ms(const struct engine *e);

/* commit.c */

/* Whether a call is one of stretto_commit. */
bool commit_is_called(const struct engine_call *call);

/* Starts the commit that a host's message asks for, which is recorded. Borrowed. */
void commit_start(struct engine *e, const struct tracemsg *m);

/* Goes on with a commit whose call was judged, as engine_check() does. */
void commit_resume(struct engine *e, struct commit *cm, enum engine_verdict verdict,
                   struct sp_str reasons);

/* Goes on with a commit whose call is still to be checked. */
void commit_go_on(struct engine *e, struct commit *cm);

/* Drops a commit without a word. */
void commit_drop(struct commit *cm);

/* Gives a server's response to the own request of a number to the commit that awaits it. */
bool commit_take(struct engine *e, const struct tracemsg *m, uint64_t own);

/* Ends commits whose request has waited too long; those behind it in the list are younger. */
void commit_timeout(struct engine *e);

/* Ends the commit whose request is the oldest with what it has. */
void commit_end_first(struct engine *e);

/* The number of that request; UINT64_MAX: there is no commit. */
uint64_t commit_first_own(const struct engine *e);

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
