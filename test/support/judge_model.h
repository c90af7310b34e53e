#pragma once

/*
 * A naive model of a session with a confirmation judge, guards of the airline domain and
 * stretto_commit: every line of the host waits its turn in one queue, a batch is as many lines as
 * it has parts, and while a question is out nothing is taken from that queue. What the agent books
 * is judged, what it reads is not.
 *
 * Thread: any, one at a time.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/sp_buf.h"

#define JUDGE_MODEL_MAX_LINES   1250
#define JUDGE_MODEL_MAX_CALLS   3
#define JUDGE_MODEL_MAX_COMMITS JUDGE_MODEL_MAX_LINES

enum judge_model_kind {
    JUDGE_MODEL_PLAIN,
    JUDGE_MODEL_READ,
    JUDGE_MODEL_WRITE,
    JUDGE_MODEL_BAD,
    JUDGE_MODEL_COMMIT,
    JUDGE_MODEL_N_KINDS
};

/* A line of the host, or a part of one that is taken apart. */
struct judge_model_line {
    enum judge_model_kind kind;
    char text[640]; /* with LF */
    unsigned id;    /* 0: none */
    unsigned n;     /* its number; those of a commit's calls follow */
    size_t n_calls;
    bool is_write[JUDGE_MODEL_MAX_CALLS];
};

struct judge_model_commit {
    const struct judge_model_line *line;
    size_t i;
    unsigned awaited;
    char report[1024]; /* a JSON string's inside */
};

/* The commits that wait for something, in order. */
struct judge_model_list {
    struct judge_model_commit *of[JUDGE_MODEL_MAX_COMMITS];
    size_t n;
};

struct judge_model {
    struct sp_buf to_host, to_server;
    struct sp_buf senders; /* of the entries */
    struct sp_buf client;  /* the host's lines that are recorded */

    struct judge_model_line lines[JUDGE_MODEL_MAX_LINES];
    size_t n_lines, n_taken;
    struct judge_model_commit commits[JUDGE_MODEL_MAX_COMMITS];
    size_t n_commits;
    struct judge_model_list waiting; /* for the judge */
    struct judge_model_list sent;    /* for the server */
    unsigned n_own;
    unsigned given_up; /* the own request that was given up last; 0: none, or it was answered */

    bool is_asked; /* a question is out, of one of the next two */
    const struct judge_model_line *held;
    struct judge_model_commit *held_commit;
    bool is_second;
    double p[2]; /* below 0: no answer */

    bool has_second, is_shadow, enforces;
    unsigned budget, n_questions;
    size_t n_unread; /* lines of the conversation */
    bool is_open, has_host_ended, end_is_unread, is_interrupted, is_server_ended;
};

void judge_model_deinit(struct judge_model *m);

/* Takes what waits until a question is out. Called after a line was added, and when the host has
 * ended. */
void judge_model_run(struct judge_model *m);

/* The question is answered with a probability of yes; below 0: it is not. */
void judge_model_answer(struct judge_model *m, double p);

/* The server answers the own request of a number, or, for 0, says anything else. A text without LF.
 */
void judge_model_server(struct judge_model *m, const char *text, unsigned own);

/* All that is held is let go: is_interrupted or is_server_ended was set. */
void judge_model_stop(struct judge_model *m);
