#pragma once

/*
 * The demo server over stdin and stdout.
 */

#include "demo/demo_world.h"

/*
 * Serves until the input has ended and every answer is written.
 *
 * Returns: the exit status: 0; 1 when the loop cannot be made.
 */
int demo_stdio_serve(const struct demo_world *world);
