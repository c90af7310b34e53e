/*
 * Fitting an arbiter's weights by Newton's method.
 *
 * The objective curves down in every direction at least as much as half the sum of squares does, so
 * it has one optimum, the steps exist, and no weight can run away. A step that would not raise the
 * objective as it should is halved. Near the optimum, where rounding hides what a step gains, whole
 * steps are safe and double the right digits each.
 */

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "learn/arbiterfit.h"

/* Far more than it takes: some ten steps, rarely twenty, and few halvings. */
#define MAX_STEPS    100
#define MAX_HALVINGS 60

/* The part of what the slope promises that a step has to gain, but for what rounding takes. */
#define MIN_GAIN 0.25
#define ROUNDING 1e-12

/* The last step is shorter than this in every weight, and what is still missing far shorter. */
#define LAST_STEP 1e-10

/* A fit; all that it needs in one allocation, which begins at `w`. */
struct fit {
    const struct arbiterfit_case *cases;
    size_t n_cases;
    size_t n;         /* weights */
    double *w;        /* the weights, as many as there are features, as in the next three */
    double *next;     /* the weights after a step */
    double *gradient; /* of the objective */
    double *step;
    double *mean;    /* of a case's features, by the chances of its options */
    double *curve;   /* n rows of n: minus the second derivatives; below the diagonal and on it */
    double *chances; /* of a case's options */
};

static void init(struct fit *f, const struct arbiterfit_case *cases, size_t n_cases, size_t n)
{
    size_t max_options = 0;
    double *p;

    for (size_t i = 0; i < n_cases; i++)
        max_options = cases[i].n_options > max_options ? cases[i].n_options : max_options;
    p = sp_calloc(5 * n + n * n + max_options, sizeof *p);
    *f = (struct fit){
        .cases = cases,
        .n_cases = n_cases,
        .n = n,
        .w = p,
        .next = p + n,
        .gradient = p + 2 * n,
        .step = p + 3 * n,
        .mean = p + 4 * n,
        .curve = p + 5 * n,
        .chances = p + 5 * n + n * n,
    };
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Sets the chances of a case's options and returns the logarithm of the chosen one's. */
static double weigh(struct fit *f, const struct arbiterfit_case *c, const double *w)
{
    double max = -INFINITY;
    double sum = 0;
    double chosen = dot(w, c->x + c->chosen * f->n, f->n);

    for (size_t i = 0; i < c->n_options; i++) {
        f->chances[i] = dot(w, c->x + i * f->n, f->n);
        max = fmax(max, f->chances[i]);
    }
    for (size_t i = 0; i < c->n_options; i++) {
        f->chances[i] = exp(f->chances[i] - max);
        sum += f->chances[i];
    }
    for (size_t i = 0; i < c->n_options; i++)
        f->chances[i] /= sum;
    return chosen - max - log(sum);
}

static double objective(struct fit *f, const double *w)
{
    double sum = -dot(w, w, f->n) / 2;

    for (size_t i = 0; i < f->n_cases; i++)
        sum += weigh(f, &f->cases[i], w);
    return sum;
}

/* Adds how far an option's features are from the mean, squared, times its chance. */
static void add_curve(struct fit *f, const double *x, double chance)
{
    for (size_t i = 0; i < f->n; i++) {
        double d = chance * (x[i] - f->mean[i]);

        for (size_t k = 0; k <= i; k++)
            f->curve[i * f->n + k] += d * (x[k] - f->mean[k]);
    }
}

static void add_case(struct fit *f, const struct arbiterfit_case *c)
{
    const double *chosen = c->x + c->chosen * f->n;

    (void)weigh(f, c, f->w); /* its chances are wanted */
    for (size_t k = 0; k < f->n; k++) {
        f->mean[k] = 0;
        for (size_t i = 0; i < c->n_options; i++)
            f->mean[k] += f->chances[i] * c->x[i * f->n + k];
        f->gradient[k] += chosen[k] - f->mean[k];
    }
    for (size_t i = 0; i < c->n_options; i++)
        add_curve(f, c->x + i * f->n, f->chances[i]);
}

/* Sets the gradient and the curve at the weights. */
static void differentiate(struct fit *f)
{
    for (size_t i = 0; i < f->n * f->n; i++)
        f->curve[i] = i % (f->n + 1) == 0;
    for (size_t i = 0; i < f->n; i++)
        f->gradient[i] = -f->w[i];
    for (size_t i = 0; i < f->n_cases; i++)
        add_case(f, &f->cases[i]);
}

/* Makes the curve the triangle whose square it is (Cholesky); none of its diagonal is below 1. */
static void factor(struct fit *f)
{
    for (size_t i = 0; i < f->n; i++) {
        double *row = f->curve + i * f->n;

        for (size_t k = 0; k <= i; k++) {
            const double *other = f->curve + k * f->n;
            double rest = row[k] - dot(row, other, k);

            row[k] = k < i ? rest / other[k] : sqrt(fmax(rest, 1));
        }
    }
}

/* Sets the step that leads to the optimum of what the derivatives say. */
static void solve(struct fit *f)
{
    factor(f);
    for (size_t i = 0; i < f->n; i++) {
        const double *row = f->curve + i * f->n;

        f->step[i] = (f->gradient[i] - dot(row, f->step, i)) / row[i];
    }
    for (size_t i = f->n; i-- > 0;) {
        for (size_t k = i + 1; k < f->n; k++)
            f->step[i] -= f->curve[k * f->n + i] * f->step[k];
        f->step[i] /= f->curve[i * f->n + i];
    }
}

/* Goes the step, or the first half, quarter and so on of it that gains enough. */
static double advance(struct fit *f, double before)
{
    double slope = dot(f->gradient, f->step, f->n);
    double part = 1;
    double after = before;

    for (int i = 0; i < MAX_HALVINGS; i++) {
        for (size_t k = 0; k < f->n; k++)
            f->next[k] = f->w[k] + part * f->step[k];
        after = objective(f, f->next);
        if (after >= before + MIN_GAIN * part * slope - ROUNDING * (1 + fabs(before)))
            break;
        part /= 2;
    }
    for (size_t k = 0; k < f->n; k++)
        f->w[k] = f->next[k];
    return after;
}

static double longest(const double *p, size_t n)
{
    double max = 0;

    for (size_t i = 0; i < n; i++)
        max = fmax(max, fabs(p[i]));
    return max;
}

double arbiterfit(const struct arbiterfit_case *cases, size_t n, size_t n_weights, double *ret)
{
    struct fit f;
    double best;

    init(&f, cases, n, n_weights);
    best = objective(&f, f.w);
    for (int i = 0; i < MAX_STEPS; i++) {
        differentiate(&f);
        solve(&f);
        best = advance(&f, best);
        if (longest(f.step, n_weights) <= LAST_STEP)
            break;
    }
    for (size_t i = 0; i < n_weights; i++)
        ret[i] = f.w[i];
    free(f.w);
    return best;
}
