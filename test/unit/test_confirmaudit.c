/* Tests of learn/confirmaudit.h. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "guard_session.h"
#include "json/jcanon.h"
#include "json/jget.h"
#include "json_gen.h"
#include "learn/confirmaudit.h"
#include "oracle/oracle_key.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define CANCEL "cancel_pending_order"
#define ORDER  "{\"order_id\":\"#W7a\",\"reason\":\"no longer needed\"}"
#define ROW_1  "I can cancel order #W7a because you no longer need it. Shall I go ahead?"

/*
 * Who answers: what the customer says names the probabilities, "p=0.15" that of the first question
 * and "q=0.15" that of the second; a question whose probability it does not name has no answer, and
 * after "?" one of another kind.
 */
struct answers {
    bool is_ready; /* before, nothing is answered */
    size_t n_asked;
    char key[ORACLE_KEY_SIZE];
};

static void put_response(struct sp_buf *b, struct sp_str id, const char *said)
{
    sp_buf_addf(b, "{\"model\":\"m\",\"answers\":{\"%.*s\":", SP_STR_ARG(id));
    if (said[2] == '?')
        sp_buf_add(b, SP_STR("{\"type\":\"score\",\"score\":0.1,\"probabilities\":{},"
                             "\"confidence\":1}}}"));
    else
        sp_buf_addf(b, "{\"type\":\"noul\",\"noul\":%.4s}}}", said + 2);
}

static int answer(void *data, const struct oracle_request *request, struct sp_str *ret_key,
                  struct oracle_response *ret, struct sp_err *ret_why)
{
    struct answers *answers = data;
    struct sp_str id = request->questions[0].id;
    const char *name = sp_str_eq(id, SP_STR("confirmed")) ? "p=" : "q=";
    struct sp_buf bytes = {0};
    struct sp_buf customer = {0};
    struct sp_str value = {0};
    const char *said;
    int err = -EAGAIN;

    answers->n_asked++;
    oracle_put_request(&bytes, request);
    oracle_key_of(sp_buf_str(&bytes), answers->key);
    *ret_key = sp_str_of(answers->key);
    assert_true(jget_member(request->state, SP_STR("customer_replied"), &value));
    jget_text(value, &customer);
    said = strstr(sp_buf_cstr(&customer), name);
    sp_err_set(ret_why, "not answered");
    if (answers->is_ready && said != NULL) {
        sp_buf_clear(&bytes);
        put_response(&bytes, id, said);
        err = oracle_parse_response(sp_buf_str(&bytes), ret, ret_why);
    }
    sp_buf_deinit(&bytes);
    sp_buf_deinit(&customer);
    return err;
}

/* An audit and what it is made of. */
struct world {
    struct answers answers;
    struct confirmaudit_options options;
    struct confirmaudit *audit;
    struct guard_session session; /* the episode that is told */
    struct sp_buf text;
};

static void begin_audit(struct world *w, const char *domain, enum judgment_second second)
{
    *w = (struct world){0};
    w->options = (struct confirmaudit_options){
        .domain = guard_domain_find(sp_str_of(domain)),
        .model = SP_STR("jev-latest"),
        .second = second,
        .threshold = 0.5,
        .max_examples = 8,
        .ask = answer,
        .ask_data = &w->answers,
    };
    w->audit = confirmaudit_new(&w->options);
}

static void begin_episode(struct world *w, const char *id, const char *task, double reward)
{
    guard_session_init(&w->session, w->options.domain->name);
    w->session.episode.id = sp_str_of(id);
    w->session.episode.task_id = sp_str_of(task);
    w->session.episode.reward = reward;
}

static void end_episode(struct world *w)
{
    confirmaudit_add(w->audit, &w->session.episode);
    guard_session_deinit(&w->session);
}

static void end_audit(struct world *w)
{
    confirmaudit_free(w->audit);
    sp_buf_deinit(&w->text);
}

/* Looks all answers up; the only audit's JSON. */
static struct sp_str count(struct world *w)
{
    const struct confirmaudit *const audits[] = {w->audit};
    struct jscan scan;

    w->answers.is_ready = true;
    confirmaudit_count(w->audit);
    sp_buf_clear(&w->text);
    confirmaudit_put_json(&w->text, audits, 1);
    assert_true(jscan(sp_buf_str(&w->text), 20, &scan));
    return scan.value;
}

