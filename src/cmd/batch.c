/*
 * A batch of questions.
 *
 * The happy path: batch_ask() adds questions, each once; batch_run() sorts them, and ask_more()
 * has as many of them out as may be; on_answer() keeps an answer's text and sends the next one;
 * batch_ask() then reads the texts. The mock needs no asking: it answers when it is looked up.
 *
 * Failures: a question that fails is counted. When too many do, is_stopped is set: no more are
 * sent, the run ends, and those still out do not count; batch_free() gives them up.
 */

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sp_arena.h"
#include "base/sp_file.h"
#include "base/sp_map.h"
#include "cmd/batch.h"
#include "cmd/cmd.h"
#include "cmd/progress.h"
#include "cmd/served.h"
#include "json/jcanon.h"
#include "json/jput.h"

#define BYTES_PER_TOKEN     4
#define DOLLARS_PER_MILLION 0.042

/* So many failures, if they are most of what is finished, end the run. */
#define MANY_FAILURES 20

struct question {
    struct batch *batch;
    char key[ORACLE_KEY_SIZE];
    char *canonical;      /* its bytes, while they are needed; else NULL */
    size_t canonical_len; /* of them */
    bool is_answered;
    struct sp_str text; /* of the answer, or why there is none; p is NULL before */
};

struct batch {
    struct batch_options options;
    struct served_oracle oracle;
    struct sp_arena arena; /* the questions and their texts */
    struct question **questions;
    size_t n_questions;
    size_t cap_questions;
    struct sp_map by_key; /* indexes of `questions` */
    uint64_t n_tokens;    /* by the estimate */
    bool has_run;
    size_t next; /* the first question that was not sent */
    size_t n_out;
    size_t n_finished;
    size_t n_failed;
    const struct question *first_failed; /* the first that failed; NULL: none */
    bool is_stopped;
    struct progress progress;
    struct sp_buf scratch;
    char key[ORACLE_KEY_SIZE]; /* of the last question */
};

struct batch *batch_new(const struct batch_options *options, struct sp_err *ret_err)
{
    struct batch *b = sp_calloc(1, sizeof *b);

    assert(options->concurrency > 0);
    b->options = *options;
    if (served_open(&b->oracle, options->kind, options->cache, ret_err) < 0) {
        free(b);
        return NULL;
    }
    return b;
}

/* The bytes of a question are not needed any more. */
static void drop_canonical(struct question *q)
{
    free(q->canonical);
    q->canonical = NULL;
}

void batch_free(struct batch *b)
{
    if (b == NULL)
        return;
    served_close(&b->oracle);
    for (size_t i = 0; i < b->n_questions; i++)
        drop_canonical(b->questions[i]);
    free(b->questions);
    sp_map_deinit(&b->by_key);
    sp_arena_deinit(&b->arena);
    sp_buf_deinit(&b->scratch);
    free(b);
}

/* Adding and looking up. */

/* Adds the question whose key is b->key, if it is new. */
static void add(struct batch *b, struct sp_str canonical)
{
    struct question *q;

    if (sp_map_find(&b->by_key, sp_str_of(b->key)) != NULL)
        return;
    if (b->n_questions == b->cap_questions) {
        b->cap_questions = b->cap_questions > 0 ? 2 * b->cap_questions : 64;
        b->questions = sp_realloc(b->questions, b->cap_questions * sizeof *b->questions);
    }
    q = sp_arena_alloc(&b->arena, sizeof *q);
    q->batch = b;
    memcpy(q->key, b->key, sizeof q->key);
    if (b->options.kind == ORACLE_CLIENT_JEV || b->options.dump != NULL) {
        q->canonical = memcpy(sp_malloc(canonical.len), canonical.p, canonical.len);
        q->canonical_len = canonical.len;
    }
    b->n_tokens += canonical.len / BYTES_PER_TOKEN;
    *sp_map_put(&b->by_key, sp_str_of(q->key), NULL) = b->n_questions;
    b->questions[b->n_questions++] = q;
}

/* Looks the question up whose key is b->key. */
static int look_up(const struct batch *b, const struct oracle_request *request,
                   struct oracle_response *ret, struct sp_err *ret_why)
{
    const size_t *at = sp_map_find(&b->by_key, sp_str_of(b->key));
    const struct question *q = at != NULL ? b->questions[*at] : NULL;

    if (q != NULL && b->options.kind == ORACLE_CLIENT_MOCK) {
        oracle_mock(request, ret);
        return 0;
    }
    if (q == NULL || q->text.p == NULL) {
        sp_err_set(ret_why, "question %s was not asked", b->key);
        return -ENOENT;
    }
    if (!q->is_answered) {
        sp_err_set(ret_why, "%.*s", SP_STR_ARG(q->text));
        return -EIO;
    }
    return oracle_parse_response(q->text, ret, ret_why);
}

int batch_ask(void *data, const struct oracle_request *request, struct sp_str *ret_key,
              struct oracle_response *ret, struct sp_err *ret_why)
{
    struct batch *b = data;

