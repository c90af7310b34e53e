/* Tests of the confirmation judge in a session: what is judged, and what becomes of it. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "booking.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

static void judging_holds_a_call_until_its_question_is_answered(void **state)
{
    struct engine_fixture f;

    (void)state;
    booking_begin(&f);
    engine_fixture_says(&f, SAYS("user", "Book it"));
    f.now_ms = 100;
    engine_fixture_host(&f, WRITE("1", "1"));
    assert_true(engine_is_judging(f.engine));
    booking_expect(&f, "[context 100] {\"role\":\"user\",\"content\":\"Book it\"}~\n" ASKED);
    f.now_ms = 1334;
    engine_fixture_judge(&f, 0.9);
    assert_false(engine_is_judging(f.engine));
    booking_expect(&f, LOGGED("1", "false", "01", "1234", "0.9", "false") "[client 1334] " WRITE(
                           "1", "1") "\n> " WRITE("1", "1") "\n");
    engine_fixture_server(&f, TEXT("1", "done"));
    booking_expect_sent(&f, "< " TEXT("1", "done") "\n");
    engine_fixture_deinit(&f);
}

#define CALLED_A  "[client 7] " WRITE("\"a\"", "1") "\n"
#define REFUSED_A REFUSED("\"a\"", "p_yes 0.15")

static void judging_refuses_a_call_that_fails(void **state)
{
    struct engine_fixture f;

    (void)state;
    booking_begin(&f);
    engine_fixture_host(&f, WRITE("\"a\"", "1"));
    f.now_ms = 7;
    engine_fixture_judge(&f, 0.149);
    booking_expect(&f, ASKED LOGGED("1", "true", "01", "7", "0.149", "false") CALLED_A REFUSED_NOTE(
                           "p_yes 0.15") "[proxy 7] " REFUSED_A "< " REFUSED_A);
    assert_int_equal(f.to_server.len, 0);
    engine_fixture_deinit(&f);
}

/* What a model says to the questions, and what becomes of the call. */
static void judging_follows_the_table_of_answers(void **state)
{
    static const struct {
        const char *answers[2]; /* a probability or an error; NULL: not asked */
        enum judgment_second second;
        bool is_shadow;
        const char *refused; /* the list of reasons; NULL: forwarded */
        bool fails;          /* as it is logged, with the next */
        bool is_unknown;
    } cases[] = {
        {{"0.92", NULL}, JUDGMENT_NO_SECOND, false, NULL, false, false},
        {{"0.50", NULL}, JUDGMENT_NO_SECOND, false, NULL, false, false},
        {{"0.15", NULL}, JUDGMENT_NO_SECOND, false, "p_yes 0.15", true, false},
        {{"lost", NULL}, JUDGMENT_NO_SECOND, false, NULL, false, true},
        {{"0.92", "0.10"}, JUDGMENT_PROPOSED, false, "p_second 0.10", true, false},
        {{"0.15", "0.10"}, JUDGMENT_DESCRIBED, false, "p_yes 0.15, p_second 0.10", true, false},
        {{"0.92", "0.10"}, JUDGMENT_PROPOSED, true, NULL, false, false},
        {{"lost", "0.10"}, JUDGMENT_PROPOSED, false, "p_second 0.10", true, false},
        {{"lost", "0.10"}, JUDGMENT_PROPOSED, true, NULL, false, true},
        {{"0.92", "lost"}, JUDGMENT_PROPOSED, false, NULL, false, true},
        {{"0.92", "lost"}, JUDGMENT_PROPOSED, true, NULL, false, false},
        {{"0.15", "lost"}, JUDGMENT_PROPOSED, false, "p_yes 0.15", true, false},
    };

    (void)state;
    for (size_t i = 0; i < 2 * N_OF(cases); i++) {
        size_t c = i / 2;
        struct engine_judge judge = booking_judge();
        struct engine_fixture f;
        bool is_refused = i % 2 == 0 && cases[c].refused != NULL;
        const char *log;

        judge.options.enforces = i % 2 == 0;
        judge.options.second = cases[c].second;
        judge.options.second_shadow = cases[c].is_shadow;
        booking_begin_with(&f, &judge);
        engine_fixture_host(&f, WRITE("1", "1"));
        for (size_t k = 0; k < 2 && cases[c].answers[k] != NULL; k++) {
            assert_true(engine_is_judging(f.engine));
            assert_int_equal(f.to_server.len + f.to_host.len + f.confirm_log.len, 0);
            if (cases[c].answers[k][0] == 'l')
                engine_fixture_judge_fails(&f, "lost");
            else
                engine_fixture_judge(&f, strtod(cases[c].answers[k], NULL));
        }
        assert_false(engine_is_judging(f.engine));
        assert_int_equal(f.to_server.len > 0, !is_refused);
        assert_int_equal(f.to_host.len > 0, is_refused);
        if (is_refused)
            assert_non_null(strstr(sp_buf_cstr(&f.to_host), cases[c].refused));
        log = sp_buf_cstr(&f.confirm_log);
        assert_non_null(strstr(log, i % 2 == 0 ? "\"enforced\":true" : "\"enforced\":false"));
        assert_non_null(strstr(log, cases[c].fails ? "\"fails\":true" : "\"fails\":false"));
        assert_non_null(
            strstr(log, cases[c].is_unknown ? "\"unknown\":true" : "\"unknown\":false"));
        assert_int_equal(strstr(log, "\"second_shadow\":true") != NULL, cases[c].is_shadow);
        engine_fixture_deinit(&f);
    }
}

