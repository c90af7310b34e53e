/* stretto init: what a host needs to run a server behind the proxy. */

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/sp_file.h"
#include "base/sp_header.h"
#include "base/sp_utf8.h"
#include "cmd/cmd.h"
#include "cmd/init_text.h"
#include "cmd/init_wrap.h"
#include "cmd/programs.h"
#include "cmd/report.h"
#include "cmd/served.h"
#include "config/wrap.h"

#define PROXY "stretto-proxy"

struct init_args {
    int host;
    const char *domain;
    const char *flow;
    bool is_shadow;
    const char *record;
    const char *write;
    bool is_forced;
    const char *upstream;
    struct sp_opt_list headers;
    const char *wrap;
    const char *unwrap;
    struct sp_opt_list servers;
    bool is_dry;
};

#define AT(field) .offset = offsetof(struct init_args, field)

static const struct sp_opt table[] = {
    {"host", .kind = SP_OPT_CHOICE, AT(host), .arg = "HOST",
     .choices = {"claude-code", "claude-desktop", "cursor", "vscode", "windsurf", "zed", "json"},
     .help = "the host: claude-code, claude-desktop, cursor, vscode, windsurf, zed, or json"},
    {"domain", .kind = SP_OPT_TEXT, AT(domain), .arg = "NAME", .fallback = "the flow's",
     .help = "the server's name, and the sessions' domain"},
    {"flow", .kind = SP_OPT_PATH, AT(flow), .arg = "FILE", .help = "serve this flow"},
    {"shadow", .kind = SP_OPT_FLAG, AT(is_shadow), .needs = {"flow"},
     .help = "the flow only decides, and looks nothing up"},
    {"record", .kind = SP_OPT_PATH, AT(record), .arg = "DIR",
     .fallback = "~/.stretto/logs/NAME, or ~/.stretto/shadow/NAME",
     .help = "where sessions are recorded"},
    {"write", .kind = SP_OPT_PATH, AT(write), .arg = "PATH",
     .help = "write a configuration file with this one server"},
    {"force", .kind = SP_OPT_FLAG, AT(is_forced), .needs = {"write"},
     .help = "replace a file that is there, whole"},
    {"upstream", .kind = SP_OPT_TEXT, AT(upstream), .arg = "URL",
     .help = "the server is at this URL"},
    {"upstream-header", .kind = SP_OPT_EACH, AT(headers), .arg = "NAME=VAR", .needs = {"upstream"},
     .help = "send header NAME with the value of environment variable VAR; may be repeated"},
    {"wrap", .kind = SP_OPT_PATH, AT(wrap), .arg = "PATH",
     .help = "put the proxy before the servers of a configuration file, in place"},
    {"unwrap", .kind = SP_OPT_PATH, AT(unwrap), .arg = "PATH", .help = "take it out again"},
    {"server", .kind = SP_OPT_EACH, AT(servers), .arg = "NAME", .fallback = "all",
     .help = "of --wrap or --unwrap: the server; may be repeated"},
    {"dry-run", .kind = SP_OPT_FLAG, AT(is_dry),
     .help = "of --wrap or --unwrap: print the difference and change nothing"},
    CMD_HELP,
};

/* What is found out for a plan, and freed with it. */
struct made {
    char *proxy;
    char *flow;
    char *record;
    char *program;
    char **command;
    struct flow *loaded;
    struct sp_buf text; /* of `record` */
};

/* ---- the command line ---- */

struct given {
    const char *name;
    bool is_given;
};

/* The first that is given; NULL for none. */
static const char *first_of(const struct given *options, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (options[i].is_given)
            return options[i].name;
    }
    return NULL;
}

/* Checks the command line of an edit in place. */
static int check_edit(const struct cmd *cmd, const struct init_args *a, int n_command)
{
    const char *mode = a->wrap != NULL ? "--wrap" : "--unwrap";
    const struct given others[] = {
        {"--unwrap", a->wrap != NULL && a->unwrap != NULL},
        {"--record", a->unwrap != NULL && a->record != NULL},
        {"--host", a->host != 0},
        {"--domain", a->domain != NULL},
        {"--flow", a->flow != NULL},
        {"--write", a->write != NULL},
        {"--upstream", a->upstream != NULL},
        {"a server command", n_command > 0},
    };
    const char *other = first_of(others, sizeof others / sizeof *others);

    return other != NULL ? cmd_misused(cmd, "%s excludes %s", mode, other) : 0;
}

