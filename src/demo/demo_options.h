#pragma once

/*
 * The command line of stretto-mcp-demo (docs/cli.md).
 *
 * Thread: any.
 */

#include "base/sp_opt.h"

/* What was given; NULL or 0 where nothing was, as sp_opt.h says. */
struct demo_options {
    int world; /* 1 + enum demo_world_kind */
    const char *http;
    const char *require_auth;
    struct sp_opt_list hide;
    struct sp_opt_list hint;
};

/* The options as sp_opt_parse() takes them, of `struct demo_options`. */
const struct sp_opt *demo_options_table(size_t *ret_n_table);

void demo_options_deinit(struct demo_options *o);

/* Prints the text of --help, which is also that of a usage error. */
void demo_options_print_help(FILE *out);
