/* Tests of trace/results.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "tmpdir.h"
#include "trace/episodejson.h"
#include "trace/results.h"

#define INFO "\"info\":{\"environment_info\":{\"domain_name\":\"shop\"}}"

/* The same with other ways to say nothing. */
#define NULLS                                                                    \
    "\"info\":{\"environment_info\":{\"domain_name\":\"shop\",\"policy\":null}," \
    "\"agent_info\":{\"llm\":null},\"user_info\":{\"llm\":null}}"
#define GAPS                                                     \
    "\"info\":{\"environment_info\":{\"domain_name\":\"shop\"}," \
    "\"agent_info\":null,\"user_info\":{}}"

#define SIMULATION(messages) "{\"id\":\"s\",\"task_id\":\"t\",\"messages\":[" messages "]}"
#define FILE_OF(simulations) "{" INFO ",\"simulations\":[" simulations "]}"
#define FILE_WITH(messages)  FILE_OF(SIMULATION(messages))

/* The messages of a simulation, and the events they make. */
struct events_case {
    const char *messages;
    const char *events;
};

/* A file that cannot be read, and the error. */
struct error_case {
    const char *text;
    const char *error;
};

#define GREETING "{\"role\":\"assistant\",\"content\":\"Hi!\"}"
#define USER     "{\"kind\":\"user\",\"text\":\"?\"}"
#define ASKS     "{\"role\":\"user\",\"content\":\"?\"}"

/* A turn without calls, one with one call, and a result as events. */
#define SAID(text, usage) \
    "{\"calls\":[],\"kind\":\"assistant\",\"text\":" text ",\"usage\":" usage "}"
#define CALL(arguments, id, name) \
    "{\"arguments\":" arguments ",\"id\":\"" id "\",\"name\":\"" name "\"}"
#define TURN(calls) "{\"calls\":[" calls "],\"kind\":\"assistant\",\"text\":null,\"usage\":null}"
#define RESULT(id, content, error, name)                                   \
    "{\"call_id\":\"" id "\",\"content\":\"" content "\",\"error\":" error \
    ",\"kind\":\"tool_result\",\"name\":\"" name "\"}"
#define CALLS(calls) "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" calls "]}"

static const struct events_case greetings[] = {
    {GREETING, ""},
    {GREETING "," ASKS, USER},
    {"{\"role\":\"assistant\",\"content\":\"Hi!\",\"tool_calls\":null,\"cost\":null}", ""},
    {"{\"role\":\"assistant\",\"content\":\"Hi!\",\"tool_calls\":[],\"cost\":0.0}", ""},
    {"{\"role\":\"assistant\",\"content\":\"Hi!\",\"cost\":-0e7,\"usage\":{}}", ""},
    {"{\"role\":\"assistant\",\"content\":\"Hi!\",\"cost\":0.5}", SAID("\"Hi!\"", "null")},
    {"{\"role\":\"assistant\",\"content\":\"Hi!\",\"cost\":1e-300}", SAID("\"Hi!\"", "null")},
    {CALLS("{\"id\":\"1\",\"name\":\"f\"}"), TURN(CALL("null", "1", "f"))},
    /* A call that is not the agent's does not keep it. */
    {CALLS("{\"id\":\"1\",\"name\":\"f\",\"requestor\":\"user\"}"), ""},
    /* Only the first of all messages is one. */
    {GREETING "," GREETING, SAID("\"Hi!\"", "null")},
    {ASKS "," GREETING, USER "," SAID("\"Hi!\"", "null")},
    {"{\"role\":\"system\",\"content\":\"Be kind.\"}," GREETING, SAID("\"Hi!\"", "null")},
};

