#pragma once

/*
 * A compiled procedure: a whole workflow, writes included, that runs without a model. Behind each
 * call a decision tree says what may come next; every branch follows what a tool returned.
 *
 * Thread: any.
 */

#include "base/sp_alloc.h"
#include "base/sp_arena.h"
#include "base/sp_err.h"
#include "base/sp_map.h"

/* The format that is read. */
#define PROCEDURE_FORMAT 1

/* A node of a decision tree. */
struct procedure_node {
    struct sp_str feature; /* of a question; a leaf's `p` is NULL */
    const struct procedure_node *yes;
    const struct procedure_node *no;
    struct sp_str *actions; /* of a leaf, in the order tried */
    size_t n_actions;
};

struct procedure_texts {
    struct sp_str *of;
    size_t n;
};

/* How the outcome that a ticket states is checked. */
struct procedure_check {
    struct sp_str phrase; /* of the ticket */
    struct sp_str probe;  /* the tool whose result shows the outcome */
    struct procedure_texts contains;
    struct procedure_texts lacks;
};

struct procedure {
    struct sp_arena arena; /* holds all of it */
    struct sp_str domain;
    bool is_symbolic; /* arguments may be symbols, bound at run time */
    uint64_t max_calls;
    struct sp_str stop;              /* the action that ends a run */
    struct sp_str handoff;           /* the tool that hands over to a person */
    struct sp_str handoff_arguments; /* a JSON object */
    struct sp_map reads;             /* tools that only read */
    struct sp_map vocab;             /* words and pairs that trees may ask about */
    struct sp_map sites;             /* to indexes of `trees` */
    const struct procedure_node **trees;
    const struct procedure_node *fallback; /* for a site without a tree */
    struct procedure_check *checks;
    size_t n_checks;
};

/*
 * Reads a procedure from a text.
 *
 * ret:     the procedure, the caller's, freed with procedure_free().
 * Returns: 0, or negative, told in ret_err: not JSON, no procedure, another format, a member that
 *          is missing or wrong.
 */
int procedure_parse(struct sp_str text, struct procedure **ret,
                    struct sp_err *ret_err) SP_MUST_CHECK;

/* The same from a file; errors begin with "reading PATH". */
int procedure_load(const char *path, struct procedure **ret, struct sp_err *ret_err) SP_MUST_CHECK;

/* NULL is nothing. */
void procedure_free(struct procedure *p);

/* The tree's root for a site. */
const struct procedure_node *procedure_tree(const struct procedure *p, struct sp_str site);