static void judging_asks_the_second_question_after_the_first(void **state)
{
    struct engine_judge judge = booking_judge();
    struct engine_fixture f;

    (void)state;
    judge.options.second = JUDGMENT_DESCRIBED;
    booking_begin_with(&f, &judge);
    engine_fixture_host(&f, WRITE("1", "1"));
    booking_expect(&f, ASKED);
    engine_fixture_host(&f, PING("2"));
    engine_fixture_judge(&f, 0.9);
    booking_expect(&f, "? described\n");
    engine_fixture_host(&f, PING("3"));
    engine_fixture_judge(&f, 0.8);
    booking_expect_sent(
        &f, "% {\"arguments\":{\"n\":1},\"enforced\":true,\"fails\":false,\"key\":\"" KEY(
                "01") "\",\"ms\":0,\"p_second\":0.8,\"p_yes\":0.9,\"proposal_check\":[],"
                      "\"second_key\":\"" KEY(
                          "02") "\",\"tool\":\"book_reservation\",\"unknown\":"
                                "false,\"word_list\":false}\n> " WRITE("1", "1") "\n> " PING(
                                    "2") "\n> " PING("3") "\n");
    engine_fixture_deinit(&f);
}

static void judging_says_why_there_is_no_answer(void **state)
{
    struct oracle_answer other = {.id = SP_STR("proposed"), .type = ORACLE_NOUL, .noul = 0.1};
    struct oracle_answer choice = {.id = SP_STR("confirmed"), .type = ORACLE_CHOICE};
    struct oracle_response responses[] = {
        {.n_answers = 0},
        {.answers = &other, .n_answers = 1},
        {.answers = &choice, .n_answers = 1},
    };
    struct engine_fixture f;

    (void)state;
    booking_begin(&f);
    engine_fixture_host(&f, WRITE("1", "1"));
    engine_fixture_judge_fails(&f, "Jev answered 400: no");
    booking_expect_sent(
        &f,
        ASKED CANNOT(
            "Jev answered 400: no") "% {\"arguments\":{\"n\":1},\"enforced\":true,\"error\":\"Jev "
                                    "answered 400: no"
                                    "\",\"fails\":false,\"key\":\"" KEY(
                                        "01") "\",\"ms\":0,\"proposal_check\":[],"
                                              "\"tool\":\"book_reservation\",\"unknown\":true,"
                                              "\"word_list\":false}\n> " WRITE("1", "1") "\n");
    engine_fixture_deinit(&f);

    /* Only an error is told to the user. */
    for (size_t i = 0; i < N_OF(responses); i++) {
        booking_begin(&f);
        engine_fixture_host(&f, WRITE("1", "1"));
        engine_fixture_judge_with(&f, &responses[i]);
        booking_expect_sent(
            &f,
            ASKED "% {\"arguments\":{\"n\":1},\"enforced\":true,\"error\":\"no yes/no answer to "
                  "confirmed\",\"fails\":false,\"key\":\"" KEY(
                      "01") "\",\"ms\":0,"
                            "\"proposal_check\":[],\"tool\":\"book_reservation\",\"unknown\":true,"
                            "\"word_list\":false}\n> " WRITE("1", "1") "\n");
        engine_fixture_deinit(&f);
    }
}

