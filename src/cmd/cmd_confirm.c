/* stretto confirm: tries the confirmation judge on recorded results. */

#include <math.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "cmd/batch.h"
#include "cmd/cmd.h"
#include "cmd/report.h"
#include "cmd/trials.h"
#include "io/oracle_cache.h"
#include "learn/confirmaudit.h"

#define DEFAULT_BUDGET    2.0
#define DEFAULT_THRESHOLD 0.5
#define DEFAULT_EXAMPLES  8
#define CONCURRENCY       8

struct confirm_args {
    struct trials_options trials;
    int oracle; /* an enum oracle_client_kind; 0: none was named */
    const char *cache;
    struct sp_opt_number budget;
    struct sp_opt_number threshold;
    int second; /* an enum judgment_second */
    struct sp_opt_uint examples;
    const char *dump;
    const char *out;
    const char *json;
};

#define AT(field) .offset = offsetof(struct confirm_args, field)

static const struct sp_opt table[] = {
    {"tau2", .kind = SP_OPT_PATH, AT(trials.tau2), .arg = "DIR",
     .help = "a checkout of tau2-bench: try it on its published results"},
    {"domain", .kind = SP_OPT_EACH, AT(trials.domains), .arg = "NAME",
     .fallback = "retail and airline", .help = "a domain whose writes are judged; may be repeated"},
    {"source", .kind = SP_OPT_EACH, AT(trials.sources), .arg = "[LABEL=]PATH",
     .help = "one more results file; may be repeated"},
    {"oracle", .kind = SP_OPT_CHOICE, AT(oracle), .arg = "KIND",
     .choices = {"jev", "replay", "mock"}, .fallback = "replay",
     .help = "who answers: the service, cached answers, or a mock"},
    {"oracle-cache", .kind = SP_OPT_PATH, AT(cache), .arg = "DIR", .fallback = ORACLE_CACHE_STRETTO,
     .help = "the cached answers"},
    {"oracle-budget", .kind = SP_OPT_NUMBER, AT(budget), .arg = "DOLLARS", .fallback = "2",
     .help = "ask nothing if a domain's questions may cost more than this"},
    {"threshold", .kind = SP_OPT_NUMBER, AT(threshold), .arg = "P", .fallback = "0.5",
     .help = "a write fails when the probability of a yes is below this"},
    {"second-question", .kind = SP_OPT_CHOICE, AT(second), .arg = "WHICH",
     .choices = {"proposed", "described"}, .fallback = "none",
     .help = "also ask whether the agent had put the change forward, or set it out"},
    {"examples", .kind = SP_OPT_UINT, AT(examples), .arg = "N", .fallback = "8",
     .help = "writes of each kind that the report shows"},
    {"oracle-dump", .kind = SP_OPT_PATH, AT(dump), .arg = "FILE", .fallback = "not written",
     .help = "where the questions go; each domain is added to the name"},
    {"out", .kind = SP_OPT_PATH, AT(out), .arg = "FILE", .fallback = "standard output",
     .help = "where the report goes, as Markdown"},
    {"json", .kind = SP_OPT_PATH, AT(json), .arg = "FILE", .fallback = "not written",
     .help = "where the counts and all writes go, as JSON"},
    CMD_HELP,
};

/* What is asked about a domain. */
struct inquiry {
    struct batch *batch;
    struct confirmaudit *audit;
    struct sp_buf dump; /* the path; empty for none */
};

struct inquiries {
    struct inquiry *of; /* one a domain */
    size_t n;
};

/* Appends the path of a domain's dump: its name goes before the extension. */
static void put_dump_path(struct sp_buf *b, const char *path, const char *domain)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    const char *end = path + strlen(path);

    if (dot == NULL || dot == name) /* a name that only begins with a dot has no extension */
        dot = end;
    sp_buf_add(b, (struct sp_str){path, (size_t)(dot - path)});
    sp_buf_addf(b, "-%s%s", domain, dot);
}

static int open_batch(struct inquiry *q, const struct confirm_args *args, const char *domain,
                      struct sp_err *ret_err)
{
    struct batch_options options = {
        .kind = args->oracle > 0 ? (enum oracle_client_kind)args->oracle : ORACLE_CLIENT_REPLAY,
        .cache = args->cache,
        .budget = args->budget.is_given ? args->budget.value : DEFAULT_BUDGET,
        .concurrency = CONCURRENCY,
    };

    if (args->dump != NULL) {
        put_dump_path(&q->dump, args->dump, domain);
        options.dump = sp_buf_cstr(&q->dump);
    }
    q->batch = batch_new(&options, ret_err);
    return q->batch != NULL ? 0 : -1;
}

