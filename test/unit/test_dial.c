/*
 * Tests of io/dial.h. The name look-up is the test's own, which takes the place of libuv's, since
 * the addresses that a real one gives are not the test's to choose.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "io/dial.h"
#include "loop.h"

#define MAX_ADDRESSES 4

/* The look-up under way. */
static struct {
    uv_getaddrinfo_t *req; /* NULL when there is none */
    uv_getaddrinfo_cb cb;
    struct addrinfo infos[MAX_ADDRESSES];
    struct sockaddr_storage addresses[MAX_ADDRESSES];
    size_t n;
} lookup;

int uv_getaddrinfo(uv_loop_t *loop, uv_getaddrinfo_t *req, uv_getaddrinfo_cb cb, const char *node,
                   const char *service, const struct addrinfo *hints)
{
    (void)loop;
    (void)service;
    assert_int_equal(hints->ai_socktype, SOCK_STREAM);
    if (strcmp(node, "refused-at-once") == 0)
        return UV_EAI_NONAME;
    lookup.req = req;
    lookup.cb = cb;
    return 0;
}

void uv_freeaddrinfo(struct addrinfo *list)
{
    (void)list;
}

static void end_lookup(int status)
{
    uv_getaddrinfo_t *req = lookup.req;

    for (size_t i = 0; i + 1 < lookup.n; i++)
        lookup.infos[i].ai_next = &lookup.infos[i + 1];
    lookup.req = NULL;
    lookup.cb(req, status, status == 0 ? lookup.infos : NULL);
}

/* Adds the address that a socket is bound to. */
static void add_address(int fd)
{
    struct addrinfo *info = &lookup.infos[lookup.n];
    struct sockaddr_storage *address = &lookup.addresses[lookup.n++];
    socklen_t len = sizeof *address;

    assert_int_equal(getsockname(fd, (struct sockaddr *)address, &len), 0);
    *info = (struct addrinfo){
        .ai_family = address->ss_family, .ai_addr = (struct sockaddr *)address, .ai_addrlen = len};
}

/* Binds a socket to a port of the loopback address; -1 when the family is not there. */
static int bind_loopback(int family)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr *address = family == AF_INET ? (struct sockaddr *)&v4 : (struct sockaddr *)&v6;
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd >= 0 && bind(fd, address, family == AF_INET ? sizeof v4 : sizeof v6) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* A server that accepts; nothing listens on one that is only bound. */
static int open_server(int family)
{
    int fd = bind_loopback(family);

    if (fd >= 0)
        assert_int_equal(listen(fd, 8), 0);
    return fd;
}

/* A server whose backlog is full, so that the system answers no further attempt. */
struct silent {
    int server;
    int clients[2];
};

static struct silent open_silent(void)
{
    struct silent s = {.server = bind_loopback(AF_INET)};
    struct sockaddr_in address;
    socklen_t len = sizeof address;

