/* Tests of the tool stretto_commit: its arguments, its calls, and its report. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "demo/demo_world.h"
#include "engine_fixture.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define COMMIT(id, arguments)                                                                     \
    "{\"jsonrpc\":\"2.0\",\"id\":" id                                                             \
    ",\"method\":\"tools/call\",\"params\":{\"name\":\"stretto_commit\",\"arguments\":" arguments \
    "}}"
#define CALLS(calls) "{\"calls\":[" calls "]}"
#define ORDER(id)    "{\"name\":\"get_order_details\",\"arguments\":{\"order_id\":\"" id "\"}}"
#define FIND         "{\"name\":\"find_user_id_by_email\"}"

/* What the proxy sends for these two. */
#define SENT(n, arguments, name)                                                           \
    "{\"id\":\"stretto-" n "\",\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{" \
    "\"arguments\":" arguments ",\"name\":\"" name "\"}}\n"
#define SENT_ORDER(n, id) SENT(n, "{\"order_id\":\"" id "\"}", "get_order_details")
#define SENT_FIND(n)      SENT(n, "{}", "find_user_id_by_email")

#define TEXT(id, text)                \
    "{\"jsonrpc\":\"2.0\",\"id\":" id \
    ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}}"

/* The answer to the host; `report` is a JSON string's inside. */
#define REPORT(id, report, is_error)                                                  \
    "{\"id\":" id ",\"jsonrpc\":\"2.0\",\"result\":{\"content\":[{\"text\":\"" report \
    "\",\"type\":\"text\"}],\"isError\":" is_error "}}\n"

#define MISUSE                                                                               \
    "stretto_commit needs {\\\"calls\\\": [{\\\"name\\\": TOOL, \\\"arguments\\\": {...}}, " \
    "...]} with one or more calls of the server's tools; nothing was run."

static void expect_sent(struct engine_fixture *f, const char *wanted)
{
    assert_string_equal(engine_fixture_look_sent(f), wanted);
}

static void begin(struct engine_fixture *f)
{
    engine_fixture_init(f, NULL, true, false);
}

/* A session with the engine's guards, a conversation, and the demo's retail world for a server. */
struct world {
    struct engine_fixture f;
    size_t n_seen; /* bytes of what was sent to the server that are answered */
};

static void world_begin(struct world *w)
{
    *w = (struct world){0};
    engine_fixture_init(&w->f, "retail", true, true);
}

/* Has the server answer all that was sent to it, until it has nothing left to do. */
static void world_answer(struct world *w)
{
    static const struct demo_world world = {.kind = DEMO_WORLD_RETAIL};

    while (w->n_seen < w->f.to_server.len) {
        struct sp_str rest = sp_str_sub(sp_buf_str(&w->f.to_server), w->n_seen, w->f.to_server.len);
        struct sp_str line = sp_str_sub(rest, 0, sp_str_find(rest, '\n') + 1);
        struct demo_world_answer answer;

        w->n_seen += line.len;
        demo_world_answer(&world, line, &answer);
        if (answer.text.len > 0)
            engine_fixture_server(&w->f, sp_buf_cstr(&answer.text));
        demo_world_answer_deinit(&answer);
    }
}

static void world_host(struct world *w, const char *text)
{
    engine_fixture_host(&w->f, text);
    world_answer(w);
}

/* The last line that the host got. */
static struct sp_str last_to_host(const struct engine_fixture *f)
{
    struct sp_str rest = sp_buf_str(&f->to_host);
    size_t n;

    while ((n = sp_str_find(rest, '\n')) + 1 < rest.len)
        rest = sp_str_sub(rest, n + 1, rest.len);
    return rest;
}

