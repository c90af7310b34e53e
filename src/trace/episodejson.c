/* Episodes as canonical JSON: every object's members stand in byte order of their names. */

#include "json/jput.h"
#include "trace/episodejson.h"

static void put_text(struct sp_buf *b, const char *name, struct sp_str text)
{
    sp_buf_add(b, sp_str_of(name));
    if (text.p != NULL)
        jput_string(b, text);
    else
        sp_buf_add(b, SP_STR("null"));
}

void episodejson_put_calls(struct sp_buf *b, const struct episode_call *calls, size_t n)
{
    sp_buf_add_char(b, '[');
    for (size_t i = 0; i < n; i++) {
        sp_buf_add(b, i > 0 ? SP_STR(",{\"arguments\":") : SP_STR("{\"arguments\":"));
        sp_buf_add(b, calls[i].arguments);
        put_text(b, ",\"id\":", calls[i].id);
        put_text(b, ",\"name\":", calls[i].name);
        sp_buf_add_char(b, '}');
    }
    sp_buf_add_char(b, ']');
}

static void put_usage(struct sp_buf *b, const struct episode_event *event)
{
    if (!event->has_usage) {
        sp_buf_add(b, SP_STR("null"));
        return;
    }
    sp_buf_addf(b,
                "{\"completion_tokens\":%ju,\"cost\":", (uintmax_t)event->usage.completion_tokens);
    jput_double(b, event->usage.cost);
    sp_buf_addf(b, ",\"prompt_tokens\":%ju}", (uintmax_t)event->usage.prompt_tokens);
}

static void put_event(struct sp_buf *b, const struct episode_view *view, size_t i)
{
    const struct episode_event *event = &view->episode->events[i];
    const struct episode_call *calls;
    size_t n_calls;

    switch (event->kind) {
    case EPISODE_USER:
        put_text(b, "{\"kind\":\"user\",\"text\":", event->text);
        break;
    case EPISODE_ASSISTANT:
        calls = episode_view_calls(view, i, &n_calls);
        sp_buf_add(b, SP_STR("{\"calls\":"));
        episodejson_put_calls(b, calls, n_calls);
        put_text(b, ",\"kind\":\"assistant\",\"text\":", event->text);
        sp_buf_add(b, SP_STR(",\"usage\":"));
        put_usage(b, event);
        break;
    case EPISODE_RESULT:
        put_text(b, "{\"call_id\":", event->call_id);
        put_text(b, ",\"content\":", event->text);
        sp_buf_add(b, event->is_error ? SP_STR(",\"error\":true") : SP_STR(",\"error\":false"));
        put_text(b, ",\"kind\":\"tool_result\",\"name\":", event->name);
        break;
    }
    sp_buf_add_char(b, '}');
}

void episodejson_put(struct sp_buf *b, const struct episode_view *view)
{
    const struct episode *e = view->episode;

    put_text(b, "{\"agent_model\":", e->agent_model);
    put_text(b, ",\"domain\":", e->domain);
    sp_buf_add(b, SP_STR(",\"events\":["));
    for (size_t i = 0; i < e->n_events; i++) {
        if (i > 0)
            sp_buf_add_char(b, ',');
        put_event(b, view, i);
    }
    put_text(b, "],\"id\":", e->id);
    sp_buf_add(b, SP_STR(",\"reward\":"));
    jput_double(b, e->reward);
    put_text(b, ",\"task_id\":", e->task_id);
    sp_buf_addf(b, ",\"trial\":%ju}", (uintmax_t)e->trial);
}
