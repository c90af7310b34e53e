/* What a cache of answers holds. */

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#include "io/oracle_cache.h"
#include "io/oracle_cachelist.h"

/* The key that a cached answer's file is named after; empty for another file. */
static struct sp_str key_of(struct sp_str name)
{
    struct sp_str key = {"", 0}, ending = SP_STR(".json");

    if (sp_str_ends(name, ending))
        key = sp_str_sub(name, 0, name.len - ending.len);
    return oracle_cache_is_key(key) ? key : (struct sp_str){"", 0};
}

static void keys_add(struct oracle_cachelist *keys, struct sp_str key)
{
    char *copy = sp_arena_alloc(&keys->arena, key.len + 1);

    memcpy(copy, key.p, key.len);
    if (keys->n == keys->max) {
        keys->max = keys->max > 0 ? 2 * keys->max : 256;
        keys->of = sp_realloc(keys->of, keys->max * sizeof *keys->of);
    }
    keys->of[keys->n++] = copy;
}

typedef int (*entry_fn)(struct oracle_cachelist *keys, const char *dir, struct sp_str name,
                        struct sp_err *ret_err);

/* Gives the entries of a directory; one that is missing, or none, has none. */
static int each_entry(struct oracle_cachelist *keys, const char *path, entry_fn fn,
                      struct sp_err *ret_err)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    int err = 0;

    if (dir == NULL && (errno == ENOENT || errno == ENOTDIR))
        return 0;
    while (dir != NULL && err == 0) {
        errno = 0;
        entry = readdir(dir);
        if (entry == NULL)
            break;
        err = fn(keys, path, sp_str_of(entry->d_name), ret_err);
    }
    if (err == 0 && errno != 0) {
        err = -errno;
        sp_err_set(ret_err, "listing %s: %s", path, sp_err_cause(err));
    }
    if (dir != NULL)
        (void)closedir(dir);
    return err;
}

/* A file is an answer if it is where that of its key has to be. */
static int add_file(struct oracle_cachelist *keys, const char *dir, struct sp_str name,
                    struct sp_err *ret_err)
{
    struct sp_str key = key_of(name);

    (void)ret_err;
    if (key.len > 0 && sp_str_ends(sp_str_of(dir), sp_str_sub(key, 0, 2)))
        keys_add(keys, key);
    return 0;
}

static int add_dir(struct oracle_cachelist *keys, const char *dir, struct sp_str name,
                   struct sp_err *ret_err)
{
    struct sp_buf path = {0};
    int err = 0;

    if (name.len == 2 && isxdigit((unsigned char)name.p[0]) && isxdigit((unsigned char)name.p[1])) {
        sp_buf_addf(&path, "%s/%.*s", dir, SP_STR_ARG(name));
        err = each_entry(keys, sp_buf_cstr(&path), add_file, ret_err);
    }
    sp_buf_deinit(&path);
    return err;
}

int oracle_cachelist_read(const char *dir, struct oracle_cachelist *ret, struct sp_err *ret_err)
{
    int err = each_entry(ret, dir, add_dir, ret_err);

    if (err == 0 && ret->n > 0)
        qsort(ret->of, ret->n, sizeof *ret->of, sp_str_cmp_cstrs);
    return err;
}

void oracle_cachelist_deinit(struct oracle_cachelist *list)
{
    free(list->of);
    sp_arena_deinit(&list->arena);
    *list = (struct oracle_cachelist){0};
}
