/* Memory for what dies together. */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "base/sp_arena.h"

#define ALIGN      _Alignof(max_align_t)
#define BLOCK_SIZE 4000
#define MAX_BLOCK  (256 * 1024)

struct sp_arena_block {
    struct sp_arena_block *next;
    size_t size;
    _Alignas(max_align_t) char bytes[];
};

static size_t round_up(size_t size)
{
    return (size + ALIGN - 1) / ALIGN * ALIGN;
}

/* Blocks grow with the arena, so that a large one has few and a small one wastes little. */
static size_t next_size(const struct sp_arena *a)
{
    if (a->blocks == NULL)
        return BLOCK_SIZE;
    return a->blocks->size < MAX_BLOCK / 2 ? 2 * a->blocks->size : MAX_BLOCK;
}

/* Puts a block behind the newest one, whose free room stays in use. */
static void *alloc_alone(struct sp_arena *a, size_t size)
{
    struct sp_arena_block *block = sp_calloc(1, sizeof *block + size);

    block->size = size;
    block->next = a->blocks->next;
    a->blocks->next = block;
    return block->bytes;
}

void *sp_arena_alloc(struct sp_arena *a, size_t size)
{
    void *p;

    if (size > MAX_BLOCK / 4 && a->blocks != NULL)
        return alloc_alone(a, size);
    size = round_up(size);
    if (a->blocks == NULL || a->blocks->size - a->used < size) {
        size_t block_size = next_size(a);
        struct sp_arena_block *block;

        if (block_size < size)
            block_size = size;
        block = sp_calloc(1, sizeof *block + block_size);
        block->size = block_size;
        block->next = a->blocks;
        a->blocks = block;
        a->used = 0;
    }
    p = a->blocks->bytes + a->used;
    a->used += size;
    return p;
}

struct sp_str sp_arena_copy(struct sp_arena *a, struct sp_str s)
{
    char *p = sp_arena_alloc(a, s.len);

    if (s.len > 0)
        memcpy(p, s.p, s.len);
    return (struct sp_str){p, s.len};
}

void sp_arena_deinit(struct sp_arena *a)
{
    while (a->blocks != NULL) {
        struct sp_arena_block *next = a->blocks->next;

        free(a->blocks);
        a->blocks = next;
    }
    a->used = 0;
}