/* What the guards ask no confirmation for, or refuse themselves, is not judged. */
static void judging_is_of_confirmed_writes_that_the_guards_let_pass(void **state)
{
    static const char *const lines[] = {
        READ("1"),
        CALL("1", "send_certificate", "{}"),
        CALL("1", "no_such_tool", "{}"),
        CALL("1", "cancel_pending_order", "{}"),
        CALL("1", "BOOK_RESERVATION", "{}"),
        PING("1"),
    };
    struct engine_judge judge = booking_judge();
    struct engine_fixture f;

    (void)state;
    for (size_t i = 0; i < N_OF(lines); i++) {
        booking_begin(&f);
        engine_fixture_host(&f, lines[i]);
        assert_false(engine_is_judging(f.engine));
        assert_int_equal(f.to_server.len, strlen(lines[i]) + 1);
        assert_int_equal(f.n_questions, 0);
        engine_fixture_deinit(&f);
    }
    engine_fixture_init_judge(&f, &judge, NULL, "retail", true);
    engine_fixture_host(&f, CALL("1", "cancel_pending_order", "{}"));
    assert_false(engine_is_judging(f.engine));
    assert_int_equal(f.to_server.len, 0);
    assert_int_equal(f.n_questions + f.confirm_log.len, 0);
    engine_fixture_deinit(&f);

    /* The name counts as it reads. */
    booking_begin(&f);
    engine_fixture_host(&f, CALL("1", "book\\u005freservation", "null"));
    assert_true(engine_is_judging(f.engine));
    engine_fixture_judge(&f, 0.1);
    assert_non_null(strstr(sp_buf_cstr(&f.confirm_log), "{\"arguments\":null,"));
    assert_non_null(strstr(sp_buf_cstr(&f.to_host), "so book_reservation was not run"));
    engine_fixture_deinit(&f);
}

static void judging_is_of_calls_without_an_id_too(void **state)
{
    static const char null_id[] = "{\"id\":null,\"method\":\"tools/call\",\"params\":{\"name\":"
                                  "\"book_reservation\"}}";
    struct engine_fixture f;

    (void)state;
    booking_begin(&f);
    engine_fixture_host(&f, NO_ID("1"));
    booking_expect(&f, ASKED);
    engine_fixture_judge(&f, 0.9);
    booking_expect(&f, LOGGED_YES("1", "01") "[client 0] " NO_ID("1") "\n> " NO_ID("1") "\n");
    engine_fixture_host(&f, NO_ID("2"));
    engine_fixture_judge(&f, 0.1);
    booking_expect(
        &f, ASKED LOGGED_NO("2", "02") "[client 0] " NO_ID("2") "\n" REFUSED_NOTE("p_yes 0.10"));
    engine_fixture_host(&f, null_id);
    engine_fixture_judge(&f, 0.1);
    assert_int_equal(f.to_host.len, 0);
    engine_fixture_deinit(&f);
}

static void expect_state(const struct engine_fixture *f, const char *said, const char *replied)
{
    struct sp_buf bytes = {0}, wanted = {0};

    oracle_put_request(&bytes, f->judged);
    sp_buf_addf(&wanted,
                "{\"model\":\"jev-latest\",\"state\":{\"agent_said_last\":\"%s\","
                "\"call_about_to_be_made\":{\"arguments\":{\"n\":1},\"tool\":\"book_reservation\"},"
                "\"customer_replied\":\"%s\"},\"questions\":",
                said, replied);
    if (!sp_str_starts(sp_buf_str(&bytes), sp_buf_str(&wanted)))
        fail_msg("asked is %s", sp_buf_cstr(&bytes));
    sp_buf_deinit(&bytes);
    sp_buf_deinit(&wanted);
}

