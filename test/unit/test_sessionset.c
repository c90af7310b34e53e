/* Tests of trace/sessionset.h. */

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

#include "base/sp_buf.h"
#include "tmpdir.h"
#include "trace/sessionset.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

static struct sp_err error;

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

static void write_file(const char *dir, const char *name, struct sp_str text)
{
    char *path = tmpdir_path(dir, name);
    int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.p, text.len), text.len);
    (void)close(fd);
    free(path);
}

/* Writes DIR/NAME, a log of that session. */
static void write_log(const char *dir, const char *name, const char *session)
{
    struct sp_buf b = {0};

    sp_buf_addf(&b, "{\"stretto_mcp_log\":2,\"session\":\"%s\",\"started_unix_ms\":5}\n", session);
    write_file(dir, name, sp_buf_str(&b));
    sp_buf_deinit(&b);
}

static char *make_dir(const char *dir, const char *name)
{
    char *path = tmpdir_path(dir, name);

    assert_int_equal(mkdir(path, 0700), 0);
    return path;
}

static void add(struct sessionset *set, const char *path)
{
    if (sessionset_add(set, path, &error) != 0)
        fail_msg("%s", error.text);
}

/* The set has these logs in this order: "DIR/NAME" of each. */
static void assert_logs(const struct sessionset *set, const char *dir, const char *const *names,
                        size_t n)
{
    assert_int_equal(set->n_logs, n);
    for (size_t i = 0; i < n; i++) {
        char *path = tmpdir_path(dir, names[i]);

        assert_string_equal(set->logs[i].path, path);
        free(path);
    }
}

static void sessionset_takes_the_logs_of_a_directory_by_their_names(void **state)
{
    static const char *const others[] = {
        "s.flow.jsonl", "s.confirm.jsonl", ".flow.jsonl", ".confirm.jsonl", "s.flow.json",
        "s.json",       "s.jsonl.gz",      "s.JSONL",     "jsonl",          "notes.txt",
    };
    static const char *const logs[] = {".jsonl", "a.jsonl", "b.flow.x.jsonl", "flow.jsonl",
                                       "xflow.jsonl"};
    struct sessionset set = {0};

    for (size_t i = 0; i < N_OF(others); i++)
        write_file(*state, others[i], SP_STR("oops\n"));
    for (size_t i = N_OF(logs); i > 0; i--)
        write_log(*state, logs[i - 1], logs[i - 1]);
    add(&set, *state);
    sessionset_sort(&set);
    assert_logs(&set, *state, logs, N_OF(logs));
    for (size_t i = 0; i < N_OF(logs); i++)
        assert_true(sp_str_eq(set.logs[i].session, sp_str_of(logs[i])));
    sessionset_deinit(&set);
}

static void sessionset_looks_into_no_directory_below(void **state)
{
    static const char *const logs[] = {"a.jsonl"};
    char *below = make_dir(*state, "below"), *log_dir = make_dir(*state, "b.jsonl");
    char *fifo = tmpdir_path(*state, "fifo.jsonl");
    struct sessionset set = {0};

    write_log(below, "c.jsonl", "s1");
    write_log(log_dir, "d.jsonl", "s2");
    write_log(*state, "a.jsonl", "s3");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    add(&set, *state);
    assert_logs(&set, *state, logs, 1);
    sessionset_deinit(&set);
    free(below);
    free(log_dir);
    free(fifo);
}

static void sessionset_takes_a_file_whatever_its_name(void **state)
{
    static const char *const names[] = {"notes.txt", "s.flow.jsonl", "a.jsonl"};
    struct sessionset set = {0};

    for (size_t i = 0; i < N_OF(names); i++) {
        char *path = tmpdir_path(*state, names[i]);

        write_log(*state, names[i], names[i]);
        add(&set, path);
        free(path);
    }
    assert_logs(&set, *state, names, N_OF(names));
    sessionset_deinit(&set);
}

static void sessionset_follows_links_to_files_and_directories(void **state)
{
    static const char *const logs[] = {"link/a.jsonl", "link/b.jsonl"};
    char *dir = make_dir(*state, "dir"), *link = tmpdir_path(*state, "link");
    char *log_link = tmpdir_path(dir, "b.jsonl");
    struct sessionset set = {0};

    write_log(*state, "elsewhere", "s2");
    write_log(dir, "a.jsonl", "s1");
    assert_int_equal(symlink("dir", link), 0);
    assert_int_equal(symlink("../elsewhere", log_link), 0);
    add(&set, link);
    sessionset_sort(&set);
    assert_logs(&set, *state, logs, 2);
    sessionset_deinit(&set);
    free(dir);
    free(link);
    free(log_link);
}

