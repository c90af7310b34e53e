/*
 * A session replayed.
 *
 *  1. Recorded events come one by one. At the result of a call that is the session's last step, the
 *     flow's program runs, as it would have behind that call.
 *  2. A lookup that it chooses is a hit if the agent makes the same call later on, before its next
 *     write, and gets a result: then the lookup takes that result, and the recorded call falls away
 *     when it comes.
 *  3. Otherwise it is a detour. What it would have returned nobody knows, so the run ends; but the
 *     flow would have made it, so it does not choose it again.
 */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "flow/predict.h"
#include "flow/toolmodel.h"
#include "json/jcanon.h"
#include "json/jput.h"
#include "learn/replay.h"
#include "learn/replay_now.h"

struct replay {
    const struct replay_options *options;
    const struct episode *recorded;
    struct replay_now now;
    struct toolmodel tools;
    struct replay_counts counts;
    struct sp_buf *lines;
    struct episode_call *detours; /* of the session; the texts are in the arena */
    size_t n_detours;
    size_t max_detours;
    size_t write; /* the first recorded turn with a write, from where the replay is */
    struct sp_arena arena;
};

/* A run of the program. */
struct run {
    size_t at;             /* the index of the result behind which it runs */
    struct sp_str after;   /* the id of the agent's call */
    struct sp_str call_id; /* of the call that returned last: the agent's, or a lookup */
    struct program_run *program;
    uint64_t n_lookups;
    struct episode_call *pending; /* not to be proposed */
    size_t n_pending;
    const struct episode_call *hit; /* the recorded call that a lookup to be made answers; NULL */
    const struct episode_event *result; /* its */
};

/* ---- recorded calls ---- */

static bool has_write(const struct flow *flow, const struct episode_event *event)
{
    for (size_t i = 0; i < event->n_calls; i++) {
        const struct flow_kind *kind = flow_kind_of(flow, event->calls[i].name);

        if (kind != NULL && kind->kind == MANIFEST_WRITE)
            return true;
    }
    return false;
}

/* The end of what a lookup may answer behind the event at index `at`. */
static size_t window_end(struct replay *r, size_t at)
{
    if (r->write <= at)
        r->write = at + 1;
    while (r->write < r->recorded->n_events &&
           !has_write(r->options->flow, &r->recorded->events[r->write]))
        r->write++;
    return r->write;
}

static const struct episode_event *find_result(const struct replay *r, struct sp_str call_id,
                                               size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const struct episode_event *event = &r->recorded->events[i];

        if (event->kind == EPISODE_RESULT && sp_str_eq(event->call_id, call_id))
            return event;
    }
    return NULL;
}

/* Finds the recorded call that a lookup answers; whether there is one. */
static bool find_hit(struct replay *r, struct run *run, struct sp_str tool, struct sp_str arguments)
{
    size_t end = window_end(r, run->at);

    for (size_t i = run->at + 1; i < end; i++) {
        const struct episode_event *event = &r->recorded->events[i];

        for (size_t k = 0; k < event->n_calls; k++) {
            const struct episode_call *call = &event->calls[k];
            const struct episode_event *result;

            if (!sp_str_eq(call->name, tool) || !sp_str_eq(call->arguments, arguments) ||
                replay_now_is_covered(&r->now, call->id))
                continue;
            result = find_result(r, call->id, run->at + 1, end);
            if (result == NULL)
                continue;
            run->hit = call;
            run->result = result;
            return true;
        }
    }
    return false;
}

/* ---- lines ---- */

static void put_text(struct sp_buf *b, const char *name, struct sp_str text)
{
    sp_buf_addf(b, "\"%s\":", name);
    jput_string(b, text);
}

enum made { NOT_MADE, MADE_HIT, MADE_DETOUR };

static void put_decision(struct replay *r, const struct run *run, const struct decide *d,
                         struct sp_str key, enum made made)
{
    struct decide_context context = {.key = key};
    struct sp_buf line = {0};

