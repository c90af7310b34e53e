/* Tests of trace/manifest.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "json/jcanon.h"
#include "json/jget.h"
#include "trace/manifest.h"

#define MAX_ENTRIES 8

/* A log's entries, ended by one without a message. */
struct entry {
    enum line_from from;
    const char *message;
};

#define ASK(id)                                                  \
    {                                                            \
        LINE_CLIENT, "{\"id\":" id ",\"method\":\"tools/list\"}" \
    }
#define LIST(id, list)                                                   \
    {                                                                    \
        LINE_SERVER, "{\"id\":" id ",\"result\":{\"tools\":[" list "]}}" \
    }

/* One log, and what is said of its tools. */
struct log_case {
    struct entry entries[MAX_ENTRIES];
    const char *manifest; /* as in manifest_is() */
};

/* One tool as it is listed, and its doc; NULL for none. */
struct doc_case {
    const char *tool; /* without its name and the brackets */
    const char *doc;
};

struct contract_case {
    const char *schema;
    const char *contract;
};

static void add_log(struct manifest *m, const struct entry *entries)
{
    struct sessionlog_entry of_log[MAX_ENTRIES];
    struct sessionlog log = {.entries = of_log};

    for (size_t i = 0; i < MAX_ENTRIES && entries[i].message != NULL; i++) {
        struct sp_str text = sp_str_of(entries[i].message);
        struct jscan found;

        if (text.len > 0)
            assert_true(jscan(text, JSCAN_LOG_DEPTH, &found));
        of_log[log.n_entries++] = (struct sessionlog_entry){
            .from = entries[i].from,
            .message = text.len > 0 ? text : (struct sp_str){0},
        };
    }
    manifest_add_log(m, &log);
}

/*
 * Fails unless the manifest's JSON is what is expected, whose spaces do not matter; the domain is
 * "d" and need not be said.
 */
static void manifest_is(const struct manifest *m, const char *expected)
{
    struct sp_buf found = {0}, text = {0}, canonical = {0};

    sp_buf_addf(&text, "{\"domain\":\"d\",%s}", expected);
    jcanon(&canonical, sp_buf_str(&text));
    manifest_put(&found, m, SP_STR("d"));
    assert_string_equal(sp_buf_cstr(&found), sp_buf_cstr(&canonical));
    sp_buf_deinit(&found);
    sp_buf_deinit(&text);
    sp_buf_deinit(&canonical);
}

#define ONLY_KINDS(kinds) "\"contracts\":{},\"docs\":{},\"tools\":{" kinds "}"

