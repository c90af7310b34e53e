#pragma once

/*
 * Changes of a text: pieces of it are replaced and all else is kept.
 *
 * Thread: any, one at a time.
 */

#include "base/sp_arena.h"

struct splice_piece;

/* A zeroed struct is no change. */
struct splice {
    struct splice_piece *pieces; /* private, as the rest */
    size_t n;
    size_t cap;
    struct sp_arena arena;
};

/*
 * Replaces the bytes from `from` up to, not including, `to`. Pieces do not overlap, and no two
 * begin at one place.
 *
 * text: copied.
 */
void splice_add(struct splice *s, size_t from, size_t to, struct sp_str text);

/* Appends the changed form of what stands in `source` from `from` to `to`, all pieces within. */
void splice_apply(struct splice *s, struct sp_str source, size_t from, size_t to,
                  struct sp_buf *ret);

void splice_deinit(struct splice *s);
