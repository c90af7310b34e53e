/* How a flow is served. */

#include <errno.h>

#include "cmd/served.h"
#include "io/oracle_cache.h"

const char *served_decider_name(enum decide_decider decider)
{
    switch (decider) {
    case DECIDE_ARBITER:
        return "arbiter";
    case DECIDE_HABIT:
        return "habit";
    case DECIDE_REACH:
        return "reach";
    }
    return "";
}

int served_decider(const struct flow *flow, int choice, enum decide_decider *ret,
                   struct sp_err *ret_err)
{
    enum decide_decider served = decide_default(flow);
    enum decide_decider decider = choice > 0 ? (enum decide_decider)(choice - 1) : served;

    if (decider == DECIDE_ARBITER && flow->n_folds == 0) {
        sp_err_set(ret_err, "the flow has no arbiter: it is served with --decider %s",
                   served_decider_name(served));
        return -EINVAL;
    }
    if (decider == DECIDE_REACH && !flow->has_reach) {
        sp_err_set(ret_err, "the flow has no reach counts: learn it again to use --decider reach");
        return -EINVAL;
    }
    *ret = decider;
    return 0;
}

int served_ask(void *data, const struct oracle_request *request, struct sp_str *ret_key,
               struct oracle_response *ret, struct sp_err *ret_why)
{
    struct served_oracle *oracle = data;
    struct sp_buf canonical = {0};
    int err;

    oracle_put_request(&canonical, request);
    oracle_key_of(sp_buf_str(&canonical), oracle->key);
    sp_buf_deinit(&canonical);
    *ret_key = (struct sp_str){oracle->key, ORACLE_KEY_LEN};
    if (oracle->is_mock) {
        oracle_mock(request, ret);
        return 0;
    }
    err = oracle_cache_read(oracle->cache, oracle->key, ret, ret_why);
    if (err == ORACLE_CACHE_E_ABSENT) {
        sp_err_set(ret_why, "no cached answer for request %s", oracle->key);
        err = -ENOENT;
    }
    return err;
}
