/* Tests of ruling R5: with guards, a host's line is read in one way or not forwarded at all. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine_fixture.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

/* A call that the guards refuse, and one that they let pass. */
#define BAD_PARAMS \
    "{\"name\":\"cancel_pending_order\",\"arguments\":{\"reason\":\"found it cheaper\"}}"
#define BAD(id)        "{\"id\":" id ",\"method\":\"tools/call\",\"params\":" BAD_PARAMS "}"
#define BAD_WITHOUT_ID "{\"method\":\"tools/call\",\"params\":" BAD_PARAMS "}"
#define GOOD(id) \
    "{\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"get_order_details\"}}"
#define PING(id) "{\"id\":" id ",\"method\":\"ping\"}"

#define TWICE(id)                                                                           \
    "< {\"error\":{\"code\":-32600,\"message\":\"Invalid Request: a name occurs twice, so " \
    "the policy check cannot read it\"},\"id\":" id ",\"jsonrpc\":\"2.0\"}\n"
#define NOT_JSON                                         \
    "< {\"error\":{\"code\":-32700,\"message\":\"Parse " \
    "error\"},\"id\":null,\"jsonrpc\":\"2.0\"}\n"
#define TWICE_NOTE    "! refused a message of the client in which a name occurs twice\n"
#define NOT_JSON_NOTE "! refused a line of the client that is not JSON\n"

/* What becomes of a line with guards. */
enum outcome {
    PASSES,   /* it goes to the server as it is */
    REFUSED,  /* by the guards: answered by a result, its call's id being 1 */
    DROPPED,  /* by the guards: it has no id */
    TWO_WAYS, /* it is answered by -32600, with the id 1 */
    TWO_WAYS_DROPPED,
    NO_JSON, /* it is answered by -32700 */
};

struct strict_case {
    const char *line;
    enum outcome outcome;
};

static void check(struct sp_str line, enum outcome outcome)
{
    static const char *const sent[] = {
        [TWO_WAYS] = TWICE_NOTE TWICE("1"),
        [TWO_WAYS_DROPPED] = TWICE_NOTE,
        [NO_JSON] = NOT_JSON_NOTE NOT_JSON,
    };
    struct engine_fixture f;
    const char *seen;

    engine_fixture_init(&f, "retail", true, false);
    engine_fixture_host_bytes(&f, line);
    seen = engine_fixture_look_sent(&f);
    if (outcome == PASSES ? !sp_str_eq(sp_buf_str(&f.to_server), line) : f.to_server.len > 0)
        fail_msg("%.*s gave %s", SP_STR_ARG(line), seen);
    if (strcmp(sp_buf_cstr(&f.senders), f.to_host.len > 0 ? "client proxy " : "client ") != 0)
        fail_msg("%.*s was recorded as %s", SP_STR_ARG(line), sp_buf_cstr(&f.senders));
    if (f.n_notes != (outcome == PASSES ? 0 : 1))
        fail_msg("%.*s gave %s", SP_STR_ARG(line), seen);
    if (outcome == REFUSED      ? !sp_str_starts(sp_buf_str(&f.to_host),
                                                 SP_STR("{\"id\":1,\"jsonrpc\":\"2.0\",\"result"))
        : sent[outcome] != NULL ? strcmp(seen, sent[outcome]) != 0
                                : f.to_host.len > 0)
        fail_msg("%.*s gave %s", SP_STR_ARG(line), seen);
    engine_fixture_deinit(&f);
}

/* Without guards every line passes as it is. */
static void check_without(struct sp_str line)
{
    struct engine_fixture f;

    engine_fixture_init(&f, NULL, true, true);
    engine_fixture_host_bytes(&f, line);
    if (!sp_str_eq(sp_buf_str(&f.to_server), line) || f.to_host.len > 0 || f.n_notes > 0)
        fail_msg("without guards: %.*s", SP_STR_ARG(line));
    engine_fixture_deinit(&f);
}

