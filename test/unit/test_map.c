/* Tests of base/sp_map.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/sp_map.h"
#include "json_gen.h"

#define N_KEYS 20000

static void map_begins_empty(void **state)
{
    struct sp_map m = {0};
    struct sp_str key;
    size_t at = 0, value;

    (void)state;
    assert_null(sp_map_find(&m, SP_STR("a")));
    assert_null(sp_map_take(&m, SP_STR("a")).p);
    assert_false(sp_map_next(&m, &at, &key, &value));
    assert_int_equal(m.n, 0);
    sp_map_deinit(&m);
}

static void map_finds_a_key_by_its_bytes(void **state)
{
    static const struct sp_str keys[] = {
        {"a", 1},          {"b", 1},
        {"aa", 2},         {"a\0", 2},
        {"\0", 1},         {"\0\0", 2},
        {"12345678", 8},   {"12345678x", 9},
        {"123456781", 9},  {"1234567", 7},
        {"\xff\xfe", 2},   {"é", 2},
        {"12345678\0", 9}, {"1234567812345678", 16},
    };
    size_t n = sizeof keys / sizeof *keys;
    struct sp_map m = {0};

    (void)state;
    for (size_t i = 0; i < n; i++) {
        bool is_new = false;
        size_t *value = sp_map_put(&m, keys[i], &is_new);

        assert_true(is_new);
        assert_int_equal(*value, 0);
        *value = i + 1;
    }
    assert_int_equal(m.n, n);
    for (size_t i = 0; i < n; i++) {
        char copy[32];
        bool is_new = true;

        memcpy(copy, keys[i].p, keys[i].len);
        assert_int_equal(*sp_map_find(&m, (struct sp_str){copy, keys[i].len}), i + 1);
        assert_int_equal(*sp_map_put(&m, (struct sp_str){copy, keys[i].len}, &is_new), i + 1);
        assert_false(is_new);
    }
    assert_null(sp_map_find(&m, SP_STR("c")));
    assert_int_equal(m.n, n);
    sp_map_deinit(&m);
}

/* An empty view may have an address or none; it is one key. */
static void map_takes_an_empty_key(void **state)
{
    static const struct sp_str views[] = {{NULL, 0}, {"", 0}, {"a", 0}};
    struct sp_map m = {0};
    bool is_new;

    (void)state;
    for (size_t put = 0; put < 3; put++) {
        assert_null(sp_map_find(&m, views[put]));
        *sp_map_put(&m, views[put], &is_new) = 5;
        assert_true(is_new);
        *sp_map_put(&m, SP_STR("b"), NULL) = 6;
        for (size_t i = 0; i < 3; i++) {
            assert_non_null(sp_map_find(&m, views[i]));
            assert_int_equal(*sp_map_find(&m, views[i]), 5);
            assert_int_equal(*sp_map_put(&m, views[i], &is_new), 5);
            assert_false(is_new);
        }
        assert_int_equal(m.n, 2);
        assert_non_null(sp_map_take(&m, views[(put + 1) % 3]).p);
        assert_null(sp_map_find(&m, views[put]));
        assert_null(sp_map_take(&m, views[put]).p);
        assert_int_equal(*sp_map_find(&m, SP_STR("b")), 6);
        assert_non_null(sp_map_take(&m, SP_STR("b")).p);
    }
    sp_map_deinit(&m);
}

static void map_gives_back_the_bytes_a_key_was_put_in_with(void **state)
{
    static const char first[] = "key", other[] = "key";
    struct sp_map m = {0};
    struct sp_str taken;

    (void)state;
    sp_map_put(&m, (struct sp_str){first, 3}, NULL);
    sp_map_put(&m, (struct sp_str){other, 3}, NULL);
    taken = sp_map_take(&m, (struct sp_str){other, 3});
    assert_ptr_equal(taken.p, first);
    assert_int_equal(taken.len, 3);
    assert_null(sp_map_take(&m, (struct sp_str){first, 3}).p);
    sp_map_put(&m, (struct sp_str){other, 3}, NULL);
    assert_ptr_equal(sp_map_take(&m, (struct sp_str){first, 3}).p, other);
    assert_int_equal(m.n, 0);
    sp_map_deinit(&m);
}

static void map_forgets_the_value_with_the_key(void **state)
{
    struct sp_map m = {0};
    bool is_new;

    (void)state;
    *sp_map_put(&m, SP_STR("a"), NULL) = 7;
    (void)sp_map_take(&m, SP_STR("a")); /* a literal, nobody's to free */
    assert_int_equal(*sp_map_put(&m, SP_STR("a"), &is_new), 0);
    assert_true(is_new);
    sp_map_deinit(&m);
}

