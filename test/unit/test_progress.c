/* Tests of cmd/progress.h, with a pseudo-terminal as stderr. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/progress.h"

#define SECOND_NS UINT64_C(1000000000)

/* The other end of the terminal, and what stderr was. */
struct world {
    int terminal;
    int old;
    char got[200];
};

static int setup(void **state)
{
    static struct world world;
    int end;

    world = (struct world){.terminal = posix_openpt(O_RDWR | O_NOCTTY), .old = dup(STDERR_FILENO)};
    if (world.terminal < 0 || grantpt(world.terminal) < 0 || unlockpt(world.terminal) < 0)
        return -1;
    end = open(ptsname(world.terminal), O_RDWR | O_NOCTTY);
    if (end < 0 || dup2(end, STDERR_FILENO) < 0)
        return -1;
    (void)close(end);
    *state = &world;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;

    (void)dup2(w->old, STDERR_FILENO);
    (void)close(w->old);
    (void)close(w->terminal);
    return 0;
}

/* What has come on stderr since the last look; it ends with a mark that is put there. */
static const char *got(struct world *w)
{
    size_t len = 0;

    fputs("|", stderr);
    do {
        ssize_t n = read(w->terminal, w->got + len, sizeof w->got - 1 - len);

        assert_true(n > 0);
        len += (size_t)n;
    } while (w->got[len - 1] != '|');
    w->got[len - 1] = '\0';
    return w->got;
}

/* Time passes. */
static void pass(struct progress *p, uint64_t ns)
{
    p->told_ns -= ns;
}

static void progress_tells_at_most_once_a_second(void **state)
{
    struct world *w = *state;
    struct progress p;

    progress_init(&p);
    progress_tell(&p, "questions", 1, 200);
    assert_string_equal(got(w), "");
    pass(&p, SECOND_NS);
    progress_tell(&p, "questions", 20, 200);
    progress_tell(&p, "questions", 21, 200);
    assert_string_equal(got(w), "\rstretto: 20 of 200 questions");
    pass(&p, SECOND_NS);
    progress_tell(&p, "questions", 100, 200);
    assert_string_equal(got(w), "\rstretto: 100 of 200 questions");
    progress_end(&p);
}

static void progress_leaves_nothing_of_its_line(void **state)
{
    struct world *w = *state;
    struct progress p;

    progress_init(&p);
    pass(&p, SECOND_NS);
    progress_tell(&p, "sessions", 99, 100);
    pass(&p, SECOND_NS);
    progress_tell(&p, "questions", 1, 2);
    assert_string_equal(got(w), "\rstretto: 99 of 100 sessions\rstretto: 1 of 2 questions  ");
    progress_end(&p);
    assert_string_equal(got(w), "\r                           \r");
    progress_end(&p);
    assert_string_equal(got(w), "");
}

static void progress_says_nothing_of_what_is_quick(void **state)
{
    struct world *w = *state;
    struct progress p;

    progress_init(&p);
    for (size_t i = 0; i <= 10; i++)
        progress_tell(&p, "questions", i, 10);
    progress_end(&p);
    assert_string_equal(got(w), "");
}

static void progress_is_for_terminals(void **state)
{
    struct world *w = *state;
    struct progress p;
    int pipe_fds[2], terminal = dup(STDERR_FILENO);
    char byte;

    assert_int_equal(pipe(pipe_fds), 0);
    assert_int_equal(dup2(pipe_fds[1], STDERR_FILENO), STDERR_FILENO);
    (void)close(pipe_fds[1]);
    progress_init(&p);
    pass(&p, SECOND_NS);
    progress_tell(&p, "questions", 1, 2);
    progress_end(&p);
    assert_int_equal(dup2(terminal, STDERR_FILENO), STDERR_FILENO);
    (void)close(terminal);
    assert_int_equal(read(pipe_fds[0], &byte, 1), 0);
    (void)close(pipe_fds[0]);
    assert_string_equal(got(w), "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(progress_tells_at_most_once_a_second),
        TEST(progress_leaves_nothing_of_its_line),
        TEST(progress_says_nothing_of_what_is_quick),
        TEST(progress_is_for_terminals),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
