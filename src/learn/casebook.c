/*
 * The decisions of held-out sessions. What an answer says is kept as it was read: the features of
 * its options depend on how reliable the answers were, which is known when all are in.
 */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "flow/arbiter.h"
#include "flow/question.h"
#include "learn/arbiterfit.h"
#include "learn/beforestep.h"
#include "learn/casebook.h"

/* The agent did something that was not offered. */
#define NOT_OFFERED SIZE_MAX

/* A decision that was answered in full. */
struct booked {
    struct predict_site site;
    struct predict_options options;
    double *habit;
    struct arbiter_answer answer;
    size_t chosen; /* the agent's option, or NOT_OFFERED */
};

struct casebook {
    const struct flow *f;
    struct booked *cases;
    size_t n_cases;
    size_t max_cases;
    uint64_t n_decisions;
    struct sp_arena arena; /* of what the cases hold */
};

/* Who answers. */
struct asked {
    ask_fn fn;
    void *data;
};

struct casebook *casebook_new(const struct flow *f)
{
    struct casebook *c = sp_calloc(1, sizeof *c);

    c->f = f;
    return c;
}

void casebook_free(struct casebook *c)
{
    if (c == NULL)
        return;
    free(c->cases);
    sp_arena_deinit(&c->arena);
    free(c);
}

struct casebook_counts casebook_count(const struct casebook *c)
{
    return (struct casebook_counts){c->n_decisions, c->n_cases};
}

/* ---- decisions ---- */

/* What the agent did, as an option. A call that is no lookup hands back. */
static size_t agents_option(const struct flow *f, const struct predict_options *options,
                            const struct episode_call *call)
{
    const struct flow_kind *kind = call != NULL ? flow_kind_of(f, call->name) : NULL;

    if (kind == NULL || kind->kind != MANIFEST_READ)
        return options->respond;
    for (size_t i = 0; i < options->n; i++) {
        if (i != options->respond && sp_str_eq(options->of[i], call->name))
            return i;
    }
    return NOT_OFFERED;
}

static void add_case(struct casebook *c, const struct booked *booked)
{
    if (c->n_cases == c->max_cases) {
        c->max_cases = c->max_cases > 0 ? 2 * c->max_cases : 64;
        c->cases = sp_realloc(c->cases, c->max_cases * sizeof *c->cases);
    }
    c->cases[c->n_cases++] = *booked;
}

/* Whether the question is answered in full. */
static bool ask_about(struct casebook *c, const struct beforestep *before, struct booked *booked,
                      const struct asked *asked)
{
    struct episode_view view = episode_view_whole(&before->now);
    struct oracle_request request;
    struct oracle_response response;
    struct sp_str key;
    struct sp_err why;
    bool is_complete = false;

    question_make(c->f, &view, &before->recall, &booked->site, &booked->options, &request);
    if (asked->fn(asked->data, &request, &key, &response, &why) == 0) {
        is_complete = arbiter_read(&response, &booked->options, &c->arena, &booked->answer);
        oracle_response_deinit(&response);
    }
    oracle_request_deinit(&request);
    return is_complete;
}

/* The step is a decision if the flow has one to make there. */
static void add_step(struct casebook *c, const struct beforestep *before,
                     const struct episode_call *call, const struct asked *asked)
{
    struct episode_view view = episode_view_whole(&before->now);
    struct booked booked;

    if (!predict_site(&view, &c->arena, &booked.site))
        return;
    booked.options = predict_options(c->f, &booked.site, &c->arena);
    if (booked.options.n < 2)
        return;
    c->n_decisions++;
    booked.site.prev = sp_arena_copy(&c->arena, booked.site.prev);
    booked.chosen = agents_option(c->f, &booked.options, call);
    if (!ask_about(c, before, &booked, asked))
        return;
    booked.habit = predict_by_habit(c->f, &view, &booked.options, &c->arena);
    add_case(c, &booked);
}

void casebook_add(struct casebook *c, const struct episode *e, ask_fn ask, void *data)
{
    struct asked asked = {ask, data};
    struct beforestep before;
    const struct episode_call *call;

    beforestep_init(&before, e);
    while (beforestep_next(&before, &call))
        add_step(c, &before, call, &asked);
    beforestep_deinit(&before);
}

/* ---- the fit ---- */

static void count_case(const struct booked *booked, struct flow_rate *rate)
{
    rate->decisions++;
    rate->agreed += booked->chosen == booked->answer.pick;
    rate->covered += booked->chosen != NOT_OFFERED;
}

static void set_rates(const struct casebook *c, struct sp_arena *arena, struct flow_fold *ret)
{
    struct sp_map numbers = {0}; /* of the sites, by name */
    struct flow_rate all = {0};

    for (size_t i = 0; i < c->n_cases; i++)
        sp_map_put(&numbers, c->cases[i].site.name, NULL);
    ret->sites = sp_arena_alloc(arena, numbers.n * sizeof *ret->sites);
    sp_map_deinit(&numbers);
    for (size_t i = 0; i < c->n_cases; i++) {
        const struct booked *booked = &c->cases[i];
        bool is_new;
        size_t *number = sp_map_put(&numbers, booked->site.name, &is_new);

        if (is_new) {
            *number = ret->n_sites++;
            ret->sites[*number].site = sp_arena_copy(arena, booked->site.name);
        }
        count_case(booked, &ret->sites[*number]);
        count_case(booked, &all);
    }
    sp_map_deinit(&numbers);
    ret->agree = all.decisions > 0 ? all.agreed / all.decisions : 0;
    ret->cover = all.decisions > 0 ? all.covered / all.decisions : 0;
    flow_index_fold(ret);
}

static struct arbiterfit_case case_of(const struct casebook *c, const struct booked *booked,
                                      const struct flow_fold *rates, struct sp_arena *arena)
{
    size_t n = rates->n_weights;
    double *x = sp_arena_alloc(arena, booked->options.n * n * sizeof *x);

    for (size_t i = 0; i < booked->options.n; i++)
        arbiter_features(c->f, rates, &booked->site, &booked->options, booked->habit,
                         &booked->answer, i, x + i * n);
    return (struct arbiterfit_case){x, booked->options.n, booked->chosen};
}

void casebook_fit(const struct casebook *c, struct sp_arena *arena, struct flow_fold *ret)
{
    struct flow_fold fold = {.n_weights = arbiter_n_features(c->f)};
    struct arbiterfit_case *cases = sp_calloc(c->n_cases, sizeof *cases);
    struct sp_arena features = {0};
    size_t n = 0;

    set_rates(c, arena, &fold);
    for (size_t i = 0; i < c->n_cases; i++) {
        if (c->cases[i].chosen != NOT_OFFERED)
            cases[n++] = case_of(c, &c->cases[i], &fold, &features);
    }
    fold.weights = sp_arena_alloc(arena, fold.n_weights * sizeof *fold.weights);
    (void)arbiterfit(cases, n, fold.n_weights, fold.weights); /* how well they fit is not kept */
    *ret = fold;
    sp_arena_deinit(&features);
    free(cases);
}
