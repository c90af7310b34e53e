/* Tests of json/jcanon.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "json/jcanon.h"
#include "json/jget.h"
#include "json/jscan.h"
#include "json_gen.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

struct canon_case {
    struct sp_str text;
    struct sp_str canonical;
};

static void canon(struct sp_buf *b, struct sp_str text)
{
    struct jscan found;

    if (!jscan(text, JSCAN_MAX_DEPTH, &found))
        fail_msg("not JSON: '%.*s'", SP_STR_ARG(text));
    jcanon(b, found.value);
}

static void check(const struct canon_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct sp_buf b = {0};

        canon(&b, cases[i].text);
        if (!sp_str_eq(sp_buf_str(&b), cases[i].canonical))
            fail_msg("'%.*s' became '%.*s'", SP_STR_ARG(cases[i].text), SP_STR_ARG(sp_buf_str(&b)));
        sp_buf_deinit(&b);
    }
}

static void jcanon_drops_space_and_keeps_order_in_arrays(void **state)
{
    static const struct canon_case cases[] = {
        {SP_STR("{\"b\": 1, \"a\": [1.50, \"\xc3\xa9/\\u001f\"]}"),
         SP_STR("{\"a\":[1.5,\"\xc3\xa9/\\u001f\"],\"b\":1}")},
        {SP_STR("[ 3 ,\t1,\r\n2 ]"), SP_STR("[3,1,2]")},
        {SP_STR("[ ]"), SP_STR("[]")},
        {SP_STR("{ }"), SP_STR("{}")},
        {SP_STR("[ [ ] , { } , [ { } ] , null , true , false ]"),
         SP_STR("[[],{},[{}],null,true,false]")},
    };

    (void)state;
    check(cases, N_OF(cases));
}

static void jcanon_takes_any_value_at_the_top(void **state)
{
    static const struct canon_case cases[] = {
        {SP_STR("null"), SP_STR("null")},   {SP_STR("true"), SP_STR("true")},
        {SP_STR("false"), SP_STR("false")}, {SP_STR("7"), SP_STR("7")},
        {SP_STR("\"7\""), SP_STR("\"7\"")},
    };

    (void)state;
    check(cases, N_OF(cases));
}

static void jcanon_sorts_members_by_the_bytes_of_their_unescaped_names(void **state)
{
    static const struct canon_case cases[] = {
        {SP_STR("{\"b\":1,\"a\":2,\"ab\":3,\"\":4,\"B\":5}"),
         SP_STR("{\"\":4,\"B\":5,\"a\":2,\"ab\":3,\"b\":1}")},
        /* In UTF-16 U+10000 comes before U+FFFF, in UTF-8 behind. */
        {SP_STR("{\"\xf0\x90\x80\x80\":1,\"\xef\xbf\xbf\":2,\"\x7f\":3}"),
         SP_STR("{\"\x7f\":3,\"\xef\xbf\xbf\":2,\"\xf0\x90\x80\x80\":1}")},
        {SP_STR("{\"b\":1,\"\\u0061\":2,\"\\u0062b\":3,\"aa\":4}"),
         SP_STR("{\"a\":2,\"aa\":4,\"b\":1,\"bb\":3}")},
        {SP_STR("{\"\\n\":1,\"\\u0000\":2,\" \":3,\"\\\\\":4,\"[\":5,\"\\\"\":6}"),
         SP_STR("{\"\\u0000\":2,\"\\n\":1,\" \":3,\"\\\"\":6,\"[\":5,\"\\\\\":4}")},
        {SP_STR("{\"z\":{\"b\":[{\"d\":1,\"c\":2}],\"a\":{}},\"y\":[[],{\"f\":{},\"e\":[]}]}"),
         SP_STR("{\"y\":[[],{\"e\":[],\"f\":{}}],\"z\":{\"a\":{},\"b\":[{\"c\":2,\"d\":1}]}}")},
    };

    (void)state;
    check(cases, N_OF(cases));
}

