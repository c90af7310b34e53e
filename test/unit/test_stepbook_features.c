/* Tests of learn/stepbook.h: which code features are chosen from outputs. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow/decide.h"
#include "flow_session.h"
#include "learn/stepbook.h"
#include "tool_flow.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

static void add(struct stepbook *b, const char *task_id, const struct flow_session_event *events)
{
    struct episode e = {.task_id = sp_str_of(task_id)};

    flow_session_add_all(&e, events);
    stepbook_add(b, &e);
    episode_deinit(&e);
}

static const struct tool_flow_tool order_tools[] = {
    {"cancel", MANIFEST_WRITE}, {"get_order", MANIFEST_READ}, {"return", MANIFEST_WRITE}};

/* Adds a session that reads an order and then does what follows. */
static void add_order(struct stepbook *b, int i, const char *output, const char *then)
{
    struct flow_session_event events[] = {
        CALL("1", "get_order", "{}"),
        RESULT("1", "get_order", output),
        CALL("2", then, "{}"),
        RESULT("2", then, ""),
        SAYS("Done"),
        {0},
    };
    char id[16];

    snprintf(id, sizeof id, "s%d", i);
    add(b, id, events);
}

/* Fails the test unless the features chosen at alpha 1 are those, as in the flow's file. */
static void check_chosen(const struct stepbook *b, const char *map)
{
    struct flow *f = tool_flow(order_tools, N_OF(order_tools));
    struct sp_buf member = {0};

    stepbook_choose_features(b, f, 1.0);
    flow_index(f);
    sp_buf_addf(&member, "\"map\":%s,\"group\"", map);
    tool_flow_check_has(f, sp_buf_cstr(&member));
    sp_buf_deinit(&member);
    flow_free(f);
}

#define NO_MAP "{\"fields\":{},\"ids\":[]}"
#define MAP(field, text_1, text_2)                      \
    "{\"fields\":{\"get_order\":[" field "]},\"ids\":[" \
    "[[\"get_order\",[" text_1 "]],1],[[\"get_order\",[" text_2 "]],2]]}"
#define SCALAR(path) "{\"Scalar\":\"" path "\"}"
#define LEN(path)    "{\"Len\":\"" path "\"}"

static void stepbook_chooses_the_field_that_tells_what_follows(void **state)
{
    struct stepbook *b = stepbook_new();

    (void)state;
    for (int i = 1; i <= 20; i++) {
        char output[80];

        snprintf(output, sizeof output, "{\"items\":[%s],\"order\":\"W%d\",\"status\":\"%s\"}",
                 i % 3 == 0 ? "1" : "1,2", i, i % 2 == 1 ? "pending" : "delivered");
        add_order(b, i, output, i % 2 == 1 ? "cancel" : "return");
    }
    check_chosen(b, MAP(SCALAR("status"), "\"delivered\"", "\"pending\""));
    stepbook_free(b);
}

struct field_case {
    const char *outputs[2]; /* behind the first comes `cancel`, behind the second `return` */
    const char *map;
};

