/* What the subcommands share. */

#include <stdarg.h>

#include "cmd/cmd.h"

static void put_usage(const struct cmd *cmd, FILE *out)
{
    fprintf(out, "Usage: stretto %s %s\n", cmd->name, cmd->usage);
}

int cmd_fail(const char *format, ...)
{
    va_list args;

    fputs("Error: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return CMD_FAILED;
}

int cmd_misused(const struct cmd *cmd, const char *format, ...)
{
    va_list args;

    fputs("Error: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    put_usage(cmd, stderr);
    return CMD_USAGE;
}

int cmd_print(struct spool *spool)
{
    int err = spool_print(spool, stdout);

    return err < 0 ? cmd_fail("writing to standard output: %s", sp_err_cause(err)) : 0;
}

void cmd_print_help(const struct cmd *cmd, FILE *out)
{
    put_usage(cmd, out);
    fprintf(out, "\n%s\nOptions:\n", cmd->text);
    sp_opt_print_help(cmd->table, cmd->n_table, out);
}

bool cmd_parse(const struct cmd *cmd, int argc, char **argv, void *options, int *ret_rest,
               int *ret_status)
{
    struct sp_err err;
    int rest;
    int outcome =
        sp_opt_parse(cmd->table, cmd->n_table, SP_OPT_FULL, argc, argv, options, &rest, &err);

    if (outcome == SP_OPT_E_HELP) {
        cmd_print_help(cmd, stdout);
        *ret_status = 0;
        return false;
    }
    if (outcome < 0) {
        *ret_status = cmd_misused(cmd, "%s", err.text);
        return false;
    }
    if (ret_rest != NULL)
        *ret_rest = rest;
    else if (rest < argc)
        *ret_status = cmd_misused(cmd, "unexpected argument '%s'", argv[rest]);
    return ret_rest != NULL || rest == argc;
}