static const struct events_case messages[] = {
    {"", ""},
    /* What a text is when there is none. */
    {ASKS ",{\"role\":\"assistant\"}", USER "," SAID("null", "null")},
    {ASKS ",{\"role\":\"assistant\",\"content\":\"\"}", USER "," SAID("null", "null")},
    {"{\"role\":\"user\"},{\"role\":\"user\",\"content\":null}",
     "{\"kind\":\"user\",\"text\":\"\"},{\"kind\":\"user\",\"text\":\"\"}"},
    {"{\"role\":\"us\\u0065r\",\"content\":\"\\u00e9\\n\"}",
     "{\"kind\":\"user\",\"text\":\"\xc3\xa9\\n\"}"},
    {"{\"role\":\"system\",\"content\":\"x\"},{\"role\":\"User\"},{\"role\":\"\"}," ASKS, USER},

    /* Usage. */
    {ASKS ",{\"role\":\"assistant\",\"cost\":0.25,\"usage\":{\"prompt_tokens\":7,"
          "\"completion_tokens\":18446744073709551615,\"other\":[]}}",
     USER "," SAID("null", "{\"completion_tokens\":18446744073709551615,\"cost\":0.25,"
                           "\"prompt_tokens\":7}")},
    {ASKS ",{\"role\":\"assistant\",\"usage\":{}}",
     USER "," SAID("null", "{\"completion_tokens\":0,\"cost\":0.0,\"prompt_tokens\":0}")},
    {ASKS ",{\"role\":\"assistant\",\"cost\":2,\"usage\":{\"prompt_tokens\":null}}",
     USER "," SAID("null", "{\"completion_tokens\":0,\"cost\":2.0,\"prompt_tokens\":0}")},
    {ASKS ",{\"role\":\"assistant\",\"cost\":2,\"usage\":null}", USER "," SAID("null", "null")},

    /* Calls. */
    {CALLS("{\"id\":\"a\",\"name\":\"f\",\"arguments\":{\"y\": 1.50, \"x\": [ ]}},"
           "{\"id\":\"b\",\"name\":\"g\",\"arguments\":null,\"requestor\":\"user\"},"
           "{\"id\":\"c\",\"name\":\"h\",\"arguments\":\"t\",\"requestor\":\"assistant\"}"),
     TURN(CALL("{\"x\":[],\"y\":1.5}", "a", "f") "," CALL("\"t\"", "c", "h"))},
    {"{\"role\":\"user\",\"content\":\"?\",\"tool_calls\":[{\"id\":\"a\",\"name\":\"f\"}]},"
     "{\"role\":\"tool\",\"id\":\"a\",\"content\":\"x\"}",
     USER},

    /* Results. */
    {CALLS(
         "{\"id\":\"a\",\"name\":\"f\"},{\"id\":\"b\",\"name\":\"g\"}") ","
                                                                        "{\"role\":\"tool\",\"id\":"
                                                                        "\"b\",\"content\":\"two\","
                                                                        "\"error\":true,\"name\":"
                                                                        "\"other\"},"
                                                                        "{\"role\":\"tool\",\"id\":"
                                                                        "\"a\",\"content\":\"one\","
                                                                        "\"error\":false},"
                                                                        "{\"role\":\"tool\",\"id\":"
                                                                        "\"a\"},{\"role\":\"tool\","
                                                                        "\"id\":\"a\",\"content\":"
                                                                        "null,"
                                                                        "\"error\":null}",
     TURN(CALL("null", "a", "f") "," CALL("null", "b", "g")) "," RESULT(
         "b", "two", "true",
         "g") "," RESULT("a", "one", "false",
                         "f") "," RESULT("a", "", "false", "f") "," RESULT("a", "", "false", "f")},
    /* Of an id that is used again the latest call so far counts, in one message too. */
    {CALLS("{\"id\":\"a\",\"name\":\"f\"}") ",{\"role\":\"tool\",\"id\":\"a\"}," CALLS(
         "{\"id\":\"a\",\"name\":\"g\"}") ",{\"role\":\"tool\",\"id\":\"\\u0061\"}",
     TURN(CALL("null", "a", "f")) "," RESULT("a", "", "false", "f") "," TURN(
         CALL("null", "a", "g")) "," RESULT("a", "", "false", "g")},
    {CALLS("{\"id\":\"a\",\"name\":\"f\"},{\"id\":\"a\",\"name\":\"g\"}") ",{\"role\":\"tool\","
                                                                          "\"id\":\"a\"}",
     TURN(CALL("null", "a", "f") "," CALL("null", "a", "g")) "," RESULT("a", "", "false", "g")},
    /* No result of a call that comes later, that the user made, or that there is not. */
    {"{\"role\":\"tool\",\"id\":\"a\"}," CALLS("{\"id\":\"a\",\"name\":\"f\"}"),
     TURN(CALL("null", "a", "f"))},
    {CALLS(
         "{\"id\":\"a\",\"name\":\"f\"},"
         "{\"id\":\"u\",\"name\":\"g\",\"requestor\":\"user\"}") ",{\"role\":\"tool\",\"id\":\"u\","
                                                                 "\"requestor\":\"assistant\"},{"
                                                                 "\"role\":\"tool\"},"
                                                                 "{\"role\":\"tool\",\"id\":null},{"
                                                                 "\"role\":\"tool\",\"id\":\"\"}",
     TURN(CALL("null", "a", "f"))},
    /* An agent's call counts whoever the result says it was for. */
    {CALLS("{\"id\":\"a\",\"name\":\"f\"}") ",{\"role\":\"tool\",\"id\":\"a\","
                                            "\"requestor\":\"user\"}",
     TURN(CALL("null", "a", "f")) "," RESULT("a", "", "false", "f")},

    /* Of a member that occurs twice the last counts. */
    {"{\"role\":7,\"role\":\"user\",\"content\":\"no\",\"content\":\"?\"}", USER},
};

