/*
 * A decision from start to end.
 *
 *  1. Where the flow has no business deciding, it hands back at once.
 *  2. The decider gives every option its chance. The arbiter asks a System-One model first: then
 *     every lookup is bound before the question goes out, since the session goes on meanwhile.
 *  3. The rule takes a lookup whose chance, times that of its arguments, reaches the threshold.
 *  4. Exploration may replace what the rule chose.
 */

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "flow/decide_state.h"
#include "flow/question.h"
#include "json/jput.h"

/* What begins a decision; none of it is kept. */
struct inputs {
    struct bind *bind;
    const struct episode_view *view;
    struct recall *recall;
};

enum decide_decider decide_default(const struct flow *flow)
{
    if (flow->n_folds > 0)
        return DECIDE_ARBITER;
    return flow->has_reach ? DECIDE_REACH : DECIDE_HABIT;
}

uint64_t decide_hash(struct sp_str text)
{
    return explore_hash(EXPLORE_HASH_START, text);
}

static enum decide_outcome hand_back(struct decide *d, const char *reason)
{
    sp_buf_add(&d->reason, sp_str_of(reason));
    return DECIDE_HAND_BACK;
}

/* Appends the shortest decimal form without exponent, and without ".0" for whole numbers. */
static void put_threshold(struct sp_buf *b, double t)
{
    struct sp_buf text = {0};
    struct sp_str s;
    size_t e;

    if (!isfinite(t)) {
        sp_buf_add(b, isnan(t) ? SP_STR("nan") : t > 0 ? SP_STR("inf") : SP_STR("-inf"));
        return;
    }
    jput_double(&text, t);
    s = sp_buf_str(&text);
    e = sp_str_find(s, 'e');
    if (e == s.len) {
        sp_buf_add(b, sp_str_ends(s, SP_STR(".0")) ? sp_str_sub(s, 0, s.len - 2) : s);
    } else {
        /* From here on whole numbers have fewer digits than places, and others none before it. */
        long exponent = strtol(sp_buf_cstr(&text) + e + 1, NULL, 10);
        long n_digits = 0;

        if (t < 0)
            sp_buf_add_char(b, '-');
        if (exponent < 0)
            sp_buf_add(b, SP_STR("0."));
        for (long i = exponent; i < -1; i++)
            sp_buf_add_char(b, '0');
        for (size_t i = 0; i < e; i++) {
            if (s.p[i] < '0' || s.p[i] > '9')
                continue;
            sp_buf_add_char(b, s.p[i]);
            n_digits++;
        }
        for (; n_digits <= exponent; n_digits++)
            sp_buf_add_char(b, '0');
    }
    sp_buf_deinit(&text);
}

/* What an option's binding is; it is tried if it was not. */
static const struct bind_result *bound(struct decide *d, const struct inputs *in, size_t i)
{
    struct decide_binding *binding = &d->bindings[i];

    if (!binding->is_tried) {
        assert(in != NULL); /* before a question all are tried */
        bind_lookup(in->bind, in->view, d->choices.of[i], &binding->result);
        binding->is_tried = true;
    }
    return &binding->result;
}

static void bind_all(struct decide *d, const struct inputs *in)
{
    for (size_t i = 0; i < d->choices.n; i++) {
        if (i != d->choices.respond)
            (void)bound(d, in, i); /* kept in the decision */
    }
}

static void judge_unlikely(struct decide *d, size_t i)
{
    d->judged = i;
    sp_buf_addf(&d->reason, "%.*s at %.2f, below ", SP_STR_ARG(d->choices.of[i]), d->chances[i]);
    put_threshold(&d->reason, d->threshold);
}

static void judge_unbound(struct decide *d, const struct bind_result *result, size_t i)
{
    d->judged = i;
    sp_buf_addf(&d->reason, "%.*s: ", SP_STR_ARG(d->choices.of[i]));
    sp_buf_add(&d->reason, sp_buf_str(&result->why));
}

/* Judges a lookup that binds. */
static void judge_bound(struct decide *d, const struct bind_result *result, size_t i)
{
    d->judged = i;
    d->is_bound = true;
    if (d->chances[i] * result->chance >= d->threshold) {
        d->lookup = i;
        return;
    }
    sp_buf_addf(&d->reason, "%.*s at %.2f, times %.2f for its arguments, below ",
                SP_STR_ARG(d->choices.of[i]), d->chances[i], result->chance);
    put_threshold(&d->reason, d->threshold);
}

