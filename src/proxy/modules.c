/* Loading modules. */

#include <string.h>

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
        if (i == 0)
            sp_err_set(ret_err, "%s", uv_dlerror(ret_lib));
        uv_dlclose(ret_lib);
        if (i + 1 == sizeof places / sizeof places[0])
            err = UV_ENOENT;
    }
    if (err == UV_ENOENT)
        sp_err_prefix(ret_err, "it is neither beside the program nor installed");
    sp_buf_deinit(&path);
    return err;
}

const struct upstream_module *modules_load_upstream(uv_lib_t *ret_lib, struct sp_err *ret_err)
{
    const struct upstream_module *module = NULL;
    void *symbol;

    if (open_file(UPSTREAM_FILE, ret_lib, ret_err) < 0) {
        sp_err_prefix(ret_err, "loading the module for --upstream");
        return NULL;
    }
    if (uv_dlsym(ret_lib, UPSTREAM_SYMBOL, &symbol) == 0)
        module = symbol;
    if (module == NULL || strcmp(module->version, SP_VERSION) != 0) {
        sp_err_set(ret_err, "loading the module for --upstream: it is of another version");
        uv_dlclose(ret_lib);
        return NULL;
    }
    return module;
}
