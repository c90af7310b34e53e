#pragma once

/*
 * Pseudonymised copies of session logs: values that few sessions share are replaced by salted
 * hashes, everywhere by the same, so that what a flow is learned from survives (docs/privacy.md).
 *
 * The logs are read twice, one at a time: redact_count() for each, redact_decide() once, then
 * redact_rewrite() for each. What is kept between is in proportion to the distinct values.
 *
 * Thread: any, one at a time.
 */

#include <stdint.h>

#include "base/sp_err.h"
#include "trace/sessionlog.h"

struct redact;

struct redact_options {
    struct sp_str salt;               /* valid UTF-8, not empty */
    uint64_t keep_shared;             /* a value of at least so many sessions is kept */
    const struct sp_str *hash_fields; /* names whose values are always replaced; valid UTF-8 */
    size_t n_hash_fields;
};

/* Where a value stood. */
enum redact_place {
    REDACT_ARGUMENTS,
    REDACT_RESULTS,
    REDACT_CONVERSATION,
    REDACT_ERRORS,
    REDACT_OTHER, /* lines that are no messages, and messages that are neither of these */
    REDACT_N_PLACES,
};

struct redact_tally {
    uint64_t n_values; /* distinct ones */
    uint64_t n_times;  /* how often they stood in the copies */
};

/* What became of the values in the logs rewritten so far. */
struct redact_summary {
    struct redact_tally replaced; /* everywhere */
    struct redact_tally replaced_at[REDACT_N_PLACES];
    struct redact_tally kept_shared;
    struct redact_tally kept_declared; /* as a name of a tool's schema */
};

/*
 * options: borrowed until redact_free().
 * Returns: the caller's, freed by redact_free(); NULL when OpenSSL has no SHA-256, told in ret_err.
 */
struct redact *redact_new(const struct redact_options *options, struct sp_err *ret_err);

/* NULL is nothing. */
void redact_free(struct redact *r);

/* Counts the values of one log; each call is a session of its own. */
void redact_count(struct redact *r, const struct sessionlog *log);

/* Ends the counting: from here on it is settled what is replaced. */
void redact_decide(struct redact *r);

/* Appends the copy of a log, header line and entries. */
void redact_rewrite(struct redact *r, const struct sessionlog *log, struct sp_buf *ret);

struct redact_summary redact_summary(const struct redact *r);
