/*
 * The stepbook: takes in sessions, step by step.
 *
 * The fields of an output are collected before their texts are looked at. A name that comes twice
 * in one object, whose last value alone counts, shows by its path being met twice in one walk; the
 * output is then walked again in its canonical form, which has every name once. So only such
 * outputs are rewritten.
 */

#include <assert.h>
#include <stdlib.h>

#include "flow/decide.h"
#include "json/jcanon.h"
#include "json/jget.h"
#include "learn/stepbook_state.h"

/* What a member says about the field at its path. */
enum member_kind {
    MEMBER_NO_FIELD, /* none, or one whose text is STEPS_NOTHING */
    MEMBER_SCALAR,
    MEMBER_LEN,
};

struct stepbook *stepbook_new(void)
{
    return sp_calloc(1, sizeof(struct stepbook));
}

/* Frees what a column holds but for its numbers. */
static void empty_column(struct stepbook_column *column)
{
    for (size_t i = 0; i < column->n_texts; i++)
        free((char *)column->texts[i].p);
    free(column->texts);
    free(column->values);
    column->texts = NULL;
    column->values = NULL;
}

void stepbook_free(struct stepbook *b)
{
    if (b == NULL)
        return;
    for (size_t i = 0; i < b->n_tools; i++) {
        struct stepbook_tool *tool = &b->tools[i];

        for (size_t k = 0; k < tool->n_places; k++) {
            empty_column(&tool->places[k].scalar);
            empty_column(&tool->places[k].len);
        }
        free(tool->places);
        sp_map_deinit(&tool->by_path);
    }
    free(b->tools);
    sp_map_deinit(&b->by_tool);
    free(b->steps);
    free(b->met);
    sp_buf_deinit(&b->path);
    sp_buf_deinit(&b->text);
    sp_arena_deinit(&b->arena);
    free(b);
}

static uint32_t tool_of(struct stepbook *b, struct sp_str name)
{
    const size_t *found = sp_map_find(&b->by_tool, name);
    struct stepbook_tool tool = {0};

    if (found != NULL)
        return (uint32_t)*found;
    tool.name = sp_arena_copy(&b->arena, name);
    *sp_map_put(&b->by_tool, tool.name, NULL) = b->n_tools;
    STEPBOOK_GROW(b->tools, b->n_tools, b->max_tools);
    b->tools[b->n_tools] = tool;
    return (uint32_t)b->n_tools++;
}

static struct stepbook_place *find_place(const struct stepbook_tool *tool, struct sp_str path)
{
    const size_t *found = sp_map_find(&tool->by_path, path);

    return found != NULL ? &tool->places[*found] : NULL;
}

static struct stepbook_place *add_place(struct stepbook *b, struct stepbook_tool *tool,
                                        struct sp_str path)
{
    struct stepbook_place place = {.path = sp_arena_copy(&b->arena, path)};

    *sp_map_put(&tool->by_path, place.path, NULL) = tool->n_places;
    STEPBOOK_GROW(tool->places, tool->n_places, tool->max_places);
    tool->places[tool->n_places] = place;
    return &tool->places[tool->n_places++];
}

/*
 * Notes the member at the path at hand. A path is remembered once a member had a field there: a
 * name that comes twice without any field changes nothing.
 *
 * Returns: false if this walk came by before.
 */
static bool meet(struct stepbook *b, struct stepbook_tool *tool, enum member_kind kind,
                 struct sp_str value)
{
    struct stepbook_place *place = find_place(tool, sp_buf_str(&b->path));

    if (place == NULL && (kind == MEMBER_NO_FIELD || tool->n_places >= STEPBOOK_MAX_FIELDS))
        return true;
    if (place == NULL)
        place = add_place(b, tool, sp_buf_str(&b->path));
    if (place->walk == b->n_walks)
        return false;
    place->walk = b->n_walks;
    if (kind != MEMBER_NO_FIELD) {
        size_t number = (size_t)(place - tool->places);

        STEPBOOK_GROW(b->met, b->n_met, b->max_met);
        b->met[b->n_met++] = (struct stepbook_met){number, kind == MEMBER_LEN, value};
    }
    return true;
}

/* Appends a member's name to the path at hand; whether a path can hold it. */
static bool add_name(struct stepbook *b, struct sp_str name)
{
    size_t start = b->path.len;
    struct sp_str added;

    jget_text(name, &b->path);
    added = sp_str_sub(sp_buf_str(&b->path), start, b->path.len);
    return sp_str_find(added, '.') == added.len;
}

/* Notes the fields of an object that is a member, whose path is at hand; false as for meet(). */
static bool meet_inner(struct stepbook *b, struct stepbook_tool *tool, struct sp_str object)
{
    size_t n_met = b->n_met;
    size_t start;

    sp_buf_add_char(&b->path, '.');
    start = b->path.len;
    for (struct jget_iter it = jget_iter(object); jget_next(&it); b->path.len = start) {
        enum jscan_type type = jget_type(it.value);
        bool has_field = type != JSCAN_NULL && type != JSCAN_ARRAY && type != JSCAN_OBJECT;

        if (!add_name(b, it.name))
            continue;
        if (!meet(b, tool, has_field ? MEMBER_SCALAR : MEMBER_NO_FIELD, it.value))
            return false;
    }
    b->path.len = start - 1;
    /* An object that has fields makes itself known, for the name may come again. */
    if (b->n_met > n_met && find_place(tool, sp_buf_str(&b->path)) == NULL)
        (void)add_place(b, tool, sp_buf_str(&b->path));
    return true;
}

