/* stretto flow-diff: what changed from one flow to another, and what of it needs review. */

#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/report.h"
#include "flow/flowdiff.h"

#define DEFAULT_TOLERANCE 0.05
#define DEFAULT_THRESHOLD 0.3

/* Exit statuses; a failure must not look like a change. */
#define NEEDS_REVIEW 1
#define FAILED       2

struct flow_diff_options {
    struct sp_opt_list files;
    struct sp_opt_number tolerance;
    struct sp_opt_number threshold;
    const char *out;
};

#define AT(field) .offset = offsetof(struct flow_diff_options, field)

static const struct sp_opt table[] = {
    {"OLD NEW", .kind = SP_OPT_ARGS, .is_required = true, AT(files), .help = "the two flows"},
    {"tolerance", .kind = SP_OPT_NUMBER, AT(tolerance), .arg = "X", .fallback = "0.05",
     .help = "shares, chances and weights that moved by less are left out"},
    {"threshold", .kind = SP_OPT_NUMBER, AT(threshold), .arg = "P", .fallback = "0.3",
     .help = "the threshold that they are served with"},
    {"out", .kind = SP_OPT_PATH, AT(out), .arg = "FILE", .fallback = "standard output",
     .help = "where the change list goes, as Markdown"},
    CMD_HELP,
};

/* Loads a flow; the reason why it cannot be is told with the file's name. */
static int load(const char *path, struct flow **ret)
{
    struct sp_err err;
    int code = flow_load(path, ret, &err);

    if (code < 0)
        cmd_note("%s", err.text);
    return code;
}

static int tell(size_t n_review)
{
    if (n_review == 0)
        return 0;
    cmd_note("%zu change%s review", n_review, n_review == 1 ? " needs" : "s need");
    return NEEDS_REVIEW;
}

static int deliver(const struct flow *old_flow, const struct flow *new_flow,
                   const struct flow_diff_options *o)
{
    const struct flowdiff_options options = {
        .tolerance = o->tolerance.is_given ? o->tolerance.value : DEFAULT_TOLERANCE,
        .threshold = o->threshold.is_given ? o->threshold.value : DEFAULT_THRESHOLD,
    };
    struct spool spool = {0};
    size_t n_review = flowdiff_put(&spool.text, old_flow, new_flow, &options);
    int status = report_deliver(&spool, o->out) == 0 ? tell(n_review) : FAILED;

    spool_deinit(&spool);
    return status;
}

static int diff(const char *old_path, const char *new_path, const struct flow_diff_options *o)
{
    struct flow *old_flow = NULL;
    struct flow *new_flow = NULL;
    int status = FAILED;

    if (load(old_path, &old_flow) == 0 && load(new_path, &new_flow) == 0)
        status = deliver(old_flow, new_flow, o);
    flow_free(old_flow);
    flow_free(new_flow);
    return status;
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
    struct flow_diff_options o = {0};
    int status = 0;

    if (cmd_parse(cmd, argc, argv, &o, NULL, &status)) {
        if (o.files.n != 2)
            status = cmd_misused(cmd, "two flows are compared, not %zu", o.files.n);
        else if (o.tolerance.is_given && !(o.tolerance.value >= 0))
            status = cmd_misused(cmd, "--tolerance takes a number that is 0 or more");
        else
            status = diff(o.files.v[0].p, o.files.v[1].p, &o);
    }
    free(o.files.v);
    return status;
}

const struct cmd cmd_flow_diff = {
    .name = "flow-diff",
    .usage = "[--tolerance X] [--threshold P] [--out FILE] OLD NEW",
    .summary = "list what changed from one flow to another, and what of it needs review",
    .text = "Writes what changed from the flow OLD to the flow NEW as Markdown, for a pull\n"
            "request: first what needs review, as the new flow may do more than the old one,\n"
            "then all changes by group. Exits with 0 if nothing needs review, with 1 if\n"
            "something does, and with 2 on an error.\n",
    .table = table,
    .n_table = sizeof table / sizeof table[0],
    .run = run,
};
