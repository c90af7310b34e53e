/* Tests of flow/program_run.h: what a program computes, step by step without sites. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "programs.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define VAR     PROGRAMS_VAR
#define INT     PROGRAMS_INT
#define REAL    PROGRAMS_REAL
#define ONE     PROGRAMS_ONE
#define TWO     PROGRAMS_TWO
#define LET     PROGRAMS_LET
#define ASSIGN  PROGRAMS_ASSIGN
#define FOR     PROGRAMS_FOR
#define PROGRAM PROGRAMS_PROGRAM
#define SAMPLE  PROGRAMS_SAMPLE

#define MAX_INT INT("9223372036854775807")
#define MIN_INT INT("-9223372036854775808")
#define ARRAY   PROGRAMS_ARRAY(INT("1") "," REAL("2.5"))

/* Shows a value as a text that tells its type. */
static void show(struct sp_buf *b, struct program_value v)
{
    switch (v.type) {
    case PROGRAM_WHOLE:
        sp_buf_addf(b, "%lld", (long long)v.whole);
        break;
    case PROGRAM_REAL:
        if (isnan(v.real))
            sp_buf_addf(b, "nan");
        else
            sp_buf_addf(b, v.real == floor(v.real) ? "%.1f" : "%.17g", v.real);
        break;
    case PROGRAM_TRUTH:
        sp_buf_addf(b, v.truth ? "true" : "false");
        break;
    case PROGRAM_ARRAY:
        sp_buf_addf(b, "[");
        for (size_t i = 0; i < v.array.n; i++)
            sp_buf_addf(b, i > 0 ? " %g" : "%g", v.array.p[i]);
        sp_buf_addf(b, "]");
        break;
    }
}

/*
 * That a program ends with a value, and without anything going wrong unless the value begins with
 * '!'.
 */
static void assert_returns(const char *text, const char *want)
{
    struct sp_buf got = {0};
    struct programs_fixture f;

    programs_start(&f, text);
    programs_finish(&f);
    if (isinf(program_run_score(f.run)))
        sp_buf_add_char(&got, '!');
    show(&got, program_run_value(f.run));
    if (strcmp(sp_buf_cstr(&got), want) != 0)
        fail_msg("%s, not %s, is what %s gives", sp_buf_cstr(&got), want, text);
    sp_buf_deinit(&got);
    programs_stop(&f);
}

struct value_case {
    const char *expr;
    const char *want;
};

static void assert_values(const struct value_case *cases, size_t n)
{
    struct sp_buf text = {0};

    for (size_t i = 0; i < n; i++) {
        sp_buf_clear(&text);
        sp_buf_addf(&text, PROGRAM("", "%s"), cases[i].expr);
        assert_returns(sp_buf_cstr(&text), cases[i].want);
    }
    sp_buf_deinit(&text);
}

static void program_run_adds_subtracts_and_multiplies(void **state)
{
    static const struct value_case cases[] = {
        {TWO("add", INT("2"), INT("3")), "5"},
        {TWO("sub", INT("2"), INT("3")), "-1"},
        {TWO("mul", INT("2"), INT("3")), "6"},
        {TWO("add", INT("9007199254740993"), INT("1")), "9007199254740994"},
        {TWO("add", MAX_INT, INT("1")), "!nan"},
        {TWO("sub", MIN_INT, INT("1")), "!nan"},
        {TWO("mul", MIN_INT, INT("-1")), "!nan"},
        {TWO("add", MAX_INT, INT("0")), "9223372036854775807"},
        {TWO("add", INT("2"), REAL("3.0")), "5.0"},
        {TWO("sub", REAL("2.5"), INT("3")), "-0.5"},
        {TWO("mul", REAL("0.5"), REAL("3.0")), "1.5"},
        {TWO("add", MAX_INT, REAL("1.0")), "9223372036854775808.0"},
        {TWO("add", PROGRAMS_TRUE, PROGRAMS_TRUE), "2"},
        {TWO("mul", PROGRAMS_FALSE, INT("5")), "0"},
        {TWO("add", PROGRAMS_TRUE, REAL("0.5")), "1.5"},
        {TWO("add", ARRAY, INT("1")), "!nan"},
        {TWO("mul", INT("1"), ARRAY), "!nan"},
        {TWO("add", PROGRAMS_NAN, INT("1")), "nan"},
    };

    (void)state;
    assert_values(cases, N_OF(cases));
}

