#pragma once

/*
 * Manual pages, as troff's `man` macros have them: a page's prose is written by hand, and what its
 * options and commands are is filled in from the tables that the program itself reads.
 *
 * Thread: any.
 */

#include "base/sp_err.h"
#include "base/sp_opt.h"
#include "cmd/cmd.h"

/* What a page's placeholders stand for. */
struct manpage {
    const struct sp_opt *table; /* its options; NULL for none */
    size_t n_table;
    const struct cmd *(*command_at)(size_t i); /* its commands, as cmd_at(); NULL for none */
    const char *version;
};

/*
 * Appends a page, its placeholders filled: a line `@OPTIONS@` becomes the options, a line
 * `@COMMANDS@` the commands with theirs, and `@VERSION@` anywhere the version.
 *
 * Returns: 0; -EINVAL, told in ret_err, when the page lacks the line for what there is, or has one
 *          for what there is not.
 */
int manpage_fill(struct sp_str text, const struct manpage *m, struct sp_buf *out,
                 struct sp_err *ret_err);
