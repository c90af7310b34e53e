/*
 * Choosing the code features.
 *
 * Every tool has its outputs sorted into kinds: those with the same texts in the tool's chosen
 * fields, in the order of these texts. One more field, which comes last, splits the kinds; so new
 * kinds are ordered by the old one first, then by the field's text. The number of an output's kind
 * gives its feature.
 */

#include <stdlib.h>

#include "learn/stepbook_score.h"

/* The most fields that a flow has, the features that a tool has, and the gain that is worth one. */
#define MAX_FIELDS   8
#define MAX_FEATURES (STEPBOOK_SCORE_FEATURES - 1)
#define MIN_GAIN     5.0

/*
 * Fields that split the outputs alike gain the same, and of equals the last is taken. Their sums
 * may differ by rounding, so that gains this near to each other are equal.
 */
#define SAME_GAIN 1e-9

#define N_TEXTS (STEPBOOK_MAX_TEXTS + 1)

struct candidate {
    size_t tool;
    struct flow_field field; /* its path is the book's */
    const struct stepbook_column *column;
    uint8_t ranks[N_TEXTS]; /* the place of each text in their order */
    bool is_chosen;
};

/* The outputs of a tool in their kinds. */
struct kinds {
    uint32_t *of; /* by output */
    size_t n;
};

struct choice {
    const struct stepbook *book;
    struct stepbook_trail trail; /* without features */
    struct stepbook_score *score;
    struct candidate *candidates;
    size_t n_candidates;
    size_t max_candidates;
    struct candidate *chosen[MAX_FIELDS];
    size_t n_chosen;
    struct kinds *kinds; /* by tool */
    size_t **steps;      /* by tool: the steps of its outputs */
    uint8_t *features;   /* by step, of the chosen fields */
    uint8_t *trial;      /* by step: the same but when a candidate is tried */
    uint32_t *tried;     /* the kinds that it makes, by output */
    uint8_t *texts;      /* scratch, by output */
    uint32_t *numbers;   /* scratch, by old kind and text */
};

/* How many outputs have the text that most have. */
static uint32_t most_frequent(const struct stepbook_column *column, uint32_t n_outputs)
{
    uint32_t n[N_TEXTS] = {n_outputs - column->n_values};
    uint32_t most = 0;

    for (uint32_t i = 0; i < column->n_values; i++)
        n[column->values[i].text]++;
    for (size_t i = 0; i < N_TEXTS; i++)
        most = n[i] > most ? n[i] : most;
    return most;
}

static void add_candidate(struct choice *c, size_t tool, struct flow_field field,
                          const struct stepbook_column *column)
{
    uint32_t n_outputs = c->book->tools[tool].n_outputs;
    unsigned n_texts = column->n_texts + (column->n_values < n_outputs ? 1 : 0);
    struct candidate *added;

    if (column->is_dropped || n_texts < 2 || n_texts > STEPBOOK_MAX_TEXTS ||
        100 * (uint64_t)most_frequent(column, n_outputs) > 98 * (uint64_t)n_outputs)
        return;
    STEPBOOK_GROW(c->candidates, c->n_candidates, c->max_candidates);
    added = &c->candidates[c->n_candidates++];
    *added = (struct candidate){.tool = tool, .field = field, .column = column};
    for (uint8_t i = 0; i <= column->n_texts; i++) {
        for (uint8_t k = 0; k <= column->n_texts; k++)
            added->ranks[i] += sp_str_cmp(stepbook_text(column, k), stepbook_text(column, i)) < 0;
    }
}

static int cmp_candidates(const void *a, const void *b, void *choice)
{
    const struct candidate *x = a;
    const struct candidate *y = b;
    const struct stepbook_tool *tools = ((const struct choice *)choice)->book->tools;
    int c = sp_str_cmp(tools[x->tool].name, tools[y->tool].name);

    if (c == 0)
        c = x->field.is_len - y->field.is_len;
    return c != 0 ? c : sp_str_cmp(x->field.path, y->field.path);
}

static void find_candidates(struct choice *c)
{
    for (size_t i = 0; i < c->book->n_tools; i++) {
        const struct stepbook_tool *tool = &c->book->tools[i];

        for (size_t k = 0; k < tool->n_places; k++) {
            const struct stepbook_place *place = &tool->places[k];
            struct flow_field scalar = {.is_len = false, .path = place->path};
            struct flow_field len = {.is_len = true, .path = place->path};

            add_candidate(c, i, scalar, &place->scalar);
            add_candidate(c, i, len, &place->len);
        }
    }
    if (c->n_candidates > 0)
        qsort_r(c->candidates, c->n_candidates, sizeof *c->candidates, cmp_candidates, c);
}

