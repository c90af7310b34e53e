/* Tests of judge/proposal.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "judge/proposal.h"

#define METHODS                                                                            \
    "{\"payment_methods\":{\"credit_card_4196779\":{\"source\":\"credit_card\",\"brand\":" \
    "\"mastercard\",\"last_four\":\"2732\",\"id\":\"credit_card_4196779\"},"               \
    "\"gift_card_1234567\":{\"source\":\"gift_card\",\"balance\":40,\"id\":"               \
    "\"gift_card_1234567\"}}}"
#define ORDERS \
    "[{\"order_id\":\"#W1111\",\"item\":\"lamp\"},{\"order_id\":\"#W2222\",\"item\":\"desk\"}]"
#define ITEMS                                                                            \
    "{\"order_id\":\"#W9\",\"items\":[{\"item_id\":\"1111111111\",\"name\":\"Kettle\"}," \
    "{\"item_id\":\"2222222222\",\"name\":\"Speaker\"}]}"
#define VARIANTS                                                                           \
    "{\"product_id\":\"p1\",\"variants\":{\"1111111111\":{\"item_id\":\"1111111111\","     \
    "\"available\":true,\"options\":{\"color\":\"white\"},\"price\":20.5},\"3333333333\":" \
    "{\"item_id\":\"3333333333\",\"available\":true,\"options\":{\"color\":\"black\"},"    \
    "\"price\":30.0}}}"

struct example {
    const char *results[4]; /* an error when it begins with "!" */
    const char *agent;
    const char *customer;
    const char *arguments;
    const char *want; /* "ARGUMENT=VALUE " for each flag */
};

static void build(struct episode *e, const struct example *example)
{
    episode_add_turn(e, SP_STR("Hello."));
    for (size_t i = 0; i < 4 && example->results[i] != NULL; i++) {
        const char *text = example->results[i];
        bool is_error = text[0] == '!';

        episode_add_result(e, SP_STR("1"), SP_STR("tool"), is_error,
                           sp_str_of(is_error ? text + 1 : text));
    }
    episode_add_turn(e, sp_str_of(example->agent));
    episode_add_user(e, sp_str_of(example->customer));
    episode_add_turn(e, SP_STR("#W1111, #W2222, 2732, the white one: I see."));
}

static void check(const struct example *examples, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct episode e = {0};
        struct exchange exchange = {0};
        struct proposal_flags flags;
        struct sp_buf got = {0};

        build(&e, &examples[i]);
        exchange_update(&exchange, &e, e.n_events);
        proposal_check(&e, e.n_events, &exchange, sp_str_of(examples[i].arguments), &flags);
        episode_deinit(&e);
        for (size_t k = 0; k < flags.n; k++)
            sp_buf_addf(&got, "%.*s=%.*s ", SP_STR_ARG(flags.of[k].argument),
                        SP_STR_ARG(flags.of[k].value));
        if (strcmp(sp_buf_cstr(&got), examples[i].want) != 0)
            fail_msg("case %zu flags '%s', not '%s'", i, sp_buf_cstr(&got), examples[i].want);
        proposal_flags_deinit(&flags);
        sp_buf_deinit(&got);
    }
}

#define CHECK(examples) check(examples, sizeof(examples) / sizeof *(examples))

#define GIFT_CALL "{\"order_id\":\"#W1\",\"payment_method_id\":\"gift_card_1234567\"}"
#define CARD_CALL "{\"order_id\":\"#W1\",\"payment_method_id\":\"credit_card_4196779\"}"
#define GIFT_FLAG "payment_method_id=gift_card_1234567 "
#define WHERE     "Where should the refund go?"

static void proposal_check_follows_the_vectors_of_payment_methods(void **state)
{
    static const struct example examples[] = {
        {{METHODS}, WHERE, "To my Mastercard ending in 2732, please.", GIFT_CALL, GIFT_FLAG},
        {{METHODS}, WHERE, "To my Mastercard ending in 2732, please.", CARD_CALL, ""},
        {{METHODS}, WHERE, "Card 4196779.", GIFT_CALL, GIFT_FLAG},
        {{METHODS}, WHERE, "Yes, go ahead.", GIFT_CALL, ""},
        {{METHODS}, "Refund to your mastercard?", "Yes.", GIFT_CALL, GIFT_FLAG},
        {{METHODS}, "Refund to your mastercard or gift_card_1234567?", "Yes.", GIFT_CALL, ""},
    };

    (void)state;
    CHECK(examples);
}

