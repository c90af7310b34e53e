/* The rules of the airline domain. */

#include <stdint.h>

#include "guard/guard_clock.h"
#include "guard/guard_rule.h"
#include "json/jcanon.h"

/* The policy's clock is fixed. */
#define NOW   SP_STR("2024-05-15T15:00:00")
#define TODAY SP_STR("2024-05-15")

#define MAX_PASSENGERS 5

static const char *const reservation_writes[] = {
    "cancel_reservation",
    "update_reservation_baggages",
    "update_reservation_flights",
    "update_reservation_passengers",
    NULL,
};
static const char *const writes[] = {
    "cancel_reservation",         "update_reservation_baggages",
    "update_reservation_flights", "update_reservation_passengers",
    "book_reservation",           NULL,
};
static const char *const payments[] = {
    "book_reservation",
    "update_reservation_baggages",
    "update_reservation_flights",
    NULL,
};
static const char *const cancellations[] = {"cancel_reservation", NULL};
static const char *const flight_changes[] = {"update_reservation_flights", NULL};
static const char *const bag_changes[] = {"update_reservation_baggages", NULL};
static const char *const passenger_changes[] = {"update_reservation_passengers", NULL};
static const char *const bookings[] = {"book_reservation", NULL};
static const char *const certificates[] = {"send_certificate", NULL};

static bool find_reservation(struct guard_call *call, struct sp_str *ret)
{
    return guard_rule_record(call, &call->facts->reservations, "reservation_id", ret);
}

static enum guard_outcome reservation_not_read(struct guard_call *call)
{
    return guard_rule_unknown(call, "the reservation has not been read", SP_STR(""), "");
}

static enum guard_outcome check_own_reservation(struct guard_call *call)
{
    struct sp_str reservation;
    struct sp_str owner;
    struct sp_str user;

    if (!find_reservation(call, &reservation))
        return reservation_not_read(call);
    if (!guard_rule_text(call, reservation, "user_id", &owner))
        return guard_rule_unknown(call, "the reservation names no owner", SP_STR(""), "");
    if (guard_facts_find(&call->facts->users, owner, &user))
        return GUARD_PASS;
    if (call->facts->users.n_values == 0)
        return guard_rule_unknown(call, "the reservation is ", owner,
                                  "'s and no customer has been read");
    return guard_rule_fail(call, "the reservation belongs to ", owner, ", another customer");
}

/* Whether a flight of the reservation was before today; today's have not flown. */
static bool is_flown(struct guard_call *call, struct sp_str reservation)
{
    struct sp_str date;

    for (struct jget_iter it = guard_rule_array(reservation, "flights");
         guard_rule_next_member(call, &it, "date", &date);) {
        if (sp_str_cmp(date, TODAY) < 0)
            return true;
    }
    return false;
}

static bool has_cancelled_flight(struct guard_call *call, struct sp_str reservation)
{
    struct sp_str number;
    struct sp_str date;
    struct sp_str status;

    for (struct jget_iter it = guard_rule_array(reservation, "flights");
         guard_rule_next_member(call, &it, "flight_number", &number);) {
        if (guard_rule_text(call, it.value, "date", &date) &&
            guard_facts_flight(call->facts, number, date, &status) &&
            sp_str_eq(status, SP_STR("cancelled")))
            return true;
    }
    return false;
}

static enum guard_outcome check_cancel_allowed(struct guard_call *call)
{
    struct sp_str reservation;
    struct sp_str created_at;

    if (!find_reservation(call, &reservation))
        return reservation_not_read(call);
    if (is_flown(call, reservation))
        return guard_rule_fail(call, "part of the trip has already been flown", SP_STR(""), "");
    if ((guard_rule_text(call, reservation, "created_at", &created_at) &&
         guard_clock_is_within_day(created_at, NOW)) ||
        guard_rule_is(reservation, "cabin", "business") ||
        guard_rule_is(reservation, "insurance", "yes") || has_cancelled_flight(call, reservation))
        return GUARD_PASS;
    return guard_rule_fail(call,
                           "booked more than a day ago, no business cabin, no insurance, and no "
                           "flight known to be cancelled by the airline (get_flight_status tells)",
                           SP_STR(""), "");
}

/* Appends what a flight is told from others by; a member that is missing or no string is null. */
static void put_flight(struct sp_str flight, struct sp_buf *ret)
{
    static const char *const names[] = {"flight_number", "date"};

    for (size_t i = 0; i < 2; i++) {
        struct sp_str value;

        if (jget_member(flight, sp_str_of(names[i]), &value) && jget_type(value) == JSCAN_STRING)
            jcanon(ret, value);
        else
            sp_buf_add(ret, SP_STR("null"));
    }
}

