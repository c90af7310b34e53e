/* Tests of base/sp_opt.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sp_opt.h"

struct fields {
    bool flag;
    const char *text;
    const char *path;
    struct sp_opt_uint uint;
    struct sp_opt_number number;
    int choice;
    struct sp_opt_list list;
    struct sp_opt_list each;
    const char *again;
};

#define AT(field) .offset = offsetof(struct fields, field)

static const struct sp_opt table[] = {
    {"flag", 'f', .kind = SP_OPT_FLAG, AT(flag), .help = "a flag"},
    {"text", .kind = SP_OPT_TEXT, AT(text), .arg = "TEXT", .needs = {"flag"}, .help = "a text"},
    {"path", .kind = SP_OPT_PATH, AT(path), .arg = "FILE", .fallback = "none", .help = "a path"},
    {"uint", .kind = SP_OPT_UINT, AT(uint), .arg = "N", .help = "a count"},
    {"number", .kind = SP_OPT_NUMBER, AT(number), .arg = "P", .help = "a number"},
    {"choice", .kind = SP_OPT_CHOICE, AT(choice), .arg = "a|b", .choices = {"a", "b"},
     .help = "a choice"},
    {"list", .kind = SP_OPT_LIST, AT(list), .arg = "PARTS", .help = "a list"},
    {"each", .kind = SP_OPT_EACH, AT(each), .arg = "ONE", .needs = {"list", "path"},
     .fallback = "off", .help = "one of a list"},
    {"again", .kind = SP_OPT_TEXT, .may_repeat = true, AT(again), .arg = "TEXT", .help = "a text"},
    {"help", 'h', .kind = SP_OPT_HELP, .help = "the help"},
    {"version", 'V', .kind = SP_OPT_VERSION, .help = "the version"},
};

#define N_TABLE (sizeof table / sizeof table[0])

/* The outcome of a parse and what it stored. */
struct parsed {
    struct fields fields;
    struct sp_err err;
    int outcome;
    int rest;
};

static struct parsed parse_args(enum sp_opt_style style, const char *const *args)
{
    static char *argv[24];
    struct parsed p = {.rest = -1};
    int argc = 1;

    argv[0] = "program";
    for (; args[argc - 1] != NULL; argc++)
        argv[argc] = (char *)args[argc - 1];
    argv[argc] = NULL;
    p.outcome = sp_opt_parse(table, N_TABLE, style, argc, argv, &p.fields, &p.rest, &p.err);
    return p;
}

#define PARSE(...) parse_args(SP_OPT_FULL, (const char *const[]){__VA_ARGS__, NULL})
#define BARE(...)  parse_args(SP_OPT_BARE, (const char *const[]){__VA_ARGS__, NULL})

static void forget(struct parsed *p)
{
    free(p->fields.list.v);
    free(p->fields.each.v);
}

/* A usage error whose text holds `part`. */
static void assert_refused(struct parsed p, const char *part)
{
    assert_true(p.outcome < 0);
    if (strstr(p.err.text, part) == NULL)
        fail_msg("'%s' does not name '%s'", p.err.text, part);
    forget(&p);
}

static void assert_list(const struct sp_opt_list *list, const char *const *want)
{
    size_t n = 0;

    for (; want[n] != NULL; n++) {
        assert_true(n < list->n);
        assert_true(sp_str_eq(list->v[n], sp_str_of(want[n])));
    }
    assert_int_equal(list->n, n);
}

static void opt_leaves_at_zero_what_is_not_given(void **state)
{
    static const struct fields zero;
    struct parsed p = parse_args(SP_OPT_FULL, (const char *const[]){NULL});

    (void)state;
    assert_int_equal(p.outcome, 0);
    assert_int_equal(p.rest, 1);
    assert_memory_equal(&p.fields, &zero, sizeof zero);
}

static void opt_stores_every_kind_by_both_spellings(void **state)
{
    struct parsed p[] = {
        PARSE("--flag", "--text", "t", "--path", "p", "--uint", "7", "--number", "1.5", "--choice",
              "b", "--list", "x,y", "--each", "1,2", "--each", "3"),
        PARSE("--flag", "--text=t", "--path=p", "--uint=7", "--number=1.5", "--choice=b",
              "--list=x", "--each=1,2", "--list=y", "--each=3"),
    };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct fields *f = &p[i].fields;

        assert_int_equal(p[i].outcome, 0);
        assert_true(f->flag);
        assert_string_equal(f->text, "t");
        assert_string_equal(f->path, "p");
        assert_true(f->uint.is_given && f->uint.value == 7);
        assert_true(f->number.is_given && f->number.value == 1.5);
        assert_int_equal(f->choice, 2);
        assert_list(&f->list, (const char *const[]){"x", "y", NULL});
        assert_list(&f->each, (const char *const[]){"1,2", "3", NULL});
        forget(&p[i]);
    }
}