static const struct error_case errors[] = {
    {"", "it is not JSON"},
    {"{" INFO ",\"simulations\":[]", "it is not JSON"},
    {"\xef\xbb\xbf{" INFO ",\"simulations\":[]}", "it is not JSON"},
    {"{" INFO ",\"simulations\":[],\"x\":NaN}", "it is not JSON"},
    {"{" INFO ",\"simulations\":[],\"x\":\"\xff\"}", "it is not JSON"},
    {"[]", "the document: must be an object"},
    {"{\"simulations\":[]}", "info: is missing"},
    {"{\"info\":null,\"simulations\":[]}", "info: must be an object"},
    {"{\"info\":{},\"simulations\":[]}", "info.environment_info: is missing"},
    {"{\"info\":{\"environment_info\":{}},\"simulations\":[]}",
     "info.environment_info.domain_name: is missing"},
    {"{\"info\":{\"environment_info\":{\"domain_name\":null}},\"simulations\":[]}",
     "info.environment_info.domain_name: must be a string"},
    {"{\"info\":{\"environment_info\":{\"domain_name\":\"d\",\"policy\":1}},\"simulations\":[]}",
     "info.environment_info.policy: must be a string"},
    {"{\"info\":{\"environment_info\":{\"domain_name\":\"d\"},\"agent_info\":{\"llm\":[]}},"
     "\"simulations\":[]}",
     "info.agent_info.llm: must be a string"},
    {"{\"info\":{\"environment_info\":{\"domain_name\":\"d\"},\"user_info\":\"x\"},"
     "\"simulations\":[]}",
     "info.user_info: must be an object"},
    {"{" INFO "}", "simulations: is missing"},
    {"{" INFO ",\"simulations\":{}}", "simulations: must be an array"},

    {"{" INFO ",\"tasks\":7,\"simulations\":[]}", "tasks: must be an array"},
    {"{" INFO ",\"tasks\":[{\"id\":\"1\"},3],\"simulations\":[]}", "tasks[1]: must be an object"},
    {"{" INFO ",\"tasks\":[{}],\"simulations\":[]}", "tasks[0].id: is missing"},
    {"{" INFO ",\"tasks\":[{\"id\":1}],\"simulations\":[]}", "tasks[0].id: must be a string"},
    {"{" INFO ",\"tasks\":[{\"id\":\"1\",\"evaluation_criteria\":{\"actions\":{}}}],"
     "\"simulations\":[]}",
     "tasks[0].evaluation_criteria.actions: must be an array"},
    {"{" INFO ",\"tasks\":[{\"id\":\"1\",\"evaluation_criteria\":{\"actions\":[{\"name\":\"f\"},"
     "{\"arguments\":{}}]}}],\"simulations\":[]}",
     "tasks[0].evaluation_criteria.actions[1].name: is missing"},
    {"{" INFO ",\"tasks\":[{\"id\":\"1\",\"evaluation_criteria\":{\"actions\":[{\"name\":\"f\","
     "\"requestor\":0}]}}],\"simulations\":[]}",
     "tasks[0].evaluation_criteria.actions[0].requestor: must be a string"},

    {FILE_OF("null"), "simulations[0]: must be an object"},
    {FILE_OF(SIMULATION("") ",{\"id\":\"s\",\"messages\":[]}"),
     "simulations[1].task_id: is missing"},
    {FILE_OF("{\"task_id\":\"t\",\"messages\":[]}"), "simulations[0].id: is missing"},
    {FILE_OF("{\"id\":\"s\",\"task_id\":\"t\"}"), "simulations[0].messages: is missing"},
    {FILE_OF("{\"id\":\"s\",\"task_id\":\"t\",\"trial\":-1,\"messages\":[]}"),
     "simulations[0].trial: must be a whole number from 0 to 18446744073709551615"},
    {FILE_OF("{\"id\":\"s\",\"task_id\":\"t\",\"trial\":1.0,\"messages\":[]}"),
     "simulations[0].trial: must be a whole number from 0 to 18446744073709551615"},
    {FILE_OF("{\"id\":\"s\",\"task_id\":\"t\",\"reward_info\":1,\"messages\":[]}"),
     "simulations[0].reward_info: must be an object"},
    {FILE_OF("{\"id\":\"s\",\"task_id\":\"t\",\"reward_info\":{\"reward\":\"1\"},"
             "\"messages\":[]}"),
     "simulations[0].reward_info.reward: must be a number"},

    {FILE_WITH("[]"), "simulations[0].messages[0]: must be an object"},
    {FILE_WITH(ASKS ",{\"content\":\"x\"}"), "simulations[0].messages[1].role: is missing"},
    {FILE_OF(
         SIMULATION("") "," SIMULATION("") "," SIMULATION("") "," SIMULATION("{\"role\":null}")),
     "simulations[3].messages[0].role: must be a string"},
    {FILE_WITH("{\"role\":\"user\",\"content\":[]}"),
     "simulations[0].messages[0].content: must be a string"},
    {FILE_WITH("{\"role\":\"tool\",\"id\":7}"), "simulations[0].messages[0].id: must be a string"},
    {FILE_WITH("{\"role\":\"tool\",\"error\":\"no\"}"),
     "simulations[0].messages[0].error: must be true or false"},
    {FILE_WITH("{\"role\":\"assistant\",\"cost\":\"0\"}"),
     "simulations[0].messages[0].cost: must be a number"},
    {FILE_WITH("{\"role\":\"assistant\",\"usage\":3}"),
     "simulations[0].messages[0].usage: must be an object"},
    {FILE_WITH("{\"role\":\"assistant\",\"usage\":{\"prompt_tokens\":1e3}}"),
     "simulations[0].messages[0].usage.prompt_tokens: "
     "must be a whole number from 0 to 18446744073709551615"},
    {FILE_WITH("{\"role\":\"assistant\",\"usage\":{\"completion_tokens\":18446744073709551616}}"),
     "simulations[0].messages[0].usage.completion_tokens: "
     "must be a whole number from 0 to 18446744073709551615"},
    {FILE_WITH("{\"role\":\"assistant\",\"tool_calls\":{}}"),
     "simulations[0].messages[0].tool_calls: must be an array"},
    {FILE_WITH(CALLS("{\"name\":\"f\"}")),
     "simulations[0].messages[0].tool_calls[0].id: is missing"},
    {FILE_WITH(CALLS("{\"id\":\"1\",\"name\":\"f\"},{\"id\":\"2\"}")),
     "simulations[0].messages[0].tool_calls[1].name: is missing"},
    /* What is not used is checked all the same. */
    {FILE_WITH("{\"role\":\"user\",\"tool_calls\":[1]}"),
     "simulations[0].messages[0].tool_calls[0]: must be an object"},
    {FILE_WITH("{\"role\":\"other\",\"content\":0}"),
     "simulations[0].messages[0].content: must be a string"},
};

