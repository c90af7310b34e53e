/* Random flows on random sessions: what holds of every run, whatever happens. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine_fixture.h"
#include "flow/program_score.h"
#include "flow/toolmodel.h"
#include "flow_edit.h"
#include "flow_example.h"
#include "json/jcanon.h"
#include "json/jget.h"
#include "json_gen.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define MAX_ASKED 200

static const char *const tools[] = {"find_tickets", "get_ticket", "close_ticket", "ping"};

/* What the server has listed of a tool. */
struct listed {
    bool is_listed;
    bool writes;
    bool is_changed; /* its input is not what the flow was learned for */
};

struct play {
    struct engine_fixture f;
    struct json_gen g;
    struct sp_str granted; /* the only tool, if any */
    struct listed listed[N_OF(tools)];
    bool is_any_listed;
    size_t n_asked;            /* by the host; the numbers from 1 on are the ids */
    size_t n_given[MAX_ASKED]; /* answers that the server has given under such an id */
    size_t n_got[MAX_ASKED];   /* answers that the host has got */
    size_t n_own;              /* lookups */
    size_t n_server_seen;      /* bytes that were looked at */
    size_t n_host_seen;
    struct sp_buf open[2 * MAX_ASKED]; /* ids of requests that the server has not answered */
    size_t n_open;
};

/* How much the plays held, so that the test is known to have seen something. */
static size_t n_lookups, n_runs, n_asked, n_scored_failures;

static void fill_level(struct flow_level *level, struct json_gen *g)
{
    for (size_t i = 0; i < level->n; i++) {
        struct flow_counts *counts = &level->contexts[i].counts;

        counts->total = (double)json_gen_below(g, 20);
        for (size_t k = 0; k < counts->n; k++) {
            counts->by_action[k].n = (double)json_gen_below(g, 20);
            counts->total += counts->by_action[k].n;
        }
    }
}

/* A flow with numbers and kinds of tools that no training gave it. */
static struct flow *random_flow(struct json_gen *g)
{
    struct flow *f = flow_parsed(FLOW_FULL, NULL, 0);

    for (size_t i = 0; i < f->habit.n_levels; i++)
        fill_level(&f->habit.levels[i], g);
    for (size_t i = 0; i < f->reach.n_levels; i++)
        fill_level(&f->reach.levels[i], g);
    fill_level(&f->top, g);
    for (size_t i = 0; i < f->n_kinds; i++) {
        if (json_gen_below(g, 8) == 0)
            f->kinds[i].kind = json_gen_below(g, 2) == 0 ? MANIFEST_WRITE : MANIFEST_GENERIC;
    }
    f->sites.every_read = json_gen_below(g, 3) > 0;
    f->is_promoted = json_gen_below(g, 4) == 0;
    if (json_gen_below(g, 4) > 0)
        f->n_thresholds = 0;
    if (json_gen_below(g, 2) == 0)
        f->n_contracts = 0;
    flow_index(f);
    return f;
}

static void play_begin(struct play *p, uint64_t seed)
{
    static const uint64_t budgets[] = {0, 1, 2, 3, 8, 40, UINT64_MAX};
    static const enum decide_decider deciders[] = {DECIDE_HABIT, DECIDE_REACH, DECIDE_ARBITER};
    struct engine_flow served = {.decide = {.epsilon = 0.5, .seed = seed}};
    struct json_gen *g = &p->g;

    *p = (struct play){.g = {seed}};
    served.flow = random_flow(g);
    served.decide.decider = deciders[json_gen_below(g, N_OF(deciders))];
    served.decide.threshold = (double)json_gen_below(g, 6) / 20;
    served.decide.explores = json_gen_below(g, 2) == 0;
    served.per_call = budgets[1 + json_gen_below(g, N_OF(budgets) - 1)];
    served.per_session = budgets[2 + json_gen_below(g, N_OF(budgets) - 2)];
    served.questions = budgets[3 + json_gen_below(g, N_OF(budgets) - 3)];
    served.shadow = json_gen_below(g, 10) == 0;
    if (json_gen_below(g, 5) == 0) {
        p->granted = sp_str_of(tools[json_gen_below(g, N_OF(tools))]);
        served.tools = &p->granted;
        served.n_tools = 1;
    }
    engine_fixture_init_flow(&p->f, &served, false, true);
}

