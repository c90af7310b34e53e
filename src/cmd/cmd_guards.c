/* stretto guards: tries the policy guards on recorded results. */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "cmd/cmd.h"
#include "cmd/report.h"
#include "cmd/trials.h"
#include "guard/audit.h"

struct guards_options {
    struct trials_options trials;
    const char *out;
    const char *json;
};

#define AT(field) .offset = offsetof(struct guards_options, field)

static const struct sp_opt table[] = {
    {"tau2", .kind = SP_OPT_PATH, AT(trials.tau2), .arg = "DIR",
     .help = "a checkout of tau2-bench: try them on its published results"},
    {"domain", .kind = SP_OPT_EACH, AT(trials.domains), .arg = "NAME",
     .fallback = "retail and airline", .help = "a domain whose guards are tried; may be repeated"},
    {"source", .kind = SP_OPT_EACH, AT(trials.sources), .arg = "[LABEL=]PATH",
     .help = "one more results file; may be repeated"},
    {"out", .kind = SP_OPT_PATH, AT(out), .arg = "FILE", .fallback = "standard output",
     .help = "where the report goes, as Markdown"},
    {"json", .kind = SP_OPT_PATH, AT(json), .arg = "FILE", .fallback = "not written",
     .help = "where the counts go, as JSON"},
    CMD_HELP,
};

/* The audits, one a domain. */
struct audits {
    struct audit **of;
    size_t n;
};

static void count(void *data, size_t at, const struct episode *e)
{
    struct audits *audits = data;

    audit_add(audits->of[at], e);
}

static int report(const struct audits *a, const struct guards_options *o)
{
    const struct audit *const *audits = (const struct audit *const *)a->of;
    struct spool json = {0};
    struct spool markdown = {0};
    int status = 0;

    if (o->json != NULL) {
        audit_put_json(&json.text, audits, a->n);
        status = report_deliver(&json, o->json);
    }
    if (status == 0) {
        audit_put_markdown(&markdown.text, audits, a->n);
        status = report_deliver(&markdown, o->out);
    }
    spool_deinit(&json);
    spool_deinit(&markdown);
    return status;
}

static int try_guards(const struct trials *trials, const struct guards_options *o)
{
    struct audits audits = {.of = sp_calloc(trials->n_domains, sizeof(*audits.of)),
                            .n = trials->n_domains};
    struct sp_err err;
    int status;

    for (size_t i = 0; i < audits.n; i++)
        audits.of[i] = audit_new(trials->domains[i]);
    if (trials_each(trials, count, &audits, &err) < 0)
        status = cmd_fail("%s", err.text);
    else
        status = report(&audits, o);
    for (size_t i = 0; i < audits.n; i++)
        audit_free(audits.of[i]);
    free(audits.of);
    return status;
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
    struct guards_options o = {0};
    struct trials trials = {0};
    struct sp_err err;
    int status = 0;

    if (!cmd_parse(cmd, argc, argv, &o, NULL, &status))
        goto out;
    if (o.trials.tau2 == NULL && o.trials.sources.n == 0)
        status = cmd_misused(cmd, "--tau2 or --source is missing");
    else if (trials_init(&trials, &o.trials, &err) < 0)
        status = cmd_fail("%s", err.text);
    else
        status = try_guards(&trials, &o);
out:
    trials_deinit(&trials);
    trials_options_deinit(&o.trials);
    return status;
}

const struct cmd cmd_guards = {
    .name = "guards",
    .usage = "[--tau2 DIR] [--domain NAME]... [--source [LABEL=]PATH]...\n"
             "                      [--out FILE] [--json FILE]",
    .summary = "try the policy guards on recorded results",
    .text = "Checks every call of recorded episodes against the guards of its domain, and\n"
            "reports how often each rule passes, fails, or cannot tell: in episodes that did\n"
            "their task, in episodes that did not, and for calls the tool itself refused.\n",
    .table = table,
    .n_table = sizeof table / sizeof table[0],
    .run = run,
};
