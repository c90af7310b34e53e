/* Where a command's report goes. */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

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

int report_deliver(struct spool *spool, const char *path)
{
    int err;

    if (path == NULL)
        return cmd_print(spool);
    assert(spool->file == NULL); /* a report is short enough never to be given to spool_added() */
    err = make_parents(path);
    if (err == 0)
        err = sp_file_write(path, sp_buf_str(&spool->text));
    return err < 0 ? cmd_fail("writing %s: %s", path, sp_err_cause(err)) : 0;
}

int report_find_dir(const char *doing, const char *path, struct sp_err *ret_err)
{
    const char *slash = strrchr(path, '/');
    char *dir = sp_strdup(slash == NULL ? "." : slash == path ? "/" : path);
    struct stat st;
    int err;

    if (slash != NULL && slash != path)
        dir[slash - path] = '\0';
    err = stat(dir, &st) < 0 ? -errno : S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
    free(dir);
    if (err < 0)
        sp_err_set(ret_err, "%s %s: %s", doing, path, sp_err_cause(err));
    return err;
}
