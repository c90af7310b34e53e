/* The loadable module "upstream". */

#include "base/sp_log.h"
#include "transport/upstream.h"

__attribute__((visibility("default"))) const struct upstream_module upstream_module = {
    .version = SP_VERSION,
    .log_init = sp_log_init,
    .transport_new = transport_http_new,
};