/* Parses a text that is right. */
static struct results parse(const char *text)
{
    struct sp_err err = {0};
    struct results results = {0};
    int status = results_parse(sp_str_of(text), &results, &err);

    if (status != 0)
        print_error("%s\n%s\n", err.text, text);
    assert_int_equal(status, 0);
    return results;
}

static void assert_str(struct sp_str s, const char *expected)
{
    assert_int_equal(s.len, strlen(expected));
    assert_memory_equal(s.p, expected, s.len);
}

static void check_events(const struct events_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct sp_buf text = {0}, expected = {0}, found = {0};
        struct episode_view view;
        struct results results;

        sp_buf_addf(&text, FILE_WITH("%s"), cases[i].messages);
        sp_buf_addf(&expected,
                    "{\"agent_model\":\"unknown\",\"domain\":\"shop\",\"events\":[%s],"
                    "\"id\":\"s\",\"reward\":0.0,\"task_id\":\"t\",\"trial\":0}",
                    cases[i].events);
        results = parse(sp_buf_cstr(&text));
        assert_int_equal(results.n_episodes, 1);
        view = episode_view_whole(&results.episodes[0]);
        episodejson_put(&found, &view);
        assert_string_equal(sp_buf_cstr(&found), sp_buf_cstr(&expected));
        results_deinit(&results);
        sp_buf_deinit(&text);
        sp_buf_deinit(&expected);
        sp_buf_deinit(&found);
    }
}

