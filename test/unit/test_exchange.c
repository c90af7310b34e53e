/* Tests of judge/exchange.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "judge/exchange.h"

static void assert_text(struct sp_str got, const char *want)
{
    if (!sp_str_eq(got, sp_str_of(want)))
        fail_msg("'%.*s' should be '%s'", SP_STR_ARG(got), want);
}

/* Adds what was said: "u: TEXT" by the user, "a: TEXT" by the agent; "a" alone is a turn without
 * text, "r" a result. */
static void add(struct episode *e, const char *said)
{
    struct sp_str text = said[1] == ':' ? sp_str_of(said + 3) : (struct sp_str){0};

    if (said[0] == 'u')
        episode_add_user(e, text);
    else if (said[0] == 'a')
        episode_add_turn(e, text);
    else
        episode_add_result(e, SP_STR("1"), SP_STR("t"), false, SP_STR("{}"));
}

static void exchange_has_the_last_words_before_the_customers_last_message(void **state)
{
    static const struct {
        const char *said[8];
        const char *proposal;
        const char *customer;
    } cases[] = {
        {{NULL}, "", ""},
        {{"u: Hi."}, "", "Hi."},
        {{"a: Hello!"}, "", ""},
        {{"a: Hello!", "u: Hi."}, "Hello!", "Hi."},
        {{"u: Hi.", "a: Shall I?"}, "", "Hi."},
        {{"u: Hi.", "a: Shall I?", "u: Yes.", "a: Fine."}, "Shall I?", "Yes."},
        {{"u: Hi.", "a: One.", "a: Two.", "u: Yes."}, "Two.", "Yes."},
        {{"a: One.", "u: First.", "u: Second."}, "One.", "Second."},
        {{"a: One.", "u: Yes.", "u: "}, "One.", ""},
        {{"a: One.", "a", "r", "u: Yes."}, "One.", "Yes."},
        {{"a: One.", "a: ", "a: \xc2\xa0\xe3\x80\x80\n", "u: Yes."}, "One.", "Yes."},
        {{"a: One.", "a:  two ", "u: Yes."}, " two ", "Yes."},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct episode e = {0};
        struct exchange whole = {0};
        struct exchange stepwise = {0};

        for (size_t k = 0; cases[i].said[k] != NULL; k++) {
            add(&e, cases[i].said[k]);
            exchange_update(&stepwise, &e, e.n_events);
        }
        exchange_update(&whole, &e, e.n_events);
        assert_text(whole.proposal, cases[i].proposal);
        assert_text(whole.customer, cases[i].customer);
        assert_text(stepwise.proposal, cases[i].proposal);
        assert_text(stepwise.customer, cases[i].customer);
        episode_deinit(&e);
    }
}

static void exchange_takes_what_calls_are_said_with(void **state)
{
    struct episode e = {0};
    struct exchange x = {0};
    size_t turn = episode_add_turn(&e, SP_STR("Let me look."));

    (void)state;
    episode_add_call(&e, turn,
                     (struct episode_call){SP_STR("1"), SP_STR("get_order"), SP_STR("{}")});
    episode_add_user(&e, SP_STR("Yes."));
    exchange_update(&x, &e, e.n_events);
    assert_text(x.proposal, "Let me look.");
    episode_deinit(&e);
}

static void exchange_stops_where_it_is_told(void **state)
{
    struct episode e = {0};
    struct exchange x = {0};

    (void)state;
    add(&e, "a: One.");
    add(&e, "u: Yes.");
    add(&e, "a: Two.");
    add(&e, "u: No.");
    exchange_update(&x, &e, 3);
    assert_int_equal(x.n_events, 3);
    assert_text(x.proposal, "One.");
    assert_text(x.customer, "Yes.");
    exchange_update(&x, &e, 4);
    assert_text(x.proposal, "Two.");
    assert_text(x.customer, "No.");
    episode_deinit(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exchange_has_the_last_words_before_the_customers_last_message),
        cmocka_unit_test(exchange_takes_what_calls_are_said_with),
        cmocka_unit_test(exchange_stops_where_it_is_told),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
