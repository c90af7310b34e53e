/* Tests of transport/transport_child.h, and of io/spawn.h below it. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "base/sp_log.h"
#include "io/fdesc.h"
#include "io/outq.h"
#include "io/spawn.h"
#include "loop.h"
#include "tmpdir.h"
#include "transport/transport_child.h"

/* A server and what came of it. */
struct run {
    uv_loop_t *loop;
    struct transport *t;
    struct sp_buf got;
    size_t n_lines;
    size_t n_pauses;
    size_t n_changes;
    size_t n_unpaused; /* lines since the last pause */
};

static void on_line(void *owner, struct line *line)
{
    struct run *r = owner;

    sp_buf_add(&r->got, line_str(line));
    assert_true(line->t_ms < 60000); /* time zero was at the start */
    r->n_lines++;
    r->n_unpaused++;
}

static void on_pause(void *owner)
{
    struct run *r = owner;

    r->n_pauses++;
    r->n_unpaused = 0;
}

static void on_change(void *owner)
{
    struct run *r = owner;

    r->n_changes++;
}

static const struct transport_events events = {
    .on_line = on_line, .on_pause = on_pause, .on_change = on_change};

static void run_new(struct run *r, uv_loop_t *loop, enum transport_pieces pieces, char *const *argv)
{
    *r = (struct run){.loop = loop};
    r->t = transport_child_new(loop, argv, pieces, uv_hrtime(), &events, r);
}

