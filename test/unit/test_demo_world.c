/* Tests of demo/demo_world.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "demo/demo_world.h"

#define REPLACED "\xef\xbf\xbd" /* U+FFFD */

#define PARSE_ERROR \
    "{\"error\":{\"code\":-32700,\"message\":\"Parse error\"},\"id\":null,\"jsonrpc\":\"2.0\"}"
#define ERROR(id, code, message)                                                                \
    "{\"error\":{\"code\":" code ",\"message\":\"" message "\"},\"id\":" id ",\"jsonrpc\":\"2." \
    "0\"}"
#define RESULT(id, result) "{\"id\":" id ",\"jsonrpc\":\"2.0\",\"result\":" result "}"
#define TEXT(text, is_error) \
    RESULT("1",              \
           "{\"content\":[{\"text\":\"" text "\",\"type\":\"text\"}],\"isError\":" is_error "}")

struct line_case {
    struct sp_str line;
    const char *answer; /* NULL: none */
};

struct call_case {
    const char *params; /* of tools/call with id 1 */
    const char *answer;
    uint64_t delay_ms;
};

static const struct demo_world echo = {.kind = DEMO_WORLD_ECHO};
static const struct demo_world retail = {.kind = DEMO_WORLD_RETAIL};

static void check_line(const struct demo_world *world, struct sp_str line, const char *want,
                       uint64_t delay_ms)
{
    struct demo_world_answer answer;

    demo_world_answer(world, line, &answer);
    if (want == NULL)
        assert_int_equal(answer.text.len, 0);
    else
        assert_string_equal(sp_buf_cstr(&answer.text), want);
    assert_int_equal(answer.delay_ms, delay_ms);
    demo_world_answer_deinit(&answer);
}

static void check_call(const struct demo_world *world, const struct call_case *c)
{
    struct sp_buf line = {0};

    sp_buf_addf(&line, "{\"id\":1,\"method\":\"tools/call\",\"params\":%s}\n", c->params);
    check_line(world, sp_buf_str(&line), c->answer, c->delay_ms);
    sp_buf_deinit(&line);
}

static const struct line_case lines[] = {
    /* Nothing to answer. */
    {SP_STR(""), NULL},
    {SP_STR("\n"), NULL},
    {SP_STR(" \t\r\n"), NULL},
    {SP_STR("{}\n"), NULL},
    {SP_STR("{\"method\":\"ping\"}\n"), NULL},
    {SP_STR("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"), NULL},
    {SP_STR("{\"id\":null,\"method\":\"ping\"}\n"), NULL},
    {SP_STR("{\"id\":1}\n"), NULL},
    {SP_STR("{\"id\":1,\"result\":{}}\n"), NULL},
    {SP_STR("{\"id\":1,\"method\":7}\n"), NULL},
    {SP_STR("{\"id\":1,\"method\":null}\n"), NULL},
    /* Not JSON. */
    {SP_STR("this line is not JSON\n"), PARSE_ERROR},
    {SP_STR("{\"id\":1,\"method\":\"ping\"}}\n"), PARSE_ERROR},
    {SP_STR("{\"id\":1,\"method\":\"ping\",}\n"), PARSE_ERROR},
    {SP_STR("{\"id\":1e999,\"method\":\"ping\"}\n"), PARSE_ERROR},
    {SP_STR("\xff\n"), PARSE_ERROR},
    {SP_STR("\xef\xbb\xbf{}\n"), PARSE_ERROR},
    /* Requests, with ids of every type, kept; "jsonrpc" is not checked. */
    {SP_STR("{\"id\":1,\"method\":\"ping\"}\n"), RESULT("1", "{}")},
    {SP_STR(" {\"id\":1,\"method\":\"ping\"} \r\n"), RESULT("1", "{}")},
    {SP_STR("{\"id\":1,\"method\":\"ping\"}"), RESULT("1", "{}")},
    {SP_STR("{\"id\":\"a\\u00e9\\u0000\\/\",\"method\":\"ping\"}\n"),
     RESULT("\"a\xc3\xa9\\u0000/\"", "{}")},
    {SP_STR("{\"id\":18446744073709551615,\"method\":\"ping\"}\n"),
     RESULT("18446744073709551615", "{}")},
    {SP_STR("{\"id\":-7,\"method\":\"ping\",\"jsonrpc\":\"1.0\"}\n"), RESULT("-7", "{}")},
    {SP_STR("{\"id\":1.50,\"method\":\"ping\"}\n"), RESULT("1.5", "{}")},
    {SP_STR("{\"id\":false,\"method\":\"ping\"}\n"), RESULT("false", "{}")},
    {SP_STR("{\"id\":{\"b\":1, \"a\":[]},\"method\":\"ping\"}\n"),
     RESULT("{\"a\":[],\"b\":1}", "{}")},
    {SP_STR("{\"id\":\"\xff\",\"method\":\"pi\\u006eg\"}\n"), RESULT("\"" REPLACED "\"", "{}")},
    {SP_STR("{\"id\":1,\"method\":\"ping\",\"params\":7}\n"), RESULT("1", "{}")},
    {SP_STR("{\"id\":1,\"method\":\"no/such\"}\n"),
     ERROR("1", "-32601", "Method not found: no/such")},
    {SP_STR("{\"id\":1,\"method\":\"\"}\n"), ERROR("1", "-32601", "Method not found: ")},
    {SP_STR("{\"id\":1,\"method\":\"a\\\"\\u00e9\\n\"}\n"),
     ERROR("1", "-32601", "Method not found: a\\\"\xc3\xa9\\n")},
    {SP_STR("{\"id\":1,\"method\":\"notifications/initialized\"}\n"),
     ERROR("1", "-32601", "Method not found: notifications/initialized")},
};