static const struct log_case logs[] = {
    {{{0}}, ONLY_KINDS("")},
    {{ASK("1"), LIST("1", "{\"name\":\"b\",\"annotations\":{\"readOnlyHint\":true}},"
                          "{\"name\":\"c\",\"annotations\":{\"readOnlyHint\":false}},"
                          "{\"name\":\"a\"}")},
     ONLY_KINDS("\"a\":\"generic\",\"b\":\"read\",\"c\":\"write\"")},
    {{ASK("1"), LIST("1", "{\"name\":\"a\",\"annotations\":{\"readOnlyHint\":\"true\"}},"
                          "{\"name\":\"b\",\"annotations\":{\"readOnlyHint\":null}},"
                          "{\"name\":\"c\",\"annotations\":{}},"
                          "{\"name\":\"d\",\"annotations\":[true]},"
                          "{\"name\":\"e\",\"readOnlyHint\":true}")},
     ONLY_KINDS("\"a\":\"generic\",\"b\":\"generic\",\"c\":\"generic\",\"d\":\"generic\","
                "\"e\":\"generic\"")},
    /* Elements without a name that is a string are no tools. */
    {{ASK("1"), LIST("1", "7,null,[],{},{\"name\":1},{\"name\":\"\"},{\"name\":\"\\u0061\\n\"}")},
     ONLY_KINDS("\"\":\"generic\",\"a\\n\":\"generic\"")},
    {{ASK("1"), {LINE_SERVER, "{\"id\":1,\"result\":{\"tools\":{\"name\":\"a\"}}}"}},
     ONLY_KINDS("")},
    {{ASK("1"), {LINE_SERVER, "{\"id\":1,\"result\":null}"}}, ONLY_KINDS("")},
    {{ASK("1"), {LINE_SERVER, "{\"id\":1,\"error\":{\"tools\":[{\"name\":\"a\"}]}}"}},
     ONLY_KINDS("")},

    /* Only what the server answers to what the client asked. */
    {{LIST("1", "{\"name\":\"a\"}"), ASK("1")}, ONLY_KINDS("")},
    {{ASK("1"), LIST("\"1\"", "{\"name\":\"a\"}"), LIST("2", "{\"name\":\"b\"}")}, ONLY_KINDS("")},
    {{ASK("\"x\""), LIST("\"\\u0078\"", "{\"name\":\"a\"}")}, ONLY_KINDS("\"a\":\"generic\"")},
    {{ASK("[1, 2]"), LIST("[1,2]", "{\"name\":\"a\"}")}, ONLY_KINDS("\"a\":\"generic\"")},
    {{ASK("null"), LIST("null", "{\"name\":\"a\"}")}, ONLY_KINDS("")},
    {{{LINE_PROXY, "{\"id\":1,\"method\":\"tools/list\"}"}, LIST("1", "{\"name\":\"a\"}")},
     ONLY_KINDS("")},
    {{{LINE_CLIENT, "{\"id\":1,\"method\":\"tools/call\"}"}, LIST("1", "{\"name\":\"a\"}")},
     ONLY_KINDS("")},
    {{{LINE_CLIENT, "{\"id\":1,\"method\":[\"tools/list\"]}"}, LIST("1", "{\"name\":\"a\"}")},
     ONLY_KINDS("")},
    {{ASK("1"),
      {LINE_PROXY, "{\"id\":1,\"result\":{\"tools\":[{\"name\":\"stretto_commit\"}]}}"},
      LIST("1", "{\"name\":\"a\"}")},
     ONLY_KINDS("\"a\":\"generic\"")},
    {{ASK("1"),
      {LINE_CLIENT, "{\"id\":1,\"result\":{\"tools\":[{\"name\":\"a\"}]}}"},
      {LINE_CONTEXT, "{\"id\":1,\"result\":{\"tools\":[{\"name\":\"a\"}]}}"},
      {LINE_SERVER, "{\"id\":1,\"method\":\"m\",\"result\":{\"tools\":[{\"name\":\"a\"}]}}"},
      {LINE_SERVER, ""}},
     ONLY_KINDS("")},
    /* An answered request is forgotten, until the id is used again. */
    {{ASK("1"), LIST("1", "{\"name\":\"a\"}"), LIST("1", "{\"name\":\"b\"}")},
     ONLY_KINDS("\"a\":\"generic\"")},
    {{ASK("1"), {LINE_SERVER, "{\"id\":1,\"error\":{}}"}, LIST("1", "{\"name\":\"b\"}")},
     ONLY_KINDS("")},
    {{ASK("1"), LIST("1", "{\"name\":\"a\"}"), ASK("1"), LIST("1", "{\"name\":\"b\"}")},
     ONLY_KINDS("\"a\":\"generic\",\"b\":\"generic\"")},
    {{ASK("1"), ASK("2"), LIST("2", "{\"name\":\"b\"}"), LIST("1", "{\"name\":\"a\"}")},
     ONLY_KINDS("\"a\":\"generic\",\"b\":\"generic\"")},

    /* Pages, repeated listings, batches. */
    {{ASK("1"),
      {LINE_SERVER, "{\"id\":1,\"result\":{\"tools\":[{\"name\":\"a\"}],"
                    "\"nextCursor\":\"p2\"}}"},
      {LINE_CLIENT, "{\"id\":2,\"method\":\"tools/list\",\"params\":{\"cursor\":\"p2\"}}"},
      LIST("2", "{\"name\":\"b\",\"annotations\":{\"readOnlyHint\":true}}")},
     ONLY_KINDS("\"a\":\"generic\",\"b\":\"read\"")},
    {{ASK("1"),
      LIST("1", "{\"name\":\"a\",\"annotations\":{\"readOnlyHint\":true}},"
                "{\"name\":\"b\"}"),
      {LINE_SERVER, "{\"method\":\"notifications/tools/list_changed\"}"},
      ASK("2"),
      LIST("2", "{\"name\":\"a\",\"annotations\":{\"readOnlyHint\":false}}")},
     ONLY_KINDS("\"a\":\"write\",\"b\":\"generic\"")},
    {{ASK("1"), LIST("1", "{\"name\":\"a\"},"
                          "{\"name\":\"a\",\"annotations\":{\"readOnlyHint\":true}}")},
     ONLY_KINDS("\"a\":\"read\"")},
    {{{LINE_CLIENT, "[{\"id\":1,\"method\":\"tools/list\"},{\"id\":2,\"method\":\"tools/list\"}]"},
      {LINE_SERVER, "[{\"id\":2,\"result\":{\"tools\":[{\"name\":\"b\"}]}},7,"
                    "{\"id\":1,\"result\":{\"tools\":[{\"name\":\"a\"}]}}]"}},
     ONLY_KINDS("\"a\":\"generic\",\"b\":\"generic\"")},

    /* Within a log a later listing sets or removes a doc, but leaves a contract. */
    {{ASK("1"), LIST("1", "{\"name\":\"a\",\"description\":\"old\"}"), ASK("2"),
      LIST("2", "{\"name\":\"a\",\"description\":\"new\"}")},
     "\"contracts\":{},\"docs\":{\"a\":{\"args\":{},\"summary\":\"new\"}},"
     "\"tools\":{\"a\":\"generic\"}"},
    {{ASK("1"),
      LIST("1", "{\"name\":\"a\",\"description\":\"old\","
                "\"inputSchema\":{\"properties\":{\"x\":{\"type\":\"string\"}}}}"),
      ASK("2"), LIST("2", "{\"name\":\"a\"}")},
     "\"contracts\":{\"a\":\"x:string\"},\"docs\":{},\"tools\":{\"a\":\"generic\"}"},
    {{ASK("1"),
      LIST("1", "{\"name\":\"a\",\"inputSchema\":{\"properties\":{\"x\":{}}}},"
                "{\"name\":\"b\",\"inputSchema\":{}}"),
      ASK("2"), LIST("2", "{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\"}}")},
     "\"contracts\":{\"a\":\"\",\"b\":\"\"},\"docs\":{},"
     "\"tools\":{\"a\":\"generic\",\"b\":\"generic\"}"},
    /* Other arguments alone make another doc. */
    {{ASK("1"),
      LIST("1", "{\"name\":\"a\",\"description\":\"s\",\"inputSchema\":{\"properties\":"
                "{\"x\":{\"description\":\"one\"}}}}"),
      ASK("2"),
      LIST("2", "{\"name\":\"a\",\"description\":\"s\",\"inputSchema\":{\"properties\":"
                "{\"x\":{\"description\":\"two\"}}}}")},
     "\"contracts\":{\"a\":\"x:any\"},"
     "\"docs\":{\"a\":{\"args\":{\"x\":\"two\"},\"summary\":\"s\"}},"
     "\"tools\":{\"a\":\"generic\"}"},
};

