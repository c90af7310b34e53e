/* Tests of judge/confirmation.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "judge/confirmation.h"
#include "oracle/oracle_key.h"

#define ROW_1 "I can cancel order #W7a because you no longer need it. Shall I go ahead?"
#define YES   "Yes, please go ahead."

static void assert_key(const struct oracle_request *r, size_t len, const char *want)
{
    struct sp_buf bytes = {0};
    char key[ORACLE_KEY_SIZE];

    oracle_put_request(&bytes, r);
    assert_int_equal(bytes.len, len);
    oracle_key_of(sp_buf_str(&bytes), key);
    assert_string_equal(key, want);
    sp_buf_deinit(&bytes);
}

static void confirmation_questions_have_their_keys(void **state)
{
    static const struct {
        enum confirmation_kind kind;
        size_t len;
        const char *said;
        const char *replied;
        const char *arguments;
        const char *key;
    } rows[] = {
        {CONFIRMATION_CONFIRMED, 902, ROW_1, YES,
         "{\"order_id\":\"#W7a\",\"reason\":\"no longer needed\"}",
         "22517a8287113a5be8380c7758143416f1615c72a10b7eb2606879820190ecd1"},
        {CONFIRMATION_PROPOSED, 948, ROW_1, YES,
         "{ \"reason\": \"no longer needed\", \"order_id\": \"#W7a\" }",
         "dd872ac4e003dac2841fe27ba891e40e3f1c30b45ed5eeb4ac5db358d193690b"},
        {CONFIRMATION_DESCRIBED, 918, ROW_1, YES,
         "{\"order_id\":\"#W7a\",\"reason\":\"no longer needed\"}",
         "4100958d3768c055e950736cb2fa474b8fec3ab8a4c46bb2e1e6f7d214c7f275"},
        {CONFIRMATION_CONFIRMED, 865, "Done: #W7a is cancelled. Anything else?",
         "Also cancel #W7b.", "{\"order_id\":\"#W7b\",\"reason\":\"no longer needed\"}",
         "e68845308a92d885a46bd77ed0832b6b7ed82e015110f26848483697c1a2f06d"},
        {CONFIRMATION_CONFIRMED, 880, "Shall I cancel order #W7b because you no longer need it?",
         "Yes, cancel it.", "{\"order_id\":\"#W7b\",\"reason\":\"no longer needed\"}",
         "74d18862204ee0b23d6e54e7e8e6f23a99697f8933aed9de9f634e3a4315bdd4"},
        {CONFIRMATION_CONFIRMED, 809, "", "",
         "{\"order_id\":\"#W7a\",\"reason\":\"no longer needed\"}",
         "aaa08b74bab630f9f8d222e99c1fb949eded94e84c84fac7ac1a88e3c39146e3"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct exchange x = {
            .proposal = sp_str_of(rows[i].said),
            .customer = sp_str_of(rows[i].replied),
        };
        struct oracle_request r;

        confirmation_make(rows[i].kind, SP_STR("jev-latest"), &x, SP_STR("cancel_pending_order"),
                          sp_str_of(rows[i].arguments), &r);
        assert_key(&r, rows[i].len, rows[i].key);
        oracle_request_deinit(&r);
    }
}

static void confirmation_of_a_session_without_words_asks_about_empty_texts(void **state)
{
    struct exchange x = {0};
    struct oracle_request r;

    (void)state;
    confirmation_make(CONFIRMATION_CONFIRMED, SP_STR("jev-latest"), &x,
                      SP_STR("cancel_pending_order"),
                      SP_STR("{\"order_id\":\"#W7a\",\"reason\":\"no longer needed\"}"), &r);
    assert_key(&r, 809, "aaa08b74bab630f9f8d222e99c1fb949eded94e84c84fac7ac1a88e3c39146e3");
    oracle_request_deinit(&r);
}

static void confirmation_has_the_canonical_bytes_of_the_example(void **state)
{
    static const char want[] =
        "{\"model\":\"jev-latest\",\"state\":{\"agent_said_last\":\"I can cancel order #W7a "
        "because you no longer need it. Shall I go ahead?\",\"call_about_to_be_made\":"
        "{\"arguments\":{\"order_id\":\"#W7a\",\"reason\":\"no longer needed\"},\"tool\":"
        "\"cancel_pending_order\"},\"customer_replied\":\"Yes, please go ahead.\"},\"questions\":"
        "{\"confirmed\":{\"type\":\"noul\",\"instructions\":\"A customer-service agent wants to "
        "make the change given in call_about_to_be_made. Before such a change it must tell the "
        "customer what it will do and hear a clear yes. Read customer_replied as the answer to "
        "agent_said_last: does the customer clearly agree to this change?\",\"criteria\":"
        "{\"true\":\"The customer accepts this very change, as the agent had set it out: a plain "
        "yes, or words to that effect.\",\"false\":\"Anything else: the customer asks something, "
        "supplies details, turns the change down or accepts another one, or the agent had not set "
        "this change out.\"}}}}";
    struct exchange x = {.proposal = SP_STR(ROW_1), .customer = SP_STR(YES)};
    struct sp_buf bytes = {0};
    struct oracle_request r;

    (void)state;
    confirmation_make(CONFIRMATION_CONFIRMED, SP_STR("jev-latest"), &x,
                      SP_STR("cancel_pending_order"),
                      SP_STR("{\"order_id\":\"#W7a\",\"reason\":\"no longer needed\"}"), &r);
    oracle_put_request(&bytes, &r);
    assert_string_equal(sp_buf_cstr(&bytes), want);
    oracle_request_deinit(&r);
    sp_buf_deinit(&bytes);
}

static void add_times(struct sp_buf *b, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sp_buf_add(b, sp_str_of(text));
}

static void confirmation_clips_by_characters_and_writes_numbers_canonically(void **state)
{
    struct sp_buf said = {0}, replied = {0};
    struct exchange x = {0};
    struct oracle_request r;

    (void)state;
    add_times(&said, "x", 1000);
    add_times(&said, "\xc3\xa9", 1000);
    add_times(&replied, "\xc3\xbc", 700);
    x.proposal = sp_buf_str(&said);
    x.customer = sp_buf_str(&replied);
    confirmation_make(CONFIRMATION_CONFIRMED, SP_STR("jev-latest"), &x,
                      SP_STR("modify_pending_order_payment"),
                      SP_STR("{\"payment_method_id\":\"paypal_1\",\"order_id\":\"#W1\","
                             "\"amounts\":[20.5,3,1e2]}"),
                      &r);
    sp_buf_deinit(&said);
    sp_buf_deinit(&replied);
    assert_key(&r, 4544, "9974f9a46e9a443fd03fd28c012cad0fbd81dae8f9a2c23b4040d96fb991eb46");
    oracle_request_deinit(&r);
}

/* The state for texts of `n_said` and `n_replied` characters of four bytes, with an end each. */
static void assert_clipped(size_t n_said, size_t n_replied, size_t want_said, size_t want_replied)
{
    struct sp_buf said = {0}, replied = {0}, want = {0};
    struct exchange x = {0};
    struct oracle_request r;

    sp_buf_add_char(&said, 'a');
    add_times(&said, "\xf0\x9f\x98\x80", n_said - 2);
    sp_buf_add_char(&said, 'z');
    sp_buf_add_char(&replied, 'a');
    add_times(&replied, "\xf0\x9f\x98\x80", n_replied - 2);
    sp_buf_add_char(&replied, 'z');
    x.proposal = sp_buf_str(&said);
    x.customer = sp_buf_str(&replied);
    confirmation_make(CONFIRMATION_PROPOSED, SP_STR("m"), &x, SP_STR("t\""), SP_STR("null"), &r);
    sp_buf_add(&want, SP_STR("{\"agent_said_last\":\""));
    if (want_said == n_said)
        sp_buf_add_char(&want, 'a');
    add_times(&want, "\xf0\x9f\x98\x80", want_said - (want_said == n_said ? 2 : 1));
    sp_buf_add(&want, SP_STR("z\",\"call_about_to_be_made\":{\"arguments\":null,\"tool\":\"t\\\"\"}"
                             ",\"customer_replied\":\"a"));
    add_times(&want, "\xf0\x9f\x98\x80", want_replied - (want_replied == n_replied ? 2 : 1));
    sp_buf_add(&want, want_replied == n_replied ? SP_STR("z\"}") : SP_STR("\"}"));
    assert_int_equal(r.state.len, want.len);
    assert_memory_equal(r.state.p, want.p, want.len);
    oracle_request_deinit(&r);
    sp_buf_deinit(&said);
    sp_buf_deinit(&replied);
    sp_buf_deinit(&want);
}