static void demo_world_answers_every_kind_of_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        check_line(&echo, lines[i].line, lines[i].answer, 0);
        check_line(&retail, lines[i].line, lines[i].answer, 0);
    }
}

struct asked_case {
    const char *line;
    enum demo_world_asked asked;
    const char *version; /* NULL: of no meaning, as the next */
    const char *name;
};

static void demo_world_tells_what_a_line_asked_for(void **state)
{
#define INITIALIZE(params) "{\"id\":1,\"method\":\"initialize\",\"params\":" params "}"
#define CALL_OF(name)      "{\"id\":1,\"method\":\"tools/call\",\"params\":" name "}"
    static const struct asked_case cases[] = {
        {"", DEMO_WORLD_NOTHING, NULL, NULL},
        {" \r\n", DEMO_WORLD_NOTHING, NULL, NULL},
        {"{}", DEMO_WORLD_NOTHING, NULL, NULL},
        {"{\"method\":\"tools/call\"}", DEMO_WORLD_NOTHING, NULL, NULL},
        {"{\"id\":1,\"result\":{}}", DEMO_WORLD_NOTHING, NULL, NULL},
        {"{\"id\":1,\"method\":7}", DEMO_WORLD_NOTHING, NULL, NULL},
        {"{\"method\":\"initialize\"}", DEMO_WORLD_INITIALIZE_NOTE, NULL, NULL},
        {"{\"id\":null,\"method\":\"initialize\"}", DEMO_WORLD_INITIALIZE_NOTE, NULL, NULL},
        {INITIALIZE("{\"protocolVersion\":\"2025-11-25\"}"), DEMO_WORLD_INITIALIZE, "2025-11-25",
         NULL},
        {INITIALIZE("{\"protocolVersion\":\"\\u0061\"}"), DEMO_WORLD_INITIALIZE, "a", NULL},
        {INITIALIZE("{\"protocolVersion\":\"\"}"), DEMO_WORLD_INITIALIZE, "", NULL},
        {INITIALIZE("{\"protocolVersion\":7}"), DEMO_WORLD_INITIALIZE, "2025-06-18", NULL},
        {INITIALIZE("{}"), DEMO_WORLD_INITIALIZE, "2025-06-18", NULL},
        {"{\"id\":1,\"method\":\"initialize\"}", DEMO_WORLD_INITIALIZE, "2025-06-18", NULL},
        {CALL_OF("{\"name\":\"lookup\"}"), DEMO_WORLD_CALL, NULL, "lookup"},
        {CALL_OF("{\"name\":\"no-such\"}"), DEMO_WORLD_CALL, NULL, "no-such"},
        {CALL_OF("{\"name\":7}"), DEMO_WORLD_CALL, NULL, ""},
        {CALL_OF("[]"), DEMO_WORLD_CALL, NULL, ""},
        {"{\"id\":1,\"method\":\"ping\"}", DEMO_WORLD_OTHER, NULL, NULL},
        {"{\"id\":1,\"method\":\"tools/list\"}", DEMO_WORLD_OTHER, NULL, NULL},
        {"{\"id\":1,\"method\":\"no/such\"}", DEMO_WORLD_OTHER, NULL, NULL},
        {"not JSON", DEMO_WORLD_OTHER, NULL, NULL},
        {"[{\"id\":1,\"method\":\"initialize\"}]", DEMO_WORLD_OTHER, NULL, NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct demo_world_answer answer;

        demo_world_answer(&echo, sp_str_of(cases[i].line), &answer);
        if (answer.asked != cases[i].asked)
            fail_msg("%s", cases[i].line);
        if (cases[i].version != NULL)
            assert_string_equal(sp_buf_cstr(&answer.version), cases[i].version);
        if (cases[i].name != NULL)
            assert_string_equal(sp_buf_cstr(&answer.name), cases[i].name);
        demo_world_answer_deinit(&answer);
    }
}

static void demo_world_refuses_json_that_is_no_object(void **state)
{
    static const char *const texts[] = {"1", "\"s\"", "null", "[]",
                                        "[{\"id\":1,\"method\":\"ping\"}]"};
    static const char begin[] = "{\"error\":{\"code\":-32600,\"message\":\"Invalid Request";
    static const char end[] = "\"},\"id\":null,\"jsonrpc\":\"2.0\"}";

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct demo_world_answer answer;
        struct sp_str text;

        demo_world_answer(&echo, sp_str_of(texts[i]), &answer);
        text = sp_buf_str(&answer.text);
        assert_true(sp_str_starts(text, sp_str_of(begin)) && sp_str_ends(text, sp_str_of(end)));
        demo_world_answer_deinit(&answer);
    }
}

