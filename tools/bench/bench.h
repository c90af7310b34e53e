/* What the benchmark's harness and its server share. */

#pragma once

#include <stddef.h>

#define BENCH_READ_LEN     65536 /* bytes read at a time, as Node.js reads them */
#define BENCH_ID_DIGITS    9     /* digits of every id */
#define BENCH_ID_AT        strlen("{\"jsonrpc\":\"2.0\",\"id\":") /* where a line has its id */
#define BENCH_SMALL_ANSWER ((size_t)300) /* bytes of an answer whose size no call asks for */

/* Prints "bench: " and the message, and ends the program with 1. */
__attribute__((format(printf, 1, 2), noreturn)) void bench_fail(const char *format, ...);

/* Writes all bytes to a blocking descriptor. Returns 0, or -1 with errno set. */
int bench_write_all(int fd, const char *bytes, size_t len);

/*
 * Makes a line of `len` bytes: `head`, text, `tail`.
 *
 * text:    names the text: "prose", "json" or "plain".
 * Gives:   the bytes, to be freed by the caller.
 */
char *bench_make_line(size_t len, const char *head, const char *tail, const char *text);

/* Answers the lines on stdin until it ends. Returns the exit status. */
int bench_run_server(const char *text);
