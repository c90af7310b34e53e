/* Tests of io/oracle_cache.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/oracle_cache.h"
#include "tmpdir.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))
#define KEY         "de1a3272038b12b9636d994fb493181ae8302797118b0bff60fbc8f34af63b2d"

#define EMPTY(model)                                                                             \
    "{\n  \"model\": \"" model "\",\n  \"answers\": {},\n  \"usage\": {\n    \"input_tokens\": " \
    "0,\n    \"output_tokens\": 0\n  }\n}"

/* The paths of one test. */
struct cache {
    char *root;
    char *dir;  /* root/cache, which is not there at first */
    char *sub;  /* dir/de */
    char *path; /* sub/KEY.json */
};

static int setup(void **state)
{
    struct cache *c = sp_calloc(1, sizeof *c);

    c->root = tmpdir_new();
    c->dir = tmpdir_path(c->root, "cache");
    c->sub = tmpdir_path(c->dir, "de");
    c->path = tmpdir_path(c->sub, KEY ".json");
    *state = c;
    return 0;
}

static int teardown(void **state)
{
    struct cache *c = *state;

    tmpdir_remove(c->root);
    free(c->dir);
    free(c->sub);
    free(c->path);
    free(c);
    return 0;
}

static void store(const struct cache *c, const char *model)
{
    struct oracle_response r = {.model = sp_str_of(model)};
    struct sp_err err;

    if (oracle_cache_store(c->dir, KEY, &r, &err) < 0)
        fail_msg("%s", err.text);
}

static void write_file(const struct cache *c, struct sp_str text)
{
    int fd = open(c->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.p, text.len), text.len);
    (void)close(fd);
}

static void assert_file(const struct cache *c, struct sp_str want)
{
    struct sp_buf text = tmpdir_read(c->path);

    assert_true(sp_str_eq(sp_buf_str(&text), want));
    sp_buf_deinit(&text);
}

static size_t count_files(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    size_t n = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL)
        n += entry->d_name[0] != '.' ? 1 : 0;
    (void)closedir(dir);
    return n;
}

static void cache_keeps_an_answer_under_its_key(void **state)
{
    struct cache *c = *state;
    struct oracle_response r;
    struct sp_err err;

    store(c, "a");
    assert_file(c, SP_STR(EMPTY("a")));
    store(c, "b");
    assert_file(c, SP_STR(EMPTY("b")));
    assert_int_equal(count_files(c->sub), 1);
    assert_int_equal(oracle_cache_read(c->dir, KEY, &r, &err), 0);
    assert_true(sp_str_eq(r.model, SP_STR("b")));
    oracle_response_deinit(&r);
}

static void cache_tells_an_absent_answer_from_a_bad_one(void **state)
{
    struct cache *c = *state;
    struct oracle_response r;
    struct sp_err err;

    assert_int_equal(oracle_cache_read(c->dir, KEY, &r, &err), ORACLE_CACHE_E_ABSENT);
    store(c, "a");
    assert_int_equal(oracle_cache_read(c->dir, "de0", &r, &err), ORACLE_CACHE_E_ABSENT);
    assert_int_equal(oracle_cache_read(c->dir, "ab0", &r, &err), ORACLE_CACHE_E_ABSENT);
    assert_int_equal(oracle_cache_read(c->path, KEY, &r, &err), ORACLE_CACHE_E_ABSENT);
}