static void demo_world_initializes_with_the_version_it_is_asked_for(void **state)
{
    static const char *const versions[][2] = {
        {"{\"protocolVersion\":\"2025-11-25\"}", "\"2025-11-25\""},
        {"{\"protocolVersion\":\"\"}", "\"\""},
        {"{\"protocolVersion\":null}", "null"},
        {"{\"protocolVersion\":{\"b\":1,\"a\":2}}", "{\"a\":2,\"b\":1}"},
        {"{}", "\"2025-06-18\""},
        {"[]", "\"2025-06-18\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        struct sp_buf line = {0}, end = {0};
        struct demo_world_answer answer;
        struct sp_str text;

        sp_buf_addf(&line, "{\"id\":1,\"method\":\"initialize\",\"params\":%s}", versions[i][0]);
        sp_buf_addf(&end,
                    "\",\"protocolVersion\":%s,\"serverInfo\":{\"name\":\"stretto-mcp-demo\","
                    "\"version\":\"" SP_VERSION "\"}}}",
                    versions[i][1]);
        demo_world_answer(&echo, sp_buf_str(&line), &answer);
        text = sp_buf_str(&answer.text);
        assert_true(sp_str_starts(text, SP_STR("{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{"
                                               "\"capabilities\":{\"tools\":{\"listChanged\":"
                                               "false}},\"instructions\":\"")));
        assert_true(sp_str_ends(text, sp_buf_str(&end)));
        demo_world_answer_deinit(&answer);
        sp_buf_deinit(&line);
        sp_buf_deinit(&end);
    }
}

/* Cuts every description's text out of an answer, as its wording is free; each must have one. */
static void blank_descriptions(struct sp_buf *b)
{
    static const char key[] = "\"description\":\"";
    char *p = (char *)sp_buf_cstr(b);

    while ((p = strstr(p, key)) != NULL) {
        char *end;

        p += sizeof key - 1;
        for (end = p; *end != '"'; end++)
            if (*end == '\\')
                end++;
        assert_true(end > p);
        memmove(p, end, strlen(end) + 1);
        b->len -= (size_t)(end - p);
    }
}

static void check_list(const struct demo_world *world, const char *tools)
{
    struct demo_world_answer answer;
    struct sp_buf want = {0};

    demo_world_answer(world, SP_STR("{\"id\":1,\"method\":\"tools/list\"}\n"), &answer);
    blank_descriptions(&answer.text);
    sp_buf_addf(&want, RESULT("1", "{\"tools\":[%s]}"), tools);
    assert_string_equal(sp_buf_cstr(&answer.text), sp_buf_cstr(&want));
    demo_world_answer_deinit(&answer);
    sp_buf_deinit(&want);
}

#define READS  "{\"readOnlyHint\":true}"
#define WRITES "{\"readOnlyHint\":false}"

#define ECHO_TOOL(name, annotations)                                                          \
    "{\"annotations\":" annotations ",\"description\":\"\",\"inputSchema\":{\"properties\":{" \
    "\"delay_ms\":{\"description\":\"\",\"minimum\":0,\"type\":\"integer\"},"                 \
    "\"fail\":{\"description\":\"\",\"type\":\"boolean\"},"                                   \
    "\"text\":{\"description\":\"\",\"type\":\"string\"}},\"type\":\"object\"},"              \
    "\"name\":\"" name "\"}"

#define TOOL(name, annotations, properties, required)                    \
    "{\"annotations\":" annotations                                      \
    ",\"description\":\"\",\"inputSchema\":{\"properties\":{" properties \
    "},\"required\":[" required "],\"type\":\"object\"},\"name\":\"" name "\"}"
#define STRING(name) "\"" name "\":{\"type\":\"string\"}"

#define FIND_USER(hint) TOOL("find_user_id_by_email", hint, STRING("email"), "\"email\"")
#define GET_USER(hint)  TOOL("get_user_details", hint, STRING("user_id"), "\"user_id\"")
#define GET_ORDER(hint) TOOL("get_order_details", hint, STRING("order_id"), "\"order_id\"")
#define CANCEL(hint)                                                            \
    TOOL("cancel_pending_order", hint, STRING("order_id") "," STRING("reason"), \
         "\"order_id\",\"reason\"")

static void demo_world_lists_the_tools_of_its_world(void **state)
{
    (void)state;
    check_list(&echo, ECHO_TOOL("lookup", READS) "," ECHO_TOOL("update", WRITES));
    check_list(&retail,
               FIND_USER(READS) "," GET_USER(READS) "," GET_ORDER(READS) "," CANCEL(WRITES));
}

static void demo_world_names_both_reasons_in_the_list(void **state)
{
    struct demo_world_answer answer;

    (void)state;
    demo_world_answer(&retail, SP_STR("{\"id\":1,\"method\":\"tools/list\"}\n"), &answer);
    assert_non_null(strstr(sp_buf_cstr(&answer.text), "no longer needed"));
    assert_non_null(strstr(sp_buf_cstr(&answer.text), "ordered by mistake"));
    demo_world_answer_deinit(&answer);
}

#define LOOKUP(args)  "{\"name\":\"lookup\",\"arguments\":" args "}"
#define UPDATE(args)  "{\"name\":\"update\",\"arguments\":" args "}"
#define UNKNOWN(name) ERROR("1", "-32602", "Unknown tool: " name)

static const struct call_case echo_calls[] = {
    {LOOKUP("{\"text\":\"hello\"}"), TEXT("{\\\"text\\\":\\\"hello\\\"}", "false"), 0},
    {LOOKUP("{\"text\":\"hi\",\"delay_ms\":1}"),
     TEXT("{\\\"delay_ms\\\":1,\\\"text\\\":\\\"hi\\\"}", "false"), 1},
    {UPDATE("{\"text\":\"caf\xc3\xa9 \xe2\x98\x95\"}"),
     TEXT("{\\\"text\\\":\\\"caf\xc3\xa9 \xe2\x98\x95\\\"}", "false"), 0},
    {UPDATE("{\"fail\":true}"), TEXT("update failed, as asked: {\\\"fail\\\":true}", "true"), 0},
    {LOOKUP("{\"fail\":\"true\"}"), TEXT("{\\\"fail\\\":\\\"true\\\"}", "false"), 0},
    {LOOKUP("{\"fail\":1}"), TEXT("{\\\"fail\\\":1}", "false"), 0},
    {"{\"name\":\"lookup\"}", TEXT("{}", "false"), 0},
    {"{\"name\":\"delete\",\"arguments\":{}}", UNKNOWN("delete"), 0},
    {"{\"name\":\"delete\",\"arguments\":{\"delay_ms\":5}}", UNKNOWN("delete"), 0},
    {"{\"name\":\"Lookup\"}", UNKNOWN("Lookup"), 0},
    {"{\"name\":\"\"}", UNKNOWN(""), 0},
    {"{\"name\":7}", UNKNOWN(""), 0},
    {"{}", UNKNOWN(""), 0},
    {"[]", UNKNOWN(""), 0},
    {"{\"name\":\"get_user_details\"}", UNKNOWN("get_user_details"), 0},
    /* Arguments of any type, in canonical form. */
    {LOOKUP("[1, 2]"), TEXT("[1,2]", "false"), 0},
    {LOOKUP("null"), TEXT("null", "false"), 0},
    {LOOKUP("{\"delay_ms\":123456789012345678901234567890}"),
     TEXT("{\\\"delay_ms\\\":1.2345678901234568e29}", "false"), 10000},
    {LOOKUP("\"delay_ms\""), TEXT("\\\"delay_ms\\\"", "false"), 0},
    {LOOKUP("{\"z\":1.50,\"a\":{\"c\":1e2,\"b\":\"\\u0000\\/\"}}"),
     TEXT("{\\\"a\\\":{\\\"b\\\":\\\"\\\\u0000/\\\",\\\"c\\\":100.0},\\\"z\\\":1.5}", "false"), 0},
    {LOOKUP("{\"text\":\"a\\\\b\\\"c\"}"),
     TEXT("{\\\"text\\\":\\\"a\\\\\\\\b\\\\\\\"c\\\"}", "false"), 0},
    /* Delays. */
    {UPDATE("{\"delay_ms\":300,\"fail\":true}"),
     TEXT("update failed, as asked: {\\\"delay_ms\\\":300,\\\"fail\\\":true}", "true"), 300},
    {LOOKUP("{\"delay_ms\":10000}"), TEXT("{\\\"delay_ms\\\":10000}", "false"), 10000},
    {LOOKUP("{\"delay_ms\":10001}"), TEXT("{\\\"delay_ms\\\":10001}", "false"), 10000},
    {LOOKUP("{\"delay_ms\":18446744073709551615}"),
     TEXT("{\\\"delay_ms\\\":18446744073709551615}", "false"), 10000},
    {LOOKUP("{\"delay_ms\":0}"), TEXT("{\\\"delay_ms\\\":0}", "false"), 0},
    {LOOKUP("{\"delay_ms\":-1}"), TEXT("{\\\"delay_ms\\\":-1}", "false"), 0},
    {LOOKUP("{\"delay_ms\":1.5}"), TEXT("{\\\"delay_ms\\\":1.5}", "false"), 0},
    {LOOKUP("{\"delay_ms\":\"5\"}"), TEXT("{\\\"delay_ms\\\":\\\"5\\\"}", "false"), 0},
    {LOOKUP("{\"delay_ms\":true}"), TEXT("{\\\"delay_ms\\\":true}", "false"), 0},
};

static void demo_world_echo_answers_calls(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof echo_calls / sizeof *echo_calls; i++)
        check_call(&echo, &echo_calls[i]);
}

