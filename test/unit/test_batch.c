/* Tests of cmd/batch.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/sp_file.h"
#include "cmd/batch.h"
#include "io/oracle_cache.h"
#include "jevd.h"
#include "json_gen.h"
#include "tmpdir.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define ANSWER(model) "{\"model\":\"" model "\",\"answers\":{}}"

static const struct httpd_step good[] = {JEVD_ANSWER("200 OK", ANSWER("jev-1"))};
static const struct httpd_step second[] = {JEVD_ANSWER("200 OK", ANSWER("jev-2"))};
static const struct httpd_step fourth[] = {JEVD_ANSWER("200 OK", ANSWER("jev-4"))};
static const struct httpd_step bad[] = {JEVD_ANSWER("400 Bad", "no such model")};
static const struct httpd_step held[] = {JEVD_HELD_ANSWER("200 OK", ANSWER("jev-1"))};

static const struct httpd_step *const all_good[] = {good};
static const struct httpd_step *const all_bad[] = {bad};
static const struct httpd_step *const all_held[] = {held};

/* A test's directory, and what its batch is made of. */
struct world {
    char *dir;
    char *cache;
    char *dump;
    struct batch_options options;
    struct batch *batch;
    struct sp_buf told;         /* on stderr, by the last run */
    struct batch_counts counts; /* of the last run */
    struct sp_err err;          /* of what failed last */
};

static int setup(void **state)
{
    static const char *const variables[] = {
        "http_proxy",       "https_proxy",           "all_proxy",    "HTTPS_PROXY", "ALL_PROXY",
        "TYPESAFE_API_KEY", "TYPESAFE_API_KEY_FILE", "SSL_CERT_FILE"};
    struct world *w = sp_calloc(1, sizeof *w);

    for (size_t i = 0; i < N_OF(variables); i++)
        (void)unsetenv(variables[i]);
    w->dir = tmpdir_new();
    w->cache = tmpdir_path(w->dir, "cache");
    w->dump = tmpdir_path(w->dir, "dump.jsonl");
    w->options = (struct batch_options){
        .kind = ORACLE_CLIENT_REPLAY, .cache = w->cache, .budget = 1, .concurrency = 1};
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;

    batch_free(w->batch);
    tmpdir_remove(w->dir);
    free(w->cache);
    free(w->dump);
    sp_buf_deinit(&w->told);
    free(w);
    return 0;
}

static void open_batch(struct world *w)
{
    batch_free(w->batch);
    w->batch = batch_new(&w->options, &w->err);
    if (w->batch == NULL)
        fail_msg("%s", w->err.text);
}

/* Runs the batch, with stderr in a file. Returns as batch_run() does. */
static int run(struct world *w)
{
    char *path = tmpdir_path(w->dir, "stderr");
    FILE *file = fopen(path, "we");
    int old = dup(STDERR_FILENO), err;

    assert_non_null(file);
    assert_true(old >= 0);
    assert_int_equal(dup2(fileno(file), STDERR_FILENO), STDERR_FILENO);
    err = batch_run(w->batch, &w->counts, &w->err);
    assert_int_equal(dup2(old, STDERR_FILENO), STDERR_FILENO);
    (void)close(old);
    (void)fclose(file);
    sp_buf_deinit(&w->told);
    w->told = tmpdir_read(path);
    free(path);
    return err;
}

static void run_well(struct world *w, size_t n_questions, size_t n_failed)
{
    if (run(w) < 0)
        fail_msg("%s", w->err.text);
    assert_int_equal(w->counts.questions, n_questions);
    assert_int_equal(w->counts.failed, n_failed);
}

/* A question about a number. */
struct question {
    char state[24];
    char key[ORACLE_KEY_SIZE];
    struct sp_buf canonical;
    struct oracle_request request;
};

static void make_question(struct question *q, size_t i)
{
    *q = (struct question){.request.model = SP_STR("m")};
    (void)snprintf(q->state, sizeof q->state, "%zu", i);
    q->request.state = sp_str_of(q->state);
    oracle_put_request(&q->canonical, &q->request);
    oracle_key_of(sp_buf_str(&q->canonical), q->key);
}

