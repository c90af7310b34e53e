/* Tests of trace/sessionlog.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "tmpdir.h"
#include "trace/sessionlog.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define HEADER \
    "{\"stretto_mcp_log\":2,\"session\":\"s1\",\"started_unix_ms\":5,\"server_command\":[]}"
#define ENTRY "{\"t_ms\":1,\"from\":\"client\",\"message\":{}}"

static struct sp_err error;

/* A copy in memory of exactly its size, so that reading past it is noticed. */
static struct sp_buf copy_of(struct sp_str text)
{
    struct sp_buf b = {.p = sp_malloc(text.len), .len = text.len, .cap = text.len};

    if (text.len > 0)
        memcpy(b.p, text.p, text.len);
    return b;
}

static int parse(struct sp_str text, struct sessionlog *ret)
{
    struct sp_buf b = copy_of(text);
    int err;

    sp_err_set(&error, "no error");
    err = sessionlog_parse(&b, ret, &error);
    assert_null(b.p);
    assert_int_equal(b.len, 0);
    return err;
}

static void assert_str(struct sp_str got, struct sp_str want)
{
    assert_int_equal(got.p == NULL, want.p == NULL);
    assert_int_equal(got.len, want.len);
    if (want.len > 0)
        assert_memory_equal(got.p, want.p, want.len);
}

static void assert_parses(struct sp_str text, size_t n_entries)
{
    struct sessionlog log;

    if (parse(text, &log) != 0)
        fail_msg("'%.*s': %s", SP_STR_ARG(text), error.text);
    if (log.n_entries != n_entries)
        fail_msg("'%.*s': %zu entries, not %zu", SP_STR_ARG(text), log.n_entries, n_entries);
    sessionlog_deinit(&log);
}

/* The text fails with that code and an error that begins, and somewhere goes on, as given. */
static void assert_fails(struct sp_str text, int code, const char *begin, const char *part)
{
    struct sessionlog log = {.n_entries = 42};

    if (parse(text, &log) != code)
        fail_msg("'%.*s' gives no such failure: %s", SP_STR_ARG(text), error.text);
    if (!sp_str_starts(sp_str_of(error.text), sp_str_of(begin)) || strstr(error.text, part) == NULL)
        fail_msg("'%.*s': %s", SP_STR_ARG(text), error.text);
    assert_int_equal(log.n_entries, 42); /* untouched */
    assert_null(log.entries);
}

static void sessionlog_reads_the_header(void **state)
{
    struct sessionlog log;

    (void)state;
    assert_int_equal(
        parse(SP_STR("{\"stretto_mcp_log\":1,\"session\":\"a\\u0000\\\"b\",\"new\":{\"a\":[1]},"
                     "\"started_unix_ms\":18446744073709551615,\"server_command\":[\"npx\",\"\","
                     "\"\\ud83d\\ude00\"],\"domain\":\"\",\"agent_model\":\"m-1\"}\n"),
              &log),
        0);
    assert_int_equal(log.header.version, 1);
    assert_str(log.header.session, SP_STR("a\0\"b"));
    assert_true(log.header.started_unix_ms == UINT64_MAX);
    assert_int_equal(log.header.n_command, 3);
    assert_str(log.header.command[0], SP_STR("npx"));
    assert_str(log.header.command[1], SP_STR(""));
    assert_str(log.header.command[2], SP_STR("\xf0\x9f\x98\x80"));
    assert_str(log.header.domain, SP_STR(""));
    assert_str(log.header.agent_model, SP_STR("m-1"));
    assert_int_equal(log.n_entries, 0);
    sessionlog_deinit(&log);
    sessionlog_deinit(&log);
}

static void sessionlog_takes_what_is_optional_in_a_header_for_none(void **state)
{
    static const struct sp_str texts[] = {
        SP_STR("{\"stretto_mcp_log\":2,\"session\":\"\",\"started_unix_ms\":0}"),
        SP_STR("{\"domain\":null,\"agent_model\":null,\"server_command\":[],\"stretto_mcp_log\":2,"
               "\"session\":\"\",\"started_unix_ms\":0}\n"),
    };

    (void)state;
    for (size_t i = 0; i < N_OF(texts); i++) {
        struct sessionlog log;

        assert_int_equal(parse(texts[i], &log), 0);
        assert_str(log.header.session, SP_STR(""));
        assert_int_equal(log.header.n_command, 0);
        assert_null(log.header.domain.p);
        assert_null(log.header.agent_model.p);
        sessionlog_deinit(&log);
    }
}

#define V2 "{\"stretto_mcp_log\":2,"

