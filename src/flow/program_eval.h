#pragma once

/*
 * Values of a program's expressions, shared by the files of this folder that run programs.
 *
 * Thread: any, one at a time.
 */

#include "flow/program_run.h"
#include "flow/program_tree.h"

/* A variable's value; arrays are copied into memory of its own. */
struct program_var {
    struct program_value value;
    double *items; /* owned */
    size_t max_items;
};

/* What expressions are evaluated in. */
struct program_env {
    struct program_var *vars;
    struct sp_arena scratch; /* arrays on their way; emptied between statements */
    uint64_t work;           /* done so far, as PROGRAM_MAX_WORK counts it */
};

/*
 * Evaluates an expression of a program that was checked. An array that it gives lies in the scratch
 * memory or in a variable.
 *
 * Returns: whether there is a value; if not, `ret` is untouched.
 */
bool program_eval(struct program_env *env, const struct program_expr *e,
                  struct program_value *ret) SP_MUST_CHECK;

/* The same for a truth value: a boolean, or a number, of which all but 0 and NaN are true. */
bool program_eval_truth(struct program_env *env, const struct program_expr *e,
                        bool *ret) SP_MUST_CHECK;

/* The same for a number or boolean, as a real. */
bool program_eval_real(struct program_env *env, const struct program_expr *e,
                       double *ret) SP_MUST_CHECK;

/* The same for an integral number of 64 bits, or a boolean. */
bool program_eval_whole(struct program_env *env, const struct program_expr *e,
                        int64_t *ret) SP_MUST_CHECK;

/* Appends the text of an address; what is appended when there is none is not specified. */
bool program_eval_addr(struct program_env *env, const struct program_addr *addr,
                       struct sp_buf *ret) SP_MUST_CHECK;

/* Sets a variable. */
void program_var_set(struct program_env *env, size_t slot, struct program_value value);
