#pragma once

/*
 * Base64 with padding (RFC 4648, section 4).
 *
 * Thread: any.
 */

#include "base/sp_buf.h"

/* Appends the encoding of `bytes`. */
void sp_base64_put(struct sp_buf *ret, struct sp_str bytes);
