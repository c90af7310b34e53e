/* Tests of proxy/options.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>

#include <cmocka.h>

#include "proxy/options.h"

struct vector {
    const char *args[12];
    enum options_outcome outcome;
    const char *named; /* what the message of a usage error names */
};

#define RUN(...)                         \
    {                                    \
        {__VA_ARGS__}, OPTIONS_RUN, NULL \
    }
#define USAGE(name, ...)                   \
    {                                      \
        {__VA_ARGS__}, OPTIONS_USAGE, name \
    }
#define CAT "--", "cat"

static const struct vector vectors[] = {
    {{NULL}, OPTIONS_USAGE, "--upstream"},
    USAGE("cat", "cat"),
    USAGE("--upstream", "--"),
    RUN(CAT),
    USAGE("--domain", "--domain", "d", "--domain", "d", CAT),
    USAGE("--guards", "--guards", "--guards", "--domain", "retail", CAT),
    USAGE("--record", "--record", CAT),
    USAGE("--record", "--record=", CAT),
    RUN("--domain=", CAT),
    USAGE("--dom", "--dom", "d", CAT),
    USAGE("--retain-days", "--retain-days", "-1", CAT),
    USAGE("--retain-days", "--retain-days", "1.5", CAT),
    RUN("--flow-threshold=-1", CAT),
    USAGE("--oracle", "--oracle", "JEV", CAT),
    USAGE("--flow", "--flow-tools", "x", CAT),
    USAGE("--flow", "--flow-shadow", CAT),
    USAGE("--flow", "--flow-explore", "0", CAT),
    USAGE("--flow-explore", "--flow", "f", "--flow-explore-seed", "1", CAT),
    USAGE("--context", "--confirm-judge", "log", "--guards", "--domain", "retail", CAT),
    USAGE("--confirm-judge", "--confirm-second", "proposed", CAT),
    USAGE("--confirm-judge", "--confirm-log", "f", CAT),
    USAGE("--upstream", "--upstream", "http://h/mcp", CAT),
    USAGE("--upstream", "--upstream-header", "A=B", CAT),
    RUN("--guards", CAT),                                                    /* refused at start */
    RUN("--guards", "--domain", "telecom", CAT),                             /* refused at start */
    RUN("--flow", "f.json", "--oracle", "mock", "--flow-explore", "2", CAT), /* refused at start */
    {{"--help"}, OPTIONS_HELP, NULL},
    RUN("--", "cat", "--help"),
    /* Values as the next argument, and after "=". */
    RUN("--record", "-", CAT),
    RUN("--upstream=http://h", "--upstream-header=A=B"),
    USAGE("--guards", "--guards=1", CAT),
    USAGE("--flow-threshold", "--flow-threshold", "-1", CAT),
    USAGE("--record", "--record"),
    /* No abbreviations, no other case. */
    USAGE("--recor", "--recor", "d", CAT),
    USAGE("--Record", "--Record", "d", CAT),
    USAGE("-r", "-r", "d", CAT),
    USAGE("--flow-decider", "--flow-decider", "Arbiter", CAT),
    USAGE("--confirm-judge", "--confirm-judge", "LOG", "--guards", "--context", "c", CAT),
    /* Exactly one server. */
    RUN("--upstream", "http://h", "--"),
    RUN("--upstream", "http://h"),
    USAGE("x", "--guards", "x", CAT),
    /* Nothing twice but lists. */
    USAGE("--retain-days", "--retain-days", "1", "--retain-days=1", CAT),
    USAGE("--upstream", "--upstream", "u", "--upstream", "u"),
    USAGE("--commit", "--commit", "--commit", CAT),
    USAGE("--oracle", "--oracle", "mock", "--oracle", "mock", CAT),
    USAGE("--flow-explore", "--flow", "f", "--flow-explore", "0", "--flow-explore", "0", CAT),
    RUN("--upstream", "u", "--upstream-header", "A=B", "--upstream-header", "A=B"),
    /* Numbers. */
    RUN("--retain-days", "18446744073709551615", CAT),
    USAGE("--retain-days", "--retain-days", "18446744073709551616", CAT),
    RUN("--retain-days", "0", CAT),
    RUN("--flow-threshold", "nan", CAT),
    RUN("--flow-threshold=-inf", CAT),
    RUN("--flow-threshold=+1.5e-3", CAT),
    USAGE("--flow-threshold", "--flow-threshold", "0x1", CAT),
    USAGE("--flow-threshold", "--flow-threshold=", CAT),
    /* Texts and paths. */
    USAGE("--domain", "--domain", "\xff", CAT),
    RUN("--record", "\xff", CAT),
    RUN("--agent-model=", "--task-id=", CAT),
    USAGE("--context", "--context=", CAT),
    USAGE("--oracle-cache", "--oracle-cache", "", CAT),
    RUN("--upstream="),
    RUN("--", "\xff", ""),
    RUN("--", ""),
    /* Help and version win over what comes after them and what is checked at the end. */
    {{"-h"}, OPTIONS_HELP, NULL},
    {{"-V"}, OPTIONS_VERSION, NULL},
    {{"--version", "--help"}, OPTIONS_VERSION, NULL},
    {{"--help", "--version"}, OPTIONS_HELP, NULL},
    {{"--flow-tools", "x", "--help", "--no-such"}, OPTIONS_HELP, NULL},
    {{"--upstream", "u", "-V", CAT}, OPTIONS_VERSION, NULL},
    USAGE("--help", "--help=1"),
    /* Accepted alone, without effect. */
    RUN("--flow-threshold", "1", "--flow-decider", "habit", "--flow-per-call", "1", CAT),
    RUN("--flow-per-session", "1", "--flow-questions", "1", "--flow-log", "f", CAT),
    RUN("--task-id", "t", "--oracle", "replay", "--oracle-cache", "d", "--commit", CAT),
    RUN("--context", "c", "--retain-days", "1", CAT),
    /* Every need, and that all of a list of needs count. */
    USAGE("--flow-explore", "--flow-explore-seed", "1", CAT),
    USAGE("--guards", "--confirm-judge", "log", "--context", "c", CAT),
    USAGE("--confirm-second", "--confirm-second-shadow", CAT),
    USAGE("--confirm-judge", "--confirm-threshold", "0.5", CAT),
    USAGE("--confirm-judge", "--confirm-questions", "100", CAT),
    USAGE("--upstream", "--upstream-reinit", CAT),
    RUN("--flow", "f", "--flow-tools", "x", "--flow-shadow", "--flow-explore=0", CAT),
    RUN("--confirm-judge", "log", "--guards", "--context", "c", "--confirm-second", "described",
        "--confirm-second-shadow", "--confirm-log=f", CAT),
};

