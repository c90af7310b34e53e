/*
 * A run as a machine that can stop at a site. Blocks under way lie on a stack of frames, so a run
 * that waits is only data; expressions never wait.
 *
 *     RUNNING ── at a site ──► WAITING        program_run_step()
 *     WAITING ── its value ──► RUNNING        program_run_give()
 *     RUNNING ── the program's end, or a limit ──► ENDED
 */

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/sp_map.h"
#include "flow/program_chances.h"
#include "flow/program_eval.h"

/* A loop or a branch takes at least two levels of the nesting, the program itself one more. */
#define MAX_FRAMES (PROGRAM_MAX_NESTING / 2 + 1)

/* A block under way. */
struct frame {
    const struct program_block *block;
    size_t at;                       /* the statement that is next */
    const struct program_stmt *loop; /* NULL if the block is not a loop's body */
    int64_t i;                       /* the loop's turn, and where it ends */
    int64_t end;
};

enum run_state {
    RUN_RUNNING,
    RUN_WAITING,
    RUN_ENDED,
};

struct program_run {
    const struct program *program;
    const struct program_model *model;
    enum program_mode mode;
    enum run_state state;
    uint64_t n_tools; /* numbers that tools have in this run */

    struct program_env env;
    struct frame frames[MAX_FRAMES];
    size_t n_frames;
    uint64_t n_statements; /* since the last site */
    bool is_cut;

    /* The site at which the run waits. */
    const struct program_stmt *sample;
    struct program_chances chances;
    struct program_stop stop;

    double likelihood; /* of outcomes and observations */
    double weight;     /* of decisions and factors */
    bool is_impossible;
    struct program_value value;

    struct program_record record;
    size_t max_sites;
    struct sp_map by_address; /* the index among the record's sites; spoilt by their sorting */
    struct sp_buf scratch;
    struct sp_arena arena;
};

static const struct program_value not_a_number = {.type = PROGRAM_REAL, .real = NAN};

struct program_run *program_run_new(const struct program *p, const struct program_model *m,
                                    const struct program_data *data, enum program_mode mode)
{
    struct program_run *run = sp_calloc(1, sizeof *run);
    struct program_value values[PROGRAM_N_DATA] = {
        [PROGRAM_SLOT_CALL] = {.type = PROGRAM_WHOLE, .whole = (int64_t)data->number},
        [PROGRAM_SLOT_CALL_FAILED] = {.type = PROGRAM_TRUTH, .truth = data->failed},
        [PROGRAM_SLOT_MAX_LOOKUPS] = {.type = PROGRAM_WHOLE, .whole = data->max_lookups},
    };

    assert(data->number <= m->n_tools && data->max_lookups >= 0);
    run->program = p;
    run->model = m;
    run->mode = mode;
    run->n_tools = m->n_tools + (data->number == m->n_tools);
    run->env.vars = sp_calloc(p->n_slots, sizeof *run->env.vars);
    for (size_t i = 0; i < PROGRAM_N_DATA; i++)
        program_var_set(&run->env, i, values[i]);
    run->frames[0].block = &p->body;
    run->n_frames = 1;
    run->value = not_a_number;
    run->record.call = sp_arena_copy(&run->arena, data->call);
    run->record.failed = data->failed;
    run->record.max_lookups = data->max_lookups;
    return run;
}

void program_run_free(struct program_run *run)
{
    if (run == NULL)
        return;
    for (size_t i = 0; i < run->program->n_slots; i++)
        free(run->env.vars[i].items);
    free(run->env.vars);
    sp_arena_deinit(&run->env.scratch);
    free(run->record.sites);
    sp_map_deinit(&run->by_address);
    sp_buf_deinit(&run->scratch);
    sp_arena_deinit(&run->arena);
    free(run);
}

/* An error of the program: the run goes on, and cannot have happened. */
static void fail(struct program_run *run)
{
    run->is_impossible = true;
}

static void end(struct program_run *run)
{
    run->state = RUN_ENDED;
    /* Without -0.0 for a likelihood of 0. */
    run->record.surprise = run->likelihood != 0 ? -run->likelihood : 0;
    program_record_sort(&run->record);
    sp_map_deinit(&run->by_address);
}

static struct frame *push(struct program_run *run, const struct program_block *block)
{
    struct frame *f = &run->frames[run->n_frames];

    assert(run->n_frames < MAX_FRAMES);
    run->n_frames++;
    *f = (struct frame){.block = block};
    return f;
}

