/* Tests of trace/sessionid.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#include "trace/sessionid.h"

struct id_case {
    uint64_t unix_ms;
    uint64_t pid;
    const char *id;
};

struct name_case {
    const char *name;
    bool is_ours;
};

static void sessionid_writes_the_vectors(void **state)
{
    static const struct id_case cases[] = {
        {0, 1, "19700101T000000.000Z-1"},
        {951782400000, 42, "20000229T000000.000Z-42"},
        {1709251199999, 7, "20240229T235959.999Z-7"},
        {1790198400123, 4242, "20260923T212000.123Z-4242"},
        {4107542399000, 7, "21000228T235959.000Z-7"},
        {4107542400000, 7, "21000301T000000.000Z-7"},
        {253402300799999, 0, "99991231T235959.999Z-0"},
        {253402300800000, 1, "100000101T000000.000Z-1"},
        {UINT64_MAX, UINT64_MAX, "5845560190403T142551.615Z-18446744073709551615"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char id[SESSIONID_SIZE];

        sessionid_make(cases[i].unix_ms, cases[i].pid, id);
        assert_string_equal(id, cases[i].id);
    }
}

static void sessionid_agrees_with_the_c_library_on_every_day(void **state)
{
    (void)state;
    /* From 1970 into the year 2400, past every rule of leap years. */
    for (time_t day = 0; day < 157100; day++) {
        time_t seconds = day * 86400 + 86399 - day % 86400;
        char id[SESSIONID_SIZE], want[64];
        struct tm tm;

        assert_non_null(gmtime_r(&seconds, &tm));
        (void)strftime(want, sizeof want, "%Y%m%dT%H%M%S.007Z-9", &tm);
        sessionid_make((uint64_t)seconds * 1000 + 7, 9, id);
        assert_string_equal(id, want);
    }
}

#define ID "20260923T212000.123Z-4242"

static void sessionid_knows_the_files_of_a_session(void **state)
{
    static const struct name_case cases[] = {
        {ID ".jsonl", true},
        {ID ".flow.jsonl", true},
        {ID ".confirm.jsonl", true},
        {"00000000T000000.000Z-0.jsonl", true},
        {"99999999T999999.999Z-18446744073709551615.jsonl", true}, /* no such date, the form is */
        {ID, false},
        {ID ".json", false},
        {ID ".flow.json", false},
        {ID ".jsonl.gz", false},
        {ID ".jsonlx", false},
        {ID ".flow.confirm.jsonl", false},
        {ID ".other.jsonl", false},
        {ID ".JSONL", false},
        {ID "jsonl", false},
        {ID "-2.jsonl", false},
        {" " ID ".jsonl", false},
        {"20260923T212000.123Z-.jsonl", false},
        {"20260923T212000.123Z--1.jsonl", false},
        {"20260923T212000.123Z.jsonl", false},
        {"20260923t212000.123Z-1.jsonl", false},
        {"20260923T212000.123z-1.jsonl", false},
        {"20260923T212000,123Z-1.jsonl", false},
        {"2026923T212000.123Z-1.jsonl", false},
        {"120260923T212000.123Z-1.jsonl", false},
        {"20260923T212000.12Z-1.jsonl", false},
        {"2026092aT212000.123Z-1.jsonl", false},
        {"s1.jsonl", false},
        {"notes.txt", false},
        {".json", false},
        {".jsonl", false},
        {"", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (sessionid_names_file(sp_str_of(cases[i].name)) != cases[i].is_ours)
            fail_msg("%s", cases[i].name);
}

static void sessionid_refuses_every_cut_and_change_of_a_name(void **state)
{
    static const char name[] = ID ".jsonl";

    (void)state;
    for (size_t len = 0; len < sizeof name - 1; len++)
        assert_false(sessionid_names_file((struct sp_str){name, len}));
    for (size_t i = 0; i < sizeof name - 1; i++) {
        char changed[sizeof name];

        memcpy(changed, name, sizeof name);
        changed[i] = '/'; /* just below '0' */
        assert_false(sessionid_names_file((struct sp_str){changed, sizeof name - 1}));
        changed[i] = '\0';
        assert_false(sessionid_names_file((struct sp_str){changed, sizeof name - 1}));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessionid_writes_the_vectors),
        cmocka_unit_test(sessionid_agrees_with_the_c_library_on_every_day),
        cmocka_unit_test(sessionid_knows_the_files_of_a_session),
        cmocka_unit_test(sessionid_refuses_every_cut_and_change_of_a_name),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
