#pragma once

/*
 * The key of a request: what its answer is kept under. It needs OpenSSL, which a plain session does
 * without, so it goes into the oracle module and the companion programs alone.
 *
 * Thread: any.
 */

#include "base/sp_str.h"

#define ORACLE_KEY_LEN  64
#define ORACLE_KEY_SIZE (ORACLE_KEY_LEN + 1)

/*
 * The SHA-256 of a request's canonical bytes, in lower-case hexadecimal digits.
 *
 * ret: NUL-terminated.
 */
void oracle_key_of(struct sp_str canonical, char ret[ORACLE_KEY_SIZE]);