/* Binds the loop's variable for a turn. */
static void start_turn(struct program_run *run, struct frame *f)
{
    program_var_set(&run->env, f->loop->slot,
                    (struct program_value){.type = PROGRAM_WHOLE, .whole = f->i});
    f->at = 0;
    run->env.work += 10; /* as the body may be empty */
}

/* Behind the last statement of a block. */
static void leave_block(struct program_run *run)
{
    struct frame *f = &run->frames[run->n_frames - 1];

    if (f->loop != NULL && ++f->i < f->end)
        start_turn(run, f);
    else
        run->n_frames--;
}

static void do_bind(struct program_run *run, const struct program_stmt *s)
{
    struct program_value v = not_a_number;

    if (!program_eval(&run->env, &s->value, &v))
        fail(run);
    program_var_set(&run->env, s->slot, v);
}

static void do_factor(struct program_run *run, const struct program_stmt *s)
{
    double logw;

    if (program_eval_real(&run->env, &s->value, &logw))
        run->weight += logw;
    else
        fail(run);
}

static void do_for(struct program_run *run, const struct program_stmt *s)
{
    int64_t from, to;

    if (!program_eval_whole(&run->env, &s->value, &from) ||
        !program_eval_whole(&run->env, &s->end, &to)) {
        fail(run);
    } else if (from < to) {
        struct frame *f = push(run, &s->body);

        f->loop = s;
        f->i = from;
        f->end = to;
        start_turn(run, f);
    }
}

static void do_if(struct program_run *run, const struct program_stmt *s)
{
    bool is_true;

    if (program_eval_truth(&run->env, &s->value, &is_true))
        (void)push(run, is_true ? &s->body : &s->other);
    else
        fail(run);
}

static void do_break(struct program_run *run)
{
    while (run->frames[--run->n_frames].loop == NULL)
        ;
}

/* Evaluates a distribution; whether there is one. */
static bool eval_dist(struct program_run *run, const struct program_term *term,
                      struct program_chances *ret)
{
    enum program_dist dist = (enum program_dist)program_dist_of(term->name);
    int64_t tool;
    bool failed = false;

    if (!program_eval_whole(&run->env, &term->args[0], &tool) || tool < 0 ||
        (uint64_t)tool >= run->n_tools)
        return false;
    if (dist == PROGRAM_DIST_DECIDE && !program_eval_truth(&run->env, &term->args[1], &failed))
        return false;
    run->env.work += run->model->n_reads;
    return program_chances_init(ret, run->model, dist, (uint64_t)tool, failed);
}

/* The value that is observed: of a decision a tool's number, of an outcome a truth value. */
static bool eval_observed(struct program_run *run, const struct program_expr *e,
                          enum program_dist dist, int64_t *ret)
{
    bool is_true;

    if (dist == PROGRAM_DIST_DECIDE)
        return program_eval_whole(&run->env, e, ret) && *ret >= 0;
    if (!program_eval_truth(&run->env, e, &is_true))
        return false;
    *ret = is_true;
    return true;
}

static void do_observe(struct program_run *run, const struct program_stmt *s)
{
    struct program_chances chances;
    int64_t value;

    sp_buf_clear(&run->scratch);
    if (program_eval_addr(&run->env, &s->addr, &run->scratch) &&
        eval_dist(run, &s->dist, &chances) && eval_observed(run, &s->value, chances.dist, &value))
        run->likelihood += log(program_chances_of(&chances, run->model, value));
    else
        fail(run);
}

/* Lists a site, or lists it anew if it was sampled before. */
static void note_site(struct program_run *run, const struct program_site *site)
{
    struct program_record *r = &run->record;
    bool is_new;
    size_t *i = sp_map_put(&run->by_address, site->address, &is_new);

    if (is_new) {
        if (r->n_sites == run->max_sites) {
            run->max_sites = run->max_sites > 0 ? 2 * run->max_sites : 16;
            r->sites = sp_realloc(r->sites, run->max_sites * sizeof *r->sites);
        }
        *i = r->n_sites++;
    }
    r->sites[*i] = *site;
}

/* Binds what was sampled. */
static void bind_sample(struct program_run *run, const struct program_stmt *s,
                        enum program_dist dist, int64_t value)
{
    struct program_value v = {.type = PROGRAM_WHOLE, .whole = value};

    if (dist == PROGRAM_DIST_OUTCOME)
        v = (struct program_value){.type = PROGRAM_TRUTH, .truth = value != 0};
    program_var_set(&run->env, s->slot, v);
}

