/* stretto learn: makes a flow of recorded sessions. */

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/sp_file.h"
#include "cmd/batch.h"
#include "cmd/cmd.h"
#include "cmd/progress.h"
#include "cmd/report.h"
#include "flow/arbiterfile.h"
#include "io/oracle_cache.h"
#include "learn/learn.h"
#include "learn/learnfile.h"

#define DEFAULT_BUDGET      1.0
#define DEFAULT_CONCURRENCY 8

struct learn_args {
    const char *sessions;
    const char *domain;
    const char *out;
    const char *manifest;
    const char *rewards;
    bool habit_only;
    const char *arbiter_from;
    bool refit_habit;
    bool every_read;
    const char *predicates;
    int oracle;
    const char *cache;
    struct sp_opt_number budget;
    struct sp_opt_uint alpha_samples;
    struct sp_opt_number alpha;
};

#define AT(field) .offset = offsetof(struct learn_args, field)

static const struct sp_opt table[] = {
    {"sessions", .kind = SP_OPT_PATH, .is_required = true, AT(sessions), .arg = "DIR",
     .help = "the directory of session logs"},
    {"domain", .kind = SP_OPT_TEXT, .is_required = true, AT(domain), .arg = "NAME",
     .help = "the flow's domain"},
    {"out", .kind = SP_OPT_PATH, .is_required = true, AT(out), .arg = "FILE",
     .help = "where the flow goes"},
    {"manifest", .kind = SP_OPT_PATH, AT(manifest), .arg = "FILE",
     .fallback = "the sessions' listings", .help = "the tools: read or write, and their docs"},
    {"rewards", .kind = SP_OPT_PATH, AT(rewards), .arg = "FILE",
     .fallback = "every session succeeded", .help = "a JSON object: session id to number"},
    {"habit-only", .kind = SP_OPT_FLAG, AT(habit_only),
     .help = "no arbiter, and nobody is asked; every session trains"},
    {"arbiter-from", .kind = SP_OPT_PATH, AT(arbiter_from), .arg = "FILE",
     .help = "the same, and serve the arbiter of this flow or arbiter file"},
    {"refit-habit", .kind = SP_OPT_FLAG, AT(refit_habit),
     .help = "after fitting an arbiter, learn the rest from every session"},
    {"manifest-options", .kind = SP_OPT_FLAG, AT(every_read),
     .help = "offer every read tool at every site"},
    {"predicates", .kind = SP_OPT_PATH, AT(predicates), .arg = "FILE", .fallback = "none",
     .help = "yes/no questions that the arbiter asks and weighs"},
    {"oracle", .kind = SP_OPT_CHOICE, AT(oracle), .arg = "KIND",
     .choices = {"jev", "replay", "mock"}, .fallback = "jev",
     .help = "who answers: the service, cached answers, or a mock"},
    {"oracle-cache", .kind = SP_OPT_PATH, AT(cache), .arg = "DIR", .fallback = ORACLE_CACHE_STRETTO,
     .help = "the cached answers"},
    {"oracle-budget", .kind = SP_OPT_NUMBER, AT(budget), .arg = "DOLLARS", .fallback = "1",
     .help = "ask nothing if it may cost more than this"},
    {"alpha-samples", .kind = SP_OPT_UINT, AT(alpha_samples), .arg = "N", .fallback = "600",
     .help = "0: take --alpha; else alpha is inferred, exactly for any N"},
    {"alpha", .kind = SP_OPT_NUMBER, AT(alpha), .arg = "X", .fallback = "1",
     .help = "how much shorter histories weigh, with --alpha-samples 0"},
    CMD_HELP,
};

/* What is read for learning; it outlives the flow. */
struct inputs {
    struct sessionset set;
    struct sp_buf manifest;
    struct learnfile_rewards rewards;
    struct flow_predicates predicates;
    struct arbiterfile arbiter_file;
    struct flow *arbiter_flow; /* NULL: none */
    struct learn_arbiter arbiter;
    struct sp_arena arena;
};

