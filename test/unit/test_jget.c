/* Tests of json/jget.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "json/jget.h"
#include "json_gen.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

static void assert_str(struct sp_str got, struct sp_str want)
{
    assert_int_equal(got.len, want.len);
    assert_memory_equal(got.p, want.p, want.len);
}

/* Scans a text that is JSON; the tests read its value. */
static struct sp_str scanned(struct sp_str text)
{
    struct jscan found;

    if (!jscan(text, JSCAN_MAX_DEPTH, &found))
        fail_msg("not JSON: '%.*s'", SP_STR_ARG(text));
    return found.value;
}

static void jget_tells_the_type_of_each_value(void **state)
{
    static const struct {
        struct sp_str value;
        enum jscan_type type;
    } cases[] = {
        {SP_STR("null"), JSCAN_NULL},   {SP_STR("false"), JSCAN_FALSE},
        {SP_STR("true"), JSCAN_TRUE},   {SP_STR("0"), JSCAN_NUMBER},
        {SP_STR("-1.5"), JSCAN_NUMBER}, {SP_STR("9e9"), JSCAN_NUMBER},
        {SP_STR("\"\""), JSCAN_STRING}, {SP_STR("[]"), JSCAN_ARRAY},
        {SP_STR("{}"), JSCAN_OBJECT},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++)
        assert_int_equal(jget_type(cases[i].value), cases[i].type);
}

struct member_case {
    struct sp_str object;
    struct sp_str name;
    struct sp_str value; /* empty: there is none */
};

static void jget_finds_a_member_by_its_unescaped_name(void **state)
{
    static const struct member_case cases[] = {
        {SP_STR("{\"a\":1,\"b\":[2],\"c\":{\"d\":3}}"), SP_STR("b"), SP_STR("[2]")},
        {SP_STR("{\"a\":1,\"b\":[2],\"c\":{\"d\":3}}"), SP_STR("c"), SP_STR("{\"d\":3}")},
        {SP_STR("{ \"a\" : \"x\" , \"b\" : -1.50 }"), SP_STR("b"), SP_STR("-1.50")},
        {SP_STR("{\"\\u0061\":1}"), SP_STR("a"), SP_STR("1")},
        {SP_STR("{\"\\ud83d\\ude00\":1}"), SP_STR("\xf0\x9f\x98\x80"), SP_STR("1")},
        {SP_STR("{\"a\\u0000b\":1,\"a\":2}"), SP_STR("a\0b"), SP_STR("1")},
        {SP_STR("{\"\":1}"), SP_STR(""), SP_STR("1")},
        {SP_STR("{\"\\\"\":\"\\\"}\"}"), SP_STR("\""), SP_STR("\"\\\"}\"")},
        {SP_STR("{\"a\":{\"b\":1}}"), SP_STR("b"), SP_STR("")},
        {SP_STR("{\"x\":\"a\",\"y\":[\"a\",1]}"), SP_STR("a"), SP_STR("")},
        {SP_STR("{}"), SP_STR("a"), SP_STR("")},
        {SP_STR("{ }"), SP_STR(""), SP_STR("")},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_str value = SP_STR("");
        bool is_there = jget_member(scanned(cases[i].object), cases[i].name, &value);

        assert_int_equal(is_there, cases[i].value.len > 0);
        assert_str(value, cases[i].value);
    }
}

static void jget_takes_the_last_of_a_member_that_occurs_twice(void **state)
{
    struct sp_str value;

    (void)state;
    assert_true(
        jget_member(scanned(SP_STR("{\"a\":1,\"\\u0061\":2,\"b\":3}")), SP_STR("a"), &value));
    assert_str(value, SP_STR("2"));
}

static void jget_finds_no_member_in_what_is_no_object(void **state)
{
    static const struct sp_str values[] = {SP_STR("[\"a\",1]"), SP_STR("\"a\""), SP_STR("1"),
                                           SP_STR("null"), SP_STR("[{\"a\":1}]")};
    struct sp_str value = SP_STR("untouched");

    (void)state;
    for (size_t i = 0; i < N_OF(values); i++)
        assert_false(jget_member(values[i], SP_STR("a"), &value));
    assert_str(value, SP_STR("untouched"));
}

static void jget_counts_elements_and_members(void **state)
{
    (void)state;
    assert_int_equal(jget_count(SP_STR("[]")), 0);
    assert_int_equal(jget_count(SP_STR("[ 1 , [2, 3], {} ]")), 3);
    assert_int_equal(jget_count(SP_STR("{}")), 0);
    assert_int_equal(jget_count(SP_STR("{\"a\":[1,2],\"a\":3}")), 2);
}