static void program_run_divides_as_reals(void **state)
{
    static const struct value_case cases[] = {
        {TWO("div", INT("6"), INT("3")), "2.0"},      {TWO("div", INT("1"), INT("2")), "0.5"},
        {TWO("div", PROGRAMS_TRUE, INT("2")), "0.5"}, {TWO("div", INT("1"), INT("0")), "inf"},
        {TWO("div", INT("-1"), INT("0")), "-inf"},    {TWO("div", INT("0"), INT("0")), "nan"},
        {TWO("div", ARRAY, INT("1")), "!nan"},
    };

    (void)state;
    assert_values(cases, N_OF(cases));
}

static void program_run_negates(void **state)
{
    static const struct value_case cases[] = {
        {ONE("neg", INT("5")), "-5"},
        {ONE("neg", REAL("2.5")), "-2.5"},
        {ONE("neg", REAL("0.0")), "-0.0"},
        {ONE("neg", PROGRAMS_TRUE), "-1"},
        {ONE("neg", MIN_INT), "!nan"},
        {ONE("neg", ARRAY), "!nan"},
        {ONE("neg", MAX_INT), "-9223372036854775807"},
    };

    (void)state;
    assert_values(cases, N_OF(cases));
}

static void program_run_compares(void **state)
{
    static const char *const ops[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    /* For each pair what the six say: t and f, or x for an error. */
    static const struct {
        const char *lhs;
        const char *rhs;
        const char *want;
    } cases[] = {
        {INT("1"), INT("2"), "ftttff"},
        {INT("2"), INT("2"), "tfftft"},
        {INT("3"), INT("2"), "ftfftt"},
        {INT("2"), REAL("2.0"), "tfftft"},
        {REAL("1.5"), INT("2"), "ftttff"},
        {PROGRAMS_FALSE, PROGRAMS_TRUE, "ftttff"},
        {PROGRAMS_TRUE, PROGRAMS_TRUE, "tfftft"},
        {PROGRAMS_TRUE, INT("1"), "tfftft"},
        {PROGRAMS_TRUE, REAL("0.5"), "ftfftt"},
        {INT("9007199254740993"), INT("9007199254740992"), "ftfftt"},
        {INT("9007199254740993"), REAL("9007199254740992.0"), "tfftft"},
        {PROGRAMS_NAN, INT("1"), "ftffff"},
        {PROGRAMS_NAN, PROGRAMS_NAN, "ftffff"},
        {REAL("0.0"), REAL("-0.0"), "tfftft"},
        {ARRAY, INT("1"), "xxxxxx"},
        {ARRAY, ARRAY, "xxxxxx"},
    };
    struct sp_buf text = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        for (size_t j = 0; j < N_OF(ops); j++) {
            char want = cases[i].want[j];

            sp_buf_clear(&text);
            sp_buf_addf(&text, PROGRAM("", "{'op':'%s','lhs':%s,'rhs':%s}"), ops[j], cases[i].lhs,
                        cases[i].rhs);
            assert_returns(sp_buf_cstr(&text), want == 't'   ? "true"
                                               : want == 'f' ? "false"
                                                             : "!nan");
        }
    }
    sp_buf_deinit(&text);
}

static void program_run_takes_numbers_for_truth_values(void **state)
{
    static const struct value_case cases[] = {
        {ONE("not", PROGRAMS_TRUE), "false"},
        {ONE("not", INT("0")), "true"},
        {ONE("not", INT("-3")), "false"},
        {ONE("not", REAL("-0.0")), "true"},
        {ONE("not", REAL("0.1")), "false"},
        {ONE("not", PROGRAMS_INF), "false"},
        {ONE("not", PROGRAMS_NAN), "!nan"},
        {ONE("not", ARRAY), "!nan"},
        {TWO("and", INT("2"), INT("3")), "true"},
        {TWO("and", INT("2"), INT("0")), "false"},
        {TWO("or", INT("0"), REAL("0.5")), "true"},
        {TWO("or", INT("0"), PROGRAMS_FALSE), "false"},
        {TWO("and", PROGRAMS_NAN, PROGRAMS_TRUE), "!nan"},
        {TWO("or", PROGRAMS_FALSE, PROGRAMS_NAN), "!nan"},
        {TWO("or", PROGRAMS_FALSE, ARRAY), "!nan"},
    };

    (void)state;
    assert_values(cases, N_OF(cases));
}