/* A path of names and indexes into a value: "audits.0.groups". */
static struct sp_str at(struct sp_str value, const char *path)
{
    while (*path != '\0') {
        size_t len = strcspn(path, ".");
        struct sp_str name = {path, len};
        struct sp_str found = {0};

        if (jget_type(value) == JSCAN_ARRAY) {
            struct jget_iter it = jget_iter(value);

            for (unsigned long n = strtoul(path, NULL, 10) + 1; n > 0; n--)
                assert_true(jget_next(&it));
            found = it.value;
        } else if (!jget_member(value, name, &found)) {
            fail_msg("no member %.*s", SP_STR_ARG(name));
        }
        value = found;
        path += len + (path[len] == '.');
    }
    return value;
}

static void assert_at(struct sp_str value, const char *path, const char *want)
{
    struct sp_buf got = {0};

    jcanon(&got, at(value, path));
    if (strcmp(sp_buf_cstr(&got), want) != 0)
        fail_msg("%s is %s, not %s", path, sp_buf_cstr(&got), want);
    sp_buf_deinit(&got);
}

static size_t length(struct sp_str array)
{
    size_t n = 0;

    for (struct jget_iter it = jget_iter(array); jget_next(&it);)
        n++;
    return n;
}

/* ---- gathering ---- */

static void confirmaudit_judges_the_writes_that_need_a_yes(void **state)
{
    static const struct {
        const char *domain;
        const char *tool;
        size_t n_writes;
    } rows[] = {
        {"retail", "cancel_pending_order", 1},
        {"retail", "modify_pending_order_address", 1},
        {"retail", "modify_pending_order_items", 1},
        {"retail", "modify_pending_order_payment", 1},
        {"retail", "modify_user_address", 1},
        {"retail", "return_delivered_order_items", 1},
        {"retail", "exchange_delivered_order_items", 1},
        {"retail", "get_order_details", 0},
        {"retail", "cancel_reservation", 0},
        {"retail", "transfer_to_human_agents", 0},
        {"airline", "cancel_reservation", 1},
        {"airline", "update_reservation_baggages", 1},
        {"airline", "update_reservation_flights", 1},
        {"airline", "update_reservation_passengers", 1},
        {"airline", "book_reservation", 1},
        {"airline", "send_certificate", 0},
        {"airline", "get_reservation_details", 0},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct world w;

        begin_audit(&w, rows[i].domain, JUDGMENT_NO_SECOND);
        begin_episode(&w, "e", "t", 1);
        guard_session_calls(&w.session, rows[i].tool, "{}", "ok"); /* though a guard refuses it */
        end_episode(&w);
        assert_int_equal(confirmaudit_size(w.audit).episodes, 1);
        assert_int_equal(confirmaudit_size(w.audit).writes, rows[i].n_writes);
        assert_int_equal(w.answers.n_asked, rows[i].n_writes);
        end_audit(&w);
    }
}

static void confirmaudit_takes_the_exchange_before_the_turn(void **state)
{
    struct world w;
    struct sp_str json;
    size_t turn;

    (void)state;
    begin_audit(&w, "retail", JUDGMENT_PROPOSED);
    begin_episode(&w, "e", "t", 1);
    episode_add_turn(&w.session.episode, SP_STR(ROW_1));
    guard_session_says(&w.session, "Yes, please go ahead.");
    turn = episode_add_turn(&w.session.episode, SP_STR("I am on it."));
    for (int i = 0; i < 2; i++)
        episode_add_call(&w.session.episode, turn,
                         (struct episode_call){i == 0 ? SP_STR("x") : SP_STR("y"), SP_STR(CANCEL),
                                               SP_STR(ORDER)});
    end_episode(&w);
    json = count(&w);
    for (int i = 0; i < 2; i++) {
        struct sp_str write = at(json, i == 0 ? "writes.0" : "writes.1");

        assert_at(write, "key",
                  "\"22517a8287113a5be8380c7758143416f1615c72a10b7eb2606879820190ecd1\"");
        assert_at(write, "second_key",
                  "\"dd872ac4e003dac2841fe27ba891e40e3f1c30b45ed5eeb4ac5db358d193690b\"");
        assert_at(write, "word_list", "true");
        assert_at(write, "customer", "\"Yes, please go ahead.\"");
    }
    assert_int_equal(w.answers.n_asked, 8); /* two questions about two writes, twice */
    end_audit(&w);
}