#define CALL(name, args) "{\"name\":\"" name "\",\"arguments\":" args "}"
#define FIND(email)      CALL("find_user_id_by_email", "{\"email\":\"" email "\"}")
#define USER(id)         CALL("get_user_details", "{\"user_id\":\"" id "\"}")
#define ORDER(id)        CALL("get_order_details", "{\"order_id\":\"" id "\"}")
#define CANCEL_CALL(id, reason) \
    CALL("cancel_pending_order", "{\"order_id\":\"" id "\",\"reason\":\"" reason "\"}")

#define NO_USER   TEXT("Error: User not found", "true")
#define NO_ORDER  TEXT("Error: Order not found", "true")
#define NO_REASON TEXT("Error: Invalid reason", "true")

#define USER_TEXT(n)                                                                               \
    TEXT("{\\\"user_id\\\":\\\"user_" n "\\\",\\\"orders\\\":[\\\"#W" n "a\\\",\\\"#W" n "b\\\"]," \
         "\\\"email\\\":\\\"c" n "@example.com\\\",\\\"payment_methods\\\":{"                      \
         "\\\"credit_card_" n "\\\":{\\\"source\\\":\\\"credit_card\\\"}}}",                       \
         "false")
#define ORDER_TEXT(n, letter)                                                                \
    TEXT("{\\\"order_id\\\":\\\"#W" n letter "\\\",\\\"user_id\\\":\\\"user_" n "\\\","      \
         "\\\"status\\\":\\\"pending\\\",\\\"items\\\":[{\\\"item_id\\\":\\\"1\\\","         \
         "\\\"product_id\\\":\\\"p1\\\",\\\"name\\\":\\\"Desk lamp\\\"}],"                   \
         "\\\"payment_history\\\":[{\\\"payment_method_id\\\":\\\"credit_card_" n "\\\"}]}", \
         "false")
