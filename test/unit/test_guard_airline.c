/* Tests of guard/guard_airline.c: each row of the rules' table, and the vectors. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "guard_session.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define CANCEL      "cancel_reservation"
#define BAGS        "update_reservation_baggages"
#define FLIGHTS     "update_reservation_flights"
#define PASSENGERS  "update_reservation_passengers"
#define BOOK        "book_reservation"
#define CERTIFICATE "send_certificate"

/* Reservation R1 of the vectors, in parts that a case may change. */
#define R1(user, cabin, insurance, created_at, date)                         \
    "{\"reservation_id\":\"R1\",\"user_id\":\"" user "\",\"cabin\":\"" cabin \
    "\",\"insurance\":\"" insurance "\",\"created_at\":\"" created_at        \
    "\",\"flights\":[{\"flight_number\":\"HAT1\",\"date\":\"" date           \
    "\"}],\"passengers\":[{}],\"total_baggages\":2}"

#define OLD   "2024-05-01T09:00:00"
#define LATER "2024-05-20"
#define PLAIN R1("u1", "economy", "no", OLD, LATER)

#define PROFILE(membership)                            \
    "{\"user_id\":\"u1\",\"membership\":\"" membership \
    "\",\"payment_methods\":{\"credit_card_1\":{},\"gift_card_1\":{}}}"

#define ARGS(more) "{\"reservation_id\":\"R1\"" more "}"

#define FLOWN "fail: part of the trip has already been flown"
#define NOT_ALLOWED                                                                              \
    "fail: booked more than a day ago, no business cabin, no insurance, and no flight known to " \
    "be cancelled by the airline (get_flight_status tells)"
#define NOT_READ "unknown: the reservation has not been read"

/* A session's records and a call; NULL for what did not happen. */
struct row {
    const char *rule;
    const char *tool;
    const char *arguments;
    const char *reservation;
    const char *profile;
    const char *want;
};

static void begin(struct guard_session *s, const char *reservation, const char *profile)
{
    guard_session_init(s, "airline");
    if (profile != NULL)
        guard_session_calls(s, "get_user_details", "{}", profile);
    if (reservation != NULL)
        guard_session_calls(s, "get_reservation_details", "{}", reservation);
    guard_session_says(s, "Yes");
}

static void assert_rows(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct row *r = &rows[i];
        struct guard_session s;

        begin(&s, r->reservation, r->profile);
        guard_session_check(&s, r->tool, r->arguments);
        if (strcmp(guard_session_verdict(&s, r->rule), r->want) != 0)
            fail_msg("row %zu, %s %s: '%s' and not '%s'", i, r->rule, r->arguments,
                     guard_session_verdict(&s, r->rule), r->want);
        guard_session_deinit(&s);
    }
}

static void airline_names_the_tools_of_each_rule(void **state)
{
    static const char *const tools[] = {CANCEL, BAGS,        FLIGHTS, PASSENGERS,
                                        BOOK,   CERTIFICATE, "think", ""};
    static const struct {
        const char *rule;
        const char *named; /* "x" where the rule names the tool */
    } rows[] = {
        {"own_reservation", "xxxx...."},
        {"cancel_allowed", "x......."},
        {"basic_economy_flights", "..x....."},
        {"not_flown", "..x....."},
        {"keep_bags", ".x......"},
        {"same_passenger_count", "...x...."},
        {"booking_limits", "....x..."},
        {"own_payment", ".xx.x..."},
        {"compensation", ".....x.."},
        {"confirmed", "xxxxx..."},
    };
    struct guard_session s;

    (void)state;
    guard_session_init(&s, "airline");
    assert_int_equal(s.domain->n_rules, N_OF(rows));
    for (size_t i = 0; i < N_OF(tools); i++) {
        guard_session_check(&s, tools[i], "{}");
        for (size_t k = 0; k < N_OF(rows); k++)
            assert_int_equal(*guard_session_verdict(&s, rows[k].rule) != '\0',
                             rows[k].named[i] == 'x');
    }
    guard_session_deinit(&s);
}

