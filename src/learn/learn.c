/*
 * Learning a flow. What is counted is in the books (stepbook.h, tracebook.h, trybook.h,
 * casebook.h); here they are filled, in an order in which each finds what it stands on.
 */

#include <errno.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "learn/casebook.h"
#include "learn/heldout.h"
#include "learn/learn.h"
#include "learn/learnfile.h"
#include "learn/stepbook.h"
#include "learn/tracebook.h"
#include "learn/trybook.h"
#include "trace/sessionlog.h"
#include "trace/turns.h"

struct learner {
    const struct learn_options *options;
    bool *is_held; /* of each log, whether it is out of training */
    size_t n_done; /* logs, in all passes */
    size_t n_to_do;

    /* Of the sessions, each text once. */
    struct sp_map tools; /* that were called */
    struct sp_map models;
    struct sp_arena *arena;

    /* Of the flow that is being learned. */
    struct flow *flow;
    struct manifest listed;
    struct stepbook *steps;
    struct tracebook *traces;
    struct trybook *tries;
    uint64_t n_trained;

    struct casebook *cases;
};

/* ---- passes ---- */

typedef void (*log_fn)(struct learner *l, size_t i, const struct sessionlog *log);

/* Which logs a pass reads. */
enum pass { PASS_ALL, PASS_TRAINING, PASS_HELD };

static bool is_in(const struct learner *l, enum pass pass, size_t i)
{
    return pass == PASS_ALL || l->is_held[i] == (pass == PASS_HELD);
}

static int read_logs(struct learner *l, enum pass pass, log_fn fn, struct sp_err *ret_err)
{
    const struct learn_options *o = l->options;

    for (size_t i = 0; i < o->set->n_logs; i++) {
        struct sessionlog log;
        int err;

        l->n_done++;
        if (!is_in(l, pass, i))
            continue;
        err = sessionlog_read(o->set->logs[i].path, &log, ret_err);
        if (err < 0)
            return err;
        fn(l, i, &log);
        sessionlog_deinit(&log);
        if (o->on_progress != NULL)
            o->on_progress(o->progress_data, l->n_done, l->n_to_do);
    }
    return 0;
}

static struct turns *read_session(const struct learner *l, const struct sessionlog *log)
{
    struct turns *turns = sessionlog_turns(log);
    struct episode *e = turns_episode(turns);
    const size_t *reward = sp_map_find(l->options->rewards, e->id);

    e->task_id = e->id;
    e->reward = reward != NULL ? l->options->reward_values[*reward] : 1;
    return turns;
}

static void keep(struct learner *l, struct sp_map *texts, struct sp_str text)
{
    if (sp_map_find(texts, text) == NULL)
        sp_map_put(texts, sp_arena_copy(l->arena, text), NULL);
}

static void take_listing(struct learner *l, size_t i, const struct sessionlog *log)
{
    (void)i;
    manifest_add_log(&l->listed, log);
}

static void take_session(struct learner *l, size_t i, const struct sessionlog *log)
{
    struct turns *turns = read_session(l, log);
    const struct episode *e = turns_episode(turns);

    keep(l, &l->models, e->agent_model);
    for (size_t k = 0; k < e->n_events; k++) {
        for (size_t c = 0; c < e->events[k].n_calls; c++)
            keep(l, &l->tools, e->events[k].calls[c].name);
    }
    if (!l->is_held[i] && episode_succeeded(e)) {
        l->n_trained++;
        stepbook_add(l->steps, e);
        tracebook_add(l->traces, e);
    }
    turns_free(turns);
}

static void try_session(struct learner *l, size_t i, const struct sessionlog *log)
{
    struct turns *turns = read_session(l, log);

    (void)i;
    if (episode_succeeded(turns_episode(turns)))
        trybook_add(l->tries, turns_episode(turns));
    turns_free(turns);
}

