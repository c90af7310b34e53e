/* Estimates as Markdown and as JSON. */

#include <math.h>
#include <stdlib.h>

#include "flow/markdown.h"
#include "json/jindent.h"
#include "json/jput.h"
#include "learn/evaluate_state.h"

static const char *const measures[EVALUATE_N_MEASURES] = {
    [EVALUATE_LOOKUPS] = "lookups",
    [EVALUATE_USED] = "used",
    [EVALUATE_DETOURS] = "detours",
    [EVALUATE_TURNS] = "turns",
};

/* Appends a number of the user's, finite or not: "10", "0.3". */
static void put_setting(struct sp_buf *b, double x)
{
    size_t before = b->len;

    if (!isfinite(x)) {
        sp_buf_addf(b, "%g", x);
        return;
    }
    jput_double(b, x);
    if (b->len - before > 2 && sp_str_ends(sp_buf_str(b), SP_STR(".0")))
        b->len -= 2;
}

/* Appends an estimate with one decimal, and no sign if that is 0. */
static void put_tenths(struct sp_buf *b, double x)
{
    if (!isfinite(x))
        sp_buf_add(b, SP_STR("—"));
    else
        sp_buf_addf(b, "%.1f", x > -0.05 && x <= 0 ? 0.0 : x);
}

static void put_heading(struct sp_buf *b, const struct evaluate_target *target,
                        const struct evaluate_estimate *total)
{
    sp_buf_add(b, SP_STR("## "));
    markdown_put_code(b, target->name);
    sp_buf_addf(b, ": the %s's probabilities at threshold ",
                target->is_habit ? "habit" : "arbiter");
    put_setting(b, target->threshold);
    sp_buf_addf(b, "\n\n%zu decisions, %zu looks, %zu matched, ess ", total->n_decisions,
                total->n_looks, total->n_matched);
    put_tenths(b, evaluate_estimate_ess(total));
    sp_buf_addf(b, ", %zu unsupported\n\n", total->n_unsupported);
}

static void put_cell(struct sp_buf *b, double x, bool is_refused)
{
    if (is_refused)
        sp_buf_add(b, SP_STR("refused"));
    else
        put_tenths(b, x);
    sp_buf_add(b, SP_STR(" | "));
}

/* The same with its standard error. */
static void put_sum_cell(struct sp_buf *b, const struct evaluate_sum *s, bool is_refused)
{
    if (is_refused) {
        sp_buf_add(b, SP_STR("refused | "));
        return;
    }
    put_tenths(b, s->sum);
    sp_buf_add(b, SP_STR(" ± "));
    put_cell(b, sqrt(s->variance), false);
}

/* Ends a row whose last cell has been put. */
static void end_row(struct sp_buf *b)
{
    b->len--;
    sp_buf_add_char(b, '\n');
}

static void put_measures(struct sp_buf *b, const struct evaluate_estimate *total, double min_ess)
{
    bool is_refused = evaluate_estimate_is_refused(total, min_ess);

    sp_buf_add(b, SP_STR("| Measure | Logged | Direct | IPS | SNIPS | Doubly robust |\n"
                         "|---|---|---|---|---|---|\n"));
    for (size_t i = 0; i < EVALUATE_N_MEASURES; i++) {
        sp_buf_addf(b, "| %s | ", measures[i]);
        put_cell(b, total->logged[i], false);
        put_cell(b, total->direct[i], false);
        put_sum_cell(b, &total->ips[i], is_refused);
        put_cell(b, evaluate_estimate_snips(total, i), is_refused);
        put_sum_cell(b, &total->dr[i], is_refused);
        end_row(b);
    }
}

static void put_site(struct sp_buf *b, const struct evaluate_estimate *x, double min_ess)
{
    bool is_refused = evaluate_estimate_is_refused(x, min_ess);

    sp_buf_add(b, SP_STR("| "));
    markdown_put_code(b, x->site);
    sp_buf_addf(b, " | %zu | %zu | ", x->n_decisions, x->n_matched);
    put_cell(b, evaluate_estimate_ess(x), false);
    put_cell(b, x->direct[EVALUATE_USED], false);
    put_cell(b, evaluate_estimate_snips(x, EVALUATE_USED), is_refused);
    put_cell(b, x->direct[EVALUATE_DETOURS], false);
    put_cell(b, evaluate_estimate_snips(x, EVALUATE_DETOURS), is_refused);
    end_row(b);
}