/* Checks that of a new configuration. */
static int check_new(const struct cmd *cmd, const struct init_args *a, int n_command)
{
    const struct given others[] = {{"--server", a->servers.n > 0}, {"--dry-run", a->is_dry}};
    const char *other = first_of(others, sizeof others / sizeof *others);

    if (other != NULL)
        return cmd_misused(cmd, "%s needs --wrap or --unwrap", other);
    if (a->host == 0)
        return cmd_misused(cmd, "--host is missing");
    if (a->domain == NULL && a->flow == NULL)
        return cmd_misused(cmd, "--domain is missing: it, or --flow, names the server");
    if (a->upstream != NULL && n_command > 0)
        return cmd_misused(cmd, "--upstream excludes a server command");
    if (a->upstream == NULL && n_command == 0)
        return cmd_misused(cmd, "a server is missing: '-- SERVER_COMMAND' or --upstream");
    return 0;
}

/* Checks the values of --upstream and --upstream-header. */
static int check_upstream(const struct init_args *a, struct sp_err *ret_err)
{
    struct sp_str url = a->upstream != NULL ? sp_str_of(a->upstream) : SP_STR("http://");

    if (!sp_str_starts(url, SP_STR("http://")) && !sp_str_starts(url, SP_STR("https://"))) {
        sp_err_set(ret_err, "--upstream must start with http:// or https://, not '%s'",
                   a->upstream);
        return -EINVAL;
    }
    for (size_t i = 0; i < a->headers.n; i++) {
        struct sp_str header = a->headers.v[i];
        size_t equals = sp_str_find(header, '=');

        if (equals == 0 || equals + 1 >= header.len) {
            sp_err_set(ret_err, "--upstream-header takes NAME=VAR, and neither may be empty");
            return -EINVAL;
        }
        if (!sp_header_is_name(sp_str_sub(header, 0, equals)) || header.p[0] == '-') {
            sp_err_set(ret_err, "--upstream-header: the proxy sends no header '%.*s'", (int)equals,
                       header.p);
            return -EINVAL;
        }
    }
    return 0;
}

/* ---- the proxy's program ---- */

/* How a host is to start the proxy; the caller's. Notes go to stderr. */
static char *find_proxy(bool is_by_path)
{
    char *found = programs_on_path(PROXY);

    if (found != NULL && !is_by_path) {
        free(found);
        return sp_strdup(PROXY);
    }
    if (found != NULL)
        return found;
    found = programs_beside(PROXY);
    if (found != NULL) {
        cmd_note(PROXY " is not on PATH; the configuration has the one beside this "
                       "program, %s",
                 found);
        return found;
    }
    cmd_note(PROXY " is not on PATH; install it before the host starts it");
    return sp_strdup(PROXY);
}

/* ---- the plan ---- */

/* A path as the proxy is given it: "~" is left to it, and what is relative becomes absolute. */
static char *settle(const char *path, struct sp_err *ret_err)
{
    char *absolute;

    if (path[0] == '~' && (path[1] == '\0' || path[1] == '/'))
        return sp_strdup(path);
    absolute = programs_absolute(path);
    if (absolute == NULL)
        sp_err_set(ret_err, "the current directory: %s", sp_err_cause(-errno));
    return absolute;
}

static char *expand(const char *path)
{
    return sp_file_expand(path, getenv("HOME"), getenv("USERPROFILE"));
}

static int plan_flow(const struct init_args *a, struct init_plan *p, struct made *m,
                     struct sp_err *ret_err)
{
    char *path;
    int err;

    if (a->flow == NULL)
        return 0;
    path = expand(a->flow);
    err = flow_load(path, &m->loaded, ret_err);
    free(path);
    if (err < 0) {
        sp_err_prefix(ret_err, "--flow %s", a->flow);
        return err;
    }
    m->flow = settle(a->flow, ret_err);
    if (m->flow == NULL)
        return -ENOENT;
    p->flow = m->flow;
    p->decider = served_decider_name(decide_default(m->loaded));
    p->has_arbiter = m->loaded->n_folds > 0;
    p->is_shadow = a->is_shadow;
    return 0;
}