static void jcanon_keeps_the_last_value_of_a_name(void **state)
{
    static const struct canon_case cases[] = {
        {SP_STR("{\"a\":1,\"a\":2}"), SP_STR("{\"a\":2}")},
        {SP_STR("{\"a\":[1],\"b\":{\"c\":1,\"c\":[]},\"\\u0061\":{\"x\":[2]}}"),
         SP_STR("{\"a\":{\"x\":[2]},\"b\":{\"c\":[]}}")},
        {SP_STR("{\"a\":1,\"b\":2,\"a\":3,\"b\":4,\"a\":5}"), SP_STR("{\"a\":5,\"b\":4}")},
        {SP_STR("{\"a\":1,\"a\":1}"), SP_STR("{\"a\":1}")},
    };

    (void)state;
    check(cases, N_OF(cases));
}

static void jcanon_spells_strings_as_the_writer_does(void **state)
{
    static const struct canon_case cases[] = {
        {SP_STR("\"\\u0041\\/\\u00e9\\ud83d\\ude00\""), SP_STR("\"A/\xc3\xa9\xf0\x9f\x98\x80\"")},
        {SP_STR("\"\\u0008\\u0009\\u000A\\u000c\\u000D\""), SP_STR("\"\\b\\t\\n\\f\\r\"")},
        {SP_STR("\"\\u001F\\u0000\\u007F\""), SP_STR("\"\\u001f\\u0000\x7f\"")},
        {SP_STR("\"\\u0022\\u005c\\\"\\\\\""), SP_STR("\"\\\"\\\\\\\"\\\\\"")},
        {SP_STR("{\"\\/\\u000b\":\"\"}"), SP_STR("{\"/\\u000b\":\"\"}")},
        {SP_STR("\"\""), SP_STR("\"\"")},
    };

    (void)state;
    check(cases, N_OF(cases));
}

static void jcanon_keeps_integers_of_64_bits_and_makes_doubles_of_the_rest(void **state)
{
    static const struct canon_case cases[] = {
        {SP_STR("0"), SP_STR("0")},
        {SP_STR("-0"), SP_STR("0")},
        {SP_STR("-0.0"), SP_STR("-0.0")},
        {SP_STR("0.0"), SP_STR("0.0")},
        {SP_STR("-0e5"), SP_STR("-0.0")},
        {SP_STR("42"), SP_STR("42")},
        {SP_STR("-42"), SP_STR("-42")},
        {SP_STR("15.0"), SP_STR("15.0")},
        {SP_STR("1e2"), SP_STR("100.0")},
        {SP_STR("0.1"), SP_STR("0.1")},
        {SP_STR("0.10000000000000001"), SP_STR("0.1")},
        {SP_STR("1e16"), SP_STR("1e16")},
        {SP_STR("1E+16"), SP_STR("1e16")},
        {SP_STR("0.00001"), SP_STR("0.00001")},
        {SP_STR("0.000001"), SP_STR("1e-6")},
        {SP_STR("9007199254740993"), SP_STR("9007199254740993")},
        {SP_STR("9223372036854775807"), SP_STR("9223372036854775807")},
        {SP_STR("9223372036854775808"), SP_STR("9223372036854775808")},
        {SP_STR("18446744073709551615"), SP_STR("18446744073709551615")},
        {SP_STR("18446744073709551616"), SP_STR("1.8446744073709552e19")},
        {SP_STR("-9223372036854775808"), SP_STR("-9223372036854775808")},
        {SP_STR("-9223372036854775809"), SP_STR("-9.223372036854776e18")},
        {SP_STR("-18446744073709551615"), SP_STR("-1.8446744073709552e19")},
        {SP_STR("123456789012345678901234567890"), SP_STR("1.2345678901234568e29")},
        {SP_STR("1e-400"), SP_STR("0.0")},
        {SP_STR("-1e-400"), SP_STR("-0.0")},
        {SP_STR("[1.7976931348623157e308,5e-324]"), SP_STR("[1.7976931348623157e308,5e-324]")},
    };

    (void)state;
    check(cases, N_OF(cases));
}

