#pragma once

/*
 * Reads what commands need of a checkout of tau2-bench: the tools of a domain, from the Python
 * sources read as text, and the split of its tasks.
 *
 * Thread: any.
 */

#include "base/sp_err.h"
#include "trace/episode.h"
#include "trace/manifest.h"

/* Adds the tools that a source declares. */
void tau2_add_tools(struct manifest *m, struct sp_str source);

/*
 * Adds the tools of a domain: those of its tools.py, and those of its user_tools.py when one of the
 * episodes called one of them and the result is no error.
 *
 * dir:     the checkout.
 * domain:  the domain's name, a directory's.
 * episodes: n_episodes pointers.
 * m:       untouched on failure.
 * Returns: 0, or negative, told in ret_err as "reading PATH: …".
 */
int tau2_read_tools(const char *dir, struct sp_str domain, const struct episode *const *episodes,
                    size_t n_episodes, struct manifest *m, struct sp_err *ret_err);

/* The ids of the tasks in one part of a domain's split. */
struct tau2_split {
    struct sp_map ids; /* the value says nothing */
    struct sp_arena arena;
};

/*
 * part:    "train" or "test".
 * ret:     the caller's, ended by tau2_split_deinit().
 * Returns: 0, or negative, told in ret_err as "reading PATH: …" or "parsing PATH: …".
 */
int tau2_read_split(const char *dir, struct sp_str domain, const char *part, struct tau2_split *ret,
                    struct sp_err *ret_err);

void tau2_split_deinit(struct tau2_split *s);
