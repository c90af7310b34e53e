/* Writes a flow file. */

#include "base/sp_file.h"
#include "flow/flow.h"
#include "flow/flowtable.h"

void flow_put(struct sp_buf *b, const struct flow *f)
{
    sp_buf_addf(b, "{\"stretto_flow\":%u", flow_version(f));
    flowjson_put_members(b, &flowtable_flow, f);
    sp_buf_add_char(b, '}');
}

int flow_save(const char *path, const struct flow *f, struct sp_err *ret_err)
{
    struct sp_buf text = {0};
    int err;

    flow_put(&text, f);
    err = sp_file_write(path, sp_buf_str(&text));
    if (err < 0)
        sp_err_set(ret_err, "writing %s: %s", path, sp_err_cause(err));
    sp_buf_deinit(&text);
    return err;
}
