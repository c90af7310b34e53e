/* A flow shown to a reviewer. */

#include "flow/flowshow.h"
#include "flow/flowshow_parts.h"
#include "flow/markdown.h"
#include "flow/program_text.h"
#include "flow/promotion_report.h"
#include "flow/verdict.h"
#include "json/jput.h"

/* How many of a site's next actions are shown. */
#define MAX_ACTIONS 4

void flowshow_put_heading(struct sp_buf *b, const char *heading)
{
    sp_buf_addf(b, "\n## %s\n\n", heading);
}

/* ---- the head ---- */

static void put_origin(struct sp_buf *b, const struct flow *f)
{
    const struct flow_provenance *p = &f->provenance;

    sp_buf_add(b, SP_STR("- Written by stretto "));
    markdown_put_text(b, p->stretto);
    sp_buf_add(b, SP_STR("; sources: "));
    for (size_t i = 0; i < p->n_sources; i++) {
        if (i > 0)
            sp_buf_add(b, SP_STR(", "));
        markdown_put_text(b, p->sources[i]);
    }
    sp_buf_addf(b, "%s.\n- Habit: learned from ", p->n_sources > 0 ? "" : "none");
    markdown_put_count(b, p->habit_episodes);
    sp_buf_addf(b, " session%s.\n", p->habit_episodes == 1 ? "" : "s");
}

static void put_head(struct sp_buf *b, const struct flow *f)
{
    sp_buf_add(b, SP_STR("# Flow: "));
    markdown_put_text(b, f->domain);
    sp_buf_add(b, SP_STR("\n\n"));
    put_origin(b, f);
    if (f->n_folds > 0) {
        sp_buf_add(b, SP_STR("- Arbiter: fitted to "));
        markdown_put_count(b, f->provenance.arbiter_cases);
        sp_buf_addf(b, " decision%s; asks ", f->provenance.arbiter_cases == 1 ? "" : "s");
        markdown_put_code(b, f->model);
        sp_buf_add(b, SP_STR(".\n"));
    } else {
        sp_buf_add(b, SP_STR("- Arbiter: none.\n"));
    }
    sp_buf_addf(b, "- Reach: %s of what came before the next write.\n",
                f->has_reach ? "holds counts" : "holds no counts");
}

/* ---- tools ---- */

static void put_kind(struct sp_buf *b, const struct flow *f, enum manifest_kind kind,
                     const char *title)
{
    size_t n = 0;

    for (size_t i = 0; i < f->n_kinds; i++) {
        if (f->kinds[i].kind != kind)
            continue;
        sp_buf_addf(b, "%s", n++ == 0 ? title : ", ");
        markdown_put_code(b, f->kinds[i].name);
    }
    if (n > 0)
        sp_buf_add_char(b, '\n');
}

static void put_tools(struct sp_buf *b, const struct flow *f)
{
    flowshow_put_heading(b, "Tools");
    put_kind(b, f, MANIFEST_READ, "- Read, the only ones the flow may call: ");
    put_kind(b, f, MANIFEST_WRITE, "- Write: ");
    put_kind(b, f, MANIFEST_GENERIC, "- Neither: ");
}

/* ---- the program ---- */

static void put_run(struct sp_buf *b, const struct flow *f)
{
    flowshow_put_heading(b, "Run");
    if (f->has_standard_program)
        sp_buf_add(b, SP_STR("The standard run after each of the agent's calls.\n"));
    else
        sp_buf_add(b, SP_STR("**Not the standard run: review when it decides and looks up.**\n"));
    sp_buf_add(b, SP_STR("\n```text\n"));
    program_text_put(b, f->program);
    sp_buf_add(b, SP_STR("```\n"));
}

/* ---- sites ---- */

static void put_site_notes(struct sp_buf *b, const struct flow *f)
{
    if (f->sites.every_read)
        sp_buf_add(b, SP_STR("Every read tool is offered at every site.\n\n"));
    if (f->n_thresholds > 0) {
        markdown_put_count(b, f->n_thresholds);
        sp_buf_addf(b, " site%s of %s own.\n\n",
                    f->n_thresholds == 1 ? " has a threshold" : "s have thresholds",
                    f->n_thresholds == 1 ? "its" : "their");
    }
}

static void put_lookups(struct sp_buf *b, const struct flow_tallies *lookups)
{
    for (size_t i = 0; i < lookups->n; i++) {
        if (i > 0)
            sp_buf_add(b, SP_STR(", "));
        markdown_put_code(b, lookups->of[i].name);
        sp_buf_add(b, SP_STR(" ("));
        markdown_put_count(b, lookups->of[i].n);
        sp_buf_add_char(b, ')');
    }
}

