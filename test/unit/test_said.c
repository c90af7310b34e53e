/* Tests of judge/said.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "judge/said.h"

struct example {
    const char *value;
    const char *message;
    bool want;
};

static void check(const struct example *examples, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct said said;

        said_init(&said, sp_str_of(examples[i].message));
        if (said_has(&said, sp_str_of(examples[i].value)) != examples[i].want)
            fail_msg("'%s' should %sstate '%s'", examples[i].message,
                     examples[i].want ? "" : "not ", examples[i].value);
        said_deinit(&said);
    }
}

static void said_follows_the_vectors(void **state)
{
    static const struct example examples[] = {
        {"2732", "card 27320", false},
        {"1500", "it costs 1,500 dollars", true},
        {"1500", "ends 1500.", true},
        {"1500", "v.1500", false},
        {"20.50", "about 20.5 dollars", true},
        {"20.50", "about 20.50 dollars", false}, /* a known weakness */
        {"-40", "40", false},
        {"credit_card_4196779", "the card 4196779 please", true},
        {"a1_1234", "nr 1234", false},
        {"#w7a", "cancel w7a", true},
        {"#w7a", "cancel w7ab", true},
    };

    (void)state;
    check(examples, sizeof examples / sizeof *examples);
}

static void said_finds_numbers_where_they_stand_alone(void **state)
{
    static const struct example examples[] = {
        {"1500", "1500", true},
        {"1500", "", false},
        {"1500", "11500 and 1500", true},
        {"1500", "15001500", false},
        {"1500", "x1500y", true},
        {"5", "15 5", true},
        {"5", "555 55", false},
        {"1500", "1500.5", true},
        {"1500", "1.1500", false},
        {"1500", "1,1500", false},
        {"1500", "1,5,0,0", true},
        {"-40", "a -40 b", true},
        {"-40", "1-40 or -401", false},
        {"-40", "-401 -40", true},
        {"1,500", "1,500", false}, /* the message has lost its commas */
        {"20.0", "20", true},
        {"20.000", "20.", true},
        {"100", "1", false},
        {"0.0", "0", true},
        {".0", "0", false}, /* nothing is left */
        {"..", "..", false},
        {".5", ".5 0.5", true},
        {".5", "0.5", false},
        {"00.", "00", true},
        {"-", "a-b", true}, /* no number */
        {"2.5-", "2.5-", true},
    };

    (void)state;
    check(examples, sizeof examples / sizeof *examples);
}

static void said_finds_ids_by_their_digits(void **state)
{
    static const struct example examples[] = {
        {"gift_card_1234567", "GIFT_CARD_1234567", true},
        {"gift_card_1234567", "no. 1234567.", true},
        {"gift_card_1234567", "1,234567", false},
        {"gift_card_1234567", "12345678", false},
        {"gift_card_1234567", ".1234567", true},
        {"gift_card_1234567", "01234567 1234567", true},
        {"a_123", "123", false},
        {"a_123", "xa_1234", true},
        {"_1234", "1234", false},
        {"__1234", "1234", true},
        {"a_1234_", "1234", false},
        {"a_1234_5678", "5678", false},
        {"\xc3\xa4_1234", "1234", false},
        {"ab1234", "1234", false},
    };

    (void)state;
    check(examples, sizeof examples / sizeof *examples);
}

static void said_finds_other_values_anywhere(void **state)
{
    static const struct example examples[] = {
        {"", "", true},
        {"", "x", true},
        {"lamp", "A Lampshade", true},
        {"lamp", "clam, p", false},
        {"##a", "a", true},
        {"#", "", true},
        {"a#b", "ab", false},
        {"a, b", "a, b", true},
        {"\xc3\xbc"
         "ber",
         "\xc3\x9c"
         "BER",
         true},
    };

    (void)state;
    check(examples, sizeof examples / sizeof *examples);
}

static void said_finds_values_in_long_messages(void **state)
{
    struct sp_buf message = {0};
    struct said said;

    (void)state;
    for (unsigned i = 0; i < 30000; i++)
        sp_buf_addf(&message, "%u, ", 100000 + i);
    sp_buf_add(&message, SP_STR("and 1,234.5"));
    said_init(&said, sp_buf_str(&message));
    assert_true(said_has(&said, SP_STR("100000")));
    assert_true(said_has(&said, SP_STR("115000")));
    assert_true(said_has(&said, SP_STR("card_129999")));
    assert_true(said_has(&said, SP_STR("1234.50")));
    assert_false(said_has(&said, SP_STR("130000")));
    assert_false(said_has(&said, SP_STR("11500")));
    assert_false(said_has(&said, SP_STR("card_15000")));
    said_deinit(&said);
    sp_buf_deinit(&message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(said_follows_the_vectors),
        cmocka_unit_test(said_finds_numbers_where_they_stand_alone),
        cmocka_unit_test(said_finds_ids_by_their_digits),
        cmocka_unit_test(said_finds_other_values_anywhere),
        cmocka_unit_test(said_finds_values_in_long_messages),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
