#pragma once

/*
 * Which headers of an HTTP request a user may set (RFC 9110, section 5).
 *
 * Thread: any.
 */

#include "base/sp_str.h"

/* Whether it is a token, and none of the headers that HTTP itself needs. */
bool sp_header_is_name(struct sp_str name);

/* Whether it is valid UTF-8 without control characters but tab. */
bool sp_header_is_value(struct sp_str value);
