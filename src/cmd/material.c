/* What a flow is judged on. */

#include <errno.h>

#include "cmd/material.h"
#include "cmd/progress.h"
#include "trace/results.h"
#include "trace/sessionlog.h"
#include "trace/sessionset.h"
#include "trace/tau2.h"

/* What is given, and which of the results. */
struct giving {
    const struct material *material;
    struct sp_str domain;
    struct tau2_split split; /* if it has a checkout */
    struct sp_map tasks;     /* empty: all */
    material_fn fn;
    void *data;
    uint64_t n; /* episodes so far */
    struct progress progress;
};

static void give(struct giving *g, const struct episode *e, const struct turns *turns)
{
    g->n++;
    g->fn(g->data, e, turns);
}

static int give_session(struct giving *g, const char *path, struct sp_err *ret_err)
{
    struct sessionlog log;
    struct turns *turns;
    struct episode *e;
    int err = sessionlog_read(path, &log, ret_err);

    if (err < 0)
        return err;
    turns = sessionlog_turns(&log);
    e = turns_episode(turns);
    e->task_id = e->id;
    give(g, e, turns);
    turns_free(turns);
    sessionlog_deinit(&log);
    return 0;
}

static int give_sessions(struct giving *g, struct sp_err *ret_err)
{
    struct sessionset set = {0};
    int err = 0;

    if (g->material->sessions != NULL)
        err = sessionset_add(&set, g->material->sessions, ret_err);
    if (err == 0) {
        sessionset_sort(&set);
        for (size_t i = 0; err == 0 && i < set.n_logs; i++) {
            err = give_session(g, set.logs[i].path, ret_err);
            progress_tell(&g->progress, "sessions", i + 1, set.n_logs);
        }
    }
    sessionset_deinit(&set);
    return err;
}

static bool is_wanted(const struct giving *g, const struct episode *e)
{
    return (g->material->tau2 == NULL || sp_map_find(&g->split.ids, e->task_id) != NULL) &&
           (g->tasks.n == 0 || sp_map_find(&g->tasks, e->task_id) != NULL);
}

static int give_results(struct giving *g, const char *path, struct sp_err *ret_err)
{
    struct results results;
    int err = results_read(path, &results, ret_err);

    if (err < 0)
        return err;
    for (size_t i = 0; sp_str_eq(results.domain, g->domain) && i < results.n_episodes; i++) {
        if (is_wanted(g, &results.episodes[i]))
            give(g, &results.episodes[i], NULL);
    }
    results_deinit(&results);
    return 0;
}

/* Appends an option as it was given, its values joined by ", ". */
static void put_option(struct sp_buf *b, const char *name, const struct sp_str *values, size_t n)
{
    sp_buf_addf(b, " %s", name);
    for (size_t i = 0; i < n; i++)
        sp_buf_addf(b, "%s%.*s", i > 0 ? ", " : " ", SP_STR_ARG(values[i]));
}

/* Tells that there is no episode, naming what may bring some, and what was asked for. */
static void set_none(const struct giving *g, struct sp_err *ret_err)
{
    const struct material *m = g->material;
    struct sp_str sessions = sp_str_of(m->sessions != NULL ? m->sessions : "(not given)");
    struct sp_str not_given = SP_STR("(not given)");
    struct sp_buf b = {0};

    sp_buf_addf(&b, "no episodes of %.*s in", SP_STR_ARG(g->domain));
    put_option(&b, "--sessions", &sessions, 1);
    sp_buf_add(&b, SP_STR(" or"));
    put_option(&b, "--results", m->results.n > 0 ? m->results.v : &not_given,
               m->results.n > 0 ? m->results.n : 1);
    if (m->tau2 != NULL)
        sp_buf_addf(&b, " with --tau2 %s", m->tau2);
    if (m->tasks.n > 0) {
        sp_buf_add(&b, SP_STR(" with"));
        put_option(&b, "--task-ids", m->tasks.v, m->tasks.n);
    }
    sp_err_set(ret_err, "%s", sp_buf_cstr(&b));
    sp_buf_deinit(&b);
}

int material_each(const struct material *m, struct sp_str domain, material_fn fn, void *data,
                  struct sp_err *ret_err)
{
    struct giving g = {.material = m, .domain = domain, .fn = fn, .data = data};
    int err = 0;

    for (size_t i = 0; i < m->tasks.n; i++)
        sp_map_put(&g.tasks, m->tasks.v[i], NULL);
    progress_init(&g.progress);
    if (m->tau2 != NULL)
        err = tau2_read_split(m->tau2, domain, "test", &g.split, ret_err);
    if (err == 0)
        err = give_sessions(&g, ret_err);
    for (size_t i = 0; err == 0 && i < m->results.n; i++)
        err = give_results(&g, m->results.v[i].p, ret_err);
    progress_end(&g.progress);
    if (err == 0 && g.n == 0) {
        set_none(&g, ret_err);
        err = -ENOENT;
    }
    tau2_split_deinit(&g.split);
    sp_map_deinit(&g.tasks);
    return err;
}
