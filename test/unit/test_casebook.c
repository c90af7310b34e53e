/* Tests of learn/casebook.h: the decisions of held-out sessions and the arbiter they give. */

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "flow_edit.h"
#include "flow_example.h"
#include "flow_session.h"
#include "flow_tickets.h"
#include "learn/casebook.h"
#include "oracle/oracle_key.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define PREDICATE                                                                              \
    "[{\"id\":\"more_listed\",\"favors\":\"same_lookup\",\"question\":\"Is the agent working " \
    "through a list, with entries it has not looked up yet?\",\"yes\":\"Entries it needs are " \
    "still unread.\",\"no\":\"Every entry it needs has been read, or there is no list.\"}]"

#define MODEL "\"model\":\"\"", "\"model\":\"jev-latest\""

/* Two read tools, of which get_ticket is offered behind both, one that writes and one of neither.
 */
static const struct flow_edit with_predicate[] = {
    {MODEL},
    {"\"predicates\":[]", "\"predicates\":" PREDICATE},
    {"\"weighed\":[]", "\"weighed\":" PREDICATE},
    {"\"get_ticket\":\"read\"}", "\"get_ticket\":\"read\",\"close\":\"write\",\"ping\":\"generic\","
                                 "\"respond\":\"read\"}"},
};

#define NEXT(pick)                                                            \
    "\"next\":{\"type\":\"choice\",\"choice\":\"" pick "\",\"probabilities\"" \
    ":{\"get_ticket\":0.6,\"respond\":0.4},\"confidence\":0.5}"
#define GO_ON     "\"go_on\":{\"type\":\"noul\",\"noul\":0.5}"
#define LOOK_UP   NEXT("get_ticket") "," GO_ON
#define HAND_BACK NEXT("respond") "," GO_ON
#define MORE(p)   "\"pred_more_listed\":{\"type\":\"noul\",\"noul\":" p "}"

/* Answers questions in turn; the last of the answers, of which NULL is none, holds for the rest. */
struct answers {
    const char *const *of;
    size_t n;
    size_t n_given;
    struct sp_buf keys; /* of the questions, an LF behind each */
};

static int answer(void *data, const struct oracle_request *request, struct sp_str *ret_key,
                  struct oracle_response *ret, struct sp_err *ret_why)
{
    struct answers *a = data;
    const char *next = a->of[a->n_given < a->n ? a->n_given : a->n - 1];
    struct sp_buf text = {0};
    char key[ORACLE_KEY_SIZE];

    oracle_put_request(&text, request);
    oracle_key_of(sp_buf_str(&text), key);
    sp_buf_addf(&a->keys, "%s\n", key);
    a->n_given++;
    *ret_key = (struct sp_str){0};
    sp_buf_clear(&text);
    sp_buf_addf(&text, "{\"model\":\"m\",\"answers\":{%s}}", next != NULL ? next : "");
    if (next != NULL && oracle_parse_response(sp_buf_str(&text), ret, ret_why) < 0)
        fail_msg("%s", ret_why->text);
    sp_buf_deinit(&text);
    if (next != NULL)
        return 0;
    sp_err_set(ret_why, "nobody answers");
    return -EIO;
}

static void add(struct casebook *c, const struct flow_session_event *events, struct answers *a)
{
    struct episode e = {.id = SP_STR("s1"), .task_id = SP_STR("s1")};

    flow_session_add_all(&e, events);
    casebook_add(c, &e, answer, a);
    episode_deinit(&e);
}

/* A flow, a book of its decisions and what came out. */
struct fixture {
    struct flow *flow;
    struct casebook *book;
    struct sp_arena arena;
    struct flow_fold fold;
};

static void begin(struct fixture *f)
{
    *f = (struct fixture){.flow = flow_parsed(FLOW_EXAMPLE, with_predicate, N_OF(with_predicate))};
    f->book = casebook_new(f->flow);
}

/* What is fitted needs the book no more. */
static void fit(struct fixture *f)
{
    casebook_fit(f->book, &f->arena, &f->fold);
    casebook_free(f->book);
    f->book = NULL;
}

static void end(struct fixture *f)
{
    casebook_free(f->book);
    flow_free(f->flow);
    sp_arena_deinit(&f->arena);
}