static void commit_runs_nothing_if_any_argument_is_wrong(void **state)
{
    static const char *const arguments[] = {
        "{}",
        "{\"calls\":[]}",
        "{\"calls\":\"get_order_details\"}",
        "{\"calls\":[{\"arguments\":{}}]}",
        "{\"calls\":[{\"name\":\"stretto_commit\",\"arguments\":{}}]}",
        "{\"calls\":[{\"name\":\"get_order_details\",\"arguments\":\"#W7a\"}]}",
        "{\"calls\":[{\"name\":\"get_order_details\",\"arguments\":null}]}",
        "{\"calls\":[" FIND ",{}]}",
        "{\"calls\":[" FIND ",7]}",
        "{\"calls\":[" FIND ",null]}",
        "{\"calls\":[" FIND ",[" FIND "]]}",
        "{\"calls\":[" FIND ",{\"name\":7}]}",
        "{\"calls\":[" FIND ",{\"name\":\"stretto\\u005fcommit\"}]}",
        "{\"calls\":[" FIND ",{\"name\":\"a\",\"arguments\":[]}]}",
        "{\"calls\":{\"0\":" FIND "}}",
        "{\"calls\":null}",
        "{\"Calls\":[" FIND "]}",
        "[" FIND "]",
        "null",
        "\"calls\"",
    };

    (void)state;
    for (size_t i = 0; i < N_OF(arguments); i++) {
        struct engine_fixture f;
        struct sp_buf line = {0};

        begin(&f);
        sp_buf_addf(&line,
                    "{\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"stretto_commit\","
                    "\"arguments\":%s}}",
                    arguments[i]);
        engine_fixture_host(&f, sp_buf_cstr(&line));
        expect_sent(&f, "< " REPORT("5", MISUSE, "true"));
        assert_string_equal(sp_buf_cstr(&f.senders), "client proxy ");
        assert_int_equal(engine_due_ms(f.engine), UINT64_MAX);
        sp_buf_deinit(&line);
        engine_fixture_deinit(&f);
    }
}

static void commit_needs_its_params(void **state)
{
    static const char *const lines[] = {
        "{\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"stretto_commit\"}}",
        "{\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"stretto\\u005fcommit\"}}",
    };

    (void)state;
    for (size_t i = 0; i < N_OF(lines); i++) {
        struct engine_fixture f;

        begin(&f);
        engine_fixture_host(&f, lines[i]);
        expect_sent(&f, "< " REPORT("5", MISUSE, "true"));
        engine_fixture_deinit(&f);
    }
}

static void commit_makes_its_calls_one_after_the_other(void **state)
{
    struct engine_fixture f;

    (void)state;
    begin(&f);
    engine_fixture_host(&f, COMMIT("5", CALLS(ORDER("#W7a") "," FIND)));
    expect_sent(&f, "> " SENT_ORDER("1", "#W7a"));
    engine_fixture_server(&f, TEXT("\"stretto-1\"", "A"));
    expect_sent(&f, "> " SENT_FIND("2"));
    engine_fixture_server(&f, TEXT("\"stretto-2\"", "user_7"));
    expect_sent(&f, "< " REPORT("5",
                                "get_order_details {\\\"order_id\\\":\\\"#W7a\\\"}:\\nA\\n\\n"
                                "find_user_id_by_email {}:\\nuser_7",
                                "false"));
    assert_string_equal(sp_buf_cstr(&f.senders), "client proxy server proxy server proxy ");
    engine_fixture_deinit(&f);
}

static void commit_writes_arguments_in_canonical_form(void **state)
{
    struct engine_fixture f;

    (void)state;
    begin(&f);
    engine_fixture_host(&f,
                        COMMIT("5", CALLS("{\"more\":1,\"name\":\"t\\u00fc\\n\",\"arguments\":{ "
                                          "\"b\":12345678901234567890123,\"a\":\"\\u0041\","
                                          "\"c\":{\"z\":-0,\"y\":1e2}}}")));
    expect_sent(&f, "> {\"id\":\"stretto-1\",\"jsonrpc\":\"2.0\",\"method\":\"tools/call\","
                    "\"params\":{\"arguments\":{\"a\":\"A\",\"b\":12345678901234567890123,\"c\":{"
                    "\"y\":100.0,\"z\":0}},\"name\":\"t\xc3\xbc\\n\"}}\n");
    engine_fixture_server(&f, TEXT("\"stretto-1\"", ""));
    expect_sent(&f, "< " REPORT("5",
                                "t\xc3\xbc\\n {\\\"a\\\":\\\"A\\\",\\\"b\\\":"
                                "12345678901234567890123,\\\"c\\\":{\\\"y\\\":100.0,\\\"z\\\":0}}:"
                                "\\n",
                                "false"));
    engine_fixture_deinit(&f);
}

