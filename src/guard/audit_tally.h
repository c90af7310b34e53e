#pragma once

/*
 * The numbers of an audit, for the two files that count and print them.
 *
 * Thread: any, one at a time.
 */

#include "guard/audit.h"

/* The two sides: episodes that did their task, and the others. */
enum audit_side {
    AUDIT_SUCCESSFUL,
    AUDIT_FAILED,
    AUDIT_N_SIDES,
};

/* What a verdict counts for: the episode's side, or the calls that the tool refused. */
#define AUDIT_REFUSED_BY_TOOL AUDIT_N_SIDES
#define AUDIT_N_GROUPS        (AUDIT_N_SIDES + 1)

#define AUDIT_N_OUTCOMES 3

#define AUDIT_MAX_ALARMS 5 /* false alarms that a rule keeps */

struct audit_alarm {
    struct sp_str episode;
    struct sp_str task;
    struct sp_str reason;
};

struct audit_rule {
    const struct guard_rule *rule;
    size_t verdicts[AUDIT_N_GROUPS][AUDIT_N_OUTCOMES]; /* by enum guard_outcome */
    size_t episodes_failed[AUDIT_N_SIDES]; /* episodes in which it fails an accepted call */
    struct audit_alarm alarms[AUDIT_MAX_ALARMS];
    size_t n_alarms;
    size_t failed_in; /* number of the last episode in which it fails an accepted call */
};

struct audit_task {
    struct sp_str id;
    size_t episodes[AUDIT_N_SIDES];
    size_t refused[AUDIT_N_SIDES];
};

struct audit {
    const struct guard_domain *domain;
    size_t episodes[AUDIT_N_SIDES];
    size_t n_accepted; /* calls that were checked, by what the tool did */
    size_t n_refused;
    size_t refused[AUDIT_N_SIDES]; /* episodes: an enforced rule fails an accepted call */
    struct audit_rule *rules;      /* in the domain's order */
    struct audit_task *tasks;
    size_t n_tasks;
    size_t max_tasks;
    struct sp_map tasks_by_id;
    struct sp_arena arena;
};