/* Collects the fields of an output; false when a name comes twice in an object of it. */
static bool meet_fields(struct stepbook *b, struct stepbook_tool *tool, struct sp_str output)
{
    b->n_met = 0;
    b->n_walks++;
    sp_buf_clear(&b->path);
    if (jget_type(output) == JSCAN_ARRAY)
        return meet(b, tool, MEMBER_LEN, output);
    if (jget_type(output) != JSCAN_OBJECT)
        return true;
    for (struct jget_iter it = jget_iter(output); jget_next(&it); sp_buf_clear(&b->path)) {
        enum jscan_type type = jget_type(it.value);
        enum member_kind kind = MEMBER_SCALAR;

        if (!add_name(b, it.name))
            continue;
        if (type == JSCAN_OBJECT && !meet_inner(b, tool, it.value))
            return false;
        if (type == JSCAN_NULL || type == JSCAN_OBJECT || b->path.len == 0)
            kind = MEMBER_NO_FIELD;
        else if (type == JSCAN_ARRAY)
            kind = MEMBER_LEN;
        if (!meet(b, tool, kind, it.value))
            return false;
    }
    return true;
}

/* The number of a text; 0 for one that a column has no room for. */
static uint8_t text_of(struct stepbook_column *column, struct sp_str text)
{
    char *copy;

    for (uint8_t i = 0; i < column->n_texts; i++) {
        if (sp_str_eq(column->texts[i], text))
            return i + 1;
    }
    if (column->n_texts == STEPBOOK_MAX_TEXTS)
        return 0;
    column->texts = sp_realloc(column->texts, (column->n_texts + 1U) * sizeof *column->texts);
    copy = sp_malloc(text.len);
    if (text.len > 0)
        memcpy(copy, text.p, text.len);
    column->texts[column->n_texts++] = (struct sp_str){copy, text.len};
    return column->n_texts;
}

static void add_value(struct stepbook_column *column, uint32_t output, struct sp_str text)
{
    uint8_t number;

    if (sp_str_eq(text, STEPS_NOTHING))
        return;
    number = text_of(column, text);
    if (number == 0) {
        empty_column(column);
        *column = (struct stepbook_column){.is_dropped = true};
        return;
    }
    STEPBOOK_GROW(column->values, column->n_values, column->max_values);
    column->values[column->n_values++] = (struct stepbook_value){output, number};
}

/* Takes in what the next output of a tool says in its fields; gives its number. */
static uint32_t add_output(struct stepbook *b, struct stepbook_tool *tool, struct sp_str output)
{
    struct sp_buf canonical = {0};

    if (!meet_fields(b, tool, output)) {
        jcanon(&canonical, output);
        (void)meet_fields(b, tool, sp_buf_str(&canonical)); /* it has every name once */
    }
    assert(b->n_met == 0 || tool->places != NULL);
    for (size_t i = 0; i < b->n_met; i++) {
        const struct stepbook_met *met = &b->met[i];
        struct stepbook_place *place = &tool->places[met->place];

        if (met->is_len) {
            add_value(&place->len, tool->n_outputs, steps_len_text(met->value));
        } else if (!place->scalar.is_dropped) {
            sp_buf_clear(&b->text);
            steps_scalar_text(met->value, &b->text);
            add_value(&place->scalar, tool->n_outputs, sp_buf_str(&b->text));
        }
    }
    sp_buf_deinit(&canonical);
    return tool->n_outputs++;
}

static void add_step(struct stepbook *b, const struct steps_step *step, uint8_t fold)
{
    struct stepbook_step added = {
        .tool = STEPBOOK_NONE,
        .output = STEPBOOK_NONE,
        .outcome = (uint8_t)step->outcome,
        .fold = fold,
    };
    struct sp_str output;

    if (step->call != NULL) {
        added.tool = tool_of(b, step->call->name);
        if (steps_output(step, &output))
            added.output = add_output(b, &b->tools[added.tool], output);
    }
    STEPBOOK_GROW(b->steps, b->n_steps, b->max_steps);
    b->steps[b->n_steps++] = added;
}

void stepbook_add(struct stepbook *b, const struct episode *e)
{
    uint8_t fold = (uint8_t)(decide_hash(e->task_id) % FLOW_N_FOLDS);
    struct episode_view view = episode_view_whole(e);
    struct steps_iter it = steps_iter(&view);
    size_t first = b->n_steps;
    struct steps_step step;

    while (steps_back(&it, &step))
        add_step(b, &step, fold);
    for (size_t i = first, k = b->n_steps; i < k && i < --k; i++) {
        struct stepbook_step swapped = b->steps[i];

        b->steps[i] = b->steps[k];
        b->steps[k] = swapped;
    }
    for (size_t i = first; i < b->n_steps; i++)
        b->steps[i].n_before = (uint8_t)(i - first < STEPBOOK_ORDER ? i - first : STEPBOOK_ORDER);
}

void stepbook_column_texts(const struct stepbook_column *column, uint32_t n_outputs, uint8_t *ret)
{
    if (n_outputs > 0)
        memset(ret, 0, n_outputs);
    for (uint32_t i = 0; i < column->n_values; i++)
        ret[column->values[i].output] = column->values[i].text;
}
