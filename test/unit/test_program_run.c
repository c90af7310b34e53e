/* Tests of flow/program_run.h: what programs do, the distributions, and executing a run. */

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

static void assert_near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-12) && got != want)
        fail_msg("%.17g is not %.17g", got, want);
}

static void assert_stops(struct programs_fixture *f, enum program_event event, const char *address)
{
    struct sp_str got;

    assert_int_equal(program_run_step(f->run), event);
    got = program_run_stop(f->run)->address;
    assert_int_equal(got.len, strlen(address));
    assert_memory_equal(got.p, address, got.len);
}

/* That the run is over and its record is `want`. */
static void assert_ends(struct programs_fixture *f, const char *want)
{
    struct sp_buf got = {0};
    struct sp_buf text = {0};

    assert_int_equal(program_run_step(f->run), PROGRAM_END);
    assert_false(program_run_is_cut(f->run));
    program_record_put(&got, program_run_record(f->run));
    programs_text(&text, want);
    assert_string_equal(sp_buf_cstr(&got), sp_buf_cstr(&text));
    sp_buf_deinit(&got);
    sp_buf_deinit(&text);
}

static void program_run_starts_from_its_data(void **state)
{
    const struct program_data data = {SP_STR("get_ticket"), 2, true, INT64_MAX};
    struct programs_fixture f;

    (void)state;
    programs_start_with(&f, PROGRAM("", VAR("call_failed")), &data);
    assert_ends(&f, "{'call':'get_ticket','failed':true,'max_lookups':9223372036854775807,"
                    "'sites':[],'surprise':0.0}");
    assert_true(program_run_value(f.run).truth);
    programs_stop(&f);
}

static void program_run_keeps_errors_out_of_the_surprise(void **state)
{
    struct programs_fixture f;

    (void)state;
    programs_start(&f, PROGRAM(PROGRAMS_FACTOR(ARRAY) "," PROGRAMS_FACTOR(REAL("-3.5")) "," SAMPLE(
                                   "o", PROGRAMS_ADDR("o"), PROGRAMS_OUTCOME(INT("1"))),
                               ONE("not", ARRAY)));
    assert_stops(&f, PROGRAM_OUTCOME, "o");
    program_run_give(f.run, 1);
    assert_int_equal(program_run_step(f.run), PROGRAM_END);
    assert_near(program_run_record(f.run)->surprise, log(1.5));
    assert_true(isinf(program_run_score(f.run)));
    programs_stop(&f);
}

static void program_run_adds_factors_and_observations(void **state)
{
    struct programs_fixture f;

    (void)state;
    programs_start(
        &f,
        PROGRAM(
            PROGRAMS_FACTOR(REAL("-3.5")) "," PROGRAMS_FACTOR(PROGRAMS_TRUE) "," PROGRAMS_OBSERVE(
                PROGRAMS_ADDR("a"), PROGRAMS_OUTCOME(INT("1")),
                PROGRAMS_TRUE) "," PROGRAMS_OBSERVE(PROGRAMS_ADDR("b"), PROGRAMS_OUTCOME(INT("2")),
                                                    REAL(
                                                        "0.0")) "," PROGRAMS_OBSERVE(PROGRAMS_ADDR("c"),
                                                                                     PROGRAMS_DECIDE(
                                                                                         INT("1"),
                                                                                         INT("0")),
                                                                                     INT("2")),
            INT("0")));
    programs_finish(&f);
    assert_int_equal(program_run_record(f.run)->n_sites, 0);
    assert_near(program_run_record(f.run)->surprise, -log(2.0 / 3) - log(1.0 / 6) - log(0.8));
    assert_near(program_run_score(f.run), -2.5 + log(2.0 / 3) + log(1.0 / 6) + log(0.8));
    programs_stop(&f);
}

