/* Tests of io/fdesc.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "channel.h"
#include "loop.h"

#define BIG ((size_t)4 * 1024 * 1024) /* more than any of them holds */

static void fdesc_tells_the_kinds_apart(void **state)
{
    static const enum fdesc_kind kinds[CHANNEL_N_KINDS] = {
        FDESC_PRIVATE, FDESC_PRIVATE, FDESC_SOCKET, FDESC_PRIVATE,
        FDESC_SHARED,  FDESC_FILE,    FDESC_FILE,
    };
    static const int accesses[] = {O_RDONLY, O_WRONLY};

    (void)state;
    for (unsigned i = 0; i < 2 * CHANNEL_N_KINDS; i++) {
        struct channel c;
        bool is_own;

        channel_open(&c, i / 2, accesses[i % 2]);
        is_own = c.end.kind == FDESC_PRIVATE;
        assert_int_equal(c.end.kind, kinds[i / 2]);
        assert_int_equal(c.end.is_owned, is_own);
        assert_int_equal(c.end.fd != c.original, is_own);
        if (is_own) { /* its open file alone is non-blocking, and no child gets it */
            assert_int_not_equal(fcntl(c.end.fd, F_GETFL) & O_NONBLOCK, 0);
            assert_int_equal(fcntl(c.end.fd, F_GETFD), FD_CLOEXEC);
        }
        channel_check_flags(&c);
        fdesc_close(&c.end);
        assert_int_equal(c.end.fd, -1);
        channel_close(&c);
    }
}

static void fdesc_gives_no_access_that_the_descriptor_never_had(void **state)
{
    int ends[2], closed;

    (void)state;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(fdesc_inherited(ends[0], O_WRONLY).fd, -1);
    assert_int_equal(fdesc_inherited(ends[1], O_RDONLY).fd, -1);
    closed = ends[0];
    (void)close(ends[0]);
    (void)close(ends[1]);
    assert_int_equal(fdesc_inherited(closed, O_RDONLY).fd, -1);
    assert_int_equal(fdesc_inherited(-1, O_RDONLY).fd, -1);
}

static void fdesc_does_not_open_the_master_of_a_terminal_anew(void **state)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    struct fdesc fd;

    (void)state;
    assert_true(master >= 0);
    fd = fdesc_inherited(master, O_RDONLY);
    assert_int_equal(fd.fd, master);
    assert_int_equal(fd.kind, FDESC_SHARED);
    (void)close(master);
}

static void fdesc_never_waits_to_read(void **state)
{
    (void)state;
    for (enum channel_kind kind = 0; kind < CHANNEL_N_POLLED; kind++) {
        struct channel c;
        char buf[16];

        channel_open(&c, kind, O_RDONLY);
        assert_int_equal(fdesc_read(&c.end, buf, sizeof buf), UV_EAGAIN);
        assert_int_equal(channel_write(&c, SP_STR("abc")), 3);
        while (fdesc_read(&c.end, buf, 1) == UV_EAGAIN) /* a terminal takes its time */
            continue;
        assert_int_equal(buf[0], 'a');
        assert_int_equal(fdesc_read(&c.end, buf, sizeof buf), 2);
        assert_memory_equal(buf, "bc", 2);
        assert_int_equal(fdesc_read(&c.end, buf, sizeof buf), UV_EAGAIN);
        channel_close_peer(&c);
        assert_int_equal(fdesc_read(&c.end, buf, sizeof buf), 0);
        channel_check_flags(&c);
        fdesc_close(&c.end);
        channel_close(&c);
    }
}

static void fdesc_takes_a_terminal_that_was_hung_up_as_the_end(void **state)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
    struct fdesc fd;
    char byte;

    (void)state;
    assert_int_equal(unlockpt(master), 0);
    slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    assert_true(slave >= 0);
    fd = fdesc_inherited(master, O_RDONLY);
    assert_int_equal(fdesc_read(&fd, &byte, 1), UV_EAGAIN);
    (void)close(slave);
    assert_int_equal(fdesc_read(&fd, &byte, 1), 0);
    (void)close(master);
}