static void confirmaudit_of_a_silent_session_asks_about_empty_texts(void **state)
{
    struct world w;
    struct sp_str json;

    (void)state;
    begin_audit(&w, "retail", JUDGMENT_DESCRIBED);
    begin_episode(&w, "e", "t", 0);
    guard_session_calls(&w.session, CANCEL, ORDER, "ok");
    end_episode(&w);
    json = count(&w);
    assert_at(json, "writes.0.key",
              "\"aaa08b74bab630f9f8d222e99c1fb949eded94e84c84fac7ac1a88e3c39146e3\"");
    assert_at(json, "writes.0.customer", "\"\"");
    assert_at(json, "writes.0.word_list", "false");
    assert_at(json, "audits.0.second", "\"described\"");
    end_audit(&w);
}

static void confirmaudit_takes_the_last_result_of_a_call(void **state)
{
    struct world w;
    struct sp_str json;

    (void)state;
    begin_audit(&w, "retail", JUDGMENT_NO_SECOND);
    begin_episode(&w, "e", "t", 1);
    guard_session_calls(&w.session, CANCEL, ORDER, "ok");
    episode_add_result(&w.session.episode, SP_STR("c0"), SP_STR(CANCEL), true, SP_STR("no"));
    guard_session_fails(&w.session, CANCEL, ORDER, "no");
    episode_add_result(&w.session.episode, SP_STR("c1"), SP_STR(CANCEL), false, SP_STR("ok"));
    end_episode(&w);
    json = count(&w);
    assert_at(json, "writes.0.refused", "true");
    assert_at(json, "writes.1.refused", "false");
    end_audit(&w);
}

/* ---- counting ---- */

/* One write in a session of its own. */
static void add_write(struct world *w, const char *id, double reward, const char *customer,
                      bool is_refused)
{
    begin_episode(w, id, "t", reward);
    guard_session_says(&w->session, customer);
    if (is_refused)
        guard_session_fails(&w->session, CANCEL, ORDER, "no");
    else
        guard_session_calls(&w->session, CANCEL, ORDER, "ok");
    end_episode(w);
}

