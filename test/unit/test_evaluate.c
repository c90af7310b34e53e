/* Tests of learn/evaluate.h. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "json/jget.h"
#include "learn/evaluate.h"

#define OPTION(tool, p, habit, rest) \
    "{\"tool\":\"" tool "\",\"p\":" #p ",\"habit\":" #habit rest "}"
#define BOUND(binding) ",\"binding\":" #binding ",\"arguments\":{}"
#define UNBOUND        ",\"binding\":null,\"arguments\":null,\"unbound\":\"no source\""

#define POLICY(propensity, epsilon, greedy, options)                              \
    "\"policy\":{\"decider\":\"arbiter\",\"threshold\":0.3,\"epsilon\":" #epsilon \
    ",\"propensity\":" #propensity ",\"explored\":false,\"greedy\":" greedy       \
    ",\"task_id\":\"t\",\"events\":3,\"options\":[" options "]}"

#define LABEL(used, detour, turn) "{\"used\":" #used ",\"detour\":" #detour ",\"turn\":" #turn "}"
#define USED(turn)                LABEL(true, false, turn)
#define DETOUR                    LABEL(false, true, 0)

#define LOOKUP(site, tool, policy, labels)                                       \
    "{\"action\":\"lookup\",\"tool\":\"" tool "\",\"site\":\"" site "\"," policy \
    ",\"labels\":[" labels "]}\n"
#define HAND_BACK(site, policy, labels) \
    "{\"action\":\"hand_back\",\"site\":\"" site "\"," policy ",\"labels\":[" labels "]}\n"

/* The options of the worked example. */
#define A OPTION("cart", 0.6, 0.2, BOUND(1)) "," OPTION("profile", 0.3, 0.7, BOUND(0.9))
#define B OPTION("cart", 0.2, 0.5, BOUND(0.9)) "," OPTION("stock", 0.1, 0.1, UNBOUND)

static const char worked[] =
    LOOKUP("find", "cart", POLICY(0.8, 0.2, "\"cart\"", A), USED(1) "," DETOUR)
        LOOKUP("find", "profile", POLICY(0.2, 0.2, "\"cart\"", A), USED(0.5) "," USED(0.5))
            LOOKUP("find", "cart", POLICY(0.8, 0.2, "\"cart\"", A), DETOUR "," USED(1))
                HAND_BACK("profile", POLICY(0.8, 0.2, "null", B), USED(1) "," DETOUR)
                    LOOKUP("profile", "cart", POLICY(0.2, 0.2, "null", B), DETOUR "," DETOUR);

static void add(struct evaluate *e, const char *text)
{
    struct sp_err err;

    if (evaluate_add(e, sp_str_of(text), "d.jsonl", &err) < 0)
        fail_msg("%s", err.text);
}

static void add_target(struct evaluate *e, const char *rule)
{
    struct sp_err err;

    if (evaluate_add_target(e, sp_str_of(rule), &err) < 0)
        fail_msg("%s", err.text);
}

static struct evaluate *make(const char *text, const char *rule)
{
    struct evaluate *e = evaluate_new();

    add(e, text);
    add_target(e, rule);
    return e;
}

static struct sp_str member(struct sp_str object, const char *name)
{
    struct sp_str value = {0};

    if (!jget_member(object, sp_str_of(name), &value))
        fail_msg("no member %s", name);
    return value;
}

/* The estimates as JSON; the first target's of a site, or of all if `site` is NULL. */
static struct sp_str estimate(const struct evaluate *e, double min_ess, const char *site,
                              struct sp_buf *text)
{
    struct jscan found;
    struct jget_iter it;

    sp_buf_clear(text);
    evaluate_put_json(e, min_ess, text);
    assert_true(jscan(sp_buf_str(text), 10, &found));
    it = jget_iter(found.value);
    assert_true(jget_next(&it));
    return site != NULL ? member(member(it.value, "sites"), site) : member(it.value, "total");
}

static void assert_text(struct sp_str value, const char *want)
{
    if (!sp_str_eq(value, sp_str_of(want)))
        fail_msg("'%.*s' is not '%s'", SP_STR_ARG(value), want);
}

