/* Tests of base/sp_file.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/sp_file.h"
#include "tmpdir.h"

struct expand_case {
    const char *path;
    const char *home;
    const char *userprofile;
    const char *want;
};

static void file_expands_a_leading_tilde(void **state)
{
    static const struct expand_case cases[] = {
        {"~/.stretto/logs", "/home/a", NULL, "/home/a/.stretto/logs"},
        {"~", "/home/a", NULL, "/home/a"},
        {"~/", "/home/a", NULL, "/home/a/"},
        {"logs/~", "/home/a", NULL, "logs/~"},
        {"~other/logs", "/home/a", NULL, "~other/logs"},
        {"~~", "/home/a", NULL, "~~"},
        {"/~/logs", "/home/a", NULL, "/~/logs"},
        {"", "/home/a", NULL, ""},
        {"~/logs", NULL, NULL, "~/logs"},
        {"~/logs", "", "", "~/logs"},
        {"~/logs", NULL, "/profile", "/profile/logs"},
        {"~/logs", "", "/profile", "/profile/logs"},
        {"~/logs", "/home/a", "/profile", "/home/a/logs"},
        {"~/\xff", "/\xfe", NULL, "/\xfe/\xff"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *full = sp_file_expand(cases[i].path, cases[i].home, cases[i].userprofile);

        assert_string_equal(full, cases[i].want);
        free(full);
    }
}

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

static mode_t mode_of(const char *dir, const char *name)
{
    char *path = tmpdir_path(dir, name);
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    free(path);
    return st.st_mode;
}

static int make_dirs(const char *dir, const char *name)
{
    char *path = tmpdir_path(dir, name);
    int err = sp_file_make_dirs(path);

    free(path);
    return err;
}

static void file_makes_a_directory_and_its_parents(void **state)
{
    mode_t mask = umask(022);

    assert_int_equal(make_dirs(*state, "a/b/c"), 0);
    assert_int_equal(mode_of(*state, "a"), S_IFDIR | 0700);
    assert_int_equal(mode_of(*state, "a/b"), S_IFDIR | 0700);
    assert_int_equal(mode_of(*state, "a/b/c"), S_IFDIR | 0700);
    umask(0277);
    assert_int_equal(make_dirs(*state, "d"), 0);
    assert_int_equal(mode_of(*state, "d"), S_IFDIR | 0500);
    umask(mask);
}

static void file_takes_a_directory_that_exists(void **state)
{
    char *link = tmpdir_path(*state, "link");

    assert_int_equal(make_dirs(*state, "a"), 0);
    assert_int_equal(make_dirs(*state, "a"), 0);
    assert_int_equal(make_dirs(*state, "a//b/./c/"), 0);
    assert_int_equal(mode_of(*state, "a/b/c"), S_IFDIR | 0700);
    assert_int_equal(symlink("a", link), 0);
    assert_int_equal(make_dirs(*state, "link/d"), 0);
    assert_int_equal(mode_of(*state, "a/d"), S_IFDIR | 0700);
    assert_int_equal(sp_file_make_dirs("/"), 0);
    assert_int_equal(sp_file_make_dirs("."), 0);
    assert_int_equal(sp_file_make_dirs(""), -ENOENT);
    free(link);
}

static void file_refuses_what_is_no_directory(void **state)
{
    char *file = tmpdir_path(*state, "file"), *link = tmpdir_path(*state, "link");

    tmpdir_touch(file);
    assert_int_equal(symlink("nowhere", link), 0);
    assert_int_equal(make_dirs(*state, "file"), -ENOTDIR);
    assert_int_equal(make_dirs(*state, "file/a"), -ENOTDIR);
    assert_int_equal(make_dirs(*state, "link"), -ENOENT);
    free(file);
    free(link);
}

static void write_file(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* A file of `n` bytes, none like its neighbours; the caller's. */
static char *pattern(size_t n)
{
    char *bytes = sp_malloc(n);

    for (size_t i = 0; i < n; i++)
        bytes[i] = (char)(i % 251);
    return bytes;
}