static int key_cmp(const void *a, const void *b)
{
    return strcmp(((const struct question *)a)->key, ((const struct question *)b)->key);
}

/* Makes the questions about 0 to n - 1, in the order of their keys; the caller's. */
static struct question *make_questions(size_t n)
{
    struct question *questions = sp_calloc(n, sizeof *questions);

    for (size_t i = 0; i < n; i++)
        make_question(&questions[i], i);
    qsort(questions, n, sizeof *questions, key_cmp);
    for (size_t i = 0; i < n; i++)
        questions[i].request.state = sp_str_of(questions[i].state);
    return questions;
}

static void free_questions(struct question *questions, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sp_buf_deinit(&questions[i].canonical);
    free(questions);
}

static int ask(struct world *w, const struct question *q, struct oracle_response *ret)
{
    struct sp_str key = {0};
    int err = batch_ask(w->batch, &q->request, &key, ret, &w->err);

    assert_true(sp_str_eq(key, sp_str_of(q->key)));
    return err;
}

static void add(struct world *w, const struct question *q)
{
    struct oracle_response response;

    assert_true(ask(w, q, &response) < 0);
}

/* Adds questions, the last one first, so that their order is not the one of the keys. */
static void add_all(struct world *w, const struct question *questions, size_t n)
{
    for (size_t i = n; i-- > 0;)
        add(w, &questions[i]);
}

static void assert_answer(struct world *w, const struct question *q, const char *model)
{
    struct oracle_response response;

    if (ask(w, q, &response) < 0)
        fail_msg("%s", w->err.text);
    if (!sp_str_eq(response.model, sp_str_of(model)))
        fail_msg("%.*s instead of %s", SP_STR_ARG(response.model), model);
    oracle_response_deinit(&response);
}

static void assert_no_answer(struct world *w, const struct question *q, const char *error)
{
    struct oracle_response response;

    assert_true(ask(w, q, &response) < 0);
    assert_string_equal(w->err.text, error);
}

static void store(struct world *w, const struct question *q, const char *model)
{
    struct oracle_response response = {.model = sp_str_of(model)};

    if (oracle_cache_store(w->cache, q->key, &response, &w->err) < 0)
        fail_msg("%s", w->err.text);
}

/* Asking. */

static void batch_asks_each_question_once_in_the_order_of_keys(void **state)
{
    struct world *w = *state;
    struct question *questions = make_questions(20);
    struct jevd *j = jevd_start(all_good, 1, 0);

    w->options.kind = ORACLE_CLIENT_JEV;
    open_batch(w);
    for (size_t i = 0; i < 3; i++)
        add_all(w, questions, 20);
    run_well(w, 20, 0);
    for (size_t i = 0; i < 20; i++)
        assert_answer(w, &questions[i], "jev-1");
    jevd_stop(j);
    assert_int_equal(jevd_n_requests(j), 20);
    for (size_t i = 0; i < 20; i++)
        assert_true(sp_str_eq(jevd_body(j, i), sp_buf_str(&questions[i].canonical)));
    jevd_free(j);
    free_questions(questions, 20);
}

static void batch_leaves_a_question_that_fails_unanswered(void **state)
{
    static const struct httpd_step *const scripts[] = {good, second, bad, fourth};
    struct world *w = *state;
    struct question *questions = make_questions(4);
    struct jevd *j = jevd_start(scripts, N_OF(scripts), 0);

    w->options.kind = ORACLE_CLIENT_JEV;
    open_batch(w);
    add_all(w, questions, 4);
    run_well(w, 4, 1);
    assert_answer(w, &questions[0], "jev-1");
    assert_answer(w, &questions[1], "jev-2");
    assert_no_answer(w, &questions[2], "Jev answered 400: no such model");
    assert_answer(w, &questions[3], "jev-4");
    assert_answer(w, &questions[3], "jev-4");
    jevd_stop(j);
    assert_int_equal(jevd_n_requests(j), 4);
    jevd_free(j);
    free_questions(questions, 4);
}