static void program_run_is_infinitely_surprised_by_the_impossible(void **state)
{
    static const char *const values[] = {INT("1"), INT("3"), INT("9223372036854775807")};
    struct sp_buf text = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(values); i++) {
        struct programs_fixture f;

        sp_buf_clear(&text);
        sp_buf_addf(&text,
                    PROGRAM("{'stmt':'observe','addr':{'name':'c'},'dist':" PROGRAMS_DECIDE(
                                INT("1"), INT("0")) ",'value':%s}",
                            INT("0")),
                    values[i]);
        programs_start(&f, sp_buf_cstr(&text));
        assert_ends(&f, "{'call':'find_tickets','failed':false,'max_lookups':8,'sites':[],"
                        "'surprise':null}");
        programs_stop(&f);
    }
    sp_buf_deinit(&text);
}

static void program_run_keeps_the_site_of_a_distribution_that_fails(void **state)
{
    static const char *const args[] = {
        INT("-1"), INT("3"), REAL("0.5"),   PROGRAMS_NAN,
        ARRAY,     MAX_INT,  REAL("1e300"), TWO("add", MAX_INT, INT("1"))};
    struct sp_buf text = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(args); i++) {
        struct programs_fixture f;

        sp_buf_clear(&text);
        sp_buf_addf(
            &text,
            PROGRAM("{'stmt':'sample','var':'d','addr':{'name':'d'},'dist':{'name':'Decide',"
                    "'args':[%s," INT(
                        "0") "]}},"
                             "{'stmt':'sample','var':'o','addr':{'name':'o'},'dist':{'name':"
                             "'Outcome','args':[%s]}}",
                    INT("0")),
            args[i], args[i]);
        programs_start(&f, sp_buf_cstr(&text));
        assert_ends(&f, "{'call':'find_tickets','failed':false,'max_lookups':8,"
                        "'sites':[['d',0,0.0],['o',false,0.0]],'surprise':0.0}");
        assert_true(isinf(program_run_score(f.run)));
        programs_stop(&f);
    }
    sp_buf_deinit(&text);
}

static void program_run_takes_reals_and_booleans_for_tools(void **state)
{
    struct programs_fixture f;

    (void)state;
    programs_start(
        &f,
        PROGRAM(
            SAMPLE("d", PROGRAMS_ADDR("d"), PROGRAMS_DECIDE(REAL("2.0"), REAL("0.5"))) "," SAMPLE(
                "e", PROGRAMS_ADDR("e"), PROGRAMS_DECIDE(PROGRAMS_TRUE, INT("0"))),
            INT("0")));
    assert_stops(&f, PROGRAM_DECIDE, "d");
    assert_int_equal(program_run_stop(f.run)->tool, 2);
    assert_true(program_run_stop(f.run)->failed);
    assert_int_equal(program_run_stop(f.run)->n_options, 3);
    program_run_give(f.run, 0);
    assert_stops(&f, PROGRAM_DECIDE, "e");
    assert_int_equal(program_run_stop(f.run)->tool, 1);
    assert_false(program_run_stop(f.run)->failed);
    programs_stop(&f);
}

/* The probabilities of a decision's options, or of an outcome's false and true. */
static void assert_chances(const char *dist, uint64_t number, const double *want, size_t n)
{
    const struct program_data data = {SP_STR("t"), number, false, 8};
    struct sp_buf text = {0};
    struct programs_fixture f;

    sp_buf_addf(&text,
                PROGRAM("{'stmt':'sample','var':'x','addr':{'name':'x'},'dist':%s}", INT("0")),
                dist);
    programs_start_with(&f, sp_buf_cstr(&text), &data);
    assert_int_not_equal(program_run_step(f.run), PROGRAM_END);
    assert_int_equal(program_run_stop(f.run)->n_options, n);
    for (size_t i = 0; i < n; i++)
        assert_near(program_run_chance(f.run, (int64_t)i), want[i]);
    assert_near(program_run_chance(f.run, (int64_t)n), 0);
    assert_near(program_run_chance(f.run, -1), 0);
    programs_stop(&f);
    sp_buf_deinit(&text);
}

