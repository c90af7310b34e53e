/*
 * Reading results files of tau2-bench.
 *
 * The text is scanned once as a whole; what is read then are spans of it. Objects are read by
 * tables, and a place in the document is a chain on the stack that becomes text in an error only.
 * An optional member that is null counts as one that is not there: that is how the benchmark writes
 * most of them.
 */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "base/sp_file.h"
#include "json/jcanon.h"
#include "json/jtable.h"
#include "trace/results.h"

struct document {
    struct sp_str info;
    struct sp_str tasks;
    struct sp_str simulations;
};

static const struct jtable_field document_fields[] = {
    {"info", JTABLE_OBJECT, JTABLE_REQUIRED, offsetof(struct document, info)},
    {"tasks", JTABLE_ARRAY, JTABLE_OPTIONAL, offsetof(struct document, tasks)},
    {"simulations", JTABLE_ARRAY, JTABLE_REQUIRED, offsetof(struct document, simulations)},
};

struct info {
    struct sp_str environment;
    struct sp_str agent;
    struct sp_str user;
};

static const struct jtable_field info_fields[] = {
    {"environment_info", JTABLE_OBJECT, JTABLE_REQUIRED, offsetof(struct info, environment)},
    {"agent_info", JTABLE_OBJECT, JTABLE_OPTIONAL, offsetof(struct info, agent)},
    {"user_info", JTABLE_OBJECT, JTABLE_OPTIONAL, offsetof(struct info, user)},
};

struct environment {
    struct sp_str domain;
    struct sp_str policy;
};

static const struct jtable_field environment_fields[] = {
    {"domain_name", JTABLE_TEXT, JTABLE_REQUIRED, offsetof(struct environment, domain)},
    {"policy", JTABLE_TEXT, JTABLE_OPTIONAL, offsetof(struct environment, policy)},
};

/* Of these objects one member is read. */
struct only {
    struct sp_str value;
};

static const struct jtable_field model_fields[] = {
    {"llm", JTABLE_TEXT, JTABLE_OPTIONAL, offsetof(struct only, value)},
};

static const struct jtable_field criteria_fields[] = {
    {"actions", JTABLE_ARRAY, JTABLE_OPTIONAL, offsetof(struct only, value)},
};

static const struct jtable_field reward_fields[] = {
    {"reward", JTABLE_NUMBER, JTABLE_OPTIONAL, offsetof(struct only, value)},
};

struct task {
    struct sp_str id;
    struct sp_str criteria;
};

static const struct jtable_field task_fields[] = {
    {"id", JTABLE_TEXT, JTABLE_REQUIRED, offsetof(struct task, id)},
    {"evaluation_criteria", JTABLE_OBJECT, JTABLE_OPTIONAL, offsetof(struct task, criteria)},
};

/* A call, or an action, which has no id. */
struct call {
    struct sp_str id;
    struct sp_str name;
    struct sp_str arguments;
    struct sp_str requestor;
};

static const struct jtable_field call_fields[] = {
    {"id", JTABLE_TEXT, JTABLE_REQUIRED, offsetof(struct call, id)},
    {"name", JTABLE_TEXT, JTABLE_REQUIRED, offsetof(struct call, name)},
    {"arguments", JTABLE_ANY, JTABLE_OPTIONAL, offsetof(struct call, arguments)},
    {"requestor", JTABLE_TEXT, JTABLE_OPTIONAL, offsetof(struct call, requestor)},
};

#define N_CALL_FIELDS   JTABLE_LEN(call_fields)
#define ACTION_FIELDS   (call_fields + 1)
#define N_ACTION_FIELDS (N_CALL_FIELDS - 1)

struct simulation {
    struct sp_str id;
    struct sp_str task_id;
    struct sp_str trial;
    struct sp_str reward_info;
    struct sp_str messages;
};

