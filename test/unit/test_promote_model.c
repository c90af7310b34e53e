/*
 * Random sessions in learn/promote.h against a model of it: chapter 42, A3 and A4, word by word.
 * The model makes every decision on a session of its own, looks through all that came later, and
 * scores everything anew in each round. Calls are parallel, answered late, twice, out of order,
 * with errors or never; ids are used again; questions go without an answer.
 */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow/outputs.h"
#include "flow_carts.h"
#include "flow_edit.h"
#include "json/jget.h"
#include "json_gen.h"
#include "learn/promote.h"
#include "sessiontext.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define N_TRIALS   200
#define N_SESSIONS 6
#define MAX_STEPS  14
#define MAX_SITES  32
#define MAX_TASKS  8

/* Carts have items; a cart follows a profile, a cart that failed, or items; items a cart. */
static const struct flow_edit edits[] = {
    {"\"profile\"}],\"manifest\"", "\"profile\"},{\"Tool\":\"stock\"}],\"manifest\""},
    {"\"vocab_size\":4", "\"vocab_size\":5"},
    {"[[[32768],{\"by_action\":[[1,8.0]],\"total\":8.0}]]",
     "[[[16384],{\"by_action\":[[0,1.0],[1,2.0],[3,5.0]],\"total\":8.0}],"
     "[[20480],{\"by_action\":[[1,5.0]],\"total\":6.0}],"
     "[[32768],{\"by_action\":[[1,8.0]],\"total\":8.0}],"
     "[[49152],{\"by_action\":[[1,4.0]],\"total\":9.0}]]"},
    {"[[[\"profile\",false],{\"cart\":8}]]",
     "[[[\"cart\",false],{\"cart\":2,\"stock\":5}],[[\"cart\",true],{\"cart\":5}],"
     "[[\"order\",true],{\"profile\":1}],[[\"profile\",false],{\"cart\":8}],"
     "[[\"stock\",false],{\"cart\":4}]]"},
    {"\"args\":{\"cart\":[8,{\"id\":8}]}",
     "\"args\":{\"cart\":[8,{\"id\":8}],\"profile\":[8,{}],\"stock\":[8,{\"id\":8}]}"},
    {"[[[\"profile\",\"$.carts[*]\"],8]]}]",
     "[[[\"profile\",\"$.carts[*]\"],8],[[\"stock\",\"$.carts[*]\"],3]]}],"
     "[[\"stock\",\"id\"],{\"values\":8,\"found\":[[[\"cart\",\"$.items[*]\"],8]]}]"},
    {"\"folds\":[]", "\"folds\":[" /* five of these follow */
                     "{\"weights\":[0.5,0.3,0.2,0.1,0.6],\"rates\":{\"sites\":[],\"agree\":0.9,"
                     "\"cover\":0.95}},{\"weights\":[0.5,0.3,0.2,0.1,0.6],\"rates\":{\"sites\":[],"
                     "\"agree\":0.9,\"cover\":0.95}},{\"weights\":[0.5,0.3,0.2,0.1,0.6],\"rates\":{"
                     "\"sites\":[],\"agree\":0.9,\"cover\":0.95}},{\"weights\":[0.9,0.3,0.2,0.1,"
                     "0.6],\"rates\":{\"sites\":[],\"agree\":0.9,\"cover\":0.95}},{\"weights\":["
                     "0.5,0.9,0.2,-0.1,0.6],\"rates\":{\"sites\":[],\"agree\":0.9,\"cover\":0.95}}"
                     "]"},
    {"\"model\":\"\"", "\"model\":\"jev-latest\",\"promoted\":{\"bar\":{\"threshold\":0.3,"
                       "\"min_used\":0.7,\"min_lower\":0.5,\"min_tasks\":3},\"sites\":{}},"
                       "\"thresholds\":{\"stock\":0.05}"},
    {"\"stretto_flow\":1", "\"stretto_flow\":2"},
};

/* ---- random sessions ---- */

static const char *const keys[] = {"K1", "K2", "5"};

static const char *key(struct json_gen *g)
{
    return keys[json_gen_below(g, N_OF(keys))];
}

static void put_keys(struct json_gen *g, struct sp_buf *b, const char *name)
{
    size_t n = json_gen_below(g, 4);

    sp_buf_addf(b, "\"%s\":[", name);
    for (size_t i = 0; i < n; i++)
        sp_buf_addf(b, "%s\"%s\"", i > 0 ? "," : "", key(g));
    sp_buf_addf(b, "]");
}

