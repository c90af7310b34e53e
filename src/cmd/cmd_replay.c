/* stretto replay: what a flow would have done in recorded sessions. */

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/progress.h"
#include "cmd/served.h"
#include "cmd/sources.h"
#include "io/oracle_cache.h"
#include "json/jput.h"
#include "learn/replay_report.h"

#define DEFAULT_THRESHOLD 0.3
#define DEFAULT_PER_CALL  8

enum { ORACLE_REPLAY = 1, ORACLE_MOCK };

struct replay_args {
    const char *flow;
    struct sp_opt_list sessions;
    int decider;
    struct sp_opt_number threshold;
    struct sp_opt_uint per_call;
    int oracle;
    const char *cache;
    bool json;
};

#define AT(field) .offset = offsetof(struct replay_args, field)

static const struct sp_opt table[] = {
    {"flow", .kind = SP_OPT_PATH, .is_required = true, AT(flow), .arg = "FILE",
     .help = "the flow, as it is or will be served"},
    {"sessions", .kind = SP_OPT_EACH, .is_required = true, AT(sessions), .arg = "PATH",
     .help = "a directory of session logs, or one; may be repeated"},
    {"decider", .kind = SP_OPT_CHOICE, AT(decider), .arg = "D",
     .choices = {"arbiter", "habit", "reach"}, .fallback = "arbiter or reach, if the flow has it",
     .help = "arbiter, habit or reach"},
    {"threshold", .kind = SP_OPT_NUMBER, AT(threshold), .arg = "P", .fallback = "0.3",
     .help = "the threshold that it is served with"},
    {"per-call", .kind = SP_OPT_UINT, AT(per_call), .arg = "N", .fallback = "8",
     .help = "lookups after one call, at most"},
    {"oracle", .kind = SP_OPT_CHOICE, AT(oracle), .arg = "KIND", .choices = {"replay", "mock"},
     .fallback = "replay", .help = "who answers an arbiter: cached answers (replay), or a mock"},
    {"oracle-cache", .kind = SP_OPT_PATH, AT(cache), .arg = "DIR", .fallback = ORACLE_CACHE_STRETTO,
     .help = "the cached answers"},
    {"json", .kind = SP_OPT_FLAG, AT(json),
     .help = "print every decision and run as canonical JSON lines"},
    CMD_HELP,
};

/* Makes the spool's text, so far that of one session, part of the output. */
static int keep(struct spool *spool, struct sp_err *ret_err)
{
    int err = spool_added(spool);

    if (err < 0)
        sp_err_set(ret_err, "keeping the output: %s", sp_err_cause(err));
    return err;
}

static int replay_log(const char *path, const struct replay_options *options, bool is_json,
                      struct spool *spool, struct replay_counts *totals, struct sp_err *ret_err)
{
    struct sessionlog log;
    struct turns *turns;
    struct replay_counts counts;
    int err = sessionlog_read(path, &log, ret_err);

    if (err < 0)
        return err;
    turns = sessionlog_turns(&log);
    counts = replay_session(options, turns, is_json ? &spool->text : NULL);
    if (is_json)
        replay_report_put_json(&spool->text, log.header.session, &counts);
    else
        replay_report_put_row(&spool->text, log.header.session, &counts);
    replay_add(totals, &counts);
    turns_free(turns);
    sessionlog_deinit(&log);
    return keep(spool, ret_err);
}

/* Replays all sessions; one that cannot be read fails it. */
static int replay_all(const struct sources *sources, const struct replay_options *options,
                      bool is_json, struct spool *spool, struct replay_counts *totals,
                      struct sp_err *ret_err)
{
    struct progress progress;
    int err = 0;

    if (!is_json)
        replay_report_put_heading(&spool->text);
    progress_init(&progress);
    for (size_t i = 0; err == 0 && i < sources->set.n_logs; i++) {
        err = replay_log(sources->set.logs[i].path, options, is_json, spool, totals, ret_err);
        progress_tell(&progress, "sessions", i + 1, sources->set.n_logs);
    }
    progress_end(&progress);
    if (err < 0)
        return err;
    if (is_json)
        replay_report_put_json(&spool->text, (struct sp_str){0}, totals);
    else
        replay_report_put_row(&spool->text, (struct sp_str){0}, totals);
    return keep(spool, ret_err);
}