static void program_run_has_the_distributions_of_the_example(void **state)
{
    static const double after_1[] = {0.2, 0, 0.8};
    static const double after_2[] = {4.0 / 6, 0, 2.0 / 6};
    static const double hand_back[] = {1, 0, 0};
    static const double outcome_1[] = {1.0 / 3, 2.0 / 3};
    static const double outcome_2[] = {1.0 / 6, 5.0 / 6};
    static const double outcome_0[] = {0.5, 0.5};

    (void)state;
    assert_chances(PROGRAMS_DECIDE(INT("1"), PROGRAMS_FALSE), 1, after_1, 3);
    assert_chances(PROGRAMS_DECIDE(INT("2"), PROGRAMS_FALSE), 1, after_2, 3);
    assert_chances(PROGRAMS_DECIDE(INT("1"), PROGRAMS_TRUE), 1, hand_back, 3);
    assert_chances(PROGRAMS_DECIDE(INT("2"), PROGRAMS_TRUE), 1, hand_back, 3);
    assert_chances(PROGRAMS_DECIDE(INT("3"), PROGRAMS_FALSE), 3, hand_back, 3);
    assert_chances(PROGRAMS_OUTCOME(INT("1")), 1, outcome_1, 2);
    assert_chances(PROGRAMS_OUTCOME(INT("2")), 1, outcome_2, 2);
    assert_chances(PROGRAMS_OUTCOME(INT("0")), 1, outcome_0, 2);
    assert_chances(PROGRAMS_OUTCOME(INT("3")), 3, outcome_0, 2);
}

/* What a run says of a decision and an outcome after tool 1, under changed counts. */
static void assert_counts(struct programs_flow *flow, const double *decide, double p_true)
{
    const struct program_data data = {SP_STR("t"), 1, false, 8};
    struct program *p = program_standard();
    struct program_run *run = program_run_new(p, &flow->model, &data, PROGRAM_EXECUTE);

    assert_int_equal(program_run_step(run), PROGRAM_DECIDE);
    for (int64_t i = 0; i < 3; i++)
        assert_near(program_run_chance(run, i), decide[i]);
    program_run_give(run, 1);
    assert_int_equal(program_run_step(run), PROGRAM_OUTCOME);
    assert_near(program_run_chance(run, 1), p_true);
    program_run_free(run);
    program_free(p);
}

static void program_run_rounds_counts_and_never_below_zero(void **state)
{
    static const double rounded[] = {2.0 / 6, 0, 4.0 / 6}; /* 1.4 and 2.5 */
    static const double none[] = {1.0 / 7, 0, 6.0 / 7};    /* fewer in all than went to a lookup */
    struct programs_flow flow;

    (void)state;
    programs_tickets(&flow);
    flow.total[1][false] = 3.9;
    flow.count[1][false][2] = 2.5;
    flow.total[1][true] = 1.49;
    assert_counts(&flow, rounded, 5.0 / 7); /* 4 and 1 */
    flow.count[1][false][2] = 5;
    assert_counts(&flow, none, 5.0 / 7);
}

static void program_run_has_no_distribution_of_endless_counts(void **state)
{
    const struct program_data data = {SP_STR("t"), 1, false, 1};
    struct programs_flow flow;
    struct program *p = program_standard();
    struct program_run *run;

    (void)state;
    programs_tickets(&flow);
    flow.offers[1][false][1] = true;
    flow.count[1][false][1] = 1.7e308;
    flow.count[1][false][2] = 1.7e308;
    run = program_run_new(p, &flow.model, &data, PROGRAM_EXECUTE);
    assert_int_equal(program_run_step(run), PROGRAM_END);
    assert_int_equal(program_run_record(run)->n_sites, 1);
    program_run_free(run);
    program_free(p);
}

static void program_run_executes_the_example(void **state)
{
    struct programs_fixture f;

    (void)state;
    programs_start(&f, NULL);
    assert_stops(&f, PROGRAM_DECIDE, "decide#0");
    assert_int_equal(program_run_stop(f.run)->tool, 1);
    program_run_give(f.run, 2);
    assert_stops(&f, PROGRAM_OUTCOME, "outcome#0");
    assert_int_equal(program_run_stop(f.run)->tool, 2);
    program_run_give(f.run, 1);
    assert_stops(&f, PROGRAM_DECIDE, "decide#1");
    program_run_give(f.run, 0);
    assert_ends(&f, "{'call':'find_tickets','failed':false,'max_lookups':8,'sites':["
                    "['decide#0',2,0.0],['outcome#0',true,-0.1823215567939546],['decide#1',0,0.0]],"
                    "'surprise':0.1823215567939546}");
    assert_int_equal(program_run_value(f.run).whole, 2);
    programs_stop(&f);
}