static void proposal_check_follows_the_vectors_of_orders(void **state)
{
    static const struct example examples[] = {
        {{ORDERS},
         "Shall I cancel order #W1111, the lamp?",
         "Yes.",
         "{\"order_id\":\"#W2222\"}",
         "order_id=#w2222 "},
        {{ORDERS},
         "Shall I cancel order #W1111, the lamp?",
         "Yes.",
         "{\"order_id\":\"#W1111\"}",
         ""},
        {{ORDERS},
         "Shall I cancel order #W1111, the lamp?",
         "No, the desk.",
         "{\"order_id\":\"#W1111\"}",
         "order_id=#w1111 "},
        {{ORDERS}, "Cancel #W1111 or #W2222?", "Yes.", "{\"order_id\":\"#W2222\"}", ""},
    };

    (void)state;
    CHECK(examples);
}

static void proposal_check_follows_the_vectors_of_items(void **state)
{
    static const struct example examples[] = {
        {{ITEMS, VARIANTS},
         "",
         "Yes, the white one.",
         "{\"item_ids\":[\"1111111111\"],\"new_item_ids\":[\"3333333333\"]}",
         ""},
        {{ITEMS, VARIANTS}, "", "Yes, the speaker.", "{\"item_ids\":[\"1111111111\"]}", ""},
        {{ITEMS},
         "",
         "Yes, the speaker.",
         "{\"item_ids\":[\"1111111111\",\"1111111111\"]}",
         "item_ids=1111111111 item_ids=1111111111 "},
    };

    (void)state;
    CHECK(examples);
}

#define DESK "the desk"

static void proposal_check_reads_successful_results_of_json(void **state)
{
    static const struct example examples[] = {
        {{ORDERS}, "", DESK, "{\"o\":\"#w1111\"}", "o=#w1111 "},
        {{" " ORDERS "\n"}, "", DESK, "{\"o\":\"#w1111\"}", "o=#w1111 "},
        {{"!" ORDERS}, "", DESK, "{\"o\":\"#w1111\"}", ""},
        {{"orders: " ORDERS}, "", DESK, "{\"o\":\"#w1111\"}", ""},
        {{""}, "", DESK, "{\"o\":\"#w1111\"}", ""},
        {{"{\"a\":[[" ORDERS "]]}"}, "", DESK, "{\"o\":\"#w1111\"}", "o=#w1111 "},
        /* The last list with the value judges it: here one without a desk. */
        {{ORDERS, "[{\"id\":\"#W1111\"},{\"id\":\"x\"}]"}, "", DESK, "{\"o\":\"#w1111\"}", ""},
        {{ORDERS, "![{\"id\":\"#W1111\"},{\"id\":\"x\"}]"},
         "",
         DESK,
         "{\"o\":\"#w1111\"}",
         "o=#w1111 "},
        {{"[{\"id\":\"#W1111\"},{\"id\":\"x\"}]", ORDERS},
         "",
         DESK,
         "{\"o\":\"#w1111\"}",
         "o=#w1111 "},
        /* What has one member is no list, whatever it has. */
        {{ORDERS, "[{\"id\":\"#W1111\"}]"}, "", DESK, "{\"o\":\"#w1111\"}", "o=#w1111 "},
        {{ORDERS, "{\"p\":{\"id\":\"#W1111\"}}"}, "", DESK, "{\"o\":\"#w1111\"}", "o=#w1111 "},
        /* Within a result too, where a parent comes first, and names are sorted. */
        {{"{\"b\":" ORDERS ",\"a\":[{\"id\":\"#W1111\"},{\"id\":\"x\"}]}"},
         "",
         DESK,
         "{\"o\":\"#w1111\"}",
         "o=#w1111 "},
        {{"{\"a\":" ORDERS ",\"b\":[{\"id\":\"#W1111\"},{\"id\":\"x\"}]}"},
         "",
         DESK,
         "{\"o\":\"#w1111\"}",
         ""},
        {{"[{\"id\":\"#W1111\",\"in\":[{\"id\":\"#W1111\"},{\"id\":\"#W3\"}]},"
          "{\"id\":\"#W2222\",\"name\":\"desk\"}]"},
         "",
         DESK,
         "{\"o\":\"#w1111\"}",
         ""},
    };

    (void)state;
    CHECK(examples);
}

