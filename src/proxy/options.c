/* The command line of stretto-proxy. */

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "proxy/options.h"

#define AT(field) .offset = offsetof(struct options, field)

static const struct sp_opt table[] = {
    {"record", .kind = SP_OPT_PATH, AT(record), .arg = "DIR",
     .help = "record the session in a log of its own in DIR"},
    {"domain", .kind = SP_OPT_TEXT, AT(domain), .arg = "NAME",
     .help = "the log's domain; picks the guards' rules"},
    {"agent-model", .kind = SP_OPT_TEXT, AT(agent_model), .arg = "MODEL",
     .help = "the log's agent model"},
    {"retain-days", .kind = SP_OPT_UINT, AT(retain_days), .arg = "DAYS",
     .help = "at start, delete logs and cached answers older than DAYS days"},
    {"flow", .kind = SP_OPT_PATH, AT(flow), .arg = "FILE",
     .help = "run this flow after the agent's calls"},
    {"flow-threshold", .kind = SP_OPT_NUMBER, AT(flow_threshold), .arg = "P", .fallback = "0.3",
     .help = "least probability of a lookup"},
    {"flow-decider", .kind = SP_OPT_CHOICE, AT(flow_decider), .arg = "arbiter|habit|reach",
     .choices = {"arbiter", "habit", "reach"}, .fallback = "from the flow",
     .help = "where probabilities come from"},
    {"flow-per-call", .kind = SP_OPT_UINT, AT(flow_per_call), .arg = "N", .fallback = "8",
     .help = "lookups per result, at most"},
    {"flow-per-session", .kind = SP_OPT_UINT, AT(flow_per_session), .arg = "N", .fallback = "40",
     .help = "lookups per session, at most"},
    {"flow-questions", .kind = SP_OPT_UINT, AT(flow_questions), .arg = "N", .fallback = "300",
     .help = "flow questions per session, at most"},
    {"flow-log", .kind = SP_OPT_PATH, AT(flow_log), .arg = "FILE", .fallback = "beside the log",
     .help = "where decisions are appended"},
    {"flow-tools", .kind = SP_OPT_LIST, AT(flow_tools), .arg = "TOOLS", .needs = {"flow"},
     .fallback = "every lookup", .help = "all it may call, comma-separated"},
    {"flow-shadow", .kind = SP_OPT_FLAG, AT(flow_shadow), .needs = {"flow"},
     .help = "decide and log, look nothing up"},
    {"flow-explore", .kind = SP_OPT_NUMBER, AT(flow_explore), .arg = "EPSILON", .needs = {"flow"},
     .fallback = "off", .help = "exploration probability, from 0 to 1"},
    {"flow-explore-seed", .kind = SP_OPT_UINT, AT(flow_explore_seed), .arg = "N",
     .needs = {"flow-explore"}, .fallback = "0", .help = "seed of the draws"},
    {"task-id", .kind = SP_OPT_TEXT, AT(task_id), .arg = "ID", .fallback = "the session id",
     .help = "picks the flow's fold"},
    {"oracle", .kind = SP_OPT_CHOICE, AT(oracle), .arg = "jev|replay|mock",
     .choices = {"jev", "replay", "mock"}, .fallback = "jev", .help = "who answers questions"},
    {"oracle-cache", .kind = SP_OPT_PATH, AT(oracle_cache), .arg = "DIR",
     .fallback = "~/.stretto/oracle-cache", .help = "cache of answers"},
    {"guards", .kind = SP_OPT_FLAG, AT(guards),
     .help = "check writes against the policy guards of --domain"},
    {"confirm-judge", .kind = SP_OPT_CHOICE, AT(confirm_judge), .arg = "log|enforce",
     .choices = {"log", "enforce"}, .needs = {"guards", "context"}, .fallback = "off",
     .help = "confirmation judge"},
    {"confirm-second", .kind = SP_OPT_CHOICE, AT(confirm_second), .arg = "proposed|described",
     .choices = {"proposed", "described"}, .needs = {"confirm-judge"}, .fallback = "off",
     .help = "second question"},
    {"confirm-second-shadow", .kind = SP_OPT_FLAG, AT(confirm_second_shadow),
     .needs = {"confirm-second"}, .help = "only log the second question's answer"},
    {"confirm-threshold", .kind = SP_OPT_NUMBER, AT(confirm_threshold), .arg = "P",
     .needs = {"confirm-judge"}, .fallback = "0.5", .help = "least probability of a yes"},
    {"confirm-questions", .kind = SP_OPT_UINT, AT(confirm_questions), .arg = "N",
     .needs = {"confirm-judge"}, .fallback = "100", .help = "judge's questions per session"},
    {"confirm-log", .kind = SP_OPT_PATH, AT(confirm_log), .arg = "FILE", .needs = {"confirm-judge"},
     .fallback = "beside the log", .help = "where judgments are appended"},
    {"commit", .kind = SP_OPT_FLAG, AT(commit), .help = "add the tool stretto_commit"},
    {"context", .kind = SP_OPT_PATH, AT(context), .arg = "FILE", .help = "conversation file"},
    {"upstream", .kind = SP_OPT_TEXT, AT(upstream), .arg = "URL",
     .help = "reach the server over Streamable HTTP instead of starting a command"},
    {"upstream-header", .kind = SP_OPT_EACH, AT(upstream_headers), .arg = "NAME=VAR",
     .needs = {"upstream"},
     .help = "send header NAME with the value of environment variable VAR; may be repeated"},
    {"upstream-reinit", .kind = SP_OPT_FLAG, AT(upstream_reinit), .needs = {"upstream"},
     .help = "start again a session that the server has ended"},
    {"help", 'h', .kind = SP_OPT_HELP, .help = "print this help"},
    {"version", 'V', .kind = SP_OPT_VERSION, .help = "print the version"},
};