static void opt_splits_at_the_first_equals_sign(void **state)
{
    struct parsed p = PARSE("--again=A=B=");

    (void)state;
    assert_int_equal(p.outcome, 0);
    assert_string_equal(p.fields.again, "A=B=");
}

static void opt_takes_a_next_argument_that_begins_with_a_dash_only_if_it_is_one(void **state)
{
    (void)state;
    assert_string_equal(PARSE("--again", "-").fields.again, "-");
    assert_string_equal(PARSE("--again=-x").fields.again, "-x");
    assert_string_equal(PARSE("--again", "").fields.again, "");
    assert_string_equal(PARSE("--again=").fields.again, "");
    assert_refused(PARSE("--again", "-x"), "--again");
    assert_refused(PARSE("--again", "--"), "--again");
    assert_refused(PARSE("--again", "--flag"), "--again");
    assert_refused(PARSE("--again"), "--again");
    assert_refused(PARSE("--number", "-1"), "--number");
}

static void opt_knows_no_other_names(void **state)
{
    (void)state;
    assert_refused(PARSE("--fla"), "--fla");
    assert_refused(PARSE("--flags"), "--flags");
    assert_refused(PARSE("--FLAG"), "--FLAG");
    assert_refused(PARSE("-flag"), "-flag");
    assert_refused(PARSE("-x"), "-x");
    assert_refused(PARSE("-hV"), "-hV");
    assert_refused(PARSE("-h=1"), "-h=1");
    assert_refused(PARSE("--=x"), "--=x");
    assert_refused(PARSE("---flag"), "---flag");
    assert_refused(PARSE("positional"), "positional");
    assert_refused(PARSE("-"), "-");
    assert_refused(PARSE(""), "");
    assert_refused(PARSE("flag"), "flag");
}

static void opt_gives_a_flag_no_value(void **state)
{
    (void)state;
    assert_true(PARSE("-f").fields.flag);
    assert_refused(PARSE("--flag=1"), "--flag");
    assert_refused(PARSE("--flag="), "--flag");
    assert_refused(PARSE("--help=1"), "--help");
    assert_refused(PARSE("--flag", "1"), "1");
}

static void opt_stops_at_the_first_double_dash(void **state)
{
    struct parsed p = PARSE("--again", "x", "--", "--again", "--", "--help");

    (void)state;
    assert_int_equal(p.outcome, 0);
    assert_int_equal(p.rest, 4);
    assert_string_equal(p.fields.again, "x");
    assert_int_equal(PARSE("--").rest, 2);
    assert_int_equal(PARSE("--again", "x").rest, 3);
}

static void opt_refuses_an_option_given_twice_unless_it_may_repeat(void **state)
{
    (void)state;
    assert_refused(PARSE("--flag", "-f"), "--flag");
    assert_refused(PARSE("--path=p", "--path", "p"), "--path");
    assert_refused(PARSE("--uint=1", "--uint=1"), "--uint");
    assert_refused(PARSE("--number=1", "--number=1"), "--number");
    assert_refused(PARSE("--choice=a", "--choice=a"), "--choice");
    assert_string_equal(PARSE("--again=1", "--again=2").fields.again, "2");
}

static void opt_reads_whole_numbers_below_two_to_the_64th(void **state)
{
    static const char *const bad[] = {"",    "-1",  "+1",
                                      "1.5", "1e3", "0x10",
                                      " 1",  "1 ",  "x",
                                      "1x",  "--1", "18446744073709551616",
                                      "nan", "1,2", "99999999999999999999999"};

    (void)state;
    assert_true(PARSE("--uint=0").fields.uint.is_given);
    assert_true(PARSE("--uint=007").fields.uint.value == 7);
    assert_true(PARSE("--uint", "18446744073709551615").fields.uint.value == UINT64_MAX);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char arg[64] = "--uint=";

        strncat(arg, bad[i], 40);
        assert_refused(PARSE(arg), "--uint");
    }
}

struct number_case {
    const char *text;
    double value;
};

