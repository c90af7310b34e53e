/* Random sessions: learn/stepbook.h against definitions that are counted out step by step. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow/decide.h"
#include "flow/steps.h"
#include "flow_session.h"
#include "learn/stepbook.h"
#include "tool_flow.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define MAX_STEPS    1500
#define MAX_SESSIONS 40
#define PADDING      4294967295U

static const struct tool_flow_tool tools[] = {
    {"close_ticket", MANIFEST_WRITE},
    {"find_tickets", MANIFEST_READ},
    {"get_ticket", MANIFEST_READ},
    {"note", MANIFEST_GENERIC},
};
static const char *const names[] = {"close_ticket", "find_tickets", "get_ticket", "note",
                                    "unlisted"};

/* Sessions, and the same as the plainest lists. */
struct corpus {
    struct episode sessions[MAX_SESSIONS];
    char ids[MAX_SESSIONS][16];
    size_t n_sessions;

    uint32_t actions[MAX_STEPS];
    struct steps_step steps[MAX_STEPS];
    uint32_t before[2][MAX_STEPS]; /* the last symbol but one, and the last */
    size_t ends[MAX_STEPS];        /* where the step's session ends */
    size_t n_steps;
};

/* Sets the lists, with the symbols that a flow gives. */
static void list_steps(struct corpus *c, const struct flow *f)
{
    c->n_steps = 0;
    for (size_t i = 0; i < c->n_sessions; i++) {
        struct episode_view view = episode_view_whole(&c->sessions[i]);
        struct steps_step back[MAX_STEPS];
        size_t n = 0;
        size_t first = c->n_steps;

        for (struct steps_iter it = steps_iter(&view); steps_back(&it, &back[n]);)
            n++;
        assert_true(c->n_steps + n <= MAX_STEPS);
        for (; n > 0; n--) {
            size_t step = c->n_steps++;

            c->steps[step] = back[n - 1];
            c->actions[step] = steps_symbol(f, &back[n - 1]) / 16384;
            c->before[0][step] = step > first ? c->before[1][step - 1] : PADDING;
            c->before[1][step] = step > first ? steps_symbol(f, &c->steps[step - 1]) : PADDING;
        }
        for (size_t k = first; k < c->n_steps; k++)
            c->ends[k] = c->n_steps;
    }
}

static bool has_history(const struct corpus *c, size_t step, const uint32_t *history, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (c->before[2 - n + i][step] != history[i])
            return false;
    }
    return true;
}

static bool is_of_kind(const struct flow *f, const struct steps_step *step, enum manifest_kind kind)
{
    const struct flow_kind *found = step->call != NULL ? flow_kind_of(f, step->call->name) : NULL;

    return found != NULL && found->kind == kind;
}

/* Whether the action comes from a step on before a write. */
static bool reaches(const struct corpus *c, const struct flow *f, size_t step, uint64_t action)
{
    for (size_t end = c->ends[step]; step < end && !is_of_kind(f, &c->steps[step], MANIFEST_WRITE);
         step++) {
        if (c->actions[step] == action)
            return true;
    }
    return false;
}

static void check_context(const struct corpus *c, const struct flow *f,
                          const struct flow_context *context, bool is_reach)
{
    double total = 0;

    for (size_t i = 0; i < c->n_steps; i++)
        total += has_history(c, i, context->history, context->n_history);
    assert_true(context->counts.total == total);
    for (uint64_t action = 0; action <= f->n_actions; action++) {
        double n = 0;

        for (size_t i = 0; i < c->n_steps; i++)
            n += has_history(c, i, context->history, context->n_history) &&
                 (is_reach ? reaches(c, f, i, action) : c->actions[i] == action);
        assert_true(flow_count(&context->counts, action) == n);
    }
    for (size_t i = 0; i < context->counts.n; i++)
        assert_true(context->counts.by_action[i].n > 0);
}

static void check_level(const struct corpus *c, const struct flow *f,
                        const struct flow_level *level, size_t n_history, bool is_reach)
{
    double total = 0;

    for (size_t i = 0; i < level->n; i++) {
        assert_int_equal(level->contexts[i].n_history, n_history);
        check_context(c, f, &level->contexts[i], is_reach);
        total += level->contexts[i].counts.total;
    }
    assert_true(total == (double)c->n_steps);
}

