#pragma once

/*
 * The command line of stretto-proxy (docs/cli.md).
 */

#include "base/sp_opt.h"

enum options_decider { OPTIONS_DECIDER_ARBITER = 1, OPTIONS_DECIDER_HABIT, OPTIONS_DECIDER_REACH };
enum options_oracle { OPTIONS_ORACLE_JEV = 1, OPTIONS_ORACLE_REPLAY, OPTIONS_ORACLE_MOCK };
enum options_judge { OPTIONS_JUDGE_LOG = 1, OPTIONS_JUDGE_ENFORCE };
enum options_second { OPTIONS_SECOND_PROPOSED = 1, OPTIONS_SECOND_DESCRIBED };

/* What was given; NULL, 0 or false where nothing was, as sp_opt.h says. Defaults are the users'. */
struct options {
    const char *record;
    const char *domain;
    const char *agent_model;
    struct sp_opt_uint retain_days;
    const char *flow;
    struct sp_opt_number flow_threshold;
    int flow_decider; /* enum options_decider */
    struct sp_opt_uint flow_per_call;
    struct sp_opt_uint flow_per_session;
    struct sp_opt_uint flow_questions;
    const char *flow_log;
    struct sp_opt_list flow_tools;
    bool flow_shadow;
    struct sp_opt_number flow_explore;
    struct sp_opt_uint flow_explore_seed;
    const char *task_id;
    int oracle; /* enum options_oracle */
    const char *oracle_cache;
    bool guards;
    int confirm_judge;  /* enum options_judge */
    int confirm_second; /* enum options_second */
    bool confirm_second_shadow;
    struct sp_opt_number confirm_threshold;
    struct sp_opt_uint confirm_questions;
    const char *confirm_log;
    bool commit;
    const char *context;
    const char *upstream;
    struct sp_opt_list upstream_headers;
    bool upstream_reinit;
    char **command; /* the server's command line, ended by NULL; NULL with --upstream */
};

/* What options_parse() found. */
enum options_outcome { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_VERSION, OPTIONS_USAGE };

/*
 * Reads the command line.
 *
 * argv:    ended by NULL, as main() gets it; ret keeps pointers into it.
 * ret:     filled for OPTIONS_RUN; options_deinit() is due in every case.
 * ret_err: what is wrong, for OPTIONS_USAGE.
 */
enum options_outcome options_parse(int argc, char **argv, struct options *ret,
                                   struct sp_err *ret_err);

void options_deinit(struct options *o);

/* The options that there are, in the order of the help. */
const struct sp_opt *options_table(size_t *ret_n_table);

/* Prints the text of --help. */
void options_print_help(FILE *out);