static void canon_exact(struct sp_buf *b, struct sp_str text)
{
    struct jscan found;

    if (!jscan(text, JSCAN_MAX_DEPTH, &found))
        fail_msg("not JSON: '%.*s'", SP_STR_ARG(text));
    jcanon_exact(b, found.value);
}

static void jcanon_exact_keeps_the_digits_of_whole_numbers(void **state)
{
    static const struct canon_case cases[] = {
        {SP_STR("0"), SP_STR("0")},
        {SP_STR("-0"), SP_STR("0")},
        {SP_STR("-42"), SP_STR("-42")},
        {SP_STR("18446744073709551615"), SP_STR("18446744073709551615")},
        {SP_STR("18446744073709551616"), SP_STR("18446744073709551616")},
        {SP_STR("-9223372036854775809"), SP_STR("-9223372036854775809")},
        {SP_STR("123456789012345678901234567890"), SP_STR("123456789012345678901234567890")},
        {SP_STR("{\"b\": [-99999999999999999999 ], \"a\":100000000000000000000}"),
         SP_STR("{\"a\":100000000000000000000,\"b\":[-99999999999999999999]}")},
        /* A fraction or an exponent makes a double, as ever. */
        {SP_STR("-0.0"), SP_STR("-0.0")},
        {SP_STR("-0e0"), SP_STR("-0.0")},
        {SP_STR("1e2"), SP_STR("100.0")},
        {SP_STR("1E2"), SP_STR("100.0")},
        {SP_STR("18446744073709551616.0"), SP_STR("1.8446744073709552e19")},
        {SP_STR("18446744073709551616e0"), SP_STR("1.8446744073709552e19")},
        {SP_STR("0.10000000000000001"), SP_STR("0.1")},
        /* All else is jcanon()'s. */
        {SP_STR("{\"\\u0062\":\"\\/\\u00fc\",\"a\":1,\"a\":[ ]}"),
         SP_STR("{\"a\":[],\"b\":\"/\xc3\xbc\"}")},
        {SP_STR("\"123456789012345678901234567890\""),
         SP_STR("\"123456789012345678901234567890\"")},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_buf b = {0};

        canon_exact(&b, cases[i].text);
        if (!sp_str_eq(sp_buf_str(&b), cases[i].canonical))
            fail_msg("'%.*s' became '%.*s'", SP_STR_ARG(cases[i].text), SP_STR_ARG(sp_buf_str(&b)));
        sp_buf_deinit(&b);
    }
}

/* The exact form loses nothing that the other keeps: made canonical, it is the other. */
static void jcanon_exact_and_jcanon_agree_on_random_values(void **state)
{
    struct json_gen gen = {2024};
    struct sp_buf text = {0}, exact = {0}, twice = {0}, form = {0}, form_of_exact = {0};

    (void)state;
    for (int i = 0; i < 2000; i++) {
        sp_buf_clear(&text);
        sp_buf_clear(&exact);
        sp_buf_clear(&twice);
        sp_buf_clear(&form);
        sp_buf_clear(&form_of_exact);
        json_gen_value(&gen, &text);
        canon_exact(&exact, sp_buf_str(&text));
        canon_exact(&twice, sp_buf_str(&exact));
        canon(&form, sp_buf_str(&text));
        canon(&form_of_exact, sp_buf_str(&exact));
        if (!sp_str_eq(sp_buf_str(&twice), sp_buf_str(&exact)) ||
            !sp_str_eq(sp_buf_str(&form_of_exact), sp_buf_str(&form)))
            fail_msg("%s became %s", sp_buf_cstr(&text), sp_buf_cstr(&exact));
    }
    sp_buf_deinit(&text);
    sp_buf_deinit(&exact);
    sp_buf_deinit(&twice);
    sp_buf_deinit(&form);
    sp_buf_deinit(&form_of_exact);
}