/* Starts a shell command as the server; `argv` outlives it. */
#define RUN_SHELL(r, loop, pieces, script)            \
    char *argv_of_##r[] = {"sh", "-c", script, NULL}; \
    struct run r;                                     \
    run_new(&r, loop, pieces, argv_of_##r);           \
    run_start(&r)

static void run_start(struct run *r)
{
    struct sp_err err;

    if (r->t->ops->start(r->t, &err) != 0)
        fail_msg("%s", err.text);
    assert_false(r->t->ops->is_over(r->t));
    assert_int_equal(r->n_changes, 0);
}

static void run_close(struct run *r)
{
    loop_run_until(r->loop, r->t->ops->close(r->t));
    assert_true(r->t->ops->close(r->t));
    r->t->ops->free(r->t);
    sp_buf_deinit(&r->got);
}

/* Runs to the end, checks the status and the output, and closes. */
static void run_finish(struct run *r, int want_status, struct sp_str want)
{
    loop_run_until(r->loop, r->t->ops->is_over(r->t));
    assert_true(r->n_changes > 0);
    assert_int_equal(r->n_unpaused, 0);
    assert_int_equal(r->t->ops->exit_status(r->t), want_status);
    assert_int_equal(r->got.len, want.len);
    if (want.len > 0)
        assert_memory_equal(r->got.p, want.p, want.len);
    run_close(r);
}

static struct line *line_of(struct sp_str text)
{
    struct line *line = line_new(text.len);

    memcpy(line->bytes, text.p, text.len);
    line->len = text.len;
    return line;
}

static void send_text(struct run *r, struct sp_str text)
{
    r->t->ops->send(r->t, line_of(text));
    r->t->ops->flush(r->t);
}

static void transport_child_gives_whole_lines_and_a_last_one_without_lf(void **state)
{
    RUN_SHELL(r, *state, TRANSPORT_LINES, "printf 'a\\nb'; sleep 0.05; printf 'c\\n\\nlast'");

    loop_run_until(r.loop, r.n_lines > 0);
    assert_true(sp_str_eq(sp_buf_str(&r.got), SP_STR("a\n")));
    loop_run_until(r.loop, r.t->ops->is_over(r.t));
    assert_int_equal(r.n_lines, 4);
    run_finish(&r, 0, SP_STR("a\nbc\n\nlast"));
}

static void transport_child_gives_raw_pieces_as_they_come(void **state)
{
    RUN_SHELL(r, *state, TRANSPORT_RAW, "printf 'a\\nb'; read x; printf 'c\\n'");

    loop_run_until(r.loop, r.got.len == 3);
    assert_int_equal(r.n_pauses, r.n_lines);
    send_text(&r, SP_STR("go\n"));
    run_finish(&r, 0, SP_STR("a\nbc\n"));
}

static void transport_child_writes_all_before_it_ends_the_input(void **state)
{
    struct sp_buf sent = {0};
    RUN_SHELL(r, *state, TRANSPORT_LINES, "sleep 0.05; cat");

    for (int i = 0; i < 40000; i++)
        sp_buf_addf(&sent, "%d some text to fill the pipe with, and more of it\n", i);
    r.t->ops->send(r.t, line_of(sp_buf_str(&sent)));
    assert_true(r.t->ops->is_full(r.t));
    r.t->ops->flush(r.t);
    r.t->ops->end(r.t);
    r.t->ops->end(r.t);
    run_finish(&r, 0, sp_buf_str(&sent));
    sp_buf_deinit(&sent);
}

struct status_case {
    char *script;
    int status;
};

static void transport_child_tells_how_the_server_ended(void **state)
{
    static const struct status_case cases[] = {
        {"exit 0", 0},       {"exit 2", 2},          {"exit 125", 125},      {"exit 255", 255},
        {"kill -9 $$", 137}, {"kill -TERM $$", 143}, {"kill -PIPE $$", 141}, /* whose action is the
                                                                                default again */
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        RUN_SHELL(r, *state, TRANSPORT_LINES, cases[i].script);

        run_finish(&r, cases[i].status, SP_STR(""));
    }
}

static void transport_child_is_over_only_when_a_descendant_lets_go_of_the_output(void **state)
{
    RUN_SHELL(r, *state, TRANSPORT_LINES, "exec 3<&0; (read x <&3; echo late) & exit 3");

    loop_run_until(r.loop, r.n_changes > 0); /* the exit */
    loop_run_for(r.loop, 20);
    assert_false(r.t->ops->is_over(r.t));
    send_text(&r, SP_STR("go\n")); /* both directions go on */
    run_finish(&r, 3, SP_STR("late\n"));
}

static void transport_child_is_over_only_when_the_server_has_exited(void **state)
{
    RUN_SHELL(r, *state, TRANSPORT_LINES, "exec >&-; read x; exit 5");

    loop_run_until(r.loop, r.n_changes > 0); /* the end of the output */
    loop_run_for(r.loop, 20);
    assert_false(r.t->ops->is_over(r.t));
    send_text(&r, SP_STR("go\n"));
    run_finish(&r, 5, SP_STR(""));
}

static void transport_child_holds_and_releases_the_output(void **state)
{
    RUN_SHELL(r, *state, TRANSPORT_LINES, "echo one; read x; echo two");

    loop_run_until(r.loop, r.n_lines == 1);
    r.t->ops->hold(r.t);
    r.t->ops->hold(r.t);
    send_text(&r, SP_STR("go\n"));
    loop_run_for(r.loop, 40);
    assert_int_equal(r.n_lines, 1);
    assert_false(r.t->ops->is_over(r.t));
    r.t->ops->release(r.t);
    r.t->ops->release(r.t);
    run_finish(&r, 0, SP_STR("one\ntwo\n"));
}

static void transport_child_interrupt_ends_the_input_and_passes_the_signal_on(void **state)
{
    static char script[] = "trap 'echo got it; exit 7' TERM; echo up; while :; do sleep 0.01; done";
    RUN_SHELL(r, *state, TRANSPORT_LINES, script);

    loop_run_until(r.loop, r.n_lines == 1);
    r.t->ops->interrupt(r.t, SIGTERM);
    run_finish(&r, 7, SP_STR("up\ngot it\n"));
}

static void transport_child_interrupt_without_a_signal_ends_the_input_only(void **state)
{
    RUN_SHELL(r, *state, TRANSPORT_LINES, "cat; exit 4");

    send_text(&r, SP_STR("sent\n"));
    r.t->ops->interrupt(r.t, 0);
    run_finish(&r, 4, SP_STR("sent\n"));
}

static void transport_child_interrupt_drops_what_cannot_be_sent_at_once(void **state)
{
    struct line *line = line_new(8000000);
    RUN_SHELL(r, *state, TRANSPORT_RAW, "read x; exit 0");

    memset(line->bytes, 'x', line->cap);
    line->len = line->cap;
    r.t->ops->send(r.t, line_ref(line));
    r.t->ops->flush(r.t);
    assert_false(line_is_unique(line));
    r.t->ops->interrupt(r.t, 0);
    loop_run_until(r.loop, line_is_unique(line));
    loop_run_until(r.loop, r.t->ops->is_over(r.t));
    run_close(&r);
    line_unref(line);
}

static void transport_child_after_kill_is_over_by_the_exit_alone(void **state)
{
    RUN_SHELL(r, *state, TRANSPORT_LINES, "trap '' TERM; (sleep 2) & echo up; sleep 2");

    loop_run_until(r.loop, r.n_lines == 1);
    r.t->ops->kill(r.t);
    assert_false(r.t->ops->is_over(r.t));
    run_finish(&r, 137, SP_STR("up\n"));
}

/* Sends descriptor 2 into a file while a test runs. */
static int redirect_stderr(const char *path)
{
    int before = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

    assert_true(before >= 0 && dup2(fd, STDERR_FILENO) >= 0);
    (void)close(fd);
    return before;
}

static void transport_child_tells_once_that_the_server_takes_no_more(void **state)
{
    static const char begin[] = "test: forwarding to the server: ";
    char *dir = tmpdir_new(), *messages = tmpdir_path(dir, "stderr");
    int fd = redirect_stderr(messages);
    struct sp_buf told;
    RUN_SHELL(r, *state, TRANSPORT_LINES, "exec <&-; echo up; sleep 0.1; echo done; exit 6");

    loop_run_until(r.loop, r.n_lines == 1);
    for (int i = 0; i < 5; i++) {
        send_text(&r, SP_STR("lost\n"));
        (void)uv_run(r.loop, UV_RUN_NOWAIT);
    }
    assert_false(r.t->ops->is_full(r.t));
    run_finish(&r, 6, SP_STR("up\ndone\n"));
    (void)dup2(fd, STDERR_FILENO);
    (void)close(fd);

    told = tmpdir_read(messages);
    assert_true(sp_str_starts(sp_buf_str(&told), sp_str_of(begin)));
    assert_int_equal(sp_str_find(sp_buf_str(&told), '\n'), told.len - 1);
    sp_buf_deinit(&told);
    free(messages);
    tmpdir_remove(dir);
}

static void transport_child_tells_why_a_program_cannot_be_started(void **state)
{
    static char *programs[] = {"/no/such", "no-such-program-anywhere", "/", "/etc/passwd", ""};

    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char *argv[] = {programs[i], NULL};
        struct sp_buf want = {0};
        struct sp_err err = {0};
        struct run r;

        run_new(&r, *state, TRANSPORT_LINES, argv);
        assert_true(r.t->ops->start(r.t, &err) < 0);
        sp_buf_addf(&want, "starting %s: ", programs[i]);
        assert_true(sp_str_starts(sp_str_of(err.text), sp_buf_str(&want)));
        assert_true(strlen(err.text) > want.len);
        run_close(&r);
        sp_buf_deinit(&want);
    }
}