static void stepbook_fields_are_those_that_serving_reads(void **state)
{
#define NOTHING "\"\xe2\x88\x85\""
    static const struct field_case cases[] = {
        {{"{\"s\":\"b\"}", "{\"s\":\"a\"}"}, MAP(SCALAR("s"), "\"a\"", "\"b\"")},
        {{" {\"s\" : \"\\u0061\"}\n", "{\"s\":\"\"}"}, MAP(SCALAR("s"), "\"\"", "\"a\"")},
        {{"{\"s\":1}", "{\"s\":1.0}"}, MAP(SCALAR("s"), "\"1\"", "\"1.0\"")},
        {{"{\"s\":1e2}", "{\"s\":\"1e2\"}"}, MAP(SCALAR("s"), "\"100.0\"", "\"1e2\"")},
        {{"{\"s\":true}", "{\"s\":false}"}, MAP(SCALAR("s"), "\"false\"", "\"true\"")},
        {{"{\"s\":null}", "{\"s\":\"a\"}"}, MAP(SCALAR("s"), "\"a\"", NOTHING)},
        {{"{}", "{\"s\":\"a\"}"}, MAP(SCALAR("s"), "\"a\"", NOTHING)},
        {{"5", "{\"s\":\"a\"}"}, MAP(SCALAR("s"), "\"a\"", NOTHING)},
        {{"{\"s\":{\"t\":[]}}", "{\"s\":\"a\"}"}, MAP(SCALAR("s"), "\"a\"", NOTHING)},
        {{"{\"s\":\"\xe2\x88\x85\"}", "{\"s\":\"a\"}"}, MAP(SCALAR("s"), "\"a\"", NOTHING)},
        {{"{\"s\":\"\xe2\x88\x85\"}", "{\"s\":null}"}, NO_MAP},
        {{"{\"o\":{\"s\":1}}", "{\"o\":{\"s\":2}}"}, MAP(SCALAR("o.s"), "\"1\"", "\"2\"")},
        {{"{\"o\":{\"\":1}}", "{\"o\":{\"\":2}}"}, MAP(SCALAR("o."), "\"1\"", "\"2\"")},
        {{"{\"\":{\"s\":1}}", "{\"\":{\"s\":2}}"}, MAP(SCALAR(".s"), "\"1\"", "\"2\"")},
        {{"{\"l\":[]}", "{\"l\":[null]}"}, MAP(LEN("l"), "\"0\"", "\"1\"")},
        {{"{\"l\":[1]}", "{\"l\":[1,[2,3]]}"}, MAP(LEN("l"), "\"1\"", "\"2+\"")},
        {{"{\"l\":[1,2]}", "{\"l\":[1,2,3]}"}, NO_MAP},
        {{"[]", "[1]"}, MAP(LEN(""), "\"0\"", "\"1\"")},
        {{"[]", "{\"\":[1]}"}, MAP(LEN(""), "\"0\"", NOTHING)},
        /* A field of two kinds splits alike as both of them: the length is the last. */
        {{"{\"l\":[1]}", "{\"l\":\"a\"}"}, MAP(LEN("l"), "\"1\"", NOTHING)},
        /* No fields. */
        {{"{\"o\":{\"l\":[]}}", "{\"o\":{\"l\":[1]}}"}, NO_MAP},
        {{"{\"o\":{\"p\":{\"s\":1}}}", "{\"o\":{\"p\":{\"s\":2}}}"}, NO_MAP},
        {{"[1]", "[2]"}, NO_MAP},
        {{"[{\"s\":1}]", "[{\"s\":2}]"}, NO_MAP},
        {{"1", "2"}, NO_MAP},
        {{"a", "b"}, NO_MAP},
        {{"{\"s\":1} x", "{\"s\":2} x"}, NO_MAP},
        /* No path reaches these. */
        {{"{\"a.b\":1}", "{\"a.b\":2}"}, NO_MAP},
        {{"{\"a\":{\"b.c\":1}}", "{\"a\":{\"b.c\":2}}"}, NO_MAP},
        {{"{\"\":1}", "{\"\":2}"}, NO_MAP},
        {{"{\"a.b\":1,\"a\":{\"b\":4}}", "{\"a.b\":1,\"a\":{\"b\":3}}"},
         MAP(SCALAR("a.b"), "\"3\"", "\"4\"")},
        /* Of a name that comes twice the last value counts, whatever it is. */
        {{"{\"s\":9,\"s\":1}", "{\"s\":9,\"s\":2}"}, MAP(SCALAR("s"), "\"1\"", "\"2\"")},
        {{"{\"s\":1,\"s\":9}", "{\"s\":2,\"\\u0073\":9}"}, NO_MAP},
        {{"{\"s\":1,\"s\":[]}", "{\"s\":2,\"s\":[]}"}, NO_MAP},
        {{"{\"s\":1,\"s\":null}", "{\"s\":2,\"s\":null}"}, NO_MAP},
        {{"{\"o\":{\"s\":1},\"o\":{}}", "{\"o\":{\"s\":2},\"o\":{}}"}, NO_MAP},
        {{"{\"o\":{\"s\":1},\"o\":{\"t\":1}}", "{\"o\":{\"s\":2},\"o\":{\"t\":1}}"}, NO_MAP},
        {{"{\"o\":{\"s\":1,\"s\":{}}}", "{\"o\":{\"s\":2,\"s\":{}}}"}, NO_MAP},
        {{"{\"o\":{\"s\":[],\"s\":1}}", "{\"o\":{\"s\":[],\"s\":2}}"},
         MAP(SCALAR("o.s"), "\"1\"", "\"2\"")},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct stepbook *b = stepbook_new();

        for (int k = 1; k <= 24; k++)
            add_order(b, k, cases[i].outputs[k % 2], k % 2 == 0 ? "cancel" : "return");
        check_chosen(b, cases[i].map);
        stepbook_free(b);
    }
}

