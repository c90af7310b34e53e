#pragma once

/*
 * Estimates from logged decisions of a flow what another rule would have done: directly from their
 * labels, and by inverse propensity scoring, self-normalized and doubly robust.
 *
 * Decisions are read for what they say, whatever it is: a propensity below 1e-12 counts as that,
 * one without an option of its tool took none, of options with one tool the first is taken. An
 * estimate that leaves the range of doubles is null in JSON and a dash in Markdown.
 *
 * Thread: any, one at a time.
 */

#include "base/sp_alloc.h"
#include "base/sp_buf.h"
#include "base/sp_err.h"

struct evaluate;

/* Gives one without decisions; the caller's. */
struct evaluate *evaluate_new(void);

/* NULL is nothing. */
void evaluate_free(struct evaluate *e);

/*
 * Adds the labelled decisions of a file's text, a JSON object on each line that is not blank.
 * Nothing of the text is kept.
 *
 * text:    any bytes.
 * path:    for errors.
 * Returns: 0; negative, the lines before having been added, told in ret_err: "PATH:LINE: …".
 */
int evaluate_add(struct evaluate *e, struct sp_str text, const char *path,
                 struct sp_err *ret_err) SP_MUST_CHECK;

size_t evaluate_n_decisions(const struct evaluate *e);

/*
 * Adds a rule that is estimated, "NAME=DECIDER@THRESHOLD" or "DECIDER@THRESHOLD". The name ends at
 * the first "=", and may be empty or another rule's too; the decider ends at the first "@" behind
 * it. The threshold is written as a number is in JSON, so it is finite.
 *
 * rule:    valid UTF-8; kept until evaluate_free().
 * Returns: 0, or negative, told in ret_err, which quotes the rule.
 */
int evaluate_add_target(struct evaluate *e, struct sp_str rule,
                        struct sp_err *ret_err) SP_MUST_CHECK;

/*
 * Whether every decision has what the targets need: those of the arbiter's probabilities need
 * decisions of the arbiter.
 *
 * Returns: 0, or negative, told in ret_err.
 */
int evaluate_check(const struct evaluate *e, struct sp_err *ret_err) SP_MUST_CHECK;

/*
 * Append all estimates, target by target in the order they were added: as Markdown, and as indented
 * JSON with a newline at its end.
 *
 * min_ess: estimates with weights are refused below this effective sample size; no NaN.
 */
void evaluate_put_markdown(const struct evaluate *e, double min_ess, struct sp_buf *b);
void evaluate_put_json(const struct evaluate *e, double min_ess, struct sp_buf *b);
