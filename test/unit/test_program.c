/* Tests of flow/program.h: reading, checking and writing programs. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "programs.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define VAR         PROGRAMS_VAR
#define INT         PROGRAMS_INT
#define LET         PROGRAMS_LET
#define PROGRAM     PROGRAMS_PROGRAM
#define RET(expr)   PROGRAM("", expr)
#define BODY(stmts) PROGRAM(stmts, INT("0"))

/* The standard program as chapter 22, section 3, prints it. */
static const char standard[] =
    "{'fugue_program':1,'body':["
    "{'stmt':'let','var':'prev','value':{'op':'var','name':'call'}},"
    "{'stmt':'let','var':'failed','value':{'op':'var','name':'call_failed'}},"
    "{'stmt':'for','var':'i','start':{'op':'int','value':0},"
    "'end':{'op':'var','name':'max_lookups'},'body':["
    "{'stmt':'sample','var':'d','addr':{'name':'decide','index':{'op':'var','name':'i'}},"
    "'dist':{'name':'Decide','args':[{'op':'var','name':'prev'},{'op':'var','name':'failed'}]}},"
    "{'stmt':'if','cond':{'op':'eq','lhs':{'op':'var','name':'d'},'rhs':{'op':'int','value':0}},"
    "'then':[{'stmt':'break'}]},"
    "{'stmt':'sample','var':'ok','addr':{'name':'outcome','index':{'op':'var','name':'i'}},"
    "'dist':{'name':'Outcome','args':[{'op':'var','name':'d'}]}},"
    "{'stmt':'assign','var':'prev','value':{'op':'var','name':'d'}},"
    "{'stmt':'assign','var':'failed','value':{'op':'not','arg':{'op':'var','name':'ok'}}}]}],"
    "'ret':{'op':'var','name':'prev'}}";

static void assert_puts(const struct program *p, const char *want)
{
    struct sp_buf got = {0};
    struct sp_buf text = {0};

    program_put(&got, p);
    programs_text(&text, want);
    assert_string_equal(sp_buf_cstr(&got), sp_buf_cstr(&text));
    sp_buf_deinit(&got);
    sp_buf_deinit(&text);
}

/* That a text is read and written again as `want`. */
static void assert_rewritten(const char *text, const char *want)
{
    struct program *p = programs_parse(text);

    assert_puts(p, want);
    program_free(p);
}

/* That a text is refused and the message, behind its prefix, has `part` in it. */
static void assert_refused(const char *text, const char *part)
{
    static const char prefix[] = "the flow's program: ";
    struct program *p = NULL;
    struct sp_err err;

    if (programs_try(text, &p, &err) >= 0)
        fail_msg("not refused: %s", text);
    assert_null(p);
    assert_memory_equal(err.text, prefix, sizeof prefix - 1);
    if (strstr(err.text, part) == NULL)
        fail_msg("'%s' is not in '%s' for %s", part, err.text, text);
}

static void program_gives_the_standard_program(void **state)
{
    struct program *p = program_standard();

    (void)state;
    assert_puts(p, standard);
    assert_true(program_is_standard(p));
    program_free(p);
    assert_rewritten(standard, standard);
}

static void program_knows_the_standard_program_however_it_is_spelled(void **state)
{
    struct program *p = programs_parse(
        " { 'ret' : {'name':'prev','op':'var'} , 'body' : ["
        "{'value':{'op':'var','name':'call'},'stmt':'let','var':'prev'},"
        "{'stmt':'let','var':'failed','value':{'op':'var','name':'call_f\\u0061iled'}},"
        "{'stmt':'for','var':'i','start':{'op':'int','value':-0},"
        "'end':{'op':'var','name':'max_lookups'},'body':["
        "{'stmt':'sample','var':'d','addr':{'index':{'op':'var','name':'i'},'name':'decide'},"
        "'dist':{'args':[{'op':'var','name':'prev'},{'op':'var','name':'failed'}],"
        "'name':'Decide'}},"
        "{'stmt':'if','cond':{'op':'eq','rhs':{'op':'int','value':0},"
        "'lhs':{'op':'var','name':'d'}},'else':[],'then':[{'stmt':'break'}]},"
        "{'stmt':'sample','var':'ok','addr':{'name':'outcome','index':{'op':'var','name':'i'}},"
        "'dist':{'name':'Outcome','args':[{'op':'var','name':'d'}]}},"
        "{'stmt':'assign','var':'prev','value':{'op':'var','name':'d'}},"
        "{'stmt':'assign','var':'failed','value':{'op':'not','arg':{'op':'var','name':'ok'}}}]}],"
        "'fugue_program':1}");

    (void)state;
    assert_true(program_is_standard(p));
    program_free(p);
    p = programs_parse(RET(VAR("call")));
    assert_false(program_is_standard(p));
    program_free(p);
}

