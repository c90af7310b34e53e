#pragma once

/*
 * Descriptors read and written on the loop without ever blocking it and without ever setting
 * O_NONBLOCK on an open file that other processes share (a terminal, the host's pipe, a socket that
 * is stdout and stderr at once).
 *
 * What libuv's own streams would do to a shared description rules them out here; readiness still
 * comes from libuv (uv_poll_t), and files go through its file requests.
 *
 * Thread: loop.
 */

#include <stdbool.h>
#include <sys/uio.h>
#include <uv.h>

enum fdesc_kind {
    FDESC_FILE,    /* cannot be polled (regular file, /dev/null, nothing): by uv_fs_* requests */
    FDESC_PRIVATE, /* its open file is ours alone and non-blocking */
    FDESC_SOCKET,  /* shared; every call says MSG_DONTWAIT */
    FDESC_SHARED,  /* shared, cannot be opened anew: asked by poll() first, in small portions */
};

struct fdesc {
    int fd; /* -1: not open; reading and writing fail with EBADF */
    enum fdesc_kind kind;
    bool is_owned; /* closed by fdesc_close() */
};

/*
 * Makes sure that descriptors 0, 1 and 2 are open, by /dev/null where they are not, so that no file
 * opened later takes their place. Called once, first thing.
 *
 * ret_is_open: which of them were open.
 */
void fdesc_plug_standard(bool ret_is_open[3]);

/*
 * Sees to it that no descriptor above 2 that the program was started with reaches a program it
 * starts (close-on-exec).
 */
void fdesc_keep_from_children(void);

/*
 * Describes a descriptor that the program was started with. A pipe or terminal is opened anew
 * through /proc/self/fd, so that the new open file can be non-blocking without anybody noticing.
 *
 * access: O_RDONLY or O_WRONLY, what it will be used for.
 */
struct fdesc fdesc_inherited(int fd, int access);

/* Describes one's own end of a pipe, which it makes non-blocking. */
struct fdesc fdesc_pipe_end(int fd);

/*
 * Starts nothing: initialises the poll handle that reports when the descriptor is ready.
 *
 * fd:      of any kind but FDESC_FILE.
 * Returns: 0 or a negative libuv code; on failure the handle needs no uv_close().
 */
int fdesc_poll_init(uv_loop_t *loop, uv_poll_t *poll, const struct fdesc *fd);

/*
 * Read and write as read() and writev() do, of any kind but FDESC_FILE.
 *
 * Returns: bytes, at most 2 GiB; fdesc_read() 0 at the end, which a terminal's hang-up is too;
 *          UV_EAGAIN when it would have to wait; another negative libuv code on failure.
 *          Interrupted calls are repeated.
 */
ssize_t fdesc_read(const struct fdesc *fd, void *buf, size_t size);
ssize_t fdesc_writev(const struct fdesc *fd, const struct iovec *iov, int n_iov);

/*
 * Closes the descriptor if it is owned; what is left is one that is not open. A poll handle on it
 * must have been given to uv_close() before.
 */
void fdesc_close(struct fdesc *fd);
