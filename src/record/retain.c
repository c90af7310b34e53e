/* Deleting old files that stretto wrote. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sp_err.h"
#include "record/retain.h"
#include "trace/sessionid.h"

struct prune {
    enum retain_kind kind;
    struct timespec before; /* files modified before this go */
    uint64_t n_deleted;
};

static bool names_answer(struct sp_str name)
{
    for (size_t i = 0; i < 64; i++)
        if (i >= name.len || memchr("0123456789abcdef", name.p[i], 16) == NULL)
            return false;
    return sp_str_eq(sp_str_sub(name, 64, name.len), SP_STR(".json"));
}

static bool is_ours(const struct prune *p, const char *name)
{
    return p->kind == RETAIN_SESSIONS ? sessionid_names_file(sp_str_of(name))
                                      : names_answer(sp_str_of(name));
}

static bool is_before(struct timespec a, struct timespec b)
{
    return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

static int prune_dir(struct prune *p, int fd);

static int prune_entry(struct prune *p, int dir, const char *name)
{
    struct stat st;

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : -errno;
    if (S_ISDIR(st.st_mode)) {
        int sub = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

        if (sub < 0)
            return errno == ENOENT ? 0 : -errno;
        return prune_dir(p, sub);
    }
    if (!S_ISREG(st.st_mode) || !is_ours(p, name) || !is_before(st.st_mtim, p->before))
        return 0;
    if (unlinkat(dir, name, 0) == 0) {
        p->n_deleted++;
        return 0;
    }
    return errno == ENOENT ? 0 : -errno;
}

/* Closes `fd`. Depth is bounded by the descriptors that may be open, which is an error like any. */
static int prune_dir(struct prune *p, int fd)
{
    DIR *dir = fdopendir(fd);
    int err = 0;

    if (dir == NULL) {
        err = -errno;
        (void)close(fd);
        return err;
    }
    while (err == 0) {
        struct dirent *entry;

        errno = 0;
        entry = readdir(dir);
        if (entry == NULL) {
            err = -errno;
            break;
        }
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            err = prune_entry(p, fd, entry->d_name);
    }
    (void)closedir(dir);
    return err;
}

/* A number of days that reaches back past all time gives the least time there is. */
static struct timespec days_before(struct timespec now, uint64_t days)
{
    if (days > (uint64_t)INT64_MAX / 86400)
        return (struct timespec){.tv_sec = INT64_MIN};
    now.tv_sec -= (int64_t)days * 86400;
    return now;
}

void retain_prune(const char *dir, enum retain_kind kind, uint64_t days, struct timespec now,
                  struct sp_buf *ret_notices)
{
    struct prune p = {.kind = kind, .before = days_before(now, days)};
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;

    if (fd < 0 && errno == ENOENT)
        return;
    err = fd < 0 ? -errno : prune_dir(&p, fd);
    if (p.n_deleted > 0)
        sp_buf_addf(ret_notices, "deleted %" PRIu64 " files older than %" PRIu64 " days from %s\n",
                    p.n_deleted, days, dir);
    if (err < 0)
        sp_buf_addf(ret_notices, "pruning %s: %s\n", dir, sp_err_cause(err));
}