/* Parses `args` behind the program's name; argv lives until the next call. */
static enum options_outcome parse(const char *const *args, struct options *ret, struct sp_err *err)
{
    static char *argv[24];
    int argc = 1;

    argv[0] = "stretto-proxy";
    for (; args[argc - 1] != NULL; argc++)
        argv[argc] = (char *)args[argc - 1];
    argv[argc] = NULL;
    return options_parse(argc, argv, ret, err);
}

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void options_gives_the_outcome_of_every_vector(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        const struct vector *v = &vectors[i];
        struct sp_err err = {0};
        struct options o;

        if (parse(v->args, &o, &err) != v->outcome)
            fail_msg("vector %zu, %s", i, err.text);
        if (v->named != NULL && strstr(err.text, v->named) == NULL)
            fail_msg("vector %zu: '%s' does not name '%s'", i, err.text, v->named);
        options_deinit(&o);
    }
}

static void options_passes_the_command_on_as_it_is(void **state)
{
    struct sp_err err;
    struct options o;

    (void)state;
    assert_int_equal(parse(ARGS("--commit", "--", "cat", "--help", "--", "\xff", ""), &o, &err),
                     OPTIONS_RUN);
    assert_string_equal(o.command[0], "cat");
    assert_string_equal(o.command[1], "--help");
    assert_string_equal(o.command[2], "--");
    assert_string_equal(o.command[3], "\xff");
    assert_string_equal(o.command[4], "");
    assert_null(o.command[5]);
    options_deinit(&o);

    assert_int_equal(parse(ARGS("--upstream", "u", "--"), &o, &err), OPTIONS_RUN);
    assert_null(o.command);
    options_deinit(&o);
}