static void cache_keeps_files_private(void **state)
{
    struct cache *c = *state;
    mode_t mask = umask(0);
    struct stat st;

    store(c, "a");
    (void)umask(mask);
    assert_int_equal(stat(c->dir, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_int_equal(stat(c->sub, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_int_equal(stat(c->path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
}

static void assert_bad(const struct cache *c, const char *why)
{
    struct oracle_response r = {.n_answers = 77};
    struct sp_err err = {0};

    assert_true(oracle_cache_read(c->dir, KEY, &r, &err) < 0);
    assert_int_equal(r.n_answers, 77);
    assert_non_null(strstr(err.text, c->path));
    if (strstr(err.text, why) == NULL)
        fail_msg("'%s' is not in: %s", why, err.text);
}

static void cache_names_a_bad_file_and_leaves_it_alone(void **state)
{
    static const struct {
        struct sp_str text;
        const char *why;
    } rows[] = {
        {SP_STR(""), "it is not JSON"},
        {SP_STR("{\n  \"model\": \"jev-1."), "it is not JSON"},
        {SP_STR("{\"model\":\"\xff\",\"answers\":{}}"), "it is not JSON"},
        {SP_STR("{\"model\":\"m\",\"answers\":{}}\0"), "it is not JSON"},
        {SP_STR("[]"), "it is not an object"},
        {SP_STR("{\"model\":\"m\",\"answers\":{\"q\":{\"type\":\"noul\"}}}"), "noul"},
    };
    struct cache *c = *state;

    store(c, "a");
    for (size_t i = 0; i < N_OF(rows); i++) {
        write_file(c, rows[i].text);
        assert_bad(c, rows[i].why);
        assert_file(c, rows[i].text);
    }
    assert_int_equal(truncate(c->path, (off_t)ORACLE_CACHE_MAX + 1), 0);
    assert_bad(c, "too large");
}

static void cache_names_a_file_that_cannot_be_opened(void **state)
{
    struct cache *c = *state;

    store(c, "a");
    assert_int_equal(unlink(c->path), 0);
    assert_int_equal(symlink(c->path, c->path), 0);
    assert_bad(c, "symbolic links");
    assert_int_equal(unlink(c->path), 0);
    assert_int_equal(mkdir(c->path, 0700), 0);
    assert_bad(c, "Is a directory");
    assert_int_equal(rmdir(c->path), 0);
    assert_int_equal(mkfifo(c->path, 0600), 0); /* which nobody writes: reading would wait */
    assert_bad(c, "Invalid argument");
}

static void cache_tells_why_an_answer_cannot_be_stored(void **state)
{
    struct cache *c = *state;
    struct oracle_response r = {.model = SP_STR("m")};
    struct sp_err err = {0};
    char *blocked;

    tmpdir_touch(c->dir);
    assert_true(oracle_cache_store(c->dir, KEY, &r, &err) < 0);
    assert_non_null(strstr(err.text, c->path));
    assert_non_null(strstr(err.text, "Not a directory"));

    /* The last step fails, and nothing stays behind. */
    assert_int_equal(unlink(c->dir), 0);
    store(c, "a");
    assert_int_equal(unlink(c->path), 0);
    assert_int_equal(mkdir(c->path, 0700), 0);
    blocked = tmpdir_path(c->path, "x");
    tmpdir_touch(blocked);
    free(blocked);
    assert_true(oracle_cache_store(c->dir, KEY, &r, &err) < 0);
    assert_non_null(strstr(err.text, c->path));
    assert_int_equal(count_files(c->sub), 1);
}

static void cache_passes_by_a_temporary_file_of_a_killed_process(void **state)
{
    struct cache *c = *state;
    char name[128];
    char *left;

    store(c, "a");
    snprintf(name, sizeof name, KEY ".tmp%d-0", (int)getpid());
    left = tmpdir_path(c->sub, name);
    tmpdir_touch(left);
    store(c, "b");
    assert_file(c, SP_STR(EMPTY("b")));
    assert_int_equal(access(left, F_OK), 0);
    assert_int_equal(count_files(c->sub), 2);
    free(left);
}

static void cache_takes_hexadecimal_keys_alone(void **state)
{
    (void)state;
    assert_true(oracle_cache_is_key(SP_STR(KEY)));
    assert_true(oracle_cache_is_key(SP_STR("0aF")));
    assert_false(oracle_cache_is_key(SP_STR("")));
    assert_false(oracle_cache_is_key(SP_STR("ab")));
    assert_false(oracle_cache_is_key(SP_STR("../ab")));
    assert_false(oracle_cache_is_key(SP_STR("abcg")));
    assert_false(oracle_cache_is_key(SP_STR("abc\0")));
}

/* As long as makes two of them overlap. */
#define LONG 20000

/* Stores long answers of lengths that differ, again and again. */
static void store_forever(const struct cache *c, unsigned writer)
{
    static char model[LONG + 500];
    struct sp_err err;

    memset(model, 'a' + (int)writer, sizeof model);
    for (size_t n = 0;; n++) {
        struct oracle_response r = {.model = {model, LONG + (n * 7 + writer) % 500}};

        if (oracle_cache_store(c->dir, KEY, &r, &err) < 0)
            _exit(1);
    }
}

static void start_writers(const struct cache *c, pid_t *ret_writers, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        ret_writers[i] = fork();
        assert_true(ret_writers[i] >= 0);
        if (ret_writers[i] == 0) {
            (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails stops nobody */
            store_forever(c, i);
        }
    }
}

static void kill_writers(const pid_t *writers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_int_equal(kill(writers[i], SIGKILL), 0);
    for (size_t i = 0; i < n; i++) {
        int status;

        assert_int_equal(waitpid(writers[i], &status, 0), writers[i]);
        assert_true(WIFSIGNALED(status)); /* none had failed before */
    }
}

/* Reads the answer, which is one writer's and whole; returns its length. */
static size_t read_whole(const struct cache *c)
{
    struct oracle_response r;
    struct sp_err err;
    int code = oracle_cache_read(c->dir, KEY, &r, &err);
    size_t len;

    if (code < 0)
        fail_msg("%s", err.text);
    if (code == ORACLE_CACHE_E_ABSENT)
        return 0;
    len = r.model.len;
    assert_memory_equal(r.model.p, r.model.p + 1, len - 1);
    oracle_response_deinit(&r);
    return len;
}

/* Reads until the answer has changed so often. */
static void read_changes(const struct cache *c, size_t n)
{
    size_t last = 0;

    for (size_t n_reads = 0; n > 0; n_reads++) {
        size_t len = read_whole(c);

        assert_true(n_reads < 1000000); /* somebody still writes */
        n -= len != last ? 1 : 0;
        last = len;
    }
}

static void cache_is_shared_by_processes_that_may_be_killed(void **state)
{
    struct cache *c = *state;
    pid_t writers[3];

    for (size_t round = 0; round < 3; round++) {
        start_writers(c, writers, N_OF(writers));
        read_changes(c, 60);
        kill_writers(writers, N_OF(writers));
        (void)read_whole(c);
        store(c, "zzz");
        assert_file(c, SP_STR(EMPTY("zzz")));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(cache_keeps_an_answer_under_its_key),
        TEST(cache_tells_an_absent_answer_from_a_bad_one),
        TEST(cache_keeps_files_private),
        TEST(cache_names_a_bad_file_and_leaves_it_alone),
        TEST(cache_names_a_file_that_cannot_be_opened),
        TEST(cache_tells_why_an_answer_cannot_be_stored),
        TEST(cache_passes_by_a_temporary_file_of_a_killed_process),
        TEST(cache_takes_hexadecimal_keys_alone),
        TEST(cache_is_shared_by_processes_that_may_be_killed),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
