/* The stand-in without a model. */

#include <stdlib.h>

#include "oracle/oracle.h"

/* The probability of the option that is picked. */
#define PICKED 0.6

static int chance_cmp(const void *a, const void *b)
{
    const struct oracle_chance *x = a, *y = b;

    return sp_str_cmp(x->name, y->name);
}

static void pick_option(struct sp_arena *arena, const struct oracle_question *q,
                        struct oracle_answer *ret)
{
    for (size_t i = 0; i < q->n_options; i++)
        ret->chances[i].name = sp_arena_copy(arena, q->options[i].name);
    qsort(ret->chances, q->n_options, sizeof *ret->chances, chance_cmp);
    for (size_t i = 0; i < q->n_options; i++)
        ret->chances[i].p = i == 0 ? PICKED : (1 - PICKED) / (double)(q->n_options - 1);
    ret->choice = q->n_options > 0 ? ret->chances[0].name : SP_STR("");
    ret->confidence = PICKED;
}

/* Level 0 comes first in byte order too. */
static void rate_lowest(struct sp_arena *arena, const struct oracle_question *q,
                        struct oracle_answer *ret)
{
    struct sp_buf number = {0};

    for (size_t i = 0; i < q->n_options; i++) {
        sp_buf_clear(&number);
        sp_buf_addf(&number, "%zu", i);
        ret->chances[i].name = sp_arena_copy(arena, sp_buf_str(&number));
    }
    sp_buf_deinit(&number);
    qsort(ret->chances, q->n_options, sizeof *ret->chances, chance_cmp);
    if (q->n_options > 0)
        ret->chances[0].p = 1;
    ret->confidence = 1;
    ret->legend = SP_STR("null");
}

static void answer(struct sp_arena *arena, const struct oracle_question *q,
                   struct oracle_answer *ret)
{
    ret->id = sp_arena_copy(arena, q->id);
    ret->type = q->type;
    if (q->type == ORACLE_NOUL) {
        ret->noul = 0.5;
        return;
    }
    ret->n_chances = q->n_options;
    ret->chances = sp_arena_alloc(arena, q->n_options * sizeof *ret->chances);
    if (q->type == ORACLE_CHOICE)
        pick_option(arena, q, ret);
    else
        rate_lowest(arena, q, ret);
}

static int answer_cmp(const void *a, const void *b)
{
    const struct oracle_answer *x = a, *y = b;

    return sp_str_cmp(x->id, y->id);
}

void oracle_mock(const struct oracle_request *r, struct oracle_response *ret)
{
    *ret = (struct oracle_response){.model = SP_STR("mock"), .n_answers = r->n_questions};
    ret->answers = sp_arena_alloc(&ret->arena, r->n_questions * sizeof *ret->answers);
    for (size_t i = 0; i < r->n_questions; i++)
        answer(&ret->arena, &r->questions[i], &ret->answers[i]);
    qsort(ret->answers, r->n_questions, sizeof *ret->answers, answer_cmp);
}
