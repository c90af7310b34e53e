/* Gathering the writes of an audit of the confirmation judge, and counting their answers. */

#include <assert.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "learn/confirmaudit_tally.h"

struct confirmaudit *confirmaudit_new(const struct confirmaudit_options *options)
{
    struct confirmaudit *a = sp_calloc(1, sizeof *a);

    a->options = *options;
    return a;
}

void confirmaudit_free(struct confirmaudit *a)
{
    if (a == NULL)
        return;
    for (size_t i = 0; i < CONFIRMAUDIT_N_KINDS; i++)
        free(a->examples[i].of);
    free(a->writes);
    sp_arena_deinit(&a->arena);
    free(a);
}

/* ---- questions ---- */

static enum confirmation_kind second_kind(const struct confirmaudit *a)
{
    return a->options.second == JUDGMENT_PROPOSED ? CONFIRMATION_PROPOSED : CONFIRMATION_DESCRIBED;
}

/* The probability of a yes that a response has; returns whether it has one. */
static bool read_answer(const struct oracle_response *response, enum confirmation_kind kind,
                        double *ret_p)
{
    const struct oracle_answer *answer = oracle_answer_of(response, confirmation_id(kind));

    if (answer == NULL || answer->type != ORACLE_NOUL)
        return false;
    *ret_p = answer->noul;
    return true;
}

/* Asks one question about a write. */
static void ask_one(struct confirmaudit *a, const struct confirmaudit_write *w,
                    enum confirmation_kind kind, struct confirmaudit_asked *ret)
{
    struct oracle_request request;
    struct oracle_response response;
    struct sp_str key = {0};
    struct sp_err why;

    confirmation_make(kind, a->options.model, &w->exchange, w->tool, w->arguments, &request);
    if (a->options.ask(a->options.ask_data, &request, &key, &response, &why) == 0) {
        ret->is_answered = read_answer(&response, kind, &ret->p);
        oracle_response_deinit(&response);
    }
    if (ret->key.p == NULL && key.p != NULL)
        ret->key = sp_arena_copy(&a->arena, key);
    oracle_request_deinit(&request);
}

/* Asks all questions about a write. */
static void ask(struct confirmaudit *a, struct confirmaudit_write *w)
{
    ask_one(a, w, CONFIRMATION_CONFIRMED, &w->first);
    if (a->options.second != JUDGMENT_NO_SECOND)
        ask_one(a, w, second_kind(a), &w->second);
}

/* ---- gathering ---- */

/* One episode while its writes are gathered. */
struct round {
    struct confirmaudit *audit;
    const struct episode *episode;
    struct confirmaudit_write common; /* what its writes share */
    struct guard_facts facts;         /* before the turn that is looked at, as the next */
    struct exchange exchange;
};

static void keep_write(struct round *r, const struct episode_call *call, bool word_list)
{
    struct confirmaudit *a = r->audit;
    const struct episode_event *result = episode_result_of(r->episode, call->id);
    struct confirmaudit_write w = r->common;

    w.tool = sp_arena_copy(&a->arena, call->name);
    w.arguments = sp_arena_copy(&a->arena, call->arguments);
    w.exchange.customer = sp_arena_copy(&a->arena, r->exchange.customer);
    w.exchange.proposal = sp_arena_copy(&a->arena, r->exchange.proposal);
    w.is_refused = result != NULL && result->is_error;
    w.word_list = word_list;
    ask(a, &w);
    if (a->n_writes == a->max_writes) {
        a->max_writes = a->max_writes > 0 ? 2 * a->max_writes : 64;
        a->writes = sp_realloc(a->writes, a->max_writes * sizeof *a->writes);
    }
    a->writes[a->n_writes++] = w;
}

