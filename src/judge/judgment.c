/* One judgment of a write. */

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "json/jcanon.h"
#include "json/jput.h"
#include "judge/judgment.h"

#define MAX_QUESTIONS 2

struct question {
    struct oracle_request request;
    const char *answer_name; /* of its members in the record, as the next */
    const char *key_name;
    bool counts;
    bool is_reached; /* it has a key */
    bool is_answered;
    double p; /* the probability of a yes */
    char key[ORACLE_KEY_SIZE];
};

struct judgment {
    const struct judgment_options *options;
    uint64_t start_ms;
    struct sp_str tool;      /* in the arena, as the next */
    struct sp_str arguments; /* canonical JSON */
    bool word_list;
    struct proposal_flags flags;

    struct question questions[MAX_QUESTIONS];
    size_t n_questions;
    size_t next;
    bool is_skipped; /* no further question is put */

    char *error;         /* the last one; NULL for none */
    bool has_last_error; /* it is that of the last question, which has no response */

    struct sp_arena arena;
};

static void add_question(struct judgment *j, const struct exchange *exchange,
                         enum confirmation_kind kind)
{
    bool is_first = j->n_questions == 0;
    struct question *q = &j->questions[j->n_questions++];

    *q = (struct question){
        .answer_name = is_first ? "p_yes" : "p_second",
        .key_name = is_first ? "key" : "second_key",
        .counts = is_first || !j->options->second_shadow,
    };
    confirmation_make(kind, j->options->model, exchange, j->tool, j->arguments, &q->request);
}

struct judgment *judgment_begin(const struct judgment_options *options, const struct episode *e,
                                const struct exchange *exchange, struct sp_str tool,
                                struct sp_str arguments, bool word_list, uint64_t now_ms)
{
    struct judgment *j = sp_calloc(1, sizeof *j);
    struct sp_buf sorted = {0};

    assert(exchange->n_events == e->n_events);
    jcanon(&sorted, arguments);
    j->options = options;
    j->start_ms = now_ms;
    j->tool = sp_arena_copy(&j->arena, tool);
    j->arguments = sp_arena_copy(&j->arena, sp_buf_str(&sorted));
    j->word_list = word_list;
    sp_buf_deinit(&sorted);
    proposal_check(e, e->n_events, exchange, j->arguments, &j->flags);
    add_question(j, exchange, CONFIRMATION_CONFIRMED);
    switch (options->second) {
    case JUDGMENT_NO_SECOND:
        break;
    case JUDGMENT_PROPOSED:
        add_question(j, exchange, CONFIRMATION_PROPOSED);
        break;
    case JUDGMENT_DESCRIBED:
        add_question(j, exchange, CONFIRMATION_DESCRIBED);
        break;
    }
    return j;
}

void judgment_free(struct judgment *j)
{
    if (j == NULL)
        return;
    for (size_t i = 0; i < j->n_questions; i++)
        oracle_request_deinit(&j->questions[i].request);
    proposal_flags_deinit(&j->flags);
    sp_arena_deinit(&j->arena);
    free(j->error);
    free(j);
}

const struct oracle_request *judgment_question(const struct judgment *j)
{
    if (j->is_skipped || j->next == j->n_questions)
        return NULL;
    return &j->questions[j->next].request;
}

/* The question that is due, which has this key; the next one is due then. */
static struct question *reach(struct judgment *j, const char *key)
{
    struct question *q = &j->questions[j->next];

    assert(judgment_question(j) != NULL && strlen(key) == ORACLE_KEY_SIZE - 1);
    memcpy(q->key, key, sizeof q->key);
    q->is_reached = true;
    j->next++;
    j->has_last_error = false;
    return q;
}

static void set_error(struct judgment *j, char *error)
{
    free(j->error);
    j->error = error;
}

void judgment_answer(struct judgment *j, const char *key, const struct oracle_response *response)
{
    struct question *q = reach(j, key);
    struct sp_str id = q->request.questions[0].id;
    const struct oracle_answer *answer = oracle_answer_of(response, id);
    struct sp_buf error = {0};

    if (answer != NULL && answer->type == ORACLE_NOUL) {
        q->is_answered = true;
        q->p = answer->noul;
        return;
    }
    sp_buf_addf(&error, "no yes/no answer to %.*s", SP_STR_ARG(id));
    set_error(j, sp_strdup(sp_buf_cstr(&error)));
    sp_buf_deinit(&error);
}

