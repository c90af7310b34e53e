#pragma once

/*
 * The signals that ask a program to end: SIGTERM, SIGINT, SIGHUP.
 *
 * Thread: loop.
 */

#include <stdbool.h>
#include <uv.h>

#define ENDSIGNALS_N 3

/* A zeroed struct watches none. It stays where it is until its handles are closed. */
struct endsignals {
    uv_signal_t handles[ENDSIGNALS_N]; /* private, as the next */
    bool is_watched[ENDSIGNALS_N];
};

/* Calls `cb` for each that comes, with `data` in its handle; one that is ignored stays ignored. */
void endsignals_watch(struct endsignals *s, uv_loop_t *loop, uv_signal_cb cb, void *data);

/* Closes the handles; idempotent. */
void endsignals_close(struct endsignals *s);

/* Ends the process by a signal's default action, so that its parent sees which one it was. */
void endsignals_end_by(int signum);
