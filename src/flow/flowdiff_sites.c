/* What changed at the sites of a flow. */

#include <stdlib.h>

#include "flow/flowdiff_parts.h"
#include "flow/markdown.h"
#include "flow/verdict.h"
#include "json/jput.h"

#define FAILED SP_STR(" (error)")

/* ---- the sites of either flow ---- */

static void add_site(struct flowdiff *d, struct sp_str tool, bool failed)
{
    struct sp_buf name = {0};

    sp_buf_add(&name, tool);
    if (failed)
        sp_buf_add(&name, FAILED);
    d->sites[d->n_sites++] =
        (struct flowdiff_site){tool, failed, sp_arena_copy(&d->arena, sp_buf_str(&name))};
    sp_buf_deinit(&name);
}

static void add_both_sites(struct flowdiff *d, struct sp_str tool)
{
    add_site(d, tool, false);
    add_site(d, tool, true);
}

/* Adds the site of a name; what ends as that of a failed call does is taken for one. */
static void add_named_site(struct flowdiff *d, struct sp_str name)
{
    bool failed = sp_str_ends(name, FAILED);

    add_site(d, sp_str_sub(name, 0, name.len - (failed ? FAILED.len : 0)), failed);
}

static size_t max_sites(const struct flow *f)
{
    return f->sites.n_next + f->n_thresholds + f->promoted.n_sites +
           (f->sites.every_read ? 2 * (f->n_kinds + f->n_actions) : 0);
}

static void add_sites(struct flowdiff *d, const struct flow *f)
{
    for (size_t i = 0; i < f->sites.n_next; i++)
        add_site(d, f->sites.next[i].tool, f->sites.next[i].failed);
    for (size_t i = 0; i < f->n_thresholds; i++)
        add_named_site(d, f->thresholds[i].site);
    for (size_t i = 0; i < f->promoted.n_sites; i++)
        add_named_site(d, f->promoted.sites[i].site);
    if (!f->sites.every_read)
        return;
    for (size_t i = 0; i < f->n_kinds; i++)
        add_both_sites(d, f->kinds[i].name);
    for (size_t i = 1; i < f->n_actions; i++)
        add_both_sites(d, f->actions[i]);
}

static int cmp_sites(const void *a, const void *b)
{
    const struct flowdiff_site *x = a;
    const struct flowdiff_site *y = b;
    int c = sp_str_cmp(x->tool, y->tool);

    return c != 0 ? c : (int)x->failed - (int)y->failed;
}

void flowdiff_find_sites(struct flowdiff *d)
{
    size_t max = max_sites(d->old_flow) + max_sites(d->new_flow);
    size_t n = 0;

    d->sites = sp_arena_alloc(&d->arena, max * sizeof *d->sites);
    add_sites(d, d->old_flow);
    add_sites(d, d->new_flow);
    if (d->n_sites > 0)
        qsort(d->sites, d->n_sites, sizeof *d->sites, cmp_sites);
    for (size_t i = 0; i < d->n_sites; i++) {
        if (n == 0 || cmp_sites(&d->sites[n - 1], &d->sites[i]) != 0)
            d->sites[n++] = d->sites[i];
    }
    d->n_sites = n;
}

/* Whether a flow offers any lookup at a site, behind a call of a tool that it knows. */
static bool has_site(const struct flow *f, const struct flowdiff_site *site)
{
    const struct flow_next *next = flow_next_of(f, site->tool, site->failed);

    if (next != NULL && next->lookups.n > 0)
        return true;
    return f->sites.every_read &&
           (flow_kind_of(f, site->tool) != NULL || flow_action(f, site->tool) < f->n_actions);
}

static bool is_in_both(const struct flowdiff *d, const struct flowdiff_site *site)
{
    return has_site(d->old_flow, site) && has_site(d->new_flow, site);
}

/* Begins a change at a site. */
static struct sp_buf *begin_after(struct flowdiff *d, const struct flowdiff_site *site)
{
    struct sp_buf *b = flowdiff_begin(d);

    sp_buf_add(b, SP_STR("After "));
    verdict_put_site(b, site->tool, site->failed);
    return b;
}

/* ---- lookups ---- */

static bool is_offered(const struct flow *f, const struct flowdiff_site *site, struct sp_str lookup)
{
    const struct flow_next *next = flow_next_of(f, site->tool, site->failed);

    if (f->sites.every_read)
        return flow_read_of(f, lookup) < f->sites.n_reads;
    return next != NULL && flow_tally_of(&next->lookups, lookup) != NULL;
}