static void sessionlog_refuses_what_is_no_header(void **state)
{
    static const struct {
        struct sp_str line;
        const char *part;
    } cases[] = {
        {SP_STR("oops"), "not JSON"},
        {SP_STR("\xef\xbb\xbf" HEADER), "not JSON"},
        {SP_STR("\xef\xbb\xbf"), "not JSON"},
        {SP_STR(HEADER HEADER), "not JSON"},
        {SP_STR("\xc2\xa0" HEADER), "not JSON"}, /* white space, but not JSON's */
        {SP_STR("[]"), "not an object"},
        {SP_STR("2"), "not an object"},
        {SP_STR("{}"), "'stretto_mcp_log'"},
        {SP_STR(ENTRY), "'stretto_mcp_log'"},
        {SP_STR("{\"stretto_mcp_log\":\"2\"}"), "'stretto_mcp_log'"},
        {SP_STR("{\"stretto_mcp_log\":2.0}"), "'stretto_mcp_log'"},
        {SP_STR("{\"stretto_mcp_log\":2e0}"), "'stretto_mcp_log'"},
        {SP_STR("{\"stretto_mcp_log\":-3}"), "'stretto_mcp_log'"},
        {SP_STR("{\"stretto_mcp_log\":null}"), "'stretto_mcp_log'"},
        {SP_STR("{\"stretto_mcp_log\":18446744073709551618}"), "'stretto_mcp_log'"},
        {SP_STR("{\"stretto_mcp_log\":2,\"stretto_mcp_log\":\"2\"}"), "'stretto_mcp_log'"},
        {SP_STR(V2 "\"started_unix_ms\":5}"), "'session'"},
        {SP_STR(V2 "\"started_unix_ms\":5,\"session\":7}"), "'session'"},
        {SP_STR(V2 "\"started_unix_ms\":5,\"session\":null}"), "'session'"},
        {SP_STR(V2 "\"started_unix_ms\":5,\"session\":\"s\",\"session\":1}"), "'session'"},
        {SP_STR(V2 "\"session\":\"s\"}"), "'started_unix_ms'"},
        {SP_STR(V2 "\"session\":\"s\",\"started_unix_ms\":\"5\"}"), "'started_unix_ms'"},
        {SP_STR(V2 "\"session\":\"s\",\"started_unix_ms\":1.0}"), "'started_unix_ms'"},
        {SP_STR(V2 "\"session\":\"s\",\"started_unix_ms\":1e2}"), "'started_unix_ms'"},
        {SP_STR(V2 "\"session\":\"s\",\"started_unix_ms\":-1}"), "'started_unix_ms'"},
        {SP_STR(V2 "\"session\":\"s\",\"started_unix_ms\":null}"), "'started_unix_ms'"},
        {SP_STR(V2 "\"session\":\"s\",\"started_unix_ms\":5,\"server_command\":null}"),
         "'server_command'"},
        {SP_STR(V2 "\"session\":\"s\",\"started_unix_ms\":5,\"server_command\":\"npx\"}"),
         "'server_command'"},
        {SP_STR(V2 "\"session\":\"s\",\"started_unix_ms\":5,\"server_command\":{}}"),
         "'server_command'"},
        {SP_STR(V2 "\"session\":\"s\",\"started_unix_ms\":5,\"server_command\":[\"a\",1]}"),
         "'server_command'"},
        {SP_STR(V2 "\"session\":\"s\",\"started_unix_ms\":5,\"domain\":1}"), "'domain'"},
        {SP_STR(V2 "\"session\":\"s\",\"started_unix_ms\":5,\"domain\":[]}"), "'domain'"},
        {SP_STR(V2 "\"session\":\"s\",\"started_unix_ms\":5,\"agent_model\":false}"),
         "'agent_model'"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_buf text = {0};

        /* A header that is torn is an error, too, and so is one that entries follow. */
        assert_fails(cases[i].line, -EINVAL, "line 1: not a stretto log header: ", cases[i].part);
        sp_buf_add(&text, SP_STR(" \n\r\n"));
        sp_buf_add(&text, cases[i].line);
        sp_buf_add(&text, SP_STR("\n" ENTRY "\n"));
        assert_fails(sp_buf_str(&text), -EINVAL,
                     "line 3: not a stretto log header: ", cases[i].part);
        sp_buf_deinit(&text);
    }
}

static void sessionlog_judges_the_version_before_the_rest(void **state)
{
    static const struct {
        struct sp_str text;
        const char *part;
    } cases[] = {
        {SP_STR("{\"stretto_mcp_log\":3,\"session\":\"s1\",\"started_unix_ms\":5}\n"), "version 3"},
        {SP_STR("{\"stretto_mcp_log\":3}"), "version 3"},
        {SP_STR("{\"session\":7,\"stretto_mcp_log\":0}\noops\n"), "version 0"},
        {SP_STR("{\"stretto_mcp_log\":2,\"stretto_mcp_log\":30}\n"), "version 30"},
        {SP_STR("{\"stretto_mcp_log\":18446744073709551615}\n"), "version 18446744073709551615"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        assert_fails(cases[i].text, -EINVAL, "line 1: version ", cases[i].part);
        assert_non_null(strstr(error.text, "versions 1 and 2"));
    }
    assert_parses(SP_STR("{\"stretto_mcp_log\":3,\"session\":\"s1\",\"started_unix_ms\":5,"
                         "\"stretto_mcp_log\":1}\n"),
                  0);
}

static void sessionlog_calls_a_text_without_lines_empty(void **state)
{
    static const struct sp_str texts[] = {SP_STR(""), SP_STR("\n"), SP_STR(" \r\n\t\n\n \v"),
                                          SP_STR("\xe3\x80\x80\n\xc2\x85")};

    (void)state;
    for (size_t i = 0; i < N_OF(texts); i++)
        assert_fails(texts[i], -EINVAL, "empty log", "empty log");
}

struct entry_case {
    struct sp_str line;
    struct sessionlog_entry entry;
};

static void sessionlog_reads_entries(void **state)
{
    static const struct entry_case cases[] = {
        {SP_STR("{\"t_ms\":0,\"from\":\"client\",\"message\":{\"a\": 1.50}}"),
         {.t_ms = 0, .from = LINE_CLIENT, .message = SP_STR("{\"a\": 1.50}")}},
        {SP_STR("{\"t_ms\":7,\"from\":\"server\",\"raw\":\"x\\n\"}"),
         {.t_ms = 7, .from = LINE_SERVER, .raw = SP_STR("\"x\\n\"")}},
        {SP_STR("{\"t_ms\":8,\"from\":\"proxy\",\"message\":[1,{}]}"),
         {.t_ms = 8, .from = LINE_PROXY, .message = SP_STR("[1,{}]")}},
        {SP_STR("{\"message\":\"m\",\"from\":\"context\",\"t_ms\":18446744073709551615}"),
         {.t_ms = UINT64_MAX, .from = LINE_CONTEXT, .message = SP_STR("\"m\"")}},
        {SP_STR("{\"t_ms\":1,\"from\":\"client\"}"), {.t_ms = 1, .from = LINE_CLIENT}},
        {SP_STR("{\"t_ms\":1,\"from\":\"client\",\"message\":null,\"raw\":null}"),
         {.t_ms = 1, .from = LINE_CLIENT}},
        {SP_STR("{\"t_ms\":1,\"from\":\"client\",\"message\":0,\"raw\":\"\"}"),
         {.t_ms = 1, .from = LINE_CLIENT, .message = SP_STR("0"), .raw = SP_STR("\"\"")}},
        {SP_STR("{\"t_ms\":1,\"from\":\"client\",\"new\":[{\"t_ms\":2}],\"T_MS\":3}"),
         {.t_ms = 1, .from = LINE_CLIENT}},
        /* Names and the side may be written with escapes. */
        {SP_STR("{\"\\u0074_ms\":2,\"\\u0066rom\":\"\\u0063lient\"}"),
         {.t_ms = 2, .from = LINE_CLIENT}},
        /* Of a member that occurs twice the last counts, and only it. */
        {SP_STR("{\"t_ms\":\"x\",\"from\":1,\"raw\":[],\"message\":1,\"t_ms\":3,\"raw\":\"r\","
                "\"from\":\"server\",\"message\":null}"),
         {.t_ms = 3, .from = LINE_SERVER, .raw = SP_STR("\"r\"")}},
        {SP_STR("\t { \"t_ms\" : 1 , \"from\" : \"client\" , \"message\" : [ 1 ] } \r"),
         {.t_ms = 1, .from = LINE_CLIENT, .message = SP_STR("[ 1 ]")}},
        {SP_STR("{\"t_ms\":1,\"from\":\"client\",\"message\":123456789012345678901234567890}"),
         {.t_ms = 1, .from = LINE_CLIENT, .message = SP_STR("123456789012345678901234567890")}},
    };
    struct sp_buf text = {0};
    struct sessionlog log;

    (void)state;
    sp_buf_add(&text, SP_STR("{\"stretto_mcp_log\":1,\"session\":\"\",\"started_unix_ms\":0}\n"));
    for (size_t i = 0; i < N_OF(cases); i++) {
        sp_buf_add(&text, cases[i].line);
        sp_buf_add_char(&text, '\n');
    }
    assert_int_equal(parse(sp_buf_str(&text), &log), 0);
    assert_int_equal(log.n_entries, N_OF(cases));
    for (size_t i = 0; i < N_OF(cases); i++) {
        assert_true(log.entries[i].t_ms == cases[i].entry.t_ms);
        assert_int_equal(log.entries[i].from, cases[i].entry.from);
        assert_str(log.entries[i].message, cases[i].entry.message);
        assert_str(log.entries[i].raw, cases[i].entry.raw);
    }
    sessionlog_deinit(&log);
    sp_buf_deinit(&text);
}

struct fault_case {
    struct sp_str line;
    const char *part;
};

static const struct fault_case faults[] = {
    {SP_STR("oops"), "not JSON"},
    {SP_STR("{\"t_ms\":2,\"from\":\"serv"), "not JSON"},
    {SP_STR(ENTRY ENTRY), "not JSON"},
    {SP_STR(ENTRY "\0"), "not JSON"},
    {SP_STR("\v" ENTRY), "not JSON"},
    {SP_STR("{\"t_ms\":1,\"from\":\"client\",\"message\":1e999}"), "not JSON"},
    {SP_STR("{\"t_ms\":1,\"from\":\"client\",\"raw\":\"\\ud83d\"}"), "not JSON"},
    {SP_STR("[]"), "not an object"},
    {SP_STR("null"), "not an object"},
    {SP_STR("{}"), "'t_ms'"},
    {SP_STR("{\"from\":\"client\"}"), "'t_ms'"},
    {SP_STR("{\"t_ms\":1.0,\"from\":\"client\"}"), "'t_ms'"},
    {SP_STR("{\"t_ms\":1e2,\"from\":\"client\"}"), "'t_ms'"},
    {SP_STR("{\"t_ms\":-1,\"from\":\"client\"}"), "'t_ms'"},
    {SP_STR("{\"t_ms\":18446744073709551616,\"from\":\"client\"}"), "'t_ms'"},
    {SP_STR("{\"t_ms\":\"1\",\"from\":\"client\"}"), "'t_ms'"},
    {SP_STR("{\"t_ms\":null,\"from\":\"client\"}"), "'t_ms'"},
    {SP_STR("{\"t_ms\":1,\"t_ms\":[],\"from\":\"client\"}"), "'t_ms'"},
    {SP_STR("{\"t_ms\":1}"), "'from'"},
    {SP_STR("{\"t_ms\":1,\"from\":\"host\"}"), "'from'"},
    {SP_STR("{\"t_ms\":1,\"from\":\"Client\"}"), "'from'"},
    {SP_STR("{\"t_ms\":1,\"from\":\"client \"}"), "'from'"},
    {SP_STR("{\"t_ms\":1,\"from\":\"\"}"), "'from'"},
    {SP_STR("{\"t_ms\":1,\"from\":null}"), "'from'"},
    {SP_STR("{\"t_ms\":1,\"from\":[\"client\"]}"), "'from'"},
    {SP_STR("{\"t_ms\":1,\"from\":\"client\",\"raw\":1}"), "'raw'"},
    {SP_STR("{\"t_ms\":1,\"from\":\"client\",\"raw\":false}"), "'raw'"},
    {SP_STR("{\"t_ms\":1,\"from\":\"client\",\"raw\":{}}"), "'raw'"},
};

/* Puts a text together around a line; good until the next call with this buffer. */
static struct sp_str around(struct sp_buf *b, struct sp_str before, struct sp_str line,
                            struct sp_str behind)
{
    sp_buf_clear(b);
    sp_buf_add(b, before);
    sp_buf_add(b, line);
    sp_buf_add(b, behind);
    return sp_buf_str(b);
}

static void sessionlog_names_a_bad_line_by_its_number(void **state)
{
    struct sp_buf b = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(faults); i++) {
        const struct fault_case *c = &faults[i];

        assert_fails(around(&b, SP_STR(HEADER "\n"), c->line, SP_STR("\n" ENTRY "\n")), -EINVAL,
                     "line 2: ", c->part);
        assert_fails(around(&b, SP_STR(HEADER "\n"), c->line, SP_STR("\n" ENTRY)), -EINVAL,
                     "line 2: ", c->part);
        assert_fails(
            around(&b, SP_STR("\n" HEADER "\r\n" ENTRY "\n\n"), c->line, SP_STR("\n\n" ENTRY "\n")),
            -EINVAL, "line 5: ", c->part);
        /* Two bad lines at the end are not one that a crash has torn. */
        assert_fails(around(&b, SP_STR(HEADER "\n"), c->line, SP_STR("\noops")), -EINVAL,
                     "line 2: ", c->part);
    }
    sp_buf_deinit(&b);
}

static void sessionlog_refuses_a_bad_last_line_of_a_file_that_ends_in_a_newline(void **state)
{
    struct sp_buf b = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(faults); i++) {
        const struct fault_case *c = &faults[i];

        assert_fails(around(&b, SP_STR(HEADER "\n" ENTRY "\n"), c->line, SP_STR("\n")), -EINVAL,
                     "line 3: ", c->part);
        assert_fails(around(&b, SP_STR(HEADER "\n" ENTRY "\n"), c->line, SP_STR("\r\n\n \n")),
                     -EINVAL, "line 3: ", c->part);
    }
    sp_buf_deinit(&b);
}

