/* How it changed where a flow takes arguments from. */

#include "flow/bind_rules.h"
#include "flow/flowdiff_parts.h"
#include "flow/flowshow_parts.h"
#include "flow/markdown.h"
#include "flow/origin.h"
#include "flow/verdict.h"

/* ---- lookups and their arguments ---- */

static void add_lookups(struct flowdiff *d, struct flowdiff_names *names, const struct flow *f)
{
    for (size_t i = 0; i < f->bindings.n_args; i++)
        flowdiff_names_add(d, names, f->bindings.args[i].lookup);
}

/* The lookups that training called for either flow. */
static struct flowdiff_names find_lookups(struct flowdiff *d)
{
    struct flowdiff_names names = {0};

    add_lookups(d, &names, d->old_flow);
    add_lookups(d, &names, d->new_flow);
    flowdiff_names_sort(&names);
    return names;
}

static void add_args(struct flowdiff *d, struct flowdiff_names *names, const struct flow *f,
                     struct sp_str lookup)
{
    const struct flow_args *args = flow_args_of(f, lookup);

    for (size_t i = 0; args != NULL && i < args->args.n; i++)
        flowdiff_names_add(d, names, args->args.of[i].name);
}

/* The sources that a flow binds an argument from; none of one that it does not pass. */
static struct origin_sources sources_of(const struct flow *f, struct sp_str lookup,
                                        struct sp_str arg, struct sp_arena *arena)
{
    const struct flow_args *args = flow_args_of(f, lookup);
    const struct flow_tally *tally = args != NULL ? flow_tally_of(&args->args, arg) : NULL;

    if (tally == NULL || !bind_rules_requires(args, tally))
        return (struct origin_sources){0};
    return origin_sources(f, lookup, arg, arena);
}

/* ---- sources ---- */

static bool has_source(const struct origin_sources *sources, bool is_list,
                       const struct flow_found *found)
{
    if (sources->is_list != is_list)
        return false;
    for (size_t i = 0; i < sources->n; i++) {
        if (sp_str_eq(sources->of[i]->tool, found->tool) &&
            sp_str_eq(sources->of[i]->path, found->path))
            return true;
    }
    return false;
}

/* Lists the sources that are not among others. Returns how many there are. */
static size_t list_sources(struct flowdiff *d, struct sp_str lookup, struct sp_str arg,
                           const struct origin_sources *sources,
                           const struct origin_sources *others, const char *what,
                           enum flowdiff_need need)
{
    size_t n = 0;

    for (size_t i = 0; i < sources->n; i++) {
        struct sp_buf *b;

        if (has_source(others, sources->is_list, sources->of[i]))
            continue;
        b = flowdiff_begin(d);
        markdown_put_code(b, lookup);
        sp_buf_add_char(b, ' ');
        markdown_put_code(b, arg);
        sp_buf_addf(b, ": %s%s", what, sources->is_list ? "whole list: " : "");
        flowshow_put_source(b, sources->of[i]);
        flowdiff_end(d, need);
        n++;
    }
    return n;
}

/* Compares an argument's origin. Returns how many changes there are, those of constants too. */
static size_t compare_origin(struct flowdiff *d, struct sp_str lookup, struct sp_str arg)
{
    struct sp_arena arena = {0};
    struct origin_sources from = sources_of(d->old_flow, lookup, arg, &arena);
    struct origin_sources to = sources_of(d->new_flow, lookup, arg, &arena);
    size_t n =
        list_sources(d, lookup, arg, &to, &from, "bound from a new source, ", FLOWDIFF_REVIEW);

    n += list_sources(d, lookup, arg, &from, &to, "no longer bound from ", FLOWDIFF_NOTE);
    n += (origin_constant(d->old_flow, lookup, arg) == NULL) !=
         (origin_constant(d->new_flow, lookup, arg) == NULL);
    sp_arena_deinit(&arena);
    return n;
}

/*
 * Lists that a lookup that training called for both flows can be bound now, or no longer, for a
 * reason that no change of an origin tells: an argument is passed no longer, or it is now.
 */
