/* Tests of base/sp_file.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_expands_a_leading_tilde),
        cmocka_unit_test_setup_teardown(file_makes_a_directory_and_its_parents, setup, teardown),
        cmocka_unit_test_setup_teardown(file_takes_a_directory_that_exists, setup, teardown),
        cmocka_unit_test_setup_teardown(file_refuses_what_is_no_directory, setup, teardown),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
