/* Tests of guard/guard.h: domains, refusals, and the retail domain's vectors. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "guard_session.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define CANCEL   "cancel_pending_order"
#define ADDRESS  "modify_pending_order_address"
#define RETURN   "return_delivered_order_items"
#define EXCHANGE "exchange_delivered_order_items"

#define ORDER(status)                                                                  \
    "{\"order_id\":\"#W100\",\"user_id\":\"mia_7\",\"status\":\"" status               \
    "\",\"items\":[{\"item_id\":\"i1\",\"product_id\":\"p1\"}],\"payment_history\":[{" \
    "\"payment_method_id\":\"credit_card_1\"}]}"

#define ORDER_ID "{\"order_id\":\"#W100\"}"

#define PRODUCT                                                                 \
    "{\"product_id\":\"p1\",\"variants\":{\"i1\":{\"available\":true},\"i2\":{" \
    "\"available\":true},\"i3\":{\"available\":false},\"i4\":{},\"i5\":{\"available\":0}}}"

#define PROFILE "{\"user_id\":\"mia_7\",\"payment_methods\":{\"credit_card_1\":{}}}"

/* Session B of the vectors: the customer wants #W100 cancelled, is found, says yes. */
static void begin(struct guard_session *s, const char *order)
{
    guard_session_init(s, "retail");
    guard_session_says(s, "Cancel #W100, I'm mia@x.com");
    guard_session_calls(s, "find_user_id_by_email", "{\"email\":\"mia@x.com\"}", "mia_7");
    guard_session_calls(s, "get_order_details", ORDER_ID, order);
    guard_session_says(s, "Yes, please cancel it.");
}

#define CANCEL_ARGS(reason) "{\"order_id\":\"#W100\",\"reason\":\"" reason "\"}"

static void guard_follows_the_vectors_of_cancellations(void **state)
{
    static const char *const all[] = {"authenticated", "own_order",     "status_checked",
                                      "pending",       "cancel_reason", "confirmed"};
    struct guard_session s;

    (void)state;
    begin(&s, ORDER("pending"));
    guard_session_check(&s, CANCEL, CANCEL_ARGS("no longer needed"));
    assert_string_equal(guard_session_reasons(&s), "");
    assert_int_equal(s.checked.n_verdicts, N_OF(all));
    for (size_t i = 0; i < N_OF(all); i++)
        assert_string_equal(guard_session_verdict(&s, all[i]), "pass");
    guard_session_check(&s, CANCEL, CANCEL_ARGS("found it cheaper"));
    assert_string_equal(guard_session_reasons(&s), "'found it cheaper' is not an accepted reason "
                                                   "(policy check retail.cancel_reason)");
    guard_session_deinit(&s);

    begin(&s, ORDER("delivered"));
    guard_session_check(&s, CANCEL, CANCEL_ARGS("no longer needed"));
    assert_string_equal(guard_session_reasons(&s), "the order's status is delivered, not pending "
                                                   "(policy check retail.pending)");
    guard_session_deinit(&s);

    begin(&s, ORDER("pending (item modified)"));
    guard_session_check(&s, ADDRESS, ORDER_ID);
    assert_string_equal(guard_session_reasons(&s), "");
    guard_session_check(&s, CANCEL, CANCEL_ARGS("no longer needed"));
    assert_string_equal(guard_session_reasons(&s),
                        "the order's status is pending (item modified), not pending (policy check "
                        "retail.pending)");
    guard_session_deinit(&s);
}

