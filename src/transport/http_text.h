#pragma once

/*
 * Texts between HTTP and lines: what a body becomes on stdout, and the answers that the proxy makes
 * up when the server gives none.
 *
 * Thread: any.
 */

#include "io/httpc.h"
#include "mcp/line.h"

/* A copy of a text, the caller's, freed by free() of its `p`. */
struct sp_str http_text_copy(struct sp_str text);

/* Without the white space (LF, CR, space, tab, form feed) at its end, or at both ends. */
struct sp_str http_text_trim_end(struct sp_str text);
struct sp_str http_text_trim(struct sp_str text);

/*
 * Makes a line of a trimmed text: each LF and CR inside becomes a space (JSON has them between
 * tokens only), LF is appended.
 *
 * Returns: the line, the caller's reference.
 */
struct line *http_text_line(struct sp_str text);

/* What an error answer says of a refusal besides its message; NULL and 0 for nothing. */
struct http_refusal {
    unsigned status;
    char *www_authenticate;
    char *retry_after;
};

void http_refusal_deinit(struct http_refusal *r);

/*
 * Makes the line of a JSON-RPC error with code -32000.
 *
 * id:      a span, taken over as it is.
 * message: without the "stretto-proxy: " that is put before it.
 * refusal: its parts become `data`; NULL for none.
 */
struct line *http_text_error(struct sp_str id, const char *message,
                             const struct http_refusal *refusal);

/*
 * Whether a text is a JSON-RPC error: an object with an object `error` that has an integer `code`
 * and a string `message`. `ret_id` is its id, `p` NULL when it has none; `ret_code` the code's
 * span.
 */
bool http_text_is_error(struct sp_str text, struct sp_str *ret_id, struct sp_str *ret_code);

/* Appends an object's text with its id replaced by, or when it has none set to, another. */
void http_text_put_with_id(struct sp_buf *ret, struct sp_str object, struct sp_str id);

/* The standard phrase of a status code from 300 on; "" for an unknown code. */
const char *http_text_reason(unsigned status);

/* Whether a text is not empty and has nothing but visible ASCII characters. */
bool http_text_is_visible(struct sp_str text);
