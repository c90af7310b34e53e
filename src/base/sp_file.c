/* Home directories in paths, making directories, reading and writing files. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sp_file.h"

#define READ_SIZE ((size_t)64 * 1024)

char *sp_file_expand(const char *path, const char *home, const char *userprofile)
{
    size_t home_len, rest_len;
    char *full;

    if (path[0] != '~' || (path[1] != '\0' && path[1] != '/'))
        return sp_strdup(path);
    if (home == NULL || home[0] == '\0')
        home = userprofile;
    if (home == NULL || home[0] == '\0')
        return sp_strdup(path);

    home_len = strlen(home);
    rest_len = strlen(path + 1);
    full = sp_malloc(home_len + rest_len + 1);
    memcpy(full, home, home_len);
    memcpy(full + home_len, path + 1, rest_len + 1);
    return full;
}

static int make_dir(const char *path)
{
    struct stat st;

    if (mkdir(path, 0700) == 0)
        return 0;
    if (errno != EEXIST)
        return -errno;
    if (stat(path, &st) < 0)
        return -errno;
    return S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}

int sp_file_make_dirs(const char *path)
{
    char *prefix = sp_strdup(path);
    int err = path[0] != '\0' ? 0 : -ENOENT;

    for (char *p = prefix; err == 0; p++) {
        char end = *p;

        if ((end != '/' && end != '\0') || p == prefix || p[-1] == '/') {
            if (end == '\0')
                break;
            continue;
        }
        *p = '\0';
        err = make_dir(prefix);
        *p = end;
        if (end == '\0')
            break;
    }
    free(prefix);
    return err;
}

int sp_file_read(const char *path, size_t max, struct sp_buf *ret)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    int err = 0;

    if (fd < 0)
        return -errno;
    /* One byte more than a regular file has: then its end is seen without growing the buffer. */
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (size_t)st.st_size < max)
        sp_buf_reserve(ret, (size_t)st.st_size + 1);
    while (max > 0) {
        size_t room = ret->cap > ret->len ? ret->cap - ret->len : READ_SIZE;
        ssize_t n;

        if (room > max)
            room = max;
        n = read(fd, sp_buf_reserve(ret, room), room);
        if (n == 0)
            break;
        if (n < 0 && errno != EINTR) {
            err = -errno;
            break;
        }
        if (n > 0) {
            ret->len += (size_t)n;
            max -= (size_t)n;
        }
    }
    close(fd);
    return err;
}

static int write_all(int fd, struct sp_str text)
{
    while (text.len > 0) {
        ssize_t n = write(fd, text.p, text.len);

        if (n < 0 && errno != EINTR)
            return -errno;
        if (n > 0)
            text = sp_str_sub(text, (size_t)n, text.len);
    }
    return 0;
}

int sp_file_replace(const char *path, struct sp_str text)
{
    const char *slash = strrchr(path, '/');
    size_t dir_len = slash != NULL ? (size_t)(slash + 1 - path) : 0;
    struct sp_buf temporary = {0};
    int err = 0;
    int fd;

    sp_buf_add(&temporary, (struct sp_str){path, dir_len});
    sp_buf_add(&temporary, SP_STR(".stretto-XXXXXX"));
    (void)sp_buf_cstr(&temporary); /* for its NUL */
    fd = mkostemp(temporary.p, O_CLOEXEC);
    if (fd < 0) {
        err = -errno;
    } else {
        err = write_all(fd, text);
        if (err == 0 && fsync(fd) < 0)
            err = -errno;
        if (close(fd) < 0 && err == 0)
            err = -errno;
        if (err == 0 && rename(temporary.p, path) < 0)
            err = -errno;
        if (err < 0)
            unlink(temporary.p);
    }
    sp_buf_deinit(&temporary);
    return err;
}

static int write_special(const char *path, struct sp_str text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    int err;

    if (fd < 0)
        return -errno;
    err = write_all(fd, text);
    if (close(fd) < 0 && err == 0)
        err = -errno;
    return err;
}

int sp_file_write(const char *path, struct sp_str text)
{
    struct stat st;
    char *target;
    int err;

    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return write_special(path, text);
    target = realpath(path, NULL);
    err = sp_file_replace(target != NULL ? target : path, text);
    free(target);
    return err;
}
