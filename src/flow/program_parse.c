/*
 * Reading a program from its JSON form.
 *
 * Functions recurse as deep as the text nests, which the scanner has limited to JSCAN_MAX_DEPTH.
 * They note on the way how deep the program nests when it is written, and every name that has to
 * be an identifier, for the checks that come after the form.
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "flow/program_tree.h"

struct parser {
    struct program *p;
    size_t deepest;             /* level of nesting */
    struct program_name *names; /* in the order of the program */
    size_t n_names;
    size_t max_names;
    struct sp_buf scratch;
    struct sp_err *err;
};

/* Where an object or array is read: its place for errors, and its level as it is written. */
struct spot {
    struct jtable_place place;
    size_t level;
};

static struct spot spot_member(const struct spot *up, const char *name)
{
    return (struct spot){{.up = &up->place, .name = name}, up->level + 1};
}

static struct spot spot_element(const struct spot *up, size_t index)
{
    return (struct spot){{.up = &up->place, .index = index}, up->level + 1};
}

static void note_level(struct parser *ps, size_t level)
{
    if (level > ps->deepest)
        ps->deepest = level;
}

/* Fails with "PATH: WHAT 'NAME'", NAME being a string's span. */
static int fail_name(struct parser *ps, const struct spot *at, const char *what, struct sp_str name)
{
    struct sp_buf text = {0};
    int rc;

    sp_buf_addf(&text, "%s '", what);
    jget_text(name, &text);
    sp_buf_add_char(&text, '\'');
    rc = jtable_fail(&at->place, sp_buf_cstr(&text), ps->err);
    sp_buf_deinit(&text);
    return rc;
}

static struct sp_str text_of(struct parser *ps, struct sp_str string)
{
    sp_buf_clear(&ps->scratch);
    jget_text(string, &ps->scratch);
    return sp_arena_copy(&ps->p->arena, sp_buf_str(&ps->scratch));
}

/* The same for a name that has to be an identifier. */
static struct sp_str name_of(struct parser *ps, struct sp_str string, enum program_name_kind kind)
{
    struct sp_str text = text_of(ps, string);

    if (ps->n_names == ps->max_names) {
        ps->max_names = ps->max_names > 0 ? 2 * ps->max_names : 16;
        ps->names = sp_realloc(ps->names, ps->max_names * sizeof *ps->names);
    }
    ps->names[ps->n_names++] = (struct program_name){kind, text};
    return text;
}

/* The place of a member's name among the tag and the fields behind it; n + 1 for an unknown one. */
static size_t field_of(struct sp_str name, const char *tag, const struct jtable_field *fields,
                       size_t n)
{
    if (tag != NULL && jget_is_text(name, sp_str_of(tag)))
        return 0;
    for (size_t i = 0; i < n; i++) {
        if (jget_is_text(name, sp_str_of(fields[i].name)))
            return i + 1;
    }
    return n + 1;
}

/*
 * Reads the members of an object that may have no others, none twice, and none that is null.
 *
 * tag: a member that is there besides the fields, or NULL.
 * ret: as many spans as there are fields.
 */
static int read_members(struct parser *ps, const struct spot *at, struct sp_str object,
                        const char *tag, const struct jtable_field *fields, size_t n,
                        struct sp_str *ret)
{
    bool is_seen[PROGRAM_MAX_FIELDS + 1] = {0};

    note_level(ps, at->level);
    for (struct jget_iter it = jget_iter(object); jget_next(&it);) {
        size_t i = field_of(it.name, tag, fields, n);

        if (i > n)
            return fail_name(ps, at, "unknown member", it.name);
        if (is_seen[i])
            return fail_name(ps, at, "has more than one member", it.name);
        if (jget_type(it.value) == JSCAN_NULL)
            return fail_name(ps, at, "null is no value of", it.name);
        is_seen[i] = true;
    }
    return jtable_read(&at->place, object, fields, n, ret, ps->err);
}

/* Reads a tagged object's members; gives the tag's place in `forms`, or a negative error. */
static int read_tagged(struct parser *ps, const struct spot *at, struct sp_str object,
                       const char *tag, const struct program_form *forms, int n_forms,
                       struct sp_str *ret)
{
    const struct jtable_field field = {tag, JTABLE_TEXT, JTABLE_REQUIRED, 0};
    struct sp_str name = {0};
    int rc = jtable_read(&at->place, object, &field, 1, &name, ps->err);

