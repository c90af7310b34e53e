#pragma once

/*
 * Sessions of the airline domain with a confirmation judge: the agent books, which is judged, and
 * reads, which is not. Texts are lines without LF, what the proxy sends is lines with it.
 */

#include "engine_fixture.h"

#define CALL(id, name, arguments)                                                               \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" name \
    "\",\"arguments\":" arguments "}}"
#define WRITE(id, n) CALL(id, "book_reservation", "{\"n\":" n "}")
#define READ(id)     CALL(id, "get_user_details", "{}")
#define PING(id)     "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"
#define NOTE(n)      "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/n\",\"params\":{\"n\":" n "}}"
#define TEXT(id, text)                \
    "{\"jsonrpc\":\"2.0\",\"id\":" id \
    ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}}"
#define SAYS(role, text) "{\"role\":\"" role "\",\"content\":\"" text "\"}\n"

/* A write without an id, which no answer can reach. */
#define NO_ID(n)                                                             \
    "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"" \
    "book_reservation\",\"arguments\":{\"n\":" n "}}}"

#define COMMIT(id, calls) CALL(id, "stretto_commit", "{\"calls\":[" calls "]}")
#define COMMIT_WRITE(n)   "{\"name\":\"book_reservation\",\"arguments\":{\"n\":" n "}}"
#define COMMIT_READ       "{\"name\":\"get_user_details\"}"

/* What the proxy sends for these two. */
#define SENT(n, arguments, name)                                                           \
    "{\"id\":\"stretto-" n "\",\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{" \
    "\"arguments\":" arguments ",\"name\":\"" name "\"}}\n"
#define SENT_WRITE(own, n) SENT(own, "{\"n\":" n "}", "book_reservation")
#define SENT_READ(own)     SENT(own, "{}", "get_user_details")

/* An answer of the proxy; `text` is a JSON string's inside. */
#define ANSWER(id, text, is_error)                                                  \
    "{\"id\":" id ",\"jsonrpc\":\"2.0\",\"result\":{\"content\":[{\"text\":\"" text \
    "\",\"type\":\"text\"}],\"isError\":" is_error "}}\n"
#define REASONS(list)                                                                        \
    "the customer has not explicitly agreed to this exact change (confirmation judge: " list \
    "); describe the change and ask the customer to confirm it first"
#define REFUSED(id, list)                                                              \
    ANSWER(id,                                                                         \
           "Refused by the policy check, so book_reservation was not run and nothing " \
           "changed: " REASONS(list) ".",                                              \
           "true")
#define REFUSED_NOTE(list) "! refused book_reservation: " REASONS(list) "\n"
#define CANNOT(cause)      "! the confirmation judge cannot answer: " cause "\n"

#define PART(n)    "book_reservation {\\\"n\\\":" n "}"
#define NOT_RUN(n) PART(n) " was not run"

#define KEY(n) "00000000000000000000000000000000000000000000000000000000000000" n
#define LOGGED(n, verdict, key, ms, p_yes, unknown)                                \
    "% {\"arguments\":{\"n\":" n "},\"enforced\":true,\"fails\":" verdict          \
    ",\"key\":\"" KEY(key) "\",\"ms\":" ms ",\"p_yes\":" p_yes                     \
                           ",\"proposal_check\":[],\"tool\":\"book_reservation\"," \
                           "\"unknown\":" unknown ",\"word_list\":false}\n"
#define LOGGED_YES(n, key) LOGGED(n, "false", key, "0", "0.9", "false")
#define LOGGED_NO(n, key)  LOGGED(n, "true", key, "0", "0.1", "false")

#define ASKED "? confirmed\n"

/* One that enforces, asks one question about a write, and has a budget for all that a test asks. */
struct engine_judge booking_judge(void);

/* An engine with that judge or another, guards and stretto_commit. */
void booking_begin(struct engine_fixture *f);
void booking_begin_with(struct engine_fixture *f, const struct engine_judge *judge);

/* What happened since the last look is this; without what was recorded. */
void booking_expect(struct engine_fixture *f, const char *wanted);
void booking_expect_sent(struct engine_fixture *f, const char *wanted);
