#pragma once

/*
 * Starts a program between two pipes.
 *
 * Thread: loop.
 */

#include <uv.h>

/* Two pipes; a descriptor that is closed or was given away is -1. */
struct spawn_pipes {
    int to[2];   /* to the program's stdin: its end, ours */
    int from[2]; /* from the program's stdout: ours, its */
};

/*
 * Makes the pipes, larger than usual where the system allows.
 *
 * Returns: 0 or a negative libuv code, with nothing left open.
 */
int spawn_make_pipes(struct spawn_pipes *ret);

/*
 * Starts the program, looked up as execvp() does. It gets the environment, directory and process
 * group of this one, its stderr, the pipes (real ones: it may open /dev/stdin by name) as stdin and
 * stdout, no other descriptor, default signal dispositions and an empty signal mask.
 *
 * argv:    the program and its arguments, ended by NULL.
 * process: all zero. When its type is UV_PROCESS afterwards, on failure too, it must be given to
 *          uv_close(), after on_exit if the program was started.
 * pipes:   the program's ends are closed here in every case.
 * Returns: 0 or a negative libuv code.
 */
int spawn_program(uv_loop_t *loop, char *const *argv, uv_process_t *process, uv_exit_cb on_exit,
                  struct spawn_pipes *pipes);

/*
 * Prepares this program for starting others: SIGCHLD must be seen, and a real-time signal that is
 * ignored here must not be ignored there. Called once, before the loop is made.
 */
void spawn_prepare_signals(void);