static void sessionlog_drops_a_bad_last_line_of_a_file_that_does_not(void **state)
{
    struct sp_buf b = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(faults); i++) {
        struct sp_str line = faults[i].line;

        assert_parses(around(&b, SP_STR(HEADER "\n" ENTRY "\n"), line, SP_STR("")), 1);
        assert_parses(around(&b, SP_STR(HEADER "\n" ENTRY "\n\n"), line, SP_STR("\r")), 1);
        assert_parses(around(&b, SP_STR(HEADER "\n"), line, SP_STR("")), 0);
        /* It is the last but for blank lines, and these do not end in a newline either. */
        assert_parses(around(&b, SP_STR(HEADER "\n" ENTRY "\n"), line, SP_STR("\n ")), 1);
    }
    sp_buf_deinit(&b);
}

static void sessionlog_keeps_a_good_last_line_without_its_newline(void **state)
{
    (void)state;
    assert_parses(SP_STR(HEADER), 0);
    assert_parses(SP_STR(HEADER "\n" ENTRY), 1);
    assert_parses(SP_STR(HEADER "\r\n" ENTRY "\r"), 1);
    assert_parses(SP_STR(HEADER "\n" ENTRY " \t"), 1);
}

static void sessionlog_skips_lines_of_white_space(void **state)
{
    static const struct sp_str spaces[] = {
        SP_STR(""),
        SP_STR("\r"),
        SP_STR(" \t\v\f\r"),
        SP_STR("\xc2\x85"),
        SP_STR("\xc2\xa0"),
        SP_STR("\xe1\x9a\x80"),
        SP_STR("\xe2\x80\x80\xe2\x80\x8a"),
        SP_STR("\xe2\x80\xa8\xe2\x80\xa9"),
        SP_STR("\xe2\x80\xaf"),
        SP_STR("\xe2\x81\x9f"),
        SP_STR(" \xe3\x80\x80 "),
    };
    static const struct sp_str others[] = {
        SP_STR("\xe2\x80\x8b"), /* zero width space */
        SP_STR("\xef\xbb\xbf"), /* byte-order mark */
        SP_STR("\0"),
        SP_STR("\x1c"),
    };
    struct sp_buf b = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(spaces); i++) {
        assert_parses(around(&b, SP_STR(HEADER "\n" ENTRY "\n"), spaces[i], SP_STR("\n" ENTRY)), 2);
        assert_parses(around(&b, SP_STR(""), spaces[i], SP_STR("\n" HEADER "\n" ENTRY "\n")), 1);
        assert_parses(around(&b, SP_STR(HEADER "\n" ENTRY "\n"), spaces[i], SP_STR("")), 1);
    }
    for (size_t i = 0; i < N_OF(others); i++)
        assert_fails(around(&b, SP_STR(HEADER "\n"), others[i], SP_STR("\n" ENTRY)), -EINVAL,
                     "line 2: ", "not JSON");
    sp_buf_deinit(&b);
}

