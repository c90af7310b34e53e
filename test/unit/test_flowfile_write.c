/* Tests of flow/flow.h: saving flows to files, and loading them. */

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "flow/flow.h"
#include "flow_example.h"
#include "tmpdir.h"

struct fixture {
    char *dir;
    char *path;
    struct flow *flow;
};

static int set_up(void **state)
{
    static struct fixture fx;
    struct sp_err err;

    fx = (struct fixture){.dir = tmpdir_new()};
    fx.path = tmpdir_path(fx.dir, "a.flow.json");
    assert_int_equal(flow_parse(SP_STR(FLOW_EXAMPLE), &fx.flow, &err), 0);
    *state = &fx;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fx = *state;

    flow_free(fx->flow);
    free(fx->path);
    tmpdir_remove(fx->dir);
    return 0;
}

static void check_content(const char *path, const char *text)
{
    struct sp_buf content = tmpdir_read(path);

    assert_string_equal(sp_buf_cstr(&content), text);
    sp_buf_deinit(&content);
}

static void flow_saves_a_file_of_its_owner_alone(void **state)
{
    const struct fixture *fx = *state;
    struct flow *loaded = NULL;
    struct stat st;
    struct sp_err err;

    assert_int_equal(flow_save(fx->path, fx->flow, &err), 0);
    check_content(fx->path, FLOW_EXAMPLE);
    assert_int_equal(stat(fx->path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(flow_load(fx->path, &loaded, &err), 0);
    assert_int_equal(loaded->n_actions, 3);
    flow_free(loaded);
}

static void flow_save_leaves_nothing_but_the_file(void **state)
{
    const struct fixture *fx = *state;
    struct sp_err err;

    assert_int_equal(flow_save(fx->path, fx->flow, &err), 0);
    assert_int_equal(flow_save(fx->path, fx->flow, &err), 0);
    assert_int_equal(unlink(fx->path), 0);
    assert_int_equal(rmdir(fx->dir), 0); /* which only an empty directory can be */
    assert_int_equal(mkdir(fx->dir, 0700), 0);
}

static void flow_save_replaces_a_file_as_a_whole(void **state)
{
    const struct fixture *fx = *state;
    char *other = tmpdir_path(fx->dir, "hard");
    struct sp_err err;

    tmpdir_touch(fx->path);
    assert_int_equal(link(fx->path, other), 0);
    assert_int_equal(flow_save(fx->path, fx->flow, &err), 0);
    check_content(fx->path, FLOW_EXAMPLE);
    check_content(other, ""); /* the old file, untouched */
    free(other);
}

static void flow_save_keeps_a_link(void **state)
{
    const struct fixture *fx = *state;
    char *name = tmpdir_path(fx->dir, "link");
    struct stat st;
    struct sp_err err;

    tmpdir_touch(fx->path);
    assert_int_equal(symlink("a.flow.json", name), 0);
    assert_int_equal(flow_save(name, fx->flow, &err), 0);
    check_content(fx->path, FLOW_EXAMPLE);
    assert_int_equal(lstat(name, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    free(name);
}

/* A pipe stands for all that is no regular file: one that is replaced by mistake harms nobody. */
static void flow_save_writes_to_a_pipe(void **state)
{
    const struct fixture *fx = *state;
    static char text[sizeof FLOW_EXAMPLE];
    struct stat st;
    struct sp_err err;
    int fd;

    assert_int_equal(mkfifo(fx->path, 0600), 0);
    fd = open(fx->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(flow_save(fx->path, fx->flow, &err), 0);
    assert_int_equal(read(fd, text, sizeof text), sizeof text - 1);
    assert_string_equal(text, FLOW_EXAMPLE);
    close(fd);
    assert_int_equal(stat(fx->path, &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
}

static void flow_names_a_file_that_it_cannot_read_or_write(void **state)
{
    const struct fixture *fx = *state;
    char *path = tmpdir_path(fx->dir, "none/a.flow.json");
    struct flow *loaded = NULL;
    struct sp_buf error = {0};
    struct sp_err err;

    sp_buf_addf(&error, "reading %s: No such file or directory", path);
    assert_true(flow_load(path, &loaded, &err) < 0);
    assert_string_equal(err.text, sp_buf_cstr(&error));
    assert_null(loaded);

    sp_buf_clear(&error);
    sp_buf_addf(&error, "writing %s: No such file or directory", path);
    assert_true(flow_save(path, fx->flow, &err) < 0);
    assert_string_equal(err.text, sp_buf_cstr(&error));

    tmpdir_touch(fx->path);
    sp_buf_clear(&error);
    sp_buf_addf(&error, "%s: not a stretto flow: it is not JSON", fx->path);
    assert_true(flow_load(fx->path, &loaded, &err) < 0);
    assert_string_equal(err.text, sp_buf_cstr(&error));
    sp_buf_deinit(&error);
    free(path);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(flow_saves_a_file_of_its_owner_alone),
        TEST(flow_save_leaves_nothing_but_the_file),
        TEST(flow_save_replaces_a_file_as_a_whole),
        TEST(flow_save_keeps_a_link),
        TEST(flow_save_writes_to_a_pipe),
        TEST(flow_names_a_file_that_it_cannot_read_or_write),
    };
#undef TEST

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
