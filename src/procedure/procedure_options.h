#pragma once

/*
 * The options of stretto-procedure (docs/cli.md).
 *
 * Thread: any.
 */

#include "base/sp_opt.h"

/* What was given; NULL where nothing was. */
struct procedure_options {
    const char *procedure;
    const char *ticket;
    const char *ticket_file;
    const char *out;
};

/* The options as sp_opt_parse() takes them, of `struct procedure_options`. */
const struct sp_opt *procedure_options_table(size_t *ret_n_table);
