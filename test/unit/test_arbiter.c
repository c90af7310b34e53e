/* Tests of flow/arbiter.h: reading answers, and the chances of the options. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow/arbiter.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define NEXT                                                                       \
    "\"next\":{\"type\":\"choice\",\"choice\":\"a\",\"probabilities\":{\"a\":0.6," \
    "\"respond\":0.3,\"zz\":0.1},\"confidence\":0.5}"
#define GO_ON "\"go_on\":{\"type\":\"noul\",\"noul\":0.75}"
#define TOOL                                                                       \
    "\"tool\":{\"type\":\"choice\",\"choice\":\"b\",\"probabilities\":{\"b\":0.5," \
    "\"respond\":0.5},\"confidence\":0.5}"
#define SCORED "{\"type\":\"score\",\"score\":0.0,\"probabilities\":{},\"confidence\":1.0}"

static struct sp_str two_names[] = {{"a", 1}, {"respond", 7}};
static struct sp_str three_names[] = {{"a", 1}, {"b", 1}, {"respond", 7}};

static const struct predict_options one_lookup = {two_names, 2, 1};
static const struct predict_options two_lookups = {three_names, 3, 2};

static void assert_near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-9))
        fail_msg("%.17g is not %.17g", got, want);
}

static bool read(const char *answers, const struct predict_options *options, struct sp_arena *arena,
                 struct arbiter_answer *ret)
{
    struct sp_buf text = {0};
    struct oracle_response response;
    struct sp_err err;
    bool is_complete;

    sp_buf_addf(&text, "{\"model\":\"m\",\"answers\":{%s}}", answers);
    if (oracle_parse_response(sp_buf_str(&text), &response, &err) < 0)
        fail_msg("%s", err.text);
    is_complete = arbiter_read(&response, options, arena, ret);
    /* What was read outlives the response. */
    oracle_response_deinit(&response);
    sp_buf_deinit(&text);
    return is_complete;
}

struct read_case {
    const struct predict_options *options;
    const char *answers;
    size_t pick;
    double one[3];
    double two[3];
};

static void arbiter_reads_what_comes_next_at_once_and_in_two_steps(void **state)
{
    static const struct read_case cases[] = {
        {&one_lookup, NEXT "," GO_ON, 0, {0.6, 0.3}, {0.75, 0.25}},
        /* It was not asked for the tool, but it answers. */
        {&one_lookup, NEXT "," GO_ON "," TOOL, 0, {0.6, 0.3}, {0, 0.25}},
        {&two_lookups, NEXT "," GO_ON "," TOOL, 0, {0.6, 0, 0.3}, {0, 0.375, 0.25}},
        {&two_lookups,
         "\"next\":{\"type\":\"choice\",\"choice\":\"b\",\"probabilities\":{},"
         "\"confidence\":0.5}," GO_ON "," TOOL,
         1,
         {0, 0, 0},
         {0, 0.375, 0.25}},
        /* Who picks what was not offered hands back. */
        {&one_lookup,
         "\"next\":{\"type\":\"choice\",\"choice\":\"b\",\"probabilities\":{\"b\":1.0},"
         "\"confidence\":0.5}," GO_ON,
         1,
         {0, 0},
         {0.75, 0.25}},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        const struct read_case *c = &cases[i];
        struct arbiter_answer answer;
        struct sp_arena arena = {0};

        assert_true(read(c->answers, c->options, &arena, &answer));
        assert_int_equal(answer.pick, c->pick);
        for (size_t k = 0; k < c->options->n; k++) {
            assert_near(answer.one[k], c->one[k]);
            assert_near(answer.two[k], c->two[k]);
        }
        assert_int_equal(answer.n_predicates, 0);
        sp_arena_deinit(&arena);
    }
}

