/* Where the programs of this project are installed. */

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sp_alloc.h"
#include "base/sp_buf.h"
#include "cmd/programs.h"

/* A buffer's content as a string of its own. */
static char *take(struct sp_buf *b)
{
    (void)sp_buf_cstr(b); /* for its NUL */
    return b->p;
}

static bool is_file(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool programs_is(const char *path)
{
    return is_file(path) && access(path, X_OK) == 0;
}

/* "DIR/NAME", if it is what is looked for. */
static char *find_in(struct sp_str dir, const char *name, bool (*is_it)(const char *path))
{
    struct sp_buf b = {0};
    char *path;

    sp_buf_add(&b, dir.len > 0 ? dir : SP_STR("."));
    if (!sp_str_ends(sp_buf_str(&b), SP_STR("/")))
        sp_buf_add_char(&b, '/');
    sp_buf_add(&b, sp_str_of(name));
    path = is_it(sp_buf_cstr(&b)) ? programs_absolute(b.p) : NULL;
    sp_buf_deinit(&b);
    return path;
}

static char *find_on_path(const char *name, bool (*is_it)(const char *path))
{
    const char *dirs = getenv("PATH");
    char *found = NULL;

    while (dirs != NULL && found == NULL) {
        const char *colon = strchr(dirs, ':');

        found =
            find_in(colon != NULL ? (struct sp_str){dirs, (size_t)(colon - dirs)} : sp_str_of(dirs),
                    name, is_it);
        dirs = colon != NULL ? colon + 1 : NULL;
    }
    return found;
}

char *programs_on_path(const char *name)
{
    return find_on_path(name, programs_is);
}

char *programs_file_on_path(const char *name)
{
    return find_on_path(name, is_file);
}

char *programs_self(void)
{
    return realpath("/proc/self/exe", NULL);
}

char *programs_beside(const char *name)
{
    char *self = programs_self();
    char *slash = self != NULL ? strrchr(self, '/') : NULL;
    char *found = NULL;

    if (slash != NULL)
        found = find_in((struct sp_str){self, (size_t)(slash - self) + 1}, name, programs_is);
    free(self);
    return found;
}

char *programs_absolute(const char *path)
{
    struct sp_buf b = {0};
    char *cwd;

    if (path[0] == '/')
        return sp_strdup(path);
    cwd = getcwd(NULL, 0);
    if (cwd == NULL)
        return NULL;
    sp_buf_add(&b, strcmp(cwd, "/") == 0 ? SP_STR("") : sp_str_of(cwd));
    free(cwd);
    while (*path != '\0') {
        size_t len = strcspn(path, "/");

        if (len > 1 || (len == 1 && path[0] != '.')) {
            sp_buf_add_char(&b, '/');
            sp_buf_add(&b, (struct sp_str){path, len});
        }
        path += len;
        path += strspn(path, "/");
    }
    if (b.len == 0)
        sp_buf_add_char(&b, '/');
    return take(&b);
}
