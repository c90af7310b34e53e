/* Tests of judge/judgment.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <math.h>

#include "judge/judgment.h"
#include "oracle/oracle_key.h"

#define KEY_1 "22517a8287113a5be8380c7758143416f1615c72a10b7eb2606879820190ecd1"
#define KEY_2 "dd872ac4e003dac2841fe27ba891e40e3f1c30b45ed5eeb4ac5db358d193690b"
#define KEY_4 "e68845308a92d885a46bd77ed0832b6b7ed82e015110f26848483697c1a2f06d"
#define KEY_5 "74d18862204ee0b23d6e54e7e8e6f23a99697f8933aed9de9f634e3a4315bdd4"

#define W7A "{\"order_id\":\"#W7a\",\"reason\":\"no longer needed\"}"
#define W7B "{ \"reason\": \"no longer needed\", \"order_id\": \"#W7b\" }"

struct exchanged {
    const char *said;
    const char *replied;
    const char *arguments;
    bool word_list;
};

static const struct exchanged row_1 = {
    "I can cancel order #W7a because you no longer need it. Shall I go ahead?",
    "Yes, please go ahead.", W7A, true};
static const struct exchanged row_4 = {"Done: #W7a is cancelled. Anything else?",
                                       "Also cancel #W7b.", W7B, false};
static const struct exchanged row_5 = {"Shall I cancel order #W7b because you no longer need it?",
                                       "Yes, cancel it.", W7B, true};

static struct judgment_options default_options(void)
{
    return (struct judgment_options){
        .model = SP_STR("jev-latest"),
        .enforces = true,
        .threshold = 0.5,
    };
}

/* Begins a judgment at 1000 ms, on a session with one result. */
static struct judgment *begin(const struct judgment_options *options, const struct exchanged *x,
                              const char *result)
{
    struct episode e = {0};
    struct exchange exchange = {0};
    struct judgment *j;

    episode_add_result(&e, SP_STR("1"), SP_STR("get"), false, sp_str_of(result));
    episode_add_turn(&e, sp_str_of(x->said));
    episode_add_user(&e, sp_str_of(x->replied));
    exchange_update(&exchange, &e, e.n_events);
    j = judgment_begin(options, &e, &exchange, SP_STR("cancel_pending_order"),
                       sp_str_of(x->arguments), x->word_list, 1000);
    episode_deinit(&e);
    return j;
}

static void key_of(const struct oracle_request *r, char ret[ORACLE_KEY_SIZE])
{
    struct sp_buf bytes = {0};

    oracle_put_request(&bytes, r);
    oracle_key_of(sp_buf_str(&bytes), ret);
    sp_buf_deinit(&bytes);
}

/* What becomes of a question: a text is an error, "skip" that it is not put, "other" and "choice"
 * a response without its answer or with one of another type; anything else is the probability. */
static void settle(struct judgment *j, const char *outcome)
{
    const struct oracle_request *r = judgment_question(j);
    struct oracle_answer answer = {.type = ORACLE_NOUL};
    struct oracle_response response = {.answers = &answer, .n_answers = 1};
    char key[ORACLE_KEY_SIZE];
    char *end;

    assert_non_null(r);
    assert_int_equal(r->n_questions, 1);
    key_of(r, key);
    answer.id = r->questions[0].id;
    answer.noul = strtod(outcome, &end);
    if (strcmp(outcome, "other") == 0)
        answer.id = SP_STR("else");
    if (strcmp(outcome, "choice") == 0)
        answer.type = ORACLE_CHOICE;
    if (strcmp(outcome, "skip") == 0)
        judgment_skip(j, key);
    else if (*end == '\0' || answer.type == ORACLE_CHOICE || strcmp(outcome, "other") == 0)
        judgment_answer(j, key, &response);
    else
        judgment_no_answer(j, key, outcome);
}

static void assert_record(const struct judgment *j, uint64_t now_ms, const char *want)
{
    struct sp_buf got = {0};

    judgment_put_record(j, now_ms, &got);
    assert_string_equal(sp_buf_cstr(&got), want);
    sp_buf_deinit(&got);
}

static void assert_reasons(const struct judgment *j, const char *list)
{
    struct sp_buf got = {0}, want = {0};

    judgment_put_reasons(j, &got);
    sp_buf_addf(&want,
                "the customer has not explicitly agreed to this exact change (confirmation judge: "
                "%s); describe the change and ask the customer to confirm it first",
                list);
    assert_string_equal(sp_buf_cstr(&got), sp_buf_cstr(&want));
    sp_buf_deinit(&got);
    sp_buf_deinit(&want);
}

