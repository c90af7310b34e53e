/* The session logs that a command line names. */

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/sp_alloc.h"
#include "trace/sessionlog.h"
#include "trace/sessionset.h"

/* The paths of a directory's logs, in the set's arena. */
struct paths {
    const char **p;
    size_t n;
    size_t max;
};

/* A log with its place among all, by which logs of one session keep their order. */
struct placed {
    struct sessionset_log log;
    size_t place;
};

static int fail_reading(const char *path, int err, struct sp_err *ret_err)
{
    sp_err_set(ret_err, "reading %s: %s", path, sp_err_cause(err));
    return err;
}

bool sessionset_is_log(struct sp_str name)
{
    return sp_str_ends(name, SP_STR(".jsonl")) && !sp_str_ends(name, SP_STR(".flow.jsonl")) &&
           !sp_str_ends(name, SP_STR(".confirm.jsonl"));
}

static const char *keep_path(struct sessionset *set, struct sp_str path)
{
    char *copy = sp_arena_alloc(&set->arena, path.len + 1);

    memcpy(copy, path.p, path.len);
    return copy;
}

/* Adds one log, `path` being in the arena; there is room for it. */
static int add_log(struct sessionset *set, const char *path, struct sp_err *ret_err)
{
    struct sessionlog log;
    int err = sessionlog_read_header(path, &log, ret_err);

    if (err < 0)
        return err;
    set->logs[set->n_logs++] = (struct sessionset_log){
        .path = path,
        .session = sp_arena_copy(&set->arena, log.header.session),
        .started_unix_ms = log.header.started_unix_ms,
    };
    sessionlog_deinit(&log);
    return 0;
}

/* Makes room for `n` more logs. */
static void reserve(struct sessionset *set, size_t n)
{
    if (n > 0)
        set->logs = sp_realloc(set->logs, (set->n_logs + n) * sizeof *set->logs);
}

/* Adds the path of a directory's entry, if that is a log. */
static int add_path(struct sessionset *set, struct paths *paths, const char *dir, const char *name,
                    struct sp_err *ret_err)
{
    struct sp_buf path = {0};
    struct stat st;
    int err = 0;

    if (!sessionset_is_log(sp_str_of(name)))
        return 0;
    sp_buf_addf(&path, "%s%s%s", dir, sp_str_ends(sp_str_of(dir), SP_STR("/")) ? "" : "/", name);
    if (stat(sp_buf_cstr(&path), &st) < 0) {
        err = fail_reading(sp_buf_cstr(&path), -errno, ret_err);
    } else if (S_ISREG(st.st_mode)) {
        if (paths->n == paths->max) {
            paths->max = paths->max > 0 ? 2 * paths->max : 64;
            paths->p = sp_realloc(paths->p, paths->max * sizeof *paths->p);
        }
        paths->p[paths->n++] = keep_path(set, sp_buf_str(&path));
    }
    sp_buf_deinit(&path);
    return err;
}

static int list_dir(struct sessionset *set, const char *path, struct paths *ret_paths,
                    struct sp_err *ret_err)
{
    DIR *dir = opendir(path);
    int err = 0;

    if (dir == NULL)
        return fail_reading(path, -errno, ret_err);
    while (err == 0) {
        struct dirent *entry;

        errno = 0;
        entry = readdir(dir);
        if (entry == NULL) {
            err = errno != 0 ? fail_reading(path, -errno, ret_err) : 0;
            break;
        }
        err = add_path(set, ret_paths, path, entry->d_name, ret_err);
    }
    (void)closedir(dir);
    return err;
}

static int add_dir(struct sessionset *set, const char *path, struct sp_err *ret_err)
{
    struct paths paths = {0};
    int err = list_dir(set, path, &paths, ret_err);

    if (err == 0 && paths.n > 0) {
        qsort(paths.p, paths.n, sizeof *paths.p, sp_str_cmp_cstrs);
        reserve(set, paths.n);
    }
    for (size_t i = 0; i < paths.n && err == 0; i++)
        err = add_log(set, paths.p[i], ret_err);
    free(paths.p);
    return err;
}

int sessionset_add(struct sessionset *set, const char *path, struct sp_err *ret_err)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return fail_reading(path, -errno, ret_err);
    if (S_ISDIR(st.st_mode))
        return add_dir(set, path, ret_err);
    if (!S_ISREG(st.st_mode)) {
        sp_err_set(ret_err, "reading %s: not a regular file", path);
        return -EINVAL;
    }
    reserve(set, 1);
    return add_log(set, keep_path(set, sp_str_of(path)), ret_err);
}

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a;
    const struct placed *y = b;
    int c = sp_str_cmp(x->log.session, y->log.session);

    return c != 0 ? c : (x->place > y->place) - (x->place < y->place);
}

void sessionset_sort(struct sessionset *set)
{
    struct placed *placed;

    if (set->n_logs == 0)
        return;
    placed = sp_malloc(set->n_logs * sizeof *placed);
    for (size_t i = 0; i < set->n_logs; i++)
        placed[i] = (struct placed){.log = set->logs[i], .place = i};
    qsort(placed, set->n_logs, sizeof *placed, compare_placed);
    for (size_t i = 0; i < set->n_logs; i++)
        set->logs[i] = placed[i].log;
    free(placed);
}

void sessionset_deinit(struct sessionset *set)
{
    free(set->logs);
    sp_arena_deinit(&set->arena);
    *set = (struct sessionset){0};
}
