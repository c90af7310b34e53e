#pragma once

/*
 * One judgment of a write: which questions are put, what their answers come to, and what the
 * confirmation log says of it. Who asks, and when, is the caller's matter.
 *
 * Thread: any, one at a time.
 */

#include <stdbool.h>
#include <stdint.h>

#include "judge/confirmation.h"
#include "judge/proposal.h"
#include "oracle/oracle_key.h"

enum judgment_second { JUDGMENT_NO_SECOND, JUDGMENT_PROPOSED, JUDGMENT_DESCRIBED };

struct judgment_options {
    struct sp_str model; /* that is asked; borrowed */
    bool enforces;       /* a write that fails is refused */
    enum judgment_second second;
    bool second_shadow; /* the second answer does not count */
    double threshold;   /* an answer below it fails; nothing is below NaN */
};

struct judgment;

/*
 * Begins a judgment on the session as it stands, and makes the proposal check.
 *
 * options:   kept until judgment_free().
 * e:         the session before the write; not kept, as the next.
 * exchange:  of all of it.
 * tool:      the write's name; copied, as the next.
 * arguments: a JSON value's span.
 * word_list: whether the guards' word list passes.
 * now_ms:    the time, as at the end.
 * Returns:   the caller's.
 */
struct judgment *judgment_begin(const struct judgment_options *options, const struct episode *e,
                                const struct exchange *exchange, struct sp_str tool,
                                struct sp_str arguments, bool word_list, uint64_t now_ms);

/* NULL is nothing. */
void judgment_free(struct judgment *j);

/* The next question; NULL when there is none left. The judgment's, good as long as it is. */
const struct oracle_request *judgment_question(const struct judgment *j);

/*
 * What becomes of that question: one of these, each once, with its key: lower-case hexadecimal
 * digits of ORACLE_KEY_SIZE. Then the next one is due. All is copied.
 */

/* It has a response, though perhaps not with an answer to it. */
void judgment_answer(struct judgment *j, const char *key, const struct oracle_response *response);

/* error: why it has none, one line. */
void judgment_no_answer(struct judgment *j, const char *key, const char *error);

/* It is not put, as the budget is spent; none follows. */
void judgment_skip(struct judgment *j, const char *key);

/*
 * Why the question that was put last has no response, for the message that the caller owes to
 * stderr; NULL when it has one or was skipped. Good until the next question's outcome.
 */
const char *judgment_error(const struct judgment *j);

/* After the last question. */

/* Whether an answer that counts is below the threshold. */
bool judgment_fails(const struct judgment *j);

/* Whether it does not fail but could, were all questions that count answered. */
bool judgment_is_unknown(const struct judgment *j);

/* Whether the write is refused: it fails, and that is enforced. */
bool judgment_refuses(const struct judgment *j);

/* Appends why it fails, as the agent is told. */
void judgment_put_reasons(const struct judgment *j, struct sp_buf *ret);

/* Appends the line of the confirmation log as canonical JSON, without LF. */
void judgment_put_record(const struct judgment *j, uint64_t now_ms, struct sp_buf *ret);