static void do_sample(struct program_run *run, const struct program_stmt *s)
{
    enum program_dist dist = (enum program_dist)program_dist_of(s->dist.name);
    struct program_site site = {.dist = dist};

    sp_buf_clear(&run->scratch);
    if (!program_eval_addr(&run->env, &s->addr, &run->scratch)) {
        fail(run);
        bind_sample(run, s, dist, 0);
        return;
    }
    site.address = sp_arena_copy(&run->arena, sp_buf_str(&run->scratch));
    run->env.work += 1000 + site.address.len;
    run->n_statements = 0;
    if (!eval_dist(run, &s->dist, &run->chances)) {
        /* All probability is on 0 or false, whose logarithm is 0. */
        fail(run);
        note_site(run, &site);
        bind_sample(run, s, dist, 0);
        return;
    }
    run->sample = s;
    run->stop = (struct program_stop){
        .address = site.address,
        .tool = run->chances.tool,
        .failed = run->chances.failed,
        .n_options = dist == PROGRAM_DIST_DECIDE ? run->model->n_reads + 1 : 2,
    };
    run->state = RUN_WAITING;
}

static void do_statement(struct program_run *run, const struct program_stmt *s)
{
    switch (s->verb) {
    case PROGRAM_SAMPLE:
        do_sample(run, s);
        break;
    case PROGRAM_LET:
    case PROGRAM_ASSIGN:
        do_bind(run, s);
        break;
    case PROGRAM_OBSERVE:
        do_observe(run, s);
        break;
    case PROGRAM_FACTOR:
        do_factor(run, s);
        break;
    case PROGRAM_FOR:
        do_for(run, s);
        break;
    case PROGRAM_IF:
        do_if(run, s);
        break;
    case PROGRAM_BREAK:
        do_break(run);
        break;
    case PROGRAM_N_VERBS:
        break;
    }
}

/* Behind the last statement of the program. */
static void do_ret(struct program_run *run)
{
    if (!program_eval(&run->env, &run->program->ret, &run->value))
        fail(run);
    end(run);
}

/* Makes the next statement, or leaves the block that has no more. */
static void advance(struct program_run *run)
{
    struct frame *f = &run->frames[run->n_frames - 1];

    if (f->at == f->block->n) {
        leave_block(run);
        return;
    }
    run->n_statements++;
    run->env.work++;
    if (run->n_statements <= PROGRAM_MAX_STATEMENTS)
        do_statement(run, &f->block->of[f->at++]);
    sp_arena_deinit(&run->env.scratch);
}

enum program_event program_run_step(struct program_run *run)
{
    while (run->state == RUN_RUNNING) {
        if (run->n_frames == 0) {
            do_ret(run);
            break;
        }
        advance(run);
        if (run->n_statements > PROGRAM_MAX_STATEMENTS || run->env.work > PROGRAM_MAX_WORK) {
            run->is_cut = true;
            end(run);
        }
    }
    if (run->state == RUN_ENDED)
        return PROGRAM_END;
    return run->chances.dist == PROGRAM_DIST_DECIDE ? PROGRAM_DECIDE : PROGRAM_OUTCOME;
}

const struct program_stop *program_run_stop(const struct program_run *run)
{
    assert(run->state == RUN_WAITING);
    return &run->stop;
}

double program_run_chance(const struct program_run *run, int64_t value)
{
    assert(run->state == RUN_WAITING);
    return program_chances_of(&run->chances, run->model, value);
}

void program_run_give(struct program_run *run, int64_t value)
{
    enum program_dist dist = run->chances.dist;
    struct program_site site = {.address = run->stop.address, .dist = dist, .value = value};

    assert(run->state == RUN_WAITING);
    assert(value >= 0 && (uint64_t)value < run->stop.n_options);
    if (dist == PROGRAM_DIST_OUTCOME || run->mode == PROGRAM_DRAW)
        site.logp = log(program_chances_of(&run->chances, run->model, value));
    if (dist == PROGRAM_DIST_OUTCOME)
        run->likelihood += site.logp;
    else
        run->weight += site.logp;
    note_site(run, &site);
    bind_sample(run, run->sample, dist, value);
    run->state = RUN_RUNNING;
}

bool program_run_is_cut(const struct program_run *run)
{
    return run->is_cut;
}

struct program_value program_run_value(const struct program_run *run)
{
    return run->value;
}

double program_run_score(const struct program_run *run)
{
    /* Factors may be NaN, or infinite with either sign. */
    double score = run->likelihood + run->weight;

    return run->is_impossible || isnan(score) ? -INFINITY : score;
}

const struct program_record *program_run_record(const struct program_run *run)
{
    assert(run->state == RUN_ENDED);
    return &run->record;
}
