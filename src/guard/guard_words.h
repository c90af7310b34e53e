#pragma once

/*
 * The words that policies take for a customer's explicit yes. A list of words cannot tell a
 * confirmation from a request, so what rests on it is logged and refuses nothing.
 *
 * Thread: any.
 */

#include "base/sp_str.h"

/*
 * Whether a message reads as a confirmation: one of its words is on the list, or its words, one
 * space between two of them, contain an entry of several words. Words are runs of letters, numbers
 * and "'", compared in lower case.
 *
 * message: valid UTF-8.
 */
bool guard_words_confirm(struct sp_str message);