static void put_shares(struct sp_buf *b, const struct flow *f, const struct flow_next *site)
{
    struct sp_arena arena = {0};
    struct verdict_shares shares = verdict_shares(f, site->tool, site->failed, &arena);

    if (shares.n == 0)
        sp_buf_add(b, SP_STR("—"));
    for (size_t i = 0; i < shares.n && i < MAX_ACTIONS; i++) {
        if (i > 0)
            sp_buf_add(b, SP_STR(", "));
        markdown_put_text(b, shares.of[i].action);
        sp_buf_add_char(b, ' ');
        markdown_put_percent(b, shares.of[i].share);
    }
    sp_buf_add(b, SP_STR(" (of "));
    markdown_put_real_count(b, shares.total);
    sp_buf_add_char(b, ')');
    sp_arena_deinit(&arena);
}

static void put_site(struct sp_buf *b, const struct flow *f, const struct flow_next *site,
                     double threshold)
{
    struct verdict v = verdict_of(f, site->tool, site->failed, threshold);

    sp_buf_add(b, SP_STR("| "));
    verdict_put_site(b, site->tool, site->failed);
    sp_buf_add(b, SP_STR(" | "));
    put_lookups(b, &site->lookups);
    sp_buf_add(b, SP_STR(" | "));
    put_shares(b, f, site);
    sp_buf_add(b, SP_STR(" | "));
    verdict_put(b, &v);
    sp_buf_add(b, SP_STR(" |\n"));
}

static void put_sites(struct sp_buf *b, const struct flow *f, double threshold)
{
    bool is_empty = true;

    flowshow_put_heading(b, "Sites");
    put_site_notes(b, f);
    for (size_t i = 0; i < f->sites.n_next; i++) {
        if (f->sites.next[i].lookups.n == 0)
            continue;
        if (is_empty)
            sp_buf_add(b, SP_STR("| After | Lookups | Next in training | By habit alone |\n"
                                 "|---|---|---|---|\n"));
        is_empty = false;
        put_site(b, f, &f->sites.next[i], threshold);
    }
    if (is_empty)
        sp_buf_add(b, SP_STR("No lookup followed any call in training.\n"));
}

/* ---- code features ---- */

static size_t count_features(const struct flow *f, struct sp_str tool)
{
    size_t n = 0;

    for (size_t i = 0; i < f->n_features; i++)
        n += sp_str_eq(f->features[i].tool, tool);
    return n;
}

void flowshow_put_fields(struct sp_buf *b, const struct flow_fields *fields)
{
    for (size_t i = 0; i < fields->n; i++) {
        sp_buf_addf(b, "%s%s", i > 0 ? ", " : "", fields->of[i].is_len ? "number in " : "");
        if (fields->of[i].path.len > 0)
            markdown_put_code(b, fields->of[i].path);
        else
            sp_buf_add(b, SP_STR("the output"));
    }
}

static void put_features(struct sp_buf *b, const struct flow *f)
{
    if (f->n_fields == 0)
        return;
    flowshow_put_heading(b, "Code features");
    sp_buf_add(b, SP_STR("| Tool | Fields | Combinations of values |\n|---|---|---|\n"));
    for (size_t i = 0; i < f->n_fields; i++) {
        const struct flow_fields *fields = &f->fields[i];

        sp_buf_add(b, SP_STR("| "));
        markdown_put_code(b, fields->tool);
        sp_buf_add(b, SP_STR(" | "));
        flowshow_put_fields(b, fields);
        sp_buf_add(b, SP_STR(" | "));
        markdown_put_count(b, count_features(f, fields->tool));
        sp_buf_add(b, SP_STR(" |\n"));
    }
}

static void put_promotion(struct sp_buf *b, const struct flow *f)
{
    if (!f->is_promoted)
        return;
    flowshow_put_heading(b, "Promotion");
    promotion_report_put(b, &f->promoted);
}

void flowshow_put(struct sp_buf *b, const struct flow *f, double threshold)
{
    put_head(b, f);
    put_tools(b, f);
    put_run(b, f);
    put_sites(b, f, threshold);
    put_promotion(b, f);
    flowshow_put_bindings(b, f);
    flowshow_put_constants(b, f);
    flowshow_put_site_sources(b, f);
    flowshow_put_contracts(b, f);
    put_features(b, f);
    flowshow_put_arbiter(b, f);
}
