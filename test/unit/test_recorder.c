/* Tests of record/recorder.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/sp_log.h"
#include "json_gen.h"
#include "loop.h"
#include "record/recorder.h"
#include "tmpdir.h"

#define ID "20260923T212000.123Z-4242"

static char *const command[] = {"cat", NULL};
static const struct logformat_header header = {
    .session = ID, .started_unix_ms = 1790198400123, .command = command, .domain = "d"};

/* A session's log in a directory of its own. */
struct log {
    uv_loop_t *loop;
    struct recorder *r;
    char *dir;
    char *path;
    struct sp_buf want; /* what the file is to hold */
    int n_closed;
};

static void on_closed(struct recorder *r)
{
    struct log *l = recorder_owner(r);

    l->n_closed++;
}

static void log_open(struct log *l, uv_loop_t *loop)
{
    struct sp_err err;

    *l = (struct log){.loop = loop, .dir = tmpdir_new()};
    l->path = tmpdir_path(l->dir, ID ".jsonl");
    logformat_header(&l->want, &header);
    if (recorder_open(loop, l->dir, &header, on_closed, l, &l->r, &err) != 0)
        fail_msg("%s", err.text);
    assert_ptr_equal(recorder_owner(l->r), l);
}

static void check_file(const char *path, struct sp_str want)
{
    struct sp_buf got = tmpdir_read(path);

    assert_int_equal(got.len, want.len);
    assert_memory_equal(got.p, want.p, want.len);
    sp_buf_deinit(&got);
}

static void close_recorder(struct log *l)
{
    if (recorder_close(l->r)) {
        loop_run_for(l->loop, 4);
        assert_int_equal(l->n_closed, 0);
    } else {
        assert_int_equal(l->n_closed, 0);
        loop_run_until(l->loop, l->n_closed > 0);
    }
    recorder_free(l->r);
    assert_true(l->n_closed <= 1);
}

/* Closes the recorder, checks the file and removes all. */
static void log_close(struct log *l)
{
    close_recorder(l);
    check_file(l->path, sp_buf_str(&l->want));
    sp_buf_deinit(&l->want);
    free(l->path);
    tmpdir_remove(l->dir);
}

/* A line of `len` bytes, LF included, at least 3: a JSON string, or text that is none. */
static struct line *line_of(size_t len, bool is_json, uint64_t t_ms)
{
    struct line *line = line_new(len);

    memset(line->bytes, 'a' + (int)(t_ms % 26), len);
    if (is_json)
        line->bytes[0] = line->bytes[len - 2] = '"';
    line->bytes[len - 1] = '\n';
    line->len = len;
    line->from = t_ms % 2 == 0 ? LINE_CLIENT : LINE_SERVER;
    line->t_ms = t_ms;
    return line;
}

/* Adds a line and notes what the file is to hold of it. */
static void add(struct log *l, struct line *line)
{
    sp_buf_add(&l->want, logformat_entry(&l->want, line));
    sp_buf_add(&l->want, LOGFORMAT_TAIL);
    recorder_add(l->r, line);
    line_unref(line);
}

static void recorder_writes_the_header_before_it_returns(void **state)
{
    mode_t mask = umask(022);
    struct stat st;
    struct log l;

    log_open(&l, *state);
    check_file(l.path, sp_buf_str(&l.want));
    assert_string_equal(recorder_path(l.r), l.path);
    assert_int_equal(stat(l.path, &st), 0);
    assert_int_equal(st.st_mode, S_IFREG | 0600);
    umask(mask);
    log_close(&l);
}

static void recorder_keeps_the_order_of_short_and_long_lines(void **state)
{
    static const size_t lens[] = {3,     100,   16383, 16384, 16385, 16386,   16387,
                                  20000, 65536, 4,     70000, 5,     1000000, 2000};
    struct json_gen g = {.state = 11};
    struct log l;

    log_open(&l, *state);
    for (uint64_t t = 0; t < 600; t++) {
        size_t len = t < 28 ? lens[t / 2] : 3 + json_gen_below(&g, t % 3 == 0 ? 40000 : 200);

        add(&l, line_of(len, t < 28 ? t % 2 == 0 : json_gen_below(&g, 3) > 0, t));
        if (json_gen_below(&g, 5) == 0)
            recorder_flush(l.r);
        if (json_gen_below(&g, 5) == 0)
            (void)uv_run(*state, UV_RUN_NOWAIT);
    }
    log_close(&l);
}

