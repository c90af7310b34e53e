#pragma once

/*
 * The sections that flowshow.c puts together. Each begins with an empty line and its heading, and
 * appends nothing when it has no content.
 *
 * Thread: any, one at a time.
 */

#include "flow/flow.h"

/* Appends an empty line and a heading, and another empty line. */
void flowshow_put_heading(struct sp_buf *b, const char *heading);

/* flowshow_bindings.c: where arguments come from. */
void flowshow_put_bindings(struct sp_buf *b, const struct flow *f);
void flowshow_put_constants(struct sp_buf *b, const struct flow *f);
void flowshow_put_site_sources(struct sp_buf *b, const struct flow *f);
void flowshow_put_contracts(struct sp_buf *b, const struct flow *f);

/* flowshow_arbiter.c */
void flowshow_put_arbiter(struct sp_buf *b, const struct flow *f);
