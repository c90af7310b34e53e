/*
 * Tests of trace/saidtext.h against memmem() on the same text put together.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json_gen.h"
#include "trace/saidtext.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

/* Long enough for an index of several blocks, of which the last have longer chunks. */
#define LONG_TEXT (300 * 1024)

/* A text and the same as one plain concatenation. */
struct both {
    struct saidtext said;
    struct sp_buf plain;
    struct json_gen gen;
    size_t n_found;
    size_t n_absent;
};

static void add(struct both *b, struct sp_str piece)
{
    saidtext_add(&b->said, piece);
    sp_buf_add(&b->plain, piece);
}

/* Appends `len` random characters of an alphabet, in pieces of random lengths. */
static void add_random(struct both *b, struct sp_str alphabet, size_t len)
{
    static const size_t max_lens[] = {2, 30, 1000, 5000};
    char piece[5000];

    while (len > 0) {
        size_t n = json_gen_below(&b->gen, max_lens[json_gen_below(&b->gen, N_OF(max_lens))]);

        n = n < len ? n : len;
        for (size_t i = 0; i < n; i++)
            piece[i] = alphabet.p[json_gen_below(&b->gen, alphabet.len)];
        add(b, (struct sp_str){piece, n});
        len -= n;
    }
}

static void assert_same(struct both *b, struct sp_str value)
{
    struct sp_str plain = sp_buf_str(&b->plain);
    bool is_there = memmem(plain.p, plain.len, value.p, value.len) != NULL;

    if (saidtext_has(&b->said, value) != is_there)
        fail_msg("'%.*s' is %sin a text of %zu bytes", SP_STR_ARG(value), is_there ? "" : "not ",
                 plain.len);
    b->n_found += is_there;
    b->n_absent += !is_there;
}

/* Asks for the bytes at a place, and for the same with one byte changed. */
static void assert_same_at(struct both *b, size_t at, size_t len)
{
    struct sp_buf value = {0};

    sp_buf_add(&value, sp_str_sub(sp_buf_str(&b->plain), at, at + len));
    assert_same(b, sp_buf_str(&value));
    value.p[json_gen_below(&b->gen, len)] ^= (char)(1 + json_gen_below(&b->gen, 3));
    assert_same(b, sp_buf_str(&value));
    sp_buf_deinit(&value);
}

/* Asks for values of all lengths from 1 to 40, and for some long ones, from random places. */
static void assert_same_anywhere(struct both *b)
{
    static const size_t long_lens[] = {63, 64, 65, 66, 200, 1025, 5000, 40000};

    for (size_t len = 1; len <= 40 && len <= b->plain.len; len++)
        assert_same_at(b, json_gen_below(&b->gen, b->plain.len - len + 1), len);
    for (size_t i = 0; i < N_OF(long_lens) && long_lens[i] <= b->plain.len; i++)
        assert_same_at(b, json_gen_below(&b->gen, b->plain.len - long_lens[i] + 1), long_lens[i]);
}

static void deinit(struct both *b)
{
    saidtext_deinit(&b->said);
    sp_buf_deinit(&b->plain);
}

static void saidtext_finds_what_memmem_finds_as_the_text_grows(void **state)
{
    static const struct sp_str alphabets[] = {
        {"a", 1},
        {"ab", 2},
        {"abc\0", 4},
        {"0123456789", 10},
        {"\xff\xfe K7", 5},
        {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 64},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(alphabets); i++) {
        struct both b = {.gen = {7 + i}};

        while (b.plain.len < LONG_TEXT) {
            add_random(&b, alphabets[i], json_gen_below(&b.gen, b.plain.len + 40));
            assert_same_anywhere(&b);
        }
        assert_true(b.n_found > 300);
        assert_true(b.n_absent > 100);
        assert_true(sp_str_eq(saidtext_str(&b.said), sp_buf_str(&b.plain)));
        deinit(&b);
    }
}

