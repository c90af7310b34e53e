/* The command line of stretto-mcp-demo. */

#include <stddef.h>
#include <stdlib.h>

#include "demo/demo_options.h"

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

const struct sp_opt *demo_options_table(size_t *ret_n_table)
{
    *ret_n_table = N_TABLE;
    return table;
}

void demo_options_deinit(struct demo_options *o)
{
    free(o->hide.v);
    free(o->hint.v);
}

void demo_options_print_help(FILE *out)
{
    fprintf(out, "Usage: stretto-mcp-demo [OPTIONS]\n"
                 "\n"
                 "A tiny MCP server on stdin and stdout, or over HTTP. It stores nothing.\n"
                 "\n"
                 "Options:\n");
    sp_opt_print_help(table, N_TABLE, out);
}
