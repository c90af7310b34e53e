#pragma once

/*
 * A run of a procedure as JSON.
 *
 * Thread: any.
 */

#include "procedure/procedure_run.h"

/* Appends the run, indented by two spaces, with a newline at the end. */
void procedure_report_put(struct sp_buf *ret, const struct procedure_run_record *run);
