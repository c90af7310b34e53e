/* stretto guards: tries the policy guards on recorded results. */

#include <errno.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "cmd/cmd.h"
#include "cmd/report.h"
#include "cmd/spool.h"
#include "guard/audit.h"
#include "trace/results.h"
#include "trace/resultset.h"

struct guards_options {
    const char *tau2;
    struct sp_opt_list domains;
    struct sp_opt_list sources;
    const char *out;
    const char *json;
};

#define AT(field) .offset = offsetof(struct guards_options, field)

static const struct sp_opt table[] = {
    {"tau2", .kind = SP_OPT_PATH, AT(tau2), .arg = "DIR",
     .help = "a checkout of tau2-bench: try them on its published results"},
    {"domain", .kind = SP_OPT_EACH, AT(domains), .arg = "NAME", .fallback = "retail and airline",
     .help = "a domain whose guards are tried; may be repeated"},
    {"source", .kind = SP_OPT_EACH, AT(sources), .arg = "[LABEL=]PATH",
     .help = "one more results file; may be repeated"},
    {"out", .kind = SP_OPT_PATH, AT(out), .arg = "FILE", .fallback = "standard output",
     .help = "where the report goes, as Markdown"},
    {"json", .kind = SP_OPT_PATH, AT(json), .arg = "FILE", .fallback = "not written",
     .help = "where the counts go, as JSON"},
    CMD_HELP,
};

/* The domains that are tried. */
struct trials {
    const struct guard_domain **domains;
    struct audit **audits; /* one a domain */
    size_t n;
};

/* Adds a domain; one that is named again is tried once. */
static void trials_add(struct trials *t, const struct guard_domain *domain)
{
    for (size_t i = 0; i < t->n; i++) {
        if (t->domains[i] == domain)
            return;
    }
    t->domains[t->n] = domain;
    t->audits[t->n++] = audit_new(domain);
}

static void trials_deinit(struct trials *t)
{
    for (size_t i = 0; i < t->n; i++)
        audit_free(t->audits[i]);
    free(t->domains);
    free(t->audits);
}

/* Makes the audits of the domains that were asked for, or of all that have guards. */
static int trials_init(struct trials *t, const struct sp_opt_list *names, struct sp_err *ret_err)
{
    size_t n_all = 0;

    while (guard_domain_at(n_all) != NULL)
        n_all++;
    t->domains = sp_calloc(names->n + n_all, sizeof *t->domains);
    t->audits = sp_calloc(names->n + n_all, sizeof *t->audits);
    for (size_t i = 0; i < names->n; i++) {
        const struct guard_domain *domain = guard_domain_find(names->v[i]);

        if (domain == NULL) {
            sp_err_set(ret_err, "no guards for %.*s", SP_STR_ARG(names->v[i]));
            return -EINVAL;
        }
        trials_add(t, domain);
    }
    for (size_t i = 0; names->n == 0 && i < n_all; i++)
        trials_add(t, guard_domain_at(i));
    return 0;
}

static int list_files(struct resultset *set, const struct guards_options *o,
                      const struct trials *trials, struct sp_err *ret_err)
{
    for (size_t i = 0; o->tau2 != NULL && i < trials->n; i++) {
        int err = resultset_add_published(set, o->tau2, trials->domains[i]->name, ret_err);

        if (err < 0)
            return err;
    }
    for (size_t i = 0; i < o->sources.n; i++)
        resultset_add_source(set, o->sources.v[i].p);
    return 0;
}

/* Whether a file's episodes count for a domain. */
static bool is_for(const struct resultset_file *file, const struct results *results,
                   const struct guard_domain *domain)
{
    return sp_str_eq(results->domain, sp_str_of(domain->name)) &&
           (file->domain == NULL || strcmp(file->domain, domain->name) == 0);
}

static int count_file(const struct trials *trials, const struct resultset_file *file,
                      struct sp_err *ret_err)
{
    struct results results;
    int err = results_read(file->path, &results, ret_err);

    if (err < 0)
        return err;
    for (size_t i = 0; i < trials->n; i++) {
        if (!is_for(file, &results, trials->domains[i]))
            continue;
        for (size_t k = 0; k < results.n_episodes; k++)
            audit_add(trials->audits[i], &results.episodes[k]);
    }
    results_deinit(&results);
    return 0;
}

static int count_all(const struct trials *trials, const struct guards_options *o,
                     struct sp_err *ret_err)
{
    struct resultset set = {0};
    int err = list_files(&set, o, trials, ret_err);

    for (size_t i = 0; err == 0 && i < set.n_files; i++)
        err = count_file(trials, &set.files[i], ret_err);
    resultset_deinit(&set);
    return err;
}

static int report(const struct trials *trials, const struct guards_options *o)
{
    const struct audit *const *audits = (const struct audit *const *)trials->audits;
    struct spool json = {0};
    struct spool markdown = {0};
    int status = 0;

    if (o->json != NULL) {
        audit_put_json(&json.text, audits, trials->n);
        status = report_deliver(&json, o->json);
    }
    if (status == 0) {
        audit_put_markdown(&markdown.text, audits, trials->n);
        status = report_deliver(&markdown, o->out);
    }
    spool_deinit(&json);
    spool_deinit(&markdown);
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
    if (o.tau2 == NULL && o.sources.n == 0) {
        status = cmd_misused(cmd, "--tau2 or --source is missing");
        goto out;
    }
    if (trials_init(&trials, &o.domains, &err) < 0 || count_all(&trials, &o, &err) < 0)
        status = cmd_fail("%s", err.text);
    else
        status = report(&trials, &o);
out:
    trials_deinit(&trials);
    free(o.domains.v);
    free(o.sources.v);
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
