#pragma once

/*
 * Output that is held back until all of it is known to be good, so that a command which fails half
 * way prints nothing. What is more than a few megabytes waits in a temporary file without a name.
 */

#include <stdio.h>

#include "base/sp_alloc.h"
#include "base/sp_buf.h"

/* A zeroed struct is an empty spool. */
struct spool {
    struct sp_buf text; /* add here, then call spool_added() */
    FILE *file;         /* private: what came before `text`; NULL for nothing */
};

/* Told after text was added. Returns 0, or a negative errno when it cannot be kept. */
int spool_added(struct spool *s) SP_MUST_CHECK;

/* Writes everything to `out`. Returns 0, or a negative errno. */
int spool_print(struct spool *s, FILE *out) SP_MUST_CHECK;

void spool_deinit(struct spool *s);
