/* Tests of cmd/completions.h, on commands with everything that a table may hold. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/completions.h"

static const char *const words[] = {"one", "two", NULL};

static const struct sp_opt brew_table[] = {
    {"CUPS", .kind = SP_OPT_ARGS, .help = "where to"},
    {"kind", .kind = SP_OPT_CHOICE, .arg = "KIND", .choices = {"green", "black"},
     .help = "the agent's [first] choice: one"},
    {"out", .kind = SP_OPT_PATH, .arg = "FILE", .help = "a \\ in it"},
    {"cellar", .kind = SP_OPT_PATH, .arg = "DIR", .help = "a directory"},
    {"minutes", .kind = SP_OPT_UINT, .arg = "N", .help = "how long"},
    {"guest", .kind = SP_OPT_EACH, .arg = "NAME", .help = "who; may be repeated"},
    {"sweet", .kind = SP_OPT_FLAG, .help = "with sugar"},
    CMD_HELP,
};

static const struct sp_opt pick_table[] = {
    {"WORD", .kind = SP_OPT_ARGS, .help = "a word"},
    CMD_HELP,
};

static const struct sp_opt wait_table[] = {CMD_HELP};

static const struct cmd brew = {
    .name = "brew-tea",
    .summary = "it's tea: hot",
    .table = brew_table,
    .n_table = sizeof brew_table / sizeof brew_table[0],
};

static const struct cmd pick = {
    .name = "pick",
    .summary = "pick a word",
    .table = pick_table,
    .n_table = sizeof pick_table / sizeof pick_table[0],
    .words = words,
};

static const struct cmd wait_for = {
    .name = "wait",
    .summary = "wait",
    .table = wait_table,
    .n_table = sizeof wait_table / sizeof wait_table[0],
};

static const struct cmd *at(size_t i)
{
    static const struct cmd *const cmds[] = {&brew, &pick, &wait_for};

    return i < sizeof cmds / sizeof cmds[0] ? cmds[i] : NULL;
}

static const struct cmd *at_nothing(size_t i)
{
    (void)i;
    return NULL;
}

static void a_value_is_known_by_its_kind_and_its_name_in_the_help(void **state)
{
    static const struct {
        struct sp_opt opt;
        enum completions_value value;
    } cases[] = {
        {{"a", .kind = SP_OPT_FLAG}, COMPLETIONS_NONE},
        {{"a", .kind = SP_OPT_HELP}, COMPLETIONS_NONE},
        {{"a", .kind = SP_OPT_TEXT, .arg = "FILE"}, COMPLETIONS_TEXT},
        {{"a", .kind = SP_OPT_UINT, .arg = "N"}, COMPLETIONS_TEXT},
        {{"a", .kind = SP_OPT_NUMBER, .arg = "P"}, COMPLETIONS_TEXT},
        {{"a", .kind = SP_OPT_CHOICE, .arg = "DIR", .choices = {"x"}}, COMPLETIONS_WORDS},
        {{"a", .kind = SP_OPT_PATH, .arg = "FILE"}, COMPLETIONS_FILE},
        {{"a", .kind = SP_OPT_PATH, .arg = "PLACE"}, COMPLETIONS_FILE},
        {{"a", .kind = SP_OPT_PATH, .arg = "DIR"}, COMPLETIONS_DIRECTORY},
        {{"a", .kind = SP_OPT_EACH, .arg = "FILE"}, COMPLETIONS_FILE},
        {{"a", .kind = SP_OPT_EACH, .arg = "[LABEL=]PATH"}, COMPLETIONS_FILE},
        {{"a", .kind = SP_OPT_EACH, .arg = "DIR"}, COMPLETIONS_DIRECTORY},
        {{"a", .kind = SP_OPT_EACH, .arg = "NAME"}, COMPLETIONS_TEXT},
        {{"a", .kind = SP_OPT_LIST, .arg = "IDS"}, COMPLETIONS_TEXT},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(completions_value_of(&cases[i].opt), cases[i].value);
}

static void arguments_are_none_words_or_files(void **state)
{
    const char *name;

    (void)state;
    assert_int_equal(completions_arguments_of(&brew, &name), COMPLETIONS_FILE);
    assert_string_equal(name, "CUPS");
    assert_int_equal(completions_arguments_of(&pick, &name), COMPLETIONS_WORDS);
    assert_string_equal(name, "WORD");
    assert_int_equal(completions_arguments_of(&wait_for, &name), COMPLETIONS_NONE);
    assert_null(name);
}

static void lists_and_options_that_say_so_may_repeat(void **state)
{
    (void)state;
    assert_false(completions_may_repeat(&(struct sp_opt){"a", .kind = SP_OPT_TEXT}));
    assert_true(completions_may_repeat(&(struct sp_opt){"a", .kind = SP_OPT_LIST}));
    assert_true(completions_may_repeat(&(struct sp_opt){"a", .kind = SP_OPT_EACH}));
    assert_true(
        completions_may_repeat(&(struct sp_opt){"a", .kind = SP_OPT_TEXT, .may_repeat = true}));
}

static void escapes_replace_their_characters_and_no_other(void **state)
{
    static const struct completions_escape escapes[] = {{'\'', "''"}, {'x', ""}, {'\0', NULL}};
    struct sp_buf b = {0};

    (void)state;
    completions_put_escaped(&b, "it's an x-ray'", escapes);
    assert_string_equal(sp_buf_cstr(&b), "it''s an -ray''");
    sp_buf_deinit(&b);
}

typedef void (*put_fn)(struct sp_buf *out, completions_at_fn at);

static void assert_has_lines(put_fn put, const char *const *lines)
{
    struct sp_buf b = {0};

    put(&b, at);
    for (; *lines != NULL; lines++) {
        if (strstr(sp_buf_cstr(&b), *lines) == NULL)
            fail_msg("the script lacks '%s'", *lines);
    }
    sp_buf_deinit(&b);
}

#define HAS_LINES(put, ...) assert_has_lines(put, (const char *const[]){__VA_ARGS__, NULL})

static void bash_gets_names_and_leaves_files_to_readline(void **state)
{
    (void)state;
    HAS_LINES(completions_bash_put, "    local commands='brew-tea pick wait'\n",
              "    'brew-tea --kind') _stretto_words 'green black'; return ;;\n",
              "    'brew-tea --out') compopt -o default; return ;;\n",
              "    'brew-tea --cellar') compopt -o dirnames; return ;;\n",
              "    'brew-tea --minutes') return ;;\n",
              "    'brew-tea') options='--kind --out --cellar --minutes --guest --sweet -h --help' "
              "names=yes ;;\n",
              "    'pick') options='-h --help' words='one two' ;;\n",
              "    'wait') options='-h --help' ;;\n");
}

static void zsh_gets_descriptions_within_quotes_and_brackets(void **state)
{
    (void)state;
    HAS_LINES(completions_zsh_put, "#compdef stretto\n", "        'brew-tea:it'\\''s tea\\: hot'\n",
              "'--kind=[the agent'\\''s \\[first\\] choice\\: one]:KIND:(green black)'",
              "'--out=[a \\\\ in it]:FILE:_files'", "'--cellar=[a directory]:DIR:_files -/'",
              "'--minutes=[how long]:N: '", "'*--guest=[who; may be repeated]:NAME: '",
              "'--sweet[with sugar]'", "'(- *)'{-h,--help}'[print this help]'", "'*:CUPS:_files'\n",
              "':WORD:(one two)'\n", "'*: :_stretto_rest'\n");
}

static void fish_gets_a_line_for_each_option(void **state)
{
    (void)state;
    HAS_LINES(completions_fish_put,
              "complete -c stretto -n __stretto_is_first -a brew-tea -d 'it\\'s tea: hot'\n",
              "complete -c stretto -n '__stretto_is help' -a wait -d 'wait'\n",
              " -n '__stretto_is brew-tea' -l kind -x -a 'green black' -d 'the agent\\'s [first] ",
              " -l out -r -F -d 'a \\\\ in it'\n",
              " -l cellar -x -a '(__fish_complete_directories)' -d 'a directory'\n",
              " -l minutes -x -d 'how long'\n", " -l sweet -d 'with sugar'\n",
              " -n '__stretto_is wait' -s h -l help -d 'print this help'\n",
              "complete -c stretto -n '__stretto_is brew-tea' -F\n",
              "complete -c stretto -n '__stretto_is pick' -a 'one two'\n");
}

static void powershell_gets_tables(void **state)
{
    (void)state;
    HAS_LINES(completions_powershell_put, "@{ Name = 'brew-tea'; Help = 'it''s tea: hot' }\n",
              "@{ Name = '--kind'; Takes = 'words'; Words = @('green', 'black'); Help = 'the ",
              "@{ Name = '--out'; Takes = 'file'; Help = 'a \\ in it' }\n",
              "@{ Name = '--cellar'; Takes = 'directory'; ",
              "@{ Name = '--minutes'; Takes = 'text'; ", "@{ Name = '--sweet'; Help = ",
              "        'brew-tea' = 'file'\n        'pick' = @('one', 'two')\n    }\n");
}

static void elvish_gets_tables(void **state)
{
    (void)state;
    HAS_LINES(completions_elvish_put, "[&name=brew-tea &help='it''s tea: hot']\n",
              "[&name=--kind &takes=words &words=[green black] &help='the agent''s ",
              "[&name=--out &takes=file &help='a \\ in it']\n", "[&name=--cellar &takes=file ",
              "[&name=--minutes &takes=text ", "[&name=--sweet &help=", "[&name=-h &help=",
              "        &brew-tea=file\n        &pick=[one two]\n    ]\n");
}

static void a_script_ends_in_a_line_without_commands_too(void **state)
{
    static const put_fn puts_[] = {
        completions_bash_put,       completions_zsh_put,    completions_fish_put,
        completions_powershell_put, completions_elvish_put,
    };

    (void)state;
    for (size_t i = 0; i < sizeof puts_ / sizeof puts_[0]; i++) {
        struct sp_buf b = {0};

        puts_[i](&b, at_nothing);
        assert_true(sp_str_ends(sp_buf_str(&b), SP_STR("\n")));
        assert_non_null(strstr(sp_buf_cstr(&b), "help"));
        sp_buf_deinit(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_is_known_by_its_kind_and_its_name_in_the_help),
        cmocka_unit_test(arguments_are_none_words_or_files),
        cmocka_unit_test(lists_and_options_that_say_so_may_repeat),
        cmocka_unit_test(escapes_replace_their_characters_and_no_other),
        cmocka_unit_test(bash_gets_names_and_leaves_files_to_readline),
        cmocka_unit_test(zsh_gets_descriptions_within_quotes_and_brackets),
        cmocka_unit_test(fish_gets_a_line_for_each_option),
        cmocka_unit_test(powershell_gets_tables),
        cmocka_unit_test(elvish_gets_tables),
        cmocka_unit_test(a_script_ends_in_a_line_without_commands_too),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("completions", tests, NULL, NULL);
}
