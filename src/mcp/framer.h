#pragma once

/*
 * Cuts a stream of bytes into lines: maximal runs up to and including LF, and at the end of the
 * stream the run that has none. Nothing else delimits, no byte is changed, no length is too long.
 *
 * Long lines come from a pool that the framer empties when none has come for a while.
 *
 * Thread: one, the same for the framer and its lines.
 */

#include "mcp/line.h"

struct framer {
    enum line_from from;    /* stamped on every line */
    struct line *partial;   /* private: what has come of an unfinished line; NULL for nothing */
    struct line_pool *pool; /* private: of long lines; NULL before the first */
    unsigned n_short;       /* private: lines since the last long one */
};

void framer_init(struct framer *f, enum line_from from);

/* Drops an unfinished line. */
void framer_deinit(struct framer *f);

/*
 * Takes what is left of the next line from the front of `*bytes`, and moves it past what was taken.
 *
 * t_ms:    stamped on the line, as the time it was read.
 * Returns: the line, the caller's reference; NULL when `*bytes` is used up without one, what was
 *          left of it then being kept.
 */
struct line *framer_next(struct framer *f, struct sp_str *bytes, uint64_t t_ms);

/* At the end of the stream: the unfinished last line, the caller's reference; NULL for none. */
struct line *framer_finish(struct framer *f, uint64_t t_ms);