#define ARGS(properties) "\"inputSchema\":{\"properties\":{" properties "}}"

static const struct doc_case docs[] = {
    {"\"description\":\"Shows a cart.\"", "{\"args\":{},\"summary\":\"Shows a cart.\"}"},
    {"\"description\":\"  one\\n\\t two\\u00a0\\u2003three\\u3000\\u0085\"",
     "{\"args\":{},\"summary\":\"one two three\"}"},
    /* These look like white space and are none. */
    {"\"description\":\"a\\u200bb\\ufeffc\\u0000d\\u001fe\"",
     "{\"args\":{},\"summary\":\"a\xe2\x80\x8b"
     "b\xef\xbb\xbf"
     "c\\u0000d\\u001fe\"}"},
    {"\"description\":\" \\n\\u2028\"", NULL},
    {"\"description\":\"\"", NULL},
    {"\"description\":7", NULL},
    {"\"title\":\"x\"", NULL},
    {"\"description\":\"no\",\"description\":\"yes\"", "{\"args\":{},\"summary\":\"yes\"}"},
    {ARGS("\"id\":{\"description\":\" the\\nid \"},\"a\":{\"description\":\"A\"}"),
     "{\"args\":{\"a\":\"A\",\"id\":\"the id\"},\"summary\":\"\"}"},
    {ARGS("\"b\":{\"description\":null},\"c\":{\"description\":[]},\"d\":{},\"e\":7,\"f\":true"),
     NULL},
    /* An empty text is a string. */
    {ARGS("\"b\":{\"description\":\" \"}"), "{\"args\":{\"b\":\"\"},\"summary\":\"\"}"},
    /* Of a property that occurs twice the last counts, here one without a text. */
    {ARGS("\"a\":{\"description\":\"x\"},\"b\":{\"description\":\"x\"},\"a\":{}"),
     "{\"args\":{\"b\":\"x\"},\"summary\":\"\"}"},
    {ARGS("\"a\":{},\"\\u0061\":{\"description\":\"x\"}"),
     "{\"args\":{\"a\":\"x\"},\"summary\":\"\"}"},
    {"\"inputSchema\":{\"properties\":[{\"description\":\"x\"}],\"description\":\"x\"}", NULL},
    {"\"inputSchema\":7", NULL},
};