static void program_run_executes_a_lookup_that_fails(void **state)
{
    const struct program_record *r;
    struct programs_fixture f;

    (void)state;
    programs_start(&f, NULL);
    assert_stops(&f, PROGRAM_DECIDE, "decide#0");
    program_run_give(f.run, 2);
    assert_stops(&f, PROGRAM_OUTCOME, "outcome#0");
    program_run_give(f.run, 0);
    assert_stops(&f, PROGRAM_DECIDE, "decide#1");
    assert_int_equal(program_run_stop(f.run)->tool, 2);
    assert_true(program_run_stop(f.run)->failed);
    program_run_give(f.run, 0);
    assert_int_equal(program_run_step(f.run), PROGRAM_END);
    r = program_run_record(f.run);
    assert_near(r->sites[1].logp, -1.791759469228055);
    assert_near(r->surprise, 1.791759469228055);
    programs_stop(&f);
}

static void program_run_executes_handing_back(void **state)
{
    const struct program_data none = {SP_STR("find_tickets"), 1, false, 0};
    const struct program_data unknown = {SP_STR("?"), 3, true, 8};
    struct programs_fixture f;

    (void)state;
    programs_start(&f, NULL);
    assert_stops(&f, PROGRAM_DECIDE, "decide#0");
    program_run_give(f.run, 0);
    assert_ends(&f, "{'call':'find_tickets','failed':false,'max_lookups':8,"
                    "'sites':[['decide#0',0,0.0]],'surprise':0.0}");
    programs_stop(&f);
    programs_start_with(&f, NULL, &none);
    assert_ends(&f, "{'call':'find_tickets','failed':false,'max_lookups':0,'sites':[],"
                    "'surprise':0.0}");
    programs_stop(&f);
    programs_start_with(&f, NULL, &unknown);
    assert_stops(&f, PROGRAM_DECIDE, "decide#0");
    assert_int_equal(program_run_stop(f.run)->tool, 3);
    assert_true(program_run_stop(f.run)->failed);
    programs_stop(&f);
}

static void program_run_executes_the_run_at_the_desk(void **state)
{
    static const int64_t values[] = {2, 1, 3, 0, 0};
    const struct program_data data = {SP_STR("find_customer"), 1, false, 8};
    struct programs_flow flow;
    struct program *p = program_standard();
    const struct program_record *r;
    struct program_run *run;

    (void)state;
    programs_desk(&flow);
    run = program_run_new(p, &flow.model, &data, PROGRAM_EXECUTE);
    for (size_t i = 0; i < N_OF(values); i++) {
        assert_int_not_equal(program_run_step(run), PROGRAM_END);
        program_run_give(run, values[i]);
    }
    assert_int_equal(program_run_step(run), PROGRAM_END);
    r = program_run_record(run);
    assert_int_equal(r->n_sites, 5);
    assert_near(r->sites[1].logp, -0.10536051565782628);
    assert_near(r->sites[3].logp, -2.302585092994046);
    assert_near(r->surprise, 2.4079456086518722);
    program_run_free(run);

    run = program_run_new(p, &flow.model, &data, PROGRAM_EXECUTE);
    for (size_t i = 0; i < N_OF(values); i++) {
        (void)program_run_step(run); /* as above */
        program_run_give(run, i == 3 ? 1 : values[i]);
    }
    assert_int_equal(program_run_step(run), PROGRAM_END);
    assert_near(program_run_record(run)->surprise, 0.21072103131565256);
    program_run_free(run);
    program_free(p);
}

