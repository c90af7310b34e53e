/* Tests of learn/shown.h, by chapter 23, section 10. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "learn/shown.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

/* Outputs of the tools "t0", "t1" and so on, what is asked about, and the source of it. */
struct shown_case {
    const char *outputs[4];
    const char *value;
    const char *tool; /* NULL: it has none */
    const char *path;
};

static void check(const struct shown_case *c)
{
    static const char *const tools[] = {"t0", "t1", "t2", "t3"};
    struct shown *s = shown_new();
    struct shown_place got;

    shown_want(s, sp_str_of(c->value));
    for (size_t i = 0; i < N_OF(c->outputs) && c->outputs[i] != NULL; i++)
        shown_add(s, sp_str_of(tools[i]), sp_str_of(c->outputs[i]));
    assert_int_equal(shown_find(s, sp_str_of(c->value), &got), c->tool != NULL);
    if (c->tool != NULL) {
        assert_true(sp_str_eq(got.tool, sp_str_of(c->tool)));
        assert_true(sp_str_eq(got.path, sp_str_of(c->path)));
    }
    shown_free(s);
}

static void shown_tells_strings_and_lists_of_strings_from_the_rest(void **state)
{
    static const struct {
        const char *value;
        enum shown_kind kind;
    } cases[] = {
        {"\"\"", SHOWN_STRING},         {"[\"a\",\"b\"]", SHOWN_LIST},
        {"[\"a\"]", SHOWN_LIST},        {"[]", SHOWN_OTHER},
        {"[\"a\",1]", SHOWN_OTHER},     {"[[\"a\"]]", SHOWN_OTHER},
        {"{\"a\":\"b\"}", SHOWN_OTHER}, {"1", SHOWN_OTHER},
        {"null", SHOWN_OTHER},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++)
        assert_int_equal(shown_kind(sp_str_of(cases[i].value)), cases[i].kind);
}

