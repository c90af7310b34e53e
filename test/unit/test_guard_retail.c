/* Tests of guard/guard_retail.c: each row of the rules' table. */

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
#define ITEMS    "modify_pending_order_items"
#define PAYMENT  "modify_pending_order_payment"
#define USER     "modify_user_address"
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

/* A session's records and a call; NULL for what did not happen. */
struct row {
    const char *order;
    const char *user_id; /* that was found by e-mail */
    const char *product;
    const char *profile;
    const char *tool;
    const char *arguments;
    const char *rule;
    const char *want;
};

static void assert_rows(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct row *r = &rows[i];
        struct guard_session s;

        guard_session_init(&s, "retail");
        if (r->user_id != NULL)
            guard_session_calls(&s, "find_user_id_by_email", "{}", r->user_id);
        if (r->order != NULL)
            guard_session_calls(&s, "get_order_details", ORDER_ID, r->order);
        if (r->product != NULL)
            guard_session_calls(&s, "get_product_details", "{}", r->product);
        if (r->profile != NULL)
            guard_session_calls(&s, "get_user_details", "{}", r->profile);
        guard_session_check(&s, r->tool, r->arguments);
        if (strcmp(guard_session_verdict(&s, r->rule), r->want) != 0)
            fail_msg("row %zu, %s %s: '%s' and not '%s'", i, r->rule, r->arguments,
                     guard_session_verdict(&s, r->rule), r->want);
        guard_session_deinit(&s);
    }
}

static void retail_names_the_tools_of_each_rule(void **state)
{
    /* By column: the seven writes in the order above, then two tools that no rule names. */
    static const char *const tools[] = {CANCEL, ADDRESS,  ITEMS,         PAYMENT, USER,
                                        RETURN, EXCHANGE, "get_product", ""};
    static const struct {
        const char *rule;
        const char *named; /* "x" where the rule names the tool */
    } rows[] = {
        {"authenticated", "xxxxxxx.."},  {"own_order", "xxxx.xx.."},
        {"status_checked", "xxxx.xx.."}, {"pending", "xxxx....."},
        {"delivered", ".....xx.."},      {"cancel_reason", "x........"},
        {"items_in_order", "..x..xx.."}, {"same_product", "..x...x.."},
        {"once", "..x...x.."},           {"own_payment", "..xx.xx.."},
        {"refund_method", ".....x..."},  {"confirmed", "xxxxxxx.."},
    };
    struct guard_session s;

    (void)state;
    guard_session_init(&s, "retail");
    assert_int_equal(s.domain->n_rules, N_OF(rows));
    for (size_t i = 0; i < N_OF(tools); i++) {
        guard_session_check(&s, tools[i], "{}");
        for (size_t k = 0; k < N_OF(rows); k++)
            assert_int_equal(*guard_session_verdict(&s, rows[k].rule) != '\0',
                             rows[k].named[i] == 'x');
    }
    guard_session_deinit(&s);
}

static void retail_wants_the_customer_identified_as_the_orders_owner(void **state)
{
    static const struct row rows[] = {
        {.tool = USER,
         .arguments = "{}",
         .rule = "authenticated",
         .want = "fail: nobody has been identified by email or by name and zip code"},
        {.user_id = "mia_7",
         .tool = USER,
         .arguments = "{}",
         .rule = "authenticated",
         .want = "pass"},
        {.user_id = "mia_7",
         .tool = CANCEL,
         .arguments = ORDER_ID,
         .rule = "own_order",
         .want = "unknown: the order has not been read"},
        {.order = ORDER("pending"),
         .user_id = "mia_7",
         .tool = CANCEL,
         .arguments = "{\"order_id\":7}",
         .rule = "own_order",
         .want = "unknown: the order has not been read"},
        {.order = "{\"order_id\":\"#W100\",\"user_id\":7}",
         .user_id = "mia_7",
         .tool = CANCEL,
         .arguments = ORDER_ID,
         .rule = "own_order",
         .want = "unknown: the order names no owner"},
        {.order = ORDER("pending"),
         .user_id = "mia_7",
         .tool = CANCEL,
         .arguments = ORDER_ID,
         .rule = "own_order",
         .want = "pass"},
        {.order = ORDER("pending"),
         .user_id = "mia\\u005f7",
         .tool = CANCEL,
         .arguments = ORDER_ID,
         .rule = "own_order",
         .want = "fail: the order belongs to mia_7, who is not the identified customer"},
        {.order = ORDER("pending"),
         .user_id = "\"mia\\u005f7\"",
         .tool = CANCEL,
         .arguments = "{\"order\\u005fid\":\"\\u0023W100\"}",
         .rule = "own_order",
         .want = "pass"},
        {.order = ORDER("pending"),
         .tool = CANCEL,
         .arguments = ORDER_ID,
         .rule = "own_order",
         .want = "unknown: the order is mia_7's and nobody has been identified"},
        {.order = ORDER("pending"),
         .user_id = "tom_2",
         .tool = CANCEL,
         .arguments = ORDER_ID,
         .rule = "own_order",
         .want = "fail: the order belongs to mia_7, who is not the identified customer"},
        {.order = ORDER("pending"),
         .tool = CANCEL,
         .arguments = "{\"order_id\":null}",
         .rule = "status_checked",
         .want = "unknown: the call names no order"},
        {.order = ORDER("pending"),
         .tool = CANCEL,
         .arguments = "[\"order_id\"]",
         .rule = "status_checked",
         .want = "unknown: the call names no order"},
        {.order = ORDER("pending"),
         .tool = CANCEL,
         .arguments = ORDER_ID,
         .rule = "status_checked",
         .want = "pass"},
        {.order = ORDER("pending"),
         .tool = CANCEL,
         .arguments = "{\"order_id\":\"#W1\"}",
         .rule = "status_checked",
         .want = "fail: the order's status has not been read"},
        {.order = ORDER("pending"),
         .tool = CANCEL,
         .arguments = "{\"order_id\":\"#W1\",\"order_id\":\"#W100\"}",
         .rule = "status_checked",
         .want = "pass"},
    };

    (void)state;
    assert_rows(rows, N_OF(rows));
}

