#pragma once

/*
 * What came later in a recorded session: the calls that make a lookup, and their results. All calls
 * are listed by their tools and arguments when the first one is looked for, so that finding one
 * costs what the session's calls of the rarest of its arguments are, and not the session.
 *
 * Thread: any, one at a time.
 */

#include "trace/episode.h"

/* An event of the session, and one of its calls. */
struct later_place {
    size_t event;
    size_t call;
};

struct later {
    const struct episode *e; /* private, as the rest */
    bool is_listed;
    struct sp_map by_key;
    struct later_list {
        struct later_place *of; /* ascending */
        size_t n;
        size_t max;
    } * lists;
    size_t n_lists;
    size_t max_lists;
    struct sp_arena arena;
};

/* e: kept until later_deinit(), and changed no more. */
void later_init(struct later *l, const struct episode *e);

void later_deinit(struct later *l);

/*
 * Finds the first call behind the event at index `after` of the same tool that has every argument
 * of a lookup with an equal value: both have the same text, that of a string being the string. It
 * may have more.
 *
 * arguments: canonical JSON, an object.
 * Returns:   the session's; NULL when there is none.
 */
const struct episode_call *later_call(struct later *l, size_t after, struct sp_str tool,
                                      struct sp_str arguments);

/*
 * Whether arguments have every one of those wanted with an equal value.
 *
 * arguments: canonical JSON of any type.
 * wanted:    canonical JSON, an object.
 */
bool later_has_arguments(struct sp_str arguments, struct sp_str wanted);

/* Finds the first result of a call id behind the event at index `after`; the same. */
const struct episode_event *later_result(struct later *l, size_t after, struct sp_str call_id);