static void sessionlog_refuses_what_is_not_utf8_whatever_else_is_wrong(void **state)
{
    static const struct sp_str bytes[] = {
        SP_STR("\xff"),     SP_STR("\x80"),         SP_STR("\xc0\x80"),         SP_STR("\xe0\x80"),
        SP_STR("\xed\xa0"), SP_STR("\xed\xa0\x80"), SP_STR("\xf4\x90"),         SP_STR("\xf0\x80"),
        SP_STR("\xf5"),     SP_STR("\xe2\x82x"),    SP_STR("\xf0\x9f\x92\xc2"), SP_STR("\xc1"),
    };
    struct sp_buf b = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(bytes); i++) {
        struct sp_str s = bytes[i];

        assert_fails(around(&b, SP_STR(""), s, SP_STR("")), -EILSEQ, "not valid UTF-8", "");
        assert_fails(around(&b, SP_STR(HEADER "\n" ENTRY "\n"), s, SP_STR("")), -EILSEQ,
                     "not valid UTF-8", "");
        assert_fails(around(&b, SP_STR("oops\n"), s, SP_STR("\n" ENTRY "\n")), -EILSEQ,
                     "not valid UTF-8", "");
        assert_fails(around(&b, SP_STR("{\"stretto_mcp_log\":3}\n"), s, SP_STR("\n\xe2\x82")),
                     -EILSEQ, "not valid UTF-8", "");
    }
    sp_buf_deinit(&b);
}

