/* stretto completions: prints a completion script. */

#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/completions.h"

struct completions_args {
    struct sp_opt_list shells;
};

#define AT(field) .offset = offsetof(struct completions_args, field)

static const struct sp_opt table[] = {
    {"SHELL", .kind = SP_OPT_ARGS, .is_required = true, AT(shells),
     .help = "which: bash, zsh, fish, powershell or elvish"},
    CMD_HELP,
};

static const char *const shells[] = {"bash", "zsh", "fish", "powershell", "elvish", NULL};

/* In the order of `shells`. */
static void (*const writers[])(struct sp_buf *out, completions_at_fn at) = {
    completions_bash_put,       completions_zsh_put,    completions_fish_put,
    completions_powershell_put, completions_elvish_put,
};

static int print_script(const struct cmd *cmd, struct sp_str shell)
{
    struct spool spool = {0};
    int status;
    size_t i = 0;

    while (shells[i] != NULL && !sp_str_eq(sp_str_of(shells[i]), shell))
        i++;
    if (shells[i] == NULL)
        return cmd_misused(cmd,
                           "there is no script for the shell '%.*s', but for bash, zsh, fish, "
                           "powershell and elvish",
                           SP_STR_ARG(shell));
    writers[i](&spool.text, cmd_at);
    status = cmd_print(&spool);
    spool_deinit(&spool);
    return status;
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
    struct completions_args args = {0};
    int status = 0;

    if (cmd_parse(cmd, argc, argv, &args, NULL, &status)) {
        if (args.shells.n == 1)
            status = print_script(cmd, args.shells.v[0]);
        else
            status = cmd_misused(cmd, "a script is for one shell");
    }
    free(args.shells.v);
    return status;
}

const struct cmd cmd_completions = {
    .name = "completions",
    .usage = "SHELL",
    .summary = "print a completion script for a shell",
    .text = "Prints a script that completes the commands and options of this program, their\n"
            "choices and the names of files. Its first lines say how to load it.\n",
    .table = table,
    .n_table = sizeof table / sizeof table[0],
    .words = shells,
    .run = run,
};
