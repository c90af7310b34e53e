#pragma once

/*
 * The steps of a session as a flow sees them: the agent's calls and its messages to the customer,
 * each with how it came out; and the symbols that the flow counts them by.
 *
 * Steps are walked from the last one back, so that looking at the last few costs the same however
 * long the session is.
 *
 * Thread: any, one at a time.
 */

#include "flow/flow.h"
#include "trace/episode.h"

/* The text of a field that is not there, or has another type. */
#define STEPS_NOTHING SP_STR("\xe2\x88\x85")

/* How a step came out; the numbers are those in symbols. */
enum steps_outcome {
    STEPS_SUCCEEDED,  /* a call with a result that is no error */
    STEPS_FAILED,     /* a call whose result is an error, or that has none */
    STEPS_ANSWERED,   /* a message that the customer answered */
    STEPS_UNANSWERED, /* a message that the customer did not answer, or not yet */
};

/* Views look into the episode; good until it next changes. */
struct steps_step {
    const struct episode_call *call;    /* NULL: a message to the customer */
    const struct episode_event *result; /* of a call, its last one; NULL: none */
    enum steps_outcome outcome;
};

/*
 * Walks the steps of a view from the last one to the first:
 *
 *     for (struct steps_iter it = steps_iter(view); steps_back(&it, &step);)
 */
struct steps_iter {
    const struct episode_view *view; /* private, as the rest */
    size_t n_events;                 /* that were not looked at yet */
    const struct episode_call *calls;
    size_t n_calls; /* of `calls`, that were not given yet */
    bool is_answered;
};

struct steps_iter steps_iter(const struct episode_view *view);
bool steps_back(struct steps_iter *it, struct steps_step *ret);

/*
 * The output of a step, of which its code features are made: the JSON value that its result's text
 * is, an error's too.
 *
 * Returns: whether it has one; `ret` stays untouched if not.
 */
bool steps_output(const struct steps_step *step, struct sp_str *ret);

/*
 * The text of a field by the value at its path: of a scalar, appended; or of how many elements an
 * array has, a constant. A value of another type has STEPS_NOTHING.
 */
void steps_scalar_text(struct sp_str value, struct sp_buf *ret);
struct sp_str steps_len_text(struct sp_str value);

/* The symbol of a step: its action, its outcome, and what its output says by the flow's map. */
uint32_t steps_symbol(const struct flow *f, const struct steps_step *step);

/* The symbol of what a step consists of; a feature beyond 4095 counts as that. */
uint32_t steps_symbol_of(uint64_t action, enum steps_outcome outcome, uint64_t feature);

/* Sets ret[0] to ret[n - 1] to the symbols of a view's last steps, with FLOW_PADDING before them.
 */
void steps_history(const struct flow *f, const struct episode_view *view, uint32_t *ret, size_t n);
