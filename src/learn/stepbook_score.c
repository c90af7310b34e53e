/*
 * The likelihood of steps by cross-validation. The counts that a fold's steps are judged by are
 * all counts less those of the fold.
 *
 * This is done over and over, so what does not depend on features is prepared: the steps are in
 * groups that have the same before them but for features, and in a group features and actions are
 * plain indexes.
 */

#include <assert.h>
#include <stdlib.h>

#include "learn/stepbook_score.h"

/* How often something came, in all and in each fold. */
struct folded {
    uint32_t n;
    uint32_t of_fold[FLOW_N_FOLDS];
};

struct entry {
    uint32_t step;
    uint32_t action; /* its number among the actions of the group */
    uint32_t fold;
};

/* Steps with the same history but for features. */
struct group {
    struct entry *entries;
    size_t n;
    size_t n_actions;
    uint32_t last;  /* the action right before the steps */
    uint32_t other; /* the one before that; STEPBOOK_NONE: it does not matter, or there is none */
};

/* The groups by histories of one length, and which of them an action is in. */
struct level {
    struct entry *entries;
    struct group *groups;
    size_t n_groups;
    size_t *places; /* of groups */
    size_t *starts; /* in `places`, by action, and where the last one's end */
};

struct stepbook_score {
    const struct stepbook *book;
    const uint32_t *actions;
    size_t n_actions;
    double alpha;
    struct level one;
    struct level two;
    double *by_none;  /* of each step its chance by its fold alone */
    double *by_one;   /* by the symbol before it too, with the features that were set */
    double *by_tried; /* the same with those that are tried */
    double *by_two;   /* the last of those by the two symbols before it */

    struct folded *histories; /* scratch: by features; 0 in between, as the next */
    struct folded *counts;    /* by features and action */
    uint32_t *places;         /* by entry, in `histories` */
};

/*
 * Numbers the actions of a group.
 *
 * numbers: scratch, by action; 0 in between.
 */
static void number_actions(const struct stepbook_score *s, struct group *g, uint32_t *numbers)
{
    for (size_t i = 0; i < g->n; i++) {
        uint32_t *number = &numbers[s->actions[g->entries[i].step]];

        if (*number == 0)
            *number = (uint32_t)++g->n_actions;
        g->entries[i].action = *number - 1;
    }
    for (size_t i = 0; i < g->n; i++)
        numbers[s->actions[g->entries[i].step]] = 0;
}

/* Sets which groups each action is in. */
static void find_groups(struct level *l, size_t n_actions)
{
    size_t n = 0;

    l->starts = sp_calloc(n_actions + 1, sizeof *l->starts);
    for (size_t i = 0; i < l->n_groups; i++) {
        const struct group *g = &l->groups[i];

        l->starts[g->last]++;
        if (g->other != STEPBOOK_NONE && g->other != g->last)
            l->starts[g->other]++;
    }
    for (size_t i = 0; i <= n_actions; i++) {
        n += l->starts[i];
        l->starts[i] = n; /* where they end: filled from there down, they begin there */
    }
    l->places = sp_calloc(n, sizeof *l->places);
    for (size_t i = l->n_groups; i-- > 0;) {
        const struct group *g = &l->groups[i];

        l->places[--l->starts[g->last]] = i;
        if (g->other != STEPBOOK_NONE && g->other != g->last)
            l->places[--l->starts[g->other]] = i;
    }
}

/* Puts the steps that have any before them into groups, by that many symbols without features. */
static void level_init(struct level *l, const struct stepbook_score *s, const uint32_t *symbols,
                       unsigned n_history)
{
    struct stepbook_behind *behind = stepbook_by_history(s->book, symbols, n_history);
    uint32_t *numbers = sp_calloc(s->n_actions, sizeof *numbers);
    struct entry *entry;

    l->entries = entry = sp_calloc(s->book->n_steps, sizeof *l->entries);
    l->groups = sp_calloc(s->book->n_steps, sizeof *l->groups);
    for (size_t i = 0; i < s->book->n_steps; i++) {
        size_t step = behind[i].step;
        unsigned n_before = s->book->steps[step].n_before;
        struct group *g;

        if (n_before == 0)
            continue;
        if (l->n_groups == 0 || behind[i].history != behind[i - 1].history) {
            l->groups[l->n_groups++] = (struct group){
                .entries = entry,
                .last = s->actions[step - 1],
                .other = n_history > 1 && n_before > 1 ? s->actions[step - 2] : STEPBOOK_NONE,
            };
        }
        g = &l->groups[l->n_groups - 1];
        g->n++;
        *entry++ = (struct entry){.step = (uint32_t)step, .fold = s->book->steps[step].fold};
    }
    for (size_t i = 0; i < l->n_groups; i++)
        number_actions(s, &l->groups[i], numbers);
    find_groups(l, s->n_actions);
    free(numbers);
    free(behind);
}

static void level_deinit(struct level *l)
{
    free(l->entries);
    free(l->groups);
    free(l->places);
    free(l->starts);
}

/* What counts make of a chance. A history that the other folds do not have leaves it as it is. */
static double chance_of(const struct folded *history, const struct folded *count, uint32_t fold,
                        double alpha, double p)
{
    return (count->n - count->of_fold[fold] + alpha * p) /
           (history->n - history->of_fold[fold] + alpha);
}

