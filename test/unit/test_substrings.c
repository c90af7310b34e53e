/* Tests of flow/substrings.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flow/substrings.h"
#include "json_gen.h"

static bool is_part(struct sp_str part, const struct sp_buf *of)
{
    for (size_t i = 0; i + part.len <= of->len; i++) {
        if (part.len == 0 || memcmp(of->p + i, part.p, part.len) == 0)
            return true;
    }
    return part.len == 0;
}

static void substrings_holds_the_parts_of_what_was_added(void **state)
{
    struct substrings s = {0};

    (void)state;
    assert_true(substrings_has(&s, SP_STR("")));
    assert_false(substrings_has(&s, SP_STR("a")));
    substrings_add(&s, SP_STR(""));
    assert_true(substrings_has(&s, SP_STR("")));
    substrings_add(&s, SP_STR("where is t"));
    substrings_add(&s, SP_STR("-41?\n\0\xff"));
    assert_true(substrings_has(&s, SP_STR("t-41")));
    assert_true(substrings_has(&s, SP_STR("where is t-41?\n\0\xff")));
    assert_true(substrings_has(&s, SP_STR("\0\xff")));
    assert_false(substrings_has(&s, SP_STR("t-42")));
    assert_false(substrings_has(&s, SP_STR("\xff\0")));
    substrings_deinit(&s);
    assert_false(substrings_has(&s, SP_STR("t-41")));
}

static void substrings_agrees_with_a_search(void **state)
{
    struct json_gen g = {11};

    (void)state;
    for (size_t i = 0; i < 1000; i++) {
        struct substrings s = {0};
        struct sp_buf text = {0};
        uint64_t n_letters = 1 + json_gen_below(&g, 3);

        for (size_t k = 0; k < 12; k++) {
            char part[12];
            size_t len = json_gen_below(&g, sizeof part);

            for (size_t j = 0; j < len; j++)
                part[j] = (char)('a' + json_gen_below(&g, n_letters));
            assert_true(substrings_has(&s, (struct sp_str){part, len}) ==
                        is_part((struct sp_str){part, len}, &text));
            if (json_gen_below(&g, 2) == 0) {
                substrings_add(&s, (struct sp_str){part, len});
                sp_buf_add(&text, (struct sp_str){part, len});
            }
        }
        substrings_deinit(&s);
        sp_buf_deinit(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(substrings_holds_the_parts_of_what_was_added),
        cmocka_unit_test(substrings_agrees_with_a_search),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
