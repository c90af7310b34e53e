/* Tests of flow/predict.h: sites, options, and their chances by the habit and by reach. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow/predict.h"
#include "flow_edit.h"
#include "flow_example.h"
#include "flow_tickets.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define GET_TICKET 2

static void assert_near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-9))
        fail_msg("%.17g is not %.17g", got, want);
}

/* A session with the flow's view of it. */
struct seen {
    struct episode episode;
    struct episode_view view;
};

static void see(struct seen *s, const struct flow_session_event *events, size_t n)
{
    *s = (struct seen){0};
    flow_session_add(&s->episode, events, n);
    s->view = episode_view_whole(&s->episode);
}

#define SEE(s, ...)                                                      \
    do {                                                                 \
        static const struct flow_session_event events[] = {__VA_ARGS__}; \
        see((s), events, N_OF(events));                                  \
    } while (0)

struct level {
    size_t n_context; /* how many symbols of history count, and one more */
    double habit;
    double reach;
};

static void predict_goes_from_short_to_long_histories(void **state)
{
    static const struct level levels[] = {
        {0, 0.25, 0.25},
        {1, 4.25 / 14, 9.25 / 14},
        {2, (3 + 4.25 / 14) / 4, (3 + 9.25 / 14) / 4},
        {3, 0.941964286, 0.971726190},
    };
    struct flow *f = flow_parsed(FLOW_EXAMPLE, NULL, 0);
    struct seen s;
    struct predict_counts habit, reach;

    (void)state;
    SEE(&s, TICKETS_ASKED, TICKETS_FOUND);
    habit = predict_habit(f, &s.view);
    reach = predict_reach(f, &s.view);
    assert_int_equal(habit.n, 3);
    assert_int_equal(reach.n, 3);
    assert_near(predict_chance(&habit, GET_TICKET), 0.980654762);
    assert_near(predict_chance(&reach, GET_TICKET), 0.971726190);
    assert_null(reach.top);
    habit.top = NULL;
    for (size_t i = 0; i < N_OF(levels); i++) {
        habit.n = levels[i].n_context;
        reach.n = levels[i].n_context;
        assert_near(predict_chance(&habit, GET_TICKET), levels[i].habit);
        assert_near(predict_chance(&reach, GET_TICKET), levels[i].reach);
    }
    episode_deinit(&s.episode);
    flow_free(f);
}

static void check_habit(const struct flow *f, const struct episode_view *view, const double want[4])
{
    struct predict_counts habit = predict_habit(f, view);

    for (uint64_t a = 0; a < 4; a++)
        assert_near(predict_chance(&habit, a), want[a]);
}

static void predict_habit_has_a_chance_for_every_action(void **state)
{
    struct flow *f = flow_parsed(FLOW_EXAMPLE, NULL, 0);
    struct seen s;

    (void)state;
    SEE(&s, TICKETS_ASKED, TICKETS_FOUND);
    check_habit(f, &s.view, (const double[]){0.010416667, 0.008432540, 0.980654762, 0.000496032});
    episode_deinit(&s.episode);

    /* Nobody saw this history, nor its last step. */
    SEE(&s, CALL("1", "other", "{}"), CALL("2", "other", "{}"));
    check_habit(f, &s.view, (const double[]){0.375, 0.303571429, 0.303571429, 0.017857143});
    episode_deinit(&s.episode);
    flow_free(f);
}

static void predict_habit_falls_back_after_more_lookups(void **state)
{
    struct flow *f = flow_parsed(FLOW_EXAMPLE, NULL, 0);
    struct predict_counts counts;
    struct seen s;

    (void)state;
    SEE(&s, TICKETS_ASKED, TICKETS_FOUND, TICKETS_READ_FIRST);
    counts = predict_habit(f, &s.view);
    assert_near(predict_chance(&counts, GET_TICKET), 0.328794643);
    counts = predict_reach(f, &s.view);
    assert_near(predict_chance(&counts, GET_TICKET), 0.333035714);
    episode_deinit(&s.episode);

    SEE(&s, TICKETS_ASKED, TICKETS_FOUND, TICKETS_READ_FIRST, TICKETS_READ_SECOND);
    counts = predict_habit(f, &s.view);
    assert_near(predict_chance(&counts, GET_TICKET), 0.065178571);
    episode_deinit(&s.episode);
    flow_free(f);
}

static void predict_reach_has_an_order_of_its_own(void **state)
{
    static const struct flow_edit shorter[] = {
        {"\"reach\":{\"order\":2", "\"reach\":{\"order\":0"},
        {"[[],{\"by_action\":[[0,13.0],[1,5.0],[2,9.0]],\"total\":13.0}]],",
         "[[],{\"by_action\":[[0,13.0],[1,5.0],[2,9.0]],\"total\":13.0}]]]}}"},
    };
    struct sp_buf edited = flow_edited(FLOW_EXAMPLE, shorter, N_OF(shorter));
    struct flow *f = NULL;
    struct predict_counts counts;
    struct sp_err err;
    struct seen s;

    (void)state;
    /* What follows the changes is cut off. */
    edited.len = (size_t)(strstr(sp_buf_cstr(&edited), "]]]}}") + 5 - edited.p);
    if (flow_parse(sp_buf_str(&edited), &f, &err) < 0)
        fail_msg("%s", err.text);
    SEE(&s, TICKETS_ASKED, TICKETS_FOUND);
    counts = predict_reach(f, &s.view);
    assert_near(predict_chance(&counts, GET_TICKET), 9.25 / 14);
    counts = predict_habit(f, &s.view);
    assert_near(predict_chance(&counts, GET_TICKET), 0.980654762);
    episode_deinit(&s.episode);
    flow_free(f);
    sp_buf_deinit(&edited);
}