static void opt_reads_decimal_numbers(void **state)
{
    static const struct number_case good[] = {
        {"0", 0},          {"0.3", 0.3},        {"-1", -1},          {"+2", 2},
        {".5", .5},        {"5.", 5},           {"1e3", 1000},       {"1E-2", 0.01},
        {"2e+1", 20},      {"-.5e0", -.5},      {"1e999", HUGE_VAL}, {"1e-999", 0},
        {"inf", HUGE_VAL}, {"-inf", -HUGE_VAL}, {"INF", HUGE_VAL},   {"007", 7},
    };
    static const char *const bad[] = {"",   ".",  "-",    "e5",   "1e",  "1e+", "0x10",   "0x1p3",
                                      " 1", "1 ", "1.5x", "1..2", "--1", "1,5", "nan(1)", "infx"};

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char arg[64] = "--number=";
        struct parsed p;

        strncat(arg, good[i].text, 40);
        p = PARSE(arg);
        if (p.outcome != 0 || !p.fields.number.is_given ||
            p.fields.number.value != good[i].value) /* exact: strtod() rounds correctly */
            fail_msg("%s", arg);
    }
    assert_true(isnan(PARSE("--number=nan").fields.number.value));
    assert_true(isnan(PARSE("--number=-NaN").fields.number.value));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char arg[64] = "--number=";

        strncat(arg, bad[i], 40);
        assert_refused(PARSE(arg), "--number");
    }
}

static void opt_takes_only_the_choices_there_are(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--choice=a").fields.choice, 1);
    assert_refused(PARSE("--choice=A"), "--choice");
    assert_refused(PARSE("--choice="), "--choice");
    assert_refused(PARSE("--choice", "ab"), "--choice");
}

static void opt_takes_any_bytes_for_a_path_and_valid_utf8_for_the_rest(void **state)
{
    (void)state;
    assert_string_equal(PARSE("--path=\xff").fields.path, "\xff");
    assert_refused(PARSE("--path="), "--path");
    assert_refused(PARSE("--path", ""), "--path");
    assert_string_equal(PARSE("--again=\xc3\xa9").fields.again, "\xc3\xa9");
    assert_refused(PARSE("--again=\xff"), "--again");
    assert_refused(PARSE("--list=a,\xff"), "--list");
    assert_refused(PARSE("--each", "\xed\xa0\x80"), "--each");
}

static void opt_splits_a_list_at_every_comma(void **state)
{
    struct parsed p = PARSE("--list", ",a,,b", "--list=");

    (void)state;
    assert_list(&p.fields.list, (const char *const[]){"", "a", "", "b", "", NULL});
    forget(&p);
}

static void opt_checks_what_needs_what(void **state)
{
    (void)state;
    assert_refused(PARSE("--text=x"), "--flag");
    assert_refused(PARSE("--each=x"), "--list");
    assert_refused(PARSE("--each=x", "--list=y"), "--path");
    assert_refused(PARSE("--each=x", "--path=y"), "--list");
    assert_refused(PARSE("--text=x", "--", "--flag"), "--flag");
    assert_int_equal(PARSE("--text=x", "--flag").outcome, 0);
}

static void opt_ends_at_help_and_version_whichever_is_first(void **state)
{
    (void)state;
    assert_int_equal(PARSE("-h").outcome, SP_OPT_E_HELP);
    assert_int_equal(PARSE("--help").outcome, SP_OPT_E_HELP);
    assert_int_equal(PARSE("-V").outcome, SP_OPT_E_VERSION);
    assert_int_equal(PARSE("--version").outcome, SP_OPT_E_VERSION);
    assert_int_equal(PARSE("-h", "-V").outcome, SP_OPT_E_HELP);
    assert_int_equal(PARSE("-V", "-h").outcome, SP_OPT_E_VERSION);
    assert_int_equal(PARSE("--text=x", "-h", "--no-such").outcome, SP_OPT_E_HELP);
    assert_int_equal(PARSE("--flag", "--help", "--", "x").outcome, SP_OPT_E_HELP);
    assert_true(PARSE("--no-such", "-h").outcome < 0);
    assert_int_equal(PARSE("--", "-h").outcome, 0);
}

static void opt_in_bare_style_knows_neither_equals_nor_double_dash(void **state)
{
    (void)state;
    assert_string_equal(BARE("--again", "-x").fields.again, "-x");
    assert_string_equal(BARE("--again", "--").fields.again, "--");
    assert_string_equal(BARE("--again", "--flag").fields.again, "--flag");
    assert_refused(BARE("--again"), "--again");
    assert_refused(BARE("--again=x"), "--again=x");
    assert_refused(BARE("--"), "--");
    assert_refused(BARE("--flag", "--"), "--");
    assert_int_equal(BARE("-h").outcome, SP_OPT_E_HELP);
    assert_int_equal(BARE("--version").outcome, SP_OPT_E_VERSION);
    assert_refused(BARE("-h", "-h"), "--help");
    assert_refused(BARE("--flag", "--version"), "--version");
}

