/* What a run knows. */

#include <stdlib.h>

#include "json/jget.h"
#include "procedure/procedure_features.h"
#include "procedure/procedure_state.h"
#include "procedure/procedure_ticket.h"

/* What the last result of a tool gave. */
struct latest {
    struct sp_arena arena; /* holds the features */
    struct sp_map features;
    struct sp_str named; /* the record that the ticket names, an output's value; or `p` is NULL */
};

struct procedure_state {
    const struct procedure *procedure;
    struct sp_arena arena;
    struct sp_map identifiers; /* that the ticket gives */
    struct sp_map facts;       /* features that stay: of the ticket, called, made */
    struct sp_map tools;       /* to indexes of `latest` */
    struct latest *latest;
    size_t n_latest;
    struct procedure_output *outputs;
    size_t n_outputs;
    size_t max_outputs;
    struct sp_buf site;
    struct sp_buf scratch;
};

/* Adds "KIND TEXT" to the features that stay. */
static void add_fact(struct procedure_state *s, struct sp_str kind, struct sp_str text)
{
    sp_buf_clear(&s->scratch);
    sp_buf_add(&s->scratch, kind);
    sp_buf_add_char(&s->scratch, ' ');
    sp_buf_add(&s->scratch, text);
    if (sp_map_find(&s->facts, sp_buf_str(&s->scratch)) == NULL)
        (void)sp_map_put(&s->facts, sp_arena_copy(&s->arena, sp_buf_str(&s->scratch)), NULL);
}

static void add_word(void *data, struct sp_str word)
{
    struct procedure_state *s = data;

    if (sp_map_find(&s->procedure->vocab, word) != NULL)
        add_fact(s, SP_STR("ticket:"), word);
}

static void add_identifier(void *data, struct sp_str identifier)
{
    struct procedure_state *s = data;

    (void)sp_map_put(&s->identifiers, sp_arena_copy(&s->arena, identifier), NULL);
}

struct procedure_state *procedure_state_new(const struct procedure *p, struct sp_str ticket)
{
    struct procedure_state *s = sp_calloc(1, sizeof *s);

    s->procedure = p;
    sp_buf_add(&s->site, SP_STR("start"));
    procedure_ticket_words(ticket, add_word, s);
    procedure_ticket_identifiers(ticket, add_identifier, s);
    return s;
}

void procedure_state_free(struct procedure_state *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->n_latest; i++) {
        sp_map_deinit(&s->latest[i].features);
        sp_arena_deinit(&s->latest[i].arena);
    }
    free(s->latest);
    free(s->outputs);
    sp_map_deinit(&s->identifiers);
    sp_map_deinit(&s->facts);
    sp_map_deinit(&s->tools);
    sp_arena_deinit(&s->arena);
    sp_buf_deinit(&s->site);
    sp_buf_deinit(&s->scratch);
    free(s);
}

static struct latest *latest_of(struct procedure_state *s, struct sp_str tool)
{
    size_t *at = sp_map_find(&s->tools, tool);

    if (at == NULL) {
        at = sp_map_put(&s->tools, sp_arena_copy(&s->arena, tool), NULL);
        *at = s->n_latest++;
        s->latest = sp_realloc(s->latest, s->n_latest * sizeof *s->latest);
        s->latest[*at] = (struct latest){0};
    }
    return &s->latest[*at];
}

static void add_feature(void *data, struct sp_str feature)
{
    struct latest *l = data;

    if (sp_map_find(&l->features, feature) == NULL)
        (void)sp_map_put(&l->features, sp_arena_copy(&l->arena, feature), NULL);
}

static void forget_features(struct latest *l)
{
    sp_map_deinit(&l->features);
    sp_arena_deinit(&l->arena);
}

/*
 * Whether a string or number at any depth is an identifier of the ticket. Recurses as deep as the
 * value nests, which is at most PROCEDURE_TEXT_DEPTH.
 */
