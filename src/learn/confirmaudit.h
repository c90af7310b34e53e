#pragma once

/*
 * How well the confirmation judge tells writes that the customer agreed to from others: its answers
 * about every write of recorded episodes, counted beside the guards' word list, apart for episodes
 * that did their task, episodes that did not, and writes that the tool itself refused.
 *
 * Writes are gathered first, with their questions; then all questions are answered at once by
 * whoever was asked; then the answers are looked up.
 *
 * Thread: any, one at a time.
 */

#include "guard/guard.h"
#include "judge/judgment.h"
#include "learn/ask.h"

struct confirmaudit_options {
    const struct guard_domain *domain;
    struct sp_str model;         /* that is asked; borrowed until confirmaudit_free() */
    enum judgment_second second; /* the question that is asked beside the first one */
    double threshold;            /* an answer below it fails; finite */
    size_t max_examples;         /* of each kind */
    ask_fn ask;                  /* of a question, first to add it, then to look its answer up */
    void *ask_data;
};

struct confirmaudit;

/* Begins with nothing gathered. Returns the caller's, freed by confirmaudit_free(). */
struct confirmaudit *confirmaudit_new(const struct confirmaudit_options *options);

/* NULL is nothing. */
void confirmaudit_free(struct confirmaudit *a);

/*
 * Gathers the writes of an episode that need the customer's yes, each as the exchange stood before
 * its turn, and asks their questions; whether they are answered already does not matter. Comes
 * before confirmaudit_count(). Keeps nothing of the episode.
 */
void confirmaudit_add(struct confirmaudit *a, const struct episode *e);

/* What is gathered. */
struct confirmaudit_size {
    size_t episodes;
    size_t writes;
};

struct confirmaudit_size confirmaudit_size(const struct confirmaudit *a);

/*
 * Asks every question again and counts what the answers come to; called once, before anything is
 * reported. A question that fails, or that has no yes-or-no answer, leaves its write without a
 * probability.
 */
void confirmaudit_count(struct confirmaudit *a);

/*
 * Appends the audits and all of their writes as indented JSON, LF at the end; members in byte order
 * of their names at every depth (docs/formats.md).
 */
void confirmaudit_put_json(struct sp_buf *b, const struct confirmaudit *const *audits, size_t n);

/* Appends a report in Markdown; the audits ask the same second question. */
void confirmaudit_put_markdown(struct sp_buf *b, const struct confirmaudit *const *audits,
                               size_t n);