static void put_call(struct json_gen *g, struct sp_buf *b, unsigned id, uint64_t t)
{
    static const char *const tools[] = {"profile", "cart", "cart", "stock", "stock", "order"};
    const char *tool = tools[json_gen_below(g, N_OF(tools))];

    sp_buf_addf(b, "%ju C %u %s ", (uintmax_t)t, id, tool);
    if (strcmp(tool, "profile") == 0 || json_gen_below(g, 12) == 0)
        sp_buf_addf(b, "{}");
    else if (json_gen_below(g, 10) == 0)
        sp_buf_addf(b, "{\"id\":5}");
    else if (json_gen_below(g, 8) == 0)
        sp_buf_addf(b, "{\"id\":\"%s\",\"full\":true}", key(g));
    else
        sp_buf_addf(b, "{\"id\":\"%s\"}", key(g));
}

static void put_result(struct json_gen *g, struct sp_buf *b, unsigned id, uint64_t t)
{
    if (json_gen_below(g, 6) == 0) {
        sp_buf_addf(b, "%ju Js {\"id\":%u,\"error\":{\"code\":1,\"message\":\"no\"}}", (uintmax_t)t,
                    id);
        return;
    }
    sp_buf_addf(b, "%ju R %u ", (uintmax_t)t, id);
    sp_buf_addf(b, "{");
    put_keys(g, b, "carts");
    sp_buf_addf(b, ",");
    put_keys(g, b, "items");
    sp_buf_addf(b, "}");
}

/* A session that is being made. */
struct making {
    struct json_gen *g;
    struct sp_buf *b;
    uint64_t t;
    unsigned next; /* the last id that was not used again */
};

/* Begins the next message, so many ms later. */
static void pass(struct making *m, uint64_t ms)
{
    if (m->b->len > 0)
        sp_buf_addf(m->b, "; ");
    m->t += ms;
}

/* Calls of one turn, and most of their results in any order. */
static void put_exchange(struct making *m)
{
    size_t n = 1 + json_gen_below(m->g, 3);
    size_t shift = json_gen_below(m->g, n);
    unsigned first = m->next + 1;

    for (size_t i = 0; i < n; i++) {
        pass(m, i == 0 ? 700 : 1);
        put_call(m->g, m->b, ++m->next, m->t);
    }
    for (size_t i = 0; i < n && json_gen_below(m->g, 12) > 0; i++) {
        pass(m, 1);
        put_result(m->g, m->b, first + (unsigned)((i + shift) % n), m->t);
        if (json_gen_below(m->g, 12) == 0) {
            pass(m, 1);
            put_call(m->g, m->b, ++m->next, m->t);
        }
    }
}

/* Any message, about one of the last calls if about any. */
static void put_message(struct making *m)
{
    unsigned recent = m->next - (unsigned)json_gen_below(m->g, m->next < 4 ? m->next + 1 : 4);

    pass(m, json_gen_below(m->g, 3) == 0 ? json_gen_below(m->g, 1200) : json_gen_below(m->g, 5));
    switch (json_gen_below(m->g, 8)) {
    case 0:
        sp_buf_addf(m->b, "%ju U about %s", (uintmax_t)m->t, key(m->g));
        break;
    case 1:
        sp_buf_addf(m->b, "%ju A well", (uintmax_t)m->t);
        break;
    case 2:
        sp_buf_addf(m->b, "%ju X %u", (uintmax_t)m->t, recent);
        break;
    case 3:
        put_call(m->g, m->b, recent, m->t);
        break;
    case 4:
        sp_buf_addf(m->b, "%ju P \"stretto-%d\" cart {\"id\":\"K1\"}", (uintmax_t)m->t,
                    (int)json_gen_below(m->g, 3));
        break;
    case 5:
        put_call(m->g, m->b, ++m->next, m->t);
        break;
    default:
        put_result(m->g, m->b, recent, m->t);
        break;
    }
}

