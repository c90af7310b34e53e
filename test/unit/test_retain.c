/* Tests of record/retain.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/retain.h"
#include "tmpdir.h"

#define ID    "20260923T212000.123Z-4242"
#define HEX16 "0123456789abcdef"
#define HEX64 HEX16 HEX16 HEX16 HEX16
#define DAY   86400

struct file_case {
    const char *name;
    bool is_session; /* whether retention takes it for a session's file */
    bool is_answer;  /* or for a cached answer */
};

static const struct file_case files[] = {
    {ID ".jsonl", true, false},
    {ID ".flow.jsonl", true, false},
    {"ab/" ID ".confirm.jsonl", true, false},
    {"ab/cd/ef/" ID ".jsonl", true, false},
    {".hidden/" ID ".jsonl", true, false},
    {"s1.jsonl", false, false},
    {"notes.txt", false, false},
    {ID ".json", false, false},
    {ID ".flow.json", false, false},
    {".json", false, false},
    {ID ".jsonl.gz", false, false},
    {"ab/.jsonl", false, false},
    {HEX64 ".json", false, true},
    {"ab/" HEX64 ".json", false, true},
    {HEX64 ".jsonl", false, false},
    {HEX64 ".flow.json", false, false},
    {HEX64 "0.json", false, false},
    {HEX16 HEX16 HEX16 "0123456789abcde.json", false, false},
    {HEX16 HEX16 HEX16 "0123456789ABCDEF.json", false, false},
    {HEX16 HEX16 HEX16 "0123456789abcdeg.json", false, false},
    {HEX64, false, false},
    {HEX16 ".json", false, false},
};

#define N_FILES (sizeof files / sizeof files[0])

static const struct timespec now = {.tv_sec = 1790198400, .tv_nsec = 500};

static int setup(void **state)
{
    *state = tmpdir_new();
    return 0;
}

static int teardown(void **state)
{
    tmpdir_remove(*state);
    return 0;
}

