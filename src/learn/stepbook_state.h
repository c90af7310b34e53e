#pragma once

/*
 * What a stepbook holds, for the files that work on it and their tests. Nobody else includes this.
 *
 * A field of an output is found by walking the output, its text is what reading the field's path
 * gives. Both agree but for names with a "." in them, which no path reaches, and for the empty name
 * of a member of the output, whose path means the output itself. These give no field: their texts
 * would all be STEPS_NOTHING, and so never worth a feature.
 */

#include <math.h>

#include "base/sp_alloc.h"
#include "flow/steps.h"
#include "learn/stepbook.h"

/* No tool, no output. */
#define STEPBOOK_NONE UINT32_MAX

/* The most texts that a field may take to be worth a feature. */
#define STEPBOOK_MAX_TEXTS 8

/* How many symbols a history has. */
#define STEPBOOK_ORDER 2

struct stepbook_step {
    uint32_t tool;    /* its number; STEPBOOK_NONE: a message to the customer */
    uint32_t output;  /* its number among the tool's outputs; STEPBOOK_NONE: it has none */
    uint8_t outcome;  /* an enum steps_outcome */
    uint8_t fold;     /* of its session */
    uint8_t n_before; /* the steps before it in its session, STEPBOOK_ORDER at most */
};

/* One output's text of a field. */
struct stepbook_value {
    uint32_t output;
    uint8_t text; /* from 1 */
};

/*
 * The texts of a field over a tool's outputs, in no more room than those take that have it: every
 * other output has STEPS_NOTHING, the text 0. One that took too many texts keeps none.
 */
struct stepbook_column {
    struct sp_str *texts; /* text i is texts[i - 1]; NULL when n_texts is 0 */
    struct stepbook_value *values;
    uint32_t n_values;
    uint32_t max_values;
    uint8_t n_texts;
    bool is_dropped;
};

/* The two fields that a path can be. */
struct stepbook_place {
    struct sp_str path;
    uint64_t walk; /* the last walk of an output that came by */
    struct stepbook_column scalar;
    struct stepbook_column len;
};

struct stepbook_tool {
    struct sp_str name;
    uint32_t n_outputs;
    struct stepbook_place *places; /* in the order in which they were met */
    size_t n_places;
    size_t max_places;
    struct sp_map by_path;
};

/* A field that the output at hand has. */
struct stepbook_met {
    size_t place;
    bool is_len;
    struct sp_str value;
};

struct stepbook {
    struct stepbook_step *steps;
    size_t n_steps;
    size_t max_steps;
    struct stepbook_tool *tools;
    size_t n_tools;
    size_t max_tools;
    struct sp_map by_tool;
    struct sp_arena arena; /* names and paths */

    uint64_t n_walks; /* of outputs */
    struct stepbook_met *met;
    size_t n_met;
    size_t max_met;
    struct sp_buf path; /* scratch, as the next */
    struct sp_buf text;
};

/* Makes room for one more element of an array that doubles. */
#define STEPBOOK_GROW(array, n, max)                                        \
    do {                                                                    \
        if ((n) == (max)) {                                                 \
            (max) = (max) > 0 ? 2 * (max) : 4;                              \
            (array) = sp_realloc((array), (size_t)(max) * sizeof *(array)); \
        }                                                                   \
    } while (0)

/* Sets the text of every output of a tool in a column. */
void stepbook_column_texts(const struct stepbook_column *column, uint32_t n_outputs, uint8_t *ret);

/* The bytes of a text of a column. */
static inline struct sp_str stepbook_text(const struct stepbook_column *column, uint8_t text)
{
    return text > 0 ? column->texts[text - 1] : STEPS_NOTHING;
}

/* The steps as a flow sees them. */
struct stepbook_trail {
    const struct stepbook *book;
    uint32_t *actions;
    uint32_t *symbols;
};

/* f: with features, they are those chosen from the book. */
struct stepbook_trail stepbook_trail(const struct stepbook *b, const struct flow *f);
void stepbook_trail_deinit(struct stepbook_trail *t);

/* A step and the history that it is ordered by. */
struct stepbook_behind {
    uint64_t history; /* the older symbol first: in the upper half */
    size_t step;
};

/*
 * Gives all steps ordered by their histories of `n` symbols, those with the same in their own
 * order; the caller's.
 */
struct stepbook_behind *stepbook_by_history(const struct stepbook *b, const uint32_t *symbols,
                                            unsigned n);

/* The logarithm of a product of many chances, most of them multiplied before it is taken. */
struct stepbook_log {
    double product; /* 1 at first */
    double sum;
};

static inline void stepbook_log_add(struct stepbook_log *l, double chance)
{
    if (chance < 1e-100) {
        l->sum += log(chance);
        return;
    }
    l->product *= chance;
    if (l->product < 1e-200) {
        l->sum += log(l->product);
        l->product = 1;
    }
}

static inline double stepbook_log_sum(const struct stepbook_log *l)
{
    return l->sum + log(l->product);
}
