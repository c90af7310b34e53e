#pragma once

/*
 * The agent's own steps in recorded sessions under a flow's probabilities: how often the likeliest
 * step is the agent's, how far probabilities can be trusted, and what was surprising.
 *
 * Thread: any, one at a time.
 */

#include "flow/decide.h"
#include "learn/ask.h"

struct flowaudit_options {
    const struct flow *flow;
    enum decide_decider decider; /* one that the flow has the numbers for */
    ask_fn ask;                  /* NULL only if the decider is not the arbiter */
    void *ask_data;
};

struct flowaudit;

/* options: copied; the flow is kept until flowaudit_free(). Returns: the caller's. */
struct flowaudit *flowaudit_new(const struct flowaudit_options *options);

/* NULL is nothing. */
void flowaudit_free(struct flowaudit *a);

/* Scores a session. Nothing of it is kept. */
void flowaudit_add(struct flowaudit *a, const struct episode *e);

struct flowaudit_counts {
    uint64_t episodes;
    uint64_t decisions;
    uint64_t unanswered; /* that were left out */
};

struct flowaudit_counts flowaudit_count(const struct flowaudit *a);

/* Append the report as Markdown, and as indented JSON with a newline at its end. */
void flowaudit_put_markdown(const struct flowaudit *a, struct sp_buf *b);
void flowaudit_put_json(const struct flowaudit *a, struct sp_buf *b);
