/* Tests of mcp/framer.h and mcp/line.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "json_gen.h"
#include "base/sp_alloc.h"
#include "mcp/framer.h"

static const struct sp_str streams[] = {
    SP_STR(""),
    SP_STR("\n"),
    SP_STR("\n\n\n"),
    SP_STR("a\n\n\r\nb\0c\377\nlast"),
    SP_STR("no newline"),
    SP_STR("one\ntwo\nthree\n"),
    SP_STR("\r\r\n\r"),
    SP_STR("\0\n\0\0"),
    SP_STR("\f\v\x85\xe2\x80\xa8\n{\"a\":1}\n"),
};

/* Checks a line against the next one of the stream, found naively, and drops it. */
static void check_line(struct line *line, struct sp_str *stream, uint64_t t_ms)
{
    size_t len = 0;

    while (len < stream->len && stream->p[len] != '\n')
        len++;
    if (len < stream->len)
        len++;
    assert_true(len > 0);
    assert_int_equal(line->len, len);
    assert_memory_equal(line->bytes, stream->p, len);
    assert_int_equal(line->from, LINE_SERVER);
    assert_int_equal(line->t_ms, t_ms);
    assert_true(line->cap >= line->len);
    assert_true(line_is_unique(line));
    line_unref(line);
    *stream = sp_str_sub(*stream, len, stream->len);
}

/* Feeds one piece from memory that is gone afterwards, as a read buffer is. */
static void feed(struct framer *f, struct sp_str piece, struct sp_str *left, uint64_t t_ms)
{
    char *copy = sp_malloc(piece.len);
    struct sp_str bytes = {copy, piece.len};
    struct line *line;

    if (piece.len > 0)
        memcpy(copy, piece.p, piece.len);
    while ((line = framer_next(f, &bytes, t_ms)) != NULL)
        check_line(line, left, t_ms);
    assert_int_equal(bytes.len, 0);
    assert_ptr_equal(bytes.p, copy + piece.len);
    free(copy);
}

static void finish(struct framer *f, struct sp_str left, uint64_t t_ms)
{
    struct line *line = framer_finish(f, t_ms);

    assert_int_equal(line != NULL, left.len > 0);
    if (line != NULL)
        check_line(line, &left, t_ms);
    assert_int_equal(left.len, 0);
    assert_null(framer_finish(f, t_ms));
    framer_deinit(f);
}

static void framer_cuts_alike_at_every_two_split_points(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        struct sp_str s = streams[i];

        for (size_t a = 0; a <= s.len; a++) {
            for (size_t b = a; b <= s.len; b++) {
                struct sp_str left = s;
                struct framer f;

                framer_init(&f, LINE_SERVER);
                feed(&f, sp_str_sub(s, 0, a), &left, 1);
                feed(&f, sp_str_sub(s, a, b), &left, 2);
                feed(&f, sp_str_sub(s, b, s.len), &left, 3);
                finish(&f, left, 4);
            }
        }
    }
}

static void framer_gives_a_line_as_soon_as_its_lf_has_come(void **state)
{
    struct sp_str bytes = SP_STR("one\ntw");
    struct framer f;
    struct line *line;

    (void)state;
    framer_init(&f, LINE_CLIENT);
    line = framer_next(&f, &bytes, 5);
    assert_non_null(line);
    assert_int_equal(line->from, LINE_CLIENT);
    assert_int_equal(line->t_ms, 5);
    assert_true(sp_str_eq(line_str(line), SP_STR("one\n")));
    assert_true(sp_str_eq(bytes, SP_STR("tw")));
    line_unref(line);
    assert_null(framer_next(&f, &bytes, 6));
    bytes = SP_STR("o\n");
    line = framer_next(&f, &bytes, 7);
    assert_true(sp_str_eq(line_str(line), SP_STR("two\n")));
    assert_int_equal(line->t_ms, 7);
    line_unref(line);
    framer_deinit(&f);
}

static void framer_agrees_with_a_naive_reader_on_random_pieces(void **state)
{
    static const char alphabet[] = "ab\r\0\377\n";
    struct json_gen g = {.state = 4242};

    (void)state;
    for (int round = 0; round < 3000; round++) {
        char text[2000];
        size_t len = json_gen_below(&g, sizeof text);
        size_t rareness = 1 + json_gen_below(&g, 400);
        struct sp_str left = {text, len};
        struct framer f;

        for (size_t i = 0; i < len; i++)
            text[i] = json_gen_below(&g, rareness) == 0
                          ? '\n'
                          : alphabet[json_gen_below(&g, sizeof alphabet - 2)];
        framer_init(&f, LINE_SERVER);
        for (size_t at = 0; at < len;) {
            size_t n = 1 + json_gen_below(&g, json_gen_below(&g, 2) == 0 ? 4 : 700);

            n = n < len - at ? n : len - at;
            feed(&f, (struct sp_str){text + at, n}, &left, at);
            at += n;
        }
        finish(&f, left, len);
    }
}

static void framer_takes_a_line_of_16_mib(void **state)
{
    static const size_t pieces[] = {1, 4096, 65536, 1 << 24};
    size_t len = 16 * 1024 * 1024;
    char *text = sp_malloc(len + 2);

    (void)state;
    for (size_t i = 0; i < len; i++)
        text[i] = (char)('a' + i % 23);
    text[len - 1] = '\n';
    text[len] = 'x';
    text[len + 1] = '\n';
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        /* For single bytes a part of the line is enough. */
        size_t from = pieces[i] == 1 ? len - 1024 * 1024 : 0;
        struct sp_str left = {text + from, len + 2 - from};
        struct framer f;

        framer_init(&f, LINE_SERVER);
        for (size_t at = from; at < len + 2; at += pieces[i]) {
            size_t n = pieces[i] < len + 2 - at ? pieces[i] : len + 2 - at;

            feed(&f, (struct sp_str){text + at, n}, &left, at);
        }
        finish(&f, left, 9);
    }
    free(text);
}