static void stepbook_outputs_before_a_field_came_lack_it(void **state)
{
    struct stepbook *b = stepbook_new();

    (void)state;
    for (int i = 1; i <= 24; i++)
        add_order(b, i, i > 12 ? "{\"s\":\"new\"}" : "{}", i > 12 ? "cancel" : "return");
    check_chosen(b, MAP(SCALAR("s"), "\"new\"", NOTHING));
    stepbook_free(b);
}

struct texts_case {
    int n_texts; /* that the field takes, one output in eight lacking it */
    bool is_chosen;
};

static void stepbook_fields_take_eight_texts_at_most(void **state)
{
    static const struct texts_case cases[] = {{7, true}, {8, false}, {9, false}};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct flow *f = tool_flow(order_tools, N_OF(order_tools));
        struct stepbook *b = stepbook_new();

        for (int k = 1; k <= 160; k++) {
            char output[32] = "{}";

            if (k % 8 > 0)
                snprintf(output, sizeof output, "{\"s\":%d}", k / 8 % cases[i].n_texts);
            else if (k % 16 == 0) /* the same as none */
                snprintf(output, sizeof output, "{\"s\":\"\xe2\x88\x85\"}");
            add_order(b, k, output, k / 8 % cases[i].n_texts % 2 == 0 ? "cancel" : "return");
        }
        stepbook_choose_features(b, f, 1.0);
        flow_index(f);
        assert_int_equal(f->n_fields, cases[i].is_chosen);
        if (cases[i].is_chosen)
            assert_int_equal(f->n_features, cases[i].n_texts + 1);
        flow_free(f);
        stepbook_free(b);
    }
}

static void stepbook_looks_at_so_many_fields_of_a_tool(void **state)
{
    (void)state;
    for (int n_more = 0; n_more <= 1; n_more++) {
        struct flow *f = tool_flow(order_tools, N_OF(order_tools));
        struct stepbook *b = stepbook_new();
        struct sp_buf wide = {0};

        /* One output has all the others; then comes a field that tells what follows. */
        for (int i = 1; i < STEPBOOK_MAX_FIELDS + n_more; i++)
            sp_buf_addf(&wide, "%s\"k%d\":1", i > 1 ? "," : "{", i);
        sp_buf_add_char(&wide, '}');
        add_order(b, 0, sp_buf_cstr(&wide), "cancel");
        for (int i = 1; i <= 24; i++)
            add_order(b, i, i % 2 == 0 ? "{\"s\":1}" : "{\"s\":2}",
                      i % 2 == 0 ? "cancel" : "return");
        stepbook_choose_features(b, f, 1.0);
        flow_index(f);
        assert_int_equal(f->n_fields, 1 - n_more);
        sp_buf_deinit(&wide);
        flow_free(f);
        stepbook_free(b);
    }
}

static void stepbook_fields_with_one_text_in_nearly_all_outputs_are_none(void **state)
{
    (void)state;
    for (int n_rare = 7; n_rare <= 8; n_rare++) {
        struct stepbook *b = stepbook_new();

        for (int i = 0; i < 400; i++)
            add_order(b, i, i % 50 == 0 && i / 50 < n_rare ? "{\"s\":1}" : "{\"s\":2}",
                      i % 50 == 0 && i / 50 < n_rare ? "cancel" : "return");
        /* 392 of 400 are 98% and no more. */
        check_chosen(b, n_rare == 7 ? NO_MAP : MAP(SCALAR("s"), "\"1\"", "\"2\""));
        stepbook_free(b);
    }
}

