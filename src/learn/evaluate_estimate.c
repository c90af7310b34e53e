/*
 * The estimates of a target. Every decision adds its terms to its site; variances follow from the
 * sums of a site, and the total is the sum over the sites.
 */

#include <math.h>
#include <stdlib.h>

#include "learn/evaluate_state.h"

#define MIN_PROPENSITY 1e-12

static double probability_of(const struct evaluate_option *o, const struct evaluate_target *target)
{
    return target->is_habit ? o->habit : o->p;
}

/* The option that the target takes, of at least one: the most probable, or none. */
static size_t choose(const struct evaluate_option *options, size_t n,
                     const struct evaluate_target *target)
{
    size_t best = 0;
    double p;

    for (size_t i = 1; i < n; i++) {
        if (probability_of(&options[i], target) > probability_of(&options[best], target))
            best = i;
    }
    p = probability_of(&options[best], target);
    if (p < target->threshold || !options[best].is_bound ||
        p * options[best].binding < target->threshold)
        return EVALUATE_NONE;
    return best;
}

static bool is_alternative(const struct evaluate_decision *d, const struct evaluate_option *options,
                           size_t i)
{
    return i != d->greedy && options[i].has_arguments && options[i].p > 0;
}

/* The chance that the flow, as it was logged, takes an option. */
static double support_of(const struct evaluate_decision *d, const struct evaluate_option *options,
                         size_t option)
{
    size_t n_alternatives = 0;
    double total = 0;

    for (size_t i = 0; i < d->n_options; i++) {
        if (is_alternative(d, options, i)) {
            n_alternatives++;
            total += options[i].p;
        }
    }
    if (n_alternatives == 0 || d->epsilon <= 0)
        return option == d->greedy ? 1 : 0;
    if (option == d->greedy)
        return 1 - d->epsilon;
    return is_alternative(d, options, option) ? d->epsilon * options[option].p / total : 0;
}

static void add_term(struct evaluate_sum *s, double x)
{
    s->sum += x;
    s->squares += x * x;
}

/* Adds what a decision says where the target takes an option. */
static void add_look(struct evaluate_estimate *x, const struct evaluate_model *model,
                     const struct evaluate_decision *d, const struct evaluate_option *options,
                     size_t option)
{
    const struct evaluate_option *ours = &options[option];
    const struct evaluate_option *taken = d->taken != EVALUATE_NONE ? &options[d->taken] : NULL;
    bool is_match = option == d->taken;
    double weight = is_match ? 1 / fmax(d->propensity, MIN_PROPENSITY) : 0;
    double predicted[EVALUATE_N_MEASURES];
    double predicted_taken[EVALUATE_N_MEASURES] = {0};

    x->n_looks++;
    x->n_matched += is_match;
    x->n_unsupported += support_of(d, options, option) <= 0;
    x->weights += weight;
    x->squares += weight * weight;
    evaluate_model_predict(model, d->site, ours->tool, predicted);
    if (taken != NULL)
        evaluate_model_predict(model, d->site, taken->tool, predicted_taken);
    for (size_t i = 0; i < EVALUATE_N_MEASURES; i++) {
        double value = taken != NULL ? taken->values[i] : 0;

        x->direct[i] += ours->values[i];
        add_term(&x->ips[i], weight * value);
        add_term(&x->dr[i], predicted[i] + weight * (value - predicted_taken[i]));
    }
}

static void add_decision(struct evaluate_estimate *x, const struct evaluate *e,
                         const struct evaluate_decision *d, const struct evaluate_target *target)
{
    const struct evaluate_option *options;
    size_t option;

    x->n_decisions++;
    if (d->n_options == 0)
        return; /* nothing was offered, and nothing taken */
    options = &e->options[d->first];
    for (size_t i = 0; d->taken != EVALUATE_NONE && i < EVALUATE_N_MEASURES; i++)
        x->logged[i] += options[d->taken].values[i];
    option = choose(options, d->n_options, target);
    if (option != EVALUATE_NONE)
        add_look(x, &e->model, d, options, option);
}

/* The variance of a sum of n terms. */
static double variance_of(const struct evaluate_sum *s, size_t n)
{
    double deviations;

    if (n <= 1)
        return 0;
    deviations = s->squares - s->sum * s->sum / (double)n;
    return deviations < 0 ? 0 : deviations * (double)n / (double)(n - 1);
}

static void add_sum(struct evaluate_sum *total, const struct evaluate_sum *s)
{
    total->sum += s->sum;
    total->variance += s->variance;
}

static void add_site(struct evaluate_estimate *total, const struct evaluate_estimate *x)
{
    total->n_decisions += x->n_decisions;
    total->n_looks += x->n_looks;
    total->n_matched += x->n_matched;
    total->n_unsupported += x->n_unsupported;
    total->weights += x->weights;
    total->squares += x->squares;
    for (size_t i = 0; i < EVALUATE_N_MEASURES; i++) {
        total->logged[i] += x->logged[i];
        total->direct[i] += x->direct[i];
        add_sum(&total->ips[i], &x->ips[i]);
        add_sum(&total->dr[i], &x->dr[i]);
    }
}

static int compare_sites(const void *a, const void *b)
{
    const struct evaluate_estimate *x = a;
    const struct evaluate_estimate *y = b;

    return sp_str_cmp(x->site, y->site);
}

struct evaluate_estimate *evaluate_estimate(const struct evaluate *e,
                                            const struct evaluate_target *target,
                                            struct evaluate_estimate *ret_total)
{
    struct evaluate_estimate *sites = sp_calloc(e->sites.n, sizeof *sites);
    struct evaluate_estimate total = {0};

    for (size_t i = 0; i < e->n_decisions; i++)
        add_decision(&sites[e->decisions[i].site], e, &e->decisions[i], target);
    for (size_t i = 0; i < e->sites.n; i++) {
        sites[i].site = e->sites.of[i];
        for (size_t k = 0; k < EVALUATE_N_MEASURES; k++) {
            sites[i].ips[k].variance = variance_of(&sites[i].ips[k], sites[i].n_looks);
            sites[i].dr[k].variance = variance_of(&sites[i].dr[k], sites[i].n_looks);
        }
    }
    qsort(sites, e->sites.n, sizeof *sites, compare_sites);
    for (size_t i = 0; i < e->sites.n; i++)
        add_site(&total, &sites[i]);
    *ret_total = total;
    return sites;
}

double evaluate_estimate_ess(const struct evaluate_estimate *x)
{
    return x->squares > 0 ? x->weights * x->weights / x->squares : 0;
}

double evaluate_estimate_snips(const struct evaluate_estimate *x, size_t measure)
{
    return x->weights > 0 ? x->ips[measure].sum * (double)x->n_looks / x->weights : 0;
}

bool evaluate_estimate_is_refused(const struct evaluate_estimate *x, double min_ess)
{
    return x->n_looks > 0 && evaluate_estimate_ess(x) < min_ess;
}
