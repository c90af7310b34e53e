/* Where a command's report goes. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/sp_file.h"
#include "cmd/cmd.h"
#include "cmd/report.h"

/* Creates the directories of a file. */
static int make_parents(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *parents;
    int err;

    if (slash == NULL || slash == path)
        return 0;
    parents = sp_strdup(path);
    parents[slash - path] = '\0';
    err = sp_file_make_dirs(parents);
    free(parents);
    return err;
}

static int write_file(const char *path, struct spool *spool)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    int err;

    if (file == NULL) {
        err = -errno;
        if (fd >= 0)
            close(fd);
        return err;
    }
    err = spool_print(spool, file);
    if (fclose(file) != 0 && err == 0)
        err = -errno;
    return err;
}

int report_deliver(struct spool *spool, const char *path)
{
    int err;

    if (path == NULL)
        return cmd_print(spool);
    err = make_parents(path);
    if (err == 0)
        err = write_file(path, spool);
    return err < 0 ? cmd_fail("writing %s: %s", path, sp_err_cause(err)) : 0;
}
