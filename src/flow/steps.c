/* Steps, symbols and the code features of outputs. */

#include "flow/steps.h"
#include "json/jcanon.h"
#include "json/jget.h"

/* How deep an output may nest to be read as JSON. */
#define MAX_DEPTH 127

/* The greatest feature that a symbol has room for, and how many outcomes it tells apart. */
#define MAX_FEATURE 4095
#define N_OUTCOMES  4

struct steps_iter steps_iter(const struct episode_view *view)
{
    return (struct steps_iter){.view = view, .n_events = view->episode->n_events};
}

static struct steps_step call_step(const struct episode *e, const struct episode_call *call)
{
    struct steps_step step = {.call = call, .result = episode_result_of(e, call->id)};

    if (step.result == NULL || step.result->is_error)
        step.outcome = STEPS_FAILED;
    return step;
}

bool steps_back(struct steps_iter *it, struct steps_step *ret)
{
    const struct episode *e = it->view->episode;

    while (it->n_calls == 0) {
        const struct episode_event *event;

        if (it->n_events == 0)
            return false;
        event = &e->events[--it->n_events];
        if (event->kind == EPISODE_USER) {
            it->is_answered = true;
        } else if (event->kind == EPISODE_ASSISTANT) {
            bool is_answered = it->is_answered;

            it->is_answered = false;
            it->calls = episode_view_calls(it->view, it->n_events, &it->n_calls);
            if (it->n_calls == 0) {
                *ret = (struct steps_step){
                    .outcome = is_answered ? STEPS_ANSWERED : STEPS_UNANSWERED,
                };
                return true;
            }
        }
    }
    *ret = call_step(e, &it->calls[--it->n_calls]);
    return true;
}

/* Finds the value at a path of names through objects; an empty path is the value itself. */
static bool find_value(struct sp_str value, struct sp_str path, struct sp_str *ret)
{
    bool has_more = path.len > 0;

    while (has_more) {
        size_t n = sp_str_find(path, '.');

        if (!jget_member(value, sp_str_sub(path, 0, n), &value))
            return false;
        has_more = n < path.len;
        path = sp_str_sub(path, has_more ? n + 1 : n, path.len);
    }
    *ret = value;
    return true;
}

void steps_scalar_text(struct sp_str value, struct sp_buf *ret)
{
    switch (jget_type(value)) {
    case JSCAN_FALSE:
        sp_buf_add(ret, SP_STR("false"));
        break;
    case JSCAN_TRUE:
        sp_buf_add(ret, SP_STR("true"));
        break;
    case JSCAN_STRING:
        jget_text(value, ret);
        break;
    case JSCAN_NUMBER:
        jcanon(ret, value);
        break;
    case JSCAN_NULL:
    case JSCAN_ARRAY:
    case JSCAN_OBJECT:
        sp_buf_add(ret, STEPS_NOTHING);
        break;
    }
}

struct sp_str steps_len_text(struct sp_str value)
{
    size_t n = 0;

    if (jget_type(value) != JSCAN_ARRAY)
        return STEPS_NOTHING;
    for (struct jget_iter it = jget_iter(value); n < 2 && jget_next(&it);)
        n++;
    return n == 0 ? SP_STR("0") : n == 1 ? SP_STR("1") : SP_STR("2+");
}

static struct sp_str field_text(const struct flow_field *field, struct sp_str output,
                                struct sp_arena *arena)
{
    struct sp_buf b = {0};
    struct sp_str value;
    struct sp_str text;

    if (!find_value(output, field->path, &value))
        return STEPS_NOTHING;
    if (field->is_len)
        return steps_len_text(value);
    steps_scalar_text(value, &b);
    text = sp_arena_copy(arena, sp_buf_str(&b));
    sp_buf_deinit(&b);
    return text;
}

bool steps_output(const struct steps_step *step, struct sp_str *ret)
{
    struct jscan output;

    if (step->result == NULL || !jscan(step->result->text, MAX_DEPTH, &output))
        return false;
    *ret = output.value;
    return true;
}

static uint64_t feature_of(const struct flow *f, const struct steps_step *step)
{
    const struct flow_fields *fields = flow_fields_of(f, step->call->name);
    struct sp_arena arena = {0};
    struct sp_str *values;
    struct sp_str output;
    uint64_t id;

    if (fields == NULL || !steps_output(step, &output))
        return 0;
    values = sp_arena_alloc(&arena, fields->n * sizeof *values);
    for (size_t i = 0; i < fields->n; i++)
        values[i] = field_text(&fields->of[i], output, &arena);
    id = flow_feature_of(f, step->call->name, values, fields->n);
    sp_arena_deinit(&arena);
    return id;
}

uint32_t steps_symbol_of(uint64_t action, enum steps_outcome outcome, uint64_t feature)
{
    if (feature > MAX_FEATURE)
        feature = MAX_FEATURE;
    return (uint32_t)((action * N_OUTCOMES + outcome) * (MAX_FEATURE + 1) + feature);
}

uint32_t steps_symbol(const struct flow *f, const struct steps_step *step)
{
    if (step->call == NULL)
        return steps_symbol_of(0, step->outcome, 0);
    return steps_symbol_of(flow_action(f, step->call->name), step->outcome, feature_of(f, step));
}

void steps_history(const struct flow *f, const struct episode_view *view, uint32_t *ret, size_t n)
{
    struct steps_iter it = steps_iter(view);
    struct steps_step step;

    while (n > 0 && steps_back(&it, &step))
        ret[--n] = steps_symbol(f, &step);
    while (n > 0)
        ret[--n] = FLOW_PADDING;
}