static void inputs_deinit(struct inputs *in)
{
    sessionset_deinit(&in->set);
    sp_buf_deinit(&in->manifest);
    learnfile_rewards_deinit(&in->rewards);
    arbiterfile_deinit(&in->arbiter_file);
    flow_free(in->arbiter_flow);
    sp_arena_deinit(&in->arena);
}

/* ---- reading ---- */

static int list_sessions(struct sessionset *set, const char *path, struct sp_err *ret_err)
{
    DIR *dir = opendir(path);
    int err;

    if (dir == NULL) {
        err = -errno;
        sp_err_set(ret_err, "listing %s: %s", path, sp_err_cause(err));
        return err;
    }
    (void)closedir(dir);
    err = sessionset_add(set, path, ret_err);
    sessionset_sort(set);
    return err;
}

/* Takes what a file holds; errors name no file. */
typedef int (*take_fn)(struct inputs *in, struct sp_str text, struct sp_err *ret_err);

static int take_rewards(struct inputs *in, struct sp_str text, struct sp_err *ret_err)
{
    return learnfile_read_rewards(text, &in->arena, &in->rewards, ret_err);
}

static int take_predicates(struct inputs *in, struct sp_str text, struct sp_err *ret_err)
{
    return learnfile_read_predicates(text, &in->arena, &in->predicates, ret_err);
}

/* The manifest's text is kept; here it is only seen whether it is one. */
static int take_manifest(struct inputs *in, struct sp_str text, struct sp_err *ret_err)
{
    struct flow *trial = flow_new();
    int err = learnfile_read_tools(text, trial, ret_err);

    flow_free(trial);
    sp_buf_add(&in->manifest, text);
    return err;
}

/* The name of a source of an arbiter that was taken from elsewhere. */
static struct sp_str source_name(struct inputs *in, struct sp_str domain, struct sp_str source)
{
    struct sp_buf b = {0};
    struct sp_str name;

    if (domain.p != NULL)
        sp_buf_addf(&b, "arbiter (%.*s): ", SP_STR_ARG(domain));
    else
        sp_buf_add(&b, SP_STR("arbiter: "));
    sp_buf_add(&b, source);
    name = sp_arena_copy(&in->arena, sp_buf_str(&b));
    sp_buf_deinit(&b);
    return name;
}

/* domain: p is NULL for none. */
static void name_sources(struct inputs *in, struct sp_str domain, const struct flow_provenance *p)
{
    struct learn_arbiter *a = &in->arbiter;

    a->cases = p->arbiter_cases;
    a->sources = sp_arena_alloc(&in->arena, p->n_sources * sizeof *a->sources);
    for (a->n_sources = 0; a->n_sources < p->n_sources; a->n_sources++)
        a->sources[a->n_sources] = source_name(in, domain, p->sources[a->n_sources]);
}

static int take_arbiter_file(struct inputs *in, struct sp_str text, struct sp_err *ret_err)
{
    struct arbiterfile *file = &in->arbiter_file;
    struct learn_arbiter *a = &in->arbiter;
    int err = arbiterfile_parse(text, file, ret_err);

    if (err < 0)
        return err;
    a->predicates = file->predicates;
    a->weighed = file->weighed;
    a->model = file->model;
    a->folds = sp_arena_alloc(&in->arena, FLOW_N_FOLDS * sizeof *a->folds);
    for (size_t i = 0; i < FLOW_N_FOLDS; i++)
        a->folds[i] = file->fitted;
    name_sources(in, file->domain, &file->provenance);
    return 0;
}

static int take_flow(struct inputs *in, struct sp_str text, struct sp_err *ret_err)
{
    struct learn_arbiter *a = &in->arbiter;
    struct flow *f;
    int err = flow_parse(text, &in->arbiter_flow, ret_err);

    if (err < 0)
        return err;
    f = in->arbiter_flow;
    if (f->n_folds == 0) {
        sp_err_set(ret_err, "this flow has no arbiter to take");
        return -EINVAL;
    }
    a->predicates = f->predicates;
    a->weighed = f->weighed;
    a->model = f->model;
    a->folds = f->folds;
    a->every_read = f->sites.every_read;
    name_sources(in, (struct sp_str){0}, &f->provenance);
    return 0;
}

