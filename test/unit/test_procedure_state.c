/* Tests of procedure/procedure_state.h, by chapter 43, sections 4 and 4.2. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "procedure/procedure_state.h"
#include "procedures.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define TICKET SP_STR("Line L7001 is down.")
#define ACTIVE "{'id':'L7001','status':'Active'}"
#define OTHER  "{'id':'L7002','status':'Suspended'}"

/* What the features of a case are after its results. */
struct take_case {
    const char *results[4]; /* of the tool "t", "" for a failure; ends at NULL */
    const char *has;
    const char *lacks;
};

static void take(struct procedure_state *s, const char *quoted)
{
    struct sp_buf text = {0};

    if (*quoted == '\0') {
        procedure_state_take_failure(s, SP_STR("t"));
        return;
    }
    procedures_put(&text, quoted);
    procedure_state_take(s, SP_STR("t"), sp_buf_str(&text));
    sp_buf_deinit(&text);
}

static void compare(const struct take_case *cases, size_t n, bool is_symbolic)
{
    struct procedure *p = procedures_plain(is_symbolic);

    for (size_t i = 0; i < n; i++) {
        struct procedure_state *s = procedure_state_new(p, TICKET);

        for (size_t k = 0; cases[i].results[k] != NULL; k++)
            take(s, cases[i].results[k]);
        if (!procedure_state_has(s, sp_str_of(cases[i].has)) ||
            procedure_state_has(s, sp_str_of(cases[i].lacks)))
            fail_msg("case %zu", i);
        procedure_state_free(s);
    }
    procedure_free(p);
}

static void state_keeps_the_record_that_the_ticket_names(void **state)
{
    static const struct take_case cases[] = {
        {{ACTIVE, OTHER}, "t:status=active", "t:status=suspended"},
        {{OTHER, ACTIVE}, "t:status=active", "t:status=suspended"},
        {{ACTIVE, OTHER, OTHER}, "t:status=active", "t:status=suspended"},
        /* Another one that it names replaces it. */
        {{ACTIVE, "{'id':'x','status':'L7001'}"}, "t:id=x", "t:status=active"},
        /* What names it may be anywhere inside. */
        {{"{'id':[{'a':'L7001'}],'status':'Active'}", OTHER}, "t:status=active", "t:id=l7002"},
        /* A record of another kind, another value or a failure replace it, and it is forgotten. */
        {{ACTIVE, "{'status':'Suspended'}"}, "t:status=suspended", "t:status=active"},
        {{ACTIVE, "{'id':'L7002','status':'Suspended','x':1}"}, "t:status=suspended", "t:x=2"},
        {{ACTIVE, "{'id':'L7002'}"}, "t:error=False", "t:status=active"},
        {{ACTIVE, "{'id':'L7002','state':'Suspended'}"}, "t:state=suspended", "t:status=active"},
        {{ACTIVE, "['L7001']"}, "t:len($)=1", "t:status=active"},
        {{ACTIVE, "['L7001']", OTHER}, "t:status=suspended", "t:status=active"},
        {{ACTIVE, ""}, "t:error", "t:status=active"},
        {{ACTIVE, "", OTHER}, "t:status=suspended", "t:error"},
        /* Without such a record the last one counts. */
        {{OTHER, OTHER}, "t:status=suspended", "t:status=active"},
        {{"{'id':'a','status':'b'}", "{'id':'c','status':'d'}"}, "t:status=d", "t:status=b"},
        /* Only the whole of an identifier names it, and no name of a member does. */
        {{"{'id':'L70011','status':'a'}", OTHER}, "t:status=suspended", "t:status=a"},
        {{"{'L7001':'a'}", "{'L7001':'b'}"}, "t:L7001=b", "t:L7001=a"},
    };

    (void)state;
    compare(cases, N_OF(cases), true);
}

static void state_takes_every_record_when_nothing_is_symbolic(void **state)
{
    static const struct take_case cases[] = {
        {{ACTIVE, OTHER}, "t:status=suspended", "t:status=active"},
        {{ACTIVE, OTHER, ""}, "t:error", "t:status=suspended"},
    };

    (void)state;
    compare(cases, N_OF(cases), false);
}

static void state_compares_numbers_by_their_text(void **state)
{
    static const char *const yes[] = {"{'a':15001}", "[0.50125]", "{'a':{'b':[2500.0]}}",
                                      "25e2",        "'no JSON'", "'15001'"};
    static const char *const no[] = {"{'a':15002}", "[2500]", "'2500.0 x'", "{'15001':true}"};
    struct procedure *p = procedures_plain(true);
    struct procedure_state *s =
        procedure_state_new(p, SP_STR("15001, 0.50125 and 2500.0 in n0-JSON"));
    const struct procedure_output *outputs;
    size_t n;

    (void)state;
    for (size_t i = 0; i < N_OF(yes); i++)
        take(s, yes[i]);
    for (size_t i = 0; i < N_OF(no); i++)
        take(s, no[i]);
    outputs = procedure_state_outputs(s, &n);
    assert_int_equal(n, N_OF(yes) + N_OF(no));
    for (size_t i = 0; i < n; i++)
        assert_int_equal(outputs[i].has_ticket_record, i < N_OF(yes) && i != 4);
    procedure_state_free(s);
    procedure_free(p);
}

