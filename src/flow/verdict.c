/* What a flow does at a site by its counts alone. */

#include <stdlib.h>

#include "flow/bind_rules.h"
#include "flow/markdown.h"
#include "flow/predict.h"
#include "flow/origin.h"
#include "flow/verdict.h"

/* A symbol is (action * 4 + outcome) * 4096 + feature. */
#define OUTCOME_SHIFT 12
#define ACTION_SHIFT  14
#define OUTCOME_MASK  3

/* ---- shares ---- */

static bool is_behind(const struct flow_context *c, uint64_t action, bool failed)
{
    uint32_t symbol = c->history[0];

    return symbol != FLOW_PADDING && symbol >> ACTION_SHIFT == action &&
           (symbol >> OUTCOME_SHIFT & OUTCOME_MASK) == (failed ? 1U : 0U);
}

static int cmp_shares(const void *a, const void *b)
{
    const struct verdict_share *x = a;
    const struct verdict_share *y = b;

    if (x->share != y->share)
        return x->share > y->share ? -1 : 1;
    return sp_str_cmp(x->action, y->action);
}

/* Adds up what the habit counted behind the calls: by action, all that is no tool as the first. */
static double *count_next(const struct flow *f, struct sp_str tool, bool failed, double *ret_total,
                          struct sp_arena *arena)
{
    double *counts = sp_arena_alloc(arena, f->n_actions * sizeof *counts);
    uint64_t action = flow_action(f, tool);
    const struct flow_level *level = &f->habit.levels[1];

    if (action == f->n_actions || f->habit.n_levels < 2)
        return counts;
    for (size_t i = 0; i < level->n; i++) {
        const struct flow_context *c = &level->contexts[i];

        if (!is_behind(c, action, failed))
            continue;
        *ret_total += c->counts.total;
        for (size_t k = 0; k < c->counts.n; k++) {
            uint64_t next = c->counts.by_action[k].action;

            counts[next < f->n_actions ? next : 0] += c->counts.by_action[k].n;
        }
    }
    return counts;
}

struct verdict_shares verdict_shares(const struct flow *f, struct sp_str tool, bool failed,
                                     struct sp_arena *arena)
{
    struct verdict_shares shares = {0};
    double *counts = count_next(f, tool, failed, &shares.total, arena);

    shares.of = sp_arena_alloc(arena, f->n_actions * sizeof *shares.of);
    for (size_t i = 0; i < f->n_actions; i++) {
        if (counts[i] > 0 && shares.total > 0)
            shares.of[shares.n++] = (struct verdict_share){
                i > 0 ? f->actions[i] : PREDICT_RESPOND,
                counts[i] / shares.total,
            };
    }
    if (shares.n > 0)
        qsort(shares.of, shares.n, sizeof *shares.of, cmp_shares);
    return shares;
}

double verdict_share_of(const struct verdict_shares *shares, struct sp_str action)
{
    for (size_t i = 0; i < shares->n; i++) {
        if (sp_str_eq(shares->of[i].action, action))
            return shares->of[i].share;
    }
    return 0;
}

/* ---- binding ---- */

static bool has_rule(const struct flow_traced *traced)
{
    for (size_t i = 0; i < traced->n_found; i++) {
        if (bind_rules_has(traced, &traced->found[i]))
            return true;
    }
    return false;
}

bool verdict_can_bind(const struct flow *f, struct sp_str lookup, struct sp_str arg)
{
    const struct flow_traced *traced = flow_traced_of(&f->bindings.lists, lookup, arg);

    if (origin_constant(f, lookup, arg) != NULL)
        return true;
    if (traced == NULL)
        traced = flow_traced_of(&f->bindings.sources, lookup, arg);
    return traced != NULL && has_rule(traced);
}

