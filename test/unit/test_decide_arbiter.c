/* Tests of flow/decide.h with the arbiter: asking, answers of every sort, and the records. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decided.h"
#include "flow_edit.h"
#include "flow_example.h"
#include "flow_tickets.h"
#include "oracle/oracle_key.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define PREDICATE                                                                              \
    "[{\"id\":\"more_listed\",\"favors\":\"same_lookup\",\"question\":\"Is the agent working " \
    "through a list, with entries it has not looked up yet?\",\"yes\":\"Entries it needs are " \
    "still unread.\",\"no\":\"Every entry it needs has been read, or there is no list.\"}]"
#define FOLD                                                                                   \
    "{\"weights\":[0.5,0.3,0.2,0.1,0.6,0.4],\"rates\":{\"sites\":[[\"find_tickets\",[8.0,6.0," \
    "8.0]]],\"agree\":0.7,\"cover\":0.95}}"

static const struct flow_edit with_arbiter[] = {
    {"\"model\":\"\"", "\"model\":\"jev-latest\""},
    {"\"predicates\":[]", "\"predicates\":" PREDICATE},
    {"\"weighed\":[]", "\"weighed\":" PREDICATE},
    {"\"folds\":[]", "\"folds\":[" FOLD "," FOLD "," FOLD "," FOLD "," FOLD "]"},
};

#define KEY "49b30847b67969c18501ea9002a98691ad9c1ea7071776e0c7cee5b9c494d095"

#define NEXT                                                                      \
    "\"next\":{\"type\":\"choice\",\"choice\":\"get_ticket\",\"probabilities\":{" \
    "\"get_ticket\":0.6,\"respond\":0.4},\"confidence\":0.5}"
#define GO_ON "\"go_on\":{\"type\":\"noul\",\"noul\":0.5}"
#define MORE  "\"pred_more_listed\":{\"type\":\"noul\",\"noul\":0.5}"

#define PROBS "{\"get_ticket\":0.88885898"

static const struct flow_session_event found[] = {TICKETS_ASKED, TICKETS_FOUND, {0}};

static struct flow *arbiter_flow(void)
{
    return flow_parsed(FLOW_EXAMPLE, with_arbiter, N_OF(with_arbiter));
}

static void ask(struct decided *d, double threshold)
{
    struct decide_options options = {.decider = DECIDE_ARBITER, .threshold = threshold};

    decided_begin(d, arbiter_flow(), "t1", found, "7", &options);
    assert_int_equal(d->outcome, DECIDE_ASKS);
    assert_true(decide_has_asked(d->decide));
}

static void answer(struct decided *d, const char *answers)
{
    struct sp_buf text = {0};
    struct oracle_response response;
    struct sp_err err;

    sp_buf_addf(&text, "{\"model\":\"jev-1\",\"answers\":{%s}}", answers);
    if (oracle_parse_response(sp_buf_str(&text), &response, &err) < 0)
        fail_msg("%s", err.text);
    d->outcome = decide_answer(d->decide, &response);
    oracle_response_deinit(&response);
    sp_buf_deinit(&text);
}

static void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("%s without %s", text, part);
}

static void decide_asks_the_question_of_the_example(void **state)
{
    struct sp_buf canonical = {0};
    char key[ORACLE_KEY_SIZE];
    struct decided d;

    (void)state;
    ask(&d, 0.3);
    oracle_put_request(&canonical, decide_request(d.decide));
    oracle_key_of(sp_buf_str(&canonical), key);
    assert_string_equal(key, KEY);
    sp_buf_deinit(&canonical);
    decided_end(&d);
}

static void decide_looks_up_by_the_answer(void **state)
{
    struct sp_buf b = {0};
    struct decided d;

    (void)state;
    ask(&d, 0.3);
    answer(&d, NEXT "," GO_ON "," MORE);
    decided_check(&d, "get_ticket", "{\"ticket_id\":\"T-41\"}", NULL);
    decided_put_record(&b, &d, KEY);
    assert_has(sp_buf_cstr(&b), "{\"action\":\"lookup\",\"arguments\":{\"ticket_id\":\"T-41\"},"
                                "\"binding\":0.8333333333333334,\"key\":\"" KEY "\",\"oracle\":{"
                                "\"get_ticket\":0.6,\"respond\":0.4},\"predicates\":{"
                                "\"more_listed\":0.5},\"prob\":0.88885898");
    assert_has(sp_buf_cstr(&b), ",\"probs\":" PROBS);
    assert_has(sp_buf_cstr(&b), ",\"respond\":0.08336323");
    assert_has(sp_buf_cstr(&b), "},\"site\":\"find_tickets\",\"tool\":\"get_ticket\"}");
    sp_buf_deinit(&b);
    decided_end(&d);
}

static void decide_by_the_arbiter_keeps_the_rule(void **state)
{
    static const struct {
        double threshold;
        const char *reason;
        const char *binding; /* only what the rule looked at */
    } cases[] = {
        {0.8, "get_ticket at 0.89, times 0.83 for its arguments, below 0.8",
         "\"binding\":0.8333333333333334,"},
        {0.89, "get_ticket at 0.89, below 0.89", "\"binding\":null,"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_buf b = {0};
        struct decided d;

        ask(&d, cases[i].threshold);
        answer(&d, NEXT "," GO_ON "," MORE);
        decided_check(&d, NULL, NULL, cases[i].reason);
        decided_put_record(&b, &d, KEY);
        assert_has(sp_buf_cstr(&b), cases[i].binding);
        sp_buf_deinit(&b);
        decided_end(&d);
    }
}

