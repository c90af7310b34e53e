#pragma once

/*
 * What a command reads sessions from: session logs and results files, as its arguments name them.
 * One log is in memory at a time, results files are whole.
 */

#include "base/sp_opt.h"
#include "trace/results.h"
#include "trace/sessionlog.h"
#include "trace/sessionset.h"
#include "trace/turns.h"

/* A zeroed struct is good for sources_deinit(). */
struct sources {
    struct sessionset set;
    struct results *results;
    size_t n_results;
};

/*
 * Reads the headers of all logs and all of the results files.
 *
 * sessions: directories and logs.
 * results:  files.
 * Returns:  0, or negative, told in ret_err, which names the path.
 */
int sources_open(struct sources *s, const struct sp_opt_list *sessions,
                 const struct sp_opt_list *results, struct sp_err *ret_err);

void sources_deinit(struct sources *s);

/* Appends the paths of a list, joined by ", ". */
void sources_put_paths(struct sp_buf *b, const struct sp_opt_list *paths);
