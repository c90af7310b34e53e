#pragma once

/*
 * The demo server over Streamable HTTP.
 */

#include "demo/demo_world.h"

/*
 * Listens, prints its URL as one line on stdout, and serves until the process is killed.
 *
 * addr:         HOST:PORT; an IPv6 address in brackets; port 0 is any free one.
 * require_auth: what requests must have as Authorization header; NULL: nothing.
 * Returns:      the exit status when it cannot serve: 1, with a message on stderr.
 */
int demo_http_serve(const struct demo_world *world, const char *addr, const char *require_auth);
