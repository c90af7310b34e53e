#pragma once

/*
 * Reads results files of the benchmark tau2-bench, a second source of episodes
 * (https://github.com/sierra-research/tau2-bench; docs/formats.md says what is read). An optional
 * member that is null counts as one that is missing.
 *
 * Thread: any.
 */

#include "base/sp_arena.h"
#include "base/sp_err.h"
#include "trace/episode.h"

/* A call that a task's criteria expect. */
struct results_action {
    struct sp_str name;
    struct sp_str arguments; /* canonical JSON */
    struct sp_str requestor; /* "assistant" or "user" */
};

struct results_task {
    struct sp_str id;
    struct results_action *actions;
    size_t n_actions;
};

/* All views look into its memory; episodes are owned. */
struct results {
    struct sp_str domain;
    struct sp_str policy; /* p is NULL for none */
    struct sp_str agent_model;
    struct sp_str user_model; /* p is NULL for none */
    struct results_task *tasks;
    size_t n_tasks;
    struct episode *episodes; /* in the file's order */
    size_t n_episodes;
    struct sp_arena arena; /* private */
};

/*
 * Reads the file at `path`.
 *
 * ret:     the caller's, ended by results_deinit(); untouched on failure.
 * Returns: 0, or negative, told in ret_err: "reading PATH: …" or "parsing PATH: …", which names the
 *          place by its path in the document ("simulations[3].messages[0].role").
 */
int results_read(const char *path, struct results *ret, struct sp_err *ret_err);

/* The same with a text in the file's place; errors begin with neither. */
int results_parse(struct sp_str text, struct results *ret, struct sp_err *ret_err);

void results_deinit(struct results *r);