/* Appends a session in short. */
static void put_session(struct json_gen *g, struct sp_buf *b)
{
    struct making m = {.g = g, .b = b};
    uint64_t wildness = json_gen_below(g, 3);
    size_t n = 3 + json_gen_below(g, MAX_STEPS);

    for (size_t i = 0; i < n; i++) {
        if (json_gen_below(g, 4) < wildness)
            put_message(&m);
        else
            put_exchange(&m);
    }
}

/* ---- questions ---- */

/* Some requests have no answer, some none that is complete: always the same ones. */
static int ask(void *data, const struct oracle_request *request, struct sp_str *ret_key,
               struct oracle_response *ret, struct sp_err *ret_why)
{
    struct sp_buf text = {0};
    uint64_t hash;

    oracle_put_request(&text, request);
    hash = decide_hash(sp_buf_str(&text));
    sp_buf_deinit(&text);
    ++*(size_t *)data;
    *ret_key = SP_STR("key");
    if (hash % 8 == 0) {
        sp_err_set(ret_why, "no answer");
        return -1;
    }
    oracle_mock(request, ret);
    if (hash % 8 == 1)
        ret->n_answers = 0;
    return 0;
}

/* ---- the model ---- */

struct model_site {
    struct sp_str name; /* allocated */
    struct flow_promoted_site record;
    size_t tasks[MAX_TASKS];
};

struct model {
    const struct promote_options *options;
    const struct flow *flow; /* that is not promoted */
    uint64_t unanswered;
    struct model_site sites[MAX_SITES];
    size_t n_sites;
    const struct model *before; /* whose promotion chains go on by; NULL: everywhere */
};

struct session {
    struct turns *turns; /* NULL: what was sent when is not known */
    struct episode *e;
    size_t task;
};

static struct model_site *model_site(struct model *m, struct sp_str name)
{
    for (size_t i = 0; i < m->n_sites; i++) {
        if (sp_str_eq(m->sites[i].name, name))
            return &m->sites[i];
    }
    assert_true(m->n_sites < MAX_SITES);
    m->sites[m->n_sites].name =
        (struct sp_str){memcpy(sp_malloc(name.len + 1), name.p, name.len), name.len};
    return &m->sites[m->n_sites++];
}

static void model_clear(struct model *m)
{
    for (size_t i = 0; i < m->n_sites; i++)
        free((char *)m->sites[i].name.p);
    m->n_sites = 0;
}

static bool model_goes_on(const struct model *m, struct sp_str site)
{
    if (m->before == NULL)
        return true;
    for (size_t i = 0; i < m->before->n_sites; i++) {
        if (sp_str_eq(m->before->sites[i].name, site))
            return m->before->sites[i].record.promoted;
    }
    return false;
}

/* A view as a session of its own. */
static struct episode model_whole(const struct episode_view *view)
{
    struct episode e = episode_copy(view->episode, 0);

    for (size_t i = 0; i < view->episode->n_events; i++) {
        const struct episode_event *event = &view->episode->events[i];
        size_t n;
        const struct episode_call *calls = episode_view_calls(view, i, &n);

        if (event->kind == EPISODE_USER)
            episode_add_user(&e, event->text);
        if (event->kind == EPISODE_RESULT)
            episode_add_result(&e, event->call_id, event->name, event->is_error, event->text);
        if (event->kind == EPISODE_ASSISTANT)
            episode_add_turn(&e, event->text);
        for (size_t k = 0; k < n; k++)
            episode_add_call(&e, i, calls[k]);
    }
    return e;
}

static enum decide_outcome model_decide(const struct model *m, const struct episode *e,
                                        struct episode_call *asked, size_t n_asked,
                                        struct decide **ret, bool *ret_is_unanswered)
{
    struct decide_options options = {.decider = m->options->decider,
                                     .threshold = m->options->threshold};
    struct bind *bind = bind_new(m->flow);
    struct episode_view view = episode_view_whole(e);
    const struct predict_options *choices;
    enum decide_outcome outcome;

    view.pending = asked;
    view.n_pending = n_asked;
    bind_update(bind, e);
    outcome = decide_begin(m->flow, &options, bind, &view, ret);
    *ret_is_unanswered = false;
    if (outcome == DECIDE_ASKS) {
        struct oracle_response response;
        struct sp_str key_of;
        struct sp_err why;

        if (ask(m->options->ask_data, decide_request(*ret), &key_of, &response, &why) < 0) {
            outcome = decide_no_answer(*ret, why.text);
            *ret_is_unanswered = true;
        } else {
            outcome = decide_answer(*ret, &response);
            *ret_is_unanswered = decide_chances(*ret, &choices) == NULL;
            oracle_response_deinit(&response);
        }
    }
    bind_free(bind);
    return outcome;
}

