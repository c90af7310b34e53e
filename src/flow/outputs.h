#pragma once

/*
 * What tools returned, as a flow reads it: one JSON value for each successful result, the strings
 * at a path in it, and its scalars.
 *
 * "Document order" is that of canonical JSON: members by name, elements by index.
 *
 * Thread: any.
 */

#include <stdbool.h>

#include "base/sp_arena.h"

/* How deep a result's text may nest to be read as JSON. */
#define OUTPUTS_MAX_DEPTH 127

/*
 * Appends the canonical JSON of a successful result's text. A text that is no JSON becomes the
 * array of its lines, trimmed and without empty ones, if there are two or more; else it is one
 * string as it is.
 */
void outputs_read(struct sp_str text, struct sp_buf *ret);

/* A path as flows have them: "$", then ".KEY" for a member and "[*]" for every element. */
struct outputs_path {
    struct sp_str *keys; /* a `p` of NULL: every element */
    size_t n;
    bool leads_nowhere; /* it is no such path */
};

/* text: kept as long as the path; arena: takes the keys. */
struct outputs_path outputs_path(struct sp_str text, struct sp_arena *arena);

/*
 * Is called for a string that was looked for.
 *
 * value:  its span.
 * holder: the object it is a member of; `p` is NULL when it is none.
 */
typedef void (*outputs_value_fn)(void *data, struct sp_str value, struct sp_str holder);

/* Gives the strings at a path in canonical JSON, in document order. */
void outputs_at(struct sp_str json, const struct outputs_path *path, outputs_value_fn fn,
                void *data);

/* Is called for a member of `holder` that is a string; `name` is good until it returns. */
typedef void (*outputs_member_fn)(void *data, struct sp_str name, struct sp_str value,
                                  struct sp_str holder);

/* Gives the members that are strings, at any depth, in document order. */
void outputs_members(struct sp_str json, outputs_member_fn fn, void *data);

/* Is called for a scalar; it is good until the function returns. */
typedef void (*outputs_scalar_fn)(void *data, struct sp_str scalar);

/*
 * Gives the scalars of canonical JSON at any depth: strings as outputs_lower() has them, and the
 * text of numbers.
 */
void outputs_scalars(struct sp_str json, outputs_scalar_fn fn, void *data);

/* Appends a text in lower case, without white space at both ends. */
void outputs_lower(struct sp_str text, struct sp_buf *ret);

/* Whether a text looks like a key: at least 4 characters, one of them an ASCII digit. */
bool outputs_is_key_like(struct sp_str text);

/* Whether a text has at least `n` characters. */
bool outputs_has_chars(struct sp_str text, size_t n);

/* Appends the text that a value is compared by: of a string it itself, else its canonical JSON. */
void outputs_value_text(struct sp_str json, struct sp_buf *ret);
