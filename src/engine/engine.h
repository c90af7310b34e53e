#pragma once

/*
 * Active mode: takes the lines that cross the proxy, forwards them, and acts on some of them. It
 * decides alone and touches nothing: what is to happen outside it asks for by a table of functions,
 * and the time comes with every event.
 *
 * Every line handed in is forwarded byte for byte unless something here acts on it. Lines are
 * handled one at a time, each to its end.
 *
 * Thread: loop. The functions of the table are called before the event's function returns, and may
 * not call back into the engine.
 */

#include "flow/decide.h"
#include "guard/guard.h"
#include "judge/judgment.h"
#include "mcp/line.h"

struct engine;

/* A flow as it is served. */
struct engine_flow {
    const struct flow *flow;
    struct decide_options decide; /* its recall is the engine's */
    uint64_t per_call;            /* lookups after one call, at most */
    uint64_t per_session;         /* the same in all */
    uint64_t questions;           /* to the model in all, at most */
    bool shadow;                  /* decide and log, look nothing up */
    const struct sp_str *tools;   /* the only ones it may call; NULL: every lookup */
    size_t n_tools;
};

/* The confirmation judge. */
struct engine_judge {
    struct judgment_options options;
    uint64_t questions; /* to the model in all, at most */
};

/* Who asks the model; each has one question out at most. */
enum engine_asker { ENGINE_ASK_FLOW, ENGINE_ASK_JUDGE, ENGINE_N_ASKERS };

struct engine_options {
    const struct engine_flow *flow;    /* NULL: no flow */
    const struct guard_domain *guards; /* NULL: no guards */
    const struct engine_judge *judge;  /* NULL: no judge; one needs guards */
    bool commit;                       /* the tool stretto_commit */
    bool context;                      /* there is a conversation file */
    const char *session;               /* the episode's id; borrowed, as the next three */
    const char *task_id;
    const char *domain;      /* NULL for none */
    const char *agent_model; /* NULL for none */
};

struct engine_ops {
    /* Records a line, which has its side and its time. Borrowed. */
    void (*record)(void *owner, struct line *line);

    /* Send a line. They take the caller's reference. */
    void (*to_host)(void *owner, struct line *line);
    void (*to_server)(void *owner, struct line *line);

    /* Whether what is sent to the server can still reach it. */
    bool (*is_server_open)(void *owner);

    /*
     * Appends what the conversation file holds from `offset` on. Returns whether it could be read
     * to its end; if not, what was appended does not count.
     */
    bool (*read_conversation)(void *owner, uint64_t offset, struct sp_buf *ret);

    /*
     * Asks the model; engine_answer() follows, unless cancelled. The request is borrowed until
     * then; ret_key gets its key, NUL-terminated.
     */
    void (*ask)(void *owner, enum engine_asker who, const struct oracle_request *request,
                char ret_key[ORACLE_KEY_SIZE]);
    void (*cancel)(void *owner, enum engine_asker who);

    /* The key of a question that is not asked. */
    void (*key_of)(void *owner, const struct oracle_request *request,
                   char ret_key[ORACLE_KEY_SIZE]);

    /* Appends a line, LF included, to the flow log. Borrowed. */
    void (*log_flow)(void *owner, struct sp_str line);

    /* The same for the confirmation log. */
    void (*log_confirm)(void *owner, struct sp_str line);

    /* Tells the user something, one line. */
    void (*note)(void *owner, const char *text);
};

/*
 * Makes an engine.
 *
 * options, ops: kept until engine_free().
 * Returns:      the caller's.
 */
struct engine *engine_new(const struct engine_options *options, const struct engine_ops *ops,
                          void *owner);

/* NULL is nothing. */
void engine_free(struct engine *e);

/*
 * The events. `now_ms` is the session's time, which never decreases; entries made in an event have
 * that time. Lines are borrowed; an engine that keeps one takes a reference.
 */
void engine_host_line(struct engine *e, uint64_t now_ms, struct line *line);
void engine_server_line(struct engine *e, uint64_t now_ms, struct line *line);

/* A line that is not for the host, which the transport made or kept. It is only recorded. */
void engine_kept_line(struct engine *e, uint64_t now_ms, struct line *line);

/* The host has closed its side: what it said last is read. The server's input ends after this, but
 * not before engine_is_judging() is over. */
void engine_host_end(struct engine *e, uint64_t now_ms);

/*
 * Whether a call is being judged. The host's lines are put off meanwhile, so it need not be read.
 */
bool engine_is_judging(const struct engine *e);

/* The model's answer, borrowed; or NULL with the cause, one line. */
void engine_answer(struct engine *e, uint64_t now_ms, enum engine_asker who,
                   const struct oracle_response *response, const char *error);

/* No more lines will come from the server. What waits for one is answered; the host's later lines
 * are dropped. */
void engine_server_end(struct engine *e, uint64_t now_ms);

/* The proxy is to end: what is held is let go. Lines of the server may still come. */
void engine_interrupt(struct engine *e, uint64_t now_ms);

/* Gives up what has waited too long for the server. Called when engine_due_ms() has come. */
void engine_timeout(struct engine *e, uint64_t now_ms);

/* When engine_timeout() is to be called; UINT64_MAX: nothing waits. Changes with every event. */
uint64_t engine_due_ms(const struct engine *e);
