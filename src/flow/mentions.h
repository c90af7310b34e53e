#pragma once

/*
 * What the customer has mentioned. A text is mentioned if, in lower case, trimmed and without the
 * "#"s it then begins with, it is not empty and occurs in what the customer has said: all messages
 * in lower case, each with a newline behind it.
 *
 * Texts that matter are watched. What one costs, when it is first watched and when the customer
 * says something, does not grow with what was said or watched before.
 *
 * Thread: any, one at a time.
 */

#include <stdbool.h>

#include "base/sp_str.h"

struct mentions;

/* Begins a session in which nothing was said; the caller's. */
struct mentions *mentions_new(void);

/* NULL is nothing. */
void mentions_free(struct mentions *m);

/* Takes in a message of the customer. */
void mentions_say(struct mentions *m, struct sp_str message);

/* Whether a text is mentioned. */
bool mentions_of(struct mentions *m, struct sp_str text);

/*
 * Watches a text.
 *
 * Returns: a number below mentions_count(), the same for texts that are mentioned together.
 */
size_t mentions_watch(struct mentions *m, struct sp_str text);
size_t mentions_count(const struct mentions *m);

/* Whether the texts of a number are mentioned. */
bool mentions_has(const struct mentions *m, size_t number);

/*
 * Takes the next number whose texts became mentioned by a message since they were first watched;
 * each is given once.
 *
 * Returns: whether there was one.
 */
bool mentions_next(struct mentions *m, size_t *ret);