static void program_writes_what_it_read(void **state)
{
    static const char *const same[] = {
        RET(INT("-9223372036854775808")),
        RET(INT("9223372036854775807")),
        RET("{'op':'f64','value':0.1}"),
        RET("{'op':'f64','value':-0.0}"),
        RET("{'op':'f64','value':1e16}"),
        RET(PROGRAMS_TRUE),
        RET(PROGRAMS_FALSE),
        RET("{'op':'array','items':[]}"),
        RET("{'op':'index','array':{'op':'array','items':[" INT("1") "," INT("2") "]},'index':" INT(
            "1") "}"),
        RET("{'op':'len','array':" VAR("call") "}"),
        RET("{'op':'neg','arg':" VAR("call") "}"),
        BODY("{'stmt':'observe','addr':{'name':'a\\\\b#\xc3\xa9'},'dist':{'name':'Outcome',"
             "'args':[" VAR("call") "]},'value':" PROGRAMS_TRUE "}"),
        BODY("{'stmt':'factor','logw':" INT("0") "}"),
        BODY("{'stmt':'if','cond':" INT("1") ",'then':[],'else':[" LET("x", INT("1")) "]}"),
        BODY("{'stmt':'for','var':'i','start':" INT("0") ",'end':" INT("1") ",'body':[]}"),
    };

    (void)state;
    for (size_t i = 0; i < N_OF(same); i++)
        assert_rewritten(same[i], same[i]);
}

static void program_writes_numbers_and_members_as_a_writer_does(void **state)
{
    (void)state;
    assert_rewritten(RET("{'op':'f64','value':3}"), RET("{'op':'f64','value':3.0}"));
    assert_rewritten(RET("{'op':'f64','value':-0}"), RET("{'op':'f64','value':-0.0}"));
    assert_rewritten(RET("{'op':'f64','value':1e2}"), RET("{'op':'f64','value':100.0}"));
    assert_rewritten(RET(INT("-0")), RET(INT("0")));
    assert_rewritten(BODY("{'stmt':'if','cond':" INT("1") ",'then':[],'else':[]}"),
                     BODY("{'stmt':'if','cond':" INT("1") ",'then':[]}"));
}

static void program_keeps_every_binary_operation(void **state)
{
    static const char *const ops[] = {"add", "sub", "mul", "div", "eq",  "ne",
                                      "lt",  "le",  "gt",  "ge",  "and", "or"};
    struct sp_buf text = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(ops); i++) {
        sp_buf_clear(&text);
        sp_buf_addf(&text,
                    "{'fugue_program':1,'body':[],'ret':{'op':'%s','lhs':{'op':'int','value':1},"
                    "'rhs':{'op':'int','value':2}}}",
                    ops[i]);
        assert_rewritten(sp_buf_cstr(&text), sp_buf_cstr(&text));
    }
    sp_buf_deinit(&text);
}