static void retail_looks_at_the_orders_status(void **state)
{
    static const char *const pending_tools[] = {CANCEL, ADDRESS, ITEMS, PAYMENT};
    static const struct row rows[] = {
        {.tool = CANCEL,
         .arguments = ORDER_ID,
         .rule = "pending",
         .want = "unknown: the order has not been read"},
        {.order = ORDER_ID,
         .tool = ITEMS,
         .arguments = ORDER_ID,
         .rule = "pending",
         .want = "unknown: the order shows no status"},
        {.order = "{\"order_id\":\"#W100\",\"status\":[\"pending\"]}",
         .tool = ADDRESS,
         .arguments = ORDER_ID,
         .rule = "pending",
         .want = "unknown: the order shows no status"},
        {.order = ORDER("pending (item modified)"),
         .tool = CANCEL,
         .arguments = ORDER_ID,
         .rule = "pending",
         .want = "fail: the order's status is pending (item modified), not pending"},
        {.order = ORDER("pending (item modified)"),
         .tool = ITEMS,
         .arguments = ORDER_ID,
         .rule = "pending",
         .want = "fail: the order's status is pending (item modified), not pending"},
        {.order = ORDER("pending (item modified)"),
         .tool = ADDRESS,
         .arguments = ORDER_ID,
         .rule = "pending",
         .want = "pass"},
        {.order = ORDER("not pending"),
         .tool = PAYMENT,
         .arguments = ORDER_ID,
         .rule = "pending",
         .want = "pass"},
        {.order = ORDER("processed"),
         .tool = PAYMENT,
         .arguments = ORDER_ID,
         .rule = "pending",
         .want = "fail: the order's status is processed, not pending"},
        {.tool = RETURN,
         .arguments = ORDER_ID,
         .rule = "delivered",
         .want = "unknown: the order has not been read"},
        {.order = ORDER_ID,
         .tool = EXCHANGE,
         .arguments = ORDER_ID,
         .rule = "delivered",
         .want = "unknown: the order shows no status"},
        {.order = ORDER("delivered"),
         .tool = RETURN,
         .arguments = ORDER_ID,
         .rule = "delivered",
         .want = "pass"},
        {.order = ORDER("delivered"),
         .tool = EXCHANGE,
         .arguments = ORDER_ID,
         .rule = "delivered",
         .want = "pass"},
        {.order = ORDER("delivered (late)"),
         .tool = RETURN,
         .arguments = ORDER_ID,
         .rule = "delivered",
         .want = "fail: the order's status is delivered (late), not delivered"},
    };

    (void)state;
    assert_rows(rows, N_OF(rows));
    for (size_t i = 0; i < N_OF(pending_tools); i++) {
        const struct row row = {.order = ORDER("pending"),
                                .tool = pending_tools[i],
                                .arguments = ORDER_ID,
                                .rule = "pending",
                                .want = "pass"};

        assert_rows(&row, 1);
    }
}

