/* stretto promote: finds the sites where a flow may act. */

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "cmd/cmd.h"
#include "cmd/material.h"
#include "cmd/report.h"
#include "cmd/served.h"
#include "flow/promotion_report.h"
#include "io/oracle_cache.h"
#include "learn/promote.h"

#define DEFAULT_THRESHOLD 0.3
#define DEFAULT_PER_CALL  8
#define DEFAULT_MIN_USED  0.7
#define DEFAULT_MIN_LOWER 0.5
#define DEFAULT_MIN_TASKS 3

struct promote_args {
    const char *flow;
    struct material material;
    int oracle; /* an enum oracle_client_kind */
    const char *cache;
    int decider;
    struct sp_opt_number threshold;
    struct sp_opt_uint per_call;
    struct sp_opt_number min_used;
    struct sp_opt_number min_lower;
    struct sp_opt_uint min_tasks;
    const char *out;
    const char *report;
};

#define AT(field) .offset = offsetof(struct promote_args, field)

static const struct sp_opt table[] = {
    {"flow", .kind = SP_OPT_PATH, .is_required = true, AT(flow), .arg = "FILE",
     .help = "the flow to promote"},
    {"sessions", .kind = SP_OPT_PATH, AT(material.sessions), .arg = "DIR",
     .help = "session logs, recorded in shadow or without a flow"},
    {"results", .kind = SP_OPT_EACH, AT(material.results), .arg = "FILE",
     .help = "results of tau2-bench for the flow's domain; may be repeated"},
    {"tau2", .kind = SP_OPT_PATH, AT(material.tau2), .arg = "DIR", .needs = {"results"},
     .help = "a checkout of tau2-bench: of the results only its test split"},
    {"task-ids", .kind = SP_OPT_LIST, AT(material.tasks), .arg = "IDS", .needs = {"results"},
     .help = "of the results only these tasks; may be repeated, or a list with commas"},
    {"oracle", .kind = SP_OPT_CHOICE, AT(oracle), .arg = "KIND",
     .choices = {"jev", "replay", "mock"}, .fallback = "replay",
     .help = "who answers an arbiter: cached answers (replay), the service (jev), or a mock"},
    {"oracle-cache", .kind = SP_OPT_PATH, AT(cache), .arg = "DIR", .fallback = ORACLE_CACHE_STRETTO,
     .help = "the cached answers; after a shadow run the proxy's"},
    {"decider", .kind = SP_OPT_CHOICE, AT(decider), .arg = "D",
     .choices = {"arbiter", "habit", "reach"}, .fallback = "arbiter or reach, if the flow has it",
     .help = "arbiter, habit or reach, as it will be served"},
    {"threshold", .kind = SP_OPT_NUMBER, AT(threshold), .arg = "P", .fallback = "0.3",
     .help = "the threshold that it will be served with"},
    {"per-call", .kind = SP_OPT_UINT, AT(per_call), .arg = "N", .fallback = "8",
     .help = "lookups after one call, at most, as it will be served"},
    {"min-used", .kind = SP_OPT_NUMBER, AT(min_used), .arg = "X", .fallback = "0.7",
     .help = "the least share of a site's lookups that were used"},
    {"min-lower", .kind = SP_OPT_NUMBER, AT(min_lower), .arg = "X", .fallback = "0.5",
     .help = "the least lower bound of that share"},
    {"min-tasks", .kind = SP_OPT_UINT, AT(min_tasks), .arg = "N", .fallback = "3",
     .help = "the fewest tasks that a site's lookups come from"},
    {"out", .kind = SP_OPT_PATH, .is_required = true, AT(out), .arg = "FILE",
     .help = "where the promoted flow goes; its directory must exist"},
    {"report", .kind = SP_OPT_PATH, AT(report), .arg = "FILE", .fallback = "standard output",
     .help = "where the records of the sites go, as Markdown"},
    CMD_HELP,
};

static double number_or(const struct sp_opt_number *number, double otherwise)
{
    return number->is_given ? number->value : otherwise;
}

static uint64_t uint_or(const struct sp_opt_uint *number, uint64_t otherwise)
{
    return number->is_given ? number->value : otherwise;
}

/* The option whose number a flow's file cannot hold; NULL when there is none. */
static const char *find_infinite(const struct promote_args *args)
{
    if (!isfinite(number_or(&args->threshold, DEFAULT_THRESHOLD)))
        return "--threshold";
    if (!isfinite(number_or(&args->min_used, DEFAULT_MIN_USED)))
        return "--min-used";
    if (!isfinite(number_or(&args->min_lower, DEFAULT_MIN_LOWER)))
        return "--min-lower";
    return NULL;
}

