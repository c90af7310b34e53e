/* Tests of learn/arbiterfit.h: the weights that fit best. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "json_gen.h"
#include "learn/arbiterfit.h"

#define MAX_WEIGHTS 25

static void assert_close(double got, double want, double by)
{
    if (!(fabs(got - want) <= by))
        fail_msg("%.17g is not %.17g", got, want);
}

/* Eight decisions at one site: a lookup, which is always the pick, and handing back. */
static void arbiterfit_fits_the_example(void **state)
{
    static const double want[] = {0.752188, 0.220024, 0, -0.542645, 0.596157};
    struct arbiterfit_case cases[8];
    double x[8][2][5];
    double w[5];

    (void)state;
    for (int i = 0; i < 8; i++) {
        double p = 0.2 + 0.1 * (i % 4);
        const double rows[2][5] = {
            {log(p), log(0.6), log(0.5), 0, log(3)},
            {log(1 - p), log(0.4), log(0.5), 1, 0},
        };

        memcpy(x[i], rows, sizeof rows);
        cases[i] = (struct arbiterfit_case){x[i][0], 2, i % 4 == 0};
    }
    assert_close(arbiterfit(cases, 8, 5, w), -4.241767, 5e-7);
    for (size_t i = 0; i < 5; i++)
        assert_close(w[i], want[i], 5e-7);
}

static void arbiterfit_without_a_choice_leaves_the_weights_at_0(void **state)
{
    static const double x[] = {3, -13.8, 1};
    static const struct arbiterfit_case cases[] = {{x, 1, 0}, {x, 1, 0}};
    double w[3] = {7, 7, 7};

    (void)state;
    for (size_t n = 0; n <= 2; n++) {
        assert_true(arbiterfit(cases, n, 3, w) == 0);
        for (size_t i = 0; i < 3; i++)
            assert_true(w[i] == 0);
    }
}

/* At the optimum the weight is how much more of it would raise the logarithm of the chance. */
static void arbiterfit_solves_a_single_weight(void **state)
{
    static const double distances[] = {1e-3, 0.5, 1, 13.8, 700, -13.8};

    (void)state;
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        double d = distances[i];
        const double x[] = {d, 0};
        const struct arbiterfit_case one = {x, 2, 0};
        double w;
        double best = arbiterfit(&one, 1, 1, &w);

        assert_close(w, d / (1 + exp(w * d)), 1e-12);
        assert_close(best, -log1p(exp(-w * d)) - w * w / 2, 1e-12);
    }
}

/* Of a hundred options one is mostly taken: where all are alike the slope promises too much. */
static void arbiterfit_halves_a_step_that_leads_too_far(void **state)
{
    static const double d = 13.8;
    double x[101] = {d};
    struct arbiterfit_case cases[10];
    double w;

    (void)state;
    for (size_t i = 0; i < 10; i++)
        cases[i] = (struct arbiterfit_case){x, 101, i == 0};
    (void)arbiterfit(cases, 10, 1, &w);
    assert_close(w, d * (9 - 10 / (1 + 100 * exp(-w * d))), 1e-9);
}

/* A random fit: features up to `range` on both sides, some of them always 0. */
struct problem {
    struct arbiterfit_case *cases;
    size_t n;
    size_t n_weights;
    double *x;
};

static void begin(struct problem *p, struct json_gen *g)
{
    static const double ranges[] = {0.01, 1, 13.8, 13.8, 709};
    double range = ranges[json_gen_below(g, 5)];
    size_t max_options = 1 + json_gen_below(g, 8);

    p->n = json_gen_below(g, 60);
    p->n_weights = 1 + json_gen_below(g, MAX_WEIGHTS);
    p->cases = sp_calloc(p->n, sizeof *p->cases);
    p->x = sp_calloc(p->n * max_options * p->n_weights, sizeof *p->x);
    for (size_t i = 0; i < p->n; i++) {
        double *x = p->x + i * max_options * p->n_weights;

        p->cases[i].x = x;
        p->cases[i].n_options = 1 + json_gen_below(g, max_options);
        p->cases[i].chosen =
            json_gen_below(g, 2) == 0 ? 0 : json_gen_below(g, p->cases[i].n_options);
        for (size_t k = 0; k < p->cases[i].n_options * p->n_weights; k++) {
            double part = (double)json_gen_below(g, 2001) / 1000 - 1;

            x[k] = json_gen_below(g, 4) == 0 ? 0 : range * part;
        }
    }
}

static void end(struct problem *p)
{
    free(p->cases);
    free(p->x);
}

/* The objective by its definition; sets its slope in every weight. */
static long double measure(const struct problem *p, const double *w, long double *ret_slope)
{
    long double sum = 0;

    for (size_t k = 0; k < p->n_weights; k++) {
        ret_slope[k] = -(long double)w[k];
        sum -= (long double)w[k] * w[k] / 2;
    }
    for (size_t i = 0; i < p->n; i++) {
        const struct arbiterfit_case *c = &p->cases[i];
        long double scores[8] = {0};
        long double total = 0;

        for (size_t o = 0; o < c->n_options; o++) {
            for (size_t k = 0; k < p->n_weights; k++)
                scores[o] += (long double)w[k] * c->x[o * p->n_weights + k];
        }
        for (size_t o = 0; o < c->n_options; o++)
            total += expl(scores[o] - scores[c->chosen]);
        sum -= logl(total);
        for (size_t o = 0; o < c->n_options; o++) {
            long double chance = expl(scores[o] - scores[c->chosen]) / total;

            for (size_t k = 0; k < p->n_weights; k++)
                ret_slope[k] +=
                    ((o == c->chosen) - chance) * (long double)c->x[o * p->n_weights + k];
        }
    }
    return sum;
}

/*
 * The objective falls at least as half the square of the distance from its optimum, so that the
 * distance is at most the length of the slope.
 */
static void arbiterfit_finds_where_the_objective_is_flat(void **state)
{
    struct json_gen g = {.state = 23};

    (void)state;
    for (int i = 0; i < 400; i++) {
        struct problem p;
        long double slope[MAX_WEIGHTS];
        double w[MAX_WEIGHTS];
        long double length = 0;
        double best;

        begin(&p, &g);
        best = arbiterfit(p.cases, p.n, p.n_weights, w);
        assert_close(best, (double)measure(&p, w, slope), 1e-9);
        for (size_t k = 0; k < p.n_weights; k++)
            length += slope[k] * slope[k];
        assert_close((double)sqrtl(length), 0, 1e-9);
        end(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arbiterfit_fits_the_example),
        cmocka_unit_test(arbiterfit_without_a_choice_leaves_the_weights_at_0),
        cmocka_unit_test(arbiterfit_solves_a_single_weight),
        cmocka_unit_test(arbiterfit_halves_a_step_that_leads_too_far),
        cmocka_unit_test(arbiterfit_finds_where_the_objective_is_flat),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
