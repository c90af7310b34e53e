/* Tests of oracle_read_request() in oracle/oracle.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "json/jput.h"
#include "json/jscan.h"
#include "json_gen.h"
#include "oracle/oracle.h"
#include "oracle/oracle_key.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

/* Reads a text, and nothing of it is kept. */
static int read_text(struct sp_str text, struct oracle_request *ret, struct sp_err *ret_err)
{
    char *copy = memcpy(sp_malloc(text.len), text.p, text.len);
    struct jscan scan;
    int err;

    assert_true(jscan((struct sp_str){copy, text.len}, JSCAN_MAX_DEPTH, &scan));
    err = oracle_read_request(scan.value, ret, ret_err);
    memset(copy, '#', text.len);
    free(copy);
    return err;
}

/* A request with one question. */
static struct sp_str one_question(struct sp_buf *b, const char *question)
{
    sp_buf_clear(b);
    sp_buf_addf(b, "{\"model\":\"m\",\"state\":{},\"questions\":{\"q\":%s}}", question);
    return sp_buf_str(b);
}

static void assert_bytes(struct sp_str text, const char *want, const char *want_key)
{
    struct oracle_request r;
    struct sp_buf bytes = {0};
    struct sp_err err;
    char key[ORACLE_KEY_SIZE];

    if (read_text(text, &r, &err) < 0)
        fail_msg("%.*s: %s", SP_STR_ARG(text), err.text);
    oracle_put_request(&bytes, &r);
    assert_string_equal(sp_buf_cstr(&bytes), want);
    oracle_key_of(sp_buf_str(&bytes), key);
    if (want_key != NULL)
        assert_string_equal(key, want_key);
    sp_buf_deinit(&bytes);
    oracle_request_deinit(&r);
}

/* Vectors whose canonical bytes and keys are fixed. */
static const struct {
    const char *text; /* the same request in another form */
    const char *canonical;
    const char *key;
} vectors[] = {
    {" { \"questions\" : { } , \"model\" : \"m\" , \"state\" : null } ",
     "{\"model\":\"m\",\"state\":null,\"questions\":{}}",
     "d2d80e9752a6f71cc5c8416846f94f6d28eab9fb168b97b6bc3f268a4caf3305"},
    {"{\"questions\":{\"route\":{\"criteria\":{\"tech\":\"Bugs\",\"billing\":\"Money\"},"
     "\"instructions\":\"Which team\\u003f\",\"type\":\"choice\"}},"
     "\"state\":{\"ticket\":\"refund please\"},\"model\":\"jev-latest\"}",
     "{\"model\":\"jev-latest\",\"state\":{\"ticket\":\"refund please\"},\"questions\":{\"route\":"
     "{\"type\":\"choice\",\"instructions\":\"Which team?\",\"criteria\":{\"billing\":\"Money\","
     "\"tech\":\"Bugs\"}}}}",
     "c1c2495f41c13812250aee97c5e069a6bb6076ab01beb31b7672c96d5896e650"},
    {"{\"model\":\"m\",\"state\":{\"b\":0,\"a\":[1.50,2.0,1e16,0.000001,1e-5,1e15,-0.0,"
     "123456789.125,\"\\u00e9\\/\u2019\\u0001\\\"\\\\\\n\"],\"\u00e9\":null,\"Z\":true,"
     "\"\\u0062\":1},\"questions\":{\"s\":{\"instructions\":\"How bad?\",\"type\":\"score\","
     "\"criteria\":[\"low\",\"high\"]},\"n\":{\"type\":\"noul\",\"instructions\":\"?\"}}}",
     "{\"model\":\"m\",\"state\":{\"Z\":true,\"a\":[1.5,2.0,1e16,1e-6,0.00001,1000000000000000.0,"
     "-0.0,123456789.125,\"\u00e9/\u2019\\u0001\\\"\\\\\\n\"],\"b\":1,\"\u00e9\":null},"
     "\"questions\":{\"n\":{\"type\":\"noul\",\"instructions\":\"?\"},\"s\":{\"type\":\"score\","
     "\"instructions\":\"How bad?\",\"criteria\":[\"low\",\"high\"]}}}",
     "de1a3272038b12b9636d994fb493181ae8302797118b0bff60fbc8f34af63b2d"},
};

static void oracle_reads_requests_of_any_form_to_the_same_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(vectors); i++) {
        assert_bytes(sp_str_of(vectors[i].text), vectors[i].canonical, vectors[i].key);
        assert_bytes(sp_str_of(vectors[i].canonical), vectors[i].canonical, vectors[i].key);
    }
}

