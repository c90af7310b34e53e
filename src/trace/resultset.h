#pragma once

/*
 * The results files that a command line names: those that a checkout of tau2-bench publishes for a
 * domain, and files of the user's own. Nothing of them is read here.
 *
 * Thread: any.
 */

#include "base/sp_arena.h"
#include "base/sp_err.h"

struct resultset_file {
    const char *path;
    const char *domain; /* the only one it is to be read for; NULL: any */
};

/* A zeroed struct is an empty set. */
struct resultset {
    struct resultset_file *files; /* in the order they were added */
    size_t n_files;
    size_t max_files; /* private, as the next */
    struct sp_arena arena;
};

/*
 * Adds the files of DIR/data/tau2/results/final whose names end in ".json" and contain
 * "_DOMAIN_default_" or "_DOMAIN_base_", sorted by path.
 *
 * domain:  kept until resultset_deinit().
 * Returns: 0, or negative, told in ret_err, which names the directory; none is an error too. The
 *          set is then only good for resultset_deinit().
 */
int resultset_add_published(struct resultset *set, const char *dir, const char *domain,
                            struct sp_err *ret_err);

/* Adds one file; a "LABEL=" before its path is dropped. The path is kept until the end. */
void resultset_add_source(struct resultset *set, const char *source);

void resultset_deinit(struct resultset *set);
