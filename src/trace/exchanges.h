#pragma once

/*
 * Who answered what in a session: every request with its first answer, and what each message is.
 * Calls and their answers pair as in an episode (turns.h), by the id's canonical JSON.
 *
 * Messages are fed in order, all of a session into one struct. Requests are only added, so a second
 * walk over the same session numbers them alike.
 *
 * Thread: any, one at a time.
 */

#include "base/sp_arena.h"
#include "base/sp_map.h"
#include "trace/tracemsg.h"

enum exchanges_state {
    EXCHANGES_OPEN,
    EXCHANGES_DONE,
    EXCHANGES_FAILED,
};

/* A message with a method and an id. Its views look into the exchanges' memory. */
struct exchanges_request {
    enum line_from from;
    struct sp_str method;
    struct sp_str tool; /* of a tools/call of the host or the proxy; p is NULL for all else */
    struct sp_str id;   /* as an episode has it */
    uint64_t sent_ms;
    bool is_cancelled;
    enum exchanges_state state;
    enum line_from answered_by; /* unless it is open, as the next */
    uint64_t answered_ms;
};

enum exchanges_kind {
    EXCHANGES_TALK, /* a message of the conversation */
    EXCHANGES_REQUEST,
    EXCHANGES_ANSWER,       /* the first one to a request */
    EXCHANGES_AGAIN,        /* a later one */
    EXCHANGES_CANCELLATION, /* of a request that is open */
    EXCHANGES_NOTIFICATION,
    EXCHANGES_STRAY, /* an answer to nothing, or no message of the protocol */
};

/* What a message is. */
struct exchanges_note {
    enum exchanges_kind kind;
    size_t request; /* the index of the request it is, answers or cancels; SIZE_MAX for none */
};

/* A zeroed struct is a session without messages. */
struct exchanges {
    struct exchanges_request *requests; /* moves when one is added */
    size_t n_requests;
    size_t max_requests;   /* private, as the rest */
    struct sp_map calls;   /* id key -> request: calls of host and proxy, the latest of an id */
    struct sp_map others;  /* their other requests */
    struct sp_map servers; /* the server's requests */
    struct sp_buf scratch;
    struct sp_arena arena;
};

struct exchanges_note exchanges_feed(struct exchanges *x, const struct tracemsg *m);

/* Whether the proxy refused a call of the host: it failed without the server's being asked. */
bool exchanges_is_refused(const struct exchanges_request *request);

/* Whether it is a call of the proxy's own tool for several calls in one. */
bool exchanges_is_commit(const struct exchanges_request *request);

void exchanges_deinit(struct exchanges *x);
