/* A flow's tools by number. */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "flow/toolmodel.h"

/* A symbol is (action * 4 + outcome) * 4096 + feature. */
#define OUTCOME_SHIFT 12
#define ACTION_SHIFT  14
#define OUTCOME_MASK  3

static const struct toolmodel *toolmodel_of(const struct program_model *m)
{
    return sp_container_of(m, const struct toolmodel, base);
}

static struct sp_str name_of(const struct toolmodel *t, uint64_t number)
{
    return number < t->base.n_tools ? t->names[number] : t->unknown;
}

/*
 * Adds up what the habit counted after one call of the tool that failed or not, whatever its
 * feature.
 *
 * action: of the one that followed; NULL for all that did.
 */
static double sum(const struct toolmodel *t, uint64_t tool, bool failed, const uint64_t *action)
{
    const struct flow *f = t->flow;
    uint64_t id = flow_action(f, name_of(t, tool));
    double n = 0;

    if (tool == 0 || id == f->n_actions || f->habit.n_levels < 2)
        return 0;
    for (size_t i = 0; i < f->habit.levels[1].n; i++) {
        const struct flow_context *c = &f->habit.levels[1].contexts[i];
        uint32_t symbol = c->history[0];

        if (symbol == FLOW_PADDING || symbol >> ACTION_SHIFT != id ||
            (symbol >> OUTCOME_SHIFT & OUTCOME_MASK) != (failed ? 1U : 0U))
            continue;
        n += action != NULL ? flow_count(&c->counts, *action) : c->counts.total;
    }
    return n;
}

static double total(const struct program_model *m, uint64_t tool, bool failed)
{
    return sum(toolmodel_of(m), tool, failed, NULL);
}

static double count(const struct program_model *m, uint64_t tool, bool failed, uint64_t read)
{
    const struct toolmodel *t = toolmodel_of(m);
    uint64_t action = flow_action(t->flow, name_of(t, read));

    return action < t->flow->n_actions ? sum(t, tool, failed, &action) : 0;
}

static bool offers(const struct program_model *m, uint64_t tool, bool failed, uint64_t read)
{
    const struct toolmodel *t = toolmodel_of(m);
    const struct flow_next *next;

    if (t->flow->sites.every_read)
        return true;
    next = tool != 0 ? flow_next_of(t->flow, name_of(t, tool), failed) : NULL;
    return next != NULL && flow_tally_of(&next->lookups, name_of(t, read)) != NULL;
}

void toolmodel_init(struct toolmodel *t, const struct flow *flow)
{
    uint64_t n = 1;

    *t = (struct toolmodel){
        .base = {.n_reads = flow->sites.n_reads, .total = total, .count = count, .offers = offers},
        .flow = flow,
        .names = sp_calloc(1 + flow->sites.n_reads + flow->n_kinds, sizeof *t->names),
    };
    for (size_t i = 0; i < flow->sites.n_reads; i++) {
        t->names[n] = flow->sites.reads[i];
        *sp_map_put(&t->numbers, t->names[n], NULL) = n;
        n++;
    }
    for (size_t i = 0; i < flow->n_kinds; i++) {
        bool is_new;
        size_t *number = sp_map_put(&t->numbers, flow->kinds[i].name, &is_new);

        if (!is_new)
            continue;
        t->names[n] = flow->kinds[i].name;
        *number = n++;
    }
    t->base.n_tools = n;
}

void toolmodel_deinit(struct toolmodel *t)
{
    free(t->names);
    sp_map_deinit(&t->numbers);
}

uint64_t toolmodel_number(struct toolmodel *t, struct sp_str tool)
{
    const size_t *number = sp_map_find(&t->numbers, tool);

    if (number != NULL)
        return *number;
    t->unknown = tool;
    return t->base.n_tools;
}