static void oracle_reads_questions_of_each_type(void **state)
{
    static const struct {
        const char *question;
        const char *canonical;
    } rows[] = {
        {"{\"type\":\"noul\",\"instructions\":\"\",\"criteria\":null}",
         "{\"type\":\"noul\",\"instructions\":\"\"}"},
        {"{\"type\":\"noul\",\"instructions\":\"I\",\"criteria\":{\"false\":\"N\",\"maybe\":7,"
         "\"true\":\"Y\"}}",
         "{\"type\":\"noul\",\"instructions\":\"I\",\"criteria\":{\"true\":\"Y\",\"false\":\"N\"}"
         "}"},
        {"{\"type\":\"noul\",\"instructions\":\"I\",\"criteria\":{\"false\":\"\",\"true\":\"\"}}",
         "{\"type\":\"noul\",\"instructions\":\"I\",\"criteria\":{\"true\":\"\",\"false\":\"\"}}"},
        {"{\"type\":\"\\u0063hoice\",\"instructions\":\"I\",\"criteria\":{}}",
         "{\"type\":\"choice\",\"instructions\":\"I\",\"criteria\":{}}"},
        {"{\"type\":\"choice\",\"instructions\":\"I\",\"criteria\":{\"b\":\"1\",\"\":\"2\","
         "\"B\":\"3\",\"\\u0062\":\"4\"}}",
         "{\"type\":\"choice\",\"instructions\":\"I\",\"criteria\":{\"\":\"2\",\"B\":\"3\","
         "\"b\":\"4\"}}"},
        {"{\"type\":\"choice\",\"instructions\":\"I\",\"criteria\":{\"a\\u0000\":\"\\u0000\","
         "\"a\":\"x\"}}",
         "{\"type\":\"choice\",\"instructions\":\"I\",\"criteria\":{\"a\":\"x\","
         "\"a\\u0000\":\"\\u0000\"}}"},
        {"{\"type\":\"score\",\"instructions\":\"I\",\"criteria\":[\"z\",\"a\",\"z\"]}",
         "{\"type\":\"score\",\"instructions\":\"I\",\"criteria\":[\"z\",\"a\",\"z\"]}"},
        {"{\"type\":\"score\",\"type\":\"noul\",\"instructions\":1,\"instructions\":\"I\","
         "\"id\":\"q\"}",
         "{\"type\":\"noul\",\"instructions\":\"I\"}"},
    };
    struct sp_buf text = {0}, want = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        sp_buf_clear(&want);
        sp_buf_add(&want, one_question(&text, rows[i].canonical));
        assert_bytes(one_question(&text, rows[i].question), sp_buf_cstr(&want), NULL);
    }
    sp_buf_deinit(&text);
    sp_buf_deinit(&want);
}

static void oracle_takes_the_last_of_a_name_that_occurs_twice(void **state)
{
    (void)state;
    assert_bytes(SP_STR("{\"model\":7,\"questions\":{\"a\":1,\"b\":{\"type\":\"noul\","
                        "\"instructions\":\"B\"},\"a\":{\"type\":\"noul\",\"instructions\":\"A\"}},"
                        "\"model\":\"m\",\"state\":1,\"state\":[{\"x\":1,\"x\":2}],\"more\":0}"),
                 "{\"model\":\"m\",\"state\":[{\"x\":2}],\"questions\":{"
                 "\"a\":{\"type\":\"noul\",\"instructions\":\"A\"},"
                 "\"b\":{\"type\":\"noul\",\"instructions\":\"B\"}}}",
                 NULL);
}

/* Reads what must fail, and gives back why. */
static void assert_error(struct sp_str text, const char *want)
{
    static const struct oracle_request untouched = {.n_questions = 4711};
    struct oracle_request r = untouched;
    struct sp_err err;

    if (read_text(text, &r, &err) == 0)
        fail_msg("%.*s was read", SP_STR_ARG(text));
    if (strcmp(err.text, want) != 0)
        fail_msg("%.*s: %s, not %s", SP_STR_ARG(text), err.text, want);
    assert_int_equal(r.n_questions, 4711);
}