static void program_run_leaves_out_what_and_and_or_need_not_see(void **state)
{
    static const struct value_case cases[] = {
        {TWO("and", PROGRAMS_FALSE, PROGRAMS_NAN), "false"},
        {TWO("or", INT("7"), ARRAY), "true"},
        {TWO("and", PROGRAMS_TRUE, TWO("add", MAX_INT, INT("1"))), "!nan"},
        {TWO("and", INT("0"), TWO("add", MAX_INT, INT("1"))), "false"},
    };

    (void)state;
    assert_values(cases, N_OF(cases));
}

static void program_run_makes_and_reads_arrays(void **state)
{
    static const struct value_case cases[] = {
        {ARRAY, "[1 2.5]"},
        {PROGRAMS_ARRAY(""), "[]"},
        {PROGRAMS_ARRAY(PROGRAMS_TRUE), "!nan"},
        {PROGRAMS_ARRAY(ARRAY), "!nan"},
        {PROGRAMS_LEN(ARRAY), "2"},
        {PROGRAMS_LEN(PROGRAMS_ARRAY("")), "0"},
        {PROGRAMS_LEN(INT("1")), "!nan"},
        {PROGRAMS_AT(ARRAY, INT("0")), "1.0"},
        {PROGRAMS_AT(ARRAY, REAL("1.0")), "2.5"},
        {PROGRAMS_AT(ARRAY, REAL("-0.0")), "1.0"},
        {PROGRAMS_AT(ARRAY, REAL("0.5")), "!nan"},
        {PROGRAMS_AT(ARRAY, INT("2")), "!nan"},
        {PROGRAMS_AT(ARRAY, INT("-1")), "!nan"},
        {PROGRAMS_AT(ARRAY, PROGRAMS_TRUE), "!nan"},
        {PROGRAMS_AT(ARRAY, PROGRAMS_NAN), "!nan"},
        {PROGRAMS_AT(ARRAY, REAL("1e300")), "!nan"},
        {PROGRAMS_AT(INT("1"), INT("0")), "!nan"},
    };

    (void)state;
    assert_values(cases, N_OF(cases));
}

static void program_run_keeps_arrays_apart(void **state)
{
    (void)state;
    assert_returns(PROGRAM(LET("a", ARRAY) "," LET("b", VAR("a")) "," ASSIGN(
                               "a", PROGRAMS_ARRAY(INT("7") "," INT("8") "," INT("9"))),
                           VAR("b")),
                   "[1 2.5]");
    assert_returns(PROGRAM(LET("a", ARRAY) "," ASSIGN("a", VAR("a")), VAR("a")), "[1 2.5]");
    assert_returns(
        PROGRAM(LET("a", ARRAY) "," FOR(
                    "i", INT("0"), INT("3"),
                    ASSIGN("a", PROGRAMS_ARRAY(VAR("i") "," PROGRAMS_AT(VAR("a"), INT("0"))))),
                VAR("a")),
        "[2 1]");
    assert_returns(PROGRAM(LET("a", ARRAY) "," ASSIGN("a", INT("3")), VAR("a")), "3");
}

static void program_run_sees_its_data(void **state)
{
    (void)state;
    assert_returns(PROGRAM("", VAR("call")), "1");
    assert_returns(PROGRAM("", VAR("call_failed")), "false");
    assert_returns(PROGRAM("", VAR("max_lookups")), "8");
}

static void program_run_binds_by_scope(void **state)
{
    (void)state;
    /* A shadow ends with its block. */
    assert_returns(
        PROGRAM(LET("x", INT("1")) "," PROGRAMS_IF(INT("1"), LET("x", INT("2"))), VAR("x")), "1");
    /* Its own expression sees the outer binding. */
    assert_returns(
        PROGRAM(LET("x", INT("1")) "," LET("x", TWO("add", VAR("x"), INT("1"))), VAR("x")), "2");
    /* An assignment outlives the block it stands in, and changes what its name refers to. */
    assert_returns(
        PROGRAM(LET("x", INT("1")) "," PROGRAMS_IF(INT("1"), ASSIGN("x", INT("2"))), VAR("x")),
        "2");
    assert_returns(PROGRAM(LET("x", INT("1")) "," PROGRAMS_IF(
                               INT("1"), LET("x", INT("2")) "," ASSIGN("x", INT("3"))),
                           VAR("x")),
                   "1");
    /* The data are bound outside: they may be shadowed and assigned. */
    assert_returns(PROGRAM(ASSIGN("call", INT("5")), VAR("call")), "5");
    assert_returns(PROGRAM(PROGRAMS_IF(INT("1"), LET("call", INT("5"))), VAR("call")), "1");
    /* A loop's variable hides another, and so may a sample's. */
    assert_returns(PROGRAM(LET("i", INT("7")) "," FOR("i", INT("0"), INT("3"), ""), VAR("i")), "7");
    assert_returns(
        PROGRAM(SAMPLE("call", PROGRAMS_ADDR("d"), PROGRAMS_OUTCOME(VAR("call"))), VAR("call")),
        "false");
}

