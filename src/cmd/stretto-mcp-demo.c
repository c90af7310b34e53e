/* stretto-mcp-demo: the main program. */

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/sp_log.h"
#include "demo/demo_http.h"
#include "demo/demo_stdio.h"
#include "io/fdesc.h"

#define USAGE_ERROR 2

struct demo_options {
    int world; /* 1 + enum demo_world_kind; 0: not given */
    const char *http;
    const char *require_auth;
    struct sp_opt_list hide;
    struct sp_opt_list hint;
};

#define AT(field) .offset = offsetof(struct demo_options, field)

static const struct sp_opt table[] = {
    {"world", .kind = SP_OPT_CHOICE, .may_repeat = true, AT(world), .arg = "echo|retail",
     .choices = {"echo", "retail"}, .fallback = "echo", .help = "which tools it serves"},
    {"http", .kind = SP_OPT_TEXT, .may_repeat = true, AT(http), .arg = "ADDR",
     .help = "serve Streamable HTTP at HOST:PORT instead of stdio; port 0: any free one"},
    {"require-auth", .kind = SP_OPT_TEXT, .may_repeat = true, AT(require_auth), .arg = "VALUE",
     .help = "the Authorization header that HTTP requests must have; no effect over stdio"},
    {"hide", .kind = SP_OPT_EACH, AT(hide), .arg = "TOOL",
     .help = "world retail: do not have this tool; may be repeated"},
    {"hint", .kind = SP_OPT_EACH, AT(hint), .arg = "TOOL=false|none",
     .help = "world retail: its readOnlyHint is false, or it has none; may be repeated"},
    {"help", 'h', .kind = SP_OPT_HELP, .help = "print this help"},
    {"version", 'V', .kind = SP_OPT_VERSION, .help = "print the version"},
};

#define N_TABLE (sizeof table / sizeof table[0])

static void print_usage(FILE *out)
{
    fprintf(out, "Usage: stretto-mcp-demo [OPTIONS]\n"
                 "\n"
                 "A tiny MCP server on stdin and stdout, or over HTTP. It stores nothing.\n"
                 "\n"
                 "Options:\n");
    sp_opt_print_help(table, N_TABLE, out);
}

static bool are_hints(const struct sp_opt_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (!demo_world_is_hint(list->v[i]))
            return false;
    return true;
}

static int run(const struct demo_options *o)
{
    struct demo_world world = {
        .kind = o->world == 1 + DEMO_WORLD_RETAIL ? DEMO_WORLD_RETAIL : DEMO_WORLD_ECHO,
        .hidden = o->hide,
        .hints = o->hint,
    };

    if (o->http != NULL)
        return demo_http_serve(&world, o->http, o->require_auth);
    return demo_stdio_serve(&world);
}

int main(int argc, char **argv)
{
    struct demo_options options = {0};
    struct sp_err err;
    bool is_open[3];
    int rest, outcome, status = 0;

    sp_log_init("stretto-mcp-demo");
    fdesc_plug_standard(is_open);
    (void)signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of the write */

    outcome = sp_opt_parse(table, N_TABLE, SP_OPT_BARE, argc, argv, &options, &rest, &err);
    if (outcome == 0 && !are_hints(&options.hint)) {
        sp_err_set(&err, "--hint takes TOOL=false or TOOL=none");
        outcome = -1;
    }
    if (outcome == SP_OPT_E_HELP) {
        print_usage(stdout);
    } else if (outcome == SP_OPT_E_VERSION) {
        printf("stretto-mcp-demo %s\n", SP_VERSION);
    } else if (outcome < 0) {
        sp_log("%s", err.text);
        print_usage(stderr);
        status = USAGE_ERROR;
    } else {
        status = run(&options);
    }
    free(options.hide.v);
    free(options.hint.v);
    return status;
}
