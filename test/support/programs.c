/* Programs and flows for tests. */

#include <stdio.h>
#include <stdlib.h>

#include "json/jscan.h"
#include "programs.h"

static const struct programs_flow *flow_of(const struct program_model *m)
{
    return sp_container_of((struct program_model *)m, struct programs_flow, model);
}

static double total(const struct program_model *m, uint64_t tool, bool failed)
{
    return flow_of(m)->total[tool][failed];
}

static double count(const struct program_model *m, uint64_t tool, bool failed, uint64_t read)
{
    return flow_of(m)->count[tool][failed][read];
}

static bool offers(const struct program_model *m, uint64_t tool, bool failed, uint64_t read)
{
    return flow_of(m)->offers[tool][failed][read];
}

static void init(struct programs_flow *f, uint64_t n_reads, uint64_t n_tools)
{
    *f = (struct programs_flow){.model = {n_reads, n_tools, total, count, offers}};
}

/* Behind a call that succeeded the site offers one lookup, which followed so often. */
static void set_next(struct programs_flow *f, uint64_t tool, uint64_t read, double n)
{
    f->offers[tool][false][read] = true;
    f->count[tool][false][read] = n;
}

void programs_tickets(struct programs_flow *ret)
{
    init(ret, 2, 3);
    ret->total[1][false] = 3;
    ret->total[1][true] = 1;
    ret->total[2][false] = 4;
    set_next(ret, 1, 2, 3);
    set_next(ret, 2, 2, 1);
}

void programs_desk(struct programs_flow *ret)
{
    init(ret, 3, 5);
    for (uint64_t tool = 1; tool <= 4; tool++)
        ret->total[tool][false] = 8;
    set_next(ret, 1, 2, 8);
    set_next(ret, 2, 3, 8);
}

void programs_text(struct sp_buf *b, const char *text)
{
    for (; *text != '\0'; text++)
        sp_buf_add_char(b, *text == '\'' ? '"' : *text);
}

int programs_try_bytes(struct sp_str text, struct program **ret, struct sp_err *ret_err)
{
    struct jscan scan;

    if (!jscan(text, JSCAN_MAX_DEPTH, &scan)) {
        fprintf(stderr, "not JSON: %.*s\n", SP_STR_ARG(text));
        abort();
    }
    return program_parse(scan.value, ret, ret_err);
}

int programs_try(const char *text, struct program **ret, struct sp_err *ret_err)
{
    struct sp_buf b = {0};
    int rc;

    programs_text(&b, text);
    rc = programs_try_bytes(sp_buf_str(&b), ret, ret_err);
    sp_buf_deinit(&b);
    return rc;
}

struct program *programs_parse(const char *text)
{
    struct program *p;
    struct sp_err err;

    if (programs_try(text, &p, &err) != 0) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    return p;
}

void programs_start_with(struct programs_fixture *f, const char *text,
                         const struct program_data *data)
{
    programs_tickets(&f->flow);
    f->program = text != NULL ? programs_parse(text) : program_standard();
    f->run = program_run_new(f->program, &f->flow.model, data, PROGRAM_EXECUTE);
}

void programs_start(struct programs_fixture *f, const char *text)
{
    const struct program_data data = {SP_STR("find_tickets"), 1, false, 8};

    programs_start_with(f, text, &data);
}

void programs_finish(struct programs_fixture *f)
{
    while (program_run_step(f->run) != PROGRAM_END)
        program_run_give(f->run, 0);
}

void programs_stop(struct programs_fixture *f)
{
    program_run_free(f->run);
    program_free(f->program);
}

/* A random program under way. */
struct gen {
    struct json_gen *g;
    struct sp_buf *b;
    const char *names[64]; /* bound here */
    size_t n_names;
    unsigned n_loops; /* around this place */
    int budget;       /* statements that are left */
};

static size_t below(struct gen *gen, size_t n)
{
    return (size_t)json_gen_below(gen->g, n);
}

static void add(struct gen *gen, const char *text)
{
    programs_text(gen->b, text);
}

