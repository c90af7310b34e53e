#pragma once

/*
 * What a flow expects next by its counts alone: which options there are at a site, and how likely
 * each is.
 *
 * Thread: any, one at a time.
 */

#include "flow/flow.h"
#include "flow/steps.h"

/* The name of the option that hands back to the agent. */
#define PREDICT_RESPOND SP_STR("respond")

/* Where a flow decides: behind a call. */
struct predict_site {
    struct sp_str prev; /* the call's tool */
    bool failed;
    struct sp_str name;
};

/*
 * The site behind the view's last step.
 *
 * arena:   takes the name; `prev` is the episode's.
 * Returns: whether the last step is a call; `ret` stays untouched if not.
 */
bool predict_site(const struct episode_view *view, struct sp_arena *arena,
                  struct predict_site *ret);

/* What can be done at a site. */
struct predict_options {
    struct sp_str *of; /* lookups and PREDICT_RESPOND, in byte order; the views are the flow's */
    size_t n;
    size_t respond; /* where that stands */
};

/*
 * The options of a site. A tool with the name of the option that hands back is never one of them,
 * as nobody could tell them apart.
 *
 * arena: takes the array.
 */
struct predict_options predict_options(const struct flow *f, const struct predict_site *site,
                                       struct sp_arena *arena);

/* The counts that a model, and then the flow's group, has for the end of a view, shortest first. */
struct predict_counts {
    const struct flow_model *model; /* private, as the rest */
    const struct flow_counts *of[FLOW_MAX_ORDER + 1];
    size_t n;
    const struct flow_counts *top; /* NULL: none */
    double beta;
};

/* The habit: the chance of every action to be the next one. They add up to 1. */
struct predict_counts predict_habit(const struct flow *f, const struct episode_view *view);

/* Reach, of a flow that has it: the chance of every action to come before the next write. */
struct predict_counts predict_reach(const struct flow *f, const struct episode_view *view);

/* The chance of an action by its id, which is below the model's vocab_size. */
double predict_chance(const struct predict_counts *counts, uint64_t action);

/*
 * The chances of a site's options by the habit and by reach, in their order. Handing back has what
 * the habit leaves for all that the flow cannot do; by reach it has 0.
 *
 * arena: takes the array.
 */
double *predict_by_habit(const struct flow *f, const struct episode_view *view,
                         const struct predict_options *options, struct sp_arena *arena);
double *predict_by_reach(const struct flow *f, const struct episode_view *view,
                         const struct predict_options *options, struct sp_arena *arena);
