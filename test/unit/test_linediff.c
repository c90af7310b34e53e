/* Tests of config/linediff.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "config/linediff.h"
#include "json_gen.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

struct diff_case {
    const char *before;
    const char *after;
    const char *diff; /* behind the two first lines */
};

static void linediff_shows_changes_with_three_lines_around_them(void **state)
{
    static const struct diff_case cases[] = {
        {"a\n", "b\n", "@@ -1,1 +1,1 @@\n-a\n+b\n"},
        {"", "a\n", "@@ -0,0 +1,1 @@\n+a\n"},
        {"a\n", "", "@@ -1,1 +0,0 @@\n-a\n"},
        {"a", "a\n", "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"},
        {"1\n2\n3\n4\n5\n", "1\n2\n3\n4\nx\n5",
         "@@ -2,4 +2,5 @@\n 2\n 3\n 4\n-5\n+x\n+5\n\\ No newline at end of file\n"},
        {"a\n1\n2\n3\n4\n5\n6\nb\n", "c\n1\n2\n3\n4\n5\n6\nd\n",
         "@@ -1,8 +1,8 @@\n-a\n+c\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+d\n"},
        {"a\n1\n2\n3\n4\n5\n6\n7\nb\n", "c\n1\n2\n3\n4\n5\n6\n7\nd\n",
         "@@ -1,4 +1,4 @@\n-a\n+c\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+d\n"},
        {"1\r\n2\r\n", "1\r\n", "@@ -1,2 +1,1 @@\n 1\r\n-2\r\n"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_buf b = {0};
        struct sp_buf want = {0};

        sp_buf_addf(&want, "--- a/f\n+++ a/f\n%s", cases[i].diff);
        linediff_put(&b, "a/f", sp_str_of(cases[i].before), sp_str_of(cases[i].after));
        assert_string_equal(sp_buf_cstr(&b), sp_buf_cstr(&want));
        sp_buf_deinit(&b);
        sp_buf_deinit(&want);
    }
}

/* Or patch(1) takes what is before the space for the name. */
static void linediff_ends_a_name_that_has_a_space_with_a_tab(void **state)
{
    struct sp_buf b = {0};

    (void)state;
    linediff_put(&b, "a b/f", SP_STR("a\n"), SP_STR("b\n"));
    assert_string_equal(sp_buf_cstr(&b), "--- a b/f\t\n+++ a b/f\t\n@@ -1,1 +1,1 @@\n-a\n+b\n");
    sp_buf_deinit(&b);
}

static void linediff_of_a_text_and_itself_is_nothing(void **state)
{
    struct sp_buf b = {0};

    (void)state;
    linediff_put(&b, "f", SP_STR("a\nb"), SP_STR("a\nb"));
    linediff_put(&b, "f", SP_STR(""), SP_STR(""));
    assert_int_equal(b.len, 0);
}

/* Takes a line with its end from the front of a text. */
static struct sp_str take_line(struct sp_str *text)
{
    size_t end = sp_str_find(*text, '\n');
    struct sp_str line;

    end += end < text->len;
    line = sp_str_sub(*text, 0, end);
    *text = sp_str_sub(*text, end, text->len);
    return line;
}

/* Appends what a diff makes of a text; every line that it names must be there. */
static void apply(struct sp_str diff, struct sp_str before, struct sp_buf *ret, size_t *ret_n_edits)
{
    size_t at = 0; /* lines of `before` that are done */

    take_line(&diff);
    take_line(&diff);
    *ret_n_edits = 0;
    while (diff.len > 0) {
        struct sp_str line = take_line(&diff);
        unsigned from;
        unsigned n;

        if (sp_str_starts(line, SP_STR("@@"))) {
            struct sp_buf head = {0};

            sp_buf_add(&head, line);
            assert_int_equal(sscanf(sp_buf_cstr(&head), "@@ -%u,%u", &from, &n), 2);
            sp_buf_deinit(&head);
            for (from -= n > 0; at < from; at++)
                sp_buf_add(ret, take_line(&before));
            continue;
        }
        if (sp_str_starts(diff, SP_STR("\\"))) {
            take_line(&diff);
            line.len--;
        }
        if (line.p[0] != '+') {
            assert_true(sp_str_eq(take_line(&before), sp_str_sub(line, 1, line.len)));
            at++;
        }
        if (line.p[0] != '-')
            sp_buf_add(ret, sp_str_sub(line, 1, line.len));
        *ret_n_edits += line.p[0] != ' ';
    }
    sp_buf_add(ret, before);
}

/* The fewest edits from one text of lines with one letter each to another. */
static size_t fewest(struct sp_str a, struct sp_str b)
{
    size_t n = a.len / 2;
    size_t m = b.len / 2;
    size_t *row = sp_calloc((n + 1) * (m + 1), sizeof *row);
    size_t result;

    for (size_t i = 0; i <= n; i++) {
        for (size_t k = 0; k <= m; k++) {
            size_t *d = &row[i * (m + 1) + k];

            if (i == 0 || k == 0)
                *d = i + k;
            else if (a.p[2 * i - 2] == b.p[2 * k - 2])
                *d = row[(i - 1) * (m + 1) + k - 1];
            else
                *d = 1 + (row[(i - 1) * (m + 1) + k] < row[i * (m + 1) + k - 1]
                              ? row[(i - 1) * (m + 1) + k]
                              : row[i * (m + 1) + k - 1]);
        }
    }
    result = row[n * (m + 1) + m];
    free(row);
    return result;
}

static void put_lines(struct json_gen *g, struct sp_buf *b)
{
    uint64_t n = json_gen_below(g, 40);
    uint64_t n_letters = 1 + json_gen_below(g, 6);

    for (; n > 0; n--)
        sp_buf_addf(b, "%c\n", (char)('a' + json_gen_below(g, n_letters)));
}

static void linediff_applied_gives_the_other_text_by_fewest_edits(void **state)
{
    struct json_gen g = {40};

    (void)state;
    for (int round = 0; round < 5000; round++) {
        struct sp_buf before = {0};
        struct sp_buf after = {0};
        struct sp_buf diff = {0};
        struct sp_buf got = {0};
        size_t n_edits;

        put_lines(&g, &before);
        put_lines(&g, &after);
        linediff_put(&diff, "f", sp_buf_str(&before), sp_buf_str(&after));
        apply(sp_buf_str(&diff), sp_buf_str(&before), &got, &n_edits);
        assert_string_equal(sp_buf_cstr(&got), sp_buf_cstr(&after));
        assert_int_equal(n_edits, fewest(sp_buf_str(&before), sp_buf_str(&after)));
        sp_buf_deinit(&before);
        sp_buf_deinit(&after);
        sp_buf_deinit(&diff);
        sp_buf_deinit(&got);
    }
}

static void linediff_gives_up_on_thousands_of_edits(void **state)
{
    struct sp_buf before = {0};
    struct sp_buf after = {0};
    struct sp_buf diff = {0};
    struct sp_buf got = {0};
    size_t n_edits;

    (void)state;
    for (unsigned i = 0; i < 3000; i++) {
        sp_buf_addf(&before, "same\na%u\n", i);
        sp_buf_addf(&after, "same\nb%u\n", i);
    }
    linediff_put(&diff, "f", sp_buf_str(&before), sp_buf_str(&after));
    apply(sp_buf_str(&diff), sp_buf_str(&before), &got, &n_edits);
    assert_string_equal(sp_buf_cstr(&got), sp_buf_cstr(&after));
    assert_int_equal(n_edits, 2 * 5999);
    sp_buf_deinit(&before);
    sp_buf_deinit(&after);
    sp_buf_deinit(&diff);
    sp_buf_deinit(&got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linediff_shows_changes_with_three_lines_around_them),
        cmocka_unit_test(linediff_ends_a_name_that_has_a_space_with_a_tab),
        cmocka_unit_test(linediff_of_a_text_and_itself_is_nothing),
        cmocka_unit_test(linediff_applied_gives_the_other_text_by_fewest_edits),
        cmocka_unit_test(linediff_gives_up_on_thousands_of_edits),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
