/* Tests of trace/logformat.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "trace/logformat.h"

#define REPLACED "\xef\xbf\xbd" /* U+FFFD */

#define MESSAGE(text) SP_STR("{\"t_ms\":7,\"from\":\"server\",\"message\":" text "}\n")
#define RAW(text)     SP_STR("{\"t_ms\":7,\"from\":\"server\",\"raw\":\"" text "\"}\n")

struct entry_case {
    struct sp_str line;
    struct sp_str entry;
};

/* With t_ms 7, from the server. */
static const struct entry_case entries[] = {
    {SP_STR(" {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n"),
     MESSAGE("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}")},
    {SP_STR("{\"z\":1.50,\"a\":\"caf\xc3\xa9\",\"batch\":[1e3]}"),
     MESSAGE("{\"z\":1.50,\"a\":\"caf\xc3\xa9\",\"batch\":[1e3]}")},
    {SP_STR("[{\"jsonrpc\":\"2.0\",\"method\":\"a\"},{\"jsonrpc\":\"2.0\",\"method\":\"b\"}]\n"),
     MESSAGE("[{\"jsonrpc\":\"2.0\",\"method\":\"a\"},{\"jsonrpc\":\"2.0\",\"method\":\"b\"}]")},
    {SP_STR("{\"a\":\t1,\"a\":2}\n"), MESSAGE("{\"a\":\t1,\"a\":2}")},
    {SP_STR("{\"n\":123456789012345678901234567890,\"s\":\"\\u0000\"}\n"),
     MESSAGE("{\"n\":123456789012345678901234567890,\"s\":\"\\u0000\"}")},
    {SP_STR("null\n"), MESSAGE("null")},
    {SP_STR("42\n"), MESSAGE("42")},
    {SP_STR("\"s\"\n"), MESSAGE("\"s\"")},
    {SP_STR("Listening on stdio\n"), RAW("Listening on stdio")},
    {SP_STR("\n"), RAW("")},
    {SP_STR("\r\n"), RAW("")},
    {SP_STR("  \n"), RAW("  ")},
    {SP_STR("not json\r\n"), RAW("not json")},
    {SP_STR("x\r\r\n"), RAW("x\\r")},
    {SP_STR("1,\"raw\":\"forged\""), RAW("1,\\\"raw\\\":\\\"forged\\\"")},
    {SP_STR("{\"a\":1}{\"b\":2}\n"), RAW("{\\\"a\\\":1}{\\\"b\\\":2}")},
    {SP_STR("{\"text\":\"\\ud83d\"}"), RAW("{\\\"text\\\":\\\"\\\\ud83d\\\"}")},
    {SP_STR("{\"n\":1e999}\n"), RAW("{\\\"n\\\":1e999}")},
    {SP_STR("\xff\xfe not UTF-8\n"), RAW(REPLACED REPLACED " not UTF-8")},
    {SP_STR("a\0b\x1f\x7f\b\f\n"), RAW("a\\u0000b\\u001f\x7f\\b\\f")},
    {SP_STR("\xef\xbb\xbf{}\n"), RAW("\xef\xbb\xbf{}")},
    {SP_STR("{\"a\":NaN}"), RAW("{\\\"a\\\":NaN}")},
    {SP_STR("{\"a\":01}"), RAW("{\\\"a\\\":01}")},
    {SP_STR("{\"a\":1,}"), RAW("{\\\"a\\\":1,}")},
    {SP_STR("{'a':1}"), RAW("{'a':1}")},
    {SP_STR("{\"a\":\"\t\"}"), RAW("{\\\"a\\\":\\\"\\t\\\"}")},
    /* One LF and one CR before it are the terminator, in this order; the rest is text. */
    {SP_STR("1\r\r\n"), MESSAGE("1")},
    {SP_STR("x\r"), RAW("x")},
    {SP_STR("1\r"), MESSAGE("1")},
    {SP_STR(" \t1\r \r\r\n"), MESSAGE("1")},
    {SP_STR(""), RAW("")},
    {SP_STR("\f1\n"), RAW("\\f1")},
    {SP_STR("/\"\\\n"), RAW("/\\\"\\\\")},
    {SP_STR("\xf0\x9f\x92\xa9\xf0\n"), RAW("\xf0\x9f\x92\xa9" REPLACED)},
};

static struct line *line_of(struct sp_str text, enum line_from from, uint64_t t_ms)
{
    struct line *line = line_new(text.len);

    if (text.len > 0)
        memcpy(line->bytes, text.p, text.len);
    line->len = text.len;
    line->from = from;
    line->t_ms = t_ms;
    return line;
}

/* HEAD, BODY and the tail, put together. */
static struct sp_buf entry_of(const struct line *line)
{
    struct sp_buf b = {0};

    sp_buf_add(&b, logformat_entry(&b, line));
    sp_buf_add(&b, LOGFORMAT_TAIL);
    return b;
}

static void assert_str_equal(struct sp_str got, struct sp_str want)
{
    assert_int_equal(got.len, want.len);
    assert_memory_equal(got.p, want.p, want.len);
}

static void logformat_writes_the_vectors_of_entries(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        struct line *line = line_of(entries[i].line, LINE_SERVER, 7);
        struct sp_buf entry = entry_of(line);

        assert_str_equal(sp_buf_str(&entry), entries[i].entry);
        sp_buf_deinit(&entry);
        line_unref(line);
    }
}