static void set_time(const char *path, struct timespec t)
{
    struct timespec times[2] = {t, t};

    assert_int_equal(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

static struct timespec days_ago(int64_t days)
{
    return (struct timespec){.tv_sec = now.tv_sec - days * DAY, .tv_nsec = now.tv_nsec};
}

/* Makes DIR/NAME, an empty file of that time, and the directories on the way to it. */
static void make_file(const char *dir, const char *name, struct timespec t)
{
    char *path = tmpdir_path(dir, name);

    for (char *p = path + strlen(dir) + 1; (p = strchr(p, '/')) != NULL; p++) {
        *p = '\0';
        assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
        *p = '/';
    }
    tmpdir_touch(path);
    set_time(path, t);
    free(path);
}

static bool is_there(const char *dir, const char *name)
{
    char *path = tmpdir_path(dir, name);
    struct stat st;
    bool is = lstat(path, &st) == 0;

    free(path);
    return is;
}

/* Prunes and checks the notice, which is put together as by printf(); "" for none. */
static void prune(const char *dir, enum retain_kind kind, uint64_t days, uint64_t n_deleted)
{
    struct sp_buf notices = {0}, want = {0};

    retain_prune(dir, kind, days, now, &notices);
    if (n_deleted > 0)
        sp_buf_addf(&want, "deleted %llu files older than %llu days from %s\n",
                    (unsigned long long)n_deleted, (unsigned long long)days, dir);
    assert_string_equal(sp_buf_cstr(&notices), sp_buf_cstr(&want));
    sp_buf_deinit(&notices);
    sp_buf_deinit(&want);
}

static void check_kind(const char *dir, enum retain_kind kind)
{
    uint64_t n = 0;

    for (size_t i = 0; i < N_FILES; i++) {
        make_file(dir, files[i].name, days_ago(10));
        n += kind == RETAIN_SESSIONS ? files[i].is_session : files[i].is_answer;
    }
    prune(dir, kind, 7, n);
    for (size_t i = 0; i < N_FILES; i++) {
        bool is_gone = kind == RETAIN_SESSIONS ? files[i].is_session : files[i].is_answer;

        if (is_there(dir, files[i].name) == is_gone)
            fail_msg("%s", files[i].name);
    }
    assert_true(is_there(dir, "ab/cd/ef")); /* directories stay, empty ones too */
    prune(dir, kind, 7, 0);
}

static void retain_deletes_old_files_of_sessions_only(void **state)
{
    check_kind(*state, RETAIN_SESSIONS);
}

static void retain_deletes_old_cached_answers_only(void **state)
{
    check_kind(*state, RETAIN_ANSWERS);
}

static void retain_keeps_what_is_not_older_than_the_days_to_the_nanosecond(void **state)
{
    struct timespec edge = days_ago(7), older = edge, newer = edge;

    older.tv_nsec--;
    newer.tv_nsec++;
    make_file(*state, ID "1.jsonl", older);
    make_file(*state, ID "2.jsonl", edge);
    make_file(*state, ID "3.jsonl", newer);
    make_file(*state, ID "4.jsonl", now);
    make_file(*state, ID "5.jsonl", days_ago(-100));
    prune(*state, RETAIN_SESSIONS, 7, 1);
    assert_false(is_there(*state, ID "1.jsonl"));
    assert_true(is_there(*state, ID "2.jsonl"));
    prune(*state, RETAIN_SESSIONS, 0, 2);
    assert_false(is_there(*state, ID "3.jsonl"));
    assert_true(is_there(*state, ID "4.jsonl"));
    assert_true(is_there(*state, ID "5.jsonl"));
}

static void retain_deletes_nothing_for_a_huge_number_of_days(void **state)
{
    static const uint64_t days[] = {1000000, INT64_MAX / DAY, INT64_MAX / DAY + 1ULL, INT64_MAX,
                                    UINT64_MAX};

    make_file(*state, ID ".jsonl", (struct timespec){.tv_sec = -1000000});
    for (size_t i = 0; i < sizeof days / sizeof *days; i++)
        prune(*state, RETAIN_SESSIONS, days[i], 0);
    assert_true(is_there(*state, ID ".jsonl"));
}

static void retain_leaves_links_and_other_kinds_of_files(void **state)
{
    char *outside = tmpdir_new();
    char *target = tmpdir_path(outside, ID ".jsonl");
    char *link = tmpdir_path(*state, ID "1.jsonl"), *dir_link = tmpdir_path(*state, "link");
    char *fifo = tmpdir_path(*state, ID "2.jsonl"), *dir = tmpdir_path(*state, ID "3.jsonl");

    make_file(outside, ID ".jsonl", days_ago(10));
    assert_int_equal(symlink(target, link), 0);
    set_time(link, days_ago(10));
    assert_int_equal(symlink(outside, dir_link), 0);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    set_time(fifo, days_ago(10));
    assert_int_equal(mkdir(dir, 0700), 0);
    set_time(dir, days_ago(10));
    prune(*state, RETAIN_SESSIONS, 7, 0);
    assert_true(is_there(*state, ID "1.jsonl"));
    assert_true(is_there(*state, ID "2.jsonl"));
    assert_true(is_there(*state, ID "3.jsonl"));
    assert_true(is_there(outside, ID ".jsonl"));

    prune(dir_link, RETAIN_SESSIONS, 7, 1); /* the named directory itself may be a link */
    assert_false(is_there(outside, ID ".jsonl"));
    free(target);
    free(link);
    free(dir_link);
    free(fifo);
    free(dir);
    tmpdir_remove(outside);
}

static void retain_takes_a_missing_directory_for_an_empty_one(void **state)
{
    char *missing = tmpdir_path(*state, "no/such");

    prune(missing, RETAIN_SESSIONS, 7, 0);
    free(missing);
}

static void retain_tells_of_an_error_in_one_notice(void **state)
{
    char *file = tmpdir_path(*state, "file");
    struct sp_buf notices = {0}, want = {0};

    tmpdir_touch(file);
    sp_buf_add(&notices, SP_STR("before\n"));
    retain_prune(file, RETAIN_ANSWERS, 7, now, &notices);
    sp_buf_addf(&want, "before\npruning %s: ", file);
    assert_true(sp_str_starts(sp_buf_str(&notices), sp_buf_str(&want)));
    assert_ptr_equal(strchr(sp_buf_cstr(&notices) + want.len, '\n'), notices.p + notices.len - 1);
    sp_buf_deinit(&notices);
    sp_buf_deinit(&want);
    free(file);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(retain_deletes_old_files_of_sessions_only),
        TEST(retain_deletes_old_cached_answers_only),
        TEST(retain_keeps_what_is_not_older_than_the_days_to_the_nanosecond),
        TEST(retain_deletes_nothing_for_a_huge_number_of_days),
        TEST(retain_leaves_links_and_other_kinds_of_files),
        TEST(retain_takes_a_missing_directory_for_an_empty_one),
        TEST(retain_tells_of_an_error_in_one_notice),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
