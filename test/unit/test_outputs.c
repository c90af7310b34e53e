/* Tests of flow/outputs.h, by chapter 21, sections 3 and 9.2 to 9.4. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flow/outputs.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

struct text_case {
    const char *text;
    const char *want;
};

static void outputs_reads_what_is_json_and_lines_of_what_is_not(void **state)
{
    static const struct text_case cases[] = {
        {" {\"b\": 1.50, \"a\": [1e2], \"b\": null}\n", "{\"a\":[100.0],\"b\":null}"},
        {"8821", "8821"},
        {"\"abc\"", "\"abc\""},
        {"12 apples", "\"12 apples\""},
        {"/n/r/c.md\r\n\r\n  /n/r/d.md  ", "[\"/n/r/c.md\",\"/n/r/d.md\"]"},
        {"a\n\xe2\x80\x83\nb\xc2\xa0\n", "[\"a\",\"b\"]"},
        /* One line, or none, is kept untouched. */
        {" one\n", "\" one\\n\""},
        {"\n \n", "\"\\n \\n\""},
        {"", "\"\""},
        {"{\"a\":1", "\"{\\\"a\\\":1\""},
    };
    struct sp_buf b = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        sp_buf_clear(&b);
        outputs_read(sp_str_of(cases[i].text), &b);
        assert_string_equal(sp_buf_cstr(&b), cases[i].want);
    }
    sp_buf_deinit(&b);
}

static void outputs_reads_json_nested_up_to_the_limit(void **state)
{
    struct sp_buf text = {0}, b = {0};

    (void)state;
    for (size_t depth = OUTPUTS_MAX_DEPTH; depth <= OUTPUTS_MAX_DEPTH + 1; depth++) {
        sp_buf_clear(&text);
        sp_buf_clear(&b);
        for (size_t i = 0; i < depth; i++)
            sp_buf_add_char(&text, '[');
        for (size_t i = 0; i < depth; i++)
            sp_buf_add_char(&text, ']');
        outputs_read(sp_buf_str(&text), &b);
        assert_int_equal(b.p[0], depth <= OUTPUTS_MAX_DEPTH ? '[' : '"');
    }
    sp_buf_deinit(&text);
    sp_buf_deinit(&b);
}

static void put_value(void *data, struct sp_str value, struct sp_str holder)
{
    sp_buf_addf(data, " %.*s", SP_STR_ARG(value));
    if (holder.p != NULL)
        sp_buf_addf(data, " of %.*s", SP_STR_ARG(holder));
}

static void put_member(void *data, struct sp_str name, struct sp_str value, struct sp_str holder)
{
    sp_buf_addf(data, " %.*s", SP_STR_ARG(name));
    put_value(data, value, holder);
}

static void put_scalar(void *data, struct sp_str scalar)
{
    sp_buf_addf(data, " <%.*s>", SP_STR_ARG(scalar));
}

struct path_case {
    const char *path;
    const char *json;
    const char *want;
};

static void outputs_gives_the_strings_at_a_path(void **state)
{
    static const struct path_case cases[] = {
        {"$", "\"a\"", " \"a\""},
        {"$", "12", ""},
        {"$", "[\"a\"]", ""},
        {"$[*]", "[\"a\",1,[\"b\"],null,\"c\"]", " \"a\" \"c\""},
        {"$[*][*]", "[\"a\",[\"b\"]]", " \"b\""},
        {"$[*]", "{\"a\":\"b\"}", ""},
        {"$.a", "{\"a\":\"b\"}", " \"b\" of {\"a\":\"b\"}"},
        {"$.a", "[{\"a\":\"b\"}]", ""},
        {"$.a.b", "{\"a\":{\"b\":\"c\"}}", " \"c\" of {\"b\":\"c\"}"},
        {"$.a[*].b", "{\"a\":[{\"b\":\"1\"},{\"b\":2},{\"b\":\"3\"}]}",
         " \"1\" of {\"b\":\"1\"} \"3\" of {\"b\":\"3\"}"},
        {"$.Hotel Names[*]", "{\"Hotel Names\":[\"x\"]}", " \"x\""},
        {"$.", "{\"\":\"x\"}", " \"x\" of {\"\":\"x\"}"},
        {"$.a]", "{\"a]\":\"x\"}", " \"x\" of {\"a]\":\"x\"}"},
        {"$.\xc3\xa9", "{\"\xc3\xa9\":\"x\"}", " \"x\" of {\"\xc3\xa9\":\"x\"}"},
        /* What is no such path leads nowhere. */
        {"", "\"a\"", ""},
        {"a", "{\"a\":\"b\"}", ""},
        {"$a", "{\"a\":\"b\"}", ""},
        {"$[0]", "[\"a\"]", ""},
        {"$[*", "[\"a\"]", ""},
    };
    struct sp_arena arena = {0};
    struct sp_buf b = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct outputs_path path = outputs_path(sp_str_of(cases[i].path), &arena);

        sp_buf_clear(&b);
        outputs_at(sp_str_of(cases[i].json), &path, put_value, &b);
        assert_string_equal(sp_buf_cstr(&b), cases[i].want);
    }
    sp_arena_deinit(&arena);
    sp_buf_deinit(&b);
}

