#pragma once

/*
 * Random comments, white space and trailing commas for JSON, and an independent reader of such
 * texts, to compare config/jsonc.h with.
 */

#include "json_gen.h"

/* Appends JSON that jscan() accepts with all of that put in between its tokens. */
void jsonc_gen_decorate(struct json_gen *g, struct sp_str json, struct sp_buf *b);

/* Whether a text is JSON with comments and trailing commas, by a plain recursive descent. */
bool jsonc_gen_is(struct sp_str text);