static void options_leaves_at_zero_what_is_not_given(void **state)
{
    struct options o, zero = {0};
    struct sp_err err;

    (void)state;
    assert_int_equal(parse(ARGS("--", "cat"), &o, &err), OPTIONS_RUN);
    o.command = NULL;
    assert_memory_equal(&o, &zero, sizeof o);
    options_deinit(&o);
}

static void options_keeps_what_the_proxy_itself_is_given(void **state)
{
    struct sp_err err;
    struct options o;

    (void)state;
    assert_int_equal(
        parse(ARGS("--record=r", "--domain", "d", "--agent-model=m", "--retain-days", "9",
                   "--context=c", "--commit", "--guards", "--upstream=u", "--upstream-header",
                   "A=B", "--upstream-header=C=D=", "--upstream-reinit"),
              &o, &err),
        OPTIONS_RUN);
    assert_string_equal(o.record, "r");
    assert_string_equal(o.domain, "d");
    assert_string_equal(o.agent_model, "m");
    assert_true(o.retain_days.is_given && o.retain_days.value == 9);
    assert_string_equal(o.context, "c");
    assert_true(o.commit && o.guards && o.upstream_reinit);
    assert_string_equal(o.upstream, "u");
    assert_int_equal(o.upstream_headers.n, 2);
    assert_true(sp_str_eq(o.upstream_headers.v[0], SP_STR("A=B")));
    assert_true(sp_str_eq(o.upstream_headers.v[1], SP_STR("C=D=")));
    options_deinit(&o);
}

static void options_keeps_what_flow_and_oracle_are_given(void **state)
{
    struct sp_err err;
    struct options o;

    (void)state;
    assert_int_equal(parse(ARGS("--flow=f", "--flow-threshold=0.25", "--flow-decider=reach",
                                "--flow-per-call=1", "--flow-per-session=2", "--flow-questions=3",
                                "--flow-log=l", "--flow-tools", "a,b", "--flow-tools", "c",
                                "--flow-shadow", "--flow-explore=0.5", "--flow-explore-seed=4",
                                "--task-id=t", "--oracle=mock", "--oracle-cache=k", "--", "cat"),
                           &o, &err),
                     OPTIONS_RUN);
    assert_string_equal(o.flow, "f");
    assert_true(o.flow_threshold.is_given && o.flow_threshold.value == 0.25);
    assert_int_equal(o.flow_decider, OPTIONS_DECIDER_REACH);
    assert_true(o.flow_per_call.value == 1 && o.flow_per_session.value == 2);
    assert_true(o.flow_questions.value == 3 && o.flow_explore_seed.value == 4);
    assert_string_equal(o.flow_log, "l");
    assert_int_equal(o.flow_tools.n, 3);
    for (size_t i = 0; i < 3; i++)
        assert_true(sp_str_eq(o.flow_tools.v[i], (struct sp_str){&"abc"[i], 1}));
    assert_true(o.flow_shadow && o.flow_explore.value == 0.5);
    assert_string_equal(o.task_id, "t");
    assert_int_equal(o.oracle, OPTIONS_ORACLE_MOCK);
    assert_string_equal(o.oracle_cache, "k");
    options_deinit(&o);
}

