#pragma once

/*
 * `stretto init --wrap` and `--unwrap`: edits a host's configuration file in place.
 *
 * Thread: any.
 */

#include <stdbool.h>

#include "base/sp_opt.h"

struct init_wrap_options {
    const char *path;   /* of the file; a link stays one */
    const char *record; /* as the proxy is given it; NULL: the default of each server */
    const char *proxy;  /* as the host is to start it */
    bool is_dry;        /* print a diff and change nothing */
    const struct sp_opt_list *servers; /* of those names; none for all */
};

/*
 * Puts the proxy before the servers. Before a file is changed, its bytes are kept beside it, mode
 * 0600, as PATH.stretto-backup, or PATH.stretto-backup.1 and so on where that holds something else.
 *
 * Returns: the exit status, a failure being told.
 */
int init_wrap(const struct init_wrap_options *o);

/* Takes it out again. */
int init_wrap_undo(const struct init_wrap_options *o);
