#pragma once

/*
 * A libuv loop for tests. loop_setup() and loop_teardown() go around a test, whose state is then
 * the uv_loop_t:
 *
 *     cmocka_unit_test_setup_teardown(test, loop_setup, loop_teardown)
 *
 * The teardown fails when the test has left a handle or a request on the loop.
 */

#include <uv.h>

/* How long one loop_run_until() may take. */
#define LOOP_LIMIT_MS 20000

/* How long a turn may wait for the loop's own events. */
#define LOOP_TICK_MS 2

int loop_setup(void **state);
int loop_teardown(void **state);

/*
 * Runs the loop until `condition` holds, which is asked before every turn and may do the part of
 * somebody outside the loop. The test fails when that takes too long, or when the loop has nothing
 * left that could change it.
 */
#define loop_run_until(loop, condition)                      \
    do {                                                     \
        loop_limit_start(loop);                              \
        while (!(condition))                                 \
            loop_turn(loop, #condition, __FILE__, __LINE__); \
        loop_limit_stop(loop);                               \
    } while (0)

/* Runs the loop for a while, to see that nothing happens. */
void loop_run_for(uv_loop_t *loop, uint64_t ms);

/* The parts of loop_run_until(). */
void loop_limit_start(uv_loop_t *loop);
void loop_limit_stop(uv_loop_t *loop);
void loop_turn(uv_loop_t *loop, const char *condition, const char *file, int line);