static void program_refuses_what_has_not_its_form(void **state)
{
    static const struct {
        const char *text;
        const char *part;
    } cases[] = {
        {"[]", "object"},
        {"1", "object"},
        {"{}", "fugue_program"},
        {"{'fugue_program':1}", "body"},
        {"{'fugue_program':1,'body':[]}", "ret"},
        {"{'fugue_program':1,'body':{},'ret':" INT("0") "}", "body"},
        {"{'fugue_program':'1','body':[],'ret':" INT("0") "}", "fugue_program"},
        {"{'fugue_program':1.0,'body':[],'ret':" INT("0") "}", "fugue_program"},
        {"{'fugue_program':1,'body':[],'ret':" INT("0") ",'notes':1}", "notes"},
        {"{'fugue_program':1,'body':[],'body':[],'ret':" INT("0") "}", "body"},
        {"{'fugue_program':1,'body':null,'ret':" INT("0") "}", "body"},
        {BODY("1"), "body[0]"},
        {BODY("{}"), "stmt"},
        {BODY("{'stmt':1}"), "stmt"},
        {BODY("{'stmt':'while'}"), "while"},
        {BODY("{'stmt':'break','label':1}"), "label"},
        {BODY("{'stmt':'let','var':'x'}"), "value"},
        {BODY("{'stmt':'let','value':" INT("1") "}"), "var"},
        {BODY("{'stmt':'let','var':1,'value':" INT("1") "}"), "var"},
        {BODY("{'stmt':'let','var':'x','value':" INT("1") ",'type':'int'}"), "type"},
        {BODY("{'stmt':'let','var':'x','value':1}"), "body[0].value"},
        {BODY("{'stmt':'sample','var':'x','addr':'a','dist':{'name':'Outcome'}}"), "addr"},
        {BODY("{'stmt':'sample','var':'x','addr':{},'dist':{'name':'Outcome'}}"), "name"},
        {BODY("{'stmt':'sample','var':'x','addr':{'name':1},'dist':{'name':'Outcome'}}"), "name"},
        {BODY("{'stmt':'sample','var':'x','addr':{'name':'a','at':1},'dist':{'name':'D'}}"), "at"},
        {BODY("{'stmt':'sample','var':'x','addr':{'name':'a','index':null},"
              "'dist':{'name':'D'}}"),
         "index"},
        {BODY("{'stmt':'sample','var':'x','addr':{'name':'a','index':3},'dist':{'name':'D'}}"),
         "index"},
        {BODY("{'stmt':'sample','var':'x','addr':{'name':'a'},'dist':{}}"), "dist"},
        {BODY("{'stmt':'sample','var':'x','addr':{'name':'a'},'dist':{'name':'D','args':1}}"),
         "args"},
        {BODY("{'stmt':'sample','var':'x','addr':{'name':'a'},'dist':{'name':'D','p':1}}"), "'p'"},
        {BODY("{'stmt':'observe','addr':{'name':'a'},'dist':{'name':'D'}}"), "value"},
        {BODY("{'stmt':'factor'}"), "logw"},
        {BODY("{'stmt':'for','var':'i','start':" INT("0") ",'body':[]}"), "end"},
        {BODY("{'stmt':'for','var':'i','start':" INT("0") ",'end':" INT("0") ",'body':1}"), "body"},
        {BODY("{'stmt':'if','cond':" INT("0") "}"), "then"},
        {BODY("{'stmt':'if','cond':" INT("0") ",'then':[],'else':null}"), "else"},
        {BODY("{'stmt':'if','cond':" INT("0") ",'then':[],'else':[1]}"), "else[0]"},
        {RET("null"), "ret"},
        {RET("{'op':'pow'}"), "pow"},
        {RET("{'op':'int','value':1.0}"), "value"},
        {RET("{'op':'int','value':1e0}"), "value"},
        {RET("{'op':'int','value':'1'}"), "value"},
        {RET("{'op':'int','value':9223372036854775808}"), "value"},
        {RET("{'op':'int','value':-9223372036854775809}"), "value"},
        {RET("{'op':'f64','value':true}"), "value"},
        {RET("{'op':'bool','value':1}"), "value"},
        {RET("{'op':'var'}"), "name"},
        {RET("{'op':'var','name':'call','type':1}"), "type"},
        {RET("{'op':'add','lhs':" INT("1") "}"), "rhs"},
        {RET("{'op':'add','lhs':" INT("1") ",'rhs':" INT("1") ",'arg':" INT("1") "}"), "arg"},
        {RET("{'op':'array','items':" INT("1") "}"), "items"},
        {RET("{'op':'array','items':[" INT("1") ",2]}"), "items[1]"},
        {RET("{'op':'call','func':'f'}"), "args"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++)
        assert_refused(cases[i].text, cases[i].part);
}

static void program_looks_at_the_version_first(void **state)
{
    (void)state;
    assert_refused("{'fugue_program':2,'body':[],'ret':" INT("0") "}", "fugue_program 2 ");
    assert_refused("{'fugue_program':2,'body':[],'ret':" INT("0") "}", "(1)");
    assert_refused("{'statements':[],'fugue_program':99}", "99");
    assert_refused("{'fugue_program':-1}", "-1");
}

/* Puts `n` nots around a number. */
static void nots(struct sp_buf *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sp_buf_add(b, SP_STR("{'op':'not','arg':"));
    sp_buf_add(b, SP_STR("{'op':'int','value':1}"));
    for (size_t i = 0; i < n; i++)
        sp_buf_add_char(b, '}');
}

/* Puts `n` loops into each other, the innermost with an empty body. */
static void loops(struct sp_buf *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sp_buf_add(b, SP_STR("{'stmt':'for','var':'i','start':{'op':'int','value':0},"
                             "'end':{'op':'int','value':1},'body':["));
    for (size_t i = 0; i < n; i++)
        sp_buf_add(b, SP_STR("]}"));
}

/* Puts `around` with what `inner` makes of `n` in place of its "%". */
static const char *nested(struct sp_buf *b, const char *around,
                          void (*inner)(struct sp_buf *, size_t), size_t n)
{
    size_t at = sp_str_find(sp_str_of(around), '%');

    sp_buf_clear(b);
    sp_buf_add(b, (struct sp_str){around, at});
    inner(b, n);
    sp_buf_addf(b, "%s", around + at + 1);
    return sp_buf_cstr(b);
}

static void program_counts_nesting_as_it_is_written(void **state)
{
    /* The most of the inner thing that fits 100 levels. */
    static const struct {
        const char *around;
        void (*inner)(struct sp_buf *, size_t);
        size_t most;
    } cases[] = {
        {RET("%"), nots, 98},
        {BODY("{'stmt':'factor','logw':%}"), nots, 96},
        {BODY("{'stmt':'observe','addr':{'name':'a','index':%},'dist':{'name':'Outcome',"
              "'args':[" INT("1") "]},'value':" INT("1") "}"),
         nots, 95},
        {BODY("{'stmt':'observe','addr':{'name':'a'},'dist':{'name':'Outcome',"
              "'args':[%]},'value':" INT("1") "}"),
         nots, 94},
        {RET("{'op':'array','items':[%]}"), nots, 96},
        {BODY("%"), loops, 49},
    };
    struct sp_buf text = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        program_free(programs_parse(nested(&text, cases[i].around, cases[i].inner, cases[i].most)));
        assert_refused(nested(&text, cases[i].around, cases[i].inner, cases[i].most + 1),
                       "nests 10");
    }
    assert_refused(nested(&text, RET("%"), nots, 101), "nests 103 levels");
    assert_refused(nested(&text, RET("%"), nots, 1000), "nests");
    sp_buf_deinit(&text);
}