/* The calls of a turn do not see each other, nor what the agent says in it. */
static void add_turn(struct round *r, size_t turn)
{
    const struct episode_event *event = &r->episode->events[turn];
    const struct guard_domain *domain = r->audit->options.domain;

    for (size_t i = 0; i < event->n_calls; i++) {
        const struct episode_call *call = &event->calls[i];
        const struct guard_verdict *verdict;
        struct guard_checked checked;

        if (!guard_names(domain, call->name))
            continue;
        guard_facts_update(&r->facts, r->episode, turn);
        exchange_update(&r->exchange, r->episode, turn);
        guard_check(domain, &r->facts, call->name, call->arguments, &checked);
        verdict = guard_confirmed(&checked);
        if (verdict != NULL)
            keep_write(r, call, verdict->outcome == GUARD_PASS);
        guard_checked_deinit(&checked);
    }
}

void confirmaudit_add(struct confirmaudit *a, const struct episode *e)
{
    enum confirmaudit_side side =
        episode_succeeded(e) ? CONFIRMAUDIT_SUCCESSFUL : CONFIRMAUDIT_FAILED;
    struct round r = {.audit = a, .episode = e};

    a->episodes[side]++;
    r.common = (struct confirmaudit_write){
        .task = sp_arena_copy(&a->arena, e->task_id),
        .episode = sp_arena_copy(&a->arena, e->id),
        .number = confirmaudit_size(a).episodes,
        .side = side,
    };
    for (size_t i = 0; i < e->n_events; i++)
        add_turn(&r, i);
    guard_facts_deinit(&r.facts);
}

struct confirmaudit_size confirmaudit_size(const struct confirmaudit *a)
{
    return (struct confirmaudit_size){
        .episodes = a->episodes[CONFIRMAUDIT_SUCCESSFUL] + a->episodes[CONFIRMAUDIT_FAILED],
        .writes = a->n_writes,
    };
}

/* ---- counting ---- */

static bool is_below(const struct confirmaudit *a, const struct confirmaudit_asked *asked)
{
    return asked->is_answered && asked->p < a->options.threshold;
}

/* A check fails an accepted write. */
static void count_failing(struct confirmaudit *a, const struct confirmaudit_write *w,
                          enum confirmaudit_check check)
{
    if (a->last_failing[check] != w->number)
        a->failing[check][w->side]++;
    a->last_failing[check] = w->number;
}

static void keep_example(struct confirmaudit *a, const struct confirmaudit_write *w,
                         enum confirmaudit_kind kind)
{
    struct confirmaudit_examples *examples = &a->examples[kind];

    if (examples->n == a->options.max_examples)
        return;
    examples->of = sp_realloc(examples->of, (examples->n + 1) * sizeof(*examples->of));
    examples->of[examples->n++] = w;
}

static void count_write(struct confirmaudit *a, const struct confirmaudit_write *w)
{
    size_t at = w->is_refused ? (size_t)CONFIRMAUDIT_REFUSED : (size_t)w->side;
    struct confirmaudit_group *group = &a->groups[at];
    bool judge = is_below(a, &w->first);
    bool second = is_below(a, &w->second);
    const bool fails[CONFIRMAUDIT_N_CHECKS] = {
        [CONFIRMAUDIT_WORD_LIST] = !w->word_list,
        [CONFIRMAUDIT_JUDGE] = judge,
        [CONFIRMAUDIT_TWO] = judge || second,
    };

    group->writes++;
    group->both += judge && !w->word_list;
    group->unanswered += !w->first.is_answered;
    for (int i = 0; i < CONFIRMAUDIT_N_CHECKS; i++) {
        group->fails[i] += fails[i];
        if (fails[i] && !w->is_refused)
            count_failing(a, w, (enum confirmaudit_check)i);
    }
    if (w->is_refused)
        return;
    if (judge && w->word_list)
        keep_example(a, w, CONFIRMAUDIT_JUDGE_ONLY);
    if (!judge && w->first.is_answered && !w->word_list)
        keep_example(a, w, CONFIRMAUDIT_WORD_LIST_ONLY);
    if (!judge && second)
        keep_example(a, w, CONFIRMAUDIT_SECOND_ONLY);
}

void confirmaudit_count(struct confirmaudit *a)
{
    assert(!a->is_counted);
    a->is_counted = true;
    for (size_t i = 0; i < a->n_writes; i++) {
        struct confirmaudit_write *w = &a->writes[i];

        ask(a, w);
        count_write(a, w);
    }
}