static bool model_is_made(const struct episode_call *call, struct sp_str tool,
                          struct sp_str arguments)
{
    struct sp_buf a = {0}, b = {0};
    bool is_made = sp_str_eq(call->name, tool);

    for (struct jget_iter want = jget_iter(arguments); jget_next(&want);) {
        bool is_found = false;

        for (struct jget_iter has = jget_iter(call->arguments); jget_next(&has);) {
            sp_buf_clear(&a);
            sp_buf_clear(&b);
            outputs_value_text(want.value, &a);
            outputs_value_text(has.value, &b);
            is_found = is_found || (sp_str_eq(want.name, has.name) &&
                                    sp_str_eq(sp_buf_str(&a), sp_buf_str(&b)));
        }
        is_made = is_made && is_found;
    }
    sp_buf_deinit(&a);
    sp_buf_deinit(&b);
    return is_made;
}

static const struct episode_call *model_find(const struct episode *e, size_t t, struct sp_str tool,
                                             struct sp_str arguments)
{
    for (size_t i = t + 1; i < e->n_events; i++) {
        for (size_t k = 0; k < e->events[i].n_calls; k++) {
            if (model_is_made(&e->events[i].calls[k], tool, arguments))
                return &e->events[i].calls[k];
        }
    }
    return NULL;
}

static const struct episode_event *model_result(const struct episode *e, size_t t, struct sp_str id)
{
    for (size_t i = t + 1; i < e->n_events; i++) {
        if (e->events[i].kind == EPISODE_RESULT && sp_str_eq(e->events[i].call_id, id))
            return &e->events[i];
    }
    return NULL;
}

/* Steps 5 to 8 for a lookup; the result to go on with, or NULL. */
static const struct episode_event *model_lookup(const struct session *s, size_t t,
                                                const struct model *m, struct model_site *site,
                                                const struct decide *d, uint64_t *k)
{
    const struct episode_call *call;
    const struct episode_event *result;

    site->record.lookups++;
    site->record.tasks += site->tasks[s->task]++ == 0;
    call = model_find(s->e, t, decide_tool(d), decide_arguments(d));
    if (call == NULL)
        return NULL;
    site->record.used++;
    ++*k;
    result = model_result(s->e, t, call->id);
    return *k < m->options->per_call && model_goes_on(m, site->name) ? result : NULL;
}

static void model_chain(struct model *m, const struct session *s, size_t i, size_t t, uint64_t back)
{
    struct episode cut = episode_copy(s->e, i + 1);
    struct episode_call asked[64];
    size_t n_asked = 0;
    char id[64];
    const struct episode_event *result = NULL;
    uint64_t k = 0;

    snprintf(id, sizeof id, "%.*s", SP_STR_ARG(s->e->events[i].call_id));
    do {
        struct episode_view view;
        struct episode whole;
        struct decide *d;
        bool is_unanswered;
        enum decide_outcome outcome;

        episode_view_after(&cut, sp_str_of(id), &view);
        for (size_t n = 0; k == 0 && n < view.n_pending; n++) {
            uint64_t after;

            if (s->turns == NULL || !turns_sent_after(s->turns, view.pending[n].id, &after) ||
                after < back)
                asked[n_asked++] = view.pending[n];
        }
        whole = model_whole(&view);
        episode_view_deinit(&view);
        outcome = model_decide(m, &whole, asked, n_asked, &d, &is_unanswered);
        result = NULL;
        if (is_unanswered) {
            m->unanswered++;
        } else if (decide_site(d).p != NULL) {
            struct model_site *site = model_site(m, decide_site(d));

            site->record.decisions++;
            if (outcome == DECIDE_LOOKUP)
                result = model_lookup(s, t, m, site, d, &k);
        }
        if (result != NULL) {
            /* An id of its own: what the session calls so is another call. */
            snprintf(id, sizeof id, "own-%ju", (uintmax_t)k);
            episode_add_result(&cut, sp_str_of(id), decide_tool(d), result->is_error, result->text);
            episode_add_call(&cut, t,
                             (struct episode_call){.id = sp_str_of(id),
                                                   .name = decide_tool(d),
                                                   .arguments = decide_arguments(d)});
        }
        decide_free(d);
        episode_deinit(&whole);
    } while (result != NULL);
    episode_deinit(&cut);
}

