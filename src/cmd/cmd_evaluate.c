/* stretto evaluate: estimates from logged decisions what another rule would have done. */

#include <stdlib.h>

#include "base/sp_file.h"
#include "cmd/cmd.h"
#include "cmd/progress.h"
#include "cmd/report.h"
#include "learn/evaluate.h"

#define DEFAULT_MIN_ESS 10

struct evaluate_args {
    struct sp_opt_list decisions;
    struct sp_opt_list targets;
    struct sp_opt_number min_ess;
    const char *out;
    const char *json;
};

#define AT(field) .offset = offsetof(struct evaluate_args, field)

static const struct sp_opt table[] = {
    {"decisions", .kind = SP_OPT_EACH, .is_required = true, AT(decisions), .arg = "FILE",
     .help = "labelled decisions, JSON lines; may be repeated"},
    {"target", .kind = SP_OPT_EACH, .is_required = true, AT(targets), .arg = "RULE",
     .help = "[NAME=]arbiter@P or [NAME=]habit@P, P a threshold; may be repeated"},
    {"min-ess", .kind = SP_OPT_NUMBER, AT(min_ess), .arg = "N", .fallback = "10",
     .help = "refuse weighted estimates below this effective sample size"},
    {"out", .kind = SP_OPT_PATH, AT(out), .arg = "FILE", .fallback = "standard output",
     .help = "where the report goes, as Markdown"},
    {"json", .kind = SP_OPT_PATH, AT(json), .arg = "FILE", .fallback = "not written",
     .help = "where every estimate goes, as JSON"},
    CMD_HELP,
};

static int add_file(struct evaluate *e, const char *path, struct sp_err *ret_err)
{
    struct sp_buf text = {0};
    int err = sp_file_read(path, SIZE_MAX, &text);

    if (err < 0)
        sp_err_set(ret_err, "reading %s: %s", path, sp_err_cause(err));
    else
        err = evaluate_add(e, sp_buf_str(&text), path, ret_err);
    sp_buf_deinit(&text);
    return err;
}

/* Reads the rules, then the decisions. */
static int load(struct evaluate *e, const struct evaluate_args *args, struct sp_err *ret_err)
{
    struct progress progress;
    int err = 0;

    for (size_t i = 0; err == 0 && i < args->targets.n; i++)
        err = evaluate_add_target(e, args->targets.v[i], ret_err);
    progress_init(&progress);
    for (size_t i = 0; err == 0 && i < args->decisions.n; i++) {
        err = add_file(e, args->decisions.v[i].p, ret_err);
        progress_tell(&progress, "files", i + 1, args->decisions.n);
    }
    progress_end(&progress);
    return err == 0 ? evaluate_check(e, ret_err) : err;
}

static int report(const struct evaluate *e, const struct evaluate_args *args)
{
    double min_ess = args->min_ess.is_given ? args->min_ess.value : DEFAULT_MIN_ESS;
    struct spool json = {0};
    struct spool markdown = {0};
    int status = 0;

    if (args->json != NULL) {
        evaluate_put_json(e, min_ess, &json.text);
        status = report_deliver(&json, args->json);
    }
    if (status == 0) {
        evaluate_put_markdown(e, min_ess, &markdown.text);
        status = report_deliver(&markdown, args->out);
    }
    spool_deinit(&json);
    spool_deinit(&markdown);
    return status;
}

static int evaluate(const struct evaluate_args *args)
{
    struct evaluate *e = evaluate_new();
    struct sp_err err;
    int status;

    if (load(e, args, &err) < 0) {
        status = cmd_fail("%s", err.text);
    } else {
        status = report(e, args);
        if (status == 0)
            cmd_note("%zu decisions", evaluate_n_decisions(e));
    }
    evaluate_free(e);
    return status;
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
    struct evaluate_args args = {0};
    int status = 0;

    if (!cmd_parse(cmd, argc, argv, &args, NULL, &status))
        goto out;
    if (args.min_ess.is_given && !(args.min_ess.value >= 0))
        status = cmd_misused(cmd, "--min-ess must be 0 or more");
    else
        status = evaluate(&args);
out:
    free(args.decisions.v);
    free(args.targets.v);
    return status;
}

const struct cmd cmd_evaluate = {
    .name = "evaluate",
    .usage = "--decisions FILE... --target RULE... [--min-ess N] [--out FILE]\n"
             "                        [--json FILE]",
    .summary = "estimate from logged decisions what another rule would have done",
    .text = "Reads decisions that a flow logged while it explored, each with labels that say\n"
            "what its options would have brought, and estimates what other rules would have\n"
            "brought in their place: directly from the labels, and by inverse propensity\n"
            "scoring, self-normalized and doubly robust, which hold where the labels of\n"
            "options that were not taken are in doubt.\n",
    .table = table,
    .n_table = sizeof table / sizeof table[0],
    .run = run,
};