/* The table of responses, and how the report has them. */
static void commit_reports_the_text_and_failure_of_a_response(void **state)
{
    static const struct {
        const char *response; /* without its id */
        const char *text;     /* a JSON string's inside */
        bool is_failure;
    } cases[] = {
        {"\"error\":{\"code\":-1,\"message\":\"no\"}", "no", true},
        {"\"error\":{\"code\":-1}", "error", true},
        {"\"error\":{\"code\":-1,\"message\":7}", "error", true},
        {"\"error\":\"text\"", "error", true},
        {"\"error\":false", "error", true},
        {"\"error\":{\"message\":\"no\"},\"result\":{\"content\":[{\"text\":\"a\"}]}", "no", true},
        {"\"error\":null,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":"
         "\"image\"},{\"type\":\"text\",\"text\":\"b\"}],\"isError\":true}",
         "a\\nb", true},
        {"\"result\":{}", "", false},
        {"\"result\":null", "", false},
        {"\"error\":null", "", false},
        {"\"result\":7", "", false},
        {"\"result\":{\"content\":\"a\"}", "", false},
        {"\"result\":{\"content\":[{\"type\":\"x\",\"text\":\"a\"},{\"text\":\"\"},{\"text\":7},7,"
         "{\"text\":\"b\\u0000\\\"\"}]}",
         "a\\n\\nb\\u0000\\\"", false},
        {"\"result\":{\"content\":[],\"structuredContent\":{\"a\":1}}", "", false},
        {"\"result\":{\"isError\":\"true\"}", "", false},
        {"\"result\":{\"isError\":1}", "", false},
        {"\"result\":{\"isError\":false}", "", false},
        {"\"result\":{\"isError\":true}", "", true},
        {"\"result\":{\"resultType\":\"complete\",\"content\":[{\"text\":\"a\"}]}", "a", false},
        {"\"result\":{\"resultType\":\"input_required\",\"inputRequests\":{}}", "", true},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct engine_fixture f;
        struct sp_buf line = {0}, wanted = {0};

        begin(&f);
        engine_fixture_host(&f, COMMIT("5", CALLS(FIND "," FIND)));
        (void)engine_fixture_look(&f);
        sp_buf_addf(&line, "{\"id\":\"stretto-1\",%s}", cases[i].response);
        engine_fixture_server(&f, sp_buf_cstr(&line));
        if (cases[i].is_failure)
            sp_buf_addf(&wanted,
                        "< " REPORT("5",
                                    "find_user_id_by_email {} (error):\\n%s\\n\\n"
                                    "find_user_id_by_email {} was not run",
                                    "true"),
                        cases[i].text);
        else
            sp_buf_add(&wanted, SP_STR("> " SENT_FIND("2")));
        expect_sent(&f, sp_buf_cstr(&wanted));
        sp_buf_clear(&wanted);
        if (!cases[i].is_failure) {
            engine_fixture_server(&f, TEXT("\"stretto-2\"", "x"));
            sp_buf_addf(&wanted,
                        "< " REPORT("5",
                                    "find_user_id_by_email {}:\\n%s\\n\\n"
                                    "find_user_id_by_email {}:\\nx",
                                    "false"),
                        cases[i].text);
            expect_sent(&f, sp_buf_cstr(&wanted));
        }
        sp_buf_deinit(&line);
        sp_buf_deinit(&wanted);
        engine_fixture_deinit(&f);
    }
}