static void recorder_writes_a_batch_of_more_pieces_than_one_call_takes(void **state)
{
    struct log l;

    log_open(&l, *state);
    for (uint64_t t = 0; t < 1100; t++)
        add(&l, line_of(16500, true, t));
    recorder_flush(l.r);
    log_close(&l);
}

/* Whether the file holds all of what was added. */
static bool is_written(const struct log *l)
{
    struct stat st;

    return stat(l->path, &st) == 0 && (size_t)st.st_size == l->want.len;
}

static void recorder_holds_nothing_back_while_the_disk_is_idle(void **state)
{
    struct log l;

    log_open(&l, *state);
    for (uint64_t t = 0; t < 20; t++) {
        add(&l, line_of(t % 2 == 0 ? 100 : 20000, true, t));
        recorder_flush(l.r);
        loop_run_until(*state, is_written(&l));
    }
    /* What gathers while a write is out goes with the next, without another flush. */
    add(&l, line_of(100, true, 20));
    recorder_flush(l.r);
    add(&l, line_of(20000, true, 21));
    recorder_flush(l.r);
    add(&l, line_of(100, false, 22));
    loop_run_until(*state, is_written(&l));
    recorder_flush(l.r); /* nothing to write */
    loop_run_until(*state, !uv_loop_alive(*state));
    log_close(&l);
}

static void recorder_holds_a_line_only_until_it_is_written(void **state)
{
    struct line *small = line_of(100, true, 0), *big = line_of(100000, true, 1);
    struct line *raw = line_of(100000, false, 2);
    struct log l;

    log_open(&l, *state);
    add(&l, line_ref(small));
    add(&l, line_ref(big));
    add(&l, line_ref(raw));
    assert_true(line_is_unique(small)); /* copied; that a long message is not, is the point */
    assert_false(line_is_unique(big));
    recorder_flush(l.r);
    loop_run_until(*state, is_written(&l) && !uv_loop_alive(*state));
    assert_true(line_is_unique(big) && line_is_unique(raw));
    log_close(&l);
    line_unref(small);
    line_unref(big);
    line_unref(raw);
}

static void recorder_close_writes_what_is_queued(void **state)
{
    struct log l;

    log_open(&l, *state);
    add(&l, line_of(50000, true, 1));
    add(&l, line_of(50, true, 2));
    assert_false(recorder_close(l.r)); /* a write had to be started */
    loop_run_until(*state, l.n_closed > 0);
    assert_true(recorder_close(l.r));
    recorder_free(l.r);
    check_file(l.path, sp_buf_str(&l.want));
    sp_buf_deinit(&l.want);
    free(l.path);
    tmpdir_remove(l.dir);
}

/* Sets how long a file may be; returns what it was before. */
static rlim_t limit_files(rlim_t size)
{
    struct rlimit limit;
    rlim_t before;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    before = limit.rlim_cur;
    limit.rlim_cur = size;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    return before;
}

/* Sends descriptor 2 into a file; returns what it was before. */
static int redirect_stderr(const char *path)
{
    int before = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

    assert_true(before >= 0 && dup2(fd, STDERR_FILENO) >= 0);
    (void)close(fd);
    return before;
}

static void recorder_continues_a_short_write(void **state)
{
    static const size_t rooms[] = {1, 60, 1000, 20100, 20200, 40000}; /* in texts and lines */

    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        struct log l;
        struct stat st;
        rlim_t room, limit;

        log_open(&l, *state);
        room = l.want.len + rooms[i];
        limit = limit_files(room);
        for (uint64_t t = 0; t < 3; t++)
            add(&l, line_of(t == 1 ? 90 : 20000, true, t));
        recorder_flush(l.r);
        do { /* there is room again before the loop hears of the short write */
            assert_int_equal(usleep(5000), 0);
            assert_int_equal(stat(l.path, &st), 0);
        } while ((rlim_t)st.st_size < room);
        assert_int_equal(usleep(5000), 0);
        (void)limit_files(limit);
        add(&l, line_of(20000, true, 3));
        log_close(&l);
    }
}