static void add_lookups(struct flowdiff *d, struct flowdiff_names *names, const struct flow *f,
                        const struct flowdiff_site *site)
{
    const struct flow_next *next = flow_next_of(f, site->tool, site->failed);

    for (size_t i = 0; next != NULL && i < next->lookups.n; i++)
        flowdiff_names_add(d, names, next->lookups.of[i].name);
}

static void compare_lookups(struct flowdiff *d, const struct flowdiff_site *site)
{
    struct flowdiff_names names = {0};

    add_lookups(d, &names, d->old_flow, site);
    add_lookups(d, &names, d->new_flow, site);
    flowdiff_names_sort(&names);
    for (size_t i = 0; i < names.n; i++) {
        bool is_now = is_offered(d->new_flow, site, names.of[i]);
        struct sp_buf *b;

        if (is_offered(d->old_flow, site, names.of[i]) == is_now)
            continue;
        b = begin_after(d, site);
        sp_buf_add(b, SP_STR(": "));
        markdown_put_code(b, names.of[i]);
        sp_buf_add(b, is_now ? SP_STR(" newly offered") : SP_STR(" no longer offered"));
        flowdiff_end(d, is_now ? FLOWDIFF_REVIEW : FLOWDIFF_NOTE);
    }
}

static void compare_every_read(struct flowdiff *d)
{
    bool is_now = d->new_flow->sites.every_read;
    struct sp_buf *b;

    if (d->old_flow->sites.every_read == is_now)
        return;
    b = flowdiff_begin(d);
    sp_buf_add(b, is_now ? SP_STR("Every read tool is offered at every site now")
                         : SP_STR("Every read tool is offered at every site no longer"));
    flowdiff_end(d, is_now ? FLOWDIFF_REVIEW : FLOWDIFF_NOTE);
}

/* ---- whether it acts ---- */

/* Why a flow hands back at a site, whatever it expects there; NULL if it acts. */
static const char *why_not(const struct flow *f, const struct flowdiff_site *site)
{
    const struct flow_threshold *own = flow_threshold_of(f, site->name);
    const struct flow_promoted_site *promoted = flow_promoted_of(f, site->name);

    if (own != NULL && own->threshold > 1)
        return "switched off";
    if (f->is_promoted && (promoted == NULL || !promoted->promoted))
        return "not promoted";
    return NULL;
}

static void compare_acting(struct flowdiff *d, const struct flowdiff_site *site)
{
    const char *from = why_not(d->old_flow, site);
    const char *to = why_not(d->new_flow, site);

    if (!is_in_both(d, site) || (from == NULL) == (to == NULL))
        return;
    if (to == NULL)
        sp_buf_addf(begin_after(d, site), ": acts now, where it handed back (%s)", from);
    else
        sp_buf_addf(begin_after(d, site), ": acts no longer (%s)", to);
    flowdiff_end(d, to == NULL ? FLOWDIFF_REVIEW : FLOWDIFF_NOTE);
}

/* ---- thresholds ---- */

#define OFF "off"

static void put_threshold(struct sp_buf *b, double threshold)
{
    if (threshold > 1)
        sp_buf_add(b, SP_STR(OFF));
    else
        sp_buf_addf(b, "%.2f", threshold);
}

/* Appends both, in full where two decimals do not tell them apart. */
static void put_thresholds(struct sp_buf *b, double from, double to)
{
    struct sp_buf x = {0};
    struct sp_buf y = {0};

    put_threshold(&x, from);
    put_threshold(&y, to);
    if (sp_str_eq(sp_buf_str(&x), sp_buf_str(&y))) {
        sp_buf_clear(&x);
        sp_buf_clear(&y);
        jput_double(&x, from);
        jput_double(&y, to);
    }
    sp_buf_add(b, sp_buf_str(&x));
    sp_buf_add(b, SP_STR(" → "));
    sp_buf_add(b, sp_buf_str(&y));
    sp_buf_deinit(&x);
    sp_buf_deinit(&y);
}

static void compare_threshold(struct flowdiff *d, const struct flowdiff_site *site)
{
    const struct flow_threshold *from = flow_threshold_of(d->old_flow, site->name);
    const struct flow_threshold *to = flow_threshold_of(d->new_flow, site->name);
    struct sp_buf *b;

    if (from == NULL && to == NULL)
        return;
    if (from != NULL && to != NULL &&
        (from->threshold == to->threshold || (from->threshold > 1 && to->threshold > 1)))
        return;
    b = begin_after(d, site);
    if (from == NULL) {
        sp_buf_add(b, SP_STR(": own threshold set: "));
        put_threshold(b, to->threshold);
    } else if (to == NULL) {
        sp_buf_add(b, SP_STR(": own threshold lifted: "));
        put_threshold(b, from->threshold);
    } else {
        sp_buf_add(b, SP_STR(": own threshold changed: "));
        put_thresholds(b, from->threshold, to->threshold);
    }
    flowdiff_end(d, FLOWDIFF_NOTE);
}