static void assert_near(const char *what, struct sp_str value, double want)
{
    double got = strtod(value.p, NULL);

    if (!(fabs(got - want) <= 5e-5))
        fail_msg("%s is %g, not %g", what, got, want);
}

static void assert_values(struct sp_str estimate, const char *name, const double *want)
{
    static const char *const measures[] = {"lookups", "used", "detours", "turns"};
    struct sp_str values = member(estimate, name);

    for (size_t i = 0; i < 4; i++)
        assert_near(name, member(values, measures[i]), want[i]);
}

struct worked_case {
    const char *rule;
    const char *site; /* NULL: the total */
    const char *looks;
    const char *matched;
    double ess;
    double logged[4], direct[4], ips[4], ips_se[4], snips[4], dr[4], dr_se[4];
};

static const struct worked_case worked_cases[] = {
    {
        .rule = "arbiter@0.3",
        .site = "find",
        .looks = "3",
        .matched = "2",
        .ess = 2,
        .logged = {3, 2, 1, 1.5},
        .direct = {3, 2, 1, 1.5},
        .ips = {2.5, 1.25, 1.25, 1.25},
        .ips_se = {1.25, 1.25, 1.25, 1.25},
        .snips = {3, 1.5, 1.5, 1.5},
        .dr = {3, 1.5, 1.5, 1.5},
        .dr_se = {0, 1.0825, 1.0825, 1.0825},
    },
    {
        .rule = "arbiter@0.3",
        .site = "profile",
        .looks = "0",
        .matched = "0",
        .logged = {1, 0, 1, 0},
    },
    {
        .rule = "arbiter@0.3",
        .looks = "3",
        .matched = "2",
        .ess = 2,
        .logged = {4, 2, 2, 1.5},
        .direct = {3, 2, 1, 1.5},
        .ips = {2.5, 1.25, 1.25, 1.25},
        .ips_se = {1.25, 1.25, 1.25, 1.25},
        .snips = {3, 1.5, 1.5, 1.5},
        .dr = {3, 1.5, 1.5, 1.5},
        .dr_se = {0, 1.0825, 1.0825, 1.0825},
    },
    {
        .rule = "habit@0.3",
        .looks = "5",
        .matched = "2",
        .ess = 2,
        .logged = {4, 2, 2, 1.5},
        .direct = {5, 3, 2, 2.5},
        .ips = {10, 5, 5, 2.5},
        .ips_se = {7.0711, 5, 5, 2.5},
        .snips = {5, 2.5, 2.5, 1.25},
        .dr = {5, 3, 2, 1.5},
    },
};

#define N_WORKED (sizeof worked_cases / sizeof *worked_cases)

static void evaluate_estimates_the_worked_example(void **state)
{
    struct sp_buf text = {0};

    (void)state;
    for (size_t i = 0; i < N_WORKED; i++) {
        const struct worked_case *want = &worked_cases[i];
        struct evaluate *e = make(worked, want->rule);
        struct sp_str got = estimate(e, 1, want->site, &text);

        assert_int_equal(evaluate_n_decisions(e), 5);
        assert_text(member(got, "looks"), want->looks);
        assert_text(member(got, "matched"), want->matched);
        assert_text(member(got, "unsupported"), "0");
        assert_text(member(got, "refused"), "false");
        assert_near("ess", member(got, "ess"), want->ess);
        assert_values(got, "logged", want->logged);
        assert_values(got, "direct", want->direct);
        assert_values(got, "ips", want->ips);
        assert_values(got, "ips_se", want->ips_se);
        assert_values(got, "snips", want->snips);
        assert_values(got, "dr", want->dr);
        assert_values(got, "dr_se", want->dr_se);
        evaluate_free(e);
    }
    sp_buf_deinit(&text);
}

