/* Tests of base/sp_arena.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/sp_arena.h"
#include "json_gen.h"

#define N_PIECES 4000

static void arena_gives_zeroed_memory_aligned_for_any_type(void **state)
{
    static const size_t sizes[] = {1, 3, 8, 16, 17, 0, 100, 4000, 4096, 65536, 65537, 300000, 5};
    struct sp_arena a = {0};

    (void)state;
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            unsigned char *p = sp_arena_alloc(&a, sizes[i]);

            assert_non_null(p);
            assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
            for (size_t k = 0; k < sizes[i]; k++)
                assert_int_equal(p[k], 0);
            if (sizes[i] > 0)
                memset(p, 0xff, sizes[i]);
        }
    }
    sp_arena_deinit(&a);
}

static void arena_begins_with_a_piece_of_any_size(void **state)
{
    static const size_t sizes[] = {0, 1, 4000, 4001, 1000000};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct sp_arena a = {0};
        unsigned char *p = sp_arena_alloc(&a, sizes[i]);
        unsigned char *q = sp_arena_alloc(&a, 16);

        memset(p, 1, sizes[i]);
        memset(q, 2, 16);
        assert_true(sizes[i] == 0 || p[sizes[i] - 1] == 1);
        sp_arena_deinit(&a);
    }
}

/* Every piece is filled with a byte of its own, and all are read when the last one is taken. */
static void arena_keeps_pieces_apart_and_in_place(void **state)
{
    static unsigned char *pieces[N_PIECES];
    static size_t sizes[N_PIECES];
    struct json_gen g = {77};
    struct sp_arena a = {0};

    (void)state;
    for (size_t i = 0; i < N_PIECES; i++) {
        sizes[i] = json_gen_below(&g, json_gen_below(&g, 200) == 0 ? 200000 : 100);
        pieces[i] = sp_arena_alloc(&a, sizes[i]);
        memset(pieces[i], (int)(i % 251), sizes[i]);
    }
    for (size_t i = 0; i < N_PIECES; i++) {
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(pieces[i][k], i % 251);
    }
    sp_arena_deinit(&a);
}

static void arena_copies_bytes(void **state)
{
    char text[] = "a\0b";
    struct sp_arena a = {0};
    struct sp_str copy = sp_arena_copy(&a, (struct sp_str){text, 3});

    (void)state;
    memset(text, '?', sizeof text);
    assert_int_equal(copy.len, 3);
    assert_memory_equal(copy.p, "a\0b", 3);
    copy = sp_arena_copy(&a, (struct sp_str){0});
    assert_int_equal(copy.len, 0);
    assert_non_null(copy.p);
    copy = sp_arena_copy(&a, SP_STR(""));
    assert_int_equal(copy.len, 0);
    assert_non_null(copy.p);
    sp_arena_deinit(&a);
}

static void arena_is_empty_again_after_its_end(void **state)
{
    static const struct sp_arena empty;
    struct sp_arena a = {0};

    (void)state;
    sp_arena_deinit(&a);
    for (int i = 0; i < 3; i++) {
        (void)sp_arena_copy(&a, SP_STR("text"));
        sp_arena_deinit(&a);
        assert_memory_equal(&a, &empty, sizeof a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_gives_zeroed_memory_aligned_for_any_type),
        cmocka_unit_test(arena_begins_with_a_piece_of_any_size),
        cmocka_unit_test(arena_keeps_pieces_apart_and_in_place),
        cmocka_unit_test(arena_copies_bytes),
        cmocka_unit_test(arena_is_empty_again_after_its_end),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
