#pragma once

/*
 * What `stretto doctor` has found: lines marked "ok", "note" or "problem", each perhaps with a list
 * below it. Texts are made fit for a screen, as a path may hold anything.
 *
 * Thread: any.
 */

#include "base/sp_buf.h"

enum findings_mark { FINDINGS_OK, FINDINGS_NOTE, FINDINGS_PROBLEM };

/* A zeroed struct has none. */
struct findings {
    struct sp_buf text; /* whole lines */
    size_t n_problems;
};

/* Adds a finding. */
void findings_add(struct findings *f, enum findings_mark mark, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds an element to the list of the last one. */
void findings_add_item(struct findings *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends a path; one below `home` (without a "/" at its end; NULL for none) as "~/...". */
void findings_put_path(struct sp_buf *b, const char *path, const char *home);

void findings_deinit(struct findings *f);