static void jcanon_appends_to_what_is_there(void **state)
{
    struct sp_buf b = {0};

    (void)state;
    sp_buf_add(&b, SP_STR("{"));
    canon(&b, SP_STR("{\"b\":1,\"a\":2}"));
    assert_string_equal(sp_buf_cstr(&b), "{{\"a\":2,\"b\":1}");
    sp_buf_deinit(&b);
}

static void jcanon_gives_one_form_and_keeps_it(void **state)
{
    struct json_gen g = {.state = 20267};
    struct sp_buf text = {0};
    struct sp_buf once = {0};
    struct sp_buf twice = {0};

    (void)state;
    for (int round = 0; round < 20000; round++) {
        sp_buf_clear(&text);
        sp_buf_clear(&once);
        sp_buf_clear(&twice);
        json_gen_value(&g, &text);
        canon(&once, sp_buf_str(&text));
        canon(&twice, sp_buf_str(&once));
        assert_int_equal(once.len, twice.len);
        assert_memory_equal(once.p, twice.p, once.len);
    }
    sp_buf_deinit(&text);
    sp_buf_deinit(&once);
    sp_buf_deinit(&twice);
}

/* Whether two values mean the same, read by jget alone; of a repeated name the last counts. */
static bool means_the_same(struct sp_str a, struct sp_str b)
{
    struct sp_buf text = {0};
    bool is_same = jget_type(a) == jget_type(b);
    struct jget_iter other = jget_iter(b);

    if (!is_same)
        return false;
    switch (jget_type(a)) {
    case JSCAN_STRING:
        jget_text(a, &text);
        is_same = jget_is_text(b, sp_buf_str(&text));
        break;
    case JSCAN_NUMBER:
        sp_buf_addf(&text, "%.*s %.*s", SP_STR_ARG(a), SP_STR_ARG(b));
        is_same = strtod(sp_buf_cstr(&text), NULL) == strtod(strchr(text.p, ' '), NULL);
        break;
    case JSCAN_ARRAY:
        for (struct jget_iter it = jget_iter(a); is_same && jget_next(&it);)
            is_same = jget_next(&other) && means_the_same(it.value, other.value);
        is_same = is_same && !jget_next(&other);
        break;
    case JSCAN_OBJECT:
        for (struct jget_iter it = jget_iter(a); is_same && jget_next(&it);) {
            struct sp_str x = {0};
            struct sp_str y = {0};

            sp_buf_clear(&text);
            jget_text(it.name, &text);
            is_same = jget_member(a, sp_buf_str(&text), &x) &&
                      jget_member(b, sp_buf_str(&text), &y) && means_the_same(x, y);
        }
        break;
    default:
        break;
    }
    sp_buf_deinit(&text);
    return is_same;
}

/* Whether every object's names ascend, so that none occurs twice. */
static bool is_sorted(struct sp_str value)
{
    struct sp_buf last = {0};
    struct sp_buf name = {0};
    bool is_ascending = true;
    bool is_first = true;

    for (struct jget_iter it = jget_iter(value); is_ascending && jget_next(&it);) {
        is_ascending = is_sorted(it.value);
        if (jget_type(value) != JSCAN_OBJECT)
            continue;
        sp_buf_clear(&name);
        jget_text(it.name, &name);
        if (!is_first && sp_str_cmp(sp_buf_str(&last), sp_buf_str(&name)) >= 0)
            is_ascending = false;
        sp_buf_clear(&last);
        sp_buf_add(&last, sp_buf_str(&name));
        is_first = false;
    }
    sp_buf_deinit(&last);
    sp_buf_deinit(&name);
    return is_ascending;
}

