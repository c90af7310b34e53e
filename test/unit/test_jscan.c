/*
 * Tests of json/jscan.h. Every text goes through both scanners and the reference checker, from
 * memory of exactly its size, so that a sanitizer notices a read behind it.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "json/jput.h"
#include "json/jscan.h"
#include "json_gen.h"
#include "json_ref.h"

#define REPLACED "\xef\xbf\xbd" /* U+FFFD */

/* A text to scan, and the value in it. */
struct value_case {
    struct sp_str text;
    struct sp_str value;
    enum jscan_type type;
};

static void assert_span(struct sp_str got, struct sp_str want)
{
    assert_true((got.p == NULL) == (want.p == NULL));
    assert_int_equal(got.len, want.len);
    assert_memory_equal(got.p, want.p, want.len);
}

static void assert_same(const struct jscan *a, const struct jscan *b)
{
    assert_int_equal(a->type, b->type);
    assert_true(a->value.p == b->value.p && a->value.len == b->value.len);
    assert_true(a->id.p == b->id.p && a->id.len == b->id.len);
    assert_true(a->method.p == b->method.p && a->method.len == b->method.len);
    assert_true(a->params.p == b->params.p && a->params.len == b->params.len);
    assert_true(a->result.p == b->result.p && a->result.len == b->result.len);
    assert_true(a->error.p == b->error.p && a->error.len == b->error.len);
}

/* Whether a text is JSON, by all three; they must agree, in what they find as well. */
static bool scan_agreed(struct sp_str text, unsigned max_depth)
{
    char *exact = sp_malloc(text.len);
    struct sp_str copy = {exact, text.len};
    struct jscan fast = {0};
    struct jscan portable = {0};
    struct jscan ref = {0};
    bool is_json;

    memcpy(exact, text.p, text.len);
    is_json = jscan(copy, max_depth, &fast);
    if (jscan_portable(copy, max_depth, &portable) != is_json ||
        json_ref(copy, max_depth, &ref) != is_json)
        fail_msg("the scanners disagree about '%.*s'", SP_STR_ARG(text));
    assert_same(&fast, &portable);
    assert_same(&fast, &ref);
    free(exact);
    return is_json;
}

static void accept(struct sp_str text)
{
    if (!scan_agreed(text, JSCAN_LOG_DEPTH))
        fail_msg("refused: '%.*s'", SP_STR_ARG(text));
}

static void refuse(struct sp_str text)
{
    if (scan_agreed(text, JSCAN_LOG_DEPTH))
        fail_msg("accepted: '%.*s'", SP_STR_ARG(text));
}

static void accept_all(const struct sp_str *texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        accept(texts[i]);
}

static void refuse_all(const struct sp_str *texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        refuse(texts[i]);
}

#define N_OF(array) (sizeof(array) / sizeof *(array))

/* What scanning finds in a text that is JSON; both scanners find the same. */
static struct jscan found_in(struct sp_str text)
{
    struct jscan fast;
    struct jscan portable;

    accept(text);
    assert_true(jscan(text, JSCAN_LOG_DEPTH, &fast));
    assert_true(jscan_portable(text, JSCAN_LOG_DEPTH, &portable));
    assert_same(&fast, &portable);
    return fast;
}

static void jscan_gives_the_value_without_the_space_around_it(void **state)
{
    static const struct value_case cases[] = {
        {SP_STR("null"), SP_STR("null"), JSCAN_NULL},
        {SP_STR("false"), SP_STR("false"), JSCAN_FALSE},
        {SP_STR("true"), SP_STR("true"), JSCAN_TRUE},
        {SP_STR("42"), SP_STR("42"), JSCAN_NUMBER},
        {SP_STR("-1"), SP_STR("-1"), JSCAN_NUMBER},
        {SP_STR("\"s\""), SP_STR("\"s\""), JSCAN_STRING},
        {SP_STR("[]"), SP_STR("[]"), JSCAN_ARRAY},
        {SP_STR("{}"), SP_STR("{}"), JSCAN_OBJECT},
        {SP_STR(" \t\r\n{ \"a\" : [ 1 , 2 ] } \r\n"), SP_STR("{ \"a\" : [ 1 , 2 ] }"),
         JSCAN_OBJECT},
        {SP_STR(" 1 "), SP_STR("1"), JSCAN_NUMBER},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct jscan found = found_in(cases[i].text);

        assert_span(found.value, cases[i].value);
        assert_int_equal(found.type, cases[i].type);
    }
}

static void jscan_leaves_the_result_untouched_when_it_refuses(void **state)
{
    struct jscan found;
    struct jscan before;

    (void)state;
    memset(&found, 0x5a, sizeof found);
    before = found;
    assert_false(jscan(SP_STR("{\"id\":1,}"), 1, &found));
    assert_memory_equal(&found, &before, sizeof found);
    assert_false(jscan_portable(SP_STR("{\"id\":1,}"), 1, &found));
    assert_memory_equal(&found, &before, sizeof found);
}

