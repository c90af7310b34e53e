#pragma once

/*
 * Where a flow takes the arguments of its lookups from, and how likely the values are the agent's,
 * for who reviews it.
 *
 * Thread: any, one at a time.
 */

#include "flow/flow.h"

/* The constant that an argument takes; NULL for none. */
const struct flow_constant *origin_constant(const struct flow *f, struct sp_str lookup,
                                            struct sp_str arg);

/* The sources that an argument is bound from; none if it is a constant. */
struct origin_sources {
    const struct flow_found **of; /* in key order */
    size_t n;
    bool is_list;    /* the values at a source are passed whole */
    uint64_t values; /* that training saw of the argument */
};

/* arena: takes the array; the sources are the flow's. */
struct origin_sources origin_sources(const struct flow *f, struct sp_str lookup, struct sp_str arg,
                                     struct sp_arena *arena);

/* A source with how many values training found there behind one site. */
struct origin_ranked {
    const struct flow_found *found;
    uint64_t n;
    size_t place; /* in key order */
};

/* The sources of an argument in the order in which they are tried. */
struct origin_order {
    struct origin_ranked *of;
    size_t n; /* 0: the site has no order of its own */
};

/*
 * The order of an argument's sources behind a site.
 *
 * sources: of the same argument.
 * arena:   takes the array.
 */
struct origin_order origin_order(const struct flow *f, struct sp_str lookup, struct sp_str arg,
                                 struct sp_str site, const struct origin_sources *sources,
                                 struct sp_arena *arena);

/* The kinds of picks, by what is known of the values. */
enum origin_pick {
    ORIGIN_UNMENTIONED, /* the customer had not mentioned them */
    ORIGIN_MENTIONED,
    ORIGIN_NAMED_OTHER,    /* the customer had named another one */
    ORIGIN_DESCRIBED_READ, /* the record that the customer describes had been read */
    ORIGIN_N_PICKS,
};

/* How often picks of a kind were the agent's values. */
struct origin_chance {
    bool is_counted; /* the flow counts the lookup's picks of this kind apart */
    struct flow_ratio ratio;
    double chance; /* one that is not counted apart is as good as one that was not mentioned */
};

/* Of a lookup that training called. */
struct origin_chance origin_chance(const struct flow *f, struct sp_str lookup,
                                   enum origin_pick pick);
