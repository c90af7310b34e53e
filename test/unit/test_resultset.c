/* Tests of trace/resultset.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sp_file.h"
#include "tmpdir.h"
#include "trace/resultset.h"

#define FOLDER "data/tau2/results/final"

/* A checkout with results files of these names. */
static char *checkout(const char *const *names, size_t n)
{
    char *dir = tmpdir_new();
    char *folder = tmpdir_path(dir, FOLDER);

    assert_int_equal(sp_file_make_dirs(folder), 0);
    for (size_t i = 0; i < n; i++) {
        char *path = tmpdir_path(folder, names[i]);

        tmpdir_touch(path);
        free(path);
    }
    free(folder);
    return dir;
}

static void resultset_takes_a_domains_published_files_in_order(void **state)
{
    static const char *const names[] = {
        "z_retail_default_u_4.json",  "a_retail_base_u_4.json", "m_retail_default_.json",
        "a_retail_default_u_4.jsonl", "a_retail_other_u.json",  "retail_default_u.json",
        "a_airline_default_u.json",   "a_retail_default.json",  "a_Retail_base_u.json",
        "_retail_base_.json",
    };
    static const char *const want[] = {"_retail_base_.json", "a_retail_base_u_4.json",
                                       "m_retail_default_.json", "z_retail_default_u_4.json"};
    char *dir = checkout(names, sizeof names / sizeof names[0]);
    char *folder = tmpdir_path(dir, FOLDER);
    struct resultset set = {0};
    struct sp_err err;

    (void)state;
    resultset_add_source(&set, "first.json");
    assert_int_equal(resultset_add_published(&set, dir, "retail", &err), 0);
    assert_int_equal(set.n_files, 5);
    assert_string_equal(set.files[0].path, "first.json");
    for (size_t i = 0; i < 4; i++) {
        char *path = tmpdir_path(folder, want[i]);

        assert_string_equal(set.files[i + 1].path, path);
        assert_string_equal(set.files[i + 1].domain, "retail");
        free(path);
    }
    resultset_deinit(&set);
    free(folder);
    tmpdir_remove(dir);
}

static void resultset_fails_without_published_files(void **state)
{
    static const char *const names[] = {"a_retail_default_u.json"};
    char *dir = checkout(names, 1);
    char *folder = tmpdir_path(dir, FOLDER);
    struct resultset set = {0};
    struct sp_buf want = {0};
    struct sp_err err;

    (void)state;
    assert_true(resultset_add_published(&set, dir, "airline", &err) < 0);
    sp_buf_addf(&want, "no results of airline in %s", folder);
    assert_string_equal(err.text, sp_buf_cstr(&want));
    assert_true(resultset_add_published(&set, folder, "retail", &err) < 0);
    sp_buf_clear(&want);
    sp_buf_addf(&want, "reading %s/" FOLDER ": No such file or directory", folder);
    assert_string_equal(err.text, sp_buf_cstr(&want));
    sp_buf_deinit(&want);
    resultset_deinit(&set);
    free(folder);
    tmpdir_remove(dir);
}

static void resultset_drops_the_label_of_a_source(void **state)
{
    struct resultset set = {0};

    (void)state;
    resultset_add_source(&set, "a/b.json");
    resultset_add_source(&set, "four=a/b.json");
    resultset_add_source(&set, "=a=b.json");
    assert_string_equal(set.files[0].path, "a/b.json");
    assert_string_equal(set.files[1].path, "a/b.json");
    assert_string_equal(set.files[2].path, "a=b.json");
    for (size_t i = 0; i < 3; i++)
        assert_null(set.files[i].domain);
    resultset_deinit(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resultset_takes_a_domains_published_files_in_order),
        cmocka_unit_test(resultset_fails_without_published_files),
        cmocka_unit_test(resultset_drops_the_label_of_a_source),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