static const struct jtable_field simulation_fields[] = {
    {"id", JTABLE_TEXT, JTABLE_REQUIRED, offsetof(struct simulation, id)},
    {"task_id", JTABLE_TEXT, JTABLE_REQUIRED, offsetof(struct simulation, task_id)},
    {"trial", JTABLE_UINT, JTABLE_OPTIONAL, offsetof(struct simulation, trial)},
    {"reward_info", JTABLE_OBJECT, JTABLE_OPTIONAL, offsetof(struct simulation, reward_info)},
    {"messages", JTABLE_ARRAY, JTABLE_REQUIRED, offsetof(struct simulation, messages)},
};

struct message {
    struct sp_str role;
    struct sp_str content;
    struct sp_str tool_calls;
    struct sp_str id;
    struct sp_str error;
    struct sp_str cost;
    struct sp_str usage;
};

static const struct jtable_field message_fields[] = {
    {"role", JTABLE_TEXT, JTABLE_REQUIRED, offsetof(struct message, role)},
    {"content", JTABLE_TEXT, JTABLE_OPTIONAL, offsetof(struct message, content)},
    {"tool_calls", JTABLE_ARRAY, JTABLE_OPTIONAL, offsetof(struct message, tool_calls)},
    {"id", JTABLE_TEXT, JTABLE_OPTIONAL, offsetof(struct message, id)},
    {"error", JTABLE_BOOL, JTABLE_OPTIONAL, offsetof(struct message, error)},
    {"cost", JTABLE_NUMBER, JTABLE_OPTIONAL, offsetof(struct message, cost)},
    {"usage", JTABLE_OBJECT, JTABLE_OPTIONAL, offsetof(struct message, usage)},
};

struct usage {
    struct sp_str prompt;
    struct sp_str completion;
};

static const struct jtable_field usage_fields[] = {
    {"prompt_tokens", JTABLE_UINT, JTABLE_OPTIONAL, offsetof(struct usage, prompt)},
    {"completion_tokens", JTABLE_UINT, JTABLE_OPTIONAL, offsetof(struct usage, completion)},
};

struct reader {
    struct results *results;
    struct sp_err *err;
    struct sp_buf text; /* scratch, as the next two */
    struct sp_buf name;
    struct sp_buf arguments;

    struct call *calls; /* of the message at hand, the agent's alone */
    size_t n_calls;
    size_t max_calls;

    struct sp_map latest; /* call id -> index in `tools`, of the simulation at hand */
    struct sp_str *tools; /* what its calls called, in order */
    size_t n_tools;
    size_t max_tools;
};

/* Reads an optional object of which one member matters; `ret` gets a `p` of NULL for none. */
static int read_only(struct reader *r, const struct jtable_place *up, const char *name,
                     struct sp_str value, const struct jtable_field *field, struct sp_str *ret)
{
    struct jtable_place place = {.up = up, .name = name};
    struct only only = {0};
    int err = jtable_read(&place, value, field, 1, &only, r->err);

    if (err == 0)
        *ret = only.value;
    return err;
}

/* A number's span has a character behind it, as it is a member's value. */
static double to_double(struct sp_str number)
{
    return number.p != NULL ? strtod(number.p, NULL) : 0.0;
}

static uint64_t to_uint(struct sp_str number)
{
    uint64_t n = 0;

    if (number.p != NULL)
        (void)jget_u64(number, &n); /* its shape has been checked */
    return n;
}

/* Unescapes a string into a buffer; the view is good until the buffer next changes. */
static struct sp_str to_text(struct sp_buf *b, struct sp_str string)
{
    sp_buf_clear(b);
    jget_text(string, b);
    return sp_buf_str(b);
}

/* The same for good; no string gives a `p` of NULL. */
static struct sp_str keep_text(struct reader *r, struct sp_str string)
{
    if (string.p == NULL)
        return string;
    return sp_arena_copy(&r->results->arena, to_text(&r->text, string));
}

static struct sp_str to_arguments(struct reader *r, struct sp_str value)
{
    sp_buf_clear(&r->arguments);
    jcanon(&r->arguments, value.p != NULL ? value : SP_STR("null"));
    return sp_buf_str(&r->arguments);
}

