/* The canonical bytes of a request. Its own members have fixed places; only the state is sorted. */

#include <stdlib.h>

#include "json/jcanon.h"
#include "json/jput.h"
#include "oracle/oracle.h"
#include "oracle/oracle_type.h"

void oracle_request_deinit(struct oracle_request *r)
{
    sp_arena_deinit(&r->arena);
    *r = (struct oracle_request){0};
}

static int question_cmp(const void *a, const void *b)
{
    const struct oracle_question *const *x = a, *const *y = b;

    return sp_str_cmp((*x)->id, (*y)->id);
}

static int option_cmp(const void *a, const void *b)
{
    const struct oracle_option *const *x = a, *const *y = b;

    return sp_str_cmp((*x)->name, (*y)->name);
}

static void put_member(struct sp_buf *b, struct sp_str name, struct sp_str text)
{
    jput_string(b, name);
    sp_buf_add_char(b, ':');
    jput_string(b, text);
}

static void put_options(struct sp_buf *b, const struct oracle_question *q)
{
    const struct oracle_option **sorted = sp_calloc(q->n_options, sizeof(*sorted));

    for (size_t i = 0; i < q->n_options; i++)
        sorted[i] = &q->options[i];
    qsort(sorted, q->n_options, sizeof(*sorted), option_cmp);
    sp_buf_add_char(b, '{');
    for (size_t i = 0; i < q->n_options; i++) {
        if (i > 0)
            sp_buf_add_char(b, ',');
        put_member(b, sorted[i]->name, sorted[i]->text);
    }
    sp_buf_add_char(b, '}');
    free(sorted);
}

static void put_criteria(struct sp_buf *b, const struct oracle_question *q)
{
    if (q->type == ORACLE_NOUL && q->yes.p == NULL)
        return;
    sp_buf_add(b, SP_STR(",\"criteria\":"));
    switch (q->type) {
    case ORACLE_NOUL:
        sp_buf_add_char(b, '{');
        put_member(b, SP_STR("true"), q->yes);
        sp_buf_add_char(b, ',');
        put_member(b, SP_STR("false"), q->no);
        sp_buf_add_char(b, '}');
        break;
    case ORACLE_CHOICE:
        put_options(b, q);
        break;
    case ORACLE_SCORE:
        sp_buf_add_char(b, '[');
        for (size_t i = 0; i < q->n_options; i++) {
            if (i > 0)
                sp_buf_add_char(b, ',');
            jput_string(b, q->options[i].text);
        }
        sp_buf_add_char(b, ']');
        break;
    }
}

static void put_question(struct sp_buf *b, const struct oracle_question *q)
{
    jput_string(b, q->id);
    sp_buf_add(b, SP_STR(":{"));
    put_member(b, SP_STR("type"), oracle_type_name(q->type));
    sp_buf_add_char(b, ',');
    put_member(b, SP_STR("instructions"), q->instructions);
    put_criteria(b, q);
    sp_buf_add_char(b, '}');
}

static void put_questions(struct sp_buf *b, const struct oracle_request *r)
{
    const struct oracle_question **sorted = sp_calloc(r->n_questions, sizeof(*sorted));

    for (size_t i = 0; i < r->n_questions; i++)
        sorted[i] = &r->questions[i];
    qsort(sorted, r->n_questions, sizeof(*sorted), question_cmp);
    for (size_t i = 0; i < r->n_questions; i++) {
        if (i > 0)
            sp_buf_add_char(b, ',');
        put_question(b, sorted[i]);
    }
    free(sorted);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct sp_str trim(struct sp_str s)
{
    while (s.len > 0 && is_space(s.p[0]))
        s = sp_str_sub(s, 1, s.len);
    while (s.len > 0 && is_space(s.p[s.len - 1]))
        s.len--;
    return s;
}

void oracle_put_request(struct sp_buf *b, const struct oracle_request *r)
{
    sp_buf_add_char(b, '{');
    put_member(b, SP_STR("model"), r->model);
    sp_buf_add(b, SP_STR(",\"state\":"));
    jcanon(b, trim(r->state));
    sp_buf_add(b, SP_STR(",\"questions\":{"));
    put_questions(b, r);
    sp_buf_add(b, SP_STR("}}"));
}