static void decide_hands_back_without_a_complete_answer(void **state)
{
    static const char *const answers[] = {"", NEXT, GO_ON "," MORE};
    struct decided d;

    (void)state;
    for (size_t i = 0; i < N_OF(answers); i++) {
        ask(&d, 0.3);
        answer(&d, answers[i]);
        decided_check(&d, NULL, NULL, "the System-One answer was incomplete");
        decided_check_record(&d, KEY,
                             "{\"action\":\"hand_back\",\"binding\":null,\"key\":\"" KEY "\","
                             "\"oracle\":{},\"predicates\":{},\"prob\":null,\"probs\":{},"
                             "\"reason\":\"the System-One answer was incomplete\",\"site\":"
                             "\"find_tickets\"}");
        decided_end(&d);
    }
}

static void decide_hands_back_without_an_answer(void **state)
{
    struct decided d;
    char why[] = "no cached answer for request 49b3";

    (void)state;
    ask(&d, 0);
    d.outcome = decide_no_answer(d.decide, why);
    memset(why, 'x', sizeof why - 1);
    decided_check(&d, NULL, NULL, "the System-One model failed: no cached answer for request 49b3");
    assert_true(decide_has_asked(d.decide));
    decided_check_record(&d, NULL,
                         "{\"action\":\"hand_back\",\"binding\":null,\"key\":null,\"oracle\":{},"
                         "\"predicates\":{},\"prob\":null,\"probs\":{},\"reason\":\"the "
                         "System-One model failed: no cached answer for request 49b3\",\"site\":"
                         "\"find_tickets\"}");
    decided_end(&d);
}

static void decide_may_end_while_it_asks(void **state)
{
    struct decided d;

    (void)state;
    ask(&d, 0);
    decided_end(&d);
    decide_free(NULL);
}

static void decide_asks_nobody_where_it_has_no_business(void **state)
{
    static const struct flow_session_event said[] = {SAYS("Hi"), {0}};
    static const struct flow_session_event failed[] = {CALL("1", "find_tickets", "{}"), {0}};
    struct decide_options options = {.decider = DECIDE_ARBITER};
    struct decided d;

    (void)state;
    decided_begin(&d, arbiter_flow(), "t1", said, NULL, &options);
    decided_check(&d, NULL, NULL, "the last step is not a tool call");
    assert_false(decide_has_asked(d.decide));
    decided_end(&d);
    decided_begin(&d, arbiter_flow(), "t1", failed, NULL, &options);
    decided_check(&d, NULL, NULL, "no lookups followed here in training");
    assert_false(decide_has_asked(d.decide));
    decided_end(&d);
}

