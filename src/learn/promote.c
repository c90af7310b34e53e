/*
 * Promotion.
 *
 * No decision depends on what is promoted: that only says how far a chain of decisions behind one
 * result goes. So sessions are scored once, with chains going on at every site, and their chains
 * are kept in short. A score with chains going on at some sites only is then these, cut short.
 */

#include <math.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "learn/scoring.h"

/* Of a two-sided interval of 90%. */
#define WILSON_Z 1.6448536

/* How often the promotion is found anew with chains going on where it was found before. */
#define MAX_ROUNDS 8

struct step {
    size_t site;
    enum scoring_what what;
};

/* The decisions behind one result. */
struct chain {
    size_t first; /* its first step */
    size_t n;
    size_t before; /* the chain of the same task before it; SIZE_MAX: none */
};

struct promote {
    struct promote_options options;
    struct flow flow; /* the flow without its promotion; all else is that flow's */
    uint64_t episodes;

    struct step *steps;
    size_t n_steps;
    size_t max_steps;
    struct chain *chains;
    size_t n_chains;
    size_t max_chains;
    size_t *tasks; /* the last chain of each; SIZE_MAX: none */
    size_t n_tasks;
    size_t max_tasks;
    struct sp_map by_task;
    size_t task; /* whose session is being scored */
    struct sp_map by_site;
    struct sp_arena arena;
};

/* The record of a site, by its number. */
struct tally {
    uint64_t decisions;
    uint64_t lookups;
    uint64_t used;
    uint64_t tasks;
    size_t task; /* one more than the last task with lookups there */
    double lower;
    bool promoted;
};

struct promote *promote_new(const struct promote_options *options)
{
    struct promote *p = sp_calloc(1, sizeof *p);

    p->options = *options;
    p->flow = *options->flow;
    p->flow.is_promoted = false;
    p->options.flow = &p->flow;
    return p;
}

void promote_free(struct promote *p)
{
    if (p == NULL)
        return;
    free(p->steps);
    free(p->chains);
    free(p->tasks);
    sp_map_deinit(&p->by_task);
    sp_map_deinit(&p->by_site);
    sp_arena_deinit(&p->arena);
    free(p);
}

/* ---- what is kept of a session ---- */

/* The number of a name, which gets the next one if it has none. */
static size_t number_of(struct promote *p, struct sp_map *map, struct sp_str name)
{
    const size_t *known = sp_map_find(map, name);
    size_t next = map->n;

    if (known != NULL)
        return *known;
    *sp_map_put(map, sp_arena_copy(&p->arena, name), NULL) = next;
    return next;
}

static void begin_chain(struct promote *p)
{
    if (p->n_chains == p->max_chains) {
        p->max_chains = p->max_chains > 0 ? 2 * p->max_chains : 64;
        p->chains = sp_realloc(p->chains, p->max_chains * sizeof *p->chains);
    }
    p->chains[p->n_chains] = (struct chain){.first = p->n_steps, .before = p->tasks[p->task]};
    p->tasks[p->task] = p->n_chains++;
}

static void on_decision(void *data, struct sp_str site, enum scoring_what what, bool is_first)
{
    struct promote *p = data;

    if (is_first)
        begin_chain(p);
    if (p->n_steps == p->max_steps) {
        p->max_steps = p->max_steps > 0 ? 2 * p->max_steps : 64;
        p->steps = sp_realloc(p->steps, p->max_steps * sizeof *p->steps);
    }
    p->steps[p->n_steps++] = (struct step){number_of(p, &p->by_site, site), what};
    p->chains[p->n_chains - 1].n++;
}

void promote_add(struct promote *p, const struct episode *e, const struct turns *turns)
{
    p->task = number_of(p, &p->by_task, e->task_id);
    if (p->task == p->n_tasks) {
        if (p->n_tasks == p->max_tasks) {
            p->max_tasks = p->max_tasks > 0 ? 2 * p->max_tasks : 64;
            p->tasks = sp_realloc(p->tasks, p->max_tasks * sizeof *p->tasks);
        }
        p->tasks[p->n_tasks++] = SIZE_MAX;
    }
    p->episodes++;
    scoring_session(&p->options, e, turns, on_decision, p);
}

/* ---- the rule ---- */

double promote_wilson(uint64_t used, uint64_t n)
{
    double z2 = WILSON_Z * WILSON_Z;
    double total = (double)n;
    double share;
    double margin;

    if (n == 0)
        return 0;
    share = (double)used / total;
    margin = WILSON_Z * sqrt(share * (1 - share) / total + z2 / (4 * total * total));
    return fmax(0, (share + z2 / (2 * total) - margin) / (1 + z2 / total));
}

