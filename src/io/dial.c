/*
 * TCP connections by name.
 *
 *     look-up ──► attempt 1 ──► attempt 2 ──► … the first that connects is given to the owner
 *
 * An IP literal has no look-up. The timer starts the next attempt when the last one takes too long;
 * one that fails starts it at once. When no address is left and no attempt is under way, the cause
 * that says most is told. What fails inside dial_start() is told from the timer.
 */

#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>

#include "base/sp_alloc.h"
#include "io/dial.h"

/* How long a connection may be silent before the system probes whether its peer is still there. */
#define KEEPALIVE_S 60

struct attempt {
    LIST_ENTRY(attempt) link;
    struct dial *dial;
    uv_tcp_t *tcp;
    uv_connect_t connect;
};

struct dial {
    const struct dial_callbacks *callbacks;
    void *owner;
    uv_loop_t *loop;
    uv_timer_t timer;
    uv_getaddrinfo_t lookup;
    struct sockaddr_storage *addresses; /* in the order in which they are tried */
    size_t n_addresses;
    size_t n_tried;
    LIST_HEAD(, attempt) attempts; /* under way */
    int error;                     /* the one to tell */
    size_t n_open;                 /* timer, look-up and attempts that are not yet gone */
    bool is_looking_up;
    bool is_closing;
};

static void on_start_failed(uv_timer_t *timer);
static void on_lookup(uv_getaddrinfo_t *lookup, int status, struct addrinfo *list);
static void on_too_long(uv_timer_t *timer);
static void on_connect(uv_connect_t *connect, int status);
static void on_timer_closed(uv_handle_t *handle);
static void on_attempt_closed(uv_handle_t *handle);

static const char *describe(int error)
{
    switch (error) {
    case UV_EAI_NONAME:
    case UV_EAI_NODATA:
    case UV_EAI_ADDRFAMILY:
        return "the host name was not found";
    case UV_EAI_AGAIN:
        return "the host name could not be looked up";
    case UV_ETIMEDOUT:
        return "timed out";
    default:
        return uv_strerror(error);
    }
}

/* Remembers a failure; that an address cannot be reached from here says less than any other. */
static void note_error(struct dial *d, int error)
{
    bool is_weak = error == UV_ENETUNREACH || error == UV_EHOSTUNREACH ||
                   error == UV_EADDRNOTAVAIL || error == UV_EAFNOSUPPORT;

    if (d->error == 0 || !is_weak)
        d->error = error;
}

static int attempt_start(struct dial *d, const struct sockaddr_storage *address)
{
    struct attempt *a = sp_calloc(1, sizeof *a);
    int status;

    a->dial = d;
    a->tcp = sp_calloc(1, sizeof *a->tcp);
    status = uv_tcp_init(d->loop, a->tcp);
    if (status < 0) {
        free(a->tcp);
        free(a);
        return status;
    }
    a->tcp->data = a;
    d->n_open++;
    status = uv_tcp_connect(&a->connect, a->tcp, (const struct sockaddr *)address, on_connect);
    if (status < 0) {
        uv_close((uv_handle_t *)a->tcp, on_attempt_closed);
        return status;
    }
    LIST_INSERT_HEAD(&d->attempts, a, link);
    return 0;
}

/* Starts the next attempt; false when nothing is left to wait for. */
static bool advance(struct dial *d)
{
    while (d->n_tried < d->n_addresses) {
        int status = attempt_start(d, &d->addresses[d->n_tried++]);

        if (status == 0) {
            if (d->n_tried < d->n_addresses)
                (void)uv_timer_start(&d->timer, on_too_long, DIAL_NEXT_MS, 0);
            return true;
        }
        note_error(d, status);
    }
    uv_timer_stop(&d->timer);
    return !LIST_EMPTY(&d->attempts);
}

static void fail(struct dial *d)
{
    d->callbacks->on_done(d->owner, NULL, describe(d->error));
}

/* Takes an IP literal; false when the host is a name. */
static bool read_literal(struct dial *d, const char *host, unsigned short port)
{
    struct sockaddr_storage address = {0};

    if (uv_ip4_addr(host, port, (struct sockaddr_in *)&address) < 0 &&
        uv_ip6_addr(host, port, (struct sockaddr_in6 *)&address) < 0)
        return false;
    d->addresses = sp_malloc(sizeof address);
    d->addresses[0] = address;
    d->n_addresses = 1;
    return true;
}

