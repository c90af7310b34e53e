/* The counting of an audit. */

#include <math.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "learn/flowaudit_tally.h"

double flowaudit_tally_mean(const struct flowaudit_score *score)
{
    return score->decisions > 0 ? score->log_prob / (double)score->decisions : 0;
}

double flowaudit_tally_agreement(const struct flowaudit_score *score)
{
    return score->decisions > 0 ? (double)score->hits / (double)score->decisions : 0;
}

static void add(struct flowaudit_score *score, bool is_hit, double log_prob)
{
    score->decisions++;
    score->hits += is_hit;
    score->log_prob += log_prob;
}

/* The score of a site; a site that is new gets one. */
static struct flowaudit_score *site_of(struct flowaudit *a, struct sp_str name)
{
    const size_t *found = sp_map_find(&a->sites_by_name, name);
    struct flowaudit_site *site;

    if (found != NULL)
        return &a->sites[*found].score;
    if (a->n_sites == a->max_sites) {
        a->max_sites = 2 * a->max_sites + 8;
        a->sites = sp_realloc(a->sites, a->max_sites * sizeof *a->sites);
    }
    site = &a->sites[a->n_sites];
    *site = (struct flowaudit_site){.name = sp_arena_copy(&a->arena, name)};
    *sp_map_put(&a->sites_by_name, site->name, NULL) = a->n_sites++;
    return &site->score;
}

void flowaudit_tally_decision(struct flowaudit *a, struct sp_str site, const double *probs,
                              size_t n, size_t step)
{
    double log_prob = log(probs[step]);
    struct flowaudit_bin *bin;
    size_t top = 0;
    bool is_hit;

    for (size_t i = 1; i < n; i++) {
        if (probs[i] > probs[top])
            top = i;
    }
    is_hit = top == step;
    add(&a->total, is_hit, log_prob);
    add(&a->episode, is_hit, log_prob);
    add(site_of(a, site), is_hit, log_prob);
    a->expected += probs[step];

    bin = &a->bins[(size_t)fmin(FLOWAUDIT_N_BINS - 1, floor(FLOWAUDIT_N_BINS * probs[top]))];
    bin->decisions++;
    bin->hits += is_hit;
    bin->prob += probs[top];
}

static void episode_deinit_texts(struct flowaudit_episode *e)
{
    sp_buf_deinit(&e->id);
    sp_buf_deinit(&e->task);
}

/* Makes room among the lowest at index `i`; where they are too many, the last is dropped. */
static void open_place(struct flowaudit *a, size_t i)
{
    if (a->n_lowest == FLOWAUDIT_MAX_LOWEST)
        episode_deinit_texts(&a->lowest[FLOWAUDIT_MAX_LOWEST - 1]);
    else
        a->n_lowest++;
    for (size_t k = a->n_lowest - 1; k > i; k--)
        a->lowest[k] = a->lowest[k - 1];
}

void flowaudit_tally_episode(struct flowaudit *a, struct sp_str id, struct sp_str task)
{
    double mean = flowaudit_tally_mean(&a->episode);
    size_t i = a->n_lowest;

    while (i > 0 && mean < flowaudit_tally_mean(&a->lowest[i - 1].score))
        i--;
    if (a->episode.decisions > 0 && i < FLOWAUDIT_MAX_LOWEST) {
        open_place(a, i);
        a->lowest[i] = (struct flowaudit_episode){.score = a->episode};
        sp_buf_add(&a->lowest[i].id, id);
        sp_buf_add(&a->lowest[i].task, task);
    }
    a->episode = (struct flowaudit_score){0};
    a->episodes++;
}

void flowaudit_tally_deinit(struct flowaudit *a)
{
    for (size_t i = 0; i < a->n_lowest; i++)
        episode_deinit_texts(&a->lowest[i]);
    free(a->sites);
    sp_map_deinit(&a->sites_by_name);
    sp_arena_deinit(&a->arena);
}