static int read_info(struct reader *r, const struct jtable_place *up, struct sp_str value)
{
    struct jtable_place place = {.up = up, .name = "info"};
    struct jtable_place of_environment = {.up = &place, .name = "environment_info"};
    struct info info = {0};
    struct environment environment = {0};
    struct sp_str agent = {0}, user = {0};
    int err = jtable_read(&place, value, info_fields, JTABLE_LEN(info_fields), &info, r->err);

    if (err == 0)
        err = jtable_read(&of_environment, info.environment, environment_fields,
                          JTABLE_LEN(environment_fields), &environment, r->err);
    if (err == 0)
        err = read_only(r, &place, "agent_info", info.agent, model_fields, &agent);
    if (err == 0)
        err = read_only(r, &place, "user_info", info.user, model_fields, &user);
    if (err < 0)
        return err;
    r->results->domain = keep_text(r, environment.domain);
    r->results->policy = keep_text(r, environment.policy);
    r->results->agent_model = agent.p != NULL ? keep_text(r, agent) : SP_STR("unknown");
    r->results->user_model = keep_text(r, user);
    return 0;
}

static int read_actions(struct reader *r, const struct jtable_place *up, struct sp_str actions,
                        struct results_task *task)
{
    struct jtable_place list = {.up = up, .name = "actions"};
    struct jtable_place place = {.up = &list};
    size_t max = 0;

    for (struct jget_iter it = jget_iter(actions); jget_next(&it); place.index++) {
        struct call action = {0};
        int err = jtable_read(&place, it.value, ACTION_FIELDS, N_ACTION_FIELDS, &action, r->err);

        if (err < 0)
            return err;
        if (task->n_actions == max) {
            max = max > 0 ? 2 * max : 8;
            task->actions = sp_realloc(task->actions, max * sizeof *task->actions);
        }
        task->actions[task->n_actions++] = (struct results_action){
            .name = keep_text(r, action.name),
            .arguments = sp_arena_copy(&r->results->arena, to_arguments(r, action.arguments)),
            .requestor =
                action.requestor.p != NULL ? keep_text(r, action.requestor) : SP_STR("assistant"),
        };
    }
    return 0;
}

static int read_task(struct reader *r, const struct jtable_place *place, struct sp_str value,
                     struct results_task *ret)
{
    struct jtable_place of_criteria = {.up = place, .name = "evaluation_criteria"};
    struct task task = {0};
    struct sp_str actions = {0};
    int err = jtable_read(place, value, task_fields, JTABLE_LEN(task_fields), &task, r->err);

    if (err == 0)
        err = read_only(r, place, "evaluation_criteria", task.criteria, criteria_fields, &actions);
    if (err < 0)
        return err;
    ret->id = keep_text(r, task.id);
    return actions.p != NULL ? read_actions(r, &of_criteria, actions, ret) : 0;
}

static int read_tasks(struct reader *r, const struct jtable_place *up, struct sp_str tasks)
{
    struct results *results = r->results;
    struct jtable_place list = {.up = up, .name = "tasks"};
    struct jtable_place place = {.up = &list};
    size_t max = 0;

    for (struct jget_iter it = jget_iter(tasks); jget_next(&it); place.index++) {
        struct results_task *task;
        int err;

        if (results->n_tasks == max) {
            max = max > 0 ? 2 * max : 16;
            results->tasks = sp_realloc(results->tasks, max * sizeof *results->tasks);
        }
        task = &results->tasks[results->n_tasks++];
        *task = (struct results_task){0};
        err = read_task(r, &place, it.value, task);
        if (err < 0)
            return err;
    }
    return 0;
}

/* Gathers the calls of a message that the agent asked for. */
static int read_calls(struct reader *r, const struct jtable_place *up, struct sp_str calls)
{
    struct jtable_place list = {.up = up, .name = "tool_calls"};
    struct jtable_place place = {.up = &list};

    r->n_calls = 0;
    if (calls.p == NULL)
        return 0;
    for (struct jget_iter it = jget_iter(calls); jget_next(&it); place.index++) {
        struct call call = {0};
        int err = jtable_read(&place, it.value, call_fields, N_CALL_FIELDS, &call, r->err);

        if (err < 0)
            return err;
        if (call.requestor.p != NULL && !jget_is_text(call.requestor, SP_STR("assistant")))
            continue;
        if (r->n_calls == r->max_calls) {
            r->max_calls = r->max_calls > 0 ? 2 * r->max_calls : 8;
            r->calls = sp_realloc(r->calls, r->max_calls * sizeof *r->calls);
        }
        r->calls[r->n_calls++] = call;
    }
    return 0;
}

