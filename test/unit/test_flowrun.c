/*
 * Tests of a flow's run behind the agent's calls, by what the engine records, sends and logs: the
 * worked session, its variants, what may be looked up, and the copy that the agent gets.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "desk_session.h"
#include "engine_fixture.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

static void fixture_init(struct engine_fixture *f)
{
    struct engine_flow served = desk_session_flow(NULL, 0);

    engine_fixture_init_flow(f, &served, false, true);
}

static void expect(struct engine_fixture *f, const char *want)
{
    assert_string_equal(engine_fixture_look(f), want);
}

static void expect_log(struct engine_fixture *f, const char *want)
{
    assert_string_equal(sp_buf_cstr(&f->flow_log), want);
}

#define RUN_DESK                                                               \
    DESK_RUN("find_customer", "false", "8",                                    \
             "[\"decide#0\",2,0.0],[\"outcome#0\",true,-0.10536051565782628]," \
             "[\"decide#1\",3,0.0],[\"outcome#1\",false,-2.302585092994046],"  \
             "[\"decide#2\",0,0.0]",                                           \
             "2.4079456086518722")

static void flowrun_serves_the_worked_session(void **state)
{
    struct engine_fixture f;

    (void)state;
    fixture_init(&f);
    f.now_ms = 10;
    engine_fixture_host(&f, DESK_FIND);
    expect(&f, "[client 10] " DESK_FIND "\n> " DESK_FIND "\n");
    f.now_ms = 20;
    engine_fixture_server(&f, DESK_FOUND);
    expect(&f, "[server 20] " DESK_FOUND "\n# " DESK_DECIDED_CUSTOMER
               "\n[proxy 20] " DESK_ASK_CUSTOMER("1") "\n> " DESK_ASK_CUSTOMER("1") "\n");
    f.now_ms = 30;
    engine_fixture_server(&f, DESK_ANSWER("1", DESK_CUSTOMER));
    expect(&f,
           "[server 30] " DESK_ANSWER("1", DESK_CUSTOMER) "\n# " DESK_DECIDED_ORDER
                                                          "\n[proxy 30] " DESK_ASK_ORDER(
                                                              "2") "\n> " DESK_ASK_ORDER("2") "\n");
    f.now_ms = 40;
    engine_fixture_server(&f, DESK_ANSWER("2", DESK_NO_ORDER));
    expect(
        &f,
        "[server 40] " DESK_ANSWER("2", DESK_NO_ORDER) "\n# " DESK_HANDED_BACK(
            "decide#2", "\"get_order (error)\"",
            DESK_NOTHING_FOLLOWED) "\n# " RUN_DESK
                                   "\n[proxy 40] " DESK_ANSWERED(
                                       DESK_TOLD_CUSTOMER
                                           DESK_TOLD_NO_ORDER) "\n< " DESK_ANSWERED(DESK_TOLD_CUSTOMER
                                                                                        DESK_TOLD_NO_ORDER) "\n");
    assert_string_equal(sp_buf_cstr(&f.senders), "client server proxy server proxy server proxy ");
    engine_fixture_deinit(&f);
}

static void flowrun_scores_the_lookup_that_succeeds(void **state)
{
    static const char last[] = DESK_ANSWER("2", "\"result\":{\"content\":[]}");
    static const char run[] = DESK_RUN("find_customer", "false", "8",
                                       "[\"decide#0\",2,0.0],[\"outcome#0\",true,"
                                       "-0.10536051565782628],[\"decide#1\",3,0.0],[\"outcome#1\","
                                       "true,-0.10536051565782628],[\"decide#2\",0,0.0]",
                                       "0.21072103131565256");
    struct engine_fixture f;

    (void)state;
    fixture_init(&f);
    engine_fixture_host(&f, DESK_FIND);
    engine_fixture_server(&f, DESK_FOUND);
    engine_fixture_server(&f, DESK_ANSWER("1", DESK_CUSTOMER));
    (void)engine_fixture_look(&f);
    engine_fixture_server(&f, last);
    assert_non_null(strstr(sp_buf_cstr(&f.flow_log), run));
    assert_non_null(strstr(sp_buf_cstr(&f.flow_log), "\"site\":\"get_order\"}"));
    /* Without a text nothing follows the lookup. */
    assert_non_null(strstr(engine_fixture_look_sent(&f), "get_order {\\\"order_id\\\":\\\"o-1\\\"}"
                                                         ":\\n\",\"type\":\"text\"}]"));
    engine_fixture_deinit(&f);
}