static void judge(const struct promote_options *o, struct tally *t)
{
    t->lower = promote_wilson(t->used, t->lookups);
    t->promoted = t->lookups > 0 && (double)t->used / (double)t->lookups >= o->min_used &&
                  t->lower >= o->min_lower && t->tasks >= o->min_tasks;
}

/* Counts a decision, of a session of that task. */
static void count_step(struct tally *t, enum scoring_what what, size_t task)
{
    t->decisions++;
    if (what == SCORING_HAND_BACK)
        return;
    t->lookups++;
    t->used += what != SCORING_DETOUR;
    if (t->task != task + 1)
        t->tasks++;
    t->task = task + 1;
}

/* Counts a chain as far as it goes; returns whether it ends unanswered. */
static bool count_chain(const struct promote *p, const struct chain *chain, size_t task,
                        const struct tally *before, struct tally *tallies)
{
    for (size_t i = chain->first; i < chain->first + chain->n; i++) {
        const struct step *step = &p->steps[i];

        if (step->what == SCORING_UNANSWERED)
            return true;
        count_step(&tallies[step->site], step->what, task);
        if (before != NULL && !before[step->site].promoted)
            return false;
    }
    return false;
}

/*
 * Scores all sessions and judges the sites.
 *
 * before: chains go on only at the sites that it promotes; NULL: at all.
 * ret:    the tallies by site.
 * Returns: how many decisions were left out.
 */
static uint64_t score(const struct promote *p, const struct tally *before, struct tally *ret)
{
    uint64_t unanswered = 0;

    memset(ret, 0, p->by_site.n * sizeof *ret);
    for (size_t task = 0; task < p->n_tasks; task++) {
        for (size_t i = p->tasks[task]; i != SIZE_MAX; i = p->chains[i].before)
            unanswered += count_chain(p, &p->chains[i], task, before, ret);
    }
    for (size_t i = 0; i < p->by_site.n; i++)
        judge(&p->options, &ret[i]);
    return unanswered;
}

/* Whether two scores have the same record of every site. */
static bool is_same(const struct promote *p, const struct tally *a, const struct tally *b)
{
    for (size_t i = 0; i < p->by_site.n; i++) {
        /* The bound and the promotion follow from these. */
        if (a[i].decisions != b[i].decisions || a[i].lookups != b[i].lookups ||
            a[i].used != b[i].used || a[i].tasks != b[i].tasks)
            return false;
    }
    return true;
}

static int cmp_sites(const void *a, const void *b)
{
    return sp_str_cmp(((const struct flow_promoted_site *)a)->site,
                      ((const struct flow_promoted_site *)b)->site);
}

/* Makes the promotion of a score; returns how many of its sites are promoted. */
static size_t give_sites(const struct promote *p, const struct tally *tallies,
                         struct sp_arena *arena, struct flow_promoted *ret)
{
    struct sp_str name;
    size_t number;
    size_t n_promoted = 0;

    ret->sites = sp_arena_alloc(arena, p->by_site.n * sizeof *ret->sites);
    for (size_t at = 0; sp_map_next(&p->by_site, &at, &name, &number);) {
        const struct tally *t = &tallies[number];

        if (t->decisions == 0)
            continue;
        ret->sites[ret->n_sites++] = (struct flow_promoted_site){
            .site = sp_arena_copy(arena, name),
            .decisions = t->decisions,
            .lookups = t->lookups,
            .used = t->used,
            .tasks = t->tasks,
            .lower = t->lower,
            .promoted = t->promoted,
        };
        n_promoted += t->promoted;
    }
    qsort(ret->sites, ret->n_sites, sizeof *ret->sites, cmp_sites);
    return n_promoted;
}

struct promote_counts promote_find(const struct promote *p, struct sp_arena *arena,
                                   struct flow_promoted *ret)
{
    struct tally *before = sp_calloc(p->by_site.n, sizeof *before);
    struct tally *now = sp_calloc(p->by_site.n, sizeof *now);
    struct promote_counts counts = {.episodes = p->episodes};
    bool is_settled = false;

    counts.unanswered = score(p, NULL, now);
    for (int round = 0; round < MAX_ROUNDS && !is_settled; round++) {
        struct tally *last = before;

        before = now;
        now = last;
        counts.unanswered = score(p, before, now);
        is_settled = is_same(p, before, now);
    }
    *ret = (struct flow_promoted){
        .threshold = p->options.threshold,
        .min_used = p->options.min_used,
        .min_lower = p->options.min_lower,
        .min_tasks = p->options.min_tasks,
    };
    counts.promoted = give_sites(p, now, arena, ret);
    counts.sites = ret->n_sites;
    free(before);
    free(now);
    return counts;
}
