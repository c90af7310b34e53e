/* Random tests of learn/flowaudit.h: against decisions that are each made afresh. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow_edit.h"
#include "flow_example.h"
#include "flow_session.h"
#include "json/jget.h"
#include "learn/flowaudit_tally.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define N_SESSIONS 60
#define N_EVENTS   60

#define FLOOR   1e-6
#define EPSILON 1e-9

#define FOLD                                                                                    \
    "{\"weights\":[0.5,0.3,0.2,0.1,0.4],\"rates\":{\"sites\":[[\"find_tickets\",[8.0,6.0,8.0]]" \
    "],\"agree\":0.7,\"cover\":0.95}}"

static void check_close(double got, double want)
{
    if (!(fabs(got - want) <= EPSILON))
        fail_msg("%.12f instead of %.12f", got, want);
}

static int ask_mock(void *data, const struct oracle_request *request, struct sp_str *ret_key,
                    struct oracle_response *ret, struct sp_err *ret_why)
{
    unsigned *n_asked = data;

    (void)ret_why;
    *ret_key = (struct sp_str){0};
    if (++*n_asked % 3 == 0)
        return -1;
    oracle_mock(request, ret);
    return 0;
}

struct model {
    uint64_t decisions;
    uint64_t unanswered;
    uint64_t hits;
    double log_prob;
    double expected;
    unsigned n_asked;
};

/* The value at a name of an object. */
static struct sp_str member(struct sp_str object, const char *name)
{
    struct sp_str value = {0};

    if (!jget_member(object, sp_str_of(name), &value))
        fail_msg("no member %s", name);
    return value;
}

static double number(struct sp_str value)
{
    char digits[40];

    snprintf(digits, sizeof digits, "%.*s", SP_STR_ARG(value));
    return strtod(digits, NULL);
}

/* Scores a step by the record of a decision: probabilities by name. */
static void score_record(struct model *m, const struct flow *f, struct sp_str probs,
                         const struct episode_event *next)
{
    struct sp_str step = SP_STR("\"respond\"");
    double sum = 0, raised = 0, top = 0, p = 0, other;
    struct sp_str likeliest = SP_STR("other");
    struct sp_buf name = {0};
    bool is_offered = false;

    if (next->kind == EPISODE_ASSISTANT && next->n_calls > 0) {
        const struct flow_kind *kind = flow_kind_of(f, next->calls[0].name);

        sp_buf_addf(&name, "\"%.*s\"", SP_STR_ARG(next->calls[0].name));
        for (struct jget_iter it = jget_iter(probs); jget_next(&it);)
            is_offered = is_offered || sp_str_eq(it.name, sp_buf_str(&name));
        if (is_offered)
            step = sp_buf_str(&name);
        else if (kind != NULL && kind->kind == MANIFEST_READ)
            step = SP_STR("other");
    }
    for (struct jget_iter it = jget_iter(probs); jget_next(&it);) {
        double q = fmax(number(it.value), FLOOR);

        sum += number(it.value);
        raised += q;
        if (q > top) {
            top = q;
            likeliest = it.name;
        }
        if (sp_str_eq(it.name, step))
            p = q;
    }
    other = fmax(fmax(0, 1 - sum), FLOOR);
    if (other > top)
        likeliest = SP_STR("other");
    if (sp_str_eq(step, SP_STR("other")))
        p = other;
    raised += other;
    m->decisions++;
    m->hits += sp_str_eq(likeliest, step);
    m->log_prob += log(p / raised);
    m->expected += p / raised;
    sp_buf_deinit(&name);
}

/* Decides on an episode that ends there, with nothing known from before. */
static void score_afresh(struct model *m, const struct flow *f, enum decide_decider decider,
                         const struct episode *e, size_t n)
{
    struct decide_options options = {.decider = decider, .threshold = INFINITY};
    struct decide_context context = {0};
    struct episode cut = episode_copy(e, n);
    struct episode_view view = episode_view_whole(&cut);
    struct bind *bind = bind_new(f);
    struct sp_buf record = {0};
    struct decide *d;
    struct oracle_response response;
    struct sp_str key, probs;
    struct sp_err why = {0};

    bind_update(bind, &cut);
    if (decide_begin(f, &options, bind, &view, &d) == DECIDE_ASKS) {
        if (ask_mock(&m->n_asked, decide_request(d), &key, &response, &why) < 0) {
            (void)decide_no_answer(d, "no");
        } else {
            (void)decide_answer(d, &response);
            oracle_response_deinit(&response);
        }
    }
    sp_buf_add_char(&record, '{');
    decide_put_record(d, &context, &record);
    sp_buf_add_char(&record, '}');
    probs = member(sp_buf_str(&record), "probs");
    if (!sp_str_eq(probs, SP_STR("{}")))
        score_record(m, f, probs, &e->events[n]);
    else
        m->unanswered += decide_has_asked(d);
    sp_buf_deinit(&record);
    decide_free(d);
    bind_free(bind);
    episode_deinit(&cut);
}

static void check_random(enum decide_decider decider, uint64_t seed)
{
    static const char *const tools[] = {"find_tickets", "get_ticket", "respond", "other", "close"};
    static const struct flow_edit edits[] = {
        {"\"model\":\"\"", "\"model\":\"jev-latest\""},
        {"\"folds\":[]", "\"folds\":[" FOLD "," FOLD "," FOLD "," FOLD "," FOLD "]"},
        {"\"get_ticket\":\"read\"", "\"get_ticket\":\"read\",\"other\":\"read\""},
        {"\"feeds\":", "\"every_read\":true,\"feeds\":"},
    };
    struct flow *flow = flow_parsed(FLOW_EXAMPLE, edits, N_OF(edits));
    struct model m = {0};
    unsigned n_asked = 0;
    struct flowaudit_options options = {flow, decider, ask_mock, &n_asked};
    struct flowaudit *a = flowaudit_new(&options);
    struct json_gen g = {.state = seed};

    for (int i = 0; i < N_SESSIONS; i++) {
        struct episode e = {.id = SP_STR("s"), .task_id = SP_STR("t")};

        for (int k = 0; k < N_EVENTS; k++)
            flow_session_grow(&e, &g, tools, N_OF(tools));
        for (size_t k = 1; k < e.n_events; k++) {
            if (e.events[k - 1].kind == EPISODE_RESULT && e.events[k].kind != EPISODE_RESULT)
                score_afresh(&m, flow, decider, &e, k);
        }
        flowaudit_add(a, &e);
        episode_deinit(&e);
    }
    assert_true(m.decisions > N_SESSIONS);
    assert_true((m.unanswered > 0) == (decider == DECIDE_ARBITER));
    assert_int_equal(a->total.decisions, m.decisions);
    assert_int_equal(a->unanswered, m.unanswered);
    assert_int_equal(a->total.hits, m.hits);
    check_close(a->total.log_prob / (double)m.decisions, m.log_prob / (double)m.decisions);
    check_close(a->expected / (double)m.decisions, m.expected / (double)m.decisions);
    flowaudit_free(a);
    flow_free(flow);
}

static void flowaudit_of_a_growing_session_is_that_of_each_decision_made_afresh(void **state)
{
    (void)state;
    check_random(DECIDE_HABIT, 44);
    check_random(DECIDE_REACH, 45);
    check_random(DECIDE_ARBITER, 46);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flowaudit_of_a_growing_session_is_that_of_each_decision_made_afresh),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
