/* Tests of base/sp_unicode.h, and of the characters of base/sp_utf8.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sp_unicode.h"
#include "base/sp_utf8.h"

#define LAST_CHARACTER 0x10ffff

/* All characters of the property White_Space. */
static const uint32_t spaces[] = {0x09,   0x0a,   0x0b,   0x0c,   0x0d,   0x20,   0x85,
                                  0xa0,   0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004,
                                  0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028,
                                  0x2029, 0x202f, 0x205f, 0x3000};

static const uint32_t alnums[] = {
    '0',     '9', 'A', 'Z', 'a', 'z', 0xaa, /* feminine ordinal indicator, Lo */
    0xb2,                                   /* superscript two, No */
    0xbc,                                   /* one quarter, No */
    0xe9,                                   /* e with acute, Ll */
    0x1c5,                                  /* D with small z with caron, Lt */
    0x2b0,                                  /* modifier letter small h, Lm */
    0x345,                                  /* combining greek ypogegrammeni: Other_Alphabetic */
    0x391,                                  /* Greek capital alpha */
    0x660,                                  /* Arabic-indic digit zero, Nd */
    0x903,                                  /* Devanagari sign visarga: a mark that is alphabetic */
    0x2160,                                 /* Roman numeral one, Nl */
    0x24b6,                                 /* circled capital A: a symbol that is alphabetic */
    0x3007,                                 /* ideographic number zero, Nl */
    0x4e00,                                 /* the first CJK ideograph */
    0x9fff,                                 /* the last of its block */
    0xac00,                                 /* the first Hangul syllable */
    0xd7a3,                                 /* the last */
    0x10400,                                /* Deseret capital long I */
    0x1f130,                                /* squared capital A: alphabetic */
    0x20000,                                /* the second plane of ideographs */
};

static const uint32_t others[] = {
    0,        '/',  ':',  '@',  '[',  '`',
    '{',      0x7f, 0xa0, 0xa9, 0xd7, 0xf7, /* no-break space, copyright, times, divided by */
    0x300,   /* combining grave accent: a mark that is not alphabetic */
    0x378,   /* unassigned */
    0x2019,  /* right single quotation mark */
    0x3000,  /* ideographic space */
    0xd800,  /* half a surrogate pair */
    0xe000,  /* private use */
    0xfffd,  /* replacement character */
    0x1f600, /* a face */
    0x10ffff,
};

struct lower_case {
    uint32_t c;
    uint32_t lower;
};

static const struct lower_case lower_cases[] = {
    {'A', 'a'},         {'Z', 'z'},       {'a', 'a'},
    {'@', '@'},         {'[', '['},       {'7', '7'},
    {0xc0, 0xe0},       {0xd7, 0xd7}, /* times stands between capitals */
    {0xde, 0xfe},       {0xdf, 0xdf}, /* sharp s is small */
    {0x100, 0x101},                   /* capitals and small letters alternate here */
    {0x101, 0x101},     {0x12e, 0x12f},   {0x130, 'i'}, /* I with dot above */
    {0x178, 0xff},      {0x181, 0x253},   {0x1c4, 0x1c6},
    {0x1c5, 0x1c6},     {0x391, 0x3b1},   {0x3a2, 0x3a2}, /* unassigned, between capitals */
    {0x3a3, 0x3c3},     {0x3c2, 0x3c2},                   /* final sigma is small */
    {0x410, 0x430},     {0x13a0, 0xab70}, {0x1e9e, 0xdf}, /* capital sharp s */
    {0x2126, 0x3c9},                                      /* the ohm sign */
    {0x212a, 'k'},                                        /* the kelvin sign */
    {0x2160, 0x2170},                                     /* Roman numerals */
    {0x24b6, 0x24d0},   {0xff21, 0xff41}, {0x10400, 0x10428},
    {0x1e921, 0x1e943}, {0x4e00, 0x4e00}, {0x10ffff, 0x10ffff},
};

struct trim_case {
    struct sp_str text;
    struct sp_str trimmed;
};