static void judging_asks_about_the_exchange_so_far(void **state)
{
    struct engine_fixture f;

    (void)state;
    booking_begin(&f);
    engine_fixture_host(&f, WRITE("1", "1"));
    expect_state(&f, "", "");
    engine_fixture_judge(&f, 0.9);
    engine_fixture_says(&f, SAYS("assistant", "Shall I?") SAYS("user", "Yes"));
    engine_fixture_host(&f, WRITE("2", "1"));
    expect_state(&f, "Shall I?", "Yes");
    engine_fixture_judge(&f, 0.9);
    engine_fixture_says(&f, SAYS("assistant", "Done") SAYS("assistant", "More?"));
    engine_fixture_host(&f, WRITE("3", "1"));
    expect_state(&f, "Shall I?", "Yes");
    engine_fixture_judge(&f, 0.9);
    engine_fixture_says(&f, SAYS("user", "No"));
    engine_fixture_host(&f, WRITE("4", "1"));
    expect_state(&f, "More?", "No");
    engine_fixture_deinit(&f);
}

/* What the customer says while the question is out changes neither it nor the next one. */
static void judging_is_of_the_session_as_it_stood(void **state)
{
    struct engine_judge judge = booking_judge();
    struct engine_fixture f;

    (void)state;
    judge.options.second = JUDGMENT_PROPOSED;
    booking_begin_with(&f, &judge);
    engine_fixture_says(&f, SAYS("assistant", "Shall I?") SAYS("user", "Yes"));
    engine_fixture_host(&f, WRITE("1", "1"));
    engine_fixture_says(&f, SAYS("assistant", "Really?") SAYS("user", "No"));
    engine_fixture_host(&f, READ("2"));
    engine_fixture_server(&f, NOTE("1"));
    engine_fixture_judge(&f, 0.9);
    expect_state(&f, "Shall I?", "Yes");
    assert_string_equal(sp_buf_cstr(&f.senders), "context context server ");
    engine_fixture_judge(&f, 0.9);
    assert_string_equal(sp_buf_cstr(&f.senders),
                        "context context server client context context client ");
    assert_non_null(strstr(sp_buf_cstr(&f.confirm_log), "\"word_list\":true"));
    engine_fixture_deinit(&f);
}

#define SKIPPED(n, key)                                                                          \
    "% {\"arguments\":{\"n\":" n "},\"enforced\":true,\"fails\":false,\"key\":\"f" key "\",\"ms" \
    "\":0,\"proposal_check\":[],\"skipped\":\"question budget spent\",\"tool\":"                 \
    "\"book_reservation\",\"unknown\":true,\"word_list\":false}\n"
#define SKIPPED_KEY(n) "0000000000000000000000000000000000000000000000000000000000000" n

static void judging_lets_calls_pass_when_the_budget_is_spent(void **state)
{
    struct engine_judge judge = booking_judge();
    struct engine_fixture f;

    (void)state;
    judge.questions = 2;
    booking_begin_with(&f, &judge);
    engine_fixture_host(&f, WRITE("1", "1"));
    engine_fixture_judge(&f, 0.9);
    engine_fixture_host(&f, WRITE("2", "2"));
    engine_fixture_judge_fails(&f, "lost"); /* one that fails counts too */
    (void)engine_fixture_look(&f);
    engine_fixture_host(&f, WRITE("3", "3"));
    assert_false(engine_is_judging(f.engine));
    engine_fixture_host(&f, PING("4"));
    booking_expect_sent(&f,
                        SKIPPED("3", SKIPPED_KEY("01")) "> " WRITE("3", "3") "\n> " PING("4") "\n");
    assert_int_equal(f.n_questions, 2);
    engine_fixture_deinit(&f);
}

static void judging_skips_the_second_question_when_the_budget_is_spent(void **state)
{
    static const struct {
        double p;
        bool is_shadow;
        bool is_refused;
        bool is_unknown;
    } cases[] = {
        {0.9, false, false, true},
        {0.9, true, false, false},
        {0.1, false, true, false},
        {0.1, true, true, false},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct engine_judge judge = booking_judge();
        struct engine_fixture f;
        const char *log;

        judge.options.second = JUDGMENT_PROPOSED;
        judge.options.second_shadow = cases[i].is_shadow;
        judge.questions = 1;
        booking_begin_with(&f, &judge);
        engine_fixture_host(&f, WRITE("1", "1"));
        engine_fixture_judge(&f, cases[i].p);
        assert_false(engine_is_judging(f.engine));
        log = sp_buf_cstr(&f.confirm_log);
        assert_non_null(strstr(log, "\"second_key\":\"f" SKIPPED_KEY("01") "\""));
        assert_non_null(strstr(log, "\"skipped\":\"question budget spent\""));
        assert_null(strstr(log, "p_second"));
        assert_non_null(
            strstr(log, cases[i].is_unknown ? "\"unknown\":true" : "\"unknown\":false"));
        assert_int_equal(f.to_server.len == 0, cases[i].is_refused);
        /* The next judgment has no second key: the first question is not put already. */
        engine_fixture_host(&f, WRITE("2", "2"));
        assert_null(strstr(sp_buf_cstr(&f.confirm_log) + f.confirm_log.len - 300, "second_key"));
        engine_fixture_deinit(&f);
    }
}

