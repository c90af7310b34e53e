#pragma once

/*
 * A server for tests that does what a script says, on the test's loop. Each connection follows a
 * script of its own, step by step; at the end of it, it keeps reading and says nothing.
 *
 * Thread: loop.
 */

#include <openssl/ssl.h>
#include <stdbool.h>
#include <uv.h>

#include "base/sp_str.h"

enum httpd_step_kind {
    HTTPD_END,    /* of the script */
    HTTPD_WANT,   /* waits for a whole request, which httpd_request() then shows */
    HTTPD_HEAD,   /* waits for the head of a request only, then reads no more */
    HTTPD_SEND,   /* sends `text` */
    HTTPD_DRIP,   /* sends `text` byte by byte */
    HTTPD_FILL,   /* sends `n` times "x" */
    HTTPD_SECURE, /* goes on in TLS */
    HTTPD_CLOSE,  /* ends the connection, with TLS by a closing notice */
    HTTPD_DROP,   /* ends it without the closing notice */
    HTTPD_RESET,
    HTTPD_WAIT, /* waits for httpd_go_on() */
};

struct httpd_step {
    enum httpd_step_kind kind;
    const char *text;
    size_t n;
};

#define HTTPD_TEXT(kind, literal)          \
    {                                      \
        kind, literal, sizeof(literal) - 1 \
    }

struct httpd;

/* Listens on a port of 127.0.0.1. `tls`: for HTTPD_SECURE, borrowed until the end; may be NULL. */
struct httpd *httpd_new(uv_loop_t *loop, SSL_CTX *tls);

/* Gives the next connection that has none its script, which is kept. The last one repeats. */
void httpd_add(struct httpd *h, const struct httpd_step *steps);

unsigned short httpd_port(const struct httpd *h);

/* How many connections and requests have come, and how many connections are open. */
size_t httpd_n_accepted(const struct httpd *h);
size_t httpd_n_requests(const struct httpd *h);
size_t httpd_n_open(const struct httpd *h);

/* The request of that number, in the order they came: head and body, and a NUL behind them. */
struct sp_str httpd_request(const struct httpd *h, size_t i);

/* Bytes that wait to be sent, over all connections. */
size_t httpd_unsent(const struct httpd *h);

/* How many TLS sessions were resumed, and how many connections sent a closing notice. */
size_t httpd_n_resumed(const struct httpd *h);
size_t httpd_n_notices(const struct httpd *h);

/* Lets all connections at HTTPD_WAIT go on. */
void httpd_go_on(struct httpd *h);

/* Closes listener and connections, runs the loop until that is done, and frees all. */
void httpd_free(struct httpd *h);