static int open_all(struct inquiries *all, const struct confirm_args *args,
                    const struct trials *trials, struct sp_err *ret_err)
{
    struct confirmaudit_options options = {
        .model = oracle_jev_model(getenv),
        .second = (enum judgment_second)args->second,
        .threshold = args->threshold.is_given ? args->threshold.value : DEFAULT_THRESHOLD,
        .max_examples = args->examples.is_given ? (size_t)args->examples.value : DEFAULT_EXAMPLES,
        .ask = batch_ask,
    };
    int err = 0;

    all->n = trials->n_domains;
    all->of = sp_calloc(all->n, sizeof *all->of);
    for (size_t i = 0; err == 0 && i < all->n; i++) {
        err = open_batch(&all->of[i], args, trials->domains[i]->name, ret_err);
        options.domain = trials->domains[i];
        options.ask_data = all->of[i].batch;
        all->of[i].audit = confirmaudit_new(&options);
    }
    return err;
}

/* The last batch is freed first, as each leaves the handling of signals as it found it. */
static void close_all(struct inquiries *all)
{
    for (size_t i = all->n; i-- > 0;) {
        batch_free(all->of[i].batch);
        confirmaudit_free(all->of[i].audit);
        sp_buf_deinit(&all->of[i].dump);
    }
    free(all->of);
}

static void gather(void *data, size_t at, const struct episode *e)
{
    struct inquiries *all = data;

    confirmaudit_add(all->of[at].audit, e);
}

/* Asks the questions about one domain. */
static int ask(struct inquiry *q, const char *domain, struct sp_err *ret_err)
{
    struct confirmaudit_size size = confirmaudit_size(q->audit);
    struct batch_counts counts;
    int err;

    cmd_note("%s: %zu write%s to judge in %zu episode%s", domain, size.writes,
             size.writes == 1 ? "" : "s", size.episodes, size.episodes == 1 ? "" : "s");
    err = batch_run(q->batch, &counts, ret_err);
    if (err < 0) {
        sp_err_prefix(ret_err, "%s", domain);
        return err;
    }
    if (counts.failed > 0)
        cmd_note("warning: %zu of %zu questions had no answer", counts.failed, counts.questions);
    confirmaudit_count(q->audit);
    return 0;
}

static int report(const struct inquiries *all, const struct confirm_args *args)
{
    const struct confirmaudit **audits = sp_calloc(all->n, sizeof *audits);
    struct spool json = {0};
    struct spool markdown = {0};
    int status = 0;

    for (size_t i = 0; i < all->n; i++)
        audits[i] = all->of[i].audit;
    if (args->json != NULL) {
        confirmaudit_put_json(&json.text, audits, all->n);
        status = report_deliver(&json, args->json);
    }
    if (status == 0) {
        confirmaudit_put_markdown(&markdown.text, audits, all->n);
        status = report_deliver(&markdown, args->out);
    }
    spool_deinit(&json);
    spool_deinit(&markdown);
    free(audits);
    return status;
}

static int confirm(const struct confirm_args *args, const struct trials *trials)
{
    struct inquiries all = {0};
    struct sp_err err;
    int code = open_all(&all, args, trials, &err);
    int status;

    if (code == 0)
        code = trials_each(trials, gather, &all, &err);
    for (size_t i = 0; code == 0 && i < all.n; i++)
        code = ask(&all.of[i], trials->domains[i]->name, &err);
    status = code < 0 ? cmd_fail("%s", err.text) : report(&all, args);
    close_all(&all);
    return status;
}

static int check(const struct cmd *cmd, const struct confirm_args *args)
{
    if (args->trials.tau2 == NULL && args->trials.sources.n == 0)
        return cmd_misused(cmd, "--tau2 or --source is missing");
    if (args->budget.is_given && !(args->budget.value >= 0))
        return cmd_misused(cmd, "--oracle-budget must be a number of 0 or more");
    if (args->threshold.is_given && !isfinite(args->threshold.value))
        return cmd_misused(cmd, "--threshold must be a finite number");
    return 0;
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
    struct confirm_args args = {0};
    struct trials trials = {0};
    struct sp_err err;
    int status = 0;

    if (!cmd_parse(cmd, argc, argv, &args, NULL, &status))
        goto out;
    status = check(cmd, &args);
    if (status != 0)
        goto out;
    if (trials_init(&trials, &args.trials, &err) < 0)
        status = cmd_fail("%s", err.text);
    else
        status = confirm(&args, &trials);
out:
    trials_deinit(&trials);
    trials_options_deinit(&args.trials);
    return status;
}

const struct cmd cmd_confirm = {
    .name = "confirm",
    .usage =
        "[--tau2 DIR] [--domain NAME]... [--source [LABEL=]PATH]...\n"
        "                       [--oracle KIND] [--oracle-cache DIR] [--oracle-budget DOLLARS]\n"
        "                       [--threshold P] [--second-question WHICH] [--examples N]\n"
        "                       [--oracle-dump FILE] [--out FILE] [--json FILE]",
    .summary = "try the confirmation judge on recorded results",
    .text = "Asks the confirmation judge about every write of recorded episodes that needs the\n"
            "customer's explicit yes, and reports what it would have refused, beside the guards'\n"
            "word list: in episodes that did their task, in episodes that did not, and for\n"
            "writes the tool itself refused.\n",
    .table = table,
    .n_table = sizeof table / sizeof table[0],
    .run = run,
};