static void logformat_takes_126_levels_for_a_message_and_more_for_raw(void **state)
{
    static const size_t depths[] = {1, 125, 126, 127, 200};

    (void)state;
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        char text[400];
        struct line *line;
        struct sp_buf entry, want = {0};

        memset(text, '[', depths[i]);
        memset(text + depths[i], ']', depths[i]);
        line = line_of((struct sp_str){text, 2 * depths[i]}, LINE_SERVER, 7);
        entry = entry_of(line);
        sp_buf_addf(&want, "{\"t_ms\":7,\"from\":\"server\",%s%.*s%s}\n",
                    depths[i] <= 126 ? "\"message\":" : "\"raw\":\"", (int)(2 * depths[i]), text,
                    depths[i] <= 126 ? "" : "\"");
        assert_str_equal(sp_buf_str(&entry), sp_buf_str(&want));
        sp_buf_deinit(&entry);
        sp_buf_deinit(&want);
        line_unref(line);
    }
}

static void logformat_names_the_side_and_the_time(void **state)
{
    static const uint64_t times[] = {0, 9, 10, 1234567890123, UINT64_MAX};
    static const enum line_from sides[] = {LINE_CLIENT, LINE_SERVER, LINE_PROXY, LINE_CONTEXT};
    static const char *const names[] = {"client", "server", "proxy", "context"};

    (void)state;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        for (size_t k = 0; k < 4; k++) {
            struct line *line = line_of(SP_STR("{}\n"), sides[k], times[i]);
            struct sp_buf entry = entry_of(line), want = {0};

            sp_buf_addf(&want, "{\"t_ms\":%llu,\"from\":\"%s\",\"message\":{}}\n",
                        (unsigned long long)times[i], names[k]);
            assert_str_equal(sp_buf_str(&entry), sp_buf_str(&want));
            sp_buf_deinit(&entry);
            sp_buf_deinit(&want);
            line_unref(line);
        }
    }
}

static void logformat_leaves_a_message_where_it_is(void **state)
{
    struct line *json = line_of(SP_STR(" {} \r\n"), LINE_SERVER, 7);
    struct line *stray = line_of(SP_STR("x\n"), LINE_SERVER, 7);
    struct sp_buf b = {0};
    struct sp_str body;

    (void)state;
    sp_buf_add(&b, SP_STR("before"));
    body = logformat_entry(&b, json);
    assert_ptr_equal(body.p, json->bytes + 1);
    assert_int_equal(body.len, 2);
    assert_str_equal(sp_buf_str(&b), SP_STR("before{\"t_ms\":7,\"from\":\"server\",\"message\":"));
    sp_buf_clear(&b);
    assert_int_equal(logformat_entry(&b, stray).len, 0);
    assert_str_equal(sp_buf_str(&b), SP_STR("{\"t_ms\":7,\"from\":\"server\",\"raw\":\"x\""));
    sp_buf_deinit(&b);
    line_unref(json);
    line_unref(stray);
}

struct header_case {
    struct logformat_header header;
    const char *text;
};

#define ID "20260923T212000.123Z-4242"
#define BEGIN                                                                          \
    "{\"stretto_mcp_log\":2,\"session\":\"" ID "\",\"started_unix_ms\":1790198400123," \
    "\"server_command\":"

static char *const plain[] = {"npx", "-y", "some-mcp-server", NULL};
static char *const secret[] = {"srv", "--api-key", "sk-123", "TOKEN=a", "", NULL};
static char *const bytes[] = {"/p\xff", "\"\\\n\x7f", "--key\xfe", "x", NULL};

static void logformat_writes_the_header(void **state)
{
    const struct header_case cases[] = {
        {{.command = plain, .domain = "orders"},
         BEGIN
         "[\"npx\",\"-y\",\"some-mcp-server\"],\"domain\":\"orders\",\"agent_model\":null}\n"},
        {{.command = plain, .domain = "", .agent_model = "m-\"1\""},
         BEGIN "[\"npx\",\"-y\",\"some-mcp-server\"],\"domain\":\"\","
               "\"agent_model\":\"m-\\\"1\\\"\"}\n"},
        {{.command = secret},
         BEGIN "[\"srv\",\"--api-key\",\"<redacted>\",\"TOKEN=<redacted>\",\"\"],"
               "\"domain\":null,\"agent_model\":null}\n"},
        {{.command = bytes},
         BEGIN "[\"/p" REPLACED "\",\"\\\"\\\\\\n\x7f\",\"--key" REPLACED "\",\"<redacted>\"],"
               "\"domain\":null,\"agent_model\":null}\n"},
        {{.url = "https://me:pa55@example.com:8443/mcp?token=abc&region=eu#x"},
         BEGIN "[\"https://example.com:8443/mcp?token=<redacted>&region=eu#x\"],"
               "\"domain\":null,\"agent_model\":null}\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct logformat_header header = cases[i].header;
        struct sp_buf b = {0};

        header.session = ID;
        header.started_unix_ms = 1790198400123;
        logformat_header(&b, &header);
        assert_string_equal(sp_buf_cstr(&b), cases[i].text);
        sp_buf_deinit(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logformat_writes_the_vectors_of_entries),
        cmocka_unit_test(logformat_takes_126_levels_for_a_message_and_more_for_raw),
        cmocka_unit_test(logformat_names_the_side_and_the_time),
        cmocka_unit_test(logformat_leaves_a_message_where_it_is),
        cmocka_unit_test(logformat_writes_the_header),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
