#pragma once

/*
 * Session ids: the UTC start time to the millisecond and the process id of the proxy,
 * YYYYMMDDTHHMMSS.mmmZ-PID, so that names sort by start time and two proxies of one instant differ.
 *
 * Thread: any.
 */

#include <stdint.h>

#include "base/sp_str.h"

#define SESSIONID_SIZE 48 /* bytes that hold any id and its NUL */

/*
 * Writes the id of a session.
 *
 * unix_ms: milliseconds since the Unix epoch, Gregorian calendar without leap seconds; a year past
 *          9999 takes as many digits as it needs.
 */
void sessionid_make(uint64_t unix_ms, uint64_t pid, char ret_id[SESSIONID_SIZE]);

/*
 * Whether a file name is one that a session gives its files: an id followed by ".jsonl",
 * ".flow.jsonl" or ".confirm.jsonl". Only the form is checked, not whether the date exists.
 */
bool sessionid_names_file(struct sp_str name);
