/*
 * The completion script for zsh: a description for _arguments of each command.
 *
 * It works as a file of the function path and when it is sourced.
 */

#include "cmd/completions.h"

static const char head[] =
    "# In a file _stretto of a directory in $fpath, or: source <(stretto completions zsh)\n"
    "\n"
    "_stretto_commands()\n"
    "{\n"
    "    local -a commands=(\n";

static const char main_head[] =
    "    )\n"
    "    _describe -t commands command commands \"$@\"\n"
    "}\n"
    "\n"
    "# What follows -- where there are no arguments otherwise.\n"
    "_stretto_rest()\n"
    "{\n"
    "    ((${words[(i)--]} < CURRENT)) && _files\n"
    "}\n"
    "\n"
    "_stretto()\n"
    "{\n"
    "    local command=${words[2]-}\n"
    "\n"
    "    if ((CURRENT == 2)); then\n"
    "        _arguments '(- *)'{-h,--help}'[print the list of commands]' \\\n"
    "            '(- *)'{-V,--version}'[print the version]' ':command:_stretto_commands'\n"
    "        return\n"
    "    fi\n"
    "    shift words\n"
    "    ((CURRENT--))\n"
    "    case $command in\n"
    "    (help)\n"
    "        _arguments ':command:_stretto_commands'\n"
    "        ;;\n";

static const char tail[] = "    esac\n"
                           "}\n"
                           "\n"
                           "if [[ ${funcstack[1]-} == _stretto ]]; then\n"
                           "    _stretto \"$@\"\n"
                           "else\n"
                           "    compdef _stretto stretto\n"
                           "fi\n";

/* Within single quotes, and there within brackets or between colons. */
static const struct completions_escape escapes[] = {
    {'\'', "'\\''"}, {'\\', "\\\\"}, {'[', "\\["}, {']', "\\]"}, {':', "\\:"}, {'\0', NULL},
};

static void put_summary(struct sp_buf *out, const struct cmd *cmd)
{
    sp_buf_addf(out, "        '%s:", cmd->name);
    completions_put_escaped(out, cmd->summary, escapes);
    sp_buf_add(out, SP_STR("'\n"));
}

static void put_value(struct sp_buf *out, const struct sp_opt *opt)
{
    enum completions_value value = completions_value_of(opt);

    if (value == COMPLETIONS_NONE)
        return;
    sp_buf_add_char(out, ':');
    completions_put_escaped(out, opt->arg, escapes);
    if (value == COMPLETIONS_WORDS) {
        sp_buf_add(out, SP_STR(":("));
        completions_put_choices(out, opt, " ");
        sp_buf_add_char(out, ')');
    } else {
        sp_buf_add(out, sp_str_of(value == COMPLETIONS_FILE        ? ":_files"
                                  : value == COMPLETIONS_DIRECTORY ? ":_files -/"
                                                                   : ": "));
    }
}

static void put_option(struct sp_buf *out, const struct sp_opt *opt)
{
    sp_buf_add(out, SP_STR(" \\\n            "));
    if (opt->letter != '\0') /* help, which stands alone */
        sp_buf_addf(out, "'(- *)'{-%c,--%s}'[", opt->letter, opt->name);
    else
        sp_buf_addf(out, "'%s--%s%s[", completions_may_repeat(opt) ? "*" : "", opt->name,
                    opt->arg != NULL ? "=" : "");
    completions_put_escaped(out, opt->help, escapes);
    sp_buf_add_char(out, ']');
    put_value(out, opt);
    sp_buf_add_char(out, '\'');
}

static void put_command(struct sp_buf *out, const struct cmd *cmd)
{
    const char *name;
    enum completions_value arguments = completions_arguments_of(cmd, &name);

    sp_buf_addf(out, "    (%s)\n        _arguments -S", cmd->name);
    for (size_t i = 0; i < cmd->n_table; i++) {
        if (cmd->table[i].kind != SP_OPT_ARGS)
            put_option(out, &cmd->table[i]);
    }
    sp_buf_add(out, SP_STR(" \\\n            '"));
    if (arguments == COMPLETIONS_WORDS) {
        sp_buf_addf(out, ":%s:(", name);
        completions_put_words(out, cmd->words, " ");
        sp_buf_add_char(out, ')');
    } else if (arguments == COMPLETIONS_FILE) {
        sp_buf_addf(out, "*:%s:_files", name);
    } else {
        sp_buf_add(out, SP_STR("*: :_stretto_rest"));
    }
    sp_buf_add(out, SP_STR("'\n        ;;\n"));
}

void completions_zsh_put(struct sp_buf *out, completions_at_fn at)
{
    sp_buf_add(out, SP_STR("#compdef stretto\n"));
    sp_buf_addf(out, "# Completion of stretto %s in zsh.\n", SP_VERSION);
    sp_buf_add(out, sp_str_of(head));
    completions_put_each(out, at, put_summary);
    sp_buf_add(out, SP_STR("        'help:print the help of a command'\n"));
    sp_buf_add(out, sp_str_of(main_head));
    completions_put_each(out, at, put_command);
    sp_buf_add(out, sp_str_of(tail));
}