static void program_counts_no_level_that_is_not_written(void **state)
{
    struct sp_buf text = {0};
    struct sp_buf inner = {0};

    (void)state;
    /* 48 loops, and in the last an `if` at level 99. */
    for (size_t i = 0; i < 48; i++)
        sp_buf_add(&inner, SP_STR("{'stmt':'for','var':'i','start':{'op':'int','value':0},"
                                  "'end':{'op':'int','value':1},'body':["));
    sp_buf_add(&inner, SP_STR("{'stmt':'if','cond':{'op':'int','value':1},'then':[],'else':[]}"));
    for (size_t i = 0; i < 48; i++)
        sp_buf_add(&inner, SP_STR("]}"));
    sp_buf_addf(&text, "{'fugue_program':1,'body':[%s],'ret':{'op':'int','value':0}}",
                sp_buf_cstr(&inner));
    program_free(programs_parse(sp_buf_cstr(&text)));

    /* At level 99 a distribution has no room for the arguments that are written when missing. */
    sp_buf_clear(&text);
    sp_buf_clear(&inner);
    for (size_t i = 0; i < 48; i++)
        sp_buf_add(&inner, SP_STR("{'stmt':'for','var':'i','start':{'op':'int','value':0},"
                                  "'end':{'op':'int','value':1},'body':["));
    sp_buf_add(&inner,
               SP_STR("{'stmt':'sample','var':'x','addr':{'name':'a'},'dist':{'name':'D'}}"));
    for (size_t i = 0; i < 48; i++)
        sp_buf_add(&inner, SP_STR("]}"));
    sp_buf_addf(&text, "{'fugue_program':1,'body':[%s],'ret':{'op':'int','value':0}}",
                sp_buf_cstr(&inner));
    assert_refused(sp_buf_cstr(&text), "101");
    sp_buf_deinit(&text);
    sp_buf_deinit(&inner);
}