#define MANY 50000

/* Neither calls that were put off nor those of a commit nest. */
static void judging_skips_any_number_of_calls(void **state)
{
    struct engine_judge judge = booking_judge();
    struct engine_fixture f;
    struct sp_buf line = {0};

    (void)state;
    judge.questions = 1;
    booking_begin_with(&f, &judge);
    engine_fixture_host(&f, WRITE("1", "1"));
    for (int i = 0; i < MANY; i++)
        engine_fixture_host(&f, WRITE("2", "2"));
    assert_int_equal(f.to_server.len, 0);
    engine_fixture_judge(&f, 0.9);
    assert_int_equal(f.to_server.len, (size_t)(MANY + 1) * (strlen(WRITE("1", "1")) + 1));
    assert_int_equal(f.n_skipped, MANY);

    sp_buf_add(&line, SP_STR("[" PING("3")));
    for (int i = 0; i < MANY; i++)
        sp_buf_add(&line, SP_STR("," WRITE("4", "4")));
    sp_buf_add(&line, SP_STR("]"));
    engine_fixture_host(&f, sp_buf_cstr(&line));
    assert_int_equal(f.n_skipped, 2 * MANY);
    sp_buf_deinit(&line);
    engine_fixture_deinit(&f);
}

static void judging_skips_the_calls_of_a_commit(void **state)
{
    struct engine_judge judge = booking_judge();
    struct engine_fixture f;
    struct sp_buf line = {0};

    (void)state;
    judge.questions = 0;
    booking_begin_with(&f, &judge);
    sp_buf_add(&line, SP_STR("{\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":"
                             "\"stretto_commit\",\"arguments\":{\"calls\":["));
    for (int i = 0; i < 1000; i++)
        sp_buf_addf(&line, "%s" COMMIT_WRITE("1"), i > 0 ? "," : "");
    sp_buf_add(&line, SP_STR("]}}}"));
    engine_fixture_host(&f, sp_buf_cstr(&line));
    for (int i = 1; i <= 1000; i++) {
        sp_buf_clear(&line);
        sp_buf_addf(&line, "{\"id\":\"stretto-%d\",\"result\":{}}", i);
        engine_fixture_server(&f, sp_buf_cstr(&line));
    }
    assert_int_equal(f.n_skipped, 1000);
    assert_true(sp_str_ends(sp_buf_str(&f.to_host), SP_STR("\"isError\":false}}\n")));
    sp_buf_deinit(&line);
    engine_fixture_deinit(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judging_holds_a_call_until_its_question_is_answered),
        cmocka_unit_test(judging_refuses_a_call_that_fails),
        cmocka_unit_test(judging_follows_the_table_of_answers),
        cmocka_unit_test(judging_asks_the_second_question_after_the_first),
        cmocka_unit_test(judging_says_why_there_is_no_answer),
        cmocka_unit_test(judging_is_of_confirmed_writes_that_the_guards_let_pass),
        cmocka_unit_test(judging_is_of_calls_without_an_id_too),
        cmocka_unit_test(judging_asks_about_the_exchange_so_far),
        cmocka_unit_test(judging_is_of_the_session_as_it_stood),
        cmocka_unit_test(judging_lets_calls_pass_when_the_budget_is_spent),
        cmocka_unit_test(judging_skips_the_second_question_when_the_budget_is_spent),
        cmocka_unit_test(judging_skips_any_number_of_calls),
        cmocka_unit_test(judging_skips_the_calls_of_a_commit),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
