/* The rules of the retail domain. */

#include "guard/guard_rule.h"
#include "json/jcanon.h"

/* clang-format off */
static const char *const writes[] = {
    "cancel_pending_order", "modify_pending_order_address", "modify_pending_order_items",
    "modify_pending_order_payment", "modify_user_address", "return_delivered_order_items",
    "exchange_delivered_order_items", NULL,
};
static const char *const order_writes[] = {
    "cancel_pending_order", "modify_pending_order_address", "modify_pending_order_items",
    "modify_pending_order_payment", "return_delivered_order_items",
    "exchange_delivered_order_items", NULL,
};
static const char *const pending_writes[] = {
    "cancel_pending_order", "modify_pending_order_address", "modify_pending_order_items",
    "modify_pending_order_payment", NULL,
};
static const char *const delivered_writes[] = {
    "return_delivered_order_items", "exchange_delivered_order_items", NULL,
};
static const char *const cancellations[] = {"cancel_pending_order", NULL};
static const char *const item_writes[] = {
    "modify_pending_order_items", "return_delivered_order_items",
    "exchange_delivered_order_items", NULL,
};
static const char *const swaps[] = {
    "modify_pending_order_items", "exchange_delivered_order_items", NULL,
};
static const char *const payments[] = {
    "modify_pending_order_items", "modify_pending_order_payment", "return_delivered_order_items",
    "exchange_delivered_order_items", NULL,
};
static const char *const returns[] = {"return_delivered_order_items", NULL};
/* clang-format on */

static enum guard_outcome check_authenticated(struct guard_call *call)
{
    if (call->facts->authenticated.n == 0)
        return guard_rule_fail(call, "nobody has been identified by email or by name and zip code",
                               SP_STR(""), "");
    return GUARD_PASS;
}

static bool find_order(struct guard_call *call, struct sp_str *ret)
{
    return guard_rule_record(call, &call->facts->orders, "order_id", ret);
}

static enum guard_outcome order_not_read(struct guard_call *call)
{
    return guard_rule_unknown(call, "the order has not been read", SP_STR(""), "");
}

static enum guard_outcome check_own_order(struct guard_call *call)
{
    struct sp_str order;
    struct sp_str owner;

    if (!find_order(call, &order))
        return order_not_read(call);
    if (!guard_rule_text(call, order, "user_id", &owner))
        return guard_rule_unknown(call, "the order names no owner", SP_STR(""), "");
    if (sp_map_find(&call->facts->authenticated, owner) != NULL)
        return GUARD_PASS;
    if (call->facts->authenticated.n == 0)
        return guard_rule_unknown(call, "the order is ", owner,
                                  "'s and nobody has been identified");
    return guard_rule_fail(call, "the order belongs to ", owner,
                           ", who is not the identified customer");
}

static enum guard_outcome check_status_checked(struct guard_call *call)
{
    struct sp_str id;
    struct sp_str order;

    if (!guard_rule_text(call, call->arguments, "order_id", &id))
        return guard_rule_unknown(call, "the call names no order", SP_STR(""), "");
    if (!guard_facts_find(&call->facts->orders, id, &order))
        return guard_rule_fail(call, "the order's status has not been read", SP_STR(""), "");
    return GUARD_PASS;
}

/* The order's status, or unknown. */
static enum guard_outcome find_status(struct guard_call *call, struct sp_str *ret)
{
    struct sp_str order;

    if (!find_order(call, &order))
        return order_not_read(call);
    if (!guard_rule_text(call, order, "status", ret))
        return guard_rule_unknown(call, "the order shows no status", SP_STR(""), "");
    return GUARD_PASS;
}

/* With its items changed an order is "pending (item modified)": address and payment still can. */
static enum guard_outcome check_pending(struct guard_call *call)
{
    struct sp_str status = {0};
    enum guard_outcome outcome = find_status(call, &status);
    bool is_lenient = sp_str_eq(call->tool, SP_STR("modify_pending_order_address")) ||
                      sp_str_eq(call->tool, SP_STR("modify_pending_order_payment"));

    if (outcome != GUARD_PASS || sp_str_eq(status, SP_STR("pending")))
        return outcome;
    if (is_lenient && memmem(status.p, status.len, "pending", strlen("pending")) != NULL)
        return GUARD_PASS;
    return guard_rule_fail(call, "the order's status is ", status, ", not pending");
}

static enum guard_outcome check_delivered(struct guard_call *call)
{
    struct sp_str status = {0};
    enum guard_outcome outcome = find_status(call, &status);

