#pragma once

/*
 * How likely the steps of a book are, each by a model of the sessions of the other folds: the habit
 * without its group layer. The features of outputs are given from outside, so that many can be
 * tried. What a step's output says matters to the next two steps only: the difference that other
 * features of one action make is that of the steps behind it.
 *
 * Thread: any, one at a time.
 */

#include "learn/stepbook_state.h"

/* Features are below this. */
#define STEPBOOK_SCORE_FEATURES 64

struct stepbook_score;

/*
 * Gives the score of a book's steps; the caller's.
 *
 * actions:   of the steps; kept until stepbook_score_free().
 * n_actions: how many actions there are, that of all unlisted tools included.
 */
struct stepbook_score *stepbook_score_new(const struct stepbook *b, const uint32_t *actions,
                                          size_t n_actions, double alpha);
void stepbook_score_free(struct stepbook_score *s);

/* Takes the features, by step, that all later ones are those of but for one action's steps. */
void stepbook_score_set(struct stepbook_score *s, const uint8_t *features);

/*
 * The logarithm of the likelihood of the steps that have a step of the action one or two steps
 * before them.
 *
 * features: by step; but for the action's steps, those that were set.
 */
double stepbook_score_behind(struct stepbook_score *s, uint32_t action, const uint8_t *features);