static int take_arbiter(struct inputs *in, struct sp_str text, struct sp_err *ret_err)
{
    return arbiterfile_is(text) ? take_arbiter_file(in, text, ret_err)
                                : take_flow(in, text, ret_err);
}

/* Reads a file and takes what it holds; a `path` of NULL is nothing. */
static int read_file(struct inputs *in, const char *path, take_fn take, struct sp_err *ret_err)
{
    struct sp_buf text = {0};
    int err;

    if (path == NULL)
        return 0;
    err = sp_file_read(path, SIZE_MAX, &text);
    if (err < 0) {
        sp_err_set(ret_err, "reading %s: %s", path, sp_err_cause(err));
    } else {
        err = take(in, sp_buf_str(&text), ret_err);
        if (err < 0)
            sp_err_prefix(ret_err, "%s", path);
    }
    sp_buf_deinit(&text);
    return err;
}

static int inputs_read(struct inputs *in, const struct learn_args *args, struct sp_err *ret_err)
{
    int err = read_file(in, args->manifest, take_manifest, ret_err);

    if (err == 0)
        err = read_file(in, args->rewards, take_rewards, ret_err);
    if (err == 0)
        err = read_file(in, args->predicates, take_predicates, ret_err);
    if (err == 0)
        err = read_file(in, args->arbiter_from, take_arbiter, ret_err);
    return err < 0 ? err : list_sessions(&in->set, args->sessions, ret_err);
}

/* ---- learning ---- */

/* What learning tells on the way. */
struct talk {
    struct batch *batch; /* NULL: nobody is asked */
    struct batch_counts asked;
    struct progress progress;
};

static int ask_all(void *data, struct sp_err *ret_err)
{
    struct talk *talk = data;

    progress_end(&talk->progress);
    return batch_run(talk->batch, &talk->asked, ret_err);
}

static int ask(void *data, const struct oracle_request *request, struct sp_str *ret_key,
               struct oracle_response *ret, struct sp_err *ret_why)
{
    struct talk *talk = data;

    return batch_ask(talk->batch, request, ret_key, ret, ret_why);
}

static void on_progress(void *data, size_t done, size_t total)
{
    struct talk *talk = data;

    progress_tell(&talk->progress, "logs read", done, total);
}

static enum learn_mode mode_of(const struct learn_args *args)
{
    if (args->arbiter_from != NULL)
        return LEARN_WITH;
    if (args->habit_only)
        return LEARN_HABIT;
    return args->refit_habit ? LEARN_FIT_AND_ALL : LEARN_FIT;
}

static int save(const struct learn_args *args, struct flow *f, struct sp_err *ret_err)
{
    struct timespec now;
    int err;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    f->provenance.compiled_unix_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    err = flow_save(args->out, f, ret_err);
    if (err < 0)
        sp_err_set(ret_err, "creating %s: %s", args->out, sp_err_cause(err));
    return err;
}

static int learn_and_save(const struct learn_args *args, struct inputs *in, struct talk *talk,
                          struct sp_err *ret_err)
{
    struct learn_options options = {
        .domain = sp_str_of(args->domain),
        .set = &in->set,
        .rewards = &in->rewards.by_session,
        .reward_values = in->rewards.values,
        .predicates = in->predicates,
        .every_read = args->every_read,
        .mode = mode_of(args),
        .arbiter = &in->arbiter,
        .model = oracle_jev_model(getenv),
        .ask = ask,
        .ask_all = ask_all,
        .ask_data = talk,
        .on_progress = on_progress,
        .progress_data = talk,
    };
    struct flow *f;
    int err;