static void batch_has_as_many_questions_out_as_it_may(void **state)
{
    static const unsigned rows[] = {1, 2, 5};
    struct world *w = *state;
    struct question *questions = make_questions(10);

    w->options.kind = ORACLE_CLIENT_JEV;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct jevd *j = jevd_start(all_held, 1, rows[i]);
        char *cache = tmpdir_path(w->dir, &"abc"[i]);

        w->options.cache = cache;
        w->options.concurrency = rows[i];
        open_batch(w);
        add_all(w, questions, 10);
        run_well(w, 10, 0);
        jevd_stop(j);
        assert_int_equal(jevd_n_requests(j), 10);
        assert_int_equal(jevd_max_out(j), rows[i]);
        jevd_free(j);
        free(cache);
    }
    free_questions(questions, 10);
}

static void batch_sends_nothing_that_was_ever_answered(void **state)
{
    struct world *w = *state;
    struct question *questions = make_questions(12);
    struct jevd *j = jevd_start(all_good, 1, 0);

    w->options.kind = ORACLE_CLIENT_JEV;
    w->options.concurrency = 4;
    store(w, &questions[3], "cached");
    for (size_t i = 0; i < 2; i++) {
        open_batch(w);
        add_all(w, questions, 12);
        run_well(w, 12, 0);
        for (size_t at = 0; at < 12; at++)
            assert_answer(w, &questions[at], at == 3 ? "cached" : "jev-1");
    }
    jevd_stop(j);
    assert_int_equal(jevd_n_requests(j), 11);
    for (size_t i = 0; i < 11; i++) {
        assert_false(sp_str_eq(jevd_body(j, i), sp_buf_str(&questions[3].canonical)));
        for (size_t before = 0; before < i; before++)
            assert_false(sp_str_eq(jevd_body(j, i), jevd_body(j, before)));
    }
    jevd_free(j);
    free_questions(questions, 12);
}

static void batch_answers_from_the_cache_alone(void **state)
{
    struct world *w = *state;
    struct question *questions = make_questions(2);
    struct sp_buf error = {0};

    store(w, &questions[1], "cached");
    open_batch(w);
    add_all(w, questions, 2);
    run_well(w, 2, 1);
    assert_answer(w, &questions[1], "cached");
    sp_buf_addf(&error, "no cached answer for request %s", questions[0].key);
    assert_no_answer(w, &questions[0], sp_buf_cstr(&error));
    sp_buf_deinit(&error);
    free_questions(questions, 2);
}

static void batch_keeps_all_of_an_answer(void **state)
{
    static const char text[] =
        "{\"model\":\"j\\u0000\",\"answers\":{"
        "\"c\":{\"type\":\"choice\",\"choice\":\"a\",\"probabilities\":{\"a\":0.1,\"b\":0.3},"
        "\"confidence\":0.30000000000000004},\"n\":{\"type\":\"noul\",\"noul\":0.92},"
        "\"s\":{\"type\":\"score\",\"score\":1.5,\"probabilities\":{\"0\":1},\"confidence\":1,"
        "\"legend\":[1,2.5]}},\"usage\":{\"input_tokens\":296,\"output_tokens\":20}}";
    struct world *w = *state;
    struct question *questions = make_questions(1);
    struct oracle_response response, answer;
    struct sp_buf want = {0}, got = {0};

    assert_int_equal(oracle_parse_response(SP_STR(text), &response, &w->err), 0);
    assert_int_equal(oracle_cache_store(w->cache, questions[0].key, &response, &w->err), 0);
    open_batch(w);
    add(w, &questions[0]);
    run_well(w, 1, 0);
    assert_int_equal(ask(w, &questions[0], &answer), 0);
    oracle_put_response(&want, &response);
    oracle_put_response(&got, &answer);
    assert_true(sp_str_eq(sp_buf_str(&want), sp_buf_str(&got)));
    sp_buf_deinit(&want);
    sp_buf_deinit(&got);
    oracle_response_deinit(&response);
    oracle_response_deinit(&answer);
    free_questions(questions, 1);
}