static const struct contract_case contracts[] = {
    {"{\"type\":\"object\",\"properties\":{\"order_id\":{\"type\":\"string\"},\"x\":{},"
     "\"limit\":{\"type\":[\"integer\",\"null\"]}},\"required\":[\"order_id\"]}",
     "limit:integer|null, order_id:string!, x:any"},
    {"{}", ""},
    {"{\"properties\":{}}", ""},
    {"{\"properties\":[\"a\"],\"required\":[\"a\"]}", ""},
    {"true", ""},
    {"null", ""},
    {"{\"properties\":{\"a\":{\"type\":null},\"b\":{\"type\":{}},\"c\":true,\"d\":{\"type\":7}}}",
     "a:any, b:any, c:any, d:any"},
    {"{\"properties\":{\"a\":{\"type\":[]},\"b\":{\"type\":[1,\"x\",null,\"y\"]}}}", "a:, b:x|y"},
    {"{\"properties\":{\"a\":{\"type\":\"\\u0062\\n\"}}}", "a:b\n"},
    {"{\"properties\":{\"\\u0061\":{\"type\":\"string\"}},\"required\":[7,\"\\u0061\",\"z\"]}",
     "a:string!"},
    {"{\"properties\":{\"a\":{\"type\":\"x\"}},\"required\":{\"a\":true}}", "a:x"},
    {"{\"properties\":{\"a\":{\"type\":\"x\"}},\"required\":\"a\"}", "a:x"},
    {"{\"properties\":{\"a\":{\"type\":\"x\"},\"a\":{\"type\":\"y\"}}}", "a:y"},
    /* The pieces are sorted, not the names; by bytes, so that letters of ASCII come first. */
    {"{\"properties\":{\"a\":{\"type\":\"z\"},\"a-b\":{\"type\":\"z\"}}}", "a-b:z, a:z"},
    {"{\"properties\":{\"\\u00e9\":{},\"z\":{},\"B\":{},\"a\":{}}}",
     "B:any, a:any, z:any, \xc3\xa9:any"},
};

