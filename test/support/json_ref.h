#pragma once

/*
 * A slow checker of JSON that shares nothing with the scanner, for tests that compare the two: it
 * recurses, decodes every character, and asks strtod() about every number.
 */

#include "json/jscan.h"

/* Does what jscan() promises. */
bool json_ref(struct sp_str text, unsigned max_depth, struct jscan *ret);
