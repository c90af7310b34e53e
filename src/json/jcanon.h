#pragma once

/*
 * Canonical JSON: the one text form in which JSON values are compared, stored, hashed, and written
 * by the programs themselves. No white space; an object's members in byte order of their names, of
 * a name that occurs twice the last value; strings as jput_string() writes them; whole numbers that
 * fit a signed or unsigned 64-bit integer in decimal ("-0" is 0; a fraction or an exponent makes a
 * number a double, and so "-0.0" and "1e2" are), every other number as jput_double() writes it.
 *
 * Thread: any.
 */

#include "base/sp_buf.h"

/*
 * Appends the canonical form of `value`.
 *
 * value: one value that jscan() accepted, white space inside allowed, around it not.
 */
void jcanon(struct sp_buf *ret, struct sp_str value);

/*
 * The same, but every number written without fraction or exponent keeps its digits, also beyond 64
 * bits ("-0" is 0 still). It is for what must come back as it was sent: ids, copies of messages.
 */
void jcanon_exact(struct sp_buf *ret, struct sp_str value);