static void sessionlog_takes_a_sequence_cut_off_at_the_end_for_torn(void **state)
{
    static const struct sp_str cuts[] = {
        SP_STR("\xc2"),         SP_STR("\xdf"),     SP_STR("\xe0"),         SP_STR("\xe0\xa0"),
        SP_STR("\xe2"),         SP_STR("\xe2\x82"), SP_STR("\xed"),         SP_STR("\xed\x9f"),
        SP_STR("\xef\xbb"),     SP_STR("\xf0"),     SP_STR("\xf0\x90"),     SP_STR("\xf0\x9f\x92"),
        SP_STR("\xf3\x80\x80"), SP_STR("\xf4"),     SP_STR("\xf4\x8f\xbf"), SP_STR("\xf0\xbf"),
    };
    struct sp_buf b = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(cuts); i++) {
        struct sp_str s = cuts[i];

        assert_parses(around(&b, SP_STR(HEADER "\n" ENTRY "\n"), s, SP_STR("")), 1);
        assert_parses(around(&b, SP_STR(HEADER "\n" ENTRY "\n  "), s, SP_STR("")), 1);
        assert_parses(around(&b, SP_STR(HEADER "\n{\"t_ms\":1,\"raw\":\""), s, SP_STR("")), 0);
        /* A whole entry with such an end behind it is not an entry. */
        assert_parses(around(&b, SP_STR(HEADER "\n" ENTRY), s, SP_STR("")), 0);
        assert_fails(around(&b, SP_STR(HEADER "\noops\n"), s, SP_STR("")), -EINVAL,
                     "line 2: ", "not JSON");
        assert_fails(around(&b, SP_STR("\n"), s, SP_STR("")), -EINVAL,
                     "line 2: not a stretto log header: ", "");
        assert_fails(around(&b, SP_STR(HEADER), s, SP_STR("")), -EINVAL,
                     "line 1: not a stretto log header: ", "");
        assert_fails(around(&b, SP_STR(HEADER "\n" ENTRY "\n"), s, SP_STR("\n")), -EILSEQ,
                     "not valid UTF-8", "");
    }
    sp_buf_deinit(&b);
}

