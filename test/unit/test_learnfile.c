/* Tests of learn/learnfile.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "learn/learnfile.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define PREDICATE(id, favors) \
    "{\"id\":" id ",\"favors\":" favors ",\"question\":\"Q?\",\"yes\":\"Y.\",\"no\":\"N.\"}"

struct error_case {
    const char *text;
    const char *error;
};

/* What every one of the files is refused for. */
static const struct error_case no_objects[] = {
    {"", "it is not JSON"},        {" \n", "it is not JSON"},
    {"{", "it is not JSON"},       {"{\"a\":1,}", "it is not JSON"},
    {"{} {}", "it is not JSON"},   {"\xff", "it is not JSON"},
    {"[]", "it is not an object"}, {"null", "it is not an object"},
    {"1", "it is not an object"},  {"\"{}\"", "it is not an object"},
};

/* A copy in memory of its own that ends right behind the text, and that is gone before `ret` is. */
static struct sp_str copied(const char *text)
{
    size_t len = strlen(text);
    char *copy = sp_malloc(len > 0 ? len : 1);

    memcpy(copy, text, len);
    return (struct sp_str){copy, len};
}

static void dropped(struct sp_str text)
{
    char *p = (char *)text.p;

    memset(p, 'x', text.len);
    free(p);
}

static void assert_text(struct sp_str got, const char *wanted)
{
    assert_int_equal(got.len, strlen(wanted));
    assert_memory_equal(got.p, wanted, got.len);
}

/* ---- tools ---- */

static struct flow *read_tools(const char *text)
{
    struct flow *f = flow_new();
    struct sp_str copy = copied(text);
    struct sp_err err;