static void proposal_check_knows_lists_and_records(void **state)
{
    static const struct example examples[] = {
        /* A list has two members, of an object all are objects. */
        {{"[{\"id\":\"a1\"}]"}, "", DESK, "{\"o\":\"a1\"}", ""},
        {{"{\"p\":{\"id\":\"a1\"},\"q\":{\"n\":\"desk\"}}"}, "", DESK, "{\"o\":\"a1\"}", "o=a1 "},
        {{"{\"p\":{\"id\":\"a1\"},\"q\":{\"n\":\"desk\"},\"r\":1}"},
         "",
         DESK,
         "{\"o\":\"a1\"}",
         ""},
        {{"{\"p\":[{\"id\":\"a1\"}],\"q\":[{\"n\":\"desk\"}]}"}, "", DESK, "{\"o\":\"a1\"}", ""},
        /* Strings and numbers are records, what else there is is none. */
        {{"[\"a1\",\"Desk \"]"}, "", DESK, "{\"o\":\"a1\"}", "o=a1 "},
        {{"[1,\"desk\"]"}, "", DESK, "{\"o\":1.0}", "o=1 "},
        {{"[{\"id\":\"a1\"},[\"desk\"]]"}, "", DESK, "{\"o\":\"a1\"}", ""},
        {{"[[\"a1\"],\"desk\"]"}, "", DESK, "{\"o\":\"a1\"}", ""},
        {{"[null,{\"id\":\"a1\"},true,{\"n\":\"desk\"}]"}, "", DESK, "{\"o\":\"a1\"}", "o=a1 "},
        /* A value is a record's own field; what names it may stand anywhere in it. */
        {{"[{\"in\":{\"id\":\"a1\"}},{\"n\":\"desk\"}]"}, "", DESK, "{\"o\":\"a1\"}", ""},
        {{"[{\"id\":\"a1\"},{\"in\":[{\"n\":\"desk\"}]}]"}, "", DESK, "{\"o\":\"a1\"}", "o=a1 "},
        /* Of a name that is there twice the last value counts. */
        {{"[{\"id\":\"a1\",\"id\":\"a2\"},{\"n\":\"desk\"}]"}, "", DESK, "{\"o\":\"a1\"}", ""},
    };

    (void)state;
    CHECK(examples);
}

static void proposal_check_takes_names_that_one_record_has(void **state)
{
    static const struct example examples[] = {
        {{"[{\"id\":\"a1\"},{\"n\":\"desk\"}]"}, "", DESK, "{\"o\":\"a1\"}", "o=a1 "},
        {{"[{\"id\":\"a1\"},{\"n\":\"desk\",\"m\":\"desk\"}]"},
         "",
         DESK,
         "{\"o\":\"a1\"}",
         "o=a1 "},
        {{"[{\"id\":\"a1\",\"n\":\"desk\"},{\"n\":\"desk\"}]"}, "", DESK, "{\"o\":\"a1\"}", ""},
        {{"[{\"n\":\"desk\"},{\"in\":{\"n\":\"desk\"}},{\"id\":\"a1\"}]"},
         "",
         DESK,
         "{\"o\":\"a1\"}",
         ""},
        {{"[{\"id\":\"a1\"},{\"n\":\"desk\"},[\"desk\"]]"}, "", DESK, "{\"o\":\"a1\"}", "o=a1 "},
        {{"[{\"id\":\"a1\"},{\"n\":\"des\"}]"}, "", DESK, "{\"o\":\"a1\"}", ""},
        {{"[{\"id\":\"a1\"},{\"n\":\"\xc3\xa9tu\"}]"}, "", "\xc3\xa9tui", "{\"o\":\"a1\"}", ""},
        {{"[{\"id\":\"a1\"},{\"n\":\"\xc3\xa9tui\"}]"},
         "",
         "\xc3\x89tuis",
         "{\"o\":\"a1\"}",
         "o=a1 "},
        /* The customer may name several records, the agent one. */
        {{"[{\"id\":\"a1\"},{\"n\":\"desk\"},{\"n\":\"lamp\"}]"},
         "",
         "desk and lamp",
         "{\"o\":\"a1\"}",
         "o=a1 "},
        {{"[{\"id\":\"a1\"},{\"n\":\"desk\"},{\"n\":\"lamp\"}]"},
         "desk and lamp",
         "yes",
         "{\"o\":\"a1\"}",
         ""},
        {{"[{\"id\":\"a1\"},{\"n\":\"desk\",\"m\":\"lamp\"}]"},
         "desk and lamp",
         "yes",
         "{\"o\":\"a1\"}",
         "o=a1 "},
        {{"[{\"id\":\"a1\",\"n\":\"desk\"},{\"n\":\"lamp\"}]"},
         "the lamp",
         "the desk",
         "{\"o\":\"a1\"}",
         ""},
    };

    (void)state;
    CHECK(examples);
}