static void jscan_finds_the_members_of_a_message(void **state)
{
    struct jscan found = found_in(
        SP_STR(" {\"jsonrpc\":\"2.0\" , \"id\" : 7 ,\"method\":\"tools/call\",\"params\":"
               "{\"id\":1,\"error\":[{\"result\":2}]},\"result\":[ 1 ],\"error\":null }\r"));

    (void)state;
    assert_span(found.id, SP_STR("7"));
    assert_span(found.method, SP_STR("\"tools/call\""));
    assert_span(found.params, SP_STR("{\"id\":1,\"error\":[{\"result\":2}]}"));
    assert_span(found.result, SP_STR("[ 1 ]"));
    assert_span(found.error, SP_STR("null"));
}

static void jscan_finds_only_members_of_the_outermost_object(void **state)
{
    static const struct sp_str texts[] = {
        SP_STR("[{\"id\":1,\"method\":\"a\"}]"),
        SP_STR("{\"a\":{\"id\":1,\"method\":\"a\"}}"),
        SP_STR("[\"id\",1]"),
        SP_STR("\"id\""),
        SP_STR("{\"a\":\"id\"}"),
        SP_STR("{\"ID\":1,\"idx\":2,\"i\":3,\"\":4,\"methods\":5,\"e\":6}"),
        SP_STR("{\"id \":1,\"\\\\id\":2,\"\\u0069\":3,\"\\u0069dx\":4,\"i\\u0000d\":5}"),
        SP_STR("{}"),
    };

    (void)state;
    for (size_t i = 0; i < N_OF(texts); i++) {
        struct jscan found = found_in(texts[i]);

        assert_null(found.id.p);
        assert_null(found.method.p);
        assert_null(found.params.p);
        assert_null(found.result.p);
        assert_null(found.error.p);
    }
}

static void jscan_counts_the_first_of_a_member_that_occurs_twice(void **state)
{
    struct jscan found = found_in(
        SP_STR("{\"id\":1,\"id\":2,\"\\u0069d\":3,\"m\\u0065thod\":\"a\",\"method\":\"b\"}"));

    (void)state;
    assert_span(found.id, SP_STR("1"));
    assert_span(found.method, SP_STR("\"a\""));
}

static void jscan_compares_names_unescaped(void **state)
{
    static const struct sp_str texts[] = {
        SP_STR("{\"i\\u0064\":1,\"m\\u0065thod\":2,\"param\\u0073\":3,\"re\\u0073ult\":4,"
               "\"err\\u006Fr\":5}"),
        SP_STR("{\"\\u0069d\":1,\"\\u006dethod\":2,\"\\u0070arams\":3,\"\\u0072esult\":4,"
               "\"\\u0065rror\":5}"),
        SP_STR("{\"\\u0069\\u0064\":1,\"\\u006d\\u0065\\u0074\\u0068\\u006F\\u0064\":2,"
               "\"params\":3,\"result\":4,\"error\":5}"),
    };

    (void)state;
    for (size_t i = 0; i < N_OF(texts); i++) {
        struct jscan found = found_in(texts[i]);

        assert_span(found.id, SP_STR("1"));
        assert_span(found.method, SP_STR("2"));
        assert_span(found.params, SP_STR("3"));
        assert_span(found.result, SP_STR("4"));
        assert_span(found.error, SP_STR("5"));
    }
}

static void jscan_accepts_names_that_occur_twice(void **state)
{
    (void)state;
    accept(SP_STR("{\"a\":\t1,\"a\":2}"));
}

static void jscan_refuses_an_empty_text(void **state)
{
    static const struct sp_str texts[] = {SP_STR(""), SP_STR(" "), SP_STR("\r\n\t ")};
    struct jscan found;

    (void)state;
    refuse_all(texts, N_OF(texts));
    assert_false(jscan((struct sp_str){NULL, 0}, 1, &found));
    assert_false(jscan_portable((struct sp_str){NULL, 0}, 1, &found));
}

static void jscan_refuses_a_second_value(void **state)
{
    static const struct sp_str texts[] = {
        SP_STR("{\"a\":1}{\"b\":2}"),
        SP_STR("1 2"),
        SP_STR("1,2"),
        SP_STR("1,\"raw\":\"forged\""),
        SP_STR("[]]"),
        SP_STR("{}}"),
        SP_STR("null,"),
        SP_STR("\"a\"\"b\""),
    };

    (void)state;
    refuse_all(texts, N_OF(texts));
}

