/* Tests of flow/program_score.h and flow/program_record.h: records, drawn runs, scores. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sp_map.h"
#include "flow/program_score.h"
#include "json/jscan.h"
#include "programs.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define VAR     PROGRAMS_VAR
#define INT     PROGRAMS_INT
#define PROGRAM PROGRAMS_PROGRAM

/* The standard program's run of the chapter's example. */
#define EXAMPLE                                                                          \
    "{'call':'find_tickets','failed':false,'max_lookups':8,'sites':[['decide#0',2,0.0]," \
    "['outcome#0',true,-0.1823215567939546],['decide#1',0,0.0]],'surprise':0.1823215567939546}"

static void assert_near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-9) && got != want)
        fail_msg("%.17g is not %.17g", got, want);
}

/* Reads a record from a text with ' for "; what program_record_read() returns. */
static int read_record(struct sp_arena *arena, const char *text, struct program_record *ret,
                       struct sp_err *ret_err)
{
    struct sp_buf b = {0};
    struct jscan scan;
    int rc;

    programs_text(&b, text);
    assert_true(jscan(sp_buf_str(&b), JSCAN_MAX_DEPTH, &scan));
    rc = program_record_read(arena, scan.value, ret, ret_err);
    sp_buf_deinit(&b);
    return rc;
}

static double score_with(const char *program, uint64_t number, const char *text)
{
    struct program *p = program != NULL ? programs_parse(program) : program_standard();
    struct programs_flow flow;
    struct program_record r;
    struct sp_arena arena = {0};
    struct sp_err err;
    double score;

    programs_tickets(&flow);
    if (read_record(&arena, text, &r, &err) != 0)
        fail_msg("%s", err.text);
    score = program_score(p, &flow.model, number, &r);
    sp_arena_deinit(&arena);
    program_free(p);
    return score;
}

static void program_record_sorts_by_number_then_address(void **state)
{
    static const char *const want[] = {
        "",         "outcome#1.5", "x",         "x#",        "x#1e16",     "x#99999999999999999999",
        "x#true",   "y",           "decide#-1", "a#0",       "decide#0",   "outcome#0",
        "decide#2", "decide#9",    "outcome#9", "decide#10", "outcome#10", "a\\#11",
        "a#b#12",
    };
    struct program_site sites[N_OF(want)] = {0};
    struct program_record r = {.sites = sites, .n_sites = N_OF(want)};

    (void)state;
    for (size_t i = 0; i < N_OF(want); i++)
        sites[i * 7 % N_OF(want)].address = sp_str_of(want[i]);
    program_record_sort(&r);
    for (size_t i = 0; i < N_OF(want); i++)
        assert_string_equal(sites[i].address.p, want[i]);
}

static void program_record_is_canonical_json(void **state)
{
    struct program_site sites[] = {
        {SP_STR("a\"b"), PROGRAM_DIST_OUTCOME, 0, -INFINITY},
        {SP_STR("d#1"), PROGRAM_DIST_DECIDE, 12, -0.5},
    };
    const struct program_record r = {.call = SP_STR("caf\xc3\xa9"),
                                     .failed = true,
                                     .max_lookups = 3,
                                     .sites = sites,
                                     .n_sites = 2,
                                     .surprise = INFINITY};
    struct sp_buf b = {0};

    (void)state;
    program_record_put(&b, &r);
    assert_string_equal(sp_buf_cstr(&b),
                        "{\"call\":\"caf\xc3\xa9\",\"failed\":true,\"max_lookups\":3,\"sites\":"
                        "[[\"a\\\"b\",false,null],[\"d#1\",12,-0.5]],\"surprise\":null}");
    sp_buf_deinit(&b);
}

static void program_record_reads_what_it_writes(void **state)
{
    static const char *const records[] = {
        EXAMPLE,
        "{'call':'','failed':true,'max_lookups':9223372036854775807,'sites':[],'surprise':0.0}",
        ("{'call':'t','failed':false,'max_lookups':0,'sites':[['a\\\\#1',false,null],"
         "['',9223372036854775807,-1e300]],'surprise':null}"),
    };

    (void)state;
    for (size_t i = 0; i < N_OF(records); i++) {
        struct sp_arena arena = {0};
        struct sp_buf want = {0};
        struct sp_buf got = {0};
        struct program_record r;
        struct sp_err err;

        assert_int_equal(read_record(&arena, records[i], &r, &err), 0);
        program_record_put(&got, &r);
        programs_text(&want, records[i]);
        assert_string_equal(sp_buf_cstr(&got), sp_buf_cstr(&want));
        sp_buf_deinit(&want);
        sp_buf_deinit(&got);
        sp_arena_deinit(&arena);
    }
}