static void arbiter_tells_an_incomplete_answer(void **state)
{
    static const struct {
        const struct predict_options *options;
        const char *answers;
    } cases[] = {
        {&one_lookup, ""},
        {&one_lookup, NEXT},
        {&one_lookup, GO_ON},
        {&one_lookup, "\"next\":{\"type\":\"noul\",\"noul\":0.5}," GO_ON},
        {&one_lookup, NEXT ",\"go_on\":" SCORED},
        {&one_lookup, NEXT "," GO_ON ",\"tool\":{\"type\":\"noul\",\"noul\":0.5}"},
        {&two_lookups, NEXT "," GO_ON},
        {&two_lookups, NEXT "," GO_ON ",\"tool\":" SCORED},
        {&two_lookups, NEXT "," TOOL},
        {&two_lookups, GO_ON "," TOOL},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct arbiter_answer answer = {.pick = 77};
        struct sp_arena arena = {0};

        assert_false(read(cases[i].answers, cases[i].options, &arena, &answer));
        assert_int_equal(answer.pick, 77);
        sp_arena_deinit(&arena);
    }
}

static void arbiter_reads_predicates(void **state)
{
    struct arbiter_answer answer;
    struct sp_arena arena = {0};

    (void)state;
    assert_true(read(NEXT "," GO_ON
                          ",\"pred_b\":{\"type\":\"noul\",\"noul\":0.2},\"pred_c\":" SCORED
                          ",\"pred_\":{\"type\":\"noul\",\"noul\":0.3},\"pred_a\":{\"type\":"
                          "\"noul\",\"noul\":1},\"predb\":{\"type\":\"noul\",\"noul\":0.4}",
                     &one_lookup, &arena, &answer));
    assert_int_equal(answer.n_predicates, 3);
    assert_true(sp_str_eq(answer.predicates[0].name, SP_STR("")));
    assert_true(sp_str_eq(answer.predicates[1].name, SP_STR("a")));
    assert_true(sp_str_eq(answer.predicates[2].name, SP_STR("b")));
    assert_near(answer.predicates[0].p, 0.3);
    assert_near(answer.predicates[1].p, 1);
    assert_near(answer.predicates[2].p, 0.2);
    sp_arena_deinit(&arena);
}

/* A flow, its fold and an answer, of which tests change something. */
struct arbiter_setup {
    struct flow flow;
    struct flow_predicate weighed[2];
    double weights[7];
    struct flow_rate rate;
    struct flow_fold fold;
    struct predict_site site;
    double habit[3], one[3], two[3];
    struct oracle_chance said[2];
    struct arbiter_answer answer;
};

static void set_up(struct arbiter_setup *s)
{
    *s = (struct arbiter_setup){
        .rate = {SP_STR("a"), 8, 6, 8},
        .site = {.prev = SP_STR("a"), .name = SP_STR("a")},
        .habit = {0.5, 0.3, 0.2},
        .one = {0.6, 0.3, 0.1},
        .two = {0.4, 0.4, 0.2},
        .said = {{SP_STR("p"), 0.8}, {SP_STR("q"), 0.1}},
    };
    s->flow.weighed.of = s->weighed;
    s->fold = (struct flow_fold){
        .weights = s->weights, .sites = &s->rate, .n_sites = 1, .agree = 0.7, .cover = 0.95};
    s->answer = (struct arbiter_answer){s->one, s->two, 0, s->said, N_OF(s->said)};
}

/* What a single weight of 1 adds to an option over another: the logarithm of their chances. */
static double advantage(const struct arbiter_setup *s, const struct predict_options *options,
                        size_t a, size_t b)
{
    struct sp_arena arena = {0};
    const double *p =
        arbiter_chances(&s->flow, &s->fold, &s->site, options, s->habit, &s->answer, &arena);
    double difference = log(p[a] / p[b]);

    sp_arena_deinit(&arena);
    return difference;
}