static void jscan_refuses_a_trailing_comma(void **state)
{
    static const struct sp_str texts[] = {
        SP_STR("{\"a\":1,}"), SP_STR("[1,]"),   SP_STR("[,]"),    SP_STR("{,}"),
        SP_STR("[,1]"),       SP_STR("[1,,2]"), SP_STR("[1 , ]"), SP_STR("{,\"a\":1}"),
    };

    (void)state;
    refuse_all(texts, N_OF(texts));
}

static void jscan_refuses_what_only_resembles_json(void **state)
{
    static const struct sp_str texts[] = {
        SP_STR("Listening on stdio"),
        SP_STR("not json"),
        SP_STR("{'a':1}"),
        SP_STR("{a:1}"),
        SP_STR("{\"a\":NaN}"),
        SP_STR("Infinity"),
        SP_STR("-Infinity"),
        SP_STR("undefined"),
        SP_STR("// comment\n1"),
        SP_STR("[1 /* comment */]"),
        SP_STR("\xef\xbb\xbf{}"),
        SP_STR("\xff\xfe{\0}\0"),
        SP_STR("\v1"),
        SP_STR("\f1"),
        SP_STR("\xc2\xa0"
               "1"),
        SP_STR("1\0"),
        SP_STR("\0"),
        SP_STR("\x1e{}"),
    };

    (void)state;
    refuse_all(texts, N_OF(texts));
}

static void jscan_refuses_brackets_that_do_not_match(void **state)
{
    static const struct sp_str texts[] = {
        SP_STR("["),          SP_STR("{"),          SP_STR("]"),           SP_STR("}"),
        SP_STR("[}"),         SP_STR("{]"),         SP_STR("[1}"),         SP_STR("{\"a\":1]"),
        SP_STR("[[]"),        SP_STR("{\"a\":{}"),  SP_STR("[{\"a\":1]}"), SP_STR("{\"a\":[1}]"),
        SP_STR("[1,[2,[3]]"), SP_STR("{\"a\":[}}"),
    };

    (void)state;
    refuse_all(texts, N_OF(texts));
}

static void jscan_refuses_members_that_are_not_name_colon_value(void **state)
{
    static const struct sp_str texts[] = {
        SP_STR("{\"a\"}"),     SP_STR("{\"a\":}"),       SP_STR("{\"a\" 1}"),
        SP_STR("{:1}"),        SP_STR("{\"a\"::1}"),     SP_STR("{1:2}"),
        SP_STR("{null:1}"),    SP_STR("{[]:1}"),         SP_STR("{\"a\":1 \"b\"}"),
        SP_STR("{\"a\":1,2}"), SP_STR("[\"a\":1]"),      SP_STR("{\"a\":1:2}"),
        SP_STR("{\"a\":1;}"),  SP_STR("{\"a\""),         SP_STR("{\"a\":"),
        SP_STR("{\"a\":1,"),   SP_STR("{\"a\":1,\"b\""), SP_STR("{\"\\x\":1}"),
        SP_STR("[1 2]"),
    };

    (void)state;
    refuse_all(texts, N_OF(texts));
}

static void jscan_refuses_words_that_are_misspelt_or_cut(void **state)
{
    static const struct sp_str texts[] = {
        SP_STR("nul"),    SP_STR("nulll"), SP_STR("Null"), SP_STR("tru"),
        SP_STR("t"),      SP_STR("TRUE"),  SP_STR("fals"), SP_STR("f"),
        SP_STR("falsey"), SP_STR("[nul]"), SP_STR("n"),    SP_STR("truefalse"),
    };

    (void)state;
    refuse_all(texts, N_OF(texts));
}