    if (learnfile_read_tools(copy, f, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    dropped(copy);
    flow_index(f);
    return f;
}

static void learnfile_reads_kinds_and_docs_of_tools(void **state)
{
    struct flow *f = read_tools(" {\"docs\":{\"get\":{\"summary\":\"One\\nticket.\",\"args\":{"
                                "\"id\":\"Its id.\",\"a\\u0062\":\"\"}}},"
                                "\"tools\":{\"get\":\"read\",\"find\":\"generic\","
                                "\"cl\\u00f6se\":\"write\"}}\n");
    const struct flow_doc *doc = flow_doc_of(f, SP_STR("get"));

    (void)state;
    assert_int_equal(f->n_kinds, 3);
    assert_int_equal(flow_kind_of(f, SP_STR("get"))->kind, MANIFEST_READ);
    assert_int_equal(flow_kind_of(f, SP_STR("find"))->kind, MANIFEST_GENERIC);
    assert_int_equal(flow_kind_of(f, SP_STR("cl\xc3\xb6se"))->kind, MANIFEST_WRITE);
    assert_int_equal(f->n_docs, 1);
    assert_text(doc->summary, "One\nticket.");
    assert_int_equal(doc->n_args, 2);
    assert_text(doc->args[0].name, "ab");
    assert_text(doc->args[0].text, "");
    assert_text(doc->args[1].name, "id");
    assert_text(doc->args[1].text, "Its id.");
    flow_free(f);
}

static void learnfile_reads_nothing_else_of_a_manifest(void **state)
{
    static const char *const texts[] = {
        "{\"tools\":{\"a\":\"read\"}}",
        "{\"tools\":{\"a\":\"read\"},\"docs\":{}}",
        "{\"domain\":\"shop\",\"tools\":{\"a\":\"read\"}}",
        "{\"domain\":[7],\"tools\":{\"a\":\"read\"},\"contracts\":{\"a\":\"x:string\"}}",
        "{\"tools\":{\"a\":\"read\"},\"model\":0,\"habit\":null,\"docs\":{}}",
    };

    (void)state;
    for (size_t i = 0; i < N_OF(texts); i++) {
        struct flow *f = read_tools(texts[i]);

        assert_int_equal(f->n_kinds, 1);
        assert_int_equal(f->n_docs, 0);
        assert_int_equal(f->domain.len, 0);
        assert_int_equal(f->n_contracts, 0);
        flow_free(f);
    }
}

static void learnfile_reads_a_manifest_of_no_tools(void **state)
{
    struct flow *f = read_tools("{\"tools\":{}}");

    (void)state;
    assert_int_equal(f->n_kinds, 0);
    flow_free(f);
}

static void learnfile_names_what_is_wrong_in_a_manifest(void **state)
{
    static const struct error_case cases[] = {
        {"{}", "tools: missing"},
        {"{\"docs\":{}}", "tools: missing"},
        {"{\"tools\":null}", "tools: expected an object"},
        {"{\"tools\":[]}", "tools: expected an object"},
        {"{\"tools\":{\"a\":\"delete\"}}", "tools.a: expected \"read\", \"write\" or \"generic\""},
        {"{\"tools\":{\"a\":\"read\",\"b\":\"Read\"}}",
         "tools.b: expected \"read\", \"write\" or \"generic\""},
        {"{\"tools\":{\"a\":true}}", "tools.a: expected \"read\", \"write\" or \"generic\""},
        {"{\"tools\":{},\"docs\":[]}", "docs: expected an object"},
        {"{\"tools\":{},\"docs\":{\"a\":\"x\"}}", "docs.a: expected an object"},
        {"{\"tools\":{},\"docs\":{\"a\":{\"args\":{}}}}", "docs.a.summary: missing"},
        {"{\"tools\":{},\"docs\":{\"a\":{\"summary\":\"x\"}}}", "docs.a.args: missing"},
        {"{\"tools\":{},\"docs\":{\"a\":{\"summary\":1,\"args\":{}}}}",
         "docs.a.summary: expected a string"},
        {"{\"tools\":{},\"docs\":{\"a\":{\"summary\":\"x\",\"args\":{\"n\":null}}}}",
         "docs.a.args.n: expected a string"},
    };
    const struct {
        const struct error_case *of;
        size_t n;
    } tables[] = {{no_objects, N_OF(no_objects)}, {cases, N_OF(cases)}};

    (void)state;
    for (size_t t = 0; t < N_OF(tables); t++) {
        for (size_t i = 0; i < tables[t].n; i++) {
            struct sp_str copy = copied(tables[t].of[i].text);
            struct flow *f = flow_new();
            struct sp_err err = {0};

            if (learnfile_read_tools(copy, f, &err) >= 0)
                fail_msg("read: %s", tables[t].of[i].text);
            assert_string_equal(err.text, tables[t].of[i].error);
            dropped(copy);
            flow_free(f);
        }
    }
}

/* ---- rewards ---- */

/* The reward of a session, or -7. */
static double reward_of(const struct learnfile_rewards *r, const char *session)
{
    const size_t *at = sp_map_find(&r->by_session, sp_str_of(session));

    return at != NULL ? r->values[*at] : -7;
}

static void learnfile_reads_rewards(void **state)
{
    struct sp_str text =
        copied("{\"s1\":1,\"s\\u0032\":0.5,\"\":-2e-3,\"big\":18446744073709551616,"
               "\"s4\":0.9999999999999999}");
    struct learnfile_rewards r = {0};
    struct sp_arena arena = {0};
    struct sp_err err;

    (void)state;
    if (learnfile_read_rewards(text, &arena, &r, &err) < 0)
        fail_msg("%s", err.text);
    dropped(text);
    assert_int_equal(r.by_session.n, 5);
    assert_true(reward_of(&r, "s1") == 1.0);
    assert_true(reward_of(&r, "s2") == 0.5);
    assert_true(reward_of(&r, "") == -2e-3);
    assert_true(reward_of(&r, "big") == 18446744073709551616.0);
    assert_true(reward_of(&r, "s4") == 0.9999999999999999);
    assert_true(reward_of(&r, "s3") == -7);
    learnfile_rewards_deinit(&r);
    learnfile_rewards_deinit(&r);
    sp_arena_deinit(&arena);
}

static void learnfile_reads_no_rewards(void **state)
{
    struct learnfile_rewards r = {0};
    struct sp_arena arena = {0};
    struct sp_err err;

    (void)state;
    assert_int_equal(learnfile_read_rewards(SP_STR("{}"), &arena, &r, &err), 0);
    assert_int_equal(r.by_session.n, 0);
    learnfile_rewards_deinit(&r);
    sp_arena_deinit(&arena);
}

static void learnfile_takes_the_last_reward_of_a_session(void **state)
{
    struct learnfile_rewards r = {0};
    struct sp_arena arena = {0};
    struct sp_err err;

    (void)state;
    assert_int_equal(
        learnfile_read_rewards(SP_STR("{\"a\":1,\"b\":2,\"\\u0061\":3,\"c\":4}"), &arena, &r, &err),
        0);
    assert_int_equal(r.by_session.n, 3);
    assert_true(reward_of(&r, "a") == 3.0);
    assert_true(reward_of(&r, "b") == 2.0);
    assert_true(reward_of(&r, "c") == 4.0);
    learnfile_rewards_deinit(&r);
    sp_arena_deinit(&arena);
}

static void learnfile_names_what_is_wrong_in_rewards(void **state)
{
    static const struct error_case cases[] = {
        {"{\"s1\":\"1\"}", "s1: expected a number"},
        {"{\"s1\":1,\"s 2\":null}", "[\"s 2\"]: expected a number"},
        {"{\"s1\":1,\"s2\":true,\"s3\":1}", "s2: expected a number"},
        {"{\"s1\":{\"reward\":1}}", "s1: expected a number"},
    };
    const struct {
        const struct error_case *of;
        size_t n;
    } tables[] = {{no_objects, N_OF(no_objects)}, {cases, N_OF(cases)}};

    (void)state;
    for (size_t t = 0; t < N_OF(tables); t++) {
        for (size_t i = 0; i < tables[t].n; i++) {
            struct sp_str copy = copied(tables[t].of[i].text);
            struct learnfile_rewards r = {0};
            struct sp_arena arena = {0};
            struct sp_err err = {0};

            if (learnfile_read_rewards(copy, &arena, &r, &err) >= 0)
                fail_msg("read: %s", tables[t].of[i].text);
            assert_string_equal(err.text, tables[t].of[i].error);
            dropped(copy);
            learnfile_rewards_deinit(&r);
            sp_arena_deinit(&arena);
        }
    }
}

/* ---- predicates ---- */

static void learnfile_reads_predicates(void **state)
{
    struct sp_str text = copied(
        "{\"weighed\":7,\"predicates\":[" PREDICATE("\"zeta\"", "\"same_lookup\"") "," PREDICATE(
            "\"b\\u0062\"",
            "\"any_lookup\"") "," PREDICATE("\"c\"",
                                            "\"hand_back\"") "," PREDICATE("\"d\"",
                                                                           "{\"lookup\":\"get_"
                                                                           "ticket\"}") "],"
                                                                                        "\"more\":["
                                                                                        "]}");
    static const struct {
        const char *id;
        enum flow_favors_kind favors;
    } wanted[] = {
        {"zeta", FLOW_SAME_LOOKUP},
        {"bb", FLOW_ANY_LOOKUP},
        {"c", FLOW_HAND_BACK},
        {"d", FLOW_ONE_LOOKUP},
    };
    struct flow_predicates p = {0};
    struct sp_arena arena = {0};
    struct sp_err err;

    (void)state;
    if (learnfile_read_predicates(text, &arena, &p, &err) < 0)
        fail_msg("%s", err.text);
    dropped(text);
    assert_int_equal(p.n, N_OF(wanted));
    for (size_t i = 0; i < N_OF(wanted); i++) {
        assert_text(p.of[i].id, wanted[i].id);
        assert_int_equal(p.of[i].favors.kind, wanted[i].favors);
        assert_text(p.of[i].question, "Q?");
        assert_text(p.of[i].yes, "Y.");
        assert_text(p.of[i].no, "N.");
    }
    assert_text(p.of[3].favors.lookup, "get_ticket");
    sp_arena_deinit(&arena);
}

static void learnfile_reads_no_predicates(void **state)
{
    struct flow_predicates p = {0};
    struct sp_arena arena = {0};
    struct sp_err err;

    (void)state;
    assert_int_equal(learnfile_read_predicates(SP_STR("{\"predicates\":[]}"), &arena, &p, &err), 0);
    assert_int_equal(p.n, 0);
    sp_arena_deinit(&arena);
}

static void learnfile_names_what_is_wrong_in_predicates(void **state)
{
    static const struct error_case cases[] = {
        {"{}", "predicates: missing"},
        {"{\"weighed\":[]}", "predicates: missing"},
        {"{\"predicates\":{}}", "predicates: expected an array"},
        {"{\"predicates\":[7]}", "predicates[0]: expected an object"},
        {"{\"predicates\":[" PREDICATE("\"a\"", "\"any_lookup\"") ",{}]}",
         "predicates[1].id: missing"},
        {"{\"predicates\":[" PREDICATE("7", "\"any_lookup\"") "]}",
         "predicates[0].id: expected a string"},
        {"{\"predicates\":[{\"id\":\"a\"}]}", "predicates[0].favors: missing"},
        {"{\"predicates\":[{\"id\":\"a\",\"favors\":\"any_lookup\",\"question\":\"?\","
         "\"yes\":\"\"}]}",
         "predicates[0].no: missing"},
        {"{\"predicates\":[" PREDICATE("\"a\"", "\"any_lookup\"") "," PREDICATE(
             "\"b\"", "\"hand_back\"") "," PREDICATE("\"\\u0061\"", "\"hand_back\"") "]}",
         "predicates[2].id: another predicate has it"},
        {"{\"predicates\":[" PREDICATE("\"\"", "\"any_lookup\"") "]}",
         "predicates[0].id: it is empty"},
    };
    const struct {
        const struct error_case *of;
        size_t n;
    } tables[] = {{no_objects, N_OF(no_objects)}, {cases, N_OF(cases)}};

    (void)state;
    for (size_t t = 0; t < N_OF(tables); t++) {
        for (size_t i = 0; i < tables[t].n; i++) {
            struct sp_str copy = copied(tables[t].of[i].text);
            struct flow_predicates p = {0};
            struct sp_arena arena = {0};
            struct sp_err err = {0};

            if (learnfile_read_predicates(copy, &arena, &p, &err) >= 0)
                fail_msg("read: %s", tables[t].of[i].text);
            assert_string_equal(err.text, tables[t].of[i].error);
            dropped(copy);
            sp_arena_deinit(&arena);
        }
    }
}

static void learnfile_refuses_a_predicate_that_speaks_for_nothing(void **state)
{
    static const char *const texts[] = {
        "{\"predicates\":[" PREDICATE("\"a\"", "\"nobody\"") "]}",
        "{\"predicates\":[" PREDICATE("\"a\"", "null") "]}",
        "{\"predicates\":[" PREDICATE("\"a\"", "{}") "]}",
        "{\"predicates\":[" PREDICATE("\"a\"", "{\"lookup\":7}") "]}",
        "{\"predicates\":[" PREDICATE("\"a\"", "{\"tool\":\"x\"}") "]}",
    };

    (void)state;
    for (size_t i = 0; i < N_OF(texts); i++) {
        struct flow_predicates p = {0};
        struct sp_arena arena = {0};
        struct sp_err err = {0};

        if (learnfile_read_predicates(sp_str_of(texts[i]), &arena, &p, &err) >= 0)
            fail_msg("read: %s", texts[i]);
        if (strncmp(err.text, "predicates[0].favors", strlen("predicates[0].favors")) != 0)
            fail_msg("%s: %s", texts[i], err.text);
        sp_arena_deinit(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learnfile_reads_kinds_and_docs_of_tools),
        cmocka_unit_test(learnfile_reads_nothing_else_of_a_manifest),
        cmocka_unit_test(learnfile_reads_a_manifest_of_no_tools),
        cmocka_unit_test(learnfile_names_what_is_wrong_in_a_manifest),
        cmocka_unit_test(learnfile_reads_rewards),
        cmocka_unit_test(learnfile_reads_no_rewards),
        cmocka_unit_test(learnfile_takes_the_last_reward_of_a_session),
        cmocka_unit_test(learnfile_names_what_is_wrong_in_rewards),
        cmocka_unit_test(learnfile_reads_predicates),
        cmocka_unit_test(learnfile_reads_no_predicates),
        cmocka_unit_test(learnfile_names_what_is_wrong_in_predicates),
        cmocka_unit_test(learnfile_refuses_a_predicate_that_speaks_for_nothing),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
