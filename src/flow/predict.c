/* Predictions by counts: the habit, reach, sites and their options. */

#include <math.h>
#include <stdlib.h>

#include "flow/predict.h"

bool predict_site(const struct episode_view *view, struct sp_arena *arena, struct predict_site *ret)
{
    struct steps_iter it = steps_iter(view);
    struct steps_step last;
    struct sp_buf name = {0};

    if (!steps_back(&it, &last) || last.call == NULL)
        return false;
    ret->prev = last.call->name;
    ret->failed = last.outcome == STEPS_FAILED;
    sp_buf_add(&name, ret->prev);
    if (ret->failed)
        sp_buf_add(&name, SP_STR(" (error)"));
    ret->name = sp_arena_copy(arena, sp_buf_str(&name));
    sp_buf_deinit(&name);
    return true;
}

static int cmp_names(const void *a, const void *b)
{
    return sp_str_cmp(*(const struct sp_str *)a, *(const struct sp_str *)b);
}

/* Sorts the options and drops those that came before. */
static void sort_names(struct predict_options *o)
{
    size_t n = 0;

    qsort(o->of, o->n, sizeof *o->of, cmp_names);
    for (size_t i = 0; i < o->n; i++) {
        if (n == 0 || !sp_str_eq(o->of[n - 1], o->of[i]))
            o->of[n++] = o->of[i];
    }
    o->n = n;
    while (!sp_str_eq(o->of[o->respond], PREDICT_RESPOND))
        o->respond++;
}

struct predict_options predict_options(const struct flow *f, const struct predict_site *site,
                                       struct sp_arena *arena)
{
    const struct flow_next *next = flow_next_of(f, site->prev, site->failed);
    size_t n_lookups = f->sites.every_read ? f->sites.n_reads : next != NULL ? next->lookups.n : 0;
    struct predict_options options = {0};

    options.of = sp_arena_alloc(arena, (n_lookups + 1) * sizeof *options.of);
    for (size_t i = 0; i < n_lookups; i++)
        options.of[options.n++] =
            f->sites.every_read ? f->sites.reads[i] : next->lookups.of[i].name;
    options.of[options.n++] = PREDICT_RESPOND;
    sort_names(&options);
    return options;
}

/* Finds a model's counts for the ends of a history. */
static struct predict_counts find_counts(const struct flow_model *m, const uint32_t *history)
{
    struct predict_counts counts = {.model = m};

    for (size_t j = 0; j <= m->order; j++) {
        const struct flow_counts *c = flow_counts_of(m, history + m->order - j, j);

        if (c != NULL)
            counts.of[counts.n++] = c;
    }
    return counts;
}

struct predict_counts predict_habit(const struct flow *f, const struct episode_view *view)
{
    uint32_t history[FLOW_MAX_ORDER];
    struct predict_counts counts;

    steps_history(f, view, history, (size_t)f->habit.order);
    counts = find_counts(&f->habit, history);
    counts.top = flow_top_of(f, history);
    counts.beta = f->beta;
    return counts;
}

struct predict_counts predict_reach(const struct flow *f, const struct episode_view *view)
{
    uint32_t history[FLOW_MAX_ORDER];

    steps_history(f, view, history, (size_t)f->reach.order);
    return find_counts(&f->reach, history);
}

/* A chance after more was counted, where `weight` counts would make up for none. */
static double updated(double p, const struct flow_counts *counts, double weight, uint64_t action)
{
    return (flow_count(counts, action) + weight * p) / (counts->total + weight);
}

double predict_chance(const struct predict_counts *counts, uint64_t action)
{
    double p = 1.0 / (double)counts->model->vocab_size;

    for (size_t i = 0; i < counts->n; i++)
        p = updated(p, counts->of[i], counts->model->alpha, action);
    if (counts->top != NULL)
        p = updated(p, counts->top, counts->beta, action);
    return p;
}

/* Sets the chances of the lookups and returns what they add up to. */
static double lookup_chances(const struct flow *f, const struct predict_counts *counts,
                             const struct predict_options *options, double *ret)
{
    double sum = 0;

    for (size_t i = 0; i < options->n; i++) {
        if (i == options->respond)
            continue;
        ret[i] = predict_chance(counts, flow_action(f, options->of[i]));
        sum += ret[i];
    }
    return sum;
}

double *predict_by_habit(const struct flow *f, const struct episode_view *view,
                         const struct predict_options *options, struct sp_arena *arena)
{
    double *chances = sp_arena_alloc(arena, options->n * sizeof *chances);
    struct predict_counts counts = predict_habit(f, view);
    double sum = lookup_chances(f, &counts, options, chances);

    chances[options->respond] = fmax(0, 1 - sum);
    return chances;
}

double *predict_by_reach(const struct flow *f, const struct episode_view *view,
                         const struct predict_options *options, struct sp_arena *arena)
{
    double *chances = sp_arena_alloc(arena, options->n * sizeof *chances);
    struct predict_counts counts = predict_reach(f, view);

    (void)lookup_chances(f, &counts, options, chances); /* reach need not add up to anything */
    return chances;
}
