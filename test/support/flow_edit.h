#pragma once

/* Flows that differ a little from one of flow_example.h. */

#include "base/sp_buf.h"
#include "flow/flow.h"

/* Where the text has `from` first, `to` takes its place; a `from` of NULL changes nothing. */
struct flow_edit {
    const char *from;
    const char *to;
};

/*
 * Applies changes to a text, one after the other. One that finds nothing to change fails the test.
 *
 * Returns: the changed text, the caller's.
 */
struct sp_buf flow_edited(const char *text, const struct flow_edit *edits, size_t n);

/* Reads a flow from such a text; the caller's. One that is refused fails the test. */
struct flow *flow_parsed(const char *text, const struct flow_edit *edits, size_t n);

/* Fails the test unless the flow is written as `text`. */
void flow_check_written(const struct flow *f, struct sp_str text);

/* Fails the test unless the text is refused with the error. */
void flow_check_error(struct sp_str text, const char *error);

/* The same with changes of FLOW_EXAMPLE. */
struct flow_error_case {
    struct flow_edit edit;
    const char *error;
};

void flow_check_errors(const struct flow_error_case *cases, size_t n);