#define N_TABLE (sizeof table / sizeof table[0])

static int options_check(const struct options *o, int n_positional, struct sp_err *ret_err)
{
    if (o->upstream != NULL && n_positional > 0) {
        sp_err_set(ret_err, "--upstream excludes a server command, '%s'", o->command[0]);
        return -EINVAL;
    }
    if (o->upstream == NULL && n_positional == 0) {
        sp_err_set(ret_err, "a server is missing: '-- SERVER_COMMAND' or --upstream");
        return -EINVAL;
    }
    return 0;
}

enum options_outcome options_parse(int argc, char **argv, struct options *ret,
                                   struct sp_err *ret_err)
{
    int rest, err;

    *ret = (struct options){0};
    err = sp_opt_parse(table, N_TABLE, SP_OPT_COMMAND, argc, argv, ret, &rest, ret_err);
    if (err == SP_OPT_E_HELP)
        return OPTIONS_HELP;
    if (err == SP_OPT_E_VERSION)
        return OPTIONS_VERSION;
    if (err < 0)
        return OPTIONS_USAGE;
    if (rest < argc)
        ret->command = argv + rest;
    return options_check(ret, argc - rest, ret_err) < 0 ? OPTIONS_USAGE : OPTIONS_RUN;
}

void options_deinit(struct options *o)
{
    free(o->flow_tools.v);
    free(o->upstream_headers.v);
}

const struct sp_opt *options_table(size_t *ret_n_table)
{
    *ret_n_table = N_TABLE;
    return table;
}

void options_print_help(FILE *out)
{
    fprintf(out,
            "Usage: stretto-proxy [OPTIONS] [-- <SERVER_COMMAND>...]\n"
            "\n"
            "Stands between an MCP host and one MCP server: starts SERVER_COMMAND, or reaches\n"
            "--upstream URL, forwards every line as it is, and records or acts when asked.\n"
            "\n"
            "Options:\n");
    sp_opt_print_help(table, N_TABLE, out);
    fprintf(out,
            "\n"
            "Hosts start servers without a shell and in a directory of their own choosing, so\n"
            "give absolute paths, or ones that start with ~.\n");
}