static void transport_child_may_be_freed_before_it_is_started(void **state)
{
    char *argv[] = {"true", NULL};
    struct run r;

    run_new(&r, *state, TRANSPORT_LINES, argv);
    r.t->ops->free(r.t);
}

/* What a server finds, told by the shell in one line each. */
static void spawn_gives_the_program_pipes_and_nothing_else_of_this_one(void **state)
{
    static char script[] =
        "for n in 0 1; do test -p /dev/fd/$n || echo \"$n is no pipe\"; done; "
        "echo from-stdout >/dev/stdout; "
        "for f in /proc/$$/fd/*; do test ${f##*/} -le 2 || test -d $f || readlink $f; done; "
        "grep -E '^Sig(Blk|Ign)' /proc/self/status";
    int extra = open("/dev/null", O_RDONLY);
    sigset_t mask, before;

    (void)signal(SIGUSR1, SIG_IGN);
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    sigprocmask(SIG_BLOCK, &mask, &before);
    fdesc_keep_from_children();
    {
        RUN_SHELL(r, *state, TRANSPORT_LINES, script);

        run_finish(&r, 0,
                   SP_STR("from-stdout\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"));
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    (void)signal(SIGUSR1, SIG_DFL);
    (void)close(extra);
}

static void spawn_looks_a_program_up_along_the_path_and_passes_its_arguments(void **state)
{
    char *argv[] = {"printf", "%s|", "a b", "", "~", "*", "\xff", NULL};
    struct run r;

    run_new(&r, *state, TRANSPORT_LINES, argv);
    run_start(&r);
    run_finish(&r, 0, SP_STR("a b||~|*|\xff|"));
}

static void spawn_gives_environment_and_directory_of_this_one(void **state)
{
    char *cwd = getcwd(NULL, 0);
    struct sp_buf want = {0};
    RUN_SHELL(r, *state, TRANSPORT_LINES,
              "echo $SPAWN_TEST; pwd -P; cut -d ' ' -f 5 /proc/$$/stat"); /* 5: process group */

    sp_buf_addf(&want, "some value\n%s\n%d\n", cwd, (int)getpgrp());
    run_finish(&r, 0, sp_buf_str(&want));
    sp_buf_deinit(&want);
    free(cwd);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, loop_setup, loop_teardown)
    const struct CMUnitTest tests[] = {
        TEST(transport_child_gives_whole_lines_and_a_last_one_without_lf),
        TEST(transport_child_gives_raw_pieces_as_they_come),
        TEST(transport_child_writes_all_before_it_ends_the_input),
        TEST(transport_child_tells_how_the_server_ended),
        TEST(transport_child_is_over_only_when_a_descendant_lets_go_of_the_output),
        TEST(transport_child_is_over_only_when_the_server_has_exited),
        TEST(transport_child_holds_and_releases_the_output),
        TEST(transport_child_interrupt_ends_the_input_and_passes_the_signal_on),
        TEST(transport_child_interrupt_without_a_signal_ends_the_input_only),
        TEST(transport_child_interrupt_drops_what_cannot_be_sent_at_once),
        TEST(transport_child_after_kill_is_over_by_the_exit_alone),
        TEST(transport_child_tells_once_that_the_server_takes_no_more),
        TEST(transport_child_tells_why_a_program_cannot_be_started),
        TEST(transport_child_may_be_freed_before_it_is_started),
        TEST(spawn_gives_the_program_pipes_and_nothing_else_of_this_one),
        TEST(spawn_looks_a_program_up_along_the_path_and_passes_its_arguments),
        TEST(spawn_gives_environment_and_directory_of_this_one),
    };

    sp_log_init("test");
    (void)signal(SIGPIPE, SIG_IGN);
    (void)setenv("SPAWN_TEST", "some value", 1);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
