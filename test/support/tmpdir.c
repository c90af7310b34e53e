/* Directories for tests. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "tmpdir.h"

char *tmpdir_new(void)
{
    const char *base = getenv("TMPDIR");
    char *dir = tmpdir_path(base != NULL ? base : "/tmp", "stretto-test-XXXXXX");

    assert_non_null(mkdtemp(dir));
    return dir;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

void tmpdir_remove(char *dir)
{
    assert_int_equal(nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
    free(dir);
}

char *tmpdir_path(const char *dir, const char *name)
{
    struct sp_buf path = {0};

    sp_buf_addf(&path, "%s/%s", dir, name);
    (void)sp_buf_cstr(&path);
    return path.p;
}

void tmpdir_touch(const char *path)
{
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    (void)close(fd);
}

struct sp_buf tmpdir_read(const char *path)
{
    struct sp_buf text = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n;

    assert_true(fd >= 0);
    while ((n = read(fd, sp_buf_reserve(&text, 65536), 65536)) > 0)
        text.len += (size_t)n;
    assert_int_equal(n, 0);
    (void)close(fd);
    return text;
}
