#pragma once

/*
 * Procedures for tests, written with single quotes in the place of double ones.
 */

#include "procedure/procedure.h"

/* A leaf's calls that end a run. */
#define PROCEDURES_STOP "[['stop',1]]"

/* Reads a procedure; a text that is none fails the test. The caller's. */
struct procedure *procedures_parse(const char *quoted);

/* A procedure of the tool "t" alone, for what is no matter of trees. */
struct procedure *procedures_plain(bool is_symbolic);

/*
 * The one of chapter 43, section 7. Where a tree is given, a node, it takes the place of the
 * original; NULL for that.
 */
struct procedure *procedures_meter(const char *start, const char *read_panel);

/* Appends a text with double quotes in the place of single ones. */
void procedures_put(struct sp_buf *ret, const char *quoted);
