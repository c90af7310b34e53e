/*
 * The completion script for Elvish: tables of the commands and their options, and code that reads
 * them. Elvish itself leaves out what does not begin with the word at the cursor.
 */

#include "cmd/completions.h"

static const char head[] = "# In rc.elv: eval (stretto completions elvish | slurp)\n"
                           "\n"
                           "use str\n"
                           "\n"
                           "fn complete-stretto {|@words|\n"
                           "    var main = [\n"
                           "        [&name=-h &help='print the list of commands']\n"
                           "        [&name=--help &help='print the list of commands']\n"
                           "        [&name=-V &help='print the version']\n"
                           "        [&name=--version &help='print the version']\n"
                           "    ]\n"
                           "    var commands = [\n";

static const char options_head[] = "        [&name=help &help='print the help of a command']\n"
                                   "    ]\n"
                                   "    # The options of each command.\n"
                                   "    var options = [\n"
                                   "        &help=[]\n";

static const char arguments_head[] = "    ]\n"
                                     "    # What other arguments are: known words, or files.\n"
                                     "    var arguments = [\n"
                                     "        &help=[(each {|c| put $c[name] } $commands)]\n";

static const char tail[] =
    "    ]\n"
    "\n"
    "    fn offer {|names|\n"
    "        each {|n|\n"
    "            edit:complex-candidate &display=$n[name]'  '$n[help] &code-suffix=' ' $n[name]\n"
    "        } $names\n"
    "    }\n"
    "\n"
    "    # What may follow an option, or stand behind its =, which is a part of the word.\n"
    "    fn offer-value {|option word before|\n"
    "        if (eq $option[takes] words) {\n"
    "            each {|w| put $before$w } $option[words]\n"
    "        } elif (and (eq $option[takes] file) (eq $before '')) {\n"
    "            edit:complete-filename $word\n"
    "        }\n"
    "    }\n"
    "\n"
    "    var n = (count $words)\n"
    "    if (< $n 3) {\n"
    "        if (and (== $n 2) (!=s $words[1] '') (eq $words[1][0] -)) {\n"
    "            offer $main\n"
    "        } else {\n"
    "            offer $commands\n"
    "        }\n"
    "        return\n"
    "    }\n"
    "    var command word = $words[1] $words[-1]\n"
    "    if (not (has-key $options $command)) {\n"
    "        return\n"
    "    }\n"
    "\n"
    "    var is-over = (has-value $words[2..-1] --)\n"
    "    if (not $is-over) {\n"
    "        for o $options[$command] {\n"
    "            if (has-key $o takes) {\n"
    "                if (eq $o[name] $words[-2]) {\n"
    "                    offer-value $o $word ''\n"
    "                    return\n"
    "                } elif (str:has-prefix $word $o[name]'=') {\n"
    "                    offer-value $o $word $o[name]'='\n"
    "                    return\n"
    "                }\n"
    "            }\n"
    "        }\n"
    "        if (or (str:has-prefix $word -) (not (has-key $arguments $command))) {\n"
    "            offer $options[$command]\n"
    "            return\n"
    "        }\n"
    "    }\n"
    "    if (and (has-key $arguments $command) (not-eq $arguments[$command] file)) {\n"
    "        all $arguments[$command]\n"
    "    } else {\n"
    "        edit:complete-filename $word\n"
    "    }\n"
    "}\n"
    "\n"
    "set edit:completion:arg-completer[stretto] = $complete-stretto~\n";

static const struct completions_escape escapes[] = {{'\'', "''"}, {'\0', NULL}};

static void put_summary(struct sp_buf *out, const struct cmd *cmd)
{
    sp_buf_addf(out, "        [&name=%s &help='", cmd->name);
    completions_put_escaped(out, cmd->summary, escapes);
    sp_buf_add(out, SP_STR("']\n"));
}

static void put_name(struct sp_buf *out, const char *dashes, struct sp_str name,
                     const struct sp_opt *opt)
{
    enum completions_value value = completions_value_of(opt);

    sp_buf_addf(out, "            [&name=%s%.*s ", dashes, SP_STR_ARG(name));
    if (value == COMPLETIONS_WORDS) {
        sp_buf_add(out, SP_STR("&takes=words &words=["));
        completions_put_choices(out, opt, " ");
        sp_buf_add(out, SP_STR("] "));
    } else if (value != COMPLETIONS_NONE) {
        sp_buf_addf(out, "&takes=%s ", value == COMPLETIONS_TEXT ? "text" : "file");
    }
    sp_buf_add(out, SP_STR("&help='"));
    completions_put_escaped(out, opt->help, escapes);
    sp_buf_add(out, SP_STR("']\n"));
}

static void put_options(struct sp_buf *out, const struct cmd *cmd)
{
    sp_buf_addf(out, "        &%s=[\n", cmd->name);
    completions_put_names(out, cmd, put_name);
    sp_buf_add(out, SP_STR("        ]\n"));
}

static void put_arguments(struct sp_buf *out, const struct cmd *cmd)
{
    const char *name;
    enum completions_value arguments = completions_arguments_of(cmd, &name);

    if (arguments == COMPLETIONS_NONE)
        return;
    sp_buf_addf(out, "        &%s=", cmd->name);
    if (arguments == COMPLETIONS_WORDS) {
        sp_buf_add_char(out, '[');
        completions_put_words(out, cmd->words, " ");
        sp_buf_add(out, SP_STR("]\n"));
    } else {
        sp_buf_add(out, SP_STR("file\n"));
    }
}

void completions_elvish_put(struct sp_buf *out, completions_at_fn at)
{
    sp_buf_addf(out, "# Completion of stretto %s in Elvish.\n", SP_VERSION);
    sp_buf_add(out, sp_str_of(head));
    completions_put_each(out, at, put_summary);
    sp_buf_add(out, sp_str_of(options_head));
    completions_put_each(out, at, put_options);
    sp_buf_add(out, sp_str_of(arguments_head));
    completions_put_each(out, at, put_arguments);
    sp_buf_add(out, sp_str_of(tail));
}
