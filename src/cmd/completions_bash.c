/*
 * The completion script for bash.
 *
 * Names of files are left to readline, which knows about quotes and tildes: the function offers
 * nothing itself and switches the fallback on.
 */

#include "cmd/completions.h"

static const char head[] =
    "# Needs bash 4 or newer. For this shell: source <(stretto completions bash)\n"
    "# For every shell: in a file ~/.local/share/bash-completion/completions/stretto\n"
    "\n"
    "# Offers those of some words that begin with the word at the cursor.\n"
    "_stretto_words()\n"
    "{\n"
    "    COMPREPLY=($(compgen -W \"$1\" -- \"$cur\"))\n"
    "}\n"
    "\n"
    "_stretto()\n"
    "{\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local is_over= options= names= words= i\n"
    "    local IFS=$' \\t\\n'\n"
    "    local commands='";

static const char values_head[] = "'\n"
                                  "\n"
                                  "    COMPREPLY=()\n"
                                  "    if ((COMP_CWORD == 1)); then\n"
                                  "        if [[ $cur == -* ]]; then\n"
                                  "            _stretto_words '-h --help -V --version'\n"
                                  "        else\n"
                                  "            _stretto_words \"$commands help\"\n"
                                  "        fi\n"
                                  "        return\n"
                                  "    fi\n"
                                  "\n"
                                  "    # An = after an option is a word of its own.\n"
                                  "    if [[ $cur == = ]]; then\n"
                                  "        cur=\n"
                                  "    elif [[ $before == = ]]; then\n"
                                  "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
                                  "    fi\n"
                                  "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
                                  "        [[ ${COMP_WORDS[i]} != -- ]] || is_over=yes\n"
                                  "    done\n"
                                  "\n"
                                  "    # What may follow an option.\n"
                                  "    [[ $is_over ]] || case \"${COMP_WORDS[1]} $before\" in\n";

static const char commands_head[] = "    esac\n"
                                    "\n"
                                    "    # What else a command takes.\n"
                                    "    case ${COMP_WORDS[1]} in\n";

static const char tail[] = "    'help') words=$commands ;;\n"
                           "    *) return ;;\n"
                           "    esac\n"
                           "    if [[ ! $is_over && $cur == -* ]]; then\n"
                           "        _stretto_words \"$options\"\n"
                           "    elif [[ $words ]]; then\n"
                           "        _stretto_words \"$words\"\n"
                           "    elif [[ $is_over || $names ]]; then\n"
                           "        compopt -o default\n"
                           "    else\n"
                           "        _stretto_words \"$options\"\n"
                           "    fi\n"
                           "}\n"
                           "\n"
                           "complete -F _stretto stretto\n";

static void put_value(struct sp_buf *out, const struct cmd *cmd, const struct sp_opt *opt)
{
    enum completions_value value = completions_value_of(opt);

    if (value == COMPLETIONS_NONE)
        return;
    sp_buf_addf(out, "    '%s --%s')", cmd->name, opt->name);
    if (value == COMPLETIONS_WORDS) {
        sp_buf_add(out, SP_STR(" _stretto_words '"));
        completions_put_choices(out, opt, " ");
        sp_buf_add(out, SP_STR("';"));
    } else if (value == COMPLETIONS_FILE) {
        sp_buf_add(out, SP_STR(" compopt -o default;"));
    } else if (value == COMPLETIONS_DIRECTORY) {
        sp_buf_add(out, SP_STR(" compopt -o dirnames;"));
    }
    sp_buf_add(out, SP_STR(" return ;;\n"));
}

static void put_command(struct sp_buf *out, const struct cmd *cmd)
{
    const char *name;
    enum completions_value arguments = completions_arguments_of(cmd, &name);
    const char *between = "";

    sp_buf_addf(out, "    '%s') options='", cmd->name);
    for (size_t i = 0; i < cmd->n_table; i++) {
        const struct sp_opt *opt = &cmd->table[i];

        if (opt->kind == SP_OPT_ARGS)
            continue;
        sp_buf_addf(out, "%s", between);
        if (opt->letter != '\0')
            sp_buf_addf(out, "-%c ", opt->letter);
        sp_buf_addf(out, "--%s", opt->name);
        between = " ";
    }
    sp_buf_add_char(out, '\'');
    if (arguments == COMPLETIONS_WORDS) {
        sp_buf_add(out, SP_STR(" words='"));
        completions_put_words(out, cmd->words, " ");
        sp_buf_add_char(out, '\'');
    } else if (arguments == COMPLETIONS_FILE) {
        sp_buf_add(out, SP_STR(" names=yes"));
    }
    sp_buf_add(out, SP_STR(" ;;\n"));
}

void completions_bash_put(struct sp_buf *out, completions_at_fn at)
{
    sp_buf_addf(out, "# Completion of stretto %s in bash.\n", SP_VERSION);
    sp_buf_add(out, sp_str_of(head));
    completions_put_commands(out, at, " ");
    sp_buf_add(out, sp_str_of(values_head));
    for (size_t i = 0; at(i) != NULL; i++) {
        for (size_t k = 0; k < at(i)->n_table; k++)
            put_value(out, at(i), &at(i)->table[k]);
    }
    sp_buf_add(out, sp_str_of(commands_head));
    completions_put_each(out, at, put_command);
    sp_buf_add(out, sp_str_of(tail));
}
