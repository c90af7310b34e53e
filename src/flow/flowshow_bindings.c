/* Where a flow takes arguments from, for a reviewer. */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "flow/bind_rules.h"
#include "flow/flowshow_parts.h"
#include "flow/markdown.h"
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

static void put_source(struct sp_buf *b, struct sp_str tool, struct sp_str path, uint64_t n)
{
    markdown_put_code(b, tool);
    sp_buf_add_char(b, ' ');
    markdown_put_code(b, path);
    sp_buf_add(b, SP_STR(" ("));
    markdown_put_count(b, n);
}

static void put_sources(struct sp_buf *b, const struct flow *f, struct sp_str lookup,
                        struct sp_str arg)
{
    const struct flow_traced *list = flow_traced_of(&f->bindings.lists, lookup, arg);
    const struct flow_traced *traced =
        list != NULL ? list : flow_traced_of(&f->bindings.sources, lookup, arg);
    size_t n = 0;

    for (size_t i = 0; traced != NULL && i < traced->n_found; i++) {
        const struct flow_found *found = &traced->found[i];

        if (!bind_rules_has(traced, found))
            continue;
        if (n++ > 0)
            sp_buf_add(b, SP_STR(", "));
        else if (list != NULL)
            sp_buf_add(b, SP_STR("whole list: "));
        put_source(b, found->tool, found->path, found->n);
        sp_buf_add(b, SP_STR(" of "));
        markdown_put_count(b, traced->values);
        sp_buf_add_char(b, ')');
    }
    if (n == 0)
        sp_buf_add(b, verdict_can_bind(f, lookup, arg) ? SP_STR("a constant")
                                                       : SP_STR("none: never made"));
}

static double chance_of(struct flow_ratio r)
{
    return ((double)r.hits + 1) / ((double)r.n + 2);
}

static void put_ratio(struct sp_buf *b, double chance, struct flow_ratio r)
{
    sp_buf_addf(b, "%.2f (", chance);
    markdown_put_count(b, r.hits);
    sp_buf_add_char(b, '/');
    markdown_put_count(b, r.n);
    sp_buf_add_char(b, ')');
}

/* Appends a cell with the chance of picks of a kind; they are taken to be as good as others are. */
static void put_used(struct sp_buf *b, const struct flow_useds *useds, struct sp_str lookup,
                     double other, bool is_bound)
{
    const struct flow_used *used = flow_used_of(useds, lookup);

    if (!counts_any(useds))
        return;
    sp_buf_add_char(b, ' ');
    if (is_bound && used != NULL)
        put_ratio(b, ((double)used->ratio.hits + 2 * other) / ((double)used->ratio.n + 2),
                  used->ratio);
    else
        sp_buf_add(b, SP_STR("—"));
    sp_buf_add(b, SP_STR(" |"));
}

/* Appends the cells behind the sources. */
static void put_chances(struct sp_buf *b, const struct flow *f, struct sp_str lookup)
{
    const struct flow_agreed *agreed = flow_agreed_of(f, lookup);
    struct flow_ratio unmentioned = agreed != NULL ? agreed->unmentioned : (struct flow_ratio){0};
    struct flow_ratio mentioned = agreed != NULL ? agreed->mentioned : (struct flow_ratio){0};
    double pooled;
    bool is_bound = verdict_chance(f, lookup, &pooled);

    sp_buf_add_char(b, ' ');
    if (is_bound) {
        put_ratio(b, chance_of(unmentioned), unmentioned);
        sp_buf_add(b, SP_STR(", "));
        put_ratio(b, chance_of(mentioned), mentioned);
    } else {
        sp_buf_add(b, SP_STR("—"));
    }
    sp_buf_add(b, SP_STR(" |"));
    put_used(b, &f->bindings.named_other, lookup, chance_of(unmentioned), is_bound);
    put_used(b, &f->bindings.described_read, lookup, chance_of(unmentioned), is_bound);
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

/* A source of an argument with what was found there behind one site. */
struct ranked {
    const struct flow_found *found;
    uint64_t n;
    size_t place; /* in key order */
};

static int cmp_ranked(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;

    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

static uint64_t add_counts(uint64_t a, uint64_t b)
{
    return a <= UINT64_MAX - b ? a + b : UINT64_MAX;
}

/* How many values were found at a source behind the site of the entry `s`. */
static uint64_t count_behind(const struct flow *f, const struct flow_site_source *s,
                             const struct flow_found *found)
{
    uint64_t n = 0;

    for (size_t i = 0; i < f->bindings.n_site_sources; i++) {
        const struct flow_site_source *other = &f->bindings.site_sources[i];

        if (sp_str_eq(other->tool, s->tool) && sp_str_eq(other->arg, s->arg) &&
            sp_str_eq(other->site, s->site) && sp_str_eq(other->source_tool, found->tool) &&
            sp_str_eq(other->source_path, found->path))
            n = add_counts(n, other->values);
    }
    return n;
}

static void put_ranked(struct sp_buf *b, const struct flow_site_source *s,
                       const struct ranked *ranked, size_t n)
{
    sp_buf_add(b, SP_STR("| "));
    markdown_put_code(b, s->tool);
    sp_buf_add(b, SP_STR(" | "));
    markdown_put_code(b, s->arg);
    sp_buf_add(b, SP_STR(" | "));
    markdown_put_code(b, s->site);
    sp_buf_add(b, SP_STR(" | "));
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            sp_buf_add(b, SP_STR(", "));
        put_source(b, ranked[i].found->tool, ranked[i].found->path, ranked[i].n);
        sp_buf_add_char(b, ')');
    }
    sp_buf_add(b, SP_STR(" |\n"));
}

/* Appends the row of an entry's site, if the argument has an order of its own there. */
static void put_site_order(struct sp_buf *b, const struct flow *f, const struct flow_site_source *s)
{
    const struct flow_traced *traced = flow_traced_of(&f->bindings.sources, s->tool, s->arg);
    struct ranked *ranked;
    uint64_t total = 0;
    size_t n = 0;

    if (traced == NULL || flow_traced_of(&f->bindings.lists, s->tool, s->arg) != NULL)
        return;
    ranked = sp_calloc(traced->n_found, sizeof *ranked);
    for (size_t i = 0; i < traced->n_found; i++) {
        const struct flow_found *found = &traced->found[i];

        if (!bind_rules_has(traced, found))
            continue;
        ranked[n] = (struct ranked){found, count_behind(f, s, found), n};
        total = add_counts(total, ranked[n++].n);
    }
    if (n > 1 && total >= BIND_RULES_MIN_SITE_VALUES) {
        qsort(ranked, n, sizeof *ranked, cmp_ranked);
        put_ranked(b, s, ranked, n);
    }
    free(ranked);
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
