/* Descriptors of every kind, without blocking and without touching what is shared. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "io/fdesc.h"

/* Once poll() has reported room, a pipe takes this much at least without blocking. */
#define SHARED_PORTION 4096

void fdesc_plug_standard(bool ret_is_open[3])
{
    for (int fd = 0; fd <= 2; fd++) {
        ret_is_open[fd] = fcntl(fd, F_GETFD) >= 0;
        if (!ret_is_open[fd])
            (void)open("/dev/null", O_RDWR); /* the lowest free number: this one */
    }
}

static void set_cloexec(int fd)
{
    int flags = fcntl(fd, F_GETFD);

    if (flags >= 0 && (flags & FD_CLOEXEC) == 0)
        (void)fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
}

void fdesc_keep_from_children(void)
{
    DIR *dir = opendir("/proc/self/fd");
    struct dirent *entry;

    if (dir == NULL) {
        for (int fd = 3, end = (int)sysconf(_SC_OPEN_MAX); fd < end; fd++)
            set_cloexec(fd);
        return;
    }
    while ((entry = readdir(dir)) != NULL) {
        int fd = (int)strtol(entry->d_name, NULL, 10); /* "." and ".." give 0 */

        if (fd > 2)
            set_cloexec(fd);
    }
    closedir(dir);
}

/*
 * Whether an open file can be had anew. Not a terminal's master: that would be another terminal.
 * Not a FIFO of the file system for reading: one opened after its writers have gone does not show
 * the end to a poll.
 */
static bool can_reopen(int fd, mode_t mode, int access)
{
    struct statfs fs;
    unsigned number;

    if (S_ISFIFO(mode))
        return access == O_WRONLY || (fstatfs(fd, &fs) == 0 && fs.f_type == PIPEFS_MAGIC);
    return ioctl(fd, TIOCGPTN, &number) < 0;
}

static struct fdesc reopened(int fd, int access)
{
    char path[32];
    int own;

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    own = open(path, access | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (own < 0)
        return (struct fdesc){.fd = fd, .kind = FDESC_SHARED};
    return (struct fdesc){.fd = own, .kind = FDESC_PRIVATE, .is_owned = true};
}

struct fdesc fdesc_inherited(int fd, int access)
{
    int flags = fcntl(fd, F_GETFL);
    struct stat st;

    /* Opening a pipe anew could give access that the descriptor never had. */
    if (flags < 0 || fstat(fd, &st) < 0 ||
        ((flags & O_ACCMODE) != O_RDWR && (flags & O_ACCMODE) != access))
        return (struct fdesc){.fd = -1, .kind = FDESC_FILE};
    if (S_ISSOCK(st.st_mode))
        return (struct fdesc){.fd = fd, .kind = FDESC_SOCKET};
    if (S_ISFIFO(st.st_mode) || (S_ISCHR(st.st_mode) && isatty(fd)))
        return can_reopen(fd, st.st_mode, access) ? reopened(fd, access)
                                                  : (struct fdesc){.fd = fd, .kind = FDESC_SHARED};
    return (struct fdesc){.fd = fd, .kind = FDESC_FILE};
}

struct fdesc fdesc_pipe_end(int fd)
{
    (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    return (struct fdesc){.fd = fd, .kind = FDESC_PRIVATE, .is_owned = true};
}

int fdesc_poll_init(uv_loop_t *loop, uv_poll_t *poll, const struct fdesc *fd)
{
    int flags = fcntl(fd->fd, F_GETFL);
    int err = uv_poll_init(loop, poll, fd->fd);

    /* uv_poll_init() sets O_NONBLOCK; what is shared gets its flags back at once. */
    if (fd->kind != FDESC_PRIVATE && flags >= 0)
        (void)fcntl(fd->fd, F_SETFL, flags);
    return err;
}

/* Whether a shared descriptor can be used now without waiting, or has failed. */
static bool is_ready(int fd, short events)
{
    struct pollfd p = {.fd = fd, .events = events};

    return poll(&p, 1, 0) > 0;
}

static ssize_t result(ssize_t n)
{
    if (n >= 0)
        return n;
    return errno == EWOULDBLOCK ? UV_EAGAIN : uv_translate_sys_error(errno);
}

/*
 * Whether a failed read means that nobody holds the other end of a terminal any more. Until Linux
 * has hung up a terminal whose master is closed, and always at a master without a slave, that is an
 * EIO; a job in the background gets the same error from a terminal that is in use.
 */
static bool is_hung_up(int fd, int err)
{
    struct pollfd p = {.fd = fd};

    return err == UV_EIO && poll(&p, 1, 0) > 0 && (p.revents & POLLHUP) != 0;
}

ssize_t fdesc_read(const struct fdesc *fd, void *buf, size_t size)
{
    ssize_t n;

    if (fd->kind == FDESC_SHARED && !is_ready(fd->fd, POLLIN))
        return UV_EAGAIN;
    do {
        n = fd->kind == FDESC_SOCKET ? recv(fd->fd, buf, size, MSG_DONTWAIT)
                                     : read(fd->fd, buf, size);
    } while (n < 0 && errno == EINTR);
    n = result(n);
    return n < 0 && is_hung_up(fd->fd, (int)n) ? 0 : n;
}

ssize_t fdesc_writev(const struct fdesc *fd, const struct iovec *iov, int n_iov)
{
    struct msghdr message = {.msg_iov = (struct iovec *)iov, .msg_iovlen = (size_t)n_iov};
    struct iovec portion = iov[0];
    ssize_t n;

    if (fd->kind == FDESC_SHARED) {
        if (!is_ready(fd->fd, POLLOUT))
            return UV_EAGAIN;
        if (portion.iov_len > SHARED_PORTION)
            portion.iov_len = SHARED_PORTION;
    }
    do {
        if (fd->kind == FDESC_SOCKET)
            n = sendmsg(fd->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
        else if (fd->kind == FDESC_SHARED)
            n = write(fd->fd, portion.iov_base, portion.iov_len);
        else
            n = writev(fd->fd, iov, n_iov);
    } while (n < 0 && errno == EINTR);
    return result(n);
}

void fdesc_close(struct fdesc *fd)
{
    if (fd->is_owned && fd->fd >= 0)
        (void)close(fd->fd); /* nothing was buffered, so nothing can be lost here */
    *fd = (struct fdesc){.fd = -1, .kind = FDESC_FILE};
}
