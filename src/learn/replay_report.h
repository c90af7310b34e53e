#pragma once

/*
 * The report on replayed sessions: a Markdown table, or lines of canonical JSON.
 *
 * Thread: any.
 */

#include "learn/replay.h"

/* Appends the table's heading. */
void replay_report_put_heading(struct sp_buf *b);

/* Appends a row; the totals' session is a `p` of NULL. */
void replay_report_put_row(struct sp_buf *b, struct sp_str session,
                           const struct replay_counts *counts);

/* Appends the line of a session, or of the totals, LF at its end. */
void replay_report_put_json(struct sp_buf *b, struct sp_str session,
                            const struct replay_counts *counts);
