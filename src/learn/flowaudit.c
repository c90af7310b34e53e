/*
 * The agent's steps under a flow's probabilities.
 *
 * The recorded session grows again; where a result is followed by anything but a result, the agent
 * knows all it asked for and makes a step. There the flow is asked at an infinite threshold, which
 * gives its probabilities and never a lookup, and the step is held against these.
 */

#include <math.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "learn/flowaudit_tally.h"
#include "learn/regrow.h"

/* No option is less likely than this. */
#define MIN_PROB 1e-6

/* Nor more: what a flow with absurd counts gives still has a finite sum. */
#define MAX_PROB 1e100

struct flowaudit *flowaudit_new(const struct flowaudit_options *options)
{
    struct flowaudit *a = sp_calloc(1, sizeof *a);

    a->options = *options;
    return a;
}

void flowaudit_free(struct flowaudit *a)
{
    if (a == NULL)
        return;
    flowaudit_tally_deinit(a);
    free(a);
}

struct flowaudit_counts flowaudit_count(const struct flowaudit *a)
{
    return (struct flowaudit_counts){a->episodes, a->total.decisions, a->unanswered};
}

/*
 * The agent's step: an option's index, or that behind the last for any other.
 *
 * next: the event that follows.
 */
static size_t step_of(const struct flow *f, const struct predict_options *options,
                      const struct episode_event *next)
{
    const struct flow_kind *kind;

    if (next->kind != EPISODE_ASSISTANT || next->n_calls == 0)
        return options->respond;
    for (size_t i = 0; i < options->n; i++) {
        if (sp_str_eq(options->of[i], next->calls[0].name))
            return i;
    }
    kind = flow_kind_of(f, next->calls[0].name);
    return kind != NULL && kind->kind == MANIFEST_READ ? options->n : options->respond;
}

static double limited(double p)
{
    return p >= MIN_PROB ? fmin(p, MAX_PROB) : MIN_PROB;
}

/* Makes chances of `n` options, and of any other step behind them, add up to 1. */
static void normalise(const double *chances, size_t n, double *ret)
{
    double given = 0;
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        given += chances[i];
        ret[i] = limited(chances[i]);
    }
    ret[n] = limited(1 - given);
    for (size_t i = 0; i <= n; i++)
        sum += ret[i];
    for (size_t i = 0; i <= n; i++)
        ret[i] /= sum;
}

static void score(struct flowaudit *a, const struct decide *d, const struct episode_event *next)
{
    const struct predict_options *options;
    const double *chances = decide_chances(d, &options);
    double *probs;

    if (chances == NULL) {
        a->unanswered += decide_has_asked(d);
        return;
    }
    probs = sp_calloc(options->n + 1, sizeof *probs);
    normalise(chances, options->n, probs);
    flowaudit_tally_decision(a, decide_site(d), probs, options->n + 1,
                             step_of(a->options.flow, options, next));
    free(probs);
}

/* Scores the step that follows what has grown so far. */
static void score_step(struct flowaudit *a, struct regrow *grown, const struct episode_event *next)
{
    struct decide_options options = {
        .decider = a->options.decider,
        .threshold = INFINITY,
        .recall = &grown->recall,
    };
    struct episode_view view = episode_view_whole(&grown->now);
    enum decide_outcome outcome;
    struct sp_str key;
    struct decide *d;

    outcome = decide_begin(a->options.flow, &options, grown->bind, &view, &d);
    if (outcome == DECIDE_ASKS)
        (void)ask_decide(a->options.ask, a->options.ask_data, d, &key, &outcome);
    score(a, d, next);
    decide_free(d);
}

void flowaudit_add(struct flowaudit *a, const struct episode *e)
{
    struct regrow grown;

    regrow_init(&grown, e, a->options.flow);
    for (size_t i = 1; i < e->n_events; i++) {
        if (e->events[i - 1].kind != EPISODE_RESULT || e->events[i].kind == EPISODE_RESULT)
            continue;
        regrow_to(&grown, i);
        score_step(a, &grown, &e->events[i]);
    }
    regrow_deinit(&grown);
    flowaudit_tally_episode(a, e->id, e->task_id);
}