static void framer_gives_an_unterminated_line_at_the_end(void **state)
{
    struct sp_str bytes = SP_STR("last");
    struct framer f;
    struct line *line;

    (void)state;
    framer_init(&f, LINE_SERVER);
    assert_null(framer_finish(&f, 1));
    assert_null(framer_next(&f, &bytes, 2));
    line = framer_finish(&f, 3);
    assert_true(sp_str_eq(line_str(line), SP_STR("last")));
    assert_int_equal(line->t_ms, 3);
    line_unref(line);
    assert_null(framer_finish(&f, 4));
    framer_deinit(&f);
}

static void framer_deinit_drops_an_unfinished_line(void **state)
{
    struct sp_str bytes = SP_STR("unfinished");
    struct framer f;

    (void)state;
    framer_init(&f, LINE_SERVER);
    assert_null(framer_next(&f, &bytes, 1));
    framer_deinit(&f);
    assert_null(framer_finish(&f, 2));
    framer_deinit(&f);
}

static void line_lives_as_long_as_its_references(void **state)
{
    struct line *line = line_new(0);

    (void)state;
    assert_int_equal(line->len, 0);
    assert_true(line_is_unique(line));
    line = line_resize(line, 100);
    assert_true(line->cap >= 100);
    memcpy(line->bytes, "text", 4);
    line->len = 4;
    assert_ptr_equal(line_ref(line), line);
    assert_false(line_is_unique(line));
    line_unref(line);
    assert_true(line_is_unique(line));
    line = line_resize(line, 4);
    assert_true(sp_str_eq(line_str(line), SP_STR("text")));
    line_unref(line);
    line_unref(NULL);
}

static void line_pool_gives_memory_of_lines_that_are_gone(void **state)
{
    struct line_pool *pool = line_pool_new();
    struct line *line = line_pool_get(pool, 1000), *other;
    void *memory = line, *between;

    (void)state;
    assert_true(line->cap >= 1000 && line->len == 0 && line_is_unique(line));
    memset(line->bytes, 'x', 1000);
    line->len = 1000;
    other = line_pool_get(pool, 10); /* while the first is out there */
    assert_ptr_not_equal(other, memory);
    line_unref(line_ref(line));
    assert_int_equal(line->len, 1000);
    line_unref(line);
    between = sp_malloc(sizeof *line + 1000); /* would get the memory if it were free */
    line = line_pool_get(pool, 900);
    assert_ptr_equal(line, memory);
    assert_true(line->cap >= 900 && line->len == 0 && line_is_unique(line));
    line_unref(line);
    line = line_pool_get(pool, 2000); /* for which there is none */
    assert_true(line->cap >= 2000);
    line = line_resize(line, 3000);
    line_unref(line);
    line_unref(other);
    line_pool_drain(pool);
    line_pool_drain(pool);
    line_pool_free(pool);
    free(between);
}

static void line_pool_goes_with_the_last_of_its_lines(void **state)
{
    struct line_pool *pool = line_pool_new();
    struct line *first = line_pool_get(pool, 10), *second = line_pool_get(pool, 10);

    (void)state;
    memset(second->bytes, 'x', 10);
    line_pool_free(pool);
    line_unref(first);
    assert_int_equal(second->bytes[9], 'x');
    line_unref(second);
    line_pool_free(NULL);
}

/* Long lines in pieces, in between short ones, all held until the framer itself is gone. */
static void framer_lines_outlive_the_framer(void **state)
{
    static struct line *lines[700];
    char *text = sp_malloc(700000);
    struct framer f;
    size_t n = 0;

    (void)state;
    framer_init(&f, LINE_SERVER);
    for (size_t i = 0; i < 700; i++) {
        size_t len = i % 300 == 0 ? 700000 : 5;
        struct sp_str head = {text, len / 2}, tail = {text + len / 2, len - len / 2};

        memset(text, 'a' + (int)(i % 26), len);
        text[len - 1] = '\n';
        assert_null(framer_next(&f, &head, i));
        lines[n] = framer_next(&f, &tail, i);
        if (i % 2 == 0)
            n++;
        else
            line_unref(lines[n]);
    }
    framer_deinit(&f);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(lines[i]->len, i % 150 == 0 ? 700000 : 5);
        assert_int_equal(lines[i]->bytes[0], 'a' + (int)(2 * i % 26));
        assert_int_equal(lines[i]->bytes[lines[i]->len - 2], 'a' + (int)(2 * i % 26));
        line_unref(lines[i]);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(framer_cuts_alike_at_every_two_split_points),
        cmocka_unit_test(framer_gives_a_line_as_soon_as_its_lf_has_come),
        cmocka_unit_test(framer_agrees_with_a_naive_reader_on_random_pieces),
        cmocka_unit_test(framer_takes_a_line_of_16_mib),
        cmocka_unit_test(framer_gives_an_unterminated_line_at_the_end),
        cmocka_unit_test(framer_deinit_drops_an_unfinished_line),
        cmocka_unit_test(framer_lines_outlive_the_framer),
        cmocka_unit_test(line_pool_gives_memory_of_lines_that_are_gone),
        cmocka_unit_test(line_pool_goes_with_the_last_of_its_lines),
        cmocka_unit_test(line_lives_as_long_as_its_references),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
