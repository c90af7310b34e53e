/* The arbiter: reading an answer, and a softmax of weighted features. */

#include <float.h>
#include <math.h>

#include "flow/arbiter.h"
#include "flow/question.h"

/* How many decisions a site's rates over all sites count for. */
#define PRIOR_DECISIONS 10

/* Nothing is less likely than this where its logarithm, or its logit, is taken. */
#define MIN_LOG   1e-6
#define MIN_LOGIT 1e-4

/* The features besides those of the predicates that come before them. */
#define N_LEADING 4

static const struct oracle_answer *answer_of(const struct oracle_response *r, struct sp_str id,
                                             enum oracle_type type)
{
    const struct oracle_answer *a = oracle_answer_of(r, id);

    return a != NULL && a->type == type ? a : NULL;
}

/* Reads what was asked at once; untouched without such an answer. */
static bool read_one(const struct oracle_response *r, const struct predict_options *options,
                     struct arbiter_answer *ret)
{
    const struct oracle_answer *next = answer_of(r, QUESTION_NEXT, ORACLE_CHOICE);

    if (next == NULL)
        return false;
    ret->pick = options->respond;
    for (size_t i = 0; i < options->n; i++) {
        ret->one[i] = oracle_chance_of(next, options->of[i]);
        if (sp_str_eq(next->choice, options->of[i]))
            ret->pick = i;
    }
    return true;
}

/* Reads what was asked in two steps. With one lookup the first step says it all. */
static bool read_two(const struct oracle_response *r, const struct predict_options *options,
                     struct arbiter_answer *ret)
{
    const struct oracle_answer *go_on = answer_of(r, QUESTION_GO_ON, ORACLE_NOUL);
    const struct oracle_answer *tool = oracle_answer_of(r, QUESTION_TOOL);

    if (go_on == NULL || (tool != NULL ? tool->type != ORACLE_CHOICE : options->n != 2))
        return false;
    for (size_t i = 0; i < options->n; i++) {
        if (i == options->respond)
            ret->two[i] = 1 - go_on->noul;
        else
            ret->two[i] =
                tool != NULL ? go_on->noul * oracle_chance_of(tool, options->of[i]) : go_on->noul;
    }
    return true;
}

static void read_predicates(const struct oracle_response *r, struct sp_arena *arena,
                            struct arbiter_answer *ret)
{
    ret->predicates = sp_arena_alloc(arena, r->n_answers * sizeof *ret->predicates);
    for (size_t i = 0; i < r->n_answers; i++) {
        const struct oracle_answer *a = &r->answers[i];
        struct sp_str id = a->id;

        if (a->type != ORACLE_NOUL || !sp_str_starts(id, QUESTION_PREDICATE))
            continue;
        id = sp_str_sub(id, QUESTION_PREDICATE.len, id.len);
        ret->predicates[ret->n_predicates++] =
            (struct oracle_chance){sp_arena_copy(arena, id), a->noul};
    }
}

bool arbiter_read(const struct oracle_response *response, const struct predict_options *options,
                  struct sp_arena *arena, struct arbiter_answer *ret)
{
    struct arbiter_answer answer = {
        .one = sp_arena_alloc(arena, options->n * sizeof *answer.one),
        .two = sp_arena_alloc(arena, options->n * sizeof *answer.two),
    };

    if (!read_one(response, options, &answer) || !read_two(response, options, &answer))
        return false;
    read_predicates(response, arena, &answer);
    *ret = answer;
    return true;
}

/* An answer's numbers are finite, but the product of two need not be. */
static double log_of(double p)
{
    return log(fmin(fmax(p, MIN_LOG), DBL_MAX));
}

static double logit_of(double p)
{
    p = fmin(fmax(p, MIN_LOGIT), 1 - MIN_LOGIT);
    return log(p / (1 - p));
}

/* The logit of a predicate's yes; 0 when it was not answered. */
static double said_of(const struct arbiter_answer *answer, struct sp_str id)
{
    for (size_t i = 0; i < answer->n_predicates; i++) {
        if (sp_str_eq(answer->predicates[i].name, id))
            return logit_of(answer->predicates[i].p);
    }
    return 0;
}

static bool bears_on(const struct flow_favors *favors, const struct predict_site *site,
                     struct sp_str option, bool is_respond)
{
    switch (favors->kind) {
    case FLOW_SAME_LOOKUP:
        return sp_str_eq(option, site->prev);
    case FLOW_ANY_LOOKUP:
        return !is_respond;
    case FLOW_HAND_BACK:
        return is_respond;
    case FLOW_ONE_LOOKUP:
        return sp_str_eq(option, favors->lookup);
    }
    return false;
}

/* A rate at a site, drawn to what it is over all sites while there are few decisions. */
static double rate_of(double n, double decisions, double overall)
{
    return (n + PRIOR_DECISIONS * overall) / (decisions + PRIOR_DECISIONS);
}

size_t arbiter_n_features(const struct flow *f)
{
    return N_LEADING + f->weighed.n + 1;
}

void arbiter_features(const struct flow *f, const struct flow_fold *fold,
                      const struct predict_site *site, const struct predict_options *options,
                      const double *habit, const struct arbiter_answer *answer, size_t option,
                      double *ret)
{
    const struct flow_rate *rate = flow_rate_of(fold, site->name);
    bool is_respond = option == options->respond;
    double agreed = rate != NULL ? rate->agreed : 0;
    double decisions = rate != NULL ? rate->decisions : 0;

    *ret++ = log_of(habit[option]);
    *ret++ = log_of(answer->one[option]);
    *ret++ = log_of(answer->two[option]);
    *ret++ = is_respond;
    for (size_t i = 0; i < f->weighed.n; i++) {
        const struct flow_predicate *p = &f->weighed.of[i];
        bool bears = bears_on(&p->favors, site, options->of[option], is_respond);

        *ret++ = bears ? said_of(answer, p->id) : 0;
    }
    *ret = option == answer->pick ? logit_of(rate_of(agreed, decisions, fold->agree)) : 0;
}

/* Turns scores into chances that add up to `total`. */
static void spread(double *scores, size_t n, double total)
{
    double max = scores[0];
    double sum = 0;

    for (size_t i = 1; i < n; i++)
        max = fmax(max, scores[i]);
    for (size_t i = 0; i < n; i++) {
        scores[i] = exp(scores[i] - max);
        sum += scores[i];
    }
    for (size_t i = 0; i < n; i++)
        scores[i] = total * scores[i] / sum;
}

double *arbiter_chances(const struct flow *f, const struct flow_fold *fold,
                        const struct predict_site *site, const struct predict_options *options,
                        const double *habit, const struct arbiter_answer *answer,
                        struct sp_arena *arena)
{
    const struct flow_rate *rate = flow_rate_of(fold, site->name);
    double covered = rate != NULL ? rate->covered : 0;
    double decisions = rate != NULL ? rate->decisions : 0;
    size_t n = arbiter_n_features(f);
    double *x = sp_arena_alloc(arena, n * sizeof *x);
    double *chances = sp_arena_alloc(arena, options->n * sizeof *chances);

    for (size_t i = 0; i < options->n; i++) {
        arbiter_features(f, fold, site, options, habit, answer, i, x);
        for (size_t k = 0; k < n; k++)
            chances[i] += fold->weights[k] * x[k];
    }
    spread(chances, options->n, rate_of(covered, decisions, fold->cover));
    return chances;
}
