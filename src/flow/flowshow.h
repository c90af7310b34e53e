#pragma once

/*
 * A flow shown to a reviewer: what it may call, when it acts, where arguments come from, and what
 * it was learned from.
 *
 * Thread: any, one at a time.
 */

#include "flow/flow.h"

/*
 * Appends the flow as Markdown.
 *
 * threshold: that it will be served with.
 */
void flowshow_put(struct sp_buf *b, const struct flow *f, double threshold);