#define CANCELLED(id) \
    TEXT("{\\\"order_id\\\":\\\"" id "\\\",\\\"status\\\":\\\"cancelled\\\"}", "false")

static const struct call_case retail_calls[] = {
    {FIND("c7@example.com"), TEXT("user_7", "false"), 0},
    {FIND("c007@example.com"), TEXT("user_007", "false"), 0},
    {FIND("c123456789012345678901234567890@example.com"),
     TEXT("user_123456789012345678901234567890", "false"), 0},
    {FIND("c\\u0037@example.com"), TEXT("user_7", "false"), 0},
    {FIND("c@example.com"), NO_USER, 0},
    {FIND("C7@example.com"), NO_USER, 0},
    {FIND("c7@example.com "), NO_USER, 0},
    {FIND("c7@Example.com"), NO_USER, 0},
    {FIND("c7\\u0000@example.com"), NO_USER, 0},
    {FIND("c7@example.com\\u0000"), NO_USER, 0},
    {FIND("c-7@example.com"), NO_USER, 0},
    {FIND("c\xd9\xa7@example.com"), NO_USER, 0}, /* a digit, but not of ASCII */
    {FIND("c7@example.co"), NO_USER, 0},
    {FIND(""), NO_USER, 0},
    {CALL("find_user_id_by_email", "{\"email\":7}"), NO_USER, 0},
    {CALL("find_user_id_by_email", "[]"), NO_USER, 0},
    {USER("user_7"), USER_TEXT("7"), 0},
    {USER("user_007"), USER_TEXT("007"), 0},
    {USER("user_"), NO_USER, 0},
    {USER("user_7 "), NO_USER, 0},
    {USER("USER_7"), NO_USER, 0},
    {USER("7"), NO_USER, 0},
    {"{\"name\":\"get_user_details\"}", NO_USER, 0},
    {ORDER("#W7a"), ORDER_TEXT("7", "a"), 0},
    {ORDER("#W7b"), ORDER_TEXT("7", "b"), 0},
    {ORDER("#W007b"), ORDER_TEXT("007", "b"), 0},
    {ORDER("#W7c"), NO_ORDER, 0},
    {ORDER("W7a"), NO_ORDER, 0},
    {ORDER("#Wa"), NO_ORDER, 0},
    {ORDER("#W7"), NO_ORDER, 0},
    {ORDER("#W7A"), NO_ORDER, 0},
    {ORDER("#W"), NO_ORDER, 0},
    {ORDER(""), NO_ORDER, 0},
    {CANCEL_CALL("#W7a", "no longer needed"), CANCELLED("#W7a"), 0},
    {CANCEL_CALL("#W007b", "ordered by mistake"), CANCELLED("#W007b"), 0},
    {CANCEL_CALL("#W7c", "no longer needed"), NO_ORDER, 0},
    {CANCEL_CALL("#W7c", "other"), NO_ORDER, 0},
    {CANCEL_CALL("#W7a", "other"), NO_REASON, 0},
    {CANCEL_CALL("#W7a", "No longer needed"), NO_REASON, 0},
    {CANCEL_CALL("#W7a", ""), NO_REASON, 0},
    {CALL("cancel_pending_order", "{\"order_id\":\"#W7a\"}"), NO_REASON, 0},
    {"{\"name\":\"cancel_pending_order\"}", NO_ORDER, 0},
    {CALL("lookup", "{}"), UNKNOWN("lookup"), 0},
    {CALL("lookup", "{\"delay_ms\":5}"), UNKNOWN("lookup"), 0},
    /* Delays count here too; "fail" means nothing. */
    {CALL("get_user_details", "{\"user_id\":\"user_7\",\"delay_ms\":20000}"), USER_TEXT("7"),
     10000},
    {CALL("get_user_details", "{\"delay_ms\":9}"), NO_USER, 9},
    {CALL("get_user_details", "{\"user_id\":\"user_7\",\"fail\":true}"), USER_TEXT("7"), 0},
};

