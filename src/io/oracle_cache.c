/* Cached answers. */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "base/sp_file.h"
#include "io/oracle_cache.h"

/*
 * How many temporary names are tried. One is taken when another thread is storing the same answer,
 * or a process that had this one's number was killed as it did.
 */
#define MAX_TEMPORARY 1000

bool oracle_cache_is_key(struct sp_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.p[i] == '\0' || strchr("0123456789abcdefABCDEF", text.p[i]) == NULL)
            return false;
    }
    return text.len >= 3;
}

static void put_dir(struct sp_buf *b, const char *dir, const char *key)
{
    assert(oracle_cache_is_key(sp_str_of(key)));
    sp_buf_addf(b, "%s/%.2s", dir, key);
}

static int parse_file(const char *path, struct oracle_response *ret, struct sp_err *ret_err)
{
    struct sp_buf text = {0};
    struct stat st;
    int err = -EINVAL;

    /* A pipe of that name would hold up the session. */
    if (stat(path, &st) < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
        err = sp_file_read(path, ORACLE_CACHE_MAX + 1, &text);
    if (err == -ENOENT || err == -ENOTDIR) {
        err = ORACLE_CACHE_E_ABSENT;
    } else if (err < 0) {
        sp_err_set(ret_err, "%s", sp_err_cause(err));
    } else if (text.len > ORACLE_CACHE_MAX) {
        sp_err_set(ret_err, "it is too large");
        err = -EFBIG;
    } else {
        err = oracle_parse_response(sp_buf_str(&text), ret, ret_err);
    }
    sp_buf_deinit(&text);
    return err;
}

int oracle_cache_read(const char *dir, const char *key, struct oracle_response *ret,
                      struct sp_err *ret_err)
{
    struct sp_buf path = {0};
    int err;

    put_dir(&path, dir, key);
    sp_buf_addf(&path, "/%s.json", key);
    err = parse_file(sp_buf_cstr(&path), ret, ret_err);
    if (err < 0)
        sp_err_prefix(ret_err, "reading the cached answer %s", sp_buf_cstr(&path));
    sp_buf_deinit(&path);
    return err;
}

/* Makes a file of a name that nobody has. Returns a descriptor, or negative. */
static int open_temporary(const char *dir, const char *key, struct sp_buf *ret_path)
{
    int fd = -EEXIST;

    for (unsigned n = 0; fd == -EEXIST && n < MAX_TEMPORARY; n++) {
        uv_fs_t req;

        sp_buf_clear(ret_path);
        put_dir(ret_path, dir, key);
        sp_buf_addf(ret_path, "/%s.tmp%d-%u", key, (int)getpid(), n);
        fd = uv_fs_open(NULL, &req, sp_buf_cstr(ret_path), O_WRONLY | O_CREAT | O_EXCL, 0600, NULL);
        uv_fs_req_cleanup(&req);
    }
    return fd;
}

static int write_all(int fd, struct sp_str text)
{
    while (text.len > 0) {
        uv_buf_t buf = uv_buf_init((char *)text.p, (unsigned)text.len);
        uv_fs_t req;
        int n = uv_fs_write(NULL, &req, fd, &buf, 1, -1, NULL);

        uv_fs_req_cleanup(&req);
        if (n == UV_EINTR)
            continue;
        if (n < 0)
            return n;
        text = sp_str_sub(text, (size_t)n, text.len);
    }
    return 0;
}

/* Ends the file; a network's file system may tell of a full disk only here. */
static int close_file(int fd)
{
    uv_fs_t req;
    int err = uv_fs_close(NULL, &req, fd, NULL);

    uv_fs_req_cleanup(&req);
    return err;
}

static int rename_file(const char *from, const char *to)
{
    uv_fs_t req;
    int err = uv_fs_rename(NULL, &req, from, to, NULL);

    uv_fs_req_cleanup(&req);
    return err;
}

static int store_text(const char *dir, const char *key, const char *path, struct sp_str text)
{
    struct sp_buf temporary = {0};
    int fd = open_temporary(dir, key, &temporary);
    int err = fd, close_err;

    if (fd >= 0) {
        err = write_all(fd, text);
        close_err = close_file(fd);
        if (err == 0)
            err = close_err;
        if (err == 0)
            err = rename_file(sp_buf_cstr(&temporary), path);
        if (err < 0)
            (void)unlink(sp_buf_cstr(&temporary)); /* what failed before is what is told */
    }
    sp_buf_deinit(&temporary);
    return err;
}

int oracle_cache_store(const char *dir, const char *key, const struct oracle_response *response,
                       struct sp_err *ret_err)
{
    struct sp_buf path = {0}, text = {0};
    int err;

    put_dir(&path, dir, key);
    err = sp_file_make_dirs(sp_buf_cstr(&path));
    sp_buf_addf(&path, "/%s.json", key);
    if (err == 0) {
        oracle_put_response(&text, response);
        err = store_text(dir, key, sp_buf_cstr(&path), sp_buf_str(&text));
    }
    if (err < 0)
        sp_err_set(ret_err, "writing the cached answer %s: %s", sp_buf_cstr(&path),
                   sp_err_cause(err));
    sp_buf_deinit(&text);
    sp_buf_deinit(&path);
    return err;
}
