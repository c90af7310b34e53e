/* Tests of procedure/procedure_features.h, by chapter 43, sections 4.1 and 7. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json/jcanon.h"
#include "json/jput.h"
#include "json/jscan.h"
#include "json_gen.h"
#include "procedure/procedure_features.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

struct text_case {
    const char *text;
    const char *want;
};

static void put(void *data, struct sp_str feature)
{
    sp_buf_add_char(data, '[');
    sp_buf_add(data, feature);
    sp_buf_add_char(data, ']');
}

/* Compares the features of results' texts, of a tool "t". */
static void compare(const struct text_case *cases, size_t n)
{
    struct sp_buf value = {0}, got = {0};

    for (size_t i = 0; i < n; i++) {
        sp_buf_clear(&value);
        sp_buf_clear(&got);
        procedure_features_value(sp_str_of(cases[i].text), &value);
        procedure_features_of(SP_STR("t"), sp_buf_str(&value), put, &got);
        assert_string_equal(sp_buf_cstr(&got), cases[i].want);
    }
    sp_buf_deinit(&value);
    sp_buf_deinit(&got);
}

static void features_reads_a_text_as_one_value(void **state)
{
    static const struct text_case cases[] = {
        {" {\"b\": 1.50, \"a\": 1e2, \"b\": null}\n", "{\"a\":100.0,\"b\":null}"},
        {"7", "7"},
        {"\"{\\\"a\\\": 1}\"", "{\"a\":1}"},
        {"\"plain\"", "\"plain\""},
        {"\"7\"", "7"},
        /* One level of strings, no more. */
        {"\"\\\"{}\\\"\"", "\"{}\""},
        {"no JSON", "\"no JSON\""},
        {"", "\"\""},
        {"{\"a\":1", "\"{\\\"a\\\":1\""},
        {"a\tb", "\"a\\tb\""},
    };
    struct sp_buf b = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        sp_buf_clear(&b);
        procedure_features_value(sp_str_of(cases[i].text), &b);
        assert_string_equal(sp_buf_cstr(&b), cases[i].want);
    }
    sp_buf_deinit(&b);
}

static void features_reads_json_nested_up_to_the_limit(void **state)
{
    struct sp_buf text = {0}, b = {0};

    (void)state;
    for (size_t depth = 127; depth <= 128; depth++) {
        sp_buf_clear(&text);
        sp_buf_clear(&b);
        for (size_t i = 0; i < depth; i++)
            sp_buf_add_char(&text, '[');
        for (size_t i = 0; i < depth; i++)
            sp_buf_add_char(&text, ']');
        procedure_features_value(sp_buf_str(&text), &b);
        assert_int_equal(b.p[0], depth <= 127 ? '[' : '"');
    }
    sp_buf_deinit(&text);
    sp_buf_deinit(&b);
}

static void features_of_objects(void **state)
{
    static const struct text_case cases[] = {
        /* The first of the section's vectors; members by name. */
        {"{\"state\":\" Live \",\"meter_id\":\"M4410\",\"paused\":false,\"load_kw\":3.5,"
         "\"phases\":3,\"alerts\":[],\"panels\":{\"p1\":{\"status\":\"Tripped\"},"
         "\"p2\":{\"status\":\"OK\"}},\"owner\":null}",
         "[t:error=False][t:len(alerts)=0][t:len(panels)=2+][t:panels.*.status=tripped]"
         "[t:panels.*.status=ok][t:paused=false][t:phases=3][t:state=live]"},
        {"\"{\\\"a\\\": 1}\"", "[t:error=False][t:a=1]"},
        {"{}", "[t:error=False]"},
        {"{\"a\":true,\"b\":-0,\"c\":-7,\"d\":1.0,\"e\":1e2,\"f\":null,\"g\":1e16,"
         "\"h\":1e-6}",
         "[t:error=False][t:a=true][t:b=0][t:c=-7]"},
        {"{\"a\":18446744073709551615,\"b\":18446744073709551616}",
         "[t:error=False][t:a=18446744073709551615]"},
        /* 24 characters, counted before they are trimmed, and no three digits in a row. */
        {"{\"a\":\"123456789 12 12 12 12 1\",\"b\":\"ab 12 ab 12 ab 12 ab 12\",\"c\":\"a123\"}",
         "[t:error=False][t:b=ab 12 ab 12 ab 12 ab 12]"},
        {"{\"a\":\"abcdefghijklmnopqrstuvwx\",\"b\":\"abcdefghijklmnopqrstuvwxy\","
         "\"c\":\"abcdefghijklmnopqrstuvwx \"}",
         "[t:error=False][t:a=abcdefghijklmnopqrstuvwx]"},
        {"{\"a\":\"\xc3\x89\xc3\x89\xc3\x89\xc3\x89\xc3\x89\xc3\x89\xc3\x89\xc3\x89\xc3\x89"
         "\xc3\x89\xc3\x89\xc3\x89\xc3\x89\",\"b\":\"\xd9\xa1\xd9\xa2\xd9\xa3\",\"c\":\"1\xc2\xb3"
         "22\"}",
         "[t:error=False][t:a=\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
         "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9][t:b=\xd9\xa1\xd9\xa2\xd9\xa3][t:c=1\xc2\xb3"
         "22]"},
        {"{\"a\":\"\",\"b\":\"\xe2\x80\x83 x\\n\"}", "[t:error=False][t:a=][t:b=x]"},
        {"{\"A b\\n\":\"Y\"}", "[t:error=False][t:A b\n=y]"},
        {"{\"a\":[1],\"b\":[1,2],\"c\":[1,2,3],\"d\":{},\"e\":{\"x\":1},\"f\":{\"x\":1,\"y\":2}}",
         "[t:error=False][t:len(a)=1][t:len(b)=2+][t:len(c)=2+][t:len(d)=0][t:len(e)=1]"
         "[t:len(f)=2+]"},
        /* A status counts in an object's values only, however long it is. */
        {"{\"a\":[{\"status\":\"x\"}],\"b\":{\"status\":\"x\"},"
         "\"c\":{\"1\":{\"status\":7},\"2\":{\"status\":\" As Long As 123456789012345678901 \"}}}",
         "[t:error=False][t:len(a)=1][t:len(b)=1][t:len(c)=2+]"
         "[t:c.*.status=as long as 123456789012345678901]"},
        {"{\"a\":\"x\",\"a\":\"y\"}", "[t:error=False][t:a=y]"},
    };

    (void)state;
    compare(cases, N_OF(cases));
}