static void sessionlog_reads_messages_of_126_levels_and_no_deeper(void **state)
{
    (void)state;
    for (size_t depth = 125; depth <= 128; depth++) {
        struct sp_buf b = {0};
        struct sessionlog log;

        sp_buf_add(&b, SP_STR(HEADER "\n{\"t_ms\":1,\"from\":\"client\",\"message\":"));
        memset(sp_buf_reserve(&b, depth), '[', depth);
        b.len += depth;
        memset(sp_buf_reserve(&b, depth), ']', depth);
        b.len += depth;
        sp_buf_add(&b, SP_STR("}"));
        assert_parses(sp_buf_str(&b), depth <= 126 ? 1 : 0); /* or torn */
        sp_buf_add_char(&b, '\n');
        if (depth <= 126) {
            assert_int_equal(parse(sp_buf_str(&b), &log), 0);
            assert_int_equal(log.entries[0].message.len, 2 * depth);
            sessionlog_deinit(&log);
        } else {
            assert_fails(sp_buf_str(&b), -EINVAL, "line 2: ", "not JSON");
        }
        sp_buf_deinit(&b);
    }
}

static void write_file(const char *path, struct sp_str text)
{
    int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.p, text.len), text.len);
    (void)close(fd);
}

static int setup(void **state)
{
    *state = tmpdir_new();
    return 0;
}

static int teardown(void **state)
{
    tmpdir_remove(*state);
    return 0;
}

typedef int (*read_fn)(const char *path, struct sessionlog *ret, struct sp_err *ret_err);

/* Reading the file fails with "STAGE PATH: " and then as given. */
static void assert_read_fails(read_fn read, const char *path, const char *stage, const char *begin)
{
    struct sessionlog log = {.n_entries = 42};
    struct sp_buf want = {0};

    sp_buf_addf(&want, "%s %s: %s", stage, path, begin);
    assert_true(read(path, &log, &error) < 0);
    if (!sp_str_starts(sp_str_of(error.text), sp_buf_str(&want)))
        fail_msg("%s", error.text);
    assert_int_equal(log.n_entries, 42);
    sp_buf_deinit(&want);
}

