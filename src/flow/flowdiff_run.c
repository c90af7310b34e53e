/* How the program of a flow changed, line by line. */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "flow/flowdiff_parts.h"
#include "flow/markdown.h"
#include "flow/program.h"
#include "flow/program_text.h"

/* Beyond so many pairs of lines none is taken to be kept. */
#define MAX_PAIRS (4 * 1024 * 1024)

struct text_line {
    struct sp_str text;
    size_t number; /* from 1 */
    bool is_kept;
};

/* A program's lines. */
struct listing {
    struct sp_buf text;
    struct text_line *lines;
    size_t n;
};

static void list(struct listing *l, const struct program *p)
{
    struct sp_str rest;
    size_t n = 0;

    program_text_put(&l->text, p);
    for (size_t i = 0; i < l->text.len; i++)
        n += l->text.p[i] == '\n';
    l->lines = sp_calloc(n, sizeof *l->lines);
    rest = sp_buf_str(&l->text);
    while (l->n < n) {
        size_t end = sp_str_find(rest, '\n');

        l->lines[l->n] = (struct text_line){.text = sp_str_sub(rest, 0, end), .number = l->n + 1};
        l->n++;
        rest = sp_str_sub(rest, end + 1, rest.len);
    }
}

static void listing_deinit(struct listing *l)
{
    free(l->lines);
    sp_buf_deinit(&l->text);
}

static bool is_same(const struct text_line *a, const struct text_line *b)
{
    return sp_str_eq(a->text, b->text);
}

static void keep(struct text_line *a, struct text_line *b)
{
    a->is_kept = true;
    b->is_kept = true;
}

/* Marks the lines of a longest common subsequence of two runs of lines. */
static void keep_common(struct text_line *a, size_t n_a, struct text_line *b, size_t n_b)
{
    size_t row = n_b + 1;
    uint32_t *longest; /* by where in `a` and in `b` the rest begins */
    size_t i = 0;
    size_t k = 0;

    if (n_a == 0 || n_b == 0 || n_a > MAX_PAIRS / row)
        return;
    longest = sp_calloc((n_a + 1) * row, sizeof *longest);
    for (i = n_a; i-- > 0;) {
        for (k = n_b; k-- > 0;) {
            uint32_t down = longest[(i + 1) * row + k];
            uint32_t right = longest[i * row + k + 1];

            if (is_same(&a[i], &b[k]))
                longest[i * row + k] = longest[(i + 1) * row + k + 1] + 1;
            else
                longest[i * row + k] = down > right ? down : right;
        }
    }
    for (i = 0, k = 0; i < n_a && k < n_b;) {
        if (is_same(&a[i], &b[k]))
            keep(&a[i++], &b[k++]);
        else if (longest[(i + 1) * row + k] >= longest[i * row + k + 1])
            i++;
        else
            k++;
    }
    free(longest);
}

/* Marks the lines that two programs have in common. */
static void compare_lines(struct listing *from, struct listing *to)
{
    size_t n = from->n < to->n ? from->n : to->n;
    size_t head = 0;
    size_t tail = 0;

    for (; head < n && is_same(&from->lines[head], &to->lines[head]); head++)
        keep(&from->lines[head], &to->lines[head]);
    for (;
         tail < n - head && is_same(&from->lines[from->n - 1 - tail], &to->lines[to->n - 1 - tail]);
         tail++)
        keep(&from->lines[from->n - 1 - tail], &to->lines[to->n - 1 - tail]);
    keep_common(from->lines + head, from->n - head - tail, to->lines + head, to->n - head - tail);
}

/* ---- lines that are in one program only ---- */

struct changed {
    const struct text_line **of;
    size_t n;
};

static struct changed find_changed(const struct listing *l)
{
    struct changed changed = {.of = sp_calloc(l->n, sizeof(struct text_line *))};

    for (size_t i = 0; i < l->n; i++) {
        if (!l->lines[i].is_kept)
            changed.of[changed.n++] = &l->lines[i];
    }
    return changed;
}

static int cmp_lines(const void *a, const void *b)
{
    const struct text_line *x = *(const struct text_line *const *)a;
    const struct text_line *y = *(const struct text_line *const *)b;
    int c = sp_str_cmp(x->text, y->text);

    return c != 0 ? c : (x->number > y->number) - (x->number < y->number);
}

static void sort(struct changed *changed)
{
    if (changed->n > 0)
        qsort(changed->of, changed->n, sizeof *changed->of, cmp_lines);
}

/* Whether what was taken out was put in elsewhere; both are sorted. */
static bool has_same_lines(const struct changed *a, const struct changed *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++) {
        if (!is_same(a->of[i], b->of[i]))
            return false;
    }
    return true;
}

/* ---- the changes ---- */

static void list_lines(struct flowdiff *d, const struct listing *l, const char *what)
{
    for (size_t i = 0; i < l->n; i++) {
        struct sp_buf *b;

        if (l->lines[i].is_kept)
            continue;
        b = flowdiff_begin(d);
        sp_buf_addf(b, "Program line %zu %s: ", l->lines[i].number, what);
        markdown_put_code(b, l->lines[i].text);
        flowdiff_end(d, FLOWDIFF_REVIEW);
    }
}

static void list_order(struct flowdiff *d, const struct changed *from, const struct changed *to)
{
    struct sp_buf *b = flowdiff_begin(d);

    sp_buf_add(b, SP_STR("Program lines only reordered: "));
    for (size_t i = 0; i < from->n; i++) {
        if (i > 0)
            sp_buf_add(b, SP_STR(", "));
        markdown_put_code(b, from->of[i]->text);
        sp_buf_addf(b, " (%zu → %zu)", from->of[i]->number, to->of[i]->number);
    }
    flowdiff_end(d, FLOWDIFF_REVIEW);
}

static void list_changes(struct flowdiff *d, const struct listing *from, const struct listing *to)
{
    struct changed removed = find_changed(from);
    struct changed added = find_changed(to);

    sort(&removed);
    sort(&added);
    if (removed.n + added.n == 0) {
        sp_buf_add(flowdiff_begin(d), SP_STR("The program changed, but not its text"));
        flowdiff_end(d, FLOWDIFF_REVIEW);
    } else if (has_same_lines(&removed, &added)) {
        list_order(d, &removed, &added);
    } else {
        list_lines(d, to, "added");
        list_lines(d, from, "removed");
    }
    free(removed.of);
    free(added.of);
}

static bool is_same_program(const struct program *a, const struct program *b)
{
    struct sp_buf x = {0};
    struct sp_buf y = {0};
    bool is_same;

    program_put(&x, a);
    program_put(&y, b);
    is_same = sp_str_eq(sp_buf_str(&x), sp_buf_str(&y));
    sp_buf_deinit(&x);
    sp_buf_deinit(&y);
    return is_same;
}

void flowdiff_run(struct flowdiff *d)
{
    struct listing from = {0};
    struct listing to = {0};

    if (is_same_program(d->old_flow->program, d->new_flow->program))
        return;
    list(&from, d->old_flow->program);
    list(&to, d->new_flow->program);
    compare_lines(&from, &to);
    list_changes(d, &from, &to);
    listing_deinit(&from);
    listing_deinit(&to);
}
