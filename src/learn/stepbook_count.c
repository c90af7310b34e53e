/*
 * Counts of what followed the histories of 0 to 2 symbols.
 *
 * A step may count for several actions: by the habit for its own, by reach for all that came from
 * it on before the next write. Going backwards those are a list that only grows until a write
 * empties it, so each step has the beginning of a list that it shares with the steps around it.
 */

#include <stdlib.h>

#include "learn/stepbook_state.h"

/* The distinct actions that a step counts for; views of one array. */
struct bag {
    const uint32_t *of;
    size_t n;
};

struct counter {
    struct flow *f;
    size_t n_steps;
    struct stepbook_behind *behind[STEPBOOK_ORDER + 1]; /* the steps by histories of each length */
    const struct bag *bags;                             /* by step */
    uint64_t *n_by_action;                              /* scratch, all 0 in between */
    uint32_t *touched;                                  /* scratch: the actions that are not 0 */
};

/* The number of steps from `first` on with the same history. */
static size_t same_history(const struct stepbook_behind *behind, size_t n, size_t first)
{
    size_t end = first + 1;

    while (end < n && behind[end].history == behind[first].history)
        end++;
    return end - first;
}

static struct flow_counts count(struct counter *c, const struct stepbook_behind *behind, size_t n)
{
    struct flow_counts counts = {.total = (double)n};

    for (size_t i = 0; i < n; i++) {
        const struct bag *bag = &c->bags[behind[i].step];

        for (size_t k = 0; k < bag->n; k++) {
            if (c->n_by_action[bag->of[k]]++ == 0)
                c->touched[counts.n++] = bag->of[k];
        }
    }
    counts.by_action = sp_arena_alloc(&c->f->arena, counts.n * sizeof *counts.by_action);
    for (size_t i = 0; i < counts.n; i++) {
        uint32_t action = c->touched[i];

        counts.by_action[i] = (struct flow_action_count){action, (double)c->n_by_action[action]};
        c->n_by_action[action] = 0;
    }
    return counts;
}

/* The contexts of one level. */
static struct flow_level count_level(struct counter *c, unsigned n_history, uint64_t group)
{
    size_t n_steps = c->n_steps;
    const struct stepbook_behind *behind = c->behind[n_history];
    struct flow_level level = {0};
    size_t n;

    for (size_t i = 0; i < n_steps; i += same_history(behind, n_steps, i))
        level.n++;
    level.contexts = sp_arena_alloc(&c->f->arena, level.n * sizeof *level.contexts);
    level.n = 0;
    for (size_t i = 0; i < n_steps; i += n) {
        struct flow_context *context = &level.contexts[level.n++];
        uint64_t history = behind[i].history;

        n = same_history(behind, n_steps, i);
        context->group = group;
        context->n_history = n_history;
        context->history = sp_arena_alloc(&c->f->arena, n_history * sizeof *context->history);
        for (unsigned k = n_history; k > 0; k--, history >>= 32)
            context->history[k - 1] = (uint32_t)history;
        context->counts = count(c, behind + i, n);
    }
    return level;
}

static struct flow_model count_model(struct counter *c, double alpha)
{
    struct flow_model m = {
        .order = STEPBOOK_ORDER,
        .alpha = alpha,
        .vocab_size = c->f->n_actions + 1,
        .n_levels = STEPBOOK_ORDER + 1,
    };

    m.levels = sp_arena_alloc(&c->f->arena, m.n_levels * sizeof *m.levels);
    for (unsigned i = 0; i < m.n_levels; i++)
        m.levels[i] = count_level(c, i, 0);
    return m;
}

/* Which tools of the book have a kind, by number; the caller's. */
static bool *tools_of_kind(const struct stepbook *b, const struct flow *f, enum manifest_kind kind)
{
    bool *is = sp_calloc(b->n_tools, sizeof *is);

    for (size_t i = 0; i < b->n_tools; i++) {
        const struct flow_kind *found = flow_kind_of(f, b->tools[i].name);

        is[i] = found != NULL && found->kind == kind;
    }
    return is;
}

/*
 * Sets the actions that come from each step on before a write.
 *
 * ret_list: takes what the bags look into.
 */
static void reach_bags(const struct stepbook_trail *t, const struct flow *f, uint32_t *ret_list,
                       struct bag *ret_bags)
{
    const struct stepbook *b = t->book;
    bool *writes = tools_of_kind(b, f, MANIFEST_WRITE);
    bool *is_in = sp_calloc(f->n_actions + 1, sizeof *is_in);
    struct bag bag = {.of = ret_list};
    size_t n_list = 0;

