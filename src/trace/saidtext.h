#pragma once

/*
 * A text that only grows and can be asked whether it holds a value. The answer is exact, as if the
 * text were searched from end to end, but an index beside the text tells most of it apart from
 * where a value could be: adding costs a few nanoseconds a byte, and asking hardly depends on the
 * length of the text. The index is as large as the text again, and up to 2 MiB.
 *
 * A text made to look alike everywhere takes at most two searches from end to end.
 *
 * Thread: any, one at a time.
 */

#include <stdint.h>

#include "base/sp_buf.h"

struct saidtext_block;

/* A zeroed struct is an empty text. All fields are private. */
struct saidtext {
    struct sp_buf text;
    struct saidtext_block *blocks; /* one after the other, from the beginning of the text */
    size_t n_blocks;
    size_t max_blocks;
    size_t n_indexed; /* bytes of the text that blocks and trigrams cover */
    uint64_t *trigrams;
};

/* Appends a piece, without anything between it and what is there; borrows it. */
void saidtext_add(struct saidtext *t, struct sp_str piece);

/* Whether the bytes of `value` are anywhere in the text, across pieces too. An empty value is. */
bool saidtext_has(const struct saidtext *t, struct sp_str value);

/* All of the text, good until it next changes. */
static inline struct sp_str saidtext_str(const struct saidtext *t)
{
    return sp_buf_str(&t->text);
}

/*
 * Appends all of `from`, which is empty afterwards. Costs a copy of the text; a long text's index
 * is not made again.
 */
void saidtext_move(struct saidtext *t, struct saidtext *from);

/* Frees all memory and leaves an empty text. */
void saidtext_deinit(struct saidtext *t);