/* Records with ids in a row: all that tells one from another is a few bytes. */
static void saidtext_tells_ids_of_one_pattern_apart(void **state)
{
    struct both b = {.gen = {11}};
    struct sp_buf text = {0};

    (void)state;
    for (unsigned i = 0; i < 20000; i += 2) {
        sp_buf_clear(&text);
        sp_buf_addf(&text, "{\"id\":\"order_%06u\",\"state\":\"open\",\"n\":%u},", i, i % 7);
        add(&b, sp_buf_str(&text));
    }
    for (unsigned i = 0; i < 20010; i += 31) {
        sp_buf_clear(&text);
        sp_buf_addf(&text, "order_%06u", i);
        assert_same(&b, sp_buf_str(&text));
        for (size_t n = 2; n < 8; n++)
            assert_same(&b, sp_str_sub(sp_buf_str(&text), text.len - n, text.len));
    }
    sp_buf_deinit(&text);
    deinit(&b);
}

/* Pairs of bytes at the beginning of a long text, each followed by another byte. */
static void saidtext_finds_two_bytes_whatever_follows_them(void **state)
{
    struct both b = {.gen = {37}};

    (void)state;
    for (int c = 0; c < 256; c += 2)
        add(&b, (struct sp_str){(char[]){(char)c, '~', (char)(255 - c)}, 3});
    add_random(&b, SP_STR("ab"), LONG_TEXT);
    for (int c = 0; c < 256; c++)
        assert_same(&b, (struct sp_str){(char[]){(char)c, '~'}, 2});
    deinit(&b);
}

/* Every place near where a chunk of any size or a block may begin; the end of the text too. */
static void saidtext_finds_values_across_every_border(void **state)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/";
    static const size_t lens[] = {2, 3, 4, 5, 6, 7, 12, 40, 70, 1500};
    struct both b = {.gen = {13}};

    (void)state;
    add_random(&b, SP_STR(letters), LONG_TEXT);
    for (size_t border = 1024; border <= b.plain.len; border += 1024) {
        for (size_t i = 0; i < N_OF(lens); i++) {
            size_t at = border + json_gen_below(&b.gen, 3) - 1;
            size_t before = 1 + json_gen_below(&b.gen, lens[i]);

            if (at >= before && at - before + lens[i] <= b.plain.len)
                assert_same_at(&b, at - before, lens[i]);
        }
    }
    for (size_t len = 1; len < 30000; len += 1 + len / 20)
        assert_same_at(&b, b.plain.len - len, len);
    deinit(&b);
}

/* One byte over and over, so that every place looks as if the value were there. */
static void saidtext_is_exact_where_all_looks_alike(void **state)
{
    static const size_t lens[] = {10, 100, 5000, 100000};
    struct both b = {.gen = {17}};
    struct sp_buf value = {0};

    (void)state;
    add_random(&b, SP_STR("a"), LONG_TEXT);
    add(&b, SP_STR("b"));
    add_random(&b, SP_STR("a"), LONG_TEXT);
    for (size_t i = 0; i < N_OF(lens); i++) {
        for (size_t at = 0; at <= lens[i]; at += lens[i] / 10) {
            sp_buf_clear(&value);
            memset(sp_buf_reserve(&value, lens[i] + 1), 'a', lens[i] + 1);
            value.len = lens[i] + 1;
            value.p[at] = 'b';
            assert_same(&b, sp_buf_str(&value));
            value.p[at] = 'c';
            assert_same(&b, sp_buf_str(&value));
            value.p[at] = 'b';
            value.p[lens[i] / 2 + 1] = 'b';
            assert_same(&b, sp_buf_str(&value));
        }
    }
    sp_buf_deinit(&value);
    deinit(&b);
}

static void saidtext_does_not_depend_on_how_the_text_came(void **state)
{
    struct both b = {.gen = {19}};
    struct saidtext at_once = {0};

    (void)state;
    add_random(&b, SP_STR("0123456789abcdef"), LONG_TEXT);
    saidtext_add(&at_once, sp_buf_str(&b.plain));
    saidtext_deinit(&b.said);
    b.said = at_once;
    for (int i = 0; i < 20; i++)
        assert_same_anywhere(&b);
    deinit(&b);
}