    for (size_t i = b->n_steps; i-- > 0;) {
        const struct stepbook_step *step = &b->steps[i];
        bool is_write = step->tool != STEPBOOK_NONE && writes[step->tool];
        bool is_last = i + 1 == b->n_steps || b->steps[i + 1].n_before == 0;

        if (is_write || is_last) {
            for (size_t k = 0; k < bag.n; k++)
                is_in[bag.of[k]] = false;
            bag = (struct bag){.of = ret_list + n_list};
        }
        if (!is_write && !is_in[t->actions[i]]) {
            is_in[t->actions[i]] = true;
            ret_list[n_list++] = t->actions[i];
            bag.n++;
        }
        ret_bags[i] = bag;
    }
    free(is_in);
    free(writes);
}

static int cmp_pairs(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/*
 * The places where a read call followed a call, sorted, each a number of the tool and whether it
 * failed, then of the tool that followed; the caller's.
 */
static uint64_t *next_pairs(const struct stepbook *b, const struct flow *f, size_t *ret_n)
{
    bool *reads = tools_of_kind(b, f, MANIFEST_READ);
    uint64_t *pairs = sp_calloc(b->n_steps, sizeof *pairs);
    size_t n = 0;

    for (size_t i = 1; i < b->n_steps; i++) {
        const struct stepbook_step *prev = &b->steps[i - 1];
        const struct stepbook_step *step = &b->steps[i];
        uint64_t failed = prev->outcome == STEPS_FAILED;

        if (step->n_before > 0 && prev->tool != STEPBOOK_NONE && step->tool != STEPBOOK_NONE &&
            reads[step->tool])
            pairs[n++] = ((uint64_t)prev->tool << 1 | failed) << 32 | step->tool;
    }
    qsort(pairs, n, sizeof *pairs, cmp_pairs);
    free(reads);
    *ret_n = n;
    return pairs;
}

/* The texts are the book's, so the flow takes copies. */
static void count_next(const struct stepbook *b, struct flow *f)
{
    size_t n;
    uint64_t *pairs = next_pairs(b, f, &n);
    struct flow_next *next;
    struct flow_tally *tally;
    size_t n_sites = 0;
    size_t n_tallies = 0;

    for (size_t i = 0; i < n; i++) {
        n_sites += i == 0 || pairs[i] >> 32 != pairs[i - 1] >> 32;
        n_tallies += i == 0 || pairs[i] != pairs[i - 1];
    }
    f->sites.next = next = sp_arena_alloc(&f->arena, n_sites * sizeof *next);
    f->sites.n_next = n_sites;
    tally = sp_arena_alloc(&f->arena, n_tallies * sizeof *tally);
    for (size_t i = 0; i < n; i++) {
        bool is_new_site = i == 0 || pairs[i] >> 32 != pairs[i - 1] >> 32;

        if (is_new_site) {
            *next++ = (struct flow_next){
                .tool = sp_arena_copy(&f->arena, b->tools[pairs[i] >> 33].name),
                .failed = (pairs[i] >> 32 & 1) != 0,
                .lookups = {.of = tally},
            };
        }
        if (is_new_site || pairs[i] != pairs[i - 1]) {
            next[-1].lookups.n++;
            *tally++ = (struct flow_tally){
                .name = sp_arena_copy(&f->arena, b->tools[(uint32_t)pairs[i]].name),
            };
        }
        tally[-1].n++;
    }
    free(pairs);
}

void stepbook_count(const struct stepbook *b, struct flow *f, double alpha)
{
    struct stepbook_trail t = stepbook_trail(b, f);
    struct bag *bags = sp_calloc(b->n_steps, sizeof *bags);
    uint32_t *list = sp_calloc(b->n_steps, sizeof *list);
    struct counter c = {
        .f = f,
        .n_steps = b->n_steps,
        .bags = bags,
        .n_by_action = sp_calloc(f->n_actions + 1, sizeof *c.n_by_action),
        .touched = sp_calloc(f->n_actions + 1, sizeof *c.touched),
    };

    for (unsigned i = 0; i <= STEPBOOK_ORDER; i++)
        c.behind[i] = stepbook_by_history(b, t.symbols, i);
    for (size_t i = 0; i < b->n_steps; i++)
        bags[i] = (struct bag){.of = &t.actions[i], .n = 1};
    f->group = 1;
    f->habit = count_model(&c, alpha);
    f->beta = alpha;
    f->top = count_level(&c, STEPBOOK_ORDER, f->group);

    reach_bags(&t, f, list, bags);
    f->reach = count_model(&c, alpha);
    f->has_reach = true;
    count_next(b, f);

    for (unsigned i = 0; i <= STEPBOOK_ORDER; i++)
        free(c.behind[i]);
    free(c.touched);
    free(c.n_by_action);
    free(list);
    free(bags);
    stepbook_trail_deinit(&t);
}
