#pragma once

/*
 * The airline policy's times: YYYY-MM-DDTHH:MM[:SS], without a zone.
 *
 * Thread: any.
 */

#include "base/sp_str.h"

/*
 * Whether `then` is at most a day (86,400 s) before `now`, and not after it.
 *
 * The date's first three parts, at "-", are whole numbers that make a day of the proleptic
 * Gregorian calendar; the time's first two, at ":", are numbers; the third counts as 0 when it is
 * missing or no number, so that a zone behind it is not seen. What is no such time is not within
 * a day of anything.
 */
bool guard_clock_is_within_day(struct sp_str then, struct sp_str now);