/* ---- variants ---- */

struct variant {
    const char *name;
    uint64_t limits[3]; /* lookups of a call, of the session, and questions */
    bool shadow;
    const char *granted;  /* the only tool; NULL: every lookup */
    const char *contract; /* what the flow pins of get_customer; NULL: nothing */
    const char *listed;   /* the tools that the server lists; NULL: it is not asked */
    const char *call;     /* NULL: DESK_FIND */
    const char *response; /* NULL: DESK_FOUND */
    const char *customer; /* what the first lookup brings; NULL: DESK_CUSTOMER */
    const char *log;      /* of the flow */
    const char *answered; /* what the agent gets; NULL: what the server sent */
    size_t n_lookups;
    size_t n_notes;
};

#define USUAL      \
    {              \
        8, 40, 300 \
    }

#define TOOL(name, more) "{\"name\":\"" name "\"" more "}"
#define READ             ",\"annotations\":{\"readOnlyHint\":true}"
#define SCHEMA(type)                                                          \
    ",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"customer_id\":{" \
    "\"type\":\"" type "\"}},\"required\":[\"customer_id\"]}"
#define REST TOOL("find_customer", READ) "," TOOL("get_order", READ)

#define RUN_NOTHING DESK_RUN("find_customer", "false", "8", "[\"decide#0\",0,0.0]", "0.0")
#define LEFT_ALONE  DESK_DECIDED_CUSTOMER "\n" RUN_NOTHING "\n"
#define ALL_LOGGED                                                                     \
    DESK_DECIDED_CUSTOMER                                                              \
    "\n" DESK_DECIDED_ORDER "\n" DESK_HANDED_BACK("decide#2", "\"get_order (error)\"", \
                                                  DESK_NOTHING_FOLLOWED) "\n" RUN_DESK "\n"
#define ALL_TOLD DESK_ANSWERED(DESK_TOLD_CUSTOMER DESK_TOLD_NO_ORDER)
#define NO_SITE(call, site)                                             \
    DESK_HANDED_BACK("decide#0", "\"" site "\"", DESK_NOTHING_FOLLOWED) \
    "\n" DESK_RUN(call, "false", "8", "[\"decide#0\",0,0.0]", "0.0") "\n"
#define FAILED_RESPONSE                                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[{\"type\":\"text\",\"text\":" \
    "\"cust_7\"}],\"isError\":true}}"
#define OUTCOME_0 "[\"outcome#0\",true,-0.10536051565782628]"