/* Adds a call to the turn, and remembers it as the latest with its id. */
static void add_call(struct reader *r, struct episode *e, size_t turn, const struct call *call)
{
    const struct episode_event *event;
    const struct episode_call *added;

    episode_add_call(e, turn,
                     (struct episode_call){
                         .id = to_text(&r->text, call->id),
                         .name = to_text(&r->name, call->name),
                         .arguments = to_arguments(r, call->arguments),
                     });
    event = &e->events[turn];
    added = &event->calls[event->n_calls - 1];
    if (r->n_tools == r->max_tools) {
        r->max_tools = r->max_tools > 0 ? 2 * r->max_tools : 64;
        r->tools = sp_realloc(r->tools, r->max_tools * sizeof *r->tools);
    }
    *sp_map_put(&r->latest, added->id, NULL) = r->n_tools;
    r->tools[r->n_tools++] = added->name;
}

static void add_turn(struct reader *r, struct episode *e, const struct message *m,
                     const struct usage *usage)
{
    struct sp_str text = {0};
    size_t turn;

    if (m->content.p != NULL && to_text(&r->text, m->content).len > 0)
        text = sp_buf_str(&r->text);
    turn = episode_add_turn(e, text);
    if (m->usage.p != NULL) {
        e->events[turn].has_usage = true;
        e->events[turn].usage = (struct episode_usage){
            .prompt_tokens = to_uint(usage->prompt),
            .completion_tokens = to_uint(usage->completion),
            .cost = to_double(m->cost),
        };
    }
    for (size_t i = 0; i < r->n_calls; i++)
        add_call(r, e, turn, &r->calls[i]);
}

/* Adds the result of the latest of the agent's calls with its id; of a call of the user none. */
static void add_result(struct reader *r, struct episode *e, const struct message *m)
{
    const size_t *latest = NULL;
    struct sp_str id;

    if (m->id.p == NULL)
        return;
    id = to_text(&r->name, m->id);
    latest = sp_map_find(&r->latest, id);
    if (latest == NULL)
        return;
    episode_add_result(e, id, r->tools[*latest],
                       m->error.p != NULL && jget_type(m->error) == JSCAN_TRUE,
                       m->content.p != NULL ? to_text(&r->text, m->content) : SP_STR(""));
}

static int read_message(struct reader *r, const struct jtable_place *place, struct sp_str value,
                        struct episode *e)
{
    struct jtable_place of_usage = {.up = place, .name = "usage"};
    struct message m = {0};
    struct usage usage = {0};
    int err = jtable_read(place, value, message_fields, JTABLE_LEN(message_fields), &m, r->err);

    if (err == 0)
        err = read_calls(r, place, m.tool_calls);
    if (err == 0)
        err =
            jtable_read(&of_usage, m.usage, usage_fields, JTABLE_LEN(usage_fields), &usage, r->err);
    if (err < 0)
        return err;

    if (jget_is_text(m.role, SP_STR("assistant"))) {
        /* A conversation begins with a greeting that no model wrote. */
        bool is_greeting = place->index == 0 && r->n_calls == 0 && to_double(m.cost) == 0.0;

        if (!is_greeting)
            add_turn(r, e, &m, &usage);
    } else if (jget_is_text(m.role, SP_STR("user"))) {
        episode_add_user(e, m.content.p != NULL ? to_text(&r->text, m.content) : SP_STR(""));
    } else if (jget_is_text(m.role, SP_STR("tool"))) {
        add_result(r, e, &m);
    }
    return 0;
}