static void batch_of_a_mock_needs_nothing(void **state)
{
    struct world *w = *state;
    struct question *questions = make_questions(30);

    w->options.kind = ORACLE_CLIENT_MOCK;
    w->options.budget = 0;
    open_batch(w);
    add_all(w, questions, 29);
    run_well(w, 29, 0);
    for (size_t i = 0; i < 29; i++)
        assert_answer(w, &questions[i], "mock");
    assert_true(access(w->cache, F_OK) < 0);
    free_questions(questions, 30);
}

static void batch_may_be_empty(void **state)
{
    static const enum oracle_client_kind kinds[] = {ORACLE_CLIENT_MOCK, ORACLE_CLIENT_REPLAY};
    struct world *w = *state;
    struct sp_buf text;

    for (size_t i = 0; i < N_OF(kinds); i++) {
        w->options.kind = kinds[i];
        w->options.dump = w->dump;
        open_batch(w);
        run_well(w, 0, 0);
        text = tmpdir_read(w->dump);
        assert_int_equal(text.len, 0);
        sp_buf_deinit(&text);
    }
}

static void batch_does_not_know_what_was_not_asked(void **state)
{
    struct world *w = *state;
    struct question *questions = make_questions(2);
    struct sp_buf error = {0};

    w->options.kind = ORACLE_CLIENT_MOCK;
    open_batch(w);
    sp_buf_addf(&error, "question %s is not asked yet", questions[0].key);
    assert_no_answer(w, &questions[0], sp_buf_cstr(&error));
    run_well(w, 1, 0);
    sp_buf_clear(&error);
    sp_buf_addf(&error, "question %s was not asked", questions[1].key);
    assert_no_answer(w, &questions[1], sp_buf_cstr(&error));
    sp_buf_deinit(&error);
    free_questions(questions, 2);
}

/* Too many failures. */

static void batch_stops_when_the_service_refuses_all(void **state)
{
    struct world *w = *state;
    struct question *questions = make_questions(60);
    struct jevd *j = jevd_start(all_bad, 1, 0);

    w->options.kind = ORACLE_CLIENT_JEV;
    open_batch(w);
    add_all(w, questions, 60);
    assert_true(run(w) < 0);
    assert_string_equal(w->err.text, "20 of 20 questions failed, the first one: "
                                     "Jev answered 400: no such model");
    batch_free(w->batch);
    w->batch = NULL;
    jevd_stop(j);
    assert_int_equal(jevd_n_requests(j), 20);
    jevd_free(j);
    free_questions(questions, 60);
}

/* What a run comes to, one question after the other, as the specification has it. */
struct expected {
    size_t n_finished;
    size_t n_failed;
    size_t first_failed;
    bool is_stopped;
};

static struct expected expect(const bool *is_cached, size_t n)
{
    struct expected e = {.first_failed = n};

    while (e.n_finished < n && !e.is_stopped) {
        bool is_failed = !is_cached[e.n_finished];

        if (is_failed && e.first_failed == n)
            e.first_failed = e.n_finished;
        e.n_failed += is_failed;
        e.n_finished++;
        e.is_stopped = is_failed && e.n_failed >= 20 && e.n_failed > e.n_finished - e.n_failed;
    }
    return e;
}

static void assert_as_expected(struct world *w, const struct question *questions,
                               const bool *is_cached, size_t n)
{
    struct expected e = expect(is_cached, n);
    struct sp_buf error = {0};

    if (!e.is_stopped) {
        run_well(w, n, e.n_failed);
        for (size_t i = 0; i < n; i++) {
            struct oracle_response response;

            if (is_cached[i])
                assert_answer(w, &questions[i], questions[i].state);
            else
                assert_true(ask(w, &questions[i], &response) < 0);
        }
        return;
    }
    assert_true(run(w) < 0);
    sp_buf_addf(&error,
                "%zu of %zu questions failed, the first one: no cached answer for request %s",
                e.n_failed, e.n_finished, questions[e.first_failed].key);
    assert_string_equal(w->err.text, sp_buf_cstr(&error));
    sp_buf_deinit(&error);
}