static void play_end(struct play *p)
{
    while (p->n_open > 0)
        sp_buf_deinit(&p->open[--p->n_open]);
    engine_fixture_deinit(&p->f);
}

/* The index of an id that the host has given; MAX_ASKED for another. */
static size_t index_of(const struct play *p, struct sp_str id)
{
    uint64_t n;

    return jget_u64(id, &n) && n > 0 && n <= p->n_asked ? (size_t)n - 1 : MAX_ASKED;
}

/* A request of the proxy's own: it may be made, by the rules as this test has them. */
static void check_own(struct play *p, struct sp_str message)
{
    const struct engine_flow *o = &p->f.served;
    struct sp_str params, name;
    struct sp_buf text = {0};
    const struct flow_kind *kind;

    assert_true(jget_member(message, SP_STR("params"), &params));
    assert_true(jget_member(params, SP_STR("name"), &name));
    jget_text(name, &text);
    kind = flow_kind_of(o->flow, sp_buf_str(&text));
    assert_true(kind != NULL && kind->kind == MANIFEST_READ);
    assert_true(p->granted.p == NULL || sp_str_eq(p->granted, sp_buf_str(&text)));
    for (size_t i = 0; i < N_OF(tools); i++) {
        if (!sp_str_eq(sp_buf_str(&text), sp_str_of(tools[i])))
            continue;
        assert_true(!p->is_any_listed || (p->listed[i].is_listed && !p->listed[i].writes));
        assert_false(p->listed[i].is_changed &&
                     flow_contract_of(o->flow, sp_buf_str(&text)) != NULL);
    }
    assert_true(++p->n_own <= o->per_session);
    assert_false(o->shadow);
    n_lookups++;
    sp_buf_deinit(&text);
}

/* Takes the next line off what was sent to a side. */
static struct sp_str next_line(const struct sp_buf *sent, size_t *n_seen)
{
    struct sp_str rest = sp_str_sub(sp_buf_str(sent), *n_seen, sent->len);

    rest.len = sp_str_find(rest, '\n') + 1;
    *n_seen += rest.len;
    return rest;
}

/* Notes what both sides have got since the last look. */
static void play_look(struct play *p)
{
    struct jscan scan;

    while (p->n_server_seen < p->f.to_server.len) {
        struct sp_str line = next_line(&p->f.to_server, &p->n_server_seen);

        assert_true(jscan(line, JSCAN_LOG_DEPTH, &scan));
        assert_in_range(p->n_open, 0, N_OF(p->open) - 1);
        sp_buf_add(&p->open[p->n_open++], scan.id);
        if (sp_str_starts(scan.id, SP_STR("\"stretto-")))
            check_own(p, scan.value);
    }
    while (p->n_host_seen < p->f.to_host.len) {
        struct sp_str line = next_line(&p->f.to_host, &p->n_host_seen);

        assert_true(jscan(line, JSCAN_LOG_DEPTH, &scan));
        assert_false(sp_str_starts(scan.id, SP_STR("\"stretto-")));
        assert_in_range(index_of(p, scan.id), 0, p->n_asked - 1);
        p->n_got[index_of(p, scan.id)]++;
    }
    assert_true(p->f.n_questions <= p->f.served.questions);
}

static const char *const arguments[] = {
    "{}",
    "{\"email\":\"a@x.org\"}",
    "{\"email\":\"b@x.org\"}",
    "{\"ticket_id\":\"T-1\"}",
    "{\"ticket_id\":\"T-2\"}",
};

static void play_call(struct play *p)
{
    const char *tool = tools[json_gen_below(&p->g, N_OF(tools))];
    struct sp_buf line = {0};

    sp_buf_addf(&line,
                "{\"id\":%zu,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
                "\"arguments\":%s}}",
                ++p->n_asked, tool, arguments[json_gen_below(&p->g, N_OF(arguments))]);
    engine_fixture_host(&p->f, sp_buf_cstr(&line));
    sp_buf_deinit(&line);
}