static void demo_world_retail_answers_calls(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof retail_calls / sizeof *retail_calls; i++)
        check_call(&retail, &retail_calls[i]);
}

static void demo_world_hides_tools_of_the_retail_world_only(void **state)
{
    static struct sp_str names[] = {SP_STR("get_order_details"), SP_STR("lookup"), SP_STR("none"),
                                    SP_STR("find_user_id_by_email")};
    struct demo_world some = {.kind = DEMO_WORLD_RETAIL, .hidden = {names, 4}};
    struct demo_world other = {.kind = DEMO_WORLD_ECHO, .hidden = {names, 4}};
    struct call_case hidden = {ORDER("#W7a"), UNKNOWN("get_order_details"), 0};
    struct call_case there = {USER("user_7"), USER_TEXT("7"), 0};

    (void)state;
    check_list(&some, GET_USER(READS) "," CANCEL(WRITES));
    check_call(&some, &hidden);
    check_call(&some, &there);
    check_list(&other, ECHO_TOOL("lookup", READS) "," ECHO_TOOL("update", WRITES));
    check_call(&other, &echo_calls[0]);
}

static void demo_world_changes_annotations_of_the_retail_world_only(void **state)
{
    static struct sp_str hints[] = {
        SP_STR("get_user_details=false"),
        SP_STR("cancel_pending_order=none"),
        SP_STR("find_user_id_by_email=none"),
        SP_STR("find_user_id_by_email=false"),
        SP_STR("nothing=none"),
        SP_STR("lookup=none"),
    };
    struct demo_world some = {.kind = DEMO_WORLD_RETAIL, .hints = {hints, 6}};
    struct demo_world other = {.kind = DEMO_WORLD_ECHO, .hints = {hints, 6}};
    struct call_case call = {USER("user_7"), USER_TEXT("7"), 0};

    (void)state;
    check_list(&some, FIND_USER(WRITES) "," GET_USER(WRITES) "," GET_ORDER(READS) "," CANCEL("{}"));
    check_call(&some, &call);
    check_list(&other, ECHO_TOOL("lookup", READS) "," ECHO_TOOL("update", WRITES));
}