/* Checks that a file holds one line, which begins so. */
static void check_one_line(const char *path, struct sp_str begin)
{
    struct sp_buf got = tmpdir_read(path);

    assert_true(sp_str_starts(sp_buf_str(&got), begin));
    assert_int_equal(sp_str_find(sp_buf_str(&got), '\n'), got.len - 1);
    sp_buf_deinit(&got);
}

static void recorder_stops_at_a_failed_write_and_says_so_once(void **state)
{
    static const size_t rooms[] = {0, 1, 100, 20100, 30000}; /* within texts, lines and tails */

    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        struct line *first = line_of(20000, true, 1), *later = line_of(20000, true, 2);
        char *dir = tmpdir_new(), *messages = tmpdir_path(dir, "stderr");
        struct sp_buf want = {0};
        rlim_t limit;
        struct log l;
        int fd;

        log_open(&l, *state);
        limit = limit_files(l.want.len + rooms[i]);
        fd = redirect_stderr(messages);
        add(&l, line_ref(first));
        add(&l, line_of(100, true, 2));
        add(&l, line_of(20000, true, 3));
        recorder_flush(l.r);
        add(&l, line_ref(later)); /* queued when it fails */
        add(&l, line_of(100, true, 4));
        loop_run_until(*state, !uv_loop_alive(*state));
        (void)limit_files(limit);
        add(&l, line_of(100, true, 5)); /* there would be room again */
        add(&l, line_of(20000, true, 6));
        recorder_flush(l.r);
        loop_run_for(*state, 4);
        assert_true(line_is_unique(first) && line_is_unique(later));
        assert_true(recorder_close(l.r));
        (void)dup2(fd, STDERR_FILENO);
        (void)close(fd);
        recorder_free(l.r);

        /* What could be written stays, and nothing follows it. */
        logformat_header(&want, &header);
        l.want.len = want.len + rooms[i];
        check_file(l.path, sp_buf_str(&l.want));
        sp_buf_clear(&want);
        sp_buf_addf(&want, "test: recording stopped: writing %s: ", l.path);
        check_one_line(messages, sp_buf_str(&want));

        sp_buf_deinit(&want);
        sp_buf_deinit(&l.want);
        line_unref(first);
        line_unref(later);
        free(l.path);
        free(messages);
        tmpdir_remove(l.dir);
        tmpdir_remove(dir);
    }
}

static void recorder_closes_when_the_last_write_fails(void **state)
{
    char *dir = tmpdir_new(), *messages = tmpdir_path(dir, "stderr");
    struct line *line = line_of(3, true, 1);
    struct log l;
    rlim_t limit;
    int fd;

    log_open(&l, *state);
    limit = limit_files(l.want.len);
    fd = redirect_stderr(messages);
    recorder_add(l.r, line);
    line_unref(line);
    assert_false(recorder_close(l.r));
    loop_run_until(*state, l.n_closed > 0);
    (void)limit_files(limit);
    (void)dup2(fd, STDERR_FILENO);
    (void)close(fd);
    l.n_closed = 0;
    log_close(&l);
    free(messages);
    tmpdir_remove(dir);
}

static void recorder_discard_deletes_the_log(void **state)
{
    struct stat st;
    struct log l;

    log_open(&l, *state);
    recorder_discard(l.r);
    recorder_free(l.r);
    assert_int_equal(stat(l.path, &st), -1);
    assert_int_equal(stat(l.dir, &st), 0);
    sp_buf_deinit(&l.want);
    free(l.path);
    tmpdir_remove(l.dir);
    recorder_free(NULL);
}

