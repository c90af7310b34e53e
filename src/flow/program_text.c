/* A program as text. */

#include "flow/program_text.h"
#include "flow/program_tree.h"
#include "json/jput.h"

static const char *const signs[PROGRAM_N_OPS] = {
    [PROGRAM_OP_ADD] = "+", [PROGRAM_OP_SUB] = "-", [PROGRAM_OP_MUL] = "*",  [PROGRAM_OP_DIV] = "/",
    [PROGRAM_OP_EQ] = "==", [PROGRAM_OP_NE] = "!=", [PROGRAM_OP_LT] = "<",   [PROGRAM_OP_LE] = "<=",
    [PROGRAM_OP_GT] = ">",  [PROGRAM_OP_GE] = ">=", [PROGRAM_OP_AND] = "&&", [PROGRAM_OP_OR] = "||",
};

static void put_expr(struct sp_buf *b, const struct program_expr *e);

static void put_list(struct sp_buf *b, const struct program_expr *exprs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            sp_buf_add(b, SP_STR(", "));
        put_expr(b, &exprs[i]);
    }
}

/* Appends an operand, in parentheses if it has operands of its own around a sign. */
static void put_operand(struct sp_buf *b, const struct program_expr *e)
{
    bool is_compound = signs[e->op] != NULL;

    if (is_compound)
        sp_buf_add_char(b, '(');
    put_expr(b, e);
    if (is_compound)
        sp_buf_add_char(b, ')');
}

/* Recurses as deep as the program nests, which is no more than PROGRAM_MAX_NESTING. */
static void put_expr(struct sp_buf *b, const struct program_expr *e)
{
    switch (e->op) {
    case PROGRAM_OP_F64:
        jput_double(b, e->real);
        break;
    case PROGRAM_OP_INT:
        sp_buf_addf(b, "%jd", (intmax_t)e->whole);
        break;
    case PROGRAM_OP_BOOL:
        sp_buf_add(b, e->truth ? SP_STR("true") : SP_STR("false"));
        break;
    case PROGRAM_OP_VAR:
        sp_buf_add(b, e->name);
        break;
    case PROGRAM_OP_ARRAY:
        sp_buf_add_char(b, '[');
        put_list(b, e->args, e->n_args);
        sp_buf_add_char(b, ']');
        break;
    case PROGRAM_OP_INDEX:
        put_operand(b, &e->args[0]);
        sp_buf_add_char(b, '[');
        put_expr(b, &e->args[1]);
        sp_buf_add_char(b, ']');
        break;
    case PROGRAM_OP_LEN:
        sp_buf_add(b, SP_STR("len("));
        put_expr(b, &e->args[0]);
        sp_buf_add_char(b, ')');
        break;
    case PROGRAM_OP_NEG:
    case PROGRAM_OP_NOT:
        sp_buf_add_char(b, e->op == PROGRAM_OP_NEG ? '-' : '!');
        put_operand(b, &e->args[0]);
        break;
    case PROGRAM_OP_CALL:
        sp_buf_add(b, e->name);
        sp_buf_add_char(b, '(');
        put_list(b, e->args, e->n_args);
        sp_buf_add_char(b, ')');
        break;
    default:
        put_operand(b, &e->args[0]);
        sp_buf_addf(b, " %s ", signs[e->op]);
        put_operand(b, &e->args[1]);
    }
}

/* Appends addr!("NAME", INDEX), NAME(ARGS) */
static void put_site(struct sp_buf *b, const struct program_stmt *s)
{
    sp_buf_add(b, SP_STR("addr!("));
    jput_string(b, s->addr.name);
    if (s->addr.index != NULL) {
        sp_buf_add(b, SP_STR(", "));
        put_expr(b, s->addr.index);
    }
    sp_buf_add(b, SP_STR("), "));
    sp_buf_add(b, s->dist.name);
    sp_buf_add_char(b, '(');
    put_list(b, s->dist.args, s->dist.n_args);
    sp_buf_add_char(b, ')');
}

static void put_indent(struct sp_buf *b, size_t depth)
{
    for (size_t i = 0; i < depth; i++)
        sp_buf_add(b, SP_STR("    "));
}

static void put_stmt(struct sp_buf *b, const struct program_stmt *s, size_t depth);

/* Appends a block in braces, without what follows the closing one. */
static void put_block(struct sp_buf *b, const struct program_block *block, size_t depth)
{
    sp_buf_add(b, SP_STR("{\n"));
    for (size_t i = 0; i < block->n; i++)
        put_stmt(b, &block->of[i], depth + 1);
    put_indent(b, depth);
    sp_buf_add_char(b, '}');
}

static void put_for(struct sp_buf *b, const struct program_stmt *s, size_t depth)
{
    sp_buf_addf(b, "for %.*s in ", SP_STR_ARG(s->var));
    put_operand(b, &s->value);
    sp_buf_add(b, SP_STR(".."));
    put_operand(b, &s->end);
    sp_buf_add_char(b, ' ');
    put_block(b, &s->body, depth);
    sp_buf_add_char(b, '\n');
}

static void put_if(struct sp_buf *b, const struct program_stmt *s, size_t depth)
{
    sp_buf_add(b, SP_STR("if "));
    put_expr(b, &s->value);
    sp_buf_add_char(b, ' ');
    put_block(b, &s->body, depth);
    if (s->other.n > 0) {
        sp_buf_add(b, SP_STR(" else "));
        put_block(b, &s->other, depth);
    }
    sp_buf_add_char(b, '\n');
}

static void put_stmt(struct sp_buf *b, const struct program_stmt *s, size_t depth)
{
    put_indent(b, depth);
    switch (s->verb) {
    case PROGRAM_SAMPLE:
        sp_buf_addf(b, "let %.*s <- sample(", SP_STR_ARG(s->var));
        put_site(b, s);
        sp_buf_add(b, SP_STR(");\n"));
        break;
    case PROGRAM_LET:
    case PROGRAM_ASSIGN:
        sp_buf_addf(b, "%s%.*s = ", s->verb == PROGRAM_LET ? "let " : "", SP_STR_ARG(s->var));
        put_expr(b, &s->value);
        sp_buf_add(b, SP_STR(";\n"));
        break;
    case PROGRAM_OBSERVE:
        sp_buf_add(b, SP_STR("observe("));
        put_site(b, s);
        sp_buf_add(b, SP_STR(", "));
        put_expr(b, &s->value);
        sp_buf_add(b, SP_STR(");\n"));
        break;
    case PROGRAM_FACTOR:
        sp_buf_add(b, SP_STR("factor("));
        put_expr(b, &s->value);
        sp_buf_add(b, SP_STR(");\n"));
        break;
    case PROGRAM_FOR:
        put_for(b, s, depth);
        break;
    case PROGRAM_IF:
        put_if(b, s, depth);
        break;
    case PROGRAM_BREAK:
    case PROGRAM_N_VERBS:
        sp_buf_add(b, SP_STR("break;\n"));
        break;
    }
}

void program_text_put(struct sp_buf *b, const struct program *p)
{
    for (size_t i = 0; i < p->body.n; i++)
        put_stmt(b, &p->body.of[i], 0);
    sp_buf_add(b, SP_STR("pure("));
    put_expr(b, &p->ret);
    sp_buf_add(b, SP_STR(")\n"));
}
