/* Cutting a stream of bytes into lines. */

#include "base/sp_alloc.h"
#include "mcp/framer.h"

#define FIRST_PARTIAL 256

/* From this size on, lines come from the pool. */
#define LONG_LINE (256 * 1024)

/* After this many short lines in a row the pool is emptied. */
#define KEEP_POOL 256

void framer_init(struct framer *f, enum line_from from)
{
    *f = (struct framer){.from = from};
}

void framer_deinit(struct framer *f)
{
    line_unref(f->partial);
    line_pool_free(f->pool);
    *f = (struct framer){.from = f->from};
}

/* Moves the unfinished line into one of the pool's. */
static struct line *to_pool(struct framer *f, size_t cap)
{
    struct line *line;

    if (f->pool == NULL)
        f->pool = line_pool_new();
    line = line_pool_get(f->pool, cap);
    if (f->partial != NULL) {
        memcpy(line->bytes, f->partial->bytes, f->partial->len);
        line->len = f->partial->len;
        line_unref(f->partial);
    }
    return line;
}

/* Appends to the unfinished line; doubling keeps a line that comes in n pieces at O(n). */
static void keep(struct framer *f, struct sp_str bytes)
{
    size_t len = f->partial != NULL ? f->partial->len : 0;
    size_t cap = f->partial != NULL ? f->partial->cap : 0;

    if (cap - len < bytes.len) {
        if (cap == 0)
            cap = FIRST_PARTIAL;
        while (cap - len < bytes.len)
            cap *= 2;
        if (cap >= LONG_LINE && (f->partial == NULL || f->partial->pool == NULL))
            f->partial = to_pool(f, cap);
        else
            f->partial = f->partial != NULL ? line_resize(f->partial, cap) : line_new(cap);
    }
    memcpy(f->partial->bytes + len, bytes.p, bytes.len);
    f->partial->len = len + bytes.len;
}

static struct line *give(struct framer *f, struct line *line, uint64_t t_ms)
{
    line->from = f->from;
    line->t_ms = t_ms;
    if (line->pool != NULL)
        f->n_short = 0;
    else if (f->pool != NULL && ++f->n_short == KEEP_POOL)
        line_pool_drain(f->pool);
    return line;
}

struct line *framer_next(struct framer *f, struct sp_str *bytes, uint64_t t_ms)
{
    size_t end = sp_str_find(*bytes, '\n');
    struct sp_str taken;

    if (bytes->len == 0)
        return NULL;
    if (end == bytes->len) {
        keep(f, *bytes);
        *bytes = sp_str_sub(*bytes, end, end);
        return NULL;
    }
    taken = sp_str_sub(*bytes, 0, end + 1);
    *bytes = sp_str_sub(*bytes, end + 1, bytes->len);
    if (f->partial == NULL) {
        struct line *line = line_new(taken.len);

        memcpy(line->bytes, taken.p, taken.len);
        line->len = taken.len;
        return give(f, line, t_ms);
    }
    keep(f, taken);
    return framer_finish(f, t_ms);
}

struct line *framer_finish(struct framer *f, uint64_t t_ms)
{
    struct line *line = f->partial;

    if (line == NULL)
        return NULL;
    f->partial = NULL;
    return give(f, line, t_ms);
}
