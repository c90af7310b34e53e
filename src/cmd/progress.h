#pragma once

/*
 * Tells on stderr how far a command is, if that is a terminal: from a second after it began, at
 * most once a second, on one line that is wiped in the end.
 *
 * Thread: any, one at a time.
 */

#include <stdint.h>

#include "base/sp_str.h"

struct progress {
    bool is_terminal; /* private, as the rest */
    int width;        /* of the line that is shown, in columns; 0: none is */
    uint64_t told_ns; /* when it was last shown, or it began */
};

void progress_init(struct progress *p);

/* `done` of `total` of what the text names ("sessions") are done. */
void progress_tell(struct progress *p, const char *what, size_t done, size_t total);

/* Wipes the line. Comes before anything else is printed on stderr. */
void progress_end(struct progress *p);