static void gen_expr(struct gen *gen, unsigned depth);

static void gen_exprs(struct gen *gen, size_t n, unsigned depth)
{
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            add(gen, ",");
        gen_expr(gen, depth);
    }
}

static void gen_leaf(struct gen *gen)
{
    static const char *const reals[] = {"0.0", "1.0", "-0.0", "0.5", "1e300", "-1e16", "3.0"};
    static const char *const wholes[] = {
        "0", "1", "2", "3", "-1", "7", "9223372036854775807", "-9223372036854775808"};

    switch (below(gen, 6)) {
    case 0:
        add(gen, "{'op':'f64','value':");
        add(gen, reals[below(gen, sizeof reals / sizeof *reals)]);
        add(gen, "}");
        break;
    case 1:
    case 2:
        add(gen, "{'op':'int','value':");
        add(gen, wholes[below(gen, sizeof wholes / sizeof *wholes)]);
        add(gen, "}");
        break;
    case 3:
        add(gen, below(gen, 2) ? PROGRAMS_TRUE : PROGRAMS_FALSE);
        break;
    default:
        add(gen, "{'op':'var','name':'");
        add(gen, gen->names[below(gen, gen->n_names)]);
        add(gen, "'}");
    }
}

static void gen_operands(struct gen *gen, const char *op, const char *const *members,
                         unsigned depth)
{
    sp_buf_addf(gen->b, "{\"op\":\"%s\"", op);
    for (size_t i = 0; i < 2 && members[i] != NULL; i++) {
        sp_buf_addf(gen->b, ",\"%s\":", members[i]);
        gen_expr(gen, depth);
    }
    add(gen, "}");
}

static void gen_expr(struct gen *gen, unsigned depth)
{
    static const char *const binary[] = {"add", "sub", "mul", "div", "eq",  "ne",
                                         "lt",  "le",  "gt",  "ge",  "and", "or"};
    static const char *const sides[] = {"lhs", "rhs"};
    static const char *const at[] = {"array", "index"};
    static const char *const array[] = {"array", NULL};
    static const char *const arg[] = {"arg", NULL};

    if (depth == 0) {
        gen_leaf(gen);
        return;
    }
    switch (below(gen, 8)) {
    case 0:
        add(gen, "{'op':'array','items':[");
        gen_exprs(gen, below(gen, 4), depth - 1);
        add(gen, "]}");
        break;
    case 1:
        gen_operands(gen, "index", at, depth - 1);
        break;
    case 2:
        gen_operands(gen, below(gen, 2) ? "not" : "neg", arg, depth - 1);
        break;
    case 3:
        gen_operands(gen, "len", array, depth - 1);
        break;
    case 4:
    case 5:
        gen_operands(gen, binary[below(gen, 12)], sides, depth - 1);
        break;
    default:
        gen_leaf(gen);
    }
}

static void gen_site(struct gen *gen)
{
    static const char *const names[] = {"decide", "outcome", "x", "a\\\\b", "a#1", ""};

    add(gen, "'addr':{'name':'");
    add(gen, names[below(gen, sizeof names / sizeof *names)]);
    add(gen, "'");
    if (below(gen, 4) > 0) {
        add(gen, ",'index':");
        gen_expr(gen, (unsigned)below(gen, 2));
    }
    if (below(gen, 2)) {
        add(gen, "},'dist':{'name':'Decide','args':[");
        gen_exprs(gen, 2, (unsigned)below(gen, 2));
    } else {
        add(gen, "},'dist':{'name':'Outcome','args':[");
        gen_exprs(gen, 1, (unsigned)below(gen, 2));
    }
    add(gen, "]}");
}

static void gen_block(struct gen *gen, unsigned depth, size_t n);

/* Writes "'var':NAME" with a name that is bound, or a new one to be bound. */
static const char *gen_var(struct gen *gen, bool is_new)
{
    static const char *const names[] = {"a", "b", "_c1", "call", "max_lookups", "lets"};
    const char *name = is_new ? names[below(gen, sizeof names / sizeof *names)]
                              : gen->names[below(gen, gen->n_names)];

    sp_buf_addf(gen->b, "\"var\":\"%s\",", name);
    return name;
}