static void commit_ends_with_the_first_failure(void **state)
{
    struct engine_fixture f;

    (void)state;
    begin(&f);
    engine_fixture_host(&f, COMMIT("5", CALLS(ORDER("#W9") "," FIND)));
    engine_fixture_server(&f, "{\"id\":\"stretto-1\",\"result\":{\"content\":[{\"type\":\"text\","
                              "\"text\":\"Order not found\"}],\"isError\":true}}");
    expect_sent(&f, "> " SENT_ORDER("1", "#W9") "< " REPORT(
                        "5",
                        "get_order_details {\\\"order_id\\\":\\\"#W9\\\"} (error):\\nOrder not "
                        "found\\n\\nfind_user_id_by_email {} was not run",
                        "true"));
    engine_fixture_deinit(&f);
}

#define SAYS(role, text) "{\"role\":\"" role "\",\"content\":\"" text "\"}\n"
#define CANCEL(id, reason)                                                 \
    "{\"name\":\"cancel_pending_order\",\"arguments\":{\"order_id\":\"" id \
    "\",\"reason\":\"" reason "\"}}"

/* The customer is found and confirms, as the demo's retail world has them. */
static void world_find_customer(struct world *w)
{
    engine_fixture_says(&w->f, SAYS("user", "Hi, I'm c7@example.com, cancel #W7a and #W7b."));
    world_host(w, "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
                  "\"find_user_id_by_email\",\"arguments\":{\"email\":\"c7@example.com\"}}}");
    engine_fixture_says(&w->f, SAYS("assistant", "Shall I?") SAYS("user", "Yes, please."));
}

static void commit_ends_with_the_first_refusal(void **state)
{
    struct world w;

    (void)state;
    world_begin(&w);
    world_find_customer(&w);
    world_host(&w, "{\"id\":2,\"method\":\"tools/call\",\"params\":" ORDER("#W7b") "}");
    (void)engine_fixture_look(&w.f);
    world_host(&w, COMMIT("5", CALLS(CANCEL("#W7b", "found it cheaper") "," ORDER("#W7b"))));
    expect_sent(&w.f,
                "< " REPORT("5",
                            "cancel_pending_order {\\\"order_id\\\":\\\"#W7b\\\",\\\"reason\\\":"
                            "\\\"found it cheaper\\\"} was refused by the policy check: 'found it "
                            "cheaper' is not an accepted reason (policy check "
                            "retail.cancel_reason)\\n\\nget_order_details {\\\"order_id\\\":"
                            "\\\"#W7b\\\"} was not run",
                            "true"));
    engine_fixture_deinit(&w.f);
}

static void commit_checks_each_call_after_the_ones_before_it(void **state)
{
    struct world w;
    struct sp_str report;

    (void)state;
    world_begin(&w);
    world_find_customer(&w);
    /* Alone the write is refused: the order has not been read. */
    world_host(&w, COMMIT("4", CALLS(CANCEL("#W7a", "no longer needed"))));
    report = last_to_host(&w.f);
    assert_non_null(memmem(report.p, report.len, "has not been read", 17));
    world_host(&w, COMMIT("5", CALLS(ORDER("#W7a") "," CANCEL("#W7a", "no longer needed"))));
    report = last_to_host(&w.f);
    assert_true(sp_str_starts(report, SP_STR("{\"id\":5,")));
    assert_true(sp_str_ends(report, SP_STR("\"isError\":false}}\n")));
    assert_non_null(memmem(w.f.to_server.p, w.f.to_server.len, "\"cancel_pending_order\"", 22));
    engine_fixture_deinit(&w.f);
}

