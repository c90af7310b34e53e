/* Episodes from lists of events, and random ones. */

#include <stdio.h>

#include "flow_session.h"
#include "json/jcanon.h"

static void add_call(struct episode *e, size_t turn, const char *id, const char *tool,
                     struct sp_str arguments)
{
    episode_add_call(e, turn, (struct episode_call){sp_str_of(id), sp_str_of(tool), arguments});
}

static size_t last_turn(const struct episode *e)
{
    size_t turn = e->n_events;

    while (turn > 0 && e->events[turn - 1].n_calls == 0)
        turn--;
    return turn - 1;
}

static void add_event(struct episode *e, const struct flow_session_event *event)
{
    struct sp_str text = sp_str_of(event->text);

    switch (event->kind) {
    case FLOW_SESSION_USER:
        episode_add_user(e, text);
        break;
    case FLOW_SESSION_SAYS:
        episode_add_turn(e, text);
        break;
    case FLOW_SESSION_CALL:
        add_call(e, episode_add_turn(e, (struct sp_str){0}), event->id, event->tool, text);
        break;
    case FLOW_SESSION_ALSO:
        add_call(e, last_turn(e), event->id, event->tool, text);
        break;
    case FLOW_SESSION_RESULT:
    case FLOW_SESSION_ERROR:
        episode_add_result(e, sp_str_of(event->id), sp_str_of(event->tool),
                           event->kind == FLOW_SESSION_ERROR, text);
        break;
    }
}

void flow_session_add(struct episode *e, const struct flow_session_event *events, size_t n)
{
    for (size_t i = 0; i < n; i++)
        add_event(e, &events[i]);
}

void flow_session_add_all(struct episode *e, const struct flow_session_event *events)
{
    for (; events->text != NULL; events++)
        add_event(e, events);
}

static void add_random_call(struct episode *e, struct json_gen *g, const char *tool)
{
    struct sp_buf value = {0};
    struct sp_buf arguments = {0};
    char id[24];
    size_t last = last_turn(e);
    size_t turn = last != SIZE_MAX && json_gen_below(g, 3) == 0
                      ? last
                      : episode_add_turn(e, (struct sp_str){0});

    snprintf(id, sizeof id, "%d", (int)json_gen_below(g, 40));
    json_gen_value(g, &value);
    jcanon(&arguments, sp_buf_str(&value));
    add_call(e, turn, id, tool, sp_buf_str(&arguments));
    sp_buf_deinit(&value);
    sp_buf_deinit(&arguments);
}

/* Answers one of the last turn's calls, or any other id. */
static void add_random_result(struct episode *e, struct json_gen *g)
{
    static const char *const texts[] = {"",
                                        "no JSON",
                                        "[1]",
                                        "{\"a\":{\"b\":true}}",
                                        "{\"tickets\":[\"T-1\",\"T-42\"]}",
                                        "{\"tickets\":[\"T-3\"],\"owner\":{\"name\":\"x\"}}"};
    size_t turn = last_turn(e);
    struct sp_str id = SP_STR("40"), tool = SP_STR("none");
    struct sp_buf text = {0};

    if (turn != SIZE_MAX && json_gen_below(g, 8) > 0) {
        const struct episode_event *event = &e->events[turn];
        const struct episode_call *call = &event->calls[json_gen_below(g, event->n_calls)];

        id = call->id;
        tool = call->name;
    }
    if (json_gen_below(g, 2) == 0)
        json_gen_value(g, &text);
    else
        sp_buf_add(&text, sp_str_of(texts[json_gen_below(g, sizeof texts / sizeof *texts)]));
    episode_add_result(e, id, tool, json_gen_below(g, 4) == 0, sp_buf_str(&text));
    sp_buf_deinit(&text);
}

void flow_session_grow(struct episode *e, struct json_gen *g, const char *const *tools,
                       size_t n_tools)
{
    static const char *const said[] = {"Where is T-42?", " ", "", "caf\xc3\xa9 \xe2\x82\xac"};
    struct sp_str text = sp_str_of(said[json_gen_below(g, sizeof said / sizeof *said)]);

    switch (json_gen_below(g, 10)) {
    case 0:
        episode_add_user(e, text);
        break;
    case 1:
        episode_add_turn(e, text);
        break;
    case 2:
    case 3:
    case 4:
    case 5:
        add_random_call(e, g, tools[json_gen_below(g, n_tools)]);
        break;
    default:
        add_random_result(e, g);
        break;
    }
}
