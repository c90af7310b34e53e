/* stretto flow-show: shows a flow to a reviewer. */

#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/report.h"
#include "flow/flowshow.h"

#define DEFAULT_THRESHOLD 0.3

struct flow_show_options {
    struct sp_opt_list files;
    struct sp_opt_number threshold;
    const char *out;
};

#define AT(field) .offset = offsetof(struct flow_show_options, field)

static const struct sp_opt table[] = {
    {"FILE", .kind = SP_OPT_ARGS, .is_required = true, AT(files), .help = "the flow"},
    {"threshold", .kind = SP_OPT_NUMBER, AT(threshold), .arg = "P", .fallback = "0.3",
     .help = "the threshold that it is served with"},
    {"out", .kind = SP_OPT_PATH, AT(out), .arg = "FILE", .fallback = "standard output",
     .help = "where the report goes, as Markdown"},
    CMD_HELP,
};

static int show(const char *path, const struct flow_show_options *o)
{
    struct spool spool = {0};
    struct flow *flow;
    struct sp_err err;
    int status;

    if (flow_load(path, &flow, &err) < 0)
        return cmd_fail("%s", err.text);
    flowshow_put(&spool.text, flow, o->threshold.is_given ? o->threshold.value : DEFAULT_THRESHOLD);
    flow_free(flow);
    status = report_deliver(&spool, o->out);
    spool_deinit(&spool);
    return status;
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
    struct flow_show_options o = {0};
    int status = 0;

    if (cmd_parse(cmd, argc, argv, &o, NULL, &status)) {
        if (o.files.n == 1)
            status = show(o.files.v[0].p, &o);
        else
            status = cmd_misused(cmd, "one flow is shown at a time");
    }
    free(o.files.v);
    return status;
}

const struct cmd cmd_flow_show = {
    .name = "flow-show",
    .usage = "[--threshold P] [--out FILE] FILE",
    .summary = "show a flow: when it acts, what it calls, with which arguments",
    .text = "Writes a flow as Markdown for a reviewer: the tools it may call, its program, what\n"
            "it does after each call by its habit alone, where arguments come from, and what\n"
            "its arbiter weighs.\n",
    .table = table,
    .n_table = sizeof table / sizeof table[0],
    .run = run,
};