    if (rc < 0)
        return rc;
    for (int i = 0; i < n_forms; i++) {
        if (jget_is_text(name, sp_str_of(forms[i].tag))) {
            rc = read_members(ps, at, object, tag, forms[i].fields, forms[i].n, ret);
            return rc < 0 ? rc : i;
        }
    }
    return fail_name(ps, at, strcmp(tag, "op") == 0 ? "unknown op" : "unknown stmt", name);
}

/* Reads a whole number written without fraction or exponent; whether it fits 64 bits. */
static bool read_i64(struct sp_str number, int64_t *ret)
{
    bool is_negative;
    uint64_t n;

    assert(number.p != NULL); /* a member that is required */
    is_negative = *number.p == '-';
    if (!jget_u64(sp_str_sub(number, is_negative, number.len), &n) ||
        n > (uint64_t)INT64_MAX + is_negative)
        return false;
    *ret = (int64_t)(is_negative ? 0 - n : n);
    return true;
}

static double read_real(struct parser *ps, struct sp_str number)
{
    sp_buf_clear(&ps->scratch);
    sp_buf_add(&ps->scratch, number);
    return strtod(sp_buf_cstr(&ps->scratch), NULL);
}

static int parse_expr(struct parser *ps, const struct spot *at, struct sp_str value,
                      struct program_expr *ret);

/* Reads the expressions of an array. */
static int parse_exprs(struct parser *ps, const struct spot *at, struct sp_str array,
                       struct program_expr **ret, size_t *ret_n)
{
    size_t n = jget_count(array);
    struct program_expr *exprs = sp_arena_alloc(&ps->p->arena, n * sizeof *exprs);
    size_t i = 0;

    note_level(ps, at->level);
    for (struct jget_iter it = jget_iter(array); jget_next(&it); i++) {
        struct spot item = spot_element(at, i);
        int rc = parse_expr(ps, &item, it.value, &exprs[i]);

        if (rc < 0)
            return rc;
    }
    *ret = exprs;
    *ret_n = n;
    return 0;
}

/* Reads what an expression has besides operands that are members of their own. */
static int parse_leaf(struct parser *ps, const struct spot *at, const struct sp_str *spans,
                      struct program_expr *ret)
{
    struct spot value = spot_member(at, "value");
    struct spot items = spot_member(at, "items");
    struct spot args = spot_member(at, "args");

    switch (ret->op) {
    case PROGRAM_OP_F64:
        ret->real = read_real(ps, spans[0]);
        return 0;
    case PROGRAM_OP_INT:
        if (!read_i64(spans[0], &ret->whole))
            return jtable_fail(&value.place, "must be an integer of 64 bits", ps->err);
        return 0;
    case PROGRAM_OP_BOOL:
        ret->truth = jget_type(spans[0]) == JSCAN_TRUE;
        return 0;
    case PROGRAM_OP_VAR:
        ret->name = name_of(ps, spans[0], PROGRAM_NAME_VARIABLE);
        return 0;
    case PROGRAM_OP_ARRAY:
        return parse_exprs(ps, &items, spans[0], &ret->args, &ret->n_args);
    case PROGRAM_OP_CALL:
        ret->name = name_of(ps, spans[0], PROGRAM_NAME_FUNCTION);
        return parse_exprs(ps, &args, spans[1], &ret->args, &ret->n_args);
    default:
        return 0;
    }
}

static int parse_expr(struct parser *ps, const struct spot *at, struct sp_str value,
                      struct program_expr *ret)
{
    struct sp_str spans[PROGRAM_MAX_FIELDS] = {0};
    int op = read_tagged(ps, at, value, "op", program_exprs, PROGRAM_N_OPS, spans);
    const struct program_form *form;
    int rc;