/* A start that fails: "WHAT PATH: " and a cause are told, and `ret` stays untouched. */
static void check_open_fails(uv_loop_t *loop, const char *dir, int want_err, const char *begin,
                             const char *path)
{
    struct recorder *r = NULL;
    struct sp_buf want = {0};
    struct sp_err err;

    sp_buf_addf(&want, "%s %s: ", begin, path);
    assert_int_equal(recorder_open(loop, dir, &header, on_closed, NULL, &r, &err), want_err);
    assert_true(sp_str_starts(sp_str_of(err.text), sp_buf_str(&want)));
    assert_true(strlen(err.text) > want.len);
    assert_null(r);
    sp_buf_deinit(&want);
}

static void recorder_open_makes_the_directory_and_its_parents(void **state)
{
    char *dir = tmpdir_new(), *deep = tmpdir_path(dir, "a/b");
    char *path = tmpdir_path(deep, ID ".jsonl");
    struct sp_buf want = {0};
    struct recorder *r;
    struct sp_err err;

    assert_int_equal(recorder_open(*state, deep, &header, on_closed, NULL, &r, &err), 0);
    logformat_header(&want, &header);
    check_file(path, sp_buf_str(&want));
    assert_true(recorder_close(r));
    recorder_free(r);
    sp_buf_deinit(&want);
    free(path);
    free(deep);
    tmpdir_remove(dir);
}

static void recorder_open_never_writes_over_a_log(void **state)
{
    char *dir = tmpdir_new(), *path = tmpdir_path(dir, ID ".jsonl");

    tmpdir_touch(path);
    check_open_fails(*state, dir, UV_EEXIST, "creating", path);
    check_file(path, SP_STR(""));
    check_open_fails(*state, path, UV_ENOTDIR, "creating", path); /* the directory is a file */
    free(path);
    tmpdir_remove(dir);
}

static void recorder_open_leaves_no_log_when_the_header_cannot_be_written(void **state)
{
    static const rlim_t rooms[] = {0, 10};

    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        char *dir = tmpdir_new(), *path = tmpdir_path(dir, ID ".jsonl");
        rlim_t limit = limit_files(rooms[i]);
        struct stat st;

        check_open_fails(*state, dir, UV_EFBIG, "writing", path);
        (void)limit_files(limit);
        assert_int_equal(stat(path, &st), -1);
        free(path);
        tmpdir_remove(dir);
    }
}

/* ---- logs of other lines ---- */

static void append_open(struct log *l, uv_loop_t *loop, char *dir, const char *name)
{
    struct sp_err err;

    *l = (struct log){.loop = loop, .dir = dir, .path = tmpdir_path(dir, name)};
    if (recorder_open_append(loop, l->path, on_closed, l, &l->r, &err) != 0)
        fail_msg("%s", err.text);
    assert_ptr_equal(recorder_owner(l->r), l);
    assert_string_equal(recorder_path(l->r), l->path);
}

static void add_text(struct log *l, const char *text)
{
    struct sp_buf copy = {0};

    sp_buf_add(&copy, sp_str_of(text));
    recorder_add_text(l->r, sp_buf_str(&copy));
    sp_buf_deinit(&copy); /* the recorder has one of its own */
    sp_buf_add(&l->want, sp_str_of(text));
}

static void recorder_appends_texts_to_what_is_there(void **state)
{
    char *dir = tmpdir_new(), *path = tmpdir_path(dir, "f.jsonl");
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0640);
    struct stat st;
    struct log l;

    assert_int_equal(write(fd, "old\n", 4), 4);
    (void)close(fd);
    append_open(&l, *state, dir, "f.jsonl");
    sp_buf_add(&l.want, SP_STR("old\n"));
    add_text(&l, "a\n");
    add_text(&l, "b\n");
    recorder_flush(l.r);
    loop_run_for(*state, 4);
    add_text(&l, "c\n");
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode, S_IFREG | 0640); /* a file that was there keeps its mode */
    free(path);
    log_close(&l);
}

static bool has_size(const char *path, size_t size)
{
    struct stat st;

    return stat(path, &st) == 0 && (size_t)st.st_size == size;
}