static void jcanon_keeps_the_meaning_of_random_values(void **state)
{
    struct json_gen g = {.state = 20268};
    struct sp_buf text = {0};
    struct sp_buf form = {0};

    (void)state;
    for (int round = 0; round < 10000; round++) {
        sp_buf_clear(&text);
        sp_buf_clear(&form);
        json_gen_value(&g, &text);
        canon(&form, sp_buf_str(&text));
        if (!means_the_same(sp_buf_str(&text), sp_buf_str(&form)) || !is_sorted(sp_buf_str(&form)))
            fail_msg("%s became %s", sp_buf_cstr(&text), sp_buf_cstr(&form));
    }
    sp_buf_deinit(&text);
    sp_buf_deinit(&form);
}

/* Three seconds are far more than linear work on a megabyte takes and far less than quadratic does.
 */
static void check_quick(struct sp_buf *b)
{
    struct sp_buf form = {0};
    clock_t start = clock();

    canon(&form, sp_buf_str(b));
    assert_true(clock() - start < 3 * CLOCKS_PER_SEC);
    assert_true(form.len > 0);
    sp_buf_deinit(&form);
    sp_buf_clear(b);
}

static void jcanon_takes_time_in_proportion_to_the_text(void **state)
{
    struct sp_buf b = {0};
    const unsigned depth = JSCAN_MAX_DEPTH;

    (void)state;
    /* A big value at the bottom of the deepest nesting, in objects that want sorting. */
    for (unsigned i = 0; i + 1 < depth; i++)
        sp_buf_add(&b, SP_STR("{\"z\":[],\"a\":"));
    sp_buf_add(&b, SP_STR("[0"));
    for (int i = 0; i < 1000000; i++)
        sp_buf_add(&b, SP_STR(",1"));
    sp_buf_add_char(&b, ']');
    for (unsigned i = 0; i + 1 < depth; i++)
        sp_buf_add(&b, SP_STR(",\"b\":0}"));
    check_quick(&b);

    /* Very many members, descending, of equal names, and of names that are long and alike. */
    for (int i = 200000; i > 0; i--)
        sp_buf_addf(&b, "%c\"\\u0061%06d\":{}", i == 200000 ? '{' : ',', i);
    sp_buf_add_char(&b, '}');
    check_quick(&b);
    for (int i = 0; i < 200000; i++)
        sp_buf_addf(&b, "%c\"a\":%d", i == 0 ? '{' : ',', i);
    sp_buf_add_char(&b, '}');
    check_quick(&b);
    for (int i = 0; i < 1000; i++)
        sp_buf_addf(&b, "%c\"%01000d%d\":0", i == 0 ? '{' : ',', 7, i);
    sp_buf_add_char(&b, '}');
    check_quick(&b);

    /* Very many empty containers. */
    sp_buf_add(&b, SP_STR("[{}"));
    for (int i = 0; i < 300000; i++)
        sp_buf_add(&b, SP_STR(",[]"));
    sp_buf_add_char(&b, ']');
    check_quick(&b);
    sp_buf_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jcanon_drops_space_and_keeps_order_in_arrays),
        cmocka_unit_test(jcanon_takes_any_value_at_the_top),
        cmocka_unit_test(jcanon_sorts_members_by_the_bytes_of_their_unescaped_names),
        cmocka_unit_test(jcanon_keeps_the_last_value_of_a_name),
        cmocka_unit_test(jcanon_spells_strings_as_the_writer_does),
        cmocka_unit_test(jcanon_keeps_integers_of_64_bits_and_makes_doubles_of_the_rest),
        cmocka_unit_test(jcanon_exact_keeps_the_digits_of_whole_numbers),
        cmocka_unit_test(jcanon_exact_and_jcanon_agree_on_random_values),
        cmocka_unit_test(jcanon_appends_to_what_is_there),
        cmocka_unit_test(jcanon_gives_one_form_and_keeps_it),
        cmocka_unit_test(jcanon_keeps_the_meaning_of_random_values),
        cmocka_unit_test(jcanon_takes_time_in_proportion_to_the_text),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