static void file_is_read_as_a_whole_behind_what_is_there(void **state)
{
    static const size_t sizes[] = {0, 1, 63, 64, 65535, 65536, 65537, 131071, 1000000};
    char *path = tmpdir_path(*state, "file"), *bytes = pattern(1000000);

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct sp_buf b = {0};

        write_file(path, bytes, sizes[i]);
        sp_buf_add(&b, SP_STR("before"));
        assert_int_equal(sp_file_read(path, SIZE_MAX, &b), 0);
        assert_int_equal(b.len, 6 + sizes[i]);
        assert_memory_equal(b.p, "before", 6);
        assert_memory_equal(b.p + 6, bytes, sizes[i]);
        sp_buf_deinit(&b);
    }
    free(bytes);
    free(path);
}

static void file_is_read_up_to_a_limit(void **state)
{
    static const size_t limits[] = {0, 1, 99999, 100000, 100001, 65536, SIZE_MAX};
    char *path = tmpdir_path(*state, "file"), *bytes = pattern(100000);

    write_file(path, bytes, 100000);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        size_t want = limits[i] < 100000 ? limits[i] : 100000;
        struct sp_buf b = {0};

        assert_int_equal(sp_file_read(path, limits[i], &b), 0);
        assert_int_equal(b.len, want);
        assert_true(want == 0 || memcmp(b.p, bytes, want) == 0);
        sp_buf_deinit(&b);
    }
    free(bytes);
    free(path);
}

/* The largest file that fits a buffer of a power of two with the byte that shows its end. */
static void file_is_read_without_a_larger_buffer_than_it_needs(void **state)
{
    char *path = tmpdir_path(*state, "file"), *bytes = pattern((1 << 20) - 1);
    struct sp_buf b = {0};

    write_file(path, bytes, (1 << 20) - 1);
    assert_int_equal(sp_file_read(path, SIZE_MAX, &b), 0);
    assert_int_equal(b.len, (1 << 20) - 1);
    assert_int_equal(b.cap, 1 << 20);
    sp_buf_deinit(&b);
    free(bytes);
    free(path);
}

/* As those of /proc are: their size is 0, or they have none. */
static void file_of_unknown_size_is_read_to_its_end(void **state)
{
    char *path = tmpdir_path(*state, "pipe"), *bytes = pattern(300000);
    struct sp_buf b = {0};
    pid_t child;
    int status;

    assert_int_equal(mkfifo(path, 0600), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        FILE *f = fopen(path, "w");

        _exit(f == NULL || fwrite(bytes, 1, 300000, f) != 300000 || fclose(f) != 0);
    }
    assert_int_equal(sp_file_read(path, SIZE_MAX, &b), 0);
    assert_int_equal(b.len, 300000);
    assert_memory_equal(b.p, bytes, 300000);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    sp_buf_clear(&b);
    assert_int_equal(sp_file_read("/proc/self/status", SIZE_MAX, &b), 0);
    assert_true(b.len > 0);
    sp_buf_deinit(&b);
    free(bytes);
    free(path);
}

static void file_that_cannot_be_read_is_an_error(void **state)
{
    char *path = tmpdir_path(*state, "none");
    struct sp_buf b = {0};

    sp_buf_add(&b, SP_STR("before"));
    assert_int_equal(sp_file_read(path, SIZE_MAX, &b), -ENOENT);
    assert_int_equal(sp_file_read(*state, SIZE_MAX, &b), -EISDIR);
    assert_int_equal(sp_file_read("", SIZE_MAX, &b), -ENOENT);
    assert_true(sp_str_eq(sp_buf_str(&b), SP_STR("before")));
    sp_buf_deinit(&b);
    free(path);
}

static void assert_content(const char *path, struct sp_str want)
{
    struct sp_buf b = tmpdir_read(path);

    assert_true(sp_str_eq(sp_buf_str(&b), want));
    sp_buf_deinit(&b);
}

static size_t count_entries(const char *dir)
{
    DIR *d = opendir(dir);
    size_t n = 0;

    assert_non_null(d);
    while (readdir(d) != NULL)
        n++;
    assert_int_equal(closedir(d), 0);
    return n - 2; /* "." and ".." */
}