static void evaluate_refuses_weights_of_a_small_sample(void **state)
{
    static const char *const weighted[] = {"ips", "snips", "dr", "ips_se", "dr_se"};
    struct sp_buf text = {0};

    (void)state;
    for (size_t i = 0; i < N_WORKED; i++) {
        const struct worked_case *want = &worked_cases[i];
        struct evaluate *e = make(worked, want->rule);
        struct sp_str got = estimate(e, 10, want->site, &text);
        bool is_refused = want->ess > 0;

        assert_text(member(got, "refused"), is_refused ? "true" : "false");
        assert_values(got, "logged", want->logged);
        assert_values(got, "direct", want->direct);
        for (size_t k = 0; k < sizeof weighted / sizeof *weighted; k++)
            assert_int_equal(jget_type(member(got, weighted[k])) == JSCAN_NULL, is_refused);
        evaluate_free(e);
    }
    sp_buf_deinit(&text);
}

static void evaluate_refuses_only_below_the_least_sample(void **state)
{
    struct evaluate *e = make(worked, "arbiter@0.3");
    struct sp_buf text = {0};

    (void)state;
    assert_text(member(estimate(e, 2, NULL, &text), "refused"), "false");
    assert_text(member(estimate(e, 2.001, NULL, &text), "refused"), "true");
    evaluate_free(e);
    sp_buf_deinit(&text);
}

/* One decision, and how the target `arbiter@0.3` fares: looks, matched and unsupported. */
struct choice_case {
    const char *line;
    const char *counts;
};

#define ONE(policy_propensity, epsilon, greedy, options, labels) \
    LOOKUP("s", "a", POLICY(policy_propensity, epsilon, greedy, options), labels)
#define HIGH   OPTION("a", 0.6, 0, BOUND(1))
#define TWICE  HIGH "," OPTION("a", 0.7, 0, BOUND(1))
#define EQUALS HIGH "," OPTION("b", 0.6, 0, BOUND(1))
#define BARE   OPTION("a", 0.6, 0, ",\"binding\":1")

#define GOOD ONE(1, 0, "null", HIGH, DETOUR)

static const struct choice_case choices[] = {
    /* What the target takes. */
    {ONE(1, 0, "\"a\"", HIGH, DETOUR), "1 1 0"},
    {ONE(1, 0, "\"a\"", OPTION("a", 0.3, 0, BOUND(1)), DETOUR), "1 1 0"},
    {ONE(1, 0, "\"a\"", OPTION("a", 0.29, 0, BOUND(1)), DETOUR), "0 0 0"},
    {ONE(1, 0, "\"a\"", OPTION("a", 0.6, 0, BOUND(0.5)), DETOUR), "1 1 0"},
    {ONE(1, 0, "\"a\"", OPTION("a", 0.6, 0, BOUND(0.49)), DETOUR), "0 0 0"},
    {ONE(1, 0, "\"a\"", OPTION("a", 0.6, 0, UNBOUND), DETOUR), "0 0 0"},
    {ONE(1, 0, "\"a\"", OPTION("a", 0.6, 0, ""), DETOUR), "0 0 0"},
    {ONE(1, 0, "\"a\"", EQUALS, DETOUR "," DETOUR), "1 1 0"},
    {ONE(1, 0, "\"a\"", OPTION("b", 0.9, 0, UNBOUND) "," HIGH, DETOUR "," DETOUR), "0 0 0"},
    {ONE(1, 0, "\"a\"", "", ""), "0 0 0"},
    /* What was taken: the first option of its tool, or none. */
    {ONE(1, 0, "\"a\"", TWICE, DETOUR "," DETOUR), "1 0 1"},
    {LOOKUP("s", "z", POLICY(1, 0, "\"a\"", HIGH), DETOUR), "1 0 0"},
    {HAND_BACK("s", POLICY(1, 0, "\"a\"", HIGH), DETOUR), "1 0 0"},
    {"{\"action\":\"hand_back\",\"tool\":\"a\"," POLICY(1, 0, "\"a\"", HIGH) ",\"labels\":[" DETOUR
                                                                             "]}",
     "1 0 0"},
    /* What the logging flow could take. */
    {ONE(1, 0, "null", HIGH, DETOUR), "1 1 1"},
    {ONE(1, 0, "\"z\"", HIGH, DETOUR), "1 1 1"},
    {ONE(1, -1, "null", HIGH, DETOUR), "1 1 1"},
    {ONE(1, 0.1, "null", HIGH, DETOUR), "1 1 0"},
    {ONE(1, 0.1, "null", BARE, DETOUR), "1 1 1"},
    {ONE(1, 1, "\"a\"", EQUALS, DETOUR "," DETOUR), "1 1 1"},
    {ONE(1, 2, "\"a\"", EQUALS, DETOUR "," DETOUR), "1 1 1"},
    {ONE(1, 1, "\"a\"", HIGH, DETOUR), "1 1 0"},
    {ONE(1, 0.1, "\"b\"", EQUALS, DETOUR "," DETOUR), "1 1 0"},
};

