/* Allocation that aborts with a message instead of failing. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sp_alloc.h"

static void out_of_memory(size_t size)
{
    fprintf(stderr, "out of memory: %zu bytes could not be had\n", size);
    abort();
}

void *sp_malloc(size_t size)
{
    void *p = malloc(size > 0 ? size : 1);

    if (p == NULL)
        out_of_memory(size);
    return p;
}

void *sp_calloc(size_t n, size_t size)
{
    void *p = calloc(n > 0 ? n : 1, size > 0 ? size : 1);

    if (p == NULL)
        out_of_memory(size);
    return p;
}

void *sp_realloc(void *p, size_t size)
{
    p = realloc(p, size > 0 ? size : 1);
    if (p == NULL)
        out_of_memory(size);
    return p;
}

char *sp_strdup(const char *s)
{
    size_t size = strlen(s) + 1;

    return memcpy(sp_malloc(size), s, size);
}
