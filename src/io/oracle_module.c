/* The loadable module "oracle". */

#include <jansson.h>
#include <stdlib.h>

#include "base/sp_log.h"
#include "io/oracle_module.h"

static void init(const char *name)
{
    sp_log_init(name);
    json_set_alloc_funcs(sp_malloc, free);
}

__attribute__((visibility("default"))) const struct oracle_module oracle_module = {
    .version = SP_VERSION,
    .init = init,
    .key_of = oracle_key_of,
    .client_new = oracle_client_new,
    .client_key_error = oracle_client_key_error,
    .client_ask = oracle_client_ask,
    .client_ask_key = oracle_client_ask_key,
    .client_cancel = oracle_client_cancel,
    .client_close = oracle_client_close,
};