static void airline_wants_the_reservation_to_be_the_customers(void **state)
{
    static const struct row rows[] = {
        {"own_reservation", CANCEL, ARGS(""), NULL, PROFILE("regular"), NOT_READ},
        {"own_reservation", CANCEL, "{}", PLAIN, PROFILE("regular"), NOT_READ},
        {"own_reservation", CANCEL, ARGS(""), ARGS(",\"user_id\":1"), PROFILE("regular"),
         "unknown: the reservation names no owner"},
        {"own_reservation", BAGS, ARGS(""), PLAIN, PROFILE("regular"), "pass"},
        {"own_reservation", BAGS, ARGS(""), PLAIN, NULL,
         "unknown: the reservation is u1's and no customer has been read"},
        {"own_reservation", PASSENGERS, ARGS(""), R1("u2", "economy", "no", OLD, LATER),
         PROFILE("regular"), "fail: the reservation belongs to u2, another customer"},
    };

    (void)state;
    assert_rows(rows, N_OF(rows));
}

static void airline_allows_some_cancellations(void **state)
{
    static const struct row rows[] = {
        {"cancel_allowed", CANCEL, ARGS(""), NULL, NULL, NOT_READ},
        {"cancel_allowed", CANCEL, ARGS(""), PLAIN, NULL, NOT_ALLOWED},
        {"cancel_allowed", CANCEL, ARGS(""),
         R1("u1", "economy", "no", "2024-05-15T09:00:00", LATER), NULL, "pass"},
        {"cancel_allowed", CANCEL, ARGS(""), R1("u1", "business", "no", OLD, LATER), NULL, "pass"},
        {"cancel_allowed", CANCEL, ARGS(""), R1("u1", "economy", "yes", OLD, LATER), NULL, "pass"},
        {"cancel_allowed", CANCEL, ARGS(""), R1("u1", "business", "yes", OLD, "2024-05-14"), NULL,
         FLOWN},
        {"cancel_allowed", CANCEL, ARGS(""), R1("u1", "economy", "yes", OLD, "2024-05-14"), NULL,
         FLOWN},
        {"cancel_allowed", CANCEL, ARGS(""), R1("u1", "economy", "yes", OLD, "2024-05-15"), NULL,
         "pass"},
        {"cancel_allowed", CANCEL, ARGS(""), R1("u1", "Business", "Yes", OLD, LATER), NULL,
         NOT_ALLOWED},
        {"cancel_allowed", CANCEL, ARGS(""), ARGS(""), NULL, NOT_ALLOWED},
    };
    static const struct {
        const char *arguments;
        const char *result;
        const char *want;
    } statuses[] = {
        {"{\"flight_number\":\"HAT1\",\"date\":\"2024-05-20\"}", "cancelled", "pass"},
        {"{\"flight_number\":\"HAT1\",\"date\":\"2024-05-20\"}", " \"cancelled\"\n", "pass"},
        {"{\"flight_number\":\"HAT1\",\"date\":\"2024-05-20\"}",
         "\xc2\xa0"
         "cancelled ",
         "pass"},
        {"{\"flight_number\":\"HAT1\",\"date\":\"2024-05-20\"}", "delayed", NOT_ALLOWED},
        {"{\"flight_number\":\"HAT1\",\"date\":\"2024-05-20\"}", "{\"status\":\"cancelled\"}",
         NOT_ALLOWED},
        {"{\"flight_number\":\"HAT1\",\"date\":\"2024-05-21\"}", "cancelled", NOT_ALLOWED},
        {"{\"flight_number\":\"HAT2\",\"date\":\"2024-05-20\"}", "cancelled", NOT_ALLOWED},
        {"{\"flight_number\":\"HAT1\"}", "cancelled", NOT_ALLOWED},
    };

    (void)state;
    assert_rows(rows, N_OF(rows));
    for (size_t i = 0; i < N_OF(statuses); i++) {
        struct guard_session s;

        begin(&s, PLAIN, PROFILE("regular"));
        guard_session_calls(&s, "get_flight_status", statuses[i].arguments, statuses[i].result);
        guard_session_check(&s, CANCEL, ARGS(""));
        assert_string_equal(guard_session_verdict(&s, "cancel_allowed"), statuses[i].want);
        guard_session_deinit(&s);
    }
}

#define BASIC      R1("u1", "basic_economy", "no", OLD, LATER)
#define TO(flight) ",\"flights\":[{\"flight_number\":\"" flight "\",\"date\":\"2024-05-20\"}]"
#define THREE_LEGS                                                                             \
    "{\"reservation_id\":\"R1\",\"cabin\":\"basic_economy\",\"flights\":[{\"flight_number\":"  \
    "\"A\",\"date\":\"1\"},{\"flight_number\":\"B\",\"date\":\"1\"},{\"flight_number\":\"A\"," \
    "\"date\":\"1\"}]}"
