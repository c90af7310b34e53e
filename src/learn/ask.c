/* Asking for a decision. */

#include "learn/ask.h"

bool ask_decide(ask_fn ask, void *data, struct decide *d, struct sp_str *ret_key,
                enum decide_outcome *ret)
{
    struct oracle_response response;
    struct sp_err why;

    if (ask(data, decide_request(d), ret_key, &response, &why) < 0) {
        *ret = decide_no_answer(d, why.text);
        return false;
    }
    *ret = decide_answer(d, &response);
    oracle_response_deinit(&response);
    return true;
}