    if (r->lines == NULL)
        return;
    sp_buf_add_char(&line, '{');
    put_text(&line, "address", program_run_stop(run->program)->address);
    sp_buf_add_char(&line, ',');
    put_text(&line, "after", run->after);
    sp_buf_add_char(&line, ',');
    put_text(&line, "session", r->recorded->id);
    if (made != NOT_MADE)
        sp_buf_addf(&line, ",\"hit\":%s", made == MADE_HIT ? "true" : "false");
    sp_buf_add_char(&line, ',');
    decide_put_record(d, &context, &line);
    sp_buf_add_char(&line, '}');
    jcanon(r->lines, sp_buf_str(&line)); /* brings the members into their order */
    sp_buf_add_char(r->lines, '\n');
    sp_buf_deinit(&line);
}

static void put_run(const struct replay *r, const struct run *run)
{
    if (r->lines == NULL)
        return;
    sp_buf_add_char(r->lines, '{');
    put_text(r->lines, "after", run->after);
    sp_buf_add(r->lines, SP_STR(",\"run\":"));
    program_record_put(r->lines, program_run_record(run->program));
    sp_buf_add_char(r->lines, ',');
    put_text(r->lines, "session", r->recorded->id);
    sp_buf_add(r->lines, SP_STR("}\n"));
}

/* ---- decisions ---- */

/* The number of the lookup that was decided on; 0 if none is made. */
static uint64_t lookup_number(struct replay *r, const struct decide *d, enum decide_outcome outcome)
{
    const struct flow_kind *kind;
    uint64_t number;

    if (outcome != DECIDE_LOOKUP)
        return 0;
    kind = flow_kind_of(r->options->flow, decide_tool(d));
    if (kind == NULL || kind->kind != MANIFEST_READ)
        return 0;
    number = toolmodel_number(&r->tools, decide_tool(d));
    return number <= r->options->flow->sites.n_reads ? number : 0;
}

static void add_detour(struct replay *r, const struct decide *d)
{
    if (r->n_detours == r->max_detours) {
        r->max_detours = r->max_detours > 0 ? 2 * r->max_detours : 8;
        r->detours = sp_realloc(r->detours, r->max_detours * sizeof *r->detours);
    }
    r->detours[r->n_detours++] = (struct episode_call){
        .name = sp_arena_copy(&r->arena, decide_tool(d)),
        .arguments = sp_arena_copy(&r->arena, decide_arguments(d)),
    };
}

/* Counts a lookup that is made; whether it is a hit or a detour. */
static enum made make(struct replay *r, struct run *run, const struct decide *d)
{
    r->counts.lookups++;
    run->n_lookups++;
    if (find_hit(r, run, decide_tool(d), decide_arguments(d))) {
        r->counts.hits++;
        return MADE_HIT;
    }
    r->counts.detours++;
    add_detour(r, d);
    return MADE_DETOUR;
}

static enum decide_outcome begin_decision(struct replay *r, const struct run *run,
                                          struct decide **ret)
{
    struct decide_options options = {
        .decider = r->options->decider,
        .threshold = r->options->threshold,
        .recall = &r->now.recall,
    };
    struct episode_view view;

    replay_now_view(&r->now, run->call_id, &view);
    replay_now_see(&r->now, r->options->flow, &view);
    episode_view_deinit(&view);
    view = episode_view_whole(&r->now.seen);
    view.pending = run->pending;
    view.n_pending = run->n_pending;
    return decide_begin(r->options->flow, &options, r->now.bind, &view, ret);
}

/* Decides where the program waits; whether the run goes on. */
static bool decide(struct replay *r, struct run *run)
{
    struct sp_str key = {0};
    struct decide *d;
    enum decide_outcome outcome;
    enum made made = NOT_MADE;
    uint64_t number;

    if (run->n_lookups >= r->options->per_call) {
        program_run_give(run->program, 0);
        return true;
    }
    outcome = begin_decision(r, run, &d);
    if (outcome == DECIDE_ASKS &&
        !ask_decide(r->options->ask, r->options->ask_data, d, &key, &outcome))
        r->counts.unanswered++;
    number = lookup_number(r, d, outcome);
    if (number > 0)
        made = make(r, run, d);
    put_decision(r, run, d, key, made);
    decide_free(d);
    program_run_give(run->program, (int64_t)number);
    return made != MADE_DETOUR;
}