static void predict_habit_asks_the_layer_of_its_group(void **state)
{
    static const struct flow_edit other = {"\"group\":1,", "\"group\":2,"};
    struct flow *f = flow_parsed(FLOW_EXAMPLE, &other, 1);
    struct predict_counts habit;
    struct seen s;

    (void)state;
    SEE(&s, TICKETS_ASKED, TICKETS_FOUND);
    habit = predict_habit(f, &s.view);
    assert_null(habit.top);
    assert_near(predict_chance(&habit, GET_TICKET), 0.941964286);
    episode_deinit(&s.episode);
    flow_free(f);
}

struct site_case {
    struct flow_session_event events[8];
    const char *name; /* NULL: no site */
    const char *prev;
    bool failed;
};

static void predict_site_is_the_last_call(void **state)
{
    static const struct site_case cases[] = {
        {{{0}}, NULL, NULL, false},
        {{TICKETS_ASKED}, NULL, NULL, false},
        {{TICKETS_FOUND}, "find_tickets", "find_tickets", false},
        {{TICKETS_FOUND, USER("Well?")}, "find_tickets", "find_tickets", false},
        {{TICKETS_FOUND, SAYS("Here")}, NULL, NULL, false},
        {{TICKETS_FOUND, SAYS("Here"), USER("Hm")}, NULL, NULL, false},
        {{TICKETS_FOUND, ERROR("7", "find_tickets", "")},
         "find_tickets (error)",
         "find_tickets",
         true},
        {{CALL("1", "x", "{}")}, "x (error)", "x", true},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        const struct site_case *c = &cases[i];
        struct predict_site site = {0};
        struct sp_arena arena = {0};
        struct seen s = {0};

        flow_session_add_all(&s.episode, c->events);
        s.view = episode_view_whole(&s.episode);
        assert_int_equal(predict_site(&s.view, &arena, &site), c->name != NULL);
        if (c->name != NULL) {
            assert_true(sp_str_eq(site.name, sp_str_of(c->name)));
            assert_true(sp_str_eq(site.prev, sp_str_of(c->prev)));
            assert_int_equal(site.failed, c->failed);
        }
        sp_arena_deinit(&arena);
        episode_deinit(&s.episode);
    }
}

struct options_case {
    const char *next; /* what followed find_tickets */
    const char *reads;
    const char *site;
    bool failed;
    const char *options; /* with a space between them */
};

static void check_options(const struct options_case *c)
{
    struct sp_buf reads = {0};
    struct sp_buf told = {0};
    struct flow_edit edits[] = {{"{\"get_ticket\":3}", c->next},
                                {"\"reads\":[\"find_tickets\",\"get_ticket\"]", NULL}};
    struct sp_arena arena = {0};
    struct predict_site site = {.prev = sp_str_of(c->site), .failed = c->failed};
    struct predict_options options;
    struct flow *f;

    sp_buf_addf(&reads, "\"reads\":%s", c->reads);
    edits[1].to = sp_buf_cstr(&reads);
    f = flow_parsed(FLOW_EXAMPLE, edits, N_OF(edits));
    options = predict_options(f, &site, &arena);
    for (size_t i = 0; i < options.n; i++)
        sp_buf_addf(&told, "%s%.*s", i > 0 ? " " : "", SP_STR_ARG(options.of[i]));
    assert_string_equal(sp_buf_cstr(&told), c->options);
    assert_true(sp_str_eq(options.of[options.respond], PREDICT_RESPOND));
    sp_arena_deinit(&arena);
    flow_free(f);
    sp_buf_deinit(&told);
    sp_buf_deinit(&reads);
}