static void outputs_gives_members_that_are_strings_in_document_order(void **state)
{
    static const struct text_case cases[] = {
        {"{\"a\":{\"c\":\"1\"},\"b\":\"2\",\"d\":[3,\"4\",{\"e\":\"5\"}]}",
         " c \"1\" of {\"c\":\"1\"} b \"2\" of {\"a\":{\"c\":\"1\"},\"b\":\"2\",\"d\":[3,\"4\","
         "{\"e\":\"5\"}]} e \"5\" of {\"e\":\"5\"}"},
        {"[\"a\",null]", ""},
        {"\"a\"", ""},
        {"12", ""},
    };
    struct sp_buf b = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        sp_buf_clear(&b);
        outputs_members(sp_str_of(cases[i].text), put_member, &b);
        assert_string_equal(sp_buf_cstr(&b), cases[i].want);
    }
    sp_buf_deinit(&b);
}

static void outputs_gives_scalars_at_any_depth(void **state)
{
    static const struct text_case cases[] = {
        {"{\"Key\":\" T-41\\n\",\"b\":[1.5,{\"c\":\"\xc3\x84\"}],\"d\":true,\"e\":null}",
         " <t-41> <1.5> <\xc3\xa4>"},
        {"12", " <12>"},
        {"\"\"", " <>"},
        {"false", ""},
    };
    struct sp_buf b = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        sp_buf_clear(&b);
        outputs_scalars(sp_str_of(cases[i].text), put_scalar, &b);
        assert_string_equal(sp_buf_cstr(&b), cases[i].want);
    }
    sp_buf_deinit(&b);
}

static void outputs_tells_what_looks_like_a_key(void **state)
{
    static const char *const yes[] = {"T-41", "1234", "abc1", "1\xc3\xa9\xc3\xa9\xc3\xa9"};
    static const char *const no[] = {"", "T41", "abcd", "1\xc3\xa9\xc3\xa9", "\xd9\xa1\xd9\xa2xx"};

    (void)state;
    for (size_t i = 0; i < N_OF(yes); i++)
        assert_true(outputs_is_key_like(sp_str_of(yes[i])));
    for (size_t i = 0; i < N_OF(no); i++)
        assert_false(outputs_is_key_like(sp_str_of(no[i])));
    assert_true(outputs_has_chars(SP_STR(""), 0));
    assert_false(outputs_has_chars(SP_STR("\xc3\xa9"), 2));
}

static void outputs_compares_a_number_and_a_string_by_one_text(void **state)
{
    static const struct text_case cases[] = {
        {"5", "5"}, {"\"5\"", "5"}, {"\"a\\nb\"", "a\nb"}, {"[\"a\\n\"]", "[\"a\\n\"]"}};
    struct sp_buf b = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        sp_buf_clear(&b);
        outputs_value_text(sp_str_of(cases[i].text), &b);
        assert_string_equal(sp_buf_cstr(&b), cases[i].want);
    }
    sp_buf_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_reads_what_is_json_and_lines_of_what_is_not),
        cmocka_unit_test(outputs_reads_json_nested_up_to_the_limit),
        cmocka_unit_test(outputs_gives_the_strings_at_a_path),
        cmocka_unit_test(outputs_gives_members_that_are_strings_in_document_order),
        cmocka_unit_test(outputs_gives_scalars_at_any_depth),
        cmocka_unit_test(outputs_tells_what_looks_like_a_key),
        cmocka_unit_test(outputs_compares_a_number_and_a_string_by_one_text),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