static void ask_session(struct learner *l, size_t i, const struct sessionlog *log)
{
    struct turns *turns = read_session(l, log);

    (void)i;
    casebook_add(l->cases, turns_episode(turns), l->options->ask, l->options->ask_data);
    turns_free(turns);
}

/* ---- parts of the flow ---- */

static int compare_texts(const void *a, const void *b)
{
    return sp_str_cmp(*(const struct sp_str *)a, *(const struct sp_str *)b);
}

/* All texts of a map behind `n_before` other ones, sorted; the flow's. */
static struct sp_str *sorted(struct flow *f, const struct sp_map *texts, size_t n_before,
                             size_t *ret_n)
{
    struct sp_str *all = sp_arena_alloc(&f->arena, (n_before + texts->n) * sizeof *all);
    size_t n = n_before;
    struct sp_str text;
    size_t value;

    for (size_t at = 0; sp_map_next(texts, &at, &text, &value);)
        all[n++] = text;
    qsort(all + n_before, texts->n, sizeof *all, compare_texts);
    *ret_n = n;
    return all;
}

/* The tools as the sessions' servers listed them. */
static void set_listed_tools(struct flow *f, const struct manifest *m)
{
    f->kinds = sp_arena_alloc(&f->arena, m->n_tools * sizeof *f->kinds);
    f->docs = sp_arena_alloc(&f->arena, m->n_tools * sizeof *f->docs);
    for (size_t i = 0; i < m->n_tools; i++) {
        const struct manifest_tool *tool = &m->tools[i];
        struct sp_str name = sp_arena_copy(&f->arena, tool->name);
        struct flow_doc *doc;

        f->kinds[f->n_kinds++] = (struct flow_kind){name, tool->kind};
        if (!tool->has_doc)
            continue;
        doc = &f->docs[f->n_docs++];
        *doc = (struct flow_doc){
            .name = name,
            .summary = sp_arena_copy(&f->arena, tool->summary),
            .args = sp_arena_alloc(&f->arena, tool->n_args * sizeof *doc->args),
            .n_args = tool->n_args,
        };
        for (size_t k = 0; k < tool->n_args; k++) {
            doc->args[k].name = sp_arena_copy(&f->arena, tool->args[k].name);
            doc->args[k].text = sp_arena_copy(&f->arena, tool->args[k].text);
        }
    }
}

static void set_contracts(struct flow *f, const struct manifest *m)
{
    f->contracts = sp_arena_alloc(&f->arena, m->n_tools * sizeof *f->contracts);
    for (size_t i = 0; i < m->n_tools; i++) {
        if (m->tools[i].contract.p == NULL)
            continue;
        f->contracts[f->n_contracts++] = (struct flow_contract){
            sp_arena_copy(&f->arena, m->tools[i].name),
            sp_arena_copy(&f->arena, m->tools[i].contract),
        };
    }
}

static void set_reads(struct flow *f)
{
    f->sites.reads = sp_arena_alloc(&f->arena, f->n_kinds * sizeof *f->sites.reads);
    for (size_t i = 0; i < f->n_kinds; i++) {
        if (f->kinds[i].kind == MANIFEST_READ)
            f->sites.reads[f->sites.n_reads++] = f->kinds[i].name;
    }
}

/* What the listings or the manifest's file say. */
static int set_tools(struct learner *l, struct sp_err *ret_err)
{
    struct flow *f = l->flow;
    int err = read_logs(l, PASS_ALL, take_listing, ret_err);

    if (err < 0)
        return err;
    f->domain = l->options->domain;
    if (l->options->manifest.p != NULL)
        err = learnfile_read_tools(l->options->manifest, f, ret_err);
    else
        set_listed_tools(f, &l->listed);
    if (err < 0)
        return err;
    set_contracts(f, &l->listed);
    f->sites.every_read = l->options->every_read;
    flow_index(f);
    set_reads(f); /* in the order of the index */
    flow_index(f);
    return 0;
}