static const struct variant variants[] = {
    {.name = "one lookup a call",
     .limits = {1, 40, 300},
     .log = DESK_DECIDED_CUSTOMER
     "\n" DESK_RUN("find_customer", "false", "1", "[\"decide#0\",2,0.0]," OUTCOME_0,
                   "0.10536051565782628") "\n",
     .answered = DESK_ANSWERED(DESK_TOLD_CUSTOMER),
     .n_lookups = 1},
    {.name = "no lookup a call",
     .limits = {0, 40, 300},
     .log = DESK_RUN("find_customer", "false", "0", "", "0.0") "\n"},
    {.name = "one lookup a session",
     .limits = {8, 1, 300},
     .log = DESK_DECIDED_CUSTOMER "\n" DESK_RUN(
         "find_customer", "false", "8", "[\"decide#0\",2,0.0]," OUTCOME_0 ",[\"decide#1\",0,0.0]",
         "0.10536051565782628") "\n",
     .answered = DESK_ANSWERED(DESK_TOLD_CUSTOMER),
     .n_lookups = 1},
    {.name = "no lookup a session", .limits = {8, 0, 300}, .log = ""},
    {.name = "no questions", .limits = {8, 40, 0}, .log = ""},
    {.name = "another tool is granted", .limits = USUAL, .granted = "get_order", .log = LEFT_ALONE},
    {.name = "names are granted literally",
     .limits = USUAL,
     .granted = "Get_customer",
     .log = LEFT_ALONE},
    {.name = "only the first is granted",
     .limits = USUAL,
     .granted = "get_customer",
     .log = DESK_DECIDED_CUSTOMER "\n" DESK_DECIDED_ORDER "\n" DESK_RUN(
         "find_customer", "false", "8", "[\"decide#0\",2,0.0]," OUTCOME_0 ",[\"decide#1\",0,0.0]",
         "0.10536051565782628") "\n",
     .answered = DESK_ANSWERED(DESK_TOLD_CUSTOMER),
     .n_lookups = 1},
    {.name = "marked as a write",
     .limits = USUAL,
     .listed = REST "," TOOL("get_customer", ",\"annotations\":{\"readOnlyHint\":false}"),
     .log = LEFT_ALONE},
    {.name = "not listed", .limits = USUAL, .listed = REST, .log = LEFT_ALONE},
    {.name = "listed without a hint",
     .limits = USUAL,
     .listed = REST "," TOOL("get_customer", ""),
     .log = ALL_LOGGED,
     .answered = ALL_TOLD,
     .n_lookups = 2},
    {.name = "a hint that says nothing",
     .limits = USUAL,
     .listed = REST "," TOOL("get_customer", ",\"annotations\":{\"readOnlyHint\":\"false\"}"),
     .log = ALL_LOGGED,
     .answered = ALL_TOLD,
     .n_lookups = 2},
    {.name = "nothing that is a tool is listed",
     .limits = USUAL,
     .listed = "{\"name\":7},{}",
     .log = ALL_LOGGED,
     .answered = ALL_TOLD,
     .n_lookups = 2},
    {.name = "another input",
     .limits = USUAL,
     .contract = "customer_id:integer!",
     .listed = REST "," TOOL("get_customer", READ SCHEMA("string")),
     .log = LEFT_ALONE,
     .n_notes = 1},
    {.name = "the same input",
     .limits = USUAL,
     .contract = "customer_id:string!",
     .listed = REST "," TOOL("get_customer", READ SCHEMA("string")),
     .log = ALL_LOGGED,
     .answered = ALL_TOLD,
     .n_lookups = 2},
    {.name = "an input that is not listed",
     .limits = USUAL,
     .contract = "customer_id:integer!",
     .listed = REST "," TOOL("get_customer", READ),
     .log = ALL_LOGGED,
     .answered = ALL_TOLD,
     .n_lookups = 2},
    {.name = "an input and no listing",
     .limits = USUAL,
     .contract = "customer_id:integer!",
     .log = ALL_LOGGED,
     .answered = ALL_TOLD,
     .n_lookups = 2},
    {.name = "shadow",
     .limits = USUAL,
     .shadow = true,
     .log = DESK_DECIDED_CUSTOMER_IF("\"shadow\":true,") "\n" RUN_NOTHING "\n"},
    {.name = "a write",
     .limits = USUAL,
     .call = DESK_CALL("3", "cancel_order", "{}"),
     .log = NO_SITE("cancel_order", "cancel_order")},
    {.name = "a tool that the flow does not know",
     .limits = USUAL,
     .call = DESK_CALL("3", "ping", "{}"),
     .log = NO_SITE("ping", "ping")},
    {.name = "an error",
     .limits = USUAL,
     .response = "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-1,\"message\":\"no\"}}",
     .log = ""},
    {.name = "an error and a result",
     .limits = USUAL,
     .response = "{\"id\":3,\"error\":{},\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
                 "\"cust_7\"}]}}",
     .log = ""},
    {.name = "a failure",
     .limits = USUAL,
     .response = FAILED_RESPONSE,
     .log =
         DESK_HANDED_BACK("decide#0", "\"find_customer (error)\"",
                          DESK_NOTHING_FOLLOWED) "\n" DESK_RUN("find_customer", "true", "8",
                                                               "[\"decide#0\",0,0.0]", "0.0") "\n"},
    {.name = "the lookup gets an error",
     .limits = USUAL,
     .customer = "\"error\":{\"code\":-1,\"message\":\"no\"}",
     .log = DESK_DECIDED_CUSTOMER "\n" DESK_HANDED_BACK(
         "decide#1", "\"get_customer (error)\"",
         DESK_NOTHING_FOLLOWED) "\n" DESK_RUN("find_customer", "false", "8",
                                              "[\"decide#0\",2,0.0],[\"outcome#0\",false,-2."
                                              "302585092994046],[\"decide#1\",0,0.0]",
                                              "2.302585092994046") "\n",
     .answered =
         DESK_ANSWERED("\\n\\nget_customer {\\\"customer_id\\\":\\\"cust_7\\\"} (error):\\nno"),
     .n_lookups = 1},
};