static void compare_binding(struct flowdiff *d, struct sp_str lookup)
{
    double chance;
    bool could = verdict_chance(d->old_flow, lookup, &chance);
    bool can = verdict_chance(d->new_flow, lookup, &chance);
    struct sp_buf *b;

    if (could == can || flow_args_of(d->old_flow, lookup) == NULL ||
        flow_args_of(d->new_flow, lookup) == NULL)
        return;
    b = flowdiff_begin(d);
    markdown_put_code(b, lookup);
    sp_buf_add(b, can ? SP_STR(": can be made now, with the arguments that are passed")
                      : SP_STR(": can be made no longer, for an argument without a source"));
    flowdiff_end(d, can ? FLOWDIFF_REVIEW : FLOWDIFF_NOTE);
}

static void compare_sources(struct flowdiff *d, struct sp_str lookup)
{
    struct flowdiff_names args = {0};
    size_t n = 0;

    add_args(d, &args, d->old_flow, lookup);
    add_args(d, &args, d->new_flow, lookup);
    flowdiff_names_sort(&args);
    for (size_t i = 0; i < args.n; i++)
        n += compare_origin(d, lookup, args.of[i]);
    if (n == 0)
        compare_binding(d, lookup);
}

/* ---- chances ---- */

static const char *const pick_names[ORIGIN_N_PICKS] = {
    [ORIGIN_UNMENTIONED] = "not mentioned",
    [ORIGIN_MENTIONED] = "mentioned",
    [ORIGIN_NAMED_OTHER] = "another named",
    [ORIGIN_DESCRIBED_READ] = "described record read",
};

static void compare_chance(struct flowdiff *d, struct sp_str lookup, enum origin_pick pick)
{
    struct origin_chance from = origin_chance(d->old_flow, lookup, pick);
    struct origin_chance to = origin_chance(d->new_flow, lookup, pick);
    struct sp_buf *b;

    if ((!from.is_counted && !to.is_counted) || !flowdiff_has_moved(d, from.chance, to.chance))
        return;
    b = flowdiff_begin(d);
    markdown_put_code(b, lookup);
    sp_buf_addf(b, ": chance when %s %.2f → %.2f", pick_names[pick], from.chance, to.chance);
    flowdiff_end(d, FLOWDIFF_NOTE);
}

static bool has_chance(const struct flow *f, struct sp_str lookup)
{
    double chance;

    return flow_args_of(f, lookup) != NULL && verdict_chance(f, lookup, &chance);
}

static void compare_chances(struct flowdiff *d, struct sp_str lookup)
{
    if (!has_chance(d->old_flow, lookup) || !has_chance(d->new_flow, lookup))
        return;
    for (enum origin_pick pick = 0; pick < ORIGIN_N_PICKS; pick++)
        compare_chance(d, lookup, pick);
}

void flowdiff_bindings(struct flowdiff *d)
{
    struct flowdiff_names lookups = find_lookups(d);

    for (size_t i = 0; i < lookups.n; i++)
        compare_sources(d, lookups.of[i]);
    for (size_t i = 0; i < lookups.n; i++)
        compare_chances(d, lookups.of[i]);
}

/* ---- sources by site ---- */

/* The source that is tried first behind a site. */
struct first {
    bool is_bound;
    bool has_order;                 /* the site has one of its own */
    const struct flow_found *found; /* NULL: whichever has the latest result */
};

static struct first first_of(const struct flow *f, const struct flow_site_source *s)
{
    struct sp_arena arena = {0};
    struct origin_sources sources = sources_of(f, s->tool, s->arg, &arena);
    struct origin_order order = origin_order(f, s->tool, s->arg, s->site, &sources, &arena);
    struct first first = {.is_bound = sources.n > 0, .has_order = order.n > 0};

    if (order.n > 0)
        first.found = order.of[0].found;
    else if (sources.n == 1)
        first.found = sources.of[0];
    sp_arena_deinit(&arena);
    return first;
}

static bool is_same_first(const struct first *a, const struct first *b)
{
    if (a->found == NULL || b->found == NULL)
        return a->found == b->found;
    return sp_str_eq(a->found->tool, b->found->tool) && sp_str_eq(a->found->path, b->found->path);
}

static void put_first(struct sp_buf *b, const struct first *first)
{
    if (first->found != NULL)
        flowshow_put_source(b, first->found);
    else
        sp_buf_add(b, SP_STR("the latest result"));
}

