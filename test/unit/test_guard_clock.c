/* Tests of guard/guard_clock.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "guard/guard_clock.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

static void guard_clock_tells_what_is_within_a_day(void **state)
{
    static const struct {
        const char *then;
        const char *now;
        bool want;
    } cases[] = {
        {"2024-05-14T15:00:00", "2024-05-15T15:00:00", true},
        {"2024-05-14T16:00:00", "2024-05-15T15:00:00", true},
        {"2024-05-15T15:00:00", "2024-05-15T15:00:00", true},
        {"2024-05-14T15:00", "2024-05-15T15:00:00", true},
        {"2024-05-14T14:59:59", "2024-05-15T15:00:00", false},
        {"2024-05-15T15:00:01", "2024-05-15T15:00:00", false},
        {"soon", "2024-05-15T15:00:00", false},
        {"2024-05-14 16:00:00", "2024-05-15T15:00:00", false},
        {"2024-04-30T23:00:00", "2024-05-01T10:00:00", true},
        {"2023-12-31T23:00:00", "2024-01-01T22:00:00", true},
        {"2024-02-28T12:00:00", "2024-03-01T11:00:00", false},
        {"2023-02-28T12:00:00", "2023-03-01T11:00:00", true},
        {"1900-02-28T12:00:00", "1900-03-01T11:00:00", true},
        {"2000-02-28T12:00:00", "2000-03-01T11:00:00", false},
        {"0000-12-31T12:00:00", "0001-01-01T11:00:00", true},
        {"0000-02-29T12:00:00", "0000-03-01T12:00:00", true},
        {"2023-05-15T15:00:00", "2024-05-15T15:00:00", false},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        if (guard_clock_is_within_day(sp_str_of(cases[i].then), sp_str_of(cases[i].now)) !=
            cases[i].want)
            fail_msg("%s, seen at %s", cases[i].then, cases[i].now);
    }
}

static void guard_clock_reads_no_more_than_it_needs(void **state)
{
    static const struct {
        const char *then;
        bool want;
    } cases[] = {
        {"2024-05-14T15:00:00Z", true},
        {"2024-05-14T15:00:30+02:00", true},
        {"2024-05-14T15:00:x", true},
        {"2024-05-14T15:00:", true},
        {"2024-05-14T15:00:00:99", true},
        {"2024-05-14-7T15:00:00", true},
        {"2024-05-15T15:00:00.5", false}, /* half a second after now */
        {"2024-05-15T14:59:59.5", true},
        {"2024-5-14T15:0", true},
        {"2024-05-14T15:00Z", false},
        {"2024-05-14T15", false},
        {"2024-05-14T15:", false},
        {"2024-05-14T", false},
        {"2024-05-14", false},
        {"2024-05T15:00", false},
        {"2024-05-T15:00", false},
        {"T15:00", false},
        {"", false},
        {"2024-05-14t15:00:00", false},
        {"2024-05-14.0T15:00", false},
        {"2024-05-+14T15:00", false},
        {"2024-05-14T15:.", false},
        {"2024-05-14T1.2.3:00", false},
        {"2024-00-14T15:00", false},
        {"2024-13-14T15:00", false},
        {"2024-04-31T15:00", false},
        {"2024-05-00T15:00", false},
        {"2024-05-45T15:00", false},
        {"99999999999999999999-05-14T15:00", false},
        {"999999999-05-14T15:00", false},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        if (guard_clock_is_within_day(sp_str_of(cases[i].then), SP_STR("2024-05-15T15:00:00")) !=
            cases[i].want)
            fail_msg("'%s'", cases[i].then);
    }
    assert_false(guard_clock_is_within_day(SP_STR("2024-05-14T15:00"), SP_STR("now")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guard_clock_tells_what_is_within_a_day),
        cmocka_unit_test(guard_clock_reads_no_more_than_it_needs),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
