/* Brings a flow's arrays into their order and makes its maps. */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "flow/flow.h"
#include "flow/program.h"

typedef int (*cmp_fn)(const void *a, const void *b);

int flow_cmp_texts(const struct sp_str *a, size_t n_a, const struct sp_str *b, size_t n_b)
{
    for (size_t i = 0; i < n_a && i < n_b; i++) {
        int c = sp_str_cmp(a[i], b[i]);

        if (c != 0)
            return c;
    }
    return (n_a > n_b) - (n_a < n_b);
}

static int cmp_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Structs that begin with one, two or five views which are the key. */
static int cmp_1(const void *a, const void *b)
{
    return flow_cmp_texts(a, 1, b, 1);
}

static int cmp_2(const void *a, const void *b)
{
    return flow_cmp_texts(a, 2, b, 2);
}

static int cmp_5(const void *a, const void *b)
{
    return flow_cmp_texts(a, 5, b, 5);
}

static int cmp_next(const void *a, const void *b)
{
    const struct flow_next *x = a;
    const struct flow_next *y = b;
    int c = sp_str_cmp(x->tool, y->tool);

    return c != 0 ? c : x->failed - y->failed;
}

static int cmp_feature(const void *a, const void *b)
{
    const struct flow_feature *x = a;
    const struct flow_feature *y = b;
    int c = sp_str_cmp(x->tool, y->tool);

    return c != 0 ? c : flow_cmp_texts(x->values, x->n_values, y->values, y->n_values);
}

static int cmp_action_count(const void *a, const void *b)
{
    const struct flow_action_count *x = a;
    const struct flow_action_count *y = b;

    return cmp_u64(x->action, y->action);
}

static int cmp_context(const void *a, const void *b)
{
    const struct flow_context *x = a;
    const struct flow_context *y = b;

    if (x->group != y->group)
        return cmp_u64(x->group, y->group);
    for (size_t i = 0; i < x->n_history && i < y->n_history; i++) {
        if (x->history[i] != y->history[i])
            return cmp_u64(x->history[i], y->history[i]);
    }
    return cmp_u64(x->n_history, y->n_history);
}

/* What is sorted are pointers into the array: of equals the one that stands first comes first. */
static int cmp_places(const void *a, const void *b, void *cmp)
{
    const char *x = *(const char *const *)a;
    const char *y = *(const char *const *)b;
    int c = (*(const cmp_fn *)cmp)(x, y);

    return c != 0 ? c : (x > y) - (x < y);
}

static bool is_sorted(const char *p, size_t n, size_t size, cmp_fn cmp)
{
    for (size_t i = 1; i < n; i++) {
        if (cmp(p + (i - 1) * size, p + i * size) >= 0)
            return false;
    }
    return true;
}

/* Sorts an array in place and returns the number of its elements; of equals the last is kept. */
static size_t sort(void *array, size_t n, size_t size, cmp_fn cmp, bool keeps_equals)
{
    const char **places;
    char *sorted;
    size_t n_kept = 0;

    if (is_sorted(array, n, size, cmp))
        return n;
    places = sp_malloc(n * sizeof *places);
    sorted = sp_malloc(n * size);
    for (size_t i = 0; i < n; i++)
        places[i] = (const char *)array + i * size;
    qsort_r(places, n, sizeof *places, cmp_places, &cmp);
    for (size_t i = 0; i < n; i++) {
        if (!keeps_equals && i + 1 < n && cmp(places[i], places[i + 1]) == 0)
            continue;
        memcpy(sorted + n_kept++ * size, places[i], size);
    }
    memcpy(array, sorted, n_kept * size);
    free(sorted);
    free(places);
    return n_kept;
}

#define SORT(array, n, cmp) ((n) = sort((array), (n), sizeof *(array), (cmp), false))

static void index_level(struct flow_level *level, uint64_t group)
{
    sp_map_deinit(&level->by_history);
    SORT(level->contexts, level->n, cmp_context);
    for (size_t i = 0; i < level->n; i++) {
        struct flow_context *context = &level->contexts[i];
        struct sp_str key = {(const char *)context->history,
                             context->n_history * sizeof *context->history};

        SORT(context->counts.by_action, context->counts.n, cmp_action_count);
        if (context->group == group)
            *sp_map_put(&level->by_history, key, NULL) = i;
    }
}

static void index_model(struct flow_model *m)
{
    for (size_t i = 0; i < m->n_levels; i++)
        index_level(&m->levels[i], 0);
}

static void index_tallies(struct flow_tallies *tallies)
{
    SORT(tallies->of, tallies->n, cmp_1);
}

static void index_sites(struct flow_sites *sites)
{
    SORT(sites->next, sites->n_next, cmp_next);
    for (size_t i = 0; i < sites->n_next; i++)
        index_tallies(&sites->next[i].lookups);
    SORT(sites->feeds, sites->n_feeds, cmp_1);
    for (size_t i = 0; i < sites->n_feeds; i++)
        SORT(sites->feeds[i].of, sites->feeds[i].n, cmp_2);

    sp_map_deinit(&sites->by_read);
    for (size_t i = sites->n_reads; i-- > 0;)
        *sp_map_put(&sites->by_read, sites->reads[i], NULL) = i;
}

static void index_traces(struct flow_traces *traces)
{
    SORT(traces->of, traces->n, cmp_2);
    for (size_t i = 0; i < traces->n; i++)
        SORT(traces->of[i].found, traces->of[i].n_found, cmp_2);
}

static void index_bindings(struct flow_bindings *b)
{
    SORT(b->args, b->n_args, cmp_1);
    for (size_t i = 0; i < b->n_args; i++)
        index_tallies(&b->args[i].args);
    index_traces(&b->sources);
    SORT(b->agreed, b->n_agreed, cmp_1);
    SORT(b->named_other.of, b->named_other.n, cmp_1);
    SORT(b->described_read.of, b->described_read.n, cmp_1);
    sort(b->site_sources, b->n_site_sources, sizeof *b->site_sources, cmp_5, true);
    index_traces(&b->lists);
    index_tallies(&b->bare);
    SORT(b->constants, b->n_constants, cmp_2);
}

static void index_actions(struct flow *f)
{
    sp_map_deinit(&f->by_action);
    for (size_t i = 0; i < f->n_actions; i++) {
        if (f->actions[i].p != NULL)
            *sp_map_put(&f->by_action, f->actions[i], NULL) = i;
    }
}

void flow_index(struct flow *f)
{
    index_actions(f);
    SORT(f->kinds, f->n_kinds, cmp_1);
    SORT(f->docs, f->n_docs, cmp_1);
    for (size_t i = 0; i < f->n_docs; i++)
        SORT(f->docs[i].args, f->docs[i].n_args, cmp_1);
    SORT(f->fields, f->n_fields, cmp_1);
    SORT(f->features, f->n_features, cmp_feature);

    index_model(&f->habit);
    index_level(&f->top, f->group);
    index_sites(&f->sites);
    for (size_t i = 0; i < f->n_folds; i++)
        flow_index_fold(&f->folds[i]);
    index_bindings(&f->bindings);

    SORT(f->promoted.sites, f->promoted.n_sites, cmp_1);
    SORT(f->thresholds, f->n_thresholds, cmp_1);
    SORT(f->contracts, f->n_contracts, cmp_1);
    index_model(&f->reach);

    if (f->program == NULL)
        f->program = program_standard();
    f->has_standard_program = program_is_standard(f->program);
}

void flow_index_fold(struct flow_fold *fold)
{
    SORT(fold->sites, fold->n_sites, cmp_1);
}