static void jscan_accepts_every_escape(void **state)
{
    static const struct sp_str texts[] = {
        SP_STR("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""),
        SP_STR("\"\\u0000\""),
        SP_STR("\"\\u001f\\u00e9\\u20AC\\uabcd\\uABCD\\uFFFF\\ud7ff\\ue000\""),
        SP_STR("\"\\ud800\\udc00\\uDBFF\\uDFFF\\ud83d\\ude00\""),
        SP_STR("{\"\\ud83d\\ude00\\n\":0}"),
        SP_STR("\"\\\\\""),
        SP_STR("\"\\\\\\\"\""),
        SP_STR("{\"n\":123456789012345678901234567890,\"s\":\"\\u0000\"}"),
    };

    (void)state;
    accept_all(texts, N_OF(texts));
}

static void jscan_refuses_escapes_that_json_does_not_have(void **state)
{
    (void)state;
    for (unsigned c = 0; c < 256; c++) {
        char text[] = {'"', '\\', (char)c, '"'};

        if (c == 0 || strchr("\"\\/bfnrt", (int)c) == NULL)
            refuse((struct sp_str){text, sizeof text});
        else
            accept((struct sp_str){text, sizeof text});
    }
}

static void jscan_refuses_unicode_escapes_without_four_digits(void **state)
{
    static const struct sp_str texts[] = {
        SP_STR("\"\\u\""),
        SP_STR("\"\\u1\""),
        SP_STR("\"\\u12\""),
        SP_STR("\"\\u123\""),
        SP_STR("\"\\u123g\""),
        SP_STR("\"\\ug123\""),
        SP_STR("\"\\u 123\""),
        SP_STR("\"\\u-123\""),
        SP_STR("\"\\u+123\""),
        SP_STR("\"\\u0x12\""),
        SP_STR("\"\\U0041\""),
        SP_STR("\"\\u{41}\""),
        SP_STR("\"\\u00\xc3\xa9\""),
        SP_STR("\"\\u123"),
        SP_STR("\"\\u1234"),
        SP_STR("\"\\u"),
        SP_STR("\"\\"),
        SP_STR("\"\\u12:4\""),
        SP_STR("\"\\u12@4\""),
        SP_STR("\"\\u12`4\""),
        SP_STR("\"\\u12/4\""),
        SP_STR("\"\\u12G4\""),
    };

    (void)state;
    refuse_all(texts, N_OF(texts));
}

static void jscan_refuses_a_surrogate_that_is_half_of_no_pair(void **state)
{
    static const struct sp_str texts[] = {
        SP_STR("{\"text\":\"\\ud83d\"}"),
        SP_STR("{\"\\ud83d\":1}"),
        SP_STR("\"\\ude00\""),
        SP_STR("\"\\ude00\\ud83d\""),
        SP_STR("\"\\ud83d\\ud83d\""),
        SP_STR("\"\\ud83d\\ud83d\\ude00\""),
        SP_STR("\"\\ud83d \\ude00\""),
        SP_STR("\"\\ud83d\\n\\ude00\""),
        SP_STR("\"\\ud83d\\u0041\""),
        SP_STR("\"\\ud83d\\ue000\""),
        SP_STR("\"\\ud83d\\udbff\""),
        SP_STR("\"\\ud83dxudc00\""),
        SP_STR("\"\\ud83d\\Udc00\""),
        SP_STR("\"\\ud83d\\udc0\""),
        SP_STR("\"\\ud83d\\udc0"),
        SP_STR("\"\\ud83d\\"),
        SP_STR("\"\\udfff\""),
        SP_STR("\"\\udc00\\udc00\""),
        SP_STR("\"\\udbff\""),
        SP_STR("\"\\ud800\""),
    };

    (void)state;
    refuse_all(texts, N_OF(texts));
}

static void jscan_refuses_a_string_without_its_end(void **state)
{
    static const struct sp_str texts[] = {
        SP_STR("\""),        SP_STR("\"abc"),
        SP_STR("\"abc\\\""), SP_STR("[\"a]"),
        SP_STR("{\"a:1}"),   SP_STR("\"a long string that no quote ever ends, however far it goes"),
    };

    (void)state;
    refuse_all(texts, N_OF(texts));
}

/* Every byte at every place of strings of many lengths, so in every lane of a vector or word. */
static void jscan_judges_every_byte_of_a_string_wherever_it_stands(void **state)
{
    (void)state;
    for (size_t len = 1; len <= 80; len += len < 36 ? 1 : 11) {
        for (size_t at = 0; at < len; at++) {
            char text[82];
            struct sp_str all = {text, len + 2};
            struct jscan found;

            memset(text, 'x', sizeof text);
            text[0] = '"';
            text[len + 1] = '"';
            for (unsigned c = 0; c < 256; c++) {
                bool is_plain = c >= 0x20 && c < 0x80 && c != '"' && c != '\\';

                text[at + 1] = (char)c;
                if (jscan(all, 1, &found) != is_plain || jscan_portable(all, 1, &found) != is_plain)
                    fail_msg("byte %02x at %zu of %zu", c, at, len);
            }
        }
    }
}

static void jscan_refuses_strings_that_are_not_utf8(void **state)
{
    static const struct sp_str texts[] = {
        SP_STR("\"\x80\""),
        SP_STR("\"\xbf\""),
        SP_STR("\"\xc0\xaf\""),
        SP_STR("\"\xc1\xbf\""),
        SP_STR("\"\xc2\""),
        SP_STR("\"\xc2\xc2\x80\""),
        SP_STR("\"\xe0\x9f\xbf\""),
        SP_STR("\"\xed\xa0\x80\""),
        SP_STR("\"\xed\xbf\xbf\""),
        SP_STR("\"\xe2\x82\""),
        SP_STR("\"\xe2\x82"),
        SP_STR("\"\xe2"),
        SP_STR("\"\xf0\x8f\xbf\xbf\""),
        SP_STR("\"\xf0\x9f\x92\""),
        SP_STR("\"\xf4\x90\x80\x80\""),
        SP_STR("\"\xf5\x80\x80\x80\""),
        SP_STR("\"\xff\""),
        SP_STR("{\"\xff\":1}"),
        SP_STR("[\xc3\xa9]"),
        SP_STR("\xff\xfe not UTF-8"),
        SP_STR("\"caf\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac \xe6\x97\""),
    };

    (void)state;
    refuse_all(texts, N_OF(texts));
}

static void jscan_accepts_characters_of_every_length(void **state)
{
    static const struct sp_str texts[] = {
        SP_STR("\"\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\""),
        SP_STR("\"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\""),
        SP_STR("\"\xef\xbb\xbf\""),
        SP_STR("{\"z\":1.50,\"a\":\"caf\xc3\xa9\",\"batch\":[1e3]}"),
        SP_STR("{\"\xe6\x97\xa5\xe6\x9c\xac\":\"\xf0\x9f\x92\xa9\"}"),
    };

    (void)state;
    accept_all(texts, N_OF(texts));
}

static void jscan_accepts_numbers_of_every_form(void **state)
{
    static const struct sp_str texts[] = {
        SP_STR("0"),
        SP_STR("-0"),
        SP_STR("-0.0"),
        SP_STR("1"),
        SP_STR("10"),
        SP_STR("1.50"),
        SP_STR("0.1"),
        SP_STR("1e3"),
        SP_STR("1E3"),
        SP_STR("1e+3"),
        SP_STR("1e-3"),
        SP_STR("1E-03"),
        SP_STR("0e0"),
        SP_STR("0.0e-0"),
        SP_STR("1.5e00"),
        SP_STR("-12.34e+56"),
        SP_STR("[1,2.5]"),
        SP_STR("{\"a\":-1}"),
        SP_STR("9223372036854775808"),
        SP_STR("123456789012345678901234567890"),
    };

    (void)state;
    accept_all(texts, N_OF(texts));
}

static void jscan_refuses_numbers_that_json_does_not_have(void **state)
{
    static const struct sp_str texts[] = {
        SP_STR("01"),   SP_STR("{\"a\":01}"),   SP_STR("-01"),  SP_STR("00"),
        SP_STR("-"),    SP_STR("--1"),          SP_STR("+1"),   SP_STR(".5"),
        SP_STR("-.5"),  SP_STR("1."),           SP_STR("1.e3"), SP_STR("1.5."),
        SP_STR("1e"),   SP_STR("1e+"),          SP_STR("1e-"),  SP_STR("1e1.5"),
        SP_STR("1ee3"), SP_STR("1e+-3"),        SP_STR("0x10"), SP_STR("1_000"),
        SP_STR("1a"),   SP_STR("1f"),           SP_STR("- 1"),  SP_STR("1 .5"),
        SP_STR("[-]"),  SP_STR("[1.]"),         SP_STR("1e 3"), SP_STR("e3"),
        SP_STR("[1e]"), SP_STR("\xef\xbc\x91"),
    };

    (void)state;
    refuse_all(texts, N_OF(texts));
}

/* The decimal digits of 2^1024 - 2^970, the least number that rounds to infinity. */
static const char infinity[] = "1797693134862315807937289714053034150799341327100378269361737789804"
                               "4496829276475094664901797758"
                               "7207096330286416692887910946555547851940402630657488671505820681908"
                               "9020007083836762738548458177"
                               "1153176447573027006985557136695962284291481986083493647529271907416"
                               "8444365510704342711559699508"
                               "093042880177904174497792";

static void jscan_tells_numbers_that_round_to_infinity(void **state)
{
    static const struct sp_str finite[] = {
        SP_STR("1e308"),
        SP_STR("-1e308"),
        SP_STR("1.7976931348623157e308"),
        SP_STR("1.7976931348623158e308"),
        SP_STR("1.797693134862315807e+308"),
        SP_STR("179769313486231.57e294"),
        SP_STR("0.00000017976931348623157e315"),
        SP_STR("1e-400"),
        SP_STR("-1e-99999999999999999999999999"),
        SP_STR("0e999"),
        SP_STR("-0.000e99999999999999999999999999"),
        SP_STR("9.9e307"),
    };
    static const struct sp_str infinite[] = {
        SP_STR("{\"n\":1e999}"),
        SP_STR("1e309"),
        SP_STR("-1e309"),
        SP_STR("1.7976931348623159e308"),
        SP_STR("-1.797693134862315809e308"),
        SP_STR("1.8e308"),
        SP_STR("2e308"),
        SP_STR("9e308"),
        SP_STR("17976931348623159e292"),
        SP_STR("0.0000001797693134862316e315"),
        SP_STR("1e99999999999999999999999999"),
        SP_STR("[0.001e312]"),
    };

    (void)state;
    accept_all(finite, N_OF(finite));
    refuse_all(infinite, N_OF(infinite));
}

/* The limit itself is a tie, which rounds to even and so to infinity. */
static void jscan_decides_at_the_last_digit_before_infinity(void **state)
{
    char text[400];
    int len;

    (void)state;
    refuse(sp_str_of(infinity));
    len = snprintf(text, sizeof text, "%.308s1", infinity);
    accept((struct sp_str){text, (size_t)len});
    len = snprintf(text, sizeof text, "%.308s1.%060d", infinity, 9);
    accept((struct sp_str){text, (size_t)len});
    len = snprintf(text, sizeof text, "-%.308s3", infinity);
    refuse((struct sp_str){text, (size_t)len});
    len = snprintf(text, sizeof text, "%s.%060d", infinity, 0);
    refuse((struct sp_str){text, (size_t)len});
    len = snprintf(text, sizeof text, "%.200s.%se108", infinity, infinity + 200);
    accept((struct sp_str){text, (size_t)len});
    len = snprintf(text, sizeof text, "%.200s.%se109", infinity, infinity + 200);
    refuse((struct sp_str){text, (size_t)len});
    len = snprintf(text, sizeof text, "%.200s.%.108s1e109", infinity, infinity + 200);
    accept((struct sp_str){text, (size_t)len});
    len = snprintf(text, sizeof text, "0.000%se312", infinity);
    refuse((struct sp_str){text, (size_t)len});
    len = snprintf(text, sizeof text, "0.000%.308se312", infinity);
    accept((struct sp_str){text, (size_t)len});
    len = snprintf(text, sizeof text, "%.308s", infinity);
    accept((struct sp_str){text, (size_t)len});
    len = snprintf(text, sizeof text, "%s0", infinity);
    refuse((struct sp_str){text, (size_t)len});
}

static void jscan_takes_numbers_of_any_length(void **state)
{
    struct sp_buf b = {0};

    (void)state;
    for (int i = 0; i < 100000; i++)
        sp_buf_add_char(&b, '9');
    refuse(sp_buf_str(&b));
    sp_buf_add(&b, SP_STR("e-99700"));
    accept(sp_buf_str(&b));
    b.len -= 5;
    sp_buf_add(&b, SP_STR("99691"));
    refuse(sp_buf_str(&b));

    sp_buf_clear(&b);
    sp_buf_add(&b, SP_STR("0."));
    for (int i = 0; i < 100000; i++)
        sp_buf_add_char(&b, '0');
    sp_buf_add(&b, SP_STR("1e100309"));
    accept(sp_buf_str(&b));
    b.p[b.len - 2]++;
    refuse(sp_buf_str(&b));
    sp_buf_deinit(&b);
}

static void nest(struct sp_buf *b, const char *open, const char *close, unsigned depth)
{
    sp_buf_clear(b);
    for (unsigned i = 0; i < depth; i++)
        sp_buf_add(b, sp_str_of(open));
    if (*open == '{')
        sp_buf_add(b, SP_STR("0"));
    for (unsigned i = 0; i < depth; i++)
        sp_buf_add(b, sp_str_of(close));
}

static void jscan_limits_how_deep_a_text_nests(void **state)
{
    static const unsigned limits[] = {1, 2, 7, 8, 126, 127, 1000, JSCAN_MAX_DEPTH};
    struct sp_buf b = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(limits); i++) {
        nest(&b, "[", "]", limits[i]);
        assert_true(scan_agreed(sp_buf_str(&b), limits[i]));
        nest(&b, "{\"a\":", "}", limits[i]);
        assert_true(scan_agreed(sp_buf_str(&b), limits[i]));
        nest(&b, "[", "]", limits[i] + 1);
        assert_false(scan_agreed(sp_buf_str(&b), limits[i]));
        nest(&b, "{\"a\":", "}", limits[i] + 1);
        assert_false(scan_agreed(sp_buf_str(&b), limits[i]));
    }
    nest(&b, "[", "]", 200);
    assert_false(scan_agreed(sp_buf_str(&b), JSCAN_LOG_DEPTH));
    sp_buf_deinit(&b);
}

