#pragma once

/*
 * Learning a flow from recorded sessions. The logs are read several times, one at a time, so that
 * memory is what the counts take: first for the tools that they list, then for the steps and the
 * origins of arguments, then to try the bindings, and twice for the decisions of an arbiter.
 *
 * Thread: any, one at a time.
 */

#include "flow/flow.h"
#include "learn/ask.h"
#include "trace/sessionset.h"

/* An arbiter to be served with what is learned. All is borrowed. */
struct learn_arbiter {
    struct flow_predicates predicates;
    struct flow_predicates weighed;
    struct flow_fold *folds; /* FLOW_N_FOLDS */
    struct sp_str model;
    uint64_t cases;
    bool every_read;
    struct sp_str *sources; /* appended to those of the sessions */
    size_t n_sources;
};

enum learn_mode {
    LEARN_HABIT,       /* no arbiter; every session trains the habit */
    LEARN_WITH,        /* the same, and serve the arbiter that is given */
    LEARN_FIT,         /* fit an arbiter on sessions that are held out */
    LEARN_FIT_AND_ALL, /* the same, then learn the rest again from every session */
};

struct learn_options {
    struct sp_str domain;
    const struct sessionset *set; /* sorted */
    const struct sp_map *rewards; /* session id -> index in the next; no entry: it succeeded */
    const double *reward_values;  /* may be NULL with an empty map */
    struct sp_str manifest;       /* text of a manifest's file; p is NULL: the sessions' listings */
    struct flow_predicates predicates; /* that are asked and weighed */
    bool every_read;                   /* offer every read tool at every site */
    double alpha;                      /* 0: it is inferred */
    enum learn_mode mode;
    const struct learn_arbiter *arbiter; /* LEARN_WITH */
    struct sp_str model; /* LEARN_FIT: the model that is asked, and the next three */
    ask_fn ask;          /* at first only gathers: everything fails */
    int (*ask_all)(void *data, struct sp_err *ret_err); /* then answers what was gathered */
    void *ask_data;

    /* Told as logs are read; `done` of `total` in all passes. NULL: nobody. */
    void (*on_progress)(void *data, size_t done, size_t total);
    void *progress_data;
};

/*
 * Learns.
 *
 * arena:   takes what the flow refers to beside its own memory; ends after it.
 * ret:     the caller's; `compiled_unix_ms` is 0.
 * Returns: 0, or negative, told in ret_err.
 */
int learn(const struct learn_options *options, struct sp_arena *arena, struct flow **ret,
          struct sp_err *ret_err);