static void commit_reads_the_conversation_before_each_check(void **state)
{
    struct engine_fixture f;

    (void)state;
    engine_fixture_init(&f, "retail", true, true);
    engine_fixture_says(&f, SAYS("user", "one"));
    engine_fixture_host(&f, COMMIT("5", CALLS(FIND "," FIND)));
    engine_fixture_says(&f, SAYS("user", "two"));
    engine_fixture_server(&f, TEXT("\"stretto-1\"", "x"));
    engine_fixture_says(&f, SAYS("user", "three"));
    engine_fixture_server(&f, TEXT("\"stretto-2\"", "x"));
    assert_string_equal(sp_buf_cstr(&f.senders),
                        "context client proxy server context proxy server proxy ");
    assert_int_equal(f.n_readings, 3);
    engine_fixture_deinit(&f);

    /* Without guards there is no check. */
    engine_fixture_init(&f, NULL, true, true);
    engine_fixture_host(&f, COMMIT("5", CALLS(FIND "," FIND)));
    engine_fixture_server(&f, TEXT("\"stretto-1\"", "x"));
    engine_fixture_server(&f, TEXT("\"stretto-2\"", "x"));
    assert_int_equal(f.n_readings, 1);
    engine_fixture_deinit(&f);
}

/* The calls of a commit are calls of one turn, with the commit itself. */
static void commit_is_one_turn(void **state)
{
    struct engine_fixture f;

    (void)state;
    begin(&f);
    engine_fixture_host(&f, COMMIT("5", CALLS(FIND "," ORDER("#W7a"))));
    f.now_ms = 2000;
    engine_fixture_server(&f, TEXT("\"stretto-1\"", "x"));
    f.now_ms = 4000;
    engine_fixture_server(&f, TEXT("\"stretto-2\"", "y"));
    assert_string_equal(engine_fixture_episode(&f),
                        "agent calls stretto_commit find_user_id_by_email get_order_details\n"
                        "result: x\nresult: y\n"
                        "result: find_user_id_by_email {}:\nx\n\n"
                        "get_order_details {\"order_id\":\"#W7a\"}:\ny\n");
    engine_fixture_deinit(&f);
}

#define NO_ANSWER(id)                                                                             \
    REPORT(id, "get_order_details {\\\"order_id\\\":\\\"#W7a\\\"} got no answer from the server", \
           "true")
#define TIME_OUT_NOTE "! no answer from the server to get_order_details within 60 s\n"

static void commit_gives_up_after_sixty_seconds(void **state)
{
    static const uint64_t starts[] = {0, 1, 999, 123456789};

    (void)state;
    for (size_t i = 0; i < N_OF(starts); i++) {
        struct engine_fixture f;

        begin(&f);
        assert_int_equal(engine_due_ms(f.engine), UINT64_MAX);
        f.now_ms = starts[i];
        engine_fixture_host(&f, COMMIT("5", CALLS(ORDER("#W7a"))));
        (void)engine_fixture_look(&f);
        engine_fixture_wait_until(&f, starts[i] + 60000); /* no more than that */
        engine_timeout(f.engine, f.now_ms);
        expect_sent(&f, "");
        engine_fixture_wait_until(&f, starts[i] + 60250);
        expect_sent(&f, TIME_OUT_NOTE "< " NO_ANSWER("5"));
        assert_int_equal(engine_due_ms(f.engine), UINT64_MAX);
        engine_fixture_server(&f, TEXT("\"stretto-1\"", "late")); /* recorded, and dropped */
        expect_sent(&f, "");
        assert_true(sp_str_ends(sp_buf_str(&f.senders), SP_STR("proxy server ")));
        engine_fixture_server(&f, TEXT("\"stretto-1\"", "later"));
        expect_sent(&f, "< " TEXT("\"stretto-1\"", "later") "\n");
        engine_fixture_deinit(&f);
    }
}

static void commit_counts_the_sixty_seconds_for_each_call(void **state)
{
    struct engine_fixture f;

    (void)state;
    begin(&f);
    engine_fixture_host(&f, COMMIT("5", CALLS(FIND "," ORDER("#W7a") "," FIND)));
    engine_fixture_wait_until(&f, 59000);
    engine_fixture_server(&f, TEXT("\"stretto-1\"", "x"));
    (void)engine_fixture_look(&f);
    engine_fixture_wait_until(&f, 119000);
    expect_sent(&f, "");
    engine_fixture_wait_until(&f, 120000);
    expect_sent(&f, TIME_OUT_NOTE
                "< " REPORT("5",
                            "find_user_id_by_email {}:\\nx\\n\\nget_order_details {\\\"order_id"
                            "\\\":\\\"#W7a\\\"} got no answer from the server\\n\\n"
                            "find_user_id_by_email {} was not run",
                            "true"));
    engine_fixture_deinit(&f);
}

