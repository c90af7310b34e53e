/* The checks of a flow that its types alone do not make. */

#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "flow/flow.h"

/* The weights of an arbiter besides those of its predicates. */
#define N_FIXED_WEIGHTS 5

unsigned flow_version(const struct flow *f)
{
    const struct flow_bindings *b = &f->bindings;
    bool needs_2 = f->n_thresholds > 0 || b->named_other.n > 0 || b->described_read.n > 0 ||
                   b->n_site_sources > 0 || b->lists.n > 0 || b->bare.n > 0 || b->n_constants > 0;

    return needs_2 ? 2 : 1;
}

static bool is_count(double x)
{
    return isfinite(x) && x >= 0;
}

static int check_actions(const struct flow *f, struct sp_err *err)
{
    if (f->n_actions == 0 || f->actions[0].p != NULL) {
        sp_err_set(err, "vocab: the first action is not \"Respond\"");
        return -EINVAL;
    }
    for (size_t i = 1; i < f->n_actions; i++) {
        if (f->actions[i].p == NULL) {
            sp_err_set(err, "vocab[%zu]: only the first action is \"Respond\"", i);
            return -EINVAL;
        }
        if (flow_action(f, f->actions[i]) != i) {
            sp_err_set(err, "vocab[%zu]: '%.*s' occurs twice", i, SP_STR_ARG(f->actions[i]));
            return -EINVAL;
        }
    }
    return 0;
}

/* A check of one model, with an error that names what is wrong within it. */
typedef int (*model_fn)(const struct flow *f, const struct flow_model *m, struct sp_err *err);

static int check_vocab_size(const struct flow *f, const struct flow_model *m, struct sp_err *err)
{
    if (m->vocab_size == f->n_actions + 1)
        return 0;
    sp_err_set(err, "vocab_size: %" PRIu64 " instead of %zu", m->vocab_size, f->n_actions + 1);
    return -EINVAL;
}

static int check_histories(const struct flow_level *level, uint64_t n, struct sp_err *err)
{
    for (size_t i = 0; i < level->n; i++) {
        if (level->contexts[i].n_history != n) {
            sp_err_set(err, "a history of %zu symbols instead of %" PRIu64,
                       level->contexts[i].n_history, n);
            return -EINVAL;
        }
    }
    return 0;
}

static int check_levels(const struct flow *f, const struct flow_model *m, struct sp_err *err)
{
    (void)f;
    if (m->order > FLOW_MAX_ORDER) {
        sp_err_set(err, "order: %" PRIu64 " is more than %d", m->order, FLOW_MAX_ORDER);
        return -EINVAL;
    }
    if (m->n_levels != m->order + 1) {
        sp_err_set(err, "levels: %zu instead of %" PRIu64, m->n_levels, m->order + 1);
        return -EINVAL;
    }
    for (size_t i = 0; i < m->n_levels; i++) {
        int ret = check_histories(&m->levels[i], i, err);

        if (ret < 0) {
            sp_err_prefix(err, "levels[%zu]", i);
            return ret;
        }
    }
    return 0;
}

static int check_counts(const struct flow_level *level, struct sp_err *err)
{
    for (size_t i = 0; i < level->n; i++) {
        const struct flow_counts *counts = &level->contexts[i].counts;
        bool are_counts = is_count(counts->total);

        for (size_t k = 0; k < counts->n; k++)
            are_counts = are_counts && is_count(counts->by_action[k].n);
        if (!are_counts) {
            sp_err_set(err, "counts that are not finite and at least 0");
            return -EINVAL;
        }
    }
    return 0;
}

static int check_strength(double x, const char *name, struct sp_err *err)
{
    if (isfinite(x) && x > 0)
        return 0;
    sp_err_set(err, "%s: not finite and above 0", name);
    return -EINVAL;
}

static int check_numbers(const struct flow *f, const struct flow_model *m, struct sp_err *err)
{
    int ret = check_strength(m->alpha, "alpha", err);

    (void)f;
    for (size_t i = 0; i < m->n_levels && ret == 0; i++) {
        ret = check_counts(&m->levels[i], err);
        if (ret < 0)
            sp_err_prefix(err, "levels[%zu]", i);
    }
    return ret;
}

