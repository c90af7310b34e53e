#pragma once

/*
 * Memory for what dies together: a parsed file, an episode. Pieces are taken one after the other
 * and freed all at once; none is freed or resized alone, and none moves.
 *
 * Thread: any, one at a time.
 */

#include "base/sp_buf.h"

struct sp_arena_block;

/* A zeroed struct is an empty arena. */
struct sp_arena {
    struct sp_arena_block *blocks; /* private, as the next; the newest first */
    size_t used;                   /* bytes of the newest block */
};

/* Takes `size` zeroed bytes, aligned for any type. A size of 0 gives a pointer too. */
void *sp_arena_alloc(struct sp_arena *a, size_t size) __attribute__((returns_nonnull));

/* Copies bytes. The copy of an empty view has a `p` that is not NULL. */
struct sp_str sp_arena_copy(struct sp_arena *a, struct sp_str s);

/* Frees everything taken and leaves an empty arena. */
void sp_arena_deinit(struct sp_arena *a);
