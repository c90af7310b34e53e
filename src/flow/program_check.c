/* What a program must hold to be run, and where it keeps the values of its variables. */

#include <errno.h>
#include <stdlib.h>

#include "base/sp_map.h"
#include "flow/program_tree.h"

/* A variable that is bound; its slot is its place on the stack of them. */
struct binding {
    struct sp_str name;
    size_t outer; /* the binding of the same name that it hides, counted from 1; 0 for none */
};

struct checker {
    struct binding *bindings; /* stack */
    size_t n_bindings;
    size_t max_bindings;
    size_t most;           /* bindings at one time */
    struct sp_map by_name; /* a name's innermost binding, counted from 1 */
    size_t n_loops;        /* around what is checked */
    struct sp_err *err;
};

/* Fails with "BEFORE 'NAME' AFTER". */
static int fail(struct checker *c, const char *before, struct sp_str name, const char *after)
{
    struct sp_buf text = {0};

    sp_buf_addf(&text, "%s '", before);
    sp_buf_add(&text, name);
    sp_buf_addf(&text, "' %s", after);
    sp_err_set(c->err, "%s", sp_buf_cstr(&text));
    sp_buf_deinit(&text);
    return -EINVAL;
}

static bool is_letter(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_';
}

static bool is_identifier(struct sp_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        bool is_digit = s.p[i] >= '0' && s.p[i] <= '9';

        if (!is_letter(s.p[i]) && !(is_digit && i > 0))
            return false;
    }
    return s.len > 0;
}

static bool is_reserved(struct sp_str s)
{
    static const char *const words[] = {"let", "mut",  "observe", "factor", "for",  "in",
                                        "if",  "else", "break",   "pure",   "true", "false"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (sp_str_eq(s, sp_str_of(words[i])))
            return true;
    }
    return false;
}

static int check_name(struct checker *c, const struct program_name *name)
{
    static const char *const kinds[] = {
        [PROGRAM_NAME_VARIABLE] = "the variable",
        [PROGRAM_NAME_DISTRIBUTION] = "the distribution",
        [PROGRAM_NAME_FUNCTION] = "the function",
    };

    if (!is_identifier(name->text))
        return fail(c, kinds[name->kind], name->text, "has a name that is no identifier");
    if (is_reserved(name->text))
        return fail(c, kinds[name->kind], name->text, "has a name that is a reserved word");
    return 0;
}

/* Binds a name from here to the end of its block and gives its slot. */
static size_t bind(struct checker *c, struct sp_str name)
{
    size_t *innermost = sp_map_put(&c->by_name, name, NULL);

    if (c->n_bindings == c->max_bindings) {
        c->max_bindings = c->max_bindings > 0 ? 2 * c->max_bindings : 16;
        c->bindings = sp_realloc(c->bindings, c->max_bindings * sizeof *c->bindings);
    }
    c->bindings[c->n_bindings++] = (struct binding){name, *innermost};
    *innermost = c->n_bindings;
    if (c->n_bindings > c->most)
        c->most = c->n_bindings;
    return c->n_bindings - 1;
}

/* Ends the scope of all but the `n` outermost bindings. */
static void unbind(struct checker *c, size_t n)
{
    while (c->n_bindings > n) {
        const struct binding *b = &c->bindings[--c->n_bindings];

        *sp_map_put(&c->by_name, b->name, NULL) = b->outer;
    }
}

static int resolve(struct checker *c, struct sp_str name, size_t *ret_slot)
{
    const size_t *innermost = sp_map_find(&c->by_name, name);

    if (innermost == NULL || *innermost == 0)
        return fail(c, "the variable", name, "is not bound");
    *ret_slot = *innermost - 1;
    return 0;
}

static int check_exprs(struct checker *c, struct program_expr *exprs, size_t n);

static int check_expr(struct checker *c, struct program_expr *e)
{
    if (e->op == PROGRAM_OP_VAR)
        return resolve(c, e->name, &e->slot);
    if (e->op == PROGRAM_OP_CALL)
        return fail(c, "there is no function", e->name, "to call");
    return check_exprs(c, e->args, e->n_args);
}