/* A message to the customer, then every tool that was called or listed. */
static void set_actions(struct learner *l)
{
    struct flow *f = l->flow;

    for (size_t i = 0; i < f->n_kinds; i++)
        keep(l, &l->tools, f->kinds[i].name);
    f->actions = sorted(f, &l->tools, 1, &f->n_actions);
    flow_index(f);
}

static void set_counts(struct learner *l)
{
    const struct learn_options *o = l->options;
    struct flow *f = l->flow;
    double alpha = o->alpha > 0 ? o->alpha : stepbook_alpha(l->steps, f);

    stepbook_choose_features(l->steps, f, alpha);
    flow_index(f);
    if (o->alpha == 0 && f->n_fields > 0)
        alpha = stepbook_alpha(l->steps, f);
    stepbook_count(l->steps, f, alpha);
    flow_index(f);
}

static void set_provenance(struct learner *l)
{
    struct flow *f = l->flow;

    f->provenance.stretto = SP_STR(SP_VERSION);
    f->provenance.habit_episodes = l->n_trained;
    f->provenance.sources = sorted(f, &l->models, 0, &f->provenance.n_sources);
}

/* ---- the habit and the bindings ---- */

static int fill(struct learner *l, struct sp_err *ret_err)
{
    int err = set_tools(l, ret_err);

    if (err < 0)
        return err;
    l->steps = stepbook_new();
    l->traces = tracebook_new(l->flow);
    err = read_logs(l, PASS_ALL, take_session, ret_err);
    if (err < 0)
        return err;
    if (l->n_trained == 0) {
        sp_err_set(ret_err, "no session to learn from succeeded (see --rewards)");
        return -ENOENT;
    }
    set_actions(l);
    set_counts(l);
    tracebook_set(l->traces, l->flow);
    flow_index(l->flow);
    l->tries = trybook_new(l->flow);
    err = read_logs(l, PASS_TRAINING, try_session, ret_err);
    if (err < 0)
        return err;
    trybook_set(l->tries, l->flow);
    set_provenance(l);
    flow_index(l->flow);
    return 0;
}

/* Learns all but the arbiter from the sessions that are not held out; ret is the caller's. */
static int learn_rest(struct learner *l, struct flow **ret, struct sp_err *ret_err)
{
    int err;

    l->flow = flow_new();
    l->n_trained = 0;
    err = fill(l, ret_err);
    trybook_free(l->tries);
    tracebook_free(l->traces);
    stepbook_free(l->steps);
    manifest_deinit(&l->listed);
    l->tries = NULL;
    l->traces = NULL;
    l->steps = NULL;
    if (err < 0)
        flow_free(l->flow);
    else
        *ret = l->flow;
    return err;
}

/* ---- the arbiter ---- */

static void serve(struct flow *f, const struct learn_arbiter *arbiter)
{
    struct flow_provenance *p = &f->provenance;
    size_t n = p->n_sources;
    struct sp_str *sources = sp_arena_alloc(&f->arena, (n + arbiter->n_sources) * sizeof *sources);

    f->predicates = arbiter->predicates;
    f->weighed = arbiter->weighed;
    f->folds = arbiter->folds;
    f->n_folds = FLOW_N_FOLDS;
    f->model = arbiter->model;
    f->sites.every_read |= arbiter->every_read;
    p->arbiter_cases = arbiter->cases;
    for (size_t i = 0; i < n; i++)
        sources[i] = p->sources[i];
    for (size_t i = 0; i < arbiter->n_sources; i++)
        sources[n + i] = arbiter->sources[i];
    p->sources = sources;
    p->n_sources = n + arbiter->n_sources;
    flow_index(f);
}

