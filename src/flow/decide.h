#pragma once

/*
 * A flow's decision after a call has returned: one lookup with its arguments, or handing back with
 * a reason.
 *
 * Thread: any, one at a time.
 */

#include "flow/bind.h"
#include "flow/predict.h"
#include "flow/recall.h"
#include "oracle/oracle.h"

enum decide_decider { DECIDE_ARBITER, DECIDE_HABIT, DECIDE_REACH };

struct decide_options {
    enum decide_decider decider; /* one that the flow has the numbers for */
    double threshold;            /* above 1, and if it is NaN, the rule takes no lookup */
    bool explores;               /* --flow-explore was given */
    double epsilon;              /* if it explores: from 0 to 1 */
    uint64_t seed;
    struct recall *recall; /* of the session whose views are given, so that questions and draws cost
                              what is new in it; decisions update it. NULL: all is read each time */
};

/* One decision. Views look into the decision or the flow. */
struct decide;

enum decide_outcome {
    DECIDE_ASKS, /* decide_answer() or decide_no_answer() has to follow */
    DECIDE_LOOKUP,
    DECIDE_HAND_BACK,
};

/*
 * Begins a decision. It is made on the session as it stands now: when a question is asked, all that
 * an answer may need of the session is taken first.
 *
 * flow:    kept until decide_free().
 * options: copied; its recall is borrowed.
 * bind:    borrowed; up to date with the view's episode.
 * view:    borrowed.
 * ret:     the caller's, ended by decide_free() whatever the outcome.
 */
enum decide_outcome decide_begin(const struct flow *flow, const struct decide_options *options,
                                 struct bind *bind, const struct episode_view *view,
                                 struct decide **ret);

/* After DECIDE_ASKS: the question, the decision's. */
const struct oracle_request *decide_request(const struct decide *d);

/*
 * After DECIDE_ASKS: goes on with the answer, borrowed; or without one: `why` is the cause, one
 * line, copied. Neither gives DECIDE_ASKS again.
 */
enum decide_outcome decide_answer(struct decide *d, const struct oracle_response *response);
enum decide_outcome decide_no_answer(struct decide *d, const char *why);

/* Whether a question was put to the oracle, answered or not. */
bool decide_has_asked(const struct decide *d);

/* After DECIDE_LOOKUP. */
struct sp_str decide_tool(const struct decide *d);
struct sp_str decide_arguments(const struct decide *d); /* canonical JSON */

/* After DECIDE_HAND_BACK. */
struct sp_str decide_reason(const struct decide *d);

/* The site, or a `p` of NULL when the last step is no call. */
struct sp_str decide_site(const struct decide *d);

/*
 * The chances that the decider gave the site's options, whatever became of them; the decision's.
 *
 * ret_options: the options, the decision's, of which there are as many; untouched without chances.
 * Returns:     NULL when it ended before it had any: where the flow has no business deciding,
 * before an answer, and without a complete one.
 */
const double *decide_chances(const struct decide *d, const struct predict_options **ret_options);

/* What the record of a decision says that the decision does not know. */
struct decide_context {
    struct sp_str key;   /* of the question, if one was asked (oracle_key.h); p is NULL: none */
    struct sp_str after; /* a JSON value's text; p is NULL: this and the rest are not written, as in
                            what is printed offline */
    struct sp_str address;
    uint64_t ms;
    bool is_shadow;
};

/*
 * After the decision: appends the members of its record as canonical JSON, without the braces
 * around them and with those of the context in their places.
 */
void decide_put_record(const struct decide *d, const struct decide_context *context,
                       struct sp_buf *b);

/* NULL is nothing. */
void decide_free(struct decide *d);

/* The decider a flow is served with unless the user names one. */
enum decide_decider decide_default(const struct flow *flow);

/* The hash of texts that picks a task's fold (of its id, modulo FLOW_N_FOLDS) and seeds draws. */
uint64_t decide_hash(struct sp_str text);
