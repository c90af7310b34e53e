/* Tests of mcp/idset.h: ids and their numbers. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "json_gen.h"
#include "mcp/idset.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

static void idset_is_empty_at_first(void **state)
{
    struct idset set = {0};
    size_t value = 7;

    (void)state;
    assert_false(idset_has(&set, SP_STR("1")));
    assert_false(idset_take(&set, SP_STR("1"), &value));
    assert_int_equal(value, 7);
    idset_deinit(&set);
    idset_deinit(&set);
}

static void idset_gives_an_id_once(void **state)
{
    struct idset set = {0};
    size_t value = 7;

    (void)state;
    idset_put(&set, SP_STR("1"), 5);
    idset_put(&set, SP_STR("\"1\""), 6);
    assert_true(idset_has(&set, SP_STR("1")));
    assert_true(idset_take(&set, SP_STR("1"), &value));
    assert_int_equal(value, 5);
    assert_false(idset_has(&set, SP_STR("1")));
    assert_false(idset_take(&set, SP_STR("1"), &value));
    assert_int_equal(value, 5);
    assert_true(idset_take(&set, SP_STR("\"1\""), NULL));
    assert_false(idset_has(&set, SP_STR("\"1\"")));
    idset_deinit(&set);
}

static void idset_has_an_id_once_with_the_last_number(void **state)
{
    struct idset set = {0};
    size_t value = 0;

    (void)state;
    idset_put(&set, SP_STR("\"a\""), 1);
    idset_put(&set, SP_STR("\"\\u0061\""), 2);
    assert_true(idset_take(&set, SP_STR("\"a\""), &value));
    assert_int_equal(value, 2);
    assert_false(idset_has(&set, SP_STR("\"a\"")));
    idset_put(&set, SP_STR("\"a\""), 3); /* anew, where one was taken out */
    assert_true(idset_take(&set, SP_STR("\"\\u0061\""), &value));
    assert_int_equal(value, 3);
    idset_deinit(&set);
}

static void idset_keeps_no_view_of_an_id(void **state)
{
    struct idset set = {0};
    char *id = strdup("\"a long id of the host's\"");

    (void)state;
    idset_put(&set, sp_str_of(id), 1);
    memset(id, 'x', strlen(id));
    free(id);
    assert_true(idset_has(&set, SP_STR("\"a long id of the host's\"")));
    idset_deinit(&set);
}

static void idset_compares_ids_by_their_canonical_json(void **state)
{
    static const struct {
        const char *a;
        const char *b;
        bool is_same;
    } cases[] = {
        {"1", "1", true},
        {"1", "\"1\"", false},
        {"1", "1.0", false},
        {"\"1\"", "\"1.0\"", false},
        {"1.0", "1.00", true},
        {"1.5", "15e-1", true},
        {"0", "-0", true},
        {"0.0", "-0.0", false},
        {"10", "1e1", false},
        {"18446744073709551615", "18446744073709551616", false},
        {"36893488147419103232", "36893488147419103233", false},
        {"-36893488147419103232", "36893488147419103232", false},
        {"\"/\"", "\"\\/\"", true},
        {"\"\\n\"", "\"\\u000a\"", true},
        {"\"\\u0000\"", "\"\"", false},
        {"\"\\u0000a\"", "\"\\u0000b\"", false},
        {"\"null\"", "null", false},
        {"[1,{\"b\":1,\"a\":2}]", "[ 1 , { \"a\" : 2 , \"b\" : 1 } ]", true},
        {"[]", "{}", false},
        {"{\"a\":1,\"a\":2}", "{\"a\":2}", true},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct idset set = {0};

        idset_put(&set, sp_str_of(cases[i].a), 1);
        if (idset_has(&set, sp_str_of(cases[i].b)) != cases[i].is_same)
            fail_msg("%s and %s", cases[i].a, cases[i].b);
        assert_true(idset_has(&set, sp_str_of(cases[i].a)));
        idset_deinit(&set);
    }
}

/* Random puts and takes of 64 ids against an array. */
static void idset_agrees_with_an_array(void **state)
{
    struct json_gen g = {42};
    struct idset set = {0};
    size_t numbers[64] = {0}; /* 0: not in the set */

    (void)state;
    for (int step = 0; step < 20000; step++) {
        size_t i = json_gen_below(&g, N_OF(numbers)), value = 0;
        struct sp_buf id = {0};

        sp_buf_addf(&id, i % 2 == 0 ? "%zu" : "\"%zu\"", i / 2);
        switch (json_gen_below(&g, 3)) {
        case 0:
            numbers[i] = (size_t)step + 1;
            idset_put(&set, sp_buf_str(&id), numbers[i]);
            break;
        case 1:
            assert_int_equal(idset_take(&set, sp_buf_str(&id), &value), numbers[i] != 0);
            assert_int_equal(value, numbers[i]);
            numbers[i] = 0;
            break;
        default:
            assert_int_equal(idset_has(&set, sp_buf_str(&id)), numbers[i] != 0);
            break;
        }
        sp_buf_deinit(&id);
    }
    idset_deinit(&set);
}

/* A session's ids come and go by the million; the set is as large as what is in it. */
static void idset_does_not_grow_by_what_was_taken_out(void **state)
{
    struct idset set = {0};

    (void)state;
    for (int i = 0; i < 200000; i++) {
        struct sp_buf id = {0};

        sp_buf_addf(&id, "%d", i);
        idset_put(&set, sp_buf_str(&id), 0);
        assert_true(idset_take(&set, sp_buf_str(&id), NULL));
        sp_buf_deinit(&id);
    }
    assert_in_range(set.map.n_slots, 1, 64);
    idset_deinit(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idset_is_empty_at_first),
        cmocka_unit_test(idset_gives_an_id_once),
        cmocka_unit_test(idset_has_an_id_once_with_the_last_number),
        cmocka_unit_test(idset_keeps_no_view_of_an_id),
        cmocka_unit_test(idset_compares_ids_by_their_canonical_json),
        cmocka_unit_test(idset_agrees_with_an_array),
        cmocka_unit_test(idset_does_not_grow_by_what_was_taken_out),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
