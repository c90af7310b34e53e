/* stretto jev-check: asks the Jev service one question. */

#include "cmd/cmd.h"
#include "cmd/jevcheck.h"

struct jev_check_args {
    char nothing;
};

static const struct sp_opt table[] = {CMD_HELP};

static int run(const struct cmd *cmd, int argc, char **argv)
{
    struct jev_check_args args = {0};
    struct spool spool = {0};
    struct sp_err err;
    int status = 0;

    if (!cmd_parse(cmd, argc, argv, &args, NULL, &status))
        return status;
    if (jevcheck(&spool.text, &err) < 0) {
        status = cmd_fail("%s", err.text);
    } else {
        sp_buf_add_char(&spool.text, '\n');
        status = cmd_print(&spool);
    }
    spool_deinit(&spool);
    return status;
}

const struct cmd cmd_jev_check = {
    .name = "jev-check",
    .usage = "",
    .summary = "ask the Jev service one small question",
    .text = "Asks one small question that no cache answers, and prints the answer, the version of\n"
            "the model and how long it took. The key is that of TYPESAFE_API_KEY, or of the file\n"
            "that TYPESAFE_API_KEY_FILE names.\n",
    .table = table,
    .n_table = sizeof table / sizeof table[0],
    .run = run,
};