    sp_buf_clear(&b->scratch);
    oracle_put_request(&b->scratch, request);
    oracle_key_of(sp_buf_str(&b->scratch), b->key);
    *ret_key = (struct sp_str){b->key, ORACLE_KEY_LEN};
    if (b->has_run)
        return look_up(b, request, ret, ret_why);
    add(b, sp_buf_str(&b->scratch));
    sp_err_set(ret_why, "question %s is not asked yet", b->key);
    return -EAGAIN;
}

/* The run. */

static int question_cmp(const void *a, const void *b)
{
    const struct question *const *x = a, *const *y = b;

    return strcmp((*x)->key, (*y)->key);
}

static void sort(struct batch *b)
{
    if (b->n_questions > 0)
        qsort(b->questions, b->n_questions, sizeof(*b->questions), question_cmp);
    for (size_t i = 0; i < b->n_questions; i++)
        *sp_map_put(&b->by_key, sp_str_of(b->questions[i]->key), NULL) = i;
}

static int write_dump(struct batch *b, struct sp_err *ret_err)
{
    struct sp_buf text = {0};
    int err;

    for (size_t i = 0; i < b->n_questions; i++) {
        struct question *q = b->questions[i];

        sp_buf_add(&text, SP_STR("{\"key\":"));
        jput_string(&text, sp_str_of(q->key));
        sp_buf_add(&text, SP_STR(",\"request\":"));
        jcanon(&text, (struct sp_str){q->canonical, q->canonical_len});
        sp_buf_add(&text, SP_STR("}\n"));
        if (b->options.kind != ORACLE_CLIENT_JEV)
            drop_canonical(q);
    }
    err = sp_file_write(b->options.dump, sp_buf_str(&text));
    if (err < 0)
        sp_err_set(ret_err, "writing %s: %s", b->options.dump, sp_err_cause(err));
    sp_buf_deinit(&text);
    return err;
}

/* Tells what asking the service costs at most, and refuses to where that is too much. */
static int check_cost(const struct batch *b, struct sp_err *ret_err)
{
    double millions = (double)b->n_tokens / 1e6;
    double dollars = millions * DOLLARS_PER_MILLION;

    cmd_note("%zu question%s, %.3f million tokens: at most $%.4f", b->n_questions,
             b->n_questions == 1 ? "" : "s", millions, dollars);
    if (b->options.kind != ORACLE_CLIENT_JEV || dollars <= b->options.budget)
        return 0;
    sp_err_set(ret_err, "asking may cost $%.4f, more than --oracle-budget %g", dollars,
               b->options.budget);
    return -EDQUOT;
}

static void on_answer(void *owner, struct oracle_response *response, const char *error);

static void ask_more(struct batch *b)
{
    while (!b->is_stopped && b->next < b->n_questions && b->n_out < b->options.concurrency) {
        struct question *q = b->questions[b->next++];

        b->n_out++;
        (void)oracle_client_ask_by_key(b->oracle.client, q->key,
                                       (struct sp_str){q->canonical, q->canonical_len}, on_answer,
                                       q);
        drop_canonical(q);
    }
}

static void note_failure(struct batch *b, const struct question *q)
{
    if (b->first_failed == NULL)
        b->first_failed = q;
    b->n_failed++;
    b->is_stopped = b->n_failed >= MANY_FAILURES && 2 * b->n_failed > b->n_finished;
}

static void on_answer(void *owner, struct oracle_response *response, const char *error)
{
    struct question *q = owner;
    struct batch *b = q->batch;

    if (b->is_stopped) /* it came in the turn of the loop that ended the run */
        return;
    b->n_out--;
    b->n_finished++;
    q->is_answered = response != NULL;
    if (response != NULL) {
        sp_buf_clear(&b->scratch);
        oracle_put_response(&b->scratch, response);
        q->text = sp_arena_copy(&b->arena, sp_buf_str(&b->scratch));
    } else {
        q->text = sp_arena_copy(&b->arena, sp_str_of(error));
        note_failure(b, q);
    }
    progress_tell(&b->progress, "questions", b->n_finished, b->n_questions);
    ask_more(b);
}

static int ask_all(struct batch *b, struct sp_err *ret_err)
{
    progress_init(&b->progress);
    ask_more(b);
    while (b->n_finished < b->n_questions && !b->is_stopped)
        (void)uv_run(&b->oracle.loop, UV_RUN_ONCE);
    progress_end(&b->progress);
    if (!b->is_stopped)
        return 0;
    sp_err_set(ret_err, "%zu of %zu questions failed, the first one: %.*s", b->n_failed,
               b->n_finished, SP_STR_ARG(b->first_failed->text));
    return -EIO;
}

int batch_run(struct batch *b, struct batch_counts *ret, struct sp_err *ret_err)
{
    int err = 0;

    assert(!b->has_run);
    b->has_run = true;
    sort(b);
    if (b->options.dump != NULL)
        err = write_dump(b, ret_err);
    if (err == 0)
        err = check_cost(b, ret_err);
    if (err == 0 && b->options.kind != ORACLE_CLIENT_MOCK)
        err = ask_all(b, ret_err);
    if (err == 0)
        *ret = (struct batch_counts){.questions = b->n_questions, .failed = b->n_failed};
    return err;
}