static void state_has_the_words_of_its_vocabulary(void **state)
{
    struct procedure *p = procedures_plain(true);
    struct procedure_state *s = procedure_state_new(p, SP_STR("No power here"));

    (void)state;
    assert_true(procedure_state_has(s, SP_STR("ticket: no")));
    assert_true(procedure_state_has(s, SP_STR("ticket: no power")));
    assert_false(procedure_state_has(s, SP_STR("ticket: power")));
    assert_false(procedure_state_has(s, SP_STR("ticket: unit")));
    assert_false(procedure_state_has(s, SP_STR("ticket: No")));
    assert_false(procedure_state_has(s, SP_STR("")));
    procedure_state_free(s);
    procedure_free(p);
}

static void state_follows_calls(void **state)
{
    struct procedure *p = procedures_plain(true);
    struct procedure_state *s = procedure_state_new(p, SP_STR(""));
    const struct procedure_output *outputs;
    size_t n;

    (void)state;
    assert_true(sp_str_eq(procedure_state_site(s), SP_STR("start")));
    (void)procedure_state_outputs(s, &n);
    assert_int_equal(n, 0);

    procedure_state_take(s, SP_STR("a"), SP_STR("{\"x\":true}"));
    assert_true(sp_str_eq(procedure_state_site(s), SP_STR("a")));
    assert_true(procedure_state_has(s, SP_STR("called a")));
    assert_true(procedure_state_has(s, SP_STR("a:x=true")));
    assert_true(procedure_state_has(s, SP_STR("a:error=False")));
    assert_false(procedure_state_has(s, SP_STR("a:error")));

    procedure_state_take_failure(s, SP_STR("b"));
    assert_true(sp_str_eq(procedure_state_site(s), SP_STR("b!")));
    assert_true(procedure_state_has(s, SP_STR("called b")));
    assert_true(procedure_state_has(s, SP_STR("b:error")));
    assert_false(procedure_state_has(s, SP_STR("b:error=False")));
    /* What another tool returned stays. */
    assert_true(procedure_state_has(s, SP_STR("a:x=true")));

    assert_false(procedure_state_has(s, SP_STR("made b{\"k\": 1}")));
    procedure_state_made(s, SP_STR("b{\"k\": 1}"));
    assert_true(procedure_state_has(s, SP_STR("made b{\"k\": 1}")));
    assert_false(procedure_state_has(s, SP_STR("made b{\"k\":1}")));

    outputs = procedure_state_outputs(s, &n);
    assert_int_equal(n, 1);
    assert_true(sp_str_eq(outputs[0].tool, SP_STR("a")));
    assert_true(sp_str_eq(outputs[0].value, SP_STR("{\"x\":true}")));
    procedure_state_free(s);
    procedure_state_free(NULL);
    procedure_free(p);
}

static void state_keeps_many_outputs_of_many_tools(void **state)
{
    struct procedure *p = procedures_plain(true);
    struct procedure_state *s = procedure_state_new(p, SP_STR(""));
    const struct procedure_output *outputs;
    struct sp_buf tool = {0}, text = {0};
    size_t n;

    (void)state;
    for (int i = 0; i < 300; i++) {
        sp_buf_clear(&tool);
        sp_buf_clear(&text);
        sp_buf_addf(&tool, "tool%d", i % 40);
        sp_buf_addf(&text, "{\"n\":%d}", i);
        procedure_state_take(s, sp_buf_str(&tool), sp_buf_str(&text));
    }
    outputs = procedure_state_outputs(s, &n);
    assert_int_equal(n, 300);
    assert_true(sp_str_eq(outputs[0].value, SP_STR("{\"n\":0}")));
    assert_true(procedure_state_has(s, SP_STR("tool19:n=299")));
    assert_false(procedure_state_has(s, SP_STR("tool19:n=259")));
    assert_true(procedure_state_has(s, SP_STR("tool20:n=260")));
    sp_buf_deinit(&tool);
    sp_buf_deinit(&text);
    procedure_state_free(s);
    procedure_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(state_keeps_the_record_that_the_ticket_names),
        cmocka_unit_test(state_takes_every_record_when_nothing_is_symbolic),
        cmocka_unit_test(state_compares_numbers_by_their_text),
        cmocka_unit_test(state_has_the_words_of_its_vocabulary),
        cmocka_unit_test(state_follows_calls),
        cmocka_unit_test(state_keeps_many_outputs_of_many_tools),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
