/* stretto manifest: prints what a server's tools are. */

#include <errno.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "cmd/cmd.h"
#include "cmd/sources.h"
#include "trace/manifest.h"
#include "trace/tau2.h"

struct manifest_options {
    const char *domain;
    const char *tau2;
    struct sp_opt_list results;
    struct sp_opt_list sessions;
};

#define AT(field) .offset = offsetof(struct manifest_options, field)

static const struct sp_opt table[] = {
    {"SESSIONS", .kind = SP_OPT_ARGS, AT(sessions),
     .help = "directories of session logs, and session logs"},
    {"domain", .kind = SP_OPT_TEXT, AT(domain), .arg = "NAME", .fallback = "the first session's",
     .help = "the manifest's domain"},
    {"tau2", .kind = SP_OPT_PATH, AT(tau2), .arg = "DIR", .needs = {"domain"},
     .help = "read a checkout of tau2-bench instead"},
    {"results", .kind = SP_OPT_EACH, AT(results), .arg = "FILE", .needs = {"tau2"},
     .help = "adds the user's own tools if they were used"},
    CMD_HELP,
};

/* Adds the listings of all logs; `ret_domain` is the first session's. */
static int add_sessions(struct manifest *m, const struct sources *sources,
                        const struct manifest_options *o, struct sp_buf *ret_domain,
                        struct sp_err *ret_err)
{
    for (size_t i = 0; i < sources->set.n_logs; i++) {
        struct sessionlog log;
        int err = sessionlog_read(sources->set.logs[i].path, &log, ret_err);

        if (err < 0)
            return err;
        if (i == 0)
            sp_buf_add(ret_domain, log.header.domain.p != NULL ? log.header.domain : SP_STR("mcp"));
        manifest_add_log(m, &log);
        sessionlog_deinit(&log);
    }
    if (sources->set.n_logs == 0) {
        struct sp_buf paths = {0};

        sources_put_paths(&paths, &o->sessions);
        sp_err_set(ret_err, "no session logs in %s (directories in it are not searched)",
                   sp_buf_cstr(&paths));
        sp_buf_deinit(&paths);
        return -ENOENT;
    }
    return 0;
}

static int add_checkout(struct manifest *m, const struct sources *sources,
                        const struct manifest_options *o, struct sp_err *ret_err)
{
    const struct episode **episodes;
    size_t n = 0;
    int err;

    for (size_t i = 0; i < sources->n_results; i++)
        n += sources->results[i].n_episodes;
    episodes = sp_calloc(n, sizeof *episodes);
    n = 0;
    for (size_t i = 0; i < sources->n_results; i++) {
        if (!sp_str_eq(sources->results[i].domain, sp_str_of(o->domain)))
            continue; /* another domain's say nothing of this one's tools */
        for (size_t k = 0; k < sources->results[i].n_episodes; k++)
            episodes[n++] = &sources->results[i].episodes[k];
    }
    err = tau2_read_tools(o->tau2, sp_str_of(o->domain), episodes, n, m, ret_err);
    free(episodes);
    return err;
}

static int read_all(struct manifest *m, const struct manifest_options *o, struct sp_buf *ret_domain,
                    struct sp_err *ret_err)
{
    struct sources sources = {0};
    int err = sources_open(&sources, &o->sessions, &o->results, ret_err);

    if (err == 0 && o->tau2 != NULL)
        err = add_checkout(m, &sources, o, ret_err);
    else if (err == 0)
        err = add_sessions(m, &sources, o, ret_domain, ret_err);
    sources_deinit(&sources);
    return err;
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
    struct manifest_options o = {0};
    struct manifest m = {0};
    struct sp_buf domain = {0};
    struct spool spool = {0};
    struct sp_err err;
    int status = 0;

    if (!cmd_parse(cmd, argc, argv, &o, NULL, &status))
        goto out;
    if (o.tau2 == NULL && o.sessions.n == 0) {
        status = cmd_misused(cmd, "SESSIONS or --tau2 is missing");
        goto out;
    }
    if (o.tau2 != NULL && o.sessions.n > 0) {
        status = cmd_misused(cmd, "--tau2 excludes SESSIONS");
        goto out;
    }
    if (read_all(&m, &o, &domain, &err) < 0) {
        status = cmd_fail("%s", err.text);
        goto out;
    }
    manifest_put(&spool.text, &m, o.domain != NULL ? sp_str_of(o.domain) : sp_buf_str(&domain));
    sp_buf_add_char(&spool.text, '\n');
    status = cmd_print(&spool);
out:
    spool_deinit(&spool);
    sp_buf_deinit(&domain);
    manifest_deinit(&m);
    free(o.sessions.v);
    free(o.results.v);
    return status;
}

const struct cmd cmd_manifest = {
    .name = "manifest",
    .usage = "[--domain NAME] SESSIONS...\n"
             "       stretto manifest --domain NAME --tau2 DIR [--results FILE]...",
    .summary = "print what a server's tools are: read or write, docs, input contracts",
    .text = "Prints, as one line of canonical JSON, the tools that the sessions' servers listed.\n",
    .table = table,
    .n_table = sizeof table / sizeof table[0],
    .run = run,
};
