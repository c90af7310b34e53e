/* Home directories in paths, and making directories. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/sp_file.h"

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
