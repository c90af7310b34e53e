#pragma once

/*
 * The episode: what happened in one session, in the form that everything else works on. Its events
 * are what the user said, the agent's turns with their calls, and the results of the calls.
 *
 * An episode only grows: events are appended, calls join an event. It keeps two indexes, so that
 * the view after a call costs what the call's own turn costs, however long the session is.
 *
 * Thread: any, one at a time.
 */

#include "base/sp_arena.h"
#include "base/sp_map.h"

/* Views look into the episode's memory, in this struct and the next. */
struct episode_call {
    struct sp_str id;
    struct sp_str name;      /* the tool's */
    struct sp_str arguments; /* canonical JSON of any type, normally an object */
};

struct episode_usage {
    uint64_t prompt_tokens;
    uint64_t completion_tokens;
    double cost; /* dollars */
};

enum episode_kind {
    EPISODE_USER,
    EPISODE_ASSISTANT, /* one turn of the agent */
    EPISODE_RESULT,
};

struct episode_event {
    enum episode_kind kind;
    struct sp_str text; /* USER, RESULT: its text; ASSISTANT: p is NULL for none */

    struct episode_call *calls; /* ASSISTANT; moves when a call joins */
    size_t n_calls;
    size_t max_calls; /* private */
    bool has_usage;
    struct episode_usage usage;

    struct sp_str call_id; /* RESULT */
    struct sp_str name;    /* the tool's */
    bool is_error;
};

/* A zeroed struct with the views of its first five fields set is an episode without events. */
struct episode {
    struct sp_str id; /* borrowed until episode_deinit(), as the next three */
    struct sp_str task_id;
    struct sp_str domain;
    struct sp_str agent_model;
    uint64_t trial;
    double reward; /* 0 to 1 */

    struct episode_event *events; /* moves when one is added */
    size_t n_events;
    size_t max_events; /* private, as the rest */
    struct sp_arena arena;
    struct sp_map turns;    /* call id -> index of the first turn that has it */
    struct sp_map answered; /* call id -> index of its last result */
};

void episode_deinit(struct episode *e);

/*
 * These append an event and return its index. All texts are copied.
 *
 * text: of a turn, a `p` of NULL for none.
 */
size_t episode_add_user(struct episode *e, struct sp_str text);
size_t episode_add_turn(struct episode *e, struct sp_str text);
size_t episode_add_result(struct episode *e, struct sp_str call_id, struct sp_str name,
                          bool is_error, struct sp_str text);

/* Adds a call to the turn at index `turn`. All texts are copied. */
void episode_add_call(struct episode *e, size_t turn, struct episode_call call);

/* The last result of a call id, good until the episode next changes; NULL when there is none. */
const struct episode_event *episode_result_of(const struct episode *e, struct sp_str call_id);

/* Whether the task was done: the reward is 1 but for rounding. */
bool episode_succeeded(const struct episode *e);

/* A copy of its first `n` events; strings borrowed as in `e`; the caller's. */
struct episode episode_copy(const struct episode *e, size_t n);

/*
 * An episode as it stands when one call returned: the turn of that call has only the calls that
 * have returned, in their order, and last the call itself. What the turn also asked for is pending.
 * All other events are the episode's.
 *
 * It is good until the episode next changes. The arrays are the view's.
 */
struct episode_view {
    const struct episode *episode;
    size_t turn; /* the turn's index; SIZE_MAX: no turn has the call, nothing is set apart */
    struct episode_call *calls;
    size_t n_calls;
    struct episode_call *pending;
    size_t n_pending;
};

/* ret: the caller's, ended by episode_view_deinit(). */
void episode_view_after(const struct episode *e, struct sp_str call_id, struct episode_view *ret);

/* The view of an episode with nothing set apart; needs no end. */
struct episode_view episode_view_whole(const struct episode *e);

void episode_view_deinit(struct episode_view *v);

/* The calls of the event at index `i` as the view has them. */
static inline const struct episode_call *episode_view_calls(const struct episode_view *v, size_t i,
                                                            size_t *ret_n)
{
    const struct episode_event *event = &v->episode->events[i];

    *ret_n = i == v->turn ? v->n_calls : event->n_calls;
    return i == v->turn ? v->calls : event->calls;
}
