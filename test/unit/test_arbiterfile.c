/* Tests of flow/arbiterfile.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow/arbiterfile.h"
#include "flow_edit.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define EXAMPLE                                 \
    "{\n"                                       \
    "  \"stretto_arbiter\": 1,\n"               \
    "  \"domain\": \"tickets\",\n"              \
    "  \"provenance\": {\n"                     \
    "    \"stretto\": \"0.1.0\",\n"             \
    "    \"sources\": [\n"                      \
    "      \"glm-5\"\n"                         \
    "    ],\n"                                  \
    "    \"habit_episodes\": 3,\n"              \
    "    \"arbiter_cases\": 7,\n"               \
    "    \"compiled_unix_ms\": 1790198400000\n" \
    "  },\n"                                    \
    "  \"predicates\": [],\n"                   \
    "  \"weighed\": [\n"                        \
    "    {\n"                                   \
    "      \"id\": \"more_listed\",\n"          \
    "      \"favors\": {\n"                     \
    "        \"lookup\": \"get_ticket\"\n"      \
    "      },\n"                                \
    "      \"question\": \"Is there more?\",\n" \
    "      \"yes\": \"Yes.\",\n"                \
    "      \"no\": \"No.\"\n"                   \
    "    }\n"                                   \
    "  ],\n"                                    \
    "  \"fitted\": {\n"                         \
    "    \"weights\": [\n"                      \
    "      0.5,\n"                              \
    "      0.3,\n"                              \
    "      0.2,\n"                              \
    "      0.1,\n"                              \
    "      0.6,\n"                              \
    "      0.4\n"                               \
    "    ],\n"                                  \
    "    \"rates\": {\n"                        \
    "      \"sites\": [\n"                      \
    "        [\n"                               \
    "          \"find_tickets\",\n"             \
    "          [\n"                             \
    "            8.0,\n"                        \
    "            6.0,\n"                        \
    "            8.0\n"                         \
    "          ]\n"                             \
    "        ]\n"                               \
    "      ],\n"                                \
    "      \"agree\": 0.7,\n"                   \
    "      \"cover\": 0.95\n"                   \
    "    }\n"                                   \
    "  },\n"                                    \
    "  \"model\": \"jev-latest\"\n"             \
    "}"

static void arbiterfile_writes_what_it_read_indented(void **state)
{
    struct arbiterfile a = {0};
    struct sp_buf b = {0};
    struct sp_err err;

    (void)state;
    if (arbiterfile_parse(SP_STR(EXAMPLE), &a, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(a.provenance.arbiter_cases, 7);
    assert_int_equal(a.predicates.n, 0);
    assert_int_equal(a.weighed.of[0].favors.kind, FLOW_ONE_LOOKUP);
    assert_true(flow_rate_of(&a.fitted, SP_STR("find_tickets"))->agreed == 6.0);
    arbiterfile_put(&b, &a);
    assert_string_equal(sp_buf_cstr(&b), EXAMPLE);
    sp_buf_deinit(&b);
    arbiterfile_deinit(&a);
    arbiterfile_deinit(&a);
}

static void arbiterfile_refuses_what_is_none(void **state)
{
    static const struct {
        struct flow_edit edit;
        const char *error;
    } cases[] = {
        {{"\"stretto_arbiter\": 1", "\"stretto_flow\": 1"},
         "not a stretto arbiter: stretto_arbiter: missing"},
        {{"\"stretto_arbiter\": 1", "\"stretto_arbiter\": \"1\""},
         "not a stretto arbiter: stretto_arbiter: expected an integer of 0 or more"},
        {{"\"stretto_arbiter\": 1", "\"stretto_arbiter\": 1.0"},
         "not a stretto arbiter: stretto_arbiter: expected an integer of 0 or more"},
        {{"{", "["}, "not a stretto arbiter: it is not JSON"},
        {{EXAMPLE, "[]"}, "not a stretto arbiter: it is not an object"},
        {{EXAMPLE, "{\"stretto_arbiter\":2}"}, "arbiter format 2 is not one this build reads (1)"},
        {{"\"domain\"", "\"field\""}, "domain: missing"},
        {{"\"provenance\"", "\"where\""}, "provenance: missing"},
        {{"\"predicates\"", "\"asked\""}, "predicates: missing"},
        {{"\"weighed\"", "\"asked\""}, "weighed: missing"},
        {{"\"fitted\"", "\"fits\""}, "fitted: missing"},
        {{"\"model\"", "\"who\""}, "model: missing"},
        {{"\"agree\": 0.7", "\"agree\": \"?\""}, "fitted.rates.agree: expected a number"},
        {{"0.5,", ""}, "fitted.weights: 5 instead of 6"},
        {{"\"agree\": 0.7", "\"agree\": -0.7"},
         "fitted.rates: numbers that are not finite and at least 0"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_buf text = flow_edited(EXAMPLE, &cases[i].edit, 1);
        struct arbiterfile a = {0};
        struct sp_err err = {0};

        if (arbiterfile_parse(sp_buf_str(&text), &a, &err) == 0)
            fail_msg("read without '%s'", cases[i].error);
        assert_string_equal(err.text, cases[i].error);
        assert_null(a.arena.blocks);
        sp_buf_deinit(&text);
    }
}

static void arbiterfile_ignores_members_it_does_not_know(void **state)
{
    static const struct flow_edit edit = {"\"domain\"", "\"notes\":{},\"domain\""};
    struct sp_buf text = flow_edited(EXAMPLE, &edit, 1);
    struct arbiterfile a = {0};
    struct sp_err err;

    (void)state;
    assert_int_equal(arbiterfile_parse(sp_buf_str(&text), &a, &err), 0);
    arbiterfile_deinit(&a);
    sp_buf_deinit(&text);
}

static void arbiterfile_is_told_from_a_flow(void **state)
{
    (void)state;
    assert_true(arbiterfile_is(SP_STR(EXAMPLE)));
    assert_true(arbiterfile_is(SP_STR("{\"stretto_arbiter\":null}")));
    assert_false(arbiterfile_is(SP_STR("{\"stretto_flow\":1}")));
    assert_false(arbiterfile_is(SP_STR("[\"stretto_arbiter\"]")));
    assert_false(arbiterfile_is(SP_STR("stretto_arbiter")));
}

static void arbiterfile_names_a_file_that_it_cannot_read(void **state)
{
    struct arbiterfile a = {0};
    struct sp_err err;

    (void)state;
    assert_true(arbiterfile_load("/nowhere/a.json", &a, &err) < 0);
    assert_string_equal(err.text, "reading /nowhere/a.json: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arbiterfile_writes_what_it_read_indented),
        cmocka_unit_test(arbiterfile_refuses_what_is_none),
        cmocka_unit_test(arbiterfile_ignores_members_it_does_not_know),
        cmocka_unit_test(arbiterfile_is_told_from_a_flow),
        cmocka_unit_test(arbiterfile_names_a_file_that_it_cannot_read),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
