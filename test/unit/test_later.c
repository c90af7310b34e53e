/* Tests of learn/later.h: which later call makes a lookup, and which result is its. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "flow_session.h"
#include "learn/later.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

static const struct flow_session_event session[] = {
    CALL("1", "cart", "{\"id\":\"K7\"}"),                 /* event 0 */
    RESULT("1", "cart", "first"),                         /* 1 */
    USER("K8?"),                                          /* 2 */
    CALL("2", "cart", "{\"full\":true,\"id\":\"K8\"}"),   /* 3 */
    ALSO("3", "cart", "{\"id\":\"K7\"}"),                 /* 3 */
    ALSO("4", "stock", "{\"id\":\"K7\",\"n\":5}"),        /* 3 */
    ERROR("3", "cart", "no"),                             /* 4 */
    RESULT("2", "cart", "second"),                        /* 5 */
    CALL("5", "cart", "{\"id\":\"K7\"}"),                 /* 6 */
    ALSO("6", "ping", "{}"),                              /* 6 */
    ALSO("7", "ping", "[\"id\"]"),                        /* 6 */
    ALSO("8", "ping", "{\"a\":{\"id\":[1.5,\"x\"]}}"),    /* 6 */
    ALSO("9", "p", "{\"i\":\"\\\"x\\\"y\",\"x\":\"y\"}"), /* 6 */
    ALSO("10", "p\"i\"", "{}"),                           /* 6 */
    ALSO("11", "p\"i\"", "{}"),                           /* 6 */
    RESULT("3", "cart", "again"),                         /* 7 */
};

struct call_case {
    size_t after;
    const char *tool;
    const char *arguments;
    const char *id; /* NULL: none */
};

static void later_finds_the_first_call_that_makes_a_lookup(void **state)
{
    static const struct call_case cases[] = {
        {0, "cart", "{\"id\":\"K7\"}", "3"},
        {2, "cart", "{\"id\":\"K7\"}", "3"},
        {3, "cart", "{\"id\":\"K7\"}", "5"},
        {6, "cart", "{\"id\":\"K7\"}", NULL},
        /* It may have more, and must not have less. */
        {0, "cart", "{\"id\":\"K8\"}", "2"},
        {0, "cart", "{\"full\":true,\"id\":\"K8\"}", "2"},
        {0, "cart", "{\"full\":true,\"id\":\"K7\"}", NULL},
        {0, "cart", "{}", "2"},
        {5, "cart", "{}", "5"},
        {0, "cart", "{\"gone\":null}", NULL},
        /* Texts are compared. */
        {0, "stock", "{\"n\":\"5\"}", "4"},
        {0, "stock", "{\"n\":5.0}", NULL},
        {0, "cart", "{\"full\":\"true\"}", "2"},
        {0, "ping", "{\"a\":\"{\\\"id\\\":[1.5,\\\"x\\\"]}\"}", "8"},
        {0, "stock", "{\"id\":\"k7\"}", NULL},
        /* Only an object has arguments. */
        {0, "ping", "{}", "6"},
        {0, "ping", "{\"id\":\"\"}", NULL},
        /* What it is found by is that of call 9, which is another. */
        {0, "p\"i\"", "{\"x\":\"y\"}", NULL},
        {0, "gone", "{}", NULL},
    };
    struct episode e = {.id = SP_STR("s")};
    struct later l;

    (void)state;
    flow_session_add(&e, session, N_OF(session));
    later_init(&l, &e);
    for (size_t i = 0; i < N_OF(cases); i++) {
        const struct episode_call *call =
            later_call(&l, cases[i].after, sp_str_of(cases[i].tool), sp_str_of(cases[i].arguments));
        const char *id = cases[i].id;

        if (call == NULL ? id != NULL : id == NULL || !sp_str_eq(call->id, sp_str_of(id)))
            fail_msg("%s %s behind %zu is %.*s", cases[i].tool, cases[i].arguments, cases[i].after,
                     call != NULL ? (int)call->id.len : 4, call != NULL ? call->id.p : "none");
    }
    later_deinit(&l);
    episode_deinit(&e);
}

static void later_finds_the_first_result_of_a_call(void **state)
{
    static const struct {
        size_t after;
        const char *id;
        const char *text; /* NULL: none */
    } cases[] = {
        {0, "1", "first"}, {1, "1", NULL}, {0, "2", "second"}, {0, "3", "no"},
        {4, "3", "again"}, {7, "3", NULL}, {0, "5", NULL},     {0, "gone", NULL},
    };
    struct episode e = {.id = SP_STR("s")};
    struct later l;

    (void)state;
    flow_session_add(&e, session, N_OF(session));
    later_init(&l, &e);
    for (size_t i = 0; i < N_OF(cases); i++) {
        const struct episode_event *result =
            later_result(&l, cases[i].after, sp_str_of(cases[i].id));

        if (cases[i].text == NULL)
            assert_null(result);
        else
            assert_true(sp_str_eq(result->text, sp_str_of(cases[i].text)));
    }
    later_deinit(&l);
    episode_deinit(&e);
}

static void later_finds_nothing_in_an_empty_session(void **state)
{
    struct episode e = {.id = SP_STR("s")};
    struct later l;

    (void)state;
    later_init(&l, &e);
    assert_null(later_call(&l, 0, SP_STR("cart"), SP_STR("{}")));
    assert_null(later_result(&l, 0, SP_STR("1")));
    later_deinit(&l);
    episode_deinit(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_finds_the_first_call_that_makes_a_lookup),
        cmocka_unit_test(later_finds_the_first_result_of_a_call),
        cmocka_unit_test(later_finds_nothing_in_an_empty_session),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
