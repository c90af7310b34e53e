/*
 * Writes a flow file. It is written beside the one it replaces and then takes its name, so that
 * whoever reads meanwhile sees either of them and never a part.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "flow/flow.h"
#include "flow/flowtable.h"

void flow_put(struct sp_buf *b, const struct flow *f)
{
    sp_buf_addf(b, "{\"stretto_flow\":%u", flow_version(f));
    flowjson_put_members(b, &flowtable_flow, f);
    sp_buf_add_char(b, '}');
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

/* Puts the text on disk beside `path`; its name, to be renamed, goes to `ret_name`. */
static int write_beside(const char *path, struct sp_str text, struct sp_buf *ret_name)
{
    int err;
    int fd;

    sp_buf_addf(ret_name, "%s.XXXXXX", path);
    (void)sp_buf_cstr(ret_name); /* for its NUL */
    fd = mkostemp(ret_name->p, O_CLOEXEC);
    if (fd < 0)
        return -errno;
    err = write_all(fd, text);
    if (err == 0 && fsync(fd) < 0)
        err = -errno;
    if (close(fd) < 0 && err == 0)
        err = -errno;
    if (err < 0)
        unlink(ret_name->p);
    return err;
}

static int replace_file(const char *path, struct sp_str text)
{
    struct sp_buf name = {0};
    int err = write_beside(path, text, &name);

    if (err == 0 && rename(name.p, path) < 0) {
        err = -errno;
        unlink(name.p);
    }
    sp_buf_deinit(&name);
    return err;
}

/* A device or a pipe cannot be replaced, but written to. */
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

static int write_file(const char *path, struct sp_str text)
{
    struct stat st;
    char *target; /* of a link, which stays one */
    int err;

    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return write_special(path, text);
    target = realpath(path, NULL);
    err = replace_file(target != NULL ? target : path, text);
    free(target);
    return err;
}

int flow_save(const char *path, const struct flow *f, struct sp_err *ret_err)
{
    struct sp_buf text = {0};
    int err;

    flow_put(&text, f);
    err = write_file(path, sp_buf_str(&text));
    if (err < 0)
        sp_err_set(ret_err, "writing %s: %s", path, sp_err_cause(err));
    sp_buf_deinit(&text);
    return err;
}