static void jget_walks_an_array_in_order(void **state)
{
    static const struct sp_str want[] = {
        SP_STR("1"),  SP_STR("\"],\\\"\""), SP_STR("[[2],{}]"), SP_STR("{\"a\":[\"}\"]}"),
        SP_STR("[]"), SP_STR("-1.5e3"),     SP_STR("null"),     SP_STR("true"),
    };
    size_t n = 0;

    (void)state;
    for (struct jget_iter it = jget_iter(scanned(
             SP_STR("[1,\"],\\\"\" , [[2],{}],\t{\"a\":[\"}\"]},[],-1.5e3 ,null\r\n,true ]")));
         jget_next(&it); n++) {
        assert_true(n < N_OF(want));
        assert_int_equal(it.name.len, 0);
        assert_str(it.value, want[n]);
    }
    assert_int_equal(n, N_OF(want));
}

static void jget_walks_an_object_in_order_with_names_as_written(void **state)
{
    static const struct sp_str names[] = {SP_STR("\"b\""), SP_STR("\"\\u0061\""), SP_STR("\"b\""),
                                          SP_STR("\"\\\"\\\\\"")};
    static const struct sp_str values[] = {SP_STR("1"), SP_STR("[2,3]"), SP_STR("{}"),
                                           SP_STR("\"\\\\\"")};
    size_t n = 0;

    (void)state;
    for (struct jget_iter it = jget_iter(
             scanned(SP_STR("{ \"b\" :1, \"\\u0061\":[2,3] ,\"b\": {},\"\\\"\\\\\" : \"\\\\\" }")));
         jget_next(&it); n++) {
        assert_true(n < N_OF(names));
        assert_str(it.name, names[n]);
        assert_str(it.value, values[n]);
    }
    assert_int_equal(n, N_OF(names));
}

static void jget_walks_nothing_in_empty_and_plain_values(void **state)
{
    static const struct sp_str values[] = {SP_STR("[]"),   SP_STR("[ ]"),     SP_STR("{}"),
                                           SP_STR("{\n}"), SP_STR("\"[1]\""), SP_STR("12"),
                                           SP_STR("null")};

    (void)state;
    for (size_t i = 0; i < N_OF(values); i++) {
        struct jget_iter it = jget_iter(values[i]);

        assert_false(jget_next(&it));
        assert_false(jget_next(&it));
    }
}

struct text_case {
    struct sp_str string;
    struct sp_str text;
};

static const struct text_case texts[] = {
    {SP_STR("\"\""), SP_STR("")},
    {SP_STR("\"plain\""), SP_STR("plain")},
    {SP_STR("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), SP_STR("\"\\/\b\f\n\r\t")},
    {SP_STR("\"a\\u0000b\\u007f\""), SP_STR("a\0b\x7f")},
    {SP_STR("\"\\u0080\\u00e9\\u07ff\""), SP_STR("\xc2\x80\xc3\xa9\xdf\xbf")},
    {SP_STR("\"\\u0800\\u20AC\\ud7ff\\ue000\\uFFFF\""),
     SP_STR("\xe0\xa0\x80\xe2\x82\xac\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf")},
    {SP_STR("\"\\ud800\\udc00\\uD83D\\uDE00\\udbff\\udfff\""),
     SP_STR("\xf0\x90\x80\x80\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf")},
    {SP_STR("\"caf\xc3\xa9 \\\\u0041\""), SP_STR("caf\xc3\xa9 \\u0041")},
};

static void jget_gives_the_unescaped_text_of_a_string(void **state)
{
    struct sp_buf b = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(texts); i++) {
        sp_buf_clear(&b);
        jget_text(scanned(texts[i].string), &b);
        assert_str(sp_buf_str(&b), texts[i].text);
    }
    sp_buf_deinit(&b);
}

static void jget_appends_a_text_to_what_is_there(void **state)
{
    struct sp_buf b = {0};

    (void)state;
    sp_buf_add(&b, SP_STR("a"));
    jget_text(SP_STR("\"\\u0062c\""), &b);
    assert_str(sp_buf_str(&b), SP_STR("abc"));
    sp_buf_deinit(&b);
}

static void jget_compares_strings_with_text_unescaped(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(texts); i++) {
        for (size_t k = 0; k < N_OF(texts); k++)
            assert_int_equal(jget_is_text(texts[i].string, texts[k].text), i == k);
    }
}

static void jget_takes_no_beginning_or_other_type_for_a_text(void **state)
{
    (void)state;
    assert_false(jget_is_text(SP_STR("\"abc\""), SP_STR("ab")));
    assert_false(jget_is_text(SP_STR("\"abc\""), sp_str_sub(SP_STR("abc"), 0, 2)));
    assert_false(jget_is_text(SP_STR("\"ab\""), SP_STR("abc")));
    assert_false(jget_is_text(SP_STR("\"\\u0061\""), SP_STR("ab")));
    assert_false(jget_is_text(SP_STR("\"\\u0061b\""), SP_STR("a")));
    assert_false(jget_is_text(SP_STR("\"\\u00e9\""), SP_STR("\xc3")));
    assert_false(jget_is_text(SP_STR("12345"), SP_STR("234")));
    assert_false(jget_is_text(SP_STR("null"), SP_STR("null")));
    assert_false(jget_is_text(SP_STR("[\"a\"]"), SP_STR("a")));
}

