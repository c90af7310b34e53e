/* The record of a decision: a line of the flow log. Members stand in byte order of their names. */

#include <math.h>

#include "flow/decide_state.h"
#include "json/jput.h"

static void put_real(struct sp_buf *b, double x)
{
    if (isfinite(x))
        jput_double(b, x);
    else
        sp_buf_add(b, SP_STR("null"));
}

static void put_text(struct sp_buf *b, struct sp_str text)
{
    if (text.p != NULL)
        jput_string(b, text);
    else
        sp_buf_add(b, SP_STR("null"));
}

static void put_bool(struct sp_buf *b, bool is_true)
{
    sp_buf_add(b, is_true ? SP_STR("true") : SP_STR("false"));
}

/* Appends the options and their chances; none without chances. */
static void put_chances(struct sp_buf *b, const struct predict_options *options,
                        const double *chances)
{
    sp_buf_add_char(b, '{');
    for (size_t i = 0; chances != NULL && i < options->n; i++) {
        if (i > 0)
            sp_buf_add_char(b, ',');
        jput_string(b, options->of[i]);
        sp_buf_add_char(b, ':');
        put_real(b, chances[i]);
    }
    sp_buf_add_char(b, '}');
}

static void put_predicates(struct sp_buf *b, const struct arbiter_answer *answer)
{
    sp_buf_add_char(b, '{');
    for (size_t i = 0; i < answer->n_predicates; i++) {
        if (i > 0)
            sp_buf_add_char(b, ',');
        jput_string(b, answer->predicates[i].name);
        sp_buf_add_char(b, ':');
        put_real(b, answer->predicates[i].p);
    }
    sp_buf_add_char(b, '}');
}

/* The chance of an option's arguments. */
static void put_binding(struct sp_buf *b, const struct decide *d, size_t i, bool is_bound)
{
    if (is_bound)
        put_real(b, d->bindings[i].result.chance);
    else
        sp_buf_add(b, SP_STR("null"));
}

static void put_policy_option(struct sp_buf *b, const struct decide *d, size_t i)
{
    const struct bind_result *result = &d->bindings[i].result;

    sp_buf_add(b, SP_STR("{\"arguments\":"));
    sp_buf_add(b, result->is_bound ? sp_buf_str(&result->arguments) : SP_STR("null"));
    sp_buf_add(b, SP_STR(",\"binding\":"));
    put_binding(b, d, i, result->is_bound);
    sp_buf_add(b, SP_STR(",\"habit\":"));
    put_real(b, d->habit[i]);
    sp_buf_add(b, SP_STR(",\"p\":"));
    put_real(b, d->chances[i]);
    sp_buf_add(b, SP_STR(",\"tool\":"));
    jput_string(b, d->choices.of[i]);
    if (!result->is_bound) {
        sp_buf_add(b, SP_STR(",\"unbound\":"));
        jput_string(b, sp_buf_str(&result->why));
    }
    sp_buf_add_char(b, '}');
}

static const char *decider_name(enum decide_decider decider)
{
    switch (decider) {
    case DECIDE_ARBITER:
        return "arbiter";
    case DECIDE_HABIT:
        return "habit";
    case DECIDE_REACH:
        return "reach";
    }
    return "";
}

static void put_policy(struct sp_buf *b, const struct decide *d)
{
    struct sp_str greedy = {0};
    bool is_first = true;

    if (d->greedy != DECIDE_NONE)
        greedy = d->choices.of[d->greedy];
    sp_buf_addf(b, "{\"decider\":\"%s\",\"epsilon\":", decider_name(d->options.decider));
    put_real(b, d->options.epsilon);
    sp_buf_addf(b, ",\"events\":%zu,\"explored\":", d->n_events);
    put_bool(b, d->is_explored);
    sp_buf_add(b, SP_STR(",\"greedy\":"));
    put_text(b, greedy);
    sp_buf_add(b, SP_STR(",\"options\":["));
    for (size_t i = 0; i < d->choices.n; i++) {
        if (i == d->choices.respond)
            continue;
        if (!is_first)
            sp_buf_add_char(b, ',');
        is_first = false;
        put_policy_option(b, d, i);
    }
    sp_buf_add(b, SP_STR("],\"propensity\":"));
    put_real(b, d->propensity);
    sp_buf_add(b, SP_STR(",\"task_id\":"));
    jput_string(b, d->task_id);
    sp_buf_add(b, SP_STR(",\"threshold\":"));
    put_real(b, d->threshold);
    sp_buf_add_char(b, '}');
}

/* Appends the members up to `predicates`. */
static void put_first_half(struct sp_buf *b, const struct decide *d,
                           const struct decide_context *context)
{
    bool is_lookup = d->lookup != DECIDE_NONE;
    bool is_logged = context->after.p != NULL;

    sp_buf_addf(b, "\"action\":\"%s\"", is_lookup ? "lookup" : "hand_back");
    if (is_logged) {
        sp_buf_add(b, SP_STR(",\"address\":"));
        jput_string(b, context->address);
        sp_buf_add(b, SP_STR(",\"after\":"));
        sp_buf_add(b, context->after);
    }
    if (is_lookup) {
        sp_buf_add(b, SP_STR(",\"arguments\":"));
        sp_buf_add(b, decide_arguments(d));
    }
    sp_buf_add(b, SP_STR(",\"binding\":"));
    put_binding(b, d, d->judged, d->is_bound);
    sp_buf_add(b, SP_STR(",\"key\":"));
    put_text(b, d->has_asked ? context->key : (struct sp_str){0});
    if (is_logged)
        sp_buf_addf(b, ",\"ms\":%ju", (uintmax_t)context->ms);
    sp_buf_add(b, SP_STR(",\"oracle\":"));
    put_chances(b, &d->choices, d->answer.one);
    if (d->has_policy) {
        sp_buf_add(b, SP_STR(",\"policy\":"));
        put_policy(b, d);
    }
}

void decide_put_record(const struct decide *d, const struct decide_context *context,
                       struct sp_buf *b)
{
    put_first_half(b, d, context);
    sp_buf_add(b, SP_STR(",\"predicates\":"));
    put_predicates(b, &d->answer);
    sp_buf_add(b, SP_STR(",\"prob\":"));
    if (d->judged != DECIDE_NONE)
        put_real(b, d->chances[d->judged]);
    else
        sp_buf_add(b, SP_STR("null"));
    sp_buf_add(b, SP_STR(",\"probs\":"));
    put_chances(b, &d->choices, d->chances);
    if (d->lookup == DECIDE_NONE) {
        sp_buf_add(b, SP_STR(",\"reason\":"));
        jput_string(b, decide_reason(d));
    }
    if (context->after.p != NULL && context->is_shadow)
        sp_buf_add(b, SP_STR(",\"shadow\":true"));
    sp_buf_add(b, SP_STR(",\"site\":"));
    put_text(b, decide_site(d));
    if (d->lookup != DECIDE_NONE) {
        sp_buf_add(b, SP_STR(",\"tool\":"));
        jput_string(b, decide_tool(d));
    }
}
