#pragma once

/*
 * JSON as settings files have it: with comments of both kinds, and a comma allowed behind the last
 * element or member.
 *
 * Such a text is read into a plain one of the same length, in which comments, these commas and a
 * byte-order mark are spaces. The plain text is strict JSON, which jget.h reads, and each of its
 * spans stands where the same bytes stand in the source: an edit of the source keeps all the rest.
 *
 * Thread: any.
 */

#include "base/sp_alloc.h"
#include "base/sp_buf.h"
#include "base/sp_err.h"

/* How deep a text may nest. */
#define JSONC_DEPTH 512

struct jsonc {
    struct sp_str source; /* as given; borrowed */
    struct sp_buf plain;
    struct sp_str value; /* in `plain`, without the white space around it */
};

/*
 * Reads a text: valid UTF-8, one value by RFC 8259 but for what is said above.
 *
 * source:  kept until jsonc_deinit().
 * Returns: 0; negative when it is none, told in ret_err as "line 3: a comma is missing ...", and
 *          `ret` is then untouched.
 */
int jsonc_read(struct sp_str source, struct jsonc *ret, struct sp_err *ret_err) SP_MUST_CHECK;

/* A zeroed struct is fine. */
void jsonc_deinit(struct jsonc *c);

/* Where a pointer into the plain text stands, in the source too. */
size_t jsonc_at(const struct jsonc *c, const char *p);

/* The bytes of the source where a span of the plain text stands. */
struct sp_str jsonc_source(const struct jsonc *c, struct sp_str span);
