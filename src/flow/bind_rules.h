#pragma once

/*
 * What training has to have shown for an argument to be passed, and for a place in results to be a
 * source of it.
 *
 * Thread: any.
 */

#include "flow/flow.h"

/* The share of a tool's calls that have an argument which is required. */
#define BIND_RULES_MIN_ARG_SHARE 0.9

/* How often training has to have found an argument's values at a source for it to be a rule. */
#define BIND_RULES_MIN_FOUND       2
#define BIND_RULES_MIN_FOUND_SHARE 0.1

/* How many values have to have been found behind a site for it to have an order of its own. */
#define BIND_RULES_MIN_SITE_VALUES 5

/* The sum of two counts; the greatest there is if it is beyond that. */
static inline uint64_t bind_rules_add(uint64_t a, uint64_t b)
{
    return a <= UINT64_MAX - b ? a + b : UINT64_MAX;
}

static inline bool bind_rules_requires(const struct flow_args *args, const struct flow_tally *arg)
{
    return (double)arg->n >= BIND_RULES_MIN_ARG_SHARE * (double)args->calls;
}

static inline bool bind_rules_has(const struct flow_traced *traced, const struct flow_found *found)
{
    return found->n >= BIND_RULES_MIN_FOUND &&
           (double)found->n >= BIND_RULES_MIN_FOUND_SHARE * (double)traced->values;
}