static int read_simulation(struct reader *r, const struct jtable_place *up, struct sp_str value,
                           struct episode *e)
{
    struct jtable_place list = {.up = up, .name = "messages"};
    struct jtable_place place = {.up = &list};
    struct simulation simulation = {0};
    struct sp_str reward = {0};
    int err = jtable_read(up, value, simulation_fields, JTABLE_LEN(simulation_fields), &simulation,
                          r->err);

    if (err == 0)
        err = read_only(r, up, "reward_info", simulation.reward_info, reward_fields, &reward);
    if (err < 0)
        return err;
    e->id = keep_text(r, simulation.id);
    e->task_id = keep_text(r, simulation.task_id);
    e->domain = r->results->domain;
    e->agent_model = r->results->agent_model;
    e->trial = to_uint(simulation.trial);
    e->reward = to_double(reward);

    sp_map_deinit(&r->latest);
    r->n_tools = 0;
    for (struct jget_iter it = jget_iter(simulation.messages); jget_next(&it); place.index++) {
        err = read_message(r, &place, it.value, e);
        if (err < 0)
            return err;
    }
    return 0;
}

static int read_simulations(struct reader *r, const struct jtable_place *up,
                            struct sp_str simulations)
{
    struct results *results = r->results;
    struct jtable_place list = {.up = up, .name = "simulations"};
    struct jtable_place place = {.up = &list};
    size_t max = 0;

    for (struct jget_iter it = jget_iter(simulations); jget_next(&it); place.index++) {
        struct episode *e;
        int err;

        if (results->n_episodes == max) {
            max = max > 0 ? 2 * max : 16;
            results->episodes = sp_realloc(results->episodes, max * sizeof *results->episodes);
        }
        e = &results->episodes[results->n_episodes++];
        *e = (struct episode){0};
        err = read_simulation(r, &place, it.value, e);
        if (err < 0)
            return err;
    }
    return 0;
}

static int read_document(struct reader *r, struct sp_str text)
{
    struct jtable_place root = {0};
    struct document document = {0};
    struct jscan scan;
    int err;

    if (!jscan(text, JSCAN_MAX_DEPTH, &scan)) {
        sp_err_set(r->err, "it is not JSON");
        return -EINVAL;
    }
    err = jtable_read(&root, scan.value, document_fields, JTABLE_LEN(document_fields), &document,
                      r->err);
    if (err == 0)
        err = read_info(r, &root, document.info);
    if (err == 0 && document.tasks.p != NULL)
        err = read_tasks(r, &root, document.tasks);
    if (err == 0)
        err = read_simulations(r, &root, document.simulations);
    return err;
}

int results_parse(struct sp_str text, struct results *ret, struct sp_err *ret_err)
{
    struct results results = {0};
    struct reader r = {.results = &results, .err = ret_err};
    int err = read_document(&r, text);

    sp_buf_deinit(&r.text);
    sp_buf_deinit(&r.name);
    sp_buf_deinit(&r.arguments);
    free(r.calls);
    free(r.tools);
    sp_map_deinit(&r.latest);
    if (err < 0) {
        results_deinit(&results);
        return err;
    }
    *ret = results;
    return 0;
}

int results_read(const char *path, struct results *ret, struct sp_err *ret_err)
{
    struct sp_buf text = {0};
    int err = sp_file_read(path, SIZE_MAX, &text);

    if (err < 0) {
        sp_err_set(ret_err, "reading %s: %s", path, sp_err_cause(err));
    } else {
        err = results_parse(sp_buf_str(&text), ret, ret_err);
        if (err < 0)
            sp_err_prefix(ret_err, "parsing %s", path);
    }
    sp_buf_deinit(&text);
    return err;
}

void results_deinit(struct results *r)
{
    for (size_t i = 0; i < r->n_tasks; i++)
        free(r->tasks[i].actions);
    free(r->tasks);
    for (size_t i = 0; i < r->n_episodes; i++)
        episode_deinit(&r->episodes[i]);
    free(r->episodes);
    sp_arena_deinit(&r->arena);
    *r = (struct results){0};
}