static void results_drops_the_greeting_that_cost_nothing(void **state)
{
    (void)state;
    check_events(greetings, sizeof greetings / sizeof *greetings);
}

static void results_makes_events_of_messages(void **state)
{
    (void)state;
    check_events(messages, sizeof messages / sizeof *messages);
}

static void results_reads_what_a_file_says_of_itself(void **state)
{
    struct results results =
        parse("{\"info\":{\"environment_info\":{\"domain_name\":\"shop\",\"policy\":\"Be "
              "\\\"nice\\\".\"},"
              "\"agent_info\":{\"llm\":\"m-1\"},\"user_info\":{\"llm\":\"u-1\"}},"
              "\"simulations\":[],\"timestamp\":{\"info\":0}}");

    (void)state;
    assert_str(results.domain, "shop");
    assert_str(results.policy, "Be \"nice\".");
    assert_str(results.agent_model, "m-1");
    assert_str(results.user_model, "u-1");
    assert_int_equal(results.n_tasks + results.n_episodes, 0);
    results_deinit(&results);
}

static void results_does_without_what_is_optional(void **state)
{
    static const char *const texts[] = {
        "{" INFO ",\"simulations\":[]}",
        "{" NULLS ",\"tasks\":null,\"simulations\":[]}",
        "{" GAPS ",\"tasks\":[],\"simulations\":[]}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct results results = parse(texts[i]);

        assert_str(results.agent_model, "unknown");
        assert_null(results.policy.p);
        assert_null(results.user_model.p);
        assert_int_equal(results.n_tasks, 0);
        results_deinit(&results);
    }
}

