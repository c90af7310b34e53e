/* Tests of json/jput.h. */

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "json/jget.h"
#include "json/jput.h"
#include "json_gen.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))
#define REPLACED    "\xef\xbf\xbd" /* U+FFFD */

static void assert_str(struct sp_str got, struct sp_str want)
{
    assert_int_equal(got.len, want.len);
    assert_memory_equal(got.p, want.p, want.len);
}

struct string_case {
    struct sp_str text;
    struct sp_str string;
};

static void check_strings(const struct string_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct sp_buf b = {0};

        jput_string(&b, cases[i].text);
        assert_str(sp_buf_str(&b), cases[i].string);
        sp_buf_deinit(&b);
    }
}

static void jput_escapes_what_it_must_and_nothing_else(void **state)
{
    static const struct string_case cases[] = {
        {SP_STR(""), SP_STR("\"\"")},
        {{NULL, 0}, SP_STR("\"\"")},
        {SP_STR("plain"), SP_STR("\"plain\"")},
        {SP_STR("\"\\"), SP_STR("\"\\\"\\\\\"")},
        {SP_STR("\b\t\n\f\r"), SP_STR("\"\\b\\t\\n\\f\\r\"")},
        {SP_STR("a\0b\x1f\x7f\b\f"), SP_STR("\"a\\u0000b\\u001f\x7f\\b\\f\"")},
        {SP_STR("\x01\x0b\x0e\x1a"), SP_STR("\"\\u0001\\u000b\\u000e\\u001a\"")},
        {SP_STR("/'<>&\x7f"), SP_STR("\"/'<>&\x7f\"")},
        {SP_STR("caf\xc3\xa9 \xe2\x80\xa8 \xf0\x9f\x92\xa9"),
         SP_STR("\"caf\xc3\xa9 \xe2\x80\xa8 \xf0\x9f\x92\xa9\"")},
        {SP_STR("1,\"raw\":\"forged\""), SP_STR("\"1,\\\"raw\\\":\\\"forged\\\"\"")},
        {SP_STR("{\"text\":\"\\ud83d\"}"), SP_STR("\"{\\\"text\\\":\\\"\\\\ud83d\\\"}\"")},
    };

    (void)state;
    check_strings(cases, N_OF(cases));
}

static void jput_replaces_what_is_not_utf8(void **state)
{
    static const struct string_case cases[] = {
        {SP_STR("\xff\xfe not UTF-8"), SP_STR("\"" REPLACED REPLACED " not UTF-8\"")},
        {SP_STR("a\xe2\x82\n"), SP_STR("\"a" REPLACED "\\n\"")},
        {SP_STR("\xed\xa0\x80"), SP_STR("\"" REPLACED REPLACED REPLACED "\"")},
    };

    (void)state;
    check_strings(cases, N_OF(cases));
}

static void jput_escapes_a_byte_wherever_it_stands(void **state)
{
    struct sp_buf b = {0};
    struct sp_buf text = {0};

    (void)state;
    for (size_t len = 1; len <= 70; len++) {
        for (size_t at = 0; at < len; at++) {
            for (unsigned c = 0; c < 0x80; c++) {
                char raw[70];

                memset(raw, 'x', sizeof raw);
                raw[at] = (char)c;
                sp_buf_clear(&b);
                sp_buf_clear(&text);
                jput_string(&b, (struct sp_str){raw, len});
                jget_text(sp_buf_str(&b), &text);
                assert_str(sp_buf_str(&text), (struct sp_str){raw, len});
            }
        }
    }
    sp_buf_deinit(&b);
    sp_buf_deinit(&text);
}

static void jput_writes_strings_that_read_back_as_the_text(void **state)
{
    struct json_gen g = {.state = 20265};
    struct sp_buf text = {0};
    struct sp_buf written = {0};
    struct sp_buf read = {0};

    (void)state;
    for (int round = 0; round < 20000; round++) {
        struct jscan found;

        /* The text of a value is full of quotes, backslashes and non-ASCII characters. */
        sp_buf_clear(&text);
        sp_buf_clear(&written);
        sp_buf_clear(&read);
        json_gen_value(&g, &text);
        sp_buf_add_char(&text, (char)json_gen_below(&g, 0x20));
        jput_string(&written, sp_buf_str(&text));
        assert_true(jscan(sp_buf_str(&written), 1, &found));
        jget_text(found.value, &read);
        assert_str(sp_buf_str(&read), sp_buf_str(&text));
    }
    sp_buf_deinit(&text);
    sp_buf_deinit(&written);
    sp_buf_deinit(&read);
}