static void confirmaudit_counts_each_way_to_fail(void **state)
{
    /* The word list passes what has a "yes". */
    static const struct {
        const char *customer;
        const char *group;    /* both, judge, two questions, unanswered, word list, writes */
        const char *failing;  /* one digit each: word list, judge, two questions */
        const char *examples; /* one digit each: judge only, word list only, second only */
    } rows[] = {
        {"yes p=0.92 q=0.92", "0,\"judge\":0,\"two_questions\":0,\"unanswered\":0,\"word_list\":0",
         "000", "000"},
        {"yes p=0.50 q=0.50", "0,\"judge\":0,\"two_questions\":0,\"unanswered\":0,\"word_list\":0",
         "000", "000"},
        {"yes p=0.49 q=0.92", "0,\"judge\":1,\"two_questions\":1,\"unanswered\":0,\"word_list\":0",
         "011", "100"},
        {"no p=0.49 q=0.92", "1,\"judge\":1,\"two_questions\":1,\"unanswered\":0,\"word_list\":1",
         "111", "000"},
        {"no p=0.92 q=0.92", "0,\"judge\":0,\"two_questions\":0,\"unanswered\":0,\"word_list\":1",
         "100", "010"},
        {"yes p=0.92 q=0.10", "0,\"judge\":0,\"two_questions\":1,\"unanswered\":0,\"word_list\":0",
         "001", "001"},
        {"no p=0.92 q=0.10", "0,\"judge\":0,\"two_questions\":1,\"unanswered\":0,\"word_list\":1",
         "101", "011"},
        {"yes p=0.10 q=0.10", "0,\"judge\":1,\"two_questions\":1,\"unanswered\":0,\"word_list\":0",
         "011", "100"},
        {"yes p=0.10", "0,\"judge\":1,\"two_questions\":1,\"unanswered\":0,\"word_list\":0", "011",
         "100"},
        {"yes q=0.10", "0,\"judge\":0,\"two_questions\":1,\"unanswered\":1,\"word_list\":0", "001",
         "001"},
        {"yes q=0.92", "0,\"judge\":0,\"two_questions\":0,\"unanswered\":1,\"word_list\":0", "000",
         "000"},
        {"no", "0,\"judge\":0,\"two_questions\":0,\"unanswered\":1,\"word_list\":1", "100", "000"},
        {"yes p=? q=?", "0,\"judge\":0,\"two_questions\":0,\"unanswered\":1,\"word_list\":0", "000",
         "000"},
    };
    static const char *const failing[] = {"episodes_word_list", "episodes_judge", "episodes_two"};
    static const char *const examples[] = {"judge_only", "word_list_only", "second_only"};

    (void)state;
    for (size_t i = 0; i < N_OF(rows) * 3; i++) {
        size_t row = i / 3, group = i % 3;
        struct sp_buf want = {0}, path = {0};
        struct sp_str audit;
        struct world w;

        begin_audit(&w, "retail", JUDGMENT_PROPOSED);
        add_write(&w, "e", group == 1 ? 0.5 : 1, rows[row].customer, group == 2);
        audit = at(count(&w), "audits.0");
        sp_buf_addf(&want, "{\"both\":%s,\"writes\":1}", rows[row].group);
        sp_buf_addf(&path, "groups.%zu", group);
        assert_at(audit, sp_buf_cstr(&path), sp_buf_cstr(&want));
        assert_at(audit, "episodes", group == 1 ? "[0,1]" : "[1,0]");
        for (size_t k = 0; k < 3; k++) {
            bool is_failing = group < 2 && rows[row].failing[k] == '1';
            size_t n_examples = group < 2 && rows[row].examples[k] == '1';

            assert_at(audit, failing[k], is_failing ? (group == 0 ? "[1,0]" : "[0,1]") : "[0,0]");
            assert_int_equal(length(at(audit, examples[k])), n_examples);
        }
        sp_buf_deinit(&want);
        sp_buf_deinit(&path);
        end_audit(&w);
    }
}

/* The value of a write's probability; returns whether it has one. */
static bool probability(struct sp_str write, const char *name, double *ret)
{
    struct sp_str value;
    struct sp_buf text = {0};

    if (!jget_member(write, sp_str_of(name), &value) || jget_type(value) != JSCAN_NUMBER)
        return false;
    sp_buf_add(&text, value);
    *ret = strtod(sp_buf_cstr(&text), NULL);
    sp_buf_deinit(&text);
    return true;
}

static bool is_true(struct sp_str write, const char *name)
{
    return jget_type(at(write, name)) == JSCAN_TRUE;
}

/* What the writes of a report add up to. */
struct sums {
    size_t groups[3][6]; /* both, judge, two questions, unanswered, word list, writes */
    size_t failing[3][2];
    size_t examples[3];
};

static struct sums add_up(struct sp_str writes, double threshold)
{
    struct sums s = {0};
    struct sp_str last[3] = {0};

    for (struct jget_iter it = jget_iter(writes); jget_next(&it);) {
        struct sp_str id = at(it.value, "episode");
        double p = 0, q = 0;
        bool has_p = probability(it.value, "p_yes", &p);
        bool judge = has_p && p < threshold;
        bool second = probability(it.value, "p_second", &q) && q < threshold;
        bool words = !is_true(it.value, "word_list");
        size_t side = is_true(it.value, "success") ? 0 : 1;
        size_t group = is_true(it.value, "refused") ? 2 : side;
        const bool of_group[6] = {words && judge, judge, judge || second, !has_p, words, true};
        const bool fails[3] = {words, judge, judge || second};
        const bool examples[3] = {judge && !words, !judge && has_p && words, !judge && second};

        for (size_t i = 0; i < 6; i++)
            s.groups[group][i] += of_group[i];
        for (size_t i = 0; i < 3 && group < 2; i++) {
            s.examples[i] += examples[i];
            if (fails[i] && !sp_str_eq(last[i], id))
                s.failing[i][side]++;
            if (fails[i])
                last[i] = id;
        }
    }
    return s;
}