bool verdict_chance(const struct flow *f, struct sp_str lookup, double *ret)
{
    const struct flow_args *args = flow_args_of(f, lookup);
    const struct flow_agreed *agreed = flow_agreed_of(f, lookup);
    const struct flow_doc *doc = flow_doc_of(f, lookup);
    double right = 0, tried = 0;

    if (args == NULL) {
        if (doc == NULL)
            return false;
        *ret = doc->n_args == 0 ? 1 : 0.5;
        return true;
    }
    for (size_t i = 0; i < args->args.n; i++) {
        const struct flow_tally *arg = &args->args.of[i];

        if (bind_rules_requires(args, arg) && !verdict_can_bind(f, lookup, arg->name))
            return false;
    }
    if (agreed != NULL) {
        right = (double)agreed->unmentioned.hits + (double)agreed->mentioned.hits;
        tried = (double)agreed->unmentioned.n + (double)agreed->mentioned.n;
    }
    *ret = (right + 1) / (tried + 2);
    return true;
}

/* ---- the verdict ---- */

/* Sets the likely lookup of those that are offered; whether there is any. */
static bool find_likely(const struct flow *f, const struct predict_site *site,
                        struct sp_arena *arena, struct verdict *v)
{
    struct predict_options options = predict_options(f, site, arena);
    struct verdict_shares shares = verdict_shares(f, site->prev, site->failed, arena);
    bool is_found = false;

    for (size_t i = 0; i < options.n; i++) {
        double share;

        if (i == options.respond)
            continue;
        share = verdict_share_of(&shares, options.of[i]);
        if (is_found && share <= v->share)
            continue;
        is_found = true;
        v->lookup = options.of[i];
        v->share = share;
    }
    if (!is_found)
        return false;
    v->is_bound = verdict_chance(f, v->lookup, &v->chance);
    v->probability = v->is_bound ? v->share * v->chance : 0;
    return true;
}

static struct verdict judge(const struct flow *f, const struct predict_site *site, double threshold,
                            struct sp_arena *arena)
{
    const struct flow_threshold *own = flow_threshold_of(f, site->name);
    const struct flow_promoted_site *promoted = flow_promoted_of(f, site->name);
    struct verdict v = {.kind = VERDICT_NOTHING};

    if (own != NULL && own->threshold > 1)
        return (struct verdict){.kind = VERDICT_OFF};
    if (f->is_promoted && (promoted == NULL || !promoted->promoted))
        return (struct verdict){.kind = VERDICT_NOT_PROMOTED};
    if (!find_likely(f, site, arena, &v))
        return v;
    v.kind = v.is_bound && v.probability >= (own != NULL ? own->threshold : threshold)
                 ? VERDICT_LOOKS_UP
                 : VERDICT_HANDS_BACK;
    return v;
}

struct verdict verdict_of(const struct flow *f, struct sp_str tool, bool failed, double threshold)
{
    struct sp_arena arena = {0};
    struct sp_buf name = {0};
    struct verdict v;

    sp_buf_add(&name, tool);
    if (failed)
        sp_buf_add(&name, SP_STR(" (error)"));
    v = judge(f, &(struct predict_site){tool, failed, sp_buf_str(&name)}, threshold, &arena);
    sp_buf_deinit(&name);
    sp_arena_deinit(&arena);
    return v;
}

/* ---- words ---- */

void verdict_put(struct sp_buf *b, const struct verdict *v)
{
    switch (v->kind) {
    case VERDICT_LOOKS_UP:
        sp_buf_add(b, SP_STR("looks up "));
        markdown_put_code(b, v->lookup);
        sp_buf_addf(b, " (%.2f × %.2f = %.2f)", v->share, v->chance, v->probability);
        break;
    case VERDICT_HANDS_BACK:
        sp_buf_add(b, SP_STR("hands back ("));
        markdown_put_code(b, v->lookup);
        if (v->is_bound)
            sp_buf_addf(b, " %.2f × %.2f = %.2f)", v->share, v->chance, v->probability);
        else
            sp_buf_addf(b, " %.2f, unbound)", v->share);
        break;
    case VERDICT_NOTHING:
        sp_buf_add(b, SP_STR("hands back (nothing offered)"));
        break;
    case VERDICT_OFF:
        sp_buf_add(b, SP_STR("hands back (switched off)"));
        break;
    case VERDICT_NOT_PROMOTED:
        sp_buf_add(b, SP_STR("hands back (not promoted)"));
        break;
    }
}

void verdict_put_site(struct sp_buf *b, struct sp_str tool, bool failed)
{
    markdown_put_code(b, tool);
    if (failed)
        sp_buf_add(b, SP_STR(" (failed)"));
}