/* The lookup with the highest chance, the first of equals. */
static size_t likeliest(const struct decide *d)
{
    size_t best = DECIDE_NONE;

    for (size_t i = 0; i < d->choices.n; i++) {
        if (i != d->choices.respond && (best == DECIDE_NONE || d->chances[i] > d->chances[best]))
            best = i;
    }
    return best;
}

/* The options exclude each other: only the likeliest is judged. */
static void rule_of_one(struct decide *d, const struct inputs *in)
{
    size_t i = likeliest(d);
    const struct bind_result *result;

    if (!(d->chances[i] >= d->threshold)) {
        judge_unlikely(d, i);
        return;
    }
    result = bound(d, in, i);
    if (result->is_bound)
        judge_bound(d, result, i);
    else
        judge_unbound(d, result, i);
}

/* Each lookup stands on its own. */
static void rule_of_each(struct decide *d, const struct inputs *in)
{
    size_t best = DECIDE_NONE;
    size_t unbound = DECIDE_NONE;
    double best_chance = 0;

    for (size_t i = 0; i < d->choices.n; i++) {
        const struct bind_result *result;
        double chance;

        if (i == d->choices.respond || !(d->chances[i] >= d->threshold))
            continue;
        result = bound(d, in, i);
        chance = d->chances[i] * result->chance;
        if (!result->is_bound) {
            unbound = i;
        } else if (best == DECIDE_NONE || chance > best_chance) {
            best = i;
            best_chance = chance;
        }
    }
    if (best != DECIDE_NONE)
        judge_bound(d, &d->bindings[best].result, best);
    else if (unbound != DECIDE_NONE)
        judge_unbound(d, &d->bindings[unbound].result, unbound);
    else
        judge_unlikely(d, likeliest(d));
}

static void explore(struct decide *d, const struct inputs *in)
{
    struct explore_option *options = sp_arena_alloc(&d->arena, d->choices.n * sizeof *options);
    struct explore_choice choice;

    bind_all(d, in);
    for (size_t i = 0; i < d->choices.n; i++) {
        options[i].p = d->chances[i];
        options[i].is_possible = i != d->choices.respond && d->bindings[i].result.is_bound;
    }
    d->has_policy = true;
    d->greedy = d->lookup;
    choice = explore_choose(options, d->choices.n, d->greedy, d->options.epsilon, &d->draws);
    d->is_explored = choice.is_explored;
    d->propensity = choice.propensity;
    if (choice.is_explored)
        d->lookup = choice.option;
}

/*
 * Decides by the chances.
 *
 * in: NULL when all lookups have been bound.
 */
static enum decide_outcome weigh(struct decide *d, const struct inputs *in)
{
    if (d->options.decider == DECIDE_REACH)
        rule_of_each(d, in);
    else
        rule_of_one(d, in);
    if (d->options.explores)
        explore(d, in);
    return d->lookup != DECIDE_NONE ? DECIDE_LOOKUP : DECIDE_HAND_BACK;
}

/* Whether the flow decides at the site at all; if not, the reason is set. */
static bool is_open(struct decide *d)
{
    const struct flow *f = d->flow;
    const struct flow_threshold *threshold = flow_threshold_of(f, d->site.name);
    const struct flow_promoted_site *promoted = flow_promoted_of(f, d->site.name);

    d->threshold = threshold != NULL ? threshold->threshold : d->options.threshold;
    if (f->is_promoted && (promoted == NULL || !promoted->promoted))
        (void)hand_back(d, "the site is not promoted");
    else if (threshold != NULL && threshold->threshold > 1)
        (void)hand_back(d, "the site is switched off");
    else if (d->choices.n < 2)
        (void)hand_back(d, "no lookups followed here in training");
    else
        return true;
    return false;
}

/* Takes what exploration needs of the session. */
static void prepare_draws(struct decide *d, const struct inputs *in)
{
    const struct episode *e = in->view->episode;

    d->task_id = sp_arena_copy(&d->arena, e->task_id);
    d->n_events = e->n_events;
    if (d->options.epsilon > 0)
        d->draws.state = d->options.seed ^ explore_hash_view(in->view, in->recall);
}