static void predict_options_are_the_lookups_and_handing_back_in_byte_order(void **state)
{
#define READS "[\"find_tickets\",\"get_ticket\"]"
#define EVERY "[\"zz\",\"b\",\"respond\",\"zz\",\"B\"],\"every_read\":true"
    static const struct options_case cases[] = {
        {"{\"get_ticket\":3}", READS, "find_tickets", false, "get_ticket respond"},
        {"{\"get_ticket\":3}", READS, "find_tickets", true, "respond"},
        {"{\"get_ticket\":3}", READS, "other", false, "respond"},
        {"{}", READS, "find_tickets", false, "respond"},
        /* How often it followed does not matter, nor whether it is one of the reads. */
        {"{\"s\":1,\"a\":0,\"Z\":2}", READS, "find_tickets", false, "Z a respond s"},
        /* A tool of that name could not be told from handing back. */
        {"{\"respond\":9,\"s\":1}", READS, "find_tickets", false, "respond s"},
        {"{\"respond\":9}", READS, "find_tickets", false, "respond"},
        {"{\"get_ticket\":3}", EVERY, "find_tickets", false, "B b respond zz"},
        {"{\"get_ticket\":3}", EVERY, "other", true, "B b respond zz"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++)
        check_options(&cases[i]);
}

static void predict_gives_handing_back_what_is_left(void **state)
{
    struct flow *f = flow_parsed(FLOW_EXAMPLE, NULL, 0);
    struct predict_site site = {.prev = SP_STR("find_tickets")};
    struct sp_arena arena = {0};
    struct predict_options options;
    const double *chances;
    struct seen s;

    (void)state;
    SEE(&s, TICKETS_ASKED, TICKETS_FOUND);
    options = predict_options(f, &site, &arena);
    chances = predict_by_habit(f, &s.view, &options, &arena);
    assert_near(chances[0], 0.980654762);
    assert_near(chances[1], 0.019345238);
    chances = predict_by_reach(f, &s.view, &options, &arena);
    assert_near(chances[0], 0.971726190);
    assert_true(chances[1] == 0);
    sp_arena_deinit(&arena);
    episode_deinit(&s.episode);
    flow_free(f);
}

static void predict_never_gives_handing_back_less_than_nothing(void **state)
{
    /* These three are all the action that the flow does not list. */
    static const struct flow_edit edit = {"{\"get_ticket\":3}", "{\"a\":1,\"b\":1,\"c\":1}"};
    struct flow *f = flow_parsed(FLOW_EXAMPLE, &edit, 1);
    struct predict_site site = {.prev = SP_STR("find_tickets")};
    struct flow_action_count unlisted = {3, 10};
    struct sp_arena arena = {0};
    struct predict_options options;
    const double *chances;
    struct seen s;

    (void)state;
    SEE(&s, TICKETS_ASKED, TICKETS_FOUND);
    for (size_t i = 0; i < f->top.n; i++)
        f->top.contexts[i].counts = (struct flow_counts){&unlisted, 1, 10};
    options = predict_options(f, &site, &arena);
    chances = predict_by_habit(f, &s.view, &options, &arena);
    assert_true(chances[0] > 0.9);
    assert_true(chances[3] == 0);
    sp_arena_deinit(&arena);
    episode_deinit(&s.episode);
    flow_free(f);
}

/* Counts that add up to their total, as those of a habit do. */
static void fill_counts(struct flow *f, struct json_gen *g, struct flow_counts *counts)
{
    counts->n = json_gen_below(g, f->n_actions + 1);
    counts->by_action = sp_arena_alloc(&f->arena, counts->n * sizeof *counts->by_action);
    counts->total = 0;
    for (size_t i = 0; i < counts->n; i++) {
        counts->by_action[i] = (struct flow_action_count){i, (double)json_gen_below(g, 50)};
        counts->total += counts->by_action[i].n;
    }
}

static void predict_habit_adds_up_to_one(void **state)
{
    static const char *const tools[] = {"find_tickets", "get_ticket", "other"};
    struct json_gen g = {.state = 5};

    (void)state;
    for (int i = 0; i < 60; i++) {
        struct flow *f = flow_parsed(FLOW_EXAMPLE, NULL, 0);
        struct episode e = {0};

        f->habit.alpha = (double)(1 + json_gen_below(&g, 100)) / 10;
        f->beta = (double)(1 + json_gen_below(&g, 100)) / 10;
        for (size_t k = 0; k < f->habit.n_levels; k++) {
            for (size_t c = 0; c < f->habit.levels[k].n; c++)
                fill_counts(f, &g, &f->habit.levels[k].contexts[c].counts);
        }
        for (size_t c = 0; c < f->top.n; c++)
            fill_counts(f, &g, &f->top.contexts[c].counts);
        for (int k = 0; k < 40; k++) {
            struct episode_view view = episode_view_whole(&e);
            struct predict_counts habit = predict_habit(f, &view);
            double sum = 0;

            for (uint64_t a = 0; a < f->habit.vocab_size; a++) {
                assert_true(predict_chance(&habit, a) > 0);
                sum += predict_chance(&habit, a);
            }
            assert_near(sum, 1);
            flow_session_grow(&e, &g, tools, N_OF(tools));
        }
        episode_deinit(&e);
        flow_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predict_goes_from_short_to_long_histories),
        cmocka_unit_test(predict_habit_has_a_chance_for_every_action),
        cmocka_unit_test(predict_habit_falls_back_after_more_lookups),
        cmocka_unit_test(predict_reach_has_an_order_of_its_own),
        cmocka_unit_test(predict_habit_asks_the_layer_of_its_group),
        cmocka_unit_test(predict_site_is_the_last_call),
        cmocka_unit_test(predict_options_are_the_lookups_and_handing_back_in_byte_order),
        cmocka_unit_test(predict_gives_handing_back_what_is_left),
        cmocka_unit_test(predict_never_gives_handing_back_less_than_nothing),
        cmocka_unit_test(predict_habit_adds_up_to_one),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