static void assert_counts(const struct casebook *c, uint64_t decisions, uint64_t cases)
{
    struct casebook_counts counts = casebook_count(c);

    assert_int_equal(counts.decisions, decisions);
    assert_int_equal(counts.cases, cases);
}

static void assert_rate(const struct flow_fold *fold, const char *site, double decisions,
                        double agreed, double covered)
{
    const struct flow_rate *rate = flow_rate_of(fold, sp_str_of(site));

    assert_non_null(rate);
    assert_true(rate->decisions == decisions);
    assert_true(rate->agreed == agreed);
    assert_true(rate->covered == covered);
}

static void assert_weights(const struct flow_fold *fold, const double *want, size_t n)
{
    assert_int_equal(fold->n_weights, n);
    for (size_t i = 0; i < n; i++) {
        if (!(fabs(fold->weights[i] - want[i]) <= 6e-7))
            fail_msg("weight %zu: %.9f is not %.9f", i, fold->weights[i], want[i]);
    }
}

/* ---- questions ---- */

static void casebook_asks_what_the_flow_would_ask(void **state)
{
    static const struct flow_session_event events[] = {
        TICKETS_ASKED, TICKETS_FOUND, SAYS("It is open."), {0}};
    static const char *const answers[] = {LOOK_UP};
    struct answers a = {answers, 1, 0, {0}};
    struct fixture f;

    (void)state;
    begin(&f);
    add(f.book, events, &a);
    assert_string_equal(sp_buf_cstr(&a.keys),
                        "49b30847b67969c18501ea9002a98691ad9c1ea7071776e0c7cee5b9c494d095\n");
    sp_buf_deinit(&a.keys);
    end(&f);
}

struct asked_case {
    struct flow_session_event events[12];
    size_t n_decisions;
};

static void casebook_asks_where_the_flow_offers_lookups_and_the_agent_went_on(void **state)
{
    static const struct asked_case cases[] = {
        {{{0}}, 0},
        {{TICKETS_ASKED, TICKETS_FOUND, {0}}, 0},
        {{TICKETS_ASKED, TICKETS_FOUND, USER("Hm."), {0}}, 0},
        {{TICKETS_ASKED,
          SAYS("Who are you?"),
          TICKETS_FOUND,
          SAYS("It is open."),
          SAYS("Bye."),
          {0}},
         1},
        {{TICKETS_FOUND, TICKETS_READ_FIRST, TICKETS_READ_SECOND, SAYS("They are open."), {0}}, 3},
        /* Behind what failed nothing is offered, nor behind a tool that training never saw. */
        {{CALL("1", "find_tickets", "{}"), ERROR("1", "find_tickets", "no"), SAYS("No."), {0}}, 0},
        {{CALL("1", "find_tickets", "{}"), SAYS("No answer."), {0}}, 0},
        {{CALL("1", "ping", "{}"), RESULT("1", "ping", "ok"), SAYS("It works."), {0}}, 0},
        /* Within a turn, whatever the order of the results. */
        {{CALL("1", "find_tickets", "{}"),
          ALSO("2", "get_ticket", "{}"),
          ALSO("3", "get_ticket", "{}"),
          RESULT("2", "get_ticket", "2"),
          RESULT("1", "find_tickets", "1"),
          {0}},
         2},
    };
    static const char *const answers[] = {LOOK_UP};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct answers a = {answers, 1, 0, {0}};
        struct fixture f;

        begin(&f);
        add(f.book, cases[i].events, &a);
        assert_int_equal(a.n_given, cases[i].n_decisions);
        assert_counts(f.book, cases[i].n_decisions, cases[i].n_decisions);
        sp_buf_deinit(&a.keys);
        end(&f);
    }
}