static int plan_domain(const struct init_args *a, struct init_plan *p, const struct made *m,
                       struct sp_err *ret_err)
{
    p->domain = a->domain != NULL ? sp_str_of(a->domain) : m->loaded->domain;
    if (wrap_is_domain(p->domain))
        return 0;
    sp_err_set(ret_err,
               "--domain must be of letters, digits, '-', '_' and '.', and not start with '.' or "
               "'-': '%.*s'",
               SP_STR_ARG(p->domain));
    return -EINVAL;
}

static int plan_record(const struct init_args *a, struct init_plan *p, struct made *m,
                       struct sp_err *ret_err)
{
    if (a->record != NULL) {
        m->record = settle(a->record, ret_err);
        p->record = m->record;
        p->is_record_given = true;
        return m->record != NULL ? 0 : -ENOENT;
    }
    sp_buf_addf(&m->text, "~/.stretto/%s/%.*s", a->is_shadow ? "shadow" : "logs",
                SP_STR_ARG(p->domain));
    p->record = sp_buf_cstr(&m->text);
    return 0;
}

/* The server's command, its program made to hold from any directory. */
static int plan_command(char **command, int n, struct init_plan *p, struct made *m,
                        struct sp_err *ret_err)
{
    if (n == 0)
        return 0;
    if (command[0][0] == '\0') {
        sp_err_set(ret_err, "the server's program has no name");
        return -EINVAL;
    }
    m->command = sp_calloc((size_t)n, sizeof *m->command);
    memcpy(m->command, command, (size_t)n * sizeof *command);
    if (strchr(command[0], '/') != NULL) {
        char *path = expand(command[0]); /* the proxy starts it as it is given */

        m->program = programs_absolute(path);
        free(path);
        if (m->program == NULL) {
            sp_err_set(ret_err, "the current directory: %s", sp_err_cause(-errno));
            return -ENOENT;
        }
        m->command[0] = m->program;
    }
    p->command = m->command;
    p->n_command = (size_t)n;
    return 0;
}

/* A text that may be NULL; JSON holds none that is not UTF-8. */
static bool fits_json(const char *text)
{
    return text == NULL || sp_utf8_is_valid(sp_str_of(text));
}

static int check_utf8(bool is_good, struct sp_err *ret_err)
{
    if (is_good)
        return 0;
    sp_err_set(ret_err,
               "a path or argument is not valid UTF-8, and the host's file takes no other");
    return -EILSEQ;
}

static bool plan_fits_json(const struct init_plan *p)
{
    bool is_good =
        fits_json(p->proxy) && fits_json(p->flow) && fits_json(p->record) && fits_json(p->upstream);

    for (size_t i = 0; i < p->n_command; i++)
        is_good = is_good && fits_json(p->command[i]);
    for (size_t i = 0; i < p->headers->n; i++)
        is_good = is_good && sp_utf8_is_valid(p->headers->v[i]);
    return is_good;
}

static int make_plan(const struct init_args *a, char **command, int n_command, struct init_plan *p,
                     struct made *m, struct sp_err *ret_err)
{
    int err = check_upstream(a, ret_err);

    p->host = hostconfig_host(table[0].choices[a->host - 1]);
    p->upstream = a->upstream;
    p->headers = &a->headers;
    p->write = a->write;
    if (err == 0)
        err = plan_flow(a, p, m, ret_err);
    if (err == 0)
        err = plan_domain(a, p, m, ret_err);
    if (err == 0)
        err = plan_record(a, p, m, ret_err);
    if (err == 0)
        err = plan_command(command, n_command, p, m, ret_err);
    if (err < 0)
        return err;
    m->proxy = find_proxy(p->host->has_bare_path);
    p->proxy = m->proxy;
    return p->host->has_add && p->write == NULL ? 0 : check_utf8(plan_fits_json(p), ret_err);
}

static void made_deinit(struct made *m)
{
    free(m->proxy);
    free(m->flow);
    free(m->record);
    free(m->program);
    free(m->command);
    flow_free(m->loaded);
    sp_buf_deinit(&m->text);
}

/* ---- delivering ---- */

/* Writes the configuration file; what is there is replaced only when that was asked for. */
static int write_file(const struct init_plan *p, bool is_forced, struct spool *spool)
{
    char *path = expand(p->write);
    struct stat st;
    int status;

    if (!is_forced && lstat(path, &st) == 0)
        status = cmd_fail("%s is there already: --force replaces it whole, --wrap edits it", path);
    else
        status = report_deliver(spool, path);
    if (status == 0)
        cmd_note("wrote %s", path);
    free(path);
    return status;
}

