/*
 * A recorded session before each step.
 *
 * One episode grows along. Within a turn it gets each call with all of its results, wherever these
 * were recorded, and later on the events that it does not have yet. Only when it has a result that
 * was recorded behind the next step's turn does it begin anew.
 *
 * A result is one of the last turn before it that has a call with its id, and there of the first
 * such call.
 */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "learn/beforestep.h"

/* The results of a call as indexes of events; 0 for none, as the first event answers nothing. */
struct beforestep_call {
    size_t first;
    size_t last;
};

static void begin(struct beforestep *b)
{
    const struct episode *e = b->recorded;

    b->now = (struct episode){
        .id = e->id,
        .task_id = e->task_id,
        .domain = e->domain,
        .agent_model = e->agent_model,
        .trial = e->trial,
        .reward = e->reward,
    };
    b->n_whole = 0;
    b->n_joined = 0;
    b->n_reached = 0;
}

static void begin_anew(struct beforestep *b)
{
    episode_deinit(&b->now);
    recall_deinit(&b->recall);
    for (size_t i = 0; i < b->recorded->n_events; i++)
        b->is_taken[i] = false;
    begin(b);
}

/* Notes that a call has the result at index `result`. */
static void link_result(struct beforestep *b, struct beforestep_call *call, size_t result)
{
    if (call->first == 0)
        call->first = result;
    else
        b->next_result[call->last] = result;
    call->last = result;
}

/* Finds the results of every call. */
static void link_results(struct beforestep *b)
{
    const struct episode *e = b->recorded;
    struct sp_map calls = {0}; /* id -> number of the call in the session */
    size_t n_before = 0;

    for (size_t i = 0; i < e->n_events; i++) {
        const struct episode_event *event = &e->events[i];
        const size_t *call;

        for (size_t k = 0; k < event->n_calls; k++) {
            bool is_new;
            size_t *number = sp_map_put(&calls, event->calls[k].id, &is_new);

            if (is_new || *number < n_before)
                *number = n_before + k;
        }
        n_before += event->n_calls;
        call = event->kind == EPISODE_RESULT ? sp_map_find(&calls, event->call_id) : NULL;
        if (call != NULL)
            link_result(b, &b->calls[*call], i);
    }
    sp_map_deinit(&calls);
}

void beforestep_init(struct beforestep *b, const struct episode *recorded)
{
    size_t n_calls = 0;

    for (size_t i = 0; i < recorded->n_events; i++)
        n_calls += recorded->events[i].n_calls;
    *b = (struct beforestep){
        .recorded = recorded,
        .is_taken = sp_calloc(recorded->n_events, sizeof *b->is_taken),
        .calls = sp_calloc(n_calls, sizeof *b->calls),
        .next_result = sp_calloc(recorded->n_events, sizeof *b->next_result),
    };
    link_results(b);
    begin(b);
}

void beforestep_deinit(struct beforestep *b)
{
    episode_deinit(&b->now);
    recall_deinit(&b->recall);
    free(b->is_taken);
    free(b->calls);
    free(b->next_result);
}

/* Notes that the event at an index is at least begun. */
static void reach(struct beforestep *b, size_t event)
{
    if (event >= b->n_reached)
        b->n_reached = event + 1;
}

static void take_result(struct beforestep *b, size_t i)
{
    const struct episode_event *event = &b->recorded->events[i];

    if (b->is_taken[i])
        return;
    b->is_taken[i] = true;
    reach(b, i);
    episode_add_result(&b->now, event->call_id, event->name, event->is_error, event->text);
}

/* The turn at index n_whole begins, if it has not, and gets its calls up to number `n`. */
static void join(struct beforestep *b, size_t n)
{
    const struct episode_event *event = &b->recorded->events[b->n_whole];

    if (b->n_joined == 0) {
        b->turn = episode_add_turn(&b->now, event->text);
        reach(b, b->n_whole);
    }
    for (; b->n_joined < n; b->n_joined++)
        episode_add_call(&b->now, b->turn, event->calls[b->n_joined]);
}

/* Takes what is missing of the events up to the one at index `n`, not included. */
static void take_whole(struct beforestep *b, size_t n)
{
    for (; b->n_whole < n; b->n_whole++) {
        const struct episode_event *event = &b->recorded->events[b->n_whole];

        switch (event->kind) {
        case EPISODE_USER:
            episode_add_user(&b->now, event->text);
            reach(b, b->n_whole);
            break;
        case EPISODE_ASSISTANT:
            join(b, event->n_calls);
            b->n_joined = 0;
            break;
        case EPISODE_RESULT:
            take_result(b, b->n_whole);
            break;
        }
    }
}

/* Takes the first `n` calls of the turn at index n_whole, with their results. */
static void take_calls(struct beforestep *b, size_t n)
{
    for (size_t k = b->n_joined; k < n; k++) {
        join(b, k + 1);
        for (size_t i = b->calls[b->n_calls_before + k].first; i != 0; i = b->next_result[i])
            take_result(b, i);
    }
}

/* Brings the session to where it stood before a call, or before a turn or message (call 0). */
static void go_to(struct beforestep *b, size_t event, size_t call)
{
    if (b->n_whole < event && b->n_reached > event)
        begin_anew(b);
    take_whole(b, event);
    take_calls(b, call);
    recall_update(&b->recall, &b->now);
}

bool beforestep_next(struct beforestep *b, const struct episode_call **ret_call)
{
    const struct episode *e = b->recorded;

    for (; b->event < e->n_events; b->event++) {
        const struct episode_event *event = &e->events[b->event];
        bool is_message = event->kind == EPISODE_ASSISTANT && event->n_calls == 0;

        if (b->call < event->n_calls || (is_message && b->call == 0)) {
            go_to(b, b->event, b->call);
            *ret_call = is_message ? NULL : &event->calls[b->call];
            b->call++;
            return true;
        }
        b->n_calls_before += event->n_calls;
        b->call = 0;
    }
    return false;
}
