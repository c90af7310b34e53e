/* Tests of flow/prefixes.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flow/prefixes.h"
#include "json_gen.h"

static void put_number(void *data, uint32_t number)
{
    sp_buf_addf(data, " %u", number);
}

static void assert_of(const struct prefixes *p, struct sp_str text, const char *want, bool goes_on)
{
    struct sp_buf b = {0};
    bool r = prefixes_of(p, text, put_number, &b);

    if (r != goes_on || strcmp(sp_buf_cstr(&b), want) != 0)
        fail_msg("'%.*s' has%s%s, not%s", SP_STR_ARG(text), sp_buf_cstr(&b),
                 r ? " and goes on" : "", want);
    sp_buf_deinit(&b);
}

static void prefixes_gives_the_texts_that_another_begins_with(void **state)
{
    struct prefixes p = {0};

    (void)state;
    assert_of(&p, SP_STR("t-41"), "", false);
    assert_int_equal(prefixes_add(&p, SP_STR("t-41")), 0);
    assert_of(&p, SP_STR("t-41"), " 0", false);
    assert_of(&p, SP_STR("t-412"), " 0", false);
    assert_of(&p, SP_STR("t-4"), "", true);
    assert_int_equal(prefixes_add(&p, SP_STR("t-4")), 1);
    assert_int_equal(prefixes_add(&p, SP_STR("t-412")), 2);
    assert_int_equal(prefixes_add(&p, SP_STR("u\0\xff")), 3);
    assert_of(&p, SP_STR("t-4123"), " 1 0 2", false);
    assert_of(&p, SP_STR("t-41"), " 1 0", true);
    assert_of(&p, SP_STR("t-42"), " 1", false);
    assert_of(&p, SP_STR("u\0\xff"), " 3", false);
    assert_of(&p, SP_STR("x"), "", false);
    assert_of(&p, SP_STR(""), "", true);
    prefixes_deinit(&p);
}

static void prefixes_agrees_with_a_search(void **state)
{
    struct json_gen g = {12};

    (void)state;
    for (size_t i = 0; i < 1000; i++) {
        struct prefixes p = {0};
        char texts[20][8];
        struct sp_str set[20];
        uint64_t n_letters = 1 + json_gen_below(&g, 3);
        size_t n = 0;

        for (size_t k = 0; k < 20; k++) {
            struct sp_str text = {texts[k], json_gen_below(&g, 8)};
            struct sp_buf want = {0};
            bool goes_on = false, is_known = text.len == 0;

            for (size_t j = 0; j < text.len; j++)
                texts[k][j] = (char)('a' + json_gen_below(&g, n_letters));
            for (size_t len = 1; len <= 8; len++) {
                for (size_t j = 0; j < n; j++) {
                    if (set[j].len != len)
                        continue;
                    if (sp_str_starts(text, set[j]))
                        sp_buf_addf(&want, " %zu", j);
                    goes_on = goes_on || (len > text.len && sp_str_starts(set[j], text));
                    is_known = is_known || sp_str_eq(set[j], text);
                }
            }
            assert_of(&p, text, sp_buf_cstr(&want), goes_on);
            sp_buf_deinit(&want);
            if (!is_known) {
                assert_int_equal(prefixes_add(&p, text), n);
                set[n++] = text;
            }
        }
        prefixes_deinit(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefixes_gives_the_texts_that_another_begins_with),
        cmocka_unit_test(prefixes_agrees_with_a_search),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
