/* What has to be kept of a session to bind a flow's lookups: their arguments and the sources. */

#include "flow/bind_rules.h"
#include "flow/bind_state.h"

static struct bind_source *add_source(struct bind *b, struct bind_sources *sources,
                                      struct sp_str name)
{
    struct bind_source *source = sp_arena_alloc(&b->arena, sizeof *source);

    source->name = name;
    BIND_ROOM(&b->arena, sources->of, sources->n, sources->max);
    sources->of[sources->n++] = source;
    return source;
}

static struct bind_source *path_source(struct bind *b, struct sp_str tool, struct sp_str path)
{
    bool is_new;
    size_t *index = sp_map_put(&b->by_source_tool, tool, &is_new);
    struct bind_sources *sources;
    struct bind_source *source;

    if (is_new) {
        BIND_ROOM(&b->arena, b->of_tools, b->n_of_tools, b->max_of_tools);
        *index = b->n_of_tools++;
    }
    sources = &b->of_tools[*index];
    for (size_t i = 0; i < sources->n; i++) {
        if (sp_str_eq(sources->of[i]->name, path))
            return sources->of[i];
    }
    source = add_source(b, sources, path);
    source->tool = tool;
    source->path = outputs_path(path, &b->arena);
    return source;
}

static struct bind_source *named_source(struct bind *b, struct sp_str name)
{
    bool is_new;
    size_t *index = sp_map_put(&b->by_name, name, &is_new);

    if (!is_new)
        return b->named.of[*index];
    *index = b->named.n;
    return add_source(b, &b->named, name);
}

static void add_rule(struct bind *b, struct bind_arg *arg, struct bind_source *source)
{
    size_t rule = arg->n_rules++;

    arg->rules[rule] = (struct bind_rule){source, source->n_users};
    BIND_ROOM(&b->arena, source->users, source->n_users, source->max_users);
    source->users[source->n_users++] = (struct bind_user){arg, rule};
    source->has_values = source->has_values || arg->kind != BIND_ARG_LIST;
}

static void add_rules(struct bind *b, struct bind_arg *arg, const struct flow_traced *traced)
{
    arg->rules = sp_arena_alloc(&b->arena, traced->n_found * sizeof *arg->rules);
    for (size_t i = 0; i < traced->n_found; i++) {
        const struct flow_found *found = &traced->found[i];

        if (bind_rules_has(traced, found))
            add_rule(b, arg, path_source(b, found->tool, found->path));
    }
}

/* The site_sources of an argument, or of these those of a site. */
struct behind {
    const struct flow_site_source *of;
    size_t n;
};

/* How many values each rule of an argument had behind one site. */
struct counted {
    uint64_t total;
    uint64_t *of; /* by rule */
};

static struct counted count_behind(struct bind *b, const struct bind_arg *arg,
                                   const struct behind *behind)
{
    struct counted counted = {.of = sp_arena_alloc(&b->arena, arg->n_rules * sizeof *counted.of)};

    for (size_t i = 0; i < behind->n; i++) {
        const struct flow_site_source *s = &behind->of[i];

        for (size_t k = 0; k < arg->n_rules; k++) {
            if (!sp_str_eq(arg->rules[k].source->tool, s->source_tool) ||
                !sp_str_eq(arg->rules[k].source->name, s->source_path))
                continue;
            counted.of[k] = bind_rules_add(counted.of[k], s->values);
            counted.total = bind_rules_add(counted.total, s->values);
        }
    }
    return counted;
}

/* The ranks of rules: how many come first, as they count more or stand before it. */
static size_t *rank(struct bind *b, const struct counted *counted, size_t n)
{
    size_t *ranks = sp_arena_alloc(&b->arena, n * sizeof *ranks);

    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++)
            ranks[i] +=
                counted->of[k] > counted->of[i] || (k < i && counted->of[k] == counted->of[i]);
    }
    return ranks;
}

/* The order of an argument that has these ranks, made if there is none. */
static size_t ranked_order(struct bind_arg *arg, size_t *ranks)
{
    for (size_t i = 1; i < arg->n_orders; i++) {
        if (memcmp(arg->orders[i].ranks, ranks, arg->n_rules * sizeof *ranks) == 0)
            return i;
    }
    arg->orders[arg->n_orders].ranks = ranks;
    return arg->n_orders++;
}

/* Where there is but one rule, every order of them is by recency. */
static void add_sites(struct bind *b, struct bind_arg *arg, const struct flow_traced *traced)
{
    struct behind rest = {0};

    if (arg->n_rules > 1)
        rest.of = flow_site_sources_of(b->flow, traced->lookup, traced->arg, &rest.n);
    arg->sites = sp_arena_alloc(&b->arena, rest.n * sizeof *arg->sites);
    arg->orders = sp_arena_alloc(&b->arena, (rest.n + 1) * sizeof *arg->orders);
    arg->n_orders = 1;
    while (rest.n > 0) {
        struct behind behind = {rest.of, 1};
        struct counted counted;

        while (behind.n < rest.n && sp_str_eq(rest.of[behind.n].site, rest.of[0].site))
            behind.n++;
        rest = (struct behind){rest.of + behind.n, rest.n - behind.n};
        counted = count_behind(b, arg, &behind);
        if (counted.total >= BIND_RULES_MIN_SITE_VALUES)
            arg->sites[arg->n_sites++] = (struct bind_site){
                behind.of->site, ranked_order(arg, rank(b, &counted, arg->n_rules))};
    }
}

