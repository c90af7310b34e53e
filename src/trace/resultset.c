/* The results files that a command line names. */

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "trace/resultset.h"

static void add_file(struct resultset *set, const char *path, const char *domain)
{
    if (set->n_files == set->max_files) {
        set->max_files = set->max_files > 0 ? 2 * set->max_files : 16;
        set->files = sp_realloc(set->files, set->max_files * sizeof *set->files);
    }
    set->files[set->n_files++] = (struct resultset_file){.path = path, .domain = domain};
}

static int fail_reading(const char *path, int err, struct sp_err *ret_err)
{
    sp_err_set(ret_err, "reading %s: %s", path, sp_err_cause(err));
    return err;
}

/* Whether a file's name says that it has results of the domain. */
static bool is_of_domain(const char *name, const char *domain)
{
    static const char *const kinds[] = {"default", "base"};
    bool is_found = false;

    if (!sp_str_ends(sp_str_of(name), SP_STR(".json")))
        return false;
    for (size_t i = 0; i < 2 && !is_found; i++) {
        struct sp_buf part = {0};

        sp_buf_addf(&part, "_%s_%s_", domain, kinds[i]);
        is_found = strstr(name, sp_buf_cstr(&part)) != NULL;
        sp_buf_deinit(&part);
    }
    return is_found;
}

static const char *keep_path(struct resultset *set, const char *dir, const char *name)
{
    struct sp_buf path = {0};
    const char *kept;

    sp_buf_addf(&path, "%s/%s", dir, name);
    sp_buf_add_char(&path, '\0');
    kept = sp_arena_copy(&set->arena, sp_buf_str(&path)).p;
    sp_buf_deinit(&path);
    return kept;
}

static int list_published(struct resultset *set, const char *path, const char *domain,
                          struct sp_err *ret_err)
{
    DIR *dir = opendir(path);
    int err = 0;

    if (dir == NULL)
        return fail_reading(path, -errno, ret_err);
    for (;;) {
        struct dirent *entry;

        errno = 0;
        entry = readdir(dir);
        if (entry == NULL) {
            err = errno != 0 ? fail_reading(path, -errno, ret_err) : 0;
            break;
        }
        if (is_of_domain(entry->d_name, domain))
            add_file(set, keep_path(set, path, entry->d_name), domain);
    }
    (void)closedir(dir);
    return err;
}

static int compare_files(const void *a, const void *b)
{
    const struct resultset_file *x = a;
    const struct resultset_file *y = b;

    return strcmp(x->path, y->path);
}

int resultset_add_published(struct resultset *set, const char *dir, const char *domain,
                            struct sp_err *ret_err)
{
    size_t n_before = set->n_files;
    struct sp_buf path = {0};
    int err;

    sp_buf_addf(&path, "%s/data/tau2/results/final", dir);
    err = list_published(set, sp_buf_cstr(&path), domain, ret_err);
    if (err == 0 && set->n_files == n_before) {
        sp_err_set(ret_err, "no results of %s in %s", domain, sp_buf_cstr(&path));
        err = -ENOENT;
    }
    if (err == 0)
        qsort(set->files + n_before, set->n_files - n_before, sizeof *set->files, compare_files);
    sp_buf_deinit(&path);
    return err;
}

void resultset_add_source(struct resultset *set, const char *source)
{
    const char *equals = strchr(source, '=');

    add_file(set, equals != NULL ? equals + 1 : source, NULL);
}

void resultset_deinit(struct resultset *set)
{
    free(set->files);
    sp_arena_deinit(&set->arena);
    *set = (struct resultset){0};
}