/* Counts the turns of a loop. */
#define TURNS(from, to)                                                                         \
    PROGRAM(                                                                                    \
        LET("n", INT("0")) "," FOR("i", from, to, ASSIGN("n", TWO("add", VAR("n"), INT("1")))), \
        VAR("n"))

static void program_run_loops(void **state)
{
    (void)state;
    assert_returns(TURNS(INT("0"), INT("3")), "3");
    assert_returns(TURNS(INT("-2"), REAL("2.0")), "4");
    assert_returns(TURNS(INT("3"), INT("3")), "0");
    assert_returns(TURNS(INT("4"), INT("3")), "0");
    assert_returns(TURNS(PROGRAMS_FALSE, PROGRAMS_TRUE), "1");
    assert_returns(TURNS(INT("9223372036854775805"), MAX_INT), "2");
    assert_returns(TURNS(REAL("0.5"), INT("3")), "!0");
    assert_returns(TURNS(INT("0"), PROGRAMS_NAN), "!0");
    assert_returns(TURNS(INT("0"), PROGRAMS_INF), "!0");
    assert_returns(TURNS(INT("0"), REAL("1e19")), "!0");
    assert_returns(TURNS(INT("0"), REAL("9223372036854775808.0")), "!0");
    assert_returns(TURNS(REAL("-9223372036854775808.0"), TWO("add", MIN_INT, INT("1"))), "1");
    assert_returns(TURNS(INT("0"), ARRAY), "!0");
}

static void program_run_evaluates_bounds_once(void **state)
{
    (void)state;
    assert_returns(PROGRAM(LET("n", INT("2")) "," FOR("i", INT("0"), VAR("n"),
                                                      ASSIGN("n", TWO("add", VAR("n"), INT("1")))),
                           VAR("n")),
                   "4");
    /* An assignment to the loop's variable lasts for the turn. */
    assert_returns(
        PROGRAM(LET("n", INT("0")) "," FOR("i", INT("0"), INT("3"),
                                           ASSIGN("i", TWO("mul", VAR("i"), INT("10"))) "," ASSIGN(
                                               "n", TWO("add", VAR("n"), VAR("i")))),
                VAR("n")),
        "30");
}

static void program_run_breaks_the_innermost_loop(void **state)
{
    (void)state;
    assert_returns(
        PROGRAM(
            LET("n", INT("0")) "," FOR(
                "i", INT("0"), INT("3"),
                FOR("j", INT("0"), INT("9"),
                    PROGRAMS_IF(
                        TWO("eq", VAR("j"), INT("2")),
                        PROGRAMS_IF(INT("1"), PROGRAMS_BREAK)) "," ASSIGN("n", TWO("add", VAR("n"),
                                                                                   INT("1"))))),
            VAR("n")),
        "6");
}

static void program_run_branches(void **state)
{
    (void)state;
    assert_returns(PROGRAM(LET("x", INT("0")) "," PROGRAMS_IF_ELSE(INT("2"), ASSIGN("x", INT("1")),
                                                                   ASSIGN("x", INT("2"))),
                           VAR("x")),
                   "1");
    assert_returns(PROGRAM(LET("x", INT("0")) "," PROGRAMS_IF_ELSE(
                               REAL("0.0"), ASSIGN("x", INT("1")), ASSIGN("x", INT("2"))),
                           VAR("x")),
                   "2");
    assert_returns(
        PROGRAM(LET("x", INT("0")) "," PROGRAMS_IF(INT("0"), ASSIGN("x", INT("1"))), VAR("x")),
        "0");
    assert_returns(PROGRAM(LET("x", INT("0")) "," PROGRAMS_IF_ELSE(
                               PROGRAMS_NAN, ASSIGN("x", INT("1")), ASSIGN("x", INT("2"))),
                           VAR("x")),
                   "!0");
}