static void stepbook_takes_the_last_of_equal_fields(void **state)
{
    struct stepbook *b = stepbook_new();

    (void)state;
    for (int i = 1; i <= 24; i++)
        add_order(b, i,
                  i % 2 == 0 ? "{\"c\":\"x\",\"b\":\"1\",\"a\":false}"
                             : "{\"c\":\"y\",\"b\":\"0\",\"a\":true}",
                  i % 2 == 0 ? "cancel" : "return");
    check_chosen(b, MAP(SCALAR("c"), "\"x\"", "\"y\""));
    stepbook_free(b);
}

/*
 * Sessions whose next call tells which half each of two fields with eight texts is in. So the
 * second one to be chosen splits the outputs into 64 kinds.
 */
static void stepbook_numbers_63_features_of_a_tool(void **state)
{
    static const struct tool_flow_tool tools[] = {{"get", MANIFEST_READ},
                                                  {"w0", MANIFEST_WRITE},
                                                  {"w1", MANIFEST_WRITE},
                                                  {"w2", MANIFEST_WRITE},
                                                  {"w3", MANIFEST_WRITE}};
    struct flow *f = tool_flow(tools, N_OF(tools));
    struct stepbook *b = stepbook_new();

    (void)state;
    for (int i = 0; i < 64 * 12; i++) {
        char output[48];
        struct flow_session_event events[] = {
            CALL("1", "get", "{}"),
            RESULT("1", "get", output),
            CALL("2", tools[1 + i % 8 / 4 + i / 8 % 8 / 4 * 2].name, "{}"),
            {0}};
        char id[16];

        snprintf(output, sizeof output, "{\"p\":%d,\"q\":%d}", i % 8, i / 8 % 8);
        snprintf(id, sizeof id, "%d", i);
        add(b, id, events);
    }
    stepbook_choose_features(b, f, 1.0);
    flow_index(f);
    assert_int_equal(f->n_fields, 1);
    assert_int_equal(f->fields[0].n, 2);
    assert_int_equal(f->n_features, 63);
    for (size_t i = 0; i < f->n_features; i++) {
        struct sp_str values[] = {f->features[i].values[0], f->features[i].values[1]};

        assert_int_equal(f->features[i].id, i + 1);
        assert_int_equal(values[0].p[0], '0' + (int)(i / 8));
        assert_int_equal(values[1].p[0], '0' + (int)(i % 8));
    }
    stepbook_count(b, f, 1.0);
    flow_index(f);
    /* What has no number counts as no feature. */
    tool_flow_check_has(f, "[[16384],{\"by_action\":[[5,12.0]],\"total\":12.0}],[[16385],");
    flow_free(f);
    stepbook_free(b);
}

static void stepbook_chooses_eight_fields_at_most(void **state)
{
    static const struct tool_flow_tool tools[] = {
        {"a", MANIFEST_READ}, {"b", MANIFEST_READ},  {"c", MANIFEST_READ}, {"d", MANIFEST_READ},
        {"e", MANIFEST_READ}, {"f", MANIFEST_READ},  {"g", MANIFEST_READ}, {"h", MANIFEST_READ},
        {"i", MANIFEST_READ}, {"y", MANIFEST_WRITE}, {"z", MANIFEST_WRITE}};
    struct flow *f = tool_flow(tools, N_OF(tools));
    struct stepbook *b = stepbook_new();
    size_t n = 0;

    (void)state;
    for (int i = 0; i < 9 * 24; i++) {
        const char *tool = tools[i % 9].name;
        struct flow_session_event events[] = {
            CALL("1", tool, "{}"),
            RESULT("1", tool, i / 9 % 2 == 0 ? "{\"s\":1}" : "{\"s\":2}"),
            CALL("2", i / 9 % 2 == 0 ? "y" : "z", "{}"),
            {0}};
        char id[16];

        snprintf(id, sizeof id, "%d", i);
        add(b, id, events);
    }
    stepbook_choose_features(b, f, 1.0);
    flow_index(f);
    for (size_t i = 0; i < f->n_fields; i++)
        n += f->fields[i].n;
    assert_int_equal(n, 8);
    flow_free(f);
    stepbook_free(b);
}