static void map_holds_many_keys(void **state)
{
    static char keys[N_KEYS][8];
    struct sp_map m = {0};

    (void)state;
    for (size_t i = 0; i < N_KEYS; i++) {
        (void)snprintf(keys[i], sizeof keys[i], "%zu", i);
        *sp_map_put(&m, sp_str_of(keys[i]), NULL) = i;
    }
    assert_int_equal(m.n, N_KEYS);
    for (size_t i = 0; i < N_KEYS; i += 2)
        assert_ptr_equal(sp_map_take(&m, sp_str_of(keys[i])).p, keys[i]);
    assert_int_equal(m.n, N_KEYS / 2);
    for (size_t i = 0; i < N_KEYS; i++) {
        const size_t *value = sp_map_find(&m, sp_str_of(keys[i]));

        assert_int_equal(value != NULL, i % 2);
        assert_true(value == NULL || *value == i);
    }
    sp_map_deinit(&m);
}

/* Keys that come and go leave marks behind, which must not fill the table up. */
static void map_stays_small_while_keys_come_and_go(void **state)
{
    static char keys[N_KEYS][8];
    struct sp_map m = {0};

    (void)state;
    for (size_t i = 0; i < N_KEYS; i++) {
        (void)snprintf(keys[i], sizeof keys[i], "%zu", i);
        *sp_map_put(&m, sp_str_of(keys[i]), NULL) = i;
        if (i >= 5)
            assert_ptr_equal(sp_map_take(&m, sp_str_of(keys[i - 5])).p, keys[i - 5]);
    }
    assert_int_equal(m.n, 5);
    assert_true(m.n_slots <= 64);
    for (size_t i = N_KEYS - 5; i < N_KEYS; i++)
        assert_int_equal(*sp_map_find(&m, sp_str_of(keys[i])), i);
    sp_map_deinit(&m);
}

static void map_walks_each_key_once(void **state)
{
    static char keys[500][8];
    bool is_seen[500] = {false};
    struct sp_map m = {0};
    struct sp_str key;
    size_t at = 0, value, n = 0;

    (void)state;
    for (size_t i = 0; i < 500; i++) {
        (void)snprintf(keys[i], sizeof keys[i], "%zu", i);
        *sp_map_put(&m, sp_str_of(keys[i]), NULL) = i;
    }
    for (size_t i = 0; i < 500; i += 5)
        assert_non_null(sp_map_take(&m, sp_str_of(keys[i])).p);
    for (; sp_map_next(&m, &at, &key, &value); n++) {
        assert_true(value < 500 && value % 5 != 0 && !is_seen[value]);
        assert_ptr_equal(key.p, keys[value]);
        assert_int_equal(key.len, strlen(keys[value]));
        is_seen[value] = true;
    }
    assert_int_equal(n, 400);
    assert_false(sp_map_next(&m, &at, &key, &value));
    sp_map_deinit(&m);
}

static void map_agrees_with_a_list(void **state)
{
    static char keys[300][16];
    bool is_in[300] = {false};
    size_t values[300] = {0}, n = 0;
    struct json_gen g = {4711};
    struct sp_map m = {0};

    (void)state;
    /* The first is empty, some differ in their last byte only, some are longer than a word. */
    for (size_t i = 1; i < 300; i++)
        (void)snprintf(keys[i], sizeof keys[i], i % 3 == 0 ? "long-key-%zu" : "%zu", i);
    for (int step = 0; step < 200000; step++) {
        /* A time of growing follows one of shrinking. */
        bool grows = step / 3000 % 2 == 0;
        size_t i = json_gen_below(&g, 300), value = json_gen_below(&g, 1000);
        const size_t *found = sp_map_find(&m, sp_str_of(keys[i]));

        assert_int_equal(found != NULL, is_in[i]);
        assert_true(found == NULL || *found == values[i]);
        if (json_gen_below(&g, 4) > 0 ? grows : !grows) {
            bool is_new;
            size_t *put = sp_map_put(&m, sp_str_of(keys[i]), &is_new);

            assert_int_equal(is_new, !is_in[i]);
            assert_int_equal(*put, is_in[i] ? values[i] : 0);
            *put = values[i] = value;
            n += is_new;
            is_in[i] = true;
        } else {
            assert_int_equal(sp_map_take(&m, sp_str_of(keys[i])).p != NULL, is_in[i]);
            n -= is_in[i];
            is_in[i] = false;
        }
        assert_int_equal(m.n, n);
    }
    sp_map_deinit(&m);
}

static void map_is_empty_again_after_its_end(void **state)
{
    static const struct sp_map empty;
    struct sp_map m = {0};

    (void)state;
    for (int i = 0; i < 2; i++) {
        sp_map_put(&m, SP_STR("a"), NULL);
        sp_map_deinit(&m);
        assert_memory_equal(&m, &empty, sizeof m);
        assert_null(sp_map_find(&m, SP_STR("a")));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(map_begins_empty),
        cmocka_unit_test(map_finds_a_key_by_its_bytes),
        cmocka_unit_test(map_takes_an_empty_key),
        cmocka_unit_test(map_gives_back_the_bytes_a_key_was_put_in_with),
        cmocka_unit_test(map_forgets_the_value_with_the_key),
        cmocka_unit_test(map_holds_many_keys),
        cmocka_unit_test(map_stays_small_while_keys_come_and_go),
        cmocka_unit_test(map_walks_each_key_once),
        cmocka_unit_test(map_agrees_with_a_list),
        cmocka_unit_test(map_is_empty_again_after_its_end),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
