/* The session of a replay as it stands. */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "learn/replay_now.h"

static void begin_seen(struct replay_now *now, const struct flow *flow)
{
    now->seen = (struct episode){
        .id = now->episode.id,
        .task_id = now->episode.task_id,
        .domain = now->episode.domain,
        .agent_model = now->episode.agent_model,
    };
    now->seen_turn = SIZE_MAX;
    now->bind = bind_new(flow);
    now->recall = (struct recall){0};
}

static void end_seen(struct replay_now *now)
{
    bind_free(now->bind);
    recall_deinit(&now->recall);
    episode_deinit(&now->seen);
}

void replay_now_init(struct replay_now *now, struct turns *turns, const struct flow *flow)
{
    const struct episode *recorded = turns_episode(turns);

    *now = (struct replay_now){.turns = turns, .turn = SIZE_MAX};
    now->episode = (struct episode){
        .id = recorded->id,
        .task_id = recorded->id, /* each session is its own task */
        .domain = recorded->domain,
        .agent_model = recorded->agent_model,
    };
    for (size_t i = 0; i < recorded->n_events; i++) {
        for (size_t k = 0; k < recorded->events[i].n_calls; k++)
            sp_map_put(&now->ids, recorded->events[i].calls[k].id, NULL);
    }
    begin_seen(now, flow);
}

void replay_now_deinit(struct replay_now *now)
{
    end_seen(now);
    episode_deinit(&now->episode);
    sp_map_deinit(&now->covered);
    sp_map_deinit(&now->ids);
    sp_map_deinit(&now->turn_ids);
    free(now->sent);
}

/* ---- recorded events ---- */

bool replay_now_is_covered(const struct replay_now *now, struct sp_str call_id)
{
    return sp_map_find(&now->covered, call_id) != NULL;
}

/* Whether a call was sent before its turn's result number `back` came, the first being 1. */
static bool was_sent(const struct replay_now *now, struct sp_str call_id)
{
    uint64_t sent_after;

    return !turns_sent_after(now->turns, call_id, &sent_after) || sent_after < now->back;
}

/* The turn gets its calls up to the one at index `n`, not included. */
static void join(struct replay_now *now, size_t n)
{
    for (; now->n_joined < n; now->n_joined++)
        episode_add_call(&now->episode, now->turn, *now->sent[now->n_joined]);
}

/* It gets those that were sent by now, and the one with that id. */
static void join_sent(struct replay_now *now, struct sp_str call_id)
{
    size_t n = now->n_sent;

    while (n > now->n_joined && !was_sent(now, now->sent[n - 1]->id) &&
           !sp_str_eq(now->sent[n - 1]->id, call_id))
        n--;
    join(now, n);
}

/* The agent goes on: the turn has got all of its calls. */
static void end_turn(struct replay_now *now)
{
    if (now->turn != SIZE_MAX)
        join(now, now->n_sent);
    now->turn = SIZE_MAX;
}

static void take_message(struct replay_now *now, const struct episode_event *event)
{
    end_turn(now);
    episode_add_turn(&now->episode, event->text);
}

static void take_turn(struct replay_now *now, const struct episode_event *event)
{
    size_t n_left = 0;

    for (size_t i = 0; i < event->n_calls; i++)
        n_left += !replay_now_is_covered(now, event->calls[i].id);
    if (n_left == 0)
        return;
    end_turn(now);
    sp_map_deinit(&now->turn_ids);
    now->turn = episode_add_turn(&now->episode, event->text);
    now->back = 0;
    now->n_sent = 0;
    now->n_joined = 0;
    if (n_left > now->max_sent) {
        now->max_sent = n_left;
        now->sent = sp_realloc(now->sent, n_left * sizeof *now->sent);
    }
    for (size_t i = 0; i < event->n_calls; i++) {
        sp_map_put(&now->turn_ids, event->calls[i].id, NULL);
        if (!replay_now_is_covered(now, event->calls[i].id))
            now->sent[now->n_sent++] = &event->calls[i];
    }
}

/* Returns whether it is the result of the session's last step. */
static bool take_result(struct replay_now *now, const struct episode_event *event)
{
    bool is_of_turn = sp_map_find(&now->turn_ids, event->call_id) != NULL;
    struct episode_view view;
    bool is_last;

    now->back += is_of_turn;
    if (replay_now_is_covered(now, event->call_id))
        return false;
    if (is_of_turn && now->turn != SIZE_MAX)
        join_sent(now, event->call_id);
    episode_add_result(&now->episode, event->call_id, event->name, event->is_error, event->text);
    if (!is_of_turn || now->turn == SIZE_MAX)
        return false;
    replay_now_view(now, event->call_id, &view);
    is_last = view.turn == now->turn;
    episode_view_deinit(&view);
    return is_last;
}

