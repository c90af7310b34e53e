/* What changed from one flow to another: the report, and the groups that are short. */

#include <math.h>
#include <stdlib.h>

#include "flow/flowdiff_parts.h"
#include "flow/flowshow_parts.h"
#include "flow/markdown.h"
#include "json/jput.h"

/*
 * What 0.35 and 0.30 differ by is a little less than 0.05 in binary. Numbers that are nearer to
 * each other, or to the tolerance, than this are equal.
 */
#define ROUNDING 1e-9

/* ---- listing a change ---- */

struct sp_buf *flowdiff_begin(struct flowdiff *d)
{
    sp_buf_clear(&d->change);
    sp_buf_add(&d->change, SP_STR("- "));
    return &d->change;
}

void flowdiff_end(struct flowdiff *d, enum flowdiff_need need)
{
    sp_buf_add_char(&d->change, '\n');
    sp_buf_add(&d->group, sp_buf_str(&d->change));
    if (need == FLOWDIFF_REVIEW) {
        sp_buf_add(&d->review, sp_buf_str(&d->change));
        d->n_review++;
    }
}

bool flowdiff_has_moved(const struct flowdiff *d, double from, double to)
{
    double moved = fabs(to - from);

    return moved > ROUNDING && moved >= d->options->tolerance - ROUNDING;
}

/* ---- names ---- */

void flowdiff_names_add(struct flowdiff *d, struct flowdiff_names *names, struct sp_str name)
{
    if (names->n == names->max) {
        struct sp_str *grown;

        names->max = 2 * names->max + 16;
        grown = sp_arena_alloc(&d->arena, names->max * sizeof *grown);
        if (names->n > 0)
            memcpy(grown, names->of, names->n * sizeof *grown);
        names->of = grown;
    }
    names->of[names->n++] = name;
}

static int cmp_names(const void *a, const void *b)
{
    return sp_str_cmp(*(const struct sp_str *)a, *(const struct sp_str *)b);
}

void flowdiff_names_sort(struct flowdiff_names *names)
{
    size_t n = 0;

    if (names->n > 0)
        qsort(names->of, names->n, sizeof *names->of, cmp_names);
    for (size_t i = 0; i < names->n; i++) {
        if (n == 0 || !sp_str_eq(names->of[n - 1], names->of[i]))
            names->of[n++] = names->of[i];
    }
    names->n = n;
}

/* ---- tools ---- */

static const char *kind_name(const struct flow_kind *kind)
{
    if (kind == NULL)
        return "absent";
    switch (kind->kind) {
    case MANIFEST_READ:
        return "read";
    case MANIFEST_WRITE:
        return "write";
    case MANIFEST_GENERIC:
        break;
    }
    return "neither";
}

static bool is_read(const struct flow_kind *kind)
{
    return kind != NULL && kind->kind == MANIFEST_READ;
}

static void compare_tool(struct flowdiff *d, struct sp_str tool)
{
    const struct flow_kind *from = flow_kind_of(d->old_flow, tool);
    const struct flow_kind *to = flow_kind_of(d->new_flow, tool);
    const char *old_name = kind_name(from);
    const char *new_name = kind_name(to);
    struct sp_buf *b;

    if (strcmp(old_name, new_name) == 0)
        return;
    b = flowdiff_begin(d);
    markdown_put_code(b, tool);
    sp_buf_addf(b, ": %s → %s", old_name, new_name);
    flowdiff_end(d, is_read(to) ? FLOWDIFF_REVIEW : FLOWDIFF_NOTE);
}

static bool may_look_up(const struct flow *f, struct sp_str tool)
{
    return flow_read_of(f, tool) < f->sites.n_reads;
}

/*
 * What the flow may look up are its `reads`. They are the manifest's read tools, unless someone
 * wrote into the file: then their change is told where no tool's kind does.
 */
