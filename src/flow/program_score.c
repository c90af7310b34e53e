/* Runs whose values are drawn or recorded. */

#include <math.h>

#include "base/sp_map.h"
#include "flow/program_score.h"

/* The first option, in the order of numbers, up to which the probabilities add up to `u`. */
static int64_t draw_option(const struct program_run *run, double u)
{
    int64_t n = (int64_t)program_run_stop(run)->n_options;
    double sum = 0;
    int64_t last = 0; /* the last that is possible, for what rounding leaves of 1 */

    for (int64_t option = 0; option < n; option++) {
        double p = program_run_chance(run, option);

        sum += p;
        if (sum >= u)
            return option;
        if (p > 0)
            last = option;
    }
    return last;
}

void program_simulate(struct program_run *run, program_draw_fn draw, void *data)
{
    for (;;) {
        switch (program_run_step(run)) {
        case PROGRAM_DECIDE:
            program_run_give(run, draw_option(run, draw(data)));
            break;
        case PROGRAM_OUTCOME:
            program_run_give(run, draw(data) < program_run_chance(run, 1));
            break;
        case PROGRAM_END:
            return;
        }
    }
}

/* Finds the recorded value of the site where the run waits; whether it is one it can have. */
static bool recorded(const struct program_run *run, enum program_dist dist,
                     const struct program_record *record, const struct sp_map *by_address,
                     int64_t *ret)
{
    const size_t *i = sp_map_find(by_address, program_run_stop(run)->address);

    if (i == NULL || record->sites[*i].dist != dist || record->sites[*i].value < 0 ||
        (uint64_t)record->sites[*i].value >= program_run_stop(run)->n_options)
        return false;
    *ret = record->sites[*i].value;
    return true;
}

bool program_replay(struct program_run *run, const struct program_record *record)
{
    struct sp_map by_address = {0};
    enum program_event event;

    for (size_t i = 0; i < record->n_sites; i++)
        *sp_map_put(&by_address, record->sites[i].address, NULL) = i;
    while ((event = program_run_step(run)) != PROGRAM_END) {
        int64_t value;

        if (!recorded(run, event == PROGRAM_DECIDE ? PROGRAM_DIST_DECIDE : PROGRAM_DIST_OUTCOME,
                      record, &by_address, &value))
            break;
        program_run_give(run, value);
    }
    sp_map_deinit(&by_address);
    return event == PROGRAM_END;
}

double program_score(const struct program *p, const struct program_model *m, uint64_t number,
                     const struct program_record *record)
{
    const struct program_data data = {
        .call = record->call,
        .number = number,
        .failed = record->failed,
        .max_lookups = record->max_lookups,
    };
    struct program_run *run = program_run_new(p, m, &data, PROGRAM_DRAW);
    double score = program_replay(run, record) ? program_run_score(run) : -INFINITY;

    program_run_free(run);
    return score;
}
