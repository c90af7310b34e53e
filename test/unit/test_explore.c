/* Tests of flow/explore.h: hashes, what draws are keyed by, draws, and the choice. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow/explore.h"
#include "flow_tickets.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

static void assert_near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-9))
        fail_msg("%.17g is not %.17g", got, want);
}

static uint64_t hash_of(const char *text)
{
    return explore_hash(EXPLORE_HASH_START, sp_str_of(text));
}

static void explore_hashes_texts(void **state)
{
    static const struct {
        const char *text;
        uint64_t hash;
    } cases[] = {
        {"", UINT64_C(1469598103934665603)},
        {"a", UINT64_C(4953267810257967366)},
        {"1", UINT64_C(4953215033699813238)},
        {"s1", UINT64_C(11230730627806629459)},
        {"task-1", UINT64_C(10866609978523352100)},
        {"task-7", UINT64_C(10866607779500095678)},
        {"20260923T212000.123Z-4242", UINT64_C(8611884670203776555)},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++)
        assert_true(hash_of(cases[i].text) == cases[i].hash);
    assert_true(explore_hash(hash_of("task"), SP_STR("-\xc3\xa9")) == hash_of("task-\xc3\xa9"));
}

static void explore_draws_by_splitmix(void **state)
{
    static const struct {
        uint64_t seed;
        const char *key;
        double first;
        double second;
    } cases[] = {
        {0, "1", 0.8706831666956328, 0.03928316149505062},
        {7, "", 0.8417635788873201, 0.13292921607934816},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct explore_draws draws = {cases[i].seed ^ hash_of(cases[i].key)};

        assert_true(explore_draw(&draws) == cases[i].first);
        assert_true(explore_draw(&draws) == cases[i].second);
    }
}

struct key_case {
    const char *task;
    struct flow_session_event events[8];
    const char *after; /* the view's call; NULL: the whole episode */
    const char *key;
};

#define TICKETS_KEY                                                                           \
    "{\"kind\":\"user\",\"text\":\"Where is my ticket?\"},{\"calls\":[{\"arguments\":{"       \
    "\"email\":\"dee@example.com\"},\"name\":\"find_tickets\"}],\"kind\":\"assistant\","      \
    "\"text\":null},{\"content\":\"{\\\"owner\\\":\\\"dee\\\",\\\"tickets\\\":[\\\"T-41\\\"," \
    "\\\"T-42\\\"]}\",\"error\":false,\"kind\":\"tool_result\",\"name\":\"find_tickets\"}"

static const struct key_case keys[] = {
    {"", {{0}}, NULL, "/[]"},
    {"t1", {TICKETS_ASKED, TICKETS_FOUND}, "7", "t1/[" TICKETS_KEY "]"},
    {"task-1",
     {CALL("3", "find_customer", "{\"email\":\"ana@example.com\"}"),
      RESULT("3", "find_customer", "cust_7")},
     "3",
     "task-1/[{\"calls\":[{\"arguments\":{\"email\":\"ana@example.com\"},\"name\":"
     "\"find_customer\"}],\"kind\":\"assistant\",\"text\":null},{\"content\":\"cust_7\","
     "\"error\":false,\"kind\":\"tool_result\",\"name\":\"find_customer\"}]"},
    {"a/b",
     {SAYS("Hi \"you\""), ERROR("9", "x", "")},
     NULL,
     "a/b/[{\"calls\":[],\"kind\":\"assistant\",\"text\":\"Hi \\\"you\\\"\"},{\"content\":\"\","
     "\"error\":true,\"kind\":\"tool_result\",\"name\":\"x\"}]"},
    /* Ids and costs go wherever they stand, but not out of texts. */
    {"",
     {CALL("1", "t",
           "{\"a\":[{\"id\":1,\"x\":[]},{\"usage\":{}}],\"call_id\":[{}],\"i\\\"d\":{\"id\":2},"
           "\"id\":{\"x\":1},\"id2\":\"\\\"id\\\":1\",\"usage\":null}"),
      RESULT("1", "t", "{\"id\":1}")},
     NULL,
     "/[{\"calls\":[{\"arguments\":{\"a\":[{\"x\":[]},{}],\"i\\\"d\":{},\"id2\":\"\\\"id\\\":1\"},"
     "\"name\":\"t\"}],\"kind\":\"assistant\",\"text\":null},{\"content\":\"{\\\"id\\\":1}\","
     "\"error\":false,\"kind\":\"tool_result\",\"name\":\"t\"}]"},
    /* The turn of the view's call is as the view has it. */
    {"",
     {CALL("1", "a", "{}"), ALSO("2", "b", "[\"id\"]"), ALSO("3", "c", "0"), RESULT("3", "c", "")},
     "1",
     "/[{\"calls\":[{\"arguments\":0,\"name\":\"c\"},{\"arguments\":{},\"name\":\"a\"}],"
     "\"kind\":\"assistant\",\"text\":null},{\"content\":\"\",\"error\":false,"
     "\"kind\":\"tool_result\",\"name\":\"c\"}]"},
};

static void explore_keys_draws_by_the_session_without_ids(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(keys); i++) {
        struct episode e = {.task_id = sp_str_of(keys[i].task)};
        struct episode_view view = episode_view_whole(&e);
        struct recall recall = {0};

        flow_session_add_all(&e, keys[i].events);
        if (keys[i].after != NULL)
            episode_view_after(&e, sp_str_of(keys[i].after), &view);
        assert_true(explore_hash_view(&view, &recall) == hash_of(keys[i].key));
        assert_true(explore_hash_view(&view, &recall) == hash_of(keys[i].key));
        recall_deinit(&recall);
        episode_view_deinit(&view);
        episode_deinit(&e);
    }
    assert_true(hash_of(keys[1].key) == UINT64_C(8872898099180648700));
    assert_true(hash_of(keys[2].key) == UINT64_C(16613513807928388422));
}

