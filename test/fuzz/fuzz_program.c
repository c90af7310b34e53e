/*
 * Reads a program, and holds what comes of it against the contract: it is written as it was read,
 * it runs to an end whatever it is given, and its record says the same when it is read and run
 * again.
 *
 * Input: the program's JSON; the bytes behind the last LF, if there is one, are the values that the
 * run is given.
 */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/sp_map.h"
#include "flow/program_score.h"
#include "json/jscan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Counts that differ from tool to tool. */
static double total(const struct program_model *m, uint64_t tool, bool failed)
{
    require(tool <= m->n_tools);
    return failed ? 1.5 * (double)tool : 9;
}

static double count(const struct program_model *m, uint64_t tool, bool failed, uint64_t read)
{
    require(tool <= m->n_tools && read >= 1 && read <= m->n_reads);
    return failed ? 0 : (double)tool + 0.5 * (double)read;
}

static bool offers(const struct program_model *m, uint64_t tool, bool failed, uint64_t read)
{
    require(tool <= m->n_tools && read >= 1 && read <= m->n_reads);
    return !failed && (tool + read) % 2 == 0;
}

static const struct program_model model = {3, 5, total, count, offers};

static struct program *parse(struct sp_str text)
{
    struct program *p;
    struct sp_err err;
    struct jscan scan;

    if (!jscan(text, JSCAN_MAX_DEPTH, &scan))
        return NULL;
    if (program_parse(scan.value, &p, &err) != 0) {
        require(sp_str_starts(sp_str_of(err.text), SP_STR("the flow's program: ")));
        return NULL;
    }
    return p;
}

static void check_text(const struct program *p)
{
    struct sp_buf text = {0};
    struct sp_buf again = {0};
    struct program *q;

    program_put(&text, p);
    q = parse(sp_buf_str(&text));
    require(q != NULL);
    program_put(&again, q);
    require(sp_str_eq(sp_buf_str(&text), sp_buf_str(&again)));
    require(program_is_standard(p) == program_is_standard(q));
    program_free(q);
    sp_buf_deinit(&text);
    sp_buf_deinit(&again);
}

static void check_same(const struct program_record *a, const struct program_record *b)
{
    struct sp_buf x = {0};
    struct sp_buf y = {0};

    program_record_put(&x, a);
    program_record_put(&y, b);
    require(sp_str_eq(sp_buf_str(&x), sp_buf_str(&y)));
    sp_buf_deinit(&x);
    sp_buf_deinit(&y);
}

/*
 * Whether the record says all of its run: the values given, each at an address of its own.
 * A value is kept doubled, with its distribution added.
 */
static bool says_all(const struct program_run *run, const struct sp_map *given, size_t n_draws)
{
    const struct program_record *r = program_run_record(run);

    for (size_t i = 0; i < r->n_sites; i++) {
        const size_t *value = sp_map_find(given, r->sites[i].address);

        if (value == NULL || *value != (size_t)r->sites[i].value * 2 + r->sites[i].dist)
            return false;
    }
    return r->n_sites == n_draws && !program_run_is_cut(run);
}

/* The record is read as it was written, and gives its run again if it says all of it. */
static void check_record(const struct program *p, const struct program_data *data,
                         const struct program_run *run, bool is_whole)
{
    const struct program_record *r = program_run_record(run);
    struct sp_arena arena = {0};
    struct sp_buf text = {0};
    struct program_record read;
    struct program_run *again;
    struct sp_err err;
    struct jscan scan;

    program_record_put(&text, r);
    require(jscan(sp_buf_str(&text), JSCAN_MAX_DEPTH, &scan));
    require(program_record_read(&arena, scan.value, &read, &err) == 0);
    check_same(r, &read);
    if (is_whole) {
        double score = program_run_score(run);

        again = program_run_new(p, &model, data, PROGRAM_DRAW);
        require(program_replay(again, &read));
        check_same(r, program_run_record(again));
        require(program_run_score(again) == score);
        require(program_score(p, &model, data->number, &read) == score);
        program_run_free(again);
    }
    sp_arena_deinit(&arena);
    sp_buf_deinit(&text);
}

static void check_run(const struct program *p, struct sp_str values)
{
    const struct program_data data = {
        .call = SP_STR("tool"),
        .number = values.len % 6,
        .failed = values.len % 4 == 3,
        .max_lookups = 4,
    };
    struct program_run *run = program_run_new(p, &model, &data, PROGRAM_DRAW);
    struct sp_map given = {0};
    size_t n_draws = 0;
    enum program_event event;

    while ((event = program_run_step(run)) != PROGRAM_END) {
        uint64_t n = program_run_stop(run)->n_options;
        uint64_t value = values.len > 0 ? (unsigned char)values.p[n_draws % values.len] : 0;
        double sum = 0;

        require(n > 0);
        for (uint64_t i = 0; i < n; i++)
            sum += program_run_chance(run, (int64_t)i);
        require(fabs(sum - 1) < 1e-9);
        *sp_map_put(&given, program_run_stop(run)->address, NULL) =
            (size_t)(value % n) * 2 + (event == PROGRAM_OUTCOME);
        program_run_give(run, (int64_t)(value % n));
        n_draws++;
    }
    check_record(p, &data, run, says_all(run, &given, n_draws));
    sp_map_deinit(&given);
    program_run_free(run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sp_str input = {(const char *)data, size};
    size_t end = size;
    struct program *p;

    while (end > 0 && input.p[end - 1] != '\n')
        end--;
    p = parse(sp_str_sub(input, 0, end > 0 ? end - 1 : size));
    if (p == NULL)
        return 0;
    check_text(p);
    check_run(p, sp_str_sub(input, end > 0 ? end : size, size));
    program_free(p);
    return 0;
}