static void commit_gives_up_several_in_the_order_of_their_requests(void **state)
{
    struct engine_fixture f;

    (void)state;
    begin(&f);
    engine_fixture_host(&f, COMMIT("1", CALLS(FIND "," ORDER("#W7a"))));
    f.now_ms = 10000;
    engine_fixture_host(&f, COMMIT("2", CALLS(ORDER("#W7a"))));
    f.now_ms = 20000;
    engine_fixture_server(&f, TEXT("\"stretto-1\"", "x")); /* its second request is the youngest */
    (void)engine_fixture_look(&f);
    engine_fixture_wait_until(&f, 70500);
    expect_sent(&f, TIME_OUT_NOTE "< " NO_ANSWER("2"));
    engine_fixture_server(&f, TEXT("\"stretto-2\"", "late"));
    expect_sent(&f, "");
    engine_fixture_server(&f, TEXT("\"stretto-3\"", "y")); /* the other one goes on */
    expect_sent(&f, "< " REPORT("1",
                                "find_user_id_by_email {}:\\nx\\n\\nget_order_details {"
                                "\\\"order_id\\\":\\\"#W7a\\\"}:\\ny",
                                "false"));

    /* Two that are due at once. */
    engine_fixture_host(&f, COMMIT("3", CALLS(ORDER("#W7a"))));
    engine_fixture_host(&f, COMMIT("4", CALLS(ORDER("#W7a"))));
    (void)engine_fixture_look(&f);
    f.now_ms = 500000;
    engine_timeout(f.engine, f.now_ms);
    expect_sent(&f, TIME_OUT_NOTE "< " NO_ANSWER("3") TIME_OUT_NOTE "< " NO_ANSWER("4"));
    engine_fixture_deinit(&f);
}

static void commit_answers_when_the_servers_output_ends(void **state)
{
    struct engine_fixture f;

    (void)state;
    begin(&f);
    engine_fixture_host(&f, COMMIT("\"one\"", CALLS(FIND "," ORDER("#W7a"))));
    engine_fixture_host(&f, COMMIT("2", CALLS(ORDER("#W7a") "," FIND)));
    engine_fixture_server(&f, TEXT("\"stretto-1\"", "x"));
    (void)engine_fixture_look(&f);
    engine_fixture_server_end(&f);
    expect_sent(&f,
                "< " REPORT("2",
                            "get_order_details {\\\"order_id\\\":\\\"#W7a\\\"} got no answer from "
                            "the server\\n\\nfind_user_id_by_email {} was not run",
                            "true") "< " REPORT("\"one\"",
                                                "find_user_id_by_email "
                                                "{}:\\nx\\n\\nget_order_details {\\\"order_id\\\":"
                                                "\\\"#W7a\\\"} got no answer from the server",
                                                "true"));
    engine_fixture_deinit(&f);
}

static void commit_takes_the_answer_on_its_way_when_the_host_has_ended(void **state)
{
    struct engine_fixture f;

    (void)state;
    begin(&f);
    engine_fixture_host(&f, COMMIT("5", CALLS(ORDER("#W7a") "," ORDER("#W7b") "," FIND)));
    (void)engine_fixture_look(&f);
    engine_fixture_host_end(&f);
    expect_sent(&f, "");
    engine_fixture_server(&f, TEXT("\"stretto-1\"", "A"));
    expect_sent(&f,
                "< " REPORT("5",
                            "get_order_details {\\\"order_id\\\":\\\"#W7a\\\"}:\\nA\\n\\n"
                            "get_order_details {\\\"order_id\\\":\\\"#W7b\\\"} got no answer from "
                            "the server\\n\\nfind_user_id_by_email {} was not run",
                            "true"));
    assert_string_equal(sp_buf_cstr(&f.senders), "client proxy server proxy ");
    engine_fixture_deinit(&f);
}