static int check_exprs(struct checker *c, struct program_expr *exprs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int rc = check_expr(c, &exprs[i]);

        if (rc < 0)
            return rc;
    }
    return 0;
}

static int check_dist(struct checker *c, struct program_term *dist)
{
    static const char *const takes[] = {"takes no arguments", "takes exactly 1 argument",
                                        "takes exactly 2 arguments"};
    size_t i = program_dist_of(dist->name);

    if (i == PROGRAM_N_DISTS)
        return fail(c, "there is no distribution", dist->name, "(only Decide and Outcome)");
    if (dist->n_args != program_dists[i].n_args)
        return fail(c, "the distribution", dist->name, takes[program_dists[i].n_args]);
    return check_exprs(c, dist->args, dist->n_args);
}

static int check_site(struct checker *c, struct program_stmt *s)
{
    int rc = s->addr.index != NULL ? check_expr(c, s->addr.index) : 0;

    return rc < 0 ? rc : check_dist(c, &s->dist);
}

static int check_stmt(struct checker *c, struct program_stmt *s);

static int check_block(struct checker *c, struct program_block *block)
{
    size_t n_outside = c->n_bindings;
    int rc = 0;

    for (size_t i = 0; i < block->n && rc == 0; i++)
        rc = check_stmt(c, &block->of[i]);
    unbind(c, n_outside);
    return rc;
}

static int check_for(struct checker *c, struct program_stmt *s)
{
    size_t n_outside = c->n_bindings;
    int rc = check_expr(c, &s->value);

    if (rc < 0)
        return rc;
    rc = check_expr(c, &s->end);
    if (rc < 0)
        return rc;
    s->slot = bind(c, s->var);
    c->n_loops++;
    rc = check_block(c, &s->body);
    c->n_loops--;
    unbind(c, n_outside);
    return rc;
}

static int check_stmt(struct checker *c, struct program_stmt *s)
{
    int rc;

    switch (s->verb) {
    case PROGRAM_SAMPLE:
        rc = check_site(c, s);
        if (rc == 0)
            s->slot = bind(c, s->var);
        return rc;
    case PROGRAM_LET:
        rc = check_expr(c, &s->value);
        if (rc == 0)
            s->slot = bind(c, s->var);
        return rc;
    case PROGRAM_ASSIGN:
        rc = check_expr(c, &s->value);
        return rc < 0 ? rc : resolve(c, s->var, &s->slot);
    case PROGRAM_OBSERVE:
        rc = check_site(c, s);
        return rc < 0 ? rc : check_expr(c, &s->value);
    case PROGRAM_FACTOR:
        return check_expr(c, &s->value);
    case PROGRAM_FOR:
        return check_for(c, s);
    case PROGRAM_IF:
        rc = check_expr(c, &s->value);
        if (rc == 0)
            rc = check_block(c, &s->body);
        return rc < 0 ? rc : check_block(c, &s->other);
    case PROGRAM_BREAK:
        if (c->n_loops == 0)
            return fail(c, "a", SP_STR("break"), "stands outside of any loop");
        return 0;
    case PROGRAM_N_VERBS:
        break;
    }
    return 0;
}

static int check_program(struct checker *c, struct program *p)
{
    /* In the order of enum program_slot. */
    static const struct sp_str data[PROGRAM_N_DATA] = {
        {"call", 4}, {"call_failed", 11}, {"max_lookups", 11}};
    int rc = 0;

    for (size_t i = 0; i < PROGRAM_N_DATA; i++)
        (void)bind(c, data[i]);
    /* The scope of the program's own block reaches to what it returns. */
    for (size_t i = 0; i < p->body.n && rc == 0; i++)
        rc = check_stmt(c, &p->body.of[i]);
    if (rc == 0)
        rc = check_expr(c, &p->ret);
    p->n_slots = c->most;
    return rc;
}

int program_check(struct program *p, const struct program_name *names, size_t n_names,
                  struct sp_err *ret_err)
{
    struct checker c = {.err = ret_err};
    int rc = 0;

    for (size_t i = 0; i < n_names && rc == 0; i++)
        rc = check_name(&c, &names[i]);
    if (rc == 0)
        rc = check_program(&c, p);
    free(c.bindings);
    sp_map_deinit(&c.by_name);
    return rc;
}