static void add_random_episode(struct world *w, struct json_gen *g, const char *id)
{
    static const char *const words[] = {"Yes", "No", "Hm"};
    size_t n = json_gen_below(g, 5);

    begin_episode(w, id, "t", json_gen_below(g, 2) == 0 ? 0 : 1);
    for (size_t i = 0; i < n; i++) {
        struct sp_buf said = {0};

        sp_buf_addf(&said, "%s", words[json_gen_below(g, 3)]);
        if (json_gen_below(g, 5) > 0)
            sp_buf_addf(&said, " p=0.%02u", (unsigned)json_gen_below(g, 100));
        if (json_gen_below(g, 5) > 0)
            sp_buf_addf(&said, " q=0.%02u", (unsigned)json_gen_below(g, 100));
        if (json_gen_below(g, 3) > 0)
            guard_session_says(&w->session, sp_buf_cstr(&said));
        if (json_gen_below(g, 4) == 0)
            guard_session_fails(&w->session, CANCEL, ORDER, "no");
        else
            guard_session_calls(&w->session, CANCEL, ORDER, "ok");
        sp_buf_deinit(&said);
    }
    end_episode(w);
}

static void assert_sums(struct sp_str json, const struct sums *s, size_t max_examples)
{
    static const char *const members[] = {"both",       "judge",     "two_questions",
                                          "unanswered", "word_list", "writes"};
    static const char *const failing[] = {"episodes_word_list", "episodes_judge", "episodes_two"};
    static const char *const examples[] = {"judge_only", "word_list_only", "second_only"};
    struct sp_str audit = at(json, "audits.0");

    for (size_t i = 0; i < 3; i++) {
        char path[64], want[64];
        size_t n = s->examples[i] < max_examples ? s->examples[i] : max_examples;

        for (size_t k = 0; k < 6; k++) {
            (void)snprintf(path, sizeof path, "groups.%zu.%s", i, members[k]);
            (void)snprintf(want, sizeof want, "%zu", s->groups[i][k]);
            assert_at(audit, path, want);
        }
        (void)snprintf(want, sizeof want, "[%zu,%zu]", s->failing[i][0], s->failing[i][1]);
        assert_at(audit, failing[i], want);
        assert_int_equal(length(at(audit, examples[i])), n);
    }
}

static void confirmaudit_counts_what_its_writes_add_up_to(void **state)
{
    struct json_gen g = {.state = 32};

    (void)state;
    for (size_t round = 0; round < 60; round++) {
        struct world w;
        struct sp_str json;
        struct sums sums;
        size_t n_episodes = json_gen_below(&g, 12);

        begin_audit(&w, "retail", round % 2 == 0 ? JUDGMENT_DESCRIBED : JUDGMENT_NO_SECOND);
        confirmaudit_free(w.audit);
        w.options.max_examples = json_gen_below(&g, 5);
        w.options.threshold = 0.01 * (double)json_gen_below(&g, 101);
        w.audit = confirmaudit_new(&w.options);
        for (size_t i = 0; i < n_episodes; i++) {
            char id[] = {(char)('a' + i), '\0'};

            add_random_episode(&w, &g, id);
        }
        json = count(&w);
        assert_int_equal(length(at(json, "writes")), confirmaudit_size(w.audit).writes);
        sums = add_up(at(json, "writes"), w.options.threshold);
        assert_sums(json, &sums, w.options.max_examples);
        end_audit(&w);
    }
}

/* ---- reports ---- */

/* Three accepted writes, two of them in one episode, and one that the tool refuses. */
static void add_example(struct world *w)
{
    begin_episode(w, "e1", "7", 1);
    guard_session_says(&w->session, "Cancel #W7a,\n\"now\". p=0.15 q=0.20");
    guard_session_calls(&w->session, CANCEL, ORDER, "ok");
    guard_session_says(&w->session, "Yes. p=0.92 q=0.10");
    guard_session_calls(&w->session, CANCEL, ORDER, "ok");
    guard_session_calls(&w->session, CANCEL, ORDER, "ok");
    end_episode(w);
    add_write(w, "e2", 0, "Yes! p=0.25", true);
}

