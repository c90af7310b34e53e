#pragma once

/*
 * The state that a question is about, and the texts in it.
 *
 * Thread: any, one at a time.
 */

#include "flow/recall.h"
#include "flow/steps.h"

/*
 * Appends a text without white space at both ends; of one that is then longer than `max`
 * characters, these and an ellipsis.
 *
 * text: valid UTF-8.
 */
void question_text_clip(struct sp_buf *b, struct sp_str text, size_t max);

/*
 * Appends the state: the end of the session as the view shows it, clipped, as canonical JSON.
 *
 * recall: up to date with the view's episode.
 */
void question_text_put_state(struct sp_buf *b, const struct episode_view *view,
                             const struct recall *recall);
