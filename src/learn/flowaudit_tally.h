#pragma once

/*
 * The numbers of an audit, for the files that ask, count and print.
 *
 * Thread: any, one at a time.
 */

#include "learn/flowaudit.h"

#define FLOWAUDIT_N_BINS     10 /* of the top probability, each a tenth wide */
#define FLOWAUDIT_MAX_LOWEST 10 /* episodes that are named as surprising */

/* Decisions that are counted together. */
struct flowaudit_score {
    uint64_t decisions;
    uint64_t hits; /* of these, where the likeliest option was the agent's step */
    double log_prob;
};

struct flowaudit_bin {
    uint64_t decisions;
    uint64_t hits;
    double prob; /* the sum of the top probabilities */
};

struct flowaudit_site {
    struct sp_str name;
    struct flowaudit_score score;
};

struct flowaudit_episode {
    struct sp_buf id;
    struct sp_buf task;
    struct flowaudit_score score;
};

struct flowaudit {
    struct flowaudit_options options;
    uint64_t episodes;
    uint64_t unanswered;
    struct flowaudit_score total;
    double expected; /* the sum of the probabilities of the agent's steps */
    struct flowaudit_bin bins[FLOWAUDIT_N_BINS];

    struct flowaudit_site *sites;
    size_t n_sites;
    size_t max_sites;
    struct sp_map sites_by_name;
    struct sp_arena arena; /* the names */

    /* By mean, the lowest first; of equal ones the one that was added first. */
    struct flowaudit_episode lowest[FLOWAUDIT_MAX_LOWEST];
    size_t n_lowest;
    struct flowaudit_score episode; /* of the one that is being added */
};

/* What the decisions' logarithms are on average; 0 without decisions, as the next. */
double flowaudit_tally_mean(const struct flowaudit_score *score);

/* The share of hits. */
double flowaudit_tally_agreement(const struct flowaudit_score *score);

/*
 * Counts a decision for the episode that is being added.
 *
 * probs: of n > 0 options; above 0, and they add up to 1.
 * step:  the index of the agent's.
 */
void flowaudit_tally_decision(struct flowaudit *a, struct sp_str site, const double *probs,
                              size_t n, size_t step);

/* Ends the episode that was being added. */
void flowaudit_tally_episode(struct flowaudit *a, struct sp_str id, struct sp_str task);

/* Frees what was counted. */
void flowaudit_tally_deinit(struct flowaudit *a);