struct dial *dial_start(uv_loop_t *loop, const char *host, unsigned short port,
                        const struct dial_callbacks *callbacks, void *owner)
{
    static const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct dial *d = sp_calloc(1, sizeof *d);
    bool is_waiting;

    d->callbacks = callbacks;
    d->owner = owner;
    d->loop = loop;
    LIST_INIT(&d->attempts);
    (void)uv_timer_init(loop, &d->timer); /* cannot fail */
    d->n_open = 1;

    if (read_literal(d, host, port)) {
        is_waiting = advance(d);
    } else {
        char service[8];
        int status;

        snprintf(service, sizeof service, "%u", port);
        status = uv_getaddrinfo(loop, &d->lookup, on_lookup, host, service, &hints);
        is_waiting = d->is_looking_up = status == 0;
        if (is_waiting)
            d->n_open++;
        else
            d->error = status;
    }
    if (!is_waiting)
        (void)uv_timer_start(&d->timer, on_start_failed, 0, 0);
    return d;
}

static void on_start_failed(uv_timer_t *timer)
{
    fail(sp_container_of(timer, struct dial, timer));
}

static void maybe_closed(struct dial *d)
{
    void (*on_closed)(void *owner) = d->callbacks->on_closed;
    void *owner = d->owner;

    if (!d->is_closing || d->n_open > 0)
        return;
    free(d->addresses);
    free(d);
    on_closed(owner);
}

/* Copies what the look-up gave, the families in turn, beginning with the first one's. */
static void take_addresses(struct dial *d, const struct addrinfo *list)
{
    const struct addrinfo *next[2] = {list, list};
    int first = list->ai_family;
    size_t n = 0;

    for (const struct addrinfo *a = list; a != NULL; a = a->ai_next)
        n++;
    d->addresses = sp_calloc(n, sizeof *d->addresses);
    for (size_t turn = 0; next[0] != NULL || next[1] != NULL; turn = 1 - turn) {
        const struct addrinfo *a = next[turn];

        while (a != NULL && (a->ai_family == first) != (turn == 0))
            a = a->ai_next;
        if (a != NULL && a->ai_addrlen <= sizeof *d->addresses)
            memcpy(&d->addresses[d->n_addresses++], a->ai_addr, a->ai_addrlen);
        next[turn] = a != NULL ? a->ai_next : NULL;
    }
}

static void on_lookup(uv_getaddrinfo_t *lookup, int status, struct addrinfo *list)
{
    struct dial *d = sp_container_of(lookup, struct dial, lookup);

    d->n_open--;
    d->is_looking_up = false;
    if (d->is_closing) {
        uv_freeaddrinfo(list);
        maybe_closed(d);
        return;
    }
    if (status < 0)
        d->error = status;
    else
        take_addresses(d, list);
    uv_freeaddrinfo(list);
    if (!advance(d))
        fail(d);
}

static void on_too_long(uv_timer_t *timer)
{
    struct dial *d = sp_container_of(timer, struct dial, timer);

    if (!advance(d))
        fail(d);
}

static void on_connect(uv_connect_t *connect, int status)
{
    struct attempt *a = sp_container_of(connect, struct attempt, connect);
    struct dial *d = a->dial;
    uv_tcp_t *tcp = a->tcp;

    if (uv_is_closing((uv_handle_t *)tcp))
        return;
    LIST_REMOVE(a, link);
    if (status < 0) {
        uv_close((uv_handle_t *)tcp, on_attempt_closed);
        note_error(d, status);
        if (!advance(d))
            fail(d);
        return;
    }
    free(a);
    d->n_open--;
    d->n_tried = d->n_addresses;
    uv_timer_stop(&d->timer);

    /* Neither is needed for the connection to work. */
    (void)uv_tcp_nodelay(tcp, 1);
    (void)uv_tcp_keepalive(tcp, 1, KEEPALIVE_S);
    d->callbacks->on_done(d->owner, tcp, "");
}

void dial_close(struct dial *d)
{
    struct attempt *a;

    d->is_closing = true;
    uv_close((uv_handle_t *)&d->timer, on_timer_closed);
    LIST_FOREACH (a, &d->attempts, link)
        uv_close((uv_handle_t *)a->tcp, on_attempt_closed);
    LIST_INIT(&d->attempts);
    if (d->is_looking_up)
        (void)uv_cancel((uv_req_t *)&d->lookup); /* refused once a thread has begun it */
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct dial *d = sp_container_of((uv_timer_t *)handle, struct dial, timer);

    d->n_open--;
    maybe_closed(d);
}

static void on_attempt_closed(uv_handle_t *handle)
{
    struct attempt *a = handle->data;
    struct dial *d = a->dial;

    free(a->tcp);
    free(a);
    d->n_open--;
    maybe_closed(d);
}
