#pragma once

/*
 * The strict JSON scanner: decides in one pass over raw bytes, without recursion, whether a text is
 * one JSON value, and finds where the members of a JSON-RPC message stand in it.
 *
 * A text is JSON when
 *  - it is valid UTF-8 without a byte-order mark;
 *  - it is exactly one value by RFC 8259, with space, tab, CR and LF allowed around it;
 *  - every \u escape of a surrogate is half of a proper high-low pair, in keys too;
 *  - arrays and objects nest at most `max_depth` deep ("[" alone is depth 1);
 *  - every number, rounded to the nearest IEEE double, is finite.
 * Keys may occur twice and \u0000 is allowed.
 *
 * Thread: any. jscan() allocates nothing.
 */

#include "base/sp_str.h"

/* How deep a line may nest to be recorded as JSON. */
#define JSCAN_LOG_DEPTH 126

/* The deepest `max_depth` that jscan() takes. */
#define JSCAN_MAX_DEPTH 1024

enum jscan_type {
    JSCAN_NULL,
    JSCAN_FALSE,
    JSCAN_TRUE,
    JSCAN_NUMBER,
    JSCAN_STRING,
    JSCAN_ARRAY,
    JSCAN_OBJECT,
};

/*
 * What jscan() found. The spans look into the scanned text. A member's span is its value, quotes
 * and brackets included; its `p` is NULL when the text is not an object or has no such member. Of a
 * member that occurs twice the first counts. Names are compared unescaped ("\u0069d" is id).
 */
struct jscan {
    struct sp_str value; /* the value without the white space around it */
    enum jscan_type type;
    struct sp_str id;
    struct sp_str method;
    struct sp_str params;
    struct sp_str result;
    struct sp_str error;
};

/*
 * Scans `text`.
 *
 * max_depth: 1 to JSCAN_MAX_DEPTH.
 * ret:       filled when the text is JSON, untouched otherwise.
 * Returns:   whether it is.
 */
bool jscan(struct sp_str text, unsigned max_depth, struct jscan *ret);

/*
 * The same by the first two conditions alone: valid UTF-8 and the grammar of RFC 8259, at any
 * depth. It is for what is only passed on; deep texts make it allocate. Half a surrogate pair that
 * stands alone in a string is read by jget.h as if it were a character.
 */
bool jscan_grammar(struct sp_str text, struct jscan *ret);

/* The same as jscan() by portable code alone, whatever the processor; for tests and comparisons. */
bool jscan_portable(struct sp_str text, unsigned max_depth, struct jscan *ret);
