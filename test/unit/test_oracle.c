/* Tests of oracle/oracle.h and oracle/oracle_key.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "json/jput.h"
#include "json_gen.h"
#include "oracle/oracle.h"
#include "oracle/oracle_key.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

static void assert_text(struct sp_buf *got, const char *want)
{
    assert_string_equal(sp_buf_cstr(got), want);
    sp_buf_deinit(got);
}

static void assert_key(struct sp_buf *bytes, const char *want)
{
    char key[ORACLE_KEY_SIZE];

    oracle_key_of(sp_buf_str(bytes), key);
    assert_string_equal(key, want);
}

/* A request's canonical bytes, and their key. */
static void check_request(const struct oracle_request *r, const char *bytes, const char *key)
{
    struct sp_buf b = {0};

    oracle_put_request(&b, r);
    assert_key(&b, key);
    assert_text(&b, bytes);
}

static void oracle_puts_a_request_without_questions(void **state)
{
    struct oracle_request r = {.model = SP_STR("m"), .state = SP_STR(" null\n")};

    (void)state;
    check_request(&r, "{\"model\":\"m\",\"state\":null,\"questions\":{}}",
                  "d2d80e9752a6f71cc5c8416846f94f6d28eab9fb168b97b6bc3f268a4caf3305");
}

static void oracle_puts_options_in_byte_order(void **state)
{
    struct oracle_option options[] = {
        {SP_STR("tech"), SP_STR("Bugs")},
        {SP_STR("billing"), SP_STR("Money")},
    };
    struct oracle_question question = {
        .id = SP_STR("route"),
        .type = ORACLE_CHOICE,
        .instructions = SP_STR("Which team?"),
        .options = options,
        .n_options = 2,
    };
    struct oracle_request r = {
        .model = SP_STR("jev-latest"),
        .state = SP_STR("{\"ticket\": \"refund please\"}"),
        .questions = &question,
        .n_questions = 1,
    };

    (void)state;
    check_request(
        &r,
        "{\"model\":\"jev-latest\",\"state\":{\"ticket\":\"refund please\"},\"questions\":"
        "{\"route\":{\"type\":\"choice\",\"instructions\":\"Which team?\",\"criteria\":"
        "{\"billing\":\"Money\",\"tech\":\"Bugs\"}}}}",
        "c1c2495f41c13812250aee97c5e069a6bb6076ab01beb31b7672c96d5896e650");
}

static void oracle_puts_the_state_canonically_and_questions_by_id(void **state)
{
    struct oracle_option levels[] = {{.text = SP_STR("low")}, {.text = SP_STR("high")}};
    struct oracle_question questions[] = {
        {
            .id = SP_STR("s"),
            .type = ORACLE_SCORE,
            .instructions = SP_STR("How bad?"),
            .options = levels,
            .n_options = 2,
        },
        {.id = SP_STR("n"), .type = ORACLE_NOUL, .instructions = SP_STR("?")},
    };
    struct oracle_request r = {
        .model = SP_STR("m"),
        .state = SP_STR("{\"b\": 0, \"a\": [1.50, 2.0, 1e16, 0.000001, 1e-5, 1e15, -0.0,"
                        " 123456789.125, \"\\u00e9\\/\u2019\\u0001\\\"\\\\\\n\"],"
                        " \"\u00e9\": null, \"Z\": true, \"\\u0062\": 1}"),
        .questions = questions,
        .n_questions = 2,
    };

    (void)state;
    check_request(&r,
                  "{\"model\":\"m\",\"state\":{\"Z\":true,\"a\":[1.5,2.0,1e16,1e-6,0.00001,"
                  "1000000000000000.0,-0.0,123456789.125,\"\u00e9/\u2019\\u0001\\\"\\\\\\n\"],"
                  "\"b\":1,\"\u00e9\":null},\"questions\":{\"n\":{\"type\":\"noul\","
                  "\"instructions\":\"?\"},\"s\":{\"type\":\"score\",\"instructions\":"
                  "\"How bad?\",\"criteria\":[\"low\",\"high\"]}}}",
                  "de1a3272038b12b9636d994fb493181ae8302797118b0bff60fbc8f34af63b2d");
}

