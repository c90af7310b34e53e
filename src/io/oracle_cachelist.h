#pragma once

/*
 * The answers that a cache holds, by their keys (io/oracle_cache.h has its layout).
 *
 * Thread: any.
 */

#include "base/sp_alloc.h"
#include "base/sp_arena.h"
#include "base/sp_err.h"

/* A zeroed struct is an empty list. */
struct oracle_cachelist {
    const char **of; /* sorted by their bytes; texts are the arena's */
    size_t n;
    size_t max; /* private, as the next */
    struct sp_arena arena;
};

/*
 * Lists the files that lie where an answer's has to; none is read. A directory that does not exist
 * has none.
 *
 * ret:     zeroed; the caller's on failure too, ended by oracle_cachelist_deinit().
 * Returns: 0, or negative, told in ret_err: "listing PATH: CAUSE".
 */
int oracle_cachelist_read(const char *dir, struct oracle_cachelist *ret,
                          struct sp_err *ret_err) SP_MUST_CHECK;

void oracle_cachelist_deinit(struct oracle_cachelist *list);
