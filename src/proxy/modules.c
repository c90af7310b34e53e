/* Loading modules. */

#include <string.h>

#include <unistd.h>

#include "base/sp_buf.h"
#include "proxy/modules.h"

/* Where modules are looked for, from the program's directory. */
static const char *const places[] = {"", SP_MODULE_DIR "/"};

/* The program's directory with its last "/". */
static int program_dir(struct sp_buf *ret)
{
    char path[4096];
    size_t size = sizeof path;
    int err = uv_exepath(path, &size);

    if (err < 0)
        return err;
    while (size > 0 && path[size - 1] != '/')
        size--;
    sp_buf_add(ret, (struct sp_str){path, size});
    return 0;
}

static int open_file(const char *file, uv_lib_t *ret_lib, struct sp_err *ret_err)
{
    struct sp_buf path = {0};
    int err = program_dir(&path);
    size_t dir_len = path.len;

    if (err < 0)
        sp_err_set(ret_err, "%s", sp_err_cause(err));
    for (size_t i = 0; err == 0 && i < sizeof places / sizeof places[0]; i++) {
        path.len = dir_len;
        sp_buf_addf(&path, "%s%s", places[i], file);
        if (uv_dlopen(sp_buf_cstr(&path), ret_lib) == 0)
            break;
        /* What is wrong with a file that is there tells more than that another is not. */
        if (i == 0 || access(sp_buf_cstr(&path), F_OK) == 0)
            sp_err_set(ret_err, "%s", uv_dlerror(ret_lib));
        uv_dlclose(ret_lib);
        if (i + 1 == sizeof places / sizeof places[0])
            err = UV_ENOENT;
    }
    if (err == UV_ENOENT)
        sp_err_prefix(ret_err, "it is not beside the program or installed as it has to be");
    sp_buf_deinit(&path);
    return err;
}

/*
 * Loads a module's table, which begins with the version.
 *
 * option: what wants the module, for the error.
 */
static const void *load(const char *file, const char *symbol, const char *option, uv_lib_t *ret_lib,
                        struct sp_err *ret_err)
{
    void *table = NULL;

    if (open_file(file, ret_lib, ret_err) < 0) {
        sp_err_prefix(ret_err, "loading the module for %s", option);
        return NULL;
    }
    if (uv_dlsym(ret_lib, symbol, &table) != 0)
        table = NULL;
    if (table == NULL || strcmp(*(const char *const *)table, SP_VERSION) != 0) {
        sp_err_set(ret_err, "loading the module for %s: it is of another version", option);
        uv_dlclose(ret_lib);
        return NULL;
    }
    return table;
}

const struct upstream_module *modules_load_upstream(uv_lib_t *ret_lib, struct sp_err *ret_err)
{
    return load(UPSTREAM_FILE, UPSTREAM_SYMBOL, "--upstream", ret_lib, ret_err);
}

const struct oracle_module *modules_load_oracle(const char *option, uv_lib_t *ret_lib,
                                                struct sp_err *ret_err)
{
    return load(ORACLE_MODULE_FILE, ORACLE_MODULE_SYMBOL, option, ret_lib, ret_err);
}