static void commit_sends_nothing_to_a_closed_server(void **state)
{
    struct engine_fixture f;

    (void)state;
    begin(&f);
    f.is_server_open = false;
    engine_fixture_host(&f, COMMIT("5", CALLS(ORDER("#W7a"))));
    expect_sent(&f, "< " NO_ANSWER("5"));
    assert_string_equal(sp_buf_cstr(&f.senders), "client proxy ");
    /* The number of a request that was not sent is not used up. */
    f.is_server_open = true;
    engine_fixture_host(&f, COMMIT("6", CALLS(FIND)));
    expect_sent(&f, "> " SENT_FIND("1"));
    engine_fixture_deinit(&f);
}

static void commit_refuses_before_it_finds_the_server_closed(void **state)
{
    struct engine_fixture f;

    (void)state;
    engine_fixture_init(&f, "retail", true, false);
    f.is_server_open = false;
    engine_fixture_host(&f, COMMIT("5", CALLS(CANCEL("#W7b", "found it cheaper"))));
    assert_non_null(strstr(engine_fixture_look(&f), "was refused by the policy check"));
    engine_fixture_deinit(&f);
}

static void commit_goes_on_beside_others_of_the_same_id(void **state)
{
    struct engine_fixture f;

    (void)state;
    begin(&f);
    engine_fixture_host(&f, COMMIT("5", CALLS(FIND)));
    engine_fixture_host(&f, COMMIT("5", CALLS(FIND)));
    engine_fixture_server(&f, TEXT("\"stretto-2\"", "b"));
    engine_fixture_server(&f, TEXT("\"stretto-1\"", "a"));
    expect_sent(&f, "> " SENT_FIND("1") "> " SENT_FIND("2") "< " REPORT(
                        "5", "find_user_id_by_email {}:\\nb",
                        "false") "< " REPORT("5", "find_user_id_by_email {}:\\na", "false"));
    engine_fixture_deinit(&f);
}

#define META(more) "\"_meta\":{" more "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}"
#define MODERN_COMMIT(id, meta)                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{" meta \
    ",\"name\":\"stretto_commit\",\"arguments\":{\"calls\":[" FIND "]}}}"
#define MODERN_SENT(n, meta)                                                                    \
    "{\"id\":\"stretto-" n "\",\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{" meta \
    ",\"arguments\":{},\"name\":\"find_user_id_by_email\"}}\n"

static void commit_of_a_modern_request_is_modern(void **state)
{
    struct engine_fixture f;

    (void)state;
    engine_fixture_init(&f, "retail", true, false);
    engine_fixture_host(&f,
                        MODERN_COMMIT("5", META("\"progressToken\":7,\"z\":{\"b\":1,\"a\":2},")));
    engine_fixture_server(&f, TEXT("\"stretto-1\"", "x"));
    expect_sent(
        &f,
        "> " MODERN_SENT(
            "1",
            "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
            "\"2026-07-28\",\"z\":{\"a\":2,\"b\":1}}") "< {\"id\":5,\"jsonrpc\":"
                                                       "\"2.0\",\"result\":{\"content\":[{\"text\":"
                                                       "\"find_user_id_by_email {}:\\nx\",\"type\":"
                                                       "\"text\"}],\"isError\":false,"
                                                       "\"resultType\":\"complete\"}}\n");

    /* So is the answer to arguments that are wrong, and a refusal. */
    engine_fixture_host(&f, "{\"id\":6,\"method\":\"tools/call\",\"params\":{" META(
                                "") ",\"name\":\"stretto_commit\"}}");
    assert_non_null(strstr(engine_fixture_look(&f),
                           "nothing was run.\",\"type\":\"text\"}],\"isError\":true,"
                           "\"resultType\":\"complete\"}}\n"));
    engine_fixture_host(&f, "{\"id\":7,\"method\":\"tools/call\",\"params\":{" META(
                                "") ",\"name\":\"cancel_pending_order\"}}");
    assert_non_null(strstr(engine_fixture_look(&f),
                           "\"type\":\"text\"}],\"isError\":true,\"resultType\":\"complete\"}}\n"));
    engine_fixture_deinit(&f);
}

