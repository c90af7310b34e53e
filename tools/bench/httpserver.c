/*
 * The HTTP server that the benchmark calls. Like the server on stdio it answers each request at
 * once and does as little as it can: connections are kept alive and served by one epoll loop, a
 * body is read whole and only looked at where an id or a size can stand, and an answer of some size
 * is made once. What differs between answers, all up to the id, is put in front of it.
 *
 * Requests come with a Content-Length, and a client sends one only after the answer to the one
 * before it, as those of the benchmark do.
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

#define FIRST_IN_SIZE ((size_t)8192) /* room for a head and a small body */
#define LOOK_LEN      ((size_t)256)  /* how far from either end of a body the id can stand */
#define MAX_ID_LEN    ((size_t)32)
#define MAX_ENDINGS   16
#define MAX_EVENTS    64
#define BACKLOG       1024

#define MESSAGE_HEAD "{\"jsonrpc\":\"2.0\",\"id\":"
#define CHUNKS_END   "\r\n0\r\n\r\n"

/* What follows the id in answers of one size. */
struct ending {
    size_t answer_len; /* of the line that the host gets when the id has BENCH_ID_DIGITS */
    int is_initialize;
    char *bytes;
    size_t len;
};

struct conn {
    int fd;
    char *in; /* the request */
    size_t in_len;
    size_t in_size;
    size_t head_len;     /* 0 until the request's head is there */
    size_t body_len;     /* once it is */
    char out_head[512];  /* the answer's head and its body up to the id */
    struct iovec out[3]; /* what is still to be written */
    int n_out;
};

struct server {
    int epoll;
    int listener;
    const char *text;
    struct ending endings[MAX_ENDINGS];
    int n_endings;
};

static void watch(const struct server *s, int op, int fd, unsigned events, void *ptr)
{
    struct epoll_event event = {.events = events, .data.ptr = ptr};

    if (epoll_ctl(s->epoll, op, fd, &event))
        bench_fail("HTTP server: epoll: %s", strerror(errno));
}

static void conn_open(const struct server *s)
{
    int fd = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), on = 1;
    struct conn *c;

    if (fd < 0)
        return;
    if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on))
        bench_fail("HTTP server: %s", strerror(errno));
    c = bench_alloc(sizeof *c);
    *c = (struct conn){.fd = fd, .in_size = FIRST_IN_SIZE};
    c->in = bench_alloc(c->in_size);
    watch(s, EPOLL_CTL_ADD, fd, EPOLLIN, c);
}

static void conn_free(struct conn *c)
{
    close(c->fd);
    free(c->in);
    free(c);
}

static const struct ending *find_ending(struct server *s, size_t answer_len, int is_initialize)
{
    struct ending *e;

    for (int i = 0; i < s->n_endings; i++) {
        if (s->endings[i].answer_len == answer_len && s->endings[i].is_initialize == is_initialize)
            return &s->endings[i];
    }
    if (s->n_endings == MAX_ENDINGS || answer_len < BENCH_SMALL_ANSWER)
        bench_fail("HTTP server: an answer of %zu bytes", answer_len);
    e = &s->endings[s->n_endings++];
    e->answer_len = answer_len;
    e->is_initialize = is_initialize;
    e->len = answer_len - strlen("\n") - strlen(MESSAGE_HEAD) - BENCH_ID_DIGITS;
    e->bytes =
        is_initialize
            ? bench_make_line(e->len,
                              ",\"result\":{\"protocolVersion\":\"2025-06-18\","
                              "\"capabilities\":{\"tools\":{}},\"serverInfo\":"
                              "{\"name\":\"bench\",\"version\":\"0\"},\"instructions\":\"",
                              "\"}}", s->text)
            : bench_make_line(e->len, ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"",
                              "\"}],\"isError\":false}}", s->text);
    return e;
}