static void oracle_refuses_what_is_no_request(void **state)
{
    static const struct {
        const char *text;
        const char *error;
    } rows[] = {
        {"7", "the document: must be an object"},
        {"[]", "the document: must be an object"},
        {"{}", "model: is missing"},
        {"{\"model\":1,\"state\":1,\"questions\":{}}", "model: must be a string"},
        {"{\"model\":null,\"state\":1,\"questions\":{}}", "model: must be a string"},
        {"{\"model\":\"m\",\"questions\":{}}", "state: is missing"},
        {"{\"model\":\"m\",\"state\":1}", "questions: is missing"},
        {"{\"model\":\"m\",\"state\":1,\"questions\":[]}", "questions: must be an object"},
        {"{\"model\":\"m\",\"state\":1,\"questions\":null}", "questions: must be an object"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++)
        assert_error(sp_str_of(rows[i].text), rows[i].error);
}

static void oracle_refuses_what_is_no_question(void **state)
{
    static const struct {
        const char *question;
        const char *error;
    } rows[] = {
        {"[]", "questions.q: must be an object"},
        {"null", "questions.q: must be an object"},
        {"{\"instructions\":\"I\"}", "questions.q.type: is missing"},
        {"{\"type\":7,\"instructions\":\"I\"}", "questions.q.type: must be a string"},
        {"{\"type\":\"bool\",\"instructions\":\"I\"}",
         "questions.q.type: must be noul, choice or score"},
        {"{\"type\":\"noul\\u0000\",\"instructions\":\"I\"}",
         "questions.q.type: must be noul, choice or score"},
        {"{\"type\":\"noul\"}", "questions.q.instructions: is missing"},
        {"{\"type\":\"noul\",\"instructions\":[\"I\"]}",
         "questions.q.instructions: must be a string"},
        {"{\"type\":\"noul\",\"instructions\":\"I\",\"criteria\":[]}",
         "questions.q.criteria: must be an object"},
        {"{\"type\":\"noul\",\"instructions\":\"I\",\"criteria\":{}}",
         "questions.q.criteria.true: is missing"},
        {"{\"type\":\"noul\",\"instructions\":\"I\",\"criteria\":{\"true\":\"Y\"}}",
         "questions.q.criteria.false: is missing"},
        {"{\"type\":\"noul\",\"instructions\":\"I\",\"criteria\":{\"true\":\"Y\",\"false\":0}}",
         "questions.q.criteria.false: must be a string"},
        {"{\"type\":\"choice\",\"instructions\":\"I\"}", "questions.q.criteria: must be an object"},
        {"{\"type\":\"choice\",\"instructions\":\"I\",\"criteria\":null}",
         "questions.q.criteria: must be an object"},
        {"{\"type\":\"choice\",\"instructions\":\"I\",\"criteria\":[\"a\"]}",
         "questions.q.criteria: must be an object"},
        {"{\"type\":\"choice\",\"instructions\":\"I\",\"criteria\":{\"a\":1}}",
         "questions.q.criteria: must hold strings"},
        {"{\"type\":\"score\",\"instructions\":\"I\"}", "questions.q.criteria: must be an array"},
        {"{\"type\":\"score\",\"instructions\":\"I\",\"criteria\":{\"0\":\"a\",\"1\":\"b\"}}",
         "questions.q.criteria: must be an array"},
        {"{\"type\":\"score\",\"instructions\":\"I\",\"criteria\":[]}",
         "questions.q.criteria: has less than 2 levels"},
        {"{\"type\":\"score\",\"instructions\":\"I\",\"criteria\":[\"a\"]}",
         "questions.q.criteria: has less than 2 levels"},
        {"{\"type\":\"score\",\"instructions\":\"I\",\"criteria\":[\"a\",null]}",
         "questions.q.criteria: must hold strings"},
    };
    struct sp_buf text = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++)
        assert_error(one_question(&text, rows[i].question), rows[i].error);
    sp_buf_deinit(&text);
}

/* A choice with so many options, or a score with so many levels. */
static struct sp_str many(struct sp_buf *b, bool is_choice, size_t n)
{
    struct sp_buf question = {0};

    sp_buf_addf(&question, "{\"type\":\"%s\",\"instructions\":\"I\",\"criteria\":%c",
                is_choice ? "choice" : "score", is_choice ? '{' : '[');
    for (size_t i = 0; i < n; i++) {
        sp_buf_add(&question, i > 0 ? SP_STR(",") : SP_STR(""));
        if (is_choice)
            sp_buf_addf(&question, "\"%03zu\":", i);
        sp_buf_add(&question, SP_STR("\"t\""));
    }
    sp_buf_add(&question, is_choice ? SP_STR("}}") : SP_STR("]}"));
    one_question(b, sp_buf_cstr(&question));
    sp_buf_deinit(&question);
    return sp_buf_str(b);
}

