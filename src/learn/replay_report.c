/* The report on replayed sessions. */

#include "flow/markdown.h"
#include "json/jput.h"
#include "learn/replay_report.h"

void replay_report_put_heading(struct sp_buf *b)
{
    sp_buf_add(b, SP_STR("| Session | Calls | Turns | Lookups | Hits | Detours | Turns saved |\n"
                         "|---|---|---|---|---|---|---|\n"));
}

void replay_report_put_row(struct sp_buf *b, struct sp_str session,
                           const struct replay_counts *counts)
{
    sp_buf_add(b, SP_STR("| "));
    if (session.p != NULL)
        markdown_put_code(b, session);
    else
        sp_buf_add(b, SP_STR("**Total**"));
    sp_buf_addf(b, " | %ju | %ju | %ju | %ju | %ju | %ju |\n", (uintmax_t)counts->calls,
                (uintmax_t)counts->turns, (uintmax_t)counts->lookups, (uintmax_t)counts->hits,
                (uintmax_t)counts->detours, (uintmax_t)counts->saved);
}

void replay_report_put_json(struct sp_buf *b, struct sp_str session,
                            const struct replay_counts *counts)
{
    sp_buf_addf(b, "{\"calls\":%ju,\"detours\":%ju,\"hits\":%ju,\"lookups\":%ju,\"saved\":%ju,",
                (uintmax_t)counts->calls, (uintmax_t)counts->detours, (uintmax_t)counts->hits,
                (uintmax_t)counts->lookups, (uintmax_t)counts->saved);
    sp_buf_add(b, SP_STR("\"session\":"));
    if (session.p != NULL)
        jput_string(b, session);
    else
        sp_buf_add(b, SP_STR("null"));
    sp_buf_addf(b, ",\"turns\":%ju}\n", (uintmax_t)counts->turns);
}