static void program_record_refuses_what_is_none(void **state)
{
#define RECORD(sites) "{'call':'t','failed':false,'max_lookups':1,'sites':" sites ",'surprise':0}"
    static const struct {
        const char *text;
        const char *part;
    } cases[] = {
        {"[]", "object"},
        {"{'failed':false,'max_lookups':1,'sites':[],'surprise':0}", "call"},
        {"{'call':'t','failed':0,'max_lookups':1,'sites':[],'surprise':0}", "failed"},
        {"{'call':'t','failed':false,'max_lookups':-1,'sites':[],'surprise':0}", "max_lookups"},
        {"{'call':'t','failed':false,'max_lookups':9223372036854775808,'sites':[],'surprise':0}",
         "max_lookups"},
        {"{'call':'t','failed':false,'max_lookups':1,'sites':[]}", "surprise"},
        {"{'call':'t','failed':false,'max_lookups':1,'sites':[],'surprise':'1'}", "surprise"},
        {RECORD("{}"), "sites"},
        {RECORD("[1]"), "sites[0]"},
        {RECORD("[['a',1,0],['a',1]]"), "sites[1]"},
        {RECORD("[['a',1,0,0]]"), "sites[0]"},
        {RECORD("[[1,1,0]]"), "sites[0]"},
        {RECORD("[['a','1',0]]"), "sites[0]"},
        {RECORD("[['a',1.0,0]]"), "sites[0]"},
        {RECORD("[['a',-1,0]]"), "sites[0]"},
        {RECORD("[['a',9223372036854775808,0]]"), "sites[0]"},
        {RECORD("[['a',1,false]]"), "sites[0]"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_arena arena = {0};
        struct program_record r;
        struct sp_err err;

        assert_true(read_record(&arena, cases[i].text, &r, &err) < 0);
        if (strstr(err.text, cases[i].part) == NULL)
            fail_msg("'%s' is not in '%s'", cases[i].part, err.text);
        sp_arena_deinit(&arena);
    }
}

static void program_score_gives_the_example_its_score(void **state)
{
    (void)state;
    assert_near(score_with(NULL, 1, EXAMPLE), -0.810930216216328764);
    assert_near(score_with(NULL, 1, EXAMPLE), log(0.8) + log(5.0 / 6) + log(4.0 / 6));
    assert_near(score_with(NULL, 1,
                           "{'call':'t','failed':false,'max_lookups':0,'sites':[],"
                           "'surprise':0}"),
                0);
}

static void program_score_finds_runs_that_cannot_be(void **state)
{
    static const char *const sites[] = {
        "[]",                                                    /* one is missing */
        "[['decide#0',1,0]]",                                    /* of probability 0 */
        "[['decide#0',3,0]]",                                    /* no option */
        "[['decide#0',false,0]]",                                /* no number */
        "[['decide#0',2,0],['outcome#0',1,0],['decide#1',0,0]]", /* no truth value */
        "[['decide#0',2,0],['outcome#0',true,0]]",
        ("[['decide#0',2,0],['outcome#0',false,0],['decide#1',2,0],['outcome#1',true,0],"
         "['decide#2',0,0]]"), /* not after a failure */
    };
    struct sp_buf text = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(sites); i++) {
        sp_buf_clear(&text);
        sp_buf_addf(&text, "{'call':'t','failed':false,'max_lookups':8,'sites':%s,'surprise':0}",
                    sites[i]);
        assert_near(score_with(NULL, 1, sp_buf_cstr(&text)), -INFINITY);
    }
    sp_buf_deinit(&text);
    /* A soft error, and an infinite factor beside it. */
    assert_near(
        score_with(PROGRAM(PROGRAMS_FACTOR(VAR("call")), PROGRAMS_LEN(VAR("call"))), 1, EXAMPLE),
        -INFINITY);
    assert_near(score_with(PROGRAM(PROGRAMS_FACTOR(PROGRAMS_INF) "," PROGRAMS_FACTOR(
                                       PROGRAMS_ONE("neg", PROGRAMS_INF)),
                                   INT("0")),
                           1, EXAMPLE),
                -INFINITY);
}