static void oracle_refuses_more_options_or_levels_than_there_may_be(void **state)
{
    struct sp_buf text = {0};
    struct sp_buf same = {0};

    (void)state;
    for (size_t n = 2; n <= 255; n += n < 250 ? 62 : 1) {
        struct sp_str choice = many(&text, true, n);

        sp_buf_clear(&same);
        sp_buf_add(&same, choice);
        assert_bytes(choice, sp_buf_cstr(&same), NULL);
    }
    assert_error(many(&text, true, 256), "questions.q.criteria: has more than 255 options");
    for (size_t n = 2; n <= 10; n++) {
        struct sp_str score = many(&text, false, n);

        sp_buf_clear(&same);
        sp_buf_add(&same, score);
        assert_bytes(score, sp_buf_cstr(&same), NULL);
    }
    assert_error(many(&text, false, 11), "questions.q.criteria: has more than 10 levels");
    sp_buf_deinit(&text);
    sp_buf_deinit(&same);
}

/* Appends a random text as a JSON string; short ones, so that names meet. */
static void put_random_string(struct json_gen *g, struct sp_buf *b)
{
    static const char *const texts[] = {"a", "b", "", "\u00e9", "a\n", "\"", "ab", "z\x01"};

    jput_string(b, sp_str_of(texts[json_gen_below(g, N_OF(texts))]));
}

static void put_random_options(struct json_gen *g, struct sp_buf *b)
{
    size_t n = json_gen_below(g, 6);

    sp_buf_add_char(b, '{');
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            sp_buf_add_char(b, ',');
        put_random_string(g, b);
        sp_buf_add_char(b, ':');
        put_random_string(g, b);
    }
    sp_buf_add_char(b, '}');
}

static void put_random_question(struct json_gen *g, struct sp_buf *b)
{
    switch (json_gen_below(g, 4)) {
    case 0:
        sp_buf_add(b, SP_STR("{\"instructions\":"));
        put_random_string(g, b);
        sp_buf_add(b, SP_STR(",\"type\":\"noul\"}"));
        break;
    case 1:
        sp_buf_add(b, SP_STR("{\"criteria\":{\"false\":"));
        put_random_string(g, b);
        sp_buf_add(b, SP_STR(",\"true\":"));
        put_random_string(g, b);
        sp_buf_add(b, SP_STR("},\"type\":\"noul\",\"instructions\":\"?\"}"));
        break;
    case 2:
        sp_buf_add(b, SP_STR("{\"criteria\":"));
        put_random_options(g, b);
        sp_buf_add(b, SP_STR(",\"type\":\"choice\",\"instructions\":\"?\"}"));
        break;
    default:
        sp_buf_add(b, SP_STR("{\"criteria\":["));
        put_random_string(g, b);
        sp_buf_add_char(b, ',');
        put_random_string(g, b);
        sp_buf_add(b, SP_STR("],\"type\":\"score\",\"instructions\":\"?\"}"));
        break;
    }
}

/* What is read and written once is written the same ever after. */
static void oracle_reads_back_what_it_writes(void **state)
{
    struct json_gen g = {.state = 31};
    struct sp_buf text = {0}, bytes = {0};

    (void)state;
    for (size_t round = 0; round < 500; round++) {
        size_t n = json_gen_below(&g, 5);
        struct oracle_request r;
        struct sp_err err;

        sp_buf_clear(&text);
        sp_buf_clear(&bytes);
        sp_buf_add(&text, SP_STR("{\"questions\":{"));
        for (size_t i = 0; i < n; i++) {
            if (i > 0)
                sp_buf_add_char(&text, ',');
            put_random_string(&g, &text);
            sp_buf_add_char(&text, ':');
            put_random_question(&g, &text);
        }
        sp_buf_add(&text, SP_STR("},\"state\":"));
        json_gen_value(&g, &text);
        sp_buf_add(&text, SP_STR(",\"model\":\"m\"}"));
        if (read_text(sp_buf_str(&text), &r, &err) < 0)
            fail_msg("%s: %s", sp_buf_cstr(&text), err.text);
        oracle_put_request(&bytes, &r);
        oracle_request_deinit(&r);
        assert_bytes(sp_buf_str(&bytes), sp_buf_cstr(&bytes), NULL);
    }
    sp_buf_deinit(&text);
    sp_buf_deinit(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oracle_reads_requests_of_any_form_to_the_same_bytes),
        cmocka_unit_test(oracle_reads_questions_of_each_type),
        cmocka_unit_test(oracle_takes_the_last_of_a_name_that_occurs_twice),
        cmocka_unit_test(oracle_refuses_what_is_no_request),
        cmocka_unit_test(oracle_refuses_what_is_no_question),
        cmocka_unit_test(oracle_refuses_more_options_or_levels_than_there_may_be),
        cmocka_unit_test(oracle_reads_back_what_it_writes),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
