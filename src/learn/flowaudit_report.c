/* An audit as Markdown and as JSON. */

#include <math.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "flow/markdown.h"
#include "json/jindent.h"
#include "json/jput.h"
#include "learn/flowaudit_tally.h"

static double expected_agreement(const struct flowaudit *a)
{
    return a->total.decisions > 0 ? a->expected / (double)a->total.decisions : 0;
}

static double bin_mean(const struct flowaudit_bin *bin)
{
    return bin->prob / (double)bin->decisions;
}

static double bin_agreement(const struct flowaudit_bin *bin)
{
    return (double)bin->hits / (double)bin->decisions;
}

/* The expected calibration error: how far the bins' probabilities are off on average. */
static double calibration_error(const struct flowaudit *a)
{
    double error = 0;

    for (size_t i = 0; i < FLOWAUDIT_N_BINS; i++) {
        const struct flowaudit_bin *bin = &a->bins[i];

        if (bin->decisions > 0)
            error += (double)bin->decisions / (double)a->total.decisions *
                     fabs(bin_mean(bin) - bin_agreement(bin));
    }
    return error;
}

static int compare_sites(const void *a, const void *b)
{
    const struct flowaudit_site *x = *(const struct flowaudit_site *const *)a;
    const struct flowaudit_site *y = *(const struct flowaudit_site *const *)b;

    if (x->score.decisions != y->score.decisions)
        return x->score.decisions < y->score.decisions ? 1 : -1;
    return sp_str_cmp(x->name, y->name);
}

/* The sites with the most decisions first; the caller frees the array. */
static const struct flowaudit_site **sorted_sites(const struct flowaudit *a)
{
    const struct flowaudit_site **sites = sp_calloc(a->n_sites, sizeof *sites);

    for (size_t i = 0; i < a->n_sites; i++)
        sites[i] = &a->sites[i];
    qsort(sites, a->n_sites, sizeof *sites, compare_sites);
    return sites;
}

/* ---- Markdown ---- */

static void put_counted(struct sp_buf *b, uint64_t n, const char *what)
{
    markdown_put_count(b, n);
    sp_buf_addf(b, " %s%s", what, n == 1 ? "" : "s");
}

/* Appends a share as a percentage with one decimal. */
static void put_percent(struct sp_buf *b, double share)
{
    sp_buf_addf(b, "%.1f%%", 100 * share);
}

/* Appends how surprising decisions were on average; 0 has no sign. */
static void put_nats(struct sp_buf *b, const struct flowaudit_score *score)
{
    sp_buf_addf(b, "%.3f", 0 - flowaudit_tally_mean(score));
}

static void put_summary(struct sp_buf *b, const struct flowaudit *a)
{
    sp_buf_add(b, SP_STR("# Flow audit: "));
    markdown_put_text(b, a->options.flow->domain);
    sp_buf_add(b, SP_STR("\n\n"));
    put_counted(b, a->episodes, "episode");
    sp_buf_add(b, SP_STR(", "));
    put_counted(b, a->total.decisions, "decision");
    sp_buf_add(b, SP_STR(" of the agent behind a result; "));
    markdown_put_count(b, a->unanswered);
    sp_buf_add(b, SP_STR(" left out, as the flow's question had no answer.\n\n- Agreement: "));
    put_percent(b, flowaudit_tally_agreement(&a->total));
    sp_buf_add(b, SP_STR(" of the steps were the likeliest; "));
    put_percent(b, expected_agreement(a));
    sp_buf_add(b, SP_STR(" is what the flow expects of the agent's steps on average\n"
                         "- Surprise: "));
    put_nats(b, &a->total);
    sp_buf_addf(b,
                " nats per decision (log probability of the whole path: %.1f)\n"
                "- Expected calibration error: %.3f\n",
                a->total.log_prob, calibration_error(a));
}

static void put_sites(struct sp_buf *b, const struct flowaudit *a)
{
    const struct flowaudit_site **sites = sorted_sites(a);

    sp_buf_add(b, SP_STR("\n## Sites\n\n"
                         "| Site | Decisions | Agreement | Nats per decision |\n"
                         "|---|---|---|---|\n"));
    for (size_t i = 0; i < a->n_sites; i++) {
        const struct flowaudit_score *score = &sites[i]->score;

        sp_buf_add(b, SP_STR("| "));
        markdown_put_code(b, sites[i]->name);
        sp_buf_add(b, SP_STR(" | "));
        markdown_put_count(b, score->decisions);
        sp_buf_add(b, SP_STR(" | "));
        put_percent(b, flowaudit_tally_agreement(score));
        sp_buf_add(b, SP_STR(" | "));
        put_nats(b, score);
        sp_buf_add(b, SP_STR(" |\n"));
    }
    free(sites);
}

static void put_calibration(struct sp_buf *b, const struct flowaudit *a)
{
    sp_buf_add(b, SP_STR("\n## Calibration\n\n"
                         "Decisions by the probability of the likeliest option: its mean should be "
                         "the agreement.\n\n"
                         "| Probability | Decisions | Mean | Agreement |\n"
                         "|---|---|---|---|\n"));
    for (size_t i = 0; i < FLOWAUDIT_N_BINS; i++) {
        const struct flowaudit_bin *bin = &a->bins[i];

        if (bin->decisions == 0)
            continue;
        sp_buf_addf(b, "| %.1f–%.1f | ", (double)i / FLOWAUDIT_N_BINS,
                    (double)(i + 1) / FLOWAUDIT_N_BINS);
        markdown_put_count(b, bin->decisions);
        sp_buf_add(b, SP_STR(" | "));
        put_percent(b, bin_mean(bin));
        sp_buf_add(b, SP_STR(" | "));
        put_percent(b, bin_agreement(bin));
        sp_buf_add(b, SP_STR(" |\n"));
    }
}

