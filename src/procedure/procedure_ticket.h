#pragma once

/*
 * What a procedure reads in a ticket: words that its trees may ask about, and identifiers of
 * records. Tickets are valid UTF-8.
 *
 * Thread: any.
 */

#include "base/sp_str.h"

/* Is called for what was found; `found` is good until it returns. */
typedef void (*procedure_ticket_fn)(void *data, struct sp_str found);

/*
 * Gives the words of a ticket, runs of a to z once it is in lower case, and each pair of
 * neighbours joined by a space, whatever stands between the two.
 */
void procedure_ticket_words(struct sp_str ticket, procedure_ticket_fn fn, void *data);

/*
 * Gives the identifiers: runs of letters, digits, '_', '.', '@' and '-' that have at least four
 * characters, one of them an ASCII digit. What is punctuation at the end of one stays with it.
 */
void procedure_ticket_identifiers(struct sp_str ticket, procedure_ticket_fn fn, void *data);
