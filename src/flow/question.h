#pragma once

/*
 * The question that the arbiter puts to a System-One model: what the session looks like from the
 * agent's seat, and which of the site's options comes next. Answers are kept under a hash of the
 * question, so its texts are part of an interface.
 *
 * Thread: any, one at a time.
 */

#include "flow/predict.h"
#include "flow/recall.h"
#include "oracle/oracle.h"

/* The ids of the questions; those of predicates are the last and the predicate's id. */
#define QUESTION_NEXT      SP_STR("next")
#define QUESTION_GO_ON     SP_STR("go_on")
#define QUESTION_TOOL      SP_STR("tool")
#define QUESTION_PREDICATE SP_STR("pred_")

/*
 * Makes the request of one decision.
 *
 * f:       kept until the request ends; all else is borrowed.
 * recall:  up to date with the view's episode.
 * ret:     the caller's, ended by oracle_request_deinit().
 */
void question_make(const struct flow *f, const struct episode_view *view,
                   const struct recall *recall, const struct predict_site *site,
                   const struct predict_options *options, struct oracle_request *ret);
