#pragma once

/*
 * The weights of an arbiter: those that make the agent's options likeliest, by a softmax over each
 * case's options, less half the sum of their squares.
 *
 * Thread: any.
 */

#include <stddef.h>

/* A case whose agent's option was offered. */
struct arbiterfit_case {
    const double *x; /* n_options rows of n_weights features each */
    size_t n_options;
    size_t chosen; /* the agent's option */
};

/*
 * Finds the weights, which are unique, to 1e-9 or better.
 *
 * cases:     may be none: the weights are 0.
 * ret:       room for n_weights.
 * Returns:   the objective at these weights.
 */
double arbiterfit(const struct arbiterfit_case *cases, size_t n, size_t n_weights, double *ret);
