#pragma once

/*
 * Reads values inside a text that jscan() has accepted. Everything here works on spans of that text
 * and keeps its bytes: numbers keep their digits. Given anything else the result is undefined.
 *
 * Thread: any.
 */

#include <stdint.h>

#include "base/sp_buf.h"
#include "json/jscan.h"

/* The type of a value's span. */
enum jscan_type jget_type(struct sp_str value);

/*
 * Finds a member of an object by its unescaped name.
 *
 * object: an object's span; any other value has no members.
 * ret:    the member's value; of a name that occurs twice the last counts, as in most readers.
 * Returns: whether there is one; `ret` stays untouched if not.
 */
bool jget_member(struct sp_str object, struct sp_str name, struct sp_str *ret);

/*
 * Finds several members in one pass.
 *
 * names: n of them.
 * ret:   n values; of a member that there is not, `p` is NULL.
 */
void jget_members(struct sp_str object, const struct sp_str *names, size_t n, struct sp_str *ret);

/*
 * Walks the elements of an array, or the members of an object, in order:
 *
 *     for (struct jget_iter it = jget_iter(value); jget_next(&it);)
 *         use(it.name, it.value);
 */
struct jget_iter {
    struct sp_str name;  /* the member's name as written, quotes included; empty in an array */
    struct sp_str value; /* the element or member's value */
    struct sp_str rest;  /* private, as the next */
    bool is_object;
};

struct jget_iter jget_iter(struct sp_str value);
bool jget_next(struct jget_iter *it);

/* How many elements or members there are. */
size_t jget_count(struct sp_str value);

/* Appends the text of a string's span, unescaped (so it may hold NUL). */
void jget_text(struct sp_str string, struct sp_buf *ret);

/* Whether a value is a string whose unescaped text is `text`. */
bool jget_is_text(struct sp_str value, struct sp_str text);

/*
 * Reads a non-negative whole number written without fraction or exponent ("-0" is not one).
 * Returns: whether it is one and fits 64 bits; `ret` stays untouched if not.
 */
bool jget_u64(struct sp_str value, uint64_t *ret);