static void shown_finds_a_string_in_the_latest_output_at_the_first_path(void **state)
{
    static const struct shown_case cases[] = {
        {{NULL}, "\"x\"", NULL, NULL},
        {{"\"x\""}, "\"x\"", "t0", "$"},
        {{"[\"y\",[\"x\"]]"}, "\"x\"", "t0", "$[*][*]"},
        {{"{\"b\":\"x\",\"a\":[{\"c\":\"x\"}]}"}, "\"x\"", "t0", "$.a[*].c"},
        {{"{\"a\":\"x\"}", "{\"b\":\"x\"}", "{\"a\":\"y\"}"}, "\"x\"", "t1", "$.b"},
        /* As a whole value only, not a name, not a part, not in another case. */
        {{"{\"x\":\"xx\",\"y\":\"X\"}"}, "\"x\"", NULL, NULL},
        {{"[1,1.5,true,null]"}, "\"1\"", NULL, NULL},
        /* Escapes are read, in names too. */
        {{"{\"\\u0061\\n\":\"\\u0078\"}"}, "\"x\"", "t0", "$.a\n"},
        {{"{\"\":\"x\"}"}, "\"x\"", "t0", "$."},
        {{"{\"a.b\":{\"c[*]\":\"x\"}}"}, "\"x\"", "t0", "$.a.b.c[*]"},
        {{"{\"Hotel Names\":[\"x\"]}"}, "\"x\"", "t0", "$.Hotel Names[*]"},
        /* Texts that are no JSON: lines, or one string. */
        {{"x\n  y \r\n"}, "\"y\"", "t0", "$[*]"},
        {{"x"}, "\"x\"", "t0", "$"},
        {{" x\n"}, "\"x\"", NULL, NULL},
        {{" x\n"}, "\" x\\n\"", "t0", "$"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++)
        check(&cases[i]);
}

static void shown_finds_a_list_where_all_its_strings_stand_at_one_path(void **state)
{
    static const struct shown_case cases[] = {
        {{"[\"a\",\"b\",\"c\"]"}, "[\"b\",\"a\"]", "t0", "$[*]"},
        {{"[\"a\",\"b\"]"}, "[\"a\",\"c\"]", NULL, NULL},
        {{"[\"a\",\"b\"]"}, "[\"a\",\"a\"]", "t0", "$[*]"},
        {{"{\"x\":[\"a\"],\"y\":[\"b\"]}"}, "[\"a\",\"b\"]", NULL, NULL},
        {{"{\"x\":[\"a\"],\"y\":[\"b\",\"a\"]}"}, "[\"a\",\"b\"]", "t0", "$.y[*]"},
        {{"[{\"n\":\"a\"},{\"n\":\"b\",\"m\":\"a\"}]"}, "[\"a\",\"b\"]", "t0", "$[*].n"},
        {{"[{\"n\":\"a\"},{\"m\":\"a\"},{\"n\":\"a\"},{\"m\":\"b\"}]"},
         "[\"a\",\"b\"]",
         "t0",
         "$[*].m"},
        /* The first path is that of the list's first string. */
        {{"[{\"n\":\"b\"},{\"m\":\"a\"},{\"m\":\"b\",\"n\":\"a\"}]"},
         "[\"a\",\"b\"]",
         "t0",
         "$[*].m"},
        {{"[{\"n\":\"b\"},{\"m\":\"a\"},{\"m\":\"b\",\"n\":\"a\"}]"},
         "[\"b\",\"a\"]",
         "t0",
         "$[*].n"},
        /* The latest output that has such a path, not the latest that has the strings. */
        {{"[\"a\",\"b\"]", "{\"x\":\"a\",\"y\":\"b\"}", "[\"a\"]"}, "[\"a\",\"b\"]", "t0", "$[*]"},
        {{"[\"a\",\"b\"]", "{\"x\":[\"a\",\"b\"]}", "[\"b\"]"}, "[\"a\",\"b\"]", "t1", "$.x[*]"},
        /* A key that a path cannot name does not lead to its values. */
        {{"{\"a.b\":[\"a\",\"b\"]}"}, "[\"a\",\"b\"]", NULL, NULL},
        {{"{\"a.b\":[\"a\",\"b\"],\"c\":[\"a\",\"b\"]}"}, "[\"a\",\"b\"]", "t0", "$.c[*]"},
        {{"{\"a.b\":[\"a\"],\"a\":{\"b\":[\"b\"]}}"}, "[\"a\",\"b\"]", NULL, NULL},
        {{"{\"a.b\":[\"a\"],\"a\":{\"b\":[\"b\",\"a\"]}}"}, "[\"a\",\"b\"]", "t0", "$.a.b[*]"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++)
        check(&cases[i]);
}

static void shown_goes_on_with_later_outputs(void **state)
{
    struct sp_str list = SP_STR("[\"a\",\"b\"]"), string = SP_STR("\"c\"");
    struct shown *s = shown_new();
    struct shown_place got;

    (void)state;
    shown_want(s, list);
    shown_want(s, string);
    shown_want(s, list);
    assert_false(shown_find(s, list, &got));
    shown_add(s, SP_STR("one"), SP_STR("{\"x\":[\"b\",\"a\"],\"y\":\"c\"}"));
    assert_true(shown_find(s, list, &got));
    assert_true(sp_str_eq(got.path, SP_STR("$.x[*]")));
    shown_add(s, SP_STR("two"), SP_STR("[\"a\",\"c\"]"));
    assert_true(shown_find(s, list, &got));
    assert_true(sp_str_eq(got.tool, SP_STR("one")));
    assert_true(shown_find(s, string, &got));
    assert_true(sp_str_eq(got.tool, SP_STR("two")));
    shown_add(s, SP_STR("three"), SP_STR("[\"a\",\"b\"]"));
    assert_true(shown_find(s, list, &got));
    assert_true(sp_str_eq(got.tool, SP_STR("three")));
    shown_free(s);
    shown_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shown_tells_strings_and_lists_of_strings_from_the_rest),
        cmocka_unit_test(shown_finds_a_string_in_the_latest_output_at_the_first_path),
        cmocka_unit_test(shown_finds_a_list_where_all_its_strings_stand_at_one_path),
        cmocka_unit_test(shown_goes_on_with_later_outputs),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
