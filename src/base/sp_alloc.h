#pragma once

/*
 * Memory that cannot run out quietly: these end the program with one message on stderr and
 * abort() when the system has none left, so no caller handles that case.
 *
 * Owns: what is returned is the caller's, freed with free().
 * Thread: any.
 */

#include <stddef.h>

#define SP_MUST_CHECK __attribute__((warn_unused_result))

/* Finds the struct that embeds `member` at `ptr`. */
#define sp_container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

/* Returns `size` uninitialised bytes; a `size` of 0 gives a pointer that can be freed. */
void *sp_malloc(size_t size) __attribute__((malloc, returns_nonnull));

/* Returns `n` zeroed elements of `size` bytes; aborts too when the product overflows. */
void *sp_calloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull));

/* Resizes as realloc() does; `p` may be NULL. */
void *sp_realloc(void *p, size_t size) __attribute__((returns_nonnull));

/* Copies a NUL-terminated string. */
char *sp_strdup(const char *s) __attribute__((malloc, returns_nonnull));
