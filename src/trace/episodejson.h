#pragma once

/*
 * Episodes as canonical JSON (docs/formats.md).
 *
 * Thread: any.
 */

#include "trace/episode.h"

/* Appends the episode that a view shows. */
void episodejson_put(struct sp_buf *b, const struct episode_view *view);

/* Appends an array of calls. */
void episodejson_put_calls(struct sp_buf *b, const struct episode_call *calls, size_t n);