/* A table with a place for the arguments that are no options, and with what must be given. */
struct arg_fields {
    bool flag;
    const char *must;
    struct sp_opt_list args;
};

#define ARG_AT(field) .offset = offsetof(struct arg_fields, field)

static const struct sp_opt arg_table[] = {
    {"SESSIONS...", .kind = SP_OPT_ARGS, ARG_AT(args), .is_required = true, .help = "the logs"},
    {"flag", 'f', .kind = SP_OPT_FLAG, ARG_AT(flag), .help = "a flag"},
    {"must", .kind = SP_OPT_TEXT, .is_required = true, ARG_AT(must), .arg = "TEXT",
     .help = "a text"},
    {"help", 'h', .kind = SP_OPT_HELP, .help = "the help"},
};

#define N_ARG_TABLE (sizeof arg_table / sizeof arg_table[0])

struct args_case {
    const char *argv[8];
    const char *want[6]; /* the arguments kept */
    const char *err;     /* the whole text of a usage error; NULL for none */
};

static void assert_args(const struct args_case *c, enum sp_opt_style style)
{
    char *argv[10] = {"program"};
    struct arg_fields fields = {0};
    struct sp_err err = {0};
    int argc = 1, rest = -1, outcome;

    for (; c->argv[argc - 1] != NULL; argc++)
        argv[argc] = (char *)c->argv[argc - 1];
    outcome = sp_opt_parse(arg_table, N_ARG_TABLE, style, argc, argv, &fields, &rest, &err);
    if (c->err != NULL) {
        assert_true(outcome < 0);
        assert_string_equal(err.text, c->err);
    } else {
        assert_int_equal(outcome, 0);
        assert_int_equal(rest, argc);
        assert_list(&fields.args, c->want);
    }
    free(fields.args.v);
}