static void arbiter_is_that_of_the_example(void **state)
{
    static const double weights[] = {0.5, 0.3, 0.2, 0.1, 0.6, 0.4};
    struct arbiter_setup s;
    struct predict_options options = one_lookup;
    struct sp_arena arena = {0};
    const double *p;

    (void)state;
    set_up(&s);
    s.flow.weighed.n = 1;
    s.weighed[0].id = SP_STR("P");
    memcpy(s.weights, weights, sizeof weights);
    s.site.prev = s.site.name = s.rate.site = SP_STR("find_tickets");
    s.habit[0] = (2 + (2 + (3 + 4.25 / 14) / 4) / 3) / 3;
    s.habit[1] = 1 - s.habit[0];
    s.one[0] = 0.6;
    s.one[1] = 0.4;
    s.two[0] = s.two[1] = 0.5;
    s.said[0] = (struct oracle_chance){SP_STR("P"), 0.5};
    p = arbiter_chances(&s.flow, &s.fold, &s.site, &options, s.habit, &s.answer, &arena);
    assert_near(p[0], 0.888858986);
    assert_near(p[1], 0.083363236);
    assert_near(p[0] + p[1], 17.5 / 18);
    sp_arena_deinit(&arena);
    assert_near(advantage(&s, &options, 0, 1), 0.080560052 + 2.286171147);
}

static void arbiter_weighs_logarithms_with_a_floor(void **state)
{
    static const double numbers[][3] = {
        {0.8, 0.2, 1.3862943611198906}, {0.5, 0, 13.122363377404328}, {0, 1e-7, 0}, {1e-6, 0, 0},
        {0.5, -3, 13.122363377404328},
    };
    struct arbiter_setup s;
    double *const features[] = {s.habit, s.one, s.two};

    (void)state;
    for (size_t i = 0; i < N_OF(features); i++) {
        for (size_t k = 0; k < N_OF(numbers); k++) {
            set_up(&s);
            s.weights[i] = 1;
            features[i][0] = numbers[k][0];
            features[i][1] = numbers[k][1];
            assert_near(advantage(&s, &two_lookups, 0, 1), numbers[k][2]);
        }
    }
}

static void arbiter_weighs_handing_back_by_itself(void **state)
{
    struct arbiter_setup s;

    (void)state;
    set_up(&s);
    s.weights[3] = 0.25;
    assert_near(advantage(&s, &two_lookups, 2, 0), 0.25);
    assert_near(advantage(&s, &two_lookups, 2, 1), 0.25);
}

struct favors_case {
    struct flow_favors favors;
    bool bears_on[3]; /* a, b, respond; a was called */
};

static void arbiter_weighs_predicates_on_the_options_they_speak_for(void **state)
{
    static const struct favors_case cases[] = {
        {{FLOW_SAME_LOOKUP, {0}}, {true, false, false}},
        {{FLOW_ANY_LOOKUP, {0}}, {true, true, false}},
        {{FLOW_HAND_BACK, {0}}, {false, false, true}},
        {{FLOW_ONE_LOOKUP, {"b", 1}}, {false, true, false}},
        {{FLOW_ONE_LOOKUP, {"c", 1}}, {false, false, false}},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        const bool *bears_on = cases[i].bears_on;
        struct arbiter_setup s;

        set_up(&s);
        s.flow.weighed.n = 2;
        s.weighed[0] = (struct flow_predicate){.id = SP_STR("q"), .favors = {FLOW_HAND_BACK, {0}}};
        s.weighed[1] = (struct flow_predicate){.id = SP_STR("p"), .favors = cases[i].favors};
        s.weights[5] = 0.5;
        for (size_t k = 1; k < 3; k++)
            assert_near(advantage(&s, &two_lookups, 0, k),
                        0.5 * log(4) * (bears_on[0] - bears_on[k]));
        /* The weights of the other one come before. */
        s.weights[5] = 0;
        s.weights[4] = 1;
        assert_near(advantage(&s, &two_lookups, 2, 0), log(0.1 / 0.9));
    }
}

static void arbiter_clamps_logits_and_knows_nothing_of_what_was_not_answered(void **state)
{
    static const struct {
        double p;
        double logit;
    } cases[] = {{0.5, 0}, {0, -9.210240366975849}, {1, 9.210240366975849}, {7, 9.210240366975849}};
    struct arbiter_setup s;

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        set_up(&s);
        s.flow.weighed.n = 1;
        s.weighed[0].id = SP_STR("p");
        s.weights[4] = 1;
        s.said[0].p = cases[i].p;
        assert_near(advantage(&s, &two_lookups, 0, 1), cases[i].logit);
        s.said[0].name = SP_STR("other");
        assert_near(advantage(&s, &two_lookups, 0, 1), 0);
    }
}