static void program_refuses_names_that_are_no_identifiers(void **state)
{
    static const char *const names[] = {"",    "1a",   "a-b",     "a b",    "\xc3\xa9", "a\\u0000",
                                        "let", "mut",  "observe", "factor", "for",      "in",
                                        "if",  "else", "break",   "pure",   "true",     "false"};
    struct sp_buf text = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(names); i++) {
        sp_buf_clear(&text);
        sp_buf_addf(&text, BODY("{'stmt':'let','var':'%s','value':" INT("1") "}"), names[i]);
        assert_refused(sp_buf_cstr(&text), "variable");
        sp_buf_clear(&text);
        sp_buf_addf(&text, RET("{'op':'var','name':'%s'}"), names[i]);
        assert_refused(sp_buf_cstr(&text), "variable");
    }
    assert_refused(BODY(LET("in", INT("1"))), "'in'");
    assert_refused(
        BODY("{'stmt':'for','var':'for','start':" INT("0") ",'end':" INT("0") ",'body':[]}"),
        "'for'");
    assert_refused(RET("{'op':'call','func':'a.b','args':[]}"), "'a.b'");
    assert_refused(BODY("{'stmt':'observe','addr':{'name':'a'},'dist':{'name':'De cide'},"
                        "'value':" INT("1") "}"),
                   "'De cide'");
    sp_buf_deinit(&text);
}

static void program_takes_every_identifier_and_any_address(void **state)
{
    (void)state;
    program_free(programs_parse(PROGRAM(
        LET("_", INT("1")) "," LET("Zz_09", VAR("_")) "," LET("lets", VAR("Zz_09")), VAR("lets"))));
    program_free(programs_parse(
        BODY("{'stmt':'observe','addr':{'name':'let #\\u0000\xf0\x9f\x98\x80'},"
             "'dist':{'name':'Outcome','args':[" VAR("call") "]},'value':" INT("1") "}")));
}

