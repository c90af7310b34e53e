#pragma once

/*
 * What is done with texts in more than one place of a procedure's run. Texts are valid UTF-8.
 *
 * Thread: any.
 */

#include "base/sp_buf.h"

/* How deep a result's text, or an action's arguments, may nest to be read as JSON. */
#define PROCEDURE_TEXT_DEPTH 127

/* Whether `part` is anywhere in a text; an empty one is. */
bool procedure_text_has(struct sp_str text, struct sp_str part);

/* Whether a text has an ASCII digit. */
bool procedure_text_has_digit(struct sp_str text);

/* How many characters a text has. */
size_t procedure_text_length(struct sp_str text);
