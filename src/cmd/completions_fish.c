/* The completion script for fish: a line for each thing that may be written. */

#include "cmd/completions.h"

static const char head[] =
    "# In a file ~/.config/fish/completions/stretto.fish, or: stretto completions fish | source\n"
    "\n"
    "function __stretto_is_first --description 'No command was written yet'\n"
    "    test (count (commandline -opc)) -eq 1\n"
    "end\n"
    "\n"
    "function __stretto_is --description 'Whether this is the command that was written'\n"
    "    set -l words (commandline -opc)\n"
    "    test (count $words) -ge 2; and test $words[2] = $argv[1]\n"
    "end\n"
    "\n"
    "function __stretto_is_over --description 'Whether -- was written'\n"
    "    contains -- -- (commandline -opc)\n"
    "end\n"
    "\n"
    "complete -c stretto -f\n"
    "complete -c stretto -n __stretto_is_over -F\n"
    "complete -c stretto -n __stretto_is_first -s h -l help -d 'print the list of commands'\n"
    "complete -c stretto -n __stretto_is_first -s V -l version -d 'print the version'\n"
    "complete -c stretto -n __stretto_is_first -a help -d 'print the help of a command'\n";

/* Within single quotes. */
static const struct completions_escape escapes[] = {{'\'', "\\'"}, {'\\', "\\\\"}, {'\0', NULL}};

static void put_description(struct sp_buf *out, const char *text)
{
    sp_buf_add(out, SP_STR(" -d '"));
    completions_put_escaped(out, text, escapes);
    sp_buf_add(out, SP_STR("'\n"));
}

static void put_option(struct sp_buf *out, const struct cmd *cmd, const struct sp_opt *opt)
{
    sp_buf_addf(out, "complete -c stretto -n '__stretto_is %s'", cmd->name);
    if (opt->letter != '\0')
        sp_buf_addf(out, " -s %c", opt->letter);
    sp_buf_addf(out, " -l %s", opt->name);
    switch (completions_value_of(opt)) {
    case COMPLETIONS_NONE:
        break;
    case COMPLETIONS_TEXT:
        sp_buf_add(out, SP_STR(" -x"));
        break;
    case COMPLETIONS_WORDS:
        sp_buf_add(out, SP_STR(" -x -a '"));
        completions_put_choices(out, opt, " ");
        sp_buf_add_char(out, '\'');
        break;
    case COMPLETIONS_FILE:
        sp_buf_add(out, SP_STR(" -r -F"));
        break;
    case COMPLETIONS_DIRECTORY:
        sp_buf_add(out, SP_STR(" -x -a '(__fish_complete_directories)'"));
        break;
    }
    put_description(out, opt->help);
}

static void put_command(struct sp_buf *out, const struct cmd *cmd)
{
    const char *name;
    enum completions_value arguments = completions_arguments_of(cmd, &name);

    sp_buf_addf(out, "\ncomplete -c stretto -n __stretto_is_first -a %s", cmd->name);
    put_description(out, cmd->summary);
    sp_buf_addf(out, "complete -c stretto -n '__stretto_is help' -a %s", cmd->name);
    put_description(out, cmd->summary);
    for (size_t i = 0; i < cmd->n_table; i++) {
        if (cmd->table[i].kind != SP_OPT_ARGS)
            put_option(out, cmd, &cmd->table[i]);
    }
    if (arguments == COMPLETIONS_NONE)
        return;
    sp_buf_addf(out, "complete -c stretto -n '__stretto_is %s'", cmd->name);
    if (arguments == COMPLETIONS_WORDS) {
        sp_buf_add(out, SP_STR(" -a '"));
        completions_put_words(out, cmd->words, " ");
        sp_buf_add(out, SP_STR("'\n"));
    } else {
        sp_buf_add(out, SP_STR(" -F\n"));
    }
}

void completions_fish_put(struct sp_buf *out, completions_at_fn at)
{
    sp_buf_addf(out, "# Completion of stretto %s in fish.\n", SP_VERSION);
    sp_buf_add(out, sp_str_of(head));
    completions_put_each(out, at, put_command);
}