static bool model_has_call(const struct episode_event *event, struct sp_str id)
{
    for (size_t k = 0; k < event->n_calls; k++) {
        if (sp_str_eq(event->calls[k].id, id))
            return true;
    }
    return false;
}

static void model_session(struct model *m, const struct session *s)
{
    for (size_t i = 0; i + 1 < s->e->n_events; i++) {
        const struct episode_event *event = &s->e->events[i];
        uint64_t back = 0;
        size_t t = 0;

        if (event->kind != EPISODE_RESULT)
            continue;
        while (t < i && !model_has_call(&s->e->events[t], event->call_id))
            t++;
        if (t == i)
            continue;
        for (size_t j = t; j <= i; j++)
            back += s->e->events[j].kind == EPISODE_RESULT &&
                    model_has_call(&s->e->events[t], s->e->events[j].call_id);
        model_chain(m, s, i, t, back);
    }
}

static void model_score(struct model *m, const struct session *sessions, size_t n)
{
    for (size_t i = 0; i < n; i++)
        model_session(m, &sessions[i]);
    for (size_t i = 0; i < m->n_sites; i++) {
        struct flow_promoted_site *r = &m->sites[i].record;
        double u = (double)r->used, l = (double)r->lookups;

        r->lower = promote_wilson(r->used, r->lookups);
        r->promoted = r->lookups > 0 && u / l >= m->options->min_used &&
                      r->lower >= m->options->min_lower && r->tasks >= m->options->min_tasks;
    }
}

static const struct flow_promoted_site *model_record(const struct model *m, struct sp_str name)
{
    for (size_t i = 0; i < m->n_sites; i++) {
        if (sp_str_eq(m->sites[i].name, name) && m->sites[i].record.decisions > 0)
            return &m->sites[i].record;
    }
    return NULL;
}

static bool is_same_record(const struct flow_promoted_site *a, const struct flow_promoted_site *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    return a->decisions == b->decisions && a->lookups == b->lookups && a->used == b->used &&
           a->tasks == b->tasks && a->lower == b->lower && a->promoted == b->promoted;
}

static bool model_is_same(const struct model *a, const struct model *b)
{
    for (size_t i = 0; i < a->n_sites; i++) {
        if (!is_same_record(model_record(a, a->sites[i].name), model_record(b, a->sites[i].name)))
            return false;
    }
    for (size_t i = 0; i < b->n_sites; i++) {
        if (!is_same_record(model_record(a, b->sites[i].name), model_record(b, b->sites[i].name)))
            return false;
    }
    return true;
}

/* A4; returns the index of the last round in `rounds`. */
static size_t model_promote(struct model rounds[9], const struct promote_options *options,
                            const struct flow *flow, const struct session *sessions, size_t n)
{
    size_t round = 0;

    rounds[0] = (struct model){.options = options, .flow = flow};
    model_score(&rounds[0], sessions, n);
    do {
        round++;
        rounds[round] =
            (struct model){.options = options, .flow = flow, .before = &rounds[round - 1]};
        model_score(&rounds[round], sessions, n);
    } while (round < 8 && !model_is_same(&rounds[round - 1], &rounds[round]));
    return round;
}

/* ---- comparing ---- */

struct coverage {
    uint64_t decisions, lookups, used, unanswered, promoted;
    size_t rounds; /* the most that a promotion took */
};