static void compare_first(struct flowdiff *d, const struct flow_site_source *s)
{
    struct first from = first_of(d->old_flow, s);
    struct first to = first_of(d->new_flow, s);
    struct sp_buf *b;

    if (!from.is_bound || !to.is_bound || (!from.has_order && !to.has_order) ||
        is_same_first(&from, &to))
        return;
    b = flowdiff_begin(d);
    markdown_put_code(b, s->tool);
    sp_buf_add_char(b, ' ');
    markdown_put_code(b, s->arg);
    sp_buf_add(b, SP_STR(" after "));
    markdown_put_code(b, s->site);
    sp_buf_add(b, SP_STR(": tried first "));
    put_first(b, &from);
    sp_buf_add(b, SP_STR(" → "));
    put_first(b, &to);
    flowdiff_end(d, FLOWDIFF_NOTE);
}

static int cmp_sites(const struct flow_site_source *a, const struct flow_site_source *b)
{
    int c = sp_str_cmp(a->tool, b->tool);

    if (c == 0)
        c = sp_str_cmp(a->arg, b->arg);
    return c != 0 ? c : sp_str_cmp(a->site, b->site);
}

/* Skips the entries of the same site. */
static size_t skip_site(const struct flow_bindings *of, size_t i)
{
    size_t next = i;

    while (next < of->n_site_sources &&
           cmp_sites(&of->site_sources[next], &of->site_sources[i]) == 0)
        next++;
    return next;
}

void flowdiff_site_sources(struct flowdiff *d)
{
    const struct flow_bindings *x = &d->old_flow->bindings;
    const struct flow_bindings *y = &d->new_flow->bindings;
    size_t i = 0;
    size_t k = 0;

    while (i < x->n_site_sources || k < y->n_site_sources) {
        int c = i == x->n_site_sources   ? 1
                : k == y->n_site_sources ? -1
                                         : cmp_sites(&x->site_sources[i], &y->site_sources[k]);

        compare_first(d, c <= 0 ? &x->site_sources[i] : &y->site_sources[k]);
        i = c <= 0 ? skip_site(x, i) : i;
        k = c >= 0 ? skip_site(y, k) : k;
    }
}

/* ---- constants ---- */

static struct sp_buf *begin_constant(struct flowdiff *d, const struct flow_constant *c)
{
    struct sp_buf *b = flowdiff_begin(d);

    markdown_put_code(b, c->lookup);
    sp_buf_add_char(b, ' ');
    markdown_put_code(b, c->arg);
    return b;
}

static void list_constant(struct flowdiff *d, const struct flow_constant *c, const char *what,
                          enum flowdiff_need need)
{
    struct sp_buf *b = begin_constant(d, c);

    sp_buf_addf(b, ": %s constant ", what);
    markdown_put_code(b, c->value);
    flowdiff_end(d, need);
}

static void compare_constant(struct flowdiff *d, const struct flow_constant *from,
                             const struct flow_constant *to)
{
    struct sp_buf *b;

    if (sp_str_eq(from->value, to->value))
        return;
    b = begin_constant(d, to);
    sp_buf_add(b, SP_STR(": constant "));
    markdown_put_code(b, from->value);
    sp_buf_add(b, SP_STR(" → "));
    markdown_put_code(b, to->value);
    flowdiff_end(d, FLOWDIFF_REVIEW);
}

static int cmp_constants(const struct flow_constant *a, const struct flow_constant *b)
{
    int c = sp_str_cmp(a->lookup, b->lookup);

    return c != 0 ? c : sp_str_cmp(a->arg, b->arg);
}

void flowdiff_constants(struct flowdiff *d)
{
    const struct flow_bindings *x = &d->old_flow->bindings;
    const struct flow_bindings *y = &d->new_flow->bindings;
    size_t i = 0;
    size_t k = 0;

    while (i < x->n_constants || k < y->n_constants) {
        int c = i == x->n_constants   ? 1
                : k == y->n_constants ? -1
                                      : cmp_constants(&x->constants[i], &y->constants[k]);

        if (c < 0)
            list_constant(d, &x->constants[i++], "dropped", FLOWDIFF_NOTE);
        else if (c > 0)
            list_constant(d, &y->constants[k++], "new", FLOWDIFF_REVIEW);
        else
            compare_constant(d, &x->constants[i++], &y->constants[k++]);
    }
}