/* The server lists some of its tools. */
static void play_list(struct play *p)
{
    static const char *const hints[] = {"", ",\"annotations\":{\"readOnlyHint\":true}",
                                        ",\"annotations\":{\"readOnlyHint\":false}"};
    static const char *const schemas[] = {
        "", ",\"inputSchema\":{\"properties\":{\"new\":{\"type\":\"string\"}}}"};
    struct sp_buf line = {0};
    bool is_first = true;

    sp_buf_addf(&line, "{\"id\":%zu,\"method\":\"tools/list\"}", ++p->n_asked);
    engine_fixture_host(&p->f, sp_buf_cstr(&line));
    sp_buf_clear(&line);
    sp_buf_addf(&line, "{\"id\":%zu,\"result\":{\"tools\":[", p->n_asked);
    for (size_t i = 0; i < N_OF(tools); i++) {
        size_t hint = json_gen_below(&p->g, 8);
        size_t schema = json_gen_below(&p->g, 8) == 0;

        if (json_gen_below(&p->g, 4) == 0)
            continue;
        hint = hint > 2 ? 0 : hint;
        sp_buf_addf(&line, "%s{\"name\":\"%s\"%s%s}", is_first ? "" : ",", tools[i], hints[hint],
                    schemas[schema]);
        is_first = false;
        p->is_any_listed = true;
        p->listed[i] = (struct listed){true, hint == 2, schema == 1};
    }
    sp_buf_add(&line, SP_STR("]}}"));
    /* The request is not among those that the server answers some time. */
    p->n_server_seen = p->f.to_server.len;
    p->n_given[p->n_asked - 1]++;
    engine_fixture_server(&p->f, sp_buf_cstr(&line));
    sp_buf_deinit(&line);
}

/* The server answers one of the requests that it has. */
static void play_answer(struct play *p)
{
    static const char *const answers[] = {
        "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"tickets\\\":[\\\"T-1\\\","
        "\\\"T-2\\\",\\\"T-3\\\"],\\\"owner\\\":\\\"a@x.org\\\"}\"}]}",
        "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"tickets\\\":[\\\"T-4\\\","
        "\\\"T-5\\\"]}\"}]}",
        "\"result\":{\"content\":[],\"isError\":true}",
        "\"result\":null",
        "\"result\":[1]",
        "\"error\":{\"code\":1,\"message\":\"no\"}",
    };
    size_t i, asked;
    struct sp_buf id, line = {0};

    if (p->n_open == 0)
        return;
    i = json_gen_below(&p->g, p->n_open);
    id = p->open[i];
    p->open[i] = p->open[--p->n_open];
    p->open[p->n_open] = (struct sp_buf){0};
    asked = index_of(p, sp_buf_str(&id));
    if (asked < MAX_ASKED)
        p->n_given[asked]++;
    sp_buf_addf(&line, "{\"id\":%s,%s}", sp_buf_cstr(&id),
                answers[json_gen_below(&p->g, N_OF(answers))]);
    engine_fixture_server(&p->f, sp_buf_cstr(&line));
    sp_buf_deinit(&line);
    sp_buf_deinit(&id);
}

/* The model answers, or cannot. */
static void play_model(struct play *p)
{
    struct oracle_response response;

    if (p->f.question == NULL)
        return;
    n_asked++;
    if (json_gen_below(&p->g, 4) == 0) {
        engine_fixture_no_answer(&p->f, "no answer");
        return;
    }
    oracle_mock(p->f.question, &response);
    engine_fixture_answer(&p->f, &response);
    oracle_response_deinit(&response);
}

static void play_step(struct play *p)
{
    static const char *const said[] = {
        "{\"role\":\"user\",\"content\":\"T-9, I am c@x.org\"}\n",
        "{\"role\":\"assistant\",\"content\":\"Let me see.\"}\n",
    };

    switch (json_gen_below(&p->g, 12)) {
    case 0:
    case 1:
    case 2:
        if (p->n_asked < MAX_ASKED)
            play_call(p);
        break;
    case 3:
        if (p->n_asked < MAX_ASKED && json_gen_below(&p->g, 10) == 0)
            play_list(p);
        break;
    case 4:
        engine_fixture_says(&p->f, said[json_gen_below(&p->g, 8) == 0]);
        break;
    case 5:
        engine_fixture_wait_until(&p->f, p->f.now_ms + json_gen_below(&p->g, 20000));
        break;
    case 6:
    case 7:
        play_model(p);
        break;
    default:
        play_answer(p);
        break;
    }
    play_look(p);
}

