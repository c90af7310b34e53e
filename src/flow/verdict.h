#pragma once

/*
 * What a flow does at a site by its counts alone, for who reviews it: what the agent did next in
 * training, the likely lookup, and whether that clears the threshold.
 *
 * Thread: any, one at a time.
 */

#include "flow/flow.h"

/* What followed calls of a tool in training, whatever came before. */
struct verdict_share {
    struct sp_str action; /* a tool's name, or "respond" for anything else */
    double share;
};

struct verdict_shares {
    struct verdict_share *of; /* those above 0; the highest first, equals in byte order */
    size_t n;
    double total; /* how often anything followed */
};

/* arena: takes the array; the names are the flow's. */
struct verdict_shares verdict_shares(const struct flow *f, struct sp_str tool, bool failed,
                                     struct sp_arena *arena);

/* The share of an action; 0 if it never followed. */
double verdict_share_of(const struct verdict_shares *shares, struct sp_str action);

/*
 * The chance that a lookup's arguments are the agent's, pooled over all of its picks.
 *
 * Returns: whether the flow can bind the lookup; `ret` stays untouched if not.
 */
bool verdict_chance(const struct flow *f, struct sp_str lookup, double *ret);

/* Whether an argument of a lookup that training called can be bound. */
bool verdict_can_bind(const struct flow *f, struct sp_str lookup, struct sp_str arg);

enum verdict_kind {
    VERDICT_LOOKS_UP,
    VERDICT_HANDS_BACK, /* the lookup's probability is below the threshold, or it is not bound */
    VERDICT_NOTHING,    /* no lookup is offered */
    VERDICT_OFF,
    VERDICT_NOT_PROMOTED,
};

struct verdict {
    enum verdict_kind kind;
    struct sp_str lookup; /* the likely one; of the first two kinds, as the rest */
    double share;
    bool is_bound;
    double chance; /* if it is bound */
    double probability;
};

/*
 * The verdict at the site behind a call of the tool that failed or not.
 *
 * threshold: that the flow is served with; the site's own comes first.
 */
struct verdict verdict_of(const struct flow *f, struct sp_str tool, bool failed, double threshold);

/* Appends it in words, as Markdown. */
void verdict_put(struct sp_buf *b, const struct verdict *v);

/* Appends the site behind a call as Markdown: "`TOOL`" or "`TOOL` (failed)". */
void verdict_put_site(struct sp_buf *b, struct sp_str tool, bool failed);