/* Lists tools to the host. */
static void list(struct engine_fixture *f, const char *tools)
{
    struct sp_buf line = {0};

    engine_fixture_host(f, "{\"jsonrpc\":\"2.0\",\"id\":\"l\",\"method\":\"tools/list\"}");
    sp_buf_addf(&line, "{\"jsonrpc\":\"2.0\",\"id\":\"l\",\"result\":{\"tools\":[%s]}}", tools);
    engine_fixture_server(f, sp_buf_cstr(&line));
    sp_buf_deinit(&line);
}

/* The session up to the agent's answer; what was sent before is forgotten. */
static void play(struct engine_fixture *f, const struct variant *v)
{
    struct sp_buf line = {0};

    if (v->listed != NULL)
        list(f, v->listed);
    engine_fixture_host(f, v->call != NULL ? v->call : DESK_FIND);
    sp_buf_clear(&f->to_host);
    sp_buf_clear(&f->to_server);
    engine_fixture_server(f, v->response != NULL ? v->response : DESK_FOUND);
    if (v->n_lookups > 0) {
        sp_buf_addf(&line, "{\"jsonrpc\":\"2.0\",\"id\":\"stretto-1\",%s}",
                    v->customer != NULL ? v->customer : DESK_CUSTOMER);
        engine_fixture_server(f, sp_buf_cstr(&line));
        sp_buf_deinit(&line);
    }
    if (v->n_lookups > 1)
        engine_fixture_server(f, DESK_ANSWER("2", DESK_NO_ORDER));
}

static void serve_variant(struct engine_fixture *f, const struct variant *v,
                          const struct sp_str *granted)
{
    struct sp_buf contracts = {0};
    struct flow_edit pin = {0};
    struct engine_flow served;

    if (v->contract != NULL) {
        sp_buf_addf(&contracts, "\"model\":\"\",\"contracts\":{\"get_customer\":\"%s\"}",
                    v->contract);
        pin = (struct flow_edit){"\"model\":\"\"", sp_buf_cstr(&contracts)};
    }
    served = desk_session_flow(&pin, 1);
    served.per_call = v->limits[0];
    served.per_session = v->limits[1];
    served.questions = v->limits[2];
    served.shadow = v->shadow;
    served.tools = v->granted != NULL ? granted : NULL;
    served.n_tools = v->granted != NULL;
    engine_fixture_init_flow(f, &served, false, false);
    sp_buf_deinit(&contracts);
}

