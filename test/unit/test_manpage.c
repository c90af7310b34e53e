/* Tests of cmd/manpage.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/manpage.h"

static const struct sp_opt table[] = {
    {"FILE", .kind = SP_OPT_ARGS, .is_required = true, .help = "what to read"},
    {"kind", .kind = SP_OPT_CHOICE, .arg = "KIND", .choices = {"a-b", "c", "d"}, .fallback = "c",
     .needs = {"file", "go-on"}, .help = "which kind"},
    {"mode", .kind = SP_OPT_CHOICE, .arg = "on|off", .choices = {"on", "off"}, .help = "1 of 2"},
    {"sole", .kind = SP_OPT_CHOICE, .arg = "K", .choices = {"one"}, .help = ".dot"},
    {"go-on", .kind = SP_OPT_FLAG, .needs = {"kind"}, .help = "it's `on`, ~ ^ and \\ too"},
    {"help", 'h', .kind = SP_OPT_HELP, .help = "print this help"},
};

static const struct cmd plain = {
    .name = "plain",
    .usage = "",
    .summary = "do it",
    .text = "Does it.\nAt once.\n\nShows\n  columns\n\nEnd.\n",
    .table = table + 5,
    .n_table = 1,
};

static const struct cmd two_ways = {
    .name = "two-ways",
    .usage = "[--go-on] FILE\n       stretto two-ways --kind K\n                  [--mode M]",
    .summary = "do it in two ways",
    .text = "",
    .table = table + 4,
    .n_table = 2,
};

static const struct cmd *at(size_t i)
{
    static const struct cmd *const cmds[] = {&plain, &two_ways};

    return i < sizeof cmds / sizeof cmds[0] ? cmds[i] : NULL;
}

static const struct manpage options = {.table = table, .n_table = 6, .version = "1.2"};
static const struct manpage commands = {.command_at = at, .version = "1.2"};
static const struct manpage nothing = {.version = "1.2"};

/* The page made of `text`. */
static void assert_fills(const struct manpage *m, const char *text, const char *wanted)
{
    struct sp_buf b = {0};
    struct sp_err err;

    assert_int_equal(manpage_fill(sp_str_of(text), m, &b, &err), 0);
    assert_string_equal(sp_buf_cstr(&b), wanted);
    sp_buf_deinit(&b);
}

static void assert_refused(const struct manpage *m, const char *text, const char *error)
{
    struct sp_buf b = {0};
    struct sp_err err;

    assert_true(manpage_fill(sp_str_of(text), m, &b, &err) < 0);
    assert_string_equal(err.text, error);
    sp_buf_deinit(&b);
}

static void prose_stays_as_it_is(void **state)
{
    (void)state;
    assert_fills(&nothing, "", "");
    assert_fills(&nothing, ".TH A 1\nit's \\- me@home\n\n@x@\n",
                 ".TH A 1\nit's \\- me@home\n\n@x@\n");
    assert_fills(&nothing, "no end", "no end\n");
}

static void the_version_is_written_wherever_it_is_asked_for(void **state)
{
    (void)state;
    assert_fills(&nothing, "a @VERSION@ b\n@VERSION@@VERSION@\n@@VERSION@@\n",
                 "a 1.2 b\n1.21.2\n@1.2@\n");
}

static void options_are_entries_with_all_that_the_help_says(void **state)
{
    (void)state;
    assert_fills(&options, "A\n@OPTIONS@\nB\n",
                 "A\n"
                 ".TP\n\\fIFILE\\fR\nWhat to read.\nRequired.\n"
                 ".TP\n\\fB\\-\\-kind\\fR \\fIKIND\\fR\nWhich kind.\n"
                 "\\fIKIND\\fR is \\fBa\\-b\\fR, \\fBc\\fR or \\fBd\\fR.\n"
                 "Default: c.\n"
                 "Needs \\fB\\-\\-file\\fR and \\fB\\-\\-go\\-on\\fR.\n"
                 ".TP\n\\fB\\-\\-mode\\fR \\fIon|off\\fR\n1 of 2.\n"
                 ".TP\n\\fB\\-\\-sole\\fR \\fIK\\fR\n\\&.dot.\n\\fIK\\fR is \\fBone\\fR.\n"
                 ".TP\n\\fB\\-\\-go\\-on\\fR\n"
                 "It\\(aqs \\(gaon\\(ga, \\(ti \\(ha and \\e too.\nNeeds \\fB\\-\\-kind\\fR.\n"
                 ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nPrint this help.\n"
                 "B\n");
}

static void commands_have_a_usage_paragraphs_and_options_but_the_help(void **state)
{
    (void)state;
    assert_fills(&commands, "@COMMANDS@\n",
                 ".SS plain\nDo it.\n.PP\n.EX\nstretto plain\n.EE\n"
                 ".PP\nDoes it.\nAt once.\n"
                 ".PP\n.EX\nShows\n  columns\n.EE\n"
                 ".PP\nEnd.\n"
                 ".SS two\\-ways\nDo it in two ways.\n.PP\n.EX\n"
                 "stretto two\\-ways [\\-\\-go\\-on] FILE\n"
                 "stretto two\\-ways \\-\\-kind K\n"
                 "           [\\-\\-mode M]\n"
                 ".EE\n"
                 ".TP\n\\fB\\-\\-go\\-on\\fR\n"
                 "It\\(aqs \\(gaon\\(ga, \\(ti \\(ha and \\e too.\nNeeds \\fB\\-\\-kind\\fR.\n");
}

static void a_page_has_a_place_for_what_there_is_and_for_nothing_else(void **state)
{
    (void)state;
    assert_refused(&options, "A\n", "the page lacks the line @OPTIONS@");
    assert_refused(&options, "x @OPTIONS@\n", "the page lacks the line @OPTIONS@");
    assert_refused(&commands, "A\n", "the page lacks the line @COMMANDS@");
    assert_refused(&nothing, "@OPTIONS@\n", "there is nothing for the line @OPTIONS@");
    assert_refused(&nothing, "@COMMANDS@", "there is nothing for the line @COMMANDS@");
    assert_refused(&options, "@OPTIONS@\n@COMMANDS@\n", "there is nothing for the line @COMMANDS@");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prose_stays_as_it_is),
        cmocka_unit_test(the_version_is_written_wherever_it_is_asked_for),
        cmocka_unit_test(options_are_entries_with_all_that_the_help_says),
        cmocka_unit_test(commands_have_a_usage_paragraphs_and_options_but_the_help),
        cmocka_unit_test(a_page_has_a_place_for_what_there_is_and_for_nothing_else),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("manpage", tests, NULL, NULL);
}
