#pragma once

/*
 * Sessions written in short, for tests. A log is a text of messages between "; ", each a time in
 * ms, a kind and what the kind takes:
 *
 *     C ID [TOOL [ARGUMENTS]]   tools/call of the client; P the same of the proxy
 *     R ID [TEXT]               a result of the server with that text; RP the same of the proxy
 *     X ID                      the client's notifications/cancelled; XP the same of the proxy
 *     U [TEXT], A [TEXT]        context of the user, of the assistant; S of the system
 *     Jc JSON                   any message of the client; Js server, Jp proxy, Jx context
 *
 * ID and ARGUMENTS are JSON; left out, the tool is "a" and its arguments are {"n":1}. Whatever is
 * no such text ends the test.
 */

#include "trace/turns.h"

/* A session "s1" whose header names neither domain nor model; the caller's. */
struct turns *sessiontext_new(const char *log);

void sessiontext_feed(struct turns *t, const char *log);

/* Feeds a message from memory that is gone when it returns. */
void sessiontext_feed_json(struct turns *t, enum line_from from, uint64_t t_ms, struct sp_str text);

/*
 * Appends the events of an episode in short, a space between them: "turn(1,2)" with the ids of its
 * calls, "says" for one that has a text and no calls, "result:1", "user".
 */
void sessiontext_tell(const struct episode *e, struct sp_buf *b);