static void evaluate_takes_what_the_target_takes(void **state)
{
    struct sp_buf text = {0};
    struct sp_buf counts = {0};

    (void)state;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        struct evaluate *e = make(choices[i].line, "arbiter@0.3");
        struct sp_str got = estimate(e, 1, NULL, &text);

        sp_buf_clear(&counts);
        sp_buf_addf(&counts, "%.*s %.*s %.*s", SP_STR_ARG(member(got, "looks")),
                    SP_STR_ARG(member(got, "matched")), SP_STR_ARG(member(got, "unsupported")));
        if (strcmp(sp_buf_cstr(&counts), choices[i].counts) != 0)
            fail_msg("%s gives %s, not %s", choices[i].line, sp_buf_cstr(&counts),
                     choices[i].counts);
        evaluate_free(e);
    }
    sp_buf_deinit(&text);
    sp_buf_deinit(&counts);
}

static void evaluate_bounds_weights(void **state)
{
    static const char *const lines[] = {ONE(0, 0, "\"a\"", HIGH, USED(1)),
                                        ONE(-3, 0, "\"a\"", HIGH, USED(1)),
                                        ONE(1e-13, 0, "\"a\"", HIGH, USED(1))};
    struct sp_buf text = {0};

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct evaluate *e = make(lines[i], "arbiter@0.3");
        struct sp_str got = estimate(e, 1, NULL, &text);

        assert_text(member(member(got, "ips"), "used"), "1000000000000.0");
        assert_text(member(member(got, "snips"), "used"), "1.0");
        evaluate_free(e);
    }
    sp_buf_deinit(&text);
}

/* The model: what a tool brought at the site, else anywhere, else a detour. */
static void evaluate_predicts_by_what_was_taken(void **state)
{
    static const char lines[] = LOOKUP("s", "a", POLICY(1, 0, "null", HIGH), USED(0.25))
        LOOKUP("t", "a", POLICY(1, 0, "null", OPTION("a", 0, 0, "")), DETOUR)
            HAND_BACK("s", POLICY(1, 0, "null", HIGH), DETOUR)
                HAND_BACK("u", POLICY(1, 0, "null", HIGH), DETOUR)
                    HAND_BACK("v", POLICY(1, 0, "null", OPTION("b", 0.6, 0, BOUND(1))), USED(1));
    static const double s[] = {2, 2, 0, 0.5};
    static const double u[] = {1, 0.5, 0.5, 0.125};
    static const double v[] = {1, 0, 1, 0};
    struct evaluate *e = make(lines, "arbiter@0.3");
    struct sp_buf text = {0};

    (void)state;
    assert_values(estimate(e, 0, "s", &text), "dr", s);
    assert_values(estimate(e, 0, "u", &text), "dr", u);
    assert_values(estimate(e, 0, "v", &text), "dr", v);
    evaluate_free(e);
    sp_buf_deinit(&text);
}

static void evaluate_takes_rounded_variances_for_0(void **state)
{
    struct evaluate *e = evaluate_new();
    struct sp_buf text = {0};

    (void)state;
    add_target(e, "arbiter@0.3");
    for (int i = 0; i < 3; i++) /* 3 * 0.1 * 0.1 comes out below 0.3 * 0.3 / 3 */
        add(e, ONE(1, 0, "\"a\"", HIGH, USED(0.1)));
    assert_text(member(member(estimate(e, 0, NULL, &text), "ips_se"), "turns"), "0.0");
    evaluate_free(e);
    sp_buf_deinit(&text);
}

