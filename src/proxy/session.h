#pragma once

/*
 * One run of the proxy: builds the chain from host to server, moves lines both ways, and owns the
 * end: what is waited for, and the exit status.
 */

#include "proxy/options.h"

/* How a session ended. */
struct session_end {
    int exit_status; /* when signum is 0 */
    int signum;      /* the signal that the process is to end by, the same it was told to end by */
    bool is_abandoned; /* something still runs: the process ends by _exit(), or the signal */
};

/*
 * Runs a session to its end.
 *
 * options: borrowed.
 * is_open: which of descriptors 0, 1 and 2 were open at start.
 */
struct session_end session_run(const struct options *options, const bool is_open[3]);
