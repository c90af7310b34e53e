/*
 * A session's decisions scored.
 *
 *  1. Recorded events come one by one into the session as it stood. At a result whose call is known
 *     a chain begins, unless it is the session's last event.
 *  2. The first decision is made on that session, which keeps what is known of it from one result
 *     to the next. Pending calls are those that were sent by then.
 *  3. A lookup is held against the calls behind the turn of the result's call. If one makes it and
 *     was answered, the chain goes on: a copy of the session gets the lookup and that answer.
 */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "learn/later.h"
#include "learn/scoring.h"

/* A session with what is known of it. */
struct stand {
    struct episode e;
    struct bind *bind;
    struct recall recall;
};

struct scoring {
    const struct promote_options *options;
    const struct episode *recorded;
    const struct turns *turns;
    scoring_fn fn;
    void *data;

    struct stand now; /* the first recorded events; indexes are those of the recorded session */
    size_t turn;      /* the last turn with calls, which has those that were sent by its last
                         result; SIZE_MAX: none */
    struct later later;

    /* The results that a turn's calls had by an event. */
    size_t counted; /* the turn; SIZE_MAX: none */
    struct sp_map counted_ids;
    size_t n_counted; /* events */
    uint64_t back;
};

/* The decisions behind one result. */
struct chain {
    size_t turn;                /* of the call that returned */
    struct sp_str call_id;      /* of the last one, the call or a lookup */
    struct episode_call *asked; /* pending calls that were sent */
    size_t n_asked;
    struct stand *stand; /* the session's own before the first lookup, then `own` */
    struct stand own;
    uint64_t n_lookups; /* with their answers */
    uint64_t n_ids;     /* tried for them */
};

/* ---- what decisions are made on ---- */

static void stand_init(struct stand *s, const struct episode *like, const struct flow *flow)
{
    *s = (struct stand){.e = episode_copy(like, 0), .bind = bind_new(flow)};
}

static void stand_deinit(struct stand *s)
{
    bind_free(s->bind);
    recall_deinit(&s->recall);
    episode_deinit(&s->e);
}

/* Forgets what is known of the session, which has changed otherwise than by growing. */
static void stand_forget(struct stand *s, const struct flow *flow)
{
    bind_free(s->bind);
    recall_deinit(&s->recall);
    s->bind = bind_new(flow);
}

/* Makes the session that a view shows, with nothing set apart. */
static void stand_of_view(struct stand *s, const struct episode_view *view, const struct flow *flow)
{
    stand_init(s, view->episode, flow);
    for (size_t i = 0; i < view->episode->n_events; i++) {
        const struct episode_event *event = &view->episode->events[i];
        const struct episode_call *calls;
        size_t n;

        switch (event->kind) {
        case EPISODE_USER:
            episode_add_user(&s->e, event->text);
            break;
        case EPISODE_ASSISTANT:
            episode_add_turn(&s->e, event->text);
            calls = episode_view_calls(view, i, &n);
            for (size_t k = 0; k < n; k++)
                episode_add_call(&s->e, i, calls[k]);
            break;
        case EPISODE_RESULT:
            episode_add_result(&s->e, event->call_id, event->name, event->is_error, event->text);
            break;
        }
    }
}

/* ---- the session as it stood ---- */

/* Whether a call was sent before its turn's result number `back` came, the first being 1. */
static bool was_sent(const struct scoring *s, struct sp_str call_id, uint64_t back)
{
    uint64_t sent_after;

    return s->turns == NULL || !turns_sent_after(s->turns, call_id, &sent_after) ||
           sent_after < back;
}

/* The last turn with calls gets those up to the one at index `n`, not included. */
static void join(struct scoring *s, size_t n)
{
    const struct episode_event *turn = &s->recorded->events[s->turn];

    for (size_t i = s->now.e.events[s->turn].n_calls; i < n; i++)
        episode_add_call(&s->now.e, s->turn, turn->calls[i]);
}

/* It gets all of them. */
static void join_all(struct scoring *s)
{
    if (s->turn != SIZE_MAX)
        join(s, s->recorded->events[s->turn].n_calls);
}

/*
 * It gets all but those at its end that were not sent before its result number `back`, of a call
 * with that id. A call whose id has had a result is in any view.
 */