static void features_of_texts(void **state)
{
    static const struct text_case cases[] = {
        /* The second of the section's vectors. */
        {"Panel Lamp: Amber | Mode: auto\nVoltage: 231 V | steady\nMain breaker is open\n\n"
         "Reset within 24 hours",
         "[t:error=False][t:panel lamp=amber][t:panel lamp=mode: auto][t:voltage=steady]"
         "[t:says main breaker is open]"},
        {"Bars: \xe2\x96\xae\xc2\xb3 good", "[t:error=False][t:bars=\xe2\x96\xae\xc2\xb3 good]"},
        {"Key:\r\n a :  | b||c9| D \r\n", "[t:error=False][t:says key:][t:a=b][t:a=d]"},
        {": x", "[t:error=False][t:=x]"},
        {"a:b", "[t:error=False][t:says a:b]"},
        {"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefgh",
         "[t:error=False][t:says abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefgh]"},
        {"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghi", "[t:error=False]"},
        {"", "[t:error=False]"},
        {"\"One\\nTwo\"", "[t:error=False][t:says one][t:says two]"},
    };

    (void)state;
    compare(cases, N_OF(cases));
}

static void features_of_other_values(void **state)
{
    static const struct text_case cases[] = {
        {"7", "[t:error=False]"},
        {"true", "[t:error=False]"},
        {"null", "[t:error=False]"},
        {"[]", "[t:error=False][t:len($)=0]"},
        {"[{\"a\":1}]", "[t:error=False][t:len($)=1]"},
        {"[1,2,3]", "[t:error=False][t:len($)=2+]"},
    };
    struct sp_buf got = {0};

    (void)state;
    compare(cases, N_OF(cases));
    procedure_features_of_failure(SP_STR("a tool"), put, &got);
    assert_string_equal(sp_buf_cstr(&got), "[a tool:error]");
    sp_buf_deinit(&got);
}

static void count(void *data, struct sp_str feature)
{
    size_t *n = data;

    assert_true(sp_str_starts(feature, SP_STR("t:")));
    ++*n;
}

static void features_of_random_values_are_those_of_their_text_in_a_string(void **state)
{
    struct json_gen g = {.state = 4};
    struct sp_buf text = {0}, string = {0}, value = {0}, again = {0}, canonical = {0};
    struct jscan found;

    (void)state;
    for (int i = 0; i < 2000; i++) {
        size_t n = 0;

        sp_buf_clear(&text);
        sp_buf_clear(&string);
        sp_buf_clear(&value);
        sp_buf_clear(&again);
        sp_buf_clear(&canonical);
        json_gen_value(&g, &text);
        procedure_features_value(sp_buf_str(&text), &value);
        assert_true(jscan(sp_buf_str(&value), 127, &found));
        jcanon(&canonical, found.value);
        assert_true(sp_str_eq(sp_buf_str(&canonical), sp_buf_str(&value)));
        procedure_features_of(SP_STR("t"), sp_buf_str(&value), count, &n);
        assert_true(n >= 1);
        if (text.p[0] == '"')
            continue;
        jput_string(&string, sp_buf_str(&text));
        procedure_features_value(sp_buf_str(&string), &again);
        assert_true(sp_str_eq(sp_buf_str(&value), sp_buf_str(&again)));
    }
    sp_buf_deinit(&text);
    sp_buf_deinit(&string);
    sp_buf_deinit(&value);
    sp_buf_deinit(&again);
    sp_buf_deinit(&canonical);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_reads_a_text_as_one_value),
        cmocka_unit_test(features_reads_json_nested_up_to_the_limit),
        cmocka_unit_test(features_of_objects),
        cmocka_unit_test(features_of_texts),
        cmocka_unit_test(features_of_other_values),
        cmocka_unit_test(features_of_random_values_are_those_of_their_text_in_a_string),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