static void results_reads_what_a_task_expects(void **state)
{
    struct results results =
        parse("{" INFO ",\"tasks\":[{\"id\":\"one\",\"evaluation_criteria\":{\"actions\":["
              "{\"name\":\"f\",\"arguments\":{\"b\": 1, \"a\": 2}},"
              "{\"name\":\"g\",\"requestor\":\"user\",\"action_id\":\"x\"}]}},"
              "{\"id\":\"two\"},{\"id\":\"three\",\"evaluation_criteria\":null},"
              "{\"id\":\"four\",\"evaluation_criteria\":{\"actions\":null}}],\"simulations\":[]}");
    const struct results_task *task = &results.tasks[0];

    (void)state;
    assert_int_equal(results.n_tasks, 4);
    assert_str(task->id, "one");
    assert_int_equal(task->n_actions, 2);
    assert_str(task->actions[0].name, "f");
    assert_str(task->actions[0].arguments, "{\"a\":2,\"b\":1}");
    assert_str(task->actions[0].requestor, "assistant");
    assert_str(task->actions[1].name, "g");
    assert_str(task->actions[1].arguments, "null");
    assert_str(task->actions[1].requestor, "user");
    for (size_t i = 1; i < 4; i++)
        assert_int_equal(results.tasks[i].n_actions, 0);
    assert_str(results.tasks[3].id, "four");
    results_deinit(&results);
}

static void results_makes_an_episode_of_each_simulation(void **state)
{
    struct results results = parse(
        "{\"info\":{\"environment_info\":{\"domain_name\":\"shop\"},"
        "\"agent_info\":{\"llm\":\"m-1\"}},\"simulations\":["
        "{\"id\":\"s1\",\"task_id\":\"t1\",\"trial\":3,\"reward_info\":{\"reward\":0.75},"
        "\"messages\":[" CALLS(
            "{\"id\":\"a\",\"name\":\"f\"}") "]},"
                                             "{\"id\":\"s2\",\"task_id\":\"t1\",\"trial\":null,"
                                             "\"reward_info\":{\"reward\":1},"
                                             /* A call of another simulation is none of this one. */
                                             "\"messages\":[{\"role\":\"tool\",\"id\":\"a\"}]},"
                                             "{\"id\":\"s3\",\"task_id\":\"t2\",\"reward_info\":"
                                             "null,\"messages\":[]},"
                                             "{\"id\":\"s4\",\"task_id\":\"t2\",\"reward_info\":{"
                                             "\"reward\":null},\"messages\":[]}]}");
    const struct episode *e = results.episodes;

    (void)state;
    assert_int_equal(results.n_episodes, 4);
    assert_str(e[0].id, "s1");
    assert_str(e[0].task_id, "t1");
    assert_str(e[0].domain, "shop");
    assert_str(e[0].agent_model, "m-1");
    assert_int_equal(e[0].trial, 3);
    assert_true(e[0].reward == 0.75);
    assert_false(episode_succeeded(&e[0]));
    assert_int_equal(e[0].n_events, 1);
    assert_int_equal(e[1].trial, 0);
    assert_true(episode_succeeded(&e[1]));
    assert_int_equal(e[1].n_events, 0);
    assert_true(e[2].reward == 0.0);
    assert_true(e[3].reward == 0.0);
    assert_str(e[3].id, "s4");
    results_deinit(&results);
}