static void jscan_counts_depth_not_brackets(void **state)
{
    (void)state;
    assert_true(scan_agreed(SP_STR("[[],[],{},{\"a\":1},[1,2]]"), 2));
    assert_true(scan_agreed(SP_STR("[\"[[[[{{{{\"]"), 1));
    assert_false(scan_agreed(SP_STR("[[],[],[[]]]"), 2));
}

static void jscan_survives_a_million_open_brackets(void **state)
{
    struct sp_buf b = {0};

    (void)state;
    for (int i = 0; i < 1000000; i++)
        sp_buf_add_char(&b, '[');
    assert_false(scan_agreed(sp_buf_str(&b), JSCAN_MAX_DEPTH));
    sp_buf_deinit(&b);
}

static void jscan_refuses_every_beginning_of_a_message(void **state)
{
    static const struct sp_str text = SP_STR(
        "{\"jsonrpc\":\"2.0\",\"id\":-1.5e+3,\"result\":{\"content\":[{\"type\":\"text\","
        "\"text\":\"caf\xc3\xa9 \\ud83d\\ude00 \\\"x\\\"\"}],\"isError\":false,\"n\":null}}");

    (void)state;
    accept(text);
    for (size_t len = 0; len < text.len; len++)
        refuse(sp_str_sub(text, 0, len));
}

