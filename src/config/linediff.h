#pragma once

/*
 * The difference of two texts, line by line, as a unified diff that patch(1) takes.
 *
 * Thread: any.
 */

#include "base/sp_buf.h"

/*
 * Appends the diff, with three lines around each change; nothing when the texts are the same. It is
 * a shortest one, unless the texts have thousands of lines that differ.
 *
 * path: what both are called.
 */
void linediff_put(struct sp_buf *b, const char *path, struct sp_str before, struct sp_str after);