static void sessionset_doubles_no_slash_behind_a_directory(void **state)
{
    static const char *const logs[] = {"a.jsonl"};
    char *dir = tmpdir_path(*state, "");
    struct sessionset set = {0};

    write_log(*state, "a.jsonl", "s1");
    add(&set, dir);
    assert_logs(&set, *state, logs, 1);
    sessionset_deinit(&set);
    free(dir);
}

static void sessionset_orders_by_session_and_then_by_name_as_bytes(void **state)
{
    static const char *const logs[] = {
        "Z.jsonl",        "a.jsonl",   /* of session "" */
        "10.jsonl",                    /* 1 */
        "2.jsonl",                     /* 10 */
        "1.jsonl",        "3.jsonl",   /* 2 */
        "big.jsonl",                   /* B */
        "a-b.jsonl",      "a.b.jsonl", /* a */
        "\xc3\xa9.jsonl",              /* a, too */
        "accent.jsonl",                /* U+00E9 */
    };
    static const char *const sessions[] = {"",  "",  "1", "10", "2",       "2",
                                           "B", "a", "a", "a",  "\xc3\xa9"};
    struct sessionset set = {0};

    for (size_t i = 0; i < N_OF(logs); i++) {
        size_t k = i * 7 % N_OF(logs);

        write_log(*state, logs[k], sessions[k]);
    }
    add(&set, *state);
    sessionset_sort(&set);
    assert_logs(&set, *state, logs, N_OF(logs));
    sessionset_deinit(&set);
}

static void sessionset_puts_the_earlier_argument_first_within_a_session(void **state)
{
    static const char *const logs[] = {"a/3.jsonl", "b/0.jsonl", "z",         "b/1.jsonl",
                                       "b/9.jsonl", "a/1.jsonl", "a/2.jsonl", "b/0.jsonl"};
    char *a = make_dir(*state, "a"), *b = make_dir(*state, "b");
    char *file = tmpdir_path(*state, "z"), *again = tmpdir_path(b, "0.jsonl");
    struct sessionset set = {0};

    write_log(a, "1.jsonl", "same");
    write_log(a, "2.jsonl", "same");
    write_log(a, "3.jsonl", "first");
    write_log(b, "0.jsonl", "same");
    write_log(b, "1.jsonl", "same");
    write_log(b, "9.jsonl", "same");
    write_log(*state, "z", "same");
    write_log(b, "0.jsonl", "middle");
    add(&set, file);
    add(&set, b);
    add(&set, a);
    write_log(b, "0.jsonl", "same");
    add(&set, again); /* a log named twice is there twice */
    sessionset_sort(&set);
    assert_logs(&set, *state, logs, N_OF(logs));
    sessionset_deinit(&set);
    free(a);
    free(b);
    free(file);
    free(again);
}

static void sessionset_keeps_the_order_of_many_logs_of_one_session(void **state)
{
    struct sessionset set = {0};
    char name[] = "000.jsonl";

    for (unsigned i = 0; i < 300; i++) {
        unsigned k = i * 37 % 300;

        name[0] = (char)('0' + k / 100);
        name[1] = (char)('0' + k / 10 % 10);
        name[2] = (char)('0' + k % 10);
        write_log(*state, name, k % 2 == 0 ? "even" : "odd");
    }
    add(&set, *state);
    sessionset_sort(&set);
    assert_int_equal(set.n_logs, 300);
    for (size_t i = 1; i < 300; i++) {
        if (i != 150)
            assert_true(strcmp(set.logs[i - 1].path, set.logs[i].path) < 0);
        assert_true(sp_str_cmp(set.logs[i - 1].session, set.logs[i].session) <= 0);
    }
    sessionset_deinit(&set);
}

static void sessionset_reads_headers_only(void **state)
{
    struct sessionset set = {0};

    write_file(*state, "a.jsonl",
               SP_STR("{\"stretto_mcp_log\":2,\"session\":\"s\",\"started_unix_ms\":5}\noops\n"));
    add(&set, *state);
    assert_int_equal(set.n_logs, 1);
    sessionset_deinit(&set);
}