static int pick_held(struct learner *l, struct sp_err *ret_err)
{
    const struct sessionset *set = l->options->set;
    struct sp_str *ids;

    if (set->n_logs == 1) {
        sp_err_set(ret_err, "%zu sessions are too few to hold some out (at least 2)", set->n_logs);
        return -EINVAL;
    }
    if (set->n_logs == 0)
        return 0;
    ids = sp_calloc(set->n_logs, sizeof *ids);
    for (size_t i = 0; i < set->n_logs; i++)
        ids[i] = set->logs[i].session;
    heldout_pick(ids, set->n_logs, l->is_held);
    free(ids);
    return 0;
}

/* Walks the held-out sessions once; what was there before is dropped. */
static int ask_held(struct learner *l, struct sp_err *ret_err)
{
    casebook_free(l->cases);
    l->cases = casebook_new(l->flow);
    return read_logs(l, PASS_HELD, ask_session, ret_err);
}

/* Fits the arbiter of the flow that was learned from the training sessions. */
static int fit(struct learner *l, struct learn_arbiter *ret, struct sp_err *ret_err)
{
    const struct learn_options *o = l->options;
    struct flow *f = l->flow;
    struct flow_fold fold;
    int err;

    f->predicates = o->predicates;
    f->weighed = o->predicates;
    f->model = o->model;
    flow_index(f);
    err = ask_held(l, ret_err);
    if (err == 0)
        err = o->ask_all(o->ask_data, ret_err);
    if (err == 0)
        err = ask_held(l, ret_err);
    if (err < 0)
        return err;
    *ret = (struct learn_arbiter){
        .predicates = o->predicates,
        .weighed = o->predicates,
        .folds = sp_arena_alloc(l->arena, FLOW_N_FOLDS * sizeof *ret->folds),
        .model = o->model,
        .cases = casebook_count(l->cases).cases,
    };
    if (ret->cases == 0) {
        sp_err_set(ret_err, "no held-out decision was answered, so there is no arbiter to fit");
        return -ENODATA;
    }
    casebook_fit(l->cases, l->arena, &fold);
    for (size_t i = 0; i < FLOW_N_FOLDS; i++)
        ret->folds[i] = fold;
    return 0;
}

/* Learns from the training sessions and fits an arbiter on the others. */
static int learn_fitted(struct learner *l, struct flow **ret, struct sp_err *ret_err)
{
    bool again = l->options->mode == LEARN_FIT_AND_ALL;
    struct learn_arbiter arbiter;
    struct flow *f = NULL;
    int err = pick_held(l, ret_err);

    if (err == 0)
        err = learn_rest(l, &f, ret_err);
    if (err < 0)
        return err;
    err = fit(l, &arbiter, ret_err);
    casebook_free(l->cases);
    if (err < 0 || again)
        flow_free(f);
    if (err == 0 && again) {
        for (size_t i = 0; i < l->options->set->n_logs; i++)
            l->is_held[i] = false;
        err = learn_rest(l, &f, ret_err);
    }
    if (err < 0)
        return err;
    serve(f, &arbiter);
    *ret = f;
    return 0;
}

int learn(const struct learn_options *options, struct sp_arena *arena, struct flow **ret,
          struct sp_err *ret_err)
{
    static const size_t passes[] = {
        [LEARN_HABIT] = 3, [LEARN_WITH] = 3, [LEARN_FIT] = 5, [LEARN_FIT_AND_ALL] = 8};
    struct learner l = {
        .options = options,
        .is_held = sp_calloc(options->set->n_logs, sizeof *l.is_held),
        .n_to_do = passes[options->mode] * options->set->n_logs,
        .arena = arena,
    };
    int err;

    if (options->mode == LEARN_FIT || options->mode == LEARN_FIT_AND_ALL)
        err = learn_fitted(&l, ret, ret_err);
    else
        err = learn_rest(&l, ret, ret_err);
    if (err == 0 && options->mode == LEARN_WITH)
        serve(*ret, options->arbiter);
    sp_map_deinit(&l.tools);
    sp_map_deinit(&l.models);
    free(l.is_held);
    return err;
}