static void file_is_replaced_by_a_private_one(void **state)
{
    char *path = tmpdir_path(*state, "file"), *other = tmpdir_path(*state, "other");
    mode_t mask = umask(0);

    assert_int_equal(sp_file_replace(path, SP_STR("new")), 0);
    assert_content(path, SP_STR("new"));
    assert_int_equal(mode_of(*state, "file"), S_IFREG | 0600);

    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(link(path, other), 0);
    umask(0277);
    assert_int_equal(sp_file_replace(path, SP_STR("")), 0);
    umask(mask);
    assert_content(path, SP_STR(""));
    assert_int_equal(mode_of(*state, "file"), S_IFREG | 0400);
    assert_content(other, SP_STR("new"));
    assert_int_equal(count_entries(*state), 2);
    free(path);
    free(other);
}

static void file_replaces_a_link_but_writes_through_one(void **state)
{
    char *link = tmpdir_path(*state, "link"), *file = tmpdir_path(*state, "file");
    char *lost = tmpdir_path(*state, "lost");

    write_file(file, "old", 3);
    assert_int_equal(symlink("file", link), 0);
    assert_int_equal(sp_file_write(link, SP_STR("through")), 0);
    assert_content(file, SP_STR("through"));
    assert_content(link, SP_STR("through"));
    assert_int_equal(sp_file_replace(link, SP_STR("instead")), 0);
    assert_content(file, SP_STR("through"));
    assert_content(link, SP_STR("instead"));

    assert_int_equal(symlink("nowhere", lost), 0);
    assert_int_equal(sp_file_write(lost, SP_STR("found")), 0);
    assert_content(lost, SP_STR("found"));
    assert_int_equal(count_entries(*state), 3);
    free(link);
    free(file);
    free(lost);
}

static void file_that_is_a_device_is_written_to(void **state)
{
    struct stat st;

    (void)state;
    assert_int_equal(sp_file_write("/dev/null", SP_STR("text")), 0);
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    assert_int_equal(sp_file_write("/dev/full", SP_STR("text")), -ENOSPC);
}

static void file_that_cannot_be_written_whole_is_left_as_it_was(void **state)
{
    char *path = tmpdir_path(*state, "file"), *bytes = pattern(100000);
    char *dir = tmpdir_path(*state, "dir"), *none = tmpdir_path(*state, "none/file");
    struct rlimit limit, small;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;

    write_file(path, "old", 3);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = (struct rlimit){50000, limit.rlim_max};
    assert_int_equal(sigaction(SIGXFSZ, &ignore, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(sp_file_write(path, (struct sp_str){bytes, 100000}), -EFBIG);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(sigaction(SIGXFSZ, &before, NULL), 0);
    assert_content(path, SP_STR("old"));

    assert_int_equal(mkdir(dir, 0700), 0);
    assert_int_equal(sp_file_write(dir, SP_STR("text")), -EISDIR);
    assert_int_equal(sp_file_replace(dir, SP_STR("text")), -EISDIR);
    assert_int_equal(sp_file_replace(none, SP_STR("text")), -ENOENT);
    assert_int_equal(count_entries(*state), 2);
    free(path);
    free(bytes);
    free(dir);
    free(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_expands_a_leading_tilde),
        cmocka_unit_test_setup_teardown(file_makes_a_directory_and_its_parents, setup, teardown),
        cmocka_unit_test_setup_teardown(file_takes_a_directory_that_exists, setup, teardown),
        cmocka_unit_test_setup_teardown(file_refuses_what_is_no_directory, setup, teardown),
        cmocka_unit_test_setup_teardown(file_is_read_as_a_whole_behind_what_is_there, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(file_is_read_up_to_a_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(file_is_read_without_a_larger_buffer_than_it_needs, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(file_of_unknown_size_is_read_to_its_end, setup, teardown),
        cmocka_unit_test_setup_teardown(file_that_cannot_be_read_is_an_error, setup, teardown),
        cmocka_unit_test_setup_teardown(file_is_replaced_by_a_private_one, setup, teardown),
        cmocka_unit_test_setup_teardown(file_replaces_a_link_but_writes_through_one, setup,
                                        teardown),
        cmocka_unit_test(file_that_is_a_device_is_written_to),
        cmocka_unit_test_setup_teardown(file_that_cannot_be_written_whole_is_left_as_it_was, setup,
                                        teardown),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