#define MAX_TURNS 400
#define N_PLAIN   3 /* fields of each tool */

static const struct tool_flow_tool plain_tools[] = {
    {"a", MANIFEST_READ}, {"b", MANIFEST_READ}, {"c", MANIFEST_READ}};

/* A call whose output says three things, by the fields `v`, `o.w` and the length of `l`. */
struct turn {
    size_t tool;
    unsigned said[N_PLAIN];
    bool has_output;
    size_t n_before; /* in its session */
    unsigned fold;
};

struct turns {
    struct turn of[MAX_TURNS];
    size_t n;
};

/* Which fields of which tools are chosen, and where they stand among all that are; 0 for none. */
struct chosen {
    unsigned place[N_OF(plain_tools)][N_PLAIN];
    unsigned n;
};

/* Adds a session in which what one tool says matters more than what others do. */
static void add_turns(struct turns *t, struct stepbook *b, struct json_gen *g)
{
    struct episode e = {0};
    size_t tool = json_gen_below(g, N_OF(plain_tools));
    size_t n = json_gen_below(g, 25);
    char id[16];

    snprintf(id, sizeof id, "%d", (int)json_gen_below(g, 100));
    e.task_id = sp_str_of(id);
    for (size_t i = 0; i < n && t->n < MAX_TURNS; i++) {
        static const char *const lists[] = {"", "1", "1,2"};
        struct turn *turn = &t->of[t->n++];
        struct sp_str name = sp_str_of(plain_tools[tool].name);
        size_t at = episode_add_turn(&e, (struct sp_str){0});
        char call[16];
        char output[80];

        *turn = (struct turn){.tool = tool, .n_before = i};
        turn->fold = (unsigned)(decide_hash(e.task_id) % FLOW_N_FOLDS);
        turn->has_output = json_gen_below(g, 10) > 0;
        for (size_t k = 0; k < N_PLAIN; k++)
            turn->said[k] = (unsigned)json_gen_below(g, k == 0 ? 2 : 3);
        snprintf(call, sizeof call, "%d", (int)i);
        snprintf(output, sizeof output, "{\"v\":%u,\"o\":{\"w\":%u},\"l\":[%s]}", turn->said[0],
                 turn->said[1], lists[turn->said[2]]);
        episode_add_call(&e, at, (struct episode_call){sp_str_of(call), name, SP_STR("{}")});
        episode_add_result(&e, sp_str_of(call), name, false,
                           turn->has_output ? sp_str_of(output) : SP_STR("none"));
        if (json_gen_below(g, 8) == 0)
            tool = json_gen_below(g, N_OF(plain_tools));
        else
            tool = (turn->said[tool] + (tool == 1 ? turn->said[0] : 0)) % N_OF(plain_tools);
    }
    stepbook_add(b, &e);
    episode_deinit(&e);
}

/* What is known of a step by the chosen fields. */
static unsigned known_of(const struct turn *t, const struct chosen *c)
{
    unsigned known = 0;

    for (size_t k = 0; k < N_PLAIN; k++)
        known = 4 * known + (t->has_output && c->place[t->tool][k] > 0 ? 1 + t->said[k] : 0);
    return known * (unsigned)N_OF(plain_tools) + (unsigned)t->tool;
}

static bool has_same_before(const struct turns *t, const unsigned *known, size_t i, size_t k,
                            size_t order)
{
    for (size_t back = 1; back <= order; back++) {
        bool has_i = t->of[i].n_before >= back;
        bool has_k = t->of[k].n_before >= back;

        if (has_i != has_k || (has_i && known[i - back] != known[k - back]))
            return false;
    }
    return true;
}