/* A line of the wire, and what its log entry says. */
struct entry_case {
    struct sp_str line;
    struct sp_str entry;
};

#define MESSAGE(text) SP_STR("\"message\":" text)
#define RAW(text)     SP_STR("\"raw\":\"" text "\"")
#define BATCH         "[{\"jsonrpc\":\"2.0\",\"method\":\"a\"},{\"jsonrpc\":\"2.0\",\"method\":\"b\"}]"

static void jscan_and_jput_tell_messages_from_raw_lines_as_the_log_does(void **state)
{
    static const struct entry_case cases[] = {
        {SP_STR(" {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n"),
         MESSAGE("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}")},
        {SP_STR("{\"z\":1.50,\"a\":\"caf\xc3\xa9\",\"batch\":[1e3]}"),
         MESSAGE("{\"z\":1.50,\"a\":\"caf\xc3\xa9\",\"batch\":[1e3]}")},
        {SP_STR(BATCH "\n"), MESSAGE(BATCH)},
        {SP_STR("{\"a\":\t1,\"a\":2}\n"), MESSAGE("{\"a\":\t1,\"a\":2}")},
        {SP_STR("{\"n\":123456789012345678901234567890,\"s\":\"\\u0000\"}\n"),
         MESSAGE("{\"n\":123456789012345678901234567890,\"s\":\"\\u0000\"}")},
        {SP_STR("null\n"), MESSAGE("null")},
        {SP_STR("42\n"), MESSAGE("42")},
        {SP_STR("\"s\"\n"), MESSAGE("\"s\"")},
        {SP_STR("Listening on stdio\n"), RAW("Listening on stdio")},
        {SP_STR("\n"), RAW("")},
        {SP_STR("\r\n"), RAW("")},
        {SP_STR("  \n"), RAW("  ")},
        {SP_STR("not json\r\n"), RAW("not json")},
        {SP_STR("x\r\r\n"), RAW("x\\r")},
        {SP_STR("1,\"raw\":\"forged\""), RAW("1,\\\"raw\\\":\\\"forged\\\"")},
        {SP_STR("{\"a\":1}{\"b\":2}\n"), RAW("{\\\"a\\\":1}{\\\"b\\\":2}")},
        {SP_STR("{\"text\":\"\\ud83d\"}"), RAW("{\\\"text\\\":\\\"\\\\ud83d\\\"}")},
        {SP_STR("{\"n\":1e999}\n"), RAW("{\\\"n\\\":1e999}")},
        {SP_STR("\xff\xfe not UTF-8\n"), RAW(REPLACED REPLACED " not UTF-8")},
        {SP_STR("a\0b\x1f\x7f\b\f\n"), RAW("a\\u0000b\\u001f\x7f\\b\\f")},
        {SP_STR("\xef\xbb\xbf{}\n"), RAW("\xef\xbb\xbf{}")},
        {SP_STR("{\"a\":NaN}"), RAW("{\\\"a\\\":NaN}")},
        {SP_STR("{\"a\":01}"), RAW("{\\\"a\\\":01}")},
        {SP_STR("{\"a\":1,}"), RAW("{\\\"a\\\":1,}")},
        {SP_STR("{'a':1}"), RAW("{'a':1}")},
        {SP_STR("\"\t\""), RAW("\\\"\\t\\\"")},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_str text = cases[i].line;
        struct sp_buf entry = {0};
        struct jscan found;

        if (sp_str_ends(text, SP_STR("\n")))
            text.len--;
        if (sp_str_ends(text, SP_STR("\r")))
            text.len--;
        if (scan_agreed(text, JSCAN_LOG_DEPTH)) {
            assert_true(jscan(text, JSCAN_LOG_DEPTH, &found));
            sp_buf_add(&entry, SP_STR("\"message\":"));
            sp_buf_add(&entry, found.value);
        } else {
            sp_buf_add(&entry, SP_STR("\"raw\":"));
            jput_string(&entry, text);
        }
        assert_span(sp_buf_str(&entry), cases[i].entry);
        sp_buf_deinit(&entry);
    }
}