static void confirmation_keeps_the_end_of_one_text_and_the_beginning_of_the_other(void **state)
{
    (void)state;
    assert_clipped(1499, 599, 1499, 599);
    assert_clipped(1500, 600, 1500, 600);
    assert_clipped(1501, 601, 1500, 600);
    assert_clipped(9000, 9000, 1500, 600);
}

static void confirmation_names_its_kinds(void **state)
{
    (void)state;
    assert_true(sp_str_eq(confirmation_id(CONFIRMATION_CONFIRMED), SP_STR("confirmed")));
    assert_true(sp_str_eq(confirmation_id(CONFIRMATION_PROPOSED), SP_STR("proposed")));
    assert_true(sp_str_eq(confirmation_id(CONFIRMATION_DESCRIBED), SP_STR("described")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(confirmation_questions_have_their_keys),
        cmocka_unit_test(confirmation_of_a_session_without_words_asks_about_empty_texts),
        cmocka_unit_test(confirmation_has_the_canonical_bytes_of_the_example),
        cmocka_unit_test(confirmation_clips_by_characters_and_writes_numbers_canonically),
        cmocka_unit_test(confirmation_keeps_the_end_of_one_text_and_the_beginning_of_the_other),
        cmocka_unit_test(confirmation_names_its_kinds),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
