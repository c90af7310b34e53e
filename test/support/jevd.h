#pragma once

/*
 * A stand-in for the Jev service that serves from a thread of its own, for what waits for its
 * answers. It does on each connection what a script of httpd.h says.
 *
 * Thread: the test's.
 */

#include "httpd.h"

/* An answer of this status whose body ends with the connection, as steps of a script. */
#define JEVD_ANSWER(status, body)                                                      \
    {HTTPD_WANT, NULL, 0}, HTTPD_TEXT(HTTPD_SEND, "HTTP/1.1 " status "\r\n\r\n" body), \
        {HTTPD_CLOSE, NULL, 0},                                                        \
    {                                                                                  \
        HTTPD_END, NULL, 0                                                             \
    }

/* The same, but it comes when the service lets go. */
#define JEVD_HELD_ANSWER(status, body)                                                      \
    {HTTPD_WANT, NULL, 0}, {HTTPD_WAIT, NULL, 0},                                           \
        HTTPD_TEXT(HTTPD_SEND, "HTTP/1.1 " status "\r\n\r\n" body), {HTTPD_CLOSE, NULL, 0}, \
    {                                                                                       \
        HTTPD_END, NULL, 0                                                                  \
    }

struct jevd;

/*
 * Starts the service, and has the variables of the environment name it, with a key.
 *
 * scripts: n of them, each for one connection, the last one for all that follow.
 * n_held:  answers that are held are let go when so many questions wait, and for a while no more
 *          come; 0: none are held.
 */
struct jevd *jevd_start(const struct httpd_step *const *scripts, size_t n, size_t n_held);

/* Stops it; only then is there a view of what came. The variables are unset. */
void jevd_stop(struct jevd *j);

/* How many questions came, and how many waited at once at most. */
size_t jevd_n_requests(const struct jevd *j);
size_t jevd_max_out(const struct jevd *j);

/* The body of the question of that number, in the order they came. */
struct sp_str jevd_body(const struct jevd *j, size_t i);

void jevd_free(struct jevd *j);
