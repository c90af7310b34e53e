/*
 * Values of expressions. Functions recurse as deep as the program nests, which is no more than
 * PROGRAM_MAX_NESTING.
 */

#include <math.h>

#include "flow/program_eval.h"
#include "json/jput.h"

static struct program_value whole(int64_t n)
{
    return (struct program_value){.type = PROGRAM_WHOLE, .whole = n};
}

static struct program_value real(double x)
{
    return (struct program_value){.type = PROGRAM_REAL, .real = x};
}

static struct program_value truth(bool is_true)
{
    return (struct program_value){.type = PROGRAM_TRUTH, .truth = is_true};
}

/* A boolean counts as 0 or 1; an array is no number. */
static bool to_number(struct program_value v, struct program_value *ret)
{
    if (v.type == PROGRAM_ARRAY)
        return false;
    *ret = v.type == PROGRAM_TRUTH ? whole(v.truth) : v;
    return true;
}

static bool to_real(struct program_value v, double *ret)
{
    if (!to_number(v, &v))
        return false;
    *ret = v.type == PROGRAM_WHOLE ? (double)v.whole : v.real;
    return true;
}

/* An integral number that fits 64 bits; a boolean is one. */
static bool to_whole(struct program_value v, int64_t *ret)
{
    if (!to_number(v, &v))
        return false;
    if (v.type == PROGRAM_REAL) {
        /* -2^63 is a double, and so is 2^63, the first that is too large. */
        if (!(v.real >= -0x1p63 && v.real < 0x1p63) || v.real != floor(v.real))
            return false;
        v = whole((int64_t)v.real);
    }
    *ret = v.whole;
    return true;
}

static bool to_truth(struct program_value v, bool *ret)
{
    if (!to_number(v, &v) || (v.type == PROGRAM_REAL && isnan(v.real)))
        return false;
    *ret = v.type == PROGRAM_WHOLE ? v.whole != 0 : v.real != 0;
    return true;
}

/* On two integers, exact; false if the result does not fit. */
static bool whole_arithmetic(enum program_op op, int64_t a, int64_t b, int64_t *ret)
{
    switch (op) {
    case PROGRAM_OP_ADD:
        return !__builtin_add_overflow(a, b, ret);
    case PROGRAM_OP_SUB:
        return !__builtin_sub_overflow(a, b, ret);
    default:
        return !__builtin_mul_overflow(a, b, ret);
    }
}

static double real_arithmetic(enum program_op op, double a, double b)
{
    switch (op) {
    case PROGRAM_OP_ADD:
        return a + b;
    case PROGRAM_OP_SUB:
        return a - b;
    case PROGRAM_OP_MUL:
        return a * b;
    default:
        return a / b; /* by 0 as IEEE has it, which is no error */
    }
}

static bool arithmetic(enum program_op op, struct program_value a, struct program_value b,
                       struct program_value *ret)
{
    double x, y;

    if (!to_number(a, &a) || !to_number(b, &b))
        return false;
    if (op != PROGRAM_OP_DIV && a.type == PROGRAM_WHOLE && b.type == PROGRAM_WHOLE) {
        int64_t n;

        if (!whole_arithmetic(op, a.whole, b.whole, &n))
            return false;
        *ret = whole(n);
        return true;
    }
    if (!to_real(a, &x) || !to_real(b, &y))
        return false;
    *ret = real(real_arithmetic(op, x, y));
    return true;
}

/* How two values that are ordered stand to each other. */
struct order {
    bool is_less;
    bool is_equal;
    bool is_greater; /* none of the three with NaN */
};

static bool compare(struct program_value a, struct program_value b, struct order *ret)
{
    double x, y;

    if (!to_number(a, &a) || !to_number(b, &b))
        return false;
    if (a.type == PROGRAM_WHOLE && b.type == PROGRAM_WHOLE) {
        *ret = (struct order){a.whole<b.whole, a.whole == b.whole, a.whole> b.whole};
        return true;
    }
    if (!to_real(a, &x) || !to_real(b, &y))
        return false;
    *ret = (struct order){x<y, x == y, x> y};
    return true;
}

static bool comparison(enum program_op op, struct program_value a, struct program_value b,
                       struct program_value *ret)
{
    struct order o;

    if (!compare(a, b, &o))
        return false;
    switch (op) {
    case PROGRAM_OP_EQ:
        *ret = truth(o.is_equal);
        return true;
    case PROGRAM_OP_NE:
        *ret = truth(!o.is_equal);
        return true;
    case PROGRAM_OP_LT:
        *ret = truth(o.is_less);
        return true;
    case PROGRAM_OP_LE:
        *ret = truth(o.is_less || o.is_equal);
        return true;
    case PROGRAM_OP_GT:
        *ret = truth(o.is_greater);
        return true;
    default:
        *ret = truth(o.is_greater || o.is_equal);
        return true;
    }
}

static bool eval_array(struct program_env *env, const struct program_expr *e,
                       struct program_value *ret)
{
    double *items = sp_arena_alloc(&env->scratch, e->n_args * sizeof *items);

    for (size_t i = 0; i < e->n_args; i++) {
        struct program_value v;

        if (!program_eval(env, &e->args[i], &v) || v.type == PROGRAM_TRUTH ||
            !to_real(v, &items[i]))
            return false;
    }
    *ret = (struct program_value){.type = PROGRAM_ARRAY, .array = {items, e->n_args}};
    return true;
}

static bool eval_index(struct program_env *env, const struct program_expr *e,
                       struct program_value *ret)
{
    struct program_value array, index;
    int64_t at;