static void jput_writes_doubles_plain_or_with_an_exponent(void **state)
{
    static const struct {
        double x;
        const char *text;
    } cases[] = {
        {0.0, "0.0"},
        {-0.0, "-0.0"},
        {15.0, "15.0"},
        {1e2, "100.0"},
        {-1.0, "-1.0"},
        {0.1, "0.1"},
        {-0.25, "-0.25"},
        {1.5, "1.5"},
        {123.456, "123.456"},
        {1e15, "1000000000000000.0"},
        {9007199254740993.0, "9007199254740992.0"},
        {9999999999999998.0, "9999999999999998.0"},
        {1e16, "1e16"},
        {-1e16, "-1e16"},
        {12345678901234567.0, "1.2345678901234568e16"},
        {18446744073709551616.0, "1.8446744073709552e19"},
        {1e21, "1e21"},
        {1e23, "1e23"},
        {1.5e300, "1.5e300"},
        {0.00001, "0.00001"},
        {0.000015, "0.000015"},
        {1e-6, "1e-6"},
        {9.999999999999999e-6, "9.999999999999999e-6"},
        {1.5e-7, "1.5e-7"},
        {0.3, "0.3"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.0 / 3.0, "0.3333333333333333"},
        {5e-324, "5e-324"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {2.225073858507201e-308, "2.225073858507201e-308"},
        {DBL_MAX, "1.7976931348623157e308"},
        {-DBL_MAX, "-1.7976931348623157e308"},
        {DBL_EPSILON, "2.220446049250313e-16"},
        /* A power of two whose nearest 16 digits lie below it, and are of another double. */
        {5.684341886080802e-14, "5.684341886080802e-14"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_buf b = {0};

        jput_double(&b, cases[i].x);
        assert_string_equal(sp_buf_cstr(&b), cases[i].text);
        sp_buf_deinit(&b);
    }
}

/* How many digits a number's text has from its first to its last that is not 0. */
static size_t n_significant(const char *text)
{
    size_t n = 0;
    size_t n_zeros = 0;

    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text == '.' || *text == '-' || (n == 0 && *text == '0'))
            continue;
        n_zeros = *text == '0' ? n_zeros + 1 : 0;
        n++;
    }
    return n - n_zeros;
}

/* Whether some decimal of `n` digits reads as `x`, which is positive. */
static bool has_decimal_of(double x, int n)
{
    char text[64];
    char *e;
    long long digits;

    snprintf(text, sizeof text, "%.*e", n - 1, x);
    e = strchr(text, 'e');
    *e = '\0';
    digits = text[0] - '0';
    for (const char *p = text + 1; *p != '\0'; p++) {
        if (*p != '.')
            digits = digits * 10 + (*p - '0');
    }
    for (long long near = digits - 1; near <= digits + 1; near++) {
        char tried[64];

        snprintf(tried, sizeof tried, "%llde%ld", near, strtol(e + 1, NULL, 10) - (n - 1));
        if (strtod(tried, NULL) == x)
            return true;
    }
    return false;
}

/* Reads back the same, and no decimal with fewer digits does. */
static void check_shortest(double x)
{
    struct sp_buf b = {0};
    size_t n;

    jput_double(&b, x);
    n = n_significant(sp_buf_cstr(&b));
    if (strtod(b.p, NULL) != x || signbit(strtod(b.p, NULL)) != signbit(x))
        fail_msg("%a is written %s", x, b.p);
    for (int fewer = 1; x != 0 && fewer < (int)n; fewer++) {
        if (has_decimal_of(fabs(x), fewer))
            fail_msg("%a is written %s, and %d digits would do", x, b.p, fewer);
    }
    sp_buf_deinit(&b);
}

static void jput_writes_the_shortest_double_that_reads_back(void **state)
{
    struct json_gen g = {.state = 20266};

    (void)state;
    for (int round = 0; round < 20000; round++) {
        uint64_t bits = json_gen_below(&g, UINT64_C(1) << 32) << 32;
        double x;

        bits |= json_gen_below(&g, UINT64_C(1) << 32);
        if (round % 8 == 0)
            bits &= ~(UINT64_C(0x7ff) << 52); /* subnormal */
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x))
            check_shortest(x);
        check_shortest((double)json_gen_below(&g, 100000000) / 1000);
        check_shortest(ldexp((double)json_gen_below(&g, 1000), (int)json_gen_below(&g, 80) - 60));
    }
}

static void jput_writes_every_power_of_two_and_its_neighbours_shortest(void **state)
{
    (void)state;
    for (int exponent = -1074; exponent <= 1023; exponent++) {
        double x = ldexp(1.0, exponent);

        check_shortest(x);
        check_shortest(-x);
        check_shortest(nextafter(x, 0));
        check_shortest(nextafter(x, DBL_MAX));
    }
}

static void jput_writes_every_power_of_ten_as_itself(void **state)
{
    (void)state;
    for (int exponent = -323; exponent <= 308; exponent++) {
        char text[16];
        struct sp_buf b = {0};

        snprintf(text, sizeof text, "1e%d", exponent);
        jput_double(&b, strtod(text, NULL));
        assert_int_equal(n_significant(sp_buf_cstr(&b)), 1);
        if (exponent < -5 || exponent > 15)
            assert_string_equal(sp_buf_cstr(&b), text);
        sp_buf_deinit(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jput_escapes_what_it_must_and_nothing_else),
        cmocka_unit_test(jput_replaces_what_is_not_utf8),
        cmocka_unit_test(jput_escapes_a_byte_wherever_it_stands),
        cmocka_unit_test(jput_writes_strings_that_read_back_as_the_text),
        cmocka_unit_test(jput_writes_doubles_plain_or_with_an_exponent),
        cmocka_unit_test(jput_writes_the_shortest_double_that_reads_back),
        cmocka_unit_test(jput_writes_every_power_of_two_and_its_neighbours_shortest),
        cmocka_unit_test(jput_writes_every_power_of_ten_as_itself),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