static void sessionlog_names_the_path_in_every_error(void **state)
{
    static const read_fn reads[] = {sessionlog_read, sessionlog_read_header};
    char *path = tmpdir_path(*state, "s1.jsonl"), *none = tmpdir_path(*state, "none.jsonl");

    for (size_t i = 0; i < N_OF(reads); i++) {
        assert_read_fails(reads[i], none, "reading", "No such file or directory");
        assert_read_fails(reads[i], *state, "reading", "Is a directory");
        write_file(path, SP_STR("\xff\n"));
        assert_read_fails(reads[i], path, "reading", "not valid UTF-8");
        write_file(path, SP_STR(""));
        assert_read_fails(reads[i], path, "parsing", "empty log");
        write_file(path, SP_STR("\n{\"stretto_mcp_l"));
        assert_read_fails(reads[i], path, "parsing", "line 2: not a stretto log header: ");
        write_file(path, SP_STR("{\"stretto_mcp_log\":\"\xe2\x82"));
        assert_read_fails(reads[i], path, "parsing", "line 1: not a stretto log header: ");
        write_file(path, SP_STR("{\"stretto_mcp_log\":3}\n"));
        assert_read_fails(reads[i], path, "parsing", "line 1: version 3");
    }
    write_file(path, SP_STR(HEADER "\noops\n" ENTRY "\n"));
    assert_read_fails(sessionlog_read, path, "parsing", "line 2: ");
    write_file(path, SP_STR(HEADER "\n\xff\n" ENTRY "\n"));
    assert_read_fails(sessionlog_read, path, "reading", "not valid UTF-8");
    free(path);
    free(none);
}

static void sessionlog_reads_a_file(void **state)
{
    char *path = tmpdir_path(*state, "any name");
    struct sessionlog log;

    write_file(path, SP_STR(HEADER "\n" ENTRY "\n{\"t_ms\":2,\"from\":\"serv"));
    assert_int_equal(sessionlog_read(path, &log, &error), 0);
    assert_str(log.header.session, SP_STR("s1"));
    assert_int_equal(log.n_entries, 1);
    assert_str(log.entries[0].message, SP_STR("{}"));
    sessionlog_deinit(&log);
    free(path);
}

static void sessionlog_reads_a_header_without_what_follows(void **state)
{
    static const struct sp_str behind[] = {SP_STR(""), SP_STR("\n"), SP_STR("\noops\n" ENTRY "\n"),
                                           SP_STR("\n\xff"), SP_STR("\n" ENTRY)};
    char *path = tmpdir_path(*state, "s1.jsonl");

    for (size_t i = 0; i < N_OF(behind); i++) {
        struct sp_buf b = {0};
        struct sessionlog log;

        write_file(path, around(&b, SP_STR(" \n\xe3\x80\x80\n"), SP_STR(HEADER), behind[i]));
        assert_int_equal(sessionlog_read_header(path, &log, &error), 0);
        assert_str(log.header.session, SP_STR("s1"));
        assert_int_equal(log.n_entries, 0);
        sessionlog_deinit(&log);
        sp_buf_deinit(&b);
    }
    free(path);
}

/* Wherever the pieces end in which a file is read, in the header or in a character of it. */
static void sessionlog_reads_a_header_of_any_length(void **state)
{
    char *path = tmpdir_path(*state, "s1.jsonl");

    for (size_t n_blank = 0; n_blank < 5; n_blank++) {
        for (size_t size = 1000; size < 60000; size = size * 3 + 1) {
            struct sp_buf b = {0}, session = {0};
            struct sessionlog log;

            for (size_t i = 0; i < n_blank; i++)
                sp_buf_add(&b, SP_STR(" \n"));
            while (session.len < size)
                sp_buf_add(&session, SP_STR("\xe3\x80\x80\xf0\x9f\x92\xa9"));
            sp_buf_addf(&b, "{\"stretto_mcp_log\":2,\"started_unix_ms\":5,\"session\":\"%s\"}\n",
                        sp_buf_cstr(&session));
            sp_buf_add(&b, SP_STR("\xff\xff\n"));
            write_file(path, sp_buf_str(&b));
            assert_int_equal(sessionlog_read_header(path, &log, &error), 0);
            assert_str(log.header.session, sp_buf_str(&session));
            sessionlog_deinit(&log);
            sp_buf_deinit(&b);
            sp_buf_deinit(&session);
        }
    }
    free(path);
}