static void explore_key_is_the_same_from_scratch(void **state)
{
    static const char *const tools[] = {"a", "b"};
    struct json_gen g = {.state = 3};

    (void)state;
    for (int i = 0; i < 60; i++) {
        struct episode e = {.task_id = SP_STR("t")};
        struct recall grown = {0};

        for (int k = 0; k < 60; k++) {
            struct episode_view view = episode_view_whole(&e);
            struct recall scratch = {0};

            /* Mostly the last call that returned, now and then any other or none. */
            if (e.n_events > 0 && json_gen_below(&g, 4) > 0) {
                size_t at = e.n_events - 1;

                while (at > 0 && e.events[at].kind != EPISODE_RESULT)
                    at--;
                if (json_gen_below(&g, 8) == 0)
                    at = json_gen_below(&g, e.n_events);
                if (e.events[at].kind == EPISODE_RESULT)
                    episode_view_after(&e, e.events[at].call_id, &view);
            }
            assert_true(explore_hash_view(&view, &grown) == explore_hash_view(&view, &scratch));
            recall_deinit(&scratch);
            episode_view_deinit(&view);
            flow_session_grow(&e, &g, tools, N_OF(tools));
        }
        assert_true(grown.n_hashed > 0);
        recall_deinit(&grown);
        episode_deinit(&e);
    }
}

struct choose_case {
    struct explore_option options[3];
    size_t greedy;
    double epsilon;
    uint64_t seed; /* of a key that is empty */
    bool is_explored;
    size_t option;
    double propensity;
};

/* The first two draws by seed: 0: 0.0417, 0.3803; 4: 0.9243, 0.2229; 7: 0.8418, 0.1329. */
static void explore_chooses_by_the_chances(void **state)
{
    static const struct choose_case cases[] = {
        /* There is no alternative, or nothing is explored. */
        {{{0.5, true}, {0.5, false}, {0, true}}, 0, 1, 7, false, 0, 1},
        {{{0.5, false}, {0.5, false}, {0.5, false}}, 3, 1, 7, false, 0, 1},
        {{{0.5, true}, {0.5, true}, {0.5, true}}, 0, 0, 7, false, 0, 1},
        /* The draw says that the rule's choice stands. */
        {{{0.6, true}, {0.3, true}, {0.1, true}}, 0, 0.2, 7, false, 0, 0.8},
        {{{0.6, true}, {0.3, true}, {0.1, true}}, 3, 0.84, 7, false, 0, 0.16},
        /* It does not. */
        {{{0.6, true}, {0.3, true}, {0.1, true}}, 0, 0.85, 7, true, 1, 0.85 * 0.75},
        {{{0.6, true}, {0.05, true}, {0.35, true}}, 0, 0.85, 7, true, 2, 0.85 * 0.875},
        {{{0.6, true}, {0.3, true}, {0.1, true}}, 3, 0.85, 7, true, 0, 0.85 * 0.6},
        {{{0.1, true}, {0.3, true}, {0.6, true}}, 3, 0.85, 7, true, 1, 0.85 * 0.3},
        {{{0.1, true}, {0.03, true}, {0.87, true}}, 3, 1, 7, true, 2, 0.87},
        {{{0.1, true}, {0.3, false}, {0.6, true}}, 3, 1, 7, true, 0, 0.1 / 0.7},
        {{{0.05, true}, {0.3, false}, {0.6, true}}, 3, 1, 7, true, 2, 0.6 / 0.65},
        {{{0.6, false}, {0, true}, {0.1, true}}, 3, 1, 7, true, 2, 1},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        const struct choose_case *c = &cases[i];
        struct explore_draws draws = {c->seed ^ EXPLORE_HASH_START};
        struct explore_choice choice =
            explore_choose(c->options, N_OF(c->options), c->greedy, c->epsilon, &draws);

        if (choice.is_explored != c->is_explored ||
            (choice.is_explored && choice.option != c->option))
            fail_msg("case %zu: option %zu", i, choice.option);
        assert_near(choice.propensity, c->propensity);
    }
}

static void explore_takes_the_alternatives_as_often_as_it_says(void **state)
{
    static const struct explore_option options[] = {{0.3, true}, {0.6, true}, {0.1, true}};
    struct explore_draws draws = {1};
    int n[3] = {0};

    (void)state;
    for (int i = 0; i < 100000; i++) {
        struct explore_choice choice = explore_choose(options, N_OF(options), 1, 0.2, &draws);

        if (!choice.is_explored) {
            assert_near(choice.propensity, 0.8);
            continue;
        }
        n[choice.option]++;
        assert_near(choice.propensity, choice.option == 0 ? 0.15 : 0.05);
    }
    assert_in_range(n[0], 14500, 15500);
    assert_int_equal(n[1], 0);
    assert_in_range(n[2], 4600, 5400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(explore_hashes_texts),
        cmocka_unit_test(explore_draws_by_splitmix),
        cmocka_unit_test(explore_keys_draws_by_the_session_without_ids),
        cmocka_unit_test(explore_key_is_the_same_from_scratch),
        cmocka_unit_test(explore_chooses_by_the_chances),
        cmocka_unit_test(explore_takes_the_alternatives_as_often_as_it_says),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