static void check_counts(const struct corpus *c, const struct flow *f)
{
    assert_int_equal(f->habit.n_levels, 3);
    assert_int_equal(f->reach.n_levels, 3);
    for (size_t i = 0; i < 3; i++) {
        check_level(c, f, &f->habit.levels[i], i, false);
        check_level(c, f, &f->reach.levels[i], i, true);
    }
    check_level(c, f, &f->top, 2, false);
    for (size_t i = 0; i < f->top.n; i++)
        assert_int_equal(f->top.contexts[i].group, 1);
}

static void check_next(const struct corpus *c, const struct flow *f)
{
    uint64_t n_counted = 0;
    uint64_t n = 0;

    for (size_t i = 0; i < f->sites.n_next; i++) {
        const struct flow_next *next = &f->sites.next[i];

        for (size_t k = 0; k < next->lookups.n; k++)
            n_counted += next->lookups.of[k].n;
    }
    for (size_t i = 1; i < c->n_steps; i++) {
        const struct steps_step *prev = &c->steps[i - 1];
        const struct flow_next *next;

        if (c->ends[i - 1] == i || prev->call == NULL ||
            !is_of_kind(f, &c->steps[i], MANIFEST_READ))
            continue;
        next = flow_next_of(f, prev->call->name, prev->outcome == STEPS_FAILED);
        assert_non_null(next);
        assert_non_null(flow_tally_of(&next->lookups, c->steps[i].call->name));
        n++;
    }
    assert_int_equal(n, n_counted);
}

/* The logarithm of the posterior by its definition, of the counts met before each step. */
struct met {
    double hits[3];
    double n[3];
};

static double log_posterior(const struct met *met, size_t n, double base, double x)
{
    double alpha = exp(x);
    double sum = -x * x / 8;

    for (size_t i = 0; i < n; i++) {
        double p = base;

        for (size_t order = 0; order < 3; order++) {
            if (met[i].n[order] > 0)
                p = (met[i].hits[order] + alpha * p) / (met[i].n[order] + alpha);
        }
        sum += log(p);
    }
    return sum;
}

/* The median over the whole grid. */
static double naive_alpha(const struct corpus *c, size_t n_actions)
{
    static struct met met[MAX_STEPS];
    static double w[4801];
    static double sums[4801];
    double max = -INFINITY;

    for (size_t i = 0; i < c->n_steps; i++) {
        met[i] = (struct met){0};
        for (size_t order = 0; order < 3; order++) {
            for (size_t k = 0; k < i; k++) {
                uint32_t history[] = {c->before[0][i], c->before[1][i]};
                bool is_same = has_history(c, k, history + 2 - order, order);

                met[i].n[order] += is_same;
                met[i].hits[order] += is_same && c->actions[k] == c->actions[i];
            }
        }
    }
    for (size_t k = 0; k < N_OF(w); k++) {
        w[k] = log_posterior(met, c->n_steps, 1 / (double)n_actions, -12 + 0.005 * (double)k);
        max = fmax(max, w[k]);
    }
    for (size_t k = 0; k < N_OF(w); k++)
        w[k] = exp(w[k] - max);
    for (size_t k = 1; k < N_OF(w); k++)
        sums[k] = sums[k - 1] + (w[k - 1] + w[k]) / 2;
    for (size_t k = 1; k < N_OF(w); k++) {
        double half = sums[N_OF(w) - 1] / 2;

        if (sums[k] >= half)
            return exp(-12 +
                       0.005 * ((double)k - 1 + (half - sums[k - 1]) / (sums[k] - sums[k - 1])));
    }
    return 0;
}

static void check_alpha(const struct corpus *c, const struct stepbook *b, const struct flow *f)
{
    double alpha = stepbook_alpha(b, f);
    double wanted = naive_alpha(c, f->n_actions + 1);

    if (!(fabs(alpha / wanted - 1) < 1e-9))
        fail_msg("%.17g is not %.17g", alpha, wanted);
}

static struct sp_buf written(const struct flow *f)
{
    struct sp_buf b = {0};

    flow_put(&b, f);
    return b;
}

static struct flow *learned(const struct corpus *c, struct stepbook **ret_book)
{
    struct flow *f = tool_flow(tools, N_OF(tools));
    struct stepbook *b = stepbook_new();