static void compare_read(struct flowdiff *d, struct sp_str tool)
{
    bool may_now = may_look_up(d->new_flow, tool);
    bool is_read_now = is_read(flow_kind_of(d->new_flow, tool));
    struct sp_buf *b;

    if (may_look_up(d->old_flow, tool) == may_now)
        return;
    if (is_read(flow_kind_of(d->old_flow, tool)) != is_read_now && is_read_now == may_now)
        return;
    b = flowdiff_begin(d);
    markdown_put_code(b, tool);
    sp_buf_add(b, may_now ? SP_STR(": may be looked up now") : SP_STR(": is looked up no longer"));
    flowdiff_end(d, may_now ? FLOWDIFF_REVIEW : FLOWDIFF_NOTE);
}

static void add_tools(struct flowdiff *d, struct flowdiff_names *names, const struct flow *f)
{
    for (size_t i = 0; i < f->n_kinds; i++)
        flowdiff_names_add(d, names, f->kinds[i].name);
    for (size_t i = 0; i < f->sites.n_reads; i++)
        flowdiff_names_add(d, names, f->sites.reads[i]);
}

static void compare_tools(struct flowdiff *d)
{
    struct flowdiff_names names = {0};

    add_tools(d, &names, d->old_flow);
    add_tools(d, &names, d->new_flow);
    flowdiff_names_sort(&names);
    for (size_t i = 0; i < names.n; i++) {
        compare_tool(d, names.of[i]);
        compare_read(d, names.of[i]);
    }
}

/* ---- pinned inputs ---- */

/* Lists a tool that only one of the flows pins, unless the other pins nothing at all. */
static void list_contract(struct flowdiff *d, const struct flow_contract *c,
                          const struct flow *other, const char *what)
{
    struct sp_buf *b;

    if (other->n_contracts == 0)
        return;
    b = flowdiff_begin(d);
    markdown_put_code(b, c->tool);
    sp_buf_addf(b, ": %s ", what);
    markdown_put_code(b, c->text);
    flowdiff_end(d, FLOWDIFF_NOTE);
}

static void compare_contract(struct flowdiff *d, struct sp_str tool)
{
    const struct flow_contract *from = flow_contract_of(d->old_flow, tool);
    const struct flow_contract *to = flow_contract_of(d->new_flow, tool);
    struct sp_buf *b;

    if (from != NULL && to == NULL)
        list_contract(d, from, d->new_flow, "no longer pinned, was");
    if (from == NULL && to != NULL)
        list_contract(d, to, d->old_flow, "pinned to");
    if (from == NULL || to == NULL || sp_str_eq(from->text, to->text))
        return;
    b = flowdiff_begin(d);
    markdown_put_code(b, tool);
    sp_buf_add(b, SP_STR(": "));
    markdown_put_code(b, from->text);
    sp_buf_add(b, SP_STR(" → "));
    markdown_put_code(b, to->text);
    flowdiff_end(d, FLOWDIFF_NOTE);
}

static void compare_contracts(struct flowdiff *d)
{
    struct flowdiff_names names = {0};

    for (size_t i = 0; i < d->old_flow->n_contracts; i++)
        flowdiff_names_add(d, &names, d->old_flow->contracts[i].tool);
    for (size_t i = 0; i < d->new_flow->n_contracts; i++)
        flowdiff_names_add(d, &names, d->new_flow->contracts[i].tool);
    flowdiff_names_sort(&names);
    for (size_t i = 0; i < names.n; i++)
        compare_contract(d, names.of[i]);
}

/* ---- code features ---- */

static bool has_same_fields(const struct flow_fields *a, const struct flow_fields *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++) {
        if (a->of[i].is_len != b->of[i].is_len || !sp_str_eq(a->of[i].path, b->of[i].path))
            return false;
    }
    return true;
}

static void put_fields(struct sp_buf *b, const struct flow_fields *fields)
{
    if (fields->n > 0)
        flowshow_put_fields(b, fields);
    else
        sp_buf_add(b, SP_STR("none"));
}