static void add_recency_order(struct bind *b, struct bind_arg *arg)
{
    arg->orders = sp_arena_alloc(&b->arena, sizeof *arg->orders);
    arg->n_orders = 1;
}

static const struct flow_constant *constant_of(const struct bind_tool *tool, struct sp_str arg)
{
    for (size_t i = 0; i < tool->n_constants; i++) {
        if (sp_str_eq(tool->constants[i].arg, arg))
            return &tool->constants[i];
    }
    return NULL;
}

static void plan_arg(struct bind *b, const struct bind_tool *tool, struct bind_arg *arg)
{
    const struct flow_bindings *bindings = &b->flow->bindings;
    const struct flow_traced *list = flow_traced_of(&bindings->lists, tool->name, arg->name);
    const struct flow_traced *values = flow_traced_of(&bindings->sources, tool->name, arg->name);

    arg->constant = constant_of(tool, arg->name);
    if (arg->constant != NULL) {
        arg->kind = BIND_ARG_CONSTANT;
    } else if (list != NULL) {
        arg->kind = BIND_ARG_LIST;
        add_rules(b, arg, list);
        add_recency_order(b, arg);
    } else if (values != NULL) {
        arg->kind = BIND_ARG_VALUE;
        add_rules(b, arg, values);
        add_sites(b, arg, values);
    } else {
        arg->kind = BIND_ARG_UNSEEN;
    }
}

static void plan_trained(struct bind *b, struct bind_tool *tool)
{
    const struct flow_args *trained = tool->trained;

    tool->args = sp_arena_alloc(&b->arena, trained->args.n * sizeof *tool->args);
    for (size_t i = 0; i < trained->args.n; i++) {
        const struct flow_tally *tally = &trained->args.of[i];

        if (!bind_rules_requires(trained, tally))
            continue;
        tool->args[tool->n_args].name = tally->name;
        plan_arg(b, tool, &tool->args[tool->n_args++]);
    }
}

static void plan_by_name(struct bind *b, struct bind_tool *tool)
{
    const struct flow_doc *doc = flow_doc_of(b->flow, tool->name);

    tool->is_documented = doc != NULL;
    if (doc == NULL)
        return;
    tool->n_args = doc->n_args;
    if (doc->n_args > 0)
        tool->n_constants = 0; /* they complete what training taught */
    tool->args = sp_arena_alloc(&b->arena, doc->n_args * sizeof *tool->args);
    for (size_t i = 0; i < doc->n_args; i++) {
        struct bind_arg *arg = &tool->args[i];

        arg->name = doc->args[i].name;
        arg->kind = BIND_ARG_NAMED;
        arg->rules = sp_arena_alloc(&b->arena, sizeof *arg->rules);
        add_rule(b, arg, named_source(b, arg->name));
        add_recency_order(b, arg);
    }
}

static void plan_tool(struct bind *b, struct sp_str name)
{
    bool is_new;
    size_t *index = sp_map_put(&b->by_tool, name, &is_new);
    struct bind_tool *tool;

    if (!is_new)
        return;
    *index = b->n_tools;
    tool = &b->tools[b->n_tools++];
    tool->name = name;
    tool->trained = flow_args_of(b->flow, name);
    tool->constants = flow_constants_of(b->flow, name, &tool->n_constants);
    if (tool->trained != NULL)
        plan_trained(b, tool);
    else
        plan_by_name(b, tool);
}

void bind_plan_make(struct bind *b)
{
    const struct flow *f = b->flow;
    size_t max = f->bindings.n_args + f->sites.n_reads;

    for (size_t i = 0; i < f->sites.n_next; i++)
        max += f->sites.next[i].lookups.n;
    b->tools = sp_arena_alloc(&b->arena, max * sizeof *b->tools);
    for (size_t i = 0; i < f->bindings.n_args; i++)
        plan_tool(b, f->bindings.args[i].lookup);
    for (size_t i = 0; i < f->sites.n_reads; i++)
        plan_tool(b, f->sites.reads[i]);
    for (size_t i = 0; i < f->sites.n_next; i++) {
        for (size_t k = 0; k < f->sites.next[i].lookups.n; k++)
            plan_tool(b, f->sites.next[i].lookups.of[k].name);
    }
}

struct bind_tool *bind_plan_tool(const struct bind *b, struct sp_str name)
{
    const size_t *index = sp_map_find(&b->by_tool, name);

    return index != NULL ? &b->tools[*index] : NULL;
}