void flowdiff_sites(struct flowdiff *d)
{
    for (size_t i = 0; i < d->n_sites; i++)
        compare_lookups(d, &d->sites[i]);
    compare_every_read(d);
    for (size_t i = 0; i < d->n_sites; i++)
        compare_acting(d, &d->sites[i]);
    for (size_t i = 0; i < d->n_sites; i++)
        compare_threshold(d, &d->sites[i]);
}

/* ---- the habit alone ---- */

static bool is_same_verdict(const struct verdict *a, const struct verdict *b)
{
    bool clears = a->kind == VERDICT_LOOKS_UP;

    if (clears != (b->kind == VERDICT_LOOKS_UP))
        return false;
    return !clears || sp_str_eq(a->lookup, b->lookup);
}

static void compare_verdicts(struct flowdiff *d, const struct flowdiff_site *site)
{
    double threshold = d->options->threshold;
    struct verdict from = verdict_of(d->old_flow, site->tool, site->failed, threshold);
    struct verdict to = verdict_of(d->new_flow, site->tool, site->failed, threshold);
    struct sp_buf *b;

    if (is_same_verdict(&from, &to))
        return;
    b = begin_after(d, site);
    sp_buf_add(b, SP_STR(": "));
    verdict_put(b, &from);
    sp_buf_add(b, SP_STR(" → "));
    verdict_put(b, &to);
    flowdiff_end(d, FLOWDIFF_NOTE);
}

static void judge_new(struct flowdiff *d, const struct flowdiff_site *site)
{
    struct verdict v = verdict_of(d->new_flow, site->tool, site->failed, d->options->threshold);
    struct sp_buf *b;

    if (v.kind != VERDICT_LOOKS_UP)
        return;
    b = begin_after(d, site);
    sp_buf_add(b, SP_STR(", a new site: "));
    verdict_put(b, &v);
    flowdiff_end(d, FLOWDIFF_NOTE);
}

void flowdiff_habit(struct flowdiff *d)
{
    for (size_t i = 0; i < d->n_sites; i++) {
        if (is_in_both(d, &d->sites[i]))
            compare_verdicts(d, &d->sites[i]);
        else if (has_site(d->new_flow, &d->sites[i]))
            judge_new(d, &d->sites[i]);
    }
}

/* ---- next actions ---- */

static void compare_shares(struct flowdiff *d, const struct flowdiff_site *site,
                           const struct verdict_shares *from, const struct verdict_shares *to)
{
    struct flowdiff_names names = {0};

    for (size_t i = 0; i < from->n; i++)
        flowdiff_names_add(d, &names, from->of[i].action);
    for (size_t i = 0; i < to->n; i++)
        flowdiff_names_add(d, &names, to->of[i].action);
    flowdiff_names_sort(&names);
    for (size_t i = 0; i < names.n; i++) {
        double old_share = verdict_share_of(from, names.of[i]);
        double new_share = verdict_share_of(to, names.of[i]);
        struct sp_buf *b;

        if (!flowdiff_has_moved(d, old_share, new_share))
            continue;
        b = begin_after(d, site);
        sp_buf_add(b, SP_STR(": "));
        markdown_put_text(b, names.of[i]);
        sp_buf_add_char(b, ' ');
        markdown_put_percent(b, old_share);
        sp_buf_add(b, SP_STR(" → "));
        markdown_put_percent(b, new_share);
        flowdiff_end(d, FLOWDIFF_NOTE);
    }
}

void flowdiff_next(struct flowdiff *d)
{
    for (size_t i = 0; i < d->n_sites; i++) {
        const struct flowdiff_site *site = &d->sites[i];
        struct sp_arena arena = {0};
        struct verdict_shares from;
        struct verdict_shares to;

        if (!is_in_both(d, site))
            continue;
        from = verdict_shares(d->old_flow, site->tool, site->failed, &arena);
        to = verdict_shares(d->new_flow, site->tool, site->failed, &arena);
        compare_shares(d, site, &from, &to);
        sp_arena_deinit(&arena);
    }
}