static void casebook_counts_what_was_answered_in_full(void **state)
{
    static const struct flow_session_event events[] = {
        TICKETS_FOUND, TICKETS_READ_FIRST, TICKETS_READ_SECOND, SAYS("They are open."), {0}};
    static const struct flow_session_event later[] = {
        TICKETS_ASKED, TICKETS_FOUND, SAYS("It is open."), {0}};
    static const char *const answers[] = {NULL, GO_ON, LOOK_UP};
    struct answers gathered = {answers, 1, 0, {0}};
    struct answers a = {answers, 3, 0, {0}};
    struct fixture f;

    (void)state;
    begin(&f);
    add(f.book, events, &gathered);
    assert_counts(f.book, 3, 0);
    casebook_free(f.book);
    f.book = casebook_new(f.flow);
    add(f.book, events, &a);
    assert_counts(f.book, 3, 1);
    assert_string_equal(sp_buf_cstr(&a.keys), sp_buf_cstr(&gathered.keys));
    add(f.book, later, &a);
    assert_counts(f.book, 4, 2);
    fit(&f);
    /* What was not answered is no decision of a site either. */
    assert_int_equal(f.fold.n_sites, 2);
    assert_rate(&f.fold, "find_tickets", 1, 0, 1);
    assert_rate(&f.fold, "get_ticket", 1, 0, 1);
    sp_buf_deinit(&gathered.keys);
    sp_buf_deinit(&a.keys);
    end(&f);
}

/* ---- the fit ---- */

struct option_case {
    struct flow_session_event events[8]; /* the agent's next step */
    double agreed[2];                    /* with looking a ticket up, with handing back */
    double covered;
};

static void casebook_knows_the_agents_option(void **state)
{
    static const struct option_case cases[] = {
        {{CALL("8", "get_ticket", "{}"), {0}}, {1, 0}, 1},
        {{SAYS("It is open."), {0}}, {0, 1}, 1},
        {{CALL("8", "close", "{}"), {0}}, {0, 1}, 1},
        {{CALL("8", "ping", "{}"), {0}}, {0, 1}, 1},
        {{CALL("8", "unheard_of", "{}"), {0}}, {0, 1}, 1},
        /* Lookups that are not offered here. */
        {{CALL("8", "find_tickets", "{}"), {0}}, {0, 0}, 0},
        {{CALL("8", "respond", "{}"), {0}}, {0, 0}, 0},
    };
    static const char *const answers[2][1] = {{LOOK_UP}, {HAND_BACK}};

    (void)state;
    for (size_t i = 0; i < 2 * N_OF(cases); i++) {
        const struct option_case *c = &cases[i / 2];
        struct episode e = {.id = SP_STR("s1"), .task_id = SP_STR("s1")};
        static const struct flow_session_event found[] = {TICKETS_FOUND};
        struct answers a = {answers[i % 2], 1, 0, {0}};
        struct fixture f;

        begin(&f);
        flow_session_add(&e, found, N_OF(found));
        flow_session_add_all(&e, c->events);
        casebook_add(f.book, &e, answer, &a);
        episode_deinit(&e);
        fit(&f);
        assert_rate(&f.fold, "find_tickets", 1, c->agreed[i % 2], c->covered);
        assert_true(f.fold.agree == c->agreed[i % 2]);
        assert_true(f.fold.cover == c->covered);
        sp_buf_deinit(&a.keys);
        end(&f);
    }
}

static void casebook_without_a_case_fits_nothing(void **state)
{
    static const double want[6] = {0};
    struct fixture f;

    (void)state;
    begin(&f);
    fit(&f);
    assert_weights(&f.fold, want, 6);
    assert_int_equal(f.fold.n_sites, 0);
    assert_true(f.fold.agree == 0 && f.fold.cover == 0);
    end(&f);
    casebook_free(NULL);
}

