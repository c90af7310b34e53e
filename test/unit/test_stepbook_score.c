/* Tests of learn/stepbook_score.h: what features change of the likelihood of steps. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow_session.h"
#include "learn/stepbook_score.h"
#include "tool_flow.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define MAX_STEPS 400

/* A session in letters: `r` a message, all but the last one answered; calls, upper case failed. */
struct session {
    const char *steps;
    const char *features[2]; /* two ways to tell outputs apart: a digit a step */
};

/* Steps as a book has them, without sessions. */
struct steps {
    struct stepbook_step of[MAX_STEPS];
    uint32_t actions[MAX_STEPS];
    uint8_t features[3][MAX_STEPS]; /* the first are all 0 */
    struct stepbook book;
};

static void add_step(struct steps *s, uint32_t action, uint8_t outcome, unsigned fold,
                     size_t n_before)
{
    size_t i = s->book.n_steps++;

    assert_true(i < MAX_STEPS);
    s->of[i] = (struct stepbook_step){
        .outcome = outcome,
        .fold = (uint8_t)fold,
        .n_before = (uint8_t)(n_before < 2 ? n_before : 2),
    };
    s->actions[i] = action;
    s->book.steps = s->of;
}

/* actions: the letters in the order of their actions. */
static void add_session(struct steps *s, const struct session *session, const char *actions,
                        unsigned fold)
{
    for (size_t i = 0; session->steps[i] != '\0'; i++) {
        char c = session->steps[i];
        bool is_last = session->steps[i + 1] == '\0';
        bool is_error = c >= 'A' && c <= 'Z';
        uint32_t action = (uint32_t)(strchr(actions, is_error ? c + 'a' - 'A' : c) - actions);

        for (size_t k = 0; k < 2; k++)
            s->features[k + 1][s->book.n_steps] = (uint8_t)(session->features[k][i] - '0');
        add_step(s, action, (uint8_t)(action == 0 ? is_last ? 3 : 2 : is_error), fold, i);
    }
}

/* The likelihood by its definition: all counts over again for each step. */
static double naive_score(const struct steps *s, const uint8_t *features, size_t n_actions,
                          double alpha)
{
    uint64_t symbols[MAX_STEPS];
    double sum = 0;

    for (size_t i = 0; i < s->book.n_steps; i++)
        symbols[i] = (s->actions[i] * 4 + s->of[i].outcome) * 4096 + features[i];
    for (size_t i = 0; i < s->book.n_steps; i++) {
        double p = 1 / (double)n_actions;

        for (size_t order = 0; order <= 2; order++) {
            double n = 0;
            double hits = 0;

            for (size_t k = 0; k < s->book.n_steps; k++) {
                bool is_same = s->of[k].fold != s->of[i].fold;

                for (size_t back = 1; back <= order; back++) {
                    bool has_i = s->of[i].n_before >= back;
                    bool has_k = s->of[k].n_before >= back;

                    is_same = is_same && has_i == has_k &&
                              (!has_i || symbols[i - back] == symbols[k - back]);
                }
                n += is_same;
                hits += is_same && s->actions[k] == s->actions[i];
            }
            p = n > 0 ? (hits + alpha * p) / (n + alpha) : p;
        }
        sum += log(p);
    }
    return sum;
}

static void assert_near(double is, double wanted, double tolerance)
{
    if (!(fabs(is - wanted) <= tolerance))
        fail_msg("%.12g is not %.12g", is, wanted);
}

/* What features of an action add to the score over others. */
static double gain(struct steps *s, size_t n_actions, uint32_t action, const uint8_t *features,
                   const uint8_t *before)
{
    struct stepbook_score *score = stepbook_score_new(&s->book, s->actions, n_actions, 1.0);
    double gained;

    stepbook_score_set(score, before);
    gained = stepbook_score_behind(score, action, features);
    gained -= stepbook_score_behind(score, action, before);
    stepbook_score_free(score);
    return gained;
}

static void stepbook_score_of_the_worked_example(void **state)
{
    /* Features: those of find_tickets by `owner` and by `Len tickets`. */
    static const struct session by_find[] = {
        {"fggrr", {"10000", "20000"}},
        {"fgr", {"200", "200"}},
        {"Frfgr", {"00300", "00100"}},
    };
    /* Those of get_ticket by `state` and by `ticket_id`. */
    static const struct session by_get[] = {
        {"fggrr", {"02100", "01200"}},
        {"fgr", {"020", "030"}},
        {"Frfgr", {"00020", "00040"}},
    };
    static const unsigned folds[] = {4, 0, 1};
    struct steps find = {0};
    struct steps get = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(by_find); i++) {
        add_session(&find, &by_find[i], "rfg", folds[i]);
        add_session(&get, &by_get[i], "rfg", folds[i]);
    }
    assert_near(naive_score(&find, find.features[0], 4, 1.0), -10.638256, 1e-6);
    assert_near(gain(&find, 4, 1, find.features[1], find.features[0]), -1.806, 5e-4);
    assert_near(gain(&find, 4, 1, find.features[2], find.features[0]), -0.988, 5e-4);
    assert_near(gain(&get, 4, 2, get.features[1], get.features[0]), -0.957, 5e-4);
    assert_near(gain(&get, 4, 2, get.features[2], get.features[0]), 0.714, 5e-4);
}

