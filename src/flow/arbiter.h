#pragma once

/*
 * The arbiter: weighs the habit, a System-One model's answer and how reliable that was at the site
 * against each other.
 *
 * Thread: any, one at a time.
 */

#include "flow/predict.h"
#include "oracle/oracle.h"

/* What an answer says; arrays go with the options. */
struct arbiter_answer {
    double *one; /* of what comes next, asked at once */
    double *two; /* the same, asked in two steps: whether it goes on, and with which lookup */
    size_t pick; /* the option chosen at once */
    struct oracle_chance *predicates; /* the yes of each one answered, in byte order of their ids */
    size_t n_predicates;
};

/*
 * Reads a response to what question_make() asked.
 *
 * arena:   takes all of `ret`.
 * Returns: whether the answer is complete; `ret` stays untouched if not.
 */
bool arbiter_read(const struct oracle_response *response, const struct predict_options *options,
                  struct sp_arena *arena, struct arbiter_answer *ret);

/* How many features an option has, and so how many weights a fold. */
size_t arbiter_n_features(const struct flow *f);

/*
 * The features of an option, in the order of the weights; they are finite. The chances come of
 * their sums by weight.
 *
 * fold:   only its rates count.
 * habit:  what predict_by_habit() gives.
 * option: its index.
 * ret:    room for arbiter_n_features().
 */
void arbiter_features(const struct flow *f, const struct flow_fold *fold,
                      const struct predict_site *site, const struct predict_options *options,
                      const double *habit, const struct arbiter_answer *answer, size_t option,
                      double *ret);

/*
 * The chances of the options, in their order; they add up to the chance that the site's next step
 * is one of these at all.
 *
 * fold:  of the flow; its weights are as many as flow_check() wants.
 * habit: what predict_by_habit() gives.
 * arena: takes the array.
 */
double *arbiter_chances(const struct flow *f, const struct flow_fold *fold,
                        const struct predict_site *site, const struct predict_options *options,
                        const double *habit, const struct arbiter_answer *answer,
                        struct sp_arena *arena);