static void jscan_accepts_random_values(void **state)
{
    struct json_gen g = {.state = 20262};
    struct sp_buf b = {0};

    (void)state;
    for (int round = 0; round < 20000; round++) {
        sp_buf_clear(&b);
        json_gen_value(&g, &b);
        if (!scan_agreed(sp_buf_str(&b), JSON_GEN_DEPTH))
            fail_msg("refused: %s", sp_buf_cstr(&b));
    }
    sp_buf_deinit(&b);
}

/* Changes, drops or doubles a byte of `b`; those that mean something more often than others. */
static void mutate(struct json_gen *g, struct sp_buf *b)
{
    static const char bytes[] = "\"\\{}[],:0e+-.u \t\n\x1f\x7f\x80\xbf\xc2\xe0\xed\xf0\xf4\xffn";
    size_t at = json_gen_below(g, b->len);

    switch (json_gen_below(g, 4)) {
    case 0:
        memmove(b->p + at, b->p + at + 1, b->len - at - 1);
        b->len--;
        break;
    case 1:
        sp_buf_add_char(b, 0);
        memmove(b->p + at + 1, b->p + at, b->len - at - 1);
        break;
    case 2:
        b->p[at] = (char)json_gen_below(g, 256);
        break;
    default:
        b->p[at] = bytes[json_gen_below(g, sizeof bytes)];
    }
}

