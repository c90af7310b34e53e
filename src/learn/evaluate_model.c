/* What options bring, predicted by the means of those that were taken. */

#include <stdlib.h>

#include "learn/evaluate_state.h"

/* Stands for every site. */
#define ANY_SITE SIZE_MAX

struct key {
    size_t site;
    size_t tool;
};

static struct sp_str key_bytes(const struct key *key)
{
    return (struct sp_str){(const char *)key, sizeof *key};
}

static void add(struct evaluate_model *m, struct key key, const double *values,
                struct sp_arena *arena)
{
    size_t *at = sp_map_find(&m->map, key_bytes(&key));
    struct evaluate_cell *cell;

    if (at == NULL) {
        at = sp_map_put(&m->map, sp_arena_copy(arena, key_bytes(&key)), NULL);
        *at = m->n_cells;
        if (m->n_cells == m->max_cells) {
            m->max_cells = m->n_cells > 0 ? 2 * m->n_cells : 16;
            m->cells = sp_realloc(m->cells, m->max_cells * sizeof *m->cells);
        }
        m->cells[m->n_cells++] = (struct evaluate_cell){0};
    }
    cell = &m->cells[*at];
    for (size_t i = 0; i < EVALUATE_N_MEASURES; i++)
        cell->sums[i] += values[i];
    cell->n++;
}

void evaluate_model_add(struct evaluate_model *m, size_t site, size_t tool, const double *values,
                        struct sp_arena *arena)
{
    add(m, (struct key){site, tool}, values, arena);
    add(m, (struct key){ANY_SITE, tool}, values, arena);
}

static const struct evaluate_cell *find(const struct evaluate_model *m, struct key key)
{
    const size_t *at = sp_map_find(&m->map, key_bytes(&key));

    return at != NULL ? &m->cells[*at] : NULL;
}

void evaluate_model_predict(const struct evaluate_model *m, size_t site, size_t tool,
                            double *ret_values)
{
    static const struct evaluate_cell detour = {
        .sums = {[EVALUATE_LOOKUPS] = 1, [EVALUATE_DETOURS] = 1},
        .n = 1,
    };
    const struct evaluate_cell *cell = find(m, (struct key){site, tool});

    if (cell == NULL)
        cell = find(m, (struct key){ANY_SITE, tool});
    if (cell == NULL)
        cell = &detour;
    for (size_t i = 0; i < EVALUATE_N_MEASURES; i++)
        ret_values[i] = cell->sums[i] / (double)cell->n;
}

void evaluate_model_deinit(struct evaluate_model *m)
{
    sp_map_deinit(&m->map);
    free(m->cells);
}