static void guard_follows_the_vectors_of_customers(void **state)
{
    struct guard_session s;

    (void)state;
    guard_session_init(&s, "retail");
    guard_session_says(&s, "cancel #W100");
    guard_session_check(&s, CANCEL, CANCEL_ARGS("no longer needed"));
    assert_string_equal(guard_session_reasons(&s),
                        "nobody has been identified by email or by name and zip code (policy check "
                        "retail.authenticated); the order's status has not been read (policy check "
                        "retail.status_checked)");
    assert_string_equal(guard_session_verdict(&s, "own_order"),
                        "unknown: the order has not been read");
    assert_string_equal(guard_session_verdict(&s, "pending"),
                        "unknown: the order has not been read");
    assert_string_equal(guard_session_verdict(&s, "confirmed"),
                        "fail: nothing in the customer's last message reads as a confirmation");
    guard_session_calls(&s, "get_order_details", ORDER_ID, ORDER("pending"));
    guard_session_check(&s, CANCEL, CANCEL_ARGS("no longer needed"));
    assert_string_equal(guard_session_verdict(&s, "own_order"),
                        "unknown: the order is mia_7's and nobody has been identified");
    assert_string_equal(guard_session_reasons(&s),
                        "nobody has been identified by email or by name and zip code (policy check "
                        "retail.authenticated)");
    guard_session_deinit(&s);

    begin(&s, "{\"order_id\":\"#W100\",\"user_id\":\"tom_2\",\"status\":\"pending\"}");
    guard_session_check(&s, CANCEL, CANCEL_ARGS("no longer needed"));
    assert_string_equal(guard_session_reasons(&s),
                        "the order belongs to tom_2, who is not the identified customer (policy "
                        "check retail.own_order)");
    guard_session_deinit(&s);
}

#define EXCHANGE_ARGS(news, payment)                                       \
    "{\"order_id\":\"#W100\",\"item_ids\":[\"i1\"],\"new_item_ids\":" news \
    ",\"payment_method_id\":\"" payment "\"}"

static void guard_follows_the_vectors_of_exchanges(void **state)
{
    static const struct {
        const char *news;
        const char *reasons;
    } cases[] = {
        {EXCHANGE_ARGS("[\"i2\"]", "credit_card_1"), ""},
        {EXCHANGE_ARGS("[\"i3\"]", "credit_card_1"),
         "item i3 is out of stock (policy check retail.same_product)"},
        {EXCHANGE_ARGS("[\"i9\"]", "credit_card_1"),
         "item i9 is not one of product p1's variants (policy check retail.same_product)"},
        {EXCHANGE_ARGS("[\"i1\"]", "credit_card_1"),
         "item i1 would replace itself (policy check retail.same_product)"},
        {EXCHANGE_ARGS("[]", "credit_card_1"),
         "1 items to replace but 0 to replace them with (policy check retail.same_product)"},
        {EXCHANGE_ARGS("[\"i2\"]", "paypal_9"),
         "paypal_9 is not among the customer's payment methods (policy check retail.own_payment)"},
    };
    struct guard_session s;

    (void)state;
    begin(&s, ORDER("delivered"));
    guard_session_check(&s, EXCHANGE, EXCHANGE_ARGS("[\"i2\"]", "credit_card_1"));
    assert_string_equal(guard_session_reasons(&s), "");
    assert_string_equal(guard_session_verdict(&s, "same_product"),
                        "unknown: product p1 has not been read");
    guard_session_calls(&s, "get_product_details", "{\"product_id\":\"p1\"}", PRODUCT);
    guard_session_calls(&s, "get_user_details", "{\"user_id\":\"mia_7\"}", PROFILE);
    for (size_t i = 0; i < N_OF(cases); i++) {
        guard_session_check(&s, EXCHANGE, cases[i].news);
        assert_string_equal(guard_session_reasons(&s), cases[i].reasons);
    }
    guard_session_check(&s, RETURN,
                        "{\"order_id\":\"#W100\",\"item_ids\":[\"i1\"],\"payment_method_id\":"
                        "\"gift_card_7\"}");
    assert_string_equal(guard_session_verdict(&s, "refund_method"), "pass");
    assert_string_equal(guard_session_reasons(&s),
                        "gift_card_7 is not among the customer's payment methods (policy check "
                        "retail.own_payment)");
    guard_session_calls(&s, EXCHANGE, ORDER_ID, "ok");
    guard_session_check(&s, EXCHANGE, EXCHANGE_ARGS("[\"i2\"]", "credit_card_1"));
    assert_string_equal(guard_session_reasons(&s),
                        "this order's items have been changed before (policy check retail.once)");
    guard_session_deinit(&s);
}

