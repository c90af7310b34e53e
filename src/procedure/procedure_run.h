#pragma once

/*
 * One run of a procedure on a ticket, without the server: it says which call is to be made, is
 * given its result, and so on until it is over.
 *
 *     while ((outcome = procedure_run_next(run, &call, &err)) == PROCEDURE_RUN_CALL)
 *         ... make the call, then procedure_run_answer() or procedure_run_fail() ...
 *
 * Thread: any, one at a time.
 */

#include "procedure/procedure.h"

struct procedure_run;

struct procedure_run_call {
    struct sp_str tool;
    struct sp_str arguments; /* a JSON object, canonical but for numbers that keep their digits */
    bool has_failed;         /* once it was answered */
};

enum procedure_run_verdict {
    PROCEDURE_RUN_RESOLVED,    /* the outcome that the ticket states is there */
    PROCEDURE_RUN_TRANSFERRED, /* handed over to a person */
    PROCEDURE_RUN_HAND_BACK,   /* back to whoever runs it */
};

/* What a run was. */
struct procedure_run_record {
    const struct procedure_run_call *calls; /* the check's not among them */
    size_t n_calls;
    struct sp_str probe;   /* the tool that the outcome was checked with; `p` is NULL for none */
    struct sp_str outcome; /* its result's text */
    enum procedure_run_verdict verdict;
};

/*
 * p:       kept until the run is freed.
 * ticket:  valid UTF-8; kept likewise.
 * Returns: the caller's, freed with procedure_run_free().
 */
struct procedure_run *procedure_run_new(const struct procedure *p, struct sp_str ticket);

/* NULL is nothing. */
void procedure_run_free(struct procedure_run *r);

/* An outcome of procedure_run_next(). */
#define PROCEDURE_RUN_CALL 1

/*
 * Finds out how the run goes on; not while a call is unanswered.
 *
 * ret:     the call to make; good until it is answered.
 * Returns: PROCEDURE_RUN_CALL; 0 when the run is over; negative, told in ret_err, when an action
 *          cannot be read, and then the run is not to be used any more.
 */
int procedure_run_next(struct procedure_run *r, struct procedure_run_call *ret,
                       struct sp_err *ret_err) SP_MUST_CHECK;

/* Gives the result of the call: the text that the tool returned, valid UTF-8. */
void procedure_run_answer(struct procedure_run *r, struct sp_str text);

/* Tells that the tool failed, and with which text. */
void procedure_run_fail(struct procedure_run *r, struct sp_str text);

/* What it was, once it is over; good until it is freed. */
struct procedure_run_record procedure_run_record(const struct procedure_run *r);

/* "resolved", "transferred" or "hand_back". */
const char *procedure_run_verdict_name(enum procedure_run_verdict verdict);