static void confirmaudit_writes_its_json_sorted_and_indented(void **state)
{
    static const char want[] =
        "{\n"
        "  \"audits\": [\n"
        "    {\n"
        "      \"domain\": \"retail\",\n"
        "      \"episodes\": [\n"
        "        0,\n"
        "        1\n"
        "      ],\n"
        "      \"episodes_judge\": [\n"
        "        0,\n"
        "        1\n"
        "      ],\n"
        "      \"episodes_two\": [\n"
        "        0,\n"
        "        1\n"
        "      ],\n"
        "      \"episodes_word_list\": [\n"
        "        0,\n"
        "        0\n"
        "      ],\n"
        "      \"groups\": [\n"
        "        {\n"
        "          \"both\": 0,\n"
        "          \"judge\": 0,\n"
        "          \"two_questions\": 0,\n"
        "          \"unanswered\": 0,\n"
        "          \"word_list\": 0,\n"
        "          \"writes\": 0\n"
        "        },\n"
        "        {\n"
        "          \"both\": 0,\n"
        "          \"judge\": 1,\n"
        "          \"two_questions\": 1,\n"
        "          \"unanswered\": 0,\n"
        "          \"word_list\": 0,\n"
        "          \"writes\": 1\n"
        "        },\n"
        "        {\n"
        "          \"both\": 0,\n"
        "          \"judge\": 0,\n"
        "          \"two_questions\": 0,\n"
        "          \"unanswered\": 0,\n"
        "          \"word_list\": 0,\n"
        "          \"writes\": 0\n"
        "        }\n"
        "      ],\n"
        "      \"judge_only\": [\n"
        "        {\n"
        "          \"customer\": \"Yes p=0.25 q=1.00\",\n"
        "          \"p_second\": 1.0,\n"
        "          \"p_yes\": 0.25,\n"
        "          \"success\": false,\n"
        "          \"task_id\": \"t\",\n"
        "          \"tool\": \"cancel_pending_order\"\n"
        "        }\n"
        "      ],\n"
        "      \"second\": \"proposed\",\n"
        "      \"second_only\": [],\n"
        "      \"threshold\": 0.5,\n"
        "      \"word_list_only\": []\n"
        "    }\n"
        "  ],\n"
        "  \"writes\": [\n"
        "    {\n"
        "      \"customer\": \"Yes\\np=0.25 q=1.00\",\n"
        "      \"episode\": \"e\",\n"
        "      \"key\": \"e59162d355e55fa900ed9b8359ff9c23988b3a884cc728cca4a4fc41fdb5daa4\",\n"
        "      \"p_second\": 1.0,\n"
        "      \"p_yes\": 0.25,\n"
        "      \"refused\": false,\n"
        "      \"second_key\": "
        "\"c0e6d2345ef9597e488db2c699b8984c68117aca5ecce5fad8c45f8fac0f4807\",\n"
        "      \"success\": false,\n"
        "      \"task_id\": \"t\",\n"
        "      \"tool\": \"cancel_pending_order\",\n"
        "      \"word_list\": true\n"
        "    }\n"
        "  ]\n"
        "}\n";
    struct world w;

    (void)state;
    begin_audit(&w, "retail", JUDGMENT_PROPOSED);
    add_write(&w, "e", 0, "Yes\np=0.25 q=1.00", false);
    (void)count(&w);
    assert_string_equal(sp_buf_cstr(&w.text), want);
    sp_buf_clear(&w.text);
    confirmaudit_put_json(&w.text, NULL, 0);
    assert_string_equal(sp_buf_cstr(&w.text), "{\n  \"audits\": [],\n  \"writes\": []\n}\n");
    end_audit(&w);
}

static void confirmaudit_leaves_out_what_is_not_known(void **state)
{
    struct world w;
    struct sp_str json, value;

    (void)state;
    begin_audit(&w, "retail", JUDGMENT_NO_SECOND);
    add_write(&w, "e", 1, "Hm.", false);
    json = count(&w);
    assert_at(json, "audits.0.second", "null");
    assert_at(json, "writes.0.p_yes", "null");
    assert_false(jget_member(at(json, "writes.0"), SP_STR("p_second"), &value));
    assert_false(jget_member(at(json, "writes.0"), SP_STR("second_key"), &value));
    end_audit(&w);

    begin_audit(&w, "retail", JUDGMENT_PROPOSED);
    add_write(&w, "e", 1, "Yes. q=0.10", false);
    json = count(&w);
    assert_at(json, "audits.0.second_only.0.p_yes", "null");
    assert_at(json, "audits.0.second_only.0.p_second", "0.1");
    end_audit(&w);
}

