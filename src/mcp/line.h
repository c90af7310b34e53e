#pragma once

/*
 * One line as it crosses the proxy: every byte, the terminator it had included. Immutable once it
 * is shared; framer, recorder and output queues hold references to the same one.
 *
 * A session that neither records nor acts has no need of whole lines: there a `struct line` is a
 * piece of the stream as it was read.
 *
 * Thread: any, the count being atomic; lines of a pool the pool's thread alone.
 */

#include <stdint.h>

#include "base/sp_str.h"

enum line_from {
    LINE_CLIENT, /* the host */
    LINE_SERVER,
    LINE_PROXY,   /* a message of the proxy's own making */
    LINE_CONTEXT, /* a message of the conversation, which the host keeps in a file */
};

struct line_pool;

struct line {
    unsigned n_refs;        /* private */
    struct line_pool *pool; /* private: where its memory goes back to; NULL for none */
    enum line_from from;
    uint64_t t_ms; /* when it was read, ms since the session's time zero */
    size_t len;    /* bytes in use */
    size_t cap;    /* bytes allocated; private */
    char bytes[];
};

/* Makes an empty line with room for `cap` bytes and one reference, the caller's. */
struct line *line_new(size_t cap);

/* Makes room for at least `cap` bytes. Takes the only reference and gives the new one. */
struct line *line_resize(struct line *line, size_t cap);

/*
 * A pool keeps the memory of a few long lines for the next ones, since giving it back to the system
 * and having it filled with zeros again costs more than what is done with such a line.
 *
 * line_pool_new() gives the pool to the caller; after line_pool_free() (NULL is nothing) it keeps
 * nothing more and goes with the last of its lines.
 */
struct line_pool *line_pool_new(void);
void line_pool_free(struct line_pool *pool);

/* As line_new(), with memory of the pool if there is any with room for `cap` bytes. */
struct line *line_pool_get(struct line_pool *pool, size_t cap);

/* Gives back to the system what the pool keeps, and what else is free. */
void line_pool_drain(struct line_pool *pool);

struct line *line_ref(struct line *line);

/* Drops a reference, with the last one the line; NULL is nothing. */
void line_unref(struct line *line);

/* Whether the caller's reference is the only one, so that the line may be written to. */
bool line_is_unique(const struct line *line);

static inline struct sp_str line_str(const struct line *line)
{
    return (struct sp_str){line->bytes, line->len};
}
