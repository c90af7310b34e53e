/* The counting of an audit. */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "guard/audit_tally.h"

struct audit *audit_new(const struct guard_domain *domain)
{
    struct audit *a = sp_calloc(1, sizeof *a);

    a->domain = domain;
    a->rules = sp_calloc(domain->n_rules, sizeof *a->rules);
    for (size_t i = 0; i < domain->n_rules; i++)
        a->rules[i].rule = &domain->rules[i];
    return a;
}

void audit_free(struct audit *a)
{
    if (a == NULL)
        return;
    free(a->rules);
    free(a->tasks);
    sp_map_deinit(&a->tasks_by_id);
    sp_arena_deinit(&a->arena);
    free(a);
}

static struct audit_task *task_of(struct audit *a, struct sp_str id)
{
    size_t *at = sp_map_find(&a->tasks_by_id, id);

    if (at != NULL)
        return &a->tasks[*at];
    if (a->n_tasks == a->max_tasks) {
        a->max_tasks = a->max_tasks > 0 ? 2 * a->max_tasks : 16;
        a->tasks = sp_realloc(a->tasks, a->max_tasks * sizeof *a->tasks);
    }
    a->tasks[a->n_tasks] = (struct audit_task){.id = sp_arena_copy(&a->arena, id)};
    *sp_map_put(&a->tasks_by_id, a->tasks[a->n_tasks].id, NULL) = a->n_tasks;
    return &a->tasks[a->n_tasks++];
}

/* One episode while it is counted. */
struct round {
    struct audit *audit;
    const struct episode *episode;
    enum audit_side side;
    size_t number;              /* of the episode, from 1 */
    struct guard_facts facts;   /* before the turn that is looked at */
    struct sp_map last_results; /* call id -> index of its last result */
    bool is_refused;            /* an enforced rule fails an accepted call */
};

static void keep_alarm(struct round *r, struct audit_rule *rule, struct sp_str reason)
{
    struct sp_arena *arena = &r->audit->arena;

    if (r->side != AUDIT_SUCCESSFUL || rule->n_alarms == AUDIT_MAX_ALARMS)
        return;
    rule->alarms[rule->n_alarms++] = (struct audit_alarm){
        .episode = sp_arena_copy(arena, r->episode->id),
        .task = sp_arena_copy(arena, r->episode->task_id),
        .reason = sp_arena_copy(arena, reason),
    };
}

/* A rule fails a call that the tool accepted. */
static void count_failing(struct round *r, const struct guard_verdict *verdict)
{
    struct audit_rule *rule = &r->audit->rules[verdict->rule - r->audit->domain->rules];

    if (rule->failed_in != r->number)
        rule->episodes_failed[r->side]++;
    rule->failed_in = r->number;
    r->is_refused |= rule->rule->is_enforced;
    keep_alarm(r, rule, verdict->reason);
}

static bool is_refused_by_tool(const struct round *r, struct sp_str call_id)
{
    const size_t *result = sp_map_find(&r->last_results, call_id);

    return result != NULL && r->episode->events[*result].is_error;
}

static void count_call(struct round *r, const struct episode_call *call)
{
    struct audit *a = r->audit;
    bool is_refused = is_refused_by_tool(r, call->id);
    size_t group = is_refused ? (size_t)AUDIT_REFUSED_BY_TOOL : (size_t)r->side;
    struct guard_checked checked;

    a->n_refused += is_refused;
    a->n_accepted += !is_refused;
    guard_check(a->domain, &r->facts, call->name, call->arguments, &checked);
    for (size_t i = 0; i < checked.n_verdicts; i++) {
        const struct guard_verdict *verdict = &checked.verdicts[i];

        a->rules[verdict->rule - a->domain->rules].verdicts[group][verdict->outcome]++;
        if (verdict->outcome == GUARD_FAIL && !is_refused)
            count_failing(r, verdict);
    }
    guard_checked_deinit(&checked);
}

/* The calls of a turn do not see each other; the facts are those of the events before it. */
static void count_turn(struct round *r, size_t turn)
{
    const struct episode_event *event = &r->episode->events[turn];
    bool is_ready = false;

    for (size_t i = 0; i < event->n_calls; i++) {
        if (!guard_names(r->audit->domain, event->calls[i].name))
            continue;
        if (!is_ready)
            guard_facts_update(&r->facts, r->episode, turn);
        is_ready = true;
        count_call(r, &event->calls[i]);
    }
}

void audit_add(struct audit *a, const struct episode *e)
{
    struct round r = {
        .audit = a,
        .episode = e,
        .side = episode_succeeded(e) ? AUDIT_SUCCESSFUL : AUDIT_FAILED,
        .number = a->episodes[AUDIT_SUCCESSFUL] + a->episodes[AUDIT_FAILED] + 1,
    };
    struct audit_task *task = task_of(a, e->task_id);

    for (size_t i = 0; i < e->n_events; i++) {
        if (e->events[i].kind == EPISODE_RESULT)
            *sp_map_put(&r.last_results, e->events[i].call_id, NULL) = i;
    }
    for (size_t i = 0; i < e->n_events; i++)
        count_turn(&r, i);
    a->episodes[r.side]++;
    a->refused[r.side] += r.is_refused;
    task->episodes[r.side]++;
    task->refused[r.side] += r.is_refused;
    sp_map_deinit(&r.last_results);
    guard_facts_deinit(&r.facts);
}