static void compare_fields(struct flowdiff *d, struct sp_str tool)
{
    static const struct flow_fields none;
    const struct flow_fields *from = flow_fields_of(d->old_flow, tool);
    const struct flow_fields *to = flow_fields_of(d->new_flow, tool);
    struct sp_buf *b;

    if (from == NULL)
        from = &none;
    if (to == NULL)
        to = &none;
    if (has_same_fields(from, to))
        return;
    b = flowdiff_begin(d);
    markdown_put_code(b, tool);
    sp_buf_add(b, SP_STR(": "));
    put_fields(b, from);
    sp_buf_add(b, SP_STR(" → "));
    put_fields(b, to);
    flowdiff_end(d, FLOWDIFF_NOTE);
}

static void compare_features(struct flowdiff *d)
{
    struct flowdiff_names names = {0};

    for (size_t i = 0; i < d->old_flow->n_fields; i++)
        flowdiff_names_add(d, &names, d->old_flow->fields[i].tool);
    for (size_t i = 0; i < d->new_flow->n_fields; i++)
        flowdiff_names_add(d, &names, d->new_flow->fields[i].tool);
    flowdiff_names_sort(&names);
    for (size_t i = 0; i < names.n; i++)
        compare_fields(d, names.of[i]);
}

/* ---- promotion and provenance ---- */

/* Lists a change of a text that is Markdown. */
static void compare_texts(struct flowdiff *d, const char *what, const struct sp_buf *from,
                          const struct sp_buf *to)
{
    struct sp_buf *b;

    if (sp_str_eq(sp_buf_str(from), sp_buf_str(to)))
        return;
    b = flowdiff_begin(d);
    sp_buf_addf(b, "%s: ", what);
    sp_buf_add(b, sp_buf_str(from));
    sp_buf_add(b, SP_STR(" → "));
    sp_buf_add(b, sp_buf_str(to));
    flowdiff_end(d, FLOWDIFF_NOTE);
}

static void put_promotion(struct sp_buf *b, const struct flow *f)
{
    const struct flow_promoted *p = &f->promoted;
    size_t n = 0;

    if (!f->is_promoted) {
        sp_buf_add(b, SP_STR("none"));
        return;
    }
    for (size_t i = 0; i < p->n_sites; i++)
        n += p->sites[i].promoted;
    markdown_put_count(b, n);
    sp_buf_add(b, SP_STR(" of "));
    markdown_put_count(b, p->n_sites);
    sp_buf_addf(b, " site%s promoted (threshold ", p->n_sites == 1 ? "" : "s");
    jput_double(b, p->threshold);
    sp_buf_add(b, SP_STR(", min-used "));
    jput_double(b, p->min_used);
    sp_buf_add(b, SP_STR(", min-lower "));
    jput_double(b, p->min_lower);
    sp_buf_add(b, SP_STR(", min-tasks "));
    markdown_put_count(b, p->min_tasks);
    sp_buf_add_char(b, ')');
}

static void compare_promotion(struct flowdiff *d)
{
    struct sp_buf from = {0};
    struct sp_buf to = {0};

    put_promotion(&from, d->old_flow);
    put_promotion(&to, d->new_flow);
    compare_texts(d, "Promotion", &from, &to);
    sp_buf_deinit(&from);
    sp_buf_deinit(&to);
}

static void put_sources(struct sp_buf *b, const struct flow_provenance *p)
{
    for (size_t i = 0; i < p->n_sources; i++) {
        if (i > 0)
            sp_buf_add(b, SP_STR(", "));
        markdown_put_code(b, p->sources[i]);
    }
    if (p->n_sources == 0)
        sp_buf_add(b, SP_STR("none"));
}

static void compare_counts(struct flowdiff *d, const char *what, uint64_t from, uint64_t to)
{
    struct sp_buf *b;

    if (from == to)
        return;
    b = flowdiff_begin(d);
    sp_buf_addf(b, "%s: ", what);
    markdown_put_count(b, from);
    sp_buf_add(b, SP_STR(" → "));
    markdown_put_count(b, to);
    flowdiff_end(d, FLOWDIFF_NOTE);
}

