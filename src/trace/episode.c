/*
 * Episodes and the views after a call.
 *
 * A call id may occur more than once. The index of turns keeps the first that has it, as the view
 * wants; the index of results keeps the last of an id.
 */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "trace/episode.h"

void episode_deinit(struct episode *e)
{
    for (size_t i = 0; i < e->n_events; i++)
        free(e->events[i].calls);
    free(e->events);
    sp_map_deinit(&e->turns);
    sp_map_deinit(&e->answered);
    sp_arena_deinit(&e->arena);
    *e = (struct episode){0};
}

static struct sp_str keep(struct episode *e, struct sp_str s)
{
    return s.p != NULL ? sp_arena_copy(&e->arena, s) : s;
}

static size_t add_event(struct episode *e, struct episode_event event)
{
    if (e->n_events == e->max_events) {
        e->max_events = e->max_events > 0 ? 2 * e->max_events : 16;
        e->events = sp_realloc(e->events, e->max_events * sizeof *e->events);
    }
    e->events[e->n_events] = event;
    return e->n_events++;
}

size_t episode_add_user(struct episode *e, struct sp_str text)
{
    return add_event(e, (struct episode_event){.kind = EPISODE_USER, .text = keep(e, text)});
}

size_t episode_add_turn(struct episode *e, struct sp_str text)
{
    return add_event(e, (struct episode_event){.kind = EPISODE_ASSISTANT, .text = keep(e, text)});
}

size_t episode_add_result(struct episode *e, struct sp_str call_id, struct sp_str name,
                          bool is_error, struct sp_str text)
{
    struct episode_event event = {
        .kind = EPISODE_RESULT,
        .text = keep(e, text),
        .call_id = keep(e, call_id),
        .name = keep(e, name),
        .is_error = is_error,
    };

    *sp_map_put(&e->answered, event.call_id, NULL) = e->n_events;
    return add_event(e, event);
}

const struct episode_event *episode_result_of(const struct episode *e, struct sp_str call_id)
{
    const size_t *event = sp_map_find(&e->answered, call_id);

    return event != NULL ? &e->events[*event] : NULL;
}

/* Adds a call whose texts live as long as the episode. */
static void join_turn(struct episode *e, size_t turn, struct episode_call call)
{
    struct episode_event *event = &e->events[turn];
    bool is_new;
    size_t *first;

    if (event->n_calls == event->max_calls) {
        event->max_calls = event->max_calls > 0 ? 2 * event->max_calls : 4;
        event->calls = sp_realloc(event->calls, event->max_calls * sizeof *event->calls);
    }
    event->calls[event->n_calls++] = call;
    first = sp_map_put(&e->turns, call.id, &is_new);
    if (is_new || turn < *first)
        *first = turn;
}

void episode_add_call(struct episode *e, size_t turn, struct episode_call call)
{
    join_turn(e, turn,
              (struct episode_call){
                  .id = keep(e, call.id),
                  .name = keep(e, call.name),
                  .arguments = keep(e, call.arguments),
              });
}

bool episode_succeeded(const struct episode *e)
{
    return e->reward >= 1 - 1e-9;
}

struct episode episode_copy(const struct episode *e, size_t n)
{
    struct episode copy = {
        .id = e->id,
        .task_id = e->task_id,
        .domain = e->domain,
        .agent_model = e->agent_model,
        .trial = e->trial,
        .reward = e->reward,
    };

    for (size_t i = 0; i < n; i++) {
        const struct episode_event *event = &e->events[i];

        switch (event->kind) {
        case EPISODE_USER:
            episode_add_user(&copy, event->text);
            break;
        case EPISODE_ASSISTANT:
            episode_add_turn(&copy, event->text);
            copy.events[i].has_usage = event->has_usage;
            copy.events[i].usage = event->usage;
            for (size_t k = 0; k < event->n_calls; k++)
                episode_add_call(&copy, i, event->calls[k]);
            break;
        case EPISODE_RESULT:
            episode_add_result(&copy, event->call_id, event->name, event->is_error, event->text);
            break;
        }
    }
    return copy;
}

struct episode_view episode_view_whole(const struct episode *e)
{
    return (struct episode_view){.episode = e, .turn = SIZE_MAX};
}

void episode_view_after(const struct episode *e, struct sp_str call_id, struct episode_view *ret)
{
    const size_t *turn = sp_map_find(&e->turns, call_id);
    const struct episode_event *event;
    bool is_found = false;

    *ret = episode_view_whole(e);
    if (turn == NULL)
        return;
    event = &e->events[*turn];
    ret->turn = *turn;
    ret->calls = sp_calloc(event->n_calls, sizeof *ret->calls);
    ret->pending = sp_calloc(event->n_calls, sizeof *ret->pending);
    for (size_t i = 0; i < event->n_calls; i++) {
        const struct episode_call *call = &event->calls[i];

        if (sp_str_eq(call->id, call_id))
            continue;
        if (sp_map_find(&e->answered, call->id) != NULL)
            ret->calls[ret->n_calls++] = *call;
        else
            ret->pending[ret->n_pending++] = *call;
    }
    for (size_t i = 0; i < event->n_calls && !is_found; i++) {
        is_found = sp_str_eq(event->calls[i].id, call_id);
        if (is_found)
            ret->calls[ret->n_calls++] = event->calls[i];
    }
}

void episode_view_deinit(struct episode_view *v)
{
    free(v->calls);
    free(v->pending);
    *v = (struct episode_view){0};
}