static void program_run_goes_on_after_errors(void **state)
{
    (void)state;
    assert_returns(PROGRAM(LET("x", TWO("add", MAX_INT, INT("1"))), VAR("x")), "!nan");
    assert_returns(PROGRAM(LET("x", INT("1")) "," ASSIGN("x", PROGRAMS_LEN(INT("1"))), VAR("x")),
                   "!nan");
    assert_returns(PROGRAM(PROGRAMS_FACTOR(ARRAY), INT("1")), "!1");
    assert_returns(PROGRAM(PROGRAMS_FACTOR(PROGRAMS_NAN), INT("1")), "!1");
    assert_returns(PROGRAM(PROGRAMS_OBSERVE(PROGRAMS_ADDR_AT("o", ARRAY),
                                            PROGRAMS_OUTCOME(INT("1")), INT("1")),
                           INT("1")),
                   "!1");
    assert_returns(
        PROGRAM(PROGRAMS_OBSERVE(PROGRAMS_ADDR("o"), PROGRAMS_OUTCOME(INT("9")), INT("1")),
                INT("1")),
        "!1");
    assert_returns(
        PROGRAM(PROGRAMS_OBSERVE(PROGRAMS_ADDR("o"), PROGRAMS_OUTCOME(INT("1")), ARRAY), INT("1")),
        "!1");
}

static void program_run_draws_0_or_false_where_it_cannot_draw(void **state)
{
    (void)state;
    assert_returns(
        PROGRAM(SAMPLE("o", PROGRAMS_ADDR_AT("o", ARRAY), PROGRAMS_OUTCOME(INT("1"))), VAR("o")),
        "!false");
    assert_returns(PROGRAM(SAMPLE("d", PROGRAMS_ADDR_AT("d", TWO("add", MAX_INT, INT("1"))),
                                  PROGRAMS_DECIDE(INT("1"), INT("0"))),
                           VAR("d")),
                   "!0");
}

static void program_run_makes_addresses(void **state)
{
    static const struct {
        const char *addr;
        const char *want;
    } cases[] = {
        {PROGRAMS_ADDR("a"), "a"},
        {PROGRAMS_ADDR(""), ""},
        {PROGRAMS_ADDR_AT("decide", INT("0")), "decide#0"},
        {PROGRAMS_ADDR_AT("a", INT("-7")), "a#-7"},
        {PROGRAMS_ADDR_AT("a", MIN_INT), "a#-9223372036854775808"},
        {PROGRAMS_ADDR_AT("a", REAL("3.0")), "a#3"},
        {PROGRAMS_ADDR_AT("a", REAL("-0.0")), "a#-0"},
        {PROGRAMS_ADDR_AT("a", REAL("0.1")), "a#0.1"},
        {PROGRAMS_ADDR_AT("a", PROGRAMS_TRUE), "a#true"},
        {PROGRAMS_ADDR_AT("a", PROGRAMS_FALSE), "a#false"},
        {PROGRAMS_ADDR("a#b\\\\c"), "a\\#b\\\\c"},
        {PROGRAMS_ADDR_AT("#", INT("1")), "\\##1"},
    };
    struct sp_buf text = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct programs_fixture f;
        struct sp_str got;

        sp_buf_clear(&text);
        sp_buf_addf(
            &text,
            PROGRAM("{'stmt':'sample','var':'o','addr':%s,'dist':" PROGRAMS_OUTCOME(INT("1")) "}",
                    INT("0")),
            cases[i].addr);
        programs_start(&f, sp_buf_cstr(&text));
        assert_int_equal(program_run_step(f.run), PROGRAM_OUTCOME);
        got = program_run_stop(f.run)->address;
        assert_int_equal(got.len, strlen(cases[i].want));
        assert_memory_equal(got.p, cases[i].want, got.len);
        programs_stop(&f);
    }
    sp_buf_deinit(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(program_run_adds_subtracts_and_multiplies),
        cmocka_unit_test(program_run_divides_as_reals),
        cmocka_unit_test(program_run_negates),
        cmocka_unit_test(program_run_compares),
        cmocka_unit_test(program_run_takes_numbers_for_truth_values),
        cmocka_unit_test(program_run_leaves_out_what_and_and_or_need_not_see),
        cmocka_unit_test(program_run_makes_and_reads_arrays),
        cmocka_unit_test(program_run_keeps_arrays_apart),
        cmocka_unit_test(program_run_sees_its_data),
        cmocka_unit_test(program_run_binds_by_scope),
        cmocka_unit_test(program_run_loops),
        cmocka_unit_test(program_run_evaluates_bounds_once),
        cmocka_unit_test(program_run_breaks_the_innermost_loop),
        cmocka_unit_test(program_run_branches),
        cmocka_unit_test(program_run_goes_on_after_errors),
        cmocka_unit_test(program_run_makes_addresses),
        cmocka_unit_test(program_run_draws_0_or_false_where_it_cannot_draw),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
