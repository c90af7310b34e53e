#pragma once

/*
 * A program's tree, shared by the files of this folder that read, check, write and run it. What
 * lies in it looks into the program's arena.
 *
 * Thread: any; nobody changes a program once it is checked.
 */

#include <stdint.h>

#include "base/sp_arena.h"
#include "base/sp_err.h"
#include "flow/program.h"
#include "json/jtable.h"

/* The tags of expressions, in the order of program_exprs. */
enum program_op {
    PROGRAM_OP_F64,
    PROGRAM_OP_INT,
    PROGRAM_OP_BOOL,
    PROGRAM_OP_VAR,
    PROGRAM_OP_ARRAY,
    PROGRAM_OP_INDEX,
    PROGRAM_OP_LEN,
    PROGRAM_OP_NEG,
    PROGRAM_OP_NOT,
    PROGRAM_OP_ADD,
    PROGRAM_OP_SUB,
    PROGRAM_OP_MUL,
    PROGRAM_OP_DIV,
    PROGRAM_OP_EQ,
    PROGRAM_OP_NE,
    PROGRAM_OP_LT,
    PROGRAM_OP_LE,
    PROGRAM_OP_GT,
    PROGRAM_OP_GE,
    PROGRAM_OP_AND,
    PROGRAM_OP_OR,
    PROGRAM_OP_CALL,
    PROGRAM_N_OPS,
};

struct program_expr {
    enum program_op op;
    union {
        double real;        /* PROGRAM_OP_F64 */
        int64_t whole;      /* PROGRAM_OP_INT */
        bool truth;         /* PROGRAM_OP_BOOL */
        struct sp_str name; /* PROGRAM_OP_VAR, PROGRAM_OP_CALL */
    };
    size_t slot;               /* PROGRAM_OP_VAR: where its value is kept */
    struct program_expr *args; /* operands in the order of their members, items, arguments */
    size_t n_args;
};

/* The tags of statements, in the order of program_stmts. */
enum program_verb {
    PROGRAM_SAMPLE,
    PROGRAM_LET,
    PROGRAM_ASSIGN,
    PROGRAM_OBSERVE,
    PROGRAM_FACTOR,
    PROGRAM_FOR,
    PROGRAM_IF,
    PROGRAM_BREAK,
    PROGRAM_N_VERBS,
};

struct program_addr {
    struct sp_str name;
    struct program_expr *index; /* NULL for none */
};

/* A distribution as it stands in the program. */
struct program_term {
    struct sp_str name;
    struct program_expr *args;
    size_t n_args;
};

struct program_block {
    struct program_stmt *of;
    size_t n;
};

struct program_stmt {
    enum program_verb verb;
    struct sp_str var;        /* sample, let, assign, for */
    size_t slot;              /* of `var` */
    struct program_addr addr; /* sample, observe */
    struct program_term dist; /* sample, observe */
    struct program_expr
        value; /* let, assign, observe; a factor's logw; an if's cond; a for's start */
    struct program_expr end;    /* for */
    struct program_block body;  /* of a for; an if's `then` */
    struct program_block other; /* an if's `else` */
};

/* What a name in a program is the name of. */
enum program_name_kind {
    PROGRAM_NAME_VARIABLE,
    PROGRAM_NAME_DISTRIBUTION,
    PROGRAM_NAME_FUNCTION,
};

struct program_name {
    enum program_name_kind kind;
    struct sp_str text;
};

/* The slots of the data that a program sees. */
enum program_slot {
    PROGRAM_SLOT_CALL,
    PROGRAM_SLOT_CALL_FAILED,
    PROGRAM_SLOT_MAX_LOOKUPS,
    PROGRAM_N_DATA,
};

struct program {
    struct program_block body;
    struct program_expr ret;
    size_t n_slots; /* that a run needs */
    struct sp_arena arena;
};

/*
 * The members of an object: `tag` tells the kind, the fields are in the order in which they are
 * written, and a field's offset is PROGRAM_FIELD_AT() of its place among them.
 */
#define PROGRAM_MAX_FIELDS  4
#define PROGRAM_FIELD_AT(i) ((i) * sizeof(struct sp_str))

struct program_form {
    const char *tag;
    size_t n;
    struct jtable_field fields[PROGRAM_MAX_FIELDS];
};

extern const struct program_form program_exprs[PROGRAM_N_OPS];
extern const struct program_form program_stmts[PROGRAM_N_VERBS];

/* The distributions' names and numbers of arguments; their order is that of enum program_dist. */
struct program_dist_form {
    struct sp_str name;
    size_t n_args;
};

#define PROGRAM_N_DISTS 2

extern const struct program_dist_form program_dists[PROGRAM_N_DISTS];

/* The place of a distribution's name in program_dists; PROGRAM_N_DISTS for any other name. */
size_t program_dist_of(struct sp_str name);

/*
 * Checks that names are what they have to be, that every name is bound where it is used, and what
 * else holds for a program that can be run; gives variables their slots.
 *
 * names:   all names that have to be identifiers, in the order of the program.
 * Returns: 0, or negative, told in ret_err without a prefix.
 */
int program_check(struct program *p, const struct program_name *names, size_t n_names,
                  struct sp_err *ret_err) SP_MUST_CHECK;
