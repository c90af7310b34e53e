/* The steps of a book as a flow sees them: actions and symbols. */

#include <assert.h>
#include <stdlib.h>

#include "learn/stepbook_state.h"

static const struct stepbook_column *column_of(const struct stepbook_tool *tool,
                                               const struct flow_field *field)
{
    const size_t *place = sp_map_find(&tool->by_path, field->path);
    const struct stepbook_column *column;

    assert(place != NULL);
    column = field->is_len ? &tool->places[*place].len : &tool->places[*place].scalar;
    assert(!column->is_dropped);
    return column;
}

/* The features of a tool's outputs; the caller's, NULL when they are all 0. */
static uint64_t *features_of(const struct stepbook_tool *tool, const struct flow *f)
{
    const struct flow_fields *fields = flow_fields_of(f, tool->name);
    const struct stepbook_column **columns;
    struct sp_str *values;
    uint64_t *features;
    uint8_t *texts;

    if (fields == NULL || tool->n_outputs == 0)
        return NULL;
    columns = sp_calloc(fields->n, sizeof(const struct stepbook_column *));
    values = sp_calloc(fields->n, sizeof *values);
    texts = sp_calloc(fields->n, tool->n_outputs);
    features = sp_calloc(tool->n_outputs, sizeof *features);
    for (size_t i = 0; i < fields->n; i++) {
        columns[i] = column_of(tool, &fields->of[i]);
        stepbook_column_texts(columns[i], tool->n_outputs, texts + i * tool->n_outputs);
    }
    for (size_t o = 0; o < tool->n_outputs; o++) {
        for (size_t i = 0; i < fields->n; i++)
            values[i] = stepbook_text(columns[i], texts[i * tool->n_outputs + o]);
        features[o] = flow_feature_of(f, tool->name, values, fields->n);
    }
    free(columns);
    free(values);
    free(texts);
    return features;
}

struct stepbook_trail stepbook_trail(const struct stepbook *b, const struct flow *f)
{
    struct stepbook_trail t = {
        .book = b,
        .actions = sp_calloc(b->n_steps, sizeof *t.actions),
        .symbols = sp_calloc(b->n_steps, sizeof *t.symbols),
    };
    uint64_t **features = sp_calloc(b->n_tools, sizeof(uint64_t *));
    uint32_t *actions = sp_calloc(b->n_tools, sizeof *actions);

    for (size_t i = 0; i < b->n_tools; i++) {
        features[i] = features_of(&b->tools[i], f);
        actions[i] = (uint32_t)flow_action(f, b->tools[i].name);
    }
    for (size_t i = 0; i < b->n_steps; i++) {
        const struct stepbook_step *step = &b->steps[i];
        uint64_t feature = 0;

        if (step->tool != STEPBOOK_NONE)
            t.actions[i] = actions[step->tool];
        if (step->output != STEPBOOK_NONE && features[step->tool] != NULL)
            feature = features[step->tool][step->output];
        t.symbols[i] = steps_symbol_of(t.actions[i], step->outcome, feature);
    }
    for (size_t i = 0; i < b->n_tools; i++)
        free(features[i]);
    free(features);
    free(actions);
    return t;
}

void stepbook_trail_deinit(struct stepbook_trail *t)
{
    free(t->actions);
    free(t->symbols);
    *t = (struct stepbook_trail){0};
}

static int cmp_behind(const void *a, const void *b)
{
    const struct stepbook_behind *x = a;
    const struct stepbook_behind *y = b;

    if (x->history != y->history)
        return x->history > y->history ? 1 : -1;
    return (x->step > y->step) - (x->step < y->step);
}

/* The last `n` symbols before a step, 0 to STEPBOOK_ORDER. */
static uint64_t history_of(const struct stepbook *b, const uint32_t *symbols, size_t step,
                           unsigned n)
{
    unsigned n_before = b->steps[step].n_before;
    uint64_t last = n_before > 0 ? symbols[step - 1] : FLOW_PADDING;
    uint64_t other = n_before > 1 ? symbols[step - 2] : FLOW_PADDING;

    return n == 0 ? 0 : n == 1 ? last : other << 32 | last;
}

struct stepbook_behind *stepbook_by_history(const struct stepbook *b, const uint32_t *symbols,
                                            unsigned n)
{
    struct stepbook_behind *behind = sp_calloc(b->n_steps, sizeof *behind);

    for (size_t i = 0; i < b->n_steps; i++)
        behind[i] = (struct stepbook_behind){history_of(b, symbols, i, n), i};
    if (n > 0)
        qsort(behind, b->n_steps, sizeof *behind, cmp_behind);
    return behind;
}