static void check_variant(const struct variant *v)
{
    static const char *const lookups[] = {"", DESK_ASK_CUSTOMER("1") "\n",
                                          DESK_ASK_CUSTOMER("1") "\n" DESK_ASK_ORDER("2") "\n"};
    static const char note[] = "! the flow leaves get_customer alone: its input has changed from "
                               "'customer_id:integer!' to 'customer_id:string!'\n";
    struct sp_str granted = sp_str_of(v->granted != NULL ? v->granted : "");
    const char *response = v->response != NULL ? v->response : DESK_FOUND;
    const char *answered = v->answered != NULL ? v->answered : response;
    struct engine_fixture f;

    serve_variant(&f, v, &granted);
    play(&f, v);
    expect_log(&f, v->log);
    assert_string_equal(sp_buf_cstr(&f.to_server), lookups[v->n_lookups]);
    assert_int_equal(f.to_host.len, strlen(answered) + 1);
    assert_memory_equal(f.to_host.p, answered, strlen(answered));
    assert_int_equal(f.n_notes, v->n_notes);
    if (v->n_notes > 0)
        assert_non_null(strstr(engine_fixture_look(&f), note));
    engine_fixture_deinit(&f);
}

static void flowrun_serves_every_variant(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(variants); i++) {
        print_message("# %s\n", variants[i].name);
        check_variant(&variants[i]);
    }
}

static void flowrun_tells_of_a_changed_input_once_a_tool(void **state)
{
    static const struct variant v = {
        .limits = USUAL,
        .contract = "customer_id:integer!",
        .listed = REST "," TOOL("get_customer", READ SCHEMA("string")),
    };
    struct engine_fixture f;

    (void)state;
    serve_variant(&f, &v, NULL);
    play(&f, &v);
    assert_int_equal(f.n_notes, 1);
    play(&f, &v);
    assert_int_equal(f.n_notes, 1);
    /* A later listing replaces what was known. */
    list(&f, TOOL("get_customer", SCHEMA("integer")));
    engine_fixture_host(&f, DESK_FIND);
    (void)engine_fixture_look(&f);
    engine_fixture_server(&f, DESK_FOUND);
    assert_non_null(strstr(engine_fixture_look_sent(&f), "> " DESK_ASK_CUSTOMER("1")));
    engine_fixture_deinit(&f);
}

/* Plays the session up to the first decision; whether a lookup is made. */
static bool looks_up(struct engine_fixture *f)
{
    engine_fixture_host(f, DESK_FIND);
    (void)engine_fixture_look(f);
    engine_fixture_server(f, DESK_FOUND);
    return strstr(engine_fixture_look_sent(f), DESK_ASK_CUSTOMER("1")) != NULL;
}

static void flowrun_learns_only_from_listings_that_the_host_asked_for(void **state)
{
#define LISTING(id) "{\"id\":" id ",\"result\":{\"tools\":[" REST "]}}"
    struct engine_fixture f;

    (void)state;
    fixture_init(&f);
    engine_fixture_server(&f, LISTING("\"l\""));
    engine_fixture_host(&f, "{\"method\":\"tools/list\"}");
    engine_fixture_server(&f, LISTING("null"));
    engine_fixture_host(&f, "[{\"id\":1,\"method\":\"tools/list\"}]");
    engine_fixture_server(&f, LISTING("1"));
    engine_fixture_host(&f, "{\"id\":2,\"method\":\"tools/list\"}");
    engine_fixture_server(&f, "{\"id\":2,\"error\":{\"code\":1}}");
    engine_fixture_server(&f, LISTING("2"));
    assert_true(looks_up(&f));
    engine_fixture_deinit(&f);
}

static void flowrun_knows_the_tools_of_all_pages(void **state)
{
    struct engine_fixture f;

    (void)state;
    fixture_init(&f);
    list(&f, REST);
    assert_false(looks_up(&f));
    list(&f, TOOL("get_customer", READ));
    list(&f, REST); /* what was listed once stays */
    assert_true(looks_up(&f));
    engine_fixture_deinit(&f);
}

