/* Tests of learn/tracebook.h by chapter 23, section 10; the vectors are in test_trybook.c. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "learn/tracebook.h"
#include "learned.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

/* What is learned of one session, without `agreed`, which is empty. */
struct trace_case {
    const struct flow_session_event *session;
    const char *args;
    const char *sources;
    const char *others; /* what stands behind `agreed` */
};

static void check(const struct flow_session_event *const *sessions, const struct trace_case *c)
{
    struct flow *f = learned_tools("find get list !put ?ping");
    struct sp_buf want = {0};

    learned_trace(f, sessions);
    sp_buf_addf(&want, "{\"args\":{%s},\"sources\":[%s],\"agreed\":{}%s}", c->args, c->sources,
                c->others);
    learned_check(f, sp_buf_cstr(&want));
    sp_buf_deinit(&want);
    flow_free(f);
}

static void check_cases(const struct trace_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct flow_session_event *const sessions[] = {cases[i].session, NULL};

        check(sessions, &cases[i]);
    }
}

static void tracebook_counts_calls_and_their_arguments(void **state)
{
    const struct trace_case cases[] = {
        {SESSION(USER("?"), SAYS("!")), "", "", ""},
        {SESSION(CALL("1", "get", "{\"b\":1,\"a\":{\"c\":[]}}"), CALL("2", "get", "{\"a\":[]}"),
                 CALL("3", "find", "{}")),
         "\"find\":[1,{}],\"get\":[2,{\"a\":2,\"b\":1}]", "", ""},
        /* Only calls to lookups that pass an object. */
        {SESSION(CALL("1", "put", "{\"a\":\"x\"}"), CALL("2", "ping", "{\"a\":\"x\"}"),
                 CALL("3", "other", "{\"a\":\"x\"}"), CALL("4", "get", "[\"x\"]"),
                 CALL("5", "list", "null"), CALL("6", "list", "{}")),
         "\"list\":[1,{}]", "", ""},
    };

    (void)state;
    check_cases(cases, N_OF(cases));
}

static void tracebook_counts_where_strings_were_found(void **state)
{
    const struct trace_case cases[] = {
        /* Also where nothing has them. */
        {SESSION(CALL("1", "get", "{\"id\":\"x\"}"), CALL("2", "get", "{\"id\":5}")),
         "\"get\":[2,{\"id\":2}]", "[[\"get\",\"id\"],{\"values\":1,\"found\":[]}]", ""},
        /* Outputs are those of any tool, also of one that the manifest does not have. */
        {SESSION(MADE("1", "put", "{}", "x"), CALL("2", "get", "{\"id\":\"x\"}"),
                 MADE("3", "other", "{}", "{\"a\":[\"x\"]}"), CALL("4", "get", "{\"id\":\"x\"}")),
         "\"get\":[2,{\"id\":2}]",
         "[[\"get\",\"id\"],{\"values\":2,\"found\":[[[\"other\",\"$.a[*]\"],1],[[\"put\",\"$\"],"
         "1]]}]",
         ",\"site_sources\":[{\"tool\":\"get\",\"arg\":\"id\",\"site\":\"other\",\"source\":["
         "\"other\",\"$.a[*]\"],\"values\":1},{\"tool\":\"get\",\"arg\":\"id\",\"site\":\"put\","
         "\"source\":[\"put\",\"$\"],\"values\":1}]"},
        /* Outputs before the turn only, and none that failed. */
        {SESSION(CALL("1", "find", "{}"), ALSO("2", "get", "{\"id\":\"x\"}"),
                 RESULT("1", "find", "x"), ERROR("2", "get", "{\"a\":\"x\"}"),
                 CALL("3", "get", "{\"id\":\"x\"}")),
         "\"find\":[1,{}],\"get\":[2,{\"id\":2}]",
         "[[\"get\",\"id\"],{\"values\":2,\"found\":[[[\"find\",\"$\"],1]]}]", ""},
    };

    (void)state;
    check_cases(cases, N_OF(cases));
}

static void tracebook_counts_where_lists_were_found(void **state)
{
    const struct trace_case cases[] = {
        {SESSION(CALL("1", "get", "{\"ids\":[\"x\"]}"), CALL("2", "get", "{\"ids\":[]}"),
                 CALL("3", "get", "{\"ids\":[\"x\",1]}")),
         "\"get\":[3,{\"ids\":3}]", "",
         ",\"lists\":[[[\"get\",\"ids\"],{\"values\":1,\"found\":[]}]]"},
        /* An argument may be a list and a string; only strings are counted by site. */
        {SESSION(MADE("1", "find", "{}", "{\"a\":[\"x\",\"y\"],\"b\":\"x\",\"c\":\"z\"}"),
                 CALL("2", "get", "{\"ids\":[\"y\",\"x\"]}"), CALL("3", "get", "{\"ids\":\"x\"}"),
                 CALL("4", "get", "{\"ids\":[\"x\"]}"), CALL("5", "get", "{\"ids\":\"z\"}")),
         "\"find\":[1,{}],\"get\":[4,{\"ids\":4}]",
         "[[\"get\",\"ids\"],{\"values\":2,\"found\":[[[\"find\",\"$.a[*]\"],1],[[\"find\","
         "\"$.c\"],1]]}]",
         ",\"site_sources\":[{\"tool\":\"get\",\"arg\":\"ids\",\"site\":\"find\",\"source\":["
         "\"find\",\"$.a[*]\"],\"values\":1},{\"tool\":\"get\",\"arg\":\"ids\",\"site\":\"find\","
         "\"source\":[\"find\",\"$.c\"],\"values\":1}],\"lists\":[[[\"get\",\"ids\"],{\"values\":2,"
         "\"found\":[[[\"find\",\"$.a[*]\"],2]]}]]"},
    };

    (void)state;
    check_cases(cases, N_OF(cases));
}

