/* Tests of procedure/procedure_ticket.h and procedure/procedure_text.h, by chapter 43, section 4.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/sp_unicode.h"
#include "json_gen.h"
#include "procedure/procedure_text.h"
#include "procedure/procedure_ticket.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

struct ticket_case {
    const char *ticket;
    const char *want; /* each followed by "," */
};

static void put(void *data, struct sp_str found)
{
    sp_buf_add(data, found);
    sp_buf_add_char(data, ',');
}

static void ticket_gives_words_and_pairs_of_neighbours(void **state)
{
    static const struct ticket_case cases[] = {
        {"No power in unit 4B", "no,power,no power,in,power in,unit,in unit,b,unit b,"},
        /* Pairs reach across digits, punctuation and lines. */
        {"Dark since 8.\nPhone: 555", "dark,since,dark since,phone,since phone,"},
        {"", ""},
        {" 12 -- ", ""},
        {"one", "one,"},
        {"caf\xc3\xa9s na\xc3\xafve", "caf,s,caf s,na,s na,ve,na ve,"},
        /* The sign of Kelvin is a "k" in lower case. */
        {"\xe2\x84\xaa"
         "ELVIN",
         "kelvin,"},
        {"a a a", "a,a,a a,a,a a,"},
    };
    struct sp_buf b = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        sp_buf_clear(&b);
        procedure_ticket_words(sp_str_of(cases[i].ticket), put, &b);
        assert_string_equal(sp_buf_cstr(&b), cases[i].want);
    }
    sp_buf_deinit(&b);
}

static void ticket_gives_identifiers(void **state)
{
    static const struct ticket_case cases[] = {
        {"Meter M4410, call 555-0142. Ref: ab1; mail jo.l@x-9.test",
         "M4410,555-0142.,jo.l@x-9.test,"},
        {"", ""},
        {"abcd ab12 a_1- ....1", "ab12,a_1-,....1,"},
        {"123", ""},
        {"(1234)", "1234,"},
        {"#W0001", "W0001,"},
        /* Letters of any alphabet count, and by characters. */
        {"\xc3\xa9t\xc3\xa9"
         "1 \xc3\xa9\xc3\xa9"
         "1",
         "\xc3\xa9t\xc3\xa9"
         "1,"},
        /* Digits of other scripts belong to a piece but make no identifier of it. */
        {"ab\xd9\xa1\xd9\xa2 abc\xc2\xb3 1\xd9\xa1\xd9\xa2z", "1\xd9\xa1\xd9\xa2z,"},
        {"1234\xe2\x80\x94"
         "5678",
         "1234,5678,"},
    };
    struct sp_buf b = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        sp_buf_clear(&b);
        procedure_ticket_identifiers(sp_str_of(cases[i].ticket), put, &b);
        assert_string_equal(sp_buf_cstr(&b), cases[i].want);
    }
    sp_buf_deinit(&b);
}

static void text_is_put_in_lower_case_and_searched(void **state)
{
    struct sp_buf b = {0};

    (void)state;
    sp_unicode_put_lower(&b, SP_STR("\xc3\x89T\xc3\x89 1 a"));
    assert_string_equal(sp_buf_cstr(&b), "\xc3\xa9t\xc3\xa9 1 a");
    sp_buf_deinit(&b);
    assert_true(procedure_text_has(SP_STR("abc"), SP_STR("bc")));
    assert_true(procedure_text_has(SP_STR("abc"), SP_STR("")));
    assert_true(procedure_text_has(SP_STR(""), SP_STR("")));
    assert_false(procedure_text_has(SP_STR(""), SP_STR("a")));
    assert_false(procedure_text_has(SP_STR("abc"), SP_STR("abcd")));
    assert_true(procedure_text_has_digit(SP_STR("a9")));
    assert_true(procedure_text_has_digit(SP_STR("0")));
    assert_false(procedure_text_has_digit(SP_STR("\xc2\xb3/:")));
    assert_int_equal(procedure_text_length(SP_STR("a\xc3\xa9\xf0\x9f\x92\xa9")), 3);
    assert_int_equal(procedure_text_length(SP_STR("")), 0);
}

struct naive {
    struct sp_str rest; /* of the ticket, behind the last identifier */
    size_t n;
};

/* Each is in the ticket, in order, with characters of none on both sides. */
static void check_identifier(void *data, struct sp_str found)
{
    static const char others[] = " ,;#()";
    struct naive *n = data;
    size_t before = (size_t)(found.p - n->rest.p);

    assert_true(before + found.len <= n->rest.len);
    assert_true(found.len >= 4 && procedure_text_has_digit(found));
    for (size_t i = 0; i < found.len; i++)
        assert_null(strchr(others, found.p[i]));
    if (before > 0)
        assert_non_null(strchr(others, found.p[-1]));
    if (before + found.len < n->rest.len)
        assert_non_null(strchr(others, found.p[found.len]));
    n->rest = sp_str_sub(n->rest, before + found.len, n->rest.len);
    n->n++;
}

static void ticket_gives_every_identifier_of_random_tickets(void **state)
{
    static const char alphabet[] = "ab1-.@_ ,;#()";
    struct json_gen g = {.state = 43};

    (void)state;
    for (int i = 0; i < 3000; i++) {
        char text[40], copy[41] = {0}, *save = NULL;
        size_t len = json_gen_below(&g, sizeof text), want = 0;
        struct naive n = {.rest = {text, len}};

        for (size_t k = 0; k < len; k++)
            copy[k] = text[k] = alphabet[json_gen_below(&g, sizeof alphabet - 1)];
        procedure_ticket_identifiers(n.rest, check_identifier, &n);
        for (char *p = strtok_r(copy, " ,;#()", &save); p; p = strtok_r(NULL, " ,;#()", &save))
            want += strlen(p) >= 4 && strchr(p, '1') != NULL;
        assert_int_equal(n.n, want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticket_gives_words_and_pairs_of_neighbours),
        cmocka_unit_test(ticket_gives_identifiers),
        cmocka_unit_test(text_is_put_in_lower_case_and_searched),
        cmocka_unit_test(ticket_gives_every_identifier_of_random_tickets),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
