#pragma once

/*
 * Server-sent events (WHATWG HTML, section 9.2), cut out of bytes that come in any pieces. Every
 * event is a message whatever its type, and at the end of a stream an unfinished event counts.
 *
 * Thread: any, one at a time.
 */

#include <stdint.h>

#include "base/sp_alloc.h"
#include "base/sp_buf.h"

struct sse;

/*
 * An event: a block of lines with data, or with an id alone. When it is called, `id` is the
 * event's.
 *
 * data: the event's data, lines joined by LF, the LFs at the end removed; borrowed. Empty when the
 *       event had no data, or none but empty lines (it may still have set the id).
 * Returns whether to go on; false ends the call of sse_feed() at once, with what follows unread. It
 *       must not feed; when it returns false it may have called sse_deinit().
 */
typedef bool (*sse_event_fn)(void *owner, struct sp_str data);

/* What the line that is being read is. */
enum sse_line {
    SSE_LINE_NAME,    /* still in its field name; empty so far when there is no name yet */
    SSE_LINE_DATA,    /* in the value of a data field */
    SSE_LINE_ID,      /* in the value of an id field */
    SSE_LINE_RETRY,   /* in the value of a retry field */
    SSE_LINE_SKIPPED, /* in a comment or another field */
};

struct sse {
    void *owner;
    sse_event_fn on_event;
    size_t max_event; /* bytes of one event's data, or of another field's value */
    struct sp_buf id; /* the last event's id; kept over events; empty after an empty id */
    bool has_id;      /* an id that is not empty is known */
    bool has_retry;
    uint64_t retry_ms; /* the last retry field of digits only, when has_retry */
    /* private */
    enum sse_line line;
    char name[5]; /* SSE_LINE_NAME: its bytes so far; the names that mean something are no longer */
    size_t name_len;
    bool at_value;        /* the value's first byte is to come: one space there is dropped */
    struct sp_buf value;  /* of the id or retry field that is being read */
    struct sp_buf data;   /* of the event under way, the line that is being read included */
    size_t data_len;      /* what of it belongs to lines that have ended */
    bool has_data;        /* the event under way has a data field */
    struct sp_buf new_id; /* of the event under way, when has_new_id */
    bool has_new_id;
    bool after_cr;  /* a LF that comes next belongs to the CR before it */
    unsigned n_bom; /* bytes of a byte-order mark seen at the start; SSE_PAST_BOM: past it */
};

/* Outcome of sse_feed() and sse_finish(). */
#define SSE_E_TOO_LARGE 1 /* a field's value or an event's data is longer than max_event */

/* Makes an empty stream; `on_event` and `owner` are kept until sse_deinit(). */
void sse_init(struct sse *s, size_t max_event, sse_event_fn on_event, void *owner);
void sse_deinit(struct sse *s);

/*
 * Takes the next bytes of the stream; calls on_event for each event they end. An id counts from the
 * end of its event on, a retry from the end of its line.
 *
 * bytes:   borrowed.
 * Returns: 0; SSE_E_TOO_LARGE: then only sse_deinit() may follow.
 */
int sse_feed(struct sse *s, struct sp_str bytes) SP_MUST_CHECK;

/*
 * The stream has ended in order, or broken off. An unfinished last line counts as a line in the
 * first case and is dropped in the second. Then what the event under way has is dispatched, but for
 * an id without data of a stream that broke off: its data may have been lost, and whoever resumes
 * after that id would never see it. The id and retry stay; the rest is as after sse_init(), so that
 * a resumed stream can be fed next.
 *
 * Returns: as sse_feed().
 */
int sse_finish(struct sse *s, bool is_broken) SP_MUST_CHECK;
