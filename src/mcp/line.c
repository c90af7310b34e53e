/* Lines with a reference count. */

#include <assert.h>
#include <malloc.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "mcp/line.h"

/* One line is being written while the next one comes. */
#define MAX_SPARE 2

struct line_pool {
    struct line *spare[MAX_SPARE];
    size_t n_spare;
    size_t n_lines; /* out there, to come back */
    bool is_closed; /* the owner has let go of it */
};

struct line *line_new(size_t cap)
{
    struct line *line = sp_malloc(sizeof *line + cap);

    *line = (struct line){.n_refs = 1, .cap = cap};
    return line;
}

struct line *line_resize(struct line *line, size_t cap)
{
    assert(line_is_unique(line) && cap >= line->len);
    line = sp_realloc(line, sizeof *line + cap);
    line->cap = cap;
    return line;
}

struct line *line_ref(struct line *line)
{
    __atomic_add_fetch(&line->n_refs, 1, __ATOMIC_RELAXED);
    return line;
}

struct line_pool *line_pool_new(void)
{
    return sp_calloc(1, sizeof(struct line_pool));
}

static void drop_spare(struct line_pool *pool)
{
    while (pool->n_spare > 0)
        free(pool->spare[--pool->n_spare]);
}

void line_pool_drain(struct line_pool *pool)
{
    drop_spare(pool);
    (void)malloc_trim(0); /* there may have been nothing to give back */
}

void line_pool_free(struct line_pool *pool)
{
    if (pool == NULL)
        return;
    drop_spare(pool);
    pool->is_closed = true;
    if (pool->n_lines == 0)
        free(pool);
}

struct line *line_pool_get(struct line_pool *pool, size_t cap)
{
    struct line *line = NULL;

    for (size_t i = 0; i < pool->n_spare && line == NULL; i++) {
        if (pool->spare[i]->cap < cap)
            continue;
        line = pool->spare[i];
        pool->spare[i] = pool->spare[--pool->n_spare];
    }
    if (line != NULL)
        *line = (struct line){.n_refs = 1, .cap = line->cap};
    else
        line = line_new(cap);
    line->pool = pool;
    pool->n_lines++;
    return line;
}

static void line_pool_put(struct line_pool *pool, struct line *line)
{
    pool->n_lines--;
    if (!pool->is_closed && pool->n_spare < MAX_SPARE) {
        pool->spare[pool->n_spare++] = line;
        return;
    }
    free(line);
    if (pool->is_closed && pool->n_lines == 0)
        free(pool);
}

void line_unref(struct line *line)
{
    if (line == NULL || __atomic_sub_fetch(&line->n_refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    if (line->pool != NULL)
        line_pool_put(line->pool, line);
    else
        free(line);
}

bool line_is_unique(const struct line *line)
{
    return __atomic_load_n(&line->n_refs, __ATOMIC_ACQUIRE) == 1;
}