/* Puts what a check was about before what it found: "habit.base" before "alpha: not above 0". */
static void put_before(struct sp_err *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put_before(struct sp_err *err, const char *format, ...)
{
    struct sp_buf text = {0};
    va_list args;

    va_start(args, format);
    sp_buf_addv(&text, format, args);
    va_end(args);
    sp_buf_addf(&text, ".%s", err->text);
    sp_err_set(err, "%s", sp_buf_cstr(&text));
    sp_buf_deinit(&text);
}

static int check_models(const struct flow *f, model_fn check, struct sp_err *err)
{
    int ret = check(f, &f->habit, err);

    if (ret < 0) {
        put_before(err, "habit.base");
        return ret;
    }
    ret = f->has_reach ? check(f, &f->reach, err) : 0;
    if (ret < 0)
        put_before(err, "reach");
    return ret;
}

static int check_top(const struct flow *f, struct sp_err *err)
{
    int ret = check_histories(&f->top, f->habit.order, err);

    if (ret < 0)
        sp_err_prefix(err, "habit.top");
    return ret;
}

static int check_rates(const struct flow_fold *fold, struct sp_err *err)
{
    bool are_counts = is_count(fold->agree) && is_count(fold->cover);

    for (size_t i = 0; i < fold->n_sites; i++) {
        const struct flow_rate *rate = &fold->sites[i];

        are_counts = are_counts && is_count(rate->decisions) && is_count(rate->agreed) &&
                     is_count(rate->covered);
    }
    if (are_counts)
        return 0;
    sp_err_set(err, "rates: numbers that are not finite and at least 0");
    return -EINVAL;
}

/* The rest of what is counted: the habit's last layer, and the records of the arbiter's folds. */
static int check_other_numbers(const struct flow *f, struct sp_err *err)
{
    int ret = check_strength(f->beta, "habit.beta", err);

    if (ret < 0)
        return ret;
    ret = check_counts(&f->top, err);
    if (ret < 0) {
        sp_err_prefix(err, "habit.top");
        return ret;
    }
    for (size_t i = 0; i < f->n_folds; i++) {
        ret = check_rates(&f->folds[i], err);
        if (ret < 0) {
            put_before(err, "folds[%zu]", i);
            return ret;
        }
    }
    return 0;
}

static int check_weights(const struct flow_fold *fold, size_t n_weighed, struct sp_err *err)
{
    if (fold->n_weights != N_FIXED_WEIGHTS + n_weighed) {
        sp_err_set(err, "weights: %zu instead of %zu", fold->n_weights,
                   N_FIXED_WEIGHTS + n_weighed);
        return -EINVAL;
    }
    for (size_t i = 0; i < fold->n_weights; i++) {
        if (!isfinite(fold->weights[i])) {
            sp_err_set(err, "weights[%zu]: not finite", i);
            return -EINVAL;
        }
    }
    return 0;
}

static int check_folds(const struct flow *f, struct sp_err *err)
{
    if (f->n_folds != 0 && f->n_folds != FLOW_N_FOLDS) {
        sp_err_set(err, "folds: %zu instead of 0 or %d", f->n_folds, FLOW_N_FOLDS);
        return -EINVAL;
    }
    for (size_t i = 0; i < f->n_folds; i++) {
        int ret = check_weights(&f->folds[i], f->weighed.n, err);

        if (ret < 0) {
            put_before(err, "folds[%zu]", i);
            return ret;
        }
    }
    return 0;
}

static int check_promoted(const struct flow_promoted *p, struct sp_err *err)
{
    bool are_finite = isfinite(p->threshold) && isfinite(p->min_used) && isfinite(p->min_lower);

    for (size_t i = 0; i < p->n_sites; i++)
        are_finite = are_finite && isfinite(p->sites[i].lower);
    if (are_finite)
        return 0;
    sp_err_set(err, "promoted: numbers that are not finite");
    return -EINVAL;
}

static int check_sites(const struct flow *f, struct sp_err *err)
{
    for (size_t i = 0; i < f->n_thresholds; i++) {
        if (!isfinite(f->thresholds[i].threshold)) {
            sp_err_set(err, "thresholds: '%.*s' is not finite", SP_STR_ARG(f->thresholds[i].site));
            return -EINVAL;
        }
    }
    return check_promoted(&f->promoted, err);
}

int flow_check_fold(const struct flow_fold *fold, size_t n_weighed, const char *name,
                    struct sp_err *ret_err)
{
    int ret = check_weights(fold, n_weighed, ret_err);

    if (ret == 0)
        ret = check_rates(fold, ret_err);
    if (ret < 0)
        put_before(ret_err, "%s", name);
    return ret;
}

int flow_check(const struct flow *f, struct sp_err *ret_err)
{
    int ret = check_actions(f, ret_err);

    if (ret == 0)
        ret = check_models(f, check_vocab_size, ret_err);
    if (ret == 0)
        ret = check_models(f, check_levels, ret_err);
    if (ret == 0)
        ret = check_top(f, ret_err);
    if (ret == 0)
        ret = check_models(f, check_numbers, ret_err);
    if (ret == 0)
        ret = check_other_numbers(f, ret_err);
    if (ret == 0)
        ret = check_folds(f, ret_err);
    if (ret == 0)
        ret = check_sites(f, ret_err);
    return ret;
}