static void evaluate_reads_deep_lines(void **state)
{
    static const char good[] = GOOD;
    struct evaluate *e = evaluate_new();
    struct sp_buf line = {0};

    (void)state;
    sp_buf_add(&line, SP_STR("{\"extra\":"));
    for (int i = 0; i < 200; i++)
        sp_buf_add_char(&line, '[');
    for (int i = 0; i < 200; i++)
        sp_buf_add_char(&line, ']');
    sp_buf_addf(&line, ",%s", good + 1);
    add(e, sp_buf_cstr(&line));
    assert_int_equal(evaluate_n_decisions(e), 1);
    evaluate_free(e);
    sp_buf_deinit(&line);
}

static void evaluate_keeps_nothing_of_the_text(void **state)
{
    static const char line[] =
        LOOKUP("\\u0073ite \\\"1\\\"", "\\u0061", POLICY(1, 0, "\"a\"", HIGH), USED(1));
    struct evaluate *e = evaluate_new();
    char *copy = sp_strdup(line);
    struct sp_buf text = {0};

    (void)state;
    add_target(e, "arbiter@0.3");
    add(e, copy);
    memset(copy, 'x', strlen(copy));
    free(copy);
    assert_text(member(estimate(e, 0, "site \"1\"", &text), "matched"), "1");
    evaluate_free(e);
    sp_buf_deinit(&text);
}

static void evaluate_takes_a_missing_site_as_an_empty_one(void **state)
{
    static const char *const sites[] = {"", "\"site\":\"\",", "\"site\":null,"};
    struct evaluate *e = evaluate_new();
    struct sp_buf line = {0};
    struct sp_buf text = {0};

    (void)state;
    add_target(e, "habit@0.3");
    for (size_t i = 0; i < 3; i++) {
        sp_buf_clear(&line);
        sp_buf_addf(&line, "{\"action\":\"hand_back\",%s%s", sites[i],
                    POLICY(1, 0, "null", "") ",\"labels\":[]}");
        add(e, sp_buf_cstr(&line));
    }
    assert_text(member(estimate(e, 0, "", &text), "decisions"), "3");
    evaluate_free(e);
    sp_buf_deinit(&line);
    sp_buf_deinit(&text);
}

/* A text, and its error. */
struct error_case {
    const char *text;
    const char *error;
};

#define PLAIN(options, labels) \
    "{\"action\":\"hand_back\"," POLICY(1, 0, "null", options) ",\"labels\":" labels "}"

static const struct error_case errors[] = {
    {"x", "d.jsonl:1: not JSON"},
    {"[1,2]", "d.jsonl:1: not an object"},
    {GOOD "\r\n \xc2\xa0\n\n{\"kind\":\"run\"}", "d.jsonl:5: action: is missing"},
    {GOOD "\xff\n" GOOD, "d.jsonl:2: not JSON"},
    {"{\"action\":\"wait\",\"policy\":{},\"labels\":[]}",
     "d.jsonl:1: action: must be 'lookup' or 'hand_back'"},
    {"{\"action\":\"lookup\",\"policy\":{},\"labels\":[]}", "d.jsonl:1: tool: is missing"},
    {"{\"action\":\"hand_back\",\"tool\":1,\"policy\":{},\"labels\":[]}",
     "d.jsonl:1: tool: must be a string"},
    {"{\"action\":\"hand_back\",\"policy\":{},\"labels\":[]}",
     "d.jsonl:1: policy.decider: is missing"},
    {"{\"action\":\"hand_back\",\"policy\":{}}", "d.jsonl:1: labels: is missing"},
    {PLAIN("", "[{}]"), "d.jsonl:1: 1 label for 0 options"},
    {PLAIN(HIGH, "[]"), "d.jsonl:1: 0 labels for 1 option"},
    {PLAIN("1", "[1]"), "d.jsonl:1: policy.options[0]: must be an object"},
    {PLAIN(HIGH "," OPTION("b", "x", 0, ""), "[" DETOUR ",1]"),
     "d.jsonl:1: policy.options[1].p: must be a number"},
    {PLAIN(HIGH, "[1]"), "d.jsonl:1: labels[0]: must be an object"},
    {PLAIN(HIGH "," HIGH, "[" DETOUR ",{\"used\":true}]"),
     "d.jsonl:1: labels[1].detour: is missing"},
};

