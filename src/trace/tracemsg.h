#pragma once

/*
 * The messages of a session, as everything that reads recorded sessions sees them: an entry that is
 * a batch gives its elements, and of a member that occurs twice the last counts.
 *
 * Thread: any.
 */

#include "base/sp_buf.h"
#include "json/jget.h"
#include "mcp/line.h"

/* One message, an object; spans look into its text, `p` being NULL for a member it has not. */
struct tracemsg {
    enum line_from from;
    uint64_t t_ms;
    struct sp_str text;
    struct sp_str id;     /* not null */
    struct sp_str method; /* of any type */
    struct sp_str params;
    struct sp_str result;
    struct sp_str error; /* not null */
    bool has_error;      /* it has an error member, null too */
    struct sp_str role;  /* of a message of the conversation, as the next */
    struct sp_str content;
};

/*
 * Walks the messages of one entry:
 *
 *     for (struct tracemsg_iter it = tracemsg_iter(from, t_ms, value); tracemsg_next(&it, &m);)
 *
 * Elements that are no objects are left out. `value` may have a `p` of NULL: no messages.
 */
struct tracemsg_iter {
    enum line_from from; /* private, as the next */
    uint64_t t_ms;
    struct sp_str single;
    struct jget_iter batch;
};

struct tracemsg_iter tracemsg_iter(enum line_from from, uint64_t t_ms, struct sp_str value);
bool tracemsg_next(struct tracemsg_iter *it, struct tracemsg *ret);

/* Whether the method is a string, and this one. */
bool tracemsg_is(const struct tracemsg *m, struct sp_str method);

/* Whether it asks for something: it has a method, a string, and an id. */
bool tracemsg_is_request(const struct tracemsg *m);

/* Whether it answers: an id, no method of any type, a result (even null) or an error not null. */
bool tracemsg_is_response(const struct tracemsg *m);

/*
 * Appends what an id is compared by: its canonical JSON, so that 7 and "7" differ; whole numbers
 * with all their digits, so that no two ids of a session become one.
 */
void tracemsg_id_key(struct sp_str id, struct sp_buf *ret);

/* Appends what an episode calls it: a string's text, anything else its canonical JSON. */
void tracemsg_call_id(struct sp_str id, struct sp_buf *ret);

/*
 * Appends the text of a response as an episode keeps it: an error's message, or else its canonical
 * JSON; the texts of a result's content items of type "text" joined by LF, or else, if there is
 * none, the canonical JSON of its structuredContent, or else of all of it.
 *
 * Returns: whether it tells of a failure.
 */
bool tracemsg_result_text(const struct tracemsg *m, struct sp_buf *ret);
