/* Descriptors of every kind for tests. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "channel.h"

#define WAIT_MS 10000

static const char *const names[CHANNEL_N_KINDS] = {
    "a pipe", "an inherited pipe", "a socket", "a terminal", "a shared pipe", "a file", "/dev/null",
};

/* Gives the two ends of a fresh channel; the original blocks. */
static void open_ends(enum channel_kind kind, int access, int *ret_original, int *ret_peer)
{
    int ends[2], at = access == O_RDONLY ? 0 : 1;
    char path[64] = "/tmp/stretto-test-XXXXXX";
    struct termios raw;

    switch (kind) {
    case CHANNEL_PIPE:
    case CHANNEL_INHERITED:
    case CHANNEL_SHARED:
        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        *ret_original = ends[at];
        *ret_peer = ends[1 - at];
        return;
    case CHANNEL_SOCKET:
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        *ret_original = ends[0];
        *ret_peer = ends[1];
        return;
    case CHANNEL_PTY:
        *ret_peer = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        assert_true(*ret_peer >= 0 && grantpt(*ret_peer) == 0 && unlockpt(*ret_peer) == 0);
        *ret_original = open(ptsname(*ret_peer), O_RDWR | O_NOCTTY | O_CLOEXEC);
        assert_int_equal(tcgetattr(*ret_original, &raw), 0);
        cfmakeraw(&raw);
        assert_int_equal(tcsetattr(*ret_original, TCSANOW, &raw), 0);
        return;
    case CHANNEL_FILE:
        *ret_peer = mkostemp(path, O_CLOEXEC);
        *ret_original = open(path, access | O_CLOEXEC);
        (void)unlink(path);
        return;
    case CHANNEL_NULL:
    case CHANNEL_N_KINDS:
        *ret_peer = open("/dev/null", O_RDWR | O_CLOEXEC);
        *ret_original = open("/dev/null", access | O_CLOEXEC);
        return;
    }
}

void channel_open(struct channel *c, enum channel_kind kind, int access)
{
    print_message("# %s\n", names[kind]);
    *c = (struct channel){.kind = kind};
    open_ends(kind, access, &c->original, &c->peer);
    assert_true(c->original >= 0 && c->peer >= 0);
    assert_int_equal(fcntl(c->peer, F_SETFL, fcntl(c->peer, F_GETFL) | O_NONBLOCK), 0);
    c->flags = fcntl(c->original, F_GETFL);
    if (kind == CHANNEL_PIPE) {
        c->end = fdesc_pipe_end(c->original);
        c->original = -1;
    } else if (kind == CHANNEL_SHARED) {
        c->end = (struct fdesc){.fd = c->original, .kind = FDESC_SHARED};
    } else {
        c->end = fdesc_inherited(c->original, access);
    }
}

void channel_check_flags(const struct channel *c)
{
    if (c->original >= 0)
        assert_int_equal(fcntl(c->original, F_GETFL), c->flags);
}

void channel_close_peer(struct channel *c)
{
    if (c->peer >= 0)
        (void)close(c->peer);
    c->peer = -1;
}

void channel_close(struct channel *c)
{
    channel_close_peer(c);
    if (c->original >= 0)
        assert_int_equal(close(c->original), 0); /* nobody else has closed it */
    c->original = -1;
}

size_t channel_write(struct channel *c, struct sp_str bytes)
{
    ssize_t n = write(c->peer, bytes.p, bytes.len);

    if (n < 0)
        assert_int_equal(errno, EAGAIN);
    return n > 0 ? (size_t)n : 0;
}

void channel_read(struct channel *c, size_t max, struct sp_buf *ret)
{
    while (max > 0) {
        ssize_t n = read(c->peer, sp_buf_reserve(ret, max), max);

        if (n <= 0)
            return;
        ret->len += (size_t)n;
        max -= (size_t)n;
    }
}

void channel_read_to(struct channel *c, size_t len, struct sp_buf *ret)
{
    while (ret->len < len) {
        struct pollfd p = {.fd = c->peer, .events = POLLIN};
        size_t before = ret->len;

        assert_int_equal(poll(&p, 1, WAIT_MS), 1);
        channel_read(c, len - ret->len, ret);
        assert_true(ret->len > before);
    }
}