static void evaluate_tells_what_is_wrong_with_a_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        struct evaluate *e = evaluate_new();
        struct sp_err err;

        assert_true(evaluate_add(e, sp_str_of(errors[i].text), "d.jsonl", &err) < 0);
        assert_string_equal(err.text, errors[i].error);
        assert_int_equal(evaluate_n_decisions(e), i == 2 || i == 3 ? 1 : 0);
        evaluate_free(e);
    }
}

static const struct error_case rule_errors[] = {
    {"", "target '': no '@' before a threshold"},
    {"n=habit", "target 'n=habit': no '@' before a threshold"},
    {"a@b=habit", "target 'a@b=habit': no '@' before a threshold"},
    {"n=reach@0.3", "target 'n=reach@0.3': the decider is neither 'arbiter' nor 'habit'"},
    {"n=m=habit@1", "target 'n=m=habit@1': the decider is neither 'arbiter' nor 'habit'"},
    {"habit@", "target 'habit@': the threshold is not a number"},
    {"habit@nan", "target 'habit@nan': the threshold is not a number"},
    {"habit@-inf", "target 'habit@-inf': the threshold is not a number"},
    {"habit@1e999", "target 'habit@1e999': the threshold is not a number"},
    {"habit@0.3@1", "target 'habit@0.3@1': the threshold is not a number"},
    {"habit@ 1", "target 'habit@ 1': the threshold is not a number"},
    {"habit@1 ", "target 'habit@1 ': the threshold is not a number"},
    {"habit@\"1\"", "target 'habit@\"1\"': the threshold is not a number"},
};

static void evaluate_refuses_bad_rules(void **state)
{
    struct evaluate *e = evaluate_new();
    struct sp_buf text = {0};
    struct sp_err err;

    (void)state;
    for (size_t i = 0; i < sizeof rule_errors / sizeof *rule_errors; i++) {
        assert_true(evaluate_add_target(e, sp_str_of(rule_errors[i].text), &err) < 0);
        assert_string_equal(err.text, rule_errors[i].error);
    }
    evaluate_put_json(e, 0, &text);
    assert_string_equal(sp_buf_cstr(&text), "[]\n");
    evaluate_free(e);
    sp_buf_deinit(&text);
}

static void evaluate_needs_the_arbiters_decisions_for_its_probabilities(void **state)
{
    static const char by_habit[] =
        "{\"action\":\"hand_back\",\"policy\":{\"decider\":\"habit\",\"threshold\":0,"
        "\"epsilon\":0,\"propensity\":1,\"explored\":false,\"task_id\":\"\",\"events\":0,"
        "\"options\":[]},\"labels\":[]}\n";
    struct evaluate *e = make(worked, "x=arbiter@0.3");
    struct sp_err err;

    (void)state;
    assert_int_equal(evaluate_check(e, &err), 0);
    assert_int_equal(evaluate_add(e, sp_str_of(by_habit), "e.jsonl", &err), 0);
    assert_int_equal(evaluate_add(e, sp_str_of(by_habit), "f.jsonl", &err), 0);
    assert_true(evaluate_check(e, &err) < 0);
    assert_string_equal(err.text, "target 'x=arbiter@0.3' needs the arbiter's probabilities, but "
                                  "the decision at e.jsonl:1 is another decider's");
    evaluate_free(e);

    e = make(by_habit, "habit@0.3");
    assert_int_equal(evaluate_check(e, &err), 0);
    add_target(e, "arbiter@0.3");
    assert_true(evaluate_check(e, &err) < 0);
    evaluate_free(e);
}