static void compare(const struct model *m, const struct promote *p, struct coverage *c)
{
    struct sp_arena arena = {0};
    struct flow_promoted got;
    struct promote_counts counts = promote_find(p, &arena, &got);
    uint64_t n = 0;

    for (size_t i = 0; i < got.n_sites; i++) {
        const struct flow_promoted_site *want = model_record(m, got.sites[i].site);

        if (!is_same_record(want, &got.sites[i]))
            fail_msg("%.*s: %ju/%ju/%ju from %ju, wanted %ju/%ju/%ju from %ju",
                     SP_STR_ARG(got.sites[i].site), (uintmax_t)got.sites[i].decisions,
                     (uintmax_t)got.sites[i].lookups, (uintmax_t)got.sites[i].used,
                     (uintmax_t)got.sites[i].tasks, (uintmax_t)(want ? want->decisions : 0),
                     (uintmax_t)(want ? want->lookups : 0), (uintmax_t)(want ? want->used : 0),
                     (uintmax_t)(want ? want->tasks : 0));
        if (i > 0)
            assert_true(sp_str_cmp(got.sites[i - 1].site, got.sites[i].site) < 0);
        n += got.sites[i].promoted;
        c->decisions += got.sites[i].decisions;
        c->lookups += got.sites[i].lookups;
        c->used += got.sites[i].used;
    }
    for (size_t i = 0; i < m->n_sites; i++)
        assert_true(m->sites[i].record.decisions == 0 || got.n_sites > 0);
    assert_int_equal(counts.promoted, n);
    assert_int_equal(counts.sites, got.n_sites);
    assert_int_equal(counts.unanswered, m->unanswered);
    assert_int_equal(counts.episodes, N_SESSIONS);
    c->unanswered += counts.unanswered;
    c->promoted += n;
    sp_arena_deinit(&arena);
}

static void try(struct json_gen *g, struct flow *promoted, const struct flow *flow,
                enum decide_decider decider, struct coverage *c)
{
    size_t n_asked = 0;
    struct promote_options options = {
        .flow = promoted,
        .decider = decider,
        .threshold = (double)json_gen_below(g, 5) / 10,
        .per_call = json_gen_below(g, 4) == 0 ? json_gen_below(g, 3) : 8,
        .min_used = (double)json_gen_below(g, 6) / 10,
        .min_lower = (double)json_gen_below(g, 3) / 10,
        .min_tasks = json_gen_below(g, 4),
        .ask = ask,
        .ask_data = &n_asked,
    };
    struct promote *p = promote_new(&options);
    struct session sessions[N_SESSIONS];
    struct turns *turns[N_SESSIONS];
    struct model rounds[9];
    size_t last;

    for (size_t i = 0; i < N_SESSIONS; i++) {
        static const char *const tasks[MAX_TASKS] = {"a", "b", "c", "d", "e", "f", "g", "h"};
        struct sp_buf log = {0};

        put_session(g, &log);
        turns[i] = sessiontext_new(sp_buf_cstr(&log));
        sessions[i] = (struct session){json_gen_below(g, 5) == 0 ? NULL : turns[i],
                                       turns_episode(turns[i]), json_gen_below(g, MAX_TASKS)};
        sessions[i].e->task_id = sp_str_of(tasks[sessions[i].task]);
        promote_add(p, sessions[i].e, sessions[i].turns);
        sp_buf_deinit(&log);
    }
    last = model_promote(rounds, &options, flow, sessions, N_SESSIONS);
    c->rounds = last > c->rounds ? last : c->rounds;
    compare(&rounds[last], p, c);
    for (size_t i = 0; i <= last; i++)
        model_clear(&rounds[i]);
    promote_free(p);
    for (size_t i = 0; i < N_SESSIONS; i++)
        turns_free(turns[i]);
}

static void promote_is_its_model(void **state)
{
    static const enum decide_decider deciders[] = {DECIDE_HABIT, DECIDE_ARBITER};
    struct flow *promoted = flow_parsed(FLOW_CARTS, edits, N_OF(edits));
    struct flow *flow = flow_parsed(FLOW_CARTS, edits, N_OF(edits));
    struct json_gen g = {.state = 18};
    struct coverage c = {0};

    (void)state;
    flow->is_promoted = false;
    for (size_t i = 0; i < N_TRIALS; i++)
        try(&g, promoted, flow, deciders[i % N_OF(deciders)], &c);
    print_message("# %ju decisions, %ju lookups, %ju used, %ju unanswered, %ju promoted, "
                  "%zu rounds at most\n",
                  (uintmax_t)c.decisions, (uintmax_t)c.lookups, (uintmax_t)c.used,
                  (uintmax_t)c.unanswered, (uintmax_t)c.promoted, c.rounds);
    /* The sessions are worth comparing. */
    assert_true(c.used > 500 && c.lookups - c.used > 500 && c.decisions - c.lookups > 500);
    assert_true(c.unanswered > 100 && c.promoted > 100 && c.rounds == 8);
    flow_free(promoted);
    flow_free(flow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(promote_is_its_model),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
