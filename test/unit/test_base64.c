/* Tests of base/sp_base64.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/sp_base64.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

static void base64_encodes_the_vectors_of_rfc_4648(void **state)
{
    static const struct {
        struct sp_str bytes;
        const char *text;
    } cases[] = {
        {{NULL, 0}, ""},
        {SP_STR(""), ""},
        {SP_STR("f"), "Zg=="},
        {SP_STR("fo"), "Zm8="},
        {SP_STR("foo"), "Zm9v"},
        {SP_STR("foob"), "Zm9vYg=="},
        {SP_STR("fooba"), "Zm9vYmE="},
        {SP_STR("foobar"), "Zm9vYmFy"},
        /* The illustrations of its section 9. */
        {SP_STR("\x14\xfb\x9c\x03\xd9\x7e"), "FPucA9l+"},
        {SP_STR("\x14\xfb\x9c\x03\xd9"), "FPucA9k="},
        {SP_STR("\x14\xfb\x9c\x03"), "FPucAw=="},
        {SP_STR("\0"), "AA=="},
        {SP_STR("\xff\xff"), "//8="},
        {SP_STR("\0\0\0\xff\xff\xff"), "AAAA////"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_buf b = {0};

        sp_base64_put(&b, cases[i].bytes);
        assert_string_equal(sp_buf_cstr(&b), cases[i].text);
        sp_buf_deinit(&b);
    }
}

static void base64_uses_every_digit_in_order(void **state)
{
    struct sp_buf bytes = {0};
    struct sp_buf text = {0};

    (void)state;
    for (unsigned i = 0; i < 64; i += 4) {
        uint32_t group = i << 18 | (i + 1) << 12 | (i + 2) << 6 | (i + 3);

        sp_buf_add_char(&bytes, (char)(group >> 16));
        sp_buf_add_char(&bytes, (char)(group >> 8));
        sp_buf_add_char(&bytes, (char)group);
    }
    sp_base64_put(&text, sp_buf_str(&bytes));
    assert_string_equal(sp_buf_cstr(&text),
                        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
    sp_buf_deinit(&bytes);
    sp_buf_deinit(&text);
}

static void base64_appends(void **state)
{
    struct sp_buf b = {0};

    (void)state;
    sp_buf_add(&b, SP_STR("before "));
    sp_base64_put(&b, SP_STR("foob"));
    sp_base64_put(&b, SP_STR("ar"));
    assert_string_equal(sp_buf_cstr(&b), "before Zm9vYg==YXI=");
    sp_buf_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base64_encodes_the_vectors_of_rfc_4648),
        cmocka_unit_test(base64_uses_every_digit_in_order),
        cmocka_unit_test(base64_appends),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