static void opt_keeps_arguments_that_are_no_options(void **state)
{
    static const struct args_case cases[] = {
        {{"--must=x", "a"}, {"a"}, NULL},
        {{"a", "--must", "x", "b", "-f", "c"}, {"a", "b", "c"}, NULL},
        {{"--must=x", "-", "a=b", "a,b", "a"}, {"-", "a=b", "a,b", "a"}, NULL},
        {{"--must=x", "\xff"}, {"\xff"}, NULL},
        {{"--must=x", "SESSIONS..."}, {"SESSIONS..."}, NULL},
        {{"--must=x", "a", "--", "-odd", "--flag", "-h"}, {"a", "-odd", "--flag", "-h"}, NULL},
        {{"--must=x", "--", "-odd"}, {"-odd"}, NULL},
        {{"--must=x", "--", "--", "-"}, {"--", "-"}, NULL},
        {{"--must=x", "a", "--"}, {"a"}, NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_args(&cases[i], SP_OPT_FULL);
}

static void opt_refuses_arguments_that_are_empty_or_look_like_options(void **state)
{
    static const struct args_case cases[] = {
        {{"--must=x", ""}, {NULL}, "SESSIONS... takes no empty argument"},
        {{"--must=x", "a", "--", ""}, {NULL}, "SESSIONS... takes no empty argument"},
        {{"--must=x", "-odd"}, {NULL}, "unknown option '-odd'"},
        {{"--must=x", "a", "--odd"}, {NULL}, "unknown option '--odd'"},
        {{"--must=x", "--SESSIONS..."}, {NULL}, "unknown option '--SESSIONS...'"},
        {{"--must=x", "--SESSIONS...=a"}, {NULL}, "unknown option '--SESSIONS...=a'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_args(&cases[i], SP_OPT_FULL);
}

static void opt_asks_for_what_must_be_given(void **state)
{
    static const struct args_case cases[] = {
        {{"a"}, {NULL}, "--must is missing"},
        {{"a", "-f", "--", "--must"}, {NULL}, "--must is missing"},
        {{"--must=x"}, {NULL}, "SESSIONS... is missing"},
        {{"--must=x", "-f", "--"}, {NULL}, "SESSIONS... is missing"},
        {{"a", "--must="}, {"a"}, NULL},
        {{"--", "a"}, {NULL}, "--must is missing"},
    };
    char *help[] = {"program", "-h", NULL};
    struct arg_fields fields = {0};
    struct sp_err err;
    int rest;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_args(&cases[i], SP_OPT_FULL);
    /* Help needs nothing beside it. */
    assert_int_equal(
        sp_opt_parse(arg_table, N_ARG_TABLE, SP_OPT_FULL, 2, help, &fields, &rest, &err),
        SP_OPT_E_HELP);
}

static void opt_in_bare_style_keeps_arguments_too(void **state)
{
    static const struct args_case cases[] = {
        {{"a", "--must", "-x", "b"}, {"a", "b"}, NULL},
        {{"a", "--must", "x", "--"}, {NULL}, "unknown option '--'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_args(&cases[i], SP_OPT_BARE);
}

static void opt_without_a_place_for_arguments_leaves_them_to_the_caller(void **state)
{
    struct parsed p = PARSE("--flag", "--", "-odd", "a");

    (void)state;
    assert_int_equal(p.outcome, 0);
    assert_int_equal(p.rest, 3);
    p = PARSE("a", "--");
    assert_true(p.outcome < 0);
    assert_string_equal(p.err.text, "unexpected argument 'a'");
    p = PARSE("-odd");
    assert_string_equal(p.err.text, "unknown option '-odd'");
    p = PARSE("-");
    assert_string_equal(p.err.text, "unexpected argument '-'");
}

static void opt_prints_arguments_by_their_name_alone(void **state)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    sp_opt_print_help(arg_table, N_ARG_TABLE, out);
    (void)fclose(out);
    assert_int_equal(strncmp(text, "  SESSIONS...  ", 15), 0);
    assert_null(strstr(text, "--SESSIONS"));
    assert_non_null(strstr(text, " the logs\n  -f, --flag "));
    free(text);
}

static void opt_prints_every_option_with_its_value_default_and_needs(void **state)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    sp_opt_print_help(table, N_TABLE, out);
    (void)fclose(out);
    for (size_t i = 0; i < N_TABLE; i++) {
        char part[64];

        (void)snprintf(part, sizeof part, table[i].arg != NULL ? "--%s <%s>" : "--%s",
                       table[i].name, table[i].arg);
        assert_non_null(strstr(text, part));
        assert_non_null(strstr(text, table[i].help));
    }
    assert_non_null(strstr(text, "-f, --flag"));
    assert_non_null(strstr(text, "[default: none]"));
    assert_non_null(strstr(text, "needs --flag\n"));
    assert_non_null(strstr(text, "[default: off]; needs --list and --path\n"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opt_leaves_at_zero_what_is_not_given),
        cmocka_unit_test(opt_stores_every_kind_by_both_spellings),
        cmocka_unit_test(opt_splits_at_the_first_equals_sign),
        cmocka_unit_test(opt_takes_a_next_argument_that_begins_with_a_dash_only_if_it_is_one),
        cmocka_unit_test(opt_knows_no_other_names),
        cmocka_unit_test(opt_gives_a_flag_no_value),
        cmocka_unit_test(opt_stops_at_the_first_double_dash),
        cmocka_unit_test(opt_refuses_an_option_given_twice_unless_it_may_repeat),
        cmocka_unit_test(opt_reads_whole_numbers_below_two_to_the_64th),
        cmocka_unit_test(opt_reads_decimal_numbers),
        cmocka_unit_test(opt_takes_only_the_choices_there_are),
        cmocka_unit_test(opt_takes_any_bytes_for_a_path_and_valid_utf8_for_the_rest),
        cmocka_unit_test(opt_splits_a_list_at_every_comma),
        cmocka_unit_test(opt_checks_what_needs_what),
        cmocka_unit_test(opt_ends_at_help_and_version_whichever_is_first),
        cmocka_unit_test(opt_in_bare_style_knows_neither_equals_nor_double_dash),
        cmocka_unit_test(opt_keeps_arguments_that_are_no_options),
        cmocka_unit_test(opt_refuses_arguments_that_are_empty_or_look_like_options),
        cmocka_unit_test(opt_asks_for_what_must_be_given),
        cmocka_unit_test(opt_in_bare_style_keeps_arguments_too),
        cmocka_unit_test(opt_without_a_place_for_arguments_leaves_them_to_the_caller),
        cmocka_unit_test(opt_prints_arguments_by_their_name_alone),
        cmocka_unit_test(opt_prints_every_option_with_its_value_default_and_needs),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
