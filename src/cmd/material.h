#pragma once

/*
 * What a flow is judged on, as the arguments of a command name it: recorded sessions, one in memory
 * at a time, and results of tau2-bench for the flow's domain.
 *
 * Thread: any.
 */

#include "base/sp_opt.h"
#include "trace/turns.h"

struct material {
    const char *sessions;       /* --sessions DIR; NULL: none, as the next */
    const char *tau2;           /* --tau2 DIR: of the results only the test split */
    struct sp_opt_list results; /* --results FILE; those of another domain are skipped */
    struct sp_opt_list tasks;   /* --task-ids IDS, the parts of its lists: of the results only
                                   these; none: all */
};

/*
 * Takes an episode, good until it returns.
 *
 * turns: its session's; NULL for a result. A session's task is its id.
 */
typedef void (*material_fn)(void *data, const struct episode *e, const struct turns *turns);

/*
 * Gives all episodes: sessions in the order of their ids, then results file by file. Tells on
 * stderr how far that is (progress.h).
 *
 * Returns: 0, or negative, told in ret_err: what cannot be read, or that there is no episode. Some
 *          may have been given then.
 */
int material_each(const struct material *m, struct sp_str domain, material_fn fn, void *data,
                  struct sp_err *ret_err);