#define LEG(number) "{\"date\":\"1\",\"price\":9,\"flight_number\":\"" number "\"}"
#define NO_CHANGE   "fail: a basic economy reservation's flights cannot change (its cabin can)"
#define STAYS       "fail: part of the trip has already been flown, so the cabin stays"

static void airline_keeps_flights_and_cabins(void **state)
{
    static const struct row rows[] = {
        {"basic_economy_flights", FLIGHTS, ARGS(TO("HAT2")), NULL, NULL, NOT_READ},
        {"basic_economy_flights", FLIGHTS, ARGS(TO("HAT2")), PLAIN, NULL, "pass"},
        {"basic_economy_flights", FLIGHTS, ARGS(TO("HAT2")), ARGS(""), NULL, "pass"},
        {"basic_economy_flights", FLIGHTS, ARGS(TO("HAT2")), BASIC, NULL, NO_CHANGE},
        {"basic_economy_flights", FLIGHTS, ARGS(TO("HAT1") ",\"cabin\":\"economy\""), BASIC, NULL,
         "pass"},
        {"basic_economy_flights", FLIGHTS, ARGS(""), BASIC, NULL, NO_CHANGE},
        {"basic_economy_flights", FLIGHTS,
         ARGS(",\"flights\":[" LEG("A") "," LEG("A") "," LEG("B") "]"), THREE_LEGS, NULL, "pass"},
        {"basic_economy_flights", FLIGHTS,
         ARGS(",\"flights\":[" LEG("A") "," LEG("B") "," LEG("B") "]"), THREE_LEGS, NULL,
         NO_CHANGE},
        {"basic_economy_flights", FLIGHTS, ARGS(",\"flights\":[" LEG("A") "," LEG("B") "]"),
         THREE_LEGS, NULL, NO_CHANGE},
        {"basic_economy_flights", FLIGHTS,
         ARGS(",\"flights\":[" LEG("A") "," LEG("A") "," LEG("B") "," LEG("B") "]"), THREE_LEGS,
         NULL, NO_CHANGE},
        {"not_flown", FLIGHTS, ARGS(",\"cabin\":\"business\""), NULL, NULL, NOT_READ},
        {"not_flown", FLIGHTS, ARGS(",\"cabin\":\"business\""), PLAIN, NULL, "pass"},
        {"not_flown", FLIGHTS, ARGS(",\"cabin\":\"business\""),
         R1("u1", "economy", "no", OLD, "2024-05-14"), NULL, STAYS},
        {"not_flown", FLIGHTS, ARGS(",\"cabin\":\"economy\""),
         R1("u1", "economy", "no", OLD, "2024-05-14"), NULL, "pass"},
        {"not_flown", FLIGHTS, ARGS(",\"cabin\":7"), R1("u1", "economy", "no", OLD, "2024-05-14"),
         NULL, "pass"},
        {"not_flown", FLIGHTS, ARGS(",\"cabin\":\"economy\""),
         ARGS(",\"flights\":[{\"date\":\"2024\"}]"), NULL, STAYS},
    };

    (void)state;
    assert_rows(rows, N_OF(rows));
}

static void airline_lets_flights_change_once_the_cabin_was_upgraded(void **state)
{
    struct guard_session s;

    (void)state;
    begin(&s, BASIC, PROFILE("regular"));
    guard_session_calls(&s, FLIGHTS, ARGS(TO("HAT1") ",\"cabin\":\"economy\""), PLAIN);
    guard_session_check(&s, FLIGHTS, ARGS(TO("HAT2")));
    assert_string_equal(guard_session_verdict(&s, "basic_economy_flights"), "pass");
    guard_session_deinit(&s);
}

#define BAG_ARGS(n) ARGS(",\"total_baggages\":" n)
#define NO_BAGS     "unknown: the number of bags is not known"

