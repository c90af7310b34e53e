/* Tests of flow/flow.h: what serving relies on. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow/flow.h"
#include "flow_edit.h"
#include "flow_example.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

/* The model of an order that is too high: nineteen levels, all of them empty. */
#define NO_LEVELS_6  "[],[],[],[],[],[]"
#define NO_LEVELS_18 NO_LEVELS_6 "," NO_LEVELS_6 "," NO_LEVELS_6

#define FOLD \
    "{\"weights\":[0.5,0.3,0.2,0.1,0.4],\"rates\":{\"sites\":[],\"agree\":0.7,\"cover\":1.0}}"
#define FOUR_FOLDS FOLD "," FOLD "," FOLD "," FOLD

static void flow_refuses_what_serving_could_not_stand(void **state)
{
    static const struct flow_error_case cases[] = {
        {{"[\"Respond\",{\"Tool\":\"find_tickets\"},{\"Tool\":\"get_ticket\"}]", "[]"},
         "flow: vocab: the first action is not \"Respond\""},
        {{"[\"Respond\",", "[{\"Tool\":\"Respond\"},"},
         "flow: vocab: the first action is not \"Respond\""},
        {{"{\"Tool\":\"get_ticket\"}", "\"Respond\""},
         "flow: vocab[2]: only the first action is \"Respond\""},
        {{"{\"Tool\":\"get_ticket\"}", "{\"Tool\":\"find_tickets\"}"},
         "flow: vocab[1]: 'find_tickets' occurs twice"},
        {{"\"vocab_size\":4", "\"vocab_size\":5"}, "flow: habit.base.vocab_size: 5 instead of 4"},
        {{"\"reach\":{\"order\":2,\"alpha\":1.0,\"vocab_size\":4",
          "\"reach\":{\"order\":2,\"alpha\":1.0,\"vocab_size\":3"},
         "flow: reach.vocab_size: 3 instead of 4"},
        {{"\"order\":2", "\"order\":3"}, "flow: habit.base.levels: 3 instead of 4"},
        {{"\"order\":2", "\"order\":18446744073709551615"},
         "flow: habit.base.order: 18446744073709551615 is more than 16"},
        {{"\"order\":2,\"alpha\":1.0,\"vocab_size\":4,\"levels\":[",
          "\"order\":17,\"alpha\":1.0,\"vocab_size\":4,\"levels\":[" NO_LEVELS_18 "],\"x\":["},
         "flow: habit.base.order: 17 is more than 16"},
        {{"\"reach\":{\"order\":2", "\"reach\":{\"order\":1"},
         "flow: reach.levels: 3 instead of 2"},
        {{"[[16384],", "[[16384,1],"},
         "flow: habit.base.levels[1]: a history of 2 symbols instead of 1"},
        {{"[[20480,8192],", "[[20480],"},
         "flow: habit.base.levels[2]: a history of 1 symbols instead of 2"},
        {{"[1,[16384,32768]]", "[1,[]]"}, "flow: habit.top: a history of 0 symbols instead of 2"},
        {{"\"alpha\":1.0", "\"alpha\":0.0"}, "flow: habit.base.alpha: not finite and above 0"},
        {{"\"alpha\":1.0", "\"alpha\":-1"}, "flow: habit.base.alpha: not finite and above 0"},
        {{"\"beta\":1.0", "\"beta\":0"}, "flow: habit.beta: not finite and above 0"},
        {{"\"reach\":{\"order\":2,\"alpha\":1.0", "\"reach\":{\"order\":2,\"alpha\":0.0"},
         "flow: reach.alpha: not finite and above 0"},
        {{"[2,3.0]", "[2,-3.0]"},
         "flow: habit.base.levels[1]: counts that are not finite and at least 0"},
        {{"\"total\":13.0", "\"total\":-13.0"},
         "flow: habit.base.levels[0]: counts that are not finite and at least 0"},
        {{"[1,[8192,16384]],{\"by_action\":[[2,1.0]]", "[1,[8192,16384]],{\"by_action\":[[2,-1]]"},
         "flow: habit.top: counts that are not finite and at least 0"},
        {{"\"folds\":[]", "\"folds\":[" FOLD "]"}, "flow: folds: 1 instead of 0 or 5"},
        {{"\"folds\":[]", "\"folds\":[" FOUR_FOLDS "," FOLD "," FOLD "]"},
         "flow: folds: 6 instead of 0 or 5"},
        {{"\"folds\":[]", "\"folds\":[" FOUR_FOLDS ",{\"weights\":[1],\"rates\":"
                          "{\"sites\":[],\"agree\":0,\"cover\":0}}]"},
         "flow: folds[4].weights: 1 instead of 5"},
        {{"\"folds\":[]", "\"folds\":[" FOUR_FOLDS ",{\"weights\":[1,2,3,4,5],\"rates\":"
                          "{\"sites\":[],\"agree\":-1,\"cover\":0}}]"},
         "flow: folds[4].rates: numbers that are not finite and at least 0"},
        {{"\"folds\":[]", "\"folds\":[" FOUR_FOLDS ",{\"weights\":[1,2,3,4,5],\"rates\":"
                          "{\"sites\":[[\"a\",[1,-1,1]]],\"agree\":1,\"cover\":0}}]"},
         "flow: folds[4].rates: numbers that are not finite and at least 0"},
    };

    (void)state;
    flow_check_errors(cases, N_OF(cases));
}

/* What no file can hold, but a flow that was made in memory. */
static void flow_check_wants_finite_numbers(void **state)
{
    struct flow *f = flow_parsed(FLOW_FULL, NULL, 0);
    double *const numbers[] = {
        &f->habit.alpha,
        &f->beta,
        &f->reach.alpha,
        &f->habit.levels[0].contexts[0].counts.total,
        &f->habit.levels[1].contexts[0].counts.by_action[0].n,
        &f->reach.levels[2].contexts[1].counts.total,
        &f->top.contexts[0].counts.total,
        &f->folds[2].weights[5],
        &f->folds[1].agree,
        &f->folds[0].cover,
        &f->folds[4].sites[0].decisions,
        &f->folds[4].sites[0].agreed,
        &f->folds[4].sites[0].covered,
        &f->promoted.threshold,
        &f->promoted.min_used,
        &f->promoted.min_lower,
        &f->promoted.sites[0].lower,
        &f->thresholds[0].threshold,
    };
    static const double strange[] = {NAN, INFINITY, -INFINITY};
    struct sp_err err;

    (void)state;
    for (size_t i = 0; i < N_OF(numbers); i++) {
        double was = *numbers[i];

        assert_int_equal(flow_check(f, &err), 0);
        for (size_t k = 0; k < N_OF(strange); k++) {
            *numbers[i] = strange[k];
            if (flow_check(f, &err) == 0)
                fail_msg("number %zu may be %f", i, strange[k]);
        }
        *numbers[i] = was;
    }
    flow_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flow_refuses_what_serving_could_not_stand),
        cmocka_unit_test(flow_check_wants_finite_numbers),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