/* Whether two objects have the same flights, as often, in any order. */
static bool has_same_flights(struct guard_call *call, struct sp_str a, struct sp_str b)
{
    struct sp_map left = {0};
    struct sp_buf key = {0};
    size_t n_left = 0;
    bool is_same = true;

    for (struct jget_iter it = guard_rule_array(a, "flights"); jget_next(&it); n_left++) {
        sp_buf_clear(&key);
        put_flight(it.value, &key);
        ++*sp_map_put(&left, sp_arena_copy(call->arena, sp_buf_str(&key)), NULL);
    }
    for (struct jget_iter it = guard_rule_array(b, "flights"); is_same && jget_next(&it);
         n_left--) {
        size_t *n;

        sp_buf_clear(&key);
        put_flight(it.value, &key);
        n = sp_map_find(&left, sp_buf_str(&key));
        is_same = n != NULL && *n > 0;
        if (is_same)
            --*n;
    }
    sp_map_deinit(&left);
    sp_buf_deinit(&key);
    return is_same && n_left == 0;
}

static enum guard_outcome check_basic_economy_flights(struct guard_call *call)
{
    struct sp_str reservation;

    if (!find_reservation(call, &reservation))
        return reservation_not_read(call);
    if (!guard_rule_is(reservation, "cabin", "basic_economy") ||
        has_same_flights(call, reservation, call->arguments))
        return GUARD_PASS;
    return guard_rule_fail(call,
                           "a basic economy reservation's flights cannot change (its cabin can)",
                           SP_STR(""), "");
}

static enum guard_outcome check_not_flown(struct guard_call *call)
{
    struct sp_str reservation;
    struct sp_str new_cabin;
    struct sp_str cabin;

    if (!find_reservation(call, &reservation))
        return reservation_not_read(call);
    if (!guard_rule_text(call, call->arguments, "cabin", &new_cabin) ||
        (guard_rule_text(call, reservation, "cabin", &cabin) && sp_str_eq(cabin, new_cabin)) ||
        !is_flown(call, reservation))
        return GUARD_PASS;
    return guard_rule_fail(call, "part of the trip has already been flown, so the cabin stays",
                           SP_STR(""), "");
}

/* A whole number that fits 64 bits with or without a sign. */
struct integer {
    bool is_negative;
    uint64_t size;
};

static bool read_integer(struct sp_str object, const char *name, struct integer *ret)
{
    struct integer n = {0};
    struct sp_str value;

    if (!jget_member(object, sp_str_of(name), &value))
        return false;
    n.is_negative = *value.p == '-';
    if (!jget_u64(n.is_negative ? sp_str_sub(value, 1, value.len) : value, &n.size) ||
        (n.is_negative && n.size > (uint64_t)INT64_MAX + 1))
        return false;
    if (n.size == 0)
        n.is_negative = false;
    *ret = n;
    return true;
}

static bool is_less(struct integer a, struct integer b)
{
    if (a.is_negative != b.is_negative)
        return a.is_negative;
    return a.is_negative ? a.size > b.size : a.size < b.size;
}

static enum guard_outcome check_keep_bags(struct guard_call *call)
{
    struct sp_str reservation;
    struct integer old;
    struct integer new;

    if (!find_reservation(call, &reservation))
        return reservation_not_read(call);
    if (!read_integer(reservation, "total_baggages", &old) ||
        !read_integer(call->arguments, "total_baggages", &new))
        return guard_rule_unknown(call, "the number of bags is not known", SP_STR(""), "");
    if (!is_less(new, old))
        return GUARD_PASS;
    sp_buf_addf(&call->reason, "%s%llu bags would become %s%llu", old.is_negative ? "-" : "",
                (unsigned long long)old.size, new.is_negative ? "-" : "",
                (unsigned long long)new.size);
    return GUARD_FAIL;
}

/* The length of a member that is an array; returns whether it is one. */
static bool count_elements(struct sp_str object, const char *name, size_t *ret)
{
    struct sp_str value;

    if (!jget_member(object, sp_str_of(name), &value) || jget_type(value) != JSCAN_ARRAY)
        return false;
    *ret = jget_count(value);
    return true;
}

static enum guard_outcome check_same_passenger_count(struct guard_call *call)
{
    struct sp_str reservation;
    size_t old;
    size_t new;

    if (!find_reservation(call, &reservation))
        return reservation_not_read(call);
    if (!count_elements(reservation, "passengers", &old) ||
        !count_elements(call->arguments, "passengers", &new))
        return guard_rule_unknown(call, "the number of passengers is not known", SP_STR(""), "");
    if (old == new)
        return GUARD_PASS;
    sp_buf_addf(&call->reason, "%zu passengers would become %zu", old, new);
    return GUARD_FAIL;
}

static enum guard_outcome check_booking_limits(struct guard_call *call)
{
    static const struct {
        const char *prefix;
        const char *kind;
        size_t max;
    } limits[] = {
        {"certificate", "certificate", 1},
        {"credit_card", "credit card", 1},
        {"gift_card", "gift card", 3},
    };
    size_t n_passengers = 0;