static void confirmaudit_shows_the_first_examples_of_a_kind(void **state)
{
    struct world w;
    struct sp_str json;
    struct sp_buf long_text = {0}, want = {0};

    (void)state;
    begin_audit(&w, "retail", JUDGMENT_NO_SECOND);
    confirmaudit_free(w.audit);
    w.options.max_examples = 2;
    w.audit = confirmaudit_new(&w.options);
    sp_buf_add(&long_text, SP_STR("yes p=0.10 "));
    sp_buf_add(&want, SP_STR("\"yes p=0.10 "));
    for (size_t i = 0; i < 200; i++) {
        sp_buf_add(&long_text, i == 1 ? SP_STR("\n") : SP_STR("é"));
        if (i < 149)
            sp_buf_add(&want, i == 1 ? SP_STR(" ") : SP_STR("é"));
    }
    sp_buf_add_char(&want, '"');
    add_write(&w, "refused", 1, "yes p=0.01", true);
    add_write(&w, "a", 1, sp_buf_cstr(&long_text), false);
    add_write(&w, "b", 0, "yes p=0.20", false);
    add_write(&w, "c", 1, "yes p=0.30", false);
    json = count(&w);
    assert_int_equal(length(at(json, "audits.0.judge_only")), 2);
    assert_at(json, "audits.0.judge_only.0.customer", sp_buf_cstr(&want));
    assert_at(json, "audits.0.judge_only.1.p_yes", "0.2");
    assert_int_equal(length(at(json, "writes")), 4);
    sp_buf_deinit(&long_text);
    sp_buf_deinit(&want);
    end_audit(&w);
}

static void confirmaudit_reports_in_markdown(void **state)
{
    struct world w;
    struct confirmaudit *empty;
    const char *text;

    (void)state;
    begin_audit(&w, "retail", JUDGMENT_PROPOSED);
    add_example(&w);
    (void)count(&w);
    w.options.domain = guard_domain_find(SP_STR("airline"));
    empty = confirmaudit_new(&w.options);
    confirmaudit_count(empty);
    sp_buf_clear(&w.text);
    confirmaudit_put_markdown(&w.text, (const struct confirmaudit *const[]){w.audit, empty}, 2);
    text = strstr(sp_buf_cstr(&w.text), "\n\n## retail\n");
    assert_non_null(text);
    assert_string_equal(
        text,
        "\n\n## retail\n\n"
        "2 episodes: 1 successful, 1 failed. Threshold: 0.5.\n\n"
        "| Writes | Checked | Word list fails | Judge fails | Two questions fail | Both fail "
        "| Unanswered |\n"
        "|---|---|---|---|---|---|---|\n"
        "| Accepted, successful episodes | 3 | 1 (33.3%) | 1 (33.3%) | 3 (100.0%) | 1 (33.3%) "
        "| 0 |\n"
        "| Accepted, failed episodes | 0 | – | – | – | – | 0 |\n"
        "| Refused by the tool | 1 | 0 (0.0%) | 1 (100.0%) | 1 (100.0%) | 0 (0.0%) | 0 |\n"
        "\n"
        "Episodes with an accepted write that fails: by the word list 1 of 1 successful and 0 of 1 "
        "failed; by the judge 1 of 1 successful and 0 of 1 failed; by the two questions 1 of 1 "
        "successful and 0 of 1 failed.\n"
        "\n"
        "### Only the second question fails\n"
        "\n"
        "- task 7, `cancel_pending_order`, P(yes) = 0.92, P(proposed) = 0.10, successful episode: "
        "\"Yes. p=0.92 q=0.10\"\n"
        "- task 7, `cancel_pending_order`, P(yes) = 0.92, P(proposed) = 0.10, successful episode: "
        "\"Yes. p=0.92 q=0.10\"\n"
        "\n"
        "## airline\n\n"
        "0 episodes: 0 successful, 0 failed. Threshold: 0.5.\n\n"
        "| Writes | Checked | Word list fails | Judge fails | Two questions fail | Both fail "
        "| Unanswered |\n"
        "|---|---|---|---|---|---|---|\n"
        "| Accepted, successful episodes | 0 | – | – | – | – | 0 |\n"
        "| Accepted, failed episodes | 0 | – | – | – | – | 0 |\n"
        "| Refused by the tool | 0 | – | – | – | – | 0 |\n"
        "\n"
        "Episodes with an accepted write that fails: by the word list 0 of 0 successful and 0 of 0 "
        "failed; by the judge 0 of 0 successful and 0 of 0 failed; by the two questions 0 of 0 "
        "successful and 0 of 0 failed.\n");
    confirmaudit_free(empty);
    end_audit(&w);
}

