/*
 * The weight of the shorter history: the median of its posterior, by quadrature on a grid of
 * x = ln alpha.
 *
 * What the counts are when a step comes does not depend on alpha, so they are taken once: for every
 * step and level how often its history, and the step after that history, came before. A level that
 * did not know the history has 0 of 0, which leaves the chance as it is.
 *
 * The whole grid over all steps would take long, and nearly all of it has no weight. So L, the
 * logarithm of the posterior, is evaluated on a coarse grid first, and between two of its points
 * only if the posterior can have weight there. That follows from a bound of its curvature. A level
 * makes of the chance p, with the derivatives d and e of ln p by x, the chance
 * (n + alpha p) / (N + alpha). With s = alpha p / (n + alpha p) and r = alpha / (N + alpha), which
 * lie between 0 and 1, the derivatives of its logarithm are
 *
 *     d' = s (1 + d) - r        e' = s (1 - s) (1 + d)^2 + s e - r (1 - r)
 *
 * So e' >= min(0, e) - 1/4, as r (1 - r) <= 1/4 and the first term is never negative. It begins
 * with e = 0, so e >= -3/4 after three levels; the prior adds -1/4. For n steps L'' is then never
 * below -(3 n + 1) / 4, and between two points h apart L lies above the line through them by h^2/8
 * times that at most.
 */

#include <stdlib.h>

#include "learn/stepbook_state.h"

/* The grid of x. */
#define GRID_FIRST (-12.0)
#define GRID_STEP  0.005
#define GRID_LAST  4800

/* What lies this far below the highest point of L has no weight: less than exp(-60) of it. */
#define MAX_DEPTH 60.0

#define N_LEVELS    (STEPBOOK_ORDER + 1)
#define N_OF(array) (sizeof(array) / sizeof *(array))

/* How often a step came after its history before, of how often the history came, by level. */
struct known {
    uint32_t hits[N_LEVELS];
    uint32_t n[N_LEVELS];
};

struct posterior {
    const struct known *steps;
    size_t n_steps;
    double base;              /* the chance of every action before any count */
    double at[GRID_LAST + 1]; /* L; -INFINITY where it was not evaluated */
    double max;               /* of `at` */
};

/* Takes the counts of a level: within a history the steps come in their order. */
static void take_level(const struct stepbook_trail *t, unsigned level, uint32_t *n_by_action,
                       struct known *ret)
{
    size_t n_steps = t->book->n_steps;
    struct stepbook_behind *behind = stepbook_by_history(t->book, t->symbols, level);
    size_t start = 0;

    for (size_t i = 0; i < n_steps; i++) {
        size_t step = behind[i].step;

        if (behind[i].history != behind[start].history) {
            for (; start < i; start++)
                n_by_action[t->actions[behind[start].step]] = 0;
        }
        ret[step].n[level] = (uint32_t)(i - start);
        ret[step].hits[level] = n_by_action[t->actions[step]]++;
    }
    for (; start < n_steps; start++)
        n_by_action[t->actions[behind[start].step]] = 0;
    free(behind);
}

/* The chance of a step: what the levels make of it, over one denominator. */
static inline double chance_of(const struct known *k, double alpha, double base)
{
    double over_0 = k->n[0] + alpha;
    double over_1 = k->n[1] + alpha;
    double over_2 = k->n[2] + alpha;
    double p = k->hits[0] + alpha * base;

    p = k->hits[1] * over_0 + alpha * p;
    p = k->hits[2] * (over_0 * over_1) + alpha * p;
    return p / (over_0 * over_1 * over_2);
}

static double point(size_t i)
{
    return GRID_FIRST + GRID_STEP * (double)i;
}

static void evaluate(struct posterior *p, size_t i)
{
    double x = point(i);
    double alpha = exp(x);
    struct stepbook_log likelihood = {.product = 1};

    for (size_t k = 0; k < p->n_steps; k++)
        stepbook_log_add(&likelihood, chance_of(&p->steps[k], alpha, p->base));
    p->at[i] = stepbook_log_sum(&likelihood) - x * x / 8;
    p->max = fmax(p->max, p->at[i]);
}

/*
 * Evaluates every `fine`th point between those of the coarse grid, where there can be weight. The
 * highest point so far may rise yet, which only takes weight away.
 */
static void refine(struct posterior *p, size_t coarse, size_t fine)
{
    double h = GRID_STEP * (double)coarse;
    double above = (3 * (double)p->n_steps + 1) / 4 * h * h / 8;

    for (size_t i = 0; i < GRID_LAST; i += coarse) {
        double ends = fmax(p->at[i], p->at[i + coarse]);

        if (!isfinite(p->at[i]) || !isfinite(p->at[i + coarse]) ||
            ends + above < p->max - MAX_DEPTH)
            continue;
        for (size_t k = i + fine; k < i + coarse; k += fine)
            evaluate(p, k);
    }
}

static void evaluate_all(struct posterior *p)
{
    static const size_t grids[] = {160, 80, 40, 20, 10, 5, 1};

    p->max = -INFINITY;
    for (size_t i = 0; i < N_OF(p->at); i++)
        p->at[i] = -INFINITY;
    for (size_t i = 0; i <= GRID_LAST; i += grids[0])
        evaluate(p, i);
    for (size_t i = 0; i + 1 < N_OF(grids); i++)
        refine(p, grids[i], grids[i + 1]);
}

/* The area under the posterior between two points of the grid, in units of GRID_STEP. */
static double area(const struct posterior *p, size_t i)
{
    return (exp(p->at[i] - p->max) + exp(p->at[i + 1] - p->max)) / 2;
}

static double median(const struct posterior *p)
{
    double all = 0;
    double sum = 0;
    size_t i = 0;

    for (size_t k = 0; k < GRID_LAST; k++)
        all += area(p, k);
    while (i + 1 < GRID_LAST && sum + area(p, i) < all / 2)
        sum += area(p, i++);
    return point(i) + GRID_STEP * (all / 2 - sum) / area(p, i);
}

double stepbook_alpha(const struct stepbook *b, const struct flow *f)
{
    struct stepbook_trail t = stepbook_trail(b, f);
    struct known *known = sp_calloc(b->n_steps, sizeof *known);
    uint32_t *n_by_action = sp_calloc(f->n_actions + 1, sizeof *n_by_action);
    struct posterior *p = sp_calloc(1, sizeof *p);
    double x;

    for (unsigned level = 0; level < N_LEVELS; level++)
        take_level(&t, level, n_by_action, known);
    p->steps = known;
    p->n_steps = b->n_steps;
    p->base = 1 / (double)(f->n_actions + 1);
    evaluate_all(p);
    x = median(p);
    free(p);
    free(n_by_action);
    free(known);
    stepbook_trail_deinit(&t);
    return exp(x);
}
