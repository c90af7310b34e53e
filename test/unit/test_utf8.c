/* Tests of base/sp_utf8.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sp_utf8.h"
#include "json_gen.h"

#define REPLACED "\xef\xbf\xbd" /* U+FFFD */

struct repair_case {
    struct sp_str bytes;
    struct sp_str text;
};

/* The first and last sequences of every length and row of the Unicode standard's table 3-7. */
static const struct sp_str valid[] = {
    SP_STR(""),
    SP_STR("\0"),
    SP_STR("plain \x7f"),
    SP_STR("\xc2\x80"),
    SP_STR("\xdf\xbf"),
    SP_STR("\xe0\xa0\x80"),
    SP_STR("\xe0\xbf\xbf"),
    SP_STR("\xe1\x80\x80"),
    SP_STR("\xec\xbf\xbf"),
    SP_STR("\xed\x80\x80"),
    SP_STR("\xed\x9f\xbf"),
    SP_STR("\xee\x80\x80"),
    SP_STR("\xef\xbb\xbf"),
    SP_STR("\xef\xbf\xbf"),
    SP_STR("\xf0\x90\x80\x80"),
    SP_STR("\xf0\xbf\xbf\xbf"),
    SP_STR("\xf1\x80\x80\x80"),
    SP_STR("\xf3\xbf\xbf\xbf"),
    SP_STR("\xf4\x80\x80\x80"),
    SP_STR("\xf4\x8f\xbf\xbf"),
};

static const struct repair_case invalid[] = {
    /* The vectors of the log's format. */
    {SP_STR("\xff\xfe"), SP_STR(REPLACED REPLACED)},
    {SP_STR("\x61\xe2\x82\x41"), SP_STR("a" REPLACED "A")},
    {SP_STR("\xf0\x9f\x92"), SP_STR(REPLACED)},
    {SP_STR("\xc0\xaf"), SP_STR(REPLACED REPLACED)},
    {SP_STR("\xed\xa0\x80"), SP_STR(REPLACED REPLACED REPLACED)},
    {SP_STR("\xf4\x90\x80\x80"), SP_STR(REPLACED REPLACED REPLACED REPLACED)},
    {SP_STR("x\x80\x80y"), SP_STR("x" REPLACED REPLACED "y")},
    {SP_STR("\xf0\x9f\x92\xa9\xf0"), SP_STR("\xf0\x9f\x92\xa9" REPLACED)},
    {SP_STR("\xff\xfe not UTF-8"), SP_STR(REPLACED REPLACED " not UTF-8")},
    /* Overlong forms. */
    {SP_STR("\xc1\xbf"), SP_STR(REPLACED REPLACED)},
    {SP_STR("\xe0\x9f\xbf"), SP_STR(REPLACED REPLACED REPLACED)},
    {SP_STR("\xf0\x8f\xbf\xbf"), SP_STR(REPLACED REPLACED REPLACED REPLACED)},
    /* Surrogates and numbers that are too large. */
    {SP_STR("\xed\xbf\xbf"), SP_STR(REPLACED REPLACED REPLACED)},
    {SP_STR("\xf5\x80\x80\x80"), SP_STR(REPLACED REPLACED REPLACED REPLACED)},
    {SP_STR("\xf8\x88\x80\x80\x80"), SP_STR(REPLACED REPLACED REPLACED REPLACED REPLACED)},
    /* Sequences cut short, at the end and by what follows. */
    {SP_STR("\xc2"), SP_STR(REPLACED)},
    {SP_STR("\xe2\x82"), SP_STR(REPLACED)},
    {SP_STR("\xe2"), SP_STR(REPLACED)},
    {SP_STR("\xf0"), SP_STR(REPLACED)},
    {SP_STR("\xc2\x41"), SP_STR(REPLACED "A")},
    {SP_STR("\xe2\x41"), SP_STR(REPLACED "A")},
    {SP_STR("\xf1\x80\x80\x41"), SP_STR(REPLACED "A")},
    {SP_STR("\xf1\x80\xe1\x80\xc2"), SP_STR(REPLACED REPLACED REPLACED)},
    {SP_STR("\xe2\x82\xe2\x82\xac"), SP_STR(REPLACED "\xe2\x82\xac")},
    /* The example of the Unicode standard, table 3-8. */
    {SP_STR("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41"),
     SP_STR(REPLACED REPLACED REPLACED REPLACED REPLACED REPLACED REPLACED REPLACED "A")},
    {SP_STR("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41"),
     SP_STR(REPLACED REPLACED REPLACED REPLACED "A")},
};

static void assert_str_equal(struct sp_str got, struct sp_str want)
{
    assert_int_equal(got.len, want.len);
    assert_memory_equal(got.p, want.p, want.len);
}

static void utf8_accepts_every_form_of_sequence(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof valid / sizeof *valid; i++)
        assert_true(sp_utf8_is_valid(valid[i]));
}