static void guard_has_two_domains(void **state)
{
    (void)state;
    assert_string_equal(guard_domain_at(0)->name, "retail");
    assert_string_equal(guard_domain_at(1)->name, "airline");
    assert_null(guard_domain_at(2));
    assert_ptr_equal(guard_domain_find(SP_STR("retail")), guard_domain_at(0));
    assert_ptr_equal(guard_domain_find(SP_STR("airline")), guard_domain_at(1));
    assert_null(guard_domain_find(SP_STR("telecom")));
    assert_null(guard_domain_find(SP_STR("Retail")));
    assert_null(guard_domain_find(SP_STR("")));
}

static void guard_lists_each_rule_with_its_policy(void **state)
{
    static const struct {
        const char *id;
        const char *policy;
    } rows[] = {
        {"retail.authenticated", "identify the customer first"},
        {"retail.own_order", "touch the customer's own orders only"},
        {"retail.status_checked", "read the status before changing an order"},
        {"retail.pending", "cancel or modify pending orders only; with items already changed, just "
                           "address and payment"},
        {"retail.delivered", "return or exchange after delivery only"},
        {"retail.cancel_reason", "accepted cancellation reasons only"},
        {"retail.items_in_order", "the order's own items only"},
        {"retail.same_product", "swap an item for a variant of its product that is in stock"},
        {"retail.once", "change an order's items once"},
        {"retail.own_payment", "pay with the customer's own methods"},
        {"retail.refund_method", "refund the original method or a gift card"},
        {"retail.confirmed", "hear an explicit yes first"},
        {"airline.own_reservation", "touch the customer's own reservations only"},
        {"airline.cancel_allowed", "cancel within a day of booking, after an airline cancellation, "
                                   "in business or insured, and before any flight is flown"},
        {"airline.basic_economy_flights",
         "keep a basic economy reservation's flights unless its cabin was upgraded"},
        {"airline.not_flown", "keep the cabin once a flight is flown"},
        {"airline.keep_bags", "add bags, never remove them"},
        {"airline.same_passenger_count", "keep the number of passengers"},
        {"airline.booking_limits",
         "at most five passengers, one certificate, one credit card and three gift cards"},
        {"airline.own_payment", "pay with methods of the profile"},
        {"airline.compensation", "compensate silver, gold, insured or business customers only"},
        {"airline.confirmed", "hear an explicit yes first"},
    };
    size_t n = 0;

    (void)state;
    for (size_t i = 0; guard_domain_at(i) != NULL; i++) {
        const struct guard_domain *domain = guard_domain_at(i);

        for (size_t k = 0; k < domain->n_rules; k++, n++) {
            assert_true(n < N_OF(rows));
            assert_string_equal(domain->rules[k].id, rows[n].id);
            assert_string_equal(domain->rules[k].policy, rows[n].policy);
        }
    }
    assert_int_equal(n, N_OF(rows));
}

static void guard_enforces_all_rules_but_the_word_lists(void **state)
{
    (void)state;
    for (size_t i = 0; guard_domain_at(i) != NULL; i++) {
        const struct guard_domain *domain = guard_domain_at(i);

        for (size_t k = 0; k < domain->n_rules; k++) {
            const struct guard_rule *rule = &domain->rules[k];

            assert_non_null(rule->tools[0]);
            assert_true(guard_names(domain, sp_str_of(rule->tools[0])));
            assert_int_equal(rule->is_enforced,
                             !sp_str_ends(sp_str_of(rule->id), SP_STR(".confirmed")));
        }
        assert_false(guard_names(domain, SP_STR("get_order_details")));
        assert_false(guard_names(domain, SP_STR("")));
    }
}

