/*
 * Unified diffs, by the greedy algorithm of Myers: for each number of edits, in turn, how far each
 * diagonal of the two texts' grid is reached. What was reached is kept for each number, and the way
 * is read back from its end.
 */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "config/linediff.h"

#define CONTEXT 3

/* Beyond so many edits all that lies between the first and the last of them counts as changed. */
#define MAX_EDITS 2048

struct lines {
    struct sp_str *of; /* with their ends */
    bool *is_kept;     /* it stands in the other text too */
    size_t n;
};

/* ---- lines ---- */

static void split(struct lines *l, struct sp_str text)
{
    size_t n = 1;

    for (size_t i = 0; i < text.len; i++)
        n += text.p[i] == '\n';
    l->of = sp_calloc(n, sizeof *l->of);
    l->is_kept = sp_calloc(n, sizeof *l->is_kept);
    while (text.len > 0) {
        size_t end = sp_str_find(text, '\n');

        end += end < text.len;
        l->of[l->n++] = sp_str_sub(text, 0, end);
        text = sp_str_sub(text, end, text.len);
    }
}

static void lines_deinit(struct lines *l)
{
    free(l->of);
    free(l->is_kept);
}

/* ---- what is kept ---- */

/* The runs of lines that are compared. */
struct run {
    struct lines *a;
    struct lines *b;
    size_t from; /* of both: what comes before is the same */
    long n_a;
    long n_b;
};

static bool is_same(const struct run *r, long x, long y)
{
    return sp_str_eq(r->a->of[r->from + (size_t)x], r->b->of[r->from + (size_t)y]);
}

static void keep(const struct run *r, long x, long y)
{
    r->a->is_kept[r->from + (size_t)x] = true;
    r->b->is_kept[r->from + (size_t)y] = true;
}

/* Where diagonal `k` is entered after `d` edits, from what was reached by one fewer. */
static long enter(const long *reached, long d, long k)
{
    if (d == 0)
        return 0;
    if (k == -d || (k != d && reached[k - 1] < reached[k + 1]))
        return reached[k + 1];
    return reached[k - 1] + 1;
}

/* Marks the lines on the way that ends behind `d` edits; `rows[i]` was reached by `i`. */
static void trace_back(const struct run *r, long **rows, long d)
{
    long x = r->n_a;
    long y = r->n_b;

    for (; d >= 0; d--) {
        const long *reached = d > 0 ? rows[d - 1] : NULL;
        long k = x - y;
        long start = enter(reached, d, k);

        while (x > start) {
            x--;
            y--;
            keep(r, x, y);
        }
        if (d > 0 && (k == -d || (k != d && reached[k - 1] < reached[k + 1])))
            y--;
        else
            x--;
    }
}

/* Finds a shortest way and marks what it keeps; nothing when it is too long. */
static void compare(const struct run *r)
{
    long max = r->n_a + r->n_b < MAX_EDITS ? r->n_a + r->n_b : MAX_EDITS;
    long **rows = sp_calloc((size_t)max + 1, sizeof *rows); /* each at its diagonal 0 */
    bool is_found = false;
    long d;

    for (d = 0; d <= max && !is_found; d++) {
        long *row = (long *)sp_calloc(2 * (size_t)d + 1, sizeof *row) + d;

        rows[d] = row;
        for (long k = -d; k <= d && !is_found; k += 2) {
            long x = enter(d > 0 ? rows[d - 1] : NULL, d, k);

            while (x < r->n_a && x - k < r->n_b && is_same(r, x, x - k))
                x++;
            row[k] = x;
            is_found = x >= r->n_a && x - k >= r->n_b;
        }
    }
    if (is_found)
        trace_back(r, rows, d - 1);
    for (long i = 0; i < d; i++)
        free(rows[i] - i);
    free(rows);
}

