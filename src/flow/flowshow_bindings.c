/* Where a flow takes arguments from, for a reviewer. */

#include "flow/bind_rules.h"
#include "flow/flowshow_parts.h"
#include "flow/markdown.h"
#include "flow/origin.h"
#include "flow/verdict.h"

/* ---- bindings ---- */

static bool counts_any(const struct flow_useds *useds)
{
    for (size_t i = 0; i < useds->n; i++) {
        if (useds->of[i].ratio.n > 0)
            return true;
    }
    return false;
}

void flowshow_put_source(struct sp_buf *b, const struct flow_found *found)
{
    markdown_put_code(b, found->tool);
    sp_buf_add_char(b, ' ');
    markdown_put_code(b, found->path);
}

static void put_source(struct sp_buf *b, const struct flow_found *found, uint64_t n)
{
    flowshow_put_source(b, found);
    sp_buf_add(b, SP_STR(" ("));
    markdown_put_count(b, n);
}

static void put_sources(struct sp_buf *b, const struct flow *f, struct sp_str lookup,
                        struct sp_str arg)
{
    struct sp_arena arena = {0};
    struct origin_sources sources = origin_sources(f, lookup, arg, &arena);

    for (size_t i = 0; i < sources.n; i++) {
        if (i > 0)
            sp_buf_add(b, SP_STR(", "));
        else if (sources.is_list)
            sp_buf_add(b, SP_STR("whole list: "));
        put_source(b, sources.of[i], sources.of[i]->n);
        sp_buf_add(b, SP_STR(" of "));
        markdown_put_count(b, sources.values);
        sp_buf_add_char(b, ')');
    }
    if (sources.n == 0)
        sp_buf_add(b, verdict_can_bind(f, lookup, arg) ? SP_STR("a constant")
                                                       : SP_STR("none: never made"));
    sp_arena_deinit(&arena);
}

static void put_chance(struct sp_buf *b, const struct flow *f, struct sp_str lookup,
                       enum origin_pick pick)
{
    struct origin_chance chance = origin_chance(f, lookup, pick);

    if (!chance.is_counted) {
        sp_buf_add(b, SP_STR("—"));
        return;
    }
    sp_buf_addf(b, "%.2f (", chance.chance);
    markdown_put_count(b, chance.ratio.hits);
    sp_buf_add_char(b, '/');
    markdown_put_count(b, chance.ratio.n);
    sp_buf_add_char(b, ')');
}

/* Appends a cell with the chance of picks of a kind, if any lookup counts them apart. */
static void put_used(struct sp_buf *b, const struct flow *f, const struct flow_useds *useds,
                     struct sp_str lookup, enum origin_pick pick)
{
    double pooled;

    if (!counts_any(useds))
        return;
    sp_buf_add_char(b, ' ');
    if (verdict_chance(f, lookup, &pooled))
        put_chance(b, f, lookup, pick);
    else
        sp_buf_add(b, SP_STR("—"));
    sp_buf_add(b, SP_STR(" |"));
}

/* Appends the cells behind the sources. */
static void put_chances(struct sp_buf *b, const struct flow *f, struct sp_str lookup)
{
    double pooled;

    sp_buf_add_char(b, ' ');
    if (verdict_chance(f, lookup, &pooled)) {
        put_chance(b, f, lookup, ORIGIN_UNMENTIONED);
        sp_buf_add(b, SP_STR(", "));
        put_chance(b, f, lookup, ORIGIN_MENTIONED);
    } else {
        sp_buf_add(b, SP_STR("—"));
    }
    sp_buf_add(b, SP_STR(" |"));
    put_used(b, f, &f->bindings.named_other, lookup, ORIGIN_NAMED_OTHER);
    put_used(b, f, &f->bindings.described_read, lookup, ORIGIN_DESCRIBED_READ);
    sp_buf_add_char(b, '\n');
}

static void put_lookup(struct sp_buf *b, const struct flow *f, const struct flow_args *args)
{
    size_t n = 0;

    for (size_t i = 0; i < args->args.n; i++) {
        struct sp_str arg = args->args.of[i].name;

        if (!bind_rules_requires(args, &args->args.of[i]))
            continue;
        n++;
        sp_buf_add(b, SP_STR("| "));
        markdown_put_code(b, args->lookup);
        sp_buf_add(b, SP_STR(" | "));
        markdown_put_code(b, arg);
        sp_buf_add(b, SP_STR(" | "));
        put_sources(b, f, args->lookup, arg);
        sp_buf_add(b, SP_STR(" |"));
        put_chances(b, f, args->lookup);
    }
    if (n > 0)
        return;
    sp_buf_add(b, SP_STR("| "));
    markdown_put_code(b, args->lookup);
    sp_buf_add(b, SP_STR(" | none | — |"));
    put_chances(b, f, args->lookup);
}

