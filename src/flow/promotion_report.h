#pragma once

/*
 * The report on a flow's promotion: the bar, and the record of each site.
 *
 * Thread: any.
 */

#include "flow/flow.h"

/* Appends it as Markdown: a sentence, an empty line, a table. */
void promotion_report_put(struct sp_buf *b, const struct flow_promoted *promoted);
