#pragma once

/*
 * The server that a procedure runs against: a child process, from its start to its end.
 *
 * Thread: the loop's, which lives as long as procedure_server_run().
 */

#include "base/sp_alloc.h"
#include "procedure/procedure_run.h"

/*
 * Starts the server and makes the calls of a run until it is over; then, after a failure too,
 * closes the server's input, waits for it to end, at most for some seconds, and kills it otherwise.
 * It is gone when this returns.
 *
 * argv:       the server's command line, ended by NULL.
 * run:        one that has not begun; over on success.
 * ret_signum: a signal that came, or 0. That one is left to the caller to end by.
 * Returns:    0; negative, told in ret_err, or, where a signal came before the run was over, by it.
 */
int procedure_server_run(char *const *argv, struct procedure_run *run, int *ret_signum,
                         struct sp_err *ret_err) SP_MUST_CHECK;