/* The cache knows a share of the questions that differs between their first and second half. */
static void batch_stops_exactly_when_most_fail(void **state)
{
    struct json_gen g = {.state = 20};
    size_t n_stopped = 0;

    for (size_t round = 0; round < 30; round++) {
        struct world *w = *state;
        size_t n = 1 + json_gen_below(&g, 100);
        struct question *questions = make_questions(n);
        size_t shares[] = {json_gen_below(&g, 101), json_gen_below(&g, 101)};
        bool *is_cached = sp_calloc(n, sizeof *is_cached);

        w->options.concurrency = 1 + (unsigned)json_gen_below(&g, 9);
        open_batch(w);
        for (size_t i = 0; i < n; i++) {
            is_cached[i] = json_gen_below(&g, 100) < shares[2 * i / n];
            if (is_cached[i])
                store(w, &questions[i], questions[i].state);
        }
        add_all(w, questions, n);
        assert_as_expected(w, questions, is_cached, n);
        n_stopped += expect(is_cached, n).is_stopped;
        free(is_cached);
        free_questions(questions, n);
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
    }
    assert_in_range(n_stopped, 5, 25);
}

static void batch_stops_at_20_failures_if_they_are_more_than_half(void **state)
{
    /* First come answers, then failures. */
    static const struct {
        size_t n_answers;
        size_t n_failures;
        bool is_stopped;
    } rows[] = {{0, 19, false}, {0, 20, true}, {19, 20, true}, {20, 20, false}, {20, 21, true}};

    for (size_t i = 0; i < N_OF(rows); i++) {
        struct world *w = *state;
        size_t n = rows[i].n_answers + rows[i].n_failures;
        struct question *questions = make_questions(n);

        w->options.concurrency = 8;
        open_batch(w);
        add_all(w, questions, n);
        for (size_t at = 0; at < rows[i].n_answers; at++)
            store(w, &questions[at], "cached");
        if (rows[i].is_stopped)
            assert_true(run(w) < 0);
        else
            run_well(w, n, rows[i].n_failures);
        free_questions(questions, n);
        assert_int_equal(teardown(state), 0);
        assert_int_equal(setup(state), 0);
    }
}

/* The estimate. */

#define N_LONG 10

/* Adds questions whose canonical bytes are 4,003 each: 1,000 tokens. */
static void add_long(struct world *w)
{
    struct sp_buf text = {0};

    for (size_t i = 0; i < N_LONG; i++) {
        struct oracle_request request = {.model = SP_STR("m")};
        struct oracle_response response;
        struct sp_str key;

        sp_buf_clear(&text);
        sp_buf_addf(&text, "\"%0*zu\"", 4003 - 39, i);
        request.state = sp_buf_str(&text);
        assert_true(batch_ask(w->batch, &request, &key, &response, &w->err) < 0);
    }
    sp_buf_deinit(&text);
}

static void batch_tells_what_it_may_cost(void **state)
{
    static const enum oracle_client_kind kinds[] = {ORACLE_CLIENT_MOCK, ORACLE_CLIENT_REPLAY};
    struct world *w = *state;
    struct question *questions = make_questions(1);

    w->options.budget = 0;
    for (size_t i = 0; i < N_OF(kinds); i++) {
        w->options.kind = kinds[i];
        open_batch(w);
        add_long(w);
        add_long(w);
        assert_int_equal(run(w), 0);
        assert_string_equal(sp_buf_cstr(&w->told),
                            "stretto: 10 questions, 0.010 million tokens: at most $0.0004\n");
    }
    open_batch(w);
    add(w, &questions[0]);
    assert_int_equal(run(w), 0);
    assert_string_equal(sp_buf_cstr(&w->told),
                        "stretto: 1 question, 0.000 million tokens: at most $0.0000\n");
    free_questions(questions, 1);
}

