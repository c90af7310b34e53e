#pragma once

/*
 * What the parts of evaluate.h share: the decisions as they were read, the means of what taken
 * options brought, and the estimates of a target.
 *
 * Thread: any, one at a time.
 */

#include <stdint.h>

#include "base/sp_arena.h"
#include "base/sp_map.h"
#include "learn/evaluate.h"

enum {
    EVALUATE_LOOKUPS,
    EVALUATE_USED,
    EVALUATE_DETOURS,
    EVALUATE_TURNS,
    EVALUATE_N_MEASURES,
};

/* Texts that are known by their numbers, 0 for the first. */
struct evaluate_names {
    struct sp_map map; /* a text -> its number */
    struct sp_str *of;
    size_t n;
    size_t max;
};

/* A lookup that was offered. */
struct evaluate_option {
    size_t tool;
    double p;
    double habit;
    double binding; /* if it is bound */
    bool is_bound;
    bool has_arguments;
    double values[EVALUATE_N_MEASURES]; /* what it brings when it is taken */
};

/* No option: a hand-back. */
#define EVALUATE_NONE SIZE_MAX

struct evaluate_decision {
    size_t site;
    size_t first; /* of its options, an index of all */
    size_t n_options;
    size_t taken;  /* an index of its own options, or EVALUATE_NONE */
    size_t greedy; /* the same */
    double epsilon;
    double propensity;
};

struct evaluate_target {
    struct sp_str name;
    bool is_habit; /* its probabilities are the habit's, not the arbiter's */
    double threshold;
    struct sp_str rule; /* as it was given */
};

/* What taken options of one kind brought in all. */
struct evaluate_cell {
    double sums[EVALUATE_N_MEASURES];
    size_t n;
};

/* Predicts what an option brings. A zeroed struct has learned nothing. */
struct evaluate_model {
    struct sp_map map; /* private, as the next: a site and a tool, or a tool -> a cell's index */
    struct evaluate_cell *cells;
    size_t n_cells;
    size_t max_cells;
};

struct evaluate {
    struct sp_arena arena; /* names, keys of the model */
    struct evaluate_names sites;
    struct evaluate_names tools;
    struct evaluate_option *options; /* of all decisions */
    size_t n_options;
    size_t max_options;
    struct evaluate_decision *decisions;
    size_t n_decisions;
    size_t max_decisions;
    struct evaluate_target *targets;
    size_t n_targets;
    size_t max_targets;
    struct evaluate_model model; /* of the options that were taken */
    struct sp_str stray; /* "PATH:LINE" of the first decision of another decider; or no text */
};

/* evaluate.c: the number of a text, which is copied if it is new. */
size_t evaluate_name(struct evaluate *e, struct evaluate_names *names, struct sp_str text);

/* evaluate.c: adds an option to the decision that comes next, or that decision. */
void evaluate_add_option(struct evaluate *e, const struct evaluate_option *option);
void evaluate_add_decision(struct evaluate *e, const struct evaluate_decision *decision);

/*
 * evaluate_read.c: adds the decision of a line.
 *
 * line:    any bytes, no blank line.
 * place:   where it stands, for evaluate.stray.
 * Returns: 0, or negative, told in ret_err.
 */
int evaluate_read_line(struct evaluate *e, struct sp_str line, const char *place,
                       struct sp_err *ret_err) SP_MUST_CHECK;

/*
 * evaluate_model.c: takes in that an option of the tool was taken at the site.
 *
 * arena: keeps what the model needs.
 */
void evaluate_model_add(struct evaluate_model *m, size_t site, size_t tool, const double *values,
                        struct sp_arena *arena);

/* The mean of the tool at the site; if it was never taken there, of the tool; else of a detour. */
void evaluate_model_predict(const struct evaluate_model *m, size_t site, size_t tool,
                            double *ret_values);

void evaluate_model_deinit(struct evaluate_model *m);

/* A sum of terms, one a decision where the target looks something up. */
struct evaluate_sum {
    double sum;
    double squares;
    double variance; /* of the sum */
};

/* The estimates of a site, or of all. */
struct evaluate_estimate {
    struct sp_str site; /* no text for all */
    size_t n_decisions;
    size_t n_looks;
    size_t n_matched;
    size_t n_unsupported;
    double weights; /* their sum */
    double squares; /* the sum of their squares */
    double logged[EVALUATE_N_MEASURES];
    double direct[EVALUATE_N_MEASURES];
    struct evaluate_sum ips[EVALUATE_N_MEASURES];
    struct evaluate_sum dr[EVALUATE_N_MEASURES];
};

/*
 * evaluate_estimate.c: estimates a target.
 *
 * ret_total: those of all decisions.
 * Returns:   those of the sites, in byte order; the caller's, freed by free().
 */
struct evaluate_estimate *evaluate_estimate(const struct evaluate *e,
                                            const struct evaluate_target *target,
                                            struct evaluate_estimate *ret_total) SP_MUST_CHECK;

/* The effective sample size. */
double evaluate_estimate_ess(const struct evaluate_estimate *x);

/* The self-normalized estimate of a measure. */
double evaluate_estimate_snips(const struct evaluate_estimate *x, size_t measure);

/* Whether the sample is too small for estimates with weights. */
bool evaluate_estimate_is_refused(const struct evaluate_estimate *x, double min_ess);
