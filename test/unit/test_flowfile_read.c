/* Tests of flow/flow.h: what a flow file may not be. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow/flow.h"
#include "flow_edit.h"
#include "flow_example.h"
#include "json_gen.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define BEGIN_V1 "{\"stretto_flow\":1,"
#define BEGIN_V2 "{\"stretto_flow\":2,"

static void flow_needs_a_version_it_knows(void **state)
{
    static const struct {
        const char *text;
        const char *error;
    } cases[] = {
        {"", "not a stretto flow: it is not JSON"},
        {"{", "not a stretto flow: it is not JSON"},
        {"[]", "not a stretto flow: it is not an object"},
        {"12", "not a stretto flow: it is not an object"},
        {"{}", "not a stretto flow: stretto_flow: missing"},
        {"{\"stretto_flow\":\"1\"}",
         "not a stretto flow: stretto_flow: expected an integer of 0 to 4294967295"},
        {"{\"stretto_flow\":-1}",
         "not a stretto flow: stretto_flow: expected an integer of 0 to 4294967295"},
        {"{\"stretto_flow\":1.5}",
         "not a stretto flow: stretto_flow: expected an integer of 0 to 4294967295"},
        {"{\"stretto_flow\":4294967296}",
         "not a stretto flow: stretto_flow: expected an integer of 0 to 4294967295"},
        {"{\"stretto_flow\":4294967295}",
         "flow format 4294967295 is not one this build reads (1, 2)"},
        {"{\"stretto_flow\":99}", "flow format 99 is not one this build reads (1, 2)"},
        {"{\"stretto_flow\":0}", "flow format 0 is not one this build reads (1, 2)"},
        {"{\"stretto_flow\":3,\"group\":\"?\"}",
         "flow format 3 is not one this build reads (1, 2)"},
        {"{\"stretto_flow\":1}", "provenance: missing"},
    };
    struct sp_buf text =
        flow_edited(FLOW_EXAMPLE, &(struct flow_edit){BEGIN_V1, "{\"stretto_flow\":99,"}, 1);

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++)
        flow_check_error(sp_str_of(cases[i].text), cases[i].error);
    flow_check_error(sp_buf_str(&text), "flow format 99 is not one this build reads (1, 2)");
    sp_buf_deinit(&text);
}

static void flow_names_a_member_that_is_missing(void **state)
{
    static const char *const members[] = {
        "provenance",
        "stretto",
        "sources",
        "habit_episodes",
        "arbiter_cases",
        "vocab",
        "manifest",
        "domain",
        "tools",
        "map",
        "fields",
        "ids",
        "group",
        "habit",
        "base",
        "order",
        "alpha",
        "vocab_size",
        "levels",
        "beta",
        "top",
        "sites",
        "reads",
        "next",
        "feeds",
        "predicates",
        "weighed",
        "folds",
        "bindings",
        "args",
        "model",
        "summary",
        "compiled_unix_ms",
        "by_action",
        "total",
        "values",
        "found",
    };

    (void)state;
    for (size_t i = 0; i < N_OF(members); i++) {
        struct sp_buf from = {0};
        struct sp_buf to = {0};
        struct sp_buf text;
        struct flow *f = NULL;
        struct sp_err err;

        sp_buf_addf(&from, "\"%s\":", members[i]);
        sp_buf_addf(&to, "\"not_%s\":", members[i]);
        text =
            flow_edited(FLOW_EXAMPLE, &(struct flow_edit){sp_buf_cstr(&from), sp_buf_cstr(&to)}, 1);
        sp_buf_clear(&from);
        sp_buf_addf(&from, "%s: missing", members[i]);
        assert_true(flow_parse(sp_buf_str(&text), &f, &err) < 0);
        if (!sp_str_ends(sp_str_of(err.text), sp_buf_str(&from)))
            fail_msg("'%s' for %s", err.text, members[i]);
        sp_buf_deinit(&text);
        sp_buf_deinit(&to);
        sp_buf_deinit(&from);
    }
}

static void flow_names_the_place_of_a_wrong_type(void **state)
{
    static const struct flow_error_case cases[] = {
        {{"\"provenance\":{", "\"provenance\":7,\"x\":{"}, "provenance: expected an object"},
        {{"[\"glm-5\"]", "[null]"}, "provenance.sources[0]: expected a string"},
        {{"\"arbiter_cases\":0", "\"arbiter_cases\":-1"},
         "provenance.arbiter_cases: expected an integer of 0 or more"},
        {{"\"arbiter_cases\":0", "\"arbiter_cases\":0.0"},
         "provenance.arbiter_cases: expected an integer of 0 or more"},
        {{"\"Respond\"", "\"Reply\""}, "vocab[0]: expected \"Respond\" or {\"Tool\": NAME}"},
        {{"{\"Tool\":\"get_ticket\"}", "{\"Tool\":1}"},
         "vocab[2]: expected \"Respond\" or {\"Tool\": NAME}"},
        {{"\"get_ticket\":\"read\"", "\"get_ticket\":\"delete\""},
         "manifest.tools.get_ticket: expected \"read\", \"write\" or \"generic\""},
        {{"\"get_ticket\":\"read\"", "\"a b\\n\":1"},
         "manifest.tools[\"a b\\n\"]: expected \"read\", \"write\" or \"generic\""},
        {{"\"One ticket.\"", "null"}, "manifest.docs.get_ticket.summary: expected a string"},
        {{"\"The ticket's id.\"", "[]"},
         "manifest.docs.get_ticket.args.ticket_id: expected a string"},
        {{"\"fields\":{}", "\"fields\":{\"a\":[{\"Size\":\"\"}]}"},
         "map.fields.a[0]: expected {\"Scalar\": PATH} or {\"Len\": PATH}"},
        {{"\"ids\":[]", "\"ids\":[[[\"a\",[\"x\"]]]]"}, "map.ids[0]: expected an array of 2"},
        {{"\"ids\":[]", "\"ids\":[[[\"a\",[1]],1]]"}, "map.ids[0][0][1][0]: expected a string"},
        {{"\"group\":1", "\"group\":true"}, "group: expected an integer of 0 or more"},
        {{"\"alpha\":1.0", "\"alpha\":\"1\""}, "habit.base.alpha: expected a number"},
        {{"\"levels\":[", "\"levels\":{},\"x\":["}, "habit.base.levels: expected an array"},
        {{"[16384]", "[4294967296]"},
         "habit.base.levels[1][1][0][0]: expected an integer of 0 to 4294967295"},
        {{"\"total\":13.0", "\"total\":{}"}, "habit.base.levels[0][0][1].total: expected a number"},
        {{"[1,[8192,16384]]", "[[8192,16384]]"}, "habit.top[0][0]: expected an array of 2"},
        {{"[\"find_tickets\",false]", "[\"find_tickets\",0]"},
         "sites.next[0][0][1]: expected true or false"},
        {{"{\"get_ticket\":3}", "[]"}, "sites.next[0][1]: expected an object"},
        {{"\"feeds\":{}", "\"feeds\":{\"a\":{}}"}, "sites.feeds.a: expected an array"},
        {{"\"feeds\":{}", "\"feeds\":{},\"every_read\":1"},
         "sites.every_read: expected true or false"},
        {{"\"predicates\":[]",
          "\"predicates\":[{\"id\":\"p\",\"favors\":\"nobody\",\"question\":\"\"}]"},
         "predicates[0].favors: expected \"same_lookup\", \"any_lookup\", \"hand_back\" or "
         "{\"lookup\": TOOL}"},
        {{"\"weighed\":[]", "\"weighed\":[{\"id\":\"p\",\"favors\":{\"lookup\":\"a\"},"
                            "\"question\":\"\",\"yes\":\"\"}]"},
         "weighed[0].no: missing"},
        {{"\"folds\":[]", "\"folds\":[{\"weights\":[]}]"}, "folds[0].rates: missing"},
        {{"\"folds\":[]", "\"folds\":[{\"weights\":[],\"rates\":{\"sites\":[[\"a\",[1,2]]]}}]"},
         "folds[0].rates.sites[0][1]: expected an array of 3"},
        {{"[4,{\"email\":4}]", "[4,{\"email\":4.0}]"},
         "bindings.args.find_tickets[1].email: expected an integer of 0 or more"},
        {{"[\"find_tickets\",\"$.tickets[*]\"]", "[\"find_tickets\"]"},
         "bindings.sources[1][1].found[0][0]: expected an array of 2"},
        {{"[[4,4],[0,0]]", "[[4,4]]"}, "bindings.agreed.get_ticket: expected an array of 2"},
        {{"\"agreed\"", "\"bare\":[],\"agreed\""}, "bindings.bare: expected an object"},
        {{"\"agreed\"", "\"site_sources\":[{\"tool\":\"a\"}],\"agreed\""},
         "bindings.site_sources[0].arg: missing"},
        {{"\"agreed\"", "\"constants\":[[[\"a\"],1]],\"agreed\""},
         "bindings.constants[0][0]: expected an array of 2"},
        {{"\"model\":\"\"", "\"model\":null"}, "model: expected a string"},
        {{",\"program\":{", ",\"program\":[],\"x\":{"}, "program: expected an object"},
        {{"\"contracts\"", "\"promoted\":{},\"contracts\""}, "promoted.bar: missing"},
        {{"\"contracts\"", "\"thresholds\":null,\"contracts\""}, "thresholds: expected an object"},
        {{"\"contracts\":{", "\"contracts\":{\"a\":1,"}, "contracts.a: expected a string"},
        {{"\"reach\":{", "\"reach\":null,\"x\":{"}, "reach: expected an object"},
    };

    (void)state;
    flow_check_errors(cases, N_OF(cases));
}

static void flow_of_version_1_may_not_hold_what_needs_2(void **state)
{
#define IN_BINDINGS(member)                                                      \
    {                                                                            \
        "\"get_ticket\":[[4,4],[0,0]]}", "\"get_ticket\":[[4,4],[0,0]]}," member \
    }
    static const struct flow_error_case cases[] = {
        {{"\"contracts\"", "\"thresholds\":{\"a\":0.5},\"contracts\""},
         "a flow with thresholds must be format 2"},
        {IN_BINDINGS("\"named_other\":{\"get_ticket\":[0,3]}"),
         "a flow whose bindings hold named_other must be format 2"},
        {IN_BINDINGS("\"described_read\":{\"get_ticket\":[0,3]}"),
         "a flow whose bindings hold described_read must be format 2"},
        {IN_BINDINGS("\"site_sources\":[{\"tool\":\"a\",\"arg\":\"b\",\"site\":\"c\","
                     "\"source\":[\"d\",\"e\"],\"values\":1}]"),
         "a flow whose bindings hold site_sources must be format 2"},
        {IN_BINDINGS("\"lists\":[[[\"a\",\"b\"],{\"values\":1,\"found\":[]}]]"),
         "a flow whose bindings hold lists must be format 2"},
        {IN_BINDINGS("\"bare\":{\"get_ticket\":1}"),
         "a flow whose bindings hold bare must be format 2"},
        {IN_BINDINGS("\"constants\":[[[\"a\",\"b\"],null]]"),
         "a flow whose bindings hold constants must be format 2"},
        /* Of two the one that comes first in the format. */
        {IN_BINDINGS("\"bare\":{\"get_ticket\":1},\"named_other\":{\"get_ticket\":[0,3]}"),
         "a flow whose bindings hold named_other must be format 2"},
    };
