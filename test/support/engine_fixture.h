#pragma once

/*
 * An engine to try: everything it asks for is written down in order as text, and the conversation
 * file and the server's input are what a test says they are.
 *
 * What happened is one line each:
 *
 *     [client 12] TEXT     recorded, with its side and time
 *     > TEXT               sent to the server
 *     < TEXT               sent to the host
 *     # TEXT               logged of a flow
 *     % TEXT               logged of the confirmation judge
 *     ? NAMES              asked of the model, by a flow or the judge: the questions' names
 *     ? cancelled          the question was given up
 *     ! TEXT               told to the user
 *
 * A text without LF at its end has a "~" there instead. A line is freed as soon as the engine has
 * handled it, unless the engine keeps a reference, so that a sanitizer sees a view that is kept.
 *
 * Thread: any, one at a time.
 */

#include "base/sp_buf.h"
#include "engine/engine.h"
#include "trace/turns.h"

struct engine_fixture {
    struct engine_options options;
    struct engine *engine;
    uint64_t now_ms;            /* the time of the next event; a test sets it */
    struct sp_buf conversation; /* the file's content */
    bool has_conversation;      /* it can be read */
    size_t n_readings;          /* how often it was */
    bool is_server_open;
    struct sp_buf events;    /* what happened since the last look */
    struct sp_buf to_host;   /* every byte sent there so far */
    struct sp_buf to_server; /* likewise */
    struct sp_buf senders;   /* of the entries so far: "client server " and so on */
    struct sp_buf entries;   /* the entries of the session's log so far */
    struct turns *turns;     /* what a reader of that log makes of it */
    size_t n_notes;
    bool has_host_ended;
    struct engine_flow served;             /* if a flow is; its flow is the fixture's */
    struct engine_judge judge;             /* if there is one */
    struct sp_buf flow_log;                /* every byte logged there so far */
    struct sp_buf confirm_log;             /* likewise */
    const struct oracle_request *question; /* the flow's that is out; NULL: none */
    const struct oracle_request *judged;   /* the judge's */
    size_t n_questions;                    /* asked so far; the key of the last is this number */
    size_t n_skipped;    /* whose key was asked for; that of the last is "f" and this number */
    struct sp_buf shown; /* private */
};

/*
 * Makes an engine with an empty conversation file and an open server.
 *
 * guards: a domain's name; NULL: none.
 */
void engine_fixture_init(struct engine_fixture *f, const char *guards, bool commit, bool context);
void engine_fixture_deinit(struct engine_fixture *f);

/*
 * The same with a flow and without guards.
 *
 * served: copied; its flow is taken, what else it points at is borrowed.
 */
void engine_fixture_init_flow(struct engine_fixture *f, const struct engine_flow *served,
                              bool commit, bool context);

/*
 * The same with a confirmation judge, guards, and a conversation file.
 *
 * judge:  copied; what it points at is borrowed.
 * served: as above; NULL: no flow.
 */
void engine_fixture_init_judge(struct engine_fixture *f, const struct engine_judge *judge,
                               const struct engine_flow *served, const char *guards, bool commit);

/* The events: lines as they crossed, and the same of texts that get an LF. */
void engine_fixture_host_bytes(struct engine_fixture *f, struct sp_str bytes);
void engine_fixture_server_bytes(struct engine_fixture *f, struct sp_str bytes);
void engine_fixture_host(struct engine_fixture *f, const char *text);
void engine_fixture_server(struct engine_fixture *f, const char *text);
void engine_fixture_kept(struct engine_fixture *f, enum line_from from, const char *text);
void engine_fixture_host_end(struct engine_fixture *f);
void engine_fixture_server_end(struct engine_fixture *f);
void engine_fixture_interrupt(struct engine_fixture *f);

/* Answers the flow's question that is out, or fails it for a cause. */
void engine_fixture_answer(struct engine_fixture *f, const struct oracle_response *response);
void engine_fixture_no_answer(struct engine_fixture *f, const char *cause);

/* Answers the judge's: with a probability of yes, with any response; or fails it for a cause. */
void engine_fixture_judge(struct engine_fixture *f, double p);
void engine_fixture_judge_with(struct engine_fixture *f, const struct oracle_response *response);
void engine_fixture_judge_fails(struct engine_fixture *f, const char *cause);

/* Goes on to a time, giving the engine the time-outs that are due until then. */
void engine_fixture_wait_until(struct engine_fixture *f, uint64_t ms);

/* Appends to the conversation file. */
void engine_fixture_says(struct engine_fixture *f, const char *text);

/* The episode's events, one a line: "user: TEXT", "agent: TEXT", "agent calls A B", "result: TEXT"
 * or "error: TEXT". Good until the next look. */
const char *engine_fixture_episode(struct engine_fixture *f);

/* What happened since the last look; good until the next one. */
const char *engine_fixture_look(struct engine_fixture *f);

/* The same without what was recorded. */
const char *engine_fixture_look_sent(struct engine_fixture *f);