static void retail_accepts_two_reasons_to_cancel(void **state)
{
    static const struct row rows[] = {
        {.tool = CANCEL,
         .arguments = "{\"reason\":\"no longer needed\"}",
         .rule = "cancel_reason",
         .want = "pass"},
        {.tool = CANCEL,
         .arguments = "{\"reason\":\"ordered by mistake\"}",
         .rule = "cancel_reason",
         .want = "pass"},
        {.tool = CANCEL,
         .arguments = "{\"reason\":\"No longer needed\"}",
         .rule = "cancel_reason",
         .want = "fail: 'No longer needed' is not an accepted reason"},
        {.tool = CANCEL,
         .arguments = "{\"reason\":\"\"}",
         .rule = "cancel_reason",
         .want = "fail: '' is not an accepted reason"},
        {.tool = CANCEL,
         .arguments = "{\"reason\":\"a \\\"\\u00e9\\\"\"}",
         .rule = "cancel_reason",
         .want = "fail: 'a \"\xc3\xa9\"' is not an accepted reason"},
        {.tool = CANCEL,
         .arguments = "{\"reason\":null}",
         .rule = "cancel_reason",
         .want = "fail: the call gives no reason"},
        {.tool = CANCEL,
         .arguments = "{}",
         .rule = "cancel_reason",
         .want = "fail: the call gives no reason"},
    };

    (void)state;
    assert_rows(rows, N_OF(rows));
}

#define THREE_ITEMS                                                                    \
    "{\"order_id\":\"#W100\",\"items\":[{\"item_id\":\"i1\"},{\"item_id\":2},\"i3\",{" \
    "\"item_id\":\"i1\"},{\"item_id\":\"i4\"}]}"
#define ITEM_ARGS(ids) "{\"order_id\":\"#W100\",\"item_ids\":" ids "}"

static void retail_takes_each_item_of_the_order_once(void **state)
{
    static const struct row rows[] = {
        {.tool = RETURN,
         .arguments = ITEM_ARGS("[]"),
         .rule = "items_in_order",
         .want = "unknown: the order has not been read"},
        {.order = THREE_ITEMS,
         .tool = RETURN,
         .arguments = ITEM_ARGS("[]"),
         .rule = "items_in_order",
         .want = "pass"},
        {.order = THREE_ITEMS,
         .tool = RETURN,
         .arguments = ITEM_ARGS("\"i9\""),
         .rule = "items_in_order",
         .want = "pass"},
        {.order = THREE_ITEMS,
         .tool = ITEMS,
         .arguments = ITEM_ARGS("[\"i4\",\"i1\",7,\"i1\"]"),
         .rule = "items_in_order",
         .want = "pass"},
        {.order = THREE_ITEMS,
         .tool = EXCHANGE,
         .arguments = ITEM_ARGS("[\"i1\",\"i1\",\"i1\",\"i9\"]"),
         .rule = "items_in_order",
         .want = "fail: the order holds no item i1"},
        {.order = THREE_ITEMS,
         .tool = RETURN,
         .arguments = ITEM_ARGS("[\"i3\"]"),
         .rule = "items_in_order",
         .want = "fail: the order holds no item i3"},
        {.order = ORDER_ID,
         .tool = RETURN,
         .arguments = ITEM_ARGS("[\"i1\"]"),
         .rule = "items_in_order",
         .want = "fail: the order holds no item i1"},
    };

    (void)state;
    assert_rows(rows, N_OF(rows));
}

#define SWAP(olds, news) "{\"order_id\":\"#W100\",\"item_ids\":" olds ",\"new_item_ids\":" news "}"
#define TWO_PRODUCTS                                                                        \
    "{\"order_id\":\"#W100\",\"items\":[{\"item_id\":\"i1\",\"product_id\":\"p1\"},{"       \
    "\"item_id\":\"i2\",\"product_id\":\"p1\"},{\"item_id\":\"i1\",\"product_id\":\"p9\"}," \
    "{\"item_id\":\"i7\"},{\"item_id\":\"i8\",\"product_id\":\"p8\"}]}"

