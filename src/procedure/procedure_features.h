#pragma once

/*
 * A tool's result as a procedure reads it: one JSON value, and the features of it that trees ask
 * about.
 *
 * Thread: any.
 */

#include "base/sp_buf.h"

/*
 * Appends the canonical JSON of a result's text: of the value that the text is, or of the value
 * that is the text of a string which the text is, or else of the text as a string.
 */
void procedure_features_value(struct sp_str text, struct sp_buf *ret);

/* Is called for a feature, as "TOOL:NAME"; it is good until the function returns. */
typedef void (*procedure_features_fn)(void *data, struct sp_str feature);

/*
 * Gives the features of a successful result, some perhaps more than once.
 *
 * value: canonical JSON.
 */
void procedure_features_of(struct sp_str tool, struct sp_str value, procedure_features_fn fn,
                           void *data);

/* Gives those of a failed one. */
void procedure_features_of_failure(struct sp_str tool, procedure_features_fn fn, void *data);