static void play_finish(struct play *p)
{
    size_t how = json_gen_below(&p->g, 4);

    if (how == 0)
        engine_fixture_host_end(&p->f);
    if (how == 1)
        engine_fixture_interrupt(&p->f);
    while (how != 2 && (p->n_open > 0 || (how == 0 && p->f.question != NULL))) {
        play_answer(p);
        play_model(p);
        play_look(p);
    }
    engine_fixture_server_end(&p->f);
    play_look(p);
    assert_null(p->f.question);
    assert_int_equal(engine_due_ms(p->f.engine), UINT64_MAX);
}

/* ---- the flow log ---- */

/* A record of a run scores again to the same numbers, and keeps to the budget. */
static void check_run(const struct engine_flow *o, struct toolmodel *t, struct sp_str value)
{
    struct sp_arena arena = {0};
    struct program_record record;
    const struct program_record *again;
    struct program_run *run;
    struct sp_err err;
    uint64_t n = 0;

    if (program_record_read(&arena, value, &record, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(program_score(o->flow->program, &t->base, toolmodel_number(t, record.call),
                              &record) > -INFINITY);
    run = program_run_new(o->flow->program, &t->base,
                          &(struct program_data){.call = record.call,
                                                 .number = toolmodel_number(t, record.call),
                                                 .failed = record.failed,
                                                 .max_lookups = record.max_lookups},
                          PROGRAM_EXECUTE);
    assert_true(program_replay(run, &record));
    again = program_run_record(run);
    assert_int_equal(again->n_sites, record.n_sites);
    assert_true(fabs(again->surprise - record.surprise) <= 1e-12);
    for (size_t i = 0; i < record.n_sites; i++) {
        bool is_outcome = record.sites[i].dist == PROGRAM_DIST_OUTCOME;

        assert_true(sp_str_eq(again->sites[i].address, record.sites[i].address));
        assert_int_equal(again->sites[i].value, record.sites[i].value);
        assert_true(fabs(again->sites[i].logp - record.sites[i].logp) <= 1e-12);
        n += is_outcome;
        n_scored_failures += is_outcome && record.sites[i].value == 0;
    }
    assert_true(n <= o->per_call);
    program_run_free(run);
    sp_arena_deinit(&arena);
    n_runs++;
}

/* Lines are canonical; decisions have one address after the other and then their run. */
static void check_log(struct play *p)
{
    struct toolmodel t;
    size_t n_seen = 0;

    toolmodel_init(&t, p->f.served.flow);
    while (n_seen < p->f.flow_log.len) {
        struct sp_str line = next_line(&p->f.flow_log, &n_seen), member;
        struct sp_buf canonical = {0};
        struct jscan scan;

        assert_true(jscan(line, JSCAN_LOG_DEPTH, &scan));
        jcanon(&canonical, scan.value);
        if (!sp_str_eq(sp_buf_str(&canonical), scan.value))
            fail_msg("not canonical: %.*s", SP_STR_ARG(line));
        sp_buf_deinit(&canonical);
        assert_true(jget_member(scan.value, SP_STR("after"), &member));
        assert_true(index_of(p, member) < MAX_ASKED);
        if (jget_member(scan.value, SP_STR("run"), &member))
            check_run(&p->f.served, &t, member);
        else
            assert_true(jget_member(scan.value, SP_STR("action"), &member));
    }
    toolmodel_deinit(&t);
}

static void flowrun_keeps_its_rules_on_random_sessions(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct play p;

        play_begin(&p, seed);
        for (int i = 0; i < 250; i++)
            play_step(&p);
        play_finish(&p);
        for (size_t i = 0; i < p.n_asked; i++) {
            if (p.n_got[i] != p.n_given[i])
                fail_msg("seed %ju: the request %zu got %zu answers instead of %zu",
                         (uintmax_t)seed, i + 1, p.n_got[i], p.n_given[i]);
        }
        check_log(&p);
        play_end(&p);
    }
    /* The sessions were of all kinds. */
    print_message("# %zu lookups, %zu runs, %zu questions, %zu failed lookups\n", n_lookups, n_runs,
                  n_asked, n_scored_failures);
    assert_true(n_lookups > 300);
    assert_true(n_runs > 5000);
    assert_true(n_asked > 100);
    assert_true(n_scored_failures > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flowrun_keeps_its_rules_on_random_sessions),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