static void check_all(const struct strict_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct sp_buf line = {0};

        sp_buf_addf(&line, "%s\n", cases[i].line);
        check(sp_buf_str(&line), cases[i].outcome);
        check_without(sp_buf_str(&line));
        sp_buf_deinit(&line);
    }
}

static void strict_checks_every_call_that_a_server_may_read(void **state)
{
    static const struct strict_case cases[] = {
        {BAD("1"), REFUSED},
        {" \t" BAD("1") " \r", REFUSED},
        {"{\"\\u0069d\":1,\"m\\u0065thod\":\"tools\\/c\\u0061ll\",\"\\u0070arams\":{\"n\\u0061me\":"
         "\"cancel\\u005fpending_order\"}}",
         REFUSED},
        {"{\"params\":" BAD_PARAMS ",\"method\":\"tools/call\",\"jsonrpc\":\"1.0\",\"id\":1}",
         REFUSED},
        /* No version, another member twice, a result beside the method: still a call. */
        {"{\"jsonrpc\":\"2.0\",\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/"
         "call\",\"params\":" BAD_PARAMS "}",
         REFUSED},
        {"{\"id\":1,\"result\":{},\"method\":\"tools/call\",\"params\":" BAD_PARAMS "}", REFUSED},
        {BAD_WITHOUT_ID, DROPPED},
        {BAD("null"), DROPPED},
        {GOOD("1"), PASSES},
        {GOOD("null"), PASSES},
        {"{\"method\":\"tools/call\",\"params\":{\"name\":\"get_order_details\"}}", PASSES},
        {"{\"method\":\"tools/call\",\"params\":{\"name\":\"stretto_commit\"}}", DROPPED},
        {"{\"id\":null,\"method\":\"tools/call\",\"params\":{\"name\":\"stretto_commit\"}}",
         DROPPED},
    };

    (void)state;
    check_all(cases, N_OF(cases));
}