static void join_sent(struct scoring *s, uint64_t back, struct sp_str call_id)
{
    const struct episode_event *turn = &s->recorded->events[s->turn];
    size_t n = turn->n_calls;

    while (n > 0 && !was_sent(s, turn->calls[n - 1].id, back) &&
           !sp_str_eq(turn->calls[n - 1].id, call_id) &&
           episode_result_of(&s->now.e, turn->calls[n - 1].id) == NULL)
        n--;
    join(s, n);
}

static void take_turn(struct scoring *s, size_t i)
{
    const struct episode_event *event = &s->recorded->events[i];

    if (event->n_calls == 0) {
        episode_add_turn(&s->now.e, event->text);
        return;
    }
    join_all(s);
    s->turn = episode_add_turn(&s->now.e, event->text); /* results bring its calls */
}

/* How many of the events from a turn up to index `i` are results of its calls. */
static uint64_t count_back(struct scoring *s, size_t turn, size_t i)
{
    if (s->counted != turn) {
        const struct episode_event *event = &s->recorded->events[turn];

        sp_map_deinit(&s->counted_ids);
        for (size_t k = 0; k < event->n_calls; k++)
            sp_map_put(&s->counted_ids, event->calls[k].id, NULL);
        s->counted = turn;
        s->n_counted = turn;
        s->back = 0;
    }
    for (; s->n_counted <= i; s->n_counted++) {
        const struct episode_event *event = &s->recorded->events[s->n_counted];

        s->back +=
            event->kind == EPISODE_RESULT && sp_map_find(&s->counted_ids, event->call_id) != NULL;
    }
    return s->back;
}

/* ---- one decision ---- */

/* Decides on a view of a session, with the calls that are pending in it. */
static enum decide_outcome decide_on(const struct scoring *s, struct stand *stand,
                                     const struct episode_view *view, struct decide **ret)
{
    struct decide_options options = {
        .decider = s->options->decider,
        .threshold = s->options->threshold,
        .recall = &stand->recall,
    };
    enum decide_outcome outcome;
    struct sp_str key;

    bind_update(stand->bind, &stand->e);
    outcome = decide_begin(s->options->flow, &options, stand->bind, view, ret);
    if (outcome == DECIDE_ASKS)
        (void)ask_decide(s->options->ask, s->options->ask_data, *ret, &key, &outcome);
    return outcome;
}

/*
 * Decides where a chain stands.
 *
 * A session in which calls share an id, or that went on before the call returned, has calls in the
 * turn that had not been sent by then. They must not be taken for made, so such a view is made a
 * session of its own.
 */
static enum decide_outcome decide(const struct scoring *s, const struct chain *c,
                                  const struct episode_view *view, struct decide **ret)
{
    struct episode_view whole;
    struct stand apart;
    enum decide_outcome outcome;

    if (view->n_pending == c->n_asked)
        return decide_on(s, c->stand, view, ret);
    stand_of_view(&apart, view, s->options->flow);
    whole = episode_view_whole(&apart.e);
    whole.pending = c->asked;
    whole.n_pending = c->n_asked;
    outcome = decide_on(s, &apart, &whole, ret);
    stand_deinit(&apart);
    return outcome;
}

/* ---- chains ---- */

/* Appends an id that no call of the session has. */
static void put_new_id(const struct scoring *s, struct chain *c, struct sp_buf *b)
{
    do {
        sp_buf_clear(b);
        sp_buf_addf(b, "stretto-%ju", (uintmax_t)++c->n_ids);
    } while (sp_map_find(&s->recorded->turns, sp_buf_str(b)) != NULL);
}

/* Makes a lookup with the answer that the agent's call got. */
static void look_up(const struct scoring *s, struct chain *c, const struct decide *d,
                    const struct episode_event *result)
{
    const struct episode_event *turn;
    struct sp_buf id = {0};

    if (c->stand != &c->own) {
        const struct episode *now = &c->stand->e;

        c->own = (struct stand){.e = episode_copy(now, now->n_events),
                                .bind = bind_new(s->options->flow)};
        c->stand = &c->own;
    } else if (c->turn != s->turn) {
        stand_forget(&c->own, s->options->flow); /* a turn gets a call behind which there is one */
    }
    put_new_id(s, c, &id);
    episode_add_call(&c->own.e, c->turn,
                     (struct episode_call){
                         .id = sp_buf_str(&id),
                         .name = decide_tool(d),
                         .arguments = decide_arguments(d),
                     });
    episode_add_result(&c->own.e, sp_buf_str(&id), decide_tool(d), result->is_error, result->text);
    sp_buf_deinit(&id);
    turn = &c->own.e.events[c->turn];
    c->call_id = turn->calls[turn->n_calls - 1].id;
}