/* The standard program, but for ending after a lookup that failed. */
static void program_run_executes_another_program(void **state)
{
    struct programs_fixture f;

    (void)state;
    programs_start(
        &f,
        PROGRAM(
            LET("prev", VAR("call")) "," LET("failed", VAR("call_failed")) "," FOR(
                "i", INT("0"), VAR("max_lookups"),
                SAMPLE("d", PROGRAMS_ADDR_AT("decide", VAR("i")), PROGRAMS_DECIDE(VAR("prev"), VAR("failed"))) "," PROGRAMS_IF(
                    TWO("eq", VAR("d"), INT("0")),
                    PROGRAMS_BREAK) "," SAMPLE("ok", PROGRAMS_ADDR_AT("outcome", VAR("i")),
                                               PROGRAMS_OUTCOME(VAR(
                                                   "d"))) "," PROGRAMS_IF(ONE("not", VAR("ok")),
                                                                          PROGRAMS_BREAK) "," ASSIGN("prev",
                                                                                                     VAR("d")) "," ASSIGN("failed",
                                                                                                                          ONE("not",
                                                                                                                              VAR("ok")))),
            VAR("prev")));
    assert_stops(&f, PROGRAM_DECIDE, "decide#0");
    program_run_give(f.run, 2);
    assert_stops(&f, PROGRAM_OUTCOME, "outcome#0");
    program_run_give(f.run, 0);
    assert_int_equal(program_run_step(f.run), PROGRAM_END);
    assert_int_equal(program_run_record(f.run)->n_sites, 2);
    programs_stop(&f);
}

static void program_run_lists_a_site_once_as_last_sampled(void **state)
{
    struct programs_fixture f;

    (void)state;
    programs_start(&f, PROGRAM(FOR("i", INT("0"), INT("2"),
                                   SAMPLE("o", PROGRAMS_ADDR("x"), PROGRAMS_OUTCOME(INT("2")))),
                               INT("0")));
    assert_stops(&f, PROGRAM_OUTCOME, "x");
    program_run_give(f.run, 0);
    assert_stops(&f, PROGRAM_OUTCOME, "x");
    program_run_give(f.run, 1);
    assert_int_equal(program_run_step(f.run), PROGRAM_END);
    assert_int_equal(program_run_record(f.run)->n_sites, 1);
    assert_int_equal(program_run_record(f.run)->sites[0].value, 1);
    assert_near(program_run_record(f.run)->sites[0].logp, log(5.0 / 6));
    assert_near(program_run_record(f.run)->surprise, -log(5.0 / 6) - log(1.0 / 6));
    programs_stop(&f);
}

static void program_run_waits_at_a_site(void **state)
{
    struct programs_fixture f;

    (void)state;
    programs_start(&f, NULL);
    assert_stops(&f, PROGRAM_DECIDE, "decide#0");
    assert_stops(&f, PROGRAM_DECIDE, "decide#0");
    program_run_give(f.run, 0);
    assert_int_equal(program_run_step(f.run), PROGRAM_END);
    assert_int_equal(program_run_step(f.run), PROGRAM_END);
    programs_stop(&f);
    program_run_free(NULL);
}

/* That a run is ended by a limit; answers its sites. */
static void assert_cut(const char *text)
{
    struct programs_fixture f;

    programs_start(&f, text);
    programs_finish(&f);
    assert_true(program_run_is_cut(f.run));
    assert_true(isnan(program_run_value(f.run).real));
    assert_true(program_run_record(f.run)->n_sites <= PROGRAM_MAX_WORK / 1000);
    programs_stop(&f);
}

/* That it is not. */
static void assert_uncut(const char *text)
{
    struct programs_fixture f;

    programs_start(&f, text);
    programs_finish(&f);
    assert_false(program_run_is_cut(f.run));
    programs_stop(&f);
}

/* Statements that draw at a site, lose its address, only observe, or have no distribution. */
#define SITE SAMPLE("o", PROGRAMS_ADDR("x"), PROGRAMS_OUTCOME(INT("1")))
#define LOST SAMPLE("o", PROGRAMS_ADDR_AT("x", ARRAY), PROGRAMS_OUTCOME(INT("1")))
#define SEEN PROGRAMS_OBSERVE(PROGRAMS_ADDR("x"), PROGRAMS_OUTCOME(INT("1")), INT("1"))
#define VOID SAMPLE("o", PROGRAMS_ADDR("x"), PROGRAMS_OUTCOME(INT("99")))

/* A loop of so many statements. */
#define BUSY(turns) FOR("i", INT("0"), INT(turns), ASSIGN("n", VAR("i")))