void evaluate_put_markdown(const struct evaluate *e, double min_ess, struct sp_buf *b)
{
    for (size_t i = 0; i < e->n_targets; i++) {
        struct evaluate_estimate total;
        struct evaluate_estimate *sites = evaluate_estimate(e, &e->targets[i], &total);

        if (i > 0)
            sp_buf_add_char(b, '\n');
        put_heading(b, &e->targets[i], &total);
        put_measures(b, &total, min_ess);
        sp_buf_add(b, SP_STR("\n| Site | Decisions | Matched | Ess | Used (direct) | Used (SNIPS) "
                             "| Detours (direct) | Detours (SNIPS) |\n"
                             "|---|---|---|---|---|---|---|---|\n"));
        for (size_t k = 0; k < e->sites.n; k++)
            put_site(b, &sites[k], min_ess);
        sp_buf_add(b, SP_STR("\nEstimates with weights (IPS, SNIPS, doubly robust) are refused "
                             "below an ess, the effective sample size, of "));
        put_setting(b, min_ess);
        sp_buf_add(b, SP_STR(".\n"));
        free(sites);
    }
}

static void put_real(struct sp_buf *b, double x)
{
    if (isfinite(x))
        jput_double(b, x);
    else
        sp_buf_add(b, SP_STR("null"));
}

/* What is reported of a sum. */
enum part { PART_SUM, PART_ERROR };

static double part_of(const struct evaluate_sum *s, enum part part)
{
    return part == PART_SUM ? s->sum : sqrt(s->variance);
}

/* Appends a member with a number for each measure, or null if `values` is NULL. */
static void put_values(struct sp_buf *b, const char *name, const double *values)
{
    sp_buf_addf(b, ",\"%s\":", name);
    for (size_t i = 0; values != NULL && i < EVALUATE_N_MEASURES; i++) {
        sp_buf_addf(b, "%c\"%s\":", i == 0 ? '{' : ',', measures[i]);
        put_real(b, values[i]);
    }
    sp_buf_add(b, values != NULL ? SP_STR("}") : SP_STR("null"));
}

static void put_sums(struct sp_buf *b, const char *name, const struct evaluate_sum *sums,
                     enum part part, bool is_refused)
{
    double values[EVALUATE_N_MEASURES];

    for (size_t i = 0; i < EVALUATE_N_MEASURES; i++)
        values[i] = part_of(&sums[i], part);
    put_values(b, name, is_refused ? NULL : values);
}

static void put_estimate(struct sp_buf *b, const struct evaluate_estimate *x, double min_ess)
{
    bool is_refused = evaluate_estimate_is_refused(x, min_ess);
    double snips[EVALUATE_N_MEASURES];

    for (size_t i = 0; i < EVALUATE_N_MEASURES; i++)
        snips[i] = evaluate_estimate_snips(x, i);
    sp_buf_addf(b, "{\"decisions\":%zu,\"looks\":%zu,\"matched\":%zu,\"unsupported\":%zu,\"ess\":",
                x->n_decisions, x->n_looks, x->n_matched, x->n_unsupported);
    put_real(b, evaluate_estimate_ess(x));
    sp_buf_addf(b, ",\"refused\":%s", is_refused ? "true" : "false");
    put_values(b, "logged", x->logged);
    put_values(b, "direct", x->direct);
    put_sums(b, "ips", x->ips, PART_SUM, is_refused);
    put_values(b, "snips", is_refused ? NULL : snips);
    put_sums(b, "dr", x->dr, PART_SUM, is_refused);
    put_sums(b, "ips_se", x->ips, PART_ERROR, is_refused);
    put_sums(b, "dr_se", x->dr, PART_ERROR, is_refused);
    sp_buf_add_char(b, '}');
}

static void put_target(struct sp_buf *b, const struct evaluate *e,
                       const struct evaluate_target *target, double min_ess)
{
    struct evaluate_estimate total;
    struct evaluate_estimate *sites = evaluate_estimate(e, target, &total);

    sp_buf_add(b, SP_STR("{\"target\":{\"name\":"));
    jput_string(b, target->name);
    sp_buf_addf(b, ",\"habit\":%s,\"threshold\":", target->is_habit ? "true" : "false");
    jput_double(b, target->threshold);
    sp_buf_add(b, SP_STR("},\"sites\":{"));
    for (size_t i = 0; i < e->sites.n; i++) {
        if (i > 0)
            sp_buf_add_char(b, ',');
        jput_string(b, sites[i].site);
        sp_buf_add_char(b, ':');
        put_estimate(b, &sites[i], min_ess);
    }
    sp_buf_add(b, SP_STR("},\"total\":"));
    put_estimate(b, &total, min_ess);
    sp_buf_add_char(b, '}');
    free(sites);
}

void evaluate_put_json(const struct evaluate *e, double min_ess, struct sp_buf *b)
{
    struct sp_buf compact = {0};

    sp_buf_add_char(&compact, '[');
    for (size_t i = 0; i < e->n_targets; i++) {
        if (i > 0)
            sp_buf_add_char(&compact, ',');
        put_target(&compact, e, &e->targets[i], min_ess);
    }
    sp_buf_add_char(&compact, ']');
    jindent(b, sp_buf_str(&compact));
    sp_buf_add_char(b, '\n');
    sp_buf_deinit(&compact);
}
