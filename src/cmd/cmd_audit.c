/* stretto audit: the agent's recorded steps under a flow's probabilities. */

#include <stdlib.h>

#include <uv.h>

#include "cmd/cmd.h"
#include "cmd/material.h"
#include "cmd/report.h"
#include "cmd/served.h"
#include "io/oracle_cache.h"
#include "learn/flowaudit.h"

struct audit_args {
    const char *flow;
    struct material material;
    int oracle; /* an enum oracle_client_kind */
    const char *cache;
    int decider;
    const char *out;
    const char *json;
};

#define AT(field) .offset = offsetof(struct audit_args, field)

static const struct sp_opt table[] = {
    {"flow", .kind = SP_OPT_PATH, .is_required = true, AT(flow), .arg = "FILE", .help = "the flow"},
    {"sessions", .kind = SP_OPT_PATH, AT(material.sessions), .arg = "DIR",
     .help = "a directory of session logs"},
    {"results", .kind = SP_OPT_EACH, AT(material.results), .arg = "FILE",
     .help = "results of tau2-bench; may be repeated"},
    {"tau2", .kind = SP_OPT_PATH, AT(material.tau2), .arg = "DIR", .needs = {"results"},
     .help = "a checkout of tau2-bench: of the results only its test split"},
    {"oracle", .kind = SP_OPT_CHOICE, AT(oracle), .arg = "KIND",
     .choices = {"jev", "replay", "mock"}, .fallback = "replay",
     .help = "who answers an arbiter: cached answers (replay), the service (jev), or a mock"},
    {"oracle-cache", .kind = SP_OPT_PATH, AT(cache), .arg = "DIR", .fallback = ORACLE_CACHE_STRETTO,
     .help = "the cached answers"},
    {"decider", .kind = SP_OPT_CHOICE, AT(decider), .arg = "D",
     .choices = {"arbiter", "habit", "reach"}, .fallback = "arbiter, if the flow has one, or habit",
     .help = "arbiter, habit or reach"},
    {"out", .kind = SP_OPT_PATH, AT(out), .arg = "FILE", .fallback = "standard output",
     .help = "where the report goes, as Markdown"},
    {"json", .kind = SP_OPT_PATH, AT(json), .arg = "FILE", .fallback = "not written",
     .help = "where the numbers go, as JSON"},
    CMD_HELP,
};

/* What --decider chose, or the default: reach says what comes some time and not what comes next. */
static int decider_choice(const struct audit_args *args, const struct flow *flow)
{
    if (args->decider > 0)
        return args->decider;
    return 1 + (flow->n_folds > 0 ? DECIDE_ARBITER : DECIDE_HABIT);
}

static void on_episode(void *data, const struct episode *e, const struct turns *turns)
{
    struct flowaudit *audit = data;

    (void)turns;
    flowaudit_add(audit, e);
}

static int report(const struct flowaudit *audit, const struct audit_args *args)
{
    struct spool json = {0};
    struct spool markdown = {0};
    int status = 0;

    if (args->json != NULL) {
        flowaudit_put_json(audit, &json.text);
        status = report_deliver(&json, args->json);
    }
    if (status == 0) {
        flowaudit_put_markdown(audit, &markdown.text);
        status = report_deliver(&markdown, args->out);
    }
    spool_deinit(&json);
    spool_deinit(&markdown);
    return status;
}

static void tell(const struct flowaudit *audit, enum decide_decider decider, uint64_t ns)
{
    struct flowaudit_counts counts = flowaudit_count(audit);

    cmd_note("audited %ju decision%s of %ju episode%s by %s in %.1f seconds; "
             "%ju left unanswered",
             (uintmax_t)counts.decisions, counts.decisions == 1 ? "" : "s",
             (uintmax_t)counts.episodes, counts.episodes == 1 ? "" : "s",
             served_decider_name(decider), (double)ns / 1e9, (uintmax_t)counts.unanswered);
}

static int audit_flow(const struct audit_args *args, const struct flow *flow)
{
    enum oracle_client_kind kind =
        args->oracle > 0 ? (enum oracle_client_kind)args->oracle : ORACLE_CLIENT_REPLAY;
    struct served_oracle oracle = {0};
    struct flowaudit_options options = {.flow = flow, .ask = served_ask, .ask_data = &oracle};
    struct flowaudit *audit;
    uint64_t began_ns = uv_hrtime();
    struct sp_err err;
    int status;

    if (served_decider(flow, decider_choice(args, flow), &options.decider, &err) < 0 ||
        served_open_for(&oracle, options.decider, kind, args->cache, &err) < 0)
        return cmd_fail("%s", err.text);
    audit = flowaudit_new(&options);
    if (material_each(&args->material, flow->domain, on_episode, audit, &err) < 0)
        status = cmd_fail("%s", err.text);
    else
        status = report(audit, args);
    if (status == 0)
        tell(audit, options.decider, uv_hrtime() - began_ns);
    flowaudit_free(audit);
    served_close(&oracle);
    return status;
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
    struct audit_args args = {0};
    struct flow *flow;
    struct sp_err err;
    int status = 0;

    if (!cmd_parse(cmd, argc, argv, &args, NULL, &status))
        goto out;
    if (flow_load(args.flow, &flow, &err) < 0) {
        status = cmd_fail("%s", err.text);
        goto out;
    }
    status = audit_flow(&args, flow);
    flow_free(flow);
out:
    free(args.material.results.v);
    return status;
}

const struct cmd cmd_audit = {
    .name = "audit",
    .usage = "--flow FILE [--sessions DIR] [--results FILE]... [--tau2 DIR]\n"
             "                     [--oracle KIND] [--oracle-cache DIR] [--decider D]\n"
             "                     [--out FILE] [--json FILE]",
    .summary = "score the agent's recorded steps under a flow",
    .text = "Holds what the agent did behind every result against the flow's probabilities:\n"
            "how often its step was the likeliest, whether the probabilities can be trusted,\n"
            "and what was surprising. For sessions that the flow was not learned from.\n",
    .table = table,
    .n_table = sizeof table / sizeof table[0],
    .run = run,
};