static void find_kept(struct lines *a, struct lines *b)
{
    size_t from = 0;
    size_t end_a = a->n;
    size_t end_b = b->n;
    struct run r;

    while (from < end_a && from < end_b && sp_str_eq(a->of[from], b->of[from])) {
        a->is_kept[from] = true;
        b->is_kept[from] = true;
        from++;
    }
    while (end_a > from && end_b > from && sp_str_eq(a->of[end_a - 1], b->of[end_b - 1])) {
        end_a--;
        end_b--;
        a->is_kept[end_a] = true;
        b->is_kept[end_b] = true;
    }
    r = (struct run){a, b, from, (long)(end_a - from), (long)(end_b - from)};
    compare(&r);
}

/* ---- the diff ---- */

static void put_line(struct sp_buf *b, char mark, struct sp_str line)
{
    sp_buf_add_char(b, mark);
    sp_buf_add(b, line);
    if (!sp_str_ends(line, SP_STR("\n")))
        sp_buf_add(b, SP_STR("\n\\ No newline at end of file\n"));
}

/* A hunk: lines `a` and `b` up to, not including, `end_a` and `end_b`. */
struct hunk {
    size_t a;
    size_t end_a;
    size_t b;
    size_t end_b;
};

static void put_range(struct sp_buf *b, char mark, size_t from, size_t to)
{
    sp_buf_addf(b, "%c%zu,%zu", mark, to > from ? from + 1 : from, to - from);
}

static void put_hunk(struct sp_buf *out, const struct lines *a, const struct lines *b,
                     struct hunk h)
{
    sp_buf_add(out, SP_STR("@@ "));
    put_range(out, '-', h.a, h.end_a);
    sp_buf_add_char(out, ' ');
    put_range(out, '+', h.b, h.end_b);
    sp_buf_add(out, SP_STR(" @@\n"));
    while (h.a < h.end_a || h.b < h.end_b) {
        if (h.a < h.end_a && !a->is_kept[h.a]) {
            put_line(out, '-', a->of[h.a++]);
        } else if (h.b < h.end_b && !b->is_kept[h.b]) {
            put_line(out, '+', b->of[h.b++]);
        } else {
            put_line(out, ' ', a->of[h.a]);
            h.a++;
            h.b++;
        }
    }
}

/* Moves both sides over the change that they are at. */
static void skip_change(const struct lines *a, const struct lines *b, size_t *i, size_t *k)
{
    while (*i < a->n && !a->is_kept[*i])
        ++*i;
    while (*k < b->n && !b->is_kept[*k])
        ++*k;
}

static void put_hunks(struct sp_buf *out, const struct lines *a, const struct lines *b)
{
    struct hunk h = {0};
    bool is_open = false;
    size_t i = 0;
    size_t k = 0;

    while (i < a->n || k < b->n) {
        if (i < a->n && a->is_kept[i] && k < b->n && b->is_kept[k]) {
            if (is_open && i - h.end_a == 2 * CONTEXT) {
                h.end_a += CONTEXT;
                h.end_b += CONTEXT;
                put_hunk(out, a, b, h);
                is_open = false;
            }
            i++;
            k++;
            continue;
        }
        if (!is_open) {
            size_t before = i < CONTEXT ? i : CONTEXT;

            h = (struct hunk){.a = i - before, .b = k - before};
            is_open = true;
        }
        skip_change(a, b, &i, &k);
        h.end_a = i;
        h.end_b = k;
    }
    if (is_open) {
        size_t behind = a->n - h.end_a < CONTEXT ? a->n - h.end_a : CONTEXT;

        h.end_a += behind;
        h.end_b += behind;
        put_hunk(out, a, b, h);
    }
}

void linediff_put(struct sp_buf *b, const char *path, struct sp_str before, struct sp_str after)
{
    const char *end = strchr(path, ' ') != NULL ? "\t" : ""; /* or the name ends there */
    struct lines old = {0};
    struct lines new = {0};

    if (sp_str_eq(before, after))
        return;
    split(&old, before);
    split(&new, after);
    find_kept(&old, &new);
    sp_buf_addf(b, "--- %s%s\n+++ %s%s\n", path, end, path, end);
    put_hunks(b, &old, &new);
    lines_deinit(&old);
    lines_deinit(&new);
}
