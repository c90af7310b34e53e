/*
 * The distributions Decide and Outcome.
 *
 * Every value that is possible is counted once more than it was seen, so none has probability 0.
 * What the flow cannot do at a site (messages, writes, lookups that are not offered there) counts
 * as handing back.
 */

#include <math.h>

#include "flow/program_chances.h"

static void init_decide(struct program_chances *c, const struct program_model *m)
{
    double seen = 0;
    double lookups = 0;

    for (uint64_t read = 1; read <= m->n_reads; read++) {
        double n;

        if (!m->offers(m, c->tool, c->failed, read))
            continue;
        n = m->count(m, c->tool, c->failed, read);
        seen += n;
        lookups += round(n) + 1;
    }
    c->of_false = round(fmax(0, m->total(m, c->tool, c->failed) - seen)) + 1;
    c->all = c->of_false + lookups;
}

static void init_outcome(struct program_chances *c, const struct program_model *m)
{
    c->of_false = round(m->total(m, c->tool, true)) + 1;
    c->all = round(m->total(m, c->tool, false)) + 1 + c->of_false;
}

bool program_chances_init(struct program_chances *c, const struct program_model *m,
                          enum program_dist dist, uint64_t tool, bool failed)
{
    *c = (struct program_chances){.dist = dist, .tool = tool, .failed = failed};
    if (dist == PROGRAM_DIST_DECIDE)
        init_decide(c, m);
    else
        init_outcome(c, m);
    return isfinite(c->all);
}

/* What is left of 1 when a lookup does not succeed, in the digits that records of runs have. */
static double outcome(const struct program_chances *c, int64_t value)
{
    double p = (c->all - c->of_false) / c->all;

    switch (value) {
    case 0:
        return p < 1 ? 1 - p : c->of_false / c->all;
    case 1:
        return p;
    default:
        return 0;
    }
}

double program_chances_of(const struct program_chances *c, const struct program_model *m,
                          int64_t value)
{
    if (c->dist == PROGRAM_DIST_OUTCOME)
        return outcome(c, value);
    if (value == 0)
        return c->of_false / c->all;
    if (value < 0 || (uint64_t)value > m->n_reads ||
        !m->offers(m, c->tool, c->failed, (uint64_t)value))
        return 0;
    return (round(m->count(m, c->tool, c->failed, (uint64_t)value)) + 1) / c->all;
}
