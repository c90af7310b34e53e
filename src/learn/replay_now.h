#pragma once

/*
 * The session of a replay as it stands: what was recorded so far, without what lookups brought
 * already, and with those lookups. Calls are in it from the moment they were sent, so that it grows
 * as a live session does. The recorded session is given event by event.
 *
 * Thread: any, one at a time.
 */

#include "flow/decide.h"
#include "trace/turns.h"

struct replay_now {
    struct turns *turns; /* private, as the rest; of the recorded session */
    struct episode episode;
    struct sp_map covered; /* ids of recorded calls that lookups answered */
    struct sp_map ids;     /* of all recorded calls */
    uint64_t n_lookups;

    /* The recorded turn that was taken in last, while its calls and results come. */
    size_t turn; /* its index in the episode; SIZE_MAX: none, or the agent has spoken since */
    struct sp_map turn_ids;           /* of its recorded calls */
    uint64_t back;                    /* results of these so far */
    const struct episode_call **sent; /* its calls that are not covered, in the order of sending */
    size_t n_sent;
    size_t max_sent;
    size_t n_joined; /* of these, that the episode has */

    /*
     * The last view as an episode of its own. Pending calls are no part of it, so that the calls of
     * detours can be given as such beside them.
     */
    struct episode seen;
    size_t seen_turn; /* the last turn that has calls; SIZE_MAX: none */
    struct bind *bind;
    struct recall recall;
};

/*
 * Begins with an empty session.
 *
 * turns: the recorded session; kept until replay_now_deinit(), as the next.
 */
void replay_now_init(struct replay_now *now, struct turns *turns, const struct flow *flow);

void replay_now_deinit(struct replay_now *now);

/*
 * Takes in the recorded event at index `i`; each once, in order.
 *
 * Returns: whether a run follows: it is the result of a call that is the session's last step now.
 */
bool replay_now_take(struct replay_now *now, size_t i);

bool replay_now_is_covered(const struct replay_now *now, struct sp_str call_id);

/*
 * The calls of the view that were sent by now and are pending.
 *
 * ret:     room for view->n_pending of them; the texts are the session's.
 * Returns: how many there are.
 */
size_t replay_now_pending(const struct replay_now *now, const struct episode_view *view,
                          struct episode_call *ret);

/* The session after a call of the turn that was taken in last; ended by episode_view_deinit(). */
void replay_now_view(const struct replay_now *now, struct sp_str call_id, struct episode_view *ret);

/*
 * Brings what decisions are made from up to a view: afterwards now->seen is its episode, and
 * now->bind and now->recall are those of it.
 */
void replay_now_see(struct replay_now *now, const struct flow *flow,
                    const struct episode_view *view);

/*
 * Makes a lookup in the turn that was taken in last: `call` is covered from now on, and the lookup
 * has its result.
 *
 * Returns: the lookup's id, the session's.
 */
struct sp_str replay_now_look_up(struct replay_now *now, const struct episode_call *call,
                                 const struct episode_event *result);
