#pragma once

/*
 * What changed from one flow to another, for who reviews it, and which of the changes need review
 * because the flow may do more than before.
 *
 * Thread: any, one at a time.
 */

#include "flow/flow.h"

struct flowdiff_options {
    double tolerance; /* shares, chances and weights that moved by less are left out; 0 or more */
    double threshold; /* that the flows are served with */
};

/*
 * Appends the change list as Markdown: the changes that need review, or a sentence that none does,
 * and then all changes by group. Equal flows give the sentence alone.
 *
 * Returns: how many changes need review.
 */
size_t flowdiff_put(struct sp_buf *b, const struct flow *old_flow, const struct flow *new_flow,
                    const struct flowdiff_options *options);
