/* The members of a program's objects, and the names of its distributions. */

#include "flow/program_tree.h"

#define FIELD(i, name, shape)                                      \
    {                                                              \
        name, JTABLE_##shape, JTABLE_REQUIRED, PROGRAM_FIELD_AT(i) \
    }
#define OPTIONAL(i, name, shape)                                   \
    {                                                              \
        name, JTABLE_##shape, JTABLE_OPTIONAL, PROGRAM_FIELD_AT(i) \
    }

#define UNARY(tag)               \
    {                            \
        tag, 1,                  \
        {                        \
            FIELD(0, "arg", ANY) \
        }                        \
    }
#define BINARY(tag)                                    \
    {                                                  \
        tag, 2,                                        \
        {                                              \
            FIELD(0, "lhs", ANY), FIELD(1, "rhs", ANY) \
        }                                              \
    }

const struct program_form program_exprs[PROGRAM_N_OPS] = {
    [PROGRAM_OP_F64] = {"f64", 1, {FIELD(0, "value", NUMBER)}},
    [PROGRAM_OP_INT] = {"int", 1, {FIELD(0, "value", NUMBER)}},
    [PROGRAM_OP_BOOL] = {"bool", 1, {FIELD(0, "value", BOOL)}},
    [PROGRAM_OP_VAR] = {"var", 1, {FIELD(0, "name", TEXT)}},
    [PROGRAM_OP_ARRAY] = {"array", 1, {FIELD(0, "items", ARRAY)}},
    [PROGRAM_OP_INDEX] = {"index", 2, {FIELD(0, "array", ANY), FIELD(1, "index", ANY)}},
    [PROGRAM_OP_LEN] = {"len", 1, {FIELD(0, "array", ANY)}},
    [PROGRAM_OP_NEG] = UNARY("neg"),
    [PROGRAM_OP_NOT] = UNARY("not"),
    [PROGRAM_OP_ADD] = BINARY("add"),
    [PROGRAM_OP_SUB] = BINARY("sub"),
    [PROGRAM_OP_MUL] = BINARY("mul"),
    [PROGRAM_OP_DIV] = BINARY("div"),
    [PROGRAM_OP_EQ] = BINARY("eq"),
    [PROGRAM_OP_NE] = BINARY("ne"),
    [PROGRAM_OP_LT] = BINARY("lt"),
    [PROGRAM_OP_LE] = BINARY("le"),
    [PROGRAM_OP_GT] = BINARY("gt"),
    [PROGRAM_OP_GE] = BINARY("ge"),
    [PROGRAM_OP_AND] = BINARY("and"),
    [PROGRAM_OP_OR] = BINARY("or"),
    [PROGRAM_OP_CALL] = {"call", 2, {FIELD(0, "func", TEXT), FIELD(1, "args", ARRAY)}},
};

const struct program_form program_stmts[PROGRAM_N_VERBS] = {
    [PROGRAM_SAMPLE] =
        {
            "sample",
            3,
            {FIELD(0, "var", TEXT), FIELD(1, "addr", OBJECT), FIELD(2, "dist", OBJECT)},
        },
    [PROGRAM_LET] = {"let", 2, {FIELD(0, "var", TEXT), FIELD(1, "value", ANY)}},
    [PROGRAM_ASSIGN] = {"assign", 2, {FIELD(0, "var", TEXT), FIELD(1, "value", ANY)}},
    [PROGRAM_OBSERVE] =
        {
            "observe",
            3,
            {FIELD(0, "addr", OBJECT), FIELD(1, "dist", OBJECT), FIELD(2, "value", ANY)},
        },
    [PROGRAM_FACTOR] = {"factor", 1, {FIELD(0, "logw", ANY)}},
    [PROGRAM_FOR] =
        {
            "for",
            4,
            {FIELD(0, "var", TEXT), FIELD(1, "start", ANY), FIELD(2, "end", ANY),
             FIELD(3, "body", ARRAY)},
        },
    [PROGRAM_IF] =
        {
            "if",
            3,
            {FIELD(0, "cond", ANY), FIELD(1, "then", ARRAY), OPTIONAL(2, "else", ARRAY)},
        },
    [PROGRAM_BREAK] = {"break", 0, {{0}}},
};

const struct program_dist_form program_dists[PROGRAM_N_DISTS] = {
    {{"Decide", 6}, 2},
    {{"Outcome", 7}, 1},
};

size_t program_dist_of(struct sp_str name)
{
    size_t i = 0;

    while (i < PROGRAM_N_DISTS && !sp_str_eq(program_dists[i].name, name))
        i++;
    return i;
}