void flowshow_put_bindings(struct sp_buf *b, const struct flow *f)
{
    bool has_other = counts_any(&f->bindings.named_other);
    bool has_described = counts_any(&f->bindings.described_read);

    flowshow_put_heading(b, "Bindings");
    if (f->bindings.n_args == 0) {
        sp_buf_add(b, SP_STR("No lookup was made in training.\n"));
        return;
    }
    sp_buf_add(b, SP_STR("The chance that the values are the agent's: those that the customer had "
                         "not mentioned, then those that they had.\n\n"));
    sp_buf_addf(b, "| Lookup | Argument | Sources | Chance |%s%s\n|---|---|---|---|%s%s\n",
                has_other ? " Another value named |" : "",
                has_described ? " Described record read |" : "", has_other ? "---|" : "",
                has_described ? "---|" : "");
    for (size_t i = 0; i < f->bindings.n_args; i++)
        put_lookup(b, f, &f->bindings.args[i]);
}

void flowshow_put_constants(struct sp_buf *b, const struct flow *f)
{
    if (f->bindings.n_constants == 0)
        return;
    flowshow_put_heading(b, "Constants");
    sp_buf_add(b, SP_STR("| Tool | Argument | Value |\n|---|---|---|\n"));
    for (size_t i = 0; i < f->bindings.n_constants; i++) {
        const struct flow_constant *c = &f->bindings.constants[i];

        sp_buf_add(b, SP_STR("| "));
        markdown_put_code(b, c->lookup);
        sp_buf_add(b, SP_STR(" | "));
        markdown_put_code(b, c->arg);
        sp_buf_add(b, SP_STR(" | "));
        markdown_put_code(b, c->value);
        sp_buf_add(b, SP_STR(" |\n"));
    }
}

/* ---- sources by site ---- */

static void put_order(struct sp_buf *b, const struct flow_site_source *s,
                      const struct origin_order *order)
{
    sp_buf_add(b, SP_STR("| "));
    markdown_put_code(b, s->tool);
    sp_buf_add(b, SP_STR(" | "));
    markdown_put_code(b, s->arg);
    sp_buf_add(b, SP_STR(" | "));
    markdown_put_code(b, s->site);
    sp_buf_add(b, SP_STR(" | "));
    for (size_t i = 0; i < order->n; i++) {
        if (i > 0)
            sp_buf_add(b, SP_STR(", "));
        put_source(b, order->of[i].found, order->of[i].n);
        sp_buf_add_char(b, ')');
    }
    sp_buf_add(b, SP_STR(" |\n"));
}

/* Appends the row of an entry's site, if the argument has an order of its own there. */
static void put_site_order(struct sp_buf *b, const struct flow *f, const struct flow_site_source *s)
{
    struct sp_arena arena = {0};
    struct origin_sources sources = origin_sources(f, s->tool, s->arg, &arena);
    struct origin_order order = origin_order(f, s->tool, s->arg, s->site, &sources, &arena);

    if (order.n > 0)
        put_order(b, s, &order);
    sp_arena_deinit(&arena);
}

static bool has_same_site(const struct flow_site_source *a, const struct flow_site_source *b)
{
    return sp_str_eq(a->tool, b->tool) && sp_str_eq(a->arg, b->arg) && sp_str_eq(a->site, b->site);
}

void flowshow_put_site_sources(struct sp_buf *b, const struct flow *f)
{
    const struct flow_site_source *of = f->bindings.site_sources;
    struct sp_buf rows = {0};

    for (size_t i = 0; i < f->bindings.n_site_sources; i++) {
        if (i == 0 || !has_same_site(&of[i - 1], &of[i]))
            put_site_order(&rows, f, &of[i]);
    }
    if (rows.len > 0) {
        flowshow_put_heading(b, "Sources by site");
        sp_buf_add(b, SP_STR("| Lookup | Argument | After | Sources in the order tried |\n"
                             "|---|---|---|---|\n"));
        sp_buf_add(b, sp_buf_str(&rows));
    }
    sp_buf_deinit(&rows);
}

/* ---- contracts ---- */

void flowshow_put_contracts(struct sp_buf *b, const struct flow *f)
{
    if (f->n_contracts == 0)
        return;
    flowshow_put_heading(b, "Pinned inputs");
    sp_buf_add(b, SP_STR("| Lookup | Input |\n|---|---|\n"));
    for (size_t i = 0; i < f->n_contracts; i++) {
        sp_buf_add(b, SP_STR("| "));
        markdown_put_code(b, f->contracts[i].tool);
        sp_buf_add(b, SP_STR(" | "));
        markdown_put_code(b, f->contracts[i].text);
        sp_buf_add(b, SP_STR(" |\n"));
    }
}