/* The score by its definition, at alpha 1. */
static double plain_score(const struct turns *t, const struct chosen *c)
{
    const size_t n_actions = N_OF(plain_tools) + 2;
    unsigned known[MAX_TURNS];
    double sum = 0;

    for (size_t i = 0; i < t->n; i++)
        known[i] = known_of(&t->of[i], c);
    for (size_t i = 0; i < t->n; i++) {
        double p = 1 / (double)n_actions;

        for (size_t order = 0; order <= 2; order++) {
            double n = 0;
            double hits = 0;

            for (size_t k = 0; k < t->n; k++) {
                bool counts =
                    t->of[k].fold != t->of[i].fold && has_same_before(t, known, i, k, order);

                n += counts;
                hits += counts && t->of[k].tool == t->of[i].tool;
            }
            p = (hits + p) / (n + 1);
        }
        sum += log(p);
    }
    return sum;
}

static struct chosen plain_choice(const struct turns *t)
{
    struct chosen c = {0};

    while (c.n < 8) {
        double before = plain_score(t, &c);
        double most = -INFINITY;
        unsigned *best = NULL;

        for (size_t i = 0; i < N_OF(plain_tools) * N_PLAIN; i++) {
            unsigned *place = &c.place[i / N_PLAIN][i % N_PLAIN];
            double gain;

            if (*place > 0)
                continue;
            *place = c.n + 1;
            gain = plain_score(t, &c) - before;
            *place = 0;
            if (gain >= most - 1e-9) {
                most = gain;
                best = place;
            }
        }
        if (most < 5)
            break;
        *best = ++c.n;
    }
    return c;
}

/* Fails the test unless a flow has the fields of a plain choice, in their order. */
static void check_fields(const struct flow *f, const struct chosen *c)
{
    static const char *const paths[] = {"v", "o.w", "l"};

    for (size_t i = 0; i < N_OF(plain_tools); i++) {
        const struct flow_fields *fields = flow_fields_of(f, sp_str_of(plain_tools[i].name));
        size_t n = 0;

        for (unsigned place = 1; place <= c->n; place++) {
            for (size_t k = 0; k < N_PLAIN; k++) {
                if (c->place[i][k] != place)
                    continue;
                assert_non_null(fields);
                assert_true(n < fields->n);
                assert_true(sp_str_eq(fields->of[n].path, sp_str_of(paths[k])));
                assert_int_equal(fields->of[n++].is_len, k == 2);
            }
        }
        assert_int_equal(n, fields != NULL ? fields->n : 0);
    }
}

static void stepbook_chooses_as_a_plain_search_does(void **state)
{
    struct json_gen g = {.state = 77};
    struct turns *t = test_malloc(sizeof *t);
    unsigned n_chosen = 0;

    (void)state;
    for (int i = 0; i < 12; i++) {
        struct flow *f = tool_flow(plain_tools, N_OF(plain_tools));
        struct stepbook *b = stepbook_new();
        struct chosen c;

        t->n = 0;
        for (uint64_t n = 2 + json_gen_below(&g, 22); n > 0; n--)
            add_turns(t, b, &g);
        c = plain_choice(t);
        stepbook_choose_features(b, f, 1.0);
        flow_index(f);
        check_fields(f, &c);
        n_chosen += c.n;
        flow_free(f);
        stepbook_free(b);
    }
    assert_true(n_chosen > 12);
    test_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stepbook_chooses_the_field_that_tells_what_follows),
        cmocka_unit_test(stepbook_fields_are_those_that_serving_reads),
        cmocka_unit_test(stepbook_outputs_before_a_field_came_lack_it),
        cmocka_unit_test(stepbook_fields_take_eight_texts_at_most),
        cmocka_unit_test(stepbook_looks_at_so_many_fields_of_a_tool),
        cmocka_unit_test(stepbook_fields_with_one_text_in_nearly_all_outputs_are_none),
        cmocka_unit_test(stepbook_takes_the_last_of_equal_fields),
        cmocka_unit_test(stepbook_numbers_63_features_of_a_tool),
        cmocka_unit_test(stepbook_chooses_eight_fields_at_most),
        cmocka_unit_test(stepbook_chooses_as_a_plain_search_does),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