static void strict_passes_what_is_no_call(void **state)
{
    static const struct strict_case cases[] = {
        {PING("1"), PASSES},
        {"{\"id\":1,\"method\":\"TOOLS/CALL\",\"params\":" BAD_PARAMS "}", PASSES},
        {"{\"id\":1,\"method\":\"Tools/Call\",\"params\":" BAD_PARAMS "}", PASSES},
        {"{\"id\":1,\"method\":\"tools/call\\u0000\",\"params\":" BAD_PARAMS "}", PASSES},
        {"{\"id\":1,\"method\":\" tools/call\",\"params\":" BAD_PARAMS "}", PASSES},
        {"{\"id\":1,\"method\":[\"tools/call\"],\"params\":" BAD_PARAMS "}", PASSES},
        {"{\"id\":1,\"method\":null,\"params\":" BAD_PARAMS "}", PASSES},
        {"{\"id\":1,\"params\":" BAD_PARAMS "}", PASSES},
        {"{\"id\":1,\"result\":{\"a\":1,\"a\":2}}", PASSES},
        {"{\"id\":1,\"method\":\"x\",\"params\":{\"a\":1,\"a\":2}}", PASSES},
        {"{\"id\":1,\"method\":\"x\",\"params\":{\"arguments\":{\"a\":1,\"a\":2}}}", PASSES},
        {"{\"a\":{\"id\":1,\"id\":2}}", PASSES},
        {"{}", PASSES},
        {"1", PASSES},
        {"\"tools/call\"", PASSES},
        {"null", PASSES},
        /* Calls of nothing that a rule names. */
        {"{\"id\":1,\"method\":\"tools/call\"}", PASSES},
        {"{\"id\":1,\"method\":\"tools/call\",\"params\":null}", PASSES},
        {"{\"id\":1,\"method\":\"tools/call\",\"params\":[" BAD_PARAMS "]}", PASSES},
        {"{\"id\":1,\"method\":\"tools/call\",\"params\":\"cancel_pending_order\"}", PASSES},
        {"{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":[\"cancel_pending_order\"]}}",
         PASSES},
        {"{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":null,\"arguments\":null}}",
         PASSES},
        {"{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"CANCEL_PENDING_ORDER\"}}",
         PASSES},
        {"{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"cancel_pending_order\\u0000\"}"
         "}",
         PASSES},
    };

    (void)state;
    check_all(cases, N_OF(cases));
}

static void strict_refuses_an_object_with_a_name_twice(void **state)
{
    static const struct strict_case cases[] = {
        {"{\"id\":1,\"method\":\"ping\",\"method\":\"tools/call\",\"params\":" BAD_PARAMS "}",
         TWO_WAYS},
        {"{\"id\":1,\"method\":\"tools/call\",\"method\":\"ping\"}", TWO_WAYS},
        {"{\"id\":1,\"method\":\"ping\",\"method\":\"ping\"}", TWO_WAYS},
        {"{\"id\":1,\"method\":\"ping\",\"\\u006dethod\":\"tools/call\",\"params\":" BAD_PARAMS "}",
         TWO_WAYS},
        {"{\"id\":1,\"method\":\"ping\",\"metho\\u0064\":7}", TWO_WAYS},
        {"{\"id\":1,\"method\":\"ping\",\"id\":2}", TWO_WAYS},
        {"{\"id\":1,\"method\":\"ping\",\"i\\u0064\":null}", TWO_WAYS},
        {"{\"\\u0069d\":1,\"id\":1,\"method\":\"ping\"}", TWO_WAYS},
        {"{\"id\":1,\"id\":1,\"result\":{}}", TWO_WAYS},
        {"{\"id\":null,\"id\":1,\"method\":\"ping\"}", TWO_WAYS_DROPPED},
        {"{\"id\":1,\"params\":{},\"params\":{},\"method\":\"ping\"}", TWO_WAYS},
        {"{\"id\":1,\"params\":null,\"\\u0070arams\":[],\"method\":\"ping\"}", TWO_WAYS},
        {"{\"method\":\"a\",\"method\":\"b\"}", TWO_WAYS_DROPPED},
        {"{\"id\":null,\"method\":\"a\",\"method\":\"b\"}", TWO_WAYS_DROPPED},
        {"{\"params\":{},\"params\":{}}", TWO_WAYS_DROPPED},
        /* In params, of whatever method. */
        {"{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"get_order_details\",\"name\":"
         "\"cancel_pending_order\"}}",
         TWO_WAYS},
        {"{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"get_order_details\","
         "\"\\u006eame\":\"get_order_details\"}}",
         TWO_WAYS},
        {"{\"id\":1,\"method\":\"tools/call\",\"params\":{\"arguments\":{},\"argument\\u0073\":{}}"
         "}",
         TWO_WAYS},
        {"{\"id\":1,\"method\":\"prompts/get\",\"params\":{\"name\":\"a\",\"name\":\"b\"}}",
         TWO_WAYS},
        {"{\"id\":1,\"params\":{\"arguments\":1,\"arguments\":1}}", TWO_WAYS},
        {"{\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"name\":\"b\"}}",
         TWO_WAYS_DROPPED},
        {"{\"id\":1,\"method\":\"tools/call\",\"params\":{\"_meta\":{},\"_meta\":{},\"name\":\"a\"}"
         "}",
         PASSES},
        /* In the arguments of a call, at any depth. */
        {"{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"arguments\":{\"x\":1,"
         "\"x\":1}}}",
         TWO_WAYS},
        {"{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"arguments\":{\"x\":1,"
         "\"\\u0078\":1}}}",
         TWO_WAYS},
        {"{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"arguments\":{\"\":1,"
         "\"y\":2,\"\":1}}}",
         TWO_WAYS},
        {"{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"arguments\":{\"y\":[[{"
         "\"z\":{\"x\":1,\"x\":1}}]]}}}",
         TWO_WAYS},
        {"{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"arguments\":[{\"x\":1,"
         "\"x\":1}]}}",
         TWO_WAYS},
        {"{\"id\":1,\"method\":\"\\u0074ools/call\",\"params\":{\"arguments\":{\"\\ud83d\\ude00\":"
         "1,\"\xf0\x9f\x98\x80\":2}}}",
         TWO_WAYS},
        {"{\"method\":\"tools/call\",\"params\":{\"arguments\":{\"x\":1,\"x\":1}}}",
         TWO_WAYS_DROPPED},
        {"{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"arguments\":{\"x\":{"
         "\"x\":[{\"x\":1},{\"x\":1}]},\"X\":1,\"x\\u0000\":1}}}",
         PASSES},
        {"{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"more\":{\"x\":1,\"x\":1}"
         "}}",
         PASSES},
    };

    (void)state;
    check_all(cases, N_OF(cases));
}

static void strict_answers_under_the_first_id_as_it_was_sent(void **state)
{
    static const char *const ids[] = {"0",  "-1",        "1e2",   "\"a\\u0062\"",
                                      "[]", "{\"a\":1}", "false", "123456789012345678901234"};

    (void)state;
    for (size_t i = 0; i < N_OF(ids); i++) {
        struct engine_fixture f;
        struct sp_buf line = {0}, wanted = {0};

        engine_fixture_init(&f, "retail", false, false);
        sp_buf_addf(&line, "{\"id\":%s,\"id\":\"other\",\"method\":\"tools/call\"}", ids[i]);
        engine_fixture_host(&f, sp_buf_cstr(&line));
        sp_buf_addf(&wanted, ",\"id\":%s,\"jsonrpc\":\"2.0\"}\n", ids[i]);
        assert_true(sp_str_ends(sp_buf_str(&f.to_host), sp_buf_str(&wanted)));
        sp_buf_deinit(&line);
        sp_buf_deinit(&wanted);
        engine_fixture_deinit(&f);
    }
}

#define LINE(literal)                  \
    {                                  \
        (literal), sizeof(literal) - 1 \
    }

static void strict_refuses_what_is_not_json(void **state)
{
    static const struct sp_str lines[] = {
        LINE("not json\n"),
        LINE("not json"),
        LINE("\xef\xbb\xbf" BAD("1") "\n"),
        LINE("{\"id\":1,\"method\":\"tools/call\",\"params\":" BAD_PARAMS ",}\n"),
        LINE("{\"id\":1,\"method\":\"tools/call\",\"params\":{\"arguments\":{\"a\":[1,]}}}\n"),
        LINE("{\"id\":NaN,\"method\":\"tools/call\"}\n"),
        LINE("{\"id\":1,\"method\":\"tools/call\",\"params\":{\"a\":Infinity}}\n"),
        LINE("{\"id\":1e999,\"method\":\"tools/call\"}\n"),
        LINE("{\"id\":01,\"method\":\"tools/call\"}\n"),
        LINE("{\"id\":+1,\"method\":\"tools/call\"}\n"),
        LINE("{\"id\":.5,\"method\":\"tools/call\"}\n"),
        LINE("{'id':1,'method':'tools/call'}\n"),
        LINE("{id:1,method:\"tools/call\"}\n"),
        LINE("{\"id\":1,\"method\":\"tools/call\"} // comment\n"),
        LINE("/* */{\"id\":1,\"method\":\"tools/call\"}\n"),
        LINE(BAD("1") BAD("2") "\n"),
        LINE(BAD("1") " " BAD("2") "\n"),
        LINE(BAD("1") "\0\n"),
        LINE("\0" BAD("1") "\n"),
        LINE("{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"cancel\0\"}}\n"),
        LINE("{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\tb\"}}\n"),
        LINE("{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"\xc1\xa1\"}}\n"),
        LINE("{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"\xed\xa0\x80\"}}\n"),
        LINE("{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"\xff\"}}\n"),
        LINE("{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"\\ud800\"}}\n"),
        LINE("{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"\\x61\"}}\n"),
        LINE("{\"id\":1,\"method\":\"tools/call\"\n"),
        LINE("{\"id\":1,\"method\":\"tools/call\"}}\n"),
        LINE("\f" BAD("1") "\n"),
        LINE("\xc2\xa0" BAD("1") "\n"),
        LINE("\r" BAD("1") "\r" BAD("2") "\n"),
        LINE("True\n"),
        LINE(","),
        LINE("\f\n"),
        LINE("\v"),
        LINE("\0"),
        LINE(" \0 \n"),
        LINE("\xc2\xa0\n"),
    };

    (void)state;
    for (size_t i = 0; i < N_OF(lines); i++) {
        check(lines[i], NO_JSON);
        check_without(lines[i]);
    }
}

static void strict_passes_blank_lines(void **state)
{
    static const struct sp_str lines[] = {LINE("\n"),   LINE(""),  LINE("\r\n"), LINE(" \t \r\n"),
                                          LINE("\t\n"), LINE(" "), LINE("\r"),   LINE("\r\r\n")};

    (void)state;
    for (size_t i = 0; i < N_OF(lines); i++) {
        check(lines[i], PASSES);
        check_without(lines[i]);
    }
}

/* A call whose arguments nest so that the whole line is `depth` deep. */
static void put_deep_call(struct sp_buf *b, unsigned depth, const char *name)
{
    sp_buf_addf(
        b, "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\",\"arguments\":", name);
    for (unsigned i = 2; i < depth; i++)
        sp_buf_add(b, i + 1 == depth ? SP_STR("{") : SP_STR("{\"x\":"));
    for (unsigned i = 2; i < depth; i++)
        sp_buf_add_char(b, '}');
    sp_buf_add(b, SP_STR("}}\n"));
}

static void strict_reads_as_deep_as_a_log_does(void **state)
{
    static const struct {
        unsigned depth;
        const char *name;
        enum outcome outcome;
    } cases[] = {
        {126, "get_order_details", PASSES},     {126, "cancel_pending_order", REFUSED},
        {127, "get_order_details", NO_JSON},    {127, "cancel_pending_order", NO_JSON},
        {100000, "get_order_details", NO_JSON},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_buf line = {0};

        put_deep_call(&line, cases[i].depth, cases[i].name);
        check(sp_buf_str(&line), cases[i].outcome);
        check_without(sp_buf_str(&line));
        sp_buf_deinit(&line);
    }
}

static void strict_takes_long_names(void **state)
{
    struct sp_buf line = {0}, name = {0};
    struct engine_fixture f;

    (void)state;
    for (int i = 0; i < 1 << 20; i++)
        sp_buf_add_char(&name, 'x');

    /* A tool of that name is no rule's. */
    sp_buf_addf(&line, "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\"}}\n",
                sp_buf_cstr(&name));
    check(sp_buf_str(&line), PASSES);

    /* Two arguments of that name, the second with its first letter escaped. */
    sp_buf_clear(&line);
    sp_buf_addf(&line,
                "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"arguments\":{\"%s\":1,"
                "\"\\u0078%s\":2}}}\n",
                sp_buf_cstr(&name), sp_buf_cstr(&name) + 1);
    check(sp_buf_str(&line), TWO_WAYS);

    /* An id of that length comes back whole. */
    engine_fixture_init(&f, "retail", false, false);
    sp_buf_clear(&line);
    sp_buf_addf(&line, "{\"id\":\"%s\",\"method\":\"tools/call\",\"params\":" BAD_PARAMS "}\n",
                sp_buf_cstr(&name));
    engine_fixture_host_bytes(&f, sp_buf_str(&line));
    assert_true(f.to_host.len > name.len);
    assert_int_equal(f.to_server.len, 0);
    engine_fixture_deinit(&f);
    sp_buf_deinit(&line);
    sp_buf_deinit(&name);
}

static void strict_passes_batches_without_calls(void **state)
{
    static const struct strict_case cases[] = {
        {"[]", PASSES},
        {"[ ]", PASSES},
        {"[[]]", PASSES},
        {"[1,null,\"tools/call\",true]", PASSES},
        {"[" PING("1") " , " PING("2") "]", PASSES},
        {"[{\"id\":1,\"method\":\"tools/list\"},[{\"id\":2,\"result\":{}}]]", PASSES},
        {"[{\"id\":1,\"result\":{\"method\":\"tools/call\",\"x\":1,\"x\":2}}]", PASSES},
        {"[{\"id\":1,\"method\":\"Tools/call\"}]", PASSES},
        {"[{\"batch\":[" BAD("1") "]}]", PASSES},
    };

    (void)state;
    check_all(cases, N_OF(cases));
}

static void strict_takes_batches_with_calls_apart(void **state)
{
    static const struct {
        const char *line;
        const char *sent;
    } cases[] = {
        {"[" GOOD("1") "]", "> " GOOD("1") "\n"},
        {"[ " PING("1") " ,\t" GOOD("2") ",7, null,\"a\",[],{ } ]",
         "> " PING("1") "\n> " GOOD("2") "\n> 7\n> null\n> \"a\"\n> []\n> { }\n"},
        {"[" PING("1") ",[" PING("2") ",[" GOOD("3") "]],[" PING("4") "]," PING("5") "]",
         "> " PING("1") "\n> " PING("2") "\n> " GOOD("3") "\n> [" PING("4") "]\n> " PING("5") "\n"},
        {"[[[[" GOOD("1") "]]]]", "> " GOOD("1") "\n"},
        {"[{\"method\":\"tools\\/call\",\"params\":{}},1]",
         "> {\"method\":\"tools\\/call\",\"params\":{}}\n> 1\n"},
        {"[" PING("1") ",{\"id\":3,\"method\":\"a\",\"method\":\"b\"}," PING("2") "]",
         "> " PING("1") "\n" TWICE_NOTE TWICE("3") "> " PING("2") "\n"},
        {"[{\"id\":3,\"id\":4,\"result\":{}}]", TWICE_NOTE TWICE("3")},
        {"[1,[{\"params\":{\"name\":1,\"name\":2}}]]", "> 1\n" TWICE_NOTE},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct engine_fixture f;
        struct sp_buf line = {0};

        engine_fixture_init(&f, "retail", false, false);
        engine_fixture_host(&f, cases[i].line);
        assert_string_equal(engine_fixture_look_sent(&f), cases[i].sent);
        engine_fixture_deinit(&f);
        sp_buf_addf(&line, "%s\n", cases[i].line);
        check_without(sp_buf_str(&line));
        sp_buf_deinit(&line);
    }
}

static void strict_handles_each_element_of_a_batch_to_its_end(void **state)
{
    struct engine_fixture f;

    (void)state;
    engine_fixture_init(&f, "retail", true, true);
    engine_fixture_says(&f, "{\"role\":\"user\",\"content\":\"Hi\"}\n");
    engine_fixture_host(
        &f, "[" BAD_WITHOUT_ID "," BAD("1") "," GOOD(
                "2") ",{\"id\":3,\"method\":\"tools/list\"},"
                     "{\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":"
                     "\"stretto_commit\",\"arguments\":{\"calls\":[{\"name\":\"a\"}]}}}]");
    assert_string_equal(sp_buf_cstr(&f.senders),
                        "context client client proxy client client client proxy ");
    assert_string_equal(
        sp_buf_cstr(&f.to_server),
        GOOD("2") "\n{\"id\":3,\"method\":\"tools/list\"}\n"
                  "{\"id\":\"stretto-1\",\"jsonrpc\":\"2.0\",\"method\":\"tools/call\","
                  "\"params\":{\"arguments\":{},\"name\":\"a\"}}\n");
    assert_int_equal(f.n_notes, 2);
    engine_fixture_server(&f, "{\"id\":3,\"result\":{\"tools\":[]}}");
    assert_non_null(memmem(f.to_host.p, f.to_host.len, "destructiveHint", 15));
    engine_fixture_deinit(&f);
}

/* A batch without LF at the end of the input is taken apart into whole lines, too. */
static void strict_ends_the_parts_of_a_batch_by_newlines(void **state)
{
    struct engine_fixture f;

    (void)state;
    engine_fixture_init(&f, "retail", false, false);
    engine_fixture_host_bytes(&f, SP_STR("[" GOOD("1") "," PING("2") "]"));
    assert_string_equal(sp_buf_cstr(&f.to_server), GOOD("1") "\n" PING("2") "\n");
    engine_fixture_deinit(&f);
}

/* A batch in batches, as deep as they can be, with a long text and a call at the bottom. */
static void strict_takes_the_deepest_batch_apart(void **state)
{
    struct engine_fixture f;
    struct sp_buf line = {0}, wanted = {0};

    (void)state;
    for (int i = 0; i < 124; i++)
        sp_buf_add_char(&line, '[');
    sp_buf_add_char(&wanted, '"');
    for (int i = 0; i < 100000; i++)
        sp_buf_add_char(&wanted, 'x');
    sp_buf_add_char(&wanted, '"');
    sp_buf_add(&line, sp_buf_str(&wanted));
    sp_buf_add(&line, SP_STR("," GOOD("1")));
    sp_buf_add(&wanted, SP_STR("\n" GOOD("1") "\n"));
    for (int i = 0; i < 124; i++)
        sp_buf_add_char(&line, ']');
    engine_fixture_init(&f, "retail", false, false);
    engine_fixture_host(&f, sp_buf_cstr(&line));
    assert_string_equal(sp_buf_cstr(&f.to_server), sp_buf_cstr(&wanted));
    engine_fixture_deinit(&f);
    sp_buf_deinit(&line);
    sp_buf_deinit(&wanted);
}

static void strict_leaves_the_servers_lines_alone(void **state)
{
    static const char *const lines[] = {"not json", "[" BAD("1") "]",
                                        "{\"id\":1,\"id\":2,\"result\":{}}", BAD("1")};
    struct engine_fixture f;

    (void)state;
    for (size_t i = 0; i < N_OF(lines); i++) {
        struct sp_buf wanted = {0};

        engine_fixture_init(&f, "retail", true, false);
        engine_fixture_server(&f, lines[i]);
        sp_buf_addf(&wanted, "< %s\n", lines[i]);
        assert_string_equal(engine_fixture_look_sent(&f), sp_buf_cstr(&wanted));
        sp_buf_deinit(&wanted);
        engine_fixture_deinit(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strict_checks_every_call_that_a_server_may_read),
        cmocka_unit_test(strict_passes_what_is_no_call),
        cmocka_unit_test(strict_refuses_an_object_with_a_name_twice),
        cmocka_unit_test(strict_answers_under_the_first_id_as_it_was_sent),
        cmocka_unit_test(strict_refuses_what_is_not_json),
        cmocka_unit_test(strict_passes_blank_lines),
        cmocka_unit_test(strict_reads_as_deep_as_a_log_does),
        cmocka_unit_test(strict_takes_long_names),
        cmocka_unit_test(strict_passes_batches_without_calls),
        cmocka_unit_test(strict_takes_batches_with_calls_apart),
        cmocka_unit_test(strict_handles_each_element_of_a_batch_to_its_end),
        cmocka_unit_test(strict_ends_the_parts_of_a_batch_by_newlines),
        cmocka_unit_test(strict_takes_the_deepest_batch_apart),
        cmocka_unit_test(strict_leaves_the_servers_lines_alone),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
