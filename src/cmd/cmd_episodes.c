/* stretto episodes: prints the episodes of sessions and results files. */

#include <errno.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/screen.h"
#include "cmd/sources.h"
#include "trace/episodejson.h"

struct episodes_options {
    bool json;
    const char *view;
    struct sp_opt_list results;
    struct sp_opt_list sessions;
};

#define AT(field) .offset = offsetof(struct episodes_options, field)

static const struct sp_opt table[] = {
    {"SESSIONS", .kind = SP_OPT_ARGS, AT(sessions),
     .help = "directories of session logs, and session logs"},
    {"json", .kind = SP_OPT_FLAG, AT(json), .help = "print each episode as canonical JSON"},
    {"view", .kind = SP_OPT_TEXT, AT(view), .arg = "CALL_ID",
     .help = "print each episode as it stood when this call returned"},
    {"results", .kind = SP_OPT_EACH, AT(results), .arg = "FILE",
     .help = "a results file of tau2-bench; may be repeated"},
    CMD_HELP,
};

/* A line for a reader. */
static void put_summary(struct sp_buf *b, const struct episode *e)
{
    size_t n_turns = 0, n_calls = 0, n_failed = 0, n_user = 0;

    for (size_t i = 0; i < e->n_events; i++) {
        n_turns += e->events[i].kind == EPISODE_ASSISTANT;
        n_calls += e->events[i].n_calls;
        n_failed += e->events[i].is_error;
        n_user += e->events[i].kind == EPISODE_USER;
    }
    screen_put(b, e->id, SIZE_MAX);
    sp_buf_add(b, SP_STR("  "));
    screen_put(b, e->domain, SIZE_MAX);
    sp_buf_add(b, SP_STR("  "));
    screen_put(b, e->agent_model, SIZE_MAX);
    if (e->task_id.len > 0) {
        sp_buf_add(b, SP_STR("  task "));
        screen_put(b, e->task_id, SIZE_MAX);
        sp_buf_addf(b, ", trial %ju, reward %g", (uintmax_t)e->trial, e->reward);
    }
    sp_buf_addf(b, "  turns %zu, calls %zu (%zu failed), messages of the user %zu", n_turns,
                n_calls, n_failed, n_user);
}

static void put_view(struct sp_buf *b, const struct episode *e, struct sp_str call_id,
                     const struct turns *turns)
{
    struct episode_view view;

    episode_view_after(e, call_id, &view);
    sp_buf_add(b, SP_STR("{\"episode\":"));
    episodejson_put(b, &view);
    sp_buf_add(b, SP_STR(",\"pending\":"));
    episodejson_put_calls(b, view.pending, view.n_pending);
    sp_buf_add(b, SP_STR(",\"sent_after\":"));
    if (turns != NULL)
        turns_put_sent_after(turns, b);
    else
        sp_buf_add(b, SP_STR("{}"));
    sp_buf_add_char(b, '}');
    episode_view_deinit(&view);
}

/* Adds an episode's line; `turns` is NULL for one of a results file. */
static int add_episode(struct spool *spool, const struct episodes_options *o,
                       const struct episode *e, const struct turns *turns, struct sp_err *ret_err)
{
    struct sp_buf *b = &spool->text;
    int err;

    if (o->view != NULL) {
        put_view(b, e, sp_str_of(o->view), turns);
    } else if (o->json) {
        struct episode_view whole = episode_view_whole(e);

        episodejson_put(b, &whole);
    } else {
        put_summary(b, e);
    }
    sp_buf_add_char(b, '\n');
    err = spool_added(spool);
    if (err < 0)
        sp_err_set(ret_err, "keeping the output: %s", sp_err_cause(err));
    return err;
}

static int add_session(struct spool *spool, const struct episodes_options *o, const char *path,
                       struct sp_err *ret_err)
{
    struct sessionlog log;
    struct turns *turns;
    int err = sessionlog_read(path, &log, ret_err);

    if (err < 0)
        return err;
    turns = sessionlog_turns(&log);
    err = add_episode(spool, o, turns_episode(turns), turns, ret_err);
    turns_free(turns);
    sessionlog_deinit(&log);
    return err;
}

static int add_all(struct spool *spool, const struct episodes_options *o,
                   const struct sources *sources, struct sp_err *ret_err)
{
    int err = 0;

    for (size_t i = 0; err == 0 && i < sources->set.n_logs; i++)
        err = add_session(spool, o, sources->set.logs[i].path, ret_err);
    for (size_t i = 0; err == 0 && i < sources->n_results; i++) {
        const struct results *results = &sources->results[i];

        for (size_t k = 0; err == 0 && k < results->n_episodes; k++)
            err = add_episode(spool, o, &results->episodes[k], NULL, ret_err);
    }
    if (err == 0 && spool->text.len == 0 && spool->file == NULL) {
        struct sp_buf paths = {0};

        sources_put_paths(&paths, o->sessions.n > 0 ? &o->sessions : &o->results);
        sp_err_set(ret_err, "no episodes in %s", sp_buf_cstr(&paths));
        sp_buf_deinit(&paths);
        err = -ENOENT;
    }
    return err;
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
    struct episodes_options o = {0};
    struct sources sources = {0};
    struct spool spool = {0};
    struct sp_err err;
    int status = 0;

    if (!cmd_parse(cmd, argc, argv, &o, NULL, &status))
        goto out;
    if (o.sessions.n == 0 && o.results.n == 0) {
        status = cmd_misused(cmd, "SESSIONS or --results is missing");
        goto out;
    }
    if (sources_open(&sources, &o.sessions, &o.results, &err) < 0 ||
        add_all(&spool, &o, &sources, &err) < 0)
        status = cmd_fail("%s", err.text);
    else
        status = cmd_print(&spool);
out:
    spool_deinit(&spool);
    sources_deinit(&sources);
    free(o.sessions.v);
    free(o.results.v);
    return status;
}

const struct cmd cmd_episodes = {
    .name = "episodes",
    .usage = "[--json] [--view CALL_ID] [--results FILE]... [SESSIONS]...",
    .summary = "print what happened in sessions: turns, calls, results",
    .text = "Prints one line for each session: what the user said, the agent's turns with\n"
            "their calls, and the calls' results, as every other command reads them.\n",
    .table = table,
    .n_table = sizeof table / sizeof table[0],
    .run = run,
};
