#pragma once

/*
 * What a session has shown: the records that tools returned, who was identified, what was changed
 * and what the customer said last. Only results without an error count.
 *
 * Facts are those of one pass over the episode's events in order. They are brought up to date with
 * the events that came since, so that a check costs what is new; only where a call that joins an
 * earlier turn takes the id of one that has been answered, they are made anew.
 *
 * Thread: any, one at a time.
 */

#include "base/sp_map.h"
#include "trace/episode.h"

/* The last values of something, each under its id. */
struct guard_records {
    struct sp_map by_id; /* id -> index of its value */
    struct sp_str *values;
    size_t n_values;
    size_t max_values; /* private */
};

struct guard_write {
    struct sp_str tool;
    struct sp_str arguments; /* JSON */
};

/* A zeroed struct has the facts of a session without events. */
struct guard_facts {
    struct sp_str last_said;     /* the last user message; p is NULL for none */
    struct sp_map authenticated; /* ids of the users who were identified */
    struct guard_records users;  /* values are spans of JSON objects, here and below */
    struct guard_records products;
    struct guard_records orders;
    struct guard_records reservations;
    struct guard_records flights; /* use guard_facts_flight() */
    struct guard_write *writes;   /* successful calls that are no reads, in order */
    size_t n_writes;

    size_t max_writes; /* private, as the rest */
    struct episode_call *calls;
    size_t n_calls;
    size_t max_calls;
    struct sp_map calls_by_id;
    struct sp_map results; /* call id -> index of its last successful result */
    size_t n_events;       /* events taken in */
    size_t last_turn;      /* of these the last with calls */
    size_t n_last_calls;   /* calls of it taken in */
    struct sp_arena arena; /* texts that are not found as such in the episode */
};

void guard_facts_deinit(struct guard_facts *f);

/*
 * Makes them the facts of the episode's first `n_events` events.
 *
 * e:        the same episode each time, which has only grown: by events, and by calls of the last
 *           turn that has calls, or of turns after it. Kept until guard_facts_deinit().
 * n_events: no less than the last time.
 */
void guard_facts_update(struct guard_facts *f, const struct episode *e, size_t n_events);

/* The last value of an id; returns whether there is one. */
bool guard_facts_find(const struct guard_records *records, struct sp_str id, struct sp_str *ret);

/* What the last look-up of a flight's status on a day said; returns whether there was one. */
bool guard_facts_flight(const struct guard_facts *f, struct sp_str number, struct sp_str date,
                        struct sp_str *ret_status);

/* The unescaped text of a string's span: a view into it where it can be, else in the arena. */
struct sp_str guard_facts_text(struct sp_str string, struct sp_arena *arena);

/* The same of an object's member; returns whether it has one that is a string. */
bool guard_facts_member(struct sp_str object, struct sp_str name, struct sp_arena *arena,
                        struct sp_str *ret);