/* Adds a session that reads order number i and then does what its status asks for. */
static void add_order(struct stepbook *b, int i)
{
    char id[16];
    char output[80];
    const char *then = i % 2 == 0 ? "return" : "cancel";
    struct flow_session_event events[] = {
        CALL("1", "get_order", "{}"),
        RESULT("1", "get_order", output),
        CALL("2", then, "{}"),
        RESULT("2", then, ""),
        SAYS("Done"),
        {0},
    };
    struct episode e = {0};

    snprintf(id, sizeof id, "s%d", i);
    snprintf(output, sizeof output, "{\"items\":[%s],\"order\":\"W%d\",\"status\":\"%s\"}",
             i % 3 == 0 ? "1" : "1,2", i, i % 2 == 0 ? "delivered" : "pending");
    e.task_id = sp_str_of(id);
    flow_session_add_all(&e, events);
    stepbook_add(b, &e);
    episode_deinit(&e);
}

static void stepbook_score_of_features_on_top_of_others(void **state)
{
    static const struct tool_flow_tool tools[] = {
        {"cancel", MANIFEST_WRITE}, {"get_order", MANIFEST_READ}, {"return", MANIFEST_WRITE}};
    struct flow *f = tool_flow(tools, N_OF(tools));
    struct stepbook *b = stepbook_new();
    struct stepbook_trail trail;
    struct steps s = {0};
    uint8_t both[MAX_STEPS] = {0};

    (void)state;
    for (int i = 1; i <= 20; i++) {
        size_t step = 3 * ((size_t)i - 1);

        add_order(b, i);
        s.features[1][step] = i % 2 == 0 ? 1 : 2;
        s.features[2][step] = i % 3 == 0 ? 1 : 2;
        both[step] = (uint8_t)((i % 2 == 0 ? 0 : 2) + (i % 3 == 0 ? 1 : 2));
    }
    trail = stepbook_trail(b, f);
    assert_int_equal(b->n_steps, 60);
    memcpy(s.of, b->steps, b->n_steps * sizeof *b->steps);
    memcpy(s.actions, trail.actions, b->n_steps * sizeof *trail.actions);
    s.book = (struct stepbook){.steps = s.of, .n_steps = b->n_steps};
    assert_near(naive_score(&s, s.features[0], 5, 1.0), -14.524876, 1e-6);
    assert_near(gain(&s, 5, 2, s.features[1], s.features[0]), 14.059958, 1e-6);
    assert_near(gain(&s, 5, 2, s.features[2], s.features[0]), -2.161748, 1e-6);
    assert_near(gain(&s, 5, 2, both, s.features[1]), -1.160075, 1e-6);
    stepbook_trail_deinit(&trail);
    flow_free(f);
    stepbook_free(b);
}

/* Random steps; the actions have random features of their own. */
static void fill_random(struct steps *s, struct json_gen *g, size_t n_actions)
{
    size_t n_features = 1 + json_gen_below(g, json_gen_below(g, 4) == 0 ? 64 : 4);

    *s = (struct steps){0};
    for (size_t n = json_gen_below(g, 8); n > 0; n--) {
        size_t n_steps = json_gen_below(g, 20);
        unsigned fold = (unsigned)json_gen_below(g, 5);

        for (size_t i = 0; i < n_steps; i++) {
            s->features[0][s->book.n_steps] = (uint8_t)json_gen_below(g, n_features);
            s->features[1][s->book.n_steps] = (uint8_t)json_gen_below(g, n_features);
            add_step(s, (uint32_t)json_gen_below(g, n_actions), (uint8_t)json_gen_below(g, 4), fold,
                     i);
        }
    }
}

static void stepbook_score_changes_as_the_likelihood_of_all_steps_does(void **state)
{
    struct json_gen g = {.state = 31};
    struct steps *s = test_malloc(sizeof *s);

    (void)state;
    for (int i = 0; i < 150; i++) {
        size_t n_actions = 1 + json_gen_below(&g, 5);
        double alpha = (double)(1 + json_gen_below(&g, 50)) / 10;
        struct stepbook_score *score;
        double before;

        fill_random(s, &g, n_actions);
        before = naive_score(s, s->features[0], n_actions, alpha);
        score = stepbook_score_new(&s->book, s->actions, n_actions, alpha);
        stepbook_score_set(score, s->features[0]);
        for (uint32_t action = 0; action < n_actions; action++) {
            uint8_t tried[MAX_STEPS];
            double gained;

            for (size_t k = 0; k < s->book.n_steps; k++)
                tried[k] = s->features[s->actions[k] == action][k];
            gained = stepbook_score_behind(score, action, tried) -
                     stepbook_score_behind(score, action, s->features[0]);
            assert_near(gained, naive_score(s, tried, n_actions, alpha) - before, 1e-9);
        }
        stepbook_score_free(score);
    }
    test_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stepbook_score_of_the_worked_example),
        cmocka_unit_test(stepbook_score_of_features_on_top_of_others),
        cmocka_unit_test(stepbook_score_changes_as_the_likelihood_of_all_steps_does),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