/* The rates are those of all sessions, and the predicate bears on another ticket alone. */
static void casebook_fits_rates_and_weights_over_all_sessions(void **state)
{
    static const struct flow_session_event one[] = {TICKETS_ASKED,          TICKETS_FOUND,
                                                    TICKETS_READ_FIRST,     TICKETS_READ_SECOND,
                                                    SAYS("They are open."), {0}};
    static const struct flow_session_event two[] = {
        TICKETS_ASKED, TICKETS_FOUND, TICKETS_READ_FIRST, SAYS("It is open."), {0}};
    static const struct flow_session_event three[] = {
        TICKETS_ASKED, TICKETS_FOUND, CALL("8", "find_tickets", "{}"), {0}};
    static const char *const answers[] = {
        LOOK_UP "," MORE("0.5"), LOOK_UP "," MORE("0.9"), HAND_BACK "," MORE("0.2"),
        LOOK_UP "," MORE("0.5"), LOOK_UP "," MORE("0.7"), LOOK_UP,
    };
    static const double want[] = {0.711202974, -0.021208306, 0.000000000,
                                  0.052306119, 0.492951282,  0.053096427};
    struct answers a = {answers, N_OF(answers), 0, {0}};
    struct fixture f;

    (void)state;
    begin(&f);
    add(f.book, one, &a);
    add(f.book, two, &a);
    add(f.book, three, &a);
    assert_counts(f.book, 6, 6);
    fit(&f);
    assert_int_equal(f.fold.n_sites, 2);
    assert_rate(&f.fold, "find_tickets", 3, 2, 2);
    assert_rate(&f.fold, "get_ticket", 3, 2, 3);
    assert_true(f.fold.agree == 4.0 / 6);
    assert_true(f.fold.cover == 5.0 / 6);
    assert_weights(&f.fold, want, N_OF(want));
    sp_buf_deinit(&a.keys);
    end(&f);
}

/* The habit of get_ticket behind find_tickets, by the step before that: 0.2, 0.3, 0.4 and 0.5. */
static struct flow *eight_cases_flow(void)
{
    static const struct flow_edit edits[] = {{MODEL}};
    static uint32_t histories[4][2] = {
        {FLOW_PADDING, 16384}, {8192, 16384}, {12288, 16384}, {20480, 16384}};
    struct flow *f = flow_parsed(FLOW_EXAMPLE, edits, N_OF(edits));
    struct flow_context *contexts = sp_arena_alloc(&f->arena, 4 * sizeof *contexts);

    for (int i = 0; i < 4; i++) {
        struct flow_action_count *count = sp_arena_alloc(&f->arena, sizeof *count);

        *count = (struct flow_action_count){2, 1e12 * (2 + i)};
        contexts[i] = (struct flow_context){
            .history = histories[i], .n_history = 2, .counts = {count, 1, 1e13}};
    }
    f->habit.levels[0].n = 0;
    f->habit.levels[1].n = 0;
    f->habit.levels[2].contexts = contexts;
    f->habit.levels[2].n = 4;
    f->top.n = 0;
    flow_index(f);
    return f;
}

static void casebook_fits_the_example(void **state)
{
    static const struct flow_session_event sessions[4][8] = {
        {TICKETS_FOUND, SAYS("They are open."), {0}},
        {SAYS("Hello."), USER("Hi."), TICKETS_FOUND, CALL("8", "get_ticket", "{}"), {0}},
        {SAYS("Hello."), TICKETS_FOUND, CALL("8", "get_ticket", "{}"), {0}},
        {CALL("6", "find_tickets", "{}"),
         ERROR("6", "find_tickets", "no"),
         TICKETS_FOUND,
         CALL("8", "get_ticket", "{}"),
         {0}},
    };
    static const double want[] = {0.752188, 0.220024, 0, -0.542645, 0.596157};
    static const char *const answers[] = {LOOK_UP};
    struct answers a = {answers, 1, 0, {0}};
    struct fixture f = {.flow = eight_cases_flow()};

    (void)state;
    f.book = casebook_new(f.flow);
    for (size_t i = 0; i < 8; i++)
        add(f.book, sessions[i % 4], &a);
    assert_counts(f.book, 8, 8);
    fit(&f);
    assert_true(f.fold.agree == 0.75);
    assert_true(f.fold.cover == 1);
    assert_int_equal(f.fold.n_sites, 1);
    assert_rate(&f.fold, "find_tickets", 8, 6, 8);
    assert_weights(&f.fold, want, N_OF(want));
    sp_buf_deinit(&a.keys);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(casebook_asks_what_the_flow_would_ask),
        cmocka_unit_test(casebook_asks_where_the_flow_offers_lookups_and_the_agent_went_on),
        cmocka_unit_test(casebook_counts_what_was_answered_in_full),
        cmocka_unit_test(casebook_knows_the_agents_option),
        cmocka_unit_test(casebook_without_a_case_fits_nothing),
        cmocka_unit_test(casebook_fits_rates_and_weights_over_all_sessions),
        cmocka_unit_test(casebook_fits_the_example),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