/* Says where the configuration goes. */
static void tell_where(const struct init_plan *p)
{
    cmd_note("this is for %s, %s", p->host->name, p->host->where);
}

static void tell_more(const struct init_plan *p)
{
    struct sp_buf b = {0};

    if (p->upstream != NULL && p->headers->n > 0)
        cmd_note("the variables of --upstream-header must be set where the host "
                 "starts the proxy, as in the server's \"env\"");
    if (p->has_arbiter)
        cmd_note("the flow's arbiter asks a model: set TYPESAFE_API_KEY to the key, "
                 "or TYPESAFE_API_KEY_FILE to a file with it, where the host starts the "
                 "proxy");
    init_text_put_steps(&b, p);
    fprintf(stderr, "stretto: next steps\n%s", sp_buf_cstr(&b));
    sp_buf_deinit(&b);
}

static int deliver(const struct init_plan *p, bool is_forced)
{
    struct spool spool = {0};
    int status;

    if (p->host->has_add && p->write == NULL)
        init_text_put_add(&spool.text, p);
    else
        init_text_put_json(&spool.text, p);
    status = p->write != NULL ? write_file(p, is_forced, &spool) : cmd_print(&spool);
    if (status == 0 && p->write == NULL)
        tell_where(p);
    if (status == 0)
        tell_more(p);
    spool_deinit(&spool);
    return status;
}

/* ---- running ---- */

static int run_new(const struct init_args *a, char **command, int n_command)
{
    struct init_plan plan = {0};
    struct made made = {0};
    struct sp_err err;
    int status;

    if (make_plan(a, command, n_command, &plan, &made, &err) < 0)
        status = cmd_fail("%s", err.text);
    else
        status = deliver(&plan, a->is_forced);
    made_deinit(&made);
    return status;
}

static int run_edit(const struct init_args *a)
{
    char *path = expand(a->wrap != NULL ? a->wrap : a->unwrap);
    struct init_wrap_options o = {.path = path, .is_dry = a->is_dry, .servers = &a->servers};
    const struct hostconfig_host *host = hostconfig_by_file(path);
    struct sp_err err;
    char *record = NULL;
    char *proxy = NULL;
    int status;

    if (a->unwrap != NULL) {
        status = init_wrap_undo(&o);
    } else if (a->record != NULL && (record = settle(a->record, &err)) == NULL) {
        status = cmd_fail("%s", err.text);
    } else {
        proxy = find_proxy(host != NULL && host->has_bare_path);
        o.record = record;
        o.proxy = proxy;
        if (check_utf8(fits_json(record) && fits_json(proxy), &err) < 0)
            status = cmd_fail("%s", err.text);
        else
            status = init_wrap(&o);
    }
    free(record);
    free(proxy);
    free(path);
    return status;
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
    struct init_args args = {0};
    int rest = argc;
    int status = 0;
    bool is_edit;

    if (cmd_parse(cmd, argc, argv, &args, &rest, &status)) {
        is_edit = args.wrap != NULL || args.unwrap != NULL;
        status = is_edit ? check_edit(cmd, &args, argc - rest) : check_new(cmd, &args, argc - rest);
        if (status == 0)
            status = is_edit ? run_edit(&args) : run_new(&args, argv + rest, argc - rest);
    }
    free(args.headers.v);
    free(args.servers.v);
    return status;
}

const struct cmd cmd_init = {
    .name = "init",
    .usage = "--host HOST [--domain NAME] [--flow FILE [--shadow]] [--record DIR]\n"
             "                    [--write PATH [--force]]\n"
             "                    (-- SERVER_COMMAND... | --upstream URL "
             "[--upstream-header NAME=VAR]...)\n"
             "       stretto init --wrap PATH [--server NAME]... [--record DIR] [--dry-run]\n"
             "       stretto init --unwrap PATH [--server NAME]... [--dry-run]",
    .summary = "print what a host needs to run a server behind the proxy",
    .text = "Prints the configuration with which an MCP host runs a server behind\n"
            "stretto-proxy, recording, and what to do next. Nothing is written without --write.\n"
            "\n"
            "--wrap edits a host's file in place: its servers then run behind the proxy, and\n"
            "every other byte stays, comments too. The file as it was is kept beside it, as\n"
            "PATH.stretto-backup. --unwrap takes the proxy out again.\n",
    .table = table,
    .n_table = sizeof table / sizeof table[0],
    .run = run,
};