/* In the turn, "put" is no lookup, so that "list" and not "put" is the site of the last call. */
static void tracebook_takes_the_lookup_before_a_call_as_its_site(void **state)
{
    const struct trace_case c = {
        SESSION(MADE("1", "ping", "{}", "{\"a\":\"x\",\"b\":\"y\"}"),
                CALL("2", "get", "{\"id\":\"x\"}"), ALSO("3", "list", "null"),
                ALSO("4", "put", "{}"), ALSO("5", "get", "{\"id\":\"y\"}")),
        "\"get\":[2,{\"id\":2}]",
        "[[\"get\",\"id\"],{\"values\":2,\"found\":[[[\"ping\",\"$.a\"],1],[[\"ping\",\"$.b\"],1]"
        "]}]",
        ",\"site_sources\":[{\"tool\":\"get\",\"arg\":\"id\",\"site\":\"list\",\"source\":["
        "\"ping\",\"$.b\"],\"values\":1},{\"tool\":\"get\",\"arg\":\"id\",\"site\":\"ping\","
        "\"source\":[\"ping\",\"$.a\"],\"values\":1}]",
    };

    (void)state;
    check_cases(&c, 1);
}

static void tracebook_keeps_bare_calls_of_what_needs_no_argument(void **state)
{
    const struct trace_case cases[] = {
        {SESSION(CALL("1", "get", "{}"), CALL("2", "get", "{}"), CALL("3", "get", "{\"a\":1}")),
         "\"get\":[3,{\"a\":1}]", "", ",\"bare\":{\"get\":2}"},
        /* Always bare. */
        {SESSION(CALL("1", "get", "{}"), CALL("2", "get", "{}")), "\"get\":[2,{}]", "", ""},
        /* Nine of ten calls have it. */
        {SESSION(CALL("0", "get", "{}"), CALL("1", "get", "{\"a\":1}"),
                 CALL("2", "get", "{\"a\":1}"), CALL("3", "get", "{\"a\":1}"),
                 CALL("4", "get", "{\"a\":1}"), CALL("5", "get", "{\"a\":1}"),
                 CALL("6", "get", "{\"a\":1}"), CALL("7", "get", "{\"a\":1}"),
                 CALL("8", "get", "{\"a\":1}"), CALL("9", "get", "{\"a\":1}")),
         "\"get\":[10,{\"a\":9}]", "", ""},
        {SESSION(CALL("0", "get", "{}"), CALL("1", "get", "{\"b\":1}"),
                 CALL("2", "get", "{\"a\":1}"), CALL("3", "get", "{\"a\":1}"),
                 CALL("4", "get", "{\"a\":1}"), CALL("5", "get", "{\"a\":1}"),
                 CALL("6", "get", "{\"a\":1}"), CALL("7", "get", "{\"a\":1}"),
                 CALL("8", "get", "{\"a\":1}"), CALL("9", "get", "{\"a\":1}")),
         "\"get\":[10,{\"a\":8,\"b\":1}]", "", ",\"bare\":{\"get\":1}"},
    };

    (void)state;
    check_cases(cases, N_OF(cases));
}

static void tracebook_adds_up_sessions(void **state)
{
    const struct flow_session_event *const sessions[] = {
        SESSION(MADE("1", "find", "{}", "[\"x\"]"), CALL("2", "get", "{\"id\":\"x\"}")),
        /* What one session has shown is no source in another. */
        SESSION(CALL("1", "get", "{\"id\":\"x\"}")),
        SESSION(MADE("1", "find", "{\"all\":true}", "{\"a\":\"y\"}"),
                CALL("2", "get", "{\"id\":\"y\"}"), CALL("3", "get", "{\"id\":\"y\"}")),
        NULL,
    };
    const struct trace_case c = {
        .args = "\"find\":[2,{\"all\":1}],\"get\":[4,{\"id\":4}]",
        .sources = "[[\"get\",\"id\"],{\"values\":4,\"found\":[[[\"find\",\"$.a\"],2],[[\"find\","
                   "\"$[*]\"],1]]}]",
        .others = ",\"site_sources\":[{\"tool\":\"get\",\"arg\":\"id\",\"site\":\"find\","
                  "\"source\":[\"find\",\"$.a\"],\"values\":2},{\"tool\":\"get\",\"arg\":\"id\","
                  "\"site\":\"find\",\"source\":[\"find\",\"$[*]\"],\"values\":1}],"
                  "\"bare\":{\"find\":1}",
    };

    (void)state;
    check(sessions, &c);
    tracebook_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tracebook_counts_calls_and_their_arguments),
        cmocka_unit_test(tracebook_counts_where_strings_were_found),
        cmocka_unit_test(tracebook_counts_where_lists_were_found),
        cmocka_unit_test(tracebook_takes_the_lookup_before_a_call_as_its_site),
        cmocka_unit_test(tracebook_keeps_bare_calls_of_what_needs_no_argument),
        cmocka_unit_test(tracebook_adds_up_sessions),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