static void retail_swaps_items_for_variants_of_their_product(void **state)
{
    static const struct row rows[] = {
        {.product = PRODUCT,
         .tool = ITEMS,
         .arguments = SWAP("[\"i1\"]", "[]"),
         .want = "unknown: the order has not been read"},
        {.order = TWO_PRODUCTS,
         .product = PRODUCT,
         .tool = ITEMS,
         .arguments = SWAP("[\"i1\",\"i2\",7]", "[\"i2\"]"),
         .want = "fail: 2 items to replace but 1 to replace them with"},
        {.order = TWO_PRODUCTS,
         .product = PRODUCT,
         .tool = EXCHANGE,
         .arguments = SWAP("[\"i1\"]", "{}"),
         .want = "fail: 1 items to replace but 0 to replace them with"},
        {.order = TWO_PRODUCTS,
         .product = PRODUCT,
         .tool = EXCHANGE,
         .arguments = ORDER_ID,
         .want = "pass"},
        {.order = TWO_PRODUCTS,
         .product = PRODUCT,
         .tool = EXCHANGE,
         .arguments = SWAP("[\"i0\"]", "[\"i2\"]"),
         .want = "unknown: the order holds no item i0"},
        {.order = TWO_PRODUCTS,
         .product = PRODUCT,
         .tool = EXCHANGE,
         .arguments = SWAP("[\"i7\"]", "[\"i2\"]"),
         .want = "unknown: the order holds no item i7"},
        {.order = TWO_PRODUCTS,
         .product = PRODUCT,
         .tool = EXCHANGE,
         .arguments = SWAP("[\"i8\"]", "[\"i2\"]"),
         .want = "unknown: product p8 has not been read"},
        {.order = TWO_PRODUCTS,
         .product = PRODUCT,
         .tool = EXCHANGE,
         .arguments = SWAP("[\"i1\"]", "[\"i9\"]"),
         .want = "fail: item i9 is not one of product p1's variants"},
        {.order = TWO_PRODUCTS,
         .product = PRODUCT,
         .tool = EXCHANGE,
         .arguments = SWAP("[\"i1\"]", "[\"i3\"]"),
         .want = "fail: item i3 is out of stock"},
        {.order = TWO_PRODUCTS,
         .product = PRODUCT,
         .tool = EXCHANGE,
         .arguments = SWAP("[\"i1\"]", "[\"i1\"]"),
         .want = "fail: item i1 would replace itself"},
        {.order = TWO_PRODUCTS,
         .product = PRODUCT,
         .tool = EXCHANGE,
         .arguments = SWAP("[\"i1\",7,\"i2\"]", "[\"i4\",\"i5\",8]"),
         .want = "pass"},
        {.order = TWO_PRODUCTS,
         .product = PRODUCT,
         .tool = EXCHANGE,
         .arguments = SWAP("[\"i2\",\"i8\",\"i1\"]", "[\"i1\",\"i2\",\"i3\"]"),
         .want = "unknown: product p8 has not been read"},
        {.order = TWO_PRODUCTS,
         .product = "{\"product_id\":\"p1\"}",
         .tool = EXCHANGE,
         .arguments = SWAP("[\"i1\"]", "[\"i2\"]"),
         .want = "fail: item i2 is not one of product p1's variants"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct row row = rows[i];

        row.rule = "same_product";
        assert_rows(&row, 1);
    }
}

static void retail_changes_an_orders_items_once(void **state)
{
    static const char *const swaps[] = {ITEMS, EXCHANGE};
    struct guard_session s;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        guard_session_init(&s, "retail");
        guard_session_check(&s, EXCHANGE, ORDER_ID);
        assert_string_equal(guard_session_verdict(&s, "once"), "pass");
        guard_session_calls(&s, RETURN, ORDER_ID, "ok");
        guard_session_calls(&s, CANCEL, ORDER_ID, "ok");
        guard_session_fails(&s, swaps[i], ORDER_ID, "no");
        guard_session_calls(&s, swaps[i], "{\"order_id\":\"#W1\"}", "ok");
        guard_session_check(&s, EXCHANGE, ORDER_ID);
        assert_string_equal(guard_session_verdict(&s, "once"), "pass");
        guard_session_check(&s, EXCHANGE, "{}");
        assert_string_equal(guard_session_verdict(&s, "once"), "pass");
        guard_session_calls(&s, swaps[i], "{\"order_id\":\"\\u0023W100\"}", "ok");
        guard_session_check(&s, ITEMS, ORDER_ID);
        assert_string_equal(guard_session_verdict(&s, "once"),
                            "fail: this order's items have been changed before");
        guard_session_check(&s, EXCHANGE, "{\"item_ids\":[]}");
        assert_string_equal(guard_session_verdict(&s, "once"), "pass");
        guard_session_calls(&s, swaps[i], "{}", "ok");
        guard_session_check(&s, EXCHANGE, "{\"item_ids\":[]}");
        assert_string_equal(guard_session_verdict(&s, "once"),
                            "fail: this order's items have been changed before");
        guard_session_deinit(&s);
    }
}

#define PAY(id) "{\"order_id\":\"#W100\",\"payment_method_id\":" id "}"

