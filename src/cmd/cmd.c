/* What the subcommands share. */

#include <stdarg.h>

#include "base/sp_utf8.h"
#include "cmd/cmd.h"
#include "cmd/screen.h"

static void put_usage(const struct cmd *cmd, FILE *out)
{
    fprintf(out, "Usage: stretto %s %s\n", cmd->name, cmd->usage);
}

/* Prints a line on stderr, made fit for a screen: a name in it may hold anything. */
__attribute__((format(printf, 2, 0))) static void tell(const char *prefix, const char *format,
                                                       va_list args)
{
    struct sp_buf text = {0}, valid = {0}, line = {0};

    sp_buf_addv(&text, format, args);
    sp_utf8_repair(&valid, sp_buf_str(&text));
    screen_put_block(&line, sp_buf_str(&valid), 2);
    fprintf(stderr, "%s%s\n", prefix, sp_buf_cstr(&line));
    sp_buf_deinit(&text);
    sp_buf_deinit(&valid);
    sp_buf_deinit(&line);
}

int cmd_fail(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    tell("Error: ", format, args);
    va_end(args);
    return CMD_FAILED;
}

void cmd_note(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    tell("stretto: ", format, args);
    va_end(args);
}

int cmd_misused(const struct cmd *cmd, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    tell("Error: ", format, args);
    va_end(args);
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