    if (!program_eval(env, &e->args[0], &array) || !program_eval(env, &e->args[1], &index))
        return false;
    if (array.type != PROGRAM_ARRAY || index.type == PROGRAM_TRUTH || !to_whole(index, &at) ||
        at < 0 || (uint64_t)at >= array.array.n)
        return false;
    *ret = real(array.array.p[at]);
    return true;
}

/* The second operand is not evaluated when the first says it all. */
static bool eval_lazy(struct program_env *env, const struct program_expr *e,
                      struct program_value *ret)
{
    bool is_true;

    if (!program_eval_truth(env, &e->args[0], &is_true))
        return false;
    if (is_true == (e->op == PROGRAM_OP_AND) && !program_eval_truth(env, &e->args[1], &is_true))
        return false;
    *ret = truth(is_true);
    return true;
}

static bool eval_unary(struct program_env *env, const struct program_expr *e,
                       struct program_value *ret)
{
    struct program_value v;
    bool is_true;

    if (!program_eval(env, &e->args[0], &v))
        return false;
    switch (e->op) {
    case PROGRAM_OP_LEN:
        if (v.type != PROGRAM_ARRAY)
            return false;
        *ret = whole((int64_t)v.array.n);
        return true;
    case PROGRAM_OP_NOT:
        if (!to_truth(v, &is_true))
            return false;
        *ret = truth(!is_true);
        return true;
    default: /* PROGRAM_OP_NEG: of a real the sign goes, of 0.0 too */
        if (v.type == PROGRAM_REAL) {
            *ret = real(-v.real);
            return true;
        }
        return arithmetic(PROGRAM_OP_SUB, whole(0), v, ret);
    }
}

static bool eval_binary(struct program_env *env, const struct program_expr *e,
                        struct program_value *ret)
{
    struct program_value a, b;

    if (!program_eval(env, &e->args[0], &a) || !program_eval(env, &e->args[1], &b))
        return false;
    return e->op <= PROGRAM_OP_DIV ? arithmetic(e->op, a, b, ret) : comparison(e->op, a, b, ret);
}

bool program_eval(struct program_env *env, const struct program_expr *e, struct program_value *ret)
{
    env->work++;
    switch (e->op) {
    case PROGRAM_OP_F64:
        *ret = real(e->real);
        return true;
    case PROGRAM_OP_INT:
        *ret = whole(e->whole);
        return true;
    case PROGRAM_OP_BOOL:
        *ret = truth(e->truth);
        return true;
    case PROGRAM_OP_VAR:
        *ret = env->vars[e->slot].value;
        return true;
    case PROGRAM_OP_ARRAY:
        return eval_array(env, e, ret);
    case PROGRAM_OP_INDEX:
        return eval_index(env, e, ret);
    case PROGRAM_OP_LEN:
    case PROGRAM_OP_NEG:
    case PROGRAM_OP_NOT:
        return eval_unary(env, e, ret);
    case PROGRAM_OP_AND:
    case PROGRAM_OP_OR:
        return eval_lazy(env, e, ret);
    case PROGRAM_OP_CALL: /* no program that checks has one */
    case PROGRAM_N_OPS:
        return false;
    default:
        return eval_binary(env, e, ret);
    }
}

bool program_eval_truth(struct program_env *env, const struct program_expr *e, bool *ret)
{
    struct program_value v;

    return program_eval(env, e, &v) && to_truth(v, ret);
}

bool program_eval_real(struct program_env *env, const struct program_expr *e, double *ret)
{
    struct program_value v;

    return program_eval(env, e, &v) && to_real(v, ret);
}

bool program_eval_whole(struct program_env *env, const struct program_expr *e, int64_t *ret)
{
    struct program_value v;

    return program_eval(env, e, &v) && to_whole(v, ret);
}

/* Appends one side of an address. */
static void put_escaped(struct sp_buf *b, struct sp_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] == '\\' || s.p[i] == '#')
            sp_buf_add_char(b, '\\');
        sp_buf_add_char(b, s.p[i]);
    }
}

static void put_real(struct sp_buf *b, double x)
{
    if (isnan(x)) {
        sp_buf_add(b, SP_STR("NaN"));
    } else if (isinf(x)) {
        sp_buf_add(b, x > 0 ? SP_STR("inf") : SP_STR("-inf"));
    } else {
        jput_double(b, x);
        if (sp_str_ends(sp_buf_str(b), SP_STR(".0")))
            b->len -= 2;
    }
}

bool program_eval_addr(struct program_env *env, const struct program_addr *addr, struct sp_buf *ret)
{
    struct program_value index;

    put_escaped(ret, addr->name);
    if (addr->index == NULL)
        return true;
    if (!program_eval(env, addr->index, &index))
        return false;
    sp_buf_add_char(ret, '#');
    switch (index.type) {
    case PROGRAM_WHOLE:
        sp_buf_addf(ret, "%lld", (long long)index.whole);
        return true;
    case PROGRAM_REAL:
        put_real(ret, index.real);
        return true;
    case PROGRAM_TRUTH:
        sp_buf_add(ret, index.truth ? SP_STR("true") : SP_STR("false"));
        return true;
    case PROGRAM_ARRAY:
        return false;
    }
    return false;
}

void program_var_set(struct program_env *env, size_t slot, struct program_value value)
{
    struct program_var *var = &env->vars[slot];

    if (value.type == PROGRAM_ARRAY) {
        size_t n = value.array.n;

        if (var->max_items < n) {
            var->items = sp_realloc(var->items, n * sizeof *var->items);
            var->max_items = n;
        }
        /* The array may be the variable's own. */
        if (n > 0)
            memmove(var->items, value.array.p, n * sizeof *var->items);
        value.array.p = var->items;
        env->work += 8 * n;
    }
    var->value = value;
}