static void airline_counts_bags_and_passengers(void **state)
{
    static const struct row rows[] = {
        {"keep_bags", BAGS, BAG_ARGS("1"), NULL, NULL, NOT_READ},
        {"keep_bags", BAGS, BAG_ARGS("1"), PLAIN, NULL, "fail: 2 bags would become 1"},
        {"keep_bags", BAGS, BAG_ARGS("2"), PLAIN, NULL, "pass"},
        {"keep_bags", BAGS, BAG_ARGS("3"), PLAIN, NULL, "pass"},
        {"keep_bags", BAGS, ARGS(""), PLAIN, NULL, NO_BAGS},
        {"keep_bags", BAGS, BAG_ARGS("2.0"), PLAIN, NULL, NO_BAGS},
        {"keep_bags", BAGS, BAG_ARGS("1e0"), PLAIN, NULL, NO_BAGS},
        {"keep_bags", BAGS, BAG_ARGS("\"1\""), PLAIN, NULL, NO_BAGS},
        {"keep_bags", BAGS, BAG_ARGS("1"), ARGS(""), NULL, NO_BAGS},
        {"keep_bags", BAGS, BAG_ARGS("-1"), PLAIN, NULL, "fail: 2 bags would become -1"},
        {"keep_bags", BAGS, BAG_ARGS("-0"), BAG_ARGS("0"), NULL, "pass"},
        {"keep_bags", BAGS, BAG_ARGS("-0"), PLAIN, NULL, "fail: 2 bags would become 0"},
        {"keep_bags", BAGS, BAG_ARGS("-3"), BAG_ARGS("-2"), NULL, "fail: -2 bags would become -3"},
        {"keep_bags", BAGS, BAG_ARGS("-2"), BAG_ARGS("-3"), NULL, "pass"},
        {"keep_bags", BAGS, BAG_ARGS("18446744073709551615"), BAG_ARGS("-9223372036854775808"),
         NULL, "pass"},
        {"keep_bags", BAGS, BAG_ARGS("-9223372036854775808"), BAG_ARGS("18446744073709551615"),
         NULL, "fail: 18446744073709551615 bags would become -9223372036854775808"},
        {"keep_bags", BAGS, BAG_ARGS("18446744073709551616"), PLAIN, NULL, NO_BAGS},
        {"keep_bags", BAGS, BAG_ARGS("-9223372036854775809"), PLAIN, NULL, NO_BAGS},
        {"same_passenger_count", PASSENGERS, ARGS(",\"passengers\":[]"), NULL, NULL, NOT_READ},
        {"same_passenger_count", PASSENGERS, ARGS(""), PLAIN, NULL,
         "unknown: the number of passengers is not known"},
        {"same_passenger_count", PASSENGERS, ARGS(",\"passengers\":[7]"), ARGS(""), NULL,
         "unknown: the number of passengers is not known"},
        {"same_passenger_count", PASSENGERS, ARGS(",\"passengers\":[7]"), PLAIN, NULL, "pass"},
        {"same_passenger_count", PASSENGERS, ARGS(",\"passengers\":[{},{}]"), PLAIN, NULL,
         "fail: 1 passengers would become 2"},
    };

    (void)state;
    assert_rows(rows, N_OF(rows));
}

#define PAY(id)          "{\"payment_id\":\"" id "\"}"
#define METHODS(methods) "{\"payment_methods\":[" methods "]}"

static void airline_limits_bookings(void **state)
{
    static const struct row rows[] = {
        {"booking_limits", BOOK, "{}", NULL, NULL, "pass"},
        {"booking_limits", BOOK, "{\"passengers\":[1,2,3,4,5]}", NULL, NULL, "pass"},
        {"booking_limits", BOOK, "{\"passengers\":[1,2,3,4,5,6]}", NULL, NULL,
         "fail: 6 passengers, but five are the most"},
        {"booking_limits", BOOK, METHODS(PAY("credit_card_1") "," PAY("credit_card_2")), NULL, NULL,
         "fail: more than 1 payments by credit card"},
        {"booking_limits", BOOK,
         METHODS(PAY("certificate_1") "," PAY("gift_card_1") "," PAY("gift_card_2") "," PAY(
             "paypal_1")),
         NULL, NULL, "pass"},
        {"booking_limits", BOOK,
         METHODS(PAY("gift_card_1") "," PAY("gift_card_1") "," PAY("gift_card_1")), NULL, NULL,
         "pass"},
        {"booking_limits", BOOK,
         METHODS(PAY("gift_card_1") "," PAY("gift_card_1") "," PAY("gift_card_1") "," PAY(
             "gift_card_4")),
         NULL, NULL, "fail: more than 3 payments by gift card"},
        {"booking_limits", BOOK,
         METHODS(PAY("credit_card") "," PAY("credit_card") "," PAY("certificate") "," PAY(
             "certificates")),
         NULL, NULL, "fail: more than 1 payments by certificate"},
        {"booking_limits", BOOK, METHODS(PAY("paypal_1") "," PAY("paypal_1") ",{},7"), NULL, NULL,
         "pass"},
    };

    (void)state;
    assert_rows(rows, N_OF(rows));
}

