/* Which sessions are held out: the first ones by a scrambled hash of their ids. */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "base/sp_buf.h"
#include "flow/decide.h"
#include "flow/explore.h"
#include "learn/heldout.h"

struct ranked {
    uint64_t rank;
    size_t place; /* among the ids */
};

uint64_t heldout_rank(struct sp_str text)
{
    return explore_scramble(decide_hash(text));
}

/* Of equal ids the one that stands first comes first. */
static int cmp_ranked(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Three tenths, rounded, a half up: of two or more neither none nor all. */
static size_t n_heldout(size_t n)
{
    return (3 * n + 5) / 10;
}

void heldout_pick(const struct sp_str *ids, size_t n, bool *ret)
{
    struct ranked *ranked = sp_calloc(n, sizeof *ranked);
    size_t n_held = n_heldout(n);
    struct sp_buf text = {0};

    for (size_t i = 0; i < n; i++) {
        sp_buf_clear(&text);
        sp_buf_add(&text, SP_STR("learn-split/"));
        sp_buf_add(&text, ids[i]);
        ranked[i] = (struct ranked){heldout_rank(sp_buf_str(&text)), i};
    }
    qsort(ranked, n, sizeof *ranked, cmp_ranked);
    for (size_t i = 0; i < n; i++)
        ret[ranked[i].place] = i < n_held;
    free(ranked);
    sp_buf_deinit(&text);
}
