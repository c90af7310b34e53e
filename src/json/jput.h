#pragma once

/*
 * Writes JSON text. Strings escape `"` and `\`, U+0008 U+0009 U+000A U+000C U+000D as \b \t \n \f
 * \r, other characters below U+0020 as \u00xx in lower case, and nothing else.
 *
 * Thread: any.
 */

#include <stdint.h>

#include "base/sp_buf.h"

/* Appends `text` as a JSON string, quotes included; invalid UTF-8 becomes U+FFFD (sp_utf8.h). */
void jput_string(struct sp_buf *b, struct sp_str text);

/*
 * Appends the shortest decimal that reads back as the same double: plain notation for 0 and for
 * 1e-5 <= |x| < 1e16, with ".0" for whole values; otherwise mantissa, "e", exponent, without "+"
 * or padding ("1e16", "1.5e-7"). Negative zero is "-0.0".
 *
 * x: finite.
 */
void jput_double(struct sp_buf *b, double x);