/* Looks near both ends of the body, as clients order the members differently. */
static const char *find(const char *body, size_t len, const char *name)
{
    size_t look_len = len < LOOK_LEN ? len : LOOK_LEN;
    const char *found = memmem(body, look_len, name, strlen(name));

    return found != NULL ? found : memmem(body + len - look_len, look_len, name, strlen(name));
}

static void answer_empty(struct conn *c, const char *status)
{
    int len = snprintf(c->out_head, sizeof c->out_head, "HTTP/1.1 %s\r\nContent-Length: 0\r\n\r\n",
                       status);

    c->out[0] = (struct iovec){c->out_head, (size_t)len};
    c->n_out = 1;
}

static void answer_call(struct server *s, struct conn *c, const char *id)
{
    const char *body = c->in + c->head_len;
    const char *size = find(body, c->body_len, "\"size\":");
    int is_initialize = find(body, c->body_len, "\"initialize\"") != NULL;
    int is_stream = strncmp(c->in, "POST /sse", strlen("POST /sse")) == 0;
    const char *session = is_initialize ? "Mcp-Session-Id: bench\r\n" : "";
    size_t id_len = strcspn(id, ",}");
    const struct ending *e;
    size_t len;
    int head_len;

    if (id_len > MAX_ID_LEN)
        bench_fail("HTTP server: an id of %zu bytes", id_len);
    e = find_ending(
        s, size == NULL ? BENCH_SMALL_ANSWER : strtoul(size + strlen("\"size\":"), NULL, 10),
        is_initialize);
    len = strlen(MESSAGE_HEAD) + id_len + e->len;
    if (is_stream)
        head_len = snprintf(
            c->out_head, sizeof c->out_head,
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n%s"
            "Transfer-Encoding: chunked\r\n\r\n%zx\r\n" BENCH_EVENT_HEAD MESSAGE_HEAD "%.*s",
            session, strlen(BENCH_EVENT_HEAD) + len + strlen(BENCH_EVENT_TAIL), (int)id_len, id);
    else
        head_len = snprintf(c->out_head, sizeof c->out_head,
                            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n%s"
                            "Content-Length: %zu\r\n\r\n" MESSAGE_HEAD "%.*s",
                            session, len, (int)id_len, id);
    c->out[0] = (struct iovec){c->out_head, (size_t)head_len};
    c->out[1] = (struct iovec){e->bytes, e->len};
    c->out[2] = (struct iovec){BENCH_EVENT_TAIL CHUNKS_END,
                               is_stream ? strlen(BENCH_EVENT_TAIL CHUNKS_END) : 0};
    c->n_out = 3;
}

static void answer(struct server *s, struct conn *c)
{
    const char *id;

    if (strncmp(c->in, "POST ", strlen("POST ")) != 0) {
        answer_empty(c, strncmp(c->in, "DELETE ", strlen("DELETE ")) == 0
                            ? "200 OK"
                            : "405 Method Not Allowed");
        return;
    }
    id = find(c->in + c->head_len, c->body_len, "\"id\":");
    if (id == NULL)
        answer_empty(c, "202 Accepted");
    else
        answer_call(s, c, id + strlen("\"id\":"));
}

/* Drops what has been written of the answer; returns 1 when that is all of it. */
static int drop_written(struct conn *c, size_t len)
{
    int is_whole = 1;

    for (int i = 0; i < c->n_out; i++) {
        size_t n = len < c->out[i].iov_len ? len : c->out[i].iov_len;

        c->out[i].iov_base = (char *)c->out[i].iov_base + n;
        c->out[i].iov_len -= n;
        len -= n;
        is_whole = is_whole && c->out[i].iov_len == 0;
    }
    return is_whole;
}

/* Writes what the kernel takes; returns 1 when all is written, 0 when not, -1 on failure. */
static int write_answer(struct conn *c)
{
    ssize_t n = writev(c->fd, c->out, c->n_out);

    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    return drop_written(c, (size_t)n);
}