static void batch_asks_nothing_above_the_budget(void **state)
{
    static const double cost = 10000 / 1e6 * 0.042;
    struct world *w = *state;
    struct jevd *j = jevd_start(all_good, 1, 0);

    w->options.kind = ORACLE_CLIENT_JEV;
    w->options.dump = w->dump;
    w->options.budget = 0.000419999;
    open_batch(w);
    add_long(w);
    assert_true(run(w) < 0);
    assert_string_equal(w->err.text,
                        "asking may cost $0.0004, more than --oracle-budget 0.000419999");
    assert_string_equal(sp_buf_cstr(&w->told),
                        "stretto: 10 questions, 0.010 million tokens: at most $0.0004\n");
    assert_int_equal(access(w->dump, F_OK), 0);
    w->options.budget = strtod("nan", NULL);
    open_batch(w);
    add_long(w);
    assert_true(run(w) < 0);
    w->options.budget = cost;
    open_batch(w);
    run_well(w, 0, 0);
    jevd_stop(j);
    assert_int_equal(jevd_n_requests(j), 0);
    jevd_free(j);

    j = jevd_start(all_good, 1, 0);
    open_batch(w);
    add_long(w);
    run_well(w, N_LONG, 0);
    jevd_stop(j);
    assert_int_equal(jevd_n_requests(j), N_LONG);
    jevd_free(j);
}

/* The dump. */

/* The request of the second test vector of the keys. */
static struct oracle_option options[] = {{SP_STR("tech"), SP_STR("Bugs")},
                                         {SP_STR("billing"), SP_STR("Money")}};
static struct oracle_question choice[] = {{
    .id = SP_STR("route"),
    .type = ORACLE_CHOICE,
    .instructions = SP_STR("Which team?"),
    .options = options,
    .n_options = 2,
}};
static struct oracle_question noul[] = {{
    .id = SP_STR("n"),
    .type = ORACLE_NOUL,
    .instructions = SP_STR("?"),
    .yes = SP_STR("y"),
    .no = SP_STR("n"),
}};
static const struct oracle_request dumped[] = {
    {.model = SP_STR("m"), .state = SP_STR("null")},
    {.model = SP_STR("jev-latest"),
     .state = SP_STR("{\"ticket\":\"refund please\"}"),
     .questions = choice,
     .n_questions = 1},
    {.model = SP_STR("m"),
     .state = SP_STR(" {\"b\":1.50,\"a\":1}"),
     .questions = noul,
     .n_questions = 1},
};

#define DUMP                                                                              \
    "{\"key\":\"999ef429dea21114d1ac69f48ee54d8fe36762de1016791f44a082521c02c2dd\","      \
    "\"request\":{\"model\":\"m\",\"questions\":{\"n\":{\"criteria\":{\"false\":\"n\",\"" \
    "true\":\"y\"},\"instructions\":\"?\",\"type\":\"noul\"}},\"state\":{\"a\":1,\"b\":1" \
    ".5}}}\n"                                                                             \
    "{\"key\":\"c1c2495f41c13812250aee97c5e069a6bb6076ab01beb31b7672c96d5896e650\","      \
    "\"request\":{\"model\":\"jev-latest\",\"questions\":{\"route\":{\"criteria\":{"      \
    "\"billing\":\"Money\",\"tech\":\"Bugs\"},\"instructions\":\"Which team?\",\"typ"     \
    "e\":\"choice\"}},\"state\":{\"ticket\":\"refund please\"}}}\n"                       \
    "{\"key\":\"d2d80e9752a6f71cc5c8416846f94f6d28eab9fb168b97b6bc3f268a4caf3305\","      \
    "\"request\":{\"model\":\"m\",\"questions\":{},\"state\":null}}\n"

