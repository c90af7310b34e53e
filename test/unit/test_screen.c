/* Tests of cmd/screen.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/sp_utf8.h"
#include "cmd/screen.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))
#define MARK        "\xe2\x80\xa6"

static void screen_puts_a_text_in_one_line(void **state)
{
    static const struct {
        struct sp_str text;
        size_t max;
        const char *shown;
        size_t width;
    } cases[] = {
        {SP_STR(""), 5, "", 0},
        {SP_STR("abc"), SIZE_MAX, "abc", 3},
        {SP_STR("abc"), 3, "abc", 3},
        {SP_STR("abcd"), 3, "ab" MARK, 3},
        {SP_STR("abcd"), 1, MARK, 1},
        {SP_STR("abcd"), 0, "", 0},
        {SP_STR("  a \r\n\t b\xc2\xa0\xe2\x80\xa8"
                "c \n"),
         9, "a b c", 5},
        {SP_STR(" \n "), 9, "", 0},
        /* No space before the mark. */
        {SP_STR("ab cd"), 4, "ab" MARK, 3},
        {SP_STR("ab cd"), 5, "ab cd", 5},
        {SP_STR("caf\xc3\xa9"), 4, "caf\xc3\xa9", 4},
        {SP_STR("cafe\xcc\x81!"), 5, "cafe\xcc\x81!", 5},
        {SP_STR("\xe6\xbc\xa2\xe5\xad\x97"), 4, "\xe6\xbc\xa2\xe5\xad\x97", 4},
        {SP_STR("\xe6\xbc\xa2\xe5\xad\x97"), 3, "\xe6\xbc\xa2" MARK, 3},
        /* The second would need the mark's column. */
        {SP_STR("\xe6\xbc\xa2\xe5\xad\x97\xe5\xad\x97"), 4, "\xe6\xbc\xa2" MARK, 3},
        {SP_STR("\xf0\x9f\x8e\x89!"), 3, "\xf0\x9f\x8e\x89!", 3},
        {SP_STR("a\x1b[31mb"), SIZE_MAX, "a\\u001b[31mb", 12},
        {SP_STR("a\x1b[31mb"), 6, "a" MARK, 2},
        {SP_STR("a\x1b[31mb"), 8, "a\\u001b" MARK, 8},
        {SP_STR("\0\x08\x7f\xc2\x9b"), SIZE_MAX, "\\u0000\\u0008\\u007f\\u009b", 24},
        {SP_STR("\xe2\x80\xae"
                "x\xe2\x81\xa6\xef\xbb\xbf"),
         SIZE_MAX, "\\u202ex\\u2066\\ufeff", 19},
        {SP_STR("\xf3\xa0\x81\x81"), SIZE_MAX, "\\u{e0041}", 9},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_buf b = {0};
        size_t width;

        sp_buf_add(&b, SP_STR("> "));
        width = screen_put(&b, cases[i].text, cases[i].max);
        assert_string_equal(sp_buf_cstr(&b) + 2, cases[i].shown);
        assert_int_equal(width, cases[i].width);
        sp_buf_deinit(&b);
    }
}

/* Whatever the text, the columns told are not more than allowed, and no control gets through. */
static void screen_never_exceeds_the_columns(void **state)
{
    uint64_t seed = 20260923;

    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        struct sp_buf text = {0}, shown = {0};
        size_t max = round % 40, width;

        for (unsigned i = 0; i < 30; i++) {
            static const uint32_t bases[] = {0x00, 0x20, 0x80, 0x300, 0x2000, 0x4e00, 0x1f600};
            char bytes[4];

            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407U;
            sp_buf_add(&text, (struct sp_str){
                                  bytes, sp_utf8_encode(bases[(seed >> 33) % 7] + (seed >> 40) % 96,
                                                        bytes)});
        }
        width = screen_put(&shown, sp_buf_str(&text), max);
        assert_true(width <= max);
        assert_true(sp_utf8_is_valid(sp_buf_str(&shown)));
        for (size_t i = 0; i < shown.len; i++)
            assert_true((unsigned char)shown.p[i] >= 0x20 && shown.p[i] != 0x7f);
        sp_buf_deinit(&text);
        sp_buf_deinit(&shown);
    }
}

static void screen_aligns_in_columns(void **state)
{
    struct sp_buf b = {0};

    (void)state;
    screen_put_left(&b, SP_STR("\xe6\xbc\xa2"), 4);
    sp_buf_add_char(&b, '|');
    screen_put_right(&b, SP_STR("\xe6\xbc\xa2"), 4);
    sp_buf_add_char(&b, '|');
    screen_put_left(&b, SP_STR("abcdef"), 4);
    screen_put_right(&b, SP_STR("abcdef"), 4);
    screen_put_left(&b, SP_STR(""), 1);
    assert_string_equal(sp_buf_cstr(&b), "\xe6\xbc\xa2  |  \xe6\xbc\xa2|abc" MARK "abc" MARK " ");
    sp_buf_deinit(&b);
}

static void screen_puts_a_text_whole_with_its_lines(void **state)
{
    struct sp_buf b = {0};

    (void)state;
    screen_put_block(&b, SP_STR("a  b\n\nc\td\r\n\x1b[0m\n"), 3);
    assert_string_equal(sp_buf_cstr(&b), "a  b\n\n   c\\td\\r\n   \\u001b[0m\n");
    sp_buf_deinit(&b);
}

static void screen_puts_instants_in_utc(void **state)
{
    static const struct {
        uint64_t ms;
        const char *text;
    } cases[] = {
        {0, "1970-01-01 00:00:00"},
        {951782400000, "2000-02-29 00:00:00"},
        {1709251199999, "2024-02-29 23:59:59"},
        {1790198400123, "2026-09-23 21:20:00"},
        {253402300800000, "10000-01-01 00:00:00"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_buf b = {0};

        screen_put_instant(&b, cases[i].ms);
        assert_string_equal(sp_buf_cstr(&b), cases[i].text);
        sp_buf_deinit(&b);
    }
}

static void screen_puts_durations_by_their_size(void **state)
{
    static const struct {
        uint64_t ms;
        const char *text;
    } cases[] = {
        {0, "0ms"},         {999, "999ms"},       {1000, "1.0s"},      {1999, "1.9s"},
        {59999, "59.9s"},   {60000, "1m00s"},     {185000, "3m05s"},   {3599999, "59m59s"},
        {3600000, "1h00m"}, {86399999, "23h59m"}, {86400000, "1d00h"}, {8640000000, "100d00h"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_buf b = {0};

        screen_put_duration(&b, cases[i].ms);
        assert_string_equal(sp_buf_cstr(&b), cases[i].text);
        sp_buf_deinit(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(screen_puts_a_text_in_one_line),
        cmocka_unit_test(screen_never_exceeds_the_columns),
        cmocka_unit_test(screen_aligns_in_columns),
        cmocka_unit_test(screen_puts_a_text_whole_with_its_lines),
        cmocka_unit_test(screen_puts_instants_in_utc),
        cmocka_unit_test(screen_puts_durations_by_their_size),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