static enum decide_outcome ask(struct decide *d, const struct inputs *in)
{
    bind_all(d, in);
    recall_update(in->recall, in->view->episode);
    question_make(d->flow, in->view, in->recall, &d->site, &d->choices, &d->request);
    d->has_asked = true;
    return DECIDE_ASKS;
}

static enum decide_outcome begin(struct decide *d, const struct inputs *in)
{
    d->has_site = predict_site(in->view, &d->arena, &d->site);
    if (!d->has_site)
        return hand_back(d, "the last step is not a tool call");
    d->site.prev = sp_arena_copy(&d->arena, d->site.prev);
    d->choices = predict_options(d->flow, &d->site, &d->arena);
    if (!is_open(d))
        return DECIDE_HAND_BACK;

    d->bindings = sp_arena_alloc(&d->arena, d->choices.n * sizeof *d->bindings);
    d->habit = predict_by_habit(d->flow, in->view, &d->choices, &d->arena);
    if (d->options.explores)
        prepare_draws(d, in);
    switch (d->options.decider) {
    case DECIDE_ARBITER:
        assert(d->flow->n_folds == FLOW_N_FOLDS);
        d->fold = &d->flow->folds[decide_hash(in->view->episode->task_id) % FLOW_N_FOLDS];
        return ask(d, in);
    case DECIDE_REACH:
        assert(d->flow->has_reach);
        d->chances = predict_by_reach(d->flow, in->view, &d->choices, &d->arena);
        break;
    case DECIDE_HABIT:
        d->chances = d->habit;
        break;
    }
    return weigh(d, in);
}

enum decide_outcome decide_begin(const struct flow *flow, const struct decide_options *options,
                                 struct bind *bind, const struct episode_view *view,
                                 struct decide **ret)
{
    struct decide *d = sp_calloc(1, sizeof *d);
    struct recall none = {0};
    struct inputs in = {bind, view, options->recall != NULL ? options->recall : &none};
    enum decide_outcome outcome;

    d->flow = flow;
    d->options = *options;
    d->options.recall = NULL;
    d->judged = DECIDE_NONE;
    d->lookup = DECIDE_NONE;
    outcome = begin(d, &in);
    recall_deinit(&none);
    *ret = d;
    return outcome;
}

const struct oracle_request *decide_request(const struct decide *d)
{
    return &d->request;
}

enum decide_outcome decide_answer(struct decide *d, const struct oracle_response *response)
{
    if (!arbiter_read(response, &d->choices, &d->arena, &d->answer))
        return hand_back(d, "the System-One answer was incomplete");
    d->chances =
        arbiter_chances(d->flow, d->fold, &d->site, &d->choices, d->habit, &d->answer, &d->arena);
    return weigh(d, NULL);
}

enum decide_outcome decide_no_answer(struct decide *d, const char *why)
{
    sp_buf_addf(&d->reason, "the System-One model failed: %s", why);
    return DECIDE_HAND_BACK;
}

bool decide_has_asked(const struct decide *d)
{
    return d->has_asked;
}

struct sp_str decide_tool(const struct decide *d)
{
    return d->choices.of[d->lookup];
}

struct sp_str decide_arguments(const struct decide *d)
{
    return sp_buf_str(&d->bindings[d->lookup].result.arguments);
}

struct sp_str decide_reason(const struct decide *d)
{
    return sp_buf_str(&d->reason);
}

struct sp_str decide_site(const struct decide *d)
{
    return d->has_site ? d->site.name : (struct sp_str){0};
}

const double *decide_chances(const struct decide *d, const struct predict_options **ret_options)
{
    if (d->chances != NULL)
        *ret_options = &d->choices;
    return d->chances;
}

void decide_free(struct decide *d)
{
    if (d == NULL)
        return;
    for (size_t i = 0; d->bindings != NULL && i < d->choices.n; i++) {
        if (d->bindings[i].is_tried)
            bind_result_deinit(&d->bindings[i].result);
    }
    oracle_request_deinit(&d->request);
    sp_buf_deinit(&d->reason);
    sp_arena_deinit(&d->arena);
    free(d);
}