static void compare_provenance(struct flowdiff *d)
{
    const struct flow_provenance *from = &d->old_flow->provenance;
    const struct flow_provenance *to = &d->new_flow->provenance;
    struct sp_buf old_text = {0};
    struct sp_buf new_text = {0};

    markdown_put_code(&old_text, d->old_flow->domain);
    markdown_put_code(&new_text, d->new_flow->domain);
    compare_texts(d, "Domain", &old_text, &new_text);
    sp_buf_clear(&old_text);
    sp_buf_clear(&new_text);
    put_sources(&old_text, from);
    put_sources(&new_text, to);
    compare_texts(d, "Sources", &old_text, &new_text);
    compare_counts(d, "Sessions learned from", from->habit_episodes, to->habit_episodes);
    compare_counts(d, "Decisions behind the arbiter", from->arbiter_cases, to->arbiter_cases);
    sp_buf_deinit(&old_text);
    sp_buf_deinit(&new_text);
}

/* ---- the report ---- */

static const struct {
    const char *heading;
    void (*compare)(struct flowdiff *d);
} groups[] = {
    {"Tools", compare_tools},
    {"Run", flowdiff_run},
    {"Sites", flowdiff_sites},
    {"Habit alone (at θ)", flowdiff_habit},
    {"Next actions in training", flowdiff_next},
    {"Bindings", flowdiff_bindings},
    {"Sources by site", flowdiff_site_sources},
    {"Constants", flowdiff_constants},
    {"Pinned inputs", compare_contracts},
    {"Code features", compare_features},
    {"Arbiter", flowdiff_arbiter},
    {"Promotion", compare_promotion},
    {"Provenance", compare_provenance},
};

/* Appends a group's heading, with the threshold for its sign. */
static void put_heading(struct sp_buf *b, const char *heading, double threshold)
{
    const char *sign = strstr(heading, "θ");

    if (sign == NULL) {
        flowshow_put_heading(b, heading);
        return;
    }
    sp_buf_addf(b, "\n## %.*s", (int)(sign - heading), heading);
    if (isfinite(threshold))
        jput_double(b, threshold);
    else
        sp_buf_addf(b, "%g", threshold);
    sp_buf_addf(b, "%s\n\n", sign + strlen("θ"));
}

static void compare(struct flowdiff *d)
{
    flowdiff_find_sites(d);
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        groups[i].compare(d);
        if (d->group.len == 0)
            continue;
        put_heading(&d->groups, groups[i].heading, d->options->threshold);
        sp_buf_add(&d->groups, sp_buf_str(&d->group));
        sp_buf_clear(&d->group);
    }
}

size_t flowdiff_put(struct sp_buf *b, const struct flow *old_flow, const struct flow *new_flow,
                    const struct flowdiff_options *options)
{
    struct flowdiff d = {.old_flow = old_flow, .new_flow = new_flow, .options = options};

    compare(&d);
    sp_buf_add(b, SP_STR("# Flow diff: "));
    markdown_put_text(b, new_flow->domain);
    sp_buf_add(b, SP_STR("\n\n"));
    if (d.n_review > 0) {
        sp_buf_add(b, SP_STR("**Needs review:**\n\n"));
        sp_buf_add(b, sp_buf_str(&d.review));
    } else if (d.groups.len > 0) {
        sp_buf_add(b, SP_STR("Nothing needs review.\n"));
    } else {
        sp_buf_add(b, SP_STR("Nothing needs review: there are no changes to list.\n"));
    }
    sp_buf_add(b, sp_buf_str(&d.groups));
    sp_buf_deinit(&d.change);
    sp_buf_deinit(&d.group);
    sp_buf_deinit(&d.groups);
    sp_buf_deinit(&d.review);
    sp_arena_deinit(&d.arena);
    return d.n_review;
}