static void gen_bind(struct gen *gen, const char *name)
{
    if (gen->n_names < sizeof gen->names / sizeof *gen->names)
        gen->names[gen->n_names++] = name;
}

/* A loop's bound: mostly one that makes it short. */
static void gen_bound(struct gen *gen)
{
    if (below(gen, 20) == 0)
        gen_expr(gen, 1);
    else
        sp_buf_addf(gen->b, "{\"op\":\"int\",\"value\":%zu}", below(gen, 5));
}

static void gen_for(struct gen *gen, unsigned depth)
{
    size_t n_names = gen->n_names;
    const char *name;

    add(gen, "{'stmt':'for',");
    name = gen_var(gen, true);
    add(gen, "'start':");
    gen_bound(gen);
    add(gen, ",'end':");
    gen_bound(gen);
    add(gen, ",'body':[");
    gen_bind(gen, name);
    gen->n_loops++;
    gen_block(gen, depth - 1, below(gen, 4));
    gen->n_loops--;
    gen->n_names = n_names;
    add(gen, "]}");
}

static void gen_if(struct gen *gen, unsigned depth)
{
    size_t n = below(gen, 3);

    add(gen, "{'stmt':'if','cond':");
    gen_expr(gen, 1);
    add(gen, ",'then':[");
    gen_block(gen, depth - 1, below(gen, 3));
    if (n > 0) {
        add(gen, "],'else':[");
        gen_block(gen, depth - 1, n);
    }
    add(gen, "]}");
}

static void gen_value(struct gen *gen, const char *stmt, bool is_new)
{
    const char *name;

    sp_buf_addf(gen->b, "{\"stmt\":\"%s\",", stmt);
    name = gen_var(gen, is_new);
    add(gen, "'value':");
    gen_expr(gen, (unsigned)below(gen, 4));
    add(gen, "}");
    if (is_new)
        gen_bind(gen, name);
}

static void gen_stmt(struct gen *gen, unsigned depth)
{
    const char *name;

    gen->budget--;
    switch (below(gen, depth > 0 ? 9 : 6)) {
    case 0:
    case 1:
        add(gen, "{'stmt':'sample',");
        name = gen_var(gen, true);
        gen_site(gen);
        add(gen, "}");
        gen_bind(gen, name);
        break;
    case 2:
        gen_value(gen, "let", true);
        break;
    case 3:
        gen_value(gen, "assign", false);
        break;
    case 4:
        add(gen, "{'stmt':'observe',");
        gen_site(gen);
        add(gen, ",'value':");
        gen_expr(gen, 1);
        add(gen, "}");
        break;
    case 5:
        if (gen->n_loops > 0 && below(gen, 2)) {
            add(gen, PROGRAMS_BREAK);
        } else {
            add(gen, "{'stmt':'factor','logw':");
            gen_expr(gen, 1);
            add(gen, "}");
        }
        break;
    case 6:
        gen_if(gen, depth);
        break;
    default:
        gen_for(gen, depth);
    }
}

static void gen_block(struct gen *gen, unsigned depth, size_t n)
{
    size_t n_names = gen->n_names;

    for (size_t i = 0; i < n && (i == 0 || gen->budget > 0); i++) {
        if (i > 0)
            add(gen, ",");
        gen_stmt(gen, depth);
    }
    gen->n_names = n_names;
}

void programs_generate(struct json_gen *g, struct sp_buf *b)
{
    struct gen gen = {
        .g = g, .b = b, .names = {"call", "call_failed", "max_lookups"}, .n_names = 3};
    size_t n = below(&gen, 8);

    gen.budget = 40;
    add(&gen, "{'fugue_program':1,'body':[");
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            add(&gen, ",");
        gen.budget = gen.budget > 1 ? gen.budget : 2;
        gen_stmt(&gen, 4);
    }
    add(&gen, "],'ret':");
    gen_expr(&gen, 2);
    add(&gen, "}");
}