static void flowrun_looks_up_nothing_that_the_manifest_does_not_read(void **state)
{
    static const char *const kinds[] = {"\"get_customer\":\"write\"",
                                        "\"get_customer\":\"generic\"", "\"other\":\"read\""};

    (void)state;
    for (size_t i = 0; i < N_OF(kinds); i++) {
        struct flow_edit edit = {"\"get_customer\":\"read\"", kinds[i]};
        struct engine_flow served = desk_session_flow(&edit, 1);
        struct engine_fixture f;

        engine_fixture_init_flow(&f, &served, false, false);
        assert_false(looks_up(&f));
        assert_non_null(strstr(sp_buf_cstr(&f.flow_log), "\"action\":\"lookup\""));
        engine_fixture_deinit(&f);
    }
}

/* ---- the copy ---- */

/* The flow with the customer's id for granted, one lookup a call. */
static void fixture_init_constant(struct engine_fixture *f)
{
    static const struct flow_edit edits[] = {
        {"\"stretto_flow\":1", "\"stretto_flow\":2"},
        {"\"get_order\":[[8,8],[0,0]]}", "\"get_order\":[[8,8],[0,0]]},\"constants\":[[["
                                         "\"get_customer\",\"customer_id\"],\"cust_7\"]]"},
    };
    struct engine_flow served = desk_session_flow(edits, N_OF(edits));

    served.per_call = 1;
    engine_fixture_init_flow(f, &served, false, false);
}

#define ITEM "{\"text\":\"" DESK_HEAD DESK_TOLD_CUSTOMER "\",\"type\":\"text\"}"

/* Members of a response behind its id, and the copy; NULL: the agent gets the response. */
static const struct {
    const char *response;
    const char *copy;
} copies[] = {
    {"\"result\":{\"content\":[]}", "{\"id\":3,\"result\":{\"content\":[" ITEM "]}}"},
    {"\"result\":{ }", "{\"id\":3,\"result\":{\"content\":[" ITEM "]}}"},
    {"\"result\":{\"x\":[1, 2],\"a\":\"b\"}",
     "{\"id\":3,\"result\":{\"a\":\"b\",\"content\":[" ITEM "],\"x\":[1,2]}}"},
    {"\"result\":{\"content\":7}", "{\"id\":3,\"result\":{\"content\":[" ITEM "]}}"},
    {"\"result\":{\"content\":{\"text\":\"x\"},\"isError\":false}",
     "{\"id\":3,\"result\":{\"content\":[" ITEM "],\"isError\":false}}"},
    {"\"result\":{\"content\":null}", "{\"id\":3,\"result\":{\"content\":[" ITEM "]}}"},
    {"\"result\":null", "{\"id\":3,\"result\":{\"content\":[" ITEM "]}}"},
    {"\"result\":null,\"error\":null,\"extra\":1",
     "{\"error\":null,\"extra\":1,\"id\":3,\"result\":{\"content\":[" ITEM "]}}"},
    {"\"result\":{\"structuredContent\":{\"n\":1.50,\"big\":123456789012345678901234567890},"
     "\"_meta\":{\"b\":1,\"a\":2},\"content\":[ 1 ,{\"type\":\"image\",\"data\":\"\\u00e9\"} ]},"
     "\"jsonrpc\":\"2.0\"",
     "{\"id\":3,\"jsonrpc\":\"2.0\",\"result\":{\"_meta\":{\"a\":2,\"b\":1},\"content\":[1,{"
     "\"data\":\"\xc3\xa9\",\"type\":\"image\"}," ITEM
     "],\"structuredContent\":{\"big\":123456789012345678901234567890,\"n\":1.5}}}"},
    {"\"result\":5", NULL},
    {"\"result\":\"cust_7\"", NULL},
    {"\"result\":false", NULL},
    {"\"result\":[{\"type\":\"text\",\"text\":\"x\"}]", NULL},
};