/* Sorts a candidate's tool's outputs into the kinds that it makes; gives how many there are. */
static size_t split(struct choice *c, const struct candidate *candidate, uint32_t *ret)
{
    const struct kinds *old = &c->kinds[candidate->tool];
    uint32_t n_outputs = c->book->tools[candidate->tool].n_outputs;
    size_t n = 0;

    stepbook_column_texts(candidate->column, n_outputs, c->texts);
    memset(c->numbers, 0, old->n * N_TEXTS * sizeof *c->numbers);
    for (uint32_t i = 0; i < n_outputs; i++) {
        ret[i] = old->of[i] * N_TEXTS + candidate->ranks[c->texts[i]];
        c->numbers[ret[i]] = 1;
    }
    for (size_t i = 0; i < old->n * N_TEXTS; i++) {
        if (c->numbers[i] > 0)
            c->numbers[i] = (uint32_t)n++;
    }
    for (uint32_t i = 0; i < n_outputs; i++)
        ret[i] = c->numbers[ret[i]];
    return n;
}

/* Sets the features of a tool's steps that have outputs, by the kinds of these. */
static void set_features(const struct choice *c, size_t tool, const uint32_t *kinds, uint8_t *ret)
{
    for (uint32_t i = 0; i < c->book->tools[tool].n_outputs; i++)
        ret[c->steps[tool][i]] = (uint8_t)(kinds[i] < MAX_FEATURES ? kinds[i] + 1 : 0);
}

/* Takes the features of a tool's steps back to those of the chosen fields. */
static void end_trial(const struct choice *c, size_t tool)
{
    for (uint32_t i = 0; i < c->book->tools[tool].n_outputs; i++)
        c->trial[c->steps[tool][i]] = c->features[c->steps[tool][i]];
}

/* Sets how much each candidate would raise the score. */
static void try_all(struct choice *c, double *ret_gains)
{
    double before = 0;

    stepbook_score_set(c->score, c->features);
    for (size_t i = 0; i < c->n_candidates; i++) {
        const struct candidate *candidate = &c->candidates[i];
        uint32_t action = c->trail.actions[c->steps[candidate->tool][0]];

        ret_gains[i] = -INFINITY;
        if (i == 0 || candidate->tool != candidate[-1].tool)
            before = stepbook_score_behind(c->score, action, c->features);
        if (candidate->is_chosen)
            continue;
        (void)split(c, candidate, c->tried);
        set_features(c, candidate->tool, c->tried, c->trial);
        ret_gains[i] = stepbook_score_behind(c->score, action, c->trial) - before;
        end_trial(c, candidate->tool);
    }
}

/* The candidate that gains most; NULL when none gains enough. */
static struct candidate *best_of(const struct choice *c, const double *gains)
{
    struct candidate *best = NULL;
    double most = -INFINITY;

    for (size_t i = 0; i < c->n_candidates; i++)
        most = fmax(most, gains[i]);
    for (size_t i = 0; i < c->n_candidates && most >= MIN_GAIN; i++) {
        if (gains[i] >= most - SAME_GAIN)
            best = &c->candidates[i];
    }
    return best;
}

static void choose(struct choice *c, struct candidate *candidate)
{
    struct kinds *kinds = &c->kinds[candidate->tool];

    kinds->n = split(c, candidate, c->tried);
    memcpy(kinds->of, c->tried, c->book->tools[candidate->tool].n_outputs * sizeof *c->tried);
    set_features(c, candidate->tool, kinds->of, c->features);
    end_trial(c, candidate->tool);
    candidate->is_chosen = true;
    c->chosen[c->n_chosen++] = candidate;
}

/* The fields of a tool in the order in which they were chosen; gives how many. */
static size_t fields_of(const struct choice *c, size_t tool, const struct candidate **ret)
{
    size_t n = 0;

    for (size_t i = 0; i < c->n_chosen; i++) {
        if (c->chosen[i]->tool == tool)
            ret[n++] = c->chosen[i];
    }
    return n;
}