/* Each write goes to the end, wherever that is by then. */
static void recorder_shares_a_new_private_log_with_another(void **state)
{
    char *dir = tmpdir_new();
    mode_t mask = umask(022);
    struct sp_buf want = {0};
    struct stat st;
    struct log a, b;

    append_open(&a, *state, dir, "f.jsonl");
    umask(mask);
    assert_int_equal(stat(a.path, &st), 0); /* it is there at once */
    assert_int_equal(st.st_mode, S_IFREG | 0600);
    append_open(&b, *state, dir, "f.jsonl");
    for (int i = 0; i < 20; i++) {
        struct log *l = i % 2 == 0 ? &a : &b;
        struct sp_buf text = {0};

        sp_buf_addf(&text, "line %d\n", i);
        add_text(l, sp_buf_cstr(&text));
        sp_buf_add(&want, sp_buf_str(&text));
        sp_buf_deinit(&text);
        recorder_flush(l->r);
        loop_run_until(*state, has_size(a.path, want.len)); /* they write by one pool */
    }
    close_recorder(&b);
    sp_buf_deinit(&b.want);
    free(b.path);
    sp_buf_deinit(&a.want);
    a.want = want;
    log_close(&a);
}

static void recorder_open_append_makes_no_directory(void **state)
{
    char *dir = tmpdir_new(), *path = tmpdir_path(dir, "none/f.jsonl");
    struct recorder *r = NULL;
    struct sp_buf want = {0};
    struct sp_err err;

    sp_buf_addf(&want, "opening %s: ", path);
    assert_int_equal(recorder_open_append(*state, path, on_closed, NULL, &r, &err), UV_ENOENT);
    assert_true(sp_str_starts(sp_str_of(err.text), sp_buf_str(&want)));
    assert_null(r);
    assert_int_equal(recorder_open_append(*state, dir, on_closed, NULL, &r, &err), UV_EISDIR);
    assert_null(r);
    sp_buf_deinit(&want);
    free(path);
    tmpdir_remove(dir);
}

static void recorder_says_nothing_when_appending_fails(void **state)
{
    char *dir = tmpdir_new(), *messages = tmpdir_path(dir, "stderr");
    struct log l;
    rlim_t limit;
    int fd;

    append_open(&l, *state, tmpdir_new(), "f.jsonl");
    assert_int_equal(truncate(l.path, 1000), 0);
    limit = limit_files(1000); /* of this log: there is room for messages */
    fd = redirect_stderr(messages);
    recorder_add_text(l.r, SP_STR("lost\n"));
    recorder_flush(l.r);
    loop_run_for(*state, 20);
    recorder_add_text(l.r, SP_STR("lost, too\n"));
    close_recorder(&l);
    (void)limit_files(limit);
    (void)dup2(fd, STDERR_FILENO);
    (void)close(fd);
    assert_true(has_size(l.path, 1000));
    check_file(messages, SP_STR(""));
    free(l.path);
    tmpdir_remove(l.dir);
    free(messages);
    tmpdir_remove(dir);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, loop_setup, loop_teardown)
    const struct CMUnitTest tests[] = {
        TEST(recorder_writes_the_header_before_it_returns),
        TEST(recorder_keeps_the_order_of_short_and_long_lines),
        TEST(recorder_writes_a_batch_of_more_pieces_than_one_call_takes),
        TEST(recorder_holds_nothing_back_while_the_disk_is_idle),
        TEST(recorder_holds_a_line_only_until_it_is_written),
        TEST(recorder_close_writes_what_is_queued),
        TEST(recorder_continues_a_short_write),
        TEST(recorder_stops_at_a_failed_write_and_says_so_once),
        TEST(recorder_closes_when_the_last_write_fails),
        TEST(recorder_discard_deletes_the_log),
        TEST(recorder_open_makes_the_directory_and_its_parents),
        TEST(recorder_open_never_writes_over_a_log),
        TEST(recorder_open_leaves_no_log_when_the_header_cannot_be_written),
        TEST(recorder_appends_texts_to_what_is_there),
        TEST(recorder_shares_a_new_private_log_with_another),
        TEST(recorder_open_append_makes_no_directory),
        TEST(recorder_says_nothing_when_appending_fails),
    };

    sp_log_init("test");
    (void)signal(SIGXFSZ, SIG_IGN);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
