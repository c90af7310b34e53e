#pragma once

/*
 * Exploration: now and then another lookup than the one the rule chose, with a known chance, so
 * that what the flow never tries can be judged too. Draws depend on what the session holds but not
 * on ids, so that the same conversation draws the same.
 *
 * Thread: any, one at a time.
 */

#include "flow/recall.h"

/* The hash of texts before any text, and after one more. It is FNV-1a with another start. */
#define EXPLORE_HASH_START UINT64_C(1469598103934665603)

uint64_t explore_hash(uint64_t hash, struct sp_str text);

/*
 * The hash of the task's id, "/", and the canonical JSON of the view's events without the members
 * "id", "call_id" and "usage" of any object in them.
 *
 * recall: of the session; remembers the hash of the events that change no more.
 */
uint64_t explore_hash_view(const struct episode_view *view, struct recall *recall);

/* Scrambles a number, so that numbers that are alike are not near: splitmix64's last steps. */
uint64_t explore_scramble(uint64_t z);

/* The generator's state; at first the hash XOR the seed. */
struct explore_draws {
    uint64_t state;
};

/* A number from 0 to below 1. */
double explore_draw(struct explore_draws *draws);

/* One of the site's lookups. */
struct explore_option {
    double p;
    bool is_possible; /* its arguments are known */
};

struct explore_choice {
    bool is_explored;
    size_t option; /* if it is explored */
    double propensity;
};

/*
 * Chooses.
 *
 * greedy:  the rule's choice, an index of `options`; `n` when it hands back.
 * epsilon: from 0 to 1.
 */
struct explore_choice explore_choose(const struct explore_option *options, size_t n, size_t greedy,
                                     double epsilon, struct explore_draws *draws);