static bool has_ticket_record(struct procedure_state *s, struct sp_str value)
{
    switch (jget_type(value)) {
    case JSCAN_STRING:
        sp_buf_clear(&s->scratch);
        jget_text(value, &s->scratch);
        return sp_map_find(&s->identifiers, sp_buf_str(&s->scratch)) != NULL;
    case JSCAN_NUMBER:
        return sp_map_find(&s->identifiers, value) != NULL;
    case JSCAN_ARRAY:
    case JSCAN_OBJECT:
        for (struct jget_iter it = jget_iter(value); jget_next(&it);) {
            if (has_ticket_record(s, it.value))
                return true;
        }
        return false;
    case JSCAN_NULL:
    case JSCAN_FALSE:
    case JSCAN_TRUE:
        break;
    }
    return false;
}

/* Whether two values are objects with the same names; both in canonical JSON, so in one order. */
static bool is_same_kind(struct sp_str value, struct sp_str kept)
{
    struct jget_iter a, b;

    if (kept.p == NULL || jget_type(value) != JSCAN_OBJECT || jget_type(kept) != JSCAN_OBJECT)
        return false;
    a = jget_iter(value);
    b = jget_iter(kept);
    while (jget_next(&a)) {
        if (!jget_next(&b) || !sp_str_eq(a.name, b.name))
            return false;
    }
    return !jget_next(&b);
}

static const struct procedure_output *add_output(struct procedure_state *s, struct sp_str tool,
                                                 struct sp_str text)
{
    struct procedure_output *output;
    struct sp_buf value = {0};

    if (s->n_outputs == s->max_outputs) {
        s->max_outputs = s->max_outputs > 0 ? 2 * s->max_outputs : 16;
        s->outputs = sp_realloc(s->outputs, s->max_outputs * sizeof *s->outputs);
    }
    procedure_features_value(text, &value);
    output = &s->outputs[s->n_outputs++];
    *output = (struct procedure_output){
        .tool = sp_arena_copy(&s->arena, tool),
        .value = sp_arena_copy(&s->arena, sp_buf_str(&value)),
    };
    output->has_ticket_record = has_ticket_record(s, output->value);
    sp_buf_deinit(&value);
    return output;
}

/* Moves to the site of a call's result. */
static void move(struct procedure_state *s, struct sp_str tool, struct sp_str mark)
{
    sp_buf_clear(&s->site);
    sp_buf_add(&s->site, tool);
    sp_buf_add(&s->site, mark);
    add_fact(s, SP_STR("called"), tool);
}

void procedure_state_take(struct procedure_state *s, struct sp_str tool, struct sp_str text)
{
    const struct procedure_output *output = add_output(s, tool, text);
    struct latest *l = latest_of(s, tool);
    bool is_kind = is_same_kind(output->value, l->named);

    move(s, tool, SP_STR(""));
    if (s->procedure->is_symbolic && is_kind && !output->has_ticket_record)
        return;
    forget_features(l);
    procedure_features_of(tool, output->value, add_feature, l);
    if (jget_type(output->value) == JSCAN_OBJECT && output->has_ticket_record)
        l->named = output->value;
    else if (!is_kind)
        l->named = (struct sp_str){0};
}

void procedure_state_take_failure(struct procedure_state *s, struct sp_str tool)
{
    struct latest *l = latest_of(s, tool);

    move(s, tool, SP_STR("!"));
    forget_features(l);
    procedure_features_of_failure(tool, add_feature, l);
    l->named = (struct sp_str){0};
}

void procedure_state_made(struct procedure_state *s, struct sp_str action)
{
    add_fact(s, SP_STR("made"), action);
}

struct sp_str procedure_state_site(const struct procedure_state *s)
{
    return sp_buf_str(&s->site);
}

bool procedure_state_has(const struct procedure_state *s, struct sp_str feature)
{
    if (sp_map_find(&s->facts, feature) != NULL)
        return true;
    for (size_t i = 0; i < s->n_latest; i++) {
        if (sp_map_find(&s->latest[i].features, feature) != NULL)
            return true;
    }
    return false;
}

const struct procedure_output *procedure_state_outputs(const struct procedure_state *s,
                                                       size_t *ret_n)
{
    *ret_n = s->n_outputs;
    return s->outputs;
}