#define ZEROS_LAST(name)                                  \
    "      \"" name "\": {\n"                             \
    "        \"lookups\": 0.0,\n        \"used\": 0.0,\n" \
    "        \"detours\": 0.0,\n        \"turns\": 0.0\n      }\n"
#define ZEROS(name)                                       \
    "      \"" name "\": {\n"                             \
    "        \"lookups\": 0.0,\n        \"used\": 0.0,\n" \
    "        \"detours\": 0.0,\n        \"turns\": 0.0\n      },\n"
#define ALL_ZEROS   \
    ZEROS("logged") \
    ZEROS("direct") ZEROS("ips") ZEROS("snips") ZEROS("dr") ZEROS("ips_se") ZEROS_LAST("dr_se")

static void evaluate_indents_its_json(void **state)
{
    struct evaluate *e = make("", "n=habit@1");
    struct sp_buf text = {0};

    (void)state;
    evaluate_put_json(e, 10, &text);
    assert_string_equal(sp_buf_cstr(&text), "[\n"
                                            "  {\n"
                                            "    \"target\": {\n"
                                            "      \"name\": \"n\",\n"
                                            "      \"habit\": true,\n"
                                            "      \"threshold\": 1.0\n"
                                            "    },\n"
                                            "    \"sites\": {},\n"
                                            "    \"total\": {\n"
                                            "      \"decisions\": 0,\n"
                                            "      \"looks\": 0,\n"
                                            "      \"matched\": 0,\n"
                                            "      \"unsupported\": 0,\n"
                                            "      \"ess\": 0.0,\n"
                                            "      \"refused\": false,\n" ALL_ZEROS "    }\n"
                                            "  }\n"
                                            "]\n");
    evaluate_free(e);
    sp_buf_deinit(&text);
}

#define TABLE_OF_SITES                                                   \
    "| Site | Decisions | Matched | Ess | Used (direct) | Used (SNIPS) " \
    "| Detours (direct) | Detours (SNIPS) |\n"                           \
    "|---|---|---|---|---|---|---|---|\n"
#define TABLE_OF_MEASURES                                           \
    "| Measure | Logged | Direct | IPS | SNIPS | Doubly robust |\n" \
    "|---|---|---|---|---|---|\n"
#define NOTE                                                                              \
    "\nEstimates with weights (IPS, SNIPS, doubly robust) are refused below an ess, the " \
    "effective sample size, of 2.\n"

static void evaluate_reports_in_markdown(void **state)
{
    struct evaluate *e = make(worked, "arbiter@0.3");
    struct sp_buf text = {0};

    (void)state;
    add_target(e, "all | `of` them=habit@0");
    add(e, HAND_BACK("b|`c", POLICY(1, 0, "null", ""), ""));
    evaluate_put_markdown(e, 2, &text);
    assert_string_equal(
        sp_buf_cstr(&text),
        "## `arbiter@0.3`: the arbiter's probabilities at threshold 0.3\n\n"
        "6 decisions, 3 looks, 2 matched, ess 2.0, 0 unsupported\n\n" TABLE_OF_MEASURES
        "| lookups | 4.0 | 3.0 | 2.5 ± 1.2 | 3.0 | 3.0 ± 0.0 |\n"
        "| used | 2.0 | 2.0 | 1.2 ± 1.2 | 1.5 | 1.5 ± 1.1 |\n"
        "| detours | 2.0 | 1.0 | 1.2 ± 1.2 | 1.5 | 1.5 ± 1.1 |\n"
        "| turns | 1.5 | 1.5 | 1.2 ± 1.2 | 1.5 | 1.5 ± 1.1 |\n\n" TABLE_OF_SITES
        "| `` b\\|`c `` | 1 | 0 | 0.0 | 0.0 | 0.0 | 0.0 | 0.0 |\n"
        "| `find` | 3 | 2 | 2.0 | 2.0 | 1.5 | 1.0 | 1.5 |\n"
        "| `profile` | 2 | 0 | 0.0 | 0.0 | 0.0 | 0.0 | 0.0 |\n" NOTE
        "\n## `` all \\| `of` them ``: the habit's probabilities at threshold 0\n\n"
        "6 decisions, 5 looks, 2 matched, ess 2.0, 0 unsupported\n\n" TABLE_OF_MEASURES
        "| lookups | 4.0 | 5.0 | 10.0 ± 7.1 | 5.0 | 5.0 ± 0.0 |\n"
        "| used | 2.0 | 3.0 | 5.0 ± 5.0 | 2.5 | 3.0 ± 0.0 |\n"
        "| detours | 2.0 | 2.0 | 5.0 ± 5.0 | 2.5 | 2.0 ± 0.0 |\n"
        "| turns | 1.5 | 2.5 | 2.5 ± 2.5 | 1.2 | 1.5 ± 0.0 |\n\n" TABLE_OF_SITES
        "| `` b\\|`c `` | 1 | 0 | 0.0 | 0.0 | 0.0 | 0.0 | 0.0 |\n"
        "| `find` | 3 | 1 | 1.0 | 2.0 | refused | 1.0 | refused |\n"
        "| `profile` | 2 | 1 | 1.0 | 1.0 | refused | 1.0 | refused |\n" NOTE);
    evaluate_free(e);
    sp_buf_deinit(&text);
}