static void oracle_puts_yes_before_no(void **state)
{
    struct oracle_question question = {
        .id = SP_STR("a\nb"),
        .type = ORACLE_NOUL,
        .instructions = SP_STR("\xff"),
        .yes = SP_STR("Y"),
        .no = SP_STR("N"),
    };
    struct oracle_request r = {.state = SP_STR("{}"), .questions = &question, .n_questions = 1};
    struct sp_buf b = {0};

    (void)state;
    oracle_put_request(&b, &r);
    assert_text(&b, "{\"model\":\"\",\"state\":{},\"questions\":{\"a\\nb\":{\"type\":\"noul\","
                    "\"instructions\":\"\ufffd\",\"criteria\":{\"true\":\"Y\",\"false\":\"N\"}}}}");
}

/* The questions of the confirmation judge, whose keys its chapter fixes. */
#define LEAD "A customer-service agent wants to make the change given in call_about_to_be_made. "

static const struct oracle_question judge_questions[] = {
    {
        .id = SP_STR("confirmed"),
        .instructions = SP_STR(
            LEAD "Before such a change it must tell the customer what it will do and hear a clear "
                 "yes. Read customer_replied as the answer to agent_said_last: does the customer "
                 "clearly agree to this change?"),
        .yes = SP_STR("The customer accepts this very change, as the agent had set it out: a plain "
                      "yes, or words to that effect."),
        .no = SP_STR("Anything else: the customer asks something, supplies details, turns the "
                     "change down or accepts another one, or the agent had not set this change "
                     "out."),
    },
    {
        .id = SP_STR("proposed"),
        .instructions = SP_STR(LEAD "It must put a change forward and hear a yes before making it. "
                                    "Had the agent put this change forward when the customer "
                                    "replied?"),
        .yes = SP_STR("agent_said_last puts this change forward, lists it among choices of which "
                      "the customer took it, or mentions it as something the agent had already "
                      "set out."),
        .no = SP_STR("The customer's reply brings up a change that agent_said_last neither puts "
                     "forward nor mentions, or one unlike what it puts forward: a different order "
                     "or booking, different items, a different address or amount."),
    },
    {
        .id = SP_STR("described"),
        .instructions = SP_STR(LEAD "It must set a change out before the customer can agree to it. "
                                    "Does agent_said_last, its message just before the customer's "
                                    "reply, set out this very change?"),
        .yes = SP_STR("The message states this change: the action, the order, booking or items it "
                      "touches, and every amount, address or means of payment that the call "
                      "sets."),
        .no = SP_STR("The message states no action, only asks for details, or states some other "
                     "change: another action, other items, another amount or another means of "
                     "payment."),
    },
};

/* The canonical bytes of a judge's question. */
static struct sp_buf judge_bytes(size_t question, struct sp_str agent, struct sp_str customer,
                                 const char *tool, const char *arguments)
{
    struct oracle_question q = judge_questions[question];
    struct oracle_request r = {
        .model = SP_STR(ORACLE_DEFAULT_MODEL),
        .questions = &q,
        .n_questions = 1,
    };
    struct sp_buf state = {0}, bytes = {0};

    sp_buf_addf(&state, "{\"call_about_to_be_made\":{\"tool\":\"%s\",\"arguments\":%s},", tool,
                arguments);
    sp_buf_add(&state, SP_STR("\"customer_replied\":"));
    jput_string(&state, customer);
    sp_buf_add(&state, SP_STR(",\"agent_said_last\":"));
    jput_string(&state, agent);
    sp_buf_add_char(&state, '}');
    r.state = sp_buf_str(&state);
    oracle_put_request(&bytes, &r);
    sp_buf_deinit(&state);
    return bytes;
}

