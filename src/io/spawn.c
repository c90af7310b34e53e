/* Starting a program between two pipes. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "io/spawn.h"

/* A pipe of the usual 64 KiB carries long messages several times slower. Best effort: a user's
 * pipes may be too many for the system's limit. */
#define PIPE_SIZE (1024 * 1024)

static int make_pipe(int ret_ends[2])
{
    if (pipe2(ret_ends, O_CLOEXEC) < 0)
        return uv_translate_sys_error(errno);
    (void)fcntl(ret_ends[0], F_SETPIPE_SZ, PIPE_SIZE);
    return 0;
}

int spawn_make_pipes(struct spawn_pipes *ret)
{
    struct spawn_pipes pipes;
    int err = make_pipe(pipes.to);

    if (err < 0)
        return err;
    err = make_pipe(pipes.from);
    if (err < 0) {
        (void)close(pipes.to[0]);
        (void)close(pipes.to[1]);
        return err;
    }
    *ret = pipes;
    return 0;
}

static void close_end(int *fd)
{
    (void)close(*fd); /* nothing was written through this descriptor */
    *fd = -1;
}

int spawn_program(uv_loop_t *loop, char *const *argv, uv_process_t *process, uv_exit_cb on_exit,
                  struct spawn_pipes *pipes)
{
    uv_stdio_container_t stdio[] = {
        {.flags = UV_INHERIT_FD, .data.fd = pipes->to[0]},
        {.flags = UV_INHERIT_FD, .data.fd = pipes->from[1]},
        {.flags = UV_INHERIT_FD, .data.fd = STDERR_FILENO},
    };
    uv_process_options_t options = {
        .exit_cb = on_exit,
        .file = argv[0],
        .args = (char **)argv,
        .stdio_count = 3,
        .stdio = stdio,
    };
    int err = uv_spawn(loop, process, &options);

    close_end(&pipes->to[0]);
    close_end(&pipes->from[1]);
    return err;
}

static void ignore(int signum)
{
    (void)signum;
}

void spawn_prepare_signals(void)
{
    struct sigaction action;
    sigset_t chld;

    /* libuv takes care of the other signals, and an ignored SIGCHLD gets its handler. */
    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    (void)sigprocmask(SIG_UNBLOCK, &chld, NULL);

    /* A handler that does nothing ignores as well, and exec() takes it away. */
    for (int signum = SIGRTMIN; signum <= SIGRTMAX; signum++) {
        if (sigaction(signum, NULL, &action) == 0 && action.sa_handler == SIG_IGN) {
            action.sa_handler = ignore;
            action.sa_flags = SA_RESTART;
            (void)sigaction(signum, &action, NULL);
        }
    }
}