    assert_int_equal(listen(s.server, 0), 0);
    assert_int_equal(getsockname(s.server, (struct sockaddr *)&address, &len), 0);
    for (size_t i = 0; i < 2; i++) {
        s.clients[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        (void)connect(s.clients[i], (struct sockaddr *)&address, len);
    }
    return s;
}

static void close_silent(struct silent *s)
{
    close(s->clients[0]);
    close(s->clients[1]);
    close(s->server);
}

struct outcome {
    struct dial *dial;
    size_t n_done;
    uv_tcp_t *tcp;
    const char *cause;
    bool is_closed;
};

static void on_done(void *owner, uv_tcp_t *tcp, const char *cause)
{
    struct outcome *o = owner;

    o->n_done++;
    o->tcp = tcp;
    o->cause = cause;
    dial_close(o->dial);
}

static void on_closed(void *owner)
{
    struct outcome *o = owner;

    o->is_closed = true;
}

static const struct dial_callbacks callbacks = {on_done, on_closed};

static void start(uv_loop_t *loop, struct outcome *o, const char *host)
{
    o->dial = dial_start(loop, host, 1, &callbacks, o);
    assert_int_equal(o->n_done, 0);
}

static void free_tcp(uv_handle_t *handle)
{
    free(handle);
}

/* Waits for the connection, and checks that it leads to that socket. */
static void assert_connected(uv_loop_t *loop, struct outcome *o, int server)
{
    struct sockaddr_storage want = {0}, got = {0};
    socklen_t len = sizeof want;
    int got_len = sizeof got;

    loop_run_until(loop, o->is_closed);
    assert_int_equal(o->n_done, 1);
    assert_non_null(o->tcp);
    assert_int_equal(getsockname(server, (struct sockaddr *)&want, &len), 0);
    assert_int_equal(uv_tcp_getpeername(o->tcp, (struct sockaddr *)&got, &got_len), 0);
    assert_memory_equal(&want, &got, len);
    uv_close((uv_handle_t *)o->tcp, free_tcp);
    (void)uv_run(loop, UV_RUN_NOWAIT);
}

static int setup(void **state)
{
    memset(&lookup, 0, sizeof lookup);
    return loop_setup(state);
}

static void dial_tries_the_next_address_at_once_after_a_failure(void **state)
{
    struct outcome o = {0};
    int closed = bind_loopback(AF_INET), server = open_server(AF_INET);
    uint64_t begin = uv_hrtime();

    add_address(closed);
    add_address(closed);
    add_address(server);
    start(*state, &o, "name");
    end_lookup(0);
    assert_connected(*state, &o, server);
    assert_true(uv_hrtime() - begin < DIAL_NEXT_MS * UINT64_C(1000000));
    close(closed);
    close(server);
}

static void dial_tries_the_next_address_when_one_is_slow(void **state)
{
    struct outcome o = {0};
    struct silent silent = open_silent();
    int server = open_server(AF_INET);
    uint64_t begin = uv_hrtime();

    add_address(silent.server);
    add_address(server);
    start(*state, &o, "name");
    end_lookup(0);
    assert_connected(*state, &o, server);
    assert_true(uv_hrtime() - begin >= (DIAL_NEXT_MS - 5) * UINT64_C(1000000));
    close(server);
    close_silent(&silent);
}

static void dial_takes_the_families_in_turn(void **state)
{
    struct outcome o = {0};
    struct silent silent = open_silent();
    int server = open_server(AF_INET6);
    uint64_t begin = uv_hrtime();

    if (server < 0) {
        close_silent(&silent);
        skip();
    }
    add_address(silent.server);
    add_address(silent.server);
    add_address(silent.server);
    add_address(server);
    start(*state, &o, "name");
    end_lookup(0);
    assert_connected(*state, &o, server);
    assert_true(uv_hrtime() - begin < 2 * DIAL_NEXT_MS * UINT64_C(1000000));
    close(server);
    close_silent(&silent);
}

static void dial_tells_why_it_failed(void **state)
{
    struct outcome refused = {0}, at_once = {0}, literal = {0}, unknown = {0};
    int closed = bind_loopback(AF_INET);

    add_address(closed);
    add_address(closed);
    start(*state, &refused, "name");
    end_lookup(0);
    loop_run_until(*state, refused.is_closed);
    assert_null(refused.tcp);
    assert_string_equal(refused.cause, "connection refused");

    start(*state, &at_once, "refused-at-once");
    loop_run_until(*state, at_once.is_closed);
    assert_string_equal(at_once.cause, "the host name was not found");

    start(*state, &unknown, "name");
    end_lookup(UV_EAI_NONAME);
    loop_run_until(*state, unknown.is_closed);
    assert_string_equal(unknown.cause, "the host name was not found");

    start(*state, &literal, "127.0.0.1"); /* nothing listens on port 1 */
    assert_null(lookup.req);
    loop_run_until(*state, literal.is_closed);
    assert_string_equal(literal.cause, "connection refused");
    close(closed);
}

static void dial_gives_up_at_any_stage(void **state)
{
    struct outcome looking = {0}, connecting = {0}, failing = {0};
    struct silent silent = open_silent();

    start(*state, &looking, "name");
    dial_close(looking.dial);
    loop_run_for(*state, 5);
    assert_false(looking.is_closed); /* the look-up is still under way */
    end_lookup(UV_ECANCELED);
    assert_true(looking.is_closed);

    add_address(silent.server);
    add_address(silent.server);
    start(*state, &connecting, "name");
    end_lookup(0);
    loop_run_for(*state, DIAL_NEXT_MS + 20);
    dial_close(connecting.dial);
    loop_run_until(*state, connecting.is_closed);

    start(*state, &failing, "refused-at-once");
    dial_close(failing.dial);
    loop_run_until(*state, failing.is_closed);
    assert_int_equal(looking.n_done + connecting.n_done + failing.n_done, 0);
    close_silent(&silent);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, loop_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(dial_tries_the_next_address_at_once_after_a_failure),
        TEST(dial_tries_the_next_address_when_one_is_slow),
        TEST(dial_takes_the_families_in_turn),
        TEST(dial_tells_why_it_failed),
        TEST(dial_gives_up_at_any_stage),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
