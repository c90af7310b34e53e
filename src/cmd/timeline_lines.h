#pragma once

/*
 * The lines of a timeline: a time, perhaps a turn's number, a label, and what there is to say.
 *
 * A line is made by adding to `what`, in any pieces, and then calling one of the functions that
 * take it; `what` is empty afterwards.
 */

#include <stdint.h>

#include "cmd/spool.h"
#include "cmd/timeline.h"
#include "mcp/line.h"

enum timeline_label {
    TIMELINE_USER,
    TIMELINE_AGENT,
    TIMELINE_CONTEXT, /* of the conversation, neither of the two */
    TIMELINE_CALL,
    TIMELINE_RESULT,
    TIMELINE_ERROR,
    TIMELINE_REFUSED,
    TIMELINE_LOOKUP,
    TIMELINE_COMMIT,
    TIMELINE_ADDED,
    TIMELINE_CANCELLED,
    TIMELINE_HOST,
    TIMELINE_SERVER,
    TIMELINE_PROXY,
    TIMELINE_STRAY,
    TIMELINE_RAW,
};

#define TIMELINE_NO_TURN 0

#define TIMELINE_MAX_KINDS 4 /* methods that a run names */

/* Lines of one side and kind, one after the other. */
struct timeline_run {
    size_t n; /* 0: there is none */
    enum line_from from;
    enum timeline_label label;
    uint64_t t_ms; /* of the first that is not shown */
    struct {
        struct sp_str method; /* a string's span */
        size_t n;
    } kinds[TIMELINE_MAX_KINDS]; /* of notifications, as the next two */
    size_t n_kinds;
    size_t n_others;
};

/* A zeroed struct with the first three fields set is at the beginning. */
struct timeline_lines {
    struct spool *spool;
    enum timeline_length length;
    enum timeline_colours colours;
    struct sp_buf what;
    size_t n_lines;          /* so far */
    int err;                 /* the first of the spool, or 0 */
    struct timeline_run run; /* private: what is gathered and not yet said */
};

void timeline_lines_deinit(struct timeline_lines *l);

/* The name of a side. */
const char *timeline_lines_side(enum line_from from);

/* The label of a side's messages that are no call and no result. */
enum timeline_label timeline_lines_label(enum line_from from);

/* Appends a text to `what`, cut off at `max` columns unless all is wanted. */
void timeline_lines_put(struct timeline_lines *l, struct sp_str text, size_t max);

/* Appends a time since the start, "1:02.345". */
void timeline_lines_put_time(struct sp_buf *b, uint64_t t_ms);

/* Says what was gathered. Comes before anything is added to `what` when n_lines counts. */
void timeline_lines_end_run(struct timeline_lines *l);

/* Adds a line with what was gathered before it. */
void timeline_lines_add(struct timeline_lines *l, uint64_t t_ms, size_t turn,
                        enum timeline_label label);

/* Adds a line that belongs to no exchange: of many in a row only the first few are shown. */
void timeline_lines_add_stray(struct timeline_lines *l, enum line_from from, uint64_t t_ms,
                              enum timeline_label label);

/*
 * Adds a notification: those in a row are gathered into one line that counts them by method.
 *
 * method: a string's span.
 * params: a value's span, or p is NULL.
 */
void timeline_lines_add_notification(struct timeline_lines *l, enum line_from from, uint64_t t_ms,
                                     struct sp_str method, struct sp_str params);

/* Adds a line without a time: a name and what there is to say. */
void timeline_lines_add_fact(struct timeline_lines *l, const char *name);

/* Adds the titles of the columns, or an empty line. */
void timeline_lines_add_titles(struct timeline_lines *l);
void timeline_lines_add_gap(struct timeline_lines *l);