/* Own requests are as the session's last call was, which need not be the commit's. */
static void commit_sends_what_the_last_call_had_for_meta(void **state)
{
    static const struct {
        const char *call; /* comes between the commit and its second request */
        const char *sent;
    } cases[] = {
        {"{\"id\":8,\"method\":\"ping\",\"params\":{}}",
         MODERN_SENT("2", "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
                          "\"2026-07-28\"}")},
        {"{\"id\":8,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}}", SENT_FIND("2")},
        {"{\"id\":8,\"method\":\"tools/call\",\"params\":{\"_meta\":{\"x\":1}}}", SENT_FIND("2")},
        {"{\"id\":8,\"method\":\"tools/call\",\"params\":{\"_meta\":{"
         "\"io.modelcontextprotocol/protocolVersion\":7}}}",
         SENT_FIND("2")},
        {"{\"id\":8,\"method\":\"tools/call\",\"params\":{" META("\"progress\\u0054oken\":1,\"a\":"
                                                                 "1,") "}}",
         MODERN_SENT("2", "\"_meta\":{\"a\":1,\"io.modelcontextprotocol/protocolVersion\":"
                          "\"2026-07-28\"}")},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct engine_fixture f;

        begin(&f);
        engine_fixture_host(
            &f, "{\"id\":5,\"method\":\"tools/call\",\"params\":{" META(
                    "") ",\"name\":\"stretto_commit\",\"arguments\":" CALLS(FIND "," FIND) "}}");
        engine_fixture_host(&f, cases[i].call);
        engine_fixture_server(&f, TEXT("\"stretto-1\"", "x"));
        assert_true(sp_str_ends(sp_buf_str(&f.to_server), sp_str_of(cases[i].sent)));
        /* The answer is as its own request was. */
        engine_fixture_server(&f, TEXT("\"stretto-2\"", "x"));
        assert_true(
            sp_str_ends(sp_buf_str(&f.to_host), SP_STR(",\"resultType\":\"complete\"}}\n")));
        engine_fixture_deinit(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commit_runs_nothing_if_any_argument_is_wrong),
        cmocka_unit_test(commit_needs_its_params),
        cmocka_unit_test(commit_makes_its_calls_one_after_the_other),
        cmocka_unit_test(commit_writes_arguments_in_canonical_form),
        cmocka_unit_test(commit_reports_the_text_and_failure_of_a_response),
        cmocka_unit_test(commit_ends_with_the_first_failure),
        cmocka_unit_test(commit_ends_with_the_first_refusal),
        cmocka_unit_test(commit_checks_each_call_after_the_ones_before_it),
        cmocka_unit_test(commit_reads_the_conversation_before_each_check),
        cmocka_unit_test(commit_is_one_turn),
        cmocka_unit_test(commit_gives_up_after_sixty_seconds),
        cmocka_unit_test(commit_counts_the_sixty_seconds_for_each_call),
        cmocka_unit_test(commit_gives_up_several_in_the_order_of_their_requests),
        cmocka_unit_test(commit_answers_when_the_servers_output_ends),
        cmocka_unit_test(commit_takes_the_answer_on_its_way_when_the_host_has_ended),
        cmocka_unit_test(commit_sends_nothing_to_a_closed_server),
        cmocka_unit_test(commit_refuses_before_it_finds_the_server_closed),
        cmocka_unit_test(commit_goes_on_beside_others_of_the_same_id),
        cmocka_unit_test(commit_of_a_modern_request_is_modern),
        cmocka_unit_test(commit_sends_what_the_last_call_had_for_meta),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