static void airline_pays_by_the_profiles_methods(void **state)
{
    static const struct row rows[] = {
        {"own_payment", BOOK, "{}", NULL, PROFILE("regular"),
         "unknown: the call names no payment method"},
        {"own_payment", BOOK, METHODS("{\"payment_id\":7}"), NULL, NULL,
         "unknown: the call names no payment method"},
        {"own_payment", BAGS, PAY("credit_card_1"), NULL, NULL,
         "unknown: no customer's details have been read"},
        {"own_payment", BAGS, PAY("credit_card_1"), NULL, PROFILE("regular"), "pass"},
        {"own_payment", FLIGHTS, PAY("paypal_9"), NULL, PROFILE("regular"),
         "fail: paypal_9 is not in the customer's profile"},
        {"own_payment", BOOK, METHODS(PAY("gift_card_1") "," PAY("credit_card_1")), NULL,
         PROFILE("regular"), "pass"},
        {"own_payment", BOOK, METHODS(PAY("gift_card_1") "," PAY("b") "," PAY("a")), NULL,
         PROFILE("regular"), "fail: b is not in the customer's profile"},
        {"own_payment", BOOK, "{\"payment_id\":\"a\",\"payment_methods\":[{\"payment_id\":\"b\"}]}",
         NULL, PROFILE("regular"), "fail: b is not in the customer's profile"},
        {"own_payment", BOOK,
         "{\"payment_id\":\"a\",\"payment_methods\":[{\"payment_id\":\"gift_card_1\"}]}", NULL,
         PROFILE("regular"), "fail: a is not in the customer's profile"},
    };

    (void)state;
    assert_rows(rows, N_OF(rows));
}

#define U1         "{\"user_id\":\"u1\"}"
#define NOTHING    "fail: a regular member without insurance or business cabin gets no compensation"
#define NONE_KNOWN "unknown: no reservation has been read"

static void airline_compensates_some_customers(void **state)
{
    static const struct row rows[] = {
        {"compensation", CERTIFICATE, U1, PLAIN, NULL, "unknown: the customer has not been read"},
        {"compensation", CERTIFICATE, "{}", PLAIN, PROFILE("gold"),
         "unknown: the customer has not been read"},
        {"compensation", CERTIFICATE, U1, NULL, PROFILE("gold"), "pass"},
        {"compensation", CERTIFICATE, U1, NULL, PROFILE("silver"), "pass"},
        {"compensation", CERTIFICATE, U1, PLAIN, PROFILE("regular"), NOTHING},
        {"compensation", CERTIFICATE, U1, R1("u1", "economy", "yes", OLD, LATER),
         PROFILE("regular"), "pass"},
        {"compensation", CERTIFICATE, U1, R1("u1", "business", "no", OLD, LATER),
         PROFILE("regular"), "pass"},
        {"compensation", CERTIFICATE, U1, R1("u2", "business", "yes", OLD, LATER),
         PROFILE("regular"), NOTHING},
        {"compensation", CERTIFICATE, U1, NULL, PROFILE("regular"), NONE_KNOWN},
    };

    (void)state;
    assert_rows(rows, N_OF(rows));
}

static void airline_hears_the_customers_last_message(void **state)
{
    struct guard_session s;

    (void)state;
    begin(&s, PLAIN, PROFILE("regular"));
    guard_session_check(&s, CANCEL, ARGS(""));
    assert_string_equal(guard_session_verdict(&s, "confirmed"), "pass");
    guard_session_says(&s, "No");
    guard_session_check(&s, CANCEL, ARGS(""));
    assert_string_equal(guard_session_verdict(&s, "confirmed"),
                        "fail: nothing in the customer's last message reads as a confirmation");
    guard_session_deinit(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(airline_names_the_tools_of_each_rule),
        cmocka_unit_test(airline_wants_the_reservation_to_be_the_customers),
        cmocka_unit_test(airline_allows_some_cancellations),
        cmocka_unit_test(airline_keeps_flights_and_cabins),
        cmocka_unit_test(airline_lets_flights_change_once_the_cabin_was_upgraded),
        cmocka_unit_test(airline_counts_bags_and_passengers),
        cmocka_unit_test(airline_limits_bookings),
        cmocka_unit_test(airline_pays_by_the_profiles_methods),
        cmocka_unit_test(airline_compensates_some_customers),
        cmocka_unit_test(airline_hears_the_customers_last_message),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