static void add(struct folded *f, uint32_t fold)
{
    f->n++;
    f->of_fold[fold]++;
}

/* Sets every step's chance by how often the actions come at all. */
static void set_by_none(struct stepbook_score *s)
{
    const struct stepbook *b = s->book;
    struct folded *counts = sp_calloc(s->n_actions, sizeof *counts);
    struct folded all = {0};

    for (size_t i = 0; i < b->n_steps; i++) {
        add(&all, b->steps[i].fold);
        add(&counts[s->actions[i]], b->steps[i].fold);
    }
    for (size_t i = 0; i < b->n_steps; i++)
        s->by_none[i] = chance_of(&all, &counts[s->actions[i]], b->steps[i].fold, s->alpha,
                                  1 / (double)s->n_actions);
    free(counts);
}

/* The most actions that a group has. */
static size_t most_actions(const struct level *l)
{
    size_t most = 0;

    for (size_t i = 0; i < l->n_groups; i++)
        most = l->groups[i].n_actions > most ? l->groups[i].n_actions : most;
    return most;
}

struct stepbook_score *stepbook_score_new(const struct stepbook *b, const uint32_t *actions,
                                          size_t n_actions, double alpha)
{
    const size_t n_histories = (size_t)STEPBOOK_SCORE_FEATURES * STEPBOOK_SCORE_FEATURES;
    struct stepbook_score *s = sp_calloc(1, sizeof *s);
    uint32_t *symbols = sp_calloc(b->n_steps, sizeof *symbols);

    s->book = b;
    s->actions = actions;
    s->n_actions = n_actions;
    s->alpha = alpha;
    s->by_none = sp_calloc(b->n_steps, sizeof *s->by_none);
    s->by_one = sp_calloc(b->n_steps, sizeof *s->by_one);
    s->by_tried = sp_calloc(b->n_steps, sizeof *s->by_tried);
    s->by_two = sp_calloc(b->n_steps, sizeof *s->by_two);
    s->places = sp_calloc(b->n_steps, sizeof *s->places);
    for (size_t i = 0; i < b->n_steps; i++)
        symbols[i] = steps_symbol_of(actions[i], b->steps[i].outcome, 0);
    level_init(&s->one, s, symbols, 1);
    level_init(&s->two, s, symbols, 2);
    /* Of these only what the groups touch takes memory. A group of one symbol has all actions. */
    s->histories = sp_calloc(n_histories, sizeof *s->histories);
    s->counts = sp_calloc(n_histories * most_actions(&s->one), sizeof *s->counts);
    set_by_none(s);
    free(symbols);
    return s;
}

void stepbook_score_free(struct stepbook_score *s)
{
    level_deinit(&s->one);
    level_deinit(&s->two);
    free(s->by_none);
    free(s->by_one);
    free(s->by_tried);
    free(s->by_two);
    free(s->histories);
    free(s->counts);
    free(s->places);
    free(s);
}

/* Sets the chances of a group's steps from those by a shorter history. */
static void judge(struct stepbook_score *s, const struct group *g, const uint8_t *features,
                  const double *before, double *ret)
{
    for (size_t i = 0; i < g->n; i++) {
        const struct entry *e = &g->entries[i];
        uint32_t place = features[e->step - 1];

        assert(place < STEPBOOK_SCORE_FEATURES);
        if (g->other != STEPBOOK_NONE)
            place += (uint32_t)STEPBOOK_SCORE_FEATURES * features[e->step - 2];
        s->places[i] = place;
        add(&s->histories[place], e->fold);
        add(&s->counts[place * g->n_actions + e->action], e->fold);
    }
    for (size_t i = 0; i < g->n; i++) {
        const struct entry *e = &g->entries[i];
        uint32_t place = s->places[i];

        ret[e->step] = chance_of(&s->histories[place], &s->counts[place * g->n_actions + e->action],
                                 e->fold, s->alpha, before[e->step]);
    }
    for (size_t i = 0; i < g->n; i++) {
        s->histories[s->places[i]] = (struct folded){0};
        s->counts[s->places[i] * g->n_actions + g->entries[i].action] = (struct folded){0};
    }
}

void stepbook_score_set(struct stepbook_score *s, const uint8_t *features)
{
    for (size_t i = 0; i < s->one.n_groups; i++)
        judge(s, &s->one.groups[i], features, s->by_none, s->by_one);
}

double stepbook_score_behind(struct stepbook_score *s, uint32_t action, const uint8_t *features)
{
    struct stepbook_log likelihood = {.product = 1};

    for (size_t i = s->one.starts[action]; i < s->one.starts[action + 1]; i++)
        judge(s, &s->one.groups[s->one.places[i]], features, s->by_none, s->by_tried);
    for (size_t i = s->two.starts[action]; i < s->two.starts[action + 1]; i++) {
        const struct group *g = &s->two.groups[s->two.places[i]];

        judge(s, g, features, g->last == action ? s->by_tried : s->by_one, s->by_two);
        for (size_t k = 0; k < g->n; k++)
            stepbook_log_add(&likelihood, s->by_two[g->entries[k].step]);
    }
    return stepbook_log_sum(&likelihood);
}
