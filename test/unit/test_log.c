/* Tests of base/sp_log.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/sp_log.h"

/* Descriptor 2 goes into one end of a socket pair that keeps the bounds of writes. */
struct capture {
    int before;
    int reader;
};

static int setup(void **state)
{
    static struct capture c;
    int ends[2];

    c.before = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (c.before < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return -1;
    (void)dup2(ends[1], STDERR_FILENO);
    (void)close(ends[1]);
    c.reader = ends[0];
    *state = &c;
    return 0;
}

static int teardown(void **state)
{
    struct capture *c = *state;

    (void)dup2(c->before, STDERR_FILENO);
    (void)close(c->before);
    (void)close(c->reader);
    return 0;
}

/* Checks that one write, no more, brought `want`. */
static void check(struct capture *c, const char *want)
{
    char text[65536];
    ssize_t n = recv(c->reader, text, sizeof text - 1, MSG_DONTWAIT);

    assert_true(n > 0);
    text[n] = '\0';
    assert_string_equal(text, want);
    assert_int_equal(recv(c->reader, text, sizeof text, MSG_DONTWAIT), -1);
}

static void log_writes_one_line_by_one_write(void **state)
{
    sp_log("forwarding to the %s: %d", "server", 32);
    check(*state, "test: forwarding to the server: 32\n");
    sp_log("%s", "");
    check(*state, "test: \n");
}

static void log_shows_control_characters_as_question_marks(void **state)
{
    sp_log("%s", "a\nb\tc\x1b[1m\x7f\x01 caf\xc3\xa9 \xff");
    check(*state, "test: a?b?c?[1m?? caf\xc3\xa9 \xff\n");
}

static void log_ends_the_line_of_a_text_that_is_too_long(void **state)
{
    struct capture *c = *state;
    char text[65536];
    size_t len = 0;
    ssize_t n;

    sp_log("%*d", (int)sizeof text, 1);
    while ((n = recv(c->reader, text + len, sizeof text - len, MSG_DONTWAIT)) > 0)
        len += (size_t)n; /* what is longer than PIPE_BUF comes in portions */
    assert_true(len > 1000);
    assert_memory_equal(text, "test:  ", 7);
    assert_ptr_equal(memchr(text, '\n', len), text + len - 1);
    assert_null(memchr(text, '\0', len));
}

static void log_does_not_wait_for_a_reader(void **state)
{
    (void)state;
    for (int i = 0; i < 100000; i++)
        sp_log("nobody reads this");
}

static void log_gives_up_when_stderr_is_gone(void **state)
{
    (void)state;
    (void)close(STDERR_FILENO);
    sp_log("nobody reads this");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(log_writes_one_line_by_one_write),
        TEST(log_shows_control_characters_as_question_marks),
        TEST(log_ends_the_line_of_a_text_that_is_too_long),
        TEST(log_does_not_wait_for_a_reader),
        TEST(log_gives_up_when_stderr_is_gone),
    };

    sp_log_init("test");
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