static const struct trim_case trim_cases[] = {
    {SP_STR(""), SP_STR("")},
    {SP_STR(" "), SP_STR("")},
    {SP_STR("\t\r\n \xc2\x85\xe3\x80\x80"), SP_STR("")},
    {SP_STR("a"), SP_STR("a")},
    {SP_STR("  a  b\n"), SP_STR("a  b")},
    {SP_STR("\xc2\xa0\xe2\x80\x83K7\xe2\x80\xa8"), SP_STR("K7")},
    {SP_STR("\xc3\xa9 "), SP_STR("\xc3\xa9")},
    {SP_STR(" \xf0\x9f\x98\x80"), SP_STR("\xf0\x9f\x98\x80")},
    /* The zero width space and the byte-order mark are no white space. */
    {SP_STR("\xe2\x80\x8b"
            "a\xef\xbb\xbf"),
     SP_STR("\xe2\x80\x8b"
            "a\xef\xbb\xbf")},
    {SP_STR("\0 a \0"), SP_STR("\0 a \0")},
};

static void unicode_knows_exactly_the_white_space(void **state)
{
    size_t n = 0;

    (void)state;
    for (uint32_t c = 0; c <= LAST_CHARACTER; c++) {
        bool is_one = n < sizeof spaces / sizeof *spaces && spaces[n] == c;

        if (sp_unicode_is_space(c) != is_one)
            fail_msg("U+%04X", c);
        n += is_one;
    }
    assert_int_equal(n, sizeof spaces / sizeof *spaces);
}

static void unicode_tells_letters_and_numbers_from_others(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof alnums / sizeof *alnums; i++) {
        if (!sp_unicode_is_alnum(alnums[i]))
            fail_msg("U+%04X", alnums[i]);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (sp_unicode_is_alnum(others[i]))
            fail_msg("U+%04X", others[i]);
    }
}

/* Unicode 15.0 has this many; a range that is cut or doubled does not go unseen. */
static void unicode_has_as_many_letters_and_capitals_as_the_standard(void **state)
{
    size_t n_alnum = 0;
    size_t n_lowered = 0;

    (void)state;
    for (uint32_t c = 0; c <= LAST_CHARACTER; c++) {
        n_alnum += sp_unicode_is_alnum(c);
        n_lowered += sp_unicode_lower(c) != c;
    }
    assert_int_equal(n_alnum, 139360);
    assert_int_equal(n_lowered, 1433);
}

static void unicode_maps_to_lower_case(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lower_cases / sizeof *lower_cases; i++) {
        if (sp_unicode_lower(lower_cases[i].c) != lower_cases[i].lower)
            fail_msg("U+%04X gives U+%04X", lower_cases[i].c, sp_unicode_lower(lower_cases[i].c));
    }
}

static void unicode_lower_case_stays_lower_case(void **state)
{
    (void)state;
    for (uint32_t c = 0; c <= LAST_CHARACTER; c++) {
        uint32_t lower = sp_unicode_lower(c);

        if (sp_unicode_lower(lower) != lower)
            fail_msg("U+%04X", c);
    }
}

static void unicode_trims_white_space_at_both_ends_only(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof trim_cases / sizeof *trim_cases; i++) {
        struct sp_str got = sp_unicode_trim(trim_cases[i].text);

        assert_int_equal(got.len, trim_cases[i].trimmed.len);
        assert_memory_equal(got.p, trim_cases[i].trimmed.p, got.len);
    }
}

static void utf8_reads_back_every_character_it_encodes(void **state)
{
    (void)state;
    for (uint32_t c = 0; c <= LAST_CHARACTER; c++) {
        char bytes[6] = {'<'};
        size_t len = sp_utf8_encode(c, bytes + 1);
        struct sp_str text = {bytes + 1, len + 1};
        bool is_half = c >= 0xd800 && c <= 0xdfff;

        bytes[1 + len] = '>';
        assert_int_equal(len, c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4);
        assert_int_equal(sp_utf8_is_valid(text), !is_half);
        assert_int_equal(sp_utf8_next(&text), c);
        assert_int_equal(text.len, 1);
        assert_ptr_equal(text.p, bytes + 1 + len);

        text = (struct sp_str){bytes, len + 1};
        assert_int_equal(sp_utf8_last(&text), c);
        assert_int_equal(text.len, 1);
        assert_ptr_equal(text.p, bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unicode_knows_exactly_the_white_space),
        cmocka_unit_test(unicode_tells_letters_and_numbers_from_others),
        cmocka_unit_test(unicode_has_as_many_letters_and_capitals_as_the_standard),
        cmocka_unit_test(unicode_maps_to_lower_case),
        cmocka_unit_test(unicode_lower_case_stays_lower_case),
        cmocka_unit_test(unicode_trims_white_space_at_both_ends_only),
        cmocka_unit_test(utf8_reads_back_every_character_it_encodes),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