static void sessionset_takes_an_empty_directory(void **state)
{
    struct sessionset set = {0};

    add(&set, *state);
    sessionset_sort(&set);
    assert_int_equal(set.n_logs, 0);
    sessionset_deinit(&set);
    sessionset_deinit(&set);
}

/* Adding `path` fails with "STAGE DIR/NAME: CAUSE". */
static void assert_fails(const char *path, const char *stage, const char *dir, const char *name,
                         const char *cause)
{
    struct sessionset set = {0};
    struct sp_buf want = {0};

    sp_buf_addf(&want, "%s %s/%s: %s", stage, dir, name, cause);
    assert_true(sessionset_add(&set, path, &error) < 0);
    if (!sp_str_starts(sp_str_of(error.text), sp_buf_str(&want)))
        fail_msg("%s", error.text);
    sp_buf_deinit(&want);
    sessionset_deinit(&set);
}

static void sessionset_fails_by_one_bad_log(void **state)
{
    char *none = tmpdir_path(*state, "none"), *bad = tmpdir_path(*state, "c.jsonl");

    assert_fails(none, "reading", *state, "none", "No such file or directory");
    write_log(*state, "a.jsonl", "s1");
    write_log(*state, "d.jsonl", "s2");
    write_file(*state, "c.jsonl", SP_STR("oops\n"));
    assert_fails(*state, "parsing", *state, "c.jsonl", "line 1: not a stretto log header");
    assert_fails(bad, "parsing", *state, "c.jsonl", "line 1: not a stretto log header");
    /* Of several bad ones the first by name is told. */
    write_file(*state, "b.jsonl", SP_STR("\xff\n"));
    assert_fails(*state, "reading", *state, "b.jsonl", "not valid UTF-8");
    free(none);
    free(bad);
}

static void sessionset_fails_by_a_link_that_leads_nowhere(void **state)
{
    char *link = tmpdir_path(*state, "b.jsonl");

    write_log(*state, "a.jsonl", "s1");
    assert_int_equal(symlink("nowhere", link), 0);
    assert_fails(*state, "reading", *state, "b.jsonl", "No such file or directory");
    free(link);
}

/* Its header alone would be read, and the rest be missing when the log is read. */
static void sessionset_refuses_a_pipe_as_a_log(void **state)
{
    char *path = tmpdir_path(*state, "a.jsonl");
    struct sessionset set = {0};

    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(sessionset_add(&set, path, &error), -EINVAL);
    assert_non_null(strstr(error.text, path));
    assert_non_null(strstr(error.text, "not a regular file"));
    sessionset_deinit(&set);
    free(path);
}

static void sessionset_knows_when_a_log_was_started(void **state)
{
    struct sessionset set = {0};

    write_log(*state, "a.jsonl", "s1");
    add(&set, *state);
    assert_int_equal(set.n_logs, 1);
    assert_int_equal(set.logs[0].started_unix_ms, 5);
    sessionset_deinit(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sessionset_takes_the_logs_of_a_directory_by_their_names,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(sessionset_looks_into_no_directory_below, setup, teardown),
        cmocka_unit_test_setup_teardown(sessionset_takes_a_file_whatever_its_name, setup, teardown),
        cmocka_unit_test_setup_teardown(sessionset_follows_links_to_files_and_directories, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(sessionset_doubles_no_slash_behind_a_directory, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(sessionset_orders_by_session_and_then_by_name_as_bytes,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(sessionset_puts_the_earlier_argument_first_within_a_session,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(sessionset_keeps_the_order_of_many_logs_of_one_session,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(sessionset_reads_headers_only, setup, teardown),
        cmocka_unit_test_setup_teardown(sessionset_takes_an_empty_directory, setup, teardown),
        cmocka_unit_test_setup_teardown(sessionset_fails_by_one_bad_log, setup, teardown),
        cmocka_unit_test_setup_teardown(sessionset_fails_by_a_link_that_leads_nowhere, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(sessionset_refuses_a_pipe_as_a_log, setup, teardown),
        cmocka_unit_test_setup_teardown(sessionset_knows_when_a_log_was_started, setup, teardown),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