static void fdesc_never_waits_to_write(void **state)
{
    char *bytes = sp_calloc(1, BIG);

    (void)state;
    for (enum channel_kind kind = 0; kind < CHANNEL_N_POLLED; kind++) {
        struct iovec iov[] = {{bytes, BIG}, {bytes, 3}};
        struct channel c;
        size_t len = 0;
        ssize_t n;

        channel_open(&c, kind, O_WRONLY);
        while ((n = fdesc_writev(&c.end, iov, 2)) > 0)
            len += (size_t)n;
        assert_int_equal(n, UV_EAGAIN);
        assert_true(len > 0);
        channel_check_flags(&c);
        channel_close_peer(&c);
        n = fdesc_writev(&c.end, iov, 2);
        assert_int_equal(n, kind == CHANNEL_PTY ? UV_EIO : UV_EPIPE);
        fdesc_close(&c.end);
        channel_close(&c);
    }
    free(bytes);
}

static void fdesc_poll_init_leaves_the_shared_flags(void **state)
{
    uv_loop_t *loop = *state;

    for (enum channel_kind kind = 0; kind < CHANNEL_N_POLLED; kind++) {
        struct channel c;
        uv_poll_t poll;

        channel_open(&c, kind, O_RDONLY);
        assert_int_equal(fdesc_poll_init(loop, &poll, &c.end), 0);
        channel_check_flags(&c);
        uv_close((uv_handle_t *)&poll, NULL);
        loop_run_until(loop, !uv_loop_alive(loop));
        channel_check_flags(&c);
        fdesc_close(&c.end);
        channel_close(&c);
    }
}

static void fdesc_poll_init_fails_cleanly_on_what_cannot_be_polled(void **state)
{
    uv_poll_t poll;
    struct channel c;
    struct fdesc fd;

    channel_open(&c, CHANNEL_FILE, O_RDONLY);
    fd = (struct fdesc){.fd = c.original, .kind = FDESC_SHARED};
    assert_true(fdesc_poll_init(*state, &poll, &fd) < 0); /* the teardown sees no handle */
    channel_close(&c);
}

/* In a child of its own, whose exit status tells: 0 is well. */
static void fdesc_plug_standard_opens_what_was_closed(void **state)
{
    int status;
    pid_t pid = fork();

    (void)state;
    if (pid == 0) {
        bool is_open[3] = {false, true, false};

        (void)close(0);
        (void)close(2);
        fdesc_plug_standard(is_open);
        if (is_open[0] || !is_open[1] || is_open[2])
            _exit(1);
        if (fcntl(0, F_GETFD) < 0 || fcntl(2, F_GETFD) < 0 || open("/dev/null", O_RDONLY) <= 2)
            _exit(2);
        fdesc_plug_standard(is_open);
        _exit(is_open[0] && is_open[1] && is_open[2] ? 0 : 3);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void fdesc_keep_from_children_closes_all_but_the_standard_ones_on_exec(void **state)
{
    int low = open("/dev/null", O_RDONLY), high = fcntl(low, F_DUPFD, 200);
    int standard = fcntl(1, F_GETFD);

    (void)state;
    assert_true(low > 2 && high >= 200);
    fdesc_keep_from_children();
    assert_int_equal(fcntl(low, F_GETFD), FD_CLOEXEC);
    assert_int_equal(fcntl(high, F_GETFD), FD_CLOEXEC);
    assert_int_equal(fcntl(1, F_GETFD), standard);
    (void)close(low);
    (void)close(high);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fdesc_tells_the_kinds_apart),
        cmocka_unit_test(fdesc_gives_no_access_that_the_descriptor_never_had),
        cmocka_unit_test(fdesc_does_not_open_the_master_of_a_terminal_anew),
        cmocka_unit_test(fdesc_never_waits_to_read),
        cmocka_unit_test(fdesc_takes_a_terminal_that_was_hung_up_as_the_end),
        cmocka_unit_test(fdesc_never_waits_to_write),
        cmocka_unit_test_setup_teardown(fdesc_poll_init_leaves_the_shared_flags, loop_setup,
                                        loop_teardown),
        cmocka_unit_test_setup_teardown(fdesc_poll_init_fails_cleanly_on_what_cannot_be_polled,
                                        loop_setup, loop_teardown),
        cmocka_unit_test(fdesc_plug_standard_opens_what_was_closed),
        cmocka_unit_test(fdesc_keep_from_children_closes_all_but_the_standard_ones_on_exec),
    };

    (void)signal(SIGPIPE, SIG_IGN);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