#undef IN_BINDINGS

    (void)state;
    flow_check_errors(cases, N_OF(cases));
    for (size_t i = 0; i < N_OF(cases); i++) {
        const struct flow_edit edits[] = {cases[i].edit, {BEGIN_V1, BEGIN_V2}};
        struct flow *f = flow_parsed(FLOW_EXAMPLE, edits, N_OF(edits));

        assert_int_equal(flow_version(f), 2);
        flow_free(f);
    }
}

static void flow_refuses_a_program_that_does_not_check(void **state)
{
    static const struct {
        struct flow_edit edit;
        const char *name;
    } cases[] = {
        {{",{\"op\":\"var\",\"name\":\"failed\"}]", "]"}, "Decide"},
        {{"\"name\":\"Outcome\"", "\"name\":\"Normal\""}, "Normal"},
        {{"\"fugue_program\":1,", "\"fugue_program\":1,\"notes\":1,"}, "notes"},
        {{"\"fugue_program\":1,", "\"fugue_program\":2,"}, "2"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_buf text = flow_edited(FLOW_EXAMPLE, &cases[i].edit, 1);
        struct flow *f = NULL;
        struct sp_err err;

        assert_true(flow_parse(sp_buf_str(&text), &f, &err) < 0);
        assert_true(sp_str_starts(sp_str_of(err.text), SP_STR("the flow's program: ")));
        assert_non_null(strstr(err.text, cases[i].name));
        sp_buf_deinit(&text);
    }
}

static void flow_accepts_what_only_has_no_effect(void **state)
{
    static const struct flow_edit edits[][2] = {
        {{"[2,3.0]", "[200,3.0]"}},
        {{"\"reads\":[\"find_tickets\",\"get_ticket\"]", "\"reads\":[\"find_tickets\",\"x\"]"}},
        {{"{\"get_ticket\":3}", "{\"cancel\":1,\"get_ticket\":3}"}},
        {{BEGIN_V1, BEGIN_V2}},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(edits); i++)
        flow_free(flow_parsed(FLOW_EXAMPLE, edits[i], 2));
}

/* Cut, spoiled and spliced files are read or refused, and what is read can be written again. */
static void flow_stands_any_bytes(void **state)
{
    static const char *const texts[] = {FLOW_EXAMPLE, FLOW_FULL};
    static const char likely[] = "0123456789-.eE+\",:[]{} \\ntrue";
    struct json_gen g = {.state = 20260923};
    size_t n_read = 0;

    (void)state;
    for (size_t i = 0; i < 6000; i++) {
        struct sp_buf text = {0};
        struct flow *f = NULL;
        struct sp_err err;

        sp_buf_add(&text, sp_str_of(texts[i % N_OF(texts)]));
        for (uint64_t k = json_gen_below(&g, 3) + 1; k > 0; k--)
            text.p[json_gen_below(&g, text.len)] = likely[json_gen_below(&g, N_OF(likely) - 1)];
        if (json_gen_below(&g, 8) == 0)
            text.len = (size_t)json_gen_below(&g, text.len);
        if (flow_parse(sp_buf_str(&text), &f, &err) == 0) {
            struct sp_buf written = {0};

            n_read++;
            flow_put(&written, f);
            flow_free(f);
            f = flow_parsed(sp_buf_cstr(&written), NULL, 0);
            flow_check_written(f, sp_buf_str(&written));
            flow_free(f);
            sp_buf_deinit(&written);
        }
        sp_buf_deinit(&text);
    }
    assert_true(n_read > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flow_needs_a_version_it_knows),
        cmocka_unit_test(flow_names_a_member_that_is_missing),
        cmocka_unit_test(flow_names_the_place_of_a_wrong_type),
        cmocka_unit_test(flow_of_version_1_may_not_hold_what_needs_2),
        cmocka_unit_test(flow_refuses_a_program_that_does_not_check),
        cmocka_unit_test(flow_accepts_what_only_has_no_effect),
        cmocka_unit_test(flow_stands_any_bytes),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
