#pragma once

/*
 * What kind of JSON-RPC message a text is, and where its parts stand in it.
 *
 * Texts are judged by jscan_grammar(): what a server may accept counts, also where a log would keep
 * it as raw text. Of members that occur twice the first counts.
 *
 * Thread: any.
 */

#include "json/jget.h"

enum message_kind {
    MESSAGE_NOT_JSON,
    MESSAGE_OTHER,        /* JSON, but neither object nor array */
    MESSAGE_BATCH,        /* an array */
    MESSAGE_REQUEST,      /* an object with `method` and an `id` that is not null */
    MESSAGE_NOTIFICATION, /* an object with `method` alone */
    MESSAGE_RESPONSE,     /* an object without `method` */
};

/* A message; its spans look into the text it was read from. */
struct message {
    enum message_kind kind;
    struct jscan parts; /* all zero when the text is not JSON */
};

/* Reads a text, white space around it allowed. */
void message_read(struct sp_str text, struct message *ret);

/* Whether a request or notification is of that method. */
bool message_is(const struct message *m, struct sp_str method);

/* Whether an id names the same as another: strings by their value, anything else by its text. */
bool message_same_id(struct sp_str a, struct sp_str b);

/*
 * The protocol version that a message itself states, as revisions from 2026-07-28 on do: the string
 * at params._meta["io.modelcontextprotocol/protocolVersion"], a span.
 */
bool message_version(const struct message *m, struct sp_str *ret);

/* The same of a message's params, a span; its `p` may be NULL. */
bool message_params_version(struct sp_str params, struct sp_str *ret);
