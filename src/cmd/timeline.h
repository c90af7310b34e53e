#pragma once

/*
 * A session as a timeline for a reader: who it was, then what happened, a line each with its time,
 * and figures at the end. Calls have the number of the turn they belong to.
 *
 * Recorded text is made fit for a terminal (screen.h).
 */

#include "cmd/spool.h"
#include "trace/sessionlog.h"

enum timeline_length {
    TIMELINE_BRIEF, /* lines of SCREEN_COLUMNS at most, notifications and stray lines gathered */
    TIMELINE_FULL,
};

enum timeline_colours { TIMELINE_PLAIN, TIMELINE_COLOURED };

/*
 * Adds the timeline of a session.
 *
 * Returns: 0, or a negative errno when the spool cannot keep it.
 */
int timeline_add(struct spool *spool, const struct sessionlog *log, enum timeline_length length,
                 enum timeline_colours colours) SP_MUST_CHECK;