static void decide_weighs_by_the_fold_of_the_task(void **state)
{
    static const char *const tasks[] = {"task-1", "a", "1", "s1", "t1"};

    (void)state;
    for (size_t i = 0; i < N_OF(tasks); i++) {
        struct decide_options options = {.decider = DECIDE_ARBITER, .threshold = 0.3};
        struct flow *f = arbiter_flow();
        struct decided d;
        bool is_other;

        /* Elsewhere the arbiter covers nothing. */
        for (size_t k = 0; k < FLOW_N_FOLDS; k++) {
            is_other = k != decide_hash(sp_str_of(tasks[i])) % FLOW_N_FOLDS;
            f->folds[k].n_sites = is_other ? 0 : f->folds[k].n_sites;
            f->folds[k].cover = is_other ? 0 : f->folds[k].cover;
        }
        decided_begin(&d, f, tasks[i], found, NULL, &options);
        answer(&d, NEXT "," GO_ON "," MORE);
        decided_check(&d, "get_ticket", "{\"ticket_id\":\"T-41\"}", NULL);
        decided_end(&d);
    }
}

static void decide_explores_after_an_answer_only(void **state)
{
    struct decide_options options = {
        .decider = DECIDE_ARBITER, .threshold = 0.99, .explores = true, .epsilon = 0.5, .seed = 1};
    struct sp_buf b = {0};
    struct decided d;

    (void)state;
    decided_begin(&d, arbiter_flow(), "t1", found, "7", &options);
    answer(&d, NEXT "," GO_ON "," MORE);
    decided_check(&d, "get_ticket", "{\"ticket_id\":\"T-41\"}", NULL);
    decided_put_record(&b, &d, KEY);
    assert_has(sp_buf_cstr(&b), "\"policy\":{\"decider\":\"arbiter\",\"epsilon\":0.5,\"events\":3,"
                                "\"explored\":true,\"greedy\":null,\"options\":[{\"arguments\":{"
                                "\"ticket_id\":\"T-41\"},\"binding\":0.8333333333333334,"
                                "\"habit\":0.98065476");
    sp_buf_clear(&b);
    decided_end(&d);

    decided_begin(&d, arbiter_flow(), "t1", found, "7", &options);
    d.outcome = decide_no_answer(d.decide, "it is spent");
    decided_check(&d, NULL, NULL, "the System-One model failed: it is spent");
    decided_put_record(&b, &d, KEY);
    assert_null(strstr(sp_buf_cstr(&b), "policy"));
    sp_buf_deinit(&b);
    decided_end(&d);
}

static void decide_takes_the_answers_of_the_stand_in(void **state)
{
    struct oracle_response response;
    struct decided d;

    (void)state;
    ask(&d, 0.3);
    oracle_mock(decide_request(d.decide), &response);
    d.outcome = decide_answer(d.decide, &response);
    oracle_response_deinit(&response);
    decided_check(&d, "get_ticket", "{\"ticket_id\":\"T-41\"}", NULL);
    decided_end(&d);
}

static void decide_tells_the_chances_that_an_answer_gave(void **state)
{
    const struct predict_options *offered = NULL;
    const double *chances;
    struct decided d;

    (void)state;
    ask(&d, 0.99);
    assert_null(decide_chances(d.decide, &offered));
    answer(&d, GO_ON);
    assert_null(decide_chances(d.decide, &offered));
    assert_null(offered);
    decided_end(&d);

    ask(&d, 0.99);
    answer(&d, NEXT "," GO_ON "," MORE);
    chances = decide_chances(d.decide, &offered);
    assert_non_null(chances);
    assert_int_equal(offered->n, 2);
    assert_true(fabs(chances[0] - 0.888858986) < 1e-9);
    assert_true(fabs(chances[1] - 0.083363236) < 1e-9);
    decided_end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decide_asks_the_question_of_the_example),
        cmocka_unit_test(decide_looks_up_by_the_answer),
        cmocka_unit_test(decide_by_the_arbiter_keeps_the_rule),
        cmocka_unit_test(decide_hands_back_without_a_complete_answer),
        cmocka_unit_test(decide_hands_back_without_an_answer),
        cmocka_unit_test(decide_may_end_while_it_asks),
        cmocka_unit_test(decide_asks_nobody_where_it_has_no_business),
        cmocka_unit_test(decide_weighs_by_the_fold_of_the_task),
        cmocka_unit_test(decide_explores_after_an_answer_only),
        cmocka_unit_test(decide_takes_the_answers_of_the_stand_in),
        cmocka_unit_test(decide_tells_the_chances_that_an_answer_gave),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
