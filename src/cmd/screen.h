#pragma once

/*
 * Recorded text made fit for a terminal. What a server or a model wrote may hold escape sequences
 * or characters that turn the line around: those are shown as \u001b and the like, never written
 * raw. Widths are in columns: wide characters (East Asian ones, emoji) take two, marks that join
 * the character before them none.
 *
 * All texts are valid UTF-8.
 *
 * Thread: any.
 */

#include <stdint.h>
#include <stdio.h>

#include "base/sp_buf.h"

/* What a report's lines are at most. */
#define SCREEN_COLUMNS 100

/*
 * Appends a text as one line: runs of white space, line ends too, as one space, none at both ends.
 * What does not fit is cut off and "…" put in its place.
 *
 * max:     columns; SIZE_MAX for no limit.
 * Returns: the columns that it takes.
 */
size_t screen_put(struct sp_buf *b, struct sp_str text, size_t max);

/* The same with spaces behind it, or in front of it, up to `width` columns. */
void screen_put_left(struct sp_buf *b, struct sp_str text, size_t width);
void screen_put_right(struct sp_buf *b, struct sp_str text, size_t width);

/* Appends a text whole with its line ends, `indent` spaces in front of every line but the first. */
void screen_put_block(struct sp_buf *b, struct sp_str text, size_t indent);

/* Appends an instant in UTC as "2026-09-23 21:20:00". */
void screen_put_instant(struct sp_buf *b, uint64_t unix_ms);

/* Appends a duration, in six columns at most below a thousand days: "20ms", "1.2s", "3m05s". */
void screen_put_duration(struct sp_buf *b, uint64_t ms);

/*
 * Whether to colour what is written to `out`: a terminal, unless the environment says otherwise by
 * TERM=dumb (or none) or by a NO_COLOR that is not empty (https://no-color.org).
 */
bool screen_has_colours(FILE *out);
