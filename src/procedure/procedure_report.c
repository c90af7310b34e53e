/* A run as JSON. */

#include "json/jindent.h"
#include "json/jput.h"
#include "procedure/procedure_report.h"

static void put_call(struct sp_buf *b, const struct procedure_run_call *call)
{
    sp_buf_add(b, SP_STR("{\"tool\":"));
    jput_string(b, call->tool);
    sp_buf_add(b, SP_STR(",\"arguments\":"));
    sp_buf_add(b, call->arguments);
    sp_buf_addf(b, ",\"failed\":%s}", call->has_failed ? "true" : "false");
}

void procedure_report_put(struct sp_buf *ret, const struct procedure_run_record *run)
{
    struct sp_buf b = {0};

    sp_buf_add(&b, SP_STR("{\"calls\":["));
    for (size_t i = 0; i < run->n_calls; i++) {
        if (i > 0)
            sp_buf_add_char(&b, ',');
        put_call(&b, &run->calls[i]);
    }
    sp_buf_add(&b, SP_STR("],\"check\":"));
    if (run->probe.p == NULL) {
        sp_buf_add(&b, SP_STR("null"));
    } else {
        sp_buf_add_char(&b, '[');
        jput_string(&b, run->probe);
        sp_buf_add_char(&b, ',');
        jput_string(&b, run->outcome);
        sp_buf_add_char(&b, ']');
    }
    sp_buf_addf(&b, ",\"verdict\":\"%s\"}", procedure_run_verdict_name(run->verdict));
    jindent(ret, sp_buf_str(&b));
    sp_buf_add_char(ret, '\n');
    sp_buf_deinit(&b);
}