static void on_episode(void *data, const struct episode *e, const struct turns *turns)
{
    struct promote *p = data;

    promote_add(p, e, turns);
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static void tell(const struct promote_counts *counts)
{
    cmd_note("scored %ju episode%s; %ju decision%s left out as unanswered; "
             "%ju of %ju site%s promoted",
             (uintmax_t)counts->episodes, plural(counts->episodes), (uintmax_t)counts->unanswered,
             plural(counts->unanswered), (uintmax_t)counts->promoted, (uintmax_t)counts->sites,
             plural(counts->sites));
    if (counts->promoted == 0)
        fputs("stretto: no site is promoted: the promoted flow hands back after every call\n",
              stderr);
}

/* Writes the flow with its promotion, then the report. */
static int deliver(const struct promote_args *args, struct flow *flow,
                   const struct promote_counts *counts)
{
    struct spool spool = {0};
    struct sp_err err;
    int status;

    flow_index(flow);
    if (flow_save(args->out, flow, &err) < 0)
        return cmd_fail("%s", err.text);
    promotion_report_put(&spool.text, &flow->promoted);
    status = report_deliver(&spool, args->report);
    spool_deinit(&spool);
    if (status == 0)
        tell(counts);
    return status;
}

/* Scores all that the flow is judged on, and makes the promotion the flow's. */
static int promote(const struct promote_args *args, struct flow *flow,
                   struct promote_counts *ret_counts, struct sp_err *ret_err)
{
    enum oracle_client_kind kind =
        args->oracle > 0 ? (enum oracle_client_kind)args->oracle : ORACLE_CLIENT_REPLAY;
    struct served_oracle oracle = {0};
    struct promote_options options = {
        .flow = flow,
        .threshold = number_or(&args->threshold, DEFAULT_THRESHOLD),
        .per_call = uint_or(&args->per_call, DEFAULT_PER_CALL),
        .min_used = number_or(&args->min_used, DEFAULT_MIN_USED),
        .min_lower = number_or(&args->min_lower, DEFAULT_MIN_LOWER),
        .min_tasks = uint_or(&args->min_tasks, DEFAULT_MIN_TASKS),
        .ask = served_ask,
        .ask_data = &oracle,
    };
    struct promote *p;
    int err = served_decider(flow, args->decider, &options.decider, ret_err);

    if (err == 0)
        err = report_find_dir("writing", args->out, ret_err);
    if (err == 0)
        err = served_open_for(&oracle, options.decider, kind, args->cache, ret_err);
    if (err < 0)
        return err;
    p = promote_new(&options);
    err = material_each(&args->material, flow->domain, on_episode, p, ret_err);
    if (err == 0) {
        *ret_counts = promote_find(p, &flow->arena, &flow->promoted);
        flow->is_promoted = true;
    }
    promote_free(p);
    served_close(&oracle);
    return err;
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
    struct promote_args args = {0};
    struct promote_counts counts = {0};
    struct flow *flow;
    const char *infinite;
    struct sp_err err;
    int status = 0;

    if (!cmd_parse(cmd, argc, argv, &args, NULL, &status))
        goto out;
    infinite = find_infinite(&args);
    if (infinite != NULL) {
        status = cmd_misused(cmd, "%s must be finite", infinite);
        goto out;
    }
    if (flow_load(args.flow, &flow, &err) < 0) {
        status = cmd_fail("%s", err.text);
        goto out;
    }
    if (promote(&args, flow, &counts, &err) < 0)
        status = cmd_fail("%s", err.text);
    else
        status = deliver(&args, flow, &counts);
    flow_free(flow);
out:
    free(args.material.results.v);
    free(args.material.tasks.v);
    return status;
}

const struct cmd cmd_promote = {
    .name = "promote",
    .usage = "--flow FILE --out FILE [--sessions DIR] [--results FILE]...\n"
             "                       [--tau2 DIR] [--task-ids IDS]... [--oracle KIND]\n"
             "                       [--oracle-cache DIR] [--decider D] [--threshold P]\n"
             "                       [--per-call N] [--min-used X] [--min-lower X]\n"
             "                       [--min-tasks N] [--report FILE]",
    .summary = "let a flow act where its lookups proved useful",
    .text = "Replays a flow's decisions on recorded sessions, scores the lookups it would have\n"
            "made against what the agent did, and writes a flow that acts only at the sites\n"
            "that passed. A session whose log has lookups that a flow made itself would count\n"
            "these as the agent's.\n",
    .table = table,
    .n_table = sizeof table / sizeof table[0],
    .run = run,
};