static void arbiter_weighs_the_pick_by_how_reliable_it_was_at_the_site(void **state)
{
    struct arbiter_setup s;

    (void)state;
    set_up(&s);
    s.weights[4] = 1;
    assert_near(advantage(&s, &two_lookups, 0, 1), 0.955511445);
    s.answer.pick = 2;
    assert_near(advantage(&s, &two_lookups, 2, 1), 0.955511445);
    /* Of a site without a record it is what it was over all. */
    s.site.name = SP_STR("a (error)");
    assert_near(advantage(&s, &two_lookups, 2, 1), log(0.7 / 0.3));
    s.fold.agree = 1;
    assert_near(advantage(&s, &two_lookups, 2, 1), 9.210240366975849);
}

static void arbiter_features_are_those_of_the_example(void **state)
{
    static const double want[2][6] = {
        {-0.019534806, -0.510825624, -0.693147181, 0, 0, 0.955511445},
        {-3.945308983, -0.916290732, -0.693147181, 1, 0, 0},
    };
    struct arbiter_setup s;
    double x[6];

    (void)state;
    set_up(&s);
    s.flow.weighed.n = 1;
    s.weighed[0].id = SP_STR("P");
    s.habit[0] = (2 + (2 + (3 + 4.25 / 14) / 4) / 3) / 3;
    s.habit[1] = 1 - s.habit[0];
    s.one[1] = 0.4;
    s.two[0] = s.two[1] = 0.5;
    assert_int_equal(arbiter_n_features(&s.flow), 6);
    for (size_t i = 0; i < 2; i++) {
        arbiter_features(&s.flow, &s.fold, &s.site, &one_lookup, s.habit, &s.answer, i, x);
        for (size_t k = 0; k < 6; k++)
            assert_near(x[k], want[i][k]);
    }
}

/* Two finite numbers of an answer are multiplied. */
static void arbiter_features_are_finite(void **state)
{
    struct arbiter_setup s;
    double x[5];

    (void)state;
    set_up(&s);
    s.one[0] = 1e308;
    s.two[0] = INFINITY;
    s.fold.agree = 1e308;
    arbiter_features(&s.flow, &s.fold, &s.site, &one_lookup, s.habit, &s.answer, 0, x);
    for (size_t k = 0; k < 5; k++)
        assert_true(isfinite(x[k]));
}

static void arbiter_chances_add_up_to_the_coverage(void **state)
{
    static const struct {
        const char *site;
        double coverage;
    } cases[] = {{"a", 17.5 / 18}, {"a (error)", 0.95}};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_arena arena = {0};
        struct arbiter_setup s;
        const double *p;

        set_up(&s);
        s.site.name = sp_str_of(cases[i].site);
        /* Scores that would be out of range if they were not brought down first. */
        s.weights[0] = 1e5;
        s.weights[3] = 900;
        p = arbiter_chances(&s.flow, &s.fold, &s.site, &two_lookups, s.habit, &s.answer, &arena);
        assert_near(p[0] + p[1] + p[2], cases[i].coverage);
        assert_true(p[0] > 0.9);
        sp_arena_deinit(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arbiter_reads_what_comes_next_at_once_and_in_two_steps),
        cmocka_unit_test(arbiter_tells_an_incomplete_answer),
        cmocka_unit_test(arbiter_reads_predicates),
        cmocka_unit_test(arbiter_is_that_of_the_example),
        cmocka_unit_test(arbiter_weighs_logarithms_with_a_floor),
        cmocka_unit_test(arbiter_weighs_handing_back_by_itself),
        cmocka_unit_test(arbiter_weighs_predicates_on_the_options_they_speak_for),
        cmocka_unit_test(arbiter_clamps_logits_and_knows_nothing_of_what_was_not_answered),
        cmocka_unit_test(arbiter_weighs_the_pick_by_how_reliable_it_was_at_the_site),
        cmocka_unit_test(arbiter_features_are_those_of_the_example),
        cmocka_unit_test(arbiter_features_are_finite),
        cmocka_unit_test(arbiter_chances_add_up_to_the_coverage),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
