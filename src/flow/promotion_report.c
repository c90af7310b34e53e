/* The report on a flow's promotion. */

#include "flow/markdown.h"
#include "flow/promotion_report.h"
#include "json/jput.h"

static void put_bar(struct sp_buf *b, const struct flow_promoted *promoted)
{
    sp_buf_add(b, SP_STR("Served at threshold "));
    jput_double(b, promoted->threshold);
    sp_buf_add(b, SP_STR(", a site is promoted if at least "));
    markdown_put_percent(b, promoted->min_used);
    sp_buf_addf(b,
                " of its lookups were used, the lower bound of that share (of a 90%% interval) is "
                "at least %.2f, and its lookups come from at least %ju task%s.\n",
                promoted->min_lower, (uintmax_t)promoted->min_tasks,
                promoted->min_tasks == 1 ? "" : "s");
}

static void put_site(struct sp_buf *b, const struct flow_promoted_site *site)
{
    sp_buf_add(b, SP_STR("| "));
    markdown_put_code(b, site->site);
    sp_buf_addf(b, " | %ju | %ju | ", (uintmax_t)site->decisions, (uintmax_t)site->lookups);
    if (site->lookups > 0) {
        sp_buf_addf(b, "%ju (", (uintmax_t)site->used);
        markdown_put_percent(b, (double)site->used / (double)site->lookups);
        sp_buf_add_char(b, ')');
    } else {
        sp_buf_add(b, SP_STR("—"));
    }
    sp_buf_addf(b, " | %.2f | %ju | %s |\n", site->lower, (uintmax_t)site->tasks,
                site->promoted ? "yes" : "no");
}

void promotion_report_put(struct sp_buf *b, const struct flow_promoted *promoted)
{
    put_bar(b, promoted);
    sp_buf_add(b, SP_STR("\n"
                         "| After | Decisions | Lookups | Used | Lower bound | Tasks | Promoted |\n"
                         "|---|---|---|---|---|---|---|\n"));
    for (size_t i = 0; i < promoted->n_sites; i++)
        put_site(b, &promoted->sites[i]);
}
