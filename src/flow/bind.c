/*
 * Binding the arguments of lookups. What a session shows is taken in by bind_take.c, kept in order
 * by bind_rank.c for the rules that bind_plan.c reads from the flow, and bind_pick.c picks from it.
 */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "flow/bind_state.h"

struct bind *bind_new(const struct flow *flow)
{
    struct bind *b = sp_calloc(1, sizeof *b);

    b->flow = flow;
    b->turn = SIZE_MAX;
    b->last_turn = SIZE_MAX;
    b->mentions = mentions_new();
    bind_plan_make(b);
    return b;
}

static void sources_deinit(struct bind_sources *sources)
{
    for (size_t i = 0; i < sources->n; i++)
        free(sources->of[i]->found);
}

void bind_free(struct bind *b)
{
    if (b == NULL)
        return;
    for (size_t i = 0; i < b->n_tools; i++) {
        for (size_t k = 0; k < b->tools[i].n_args; k++)
            sp_map_deinit(&b->tools[i].args[k].by_text);
    }
    for (size_t i = 0; i < b->n_of_tools; i++)
        sources_deinit(&b->of_tools[i]);
    sources_deinit(&b->named);
    sp_map_deinit(&b->by_tool);
    sp_map_deinit(&b->by_source_tool);
    sp_map_deinit(&b->by_name);
    sp_map_deinit(&b->by_text);
    sp_map_deinit(&b->by_id);
    mentions_free(b->mentions);
    sp_buf_deinit(&b->json);
    sp_buf_deinit(&b->text);
    sp_arena_deinit(&b->arena);
    free(b);
}

/* Takes in the calls that a turn has got: the last one that had any, or one behind it. */
static void take_calls(struct bind *b, const struct episode *e, size_t turn)
{
    const struct episode_event *event;

    if (turn == SIZE_MAX)
        return;
    event = &e->events[turn];
    if (event->n_calls > 0 && turn != b->turn) {
        b->turn = turn;
        b->n_turn_calls = 0;
    }
    for (; turn == b->turn && b->n_turn_calls < event->n_calls; b->n_turn_calls++)
        bind_take_call(b, turn, &event->calls[b->n_turn_calls]);
}

void bind_update(struct bind *b, const struct episode *e)
{
    take_calls(b, e, b->turn);
    take_calls(b, e, b->last_turn);
    for (; b->n_events < e->n_events; b->n_events++) {
        const struct episode_event *event = &e->events[b->n_events];

        switch (event->kind) {
        case EPISODE_USER:
            bind_take_said(b, event->text);
            break;
        case EPISODE_ASSISTANT:
            b->last_turn = b->n_events;
            take_calls(b, e, b->last_turn);
            break;
        case EPISODE_RESULT:
            bind_take_result(b, b->n_events, event->call_id, event->name, event->is_error,
                             event->text);
            break;
        }
    }
}

void bind_lookup(struct bind *b, const struct episode_view *view, struct sp_str tool,
                 struct bind_result *ret)
{
    struct bind_tool *planned = bind_plan_tool(b, tool);

    *ret = (struct bind_result){0};
    if (planned != NULL)
        bind_pick(b, view, planned, ret);
    else
        sp_buf_add(&ret->why, BIND_UNKNOWN);
}

void bind_result_deinit(struct bind_result *r)
{
    sp_buf_deinit(&r->arguments);
    sp_buf_deinit(&r->why);
    *r = (struct bind_result){0};
}
