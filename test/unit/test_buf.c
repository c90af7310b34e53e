/* Tests of base/sp_buf.h, base/sp_str.h and base/sp_err.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sp_buf.h"
#include "base/sp_err.h"

static void assert_str_equal(struct sp_str got, struct sp_str want)
{
    assert_int_equal(got.len, want.len);
    assert_memory_equal(got.p, want.p, want.len);
}

static void buf_is_empty_when_zeroed(void **state)
{
    struct sp_buf b = {0};

    (void)state;
    assert_int_equal(sp_buf_str(&b).len, 0);
    assert_non_null(sp_buf_str(&b).p);
    sp_buf_add(&b, (struct sp_str){NULL, 0});
    assert_int_equal(b.len, 0);
    assert_string_equal(sp_buf_cstr(&b), "");
    sp_buf_deinit(&b);
}

static void buf_appends_any_bytes_in_order(void **state)
{
    struct sp_buf b = {0};

    (void)state;
    sp_buf_add(&b, SP_STR("a\0b"));
    sp_buf_add_char(&b, '\0');
    sp_buf_add_char(&b, (char)0xff);
    sp_buf_addf(&b, "%d-%s", 42, "x");
    assert_str_equal(sp_buf_str(&b), SP_STR("a\0b\0\xff"
                                            "42-x"));
    sp_buf_deinit(&b);
}

static void buf_reserve_returns_where_the_next_bytes_go(void **state)
{
    struct sp_buf b = {0};

    (void)state;
    sp_buf_add(&b, SP_STR("ab"));
    memcpy(sp_buf_reserve(&b, 1000), "cd", 2);
    assert_int_equal(b.len, 2);
    assert_true(b.cap >= 1002);
    b.len += 2;
    assert_str_equal(sp_buf_str(&b), SP_STR("abcd"));
    sp_buf_deinit(&b);
}

static void buf_grows_by_doubling(void **state)
{
    struct sp_buf b = {0};
    size_t n_growths = 0;

    (void)state;
    for (size_t i = 0; i < 1 << 20; i++) {
        size_t cap = b.cap;

        sp_buf_add_char(&b, (char)i);
        if (b.cap == cap)
            continue;
        assert_true(b.cap >= 2 * cap);
        n_growths++;
    }
    assert_true(n_growths <= 20);
    for (size_t i = 0; i < b.len; i++)
        if (b.p[i] != (char)i)
            fail_msg("byte %zu", i);
    sp_buf_deinit(&b);
}

static void buf_formats_text_longer_than_its_memory(void **state)
{
    struct sp_buf b = {0};

    (void)state;
    sp_buf_addf(&b, "<%*d>", 5000, 7);
    assert_int_equal(b.len, 5002);
    assert_int_equal(b.p[5000], '7');
    sp_buf_addf(&b, "%s", "");
    assert_int_equal(b.len, 5002);
    sp_buf_deinit(&b);
}

static void buf_clear_keeps_the_memory_and_deinit_frees_it(void **state)
{
    struct sp_buf b = {0};
    char *memory;

    (void)state;
    sp_buf_add(&b, SP_STR("text"));
    memory = b.p;
    sp_buf_clear(&b);
    assert_int_equal(b.len, 0);
    assert_ptr_equal(b.p, memory);
    sp_buf_deinit(&b);
    assert_null(b.p);
    assert_int_equal(b.len, 0);
    assert_int_equal(b.cap, 0);
    sp_buf_deinit(&b);
}

static void buf_cstr_ends_the_content_without_changing_it(void **state)
{
    struct sp_buf b = {0};

    (void)state;
    /* At every length, also where the memory is just full. */
    for (size_t len = 1; len <= 300; len++) {
        sp_buf_add_char(&b, 'x');
        assert_int_equal(strlen(sp_buf_cstr(&b)), len);
        assert_int_equal(b.len, len);
    }
    sp_buf_deinit(&b);
}

struct cmp_case {
    struct sp_str a;
    struct sp_str b;
    int sign;
};

