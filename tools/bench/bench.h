/* What the benchmark's harness, its HTTP client and its servers share. */

#pragma once

#include <stddef.h>

#define BENCH_READ_LEN      65536 /* bytes read at a time, as Node.js reads them */
#define BENCH_FIRST_ID      100000000
#define BENCH_ID_DIGITS     9                                      /* digits of every id */
#define BENCH_ID_AT         strlen("{\"jsonrpc\":\"2.0\",\"id\":") /* where a line has its id */
#define BENCH_SMALL_REQUEST ((size_t)200)                          /* bytes of a small call */
#define BENCH_SMALL_ANSWER  ((size_t)300) /* bytes of an answer whose size no call asks for */
#define BENCH_PIPED_MAX_US  2e6           /* how long calls are kept in flight, at most */

/* Stand around a message in an event stream. */
#define BENCH_EVENT_HEAD "event: message\ndata: "
#define BENCH_EVENT_TAIL "\n\n"

/* Prints "bench: " and the message, and ends the program with 1. */
__attribute__((format(printf, 1, 2), noreturn)) void bench_fail(const char *format, ...);

/* As malloc(), but ends the program when there is no memory. */
void *bench_alloc(size_t len);

/* Microseconds of the monotonic clock. */
double bench_now_us(void);

/* Writes all bytes to a blocking descriptor. Returns 0, or -1 with errno set. */
int bench_write_all(int fd, const char *bytes, size_t len);

/* Puts an id into a call. */
void bench_set_id(char *call, int id);

/*
 * Makes a line of `len` bytes: `head`, text, `tail`.
 *
 * text:    names the text: "prose", "json" or "plain".
 * Gives:   the bytes, to be freed by the caller.
 */
char *bench_make_line(size_t len, const char *head, const char *tail, const char *text);

/* Answers the lines on stdin until it ends. Returns the exit status. */
int bench_run_server(const char *text);

/*
 * Answers HTTP requests on a port of 127.0.0.1, which it prints, until stdin ends. A path that
 * begins with /sse is answered with event streams, any other with JSON. Returns the exit status.
 */
int bench_run_http_server(const char *text);

/* The direct client: kept-alive connections to the HTTP server, one for each call in flight. */
struct http_client;

/* Connects once. `url` is http://127.0.0.1:PORT/PATH and is kept until http_close(). */
struct http_client *http_open(const char *url);

/* Sends a line, without its line feed, on the first connection. */
void http_send(struct http_client *h, const char *line, size_t len);

/* Reads its answer: a line of `len` bytes without its line feed, or with 0 no body. */
void http_receive(struct http_client *h, size_t len);

/* Keeps `n_in_flight` small calls out until `n` are answered; returns the answers a second. */
double http_piped(struct http_client *h, char *call, int n, int n_in_flight);

void http_close(struct http_client *h);
