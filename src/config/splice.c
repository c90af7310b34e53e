/* Changes of a text. */

#include <assert.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "config/splice.h"

struct splice_piece {
    size_t from;
    size_t to;
    struct sp_str text;
};

void splice_add(struct splice *s, size_t from, size_t to, struct sp_str text)
{
    if (s->n == s->cap) {
        s->cap = s->cap > 0 ? s->cap * 2 : 8;
        s->pieces = sp_realloc(s->pieces, s->cap * sizeof *s->pieces);
    }
    s->pieces[s->n] = (struct splice_piece){from, to, sp_arena_copy(&s->arena, text)};
    s->n++;
}

static int cmp_pieces(const void *a, const void *b)
{
    const struct splice_piece *x = a;
    const struct splice_piece *y = b;

    return (x->from > y->from) - (x->from < y->from);
}

void splice_apply(struct splice *s, struct sp_str source, size_t from, size_t to,
                  struct sp_buf *ret)
{
    if (s->n > 0)
        qsort(s->pieces, s->n, sizeof *s->pieces, cmp_pieces);
    for (size_t i = 0; i < s->n; i++) {
        const struct splice_piece *piece = &s->pieces[i];

        assert(i == 0 || piece->from > s->pieces[i - 1].from);
        assert(piece->from >= from && piece->to >= piece->from && piece->to <= to);
        sp_buf_add(ret, sp_str_sub(source, from, piece->from));
        sp_buf_add(ret, piece->text);
        from = piece->to;
    }
    sp_buf_add(ret, sp_str_sub(source, from, to));
}

void splice_deinit(struct splice *s)
{
    free(s->pieces);
    sp_arena_deinit(&s->arena);
    *s = (struct splice){0};
}