/* What became of a lookup; one that goes on is made. */
static enum scoring_what score_lookup(struct scoring *s, struct chain *c, const struct decide *d)
{
    const struct episode_call *call =
        later_call(&s->later, c->turn, decide_tool(d), decide_arguments(d));
    const struct episode_event *result;

    if (call == NULL)
        return SCORING_DETOUR;
    c->n_lookups++;
    result = later_result(&s->later, c->turn, call->id);
    if (result == NULL || c->n_lookups >= s->options->per_call)
        return SCORING_USED;
    look_up(s, c, d, result);
    return SCORING_CHAINED;
}

/* Decides on a view; whether the chain goes on. */
static bool step(struct scoring *s, struct chain *c, const struct episode_view *view)
{
    const struct predict_options *options;
    bool is_first = c->n_lookups == 0;
    enum scoring_what what;
    enum decide_outcome outcome;
    struct decide *d;

    outcome = decide(s, c, view, &d);
    if (outcome == DECIDE_LOOKUP)
        what = score_lookup(s, c, d);
    else if (decide_has_asked(d) && decide_chances(d, &options) == NULL)
        what = SCORING_UNANSWERED;
    else
        what = SCORING_HAND_BACK;
    if (decide_site(d).p != NULL)
        s->fn(s->data, decide_site(d), what, is_first);
    decide_free(d);
    return what == SCORING_CHAINED;
}

/* The calls of a view's turn that are pending and were sent before its result number `back`. */
static void set_asked(const struct scoring *s, struct chain *c, const struct episode_view *view,
                      uint64_t back)
{
    c->asked = sp_calloc(view->n_pending, sizeof *c->asked);
    for (size_t i = 0; i < view->n_pending; i++) {
        if (was_sent(s, view->pending[i].id, back))
            c->asked[c->n_asked++] = view->pending[i];
    }
}

/* The chain behind a result, the session's last event so far. */
static void score_result(struct scoring *s, size_t turn, uint64_t back, struct sp_str call_id)
{
    struct chain c = {.turn = turn, .call_id = call_id, .stand = &s->now};
    struct episode_view view;
    bool goes_on;

    episode_view_after(&s->now.e, call_id, &view);
    set_asked(s, &c, &view, back);
    do {
        goes_on = step(s, &c, &view);
        episode_view_deinit(&view);
        if (goes_on)
            episode_view_after(&c.own.e, c.call_id, &view);
    } while (goes_on);
    if (c.stand == &c.own)
        stand_deinit(&c.own);
    free(c.asked);
}

static void take_result(struct scoring *s, size_t i)
{
    const struct episode_event *event = &s->recorded->events[i];
    const size_t *turn = sp_map_find(&s->recorded->turns, event->call_id);
    uint64_t back = 0;

    if (turn != NULL && *turn < i) {
        back = count_back(s, *turn, i);
        if (*turn == s->turn)
            join_sent(s, back, event->call_id);
        else
            join_all(s);
    }
    episode_add_result(&s->now.e, event->call_id, event->name, event->is_error, event->text);
    if (back > 0 && i + 1 < s->recorded->n_events)
        score_result(s, *turn, back, event->call_id);
}

void scoring_session(const struct promote_options *options, const struct episode *e,
                     const struct turns *turns, scoring_fn fn, void *data)
{
    struct scoring s = {
        .options = options,
        .recorded = e,
        .turns = turns,
        .fn = fn,
        .data = data,
        .turn = SIZE_MAX,
        .counted = SIZE_MAX,
    };

    stand_init(&s.now, e, options->flow);
    later_init(&s.later, e);
    for (size_t i = 0; i < e->n_events; i++) {
        switch (e->events[i].kind) {
        case EPISODE_USER:
            episode_add_user(&s.now.e, e->events[i].text);
            break;
        case EPISODE_ASSISTANT:
            take_turn(&s, i);
            break;
        case EPISODE_RESULT:
            take_result(&s, i);
            break;
        }
    }
    later_deinit(&s.later);
    stand_deinit(&s.now);
    sp_map_deinit(&s.counted_ids);
}
