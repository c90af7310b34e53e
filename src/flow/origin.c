/* Where a flow takes arguments from. */

#include <stdlib.h>

#include "flow/bind_rules.h"
#include "flow/origin.h"

/* ---- sources ---- */

const struct flow_constant *origin_constant(const struct flow *f, struct sp_str lookup,
                                            struct sp_str arg)
{
    size_t n = 0;
    const struct flow_constant *constants = flow_constants_of(f, lookup, &n);

    for (size_t i = 0; constants != NULL && i < n; i++) {
        if (sp_str_eq(constants[i].arg, arg))
            return &constants[i];
    }
    return NULL;
}

struct origin_sources origin_sources(const struct flow *f, struct sp_str lookup, struct sp_str arg,
                                     struct sp_arena *arena)
{
    const struct flow_traced *list = flow_traced_of(&f->bindings.lists, lookup, arg);
    const struct flow_traced *traced =
        list != NULL ? list : flow_traced_of(&f->bindings.sources, lookup, arg);
    struct origin_sources sources = {.is_list = list != NULL};

    if (traced == NULL || origin_constant(f, lookup, arg) != NULL)
        return sources;
    sources.values = traced->values;
    sources.of = sp_arena_alloc(arena, traced->n_found * sizeof(struct flow_found *));
    for (size_t i = 0; i < traced->n_found; i++) {
        if (bind_rules_has(traced, &traced->found[i]))
            sources.of[sources.n++] = &traced->found[i];
    }
    return sources;
}

/* ---- the order behind a site ---- */

static int cmp_ranked(const void *a, const void *b)
{
    const struct origin_ranked *x = a;
    const struct origin_ranked *y = b;

    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

/* How many values of the argument whose site_sources these are were found at a source behind the
 * site. */
static uint64_t count_behind(const struct flow_site_source *of, size_t n_of, struct sp_str site,
                             const struct flow_found *found)
{
    uint64_t n = 0;

    for (size_t i = 0; i < n_of; i++) {
        if (sp_str_eq(of[i].site, site) && sp_str_eq(of[i].source_tool, found->tool) &&
            sp_str_eq(of[i].source_path, found->path))
            n = bind_rules_add(n, of[i].values);
    }
    return n;
}

struct origin_order origin_order(const struct flow *f, struct sp_str lookup, struct sp_str arg,
                                 struct sp_str site, const struct origin_sources *sources,
                                 struct sp_arena *arena)
{
    struct origin_order order = {0};
    const struct flow_site_source *behind;
    size_t n_behind = 0;
    uint64_t total = 0;

    if (sources->is_list || sources->n < 2)
        return order;
    behind = flow_site_sources_of(f, lookup, arg, &n_behind);
    order.of = sp_arena_alloc(arena, sources->n * sizeof *order.of);
    for (size_t i = 0; i < sources->n; i++) {
        uint64_t n = count_behind(behind, n_behind, site, sources->of[i]);

        order.of[i] = (struct origin_ranked){sources->of[i], n, i};
        total = bind_rules_add(total, n);
    }
    if (total < BIND_RULES_MIN_SITE_VALUES)
        return (struct origin_order){0};
    order.n = sources->n;
    qsort(order.of, order.n, sizeof *order.of, cmp_ranked);
    return order;
}

/* ---- chances ---- */

static double chance_of(struct flow_ratio r)
{
    return ((double)r.hits + 1) / ((double)r.n + 2);
}

/* Of picks that a list counts apart; they are taken to be as good as `other`. */
static struct origin_chance used_chance(const struct flow_useds *useds, struct sp_str lookup,
                                        double other)
{
    const struct flow_used *used = flow_used_of(useds, lookup);

    if (used == NULL)
        return (struct origin_chance){.chance = other};
    return (struct origin_chance){
        .is_counted = true,
        .ratio = used->ratio,
        .chance = ((double)used->ratio.hits + 2 * other) / ((double)used->ratio.n + 2),
    };
}

struct origin_chance origin_chance(const struct flow *f, struct sp_str lookup,
                                   enum origin_pick pick)
{
    const struct flow_agreed *agreed = flow_agreed_of(f, lookup);
    struct flow_ratio unmentioned = agreed != NULL ? agreed->unmentioned : (struct flow_ratio){0};
    struct flow_ratio mentioned = agreed != NULL ? agreed->mentioned : (struct flow_ratio){0};

    switch (pick) {
    case ORIGIN_MENTIONED:
        return (struct origin_chance){true, mentioned, chance_of(mentioned)};
    case ORIGIN_NAMED_OTHER:
        return used_chance(&f->bindings.named_other, lookup, chance_of(unmentioned));
    case ORIGIN_DESCRIBED_READ:
        return used_chance(&f->bindings.described_read, lookup, chance_of(unmentioned));
    case ORIGIN_UNMENTIONED:
    case ORIGIN_N_PICKS:
        break;
    }
    return (struct origin_chance){true, unmentioned, chance_of(unmentioned)};
}