    if (count_elements(call->arguments, "passengers", &n_passengers) &&
        n_passengers > MAX_PASSENGERS) {
        sp_buf_addf(&call->reason, "%zu passengers, but five are the most", n_passengers);
        return GUARD_FAIL;
    }
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        struct sp_str id;
        size_t n = 0;

        for (struct jget_iter it = guard_rule_array(call->arguments, "payment_methods");
             guard_rule_next_member(call, &it, "payment_id", &id);)
            n += sp_str_starts(id, sp_str_of(limits[i].prefix));
        if (n > limits[i].max) {
            sp_buf_addf(&call->reason, "more than %zu payments by %s", limits[i].max,
                        limits[i].kind);
            return GUARD_FAIL;
        }
    }
    return GUARD_PASS;
}

static bool is_in_a_profile(const struct guard_facts *facts, struct sp_str payment_id)
{
    for (size_t i = 0; i < facts->users.n_values; i++) {
        if (guard_rule_has_key(facts->users.values[i], "payment_methods", payment_id))
            return true;
    }
    return false;
}

static enum guard_outcome check_own_payment(struct guard_call *call)
{
    struct sp_str id;
    struct sp_str stranger = {0}; /* the first that is in no profile */
    bool has_one = false;

    for (struct jget_iter it = guard_rule_array(call->arguments, "payment_methods");
         stranger.p == NULL && guard_rule_next_member(call, &it, "payment_id", &id);) {
        has_one = true;
        if (!is_in_a_profile(call->facts, id))
            stranger = id;
    }
    if (stranger.p == NULL && guard_rule_text(call, call->arguments, "payment_id", &id)) {
        has_one = true;
        if (!is_in_a_profile(call->facts, id))
            stranger = id;
    }
    if (!has_one)
        return guard_rule_unknown(call, "the call names no payment method", SP_STR(""), "");
    if (call->facts->users.n_values == 0)
        return guard_rule_unknown(call, "no customer's details have been read", SP_STR(""), "");
    if (stranger.p == NULL)
        return GUARD_PASS;
    return guard_rule_fail(call, "", stranger, " is not in the customer's profile");
}

static enum guard_outcome check_compensation(struct guard_call *call)
{
    const struct guard_records *reservations = &call->facts->reservations;
    struct sp_str user_id;
    struct sp_str user;

    if (!guard_rule_text(call, call->arguments, "user_id", &user_id) ||
        !guard_facts_find(&call->facts->users, user_id, &user))
        return guard_rule_unknown(call, "the customer has not been read", SP_STR(""), "");
    if (guard_rule_is(user, "membership", "silver") || guard_rule_is(user, "membership", "gold"))
        return GUARD_PASS;
    for (size_t i = 0; i < reservations->n_values; i++) {
        struct sp_str reservation = reservations->values[i];
        struct sp_str owner;

        if (guard_rule_text(call, reservation, "user_id", &owner) && sp_str_eq(owner, user_id) &&
            (guard_rule_is(reservation, "insurance", "yes") ||
             guard_rule_is(reservation, "cabin", "business")))
            return GUARD_PASS;
    }
    if (reservations->n_values == 0)
        return guard_rule_unknown(call, "no reservation has been read", SP_STR(""), "");
    return guard_rule_fail(
        call, "a regular member without insurance or business cabin gets no compensation",
        SP_STR(""), "");
}

static const struct guard_rule rules[] = {
    {"airline.own_reservation", "touch the customer's own reservations only", reservation_writes,
     true, check_own_reservation},
    {"airline.cancel_allowed",
     "cancel within a day of booking, after an airline cancellation, in business or insured, and "
     "before any flight is flown",
     cancellations, true, check_cancel_allowed},
    {"airline.basic_economy_flights",
     "keep a basic economy reservation's flights unless its cabin was upgraded", flight_changes,
     true, check_basic_economy_flights},
    {"airline.not_flown", "keep the cabin once a flight is flown", flight_changes, true,
     check_not_flown},
    {"airline.keep_bags", "add bags, never remove them", bag_changes, true, check_keep_bags},
    {"airline.same_passenger_count", "keep the number of passengers", passenger_changes, true,
     check_same_passenger_count},
    {"airline.booking_limits",
     "at most five passengers, one certificate, one credit card and three gift cards", bookings,
     true, check_booking_limits},
    {"airline.own_payment", "pay with methods of the profile", payments, true, check_own_payment},
    {"airline.compensation", "compensate silver, gold, insured or business customers only",
     certificates, true, check_compensation},
    {"airline.confirmed", "hear an explicit yes first", writes, false, guard_rule_confirmed},
};

const struct guard_domain guard_airline = {"airline", rules, sizeof rules / sizeof rules[0]};