static void program_run_ends_after_a_million_statements(void **state)
{
    (void)state;
    /* A let, a for and 999998 assignments are a million. */
    assert_uncut(PROGRAM(LET("n", INT("0")) "," BUSY("999998"), INT("0")));
    assert_cut(PROGRAM(LET("n", INT("0")) "," BUSY("999999"), INT("0")));
    assert_cut(PROGRAM(FOR("i", INT("0"), MAX_INT, FOR("j", INT("0"), INT("0"), "")), INT("0")));
    assert_uncut(PROGRAM(FOR("i", INT("0"), INT("1000001"), ""), INT("0")));
}

static void program_run_counts_statements_anew_from_a_site(void **state)
{
    (void)state;
    assert_uncut(
        PROGRAM(LET("n", INT("0")) "," BUSY("900000") "," SITE "," BUSY("900000"), INT("0")));
    assert_uncut(
        PROGRAM(LET("n", INT("0")) "," BUSY("900000") "," VOID "," BUSY("900000"), INT("0")));
    assert_cut(
        PROGRAM(LET("n", INT("0")) "," BUSY("900000") "," LOST "," BUSY("900000"), INT("0")));
    assert_cut(
        PROGRAM(LET("n", INT("0")) "," BUSY("900000") "," SEEN "," BUSY("900000"), INT("0")));
}

static void program_run_ends_however_it_keeps_busy(void **state)
{
    struct sp_buf text = {0};

    (void)state;
    assert_cut(
        PROGRAM(FOR("i", INT("0"), MAX_INT,
                    SAMPLE("o", PROGRAMS_ADDR_AT("x", VAR("i")), PROGRAMS_OUTCOME(INT("1")))),
                INT("0")));
    assert_cut(PROGRAM(FOR("i", INT("0"), MAX_INT, VOID), INT("0")));
    assert_cut(PROGRAM(FOR("i", INT("0"), MAX_INT, ""), INT("0")));

    sp_buf_addf(&text, "{'fugue_program':1,'body':[{'stmt':'let','var':'a','value':{'op':'array',"
                       "'items':[{'op':'int','value':1}");
    for (int i = 0; i < 20000; i++)
        sp_buf_addf(&text, ",{'op':'int','value':1}");
    sp_buf_addf(&text, "]}},%s],'ret':{'op':'int','value':0}}",
                FOR("i", INT("0"), INT("900000"), LET("b", VAR("a"))));
    assert_cut(sp_buf_cstr(&text));
    sp_buf_deinit(&text);
}

static void program_run_may_be_freed_at_any_time(void **state)
{
    struct programs_fixture f;

    (void)state;
    programs_start(&f, NULL);
    programs_stop(&f);
    programs_start(&f, PROGRAM(LET("a", ARRAY) "," SITE, INT("0")));
    assert_stops(&f, PROGRAM_OUTCOME, "x");
    programs_stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(program_run_starts_from_its_data),
        cmocka_unit_test(program_run_keeps_errors_out_of_the_surprise),
        cmocka_unit_test(program_run_adds_factors_and_observations),
        cmocka_unit_test(program_run_is_infinitely_surprised_by_the_impossible),
        cmocka_unit_test(program_run_keeps_the_site_of_a_distribution_that_fails),
        cmocka_unit_test(program_run_takes_reals_and_booleans_for_tools),
        cmocka_unit_test(program_run_has_the_distributions_of_the_example),
        cmocka_unit_test(program_run_rounds_counts_and_never_below_zero),
        cmocka_unit_test(program_run_has_no_distribution_of_endless_counts),
        cmocka_unit_test(program_run_executes_the_example),
        cmocka_unit_test(program_run_executes_a_lookup_that_fails),
        cmocka_unit_test(program_run_executes_handing_back),
        cmocka_unit_test(program_run_executes_the_run_at_the_desk),
        cmocka_unit_test(program_run_executes_another_program),
        cmocka_unit_test(program_run_lists_a_site_once_as_last_sampled),
        cmocka_unit_test(program_run_waits_at_a_site),
        cmocka_unit_test(program_run_ends_after_a_million_statements),
        cmocka_unit_test(program_run_counts_statements_anew_from_a_site),
        cmocka_unit_test(program_run_ends_however_it_keeps_busy),
        cmocka_unit_test(program_run_may_be_freed_at_any_time),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
