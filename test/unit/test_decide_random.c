/* Properties of flow/decide.h that hold for any flow and session, on random ones. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow/decide.h"
#include "flow/predict.h"
#include "flow_edit.h"
#include "flow_example.h"
#include "flow_session.h"
#include "json/jget.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define N_FLOWS   40
#define N_EVENTS  60
#define MAX_READS 5

static const char *const tools[] = {"find_tickets", "get_ticket", "close_ticket", "ping", "zz"};

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

/* A flow with numbers, lookups and thresholds that no training gave it. */
static struct flow *random_flow(struct json_gen *g)
{
    struct flow *f = flow_parsed(FLOW_FULL, NULL, 0);
    struct sp_err err;

    for (size_t i = 0; i < f->habit.n_levels; i++)
        fill_level(&f->habit.levels[i], g);
    for (size_t i = 0; i < f->reach.n_levels; i++)
        fill_level(&f->reach.levels[i], g);
    fill_level(&f->top, g);
    for (size_t i = 0; i < f->n_folds; i++) {
        for (size_t k = 0; k < f->folds[i].n_weights; k++)
            f->folds[i].weights[k] = ((double)json_gen_below(g, 400) - 200) / 100;
    }
    f->sites.every_read = json_gen_below(g, 3) == 0;
    f->sites.n_reads = json_gen_below(g, MAX_READS + 1);
    f->sites.reads = sp_arena_alloc(&f->arena, MAX_READS * sizeof *f->sites.reads);
    for (size_t i = 0; i < f->sites.n_reads; i++)
        f->sites.reads[i] = sp_str_of(tools[json_gen_below(g, N_OF(tools))]);
    f->is_promoted = json_gen_below(g, 4) == 0;
    if (json_gen_below(g, 2) == 0)
        f->n_thresholds = 0;
    flow_index(f);
    if (flow_check(f, &err) < 0)
        fail_msg("%s", err.text);
    return f;
}

static bool is_offered(const struct flow *f, const struct episode_view *view, struct sp_str tool)
{
    struct sp_arena arena = {0};
    struct predict_site site;
    const struct flow_next *next;
    bool is_found = false;

    assert_true(predict_site(view, &arena, &site));
    next = flow_next_of(f, site.prev, site.failed);
    if (f->sites.every_read)
        is_found = flow_read_of(f, tool) < f->sites.n_reads;
    else if (next != NULL)
        is_found = flow_tally_of(&next->lookups, tool) != NULL;
    sp_arena_deinit(&arena);
    return is_found;
}

/* Decides, with the stand-in to ask; appends the record. */
static enum decide_outcome decide(const struct flow *f, const struct decide_options *options,
                                  struct bind *bind, const struct episode_view *view,
                                  struct sp_buf *record)
{
    struct decide_context context = {.after = SP_STR("1"), .address = SP_STR("decide#0")};
    struct decide *d;
    enum decide_outcome outcome = decide_begin(f, options, bind, view, &d);

    if (outcome == DECIDE_ASKS) {
        struct oracle_response response;

        assert_true(options->decider == DECIDE_ARBITER);
        oracle_mock(decide_request(d), &response);
        outcome = decide_answer(d, &response);
        oracle_response_deinit(&response);
    }
    if (outcome == DECIDE_LOOKUP) {
        assert_true(is_offered(f, view, decide_tool(d)));
        assert_false(sp_str_eq(decide_tool(d), PREDICT_RESPOND));
        assert_int_equal(jget_type(decide_arguments(d)), JSCAN_OBJECT);
    } else {
        assert_int_equal(outcome, DECIDE_HAND_BACK);
        assert_true(decide_reason(d).len > 0);
    }
    sp_buf_add_char(record, '{');
    decide_put_record(d, &context, record);
    sp_buf_add_char(record, '}');
    decide_free(d);
    return outcome;
}

static double number(struct sp_str value)
{
    char digits[40];

    snprintf(digits, sizeof digits, "%.*s", SP_STR_ARG(value));
    return strtod(digits, NULL);
}

/* Checks a record as JSON, and its chances as such. */
static void check_record(struct sp_str record, enum decide_decider decider)
{
    struct jscan scan;
    struct sp_str probs, value;
    double sum = 0;
    bool is_any = false;

    assert_true(jscan(record, JSCAN_LOG_DEPTH, &scan));
    assert_true(jget_member(record, SP_STR("probs"), &probs));
    for (struct jget_iter it = jget_iter(probs); jget_next(&it);) {
        double p = number(it.value);

        assert_true(p >= 0 && p <= 1);
        sum += p;
        is_any = true;
    }
    assert_true(decider == DECIDE_REACH || sum <= 1 + 1e-9);
    /* What the habit gives no lookup is handing back's, unless rare lookups took more than all. */
    assert_true(decider != DECIDE_HABIT || !is_any || sum >= 1 - 1e-9);
    assert_true(jget_member(record, SP_STR("prob"), &value));
    assert_int_equal(jget_type(value) == JSCAN_NUMBER, is_any);
}

static void decide_never_leaves_what_the_site_offers_and_needs_no_memory(void **state)
{
    static const enum decide_decider deciders[] = {DECIDE_HABIT, DECIDE_REACH, DECIDE_ARBITER};
    struct json_gen g = {.state = 2021};
    size_t n_lookups = 0, n_decisions = 0;

    (void)state;
    for (int i = 0; i < N_FLOWS; i++) {
        struct flow *f = random_flow(&g);
        struct bind *bind = bind_new(f);
        struct episode e = {.task_id = SP_STR("t")};
        struct recall recall = {0};
        struct decide_options options = {
            .decider = deciders[i % 3],
            .threshold = (double)json_gen_below(&g, 120) / 200,
            .explores = json_gen_below(&g, 2) == 0,
            .epsilon = (double)json_gen_below(&g, 3) / 2,
            .seed = json_gen_below(&g, 100),
        };

        for (int k = 0; k < N_EVENTS; k++) {
            struct sp_buf with = {0}, without = {0};
            struct episode_view view;

            flow_session_grow(&e, &g, tools, N_OF(tools));
            bind_update(bind, &e);
            if (e.events[e.n_events - 1].kind != EPISODE_RESULT)
                continue;
            episode_view_after(&e, e.events[e.n_events - 1].call_id, &view);
            options.recall = &recall;
            n_lookups += decide(f, &options, bind, &view, &with) == DECIDE_LOOKUP;
            options.recall = NULL;
            (void)decide(f, &options, bind, &view, &without); /* only its record is compared */
            assert_string_equal(sp_buf_cstr(&with), sp_buf_cstr(&without));
            check_record(sp_buf_str(&with), options.decider);
            n_decisions++;
            sp_buf_deinit(&with);
            sp_buf_deinit(&without);
            episode_view_deinit(&view);
        }
        recall_deinit(&recall);
        bind_free(bind);
        episode_deinit(&e);
        flow_free(f);
    }
    assert_true(n_decisions > 300);
    assert_true(n_lookups > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decide_never_leaves_what_the_site_offers_and_needs_no_memory),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