    if (args->manifest != NULL)
        options.manifest = sp_buf_str(&in->manifest);
    if (args->alpha_samples.is_given && args->alpha_samples.value == 0)
        options.alpha = args->alpha.is_given ? args->alpha.value : 1;
    progress_init(&talk->progress);
    err = learn(&options, &in->arena, &f, ret_err);
    progress_end(&talk->progress);
    if (err < 0)
        return err;
    err = save(args, f, ret_err);
    if (err == 0) {
        if (talk->asked.failed > 0)
            cmd_note("warning: %zu of %zu questions had no answer; the arbiter was fitted "
                     "without them",
                     talk->asked.failed, talk->asked.questions);
        cmd_note("wrote %s: the %s flow, learned from %zu sessions (%zu tools)", args->out,
                 args->domain, in->set.n_logs, f->n_kinds);
    }
    flow_free(f);
    return err;
}

static int run_with(const struct learn_args *args)
{
    struct batch_options asked = {
        .kind = args->oracle > 0 ? (enum oracle_client_kind)args->oracle : ORACLE_CLIENT_JEV,
        .cache = args->cache != NULL ? args->cache : ORACLE_CACHE_STRETTO,
        .budget = args->budget.is_given ? args->budget.value : DEFAULT_BUDGET,
        .concurrency = DEFAULT_CONCURRENCY,
    };
    struct inputs in = {0};
    struct talk talk = {0};
    enum learn_mode mode = mode_of(args);
    struct sp_err err;
    int status = 0;

    if (report_find_dir("creating", args->out, &err) < 0 || inputs_read(&in, args, &err) < 0)
        status = cmd_fail("%s", err.text);
    if (status == 0 && (mode == LEARN_FIT || mode == LEARN_FIT_AND_ALL)) {
        talk.batch = batch_new(&asked, &err);
        if (talk.batch == NULL)
            status = cmd_fail("%s", err.text);
    }
    if (status == 0 && learn_and_save(args, &in, &talk, &err) < 0)
        status = cmd_fail("%s", err.text);
    batch_free(talk.batch);
    inputs_deinit(&in);
    return status;
}

/* ---- the command line ---- */

/* The first option given that asks or weighs, and so goes with a fitted arbiter only; or NULL. */
static const char *fitting_option(const struct learn_args *args)
{
    const struct {
        const char *name;
        bool is_given;
    } options[] = {
        {"--refit-habit", args->refit_habit},
        {"--manifest-options", args->every_read},
        {"--oracle", args->oracle > 0},
        {"--oracle-cache", args->cache != NULL},
        {"--oracle-budget", args->budget.is_given},
        {"--predicates", args->predicates != NULL},
    };

    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (options[i].is_given)
            return options[i].name;
    }
    return NULL;
}

static int check(const struct cmd *cmd, const struct learn_args *args)
{
    const char *alone = args->habit_only ? "--habit-only" : "--arbiter-from";
    const char *other = fitting_option(args);

    if (args->habit_only && args->arbiter_from != NULL)
        return cmd_misused(cmd, "--habit-only excludes --arbiter-from");
    if ((args->habit_only || args->arbiter_from != NULL) && other != NULL)
        return cmd_misused(cmd, "%s excludes %s", alone, other);
    if (args->alpha.is_given && !(args->alpha.value > 0 && isfinite(args->alpha.value)))
        return cmd_misused(cmd, "--alpha must be a number above 0");
    if (args->budget.is_given && !(args->budget.value >= 0))
        return cmd_misused(cmd, "--oracle-budget must be a number of 0 or more");
    return 0;
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
    struct learn_args args = {0};
    int status = 0;

    if (!cmd_parse(cmd, argc, argv, &args, NULL, &status))
        return status;
    status = check(cmd, &args);
    return status != 0 ? status : run_with(&args);
}

const struct cmd cmd_learn = {
    .name = "learn",
    .usage = "--sessions DIR --domain NAME --out FILE [--habit-only] [options]",
    .summary = "learn a flow from recorded sessions",
    .text = "Counts what the agent did next in recorded sessions and where the arguments of its\n"
            "lookups came from, and writes the flow that the proxy serves. Without --habit-only\n"
            "it also fits an arbiter on sessions that it holds out, which asks a System-One\n"
            "model.\n",
    .table = table,
    .n_table = sizeof table / sizeof table[0],
    .run = run,
};