/* Finds the end of the head and the body's length, and makes room; returns -1 for no request. */
static int read_head(struct conn *c)
{
    char *end = memmem(c->in, c->in_len, "\r\n\r\n", strlen("\r\n\r\n"));
    const char *length;

    if (end == NULL)
        return c->in_len == c->in_size ? -1 : 0;
    *end = '\0';
    length = strcasestr(c->in, "\r\ncontent-length:");
    if (length == NULL && strncmp(c->in, "POST ", strlen("POST ")) == 0)
        return -1;
    c->head_len = (size_t)(end - c->in) + strlen("\r\n\r\n");
    c->body_len = length == NULL ? 0 : strtoul(length + strlen("\r\ncontent-length:"), NULL, 10);
    if (c->head_len + c->body_len >= c->in_size) {
        c->in_size = c->head_len + c->body_len + 1;
        c->in = realloc(c->in, c->in_size);
        if (c->in == NULL)
            bench_fail("out of memory");
    }
    return 0;
}

/* Returns 1 when the request is there, 0 when not yet, -1 when the connection is over. */
static int read_request(struct conn *c)
{
    ssize_t n = read(c->fd, c->in + c->in_len, c->in_size - c->in_len);

    if (n <= 0)
        return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
    c->in_len += (size_t)n;
    if (c->head_len == 0 && read_head(c))
        return -1;
    if (c->head_len == 0 || c->in_len < c->head_len + c->body_len)
        return 0;
    if (c->in_len > c->head_len + c->body_len)
        return -1;
    c->in[c->in_len] = '\0'; /* so that a search in the body ends */
    return 1;
}

static void on_event(struct server *s, struct conn *c, unsigned events)
{
    int rc;

    if (events & EPOLLOUT) {
        rc = write_answer(c);
        if (rc == 1)
            watch(s, EPOLL_CTL_MOD, c->fd, EPOLLIN, c);
    } else {
        rc = read_request(c);
        if (rc == 1) {
            answer(s, c);
            c->in_len = 0;
            c->head_len = 0;
            rc = write_answer(c);
            if (rc == 0)
                watch(s, EPOLL_CTL_MOD, c->fd, EPOLLOUT, c);
        }
    }
    if (rc < 0)
        conn_free(c);
}

static void start_listening(struct server *s)
{
    struct sockaddr_in addr = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t addr_len = sizeof addr;

    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s->listener < 0 || bind(s->listener, (struct sockaddr *)&addr, sizeof addr) ||
        listen(s->listener, BACKLOG) ||
        getsockname(s->listener, (struct sockaddr *)&addr, &addr_len))
        bench_fail("HTTP server: %s", strerror(errno));
    printf("%d\n", ntohs(addr.sin_port));
    fflush(stdout);
}

/* Serves one batch of events; returns 0 when stdin has ended. */
static int serve(struct server *s)
{
    struct epoll_event events[MAX_EVENTS];
    int n = epoll_wait(s->epoll, events, MAX_EVENTS, -1);

    for (int i = 0; i < n; i++) {
        void *ptr = events[i].data.ptr;

        if (ptr == NULL)
            return 0;
        if (ptr == &s->listener)
            conn_open(s);
        else
            on_event(s, ptr, events[i].events);
    }
    return 1;
}

int bench_run_http_server(const char *text)
{
    struct server s = {.text = text, .epoll = epoll_create1(EPOLL_CLOEXEC)};

    start_listening(&s);
    watch(&s, EPOLL_CTL_ADD, s.listener, EPOLLIN, &s.listener);
    watch(&s, EPOLL_CTL_ADD, STDIN_FILENO, EPOLLIN, NULL);
    while (serve(&s))
        ;
    for (int i = 0; i < s.n_endings; i++)
        free(s.endings[i].bytes);
    close(s.listener);
    close(s.epoll);
    return 0;
}