static void utf8_accepts_an_empty_view_without_memory(void **state)
{
    struct sp_buf b = {0};

    (void)state;
    assert_true(sp_utf8_is_valid((struct sp_str){NULL, 0}));
    sp_utf8_repair(&b, (struct sp_str){NULL, 0});
    assert_int_equal(b.len, 0);
    sp_buf_deinit(&b);
}

static void utf8_refuses_what_is_not_well_formed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++)
        assert_false(sp_utf8_is_valid(invalid[i].bytes));
}

static void utf8_agrees_with_the_ranges_for_every_two_and_three_bytes(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 1U << 24; n += n < 1U << 16 ? 1 : 7) {
        char bytes[3] = {(char)(n >> 16), (char)(n >> 8), (char)n};
        unsigned a = n >> 16;
        unsigned b = n >> 8 & 0xff;
        unsigned c = n & 0xff;
        bool is_pair = b >= 0xc2 && b <= 0xdf && c >= 0x80 && c <= 0xbf;
        bool want;

        if (a < 0x80)
            want = (b < 0x80 && c < 0x80) || is_pair;
        else if (a >= 0xc2 && a <= 0xdf)
            want = b >= 0x80 && b <= 0xbf && c < 0x80;
        else
            want = a >= 0xe0 && a <= 0xef && b >= (a == 0xe0 ? 0xa0 : 0x80) &&
                   b <= (a == 0xed ? 0x9f : 0xbf) && c >= 0x80 && c <= 0xbf;
        if (sp_utf8_is_valid((struct sp_str){bytes, 3}) != want)
            fail_msg("%02x %02x %02x", a, b, c);
    }
}

static void utf8_finds_a_bad_byte_at_every_place(void **state)
{
    char text[100];

    (void)state;
    for (size_t len = 1; len <= sizeof text; len++) {
        for (size_t i = 0; i < len; i++) {
            memset(text, 'x', sizeof text);
            assert_true(sp_utf8_is_valid((struct sp_str){text, len}));
            text[i] = (char)0x80;
            assert_false(sp_utf8_is_valid((struct sp_str){text, len}));
        }
    }
}

static void utf8_replaces_each_maximal_subpart_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
        struct sp_buf b = {0};

        sp_utf8_repair(&b, invalid[i].bytes);
        assert_str_equal(sp_buf_str(&b), invalid[i].text);
        sp_buf_deinit(&b);
    }
}

static void utf8_leaves_valid_text_as_it_is(void **state)
{
    struct sp_buf b = {0};

    (void)state;
    for (size_t i = 0; i < sizeof valid / sizeof *valid; i++) {
        sp_buf_clear(&b);
        sp_utf8_repair(&b, valid[i]);
        assert_str_equal(sp_buf_str(&b), valid[i]);
    }
    sp_buf_deinit(&b);
}

static void utf8_appends_to_what_is_there(void **state)
{
    struct sp_buf b = {0};

    (void)state;
    sp_buf_add(&b, SP_STR("before "));
    sp_utf8_repair(&b, SP_STR("\xff"));
    assert_str_equal(sp_buf_str(&b), SP_STR("before " REPLACED));
    sp_buf_deinit(&b);
}

static void utf8_repairs_random_bytes_to_valid_text(void **state)
{
    /* Bytes that meet the edges of the ranges more often than chance has them. */
    static const unsigned char edges[] = {0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1,
                                          0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xf0, 0xf1, 0xf4, 0xf5};
    struct json_gen g = {.state = 20261};
    struct sp_buf once = {0};
    struct sp_buf twice = {0};

    (void)state;
    for (int round = 0; round < 50000; round++) {
        char bytes[64];
        size_t len = json_gen_below(&g, sizeof bytes);

        for (size_t i = 0; i < len; i++)
            bytes[i] = (char)edges[json_gen_below(&g, sizeof edges)];
        sp_buf_clear(&once);
        sp_buf_clear(&twice);
        sp_utf8_repair(&once, (struct sp_str){bytes, len});
        assert_true(sp_utf8_is_valid(sp_buf_str(&once)));
        sp_utf8_repair(&twice, sp_buf_str(&once));
        assert_str_equal(sp_buf_str(&twice), sp_buf_str(&once));
    }
    sp_buf_deinit(&once);
    sp_buf_deinit(&twice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_accepts_every_form_of_sequence),
        cmocka_unit_test(utf8_accepts_an_empty_view_without_memory),
        cmocka_unit_test(utf8_refuses_what_is_not_well_formed),
        cmocka_unit_test(utf8_agrees_with_the_ranges_for_every_two_and_three_bytes),
        cmocka_unit_test(utf8_finds_a_bad_byte_at_every_place),
        cmocka_unit_test(utf8_replaces_each_maximal_subpart_once),
        cmocka_unit_test(utf8_leaves_valid_text_as_it_is),
        cmocka_unit_test(utf8_appends_to_what_is_there),
        cmocka_unit_test(utf8_repairs_random_bytes_to_valid_text),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
