#pragma once

/*
 * The sections that flowshow.c puts together, and what is shown in the same words elsewhere. Each
 * section begins with an empty line and its heading, and appends nothing when it has no content.
 *
 * Thread: any, one at a time.
 */

#include "flow/flow.h"

/* Appends an empty line and a heading, and another empty line. */
void flowshow_put_heading(struct sp_buf *b, const char *heading);

/* Appends the fields that a tool's code features are made of. */
void flowshow_put_fields(struct sp_buf *b, const struct flow_fields *fields);

/* flowshow_bindings.c: where arguments come from. */
void flowshow_put_bindings(struct sp_buf *b, const struct flow *f);
void flowshow_put_constants(struct sp_buf *b, const struct flow *f);
void flowshow_put_site_sources(struct sp_buf *b, const struct flow *f);
void flowshow_put_contracts(struct sp_buf *b, const struct flow *f);

/* Appends a source: its tool and its path. */
void flowshow_put_source(struct sp_buf *b, const struct flow_found *found);

/* flowshow_arbiter.c */
void flowshow_put_arbiter(struct sp_buf *b, const struct flow *f);

/* A weight of a flow that has an arbiter: its name, and its mean over the folds. */
void flowshow_put_weight_name(struct sp_buf *b, const struct flow *f, size_t weight);
double flowshow_mean_weight(const struct flow *f, size_t weight);