static void program_refuses_names_that_are_not_bound(void **state)
{
    static const struct {
        const char *text;
        const char *part;
    } cases[] = {
        {RET(VAR("x")), "'x'"},
        {RET(PROGRAMS_TWO("and", PROGRAMS_FALSE, VAR("x"))), "'x'"},
        {BODY(LET("x", VAR("x"))), "'x'"},
        {BODY(PROGRAMS_ASSIGN("next", INT("1"))), "'next'"},
        {BODY(PROGRAMS_FACTOR(VAR("late")) "," LET("late", INT("1"))), "'late'"},
        {PROGRAM(PROGRAMS_IF(INT("1"), LET("x", INT("1"))), VAR("x")), "'x'"},
        {BODY(PROGRAMS_IF_ELSE(INT("1"), LET("x", INT("1")), PROGRAMS_FACTOR(VAR("x")))), "'x'"},
        {PROGRAM(PROGRAMS_FOR("i", INT("0"), INT("1"), ""), VAR("i")), "'i'"},
        {BODY(PROGRAMS_FOR("i", INT("0"), VAR("i"), "")), "'i'"},
        {BODY(PROGRAMS_FOR("i", VAR("i"), INT("0"), "")), "'i'"},
        {PROGRAM(PROGRAMS_FOR("i", INT("0"), INT("1"), LET("x", INT("1"))), VAR("x")), "'x'"},
        {BODY(PROGRAMS_SAMPLE("d", PROGRAMS_ADDR_AT("a", VAR("d")), PROGRAMS_OUTCOME(VAR("call")))),
         "'d'"},
        {BODY(PROGRAMS_SAMPLE("d", PROGRAMS_ADDR("a"), PROGRAMS_OUTCOME(VAR("d")))), "'d'"},
        {BODY(PROGRAMS_OBSERVE(PROGRAMS_ADDR("a"), PROGRAMS_OUTCOME(INT("1")), VAR("v"))), "'v'"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++)
        assert_refused(cases[i].text, cases[i].part);
}

static void program_refuses_what_it_cannot_run(void **state)
{
    (void)state;
    assert_refused(BODY("{'stmt':'sample','var':'d','addr':{'name':'a'},'dist':{'name':'Decide',"
                        "'args':[" VAR("call") "]}}"),
                   "Decide");
    assert_refused(BODY("{'stmt':'sample','var':'d','addr':{'name':'a'},'dist':{'name':'Decide'}}"),
                   "Decide");
    assert_refused(BODY("{'stmt':'sample','var':'d','addr':{'name':'a'},'dist':{'name':'Outcome',"
                        "'args':[" VAR("call") "," VAR("call") "]}}"),
                   "Outcome");
    assert_refused(BODY("{'stmt':'sample','var':'d','addr':{'name':'a'},'dist':{'name':'Normal',"
                        "'args':[" INT("0") "," INT("1") "]}}"),
                   "Normal");
    assert_refused(
        BODY("{'stmt':'observe','addr':{'name':'a'},'dist':{'name':'outcome','args':[" INT(
            "0") "]},'value':" INT("1") "}"),
        "'outcome'");
    assert_refused(RET("{'op':'call','func':'exp','args':[" INT("1") "]}"), "exp");
    assert_refused(BODY(PROGRAMS_BREAK), "break");
    assert_refused(BODY(PROGRAMS_IF(INT("1"), PROGRAMS_BREAK)), "break");
    assert_refused(BODY(PROGRAMS_FOR("i", INT("0"), INT("1"), "") "," PROGRAMS_BREAK), "break");
    program_free(programs_parse(
        BODY(PROGRAMS_FOR("i", INT("0"), INT("1"), PROGRAMS_IF(INT("1"), PROGRAMS_BREAK)))));
}

static void program_checks_in_the_order_of_the_specification(void **state)
{
    struct sp_buf text = {0};

    (void)state;
    /* Form before nesting, nesting before identifiers, identifiers before names. */
    assert_refused(nested(&text, "{'fugue_program':1,'body':[{'stmt':'no'}],'ret':%}", nots, 99),
                   "'no'");
    assert_refused(nested(&text, PROGRAM(LET("in", VAR("x")), "%"), nots, 99), "nests");
    assert_refused(PROGRAM(LET("a", VAR("x")) "," LET("in", INT("1")), INT("0")), "'in'");
    sp_buf_deinit(&text);
}

static void program_reads_and_writes_random_programs(void **state)
{
    struct json_gen g = {.state = 20260923};
    struct sp_buf text = {0};
    struct sp_buf put = {0};
    struct sp_err err;

    (void)state;
    for (int round = 0; round < 3000; round++) {
        struct program *p;
        struct program *again;

        sp_buf_clear(&text);
        sp_buf_clear(&put);
        programs_generate(&g, &text);
        if (programs_try_bytes(sp_buf_str(&text), &p, &err) != 0)
            fail_msg("%s: %s", err.text, sp_buf_cstr(&text));
        program_put(&put, p);
        assert_string_equal(sp_buf_cstr(&put), sp_buf_cstr(&text));
        assert_int_equal(programs_try_bytes(sp_buf_str(&put), &again, &err), 0);
        sp_buf_clear(&put);
        program_put(&put, again);
        assert_string_equal(sp_buf_cstr(&put), sp_buf_cstr(&text));
        program_free(p);
        program_free(again);
    }
    sp_buf_deinit(&text);
    sp_buf_deinit(&put);
}

static void program_frees_nothing(void **state)
{
    (void)state;
    program_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(program_gives_the_standard_program),
        cmocka_unit_test(program_knows_the_standard_program_however_it_is_spelled),
        cmocka_unit_test(program_writes_what_it_read),
        cmocka_unit_test(program_writes_numbers_and_members_as_a_writer_does),
        cmocka_unit_test(program_keeps_every_binary_operation),
        cmocka_unit_test(program_refuses_what_has_not_its_form),
        cmocka_unit_test(program_looks_at_the_version_first),
        cmocka_unit_test(program_counts_nesting_as_it_is_written),
        cmocka_unit_test(program_counts_no_level_that_is_not_written),
        cmocka_unit_test(program_refuses_names_that_are_no_identifiers),
        cmocka_unit_test(program_takes_every_identifier_and_any_address),
        cmocka_unit_test(program_refuses_names_that_are_not_bound),
        cmocka_unit_test(program_refuses_what_it_cannot_run),
        cmocka_unit_test(program_checks_in_the_order_of_the_specification),
        cmocka_unit_test(program_reads_and_writes_random_programs),
        cmocka_unit_test(program_frees_nothing),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
