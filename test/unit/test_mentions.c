/* Tests of flow/mentions.h, by chapter 21, section 9.4. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flow/mentions.h"
#include "json_gen.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

static void mentions_finds_texts_in_what_was_said(void **state)
{
    static const char *const yes[] = {"T-42", " t-42 ", "##T-42",          "1", "a\nb", "\xc3\xa4",
                                      "?\nA", "b",      "where is\xc2\xa0"};
    static const char *const no[] = {"", " ", "#", " ## ", "T-43", "# T-42", "b\nb"};
    struct mentions *m = mentions_new();

    (void)state;
    assert_false(mentions_of(m, SP_STR("T-42")));
    mentions_say(m, SP_STR("Where is #T-42 or 1\xc3\x84?"));
    mentions_say(m, SP_STR("A"));
    mentions_say(m, SP_STR("B"));
    for (size_t i = 0; i < N_OF(yes); i++) {
        assert_true(mentions_of(m, sp_str_of(yes[i])));
        assert_true(mentions_has(m, mentions_watch(m, sp_str_of(yes[i]))));
    }
    for (size_t i = 0; i < N_OF(no); i++) {
        assert_false(mentions_of(m, sp_str_of(no[i])));
        assert_false(mentions_has(m, mentions_watch(m, sp_str_of(no[i]))));
    }
    mentions_free(m);
    mentions_free(NULL);
}

static void mentions_tells_once_when_a_watched_text_is_said(void **state)
{
    struct mentions *m = mentions_new();
    size_t ticket = mentions_watch(m, SP_STR("T-42"));
    size_t lines = mentions_watch(m, SP_STR("one\ntwo\nthree"));
    size_t number;

    (void)state;
    assert_int_equal(mentions_watch(m, SP_STR(" #t-42")), ticket);
    assert_int_equal(mentions_count(m), 2);
    assert_false(mentions_next(m, &number));
    mentions_say(m, SP_STR("see t-4"));
    mentions_say(m, SP_STR("2, one"));
    assert_false(mentions_next(m, &number));
    mentions_say(m, SP_STR("Two"));
    mentions_say(m, SP_STR("Three and T-42, T-42"));
    assert_true(mentions_next(m, &number));
    assert_int_equal(number, lines);
    assert_true(mentions_next(m, &number));
    assert_int_equal(number, ticket);
    assert_false(mentions_next(m, &number));
    assert_true(mentions_has(m, ticket));
    mentions_say(m, SP_STR("T-42"));
    assert_false(mentions_next(m, &number));
    mentions_free(m);
}

static void mentions_awaits_texts_of_which_a_part_was_said(void **state)
{
    struct mentions *m = mentions_new();
    size_t number, watched;

    (void)state;
    mentions_say(m, SP_STR("at one"));
    mentions_say(m, SP_STR("two"));
    watched = mentions_watch(m, SP_STR("one\ntwo\nthree"));
    assert_false(mentions_has(m, watched));
    mentions_say(m, SP_STR("three"));
    assert_true(mentions_next(m, &number));
    assert_int_equal(number, watched);
    mentions_free(m);
}

/* Numbers and what is said of a few letters, against a search in all that was said. */
static void mentions_agrees_with_a_search(void **state)
{
    static const char letters[] = "ab\n#";
    struct json_gen g = {13};

    (void)state;
    for (size_t i = 0; i < 2000; i++) {
        struct mentions *m = mentions_new();
        char watched[12][8];
        size_t lens[12], n_watched = 0, number;
        struct sp_buf said = {0};

        for (size_t k = 0; k < 24; k++) {
            char text[8];
            size_t len = json_gen_below(&g, sizeof text + 1);

            for (size_t j = 0; j < len; j++)
                text[j] = letters[json_gen_below(&g, sizeof letters - 1)];
            if (k % 2 == 0) {
                mentions_say(m, (struct sp_str){text, len});
                sp_buf_add(&said, (struct sp_str){text, len});
                sp_buf_add_char(&said, '\n');
                while (mentions_next(m, &number))
                    assert_true(mentions_has(m, number));
            } else {
                memcpy(watched[n_watched], text, len);
                lens[n_watched++] = len;
                (void)mentions_watch(m, (struct sp_str){text, len});
            }
            for (size_t j = 0; j < n_watched; j++) {
                struct sp_str want = {watched[j], lens[j]};
                bool is_said;

                while (want.len > 0 && want.p[0] == '\n')
                    want = sp_str_sub(want, 1, want.len);
                while (want.len > 0 && want.p[want.len - 1] == '\n')
                    want.len--;
                while (want.len > 0 && want.p[0] == '#')
                    want = sp_str_sub(want, 1, want.len);
                is_said = want.len > 0 && memmem(said.p, said.len, want.p, want.len) != NULL;
                want = (struct sp_str){watched[j], lens[j]};
                assert_true(mentions_of(m, want) == is_said);
                assert_true(mentions_has(m, mentions_watch(m, want)) == is_said);
            }
        }
        sp_buf_deinit(&said);
        mentions_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mentions_finds_texts_in_what_was_said),
        cmocka_unit_test(mentions_tells_once_when_a_watched_text_is_said),
        cmocka_unit_test(mentions_awaits_texts_of_which_a_part_was_said),
        cmocka_unit_test(mentions_agrees_with_a_search),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