void judgment_no_answer(struct judgment *j, const char *key, const char *error)
{
    reach(j, key);
    set_error(j, sp_strdup(error));
    j->has_last_error = true;
}

void judgment_skip(struct judgment *j, const char *key)
{
    reach(j, key);
    j->is_skipped = true;
}

const char *judgment_error(const struct judgment *j)
{
    return j->has_last_error ? j->error : NULL;
}

static bool question_fails(const struct judgment *j, const struct question *q)
{
    return q->counts && q->is_answered && q->p < j->options->threshold;
}

bool judgment_fails(const struct judgment *j)
{
    for (size_t i = 0; i < j->n_questions; i++) {
        if (question_fails(j, &j->questions[i]))
            return true;
    }
    return false;
}

bool judgment_is_unknown(const struct judgment *j)
{
    bool is_complete = true;

    for (size_t i = 0; i < j->n_questions; i++)
        is_complete = is_complete && (!j->questions[i].counts || j->questions[i].is_answered);
    return !is_complete && !judgment_fails(j);
}

bool judgment_refuses(const struct judgment *j)
{
    return j->options->enforces && judgment_fails(j);
}

void judgment_put_reasons(const struct judgment *j, struct sp_buf *ret)
{
    const char *between = "";

    sp_buf_add(ret, SP_STR("the customer has not explicitly agreed to this exact change "
                           "(confirmation judge: "));
    for (size_t i = 0; i < j->n_questions; i++) {
        const struct question *q = &j->questions[i];

        if (!question_fails(j, q))
            continue;
        sp_buf_addf(ret, "%s%s %.2f", between, q->answer_name, q->p);
        between = ", ";
    }
    sp_buf_add(ret, SP_STR("); describe the change and ask the customer to confirm it first"));
}

/* Begins a member that is not the first. */
static void put_name(struct sp_buf *b, const char *name)
{
    sp_buf_add_char(b, ',');
    jput_string(b, sp_str_of(name));
    sp_buf_add_char(b, ':');
}

static void put_bool(struct sp_buf *b, const char *name, bool value)
{
    put_name(b, name);
    sp_buf_add(b, value ? SP_STR("true") : SP_STR("false"));
}

static void put_text(struct sp_buf *b, const char *name, struct sp_str text)
{
    put_name(b, name);
    jput_string(b, text);
}

static void put_key(struct sp_buf *b, const struct question *q)
{
    if (q->is_reached)
        put_text(b, q->key_name, sp_str_of(q->key));
}

static void put_probability(struct sp_buf *b, const struct question *q)
{
    if (!q->is_answered)
        return;
    put_name(b, q->answer_name);
    jput_double(b, q->p);
}

static void put_flags(struct sp_buf *b, const struct proposal_flags *flags)
{
    put_name(b, "proposal_check");
    sp_buf_add_char(b, '[');
    for (size_t i = 0; i < flags->n; i++) {
        sp_buf_add(b, i > 0 ? SP_STR(",{\"argument\":") : SP_STR("{\"argument\":"));
        jput_string(b, flags->of[i].argument);
        put_text(b, "value", flags->of[i].value);
        sp_buf_add_char(b, '}');
    }
    sp_buf_add_char(b, ']');
}

void judgment_put_record(const struct judgment *j, uint64_t now_ms, struct sp_buf *ret)
{
    const struct question *first = &j->questions[0];
    const struct question *second = &j->questions[1]; /* zeroed when there is none */

    sp_buf_add(ret, SP_STR("{\"arguments\":"));
    sp_buf_add(ret, j->arguments);
    put_bool(ret, "enforced", j->options->enforces);
    if (j->error != NULL)
        put_text(ret, "error", sp_str_of(j->error));
    put_bool(ret, "fails", judgment_fails(j));
    put_key(ret, first);
    put_name(ret, "ms");
    sp_buf_addf(ret, "%" PRIu64, now_ms - j->start_ms);
    put_probability(ret, second);
    put_probability(ret, first);
    put_flags(ret, &j->flags);
    put_key(ret, second);
    if (j->options->second_shadow)
        put_bool(ret, "second_shadow", true);
    if (j->is_skipped)
        put_text(ret, "skipped", SP_STR("question budget spent"));
    put_text(ret, "tool", j->tool);
    put_bool(ret, "unknown", judgment_is_unknown(j));
    put_bool(ret, "word_list", j->word_list);
    sp_buf_add_char(ret, '}');
}
