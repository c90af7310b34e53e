/* A recorded session growing again. */

#include "learn/regrow.h"

void regrow_init(struct regrow *r, const struct episode *recorded, const struct flow *flow)
{
    *r = (struct regrow){
        .recorded = recorded,
        .now =
            {
                .id = recorded->id,
                .task_id = recorded->task_id,
                .domain = recorded->domain,
                .agent_model = recorded->agent_model,
                .trial = recorded->trial,
                .reward = recorded->reward,
            },
        .bind = bind_new(flow),
    };
}

void regrow_deinit(struct regrow *r)
{
    bind_free(r->bind);
    recall_deinit(&r->recall);
    episode_deinit(&r->now);
}

/* Brings the turn at index `i`, which may be the next event, to its first `n_calls` calls. */
static void grow_turn(struct episode *e, size_t i, const struct episode_event *turn, size_t n_calls)
{
    if (i == e->n_events)
        (void)episode_add_turn(e, turn->text);
    for (size_t k = e->events[i].n_calls; k < n_calls; k++)
        episode_add_call(e, i, turn->calls[k]);
}

static void add_event(struct episode *e, const struct episode_event *event)
{
    switch (event->kind) {
    case EPISODE_USER:
        (void)episode_add_user(e, event->text);
        break;
    case EPISODE_ASSISTANT:
        grow_turn(e, e->n_events, event, event->n_calls);
        break;
    case EPISODE_RESULT:
        (void)episode_add_result(e, event->call_id, event->name, event->is_error, event->text);
        break;
    }
}

/* Adds the calls that the last event still lacks. */
static void complete_turn(struct regrow *r)
{
    size_t last = r->now.n_events - 1;
    const struct episode_event *event = &r->recorded->events[last];

    if (event->kind == EPISODE_ASSISTANT)
        grow_turn(&r->now, last, event, event->n_calls);
}

void regrow_to(struct regrow *r, size_t n)
{
    regrow_to_call(r, n, 0);
}

void regrow_to_call(struct regrow *r, size_t n, size_t n_calls)
{
    if (r->now.n_events > 0 && n >= r->now.n_events)
        complete_turn(r);
    while (r->now.n_events < n)
        add_event(&r->now, &r->recorded->events[r->now.n_events]);
    if (n_calls > 0)
        grow_turn(&r->now, n, &r->recorded->events[n], n_calls);
    bind_update(r->bind, &r->now);
    recall_update(&r->recall, &r->now);
}
