/*
 * The benchmark's direct HTTP client, the floor that a proxy in front of the same server is
 * measured against. It relies on what the server of httpserver.c does: the head of an answer, and
 * the size of the only chunk, come with the first bytes that are read.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "bench.h"

#define MAX_WIRES  256
#define MAX_EVENTS 64
#define URL_HEAD   "http://127.0.0.1:"

/* One connection. */
struct wire {
    int fd;
    size_t got;  /* bytes read of the answer that is out */
    size_t want; /* its bytes in all, head included; 0 until its head is there */
};

struct http_client {
    unsigned long port;
    const char *path;
    int epoll;
    struct wire wires[MAX_WIRES];
    int n_wires;
    char head[512]; /* of the last request, for the next one whose body has the same length */
    size_t head_len;
    size_t body_len;
};

static void open_wires(struct http_client *h, int n)
{
    struct sockaddr_in addr = {.sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                               .sin_port = htons((uint16_t)h->port)};
    int on = 1;

    if (n > MAX_WIRES)
        bench_fail("more than %d connections", MAX_WIRES);
    for (; h->n_wires < n; h->n_wires++) {
        struct wire *w = &h->wires[h->n_wires];
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = w};

        *w = (struct wire){.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        if (w->fd < 0 || connect(w->fd, (struct sockaddr *)&addr, sizeof addr) ||
            setsockopt(w->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) ||
            epoll_ctl(h->epoll, EPOLL_CTL_ADD, w->fd, &event))
            bench_fail("connecting: %s", strerror(errno));
    }
}

struct http_client *http_open(const char *url)
{
    struct http_client *h = bench_alloc(sizeof *h);
    char *end;

    *h = (struct http_client){.epoll = epoll_create1(EPOLL_CLOEXEC)};
    if (strncmp(url, URL_HEAD, strlen(URL_HEAD)) != 0)
        bench_fail("%s: not a URL of 127.0.0.1", url);
    h->port = strtoul(url + strlen(URL_HEAD), &end, 10);
    h->path = end;
    open_wires(h, 1);
    return h;
}

void http_close(struct http_client *h)
{
    for (int i = 0; i < h->n_wires; i++)
        close(h->wires[i].fd);
    close(h->epoll);
    free(h);
}

static void make_head(struct http_client *h, size_t body_len)
{
    h->body_len = body_len;
    h->head_len = (size_t)snprintf(
        h->head, sizeof h->head,
        "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%lu\r\nContent-Type: application/json\r\n"
        "Accept: application/json, text/event-stream\r\nMcp-Session-Id: bench\r\n"
        "MCP-Protocol-Version: 2025-06-18\r\nContent-Length: %zu\r\n\r\n",
        h->path, h->port, body_len);
}

static void wire_send(struct http_client *h, const struct wire *w, const char *line, size_t len)
{
    size_t body_len = len - strlen("\n");
    struct iovec out[] = {{h->head, 0}, {(char *)line, body_len}};
    ssize_t n;

    if (h->head_len == 0 || h->body_len != body_len)
        make_head(h, body_len);
    out[0].iov_len = h->head_len;
    n = writev(w->fd, out, 2);
    if (n < (ssize_t)h->head_len || bench_write_all(w->fd, line + (n - (ssize_t)h->head_len),
                                                    body_len - (size_t)(n - (ssize_t)h->head_len)))
        bench_fail("sending a request: %s", strerror(errno));
}

/* Returns the bytes of the answer in all; fails if it does not hold a line of `answer_len`. */
static size_t read_head(const char *bytes, size_t answer_len)
{
    size_t line_len = answer_len == 0 ? 0 : answer_len - strlen("\n");
    const char *end = strstr(bytes, "\r\n\r\n");
    const char *length = strstr(bytes, "\r\nContent-Length: ");
    size_t body_len, head_len;
    char *chunk;

    if (strncmp(bytes, "HTTP/1.1 20", strlen("HTTP/1.1 20")) != 0 || end == NULL)
        bench_fail("not an answer: %.40s", bytes);
    head_len = (size_t)(end - bytes) + strlen("\r\n\r\n");
    if (length != NULL && length < end) {
        body_len = strtoul(length + strlen("\r\nContent-Length: "), NULL, 10);
    } else {
        body_len = strtoul(bytes + head_len, &chunk, 16);
        head_len = (size_t)(chunk - bytes) + strlen("\r\n\r\n0\r\n\r\n") + body_len;
        body_len -= strlen(BENCH_EVENT_HEAD BENCH_EVENT_TAIL);
        head_len -= body_len;
    }
    if (body_len != line_len)
        bench_fail("an answer of %zu bytes came with %zu", line_len, body_len);
    return head_len + body_len;
}

/* Reads once; returns 1 when the answer is complete. */
static int wire_receive(struct wire *w, size_t answer_len)
{
    static char buf[BENCH_READ_LEN + 1];
    ssize_t n;

    do {
        n = read(w->fd, buf, BENCH_READ_LEN);
    } while (n < 0 && errno == EINTR);
    if (n <= 0)
        bench_fail("reading an answer: %s", n < 0 ? strerror(errno) : "ended early");
    buf[n] = '\0';
    if (w->want == 0)
        w->want = read_head(buf, answer_len);
    w->got += (size_t)n;
    if (w->got < w->want)
        return 0;
    if (w->got > w->want)
        bench_fail("bytes after an answer");
    w->got = 0;
    w->want = 0;
    return 1;
}

void http_send(struct http_client *h, const char *line, size_t len)
{
    wire_send(h, &h->wires[0], line, len);
}

void http_receive(struct http_client *h, size_t len)
{
    while (!wire_receive(&h->wires[0], len))
        ;
}

static void send_next(struct http_client *h, const struct wire *w, char *call, int *n_sent)
{
    bench_set_id(call, BENCH_FIRST_ID + *n_sent);
    wire_send(h, w, call, BENCH_SMALL_REQUEST);
    (*n_sent)++;
}

double http_piped(struct http_client *h, char *call, int n, int n_in_flight)
{
    struct epoll_event events[MAX_EVENTS];
    int n_sent = 0, n_answered = 0;
    double started;

    open_wires(h, n_in_flight);
    started = bench_now_us();
    while (n_sent < n_in_flight && n_sent < n)
        send_next(h, &h->wires[n_sent], call, &n_sent);
    while (n_answered < n_sent) {
        int n_events = epoll_wait(h->epoll, events, MAX_EVENTS, -1);

        for (int i = 0; i < n_events; i++) {
            struct wire *w = events[i].data.ptr;

            if (!wire_receive(w, BENCH_SMALL_ANSWER))
                continue;
            n_answered++;
            if (n_sent < n && bench_now_us() - started < BENCH_PIPED_MAX_US)
                send_next(h, w, call, &n_sent);
        }
    }
    return n_answered / ((bench_now_us() - started) / 1e6);
}