static void program_score_adds_factors_and_observations(void **state)
{
    (void)state;
    assert_near(
        score_with(PROGRAM(PROGRAMS_FACTOR(VAR("max_lookups")) "," PROGRAMS_OBSERVE(
                               PROGRAMS_ADDR("a"), PROGRAMS_OUTCOME(VAR("call")), PROGRAMS_TRUE),
                           INT("0")),
                   1, EXAMPLE),
        8 + log(2.0 / 3));
}

/* Gives numbers from a list, and counts them. */
struct draws {
    const double *of;
    size_t n;
};

static double draw_next(void *data)
{
    struct draws *d = data;

    return d->of[d->n++];
}

static void program_simulate_draws_the_examples(void **state)
{
    static const double draws[][3] = {
        {0.5, 0.3, 0.1}, {0.9, 0.9, 0.5}, {0.2}, {0.9, 5.0 / 6, 0.5}, {0.200001, 0.8333, 0.67}};
    static const struct {
        size_t n;
        int64_t values[3];
        double score;
    } want[] = {
        {3, {2, 1, 0}, -0.810930216},
        {3, {2, 0, 0}, -2.014903021},
        {1, {0}, -1.609437912},
        {3, {2, 0, 0}, -2.014903021}, /* an outcome is true below its probability only */
        {3, {2, 1, 2}, 0},            /* the most lookups are 2 */
    };
    const struct program_data data = {SP_STR("find_tickets"), 1, false, 8};
    const struct program_data few = {SP_STR("find_tickets"), 1, false, 2};
    struct program *p = program_standard();
    struct programs_flow flow;

    (void)state;
    programs_tickets(&flow);
    for (size_t i = 0; i < N_OF(want); i++) {
        double list[6] = {0};
        struct draws d = {.of = list};
        struct program_run *run =
            program_run_new(p, &flow.model, i == 4 ? &few : &data, PROGRAM_DRAW);
        const struct program_record *r;

        memcpy(list, draws[i], sizeof draws[i]);
        program_simulate(run, draw_next, &d);
        r = program_run_record(run);
        /* They stand in the order in which they were drawn. */
        for (size_t j = 0; j < want[i].n; j++)
            assert_int_equal(r->sites[j].value, want[i].values[j]);
        if (i < 4) {
            assert_int_equal(r->n_sites, want[i].n);
            assert_int_equal(d.n, want[i].n);
            assert_near(program_run_score(run), want[i].score);
        }
        assert_near(program_score(p, &flow.model, 1, r), program_run_score(run));
        program_run_free(run);
    }
    program_free(p);
}

static double draw_most(void *data)
{
    (void)data;
    return 1 - 0x1p-53;
}

static void program_simulate_takes_a_possible_option_whatever_rounding_leaves(void **state)
{
    const struct program_data data = {SP_STR("t"), 1, false, 1};
    struct program *p = program_standard();
    struct programs_flow flow;
    struct program_run *run;

    (void)state;
    /* 1/161 and five times 32/161 add up to two units in the last place less than 1. */
    programs_desk(&flow);
    flow.model.n_reads = 6;
    flow.model.n_tools = 7;
    flow.total[1][false] = 155;
    for (uint64_t read = 1; read <= 5; read++) {
        flow.offers[1][false][read] = true;
        flow.count[1][false][read] = 31;
    }
    run = program_run_new(p, &flow.model, &data, PROGRAM_DRAW);
    program_simulate(run, draw_most, NULL);
    assert_int_equal(program_run_record(run)->sites[0].value, 5);
    program_run_free(run);
    program_free(p);
}

static double draw_random(void *data)
{
    return (double)json_gen_below(data, UINT64_C(1) << 53) / 0x1p53;
}

static void assert_same_record(const struct program_record *a, const struct program_record *b)
{
    struct sp_buf x = {0};
    struct sp_buf y = {0};

    program_record_put(&x, a);
    program_record_put(&y, b);
    assert_string_equal(sp_buf_cstr(&x), sp_buf_cstr(&y));
    sp_buf_deinit(&x);
    sp_buf_deinit(&y);
}

/*
 * Whether the record says all of its run: the values given, each at an address of its own.
 * A value is kept doubled, with its distribution added.
 */
