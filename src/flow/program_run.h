#pragma once

/*
 * Running a program. A run goes from site to site: it stops at every draw, tells its caller which
 * one it is, and goes on with the value that it is given. So the proxy decides and makes lookups
 * between the steps, and program_score.h draws values or takes recorded ones.
 *
 * A program cannot fail. What goes wrong in it makes the run impossible, which its score tells and
 * nothing else does; a value that cannot be had is NaN, 0 or false.
 *
 * Thread: any, one at a time.
 */

#include <stdint.h>

#include "flow/program.h"
#include "flow/program_record.h"

/* How many statements a run makes between two sites before it is ended. */
#define PROGRAM_MAX_STATEMENTS 1000000

/*
 * How much work a run makes in all before it is ended, so that neither big statements nor endless
 * sites hang or fill the process: a statement and an expression are 1, a turn of a loop is 10, a
 * number of an array that is copied 8, a distribution as many as there are lookups, a site 1000
 * and the length of its address.
 */
#define PROGRAM_MAX_WORK 100000000

/*
 * What a run knows of the flow. Tools go by number: 0 hands back, 1 to n_reads are the flow's
 * lookups, then come the manifest's other tools; n_tools, which is at least n_reads + 1, is the
 * number of the tool that just returned when the flow does not know it. Embedded in a struct of
 * the implementer's, who finds it by sp_container_of().
 *
 * `total` and `count` say how often a call to `tool` that failed or not was followed by anything,
 * and by a call to the lookup `read`; finite and not negative. `offers` says whether the site
 * behind such a call offers the lookup.
 */
struct program_model {
    uint64_t n_reads;
    uint64_t n_tools; /* the numbers of tools the flow knows are below it */
    double (*total)(const struct program_model *m, uint64_t tool, bool failed);
    double (*count)(const struct program_model *m, uint64_t tool, bool failed, uint64_t read);
    bool (*offers)(const struct program_model *m, uint64_t tool, bool failed, uint64_t read);
};

/* What a run starts from. */
struct program_data {
    struct sp_str call;  /* the name of the tool whose call just returned, for the record */
    uint64_t number;     /* of that tool; n_tools when the flow does not know it */
    bool failed;         /* whether that call did */
    int64_t max_lookups; /* 0 or more */
};

enum program_mode {
    PROGRAM_EXECUTE, /* decisions are made, not drawn: their log-probability is 0 */
    PROGRAM_DRAW,    /* decisions have the log-probability of their values */
};

enum program_event {
    PROGRAM_DECIDE,  /* at a decision's site; wants a number of 0 to n_reads */
    PROGRAM_OUTCOME, /* at an outcome's site; wants 1 if the lookup succeeded, else 0 */
    PROGRAM_END,     /* the run is over */
};

/* Where a run waits. */
struct program_stop {
    struct sp_str address; /* good as long as the run */
    uint64_t tool;         /* the distribution's arguments */
    bool failed;           /* only of a decision */
    uint64_t n_options;    /* its value is below that; 2 for an outcome */
};

enum program_type {
    PROGRAM_WHOLE,
    PROGRAM_REAL,
    PROGRAM_TRUTH,
    PROGRAM_ARRAY,
};

struct program_value {
    enum program_type type;
    union {
        int64_t whole;
        double real;
        bool truth;
        struct {
            const double *p;
            size_t n;
        } array;
    };
};

struct program_run;

/*
 * Starts a run. It makes no step yet.
 *
 * p, m: borrowed until the run is freed.
 * data: copied.
 */
struct program_run *program_run_new(const struct program *p, const struct program_model *m,
                                    const struct program_data *data, enum program_mode mode);

/* Accepts NULL. A run may be freed at any time. */
void program_run_free(struct program_run *run);

/*
 * Goes on to the next site or the end. At a site that still waits for its value, and at the end, it
 * stays there. A site whose distribution cannot be had is not stopped at: its value is 0 or false.
 */
enum program_event program_run_step(struct program_run *run);

/* The site at which the run waits; valid until it is given its value. */
const struct program_stop *program_run_stop(const struct program_run *run);

/* The probability of a value at the site where the run waits; 0 for one that is not possible. */
double program_run_chance(const struct program_run *run, int64_t value);

/* Gives the site where the run waits its value, which is one of those its event names. */
void program_run_give(struct program_run *run, int64_t value);

/* Whether the run was ended by a limit rather than by the program; its user is to be told. */
bool program_run_is_cut(const struct program_run *run);

/* What the program returned, good as long as the run; NaN if that failed or the run was cut. */
struct program_value program_run_value(const struct program_run *run);

/*
 * The log-probability of the run: of its sites, its observations and its factors; minus infinity
 * if anything went wrong.
 */
double program_run_score(const struct program_run *run);

/* The record of a run that ended; its memory is the run's. */
const struct program_record *program_run_record(const struct program_run *run);
