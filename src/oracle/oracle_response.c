/* A response: what is asked of it, and the text of its file. */

#include <inttypes.h>

#include "json/jindent.h"
#include "json/jput.h"
#include "oracle/oracle.h"
#include "oracle/oracle_type.h"

void oracle_response_deinit(struct oracle_response *r)
{
    sp_arena_deinit(&r->arena);
    *r = (struct oracle_response){0};
}

const struct oracle_answer *oracle_answer_of(const struct oracle_response *r, struct sp_str id)
{
    for (size_t i = 0; i < r->n_answers; i++) {
        if (sp_str_eq(r->answers[i].id, id))
            return &r->answers[i];
    }
    return NULL;
}

double oracle_chance_of(const struct oracle_answer *a, struct sp_str name)
{
    for (size_t i = 0; i < a->n_chances; i++) {
        if (sp_str_eq(a->chances[i].name, name))
            return a->chances[i].p;
    }
    return 0;
}

static void put_name(struct sp_buf *b, struct sp_str name)
{
    sp_buf_add_char(b, ',');
    jput_string(b, name);
    sp_buf_add_char(b, ':');
}

static void put_chances(struct sp_buf *b, const struct oracle_answer *a)
{
    put_name(b, SP_STR("probabilities"));
    sp_buf_add_char(b, '{');
    for (size_t i = 0; i < a->n_chances; i++) {
        if (i > 0)
            sp_buf_add_char(b, ',');
        jput_string(b, a->chances[i].name);
        sp_buf_add_char(b, ':');
        jput_double(b, a->chances[i].p);
    }
    sp_buf_add_char(b, '}');
    put_name(b, SP_STR("confidence"));
    jput_double(b, a->confidence);
}

static void put_answer(struct sp_buf *b, const struct oracle_answer *a)
{
    sp_buf_add(b, SP_STR("{\"type\":"));
    jput_string(b, oracle_type_name(a->type));
    switch (a->type) {
    case ORACLE_NOUL:
        put_name(b, SP_STR("noul"));
        jput_double(b, a->noul);
        break;
    case ORACLE_CHOICE:
        put_name(b, SP_STR("choice"));
        jput_string(b, a->choice);
        put_chances(b, a);
        break;
    case ORACLE_SCORE:
        put_name(b, SP_STR("score"));
        jput_double(b, a->score);
        put_chances(b, a);
        put_name(b, SP_STR("legend"));
        sp_buf_add(b, a->legend);
        break;
    }
    sp_buf_add_char(b, '}');
}

void oracle_put_response(struct sp_buf *b, const struct oracle_response *r)
{
    struct sp_buf text = {0};

    sp_buf_add(&text, SP_STR("{\"model\":"));
    jput_string(&text, r->model);
    sp_buf_add(&text, SP_STR(",\"answers\":{"));
    for (size_t i = 0; i < r->n_answers; i++) {
        if (i > 0)
            sp_buf_add_char(&text, ',');
        jput_string(&text, r->answers[i].id);
        sp_buf_add_char(&text, ':');
        put_answer(&text, &r->answers[i]);
    }
    sp_buf_addf(&text, "},\"usage\":{\"input_tokens\":%" PRIu64 ",\"output_tokens\":%" PRIu64 "}}",
                r->input_tokens, r->output_tokens);
    jindent(b, sp_buf_str(&text));
    sp_buf_deinit(&text);
}