static void batch_dumps_its_questions_sorted(void **state)
{
    static const enum oracle_client_kind kinds[] = {ORACLE_CLIENT_MOCK, ORACLE_CLIENT_REPLAY,
                                                    ORACLE_CLIENT_JEV};
    struct world *w = *state;
    struct jevd *j = jevd_start(all_good, 1, 0);

    assert_int_equal(sp_file_write(w->dump, SP_STR("what was there before")), 0);
    w->options.dump = w->dump;
    for (size_t i = 0; i < N_OF(kinds); i++) {
        struct sp_buf text;
        struct stat st;

        w->options.kind = kinds[i];
        open_batch(w);
        for (size_t at = 0; at < 2 * N_OF(dumped); at++) {
            struct oracle_response response;
            struct sp_str key;

            assert_true(batch_ask(w->batch, &dumped[at % N_OF(dumped)], &key, &response, &w->err) <
                        0);
        }
        assert_int_equal(run(w), 0);
        text = tmpdir_read(w->dump);
        assert_string_equal(sp_buf_cstr(&text), DUMP);
        sp_buf_deinit(&text);
        assert_int_equal(stat(w->dump, &st), 0);
        assert_int_equal(st.st_mode & 0777, 0600);
        assert_int_equal(unlink(w->dump), 0);
    }
    jevd_stop(j);
    assert_int_equal(jevd_n_requests(j), N_OF(dumped));
    jevd_free(j);
}

static void batch_asks_nothing_when_it_cannot_dump(void **state)
{
    struct world *w = *state;
    struct question *questions = make_questions(1);
    char *path = tmpdir_path(w->dir, "missing/dump.jsonl");
    struct jevd *j = jevd_start(all_good, 1, 0);
    struct sp_buf error = {0};

    w->options.kind = ORACLE_CLIENT_JEV;
    w->options.dump = path;
    open_batch(w);
    add(w, &questions[0]);
    assert_true(run(w) < 0);
    sp_buf_addf(&error, "writing %s: No such file or directory", path);
    assert_string_equal(w->err.text, sp_buf_cstr(&error));
    jevd_stop(j);
    assert_int_equal(jevd_n_requests(j), 0);
    jevd_free(j);
    sp_buf_deinit(&error);
    free(path);
    free_questions(questions, 1);
}

/* Settings. */

static void batch_needs_a_key_to_ask_the_service(void **state)
{
    struct world *w = *state;

    w->options.kind = ORACLE_CLIENT_JEV;
    assert_null(batch_new(&w->options, &w->err));
    assert_string_equal(w->err.text,
                        "no TypeSafe key: set TYPESAFE_API_KEY or TYPESAFE_API_KEY_FILE");
    assert_int_equal(setenv("TYPESAFE_API_KEY", "k", 1), 0);
    assert_int_equal(setenv("TYPESAFE_BASE_URL", "h", 1), 0);
    assert_null(batch_new(&w->options, &w->err));
    assert_string_equal(w->err.text, "TYPESAFE_BASE_URL is no http or https URL");
    assert_int_equal(unsetenv("TYPESAFE_API_KEY"), 0);
    assert_int_equal(unsetenv("TYPESAFE_BASE_URL"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(batch_asks_each_question_once_in_the_order_of_keys),
        TEST(batch_leaves_a_question_that_fails_unanswered),
        TEST(batch_has_as_many_questions_out_as_it_may),
        TEST(batch_sends_nothing_that_was_ever_answered),
        TEST(batch_answers_from_the_cache_alone),
        TEST(batch_keeps_all_of_an_answer),
        TEST(batch_of_a_mock_needs_nothing),
        TEST(batch_may_be_empty),
        TEST(batch_does_not_know_what_was_not_asked),
        TEST(batch_stops_when_the_service_refuses_all),
        TEST(batch_stops_exactly_when_most_fail),
        TEST(batch_stops_at_20_failures_if_they_are_more_than_half),
        TEST(batch_tells_what_it_may_cost),
        TEST(batch_asks_nothing_above_the_budget),
        TEST(batch_dumps_its_questions_sorted),
        TEST(batch_asks_nothing_when_it_cannot_dump),
        TEST(batch_needs_a_key_to_ask_the_service),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