static void str_cmp_orders_by_bytes_then_by_length(void **state)
{
    static const struct cmp_case cases[] = {
        {SP_STR(""), SP_STR(""), 0},
        {SP_STR("a"), SP_STR("a"), 0},
        {SP_STR(""), SP_STR("a"), -1},
        {SP_STR("a"), SP_STR("ab"), -1},
        {SP_STR("ab"), SP_STR("b"), -1},
        {SP_STR("Z"), SP_STR("a"), -1},
        {SP_STR("\x7f"), SP_STR("\x80"), -1},
        {SP_STR("a"), SP_STR("a\0"), -1},
        {SP_STR("a\0b"), SP_STR("a\0c"), -1},
        {{NULL, 0}, SP_STR("a"), -1},
        {{NULL, 0}, {NULL, 0}, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int c = sp_str_cmp(cases[i].a, cases[i].b), r = sp_str_cmp(cases[i].b, cases[i].a);

        assert_int_equal((c > 0) - (c < 0), cases[i].sign);
        assert_int_equal((r > 0) - (r < 0), -cases[i].sign);
        assert_int_equal(sp_str_eq(cases[i].a, cases[i].b), cases[i].sign == 0);
    }
}

static void str_starts_and_ends_with_all_of_a_part(void **state)
{
    struct sp_str s = SP_STR("one\0two"), none = {NULL, 0};

    (void)state;
    assert_true(sp_str_starts(s, SP_STR("one\0t")));
    assert_true(sp_str_starts(s, s));
    assert_false(sp_str_starts(s, SP_STR("one\0two!")));
    assert_false(sp_str_starts(s, SP_STR("two")));
    assert_true(sp_str_ends(s, SP_STR("\0two")));
    assert_true(sp_str_ends(s, s));
    assert_false(sp_str_ends(s, SP_STR("!one\0two")));
    assert_false(sp_str_ends(s, SP_STR("one")));
    assert_true(sp_str_starts(s, none) && sp_str_ends(s, none));
    assert_true(sp_str_starts(none, none) && sp_str_ends(none, none));
    assert_false(sp_str_starts(none, s) || sp_str_ends(none, s));
}

static void str_find_gives_the_first_place_or_the_length(void **state)
{
    struct sp_str s = SP_STR("a=b\0=c");

    (void)state;
    assert_int_equal(sp_str_find(s, '='), 1);
    assert_int_equal(sp_str_find(s, '\0'), 3);
    assert_int_equal(sp_str_find(s, 'c'), 5);
    assert_int_equal(sp_str_find(s, 'x'), s.len);
    assert_int_equal(sp_str_find((struct sp_str){NULL, 0}, 'x'), 0);
    assert_str_equal(sp_str_sub(s, 2, 4), SP_STR("b\0"));
    assert_int_equal(sp_str_sub(s, 6, 6).len, 0);
}

static void err_grows_a_prefix_on_the_way_up(void **state)
{
    struct sp_err err;

    (void)state;
    sp_err_set(&err, "no such tool '%s'", "foo");
    assert_string_equal(err.text, "no such tool 'foo'");
    sp_err_prefix(&err, "site %d", 3);
    assert_string_equal(err.text, "site 3: no such tool 'foo'");
    sp_err_set(&err, "again");
    assert_string_equal(err.text, "again");
}

static void err_has_room_for_a_path_of_the_greatest_length(void **state)
{
    struct sp_err err;

    (void)state;
    sp_err_set(&err, "%*d", PATH_MAX, 1);
    sp_err_prefix(&err, "creating");
    assert_int_equal(strlen(err.text), PATH_MAX + sizeof "creating: " - 1);
}

static void err_cuts_what_is_too_long(void **state)
{
    const int too_long = 2 * sizeof(struct sp_err);
    struct sp_err err;

    (void)state;
    sp_err_set(&err, "%*d", too_long, 1);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    sp_err_prefix(&err, "%s", "before");
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_memory_equal(err.text, "before:  ", 9);
    sp_err_prefix(&err, "%*d", too_long, 1);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

static void err_tells_the_cause_as_the_system_does(void **state)
{
    (void)state;
    assert_string_equal(sp_err_cause(-ENOENT), "No such file or directory");
    assert_string_equal(sp_err_cause(-EPIPE), "Broken pipe");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buf_is_empty_when_zeroed),
        cmocka_unit_test(buf_appends_any_bytes_in_order),
        cmocka_unit_test(buf_reserve_returns_where_the_next_bytes_go),
        cmocka_unit_test(buf_grows_by_doubling),
        cmocka_unit_test(buf_formats_text_longer_than_its_memory),
        cmocka_unit_test(buf_clear_keeps_the_memory_and_deinit_frees_it),
        cmocka_unit_test(buf_cstr_ends_the_content_without_changing_it),
        cmocka_unit_test(str_cmp_orders_by_bytes_then_by_length),
        cmocka_unit_test(str_starts_and_ends_with_all_of_a_part),
        cmocka_unit_test(str_find_gives_the_first_place_or_the_length),
        cmocka_unit_test(err_grows_a_prefix_on_the_way_up),
        cmocka_unit_test(err_has_room_for_a_path_of_the_greatest_length),
        cmocka_unit_test(err_cuts_what_is_too_long),
        cmocka_unit_test(err_tells_the_cause_as_the_system_does),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
