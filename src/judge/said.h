#pragma once

/*
 * Whether a message states a value: a number where it stands alone, an id also by its digits
 * ("the card 4196779" states credit_card_4196779), anything else wherever it occurs.
 *
 * Thread: any, one at a time.
 */

#include "trace/saidtext.h"

/* All fields are private. */
struct said {
    struct saidtext text;  /* in lower case */
    struct saidtext plain; /* the same without commas, where it has any */
    bool has_commas;
};

/*
 * Reads a message.
 *
 * message: valid UTF-8; not kept.
 * ret:     the caller's, ended by said_deinit().
 */
void said_init(struct said *ret, struct sp_str message);

/* value: in the form that scalars.h gives. An empty one is always stated. */
bool said_has(const struct said *s, struct sp_str value);

void said_deinit(struct said *s);