static void proposal_check_flags_values_with_digits_argument_by_argument(void **state)
{
    static const struct example examples[] = {
        {{"[{\"id\":\"a1\",\"c\":\"red\"},{\"n\":\"desk\"}]"},
         "",
         DESK,
         "{\"z\":[\"A1\",{\"b\":\" a1\"}],\"y\":\"red\",\"x\":\"a1\",\"w\":\"a2\",\"v\":null}",
         "x=a1 z=a1 z=a1 "},
        /* A chosen record with a field that is passed, without a digit as well. */
        {{"[{\"id\":\"a1\"},{\"n\":\"desk\"}]"}, "", DESK, "{\"o\":\"a1\",\"n\":\"Desk\"}", ""},
        {{"[{\"id\":\"a1\"},{\"n\":\"desk\",\"q\":[\"x2\"]}]"},
         "",
         DESK,
         "{\"o\":\"a1\",\"n\":\"x2\"}",
         "o=a1 "},
        {{"[{\"id\":\"a1\"},{\"n\":\"desk\"}]"}, "", DESK, "[\"a1\"]", ""},
        {{"[{\"id\":\"a1\"},{\"n\":\"desk\"}]"}, "", DESK, "\"a1\"", ""},
        {{"[{\"id\":\"a1\"},{\"n\":\"desk\"}]"}, "", DESK, "{}", ""},
        {{"[{\"id\":\"a1\"},{\"n\":\"desk\"}]"}, "", DESK, "{ \"o\\u0021\" : \"a1\" }", "o!=a1 "},
    };

    (void)state;
    CHECK(examples);
}

static void proposal_check_finds_values_however_they_are_written(void **state)
{
    static const struct example examples[] = {
        {{"[{\"id\":\"\\u00231\\u0031\"},{\"n\":\"desk\"}]"},
         "",
         DESK,
         "{\"o\":\"#11\"}",
         "o=#11 "},
        {{"[{\"id\":\"\\u0061\\u0037\"},{\"n\":\"desk\"}]"}, "", DESK, "{\"o\":\"A7\"}", "o=a7 "},
        {{"[{\"id\":1e2},{\"n\":\"desk\"}]"}, "", DESK, "{\"o\":\"100\"}", "o=100 "},
        {{"[{\"id\":15E2},{\"n\":\"desk\"}]"}, "", DESK, "{\"o\":1500}", "o=1500 "},
        {{"[{\"id\":20.50},{\"n\":\"desk\"}]"}, "", DESK, "{\"o\":20.5}", "o=20.5 "},
        {{"[{\"id\":19.9999999999999999},{\"n\":\"desk\"}]"}, "", DESK, "{\"o\":\"20\"}", "o=20 "},
        {{"[{\"id\":20000000000000000000},{\"n\":\"desk\"}]"},
         "",
         DESK,
         "{\"o\":\"2E19\"}",
         "o=2e19 "},
        {{"[{\"id\":0.0000015},{\"n\":\"desk\"}]"}, "", DESK, "{\"o\":\"1.5e-6\"}", "o=1.5e-6 "},
        {{"[{\"id\":\"a7\"},{\"n\":\"desk\"}]"},
         "",
         DESK,
         "{\"o\":\"a7\",\"p\":[1,2,3,4,5,6,8,9,10]}",
         "o=a7 "},
    };

    (void)state;
    CHECK(examples);
}

static void proposal_check_stops_where_it_is_told(void **state)
{
    struct episode e = {0};
    struct exchange exchange = {0};
    struct proposal_flags flags;

    (void)state;
    episode_add_user(&e, SP_STR(DESK));
    episode_add_result(&e, SP_STR("1"), SP_STR("tool"), false, SP_STR(ORDERS));
    exchange_update(&exchange, &e, 1);
    proposal_check(&e, 1, &exchange, SP_STR("{\"o\":\"#W1111\"}"), &flags);
    assert_int_equal(flags.n, 0);
    proposal_flags_deinit(&flags);
    exchange_update(&exchange, &e, 2);
    proposal_check(&e, 2, &exchange, SP_STR("{\"o\":\"#W1111\"}"), &flags);
    assert_int_equal(flags.n, 1);
    proposal_flags_deinit(&flags);
    episode_deinit(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proposal_check_follows_the_vectors_of_payment_methods),
        cmocka_unit_test(proposal_check_follows_the_vectors_of_orders),
        cmocka_unit_test(proposal_check_follows_the_vectors_of_items),
        cmocka_unit_test(proposal_check_reads_successful_results_of_json),
        cmocka_unit_test(proposal_check_knows_lists_and_records),
        cmocka_unit_test(proposal_check_takes_names_that_one_record_has),
        cmocka_unit_test(proposal_check_flags_values_with_digits_argument_by_argument),
        cmocka_unit_test(proposal_check_finds_values_however_they_are_written),
        cmocka_unit_test(proposal_check_stops_where_it_is_told),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