static void tell(const struct replay_options *options, size_t n_sessions,
                 const struct replay_counts *totals)
{
    struct sp_buf b = {0};

    sp_buf_addf(&b, "replayed %zu session%s by %s at threshold ", n_sessions,
                n_sessions == 1 ? "" : "s", served_decider_name(options->decider));
    if (isfinite(options->threshold))
        jput_double(&b, options->threshold);
    else
        sp_buf_addf(&b, "%g", options->threshold);
    sp_buf_addf(&b, "; %ju question%s left unanswered", (uintmax_t)totals->unanswered,
                totals->unanswered == 1 ? "" : "s");
    cmd_note("%s", sp_buf_cstr(&b));
    if (totals->cut > 0)
        cmd_note("%ju run%s of the flow's program went on without an end", (uintmax_t)totals->cut,
                 totals->cut == 1 ? "" : "s");
    sp_buf_deinit(&b);
}

static int open_sources(struct sources *sources, const struct replay_args *args,
                        const struct flow *flow, struct sp_err *ret_err)
{
    int err = sources_open(sources, &args->sessions, &(struct sp_opt_list){0}, ret_err);

    if (err == 0 && sources->set.n_logs == 0) {
        struct sp_buf paths = {0};

        sources_put_paths(&paths, &args->sessions);
        sp_err_set(ret_err, "no episodes of %.*s in --sessions %s", SP_STR_ARG(flow->domain),
                   sp_buf_cstr(&paths));
        sp_buf_deinit(&paths);
        err = -ENOENT;
    }
    return err;
}

static int replay(const struct replay_args *args, const struct flow *flow)
{
    enum oracle_client_kind kind =
        args->oracle == ORACLE_MOCK ? ORACLE_CLIENT_MOCK : ORACLE_CLIENT_REPLAY;
    struct served_oracle oracle = {0};
    struct replay_options options = {
        .flow = flow,
        .threshold = args->threshold.is_given ? args->threshold.value : DEFAULT_THRESHOLD,
        .per_call = args->per_call.is_given ? args->per_call.value : DEFAULT_PER_CALL,
        .ask = served_ask,
        .ask_data = &oracle,
    };
    struct sources sources = {0};
    struct spool spool = {0};
    struct replay_counts totals = {0};
    struct sp_err err;
    int status;

    if (served_decider(flow, args->decider, &options.decider, &err) < 0 ||
        served_open(&oracle, kind, args->cache, &err) < 0 ||
        open_sources(&sources, args, flow, &err) < 0 ||
        replay_all(&sources, &options, args->json, &spool, &totals, &err) < 0) {
        status = cmd_fail("%s", err.text);
    } else {
        status = cmd_print(&spool);
        if (status == 0)
            tell(&options, sources.set.n_logs, &totals);
    }
    spool_deinit(&spool);
    sources_deinit(&sources);
    served_close(&oracle);
    return status;
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
    struct replay_args args = {0};
    struct flow *flow;
    struct sp_err err;
    int status = 0;

    if (!cmd_parse(cmd, argc, argv, &args, NULL, &status))
        goto out;
    if (flow_load(args.flow, &flow, &err) < 0) {
        status = cmd_fail("%s", err.text);
        goto out;
    }
    status = replay(&args, flow);
    flow_free(flow);
out:
    free(args.sessions.v);
    return status;
}

const struct cmd cmd_replay = {
    .name = "replay",
    .usage = "--flow FILE --sessions PATH... [--decider D] [--threshold P]\n"
             "                      [--per-call N] [--oracle KIND] [--oracle-cache DIR] [--json]",
    .summary = "show what a flow would have done in recorded sessions",
    .text = "Follows recorded sessions as the proxy would have had them with a flow, and counts\n"
            "the lookups it would have made: those the agent made itself later on (hits), those\n"
            "it did not (detours), and the agent's turns that would not have been needed.\n",
    .table = table,
    .n_table = sizeof table / sizeof table[0],
    .run = run,
};