static void manifest_reads_the_listings_of_a_log(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        struct manifest m = {0};

        add_log(&m, logs[i].entries);
        manifest_is(&m, logs[i].manifest);
        manifest_deinit(&m);
    }
}

static void manifest_collapses_the_texts_of_docs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof docs / sizeof *docs; i++) {
        struct sp_buf answer = {0}, found = {0}, expected = {0};
        struct entry entries[MAX_ENTRIES] = {ASK("1"), {LINE_SERVER, NULL}};
        struct manifest m = {0};
        struct sp_str of_docs;

        sp_buf_addf(&answer, "{\"id\":1,\"result\":{\"tools\":[{\"name\":\"t\",%s}]}}",
                    docs[i].tool);
        entries[1].message = sp_buf_cstr(&answer);
        add_log(&m, entries);
        manifest_put(&found, &m, SP_STR("d"));
        assert_true(jget_member(sp_buf_str(&found), SP_STR("docs"), &of_docs));
        if (docs[i].doc != NULL)
            sp_buf_addf(&expected, "{\"t\":%s}", docs[i].doc);
        else
            sp_buf_add(&expected, SP_STR("{}"));
        assert_int_equal(of_docs.len, expected.len);
        assert_memory_equal(of_docs.p, expected.p, expected.len);
        manifest_deinit(&m);
        sp_buf_deinit(&answer);
        sp_buf_deinit(&found);
        sp_buf_deinit(&expected);
    }
}

static void manifest_writes_contracts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof contracts / sizeof *contracts; i++) {
        struct sp_buf found = {0};

        sp_buf_add(&found, SP_STR("before "));
        manifest_put_contract(&found, sp_str_of(contracts[i].schema));
        assert_string_equal(sp_buf_cstr(&found) + 7, contracts[i].contract);
        assert_memory_equal(found.p, "before ", 7);
        sp_buf_deinit(&found);
    }
}

static const struct entry first_log[MAX_ENTRIES] = {
    ASK("1"),
    LIST("1", "{\"name\":\"a\",\"description\":\"A\",\"annotations\":{\"readOnlyHint\":true},"
              "\"inputSchema\":{\"properties\":{\"x\":{\"description\":\"X\"}}}},"
              "{\"name\":\"b\",\"description\":\"B\",\"inputSchema\":{}}"),
};

static void manifest_lets_later_logs_win(void **state)
{
    static const struct entry second_log[MAX_ENTRIES] = {
        ASK("1"),
        LIST("1", "{\"name\":\"b\",\"description\":\"new\",\"annotations\":"
                  "{\"readOnlyHint\":false},\"inputSchema\":{\"properties\":{\"y\":{}}}},"
                  "{\"name\":\"c\"}"),
    };
    struct manifest m = {0};

    (void)state;
    add_log(&m, first_log);
    add_log(&m, second_log);
    manifest_is(&m, "\"contracts\":{\"a\":\"x:any\",\"b\":\"y:any\"},"
                    "\"docs\":{\"a\":{\"args\":{\"x\":\"X\"},\"summary\":\"A\"},"
                    "\"b\":{\"args\":{},\"summary\":\"new\"}},"
                    "\"tools\":{\"a\":\"read\",\"b\":\"write\",\"c\":\"generic\"}");
    manifest_deinit(&m);
}

static void manifest_keeps_a_doc_that_a_later_log_has_not(void **state)
{
    /* In the log itself the doc is removed again; the earlier log's stays. */
    static const struct entry second_log[MAX_ENTRIES] = {
        ASK("1"),
        LIST("1", "{\"name\":\"a\",\"description\":\"other\"}"),
        ASK("2"),
        LIST("2", "{\"name\":\"a\"}"),
    };
    struct manifest m = {0};

    (void)state;
    add_log(&m, first_log);
    add_log(&m, second_log);
    manifest_is(&m, "\"contracts\":{\"a\":\"x:any\",\"b\":\"\"},"
                    "\"docs\":{\"a\":{\"args\":{\"x\":\"X\"},\"summary\":\"A\"},"
                    "\"b\":{\"args\":{},\"summary\":\"B\"}},"
                    "\"tools\":{\"a\":\"generic\",\"b\":\"generic\"}");
    manifest_deinit(&m);
}

