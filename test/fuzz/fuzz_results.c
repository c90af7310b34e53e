/*
 * Reads a results file of tau2-bench, and checks what every one gives: results only of calls before
 * them, arguments in canonical JSON, episodes that can be written as JSON.
 */

#include <stdint.h>
#include <stdlib.h>

#include "json/jcanon.h"
#include "json/jget.h"
#include "trace/episodejson.h"
#include "trace/results.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_arguments(struct sp_str arguments)
{
    struct sp_buf canonical = {0};
    struct jscan found;

    require(jscan(arguments, JSCAN_MAX_DEPTH, &found));
    jcanon(&canonical, found.value);
    require(sp_str_eq(arguments, sp_buf_str(&canonical)));
    sp_buf_deinit(&canonical);
}

static void check_event(const struct episode_event *event, struct sp_map *ids)
{
    switch (event->kind) {
    case EPISODE_USER:
        require(event->text.p != NULL);
        break;
    case EPISODE_ASSISTANT:
        require(event->text.p == NULL || event->text.len > 0);
        for (size_t i = 0; i < event->n_calls; i++) {
            check_arguments(event->calls[i].arguments);
            sp_map_put(ids, event->calls[i].id, NULL);
        }
        break;
    case EPISODE_RESULT:
        require(event->text.p != NULL && sp_map_find(ids, event->call_id) != NULL);
        break;
    }
}

static void check_episode(const struct episode *e)
{
    struct episode_view view = episode_view_whole(e);
    struct sp_map ids = {0};
    struct sp_buf text = {0};
    struct jscan found;

    for (size_t i = 0; i < e->n_events; i++)
        check_event(&e->events[i], &ids);
    episodejson_put(&text, &view);
    require(jscan_grammar(sp_buf_str(&text), &found));
    sp_map_deinit(&ids);
    sp_buf_deinit(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct results results = {0};
    struct sp_err err = {0};

    if (results_parse((struct sp_str){(const char *)data, size}, &results, &err) < 0) {
        require(err.text[0] != '\0' && results.n_episodes == 0);
        return 0;
    }
    for (size_t i = 0; i < results.n_tasks; i++) {
        for (size_t k = 0; k < results.tasks[i].n_actions; k++)
            check_arguments(results.tasks[i].actions[k].arguments);
    }
    for (size_t i = 0; i < results.n_episodes; i++)
        check_episode(&results.episodes[i]);
    results_deinit(&results);
    return 0;
}
