#pragma once

/*
 * The groups of changes that flowdiff.c puts together: each function below lists those of a group,
 * in the order of the list of groups.
 *
 * Thread: any, one at a time.
 */

#include "flow/flowdiff.h"

/* Where one of the flows may decide: behind a call of a tool that failed or not. */
struct flowdiff_site {
    struct sp_str tool;
    bool failed;
    struct sp_str name;
};

/* A comparison under way. */
struct flowdiff {
    const struct flow *old_flow;
    const struct flow *new_flow;
    const struct flowdiff_options *options;
    struct flowdiff_site *sites; /* of either flow; by tool, one that did not fail comes first */
    size_t n_sites;
    struct sp_arena arena; /* for what has to last as long as the comparison */
    struct sp_buf change;  /* private, as the rest: the change that is being written */
    struct sp_buf group;   /* the changes of the group under way */
    struct sp_buf groups;  /* those before it */
    struct sp_buf review;  /* the changes that need review */
    size_t n_review;
};

/* ---- listing a change ---- */

enum flowdiff_need {
    FLOWDIFF_NOTE,
    FLOWDIFF_REVIEW, /* the flow may do more than before */
};

/* Begins a change. Returns where its text goes, as Markdown on one line. */
struct sp_buf *flowdiff_begin(struct flowdiff *d);

/* Lists the change that was begun. */
void flowdiff_end(struct flowdiff *d, enum flowdiff_need need);

/* Whether a share, a chance or a weight moved as far as is listed. */
bool flowdiff_has_moved(const struct flowdiff *d, double from, double to);

/* ---- names ---- */

/* Names of either flow. A zeroed struct is an empty set. */
struct flowdiff_names {
    struct sp_str *of;
    size_t n;
    size_t max; /* private */
};

/* The array is the comparison's, the names stay the flows'. */
void flowdiff_names_add(struct flowdiff *d, struct flowdiff_names *names, struct sp_str name);

/* Sorts the names and drops all but one of equals. */
void flowdiff_names_sort(struct flowdiff_names *names);

/* ---- groups ---- */

/* flowdiff_run.c */
void flowdiff_run(struct flowdiff *d);

/* flowdiff_sites.c */
void flowdiff_find_sites(struct flowdiff *d); /* sets the comparison's sites */
void flowdiff_sites(struct flowdiff *d);
void flowdiff_habit(struct flowdiff *d);
void flowdiff_next(struct flowdiff *d);

/* flowdiff_bindings.c */
void flowdiff_bindings(struct flowdiff *d);
void flowdiff_site_sources(struct flowdiff *d);
void flowdiff_constants(struct flowdiff *d);

/* flowdiff_arbiter.c */
void flowdiff_arbiter(struct flowdiff *d);
