#pragma once

/*
 * What the demo server answers: two worlds of tools with canned data, and nothing stored.
 *
 * Thread: any.
 */

#include <stdint.h>

#include "base/sp_buf.h"
#include "base/sp_opt.h"

enum demo_world_kind { DEMO_WORLD_ECHO, DEMO_WORLD_RETAIL };

struct demo_world {
    enum demo_world_kind kind;
    struct sp_opt_list hidden; /* tools of the retail world that are not there */
    struct sp_opt_list hints;  /* "TOOL=false" or "TOOL=none": retail annotations, in order */
};

/* Whether a text has the form of a hint. */
bool demo_world_is_hint(struct sp_str text);

/* What a line asked for, as far as the ways of answering differ. */
enum demo_world_asked {
    DEMO_WORLD_NOTHING,         /* it needs no answer: a notification, a response, a blank line */
    DEMO_WORLD_INITIALIZE_NOTE, /* an initialize without an id, which needs no answer either */
    DEMO_WORLD_INITIALIZE,
    DEMO_WORLD_CALL,  /* tools/call, of whatever tool */
    DEMO_WORLD_OTHER, /* another request, or something that is no message */
};

/* The answer to a line. */
struct demo_world_answer {
    enum demo_world_asked asked;
    struct sp_buf text;    /* canonical JSON without LF; empty when the line needs no answer */
    uint64_t delay_ms;     /* how long after the line was read it is due */
    struct sp_buf version; /* DEMO_WORLD_INITIALIZE: the protocol version of the session */
    struct sp_buf name;    /* DEMO_WORLD_CALL: the tool's name; empty when it is no string */
};

/*
 * Answers one line.
 *
 * line: any bytes; a line terminator at its end is white space.
 * ret:  the caller's, freed by demo_world_answer_deinit().
 */
void demo_world_answer(const struct demo_world *world, struct sp_str line,
                       struct demo_world_answer *ret);

void demo_world_answer_deinit(struct demo_world_answer *answer);