static void demo_world_knows_the_form_of_a_hint(void **state)
{
    (void)state;
    assert_true(demo_world_is_hint(SP_STR("get_user_details=false")));
    assert_true(demo_world_is_hint(SP_STR("no_such_tool=none")));
    assert_false(demo_world_is_hint(SP_STR("get_user_details=true")));
    assert_false(demo_world_is_hint(SP_STR("get_user_details=False")));
    assert_false(demo_world_is_hint(SP_STR("get_user_details=")));
    assert_false(demo_world_is_hint(SP_STR("get_user_details")));
    assert_false(demo_world_is_hint(SP_STR("a=none=none")));
    assert_false(demo_world_is_hint(SP_STR("false")));
    assert_false(demo_world_is_hint(SP_STR("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(demo_world_answers_every_kind_of_line),
        cmocka_unit_test(demo_world_tells_what_a_line_asked_for),
        cmocka_unit_test(demo_world_refuses_json_that_is_no_object),
        cmocka_unit_test(demo_world_initializes_with_the_version_it_is_asked_for),
        cmocka_unit_test(demo_world_lists_the_tools_of_its_world),
        cmocka_unit_test(demo_world_names_both_reasons_in_the_list),
        cmocka_unit_test(demo_world_echo_answers_calls),
        cmocka_unit_test(demo_world_retail_answers_calls),
        cmocka_unit_test(demo_world_hides_tools_of_the_retail_world_only),
        cmocka_unit_test(demo_world_changes_annotations_of_the_retail_world_only),
        cmocka_unit_test(demo_world_knows_the_form_of_a_hint),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
