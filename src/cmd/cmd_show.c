/* stretto show: one session as a timeline. */

#include <errno.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/screen.h"
#include "cmd/timeline.h"

struct show_options {
    bool full;
    struct sp_opt_list sessions;
};

#define AT(field) .offset = offsetof(struct show_options, field)

static const struct sp_opt table[] = {
    {"SESSION", .kind = SP_OPT_ARGS, AT(sessions), .is_required = true, .help = "a session log"},
    {"full", .kind = SP_OPT_FLAG, AT(full), .help = "cut nothing off, gather no lines"},
    CMD_HELP,
};

static int show(const struct show_options *o, struct spool *spool)
{
    struct sessionlog log;
    struct sp_err err;
    int code;

    if (sessionlog_read(o->sessions.v[0].p, &log, &err) < 0)
        return cmd_fail("%s", err.text);
    code = timeline_add(spool, &log, o->full ? TIMELINE_FULL : TIMELINE_BRIEF,
                        screen_has_colours(stdout) ? TIMELINE_COLOURED : TIMELINE_PLAIN);
    sessionlog_deinit(&log);
    if (code < 0)
        return cmd_fail("keeping the output: %s", sp_err_cause(code));
    return cmd_print(spool);
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
    struct show_options o = {0};
    struct spool spool = {0};
    int status = 0;

    if (!cmd_parse(cmd, argc, argv, &o, NULL, &status))
        goto out;
    if (o.sessions.n > 1)
        status = cmd_misused(cmd, "unexpected argument '%.*s'", SP_STR_ARG(o.sessions.v[1]));
    else
        status = show(&o, &spool);
out:
    spool_deinit(&spool);
    free(o.sessions.v);
    return status;
}

const struct cmd cmd_show = {
    .name = "show",
    .usage = "[--full] SESSION",
    .summary = "show a session as a timeline",
    .text = "Prints what happened in a session, a line each with its time since the start: the\n"
            "conversation, the agent's calls with the number of the turn they belong to, their\n"
            "results and how long these took, what the proxy did itself (lookups, refusals, calls\n"
            "of a commit, lookups added to an answer), and in short all else. Lines have at most\n"
            "100 columns. Control characters are shown as \\u001b and the like. Colours are used\n"
            "on a terminal only, and not with NO_COLOR or TERM=dumb in the environment.\n",
    .table = table,
    .n_table = sizeof table / sizeof table[0],
    .run = run,
};