static void judgment_follows_the_table(void **state)
{
    static const struct {
        const char *outcomes[2];
        double threshold;
        bool shadow;
        bool fails;
        bool unknown;
    } rows[] = {
        {{"0.92"}, 0.5, false, false, false},        {{"0.50"}, 0.5, false, false, false},
        {{"0.15"}, 0.5, false, true, false},         {{"0.92", "0.10"}, 0.5, false, true, false},
        {{"0.92", "0.10"}, 0.5, true, false, false}, {{"lost", "0.10"}, 0.5, false, true, false},
        {{"lost", "0.10"}, 0.5, true, false, true},  {{"0.92", "lost"}, 0.5, false, false, true},
        {{"0.92", "lost"}, 0.5, true, false, false}, {{"0.92", "skip"}, 0.5, false, false, true},
        {{"0.92", "skip"}, 0.5, true, false, false}, {{"0.15", "skip"}, 0.5, false, true, false},
        {{"0.15", "lost"}, 0.5, false, true, false}, {{"0.15", "0.10"}, 0.5, false, true, false},
        {{"lost"}, 0.5, false, false, true},         {{"skip"}, 0.5, false, false, true},
        {{"other"}, 0.5, false, false, true},        {{"choice"}, 0.5, false, false, true},
        {{"0.5"}, 0.6, false, true, false},          {{"0"}, 0.0, false, false, false},
        {{"0"}, -1.0, false, false, false},          {{"1"}, 2.0, false, true, false},
        {{"0"}, NAN, false, false, false},           {{"1"}, INFINITY, false, true, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct judgment_options options = default_options();
        struct judgment *j;

        options.threshold = rows[i].threshold;
        options.second_shadow = rows[i].shadow;
        options.second = rows[i].outcomes[1] != NULL ? JUDGMENT_PROPOSED : JUDGMENT_NO_SECOND;
        j = begin(&options, &row_1, "{}");
        for (size_t k = 0; k < 2 && rows[i].outcomes[k] != NULL; k++)
            settle(j, rows[i].outcomes[k]);
        assert_null(judgment_question(j));
        if (judgment_fails(j) != rows[i].fails || judgment_is_unknown(j) != rows[i].unknown)
            fail_msg("row %zu should %sfail and %sbe unknown", i, rows[i].fails ? "" : "not ",
                     rows[i].unknown ? "" : "not ");
        assert_int_equal(judgment_refuses(j), rows[i].fails);
        judgment_free(j);
    }
}

static void judgment_records_the_worked_session(void **state)
{
    struct judgment_options options = default_options();
    struct judgment *j = begin(&options, &row_1, "{}");

    (void)state;
    settle(j, "0.92");
    assert_record(j, 1001,
                  "{\"arguments\":{\"order_id\":\"#W7a\",\"reason\":\"no longer needed\"},"
                  "\"enforced\":true,\"fails\":false,\"key\":\"" KEY_1 "\",\"ms\":1,\"p_yes\":0.92,"
                  "\"proposal_check\":[],\"tool\":\"cancel_pending_order\",\"unknown\":false,"
                  "\"word_list\":true}");
    assert_false(judgment_refuses(j));
    judgment_free(j);

    j = begin(&options, &row_4, "{}");
    settle(j, "0.15");
    assert_record(j, 1000,
                  "{\"arguments\":{\"order_id\":\"#W7b\",\"reason\":\"no longer needed\"},"
                  "\"enforced\":true,\"fails\":true,\"key\":\"" KEY_4 "\",\"ms\":0,\"p_yes\":0.15,"
                  "\"proposal_check\":[],\"tool\":\"cancel_pending_order\",\"unknown\":false,"
                  "\"word_list\":false}");
    assert_true(judgment_refuses(j));
    assert_reasons(j, "p_yes 0.15");
    judgment_free(j);

    j = begin(&options, &row_5, "{}");
    settle(j, "no cached answer for request " KEY_5);
    assert_record(j, 1000,
                  "{\"arguments\":{\"order_id\":\"#W7b\",\"reason\":\"no longer needed\"},"
                  "\"enforced\":true,\"error\":\"no cached answer for request " KEY_5 "\","
                  "\"fails\":false,\"key\":\"" KEY_5 "\",\"ms\":0,\"proposal_check\":[],\"tool\":"
                  "\"cancel_pending_order\",\"unknown\":true,\"word_list\":true}");
    assert_false(judgment_refuses(j));
    judgment_free(j);
}

static void judgment_that_is_not_enforced_refuses_nothing(void **state)
{
    struct judgment_options options = default_options();
    struct judgment *j;

    (void)state;
    options.enforces = false;
    j = begin(&options, &row_4, "{}");
    settle(j, "0.15");
    assert_record(j, 1000,
                  "{\"arguments\":{\"order_id\":\"#W7b\",\"reason\":\"no longer needed\"},"
                  "\"enforced\":false,\"fails\":true,\"key\":\"" KEY_4 "\",\"ms\":0,\"p_yes\":0.15,"
                  "\"proposal_check\":[],\"tool\":\"cancel_pending_order\",\"unknown\":false,"
                  "\"word_list\":false}");
    assert_true(judgment_fails(j));
    assert_false(judgment_refuses(j));
    judgment_free(j);
}

static void judgment_records_a_second_answer_in_the_shadow(void **state)
{
    struct judgment_options options = default_options();
    struct judgment *j;

    (void)state;
    options.second = JUDGMENT_PROPOSED;
    options.second_shadow = true;
    j = begin(&options, &row_1, "{}");
    settle(j, "0.92");
    settle(j, "0.1");
    assert_record(j, 1001,
                  "{\"arguments\":{\"order_id\":\"#W7a\",\"reason\":\"no longer needed\"},"
                  "\"enforced\":true,\"fails\":false,\"key\":\"" KEY_1 "\",\"ms\":1,\"p_second\":"
                  "0.1,\"p_yes\":0.92,\"proposal_check\":[],\"second_key\":\"" KEY_2 "\","
                  "\"second_shadow\":true,\"tool\":\"cancel_pending_order\",\"unknown\":false,"
                  "\"word_list\":true}");
    judgment_free(j);
}

static void judgment_refuses_by_a_second_answer(void **state)
{
    struct judgment_options options = default_options();
    struct judgment *j;

    (void)state;
    options.second = JUDGMENT_PROPOSED;
    j = begin(&options, &row_1, "{}");
    settle(j, "0.92");
    settle(j, "0.1");
    assert_true(judgment_refuses(j));
    assert_reasons(j, "p_second 0.10");
    assert_record(j, 1001,
                  "{\"arguments\":{\"order_id\":\"#W7a\",\"reason\":\"no longer needed\"},"
                  "\"enforced\":true,\"fails\":true,\"key\":\"" KEY_1 "\",\"ms\":1,\"p_second\":"
                  "0.1,\"p_yes\":0.92,\"proposal_check\":[],\"second_key\":\"" KEY_2 "\",\"tool\":"
                  "\"cancel_pending_order\",\"unknown\":false,\"word_list\":true}");
    judgment_free(j);

    j = begin(&options, &row_1, "{}");
    settle(j, "0.154");
    settle(j, "0.1");
    assert_reasons(j, "p_yes 0.15, p_second 0.10");
    judgment_free(j);

    options.second_shadow = true;
    j = begin(&options, &row_1, "{}");
    settle(j, "0.2");
    settle(j, "0.1");
    assert_reasons(j, "p_yes 0.20");
    judgment_free(j);
}

static void judgment_skips_what_the_budget_has_no_room_for(void **state)
{
    struct judgment_options options = default_options();
    struct judgment *j;

    (void)state;
    options.second = JUDGMENT_PROPOSED;
    j = begin(&options, &row_1, "{}");
    settle(j, "1");
    settle(j, "skip");
    assert_null(judgment_question(j));
    assert_null(judgment_error(j));
    assert_record(j, 1000,
                  "{\"arguments\":{\"order_id\":\"#W7a\",\"reason\":\"no longer needed\"},"
                  "\"enforced\":true,\"fails\":false,\"key\":\"" KEY_1 "\",\"ms\":0,\"p_yes\":1.0,"
                  "\"proposal_check\":[],\"second_key\":\"" KEY_2
                  "\",\"skipped\":\"question budget "
                  "spent\",\"tool\":\"cancel_pending_order\",\"unknown\":true,\"word_list\":true}");
    judgment_free(j);

    j = begin(&options, &row_1, "{}");
    settle(j, "skip");
    assert_null(judgment_question(j));
    assert_record(j, 1000,
                  "{\"arguments\":{\"order_id\":\"#W7a\",\"reason\":\"no longer needed\"},"
                  "\"enforced\":true,\"fails\":false,\"key\":\"" KEY_1 "\",\"ms\":0,"
                  "\"proposal_check\":[],\"skipped\":\"question budget spent\",\"tool\":"
                  "\"cancel_pending_order\",\"unknown\":true,\"word_list\":true}");
    judgment_free(j);
}

/* Whether the record has this member. */
static void assert_has(const struct judgment *j, const char *member)
{
    struct sp_buf got = {0};

    judgment_put_record(j, 1000, &got);
    if (strstr(sp_buf_cstr(&got), member) == NULL)
        fail_msg("%s should have %s", sp_buf_cstr(&got), member);
    sp_buf_deinit(&got);
}

static void judgment_tells_errors_from_missing_answers(void **state)
{
    struct judgment_options options = default_options();
    struct judgment *j;

    (void)state;
    options.second = JUDGMENT_DESCRIBED;
    j = begin(&options, &row_1, "{}");
    assert_null(judgment_error(j));
    settle(j, "first \"error\"");
    assert_string_equal(judgment_error(j), "first \"error\"");
    assert_has(j, ",\"error\":\"first \\\"error\\\"\",");
    settle(j, "second error");
    assert_string_equal(judgment_error(j), "second error");
    assert_has(j, ",\"error\":\"second error\",");
    judgment_free(j);

    j = begin(&options, &row_1, "{}");
    settle(j, "lost");
    settle(j, "other");
    assert_null(judgment_error(j));
    assert_has(j, ",\"error\":\"no yes/no answer to described\",");
    judgment_free(j);

    j = begin(&options, &row_1, "{}");
    settle(j, "choice");
    assert_null(judgment_error(j));
    assert_has(j, ",\"error\":\"no yes/no answer to confirmed\",");
    settle(j, "0.7");
    assert_has(j, ",\"error\":\"no yes/no answer to confirmed\",");
    assert_has(j, ",\"p_second\":0.7,\"proposal_check\"");
    judgment_free(j);

    j = begin(&options, &row_1, "{}");
    settle(j, "lost");
    settle(j, "0.7");
    assert_null(judgment_error(j));
    assert_has(j, ",\"error\":\"lost\",");
    judgment_free(j);
}

static void judgment_asks_the_questions_in_order(void **state)
{
    struct judgment_options options = default_options();
    struct judgment *j;

    (void)state;
    options.second = JUDGMENT_DESCRIBED;
    options.model = SP_STR("other");
    j = begin(&options, &row_1, "{}");
    assert_true(sp_str_eq(judgment_question(j)->model, SP_STR("other")));
    assert_true(sp_str_eq(judgment_question(j)->questions[0].id, SP_STR("confirmed")));
    settle(j, "1");
    assert_true(sp_str_eq(judgment_question(j)->questions[0].id, SP_STR("described")));
    settle(j, "1");
    assert_null(judgment_question(j));
    judgment_free(j);
    judgment_free(NULL);
}

static void judgment_passes_by_the_stand_in(void **state)
{
    struct judgment_options options = default_options();
    struct judgment *j = begin(&options, &row_1, "{}");
    struct oracle_response response;

    (void)state;
    oracle_mock(judgment_question(j), &response);
    judgment_answer(j, KEY_1, &response);
    oracle_response_deinit(&response);
    assert_false(judgment_fails(j));
    assert_has(j, ",\"p_yes\":0.5,");
    judgment_free(j);
}

static void judgment_records_the_proposal_check_and_any_arguments(void **state)
{
    static const char orders[] =
        "[{\"id\":\"#W7a\",\"a\\\"b\":1},{\"id\":\"#W7c\",\"name\":\"desk\"}]";
    static const struct exchanged desk = {
        "Which one?", "The desk.", "{\"z\":[1e2,-0],\"or\\\"der\":\"#W7a\",\"z\":[1E2,-0.0]}",
        false};
    static const struct exchanged text = {"Which one?", "The desk.", "\"#W7a\"", false};
    struct judgment_options options = default_options();
    struct judgment *j = begin(&options, &desk, orders);

    (void)state;
    settle(j, "1");
    assert_has(j, "{\"arguments\":{\"or\\\"der\":\"#W7a\",\"z\":[100.0,-0.0]},\"enforced\"");
    assert_has(j, ",\"proposal_check\":[{\"argument\":\"or\\\"der\",\"value\":\"#w7a\"}],\"tool\"");
    judgment_free(j);

    j = begin(&options, &text, orders);
    settle(j, "1");
    assert_has(j, "{\"arguments\":\"#W7a\",\"enforced\"");
    assert_has(j, ",\"proposal_check\":[],");
    judgment_free(j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judgment_follows_the_table),
        cmocka_unit_test(judgment_records_the_worked_session),
        cmocka_unit_test(judgment_that_is_not_enforced_refuses_nothing),
        cmocka_unit_test(judgment_records_a_second_answer_in_the_shadow),
        cmocka_unit_test(judgment_refuses_by_a_second_answer),
        cmocka_unit_test(judgment_skips_what_the_budget_has_no_room_for),
        cmocka_unit_test(judgment_tells_errors_from_missing_answers),
        cmocka_unit_test(judgment_asks_the_questions_in_order),
        cmocka_unit_test(judgment_passes_by_the_stand_in),
        cmocka_unit_test(judgment_records_the_proposal_check_and_any_arguments),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
