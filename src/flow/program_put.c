/* Writing a program in its JSON form, and the standard program. */

#include <assert.h>

#include "flow/program_tree.h"
#include "json/jput.h"

/* Writes the opening of a tagged object: {"TAG":"KIND" */
static void put_tag(struct sp_buf *b, const char *tag, const char *kind)
{
    sp_buf_addf(b, "{\"%s\":\"%s\"", tag, kind);
}

static void put_name(struct sp_buf *b, const char *name)
{
    sp_buf_addf(b, ",\"%s\":", name);
}

static void put_text(struct sp_buf *b, const char *name, struct sp_str text)
{
    put_name(b, name);
    jput_string(b, text);
}

static void put_expr(struct sp_buf *b, const struct program_expr *e);

static void put_exprs(struct sp_buf *b, const char *name, const struct program_expr *exprs,
                      size_t n)
{
    put_name(b, name);
    sp_buf_add_char(b, '[');
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            sp_buf_add_char(b, ',');
        put_expr(b, &exprs[i]);
    }
    sp_buf_add_char(b, ']');
}

/* Recurses as deep as the program nests, which is no more than PROGRAM_MAX_NESTING. */
static void put_expr(struct sp_buf *b, const struct program_expr *e)
{
    const struct program_form *form = &program_exprs[e->op];

    put_tag(b, "op", form->tag);
    switch (e->op) {
    case PROGRAM_OP_F64:
        put_name(b, "value");
        jput_double(b, e->real);
        break;
    case PROGRAM_OP_INT:
        put_name(b, "value");
        sp_buf_addf(b, "%lld", (long long)e->whole);
        break;
    case PROGRAM_OP_BOOL:
        put_name(b, "value");
        sp_buf_add(b, e->truth ? SP_STR("true") : SP_STR("false"));
        break;
    case PROGRAM_OP_VAR:
        put_text(b, "name", e->name);
        break;
    case PROGRAM_OP_ARRAY:
        put_exprs(b, "items", e->args, e->n_args);
        break;
    default:
        for (size_t i = 0; i < form->n; i++) {
            put_name(b, form->fields[i].name);
            put_expr(b, &e->args[i]);
        }
    }
    sp_buf_add_char(b, '}');
}

static void put_site(struct sp_buf *b, const struct program_stmt *s)
{
    sp_buf_add(b, SP_STR(",\"addr\":{\"name\":"));
    jput_string(b, s->addr.name);
    if (s->addr.index != NULL) {
        put_name(b, "index");
        put_expr(b, s->addr.index);
    }
    sp_buf_add(b, SP_STR("},\"dist\":{\"name\":"));
    jput_string(b, s->dist.name);
    put_exprs(b, "args", s->dist.args, s->dist.n_args);
    sp_buf_add_char(b, '}');
}

static void put_member(struct sp_buf *b, const char *name, const struct program_expr *e)
{
    put_name(b, name);
    put_expr(b, e);
}

static void put_stmt(struct sp_buf *b, const struct program_stmt *s);

/* Writes a block's statements, brackets included. */
static void put_block(struct sp_buf *b, const struct program_block *block)
{
    sp_buf_add_char(b, '[');
    for (size_t i = 0; i < block->n; i++) {
        if (i > 0)
            sp_buf_add_char(b, ',');
        put_stmt(b, &block->of[i]);
    }
    sp_buf_add_char(b, ']');
}

static void put_if(struct sp_buf *b, const struct program_stmt *s)
{
    put_member(b, "cond", &s->value);
    put_name(b, "then");
    put_block(b, &s->body);
    if (s->other.n > 0) {
        put_name(b, "else");
        put_block(b, &s->other);
    }
}

static void put_stmt(struct sp_buf *b, const struct program_stmt *s)
{
    put_tag(b, "stmt", program_stmts[s->verb].tag);
    switch (s->verb) {
    case PROGRAM_SAMPLE:
        put_text(b, "var", s->var);
        put_site(b, s);
        break;
    case PROGRAM_LET:
    case PROGRAM_ASSIGN:
        put_text(b, "var", s->var);
        put_member(b, "value", &s->value);
        break;
    case PROGRAM_OBSERVE:
        put_site(b, s);
        put_member(b, "value", &s->value);
        break;
    case PROGRAM_FACTOR:
        put_member(b, "logw", &s->value);
        break;
    case PROGRAM_FOR:
        put_text(b, "var", s->var);
        put_member(b, "start", &s->value);
        put_member(b, "end", &s->end);
        put_name(b, "body");
        put_block(b, &s->body);
        break;
    case PROGRAM_IF:
        put_if(b, s);
        break;
    case PROGRAM_BREAK:
    case PROGRAM_N_VERBS:
        break;
    }
    sp_buf_add_char(b, '}');
}

void program_put(struct sp_buf *b, const struct program *p)
{
    sp_buf_add(b, SP_STR("{\"fugue_program\":1,\"body\":"));
    put_block(b, &p->body);
    put_name(b, "ret");
    put_expr(b, &p->ret);
    sp_buf_add_char(b, '}');
}

/*
 * for i in 0..max_lookups: decide; stop when the decision is to hand back; make the lookup; go on
 * from it.
 */
static const struct sp_str standard = SP_STR(
    "{\"fugue_program\":1,\"body\":["
    "{\"stmt\":\"let\",\"var\":\"prev\",\"value\":{\"op\":\"var\",\"name\":\"call\"}},"
    "{\"stmt\":\"let\",\"var\":\"failed\",\"value\":{\"op\":\"var\",\"name\":\"call_failed\"}},"
    "{\"stmt\":\"for\",\"var\":\"i\",\"start\":{\"op\":\"int\",\"value\":0},"
    "\"end\":{\"op\":\"var\",\"name\":\"max_lookups\"},\"body\":["
    "{\"stmt\":\"sample\",\"var\":\"d\","
    "\"addr\":{\"name\":\"decide\",\"index\":{\"op\":\"var\",\"name\":\"i\"}},"
    "\"dist\":{\"name\":\"Decide\",\"args\":["
    "{\"op\":\"var\",\"name\":\"prev\"},{\"op\":\"var\",\"name\":\"failed\"}]}},"
    "{\"stmt\":\"if\",\"cond\":{\"op\":\"eq\",\"lhs\":{\"op\":\"var\",\"name\":\"d\"},"
    "\"rhs\":{\"op\":\"int\",\"value\":0}},\"then\":[{\"stmt\":\"break\"}]},"
    "{\"stmt\":\"sample\",\"var\":\"ok\","
    "\"addr\":{\"name\":\"outcome\",\"index\":{\"op\":\"var\",\"name\":\"i\"}},"
    "\"dist\":{\"name\":\"Outcome\",\"args\":[{\"op\":\"var\",\"name\":\"d\"}]}},"
    "{\"stmt\":\"assign\",\"var\":\"prev\",\"value\":{\"op\":\"var\",\"name\":\"d\"}},"
    "{\"stmt\":\"assign\",\"var\":\"failed\","
    "\"value\":{\"op\":\"not\",\"arg\":{\"op\":\"var\",\"name\":\"ok\"}}}]}],"
    "\"ret\":{\"op\":\"var\",\"name\":\"prev\"}}");

struct program *program_standard(void)
{
    struct program *p;
    struct sp_err err;
    int rc = program_parse(standard, &p, &err);

    assert(rc == 0);
    return p;
}

bool program_is_standard(const struct program *p)
{
    struct sp_buf b = {0};
    bool is_standard;

    program_put(&b, p);
    is_standard = sp_str_eq(sp_buf_str(&b), standard);
    sp_buf_deinit(&b);
    return is_standard;
}
