#pragma once

/*
 * The steps of many sessions in a compact form: what a flow's counts are made of. A session costs a
 * few bytes a step and the distinct short texts of its outputs' fields, so that many fit into
 * memory; the sessions themselves need not stay.
 *
 * Equal sessions in equal order give equal results.
 *
 * Thread: any, one at a time.
 */

#include "flow/flow.h"
#include "trace/episode.h"

/* How many fields of a tool's outputs are looked at; those that come later are no features. */
#define STEPBOOK_MAX_FIELDS 32768

struct stepbook;

/* Gives an empty book; the caller's. */
struct stepbook *stepbook_new(void);

/* NULL is nothing. */
void stepbook_free(struct stepbook *b);

/* Takes in the next session, whose task id picks its fold. Nothing of it is kept. */
void stepbook_add(struct stepbook *b, const struct episode *e);

/*
 * Chooses the code features that make the agent's next steps likelier, by five-fold
 * cross-validation over the sessions' tasks, and numbers their values.
 *
 * f:     has its actions and was indexed. Gets `fields` and `features`; the caller indexes it.
 * alpha: of the models that are compared.
 */
void stepbook_choose_features(const struct stepbook *b, struct flow *f, double alpha);

/*
 * What alpha, the weight of the shorter history, has to be: the median of its posterior given how
 * likely it makes each step after the steps before it. The prior of ln alpha is normal, its mean 0
 * and its standard deviation 2.
 *
 * f: has its actions and was indexed; its features are none or those chosen from this book.
 */
double stepbook_alpha(const struct stepbook *b, const struct flow *f);

/*
 * Counts: sets `group`, `habit` (of order 2), `beta`, `top`, `reach`, `has_reach` and
 * `sites.next`; the caller indexes the flow.
 *
 * f: has its actions and kinds and no counts yet, and was indexed; its features are none or those
 *    chosen from this book.
 */
void stepbook_count(const struct stepbook *b, struct flow *f, double alpha);