bool replay_now_take(struct replay_now *now, size_t i)
{
    const struct episode *recorded = turns_episode(now->turns);
    const struct episode_event *event = &recorded->events[i];

    switch (event->kind) {
    case EPISODE_USER:
        episode_add_user(&now->episode, event->text);
        return false;
    case EPISODE_ASSISTANT:
        if (event->n_calls > 0)
            take_turn(now, event);
        else
            take_message(now, event);
        return false;
    case EPISODE_RESULT:
        return take_result(now, event) && i + 1 < recorded->n_events;
    }
    return false;
}

/* ---- what decisions see ---- */

void replay_now_view(const struct replay_now *now, struct sp_str call_id, struct episode_view *ret)
{
    episode_view_after(&now->episode, call_id, ret);
}

size_t replay_now_pending(const struct replay_now *now, const struct episode_view *view,
                          struct episode_call *ret)
{
    size_t n = 0;

    for (size_t i = 0; i < view->n_pending; i++) {
        if (was_sent(now, view->pending[i].id))
            ret[n++] = view->pending[i];
    }
    return n;
}

static bool is_same_call(const struct episode_call *a, const struct episode_call *b)
{
    return sp_str_eq(a->id, b->id) && sp_str_eq(a->name, b->name) &&
           sp_str_eq(a->arguments, b->arguments);
}

/* Whether the view is what was seen before, grown. It is not when results came out of order. */
static bool has_grown(const struct replay_now *now, const struct episode_view *view)
{
    const struct episode_event *event;
    const struct episode_call *calls;
    size_t n;

    if (now->seen_turn == SIZE_MAX)
        return true;
    event = &now->seen.events[now->seen_turn];
    calls = episode_view_calls(view, now->seen_turn, &n);
    if (event->n_calls > n)
        return false;
    for (size_t i = 0; i < event->n_calls; i++) {
        if (!is_same_call(&event->calls[i], &calls[i]))
            return false;
    }
    return true;
}

static void see_calls(struct replay_now *now, const struct episode_view *view, size_t turn)
{
    size_t n;
    const struct episode_call *calls = episode_view_calls(view, turn, &n);

    for (size_t i = now->seen.events[turn].n_calls; i < n; i++)
        episode_add_call(&now->seen, turn, calls[i]);
    if (n > 0)
        now->seen_turn = turn;
}

static void see_event(struct replay_now *now, const struct episode_view *view, size_t i)
{
    const struct episode_event *event = &view->episode->events[i];

    switch (event->kind) {
    case EPISODE_USER:
        episode_add_user(&now->seen, event->text);
        break;
    case EPISODE_ASSISTANT:
        episode_add_turn(&now->seen, event->text);
        see_calls(now, view, i);
        break;
    case EPISODE_RESULT:
        episode_add_result(&now->seen, event->call_id, event->name, event->is_error, event->text);
        break;
    }
}

void replay_now_see(struct replay_now *now, const struct flow *flow,
                    const struct episode_view *view)
{
    if (!has_grown(now, view)) {
        end_seen(now);
        begin_seen(now, flow);
    }
    if (now->seen_turn != SIZE_MAX)
        see_calls(now, view, now->seen_turn);
    for (size_t i = now->seen.n_events; i < view->episode->n_events; i++)
        see_event(now, view, i);
    bind_update(now->bind, &now->seen);
}

/* ---- lookups ---- */

/* Appends an id that no recorded call has. */
static void put_new_id(struct replay_now *now, struct sp_buf *b)
{
    do {
        sp_buf_clear(b);
        sp_buf_addf(b, "stretto-%ju", (uintmax_t)++now->n_lookups);
    } while (sp_map_find(&now->ids, sp_buf_str(b)) != NULL);
}

struct sp_str replay_now_look_up(struct replay_now *now, const struct episode_call *call,
                                 const struct episode_event *result)
{
    const struct episode_event *turn;
    struct sp_buf id = {0};

    put_new_id(now, &id);
    sp_map_put(&now->covered, call->id, NULL);
    episode_add_call(&now->episode, now->turn,
                     (struct episode_call){
                         .id = sp_buf_str(&id),
                         .name = call->name,
                         .arguments = call->arguments,
                     });
    episode_add_result(&now->episode, sp_buf_str(&id), call->name, result->is_error, result->text);
    sp_buf_deinit(&id);
    turn = &now->episode.events[now->turn];
    return turn->calls[turn->n_calls - 1].id;
}