    if (op < 0)
        return op;
    ret->op = (enum program_op)op;
    form = &program_exprs[op];
    if (form->fields[0].shape != JTABLE_ANY)
        return parse_leaf(ps, at, spans, ret);
    ret->n_args = form->n;
    ret->args = sp_arena_alloc(&ps->p->arena, form->n * sizeof *ret->args);
    for (size_t i = 0; i < form->n; i++) {
        struct spot operand = spot_member(at, form->fields[i].name);

        rc = parse_expr(ps, &operand, spans[i], &ret->args[i]);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int parse_addr(struct parser *ps, const struct spot *up, struct sp_str object,
                      struct program_addr *ret)
{
    static const struct jtable_field fields[] = {
        {"name", JTABLE_TEXT, JTABLE_REQUIRED, PROGRAM_FIELD_AT(0)},
        {"index", JTABLE_ANY, JTABLE_OPTIONAL, PROGRAM_FIELD_AT(1)},
    };
    struct spot at = spot_member(up, "addr");
    struct spot index = spot_member(&at, "index");
    struct sp_str spans[JTABLE_LEN(fields)] = {0};
    int rc = read_members(ps, &at, object, NULL, fields, JTABLE_LEN(fields), spans);

    if (rc < 0)
        return rc;
    ret->name = text_of(ps, spans[0]);
    if (spans[1].p == NULL)
        return 0;
    ret->index = sp_arena_alloc(&ps->p->arena, sizeof *ret->index);
    return parse_expr(ps, &index, spans[1], ret->index);
}

static int parse_term(struct parser *ps, const struct spot *up, struct sp_str object,
                      struct program_term *ret)
{
    static const struct jtable_field fields[] = {
        {"name", JTABLE_TEXT, JTABLE_REQUIRED, PROGRAM_FIELD_AT(0)},
        {"args", JTABLE_ARRAY, JTABLE_OPTIONAL, PROGRAM_FIELD_AT(1)},
    };
    struct spot at = spot_member(up, "dist");
    struct spot args = spot_member(&at, "args");
    struct sp_str spans[JTABLE_LEN(fields)] = {0};
    int rc = read_members(ps, &at, object, NULL, fields, JTABLE_LEN(fields), spans);

    if (rc < 0)
        return rc;
    ret->name = name_of(ps, spans[0], PROGRAM_NAME_DISTRIBUTION);
    /* The arguments are always written, so they count as nesting even when they are missing. */
    note_level(ps, args.level);
    return spans[1].p != NULL ? parse_exprs(ps, &args, spans[1], &ret->args, &ret->n_args) : 0;
}

static int parse_member(struct parser *ps, const struct spot *up, const char *name,
                        struct sp_str value, struct program_expr *ret)
{
    struct spot at = spot_member(up, name);

    return parse_expr(ps, &at, value, ret);
}

static int parse_block(struct parser *ps, const struct spot *up, const char *name,
                       struct sp_str array, struct program_block *ret);

static int parse_for(struct parser *ps, const struct spot *at, const struct sp_str *spans,
                     struct program_stmt *ret)
{
    int rc;

    ret->var = name_of(ps, spans[0], PROGRAM_NAME_VARIABLE);
    rc = parse_member(ps, at, "start", spans[1], &ret->value);
    if (rc < 0)
        return rc;
    rc = parse_member(ps, at, "end", spans[2], &ret->end);
    return rc < 0 ? rc : parse_block(ps, at, "body", spans[3], &ret->body);
}

static int parse_if(struct parser *ps, const struct spot *at, const struct sp_str *spans,
                    struct program_stmt *ret)
{
    int rc = parse_member(ps, at, "cond", spans[0], &ret->value);

    if (rc < 0)
        return rc;
    rc = parse_block(ps, at, "then", spans[1], &ret->body);
    return rc < 0 || spans[2].p == NULL ? rc : parse_block(ps, at, "else", spans[2], &ret->other);
}

static int parse_site(struct parser *ps, const struct spot *at, struct sp_str addr,
                      struct sp_str dist, struct program_stmt *ret)
{
    int rc = parse_addr(ps, at, addr, &ret->addr);

    return rc < 0 ? rc : parse_term(ps, at, dist, &ret->dist);
}

static int parse_stmt(struct parser *ps, const struct spot *at, struct sp_str value,
                      struct program_stmt *ret)
{
    struct sp_str spans[PROGRAM_MAX_FIELDS] = {0};
    int verb = read_tagged(ps, at, value, "stmt", program_stmts, PROGRAM_N_VERBS, spans);
    int rc;

    if (verb < 0)
        return verb;
    ret->verb = (enum program_verb)verb;
    switch (ret->verb) {
    case PROGRAM_SAMPLE:
        ret->var = name_of(ps, spans[0], PROGRAM_NAME_VARIABLE);
        return parse_site(ps, at, spans[1], spans[2], ret);
    case PROGRAM_LET:
    case PROGRAM_ASSIGN:
        ret->var = name_of(ps, spans[0], PROGRAM_NAME_VARIABLE);
        return parse_member(ps, at, "value", spans[1], &ret->value);
    case PROGRAM_OBSERVE:
        rc = parse_site(ps, at, spans[0], spans[1], ret);
        return rc < 0 ? rc : parse_member(ps, at, "value", spans[2], &ret->value);
    case PROGRAM_FACTOR:
        return parse_member(ps, at, "logw", spans[0], &ret->value);
    case PROGRAM_FOR:
        return parse_for(ps, at, spans, ret);
    case PROGRAM_IF:
        return parse_if(ps, at, spans, ret);
    case PROGRAM_BREAK:
    case PROGRAM_N_VERBS:
        break;
    }
    return 0;
}

static int parse_block(struct parser *ps, const struct spot *up, const char *name,
                       struct sp_str array, struct program_block *ret)
{
    struct spot at = spot_member(up, name);
    size_t i = 0;

    ret->n = jget_count(array);
    ret->of = sp_arena_alloc(&ps->p->arena, ret->n * sizeof *ret->of);
    /* An empty `else` is not written, but the `then` beside it is, and nests as deep. */
    note_level(ps, at.level);
    for (struct jget_iter it = jget_iter(array); jget_next(&it); i++) {
        struct spot element = spot_element(&at, i);
        int rc = parse_stmt(ps, &element, it.value, &ret->of[i]);

        if (rc < 0)
            return rc;
    }
    return 0;
}

/* The version is looked at before anything else is. */
static int check_version(struct parser *ps, const struct spot *at, struct sp_str value)
{
    static const struct jtable_field field = {"fugue_program", JTABLE_NUMBER, JTABLE_REQUIRED, 0};
    struct spot version = spot_member(at, field.name);
    struct sp_str number = {0};
    int64_t n;
    int rc = jtable_read(&at->place, value, &field, 1, &number, ps->err);

    if (rc < 0)
        return rc;
    if (!read_i64(number, &n))
        return jtable_fail(&version.place, "must be an integer of 64 bits", ps->err);
    if (n == 1)
        return 0;
    sp_err_set(ps->err, "fugue_program %lld is not a version this build reads (1)", (long long)n);
    return -EINVAL;
}

static int parse_program(struct parser *ps, struct sp_str value)
{
    static const struct jtable_field fields[] = {
        {"body", JTABLE_ARRAY, JTABLE_REQUIRED, PROGRAM_FIELD_AT(0)},
        {"ret", JTABLE_ANY, JTABLE_REQUIRED, PROGRAM_FIELD_AT(1)},
    };
    struct spot at = {.level = 1};
    struct sp_str spans[JTABLE_LEN(fields)] = {0};
    int rc;

    if (jget_type(value) != JSCAN_OBJECT) {
        sp_err_set(ps->err, "must be an object");
        return -EINVAL;
    }
    rc = check_version(ps, &at, value);
    if (rc < 0)
        return rc;
    rc = read_members(ps, &at, value, "fugue_program", fields, JTABLE_LEN(fields), spans);
    if (rc < 0)
        return rc;
    rc = parse_block(ps, &at, "body", spans[0], &ps->p->body);
    if (rc < 0)
        return rc;
    rc = parse_member(ps, &at, "ret", spans[1], &ps->p->ret);
    if (rc < 0)
        return rc;
    if (ps->deepest > PROGRAM_MAX_NESTING) {
        sp_err_set(ps->err, "nests %zu levels deep, and at most %d are read", ps->deepest,
                   PROGRAM_MAX_NESTING);
        return -EINVAL;
    }
    return program_check(ps->p, ps->names, ps->n_names, ps->err);
}

int program_parse(struct sp_str value, struct program **ret, struct sp_err *ret_err)
{
    struct parser ps = {.p = sp_calloc(1, sizeof *ps.p), .err = ret_err};
    int rc = parse_program(&ps, value);

    free(ps.names);
    sp_buf_deinit(&ps.scratch);
    if (rc < 0) {
        program_free(ps.p);
        sp_err_prefix(ret_err, "the flow's program");
        return rc;
    }
    *ret = ps.p;
    return 0;
}

void program_free(struct program *p)
{
    if (p == NULL)
        return;
    sp_arena_deinit(&p->arena);
    free(p);
}