static void jget_reads_whole_numbers_of_64_bits(void **state)
{
    static const struct {
        struct sp_str value;
        uint64_t n;
    } cases[] = {
        {SP_STR("0"), 0},
        {SP_STR("7"), 7},
        {SP_STR("1790198400123"), UINT64_C(1790198400123)},
        {SP_STR("9223372036854775808"), UINT64_C(9223372036854775808)},
        {SP_STR("18446744073709551615"), UINT64_MAX},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        uint64_t n;

        assert_true(jget_u64(cases[i].value, &n));
        assert_int_equal(n, cases[i].n);
    }
}

static void jget_refuses_numbers_that_are_not_whole_and_fitting(void **state)
{
    static const struct sp_str values[] = {
        SP_STR("-0"),
        SP_STR("-1"),
        SP_STR("1.0"),
        SP_STR("1e3"),
        SP_STR("0.5"),
        SP_STR("18446744073709551616"),
        SP_STR("99999999999999999999"),
        SP_STR("184467440737095516150"),
        SP_STR("null"),
        SP_STR("\"1\""),
        SP_STR("[1]"),
        SP_STR("{}"),
    };
    uint64_t n = 42;

    (void)state;
    for (size_t i = 0; i < N_OF(values); i++)
        assert_false(jget_u64(values[i], &n));
    assert_int_equal(n, 42);
}

/* Writes a value again from what the walk over it finds, without white space. */
static void rewrite(struct sp_buf *b, struct sp_str value)
{
    bool is_object = jget_type(value) == JSCAN_OBJECT;
    bool is_first = true;

    if (!is_object && jget_type(value) != JSCAN_ARRAY) {
        sp_buf_add(b, value);
        return;
    }
    sp_buf_add_char(b, is_object ? '{' : '[');
    for (struct jget_iter it = jget_iter(value); jget_next(&it); is_first = false) {
        if (!is_first)
            sp_buf_add_char(b, ',');
        if (is_object) {
            sp_buf_add(b, it.name);
            sp_buf_add_char(b, ':');
        }
        rewrite(b, it.value);
    }
    sp_buf_add_char(b, is_object ? '}' : ']');
}

/* Appends a value without the white space between its tokens. */
static void squeeze(struct sp_buf *b, struct sp_str value)
{
    bool is_inside = false;

    for (size_t i = 0; i < value.len; i++) {
        char c = value.p[i];

        if (is_inside && c == '\\')
            sp_buf_add_char(b, value.p[i++]);
        else if (c == '"')
            is_inside = !is_inside;
        else if (!is_inside && strchr(" \t\r\n", c) != NULL)
            continue;
        sp_buf_add_char(b, value.p[i]);
    }
}

static void jget_walks_random_values_whole(void **state)
{
    struct json_gen g = {.state = 20264};
    struct sp_buf b = {0};
    struct sp_buf rewritten = {0};
    struct sp_buf squeezed = {0};

    (void)state;
    for (int round = 0; round < 10000; round++) {
        sp_buf_clear(&b);
        sp_buf_clear(&rewritten);
        sp_buf_clear(&squeezed);
        json_gen_value(&g, &b);
        rewrite(&rewritten, scanned(sp_buf_str(&b)));
        squeeze(&squeezed, sp_buf_str(&b));
        assert_str(sp_buf_str(&rewritten), sp_buf_str(&squeezed));
    }
    sp_buf_deinit(&b);
    sp_buf_deinit(&rewritten);
    sp_buf_deinit(&squeezed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jget_tells_the_type_of_each_value),
        cmocka_unit_test(jget_finds_a_member_by_its_unescaped_name),
        cmocka_unit_test(jget_takes_the_last_of_a_member_that_occurs_twice),
        cmocka_unit_test(jget_finds_no_member_in_what_is_no_object),
        cmocka_unit_test(jget_counts_elements_and_members),
        cmocka_unit_test(jget_walks_an_array_in_order),
        cmocka_unit_test(jget_walks_an_object_in_order_with_names_as_written),
        cmocka_unit_test(jget_walks_nothing_in_empty_and_plain_values),
        cmocka_unit_test(jget_gives_the_unescaped_text_of_a_string),
        cmocka_unit_test(jget_appends_a_text_to_what_is_there),
        cmocka_unit_test(jget_compares_strings_with_text_unescaped),
        cmocka_unit_test(jget_takes_no_beginning_or_other_type_for_a_text),
        cmocka_unit_test(jget_reads_whole_numbers_of_64_bits),
        cmocka_unit_test(jget_refuses_numbers_that_are_not_whole_and_fitting),
        cmocka_unit_test(jget_walks_random_values_whole),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