/* Texts of all lengths move behind others: without an index, with one, with one worth moving. */
static void saidtext_is_as_one_text_when_others_move_into_it(void **state)
{
    static const size_t lens[] = {0, 1, 70000, 1100000, 10, 66000, 300000, 1, 1200000, 100, 40000};
    struct both b = {.gen = {23}};

    (void)state;
    for (size_t i = 0; i < N_OF(lens); i++) {
        size_t border = b.plain.len;
        struct both part = {.gen = {29 + i}};

        add_random(&part, i % 2 > 0 ? SP_STR("0123456789") : SP_STR("ghijklmnopqrstuv"), lens[i]);
        sp_buf_add(&b.plain, sp_buf_str(&part.plain));
        saidtext_move(&b.said, &part.said);
        assert_int_equal(saidtext_str(&part.said).len, 0);
        assert_false(saidtext_has(&part.said, SP_STR("1")));
        assert_false(saidtext_has(&part.said, SP_STR("12")));
        deinit(&part);
        assert_true(sp_str_eq(saidtext_str(&b.said), sp_buf_str(&b.plain)));
        add_random(&b, SP_STR("ABCDEFGHIJKLMNOP"), json_gen_below(&b.gen, 20));
        assert_same_anywhere(&b);
        for (size_t len = 2; len < 100; len += 1 + len / 8) {
            size_t at = border - json_gen_below(&b.gen, len + 1);

            if (at <= b.plain.len && b.plain.len - at >= len)
                assert_same_at(&b, at, len);
        }
    }
    deinit(&b);
}

static void saidtext_that_was_moved_begins_anew(void **state)
{
    struct both b = {.gen = {31}};

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct saidtext all = {0};

        add_random(&b, SP_STR("abcdefghij"), LONG_TEXT);
        assert_same_anywhere(&b);
        assert_false(saidtext_has(&b.said, SP_STR("123")));
        saidtext_move(&all, &b.said);
        assert_true(sp_str_eq(saidtext_str(&all), sp_buf_str(&b.plain)));
        saidtext_deinit(&all);
        sp_buf_clear(&b.plain);
        add_random(&b, SP_STR("0123456789"), LONG_TEXT);
        assert_same_anywhere(&b);
        saidtext_move(&all, &b.said);
        saidtext_deinit(&all);
        sp_buf_clear(&b.plain);
    }
    deinit(&b);
}

static void saidtext_holds_only_the_empty_value_when_empty(void **state)
{
    struct saidtext t = {0};

    (void)state;
    assert_true(saidtext_has(&t, SP_STR("")));
    assert_false(saidtext_has(&t, SP_STR("a")));
    assert_int_equal(saidtext_str(&t).len, 0);
    saidtext_add(&t, SP_STR(""));
    assert_false(saidtext_has(&t, SP_STR("ab")));
    saidtext_add(&t, SP_STR("a"));
    saidtext_add(&t, SP_STR("b"));
    assert_true(saidtext_has(&t, SP_STR("ab")));
    assert_true(saidtext_has(&t, SP_STR("")));
    assert_false(saidtext_has(&t, SP_STR("abc")));
    saidtext_deinit(&t);
    saidtext_deinit(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saidtext_finds_what_memmem_finds_as_the_text_grows),
        cmocka_unit_test(saidtext_tells_ids_of_one_pattern_apart),
        cmocka_unit_test(saidtext_finds_two_bytes_whatever_follows_them),
        cmocka_unit_test(saidtext_finds_values_across_every_border),
        cmocka_unit_test(saidtext_is_exact_where_all_looks_alike),
        cmocka_unit_test(saidtext_does_not_depend_on_how_the_text_came),
        cmocka_unit_test(saidtext_is_as_one_text_when_others_move_into_it),
        cmocka_unit_test(saidtext_that_was_moved_begins_anew),
        cmocka_unit_test(saidtext_holds_only_the_empty_value_when_empty),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