static void confirmaudit_reports_without_a_second_question(void **state)
{
    struct world w;
    const char *text;

    (void)state;
    begin_audit(&w, "airline", JUDGMENT_NO_SECOND);
    begin_episode(&w, "e", "4\n", 0);
    guard_session_says(&w.session, "\"Yes\",\n\tp=0.25 \xc2\x85q=0.10");
    guard_session_calls(&w.session, "cancel_reservation", "{}", "ok");
    guard_session_says(&w.session, "Hm. p=0.75");
    guard_session_calls(&w.session, "cancel_reservation", "{}", "ok");
    end_episode(&w);
    (void)count(&w);
    sp_buf_clear(&w.text);
    confirmaudit_put_markdown(&w.text, (const struct confirmaudit *const[]){w.audit}, 1);
    assert_true(sp_str_starts(sp_buf_str(&w.text), SP_STR("# ")));
    text = strstr(sp_buf_cstr(&w.text), "| Writes |");
    assert_non_null(text);
    assert_string_equal(
        text,
        "| Writes | Checked | Word list fails | Judge fails | Both fail | Unanswered |\n"
        "|---|---|---|---|---|---|\n"
        "| Accepted, successful episodes | 0 | – | – | – | 0 |\n"
        "| Accepted, failed episodes | 2 | 1 (50.0%) | 1 (50.0%) | 0 (0.0%) | 0 |\n"
        "| Refused by the tool | 0 | – | – | – | 0 |\n"
        "\n"
        "Episodes with an accepted write that fails: by the word list 0 of 0 successful and 1 of 1 "
        "failed; by the judge 0 of 0 successful and 1 of 1 failed.\n"
        "\n"
        "### The judge fails, the word list passes\n"
        "\n"
        "- task 4 , `cancel_reservation`, P(yes) = 0.25, failed episode: "
        "\"'Yes',  p=0.25  q=0.10\"\n"
        "\n"
        "### The word list fails, the judge passes\n"
        "\n"
        "- task 4 , `cancel_reservation`, P(yes) = 0.75, failed episode: \"Hm. p=0.75\"\n");
    end_audit(&w);
}

static void confirmaudit_without_an_answer_has_a_dash_for_it(void **state)
{
    struct world w;

    (void)state;
    begin_audit(&w, "retail", JUDGMENT_DESCRIBED);
    add_write(&w, "e", 1, "Yes q=0.05", false);
    (void)count(&w);
    sp_buf_clear(&w.text);
    confirmaudit_put_markdown(&w.text, (const struct confirmaudit *const[]){w.audit}, 1);
    assert_non_null(strstr(sp_buf_cstr(&w.text),
                           "\n- task t, `cancel_pending_order`, P(yes) = –, P(described) = 0.05, "
                           "successful episode: \"Yes q=0.05\"\n"));
    end_audit(&w);
    confirmaudit_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(confirmaudit_judges_the_writes_that_need_a_yes),
        cmocka_unit_test(confirmaudit_takes_the_exchange_before_the_turn),
        cmocka_unit_test(confirmaudit_of_a_silent_session_asks_about_empty_texts),
        cmocka_unit_test(confirmaudit_takes_the_last_result_of_a_call),
        cmocka_unit_test(confirmaudit_counts_each_way_to_fail),
        cmocka_unit_test(confirmaudit_counts_what_its_writes_add_up_to),
        cmocka_unit_test(confirmaudit_writes_its_json_sorted_and_indented),
        cmocka_unit_test(confirmaudit_leaves_out_what_is_not_known),
        cmocka_unit_test(confirmaudit_shows_the_first_examples_of_a_kind),
        cmocka_unit_test(confirmaudit_reports_in_markdown),
        cmocka_unit_test(confirmaudit_reports_without_a_second_question),
        cmocka_unit_test(confirmaudit_without_an_answer_has_a_dash_for_it),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
