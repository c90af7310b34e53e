#pragma once

/*
 * A session to try guards on: it is told step by step what happened, then asked about a call.
 *
 * Thread: any, one at a time.
 */

#include "guard/guard.h"

struct guard_session {
    const struct guard_domain *domain;
    struct episode episode;
    struct guard_facts facts;
    struct guard_checked checked;
    struct sp_buf text;
    size_t n_ids;
};

void guard_session_init(struct guard_session *s, const char *domain);
void guard_session_deinit(struct guard_session *s);

/* The user says something. */
void guard_session_says(struct guard_session *s, const char *text);

/* A turn with one call, and its result. */
void guard_session_calls(struct guard_session *s, const char *tool, const char *arguments,
                         const char *result);

/* The same, the result being an error. */
void guard_session_fails(struct guard_session *s, const char *tool, const char *arguments,
                         const char *result);

/* Checks a call on the session so far. */
void guard_session_check(struct guard_session *s, const char *tool, const char *arguments);

/*
 * The last check's verdict of a rule, named without its domain: "pass", "fail: REASON",
 * "unknown: REASON", or "" when the rule does not name the tool. Good until the next call.
 */
const char *guard_session_verdict(struct guard_session *s, const char *rule);

/* The last check's REASONS; "" for none. Good until the next call. */
const char *guard_session_reasons(struct guard_session *s);
