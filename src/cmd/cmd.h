#pragma once

/*
 * The subcommands of `stretto`, and what they share: options by table, errors and exit statuses.
 *
 * A subcommand is one file cmd_NAME.c with a `const struct cmd`, listed in commands.c.
 */

#include "base/sp_opt.h"
#include "cmd/spool.h"

struct cmd {
    const char *name;
    const char *usage;          /* what follows the name in the usage line */
    const char *summary;        /* one line, for the list of commands */
    const char *text;           /* what it does, for its help; lines of at most 80 columns */
    const struct sp_opt *table; /* ends with CMD_HELP */
    size_t n_table;

    /* The words that its one argument may be, ended by NULL; NULL where arguments are paths. */
    const char *const *words;

    /* argv[0] is the command's name. Returns the exit status. */
    int (*run)(const struct cmd *cmd, int argc, char **argv);
};

/* The last option of every table. */
#define CMD_HELP                                                    \
    {                                                               \
        "help", 'h', .kind = SP_OPT_HELP, .help = "print this help" \
    }

/* The commands, in the order of the help: the one at `i`; NULL past the last. */
const struct cmd *cmd_at(size_t i);

#define CMD_FAILED 1 /* exit statuses */
#define CMD_USAGE  2

/*
 * Parses a subcommand's command line; prints its help if that was asked for.
 *
 * options:    as sp_opt_parse() says.
 * ret_rest:   the index of the first argument after "--", or argc; NULL where none is taken.
 * ret_status: the exit status, when there is nothing more to do.
 * Returns:    whether the command is to run.
 */
bool cmd_parse(const struct cmd *cmd, int argc, char **argv, void *options, int *ret_rest,
               int *ret_status);

/* Prints a subcommand's help. */
void cmd_print_help(const struct cmd *cmd, FILE *out);

/* Prints "Error: TEXT" on stderr; returns CMD_FAILED. */
int cmd_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "stretto: TEXT" on stderr, which no command has as its result. */
void cmd_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints what is wrong with the command line, and its usage line, on stderr; returns CMD_USAGE. */
int cmd_misused(const struct cmd *cmd, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints all of a spool on stdout; returns 0, or CMD_FAILED, the reason being told. */
int cmd_print(struct spool *spool);

extern const struct cmd cmd_ask;
extern const struct cmd cmd_audit;
extern const struct cmd cmd_confirm;
extern const struct cmd cmd_completions;
extern const struct cmd cmd_doctor;
extern const struct cmd cmd_episodes;
extern const struct cmd cmd_evaluate;
extern const struct cmd cmd_flow_diff;
extern const struct cmd cmd_flow_show;
extern const struct cmd cmd_export_answers;
extern const struct cmd cmd_import_answers;
extern const struct cmd cmd_init;
extern const struct cmd cmd_jev_check;
extern const struct cmd cmd_learn;
extern const struct cmd cmd_promote;
extern const struct cmd cmd_replay;
extern const struct cmd cmd_redact;
extern const struct cmd cmd_guards;
extern const struct cmd cmd_manifest;
extern const struct cmd cmd_sessions;
extern const struct cmd cmd_show;