static void results_keeps_many_messages_apart(void **state)
{
    struct sp_buf text = {0}, expected = {0};
    struct results results;
    const struct episode *e;

    (void)state;
    sp_buf_add(&text, SP_STR("{" INFO ",\"simulations\":["));
    for (size_t i = 0; i < 40; i++) {
        sp_buf_addf(&text, "%s{\"id\":\"s%zu\",\"task_id\":\"\",\"messages\":[", i > 0 ? "," : "",
                    i);
        for (size_t k = 0; k < 200; k++)
            sp_buf_addf(&text,
                        "%s" CALLS("{\"id\":\"c%zu\",\"name\":\"f%zu\",\"arguments\":[%zu]}"),
                        k > 0 ? "," : "", k, i, k);
        for (size_t k = 200; k-- > 0;)
            sp_buf_addf(&text, ",{\"role\":\"tool\",\"id\":\"c%zu\",\"content\":\"%zu\"}", k, k);
        sp_buf_add(&text, SP_STR("]}"));
    }
    sp_buf_add(&text, SP_STR("]}"));

    results = parse(sp_buf_cstr(&text));
    assert_int_equal(results.n_episodes, 40);
    for (size_t i = 0; i < 40; i++) {
        e = &results.episodes[i];
        assert_int_equal(e->n_events, 400);
        sp_buf_clear(&expected);
        sp_buf_addf(&expected, "f%zu", i);
        for (size_t k = 200; k < 400; k++)
            assert_str(e->events[k].name, sp_buf_cstr(&expected));
        assert_str(e->events[200].call_id, "c199");
        assert_str(e->events[399].text, "0");
    }
    results_deinit(&results);
    sp_buf_deinit(&text);
    sp_buf_deinit(&expected);
}

static void results_names_the_place_of_what_is_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        struct results results = {.n_tasks = 7};
        struct sp_err err = {0};

        assert_true(results_parse(sp_str_of(errors[i].text), &results, &err) < 0);
        assert_string_equal(err.text, errors[i].error);
        assert_int_equal(results.n_tasks, 7);
    }
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void results_reads_a_file(void **state)
{
    char *dir = tmpdir_new(), *path = tmpdir_path(dir, "results.json");
    struct results results;
    struct sp_err err;

    (void)state;
    write_file(path, "\n " FILE_WITH(ASKS) "\n");
    assert_int_equal(results_read(path, &results, &err), 0);
    assert_int_equal(results.n_episodes, 1);
    assert_int_equal(results.episodes[0].n_events, 1);
    results_deinit(&results);
    free(path);
    tmpdir_remove(dir);
}

static void results_names_the_file_that_it_cannot_read(void **state)
{
    char *dir = tmpdir_new(), *path = tmpdir_path(dir, "results.json");
    struct sp_buf expected = {0};
    struct results results;
    struct sp_err err;

    (void)state;
    assert_true(results_read(path, &results, &err) < 0);
    sp_buf_addf(&expected, "reading %s: No such file or directory", path);
    assert_string_equal(err.text, sp_buf_cstr(&expected));

    write_file(path, "{" INFO "}");
    assert_true(results_read(path, &results, &err) < 0);
    sp_buf_clear(&expected);
    sp_buf_addf(&expected, "parsing %s: simulations: is missing", path);
    assert_string_equal(err.text, sp_buf_cstr(&expected));
    sp_buf_deinit(&expected);
    free(path);
    tmpdir_remove(dir);
}

static void results_deinit_accepts_an_empty_struct(void **state)
{
    struct results results = {0};

    (void)state;
    results_deinit(&results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_drops_the_greeting_that_cost_nothing),
        cmocka_unit_test(results_makes_events_of_messages),
        cmocka_unit_test(results_reads_what_a_file_says_of_itself),
        cmocka_unit_test(results_does_without_what_is_optional),
        cmocka_unit_test(results_reads_what_a_task_expects),
        cmocka_unit_test(results_makes_an_episode_of_each_simulation),
        cmocka_unit_test(results_keeps_many_messages_apart),
        cmocka_unit_test(results_names_the_place_of_what_is_wrong),
        cmocka_unit_test(results_reads_a_file),
        cmocka_unit_test(results_names_the_file_that_it_cannot_read),
        cmocka_unit_test(results_deinit_accepts_an_empty_struct),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
