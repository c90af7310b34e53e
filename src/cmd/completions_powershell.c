/*
 * The completion script for PowerShell: tables of the commands and their options, and code that
 * reads them. What the code offers nothing for, PowerShell completes as a file.
 */

#include "cmd/completions.h"

static const char head[] =
    "# In the profile: stretto completions powershell | Out-String | Invoke-Expression\n"
    "\n"
    "Register-ArgumentCompleter -Native -CommandName 'stretto' -ScriptBlock {\n"
    "    param($wordToComplete, $commandAst, $cursorPosition)\n"
    "\n"
    "    $main = @(\n"
    "        @{ Name = '-h'; Help = 'print the list of commands' }\n"
    "        @{ Name = '--help'; Help = 'print the list of commands' }\n"
    "        @{ Name = '-V'; Help = 'print the version' }\n"
    "        @{ Name = '--version'; Help = 'print the version' }\n"
    "    )\n"
    "    $commands = @(\n";

static const char options_head[] =
    "        @{ Name = 'help'; Help = 'print the help of a command' }\n"
    "    )\n"
    "    # The options of each command.\n"
    "    $options = @{\n"
    "        'help' = @()\n";

static const char arguments_head[] = "    }\n"
                                     "    # What other arguments are: known words, or files.\n"
                                     "    $arguments = @{\n"
                                     "        'help' = @($commands | ForEach-Object { $_.Name })\n";

static const char tail[] =
    "    }\n"
    "\n"
    "    # Offers those of some names that begin with a text; each is written after a prefix.\n"
    "    function Select-Name($names, $text, $prefix, $type) {\n"
    "        foreach ($name in $names) {\n"
    "            if ($name.Name.StartsWith($text, [StringComparison]::Ordinal)) {\n"
    "                [System.Management.Automation.CompletionResult]::new(\n"
    "                    $prefix + $name.Name, $name.Name, $type, $name.Help)\n"
    "            }\n"
    "        }\n"
    "    }\n"
    "\n"
    "    function Select-Word($words, $text, $prefix) {\n"
    "        $names = @($words | ForEach-Object { @{ Name = $_; Help = $_ } })\n"
    "        Select-Name $names $text $prefix 'ParameterValue'\n"
    "    }\n"
    "\n"
    "    # Offers directories; each is written after a prefix.\n"
    "    function Select-Directory($text, $prefix) {\n"
    "        [System.Management.Automation.CompletionCompleters]::CompleteFilename($text) |\n"
    "            Where-Object { $_.ResultType -eq 'ProviderContainer' } |\n"
    "            ForEach-Object {\n"
    "                [System.Management.Automation.CompletionResult]::new(\n"
    "                    $prefix + $_.CompletionText, $_.ListItemText, $_.ResultType, $_.ToolTip)\n"
    "            }\n"
    "    }\n"
    "\n"
    "    $words = @($commandAst.CommandElements |\n"
    "        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |\n"
    "        ForEach-Object { $_.Extent.Text })\n"
    "    if ($words.Count -le 1) {\n"
    "        $names = if ($wordToComplete.StartsWith('-')) { $main } else { $commands }\n"
    "        return Select-Name $names $wordToComplete '' 'Command'\n"
    "    }\n"
    "    $command = $words[1]\n"
    "    if (-not $options.ContainsKey($command)) {\n"
    "        return\n"
    "    }\n"
    "\n"
    "    # What may follow an option, or stand behind its =.\n"
    "    $isOver = $words -contains '--'\n"
    "    $before = $words[-1]\n"
    "    $text = $wordToComplete\n"
    "    $prefix = ''\n"
    "    if ($text -match '^(--[^=]+)=(.*)$') {\n"
    "        $before = $Matches[1]\n"
    "        $prefix = \"$before=\"\n"
    "        $text = $Matches[2]\n"
    "    }\n"
    "    if (-not $isOver) {\n"
    "        $option = $options[$command] | Where-Object { $_.Name -ceq $before }\n"
    "        if ($option -and $option['Takes'] -eq 'words') {\n"
    "            return Select-Word $option['Words'] $text $prefix\n"
    "        } elseif ($option -and $option['Takes'] -eq 'directory') {\n"
    "            return Select-Directory $text $prefix\n"
    "        } elseif ($option -and $option['Takes']) {\n"
    "            return\n"
    "        }\n"
    "        if ($text.StartsWith('-') -or -not $arguments.ContainsKey($command)) {\n"
    "            return Select-Name $options[$command] $text '' 'ParameterName'\n"
    "        }\n"
    "    }\n"
    "    if ($arguments.ContainsKey($command) -and $arguments[$command] -ne 'file') {\n"
    "        Select-Word $arguments[$command] $text ''\n"
    "    }\n"
    "}\n";

static const struct completions_escape escapes[] = {{'\'', "''"}, {'\0', NULL}};

static void put_summary(struct sp_buf *out, const struct cmd *cmd)
{
    sp_buf_addf(out, "        @{ Name = '%s'; Help = '", cmd->name);
    completions_put_escaped(out, cmd->summary, escapes);
    sp_buf_add(out, SP_STR("' }\n"));
}

static void put_name(struct sp_buf *out, const char *dashes, struct sp_str name,
                     const struct sp_opt *opt)
{
    enum completions_value value = completions_value_of(opt);

    sp_buf_addf(out, "            @{ Name = '%s%.*s'; ", dashes, SP_STR_ARG(name));
    if (value == COMPLETIONS_WORDS) {
        sp_buf_add(out, SP_STR("Takes = 'words'; Words = @('"));
        completions_put_choices(out, opt, "', '");
        sp_buf_add(out, SP_STR("'); "));
    } else if (value != COMPLETIONS_NONE) {
        sp_buf_addf(out, "Takes = '%s'; ",
                    value == COMPLETIONS_FILE        ? "file"
                    : value == COMPLETIONS_DIRECTORY ? "directory"
                                                     : "text");
    }
    sp_buf_add(out, SP_STR("Help = '"));
    completions_put_escaped(out, opt->help, escapes);
    sp_buf_add(out, SP_STR("' }\n"));
}

static void put_options(struct sp_buf *out, const struct cmd *cmd)
{
    sp_buf_addf(out, "        '%s' = @(\n", cmd->name);
    completions_put_names(out, cmd, put_name);
    sp_buf_add(out, SP_STR("        )\n"));
}

static void put_arguments(struct sp_buf *out, const struct cmd *cmd)
{
    const char *name;
    enum completions_value arguments = completions_arguments_of(cmd, &name);

    if (arguments == COMPLETIONS_NONE)
        return;
    sp_buf_addf(out, "        '%s' = ", cmd->name);
    if (arguments == COMPLETIONS_WORDS) {
        sp_buf_add(out, SP_STR("@('"));
        completions_put_words(out, cmd->words, "', '");
        sp_buf_add(out, SP_STR("')\n"));
    } else {
        sp_buf_add(out, SP_STR("'file'\n"));
    }
}

void completions_powershell_put(struct sp_buf *out, completions_at_fn at)
{
    sp_buf_addf(out, "# Completion of stretto %s in PowerShell.\n", SP_VERSION);
    sp_buf_add(out, sp_str_of(head));
    completions_put_each(out, at, put_summary);
    sp_buf_add(out, sp_str_of(options_head));
    completions_put_each(out, at, put_options);
    sp_buf_add(out, sp_str_of(arguments_head));
    completions_put_each(out, at, put_arguments);
    sp_buf_add(out, sp_str_of(tail));
}
