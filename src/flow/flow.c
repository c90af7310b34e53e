/* A flow in memory: its end, its finders. */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "flow/flow.h"
#include "flow/program.h"

struct flow *flow_new(void)
{
    return sp_calloc(1, sizeof(struct flow));
}

static void deinit_level(struct flow_level *level)
{
    sp_map_deinit(&level->by_history);
}

static void deinit_model(struct flow_model *m)
{
    for (size_t i = 0; i < m->n_levels; i++)
        deinit_level(&m->levels[i]);
}

void flow_free(struct flow *f)
{
    if (f == NULL)
        return;
    deinit_model(&f->habit);
    deinit_model(&f->reach);
    deinit_level(&f->top);
    sp_map_deinit(&f->sites.by_read);
    sp_map_deinit(&f->by_action);
    program_free(f->program);
    sp_arena_deinit(&f->arena);
    free(f);
}

/*
 * Finds the struct whose leading views are `key`, among `n` structs sorted by these; NULL for none.
 *
 * n_key: how many views the key has, and each struct begins with.
 */
static const void *find(const void *of, size_t n, size_t size, const struct sp_str *key,
                        size_t n_key)
{
    size_t low = 0;

    while (n > low) {
        size_t middle = low + (n - low) / 2;
        const char *p = (const char *)of + middle * size;
        const struct sp_str *views = (const struct sp_str *)(const void *)p;
        int c = 0;

        for (size_t i = 0; i < n_key && c == 0; i++)
            c = sp_str_cmp(key[i], views[i]);
        if (c == 0)
            return p;
        if (c < 0)
            n = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

#define FIND(of, n, key) find((of), (n), sizeof *(of), &(key), 1)

uint64_t flow_action(const struct flow *f, struct sp_str tool)
{
    const size_t *id = sp_map_find(&f->by_action, tool);

    return id != NULL ? *id : f->n_actions;
}

const struct flow_kind *flow_kind_of(const struct flow *f, struct sp_str tool)
{
    return FIND(f->kinds, f->n_kinds, tool);
}

const struct flow_doc *flow_doc_of(const struct flow *f, struct sp_str tool)
{
    return FIND(f->docs, f->n_docs, tool);
}

const struct flow_fields *flow_fields_of(const struct flow *f, struct sp_str tool)
{
    return FIND(f->fields, f->n_fields, tool);
}

const struct flow_next *flow_next_of(const struct flow *f, struct sp_str tool, bool failed)
{
    const struct flow_next *next = FIND(f->sites.next, f->sites.n_next, tool);

    if (next == NULL || next->failed == failed)
        return next;
    /* A tool has two entries at most, side by side; the search found the other one. */
    if (failed)
        next++;
    else if (next == f->sites.next)
        return NULL;
    else
        next--;
    if (next == f->sites.next + f->sites.n_next || !sp_str_eq(next->tool, tool))
        return NULL;
    return next;
}

const struct flow_feed *flow_feed_of(const struct flow *f, struct sp_str lookup)
{
    return FIND(f->sites.feeds, f->sites.n_feeds, lookup);
}

const struct flow_rate *flow_rate_of(const struct flow_fold *fold, struct sp_str site)
{
    return FIND(fold->sites, fold->n_sites, site);
}

const struct flow_args *flow_args_of(const struct flow *f, struct sp_str lookup)
{
    return FIND(f->bindings.args, f->bindings.n_args, lookup);
}

const struct flow_agreed *flow_agreed_of(const struct flow *f, struct sp_str lookup)
{
    return FIND(f->bindings.agreed, f->bindings.n_agreed, lookup);
}

const struct flow_used *flow_used_of(const struct flow_useds *useds, struct sp_str lookup)
{
    return FIND(useds->of, useds->n, lookup);
}

const struct flow_tally *flow_tally_of(const struct flow_tallies *tallies, struct sp_str name)
{
    return FIND(tallies->of, tallies->n, name);
}

const struct flow_traced *flow_traced_of(const struct flow_traces *traces, struct sp_str lookup,
                                         struct sp_str arg)
{
    const struct sp_str key[] = {lookup, arg};

    return find(traces->of, traces->n, sizeof *traces->of, key, 2);
}

const struct flow_promoted_site *flow_promoted_of(const struct flow *f, struct sp_str site)
{
    return FIND(f->promoted.sites, f->promoted.n_sites, site);
}

const struct flow_threshold *flow_threshold_of(const struct flow *f, struct sp_str site)
{
    return FIND(f->thresholds, f->n_thresholds, site);
}

const struct flow_contract *flow_contract_of(const struct flow *f, struct sp_str tool)
{
    return FIND(f->contracts, f->n_contracts, tool);
}

const struct flow_constant *flow_constants_of(const struct flow *f, struct sp_str lookup,
                                              size_t *ret_n)
{
    const struct flow_constant *first =
        FIND(f->bindings.constants, f->bindings.n_constants, lookup);
    const struct flow_constant *end;
    size_t n = 0;

    if (first == NULL)
        return NULL;
    end = f->bindings.constants + f->bindings.n_constants;
    while (first > f->bindings.constants && sp_str_eq(first[-1].lookup, lookup))
        first--;
    while (first + n < end && sp_str_eq(first[n].lookup, lookup))
        n++;
    *ret_n = n;
    return first;
}

static int cmp_argument(const struct flow_site_source *s, struct sp_str lookup, struct sp_str arg)
{
    int c = sp_str_cmp(s->tool, lookup);

    return c != 0 ? c : sp_str_cmp(s->arg, arg);
}

const struct flow_site_source *flow_site_sources_of(const struct flow *f, struct sp_str lookup,
                                                    struct sp_str arg, size_t *ret_n)
{
    const struct flow_site_source *all = f->bindings.site_sources;
    size_t low = 0, high = f->bindings.n_site_sources;
    size_t n = 0;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (cmp_argument(&all[middle], lookup, arg) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    while (low + n < f->bindings.n_site_sources && cmp_argument(&all[low + n], lookup, arg) == 0)
        n++;
    if (n == 0)
        return NULL;
    *ret_n = n;
    return &all[low];
}

uint64_t flow_feature_of(const struct flow *f, struct sp_str tool, const struct sp_str *values,
                         size_t n_values)
{
    size_t low = 0;
    size_t n = f->n_features;

    while (n > low) {
        size_t middle = low + (n - low) / 2;
        const struct flow_feature *feature = &f->features[middle];
        int c = sp_str_cmp(tool, feature->tool);

        if (c == 0)
            c = flow_cmp_texts(values, n_values, feature->values, feature->n_values);
        if (c == 0)
            return feature->id;
        if (c < 0)
            n = middle;
        else
            low = middle + 1;
    }
    return 0;
}

size_t flow_read_of(const struct flow *f, struct sp_str lookup)
{
    const size_t *i = sp_map_find(&f->sites.by_read, lookup);

    return i != NULL ? *i : f->sites.n_reads;
}

static const struct flow_counts *find_counts(const struct flow_level *level,
                                             const uint32_t *history, size_t n)
{
    struct sp_str key = {(const char *)history, n * sizeof *history};
    const size_t *i = sp_map_find(&level->by_history, key);

    return i != NULL ? &level->contexts[*i].counts : NULL;
}

const struct flow_counts *flow_counts_of(const struct flow_model *m, const uint32_t *history,
                                         size_t n)
{
    return n < m->n_levels ? find_counts(&m->levels[n], history, n) : NULL;
}

const struct flow_counts *flow_top_of(const struct flow *f, const uint32_t *history)
{
    return find_counts(&f->top, history, (size_t)f->habit.order);
}

double flow_count(const struct flow_counts *counts, uint64_t action)
{
    size_t low = 0;
    size_t n = counts->n;

    while (n > low) {
        size_t middle = low + (n - low) / 2;
        const struct flow_action_count *count = &counts->by_action[middle];

        if (count->action == action)
            return count->n;
        if (action < count->action)
            n = middle;
        else
            low = middle + 1;
    }
    return 0.0;
}
