#pragma once

/* A decision inside, for decide.c and what writes its record. */

#include "flow/arbiter.h"
#include "flow/decide.h"
#include "flow/explore.h"
#include "flow/predict.h"

/* No option. */
#define DECIDE_NONE SIZE_MAX

/* What binding an option gave. */
struct decide_binding {
    bool is_tried;
    struct bind_result result; /* if it is */
};

struct decide {
    const struct flow *flow;
    struct decide_options options;
    struct sp_arena arena;

    bool has_site;
    struct predict_site site;        /* if there is one, as the next */
    struct predict_options choices;  /* where it may decide; arrays below go with it */
    double threshold;                /* in force at the site */
    double *habit;                   /* NULL where nothing was weighed, as the next two */
    double *chances;                 /* by the decider */
    struct decide_binding *bindings; /* of all before a question is asked, else of those needed */
    const struct flow_fold *fold;    /* the arbiter's */

    bool has_asked;
    struct oracle_request request; /* if it has asked */
    struct arbiter_answer answer;  /* all zero unless it was answered in full */

    size_t judged; /* the option that the rule's result is about, or DECIDE_NONE */
    bool is_bound; /* whether the rule got as far as binding it, and it binds */
    size_t lookup; /* the option that is made, or DECIDE_NONE */
    struct sp_buf reason;

    bool has_policy;
    size_t greedy; /* if there is a policy, as the rest: what the rule chose */
    double propensity;
    bool is_explored;
    struct explore_draws draws;
    struct sp_str task_id;
    size_t n_events;
};