static void retail_pays_and_refunds_by_the_customers_methods(void **state)
{
    static const struct row rows[] = {
        {.user_id = "mia_7",
         .profile = PROFILE,
         .tool = PAYMENT,
         .arguments = PAY("7"),
         .rule = "own_payment",
         .want = "unknown: the call names no payment method"},
        {.user_id = "mia_7",
         .tool = PAYMENT,
         .arguments = PAY("\"credit_card_1\""),
         .rule = "own_payment",
         .want = "unknown: the customer's details have not been read"},
        {.user_id = "tom_2",
         .profile = PROFILE,
         .tool = PAYMENT,
         .arguments = PAY("\"credit_card_1\""),
         .rule = "own_payment",
         .want = "unknown: the customer's details have not been read"},
        {.user_id = "mia_7",
         .profile = PROFILE,
         .tool = PAYMENT,
         .arguments = PAY("\"credit_card_1\""),
         .rule = "own_payment",
         .want = "pass"},
        {.user_id = "mia_7",
         .profile = PROFILE,
         .tool = PAYMENT,
         .arguments = PAY("\"paypal_9\""),
         .rule = "own_payment",
         .want = "fail: paypal_9 is not among the customer's payment methods"},
        {.user_id = "mia_7",
         .profile = "{\"user_id\":\"mia_7\",\"payment_methods\":[\"paypal_9\"]}",
         .tool = PAYMENT,
         .arguments = PAY("\"paypal_9\""),
         .rule = "own_payment",
         .want = "fail: paypal_9 is not among the customer's payment methods"},
        {.tool = RETURN,
         .arguments = PAY("\"gift_card_1\""),
         .rule = "refund_method",
         .want = "unknown: the order or the payment method is not known"},
        {.order = ORDER("delivered"),
         .tool = RETURN,
         .arguments = ORDER_ID,
         .rule = "refund_method",
         .want = "unknown: the order or the payment method is not known"},
        {.order = ORDER("delivered"),
         .tool = RETURN,
         .arguments = PAY("\"credit_card_1\""),
         .rule = "refund_method",
         .want = "pass"},
        {.order = ORDER("delivered"),
         .tool = RETURN,
         .arguments = PAY("\"gift_card_7\""),
         .rule = "refund_method",
         .want = "pass"},
        {.order = ORDER("delivered"),
         .tool = RETURN,
         .arguments = PAY("\"paypal_9\""),
         .rule = "refund_method",
         .want = "fail: paypal_9 is neither how the order was paid nor a gift card"},
        {.order = "{\"order_id\":\"#W100\",\"payment_history\":[{},{\"payment_method_id\":"
                  "\"paypal_9\"}]}",
         .tool = RETURN,
         .arguments = PAY("\"paypal_9\""),
         .rule = "refund_method",
         .want = "fail: paypal_9 is neither how the order was paid nor a gift card"},
        {.order = "{\"order_id\":\"#W100\",\"payment_history\":[]}",
         .tool = RETURN,
         .arguments = PAY("\"paypal_9\""),
         .rule = "refund_method",
         .want = "fail: paypal_9 is neither how the order was paid nor a gift card"},
    };

    (void)state;
    assert_rows(rows, N_OF(rows));
}

static void retail_hears_the_customers_last_message(void **state)
{
    struct guard_session s;

    (void)state;
    guard_session_init(&s, "retail");
    guard_session_check(&s, USER, "{}");
    assert_string_equal(guard_session_verdict(&s, "confirmed"),
                        "fail: the customer has not said anything yet");
    guard_session_says(&s, "Yes.");
    guard_session_check(&s, USER, "{}");
    assert_string_equal(guard_session_verdict(&s, "confirmed"), "pass");
    guard_session_says(&s, "");
    guard_session_check(&s, USER, "{}");
    assert_string_equal(guard_session_verdict(&s, "confirmed"),
                        "fail: nothing in the customer's last message reads as a confirmation");
    guard_session_deinit(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(retail_names_the_tools_of_each_rule),
        cmocka_unit_test(retail_wants_the_customer_identified_as_the_orders_owner),
        cmocka_unit_test(retail_looks_at_the_orders_status),
        cmocka_unit_test(retail_accepts_two_reasons_to_cancel),
        cmocka_unit_test(retail_takes_each_item_of_the_order_once),
        cmocka_unit_test(retail_swaps_items_for_variants_of_their_product),
        cmocka_unit_test(retail_changes_an_orders_items_once),
        cmocka_unit_test(retail_pays_and_refunds_by_the_customers_methods),
        cmocka_unit_test(retail_hears_the_customers_last_message),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