/* Puts a tool's features behind those that the flow has. */
static void put_features(const struct choice *c, size_t tool, const struct candidate **chosen,
                         size_t n_chosen, struct flow *f)
{
    struct flow_feature *features = f->features + f->n_features;
    uint32_t n_outputs = c->book->tools[tool].n_outputs;
    const struct kinds *kinds = &c->kinds[tool];
    size_t n = kinds->n < MAX_FEATURES ? kinds->n : MAX_FEATURES;

    for (size_t i = 0; i < n; i++) {
        features[i] = (struct flow_feature){
            .tool = f->fields[f->n_fields - 1].tool,
            .values = sp_arena_alloc(&f->arena, n_chosen * sizeof *features[i].values),
            .n_values = n_chosen,
            .id = i + 1,
        };
    }
    for (size_t k = 0; k < n_chosen; k++) {
        stepbook_column_texts(chosen[k]->column, n_outputs, c->texts);
        for (uint32_t i = 0; i < n_outputs; i++) {
            if (kinds->of[i] < n && features[kinds->of[i]].values[k].p == NULL)
                features[kinds->of[i]].values[k] =
                    sp_arena_copy(&f->arena, stepbook_text(chosen[k]->column, c->texts[i]));
        }
    }
    f->n_features += n;
}

/* Puts what was chosen into the flow. */
static void put_all(const struct choice *c, struct flow *f)
{
    f->fields = sp_arena_alloc(&f->arena, c->n_chosen * sizeof *f->fields);
    f->features = sp_arena_alloc(&f->arena, c->n_chosen * MAX_FEATURES * sizeof *f->features);
    f->n_fields = f->n_features = 0;
    for (size_t i = 0; i < c->book->n_tools; i++) {
        const struct candidate *chosen[MAX_FIELDS];
        size_t n = fields_of(c, i, chosen);
        struct flow_fields *fields;

        if (n == 0)
            continue;
        fields = &f->fields[f->n_fields++];
        fields->tool = sp_arena_copy(&f->arena, c->book->tools[i].name);
        fields->n = n;
        fields->of = sp_arena_alloc(&f->arena, n * sizeof *fields->of);
        for (size_t k = 0; k < n; k++) {
            fields->of[k].is_len = chosen[k]->field.is_len;
            fields->of[k].path = sp_arena_copy(&f->arena, chosen[k]->field.path);
        }
        put_features(c, i, chosen, n, f);
    }
}

/* Begins with one kind of output a tool, and no features. */
static void choice_init(struct choice *c, const struct stepbook *b, const struct flow *f,
                        double alpha)
{
    uint32_t max_outputs = 0;

    *c = (struct choice){.book = b, .trail = stepbook_trail(b, f)};
    c->score = stepbook_score_new(b, c->trail.actions, f->n_actions + 1, alpha);
    c->kinds = sp_calloc(b->n_tools, sizeof *c->kinds);
    c->steps = sp_calloc(b->n_tools, sizeof(size_t *));
    for (size_t i = 0; i < b->n_tools; i++) {
        uint32_t n_outputs = b->tools[i].n_outputs;

        c->kinds[i].of = sp_calloc(n_outputs, sizeof *c->kinds[i].of);
        c->kinds[i].n = 1;
        c->steps[i] = sp_calloc(n_outputs, sizeof *c->steps[i]);
        max_outputs = n_outputs > max_outputs ? n_outputs : max_outputs;
    }
    for (size_t i = 0; i < b->n_steps; i++) {
        if (b->steps[i].output != STEPBOOK_NONE)
            c->steps[b->steps[i].tool][b->steps[i].output] = i;
    }
    c->features = sp_calloc(b->n_steps, sizeof *c->features);
    c->trial = sp_calloc(b->n_steps, sizeof *c->trial);
    c->tried = sp_calloc(max_outputs, sizeof *c->tried);
    c->texts = sp_calloc(max_outputs, sizeof *c->texts);
    c->numbers = sp_calloc((size_t)max_outputs * N_TEXTS, sizeof *c->numbers);
    find_candidates(c);
}

static void choice_deinit(struct choice *c)
{
    for (size_t i = 0; i < c->book->n_tools; i++) {
        free(c->kinds[i].of);
        free(c->steps[i]);
    }
    free(c->kinds);
    free(c->steps);
    free(c->features);
    free(c->trial);
    free(c->tried);
    free(c->texts);
    free(c->numbers);
    free(c->candidates);
    stepbook_score_free(c->score);
    stepbook_trail_deinit(&c->trail);
}

void stepbook_choose_features(const struct stepbook *b, struct flow *f, double alpha)
{
    struct choice c;
    struct candidate *best;
    double *gains;

    f->n_fields = f->n_features = 0;
    choice_init(&c, b, f, alpha);
    gains = sp_calloc(c.n_candidates, sizeof *gains);
    while (c.n_chosen < MAX_FIELDS) {
        try_all(&c, gains);
        best = best_of(&c, gains);
        if (best == NULL)
            break;
        choose(&c, best);
    }
    put_all(&c, f);
    free(gains);
    choice_deinit(&c);
}
