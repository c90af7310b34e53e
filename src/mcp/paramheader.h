#pragma once

/*
 * The headers that revision 2026-07-28 of the protocol adds to an HTTP request: how a value is
 * written, and the Mcp-Param headers that a tool's input schema asks for by "x-mcp-header".
 *
 * Thread: any, one at a time.
 */

#include "base/sp_buf.h"

/* The annotations of the tools that were listed. */
struct paramheader_tools;

struct paramheader_tools *paramheader_tools_new(void);
void paramheader_tools_free(struct paramheader_tools *tools); /* NULL is nothing */

/* Called for a tool that cannot be offered. Both texts are borrowed; one without a name has "". */
typedef void (*paramheader_refused_fn)(void *owner, struct sp_str tool, const char *reason);

/*
 * Takes note of the tools in an answer to tools/list; a later listing of a tool replaces it, and
 * one that is refused is forgotten.
 *
 * A tool is refused for any "x-mcp-header" in its inputSchema that is not a property's, on a chain
 * of `properties` from the root; or is not a token of HTTP; or is equal to another one but for
 * case; or whose property's `type` is not exactly "string", "integer" or "boolean". Property names
 * are not annotations, and neither is what stands inside `const`, `default`, `enum` or `examples`.
 *
 * answer:  the text of a JSON-RPC message that jscan_grammar() accepts.
 * ret_cut: gets the answer without the tools that are refused, each taken out with one adjoining
 *          comma, all other bytes as they are; nothing when there are none.
 * refused: called for each such tool, in order.
 */
void paramheader_learn(struct paramheader_tools *tools, struct sp_str answer,
                       struct sp_buf *ret_cut, paramheader_refused_fn refused, void *owner);

/* Whether a tool of that name was listed, and neither refused nor forgotten. */
bool paramheader_knows(const struct paramheader_tools *tools, struct sp_str tool);

/*
 * Called for a header of a call: its full name ("Mcp-Param-Region") and its value as sent. Both are
 * borrowed.
 */
typedef void (*paramheader_fn)(void *owner, struct sp_str name, struct sp_str value);

/*
 * Gives the headers of a call of a known tool, in the order of the schema, a property before those
 * within it; of another tool none.
 *
 * What a header holds goes by the value that the call has: a string as it is, a whole number in
 * decimal, a boolean as "true" or "false". All else gives no header: null, an array, an object, a
 * number with a fraction, and a string with half a surrogate pair, which has no UTF-8.
 *
 * params: the span of the call's params; `p` is NULL when it has none.
 */
void paramheader_for_call(const struct paramheader_tools *tools, struct sp_str params,
                          paramheader_fn fn, void *owner);