    for (size_t i = 0; i < c->n_sessions; i++)
        stepbook_add(b, &c->sessions[i]);
    stepbook_choose_features(b, f, 0.5);
    flow_index(f);
    stepbook_count(b, f, 0.5);
    flow_index(f);
    *ret_book = b;
    return f;
}

/* Learns from a corpus, holds it against definitions and learns again. */
static size_t check_corpus(struct corpus *c)
{
    struct stepbook *b;
    struct stepbook *again;
    struct flow *f = learned(c, &b);
    struct flow *g = learned(c, &again);
    struct sp_buf f_text = written(f);
    struct sp_buf g_text = written(g);
    size_t n_fields = f->n_fields;

    list_steps(c, f);
    check_counts(c, f);
    check_next(c, f);
    check_alpha(c, b, f);
    assert_true(sp_str_eq(sp_buf_str(&f_text), sp_buf_str(&g_text)));
    sp_buf_deinit(&f_text);
    sp_buf_deinit(&g_text);
    flow_free(f);
    flow_free(g);
    stepbook_free(b);
    stepbook_free(again);
    for (size_t i = 0; i < c->n_sessions; i++)
        episode_deinit(&c->sessions[i]);
    c->n_sessions = 0;
    return n_fields;
}

static struct episode *add_session(struct corpus *c, uint64_t id)
{
    char *text = c->ids[c->n_sessions];
    struct episode *e = &c->sessions[c->n_sessions++];

    snprintf(text, sizeof c->ids[0], "%u", (unsigned)id);
    *e = (struct episode){.task_id = sp_str_of(text)};
    return e;
}

static void stepbook_counts_random_sessions(void **state)
{
    struct corpus *c = test_calloc(1, sizeof *c);
    struct json_gen g = {.state = 8};

    (void)state;
    for (int i = 0; i < 40; i++) {
        for (uint64_t n = json_gen_below(&g, 6); n > 0; n--) {
            struct episode *e = add_session(c, json_gen_below(&g, 1000));

            for (uint64_t k = json_gen_below(&g, 60); k > 0; k--)
                flow_session_grow(e, &g, names, N_OF(names));
        }
        (void)check_corpus(c);
    }
    test_free(c);
}

/* A turn whose output says, by three fields, something of what comes next. */
static void add_told_turn(struct episode *e, struct json_gen *g, int i, size_t *tool)
{
    char id[16];
    char output[128];
    size_t turn = episode_add_turn(e, (struct sp_str){0});
    uint64_t a = json_gen_below(g, 2);
    uint64_t b = json_gen_below(g, 4);
    uint64_t n = json_gen_below(g, 3);

    snprintf(id, sizeof id, "%d", i);
    snprintf(output, sizeof output, "{\"a\":\"%d\",\"o\":{\"b\":%d},\"l\":[%s],\"id\":\"T-%d\"}",
             (int)a, (int)b,
             n == 0   ? ""
             : n == 1 ? "1"
                      : "1,2",
             (int)json_gen_below(g, 9999));
    episode_add_call(
        e, turn, (struct episode_call){sp_str_of(id), sp_str_of(tools[*tool].name), SP_STR("{}")});
    episode_add_result(e, sp_str_of(id), sp_str_of(tools[*tool].name), json_gen_below(g, 20) == 0,
                       json_gen_below(g, 20) == 0 ? SP_STR("none") : sp_str_of(output));
    *tool = json_gen_below(g, 10) == 0 ? json_gen_below(g, N_OF(tools))
                                       : (*tool % 2 + 2 * a + (n > 1)) % N_OF(tools);
}

static void stepbook_counts_sessions_with_features(void **state)
{
    struct corpus *c = test_calloc(1, sizeof *c);
    struct json_gen g = {.state = 14};
    size_t n_fields = 0;

    (void)state;
    for (int i = 0; i < 6; i++) {
        for (uint64_t n = 5 + json_gen_below(&g, 25); n > 0; n--) {
            struct episode *e = add_session(c, json_gen_below(&g, 1000));
            size_t tool = 0;

            for (int k = 0; k < 30; k++)
                add_told_turn(e, &g, k, &tool);
        }
        n_fields += check_corpus(c);
    }
    assert_true(n_fields > 6);
    test_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stepbook_counts_random_sessions),

        cmocka_unit_test(stepbook_counts_sessions_with_features),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
