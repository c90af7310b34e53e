/* Tests of config/jsonc.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "config/jsonc.h"
#include "json/jcanon.h"
#include "json/jget.h"
#include "jsonc_gen.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

/* Reads a text from memory of exactly its size, so that a sanitizer notices a read behind it. */
static int read_exact(struct sp_str text, struct jsonc *ret, struct sp_err *err)
{
    static char *exact;

    free(exact);
    exact = sp_malloc(text.len);
    memcpy(exact, text.p, text.len);
    return jsonc_read((struct sp_str){exact, text.len}, ret, err);
}

struct plain_case {
    const char *source;
    const char *plain;
};

static void jsonc_puts_spaces_where_json_has_nothing(void **state)
{
    static const struct plain_case cases[] = {
        {"null", "null"},
        {" {\"a\": [1, 2]}\n", " {\"a\": [1, 2]}\n"},
        {"// a\n1", "    \n1"},
        {"1 // a", "1     "},
        {"1//", "1  "},
        {"/* a\n */1", "        1"},
        {"/**/1/***/", "    1     "},
        {"[1,]", "[1 ]"},
        {"[1, // a\n]", "[1      \n]"},
        {"[1 /* a */ , /* b */ ]", "[1                   ]"},
        {"{\"a\":1,}", "{\"a\":1 }"},
        {"{\"a\":[1,],}", "{\"a\":[1 ] }"},
        {"{\"a\"/* : */:/* , */1}", "{\"a\"       :       1}"},
        {"\"// a /* b */\"", "\"// a /* b */\""},
        {"\"\\\"// a\"", "\"\\\"// a\""},
        {"[\"a\\\\\"//\n]", "[\"a\\\\\"  \n]"},
        {"\xef\xbb\xbf{}", "   {}"},
        {"[] // \xc3\xa4", "[]      "},
        {"1\r\n// a\r\n", "1\r\n     \n"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct jsonc c = {0};
        struct sp_err err;

        if (read_exact(sp_str_of(cases[i].source), &c, &err) < 0)
            fail_msg("'%s': %s", cases[i].source, err.text);
        assert_string_equal(sp_buf_cstr(&c.plain), cases[i].plain);
        jsonc_deinit(&c);
    }
}

static void jsonc_finds_spans_of_the_source(void **state)
{
    struct sp_str text = SP_STR("// first\n{ \"a\": /* x */ [1, // one\n 2,], }\n");
    struct jsonc c;
    struct sp_err err;
    struct sp_str value;

    (void)state;
    assert_int_equal(jsonc_read(text, &c, &err), 0);
    assert_int_equal(jsonc_at(&c, c.value.p), 9);
    assert_true(sp_str_eq(jsonc_source(&c, c.value), sp_str_sub(text, 9, text.len - 1)));
    assert_true(jget_member(c.value, SP_STR("a"), &value));
    assert_true(sp_str_eq(jsonc_source(&c, value), SP_STR("[1, // one\n 2,]")));
    jsonc_deinit(&c);
}

struct error_case {
    struct sp_str source;
    const char *error;
};

static void jsonc_names_the_line_of_what_is_wrong(void **state)
{
    static const struct error_case cases[] = {
        {SP_STR(""), "line 1: a value is missing"},
        {SP_STR(" \n"), "line 2: a value is missing"},
        {SP_STR("// a"), "line 1: a value is missing"},
        {SP_STR("\n/* a"), "line 2: a comment has no end"},
        {SP_STR("/*/"), "line 1: a comment has no end"},
        {SP_STR("1 / 2"), "line 1: a slash begins no comment here"},
        {SP_STR("1\n2"), "line 2: something follows the end of the value"},
        {SP_STR("{}\n}"), "line 2: something follows the end of the value"},
        {SP_STR("[1\n 2]"), "line 2: a comma is missing before what stands here"},
        {SP_STR("{\"a\": 1\n\"b\": 2}"), "line 2: a comma is missing before what stands here"},
        {SP_STR("[1}"), "line 1: a comma is missing before what stands here"},
        {SP_STR("{\"a\"\n 1}"), "line 2: a colon is missing behind a name"},
        {SP_STR("{\"a\": }"), "line 1: a value is missing"},
        {SP_STR("{\"a\": ,}"), "line 1: a value is missing"},
        {SP_STR("[,]"), "line 1: a value is missing"},
        {SP_STR("[1,,]"), "line 1: a value is missing"},
        {SP_STR("[1,,2]"), "line 1: a value is missing"},
        {SP_STR("{,}"), "line 1: a name in quotes is missing"},
        {SP_STR("{a: 1}"), "line 1: a name in quotes is missing"},
        {SP_STR("{'a': 1}"), "line 1: a name in quotes is missing"},
        {SP_STR("{1: 1}"), "line 1: a name in quotes is missing"},
        {SP_STR("{]"), "line 1: a name in quotes is missing"},
        {SP_STR("[\n\n\"a\n\"]"), "line 3: a string has no end"},
        {SP_STR("\"a"), "line 1: a string has no end"},
        {SP_STR("\"a\\"), "line 1: a string has no end"},
        {SP_STR("\"a\\\""), "line 1: a string has no end"},
        {SP_STR("\"\\x\""), "line 1: a string holds what JSON does not have"},
        {SP_STR("\"\t\""), "line 1: a string holds what JSON does not have"},
        {SP_STR("[\n01]"), "line 2: this is no value of JSON"},
        {SP_STR("yes"), "line 1: this is no value of JSON"},
        {SP_STR("[1 undefined]"), "line 1: a comma is missing before what stands here"},
        {SP_STR("NaN"), "line 1: this is no value of JSON"},
        {SP_STR("[\0]"), "line 1: a value is missing"},
        {SP_STR("[\n[1,\n"), "line 3: the text ends before all brackets are closed"},
        {SP_STR("{\"a\""), "line 1: the text ends before all brackets are closed"},
        {SP_STR("1\n\n\xff"), "line 3: this is not valid UTF-8"},
        {SP_STR("\xff\xfe{\0}\0"), "line 1: this is not valid UTF-8"},
        {SP_STR("1 \xef\xbb\xbf"), "line 1: something follows the end of the value"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct jsonc c = {0};
        struct sp_err err = {0};

        if (read_exact(cases[i].source, &c, &err) == 0)
            fail_msg("read: '%.*s'", SP_STR_ARG(cases[i].source));
        assert_string_equal(err.text, cases[i].error);
        assert_null(c.plain.p);
    }
}

static void jsonc_limits_how_deep_a_text_nests(void **state)
{
    struct sp_buf b = {0};
    struct jsonc c;
    struct sp_err err;

    (void)state;
    for (size_t i = 0; i < JSONC_DEPTH; i++)
        sp_buf_add(&b, SP_STR("{\"a\":["));
    assert_int_not_equal(jsonc_read(sp_buf_str(&b), &c, &err), 0);
    assert_string_equal(err.text, "line 1: brackets nest too deep");
    b.len = 0;
    for (size_t i = 0; i < JSONC_DEPTH; i++)
        sp_buf_add_char(&b, '[');
    for (size_t i = 0; i < JSONC_DEPTH; i++)
        sp_buf_add(&b, SP_STR("],"));
    b.len--;
    assert_int_equal(jsonc_read(sp_buf_str(&b), &c, &err), 0);
    jsonc_deinit(&c);
    sp_buf_deinit(&b);
}

/* The canonical form of a text's value. */
static void put_canonical(struct sp_buf *b, struct sp_str text)
{
    struct jscan scan;

    assert_true(jscan_grammar(text, &scan));
    jcanon(b, scan.value);
}

static void jsonc_reads_random_values_with_anything_between(void **state)
{
    struct json_gen g = {20};

    (void)state;
    for (int round = 0; round < 3000; round++) {
        struct sp_buf json = {0};
        struct sp_buf source = {0};
        struct sp_buf want = {0};
        struct sp_buf got = {0};
        struct jsonc c;
        struct sp_err err;

        json_gen_value(&g, &json);
        jsonc_gen_decorate(&g, sp_buf_str(&json), &source);
        if (read_exact(sp_buf_str(&source), &c, &err) < 0)
            fail_msg("%s: '%s'", err.text, sp_buf_cstr(&source));
        assert_int_equal(c.plain.len, source.len);
        put_canonical(&want, sp_buf_str(&json));
        put_canonical(&got, sp_buf_str(&c.plain));
        assert_true(sp_str_eq(sp_buf_str(&want), sp_buf_str(&got)));
        jsonc_deinit(&c);
        sp_buf_deinit(&json);
        sp_buf_deinit(&source);
        sp_buf_deinit(&want);
        sp_buf_deinit(&got);
    }
}

/* Changes a byte, or takes one out, or doubles one. */
static void mutate(struct json_gen *g, struct sp_buf *b)
{
    static const char bytes[] = "{}[],:\"/*\\ \n1ax\x80";
    size_t at = json_gen_below(g, b->len);

    switch (json_gen_below(g, 3)) {
    case 0:
        b->p[at] = bytes[json_gen_below(g, sizeof bytes - 1)];
        break;
    case 1:
        memmove(b->p + at, b->p + at + 1, b->len - at - 1);
        b->len--;
        break;
    default:
        sp_buf_add_char(b, ' ');
        memmove(b->p + at + 1, b->p + at, b->len - at - 1);
        break;
    }
}

static void jsonc_agrees_with_a_simple_reader_on_mutated_texts(void **state)
{
    struct json_gen g = {21};
    unsigned n_read = 0;
    unsigned n_rounds = 20000;

    (void)state;
    for (unsigned round = 0; round < n_rounds; round++) {
        struct sp_buf json = {0};
        struct sp_buf source = {0};
        struct jscan scan;
        struct jsonc c;
        struct sp_err err;
        bool is_read;

        do {
            json.len = 0;
            json_gen_value(&g, &json);
        } while (json.len > 200);
        jsonc_gen_decorate(&g, sp_buf_str(&json), &source);
        for (uint64_t n = 1 + json_gen_below(&g, 3); n > 0 && source.len > 0; n--)
            mutate(&g, &source);
        is_read = read_exact(sp_buf_str(&source), &c, &err) == 0;
        if (is_read != jsonc_gen_is(sp_buf_str(&source)))
            fail_msg("%s: '%.*s'", is_read ? "read" : err.text, (int)source.len, source.p);
        if (is_read) {
            n_read++;
            assert_true(jscan_grammar(sp_buf_str(&c.plain), &scan));
            assert_true(scan.value.p == c.value.p && scan.value.len == c.value.len);
            jsonc_deinit(&c);
        }
        sp_buf_deinit(&json);
        sp_buf_deinit(&source);
    }
    assert_in_range(n_read, n_rounds / 20, n_rounds - n_rounds / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jsonc_puts_spaces_where_json_has_nothing),
        cmocka_unit_test(jsonc_finds_spans_of_the_source),
        cmocka_unit_test(jsonc_names_the_line_of_what_is_wrong),
        cmocka_unit_test(jsonc_limits_how_deep_a_text_nests),
        cmocka_unit_test(jsonc_reads_random_values_with_anything_between),
        cmocka_unit_test(jsonc_agrees_with_a_simple_reader_on_mutated_texts),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