static void jscan_agrees_with_the_reference_on_mutated_values(void **state)
{
    struct json_gen g = {.state = 20263};
    struct sp_buf b = {0};
    struct sp_buf mutated = {0};
    unsigned n_refused = 0;

    (void)state;
    for (int round = 0; round < 2000; round++) {
        sp_buf_clear(&b);
        json_gen_value(&g, &b);
        for (int i = 0; i < 20; i++) {
            sp_buf_clear(&mutated);
            sp_buf_add(&mutated, sp_buf_str(&b));
            mutate(&g, &mutated);
            n_refused += !scan_agreed(sp_buf_str(&mutated), JSON_GEN_DEPTH);
        }
    }
    assert_in_range(n_refused, 10000, 39999);
    sp_buf_deinit(&b);
    sp_buf_deinit(&mutated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jscan_gives_the_value_without_the_space_around_it),
        cmocka_unit_test(jscan_leaves_the_result_untouched_when_it_refuses),
        cmocka_unit_test(jscan_finds_the_members_of_a_message),
        cmocka_unit_test(jscan_finds_only_members_of_the_outermost_object),
        cmocka_unit_test(jscan_counts_the_first_of_a_member_that_occurs_twice),
        cmocka_unit_test(jscan_compares_names_unescaped),
        cmocka_unit_test(jscan_accepts_names_that_occur_twice),
        cmocka_unit_test(jscan_refuses_an_empty_text),
        cmocka_unit_test(jscan_refuses_a_second_value),
        cmocka_unit_test(jscan_refuses_a_trailing_comma),
        cmocka_unit_test(jscan_refuses_what_only_resembles_json),
        cmocka_unit_test(jscan_refuses_brackets_that_do_not_match),
        cmocka_unit_test(jscan_refuses_members_that_are_not_name_colon_value),
        cmocka_unit_test(jscan_refuses_words_that_are_misspelt_or_cut),
        cmocka_unit_test(jscan_accepts_every_escape),
        cmocka_unit_test(jscan_refuses_escapes_that_json_does_not_have),
        cmocka_unit_test(jscan_refuses_unicode_escapes_without_four_digits),
        cmocka_unit_test(jscan_refuses_a_surrogate_that_is_half_of_no_pair),
        cmocka_unit_test(jscan_refuses_a_string_without_its_end),
        cmocka_unit_test(jscan_judges_every_byte_of_a_string_wherever_it_stands),
        cmocka_unit_test(jscan_refuses_strings_that_are_not_utf8),
        cmocka_unit_test(jscan_accepts_characters_of_every_length),
        cmocka_unit_test(jscan_accepts_numbers_of_every_form),
        cmocka_unit_test(jscan_refuses_numbers_that_json_does_not_have),
        cmocka_unit_test(jscan_tells_numbers_that_round_to_infinity),
        cmocka_unit_test(jscan_decides_at_the_last_digit_before_infinity),
        cmocka_unit_test(jscan_takes_numbers_of_any_length),
        cmocka_unit_test(jscan_limits_how_deep_a_text_nests),
        cmocka_unit_test(jscan_counts_depth_not_brackets),
        cmocka_unit_test(jscan_survives_a_million_open_brackets),
        cmocka_unit_test(jscan_refuses_every_beginning_of_a_message),
        cmocka_unit_test(jscan_and_jput_tell_messages_from_raw_lines_as_the_log_does),
        cmocka_unit_test(jscan_accepts_random_values),
        cmocka_unit_test(jscan_agrees_with_the_reference_on_mutated_values),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