static void sessionlog_writes_the_header_in_the_formats_order(void **state)
{
    struct sp_str command[] = {SP_STR("npx"), SP_STR("\"\n\x01/")};
    const struct sessionlog_header plain = {.version = 1, .session = SP_STR("s\"1")};
    const struct sessionlog_header full = {
        .version = 2,
        .session = SP_STR("s1"),
        .started_unix_ms = UINT64_MAX,
        .command = command,
        .n_command = 2,
        .domain = SP_STR(""),
        .agent_model = SP_STR("m\xc3\xa9"),
    };
    struct sp_buf b = {0};

    (void)state;
    sp_buf_add(&b, SP_STR("before\n"));
    sessionlog_write_header(&b, &plain);
    sessionlog_write_header(&b, &full);
    assert_string_equal(
        sp_buf_cstr(&b),
        "before\n"
        "{\"stretto_mcp_log\":1,\"session\":\"s\\\"1\",\"started_unix_ms\":0,\"server_command\":[],"
        "\"domain\":null,\"agent_model\":null}\n"
        "{\"stretto_mcp_log\":2,\"session\":\"s1\",\"started_unix_ms\":18446744073709551615,"
        "\"server_command\":[\"npx\",\"\\\"\\n\\u0001/\"],\"domain\":\"\","
        "\"agent_model\":\"m\xc3\xa9\"}\n");
    sp_buf_deinit(&b);
}

static void sessionlog_writes_entries_in_canonical_json(void **state)
{
    static const struct sessionlog_entry entries[] = {
        {.t_ms = 0, .from = LINE_CLIENT},
        {.t_ms = UINT64_MAX,
         .from = LINE_SERVER,
         .message = SP_STR("{\"b\": 1.50, \"a\": [1e2, \"\\u0041\\/\"], \"b\": -0}")},
        {.t_ms = 3, .from = LINE_PROXY, .raw = SP_STR("\"\\u0041\\u001F\"")},
        {.t_ms = 4, .from = LINE_CONTEXT, .message = SP_STR("[ ]"), .raw = SP_STR("\"\"")},
    };
    struct sp_buf b = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(entries); i++)
        sessionlog_write_entry(&b, &entries[i]);
    assert_string_equal(sp_buf_cstr(&b),
                        "{\"t_ms\":0,\"from\":\"client\"}\n"
                        "{\"t_ms\":18446744073709551615,\"from\":\"server\",\"message\":"
                        "{\"a\":[100.0,\"A/\"],\"b\":0}}\n"
                        "{\"t_ms\":3,\"from\":\"proxy\",\"raw\":\"A\\u001f\"}\n"
                        "{\"t_ms\":4,\"from\":\"context\",\"message\":[],\"raw\":\"\"}\n");
    sp_buf_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessionlog_reads_the_header),
        cmocka_unit_test(sessionlog_takes_what_is_optional_in_a_header_for_none),
        cmocka_unit_test(sessionlog_refuses_what_is_no_header),
        cmocka_unit_test(sessionlog_judges_the_version_before_the_rest),
        cmocka_unit_test(sessionlog_calls_a_text_without_lines_empty),
        cmocka_unit_test(sessionlog_reads_entries),
        cmocka_unit_test(sessionlog_names_a_bad_line_by_its_number),
        cmocka_unit_test(sessionlog_refuses_a_bad_last_line_of_a_file_that_ends_in_a_newline),
        cmocka_unit_test(sessionlog_drops_a_bad_last_line_of_a_file_that_does_not),
        cmocka_unit_test(sessionlog_keeps_a_good_last_line_without_its_newline),
        cmocka_unit_test(sessionlog_skips_lines_of_white_space),
        cmocka_unit_test(sessionlog_refuses_what_is_not_utf8_whatever_else_is_wrong),
        cmocka_unit_test(sessionlog_takes_a_sequence_cut_off_at_the_end_for_torn),
        cmocka_unit_test(sessionlog_reads_messages_of_126_levels_and_no_deeper),
        cmocka_unit_test_setup_teardown(sessionlog_names_the_path_in_every_error, setup, teardown),
        cmocka_unit_test_setup_teardown(sessionlog_reads_a_file, setup, teardown),
        cmocka_unit_test_setup_teardown(sessionlog_reads_a_header_without_what_follows, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(sessionlog_reads_a_header_of_any_length, setup, teardown),
        cmocka_unit_test(sessionlog_writes_the_header_in_the_formats_order),
        cmocka_unit_test(sessionlog_writes_entries_in_canonical_json),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