    if (outcome != GUARD_PASS || sp_str_eq(status, SP_STR("delivered")))
        return outcome;
    return guard_rule_fail(call, "the order's status is ", status, ", not delivered");
}

static enum guard_outcome check_cancel_reason(struct guard_call *call)
{
    struct sp_str reason;

    if (!guard_rule_text(call, call->arguments, "reason", &reason))
        return guard_rule_fail(call, "the call gives no reason", SP_STR(""), "");
    if (sp_str_eq(reason, SP_STR("no longer needed")) ||
        sp_str_eq(reason, SP_STR("ordered by mistake")))
        return GUARD_PASS;
    return guard_rule_fail(call, "'", reason, "' is not an accepted reason");
}

static enum guard_outcome check_items_in_order(struct guard_call *call)
{
    struct sp_map left = {0}; /* how many of each item are left */
    struct sp_str order;
    struct sp_str item;
    enum guard_outcome outcome = GUARD_PASS;

    if (!find_order(call, &order))
        return order_not_read(call);
    for (struct jget_iter it = guard_rule_array(order, "items");
         guard_rule_next_member(call, &it, "item_id", &item);)
        ++*sp_map_put(&left, item, NULL);
    for (struct jget_iter it = guard_rule_array(call->arguments, "item_ids");
         outcome == GUARD_PASS && guard_rule_next_text(call, &it, &item);) {
        size_t *n = sp_map_find(&left, item);

        if (n == NULL || *n == 0)
            outcome = guard_rule_fail(call, "the order holds no item ", item, "");
        else
            --*n;
    }
    sp_map_deinit(&left);
    return outcome;
}

static size_t count_texts(struct guard_call *call, const char *name)
{
    struct sp_str text;
    size_t n = 0;

    for (struct jget_iter it = guard_rule_array(call->arguments, name);
         guard_rule_next_text(call, &it, &text);)
        n++;
    return n;
}

/* The product of the order's first item of that id. */
static bool find_product(struct guard_call *call, struct sp_str order, struct sp_str item,
                         struct sp_str *ret)
{
    struct sp_str id;

    for (struct jget_iter it = guard_rule_array(order, "items");
         guard_rule_next_member(call, &it, "item_id", &id);) {
        if (sp_str_eq(id, item))
            return guard_rule_text(call, it.value, "product_id", ret);
    }
    return false;
}

/* One item that is to be replaced by another. */
static enum guard_outcome check_swap(struct guard_call *call, struct sp_str order,
                                     struct sp_str old_item, struct sp_str new_item)
{
    struct sp_str id;
    struct sp_str product;
    struct sp_str variant;
    struct sp_str available;

    if (!find_product(call, order, old_item, &id))
        return guard_rule_unknown(call, "the order holds no item ", old_item, "");
    if (!guard_facts_find(&call->facts->products, id, &product))
        return guard_rule_unknown(call, "product ", id, " has not been read");
    if (!jget_member(product, SP_STR("variants"), &variant) ||
        !jget_member(variant, new_item, &variant)) {
        sp_buf_add(&call->reason, SP_STR("item "));
        sp_buf_add(&call->reason, new_item);
        sp_buf_add(&call->reason, SP_STR(" is not one of product "));
        sp_buf_add(&call->reason, id);
        sp_buf_add(&call->reason, SP_STR("'s variants"));
        return GUARD_FAIL;
    }
    if (jget_member(variant, SP_STR("available"), &available) &&
        jget_type(available) == JSCAN_FALSE)
        return guard_rule_fail(call, "item ", new_item, " is out of stock");
    if (sp_str_eq(old_item, new_item))
        return guard_rule_fail(call, "item ", new_item, " would replace itself");
    return GUARD_PASS;
}

static enum guard_outcome check_same_product(struct guard_call *call)
{
    struct jget_iter olds = guard_rule_array(call->arguments, "item_ids");
    struct jget_iter news = guard_rule_array(call->arguments, "new_item_ids");
    size_t n_old = count_texts(call, "item_ids");
    size_t n_new = count_texts(call, "new_item_ids");
    struct sp_str order;
    struct sp_str old_item;
    struct sp_str new_item;

    if (!find_order(call, &order))
        return order_not_read(call);
    if (n_old != n_new) {
        sp_buf_addf(&call->reason, "%zu items to replace but %zu to replace them with", n_old,
                    n_new);
        return GUARD_FAIL;
    }
    while (guard_rule_next_text(call, &olds, &old_item) &&
           guard_rule_next_text(call, &news, &new_item)) {
        enum guard_outcome outcome = check_swap(call, order, old_item, new_item);

        if (outcome != GUARD_PASS)
            return outcome;
    }
    return GUARD_PASS;
}