static void oracle_gives_the_judges_questions_their_keys(void **state)
{
    static const char first[] =
        "I can cancel order #W7a because you no longer need it. Shall I go ahead?";
    static const struct {
        size_t question;
        const char *agent;
        const char *customer;
        const char *order;
        size_t len;
        const char *key;
    } rows[] = {
        {0, first, "Yes, please go ahead.", "#W7a", 902,
         "22517a8287113a5be8380c7758143416f1615c72a10b7eb2606879820190ecd1"},
        {1, first, "Yes, please go ahead.", "#W7a", 948,
         "dd872ac4e003dac2841fe27ba891e40e3f1c30b45ed5eeb4ac5db358d193690b"},
        {2, first, "Yes, please go ahead.", "#W7a", 918,
         "4100958d3768c055e950736cb2fa474b8fec3ab8a4c46bb2e1e6f7d214c7f275"},
        {0, "Done: #W7a is cancelled. Anything else?", "Also cancel #W7b.", "#W7b", 865,
         "e68845308a92d885a46bd77ed0832b6b7ed82e015110f26848483697c1a2f06d"},
        {0, "Shall I cancel order #W7b because you no longer need it?", "Yes, cancel it.", "#W7b",
         880, "74d18862204ee0b23d6e54e7e8e6f23a99697f8933aed9de9f634e3a4315bdd4"},
        {0, "", "", "#W7a", 809,
         "aaa08b74bab630f9f8d222e99c1fb949eded94e84c84fac7ac1a88e3c39146e3"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct sp_buf arguments = {0}, bytes;

        sp_buf_addf(&arguments, "{\"reason\":\"no longer needed\",\"order_id\":\"%s\"}",
                    rows[i].order);
        bytes = judge_bytes(rows[i].question, sp_str_of(rows[i].agent), sp_str_of(rows[i].customer),
                            "cancel_pending_order", sp_buf_cstr(&arguments));
        assert_int_equal(bytes.len, rows[i].len);
        assert_key(&bytes, rows[i].key);
        sp_buf_deinit(&arguments);
        sp_buf_deinit(&bytes);
    }
}

/* What the clipping leaves: 500 of 1,000 x and all 1,000 e with an acute; 600 u with dots. */
static void oracle_gives_clipped_texts_their_key(void **state)
{
    struct sp_buf agent = {0}, customer = {0}, bytes;

    (void)state;
    for (size_t i = 0; i < 500; i++)
        sp_buf_add_char(&agent, 'x');
    for (size_t i = 0; i < 1000; i++)
        sp_buf_add(&agent, SP_STR("\u00e9"));
    for (size_t i = 0; i < 600; i++)
        sp_buf_add(&customer, SP_STR("\u00fc"));
    bytes =
        judge_bytes(0, sp_buf_str(&agent), sp_buf_str(&customer), "modify_pending_order_payment",
                    "{\"payment_method_id\":\"paypal_1\",\"order_id\":\"#W1\","
                    "\"amounts\":[20.5,3,1e2]}");
    assert_int_equal(bytes.len, 4544);
    assert_key(&bytes, "9974f9a46e9a443fd03fd28c012cad0fbd81dae8f9a2c23b4040d96fb991eb46");
    sp_buf_deinit(&agent);
    sp_buf_deinit(&customer);
    sp_buf_deinit(&bytes);
}

static struct oracle_response parse(const char *text)
{
    struct oracle_response r;
    struct sp_err err = {0};

    if (oracle_parse_response(sp_str_of(text), &r, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    return r;
}

#define USAGE "\n  \"usage\": {\n    \"input_tokens\": 296,\n    \"output_tokens\": 20\n  }\n}"

static const char noul_file[] = "{\n"
                                "  \"model\": \"jev-1.13.0\",\n"
                                "  \"answers\": {\n"
                                "    \"confirmed\": {\n"
                                "      \"type\": \"noul\",\n"
                                "      \"noul\": 0.92\n"
                                "    }\n"
                                "  }," USAGE;

static void oracle_reads_and_writes_a_cached_answer(void **state)
{
    struct oracle_response r = parse(noul_file);
    const struct oracle_answer *a = oracle_answer_of(&r, SP_STR("confirmed"));
    struct sp_buf b = {0};

    (void)state;
    assert_non_null(a);
    assert_int_equal(a->type, ORACLE_NOUL);
    assert_true(a->noul == 0.92);
    assert_true(sp_str_eq(r.model, SP_STR("jev-1.13.0")));
    assert_int_equal(r.input_tokens, 296);
    assert_int_equal(r.output_tokens, 20);
    assert_null(oracle_answer_of(&r, SP_STR("proposed")));
    oracle_put_response(&b, &r);
    assert_text(&b, noul_file);
    oracle_response_deinit(&r);
    assert_int_equal(r.n_answers, 0);
}

static void oracle_writes_members_in_their_order_and_reals(void **state)
{
    struct oracle_response r =
        parse("{\"later\":[1],\"usage\":{\"output_tokens\":20,\"input_tokens\":296,\"cost\":0.1},"
              "\"answers\":{"
              "\"s\":{\"legend\":{\"b\":1,\"a\":[1e2,{}]},\"confidence\":1,\"score\":1,"
              "\"probabilities\":{\"10\":0,\"1\":1},\"type\":\"score\",\"extra\":null},"
              "\"c\":{\"type\":\"choice\",\"choice\":\"t\\u0000\\u00e9\",\"confidence\":0.6,"
              "\"probabilities\":{\"t\":0.1,\"b\":1e-7}},"
              "\"\":{\"type\":\"score\",\"score\":0.10000000000000001,\"probabilities\":{},"
              "\"confidence\":-0.0}},"
              "\"model\":\"old\",\"model\":\"m\"}");
    struct sp_buf b = {0};

    (void)state;
    oracle_put_response(&b, &r);
    assert_text(&b, "{\n"
                    "  \"model\": \"m\",\n"
                    "  \"answers\": {\n"
                    "    \"\": {\n"
                    "      \"type\": \"score\",\n"
                    "      \"score\": 0.1,\n"
                    "      \"probabilities\": {},\n"
                    "      \"confidence\": -0.0,\n"
                    "      \"legend\": null\n"
                    "    },\n"
                    "    \"c\": {\n"
                    "      \"type\": \"choice\",\n"
                    "      \"choice\": \"t\\u0000\u00e9\",\n"
                    "      \"probabilities\": {\n"
                    "        \"b\": 1e-7,\n"
                    "        \"t\": 0.1\n"
                    "      },\n"
                    "      \"confidence\": 0.6\n"
                    "    },\n"
                    "    \"s\": {\n"
                    "      \"type\": \"score\",\n"
                    "      \"score\": 1.0,\n"
                    "      \"probabilities\": {\n"
                    "        \"1\": 1.0,\n"
                    "        \"10\": 0.0\n"
                    "      },\n"
                    "      \"confidence\": 1.0,\n"
                    "      \"legend\": {\n"
                    "        \"a\": [\n"
                    "          100.0,\n"
                    "          {}\n"
                    "        ],\n"
                    "        \"b\": 1\n"
                    "      }\n"
                    "    }\n"
                    "  }," USAGE);
    assert_true(oracle_chance_of(oracle_answer_of(&r, SP_STR("c")), SP_STR("t")) == 0.1);
    assert_true(oracle_chance_of(oracle_answer_of(&r, SP_STR("c")), SP_STR("x")) == 0);
    oracle_response_deinit(&r);
}

static void oracle_takes_a_missing_usage_for_zeros(void **state)
{
    static const char *const texts[] = {
        "{\"model\":\"m\",\"answers\":{}}",
        "\n {\"model\":\"m\",\"answers\":{},\"usage\":{}} \r\n",
        "{\"model\":\"m\",\"answers\":{},\"usage\":{\"output_tokens\":0}}",
    };

    (void)state;
    for (size_t i = 0; i < N_OF(texts); i++) {
        struct oracle_response r = parse(texts[i]);

        assert_int_equal(r.input_tokens + r.output_tokens, 0);
        oracle_response_deinit(&r);
    }
}

#define ONE(answer) "{\"model\":\"m\",\"answers\":{\"q\":" answer "}}"

static void oracle_refuses_what_is_no_response(void **state)
{
    static const struct {
        const char *text;
        const char *why; /* part of the error */
    } rows[] = {
        {"", "it is not JSON"},
        {"not json", "it is not JSON"},
        {"{\"model\":\"m\",\"answers\":{}} x", "it is not JSON"},
        {"\xef\xbb\xbf{\"model\":\"m\",\"answers\":{}}", "it is not JSON"},
        {"{\"model\":\"\xff\",\"answers\":{}}", "it is not JSON"},
        {"{\"model\":\"m\",\"answers\":{", "it is not JSON"},
        {"[]", "it is not an object"},
        {"{}", "model: must be a string"},
        {"{\"model\":1,\"answers\":{}}", "model: must be a string"},
        {"{\"model\":\"m\"}", "answers: must be an object"},
        {"{\"model\":\"m\",\"answers\":[]}", "answers: must be an object"},
        {"{\"model\":\"m\",\"answers\":{},\"usage\":null}", "usage: must be an object"},
        {"{\"model\":\"m\",\"answers\":{},\"usage\":{\"input_tokens\":-1}}",
         "usage: input_tokens: must be a whole number"},
        {"{\"model\":\"m\",\"answers\":{},\"usage\":{\"output_tokens\":1.0}}",
         "usage: output_tokens: must be a whole number"},
        {ONE("1"), "the answer to \"q\": it: must be an object"},
        {ONE("{\"noul\":0.5}"), "the answer to \"q\": type: must be a string"},
        {ONE("{\"type\":\"nou\",\"noul\":0.5}"), "type: is not one of"},
        {ONE("{\"type\":\"noul\\u0000\",\"noul\":0.5}"), "type: is not one of"},
        {ONE("{\"type\":\"noul\"}"), "noul: must be a number"},
        {ONE("{\"type\":\"noul\",\"noul\":\"0.5\"}"), "noul: must be a number"},
        {ONE("{\"type\":\"noul\",\"noul\":1e400}"), "it is not JSON"},
        {ONE("{\"type\":\"choice\",\"probabilities\":{},\"confidence\":1}"),
         "choice: must be a string"},
        {ONE("{\"type\":\"choice\",\"choice\":\"a\",\"confidence\":1}"),
         "probabilities: must be an object"},
        {ONE("{\"type\":\"choice\",\"choice\":\"a\",\"probabilities\":{\"a\":null},"
             "\"confidence\":1}"),
         "probabilities: must hold numbers alone"},
        {ONE("{\"type\":\"choice\",\"choice\":\"a\",\"probabilities\":{}}"),
         "confidence: must be a number"},
        {ONE("{\"type\":\"score\",\"probabilities\":{},\"confidence\":1}"),
         "score: must be a number"},
        {ONE("{\"type\":\"score\",\"score\":1,\"confidence\":1}"),
         "probabilities: must be an object"},
        {ONE("{\"type\":\"score\",\"score\":1,\"probabilities\":{}}"),
         "confidence: must be a number"},
        {"{\"model\":\"m\",\"answers\":{\"a\\n\\\"\":{}}}",
         "the answer to \"a\\n\\\"\": type: must be a string"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct oracle_response r = {.n_answers = 77};
        struct sp_err err = {0};

        if (oracle_parse_response(sp_str_of(rows[i].text), &r, &err) == 0)
            fail_msg("this was read: %s", rows[i].text);
        if (strstr(err.text, rows[i].why) == NULL)
            fail_msg("%s: %s", rows[i].text, err.text);
        assert_int_equal(r.n_answers, 77);
    }
}

static void oracle_bounds_the_depth_of_a_legend(void **state)
{
    (void)state;
    for (size_t depth = 1000; depth <= 3000; depth += 1000) {
        struct sp_buf text = {0};
        struct oracle_response r;
        struct sp_err err;

        sp_buf_add(&text, SP_STR("{\"model\":\"m\",\"answers\":{\"q\":{\"type\":\"score\","
                                 "\"score\":1,\"probabilities\":{},\"confidence\":1,\"legend\":"));
        for (size_t i = 0; i < depth; i++)
            sp_buf_add_char(&text, '[');
        for (size_t i = 0; i < depth; i++)
            sp_buf_add_char(&text, ']');
        sp_buf_add(&text, SP_STR("}}}"));
        if (depth == 1000) {
            assert_int_equal(oracle_parse_response(sp_buf_str(&text), &r, &err), 0);
            oracle_response_deinit(&r);
        } else {
            assert_true(oracle_parse_response(sp_buf_str(&text), &r, &err) < 0);
        }
        sp_buf_deinit(&text);
    }
}

/* Whatever response is written reads as the same, at any doubles. */
static void oracle_reads_back_what_it_writes(void **state)
{
    struct json_gen g = {.state = 31};

    (void)state;
    for (size_t round = 0; round < 200; round++) {
        struct oracle_chance chances[] = {{SP_STR("a"), 0}, {SP_STR("b"), 0}};
        struct oracle_answer answer = {
            .id = SP_STR("q"),
            .type = ORACLE_SCORE,
            .chances = chances,
            .n_chances = 2,
            .legend = SP_STR("[\"\\u0000\"]"),
        };
        struct oracle_response r = {.model = SP_STR("m"), .answers = &answer, .n_answers = 1};
        struct oracle_response again;
        struct sp_buf first = {0}, second = {0};

        chances[0].p = (double)json_gen_below(&g, UINT64_MAX) / 18446744073709551616.0;
        chances[1].p = 1 - chances[0].p;
        answer.score = chances[1].p;
        r.input_tokens = json_gen_below(&g, INT64_MAX);
        oracle_put_response(&first, &r);
        again = parse(sp_buf_cstr(&first));
        assert_true(again.answers[0].chances[0].p == chances[0].p);
        assert_int_equal(again.input_tokens, r.input_tokens);
        oracle_put_response(&second, &again);
        assert_true(sp_str_eq(sp_buf_str(&first), sp_buf_str(&second)));
        oracle_response_deinit(&again);
        sp_buf_deinit(&first);
        sp_buf_deinit(&second);
    }
}

#define MOCK(answer)                                     \
    "{\n  \"model\": \"mock\",\n  \"answers\": {" answer \
    "},\n  \"usage\": {\n    \"input_tokens\": 0,\n    \"output_tokens\": 0\n  }\n}"

static void assert_mock(struct oracle_question *q, size_t n, const char *want)
{
    struct oracle_request r = {.state = SP_STR("{}"), .questions = q, .n_questions = n};
    struct oracle_response response;
    struct sp_buf b = {0};

    oracle_mock(&r, &response);
    oracle_put_response(&b, &response);
    assert_text(&b, want);
    oracle_response_deinit(&response);
}

static void mock_says_half_to_a_yes_or_no(void **state)
{
    struct oracle_question q = {.id = SP_STR("q"), .type = ORACLE_NOUL};

    (void)state;
    assert_mock(&q, 1,
                MOCK("\n    \"q\": {\n      \"type\": \"noul\",\n      \"noul\": 0.5\n    }\n  "));
    assert_mock(&q, 0, MOCK(""));
}

static void mock_picks_the_first_option_in_byte_order(void **state)
{
    struct oracle_option options[] = {
        {.name = SP_STR("tech")},
        {.name = SP_STR("billing")},
        {.name = SP_STR("c")},
        {.name = SP_STR("d")},
    };
    struct oracle_question q[] = {
        {.id = SP_STR("two"), .type = ORACLE_CHOICE, .options = options, .n_options = 2},
        {.id = SP_STR("one"), .type = ORACLE_CHOICE, .options = options, .n_options = 1},
    };
    struct oracle_question four = {
        .id = SP_STR("q"), .type = ORACLE_CHOICE, .options = options, .n_options = 4};

    (void)state;
    assert_mock(q, 2,
                MOCK("\n    \"one\": {\n      \"type\": \"choice\",\n      \"choice\": \"tech\",\n"
                     "      \"probabilities\": {\n        \"tech\": 0.6\n      },\n"
                     "      \"confidence\": 0.6\n    },"
                     "\n    \"two\": {\n      \"type\": \"choice\",\n"
                     "      \"choice\": \"billing\",\n      \"probabilities\": {\n"
                     "        \"billing\": 0.6,\n        \"tech\": 0.4\n      },\n"
                     "      \"confidence\": 0.6\n    }\n  "));
    assert_mock(&four, 1,
                MOCK("\n    \"q\": {\n      \"type\": \"choice\",\n      \"choice\": \"billing\",\n"
                     "      \"probabilities\": {\n        \"billing\": 0.6,\n"
                     "        \"c\": 0.13333333333333333,\n        \"d\": 0.13333333333333333,\n"
                     "        \"tech\": 0.13333333333333333\n      },\n"
                     "      \"confidence\": 0.6\n    }\n  "));
}

static void mock_rates_at_the_lowest_level(void **state)
{
    struct oracle_option levels[3] = {{.text = SP_STR("a")}};
    struct oracle_question q = {
        .id = SP_STR("q"), .type = ORACLE_SCORE, .options = levels, .n_options = 3};

    (void)state;
    assert_mock(&q, 1,
                MOCK("\n    \"q\": {\n      \"type\": \"score\",\n      \"score\": 0.0,\n"
                     "      \"probabilities\": {\n        \"0\": 1.0,\n        \"1\": 0.0,\n"
                     "        \"2\": 0.0\n      },\n      \"confidence\": 1.0,\n"
                     "      \"legend\": null\n    }\n  "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oracle_puts_a_request_without_questions),
        cmocka_unit_test(oracle_puts_options_in_byte_order),
        cmocka_unit_test(oracle_puts_the_state_canonically_and_questions_by_id),
        cmocka_unit_test(oracle_puts_yes_before_no),
        cmocka_unit_test(oracle_gives_the_judges_questions_their_keys),
        cmocka_unit_test(oracle_gives_clipped_texts_their_key),
        cmocka_unit_test(oracle_reads_and_writes_a_cached_answer),
        cmocka_unit_test(oracle_writes_members_in_their_order_and_reals),
        cmocka_unit_test(oracle_takes_a_missing_usage_for_zeros),
        cmocka_unit_test(oracle_refuses_what_is_no_response),
        cmocka_unit_test(oracle_bounds_the_depth_of_a_legend),
        cmocka_unit_test(oracle_reads_back_what_it_writes),
        cmocka_unit_test(mock_says_half_to_a_yes_or_no),
        cmocka_unit_test(mock_picks_the_first_option_in_byte_order),
        cmocka_unit_test(mock_rates_at_the_lowest_level),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
