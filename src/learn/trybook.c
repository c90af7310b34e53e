/*
 * How often what a flow would pass is what the agent passed.
 *
 * A session grows again call by call. Before each lookup the flow's own pick is held against it;
 * behind each result every lookup is picked, and what the agent did later says whether a pick that
 * is counted was used.
 */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "flow/bind_rules.h"
#include "flow/outputs.h"
#include "json/jget.h"
#include "learn/later.h"
#include "learn/regrow.h"
#include "learn/trybook.h"

/* A lookup. */
struct tool {
    struct sp_str name;
    bool takes_any; /* the flow passes it some argument */
    struct flow_ratio unmentioned;
    struct flow_ratio mentioned;
    struct flow_ratio other;
    struct flow_ratio described;
};

struct trybook {
    const struct flow *flow;
    struct tool *tools; /* as the flow's args */
    size_t n_tools;
    struct sp_buf text; /* scratch */
};

/* A session on which the flow is tried. */
struct trial {
    struct trybook *book;
    const struct episode *episode;
    struct regrow grown;
    struct later later;
    struct sp_map other; /* what was picked and met before; so is the next */
    struct sp_map described;
    struct sp_arena arena; /* their keys */
};

struct trybook *trybook_new(const struct flow *f)
{
    const struct flow_bindings *bindings = &f->bindings;
    struct trybook *t = sp_calloc(1, sizeof *t);

    t->flow = f;
    t->n_tools = bindings->n_args;
    t->tools = sp_calloc(t->n_tools, sizeof *t->tools);
    for (size_t i = 0; i < t->n_tools; i++) {
        const struct flow_args *args = &bindings->args[i];

        t->tools[i].name = args->lookup;
        for (size_t k = 0; k < args->args.n; k++)
            t->tools[i].takes_any =
                t->tools[i].takes_any || bind_rules_requires(args, &args->args.of[k]);
    }
    return t;
}

void trybook_free(struct trybook *t)
{
    if (t == NULL)
        return;
    free(t->tools);
    sp_buf_deinit(&t->text);
    free(t);
}

/* The lookup of that name if the flow passes it something; NULL for any other tool. */
static struct tool *tool_of(struct trybook *t, struct sp_str name)
{
    const struct flow_args *args = flow_args_of(t->flow, name);
    struct tool *tool = args != NULL ? &t->tools[args - t->flow->bindings.args] : NULL;

    return tool != NULL && tool->takes_any ? tool : NULL;
}

/* Holds what the flow would pass, as the session stands, against what the agent passes. */
static void try_call(struct trial *trial, struct tool *tool, struct sp_str arguments)
{
    struct episode_view view = episode_view_whole(&trial->grown.now);
    struct bind_result pick;

    bind_lookup(trial->grown.bind, &view, tool->name, &pick);
    if (pick.is_bound) {
        struct flow_ratio *ratio =
            pick.class == BIND_PICKED ? &tool->mentioned : &tool->unmentioned;

        ratio->n++;
        ratio->hits += later_has_arguments(arguments, sp_buf_str(&pick.arguments));
    }
    bind_result_deinit(&pick);
}

/*
 * Tries the lookups of a turn. The turn's calls before one are in the session by then rather than
 * pending. What they give may only make a record described, which changes neither what is picked
 * nor whether the customer had mentioned it.
 */
static void try_turn(struct trial *trial, size_t turn)
{
    const struct episode_event *event = &trial->episode->events[turn];

    for (size_t i = 0; i < event->n_calls; i++) {
        struct tool *tool = tool_of(trial->book, event->calls[i].name);

        if (tool == NULL)
            continue;
        regrow_to_call(&trial->grown, turn, i);
        try_call(trial, tool, event->calls[i].arguments);
    }
}

/* Whether a pick is met for the first time. */
static bool is_new(struct trial *trial, struct sp_map *met, const struct tool *tool,
                   struct sp_str arguments)
{
    struct sp_buf *key = &trial->book->text;

    sp_buf_clear(key);
    sp_buf_add(key, arguments); /* an object, so it is plain where it ends */
    sp_buf_add(key, tool->name);
    if (sp_map_find(met, sp_buf_str(key)) != NULL)
        return false;
    (void)sp_map_put(met, sp_arena_copy(&trial->arena, sp_buf_str(key)), NULL);
    return true;
}

/* Counts a pick of a class that is counted apart, and whether it is made behind the event. */
static void count_pick(struct trial *trial, struct tool *tool, const struct bind_result *pick,
                       size_t event)
{
    struct sp_str arguments = sp_buf_str(&pick->arguments);
    bool is_other = pick->class == BIND_OTHER;
    struct flow_ratio *ratio = is_other ? &tool->other : &tool->described;

    if (!is_new(trial, is_other ? &trial->other : &trial->described, tool, arguments))
        return;
    ratio->n++;
    ratio->hits += later_call(&trial->later, event, tool->name, arguments) != NULL;
}

/* Picks every lookup behind a result. */
static void try_result(struct trial *trial, size_t event)
{
    struct trybook *t = trial->book;
    struct episode_view view;

    regrow_to(&trial->grown, event + 1);
    view = episode_view_whole(&trial->grown.now);
    for (size_t i = 0; i < t->n_tools; i++) {
        struct tool *tool = &t->tools[i];
        struct bind_result pick;

        if (!tool->takes_any)
            continue;
        bind_lookup(trial->grown.bind, &view, tool->name, &pick);
        if (pick.is_bound && (pick.class == BIND_OTHER || pick.class == BIND_DESCRIBED))
            count_pick(trial, tool, &pick, event);
        bind_result_deinit(&pick);
    }
}

void trybook_add(struct trybook *t, const struct episode *e)
{
    struct trial trial = {.book = t, .episode = e};

    regrow_init(&trial.grown, e, t->flow);
    later_init(&trial.later, e);
    for (size_t i = 0; i < e->n_events; i++) {
        if (e->events[i].kind == EPISODE_ASSISTANT)
            try_turn(&trial, i);
        else if (e->events[i].kind == EPISODE_RESULT && !e->events[i].is_error)
            try_result(&trial, i);
    }
    regrow_deinit(&trial.grown);
    later_deinit(&trial.later);
    sp_map_deinit(&trial.other);
    sp_map_deinit(&trial.described);
    sp_arena_deinit(&trial.arena);
}

static void add_used(struct flow_useds *useds, struct sp_str lookup, const struct flow_ratio *ratio)
{
    if (ratio->n > 0)
        useds->of[useds->n++] = (struct flow_used){lookup, *ratio};
}

void trybook_set(const struct trybook *t, struct flow *f)
{
    struct flow_bindings *b = &f->bindings;

    b->agreed = sp_arena_alloc(&f->arena, t->n_tools * sizeof *b->agreed);
    b->n_agreed = 0;
    b->named_other = (struct flow_useds){
        .of = sp_arena_alloc(&f->arena, t->n_tools * sizeof *b->named_other.of),
    };
    b->described_read = (struct flow_useds){
        .of = sp_arena_alloc(&f->arena, t->n_tools * sizeof *b->described_read.of),
    };
    for (size_t i = 0; i < t->n_tools; i++) {
        const struct tool *tool = &t->tools[i];

        if (tool->unmentioned.n + tool->mentioned.n > 0)
            b->agreed[b->n_agreed++] =
                (struct flow_agreed){tool->name, tool->unmentioned, tool->mentioned};
        add_used(&b->named_other, tool->name, &tool->other);
        add_used(&b->described_read, tool->name, &tool->described);
    }
}
