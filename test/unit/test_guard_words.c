/* Tests of guard/guard_words.h: the list and the vectors. */

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "guard/guard_words.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

static void assert_confirms(const char *message, bool want)
{
    if (guard_words_confirm(sp_str_of(message)) != want)
        fail_msg("'%s' should %s as a confirmation", message, want ? "read" : "not read");
}

static void guard_words_take_every_entry_of_the_list(void **state)
{
    static const char *const entries[] = {
        "yes",       "yeah",         "yep",         "yup",        "confirm",       "go ahead",
        "proceed",   "please do",    "do it",       "sure",       "okay",          "ok",
        "correct",   "that's right", "sounds good", "absolutely", "please cancel", "please process",
        "please go", "let's do",     "i agree",     "fine",
    };

    (void)state;
    for (size_t i = 0; i < N_OF(entries); i++) {
        char text[64];

        assert_confirms(entries[i], true);
        snprintf(text, sizeof text, "Well, %s!", entries[i]);
        assert_confirms(text, true);
        snprintf(text, sizeof text, "%s", entries[i]);
        for (char *p = text; *p != '\0'; p++)
            *p = (char)toupper((unsigned char)*p);
        assert_confirms(text, true);
    }
}

static void guard_words_follow_the_vectors(void **state)
{
    static const struct {
        const char *message;
        bool want;
    } cases[] = {
        {"Yes, please cancel it.", true},
        {"\"yes\"", true},
        {"OK", true},
        {"go-ahead", true},
        {"Go\n  ahead!", true},
        {"please don't", true}, /* a known weakness */
        {"undo it", true},
        {"yesterday was fine", true},
        {"No, that is not okay", true},
        {"that's right", true},
        {"That\xe2\x80\x99s right", false}, /* U+2019 splits a word */
        {"'yes'", false},
        {"confirmed", false},
        {"incorrect", false},
        {"surely", false},
        {"cancel #W1", false},
        {"Also cancel #W7b.", false},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++)
        assert_confirms(cases[i].message, cases[i].want);
}

static void guard_words_are_runs_of_letters_and_numbers_in_any_script(void **state)
{
    (void)state;
    assert_confirms("", false);
    assert_confirms(" .,;", false);
    assert_confirms("\xc3\xa9yes", false);    /* a letter before it */
    assert_confirms("yes\xd9\xa3", false);    /* a digit of another script behind it */
    assert_confirms("yes\xe2\x84\xa2", true); /* a sign is none */
    assert_confirms("\xe3\x80\x8cyes\xe3\x80\x8d", true);
    assert_confirms("no\xc2\xa0yes", true); /* a space that does not break */
    assert_confirms("yes_", true);
    assert_confirms("2ok", false);
    assert_confirms("\xe2\x84\xaaok o\xe2\x84\xaa",
                    true); /* the Kelvin sign is a k in lower case */
}

static void guard_words_of_a_phrase_may_be_parts_of_words(void **state)
{
    (void)state;
    assert_confirms("cargo ahead", true);
    assert_confirms("go aheads", true);
    assert_confirms("go  -  ahead", true);
    assert_confirms("goahead", false);
    assert_confirms("go 'ahead", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guard_words_take_every_entry_of_the_list),
        cmocka_unit_test(guard_words_follow_the_vectors),
        cmocka_unit_test(guard_words_are_runs_of_letters_and_numbers_in_any_script),
        cmocka_unit_test(guard_words_of_a_phrase_may_be_parts_of_words),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
