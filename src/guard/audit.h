#pragma once

/*
 * How well a domain's guards tell good from bad: their verdicts on every call of recorded episodes,
 * counted apart for episodes that did their task, episodes that did not, and calls that the tool
 * itself refused.
 *
 * Thread: any, one at a time.
 */

#include "guard/guard.h"

struct audit;

/* Begins with nothing counted. Returns the caller's, freed by audit_free(). */
struct audit *audit_new(const struct guard_domain *domain);

/* NULL is nothing. */
void audit_free(struct audit *a);

/* Counts an episode. Keeps nothing of it. */
void audit_add(struct audit *a, const struct episode *e);

/* Appends an array of the audits as indented JSON, LF at the end (docs/formats.md). */
void audit_put_json(struct sp_buf *b, const struct audit *const *audits, size_t n);

/* Appends a report in Markdown. */
void audit_put_markdown(struct sp_buf *b, const struct audit *const *audits, size_t n);
