#pragma once

/*
 * What the commands that try guards and the confirmation judge on recorded results read: episodes
 * of the domains that have guards, from a checkout of tau2-bench and from files of the user's own.
 *
 * Thread: any, one at a time.
 */

#include "base/sp_opt.h"
#include "guard/guard.h"
#include "trace/resultset.h"

/* The options --tau2, --domain and --source, as they were given. */
struct trials_options {
    const char *tau2; /* NULL for none */
    struct sp_opt_list domains;
    struct sp_opt_list sources;
};

/* Frees the lists. */
void trials_options_deinit(struct trials_options *o);

/* A zeroed struct has nothing to read. */
struct trials {
    const struct guard_domain **domains; /* each once, in the order they were named */
    size_t n_domains;
    struct resultset set; /* private */
};

/*
 * Lists the domains that were named, or all that have guards, and the files.
 *
 * o:       borrowed until trials_deinit().
 * Returns: 0, or negative, told in ret_err. trials_deinit() is due in both cases.
 */
int trials_init(struct trials *t, const struct trials_options *o, struct sp_err *ret_err);

void trials_deinit(struct trials *t);

/* at: the index of the episode's domain. */
typedef void (*trials_episode_fn)(void *data, size_t at, const struct episode *e);

/*
 * Reads the files and gives their episodes in order; those of other domains are passed over.
 *
 * Returns: 0, or negative, told in ret_err; some episodes were then given.
 */
int trials_each(const struct trials *t, trials_episode_fn fn, void *data, struct sp_err *ret_err);