static bool says_all(const struct program_run *run, const struct sp_map *given, size_t n_draws)
{
    const struct program_record *r = program_run_record(run);

    for (size_t i = 0; i < r->n_sites; i++) {
        const size_t *value = sp_map_find(given, r->sites[i].address);

        if (value == NULL || *value != (size_t)r->sites[i].value * 2 + r->sites[i].dist)
            return false;
    }
    return r->n_sites == n_draws && !program_run_is_cut(run);
}

/* Runs a program with random values, again with those recorded, and scores the record. */
static bool check_random_run(const struct program *p, struct json_gen *g, enum program_mode mode)
{
    struct programs_flow flow;
    struct program_data data = {SP_STR("t"), 0, json_gen_below(g, 2), 0};
    struct program_run *run;
    struct program_run *again;
    struct sp_map given = {0};
    size_t n_draws = 0;
    enum program_event event;
    bool is_whole;

    programs_tickets(&flow);
    data.number = json_gen_below(g, 4);
    data.max_lookups = (int64_t)json_gen_below(g, 4);
    run = program_run_new(p, &flow.model, &data, mode);
    while ((event = program_run_step(run)) != PROGRAM_END) {
        uint64_t value = json_gen_below(g, event == PROGRAM_DECIDE ? 3 : 2);

        *sp_map_put(&given, program_run_stop(run)->address, NULL) =
            (size_t)value * 2 + (event == PROGRAM_OUTCOME);
        program_run_give(run, (int64_t)value);
        n_draws++;
    }
    is_whole = says_all(run, &given, n_draws);
    sp_map_deinit(&given);
    again = program_run_new(p, &flow.model, &data, mode);
    if (is_whole) {
        assert_true(program_replay(again, program_run_record(run)));
        assert_same_record(program_run_record(again), program_run_record(run));
        assert_near(program_run_score(again), program_run_score(run));
        if (mode == PROGRAM_DRAW)
            assert_near(program_score(p, &flow.model, data.number, program_run_record(run)),
                        program_run_score(run));
    } else {
        program_simulate(again, draw_random, g);
    }
    program_run_free(run);
    program_run_free(again);
    return is_whole && n_draws > 0;
}

static void program_score_gives_random_runs_their_numbers_again(void **state)
{
    struct json_gen g = {.state = 22};
    struct sp_buf text = {0};
    size_t n_whole = 0;

    (void)state;
    for (int round = 0; round < 1000; round++) {
        struct program *p = NULL;
        struct sp_err err;

        sp_buf_clear(&text);
        programs_generate(&g, &text);
        assert_int_equal(programs_try_bytes(sp_buf_str(&text), &p, &err), 0);
        n_whole += check_random_run(p, &g, PROGRAM_EXECUTE);
        n_whole += check_random_run(p, &g, PROGRAM_DRAW);
        program_free(p);
    }
    assert_true(n_whole > 300);
    sp_buf_deinit(&text);
}

static void program_score_gives_simulated_runs_their_score(void **state)
{
    struct json_gen g = {.state = 7};
    struct program *p = program_standard();
    struct programs_flow flow;

    (void)state;
    programs_tickets(&flow);
    for (int round = 0; round < 500; round++) {
        const struct program_data data = {SP_STR("t"), 1 + json_gen_below(&g, 2), false, 20};
        struct program_run *run = program_run_new(p, &flow.model, &data, PROGRAM_DRAW);

        program_simulate(run, draw_random, &g);
        assert_true(isfinite(program_run_score(run)));
        assert_near(program_score(p, &flow.model, data.number, program_run_record(run)),
                    program_run_score(run));
        program_run_free(run);
    }
    program_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(program_record_sorts_by_number_then_address),
        cmocka_unit_test(program_record_is_canonical_json),
        cmocka_unit_test(program_record_reads_what_it_writes),
        cmocka_unit_test(program_record_refuses_what_is_none),
        cmocka_unit_test(program_score_gives_the_example_its_score),
        cmocka_unit_test(program_score_finds_runs_that_cannot_be),
        cmocka_unit_test(program_score_adds_factors_and_observations),
        cmocka_unit_test(program_simulate_draws_the_examples),
        cmocka_unit_test(program_simulate_takes_a_possible_option_whatever_rounding_leaves),
        cmocka_unit_test(program_score_gives_random_runs_their_numbers_again),
        cmocka_unit_test(program_score_gives_simulated_runs_their_score),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
