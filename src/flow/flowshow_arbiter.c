/* A flow's arbiter, for a reviewer. */

#include "flow/flowshow_parts.h"
#include "flow/markdown.h"

/* The weights that stand before those of the predicates. */
static const char *const first_weights[] = {
    "ln habit probability",
    "ln one-question probability",
    "ln split-question probability",
    "handing back",
};

#define N_FIRST (sizeof first_weights / sizeof first_weights[0])

static bool is_same_fold(const struct flow_fold *a, const struct flow_fold *b)
{
    if (a->n_weights != b->n_weights || a->n_sites != b->n_sites || a->agree != b->agree ||
        a->cover != b->cover)
        return false;
    for (size_t i = 0; i < a->n_weights; i++) {
        if (a->weights[i] != b->weights[i])
            return false;
    }
    for (size_t i = 0; i < a->n_sites; i++) {
        const struct flow_rate *x = &a->sites[i];
        const struct flow_rate *y = &b->sites[i];

        if (!sp_str_eq(x->site, y->site) || x->decisions != y->decisions ||
            x->agreed != y->agreed || x->covered != y->covered)
            return false;
    }
    return true;
}

static bool is_one_fit(const struct flow *f)
{
    for (size_t i = 1; i < f->n_folds; i++) {
        if (!is_same_fold(&f->folds[0], &f->folds[i]))
            return false;
    }
    return true;
}

/* Divides before it adds up, as big numbers could not be added. */
double flowshow_mean_weight(const struct flow *f, size_t weight)
{
    double mean = 0;

    for (size_t i = 0; i < f->n_folds; i++)
        mean += f->folds[i].weights[weight] / (double)f->n_folds;
    return mean;
}

void flowshow_put_weight_name(struct sp_buf *b, const struct flow *f, size_t weight)
{
    if (weight < N_FIRST) {
        sp_buf_add(b, sp_str_of(first_weights[weight]));
    } else if (weight < N_FIRST + f->weighed.n) {
        sp_buf_add(b, SP_STR("predicate "));
        markdown_put_code(b, f->weighed.of[weight - N_FIRST].id);
    } else {
        sp_buf_add(b, SP_STR("the model's record at the site"));
    }
}

static void put_weights(struct sp_buf *b, const struct flow *f)
{
    size_t n = f->folds[0].n_weights;

    sp_buf_add(b, SP_STR("| Evidence | Weight |\n|---|---|\n"));
    for (size_t i = 0; i < n; i++) {
        sp_buf_add(b, SP_STR("| "));
        flowshow_put_weight_name(b, f, i);
        sp_buf_addf(b, " | %.3f |\n", flowshow_mean_weight(f, i));
    }
}

static void put_rates(struct sp_buf *b, const struct flow *f)
{
    double agree = 0, cover = 0;

    for (size_t i = 0; i < f->n_folds; i++) {
        agree += f->folds[i].agree / (double)f->n_folds;
        cover += f->folds[i].cover / (double)f->n_folds;
    }
    sp_buf_add(b, SP_STR("\nThe model's choice was the agent's step in "));
    markdown_put_percent(b, agree);
    sp_buf_add(b, SP_STR(" of decisions; the step was among the options in "));
    markdown_put_percent(b, cover);
    sp_buf_add(b, SP_STR(".\n"));
}

static bool is_weighed(const struct flow *f, struct sp_str id)
{
    for (size_t i = 0; i < f->weighed.n; i++) {
        if (sp_str_eq(f->weighed.of[i].id, id))
            return true;
    }
    return false;
}

static void put_predicates(struct sp_buf *b, const struct flow *f)
{
    if (f->predicates.n == 0)
        return;
    sp_buf_add(b, SP_STR("\n| Predicate | Question | Weighed |\n|---|---|---|\n"));
    for (size_t i = 0; i < f->predicates.n; i++) {
        const struct flow_predicate *p = &f->predicates.of[i];

        sp_buf_add(b, SP_STR("| "));
        markdown_put_code(b, p->id);
        sp_buf_add(b, SP_STR(" | "));
        markdown_put_text(b, p->question);
        sp_buf_addf(b, " | %s |\n", is_weighed(f, p->id) ? "yes" : "no");
    }
}

void flowshow_put_arbiter(struct sp_buf *b, const struct flow *f)
{
    if (f->n_folds == 0)
        return;
    flowshow_put_heading(b, "Arbiter");
    if (is_one_fit(f))
        sp_buf_add(b, SP_STR("One fit, the same in all folds.\n\n"));
    else
        sp_buf_add(b, SP_STR("Folds fitted apart; the weights are their means.\n\n"));
    put_weights(b, f);
    put_rates(b, f);
    put_predicates(b, f);
}
