#pragma once

/*
 * Replaying a recorded session as the proxy would have had it with a flow: which lookups the flow
 * would have made, which of them the agent made itself later on, and how many of the agent's turns
 * they would have saved.
 *
 * Thread: any, one at a time.
 */

#include "flow/decide.h"
#include "learn/ask.h"
#include "trace/turns.h"

struct replay_options {
    const struct flow *flow;
    enum decide_decider decider; /* one that the flow has the numbers for */
    double threshold;            /* that it is served with */
    uint64_t per_call;           /* lookups after one call, at most */
    ask_fn ask;                  /* NULL only if the decider is not the arbiter */
    void *ask_data;
};

struct replay_counts {
    uint64_t calls;   /* recorded ones, as the next */
    uint64_t turns;   /* of the agent, with calls or without */
    uint64_t lookups; /* that the flow chose to make: hits and detours */
    uint64_t hits;    /* the agent made the same call while the answer still held */
    uint64_t detours;
    uint64_t saved;      /* turns with calls, all of which lookups had answered before */
    uint64_t unanswered; /* questions without an answer */
    uint64_t cut;        /* runs whose program went on without an end, and was ended */
};

/*
 * Replays a session.
 *
 * turns: the session's, read to its end; its episode is not changed.
 * lines: takes a line of canonical JSON for each decision and each run that no detour cut short, as
 *        they come, LF at the end of each; NULL: they are not wanted.
 */
struct replay_counts replay_session(const struct replay_options *options, struct turns *turns,
                                    struct sp_buf *lines);

/* Adds the counts of a session to those of others. */
void replay_add(struct replay_counts *sum, const struct replay_counts *more);