static void options_keeps_what_the_judge_is_given(void **state)
{
    struct sp_err err;
    struct options o;

    (void)state;
    assert_int_equal(
        parse(ARGS("--confirm-judge=enforce", "--confirm-second=described",
                   "--confirm-second-shadow", "--confirm-threshold=nan", "--confirm-questions=5",
                   "--confirm-log=j", "--guards", "--context=c", "--", "cat"),
              &o, &err),
        OPTIONS_RUN);
    assert_int_equal(o.confirm_judge, OPTIONS_JUDGE_ENFORCE);
    assert_int_equal(o.confirm_second, OPTIONS_SECOND_DESCRIBED);
    assert_true(o.confirm_second_shadow && isnan(o.confirm_threshold.value));
    assert_true(o.confirm_questions.is_given && o.confirm_questions.value == 5);
    assert_string_equal(o.confirm_log, "j");
    options_deinit(&o);
}

/* Every option with its value, and the default that the user is told. */
static const char *const help_lines[][2] = {
    {"--record <DIR>", NULL},
    {"--domain <NAME>", NULL},
    {"--agent-model <MODEL>", NULL},
    {"--retain-days <DAYS>", NULL},
    {"--flow <FILE>", NULL},
    {"--flow-threshold <P>", "[default: 0.3]"},
    {"--flow-decider <arbiter|habit|reach>", "[default: from the flow]"},
    {"--flow-per-call <N>", "[default: 8]"},
    {"--flow-per-session <N>", "[default: 40]"},
    {"--flow-questions <N>", "[default: 300]"},
    {"--flow-log <FILE>", "[default: beside the log]"},
    {"--flow-tools <TOOLS>", "[default: every lookup]"},
    {"--flow-shadow", NULL},
    {"--flow-explore <EPSILON>", "[default: off]"},
    {"--flow-explore-seed <N>", "[default: 0]"},
    {"--task-id <ID>", "[default: the session id]"},
    {"--oracle <jev|replay|mock>", "[default: jev]"},
    {"--oracle-cache <DIR>", "[default: ~/.stretto/oracle-cache]"},
    {"--guards", NULL},
    {"--confirm-judge <log|enforce>", "[default: off]"},
    {"--confirm-second <proposed|described>", "[default: off]"},
    {"--confirm-second-shadow", NULL},
    {"--confirm-threshold <P>", "[default: 0.5]"},
    {"--confirm-questions <N>", "[default: 100]"},
    {"--confirm-log <FILE>", "[default: beside the log]"},
    {"--commit", NULL},
    {"--context <FILE>", NULL},
    {"--upstream <URL>", NULL},
    {"--upstream-header <NAME=VAR>", NULL},
    {"--upstream-reinit", NULL},
    {"-h, --help", NULL},
    {"-V, --version", NULL},
};

static void options_print_help_names_every_option_with_value_and_default(void **state)
{
    static const char usage[] = "Usage: stretto-proxy [OPTIONS] [-- <SERVER_COMMAND>...]\n";
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    options_print_help(out);
    (void)fclose(out);
    assert_non_null(strstr(text, usage));
    for (size_t i = 0; i < sizeof help_lines / sizeof *help_lines; i++) {
        char part[64];
        const char *line;
        const char *note, *end;

        (void)snprintf(part, sizeof part, " %s ", help_lines[i][0]);
        line = strstr(text, part);
        end = line != NULL ? strchr(line, '\n') : NULL;
        if (end == NULL) {
            fail_msg("%s", part);
            return;
        }
        note = strstr(line, "[default: ");
        if (help_lines[i][1] == NULL)
            assert_true(note == NULL || note > end);
        else if (note == NULL || strncmp(note, help_lines[i][1], strlen(help_lines[i][1])) != 0)
            fail_msg("%s without %s", part, help_lines[i][1]);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_gives_the_outcome_of_every_vector),
        cmocka_unit_test(options_passes_the_command_on_as_it_is),
        cmocka_unit_test(options_leaves_at_zero_what_is_not_given),
        cmocka_unit_test(options_keeps_what_the_proxy_itself_is_given),
        cmocka_unit_test(options_keeps_what_flow_and_oracle_are_given),
        cmocka_unit_test(options_keeps_what_the_judge_is_given),
        cmocka_unit_test(options_print_help_names_every_option_with_value_and_default),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