static void manifest_forgets_at_the_end_of_a_log_what_was_asked(void **state)
{
    static const struct entry asks[MAX_ENTRIES] = {ASK("1")};
    static const struct entry answers[MAX_ENTRIES] = {LIST("1", "{\"name\":\"a\"}")};
    struct manifest m = {0};

    (void)state;
    add_log(&m, asks);
    add_log(&m, answers);
    manifest_is(&m, ONLY_KINDS(""));
    manifest_deinit(&m);
}

static void manifest_takes_no_memory_for_what_it_knows(void **state)
{
    struct manifest m = {0};
    struct sp_arena before;

    (void)state;
    add_log(&m, first_log);
    before = m.arena;
    for (size_t i = 0; i < 1000; i++)
        add_log(&m, first_log);
    assert_int_equal(m.n_tools, 2);
    assert_ptr_equal(m.arena.blocks, before.blocks);
    assert_int_equal(m.arena.used, before.used);
    manifest_deinit(&m);
}

static void manifest_finds_tools(void **state)
{
    struct sp_buf name = {0};
    struct manifest m = {0};

    (void)state;
    assert_null(manifest_find(&m, SP_STR("tool1")));
    for (int i = 0; i < 100; i++) {
        sp_buf_clear(&name);
        sp_buf_addf(&name, "tool%d", i);
        manifest_set(&m,
                     &(struct manifest_tool){.name = sp_buf_str(&name),
                                             .kind = i % 2 == 0 ? MANIFEST_READ : MANIFEST_WRITE});
    }
    assert_int_equal(m.n_tools, 100);
    assert_int_equal(manifest_find(&m, SP_STR("tool98"))->kind, MANIFEST_READ);
    assert_int_equal(manifest_find(&m, SP_STR("tool1"))->kind, MANIFEST_WRITE);
    assert_null(manifest_find(&m, SP_STR("tool100")));
    sp_buf_deinit(&name);
    manifest_deinit(&m);
}

static void manifest_set_replaces_kind_and_doc(void **state)
{
    struct manifest_arg arg = {SP_STR("x"), SP_STR("X")};
    struct manifest_tool tool = {
        .name = SP_STR("a"),
        .kind = MANIFEST_WRITE,
        .has_doc = true,
        .summary = SP_STR("new"),
        .args = &arg,
        .n_args = 1,
        .contract = SP_STR("ignored"),
    };
    struct manifest m = {0};

    (void)state;
    add_log(&m, first_log);
    manifest_set(&m, &tool);
    manifest_set(&m, &(struct manifest_tool){.name = SP_STR("b"), .kind = MANIFEST_GENERIC});
    manifest_is(&m, "\"contracts\":{\"a\":\"x:any\",\"b\":\"\"},"
                    "\"docs\":{\"a\":{\"args\":{\"x\":\"X\"},\"summary\":\"new\"}},"
                    "\"tools\":{\"a\":\"write\",\"b\":\"generic\"}");
    manifest_deinit(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(manifest_reads_the_listings_of_a_log),
        cmocka_unit_test(manifest_collapses_the_texts_of_docs),
        cmocka_unit_test(manifest_writes_contracts),
        cmocka_unit_test(manifest_lets_later_logs_win),
        cmocka_unit_test(manifest_keeps_a_doc_that_a_later_log_has_not),
        cmocka_unit_test(manifest_forgets_at_the_end_of_a_log_what_was_asked),
        cmocka_unit_test(manifest_takes_no_memory_for_what_it_knows),
        cmocka_unit_test(manifest_finds_tools),
        cmocka_unit_test(manifest_set_replaces_kind_and_doc),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
