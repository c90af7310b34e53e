/* Tests of json/jtable.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "json/jtable.h"

struct thing {
    struct sp_str any;
    struct sp_str text;
    struct sp_str flag;
    struct sp_str number;
    struct sp_str count;
    struct sp_str list;
    struct sp_str object;
    struct sp_str needed;
};

static const struct jtable_field fields[] = {
    {"any", JTABLE_ANY, JTABLE_OPTIONAL, offsetof(struct thing, any)},
    {"text", JTABLE_TEXT, JTABLE_OPTIONAL, offsetof(struct thing, text)},
    {"flag", JTABLE_BOOL, JTABLE_OPTIONAL, offsetof(struct thing, flag)},
    {"number", JTABLE_NUMBER, JTABLE_OPTIONAL, offsetof(struct thing, number)},
    {"count", JTABLE_UINT, JTABLE_OPTIONAL, offsetof(struct thing, count)},
    {"list", JTABLE_ARRAY, JTABLE_OPTIONAL, offsetof(struct thing, list)},
    {"object", JTABLE_OBJECT, JTABLE_OPTIONAL, offsetof(struct thing, object)},
    {"needed", JTABLE_ANY, JTABLE_REQUIRED, offsetof(struct thing, needed)},
};

/* Objects and the error that each gives; NULL for none. */
static const struct {
    const char *text;
    const char *error;
} cases[] = {
    {"{\"needed\":0}", NULL},
    {"{\"needed\":null,\"other\":{\"text\":0}}", NULL},
    {"{\"needed\":0,\"any\":[],\"text\":\"\",\"flag\":false,\"number\":-0.5e1,\"count\":0,"
     "\"list\":[ ],\"object\":{ }}",
     NULL},
    {"{\"needed\":0,\"any\":null,\"text\":null,\"flag\":null,\"number\":null,\"count\":null,"
     "\"list\":null,\"object\":null}",
     NULL},
    {"{\"needed\":0,\"flag\":true,\"count\":18446744073709551615}", NULL},
    {"{}", "a[2].b.needed: is missing"},
    {"{\"Needed\":0}", "a[2].b.needed: is missing"},
    {"[]", "a[2].b: must be an object"},
    {"null", "a[2].b: must be an object"},
    {"{\"needed\":0,\"text\":0}", "a[2].b.text: must be a string"},
    {"{\"needed\":0,\"flag\":0}", "a[2].b.flag: must be true or false"},
    {"{\"needed\":0,\"number\":\"0\"}", "a[2].b.number: must be a number"},
    {"{\"needed\":0,\"list\":{}}", "a[2].b.list: must be an array"},
    {"{\"needed\":0,\"object\":[]}", "a[2].b.object: must be an object"},
    {"{\"needed\":0,\"count\":-0}",
     "a[2].b.count: must be a whole number from 0 to 18446744073709551615"},
    {"{\"needed\":0,\"count\":18446744073709551616}",
     "a[2].b.count: must be a whole number from 0 to 18446744073709551615"},
    {"{\"needed\":0,\"count\":\"7\"}",
     "a[2].b.count: must be a whole number from 0 to 18446744073709551615"},
    /* Of a name that occurs twice the last counts. */
    {"{\"needed\":0,\"text\":0,\"text\":\"\"}", NULL},
    {"{\"needed\":0,\"text\":\"\",\"t\\u0065xt\":0}", "a[2].b.text: must be a string"},
};

static const struct jtable_place root;
static const struct jtable_place list = {.up = &root, .name = "a"};
static const struct jtable_place element = {.up = &list, .index = 2};
static const struct jtable_place place = {.up = &element, .name = "b"};

static void jtable_checks_members_and_names_the_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct thing thing = {0};
        struct sp_err err = {0};
        int status =
            jtable_read(&place, sp_str_of(cases[i].text), fields, JTABLE_LEN(fields), &thing, &err);

        assert_string_equal(err.text, cases[i].error != NULL ? cases[i].error : "");
        assert_int_equal(status < 0, cases[i].error != NULL);
    }
}

static void jtable_gives_the_spans_of_values(void **state)
{
    struct thing thing = {0};
    struct sp_err err;

    (void)state;
    assert_int_equal(jtable_read(&place, SP_STR("{ \"needed\" : [1, 2] ,\"t\\u0065xt\":\"x\"}"),
                                 fields, JTABLE_LEN(fields), &thing, &err),
                     0);
    assert_true(sp_str_eq(thing.needed, SP_STR("[1, 2]")));
    assert_true(sp_str_eq(thing.text, SP_STR("\"x\"")));
    assert_null(thing.any.p);
}

static void jtable_takes_nothing_for_an_object_without_members(void **state)
{
    struct thing thing = {0};
    struct sp_err err;

    (void)state;
    assert_int_equal(jtable_read(&place, (struct sp_str){0}, fields, 7, &thing, &err), 0);
    assert_true(jtable_read(&place, (struct sp_str){0}, fields, 8, &thing, &err) < 0);
    assert_string_equal(err.text, "a[2].b.needed: is missing");
}

static void jtable_names_the_document(void **state)
{
    struct sp_err err;

    (void)state;
    assert_true(jtable_fail(&root, "is wrong", &err) < 0);
    assert_string_equal(err.text, "the document: is wrong");
    assert_true(jtable_fail(&list, "is wrong", &err) < 0);
    assert_string_equal(err.text, "a: is wrong");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jtable_checks_members_and_names_the_place),
        cmocka_unit_test(jtable_gives_the_spans_of_values),
        cmocka_unit_test(jtable_takes_nothing_for_an_object_without_members),
        cmocka_unit_test(jtable_names_the_document),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