static void flowrun_adds_one_item_to_a_copy_of_the_response(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(copies); i++) {
        struct sp_buf response = {0}, want = {0};
        struct engine_fixture f;

        fixture_init_constant(&f);
        engine_fixture_host(&f, DESK_FIND);
        sp_buf_addf(&response, "{ %s , \"id\":3}", copies[i].response);
        engine_fixture_server(&f, sp_buf_cstr(&response));
        (void)engine_fixture_look(&f);
        engine_fixture_server(&f, DESK_ANSWER("1", DESK_CUSTOMER));
        if (copies[i].copy != NULL)
            sp_buf_addf(&want, "[proxy 0] %s\n", copies[i].copy);
        sp_buf_addf(&want, "< %s\n",
                    copies[i].copy != NULL ? copies[i].copy : sp_buf_cstr(&response));
        assert_non_null(strstr(engine_fixture_look(&f), sp_buf_cstr(&want)));
        assert_null(strstr(sp_buf_cstr(&f.entries), copies[i].copy != NULL ? "~" : "Also"));
        sp_buf_deinit(&response);
        sp_buf_deinit(&want);
        engine_fixture_deinit(&f);
    }
}

static void flowrun_sends_the_very_bytes_when_nothing_was_looked_up(void **state)
{
    static const char line[] = " {\"id\" :3,\"result\":{\"content\":[],\"x\":\"\xff\"}}\r";
    struct engine_fixture f;
    struct sp_buf want = {0};

    (void)state;
    fixture_init(&f);
    engine_fixture_host(&f, DESK_FIND);
    sp_buf_clear(&f.to_host);
    engine_fixture_server_bytes(&f, sp_str_of(line)); /* without LF */
    assert_int_equal(f.to_host.len, strlen(line));
    assert_memory_equal(f.to_host.p, line, strlen(line));
    sp_buf_deinit(&want);
    engine_fixture_deinit(&f);
}

/* What a lookup's answer says, and what the agent is told of it. */
static const struct {
    const char *answer;
    const char *told;
} texts[] = {
    {"\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"image\"},{"
     "\"text\":\"b\\n\"}],\"isError\":true}",
     " (error):\\na\\nb\\n\""},
    {"\"result\":{\"structuredContent\":{\"a\":1}}", ":\\n\""},
    {"\"result\":{\"content\":[],\"isError\":1}", ":\\n\""},
    {"\"result\":null", ":\\n\""},
    {"\"error\":{\"code\":-1}", " (error):\\nerror\""},
    {"\"error\":7", " (error):\\nerror\""},
    {"\"error\":null", ":\\n\""},
    {"\"error\":{\"message\":\"no\"},\"result\":{\"content\":[{\"text\":\"yes\"}]}",
     " (error):\\nno\""},
};

static void flowrun_tells_the_texts_of_the_lookups(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(texts); i++) {
        struct engine_fixture f;
        struct sp_buf line = {0}, want = {0};

        fixture_init_constant(&f);
        assert_true(looks_up(&f));
        sp_buf_addf(&line, "{\"id\":\"stretto\\u002d1\",%s}", texts[i].answer);
        engine_fixture_server(&f, sp_buf_cstr(&line));
        sp_buf_addf(&want, "get_customer {\\\"customer_id\\\":\\\"cust_7\\\"}%s", texts[i].told);
        assert_non_null(strstr(engine_fixture_look_sent(&f), sp_buf_cstr(&want)));
        sp_buf_deinit(&line);
        sp_buf_deinit(&want);
        engine_fixture_deinit(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flowrun_serves_the_worked_session),
        cmocka_unit_test(flowrun_scores_the_lookup_that_succeeds),
        cmocka_unit_test(flowrun_serves_every_variant),
        cmocka_unit_test(flowrun_tells_of_a_changed_input_once_a_tool),
        cmocka_unit_test(flowrun_learns_only_from_listings_that_the_host_asked_for),
        cmocka_unit_test(flowrun_knows_the_tools_of_all_pages),
        cmocka_unit_test(flowrun_looks_up_nothing_that_the_manifest_does_not_read),
        cmocka_unit_test(flowrun_adds_one_item_to_a_copy_of_the_response),
        cmocka_unit_test(flowrun_sends_the_very_bytes_when_nothing_was_looked_up),
        cmocka_unit_test(flowrun_tells_the_texts_of_the_lookups),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