static void put_lowest(struct sp_buf *b, const struct flowaudit *a)
{
    sp_buf_add(b, SP_STR("\n## Least expected episodes\n\n"
                         "| Episode | Task | Decisions | Nats per decision |\n"
                         "|---|---|---|---|\n"));
    for (size_t i = 0; i < a->n_lowest; i++) {
        const struct flowaudit_episode *e = &a->lowest[i];

        sp_buf_add(b, SP_STR("| "));
        markdown_put_code(b, sp_buf_str(&e->id));
        sp_buf_add(b, SP_STR(" | "));
        markdown_put_code(b, sp_buf_str(&e->task));
        sp_buf_add(b, SP_STR(" | "));
        markdown_put_count(b, e->score.decisions);
        sp_buf_add(b, SP_STR(" | "));
        put_nats(b, &e->score);
        sp_buf_add(b, SP_STR(" |\n"));
    }
}

void flowaudit_put_markdown(const struct flowaudit *a, struct sp_buf *b)
{
    put_summary(b, a);
    if (a->total.decisions == 0)
        return;
    put_sites(b, a);
    put_calibration(b, a);
    put_lowest(b, a);
}

/* ---- JSON, with the members in the order in which a reader wants them ---- */

/* Appends a member behind others. */
static void put_uint(struct sp_buf *b, const char *name, uint64_t n)
{
    sp_buf_addf(b, ",\"%s\":%ju", name, (uintmax_t)n);
}

static void put_real(struct sp_buf *b, const char *name, double x)
{
    sp_buf_addf(b, ",\"%s\":", name);
    jput_double(b, x);
}

static void put_totals_json(struct sp_buf *b, const struct flowaudit *a)
{
    sp_buf_add(b, SP_STR("\"domain\":"));
    jput_string(b, a->options.flow->domain);
    put_uint(b, "episodes", a->episodes);
    put_uint(b, "decisions", a->total.decisions);
    put_uint(b, "unanswered", a->unanswered);
    put_real(b, "log_prob", a->total.log_prob);
    put_real(b, "mean_log_prob", flowaudit_tally_mean(&a->total));
    put_real(b, "agreement", flowaudit_tally_agreement(&a->total));
    put_real(b, "expected_agreement", expected_agreement(a));
    put_real(b, "ece", calibration_error(a));
}

static void put_calibration_json(struct sp_buf *b, const struct flowaudit *a)
{
    bool is_first = true;

    for (size_t i = 0; i < FLOWAUDIT_N_BINS; i++) {
        const struct flowaudit_bin *bin = &a->bins[i];

        if (bin->decisions == 0)
            continue;
        sp_buf_add(b, is_first ? SP_STR("{\"from\":") : SP_STR(",{\"from\":"));
        is_first = false;
        jput_double(b, (double)i / FLOWAUDIT_N_BINS);
        put_uint(b, "decisions", bin->decisions);
        put_real(b, "mean_prob", bin_mean(bin));
        put_real(b, "agreement", bin_agreement(bin));
        sp_buf_add_char(b, '}');
    }
}

static void put_sites_json(struct sp_buf *b, const struct flowaudit *a)
{
    const struct flowaudit_site **sites = sorted_sites(a);

    for (size_t i = 0; i < a->n_sites; i++) {
        const struct flowaudit_score *score = &sites[i]->score;

        sp_buf_add(b, i == 0 ? SP_STR("{\"site\":") : SP_STR(",{\"site\":"));
        jput_string(b, sites[i]->name);
        put_uint(b, "decisions", score->decisions);
        put_real(b, "agreement", flowaudit_tally_agreement(score));
        put_real(b, "mean_log_prob", flowaudit_tally_mean(score));
        sp_buf_add_char(b, '}');
    }
    free(sites);
}

static void put_lowest_json(struct sp_buf *b, const struct flowaudit *a)
{
    for (size_t i = 0; i < a->n_lowest; i++) {
        const struct flowaudit_episode *e = &a->lowest[i];

        sp_buf_add(b, i == 0 ? SP_STR("{\"episode\":") : SP_STR(",{\"episode\":"));
        jput_string(b, sp_buf_str(&e->id));
        sp_buf_add(b, SP_STR(",\"task\":"));
        jput_string(b, sp_buf_str(&e->task));
        put_uint(b, "decisions", e->score.decisions);
        put_real(b, "mean_log_prob", flowaudit_tally_mean(&e->score));
        sp_buf_add_char(b, '}');
    }
}

void flowaudit_put_json(const struct flowaudit *a, struct sp_buf *b)
{
    struct sp_buf compact = {0};

    sp_buf_add_char(&compact, '{');
    put_totals_json(&compact, a);
    sp_buf_add(&compact, SP_STR(",\"calibration\":["));
    put_calibration_json(&compact, a);
    sp_buf_add(&compact, SP_STR("],\"sites\":["));
    put_sites_json(&compact, a);
    sp_buf_add(&compact, SP_STR("],\"surprising\":["));
    put_lowest_json(&compact, a);
    sp_buf_add(&compact, SP_STR("]}"));
    jindent(b, sp_buf_str(&compact));
    sp_buf_add_char(b, '\n');
    sp_buf_deinit(&compact);
}