/* Whether two calls name the same order, whatever type of value does; or both none. */
static bool is_same_order(struct sp_str arguments, struct sp_str others)
{
    struct sp_buf texts[2] = {{0}};
    struct sp_str value;
    bool is_same;

    if (jget_member(arguments, SP_STR("order_id"), &value))
        jcanon(&texts[0], value);
    if (jget_member(others, SP_STR("order_id"), &value))
        jcanon(&texts[1], value);
    is_same = sp_str_eq(sp_buf_str(&texts[0]), sp_buf_str(&texts[1]));
    sp_buf_deinit(&texts[0]);
    sp_buf_deinit(&texts[1]);
    return is_same;
}

static enum guard_outcome check_once(struct guard_call *call)
{
    for (size_t i = 0; i < call->facts->n_writes; i++) {
        const struct guard_write *write = &call->facts->writes[i];

        if ((sp_str_eq(write->tool, SP_STR("modify_pending_order_items")) ||
             sp_str_eq(write->tool, SP_STR("exchange_delivered_order_items"))) &&
            is_same_order(write->arguments, call->arguments))
            return guard_rule_fail(call, "this order's items have been changed before", SP_STR(""),
                                   "");
    }
    return GUARD_PASS;
}

static enum guard_outcome check_own_payment(struct guard_call *call)
{
    const struct guard_facts *facts = call->facts;
    struct sp_str id;
    struct sp_str user_id;
    struct sp_str user;
    size_t value;
    bool is_read = false;

    if (!guard_rule_text(call, call->arguments, "payment_method_id", &id))
        return guard_rule_unknown(call, "the call names no payment method", SP_STR(""), "");
    for (size_t at = 0; sp_map_next(&facts->authenticated, &at, &user_id, &value);) {
        if (!guard_facts_find(&facts->users, user_id, &user))
            continue;
        is_read = true;
        if (guard_rule_has_key(user, "payment_methods", id))
            return GUARD_PASS;
    }
    if (!is_read)
        return guard_rule_unknown(call, "the customer's details have not been read", SP_STR(""),
                                  "");
    return guard_rule_fail(call, "", id, " is not among the customer's payment methods");
}

static enum guard_outcome check_refund_method(struct guard_call *call)
{
    struct jget_iter history;
    struct sp_str order;
    struct sp_str id;

    if (!find_order(call, &order) ||
        !guard_rule_text(call, call->arguments, "payment_method_id", &id))
        return guard_rule_unknown(call, "the order or the payment method is not known", SP_STR(""),
                                  "");
    if (sp_str_starts(id, SP_STR("gift_card")))
        return GUARD_PASS;
    history = guard_rule_array(order, "payment_history");
    if (jget_next(&history)) {
        struct sp_str paid_with;

        if (guard_rule_text(call, history.value, "payment_method_id", &paid_with) &&
            sp_str_eq(id, paid_with))
            return GUARD_PASS;
    }
    return guard_rule_fail(call, "", id, " is neither how the order was paid nor a gift card");
}

static const struct guard_rule rules[] = {
    {"retail.authenticated", "identify the customer first", writes, true, check_authenticated},
    {"retail.own_order", "touch the customer's own orders only", order_writes, true,
     check_own_order},
    {"retail.status_checked", "read the status before changing an order", order_writes, true,
     check_status_checked},
    {"retail.pending",
     "cancel or modify pending orders only; with items already changed, just address and payment",
     pending_writes, true, check_pending},
    {"retail.delivered", "return or exchange after delivery only", delivered_writes, true,
     check_delivered},
    {"retail.cancel_reason", "accepted cancellation reasons only", cancellations, true,
     check_cancel_reason},
    {"retail.items_in_order", "the order's own items only", item_writes, true,
     check_items_in_order},
    {"retail.same_product", "swap an item for a variant of its product that is in stock", swaps,
     true, check_same_product},
    {"retail.once", "change an order's items once", swaps, true, check_once},
    {"retail.own_payment", "pay with the customer's own methods", payments, true,
     check_own_payment},
    {"retail.refund_method", "refund the original method or a gift card", returns, true,
     check_refund_method},
    {"retail.confirmed", "hear an explicit yes first", writes, false, guard_rule_confirmed},
};

const struct guard_domain guard_retail = {"retail", rules, sizeof rules / sizeof rules[0]};
