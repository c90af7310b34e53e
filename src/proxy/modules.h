#pragma once

/*
 * Loading the modules that a plain session does without.
 */

#include <uv.h>

#include "base/sp_err.h"
#include "io/oracle_module.h"
#include "transport/upstream.h"

/*
 * Loads a module's table. It is looked for beside the program, as in a build directory, and where
 * `meson install` puts it.
 *
 * ret_lib: to be closed by uv_dlclose() when nothing of the module is used any more.
 * Returns: the table; NULL with the cause in ret_err, nothing being open then.
 */
const struct upstream_module *modules_load_upstream(uv_lib_t *ret_lib, struct sp_err *ret_err);

/* The same with the module that asks questions; `option` is what wants it, for the error. */
const struct oracle_module *modules_load_oracle(const char *option, uv_lib_t *ret_lib,
                                                struct sp_err *ret_err);