static void guard_words_its_refusals(void **state)
{
    struct sp_buf text = {0};
    struct guard_session s;

    (void)state;
    begin(&s, ORDER("pending"));
    guard_session_check(&s, CANCEL, CANCEL_ARGS("found it cheaper"));
    guard_put_refusal(SP_STR(CANCEL), sp_str_of(guard_session_reasons(&s)), &text);
    assert_string_equal(sp_buf_cstr(&text),
                        "Refused by the policy check, so cancel_pending_order was not run and "
                        "nothing changed: 'found it cheaper' is not an accepted reason (policy "
                        "check retail.cancel_reason).");
    sp_buf_deinit(&text);
    guard_session_deinit(&s);
}

static void guard_refuses_only_by_an_enforced_fail(void **state)
{
    struct sp_buf text = {0};
    struct guard_session s;

    (void)state;
    begin(&s, ORDER("pending"));
    guard_session_says(&s, "Wait.");
    guard_session_check(&s, CANCEL, CANCEL_ARGS("no longer needed"));
    assert_int_equal(guard_confirmed(&s.checked)->outcome, GUARD_FAIL);
    assert_false(guard_put_reasons(&s.checked, &text));
    guard_session_check(&s, CANCEL, CANCEL_ARGS("x"));
    assert_true(guard_put_reasons(&s.checked, &text));
    sp_buf_deinit(&text);
    guard_session_deinit(&s);
}

static void guard_tells_which_calls_want_a_confirmation(void **state)
{
    struct guard_session s;

    (void)state;
    begin(&s, ORDER("pending"));
    guard_session_check(&s, "modify_user_address", "{}");
    assert_string_equal(guard_confirmed(&s.checked)->rule->id, "retail.confirmed");
    assert_int_equal(guard_confirmed(&s.checked)->outcome, GUARD_PASS);
    guard_session_check(&s, "get_order_details", "{}");
    assert_int_equal(s.checked.n_verdicts, 0);
    assert_null(guard_confirmed(&s.checked));
    guard_session_deinit(&s);

    guard_session_init(&s, "airline");
    guard_session_check(&s, "send_certificate", "{}");
    assert_int_equal(s.checked.n_verdicts, 1);
    assert_null(guard_confirmed(&s.checked));
    guard_session_deinit(&s);
}

static void guard_takes_arguments_of_any_type(void **state)
{
    static const char *const arguments[] = {"null", "true", "7",    "\"order_id\"",
                                            "[]",   "{}",   "[{}]", "{\"\":{}}"};

    (void)state;
    for (size_t d = 0; guard_domain_at(d) != NULL; d++) {
        const struct guard_domain *domain = guard_domain_at(d);
        struct guard_session s;

        guard_session_init(&s, domain->name);
        for (size_t k = 0; k < domain->n_rules; k++) {
            for (const char *const *tool = domain->rules[k].tools; *tool != NULL; tool++) {
                for (size_t i = 0; i < N_OF(arguments); i++) {
                    guard_session_check(&s, *tool, arguments[i]);
                    assert_true(s.checked.n_verdicts > 0);
                }
            }
        }
        guard_session_deinit(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guard_has_two_domains),
        cmocka_unit_test(guard_lists_each_rule_with_its_policy),
        cmocka_unit_test(guard_enforces_all_rules_but_the_word_lists),
        cmocka_unit_test(guard_words_its_refusals),
        cmocka_unit_test(guard_refuses_only_by_an_enforced_fail),
        cmocka_unit_test(guard_tells_which_calls_want_a_confirmation),
        cmocka_unit_test(guard_takes_arguments_of_any_type),
        cmocka_unit_test(guard_follows_the_vectors_of_cancellations),
        cmocka_unit_test(guard_follows_the_vectors_of_customers),
        cmocka_unit_test(guard_follows_the_vectors_of_exchanges),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