static void evaluate_puts_no_sign_before_a_rounded_0(void **state)
{
    struct evaluate *e = make(ONE(1, 0, "\"a\"", HIGH, USED(-0.04)), "arbiter@0.3");
    struct sp_buf text = {0};

    (void)state;
    evaluate_put_markdown(e, 0, &text);
    assert_non_null(
        strstr(sp_buf_cstr(&text), "| turns | 0.0 | 0.0 | 0.0 ± 0.0 | 0.0 | 0.0 ± 0.0 |\n"));
    evaluate_free(e);
    sp_buf_deinit(&text);
}

static void evaluate_reports_what_no_double_holds(void **state)
{
    struct evaluate *e = evaluate_new();
    struct sp_buf text = {0};
    struct sp_str got;

    (void)state;
    for (int i = 0; i < 2; i++)
        add(e, ONE(1, 0, "\"a\"", HIGH, USED(1.7e308)));
    add_target(e, "arbiter@0.3");
    got = estimate(e, 0, NULL, &text);
    assert_text(member(member(got, "direct"), "turns"), "null");
    assert_text(member(member(got, "dr_se"), "turns"), "null");
    assert_text(member(member(got, "direct"), "used"), "2.0");
    sp_buf_clear(&text);
    evaluate_put_markdown(e, 0, &text);
    assert_non_null(strstr(sp_buf_cstr(&text), "| turns | — | — | — ± — | — | — ± — |\n"));
    evaluate_free(e);
    evaluate_free(NULL);
    sp_buf_deinit(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evaluate_estimates_the_worked_example),
        cmocka_unit_test(evaluate_refuses_weights_of_a_small_sample),
        cmocka_unit_test(evaluate_refuses_only_below_the_least_sample),
        cmocka_unit_test(evaluate_takes_what_the_target_takes),
        cmocka_unit_test(evaluate_bounds_weights),
        cmocka_unit_test(evaluate_predicts_by_what_was_taken),
        cmocka_unit_test(evaluate_takes_rounded_variances_for_0),
        cmocka_unit_test(evaluate_reads_deep_lines),
        cmocka_unit_test(evaluate_keeps_nothing_of_the_text),
        cmocka_unit_test(evaluate_takes_a_missing_site_as_an_empty_one),
        cmocka_unit_test(evaluate_tells_what_is_wrong_with_a_line),
        cmocka_unit_test(evaluate_refuses_bad_rules),
        cmocka_unit_test(evaluate_needs_the_arbiters_decisions_for_its_probabilities),
        cmocka_unit_test(evaluate_indents_its_json),
        cmocka_unit_test(evaluate_reports_in_markdown),
        cmocka_unit_test(evaluate_puts_no_sign_before_a_rounded_0),
        cmocka_unit_test(evaluate_reports_what_no_double_holds),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