/* Makes the lookup that was chosen, if there is one. */
static void look_up(struct replay *r, struct run *run)
{
    if (run->hit == NULL) {
        program_run_give(run->program, false);
        return;
    }
    run->call_id = replay_now_look_up(&r->now, run->hit, run->result);
    program_run_give(run->program, !run->result->is_error);
    run->hit = NULL;
}

static void go(struct replay *r, struct run *run)
{
    for (;;) {
        switch (program_run_step(run->program)) {
        case PROGRAM_DECIDE:
            if (!decide(r, run))
                return;
            break;
        case PROGRAM_OUTCOME:
            look_up(r, run);
            break;
        case PROGRAM_END:
            put_run(r, run);
            return;
        }
    }
}

/* The run behind the result at index `at`. */
static void run_program(struct replay *r, size_t at)
{
    struct run run = {.at = at, .after = r->recorded->events[at].call_id};
    uint64_t per_call = r->options->per_call;
    struct episode_view view;
    struct predict_site site;

    run.call_id = run.after;
    replay_now_view(&r->now, run.after, &view);
    (void)predict_site(&view, &r->arena, &site); /* the last step is the call */
    run.pending = sp_calloc(view.n_pending + r->n_detours, sizeof *run.pending);
    run.n_pending = replay_now_pending(&r->now, &view, run.pending);
    episode_view_deinit(&view);
    for (size_t i = 0; i < r->n_detours; i++)
        run.pending[run.n_pending++] = r->detours[i];
    run.program =
        program_run_new(r->options->flow->program, &r->tools.base,
                        &(struct program_data){
                            .call = site.prev,
                            .number = toolmodel_number(&r->tools, site.prev),
                            .failed = site.failed,
                            .max_lookups = per_call < INT64_MAX ? (int64_t)per_call : INT64_MAX,
                        },
                        PROGRAM_EXECUTE);
    go(r, &run);
    r->counts.cut += program_run_is_cut(run.program);
    program_run_free(run.program);
    free(run.pending);
}

/* ---- the session ---- */

static void count_recorded(struct replay *r)
{
    for (size_t i = 0; i < r->recorded->n_events; i++) {
        const struct episode_event *event = &r->recorded->events[i];
        bool is_saved = event->n_calls > 0;

        for (size_t k = 0; k < event->n_calls; k++)
            is_saved = is_saved && replay_now_is_covered(&r->now, event->calls[k].id);
        r->counts.turns += event->kind == EPISODE_ASSISTANT;
        r->counts.calls += event->n_calls;
        r->counts.saved += is_saved;
    }
}

struct replay_counts replay_session(const struct replay_options *options, struct turns *turns,
                                    struct sp_buf *lines)
{
    struct replay r = {.options = options, .recorded = turns_episode(turns), .lines = lines};

    replay_now_init(&r.now, turns, options->flow);
    toolmodel_init(&r.tools, options->flow);
    for (size_t i = 0; i < r.recorded->n_events; i++) {
        if (replay_now_take(&r.now, i))
            run_program(&r, i);
    }
    count_recorded(&r);
    toolmodel_deinit(&r.tools);
    replay_now_deinit(&r.now);
    sp_arena_deinit(&r.arena);
    free(r.detours);
    return r.counts;
}

void replay_add(struct replay_counts *sum, const struct replay_counts *more)
{
    sum->calls += more->calls;
    sum->turns += more->turns;
    sum->lookups += more->lookups;
    sum->hits += more->hits;
    sum->detours += more->detours;
    sum->saved += more->saved;
    sum->unanswered += more->unanswered;
    sum->cut += more->cut;
}
