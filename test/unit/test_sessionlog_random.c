/* Tests of trace/sessionlog.h on random logs. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "json/jcanon.h"
#include "json/jput.h"
#include "json_gen.h"
#include "trace/logformat.h"
#include "trace/sessionlog.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define MAX_ENTRIES 8

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

/* A random log: its text, what is in it, and where each of its objects ends. */
struct random_log {
    struct sp_buf text;
    size_t header_start;
    size_t header_end;
    struct sp_buf session; /* unescaped */
    struct random_entry {
        uint64_t t_ms;
        enum line_from from;
        struct sp_buf message; /* empty: none */
        struct sp_buf raw;     /* empty: none */
        size_t end;
    } entries[MAX_ENTRIES];
    size_t n_entries;
};

/* Ends a line, by CR and LF or LF alone, and puts blank lines behind it, or none. */
static void gen_line_end(struct json_gen *g, struct sp_buf *b)
{
    static const struct sp_str spaces[] = {SP_STR(" "), SP_STR("\t"), SP_STR("\r"),
                                           SP_STR("\xc2\xa0"), SP_STR("\xe3\x80\x80")};

    do {
        sp_buf_add(b, json_gen_below(g, 2) == 0 ? SP_STR("\r\n") : SP_STR("\n"));
        while (json_gen_below(g, 4) == 0)
            sp_buf_add(b, spaces[json_gen_below(g, N_OF(spaces))]);
    } while (json_gen_below(g, 4) == 0);
    if (b->p[b->len - 1] != '\n')
        sp_buf_add_char(b, '\n');
}

/* A random value on one line. */
static void gen_value(struct json_gen *g, struct sp_buf *b)
{
    json_gen_value(g, b);
    for (size_t i = 0; i < b->len; i++) {
        if (b->p[i] == '\n')
            b->p[i] = ' ';
    }
}

/* A random string with more of what takes several bytes than the generator makes. */
static void gen_text(struct json_gen *g, struct sp_buf *b)
{
    static const struct sp_str pieces[] = {
        SP_STR("a"),    SP_STR("\""), SP_STR("\n"),           SP_STR("\xc3\xa9"),
        SP_STR("\x01"), SP_STR("\\"), SP_STR("\xe2\x82\xac"), SP_STR("\xf0\x9f\x92\xa9")};

    for (uint64_t n = json_gen_below(g, 12); n > 0; n--)
        sp_buf_add(b, pieces[json_gen_below(g, N_OF(pieces))]);
}

static void gen_entry(struct json_gen *g, struct sp_buf *text, struct random_entry *ret)
{
    struct sp_buf raw = {0};

    *ret = (struct random_entry){
        .t_ms = json_gen_below(g, 100000),
        .from = (enum line_from)json_gen_below(g, 4),
    };
    if (json_gen_below(g, 3) != 0)
        gen_value(g, &ret->message);
    if (json_gen_below(g, 3) == 0) {
        gen_text(g, &raw);
        jput_string(&ret->raw, sp_buf_str(&raw));
    }
    sp_buf_addf(text, "{\"t_ms\":%llu, \"from\":\"%.*s\"", (unsigned long long)ret->t_ms,
                SP_STR_ARG(logformat_from(ret->from)));
    if (ret->raw.len > 0)
        sp_buf_addf(text, ",\"raw\" :%s", sp_buf_cstr(&ret->raw));
    if (ret->message.len > 0)
        sp_buf_addf(text, ",\"message\":%s ", sp_buf_cstr(&ret->message));
    sp_buf_add_char(text, '}');
    ret->end = text->len;
    sp_buf_deinit(&raw);
}

static struct random_log random_log_make(struct json_gen *g)
{
    struct random_log r = {0};

    if (json_gen_below(g, 4) == 0)
        sp_buf_add(&r.text, SP_STR(" \r\n\t\n"));
    r.header_start = r.text.len;
    gen_text(g, &r.session);
    sp_buf_add(&r.text, SP_STR("{\"stretto_mcp_log\":2,\"session\":"));
    jput_string(&r.text, sp_buf_str(&r.session));
    sp_buf_add(&r.text, SP_STR(",\"started_unix_ms\":9, \"server_command\":[\"\xe2\x82\xac\"]}"));
    r.header_end = r.text.len;
    gen_line_end(g, &r.text);
    r.n_entries = json_gen_below(g, MAX_ENTRIES + 1);
    for (size_t i = 0; i < r.n_entries; i++) {
        gen_entry(g, &r.text, &r.entries[i]);
        gen_line_end(g, &r.text);
    }
    return r;
}

static void random_log_deinit(struct random_log *r)
{
    for (size_t i = 0; i < r->n_entries; i++) {
        sp_buf_deinit(&r->entries[i].message);
        sp_buf_deinit(&r->entries[i].raw);
    }
    sp_buf_deinit(&r->session);
    sp_buf_deinit(&r->text);
}

/* The message as it is, or written in canonical JSON; what is null is none. */
static void assert_message(struct sp_str got, struct sp_str want)
{
    struct sp_buf canon = {0};

    if (want.len == 0 || sp_str_eq(want, SP_STR("null"))) {
        assert_null(got.p);
        return;
    }
    assert_non_null(got.p);
    if (!sp_str_eq(got, want)) {
        jcanon_exact(&canon, want);
        assert_str(got, sp_buf_str(&canon));
    }
    sp_buf_deinit(&canon);
}

/* The log has the first `n` entries of the random one. */
static void assert_same(const struct sessionlog *log, const struct random_log *r, size_t n)
{
    assert_str(log->header.session, sp_buf_str(&r->session));
    assert_int_equal(log->n_entries, n);
    for (size_t i = 0; i < n; i++) {
        assert_true(log->entries[i].t_ms == r->entries[i].t_ms);
        assert_int_equal(log->entries[i].from, r->entries[i].from);
        assert_message(log->entries[i].message, sp_buf_str(&r->entries[i].message));
        if (r->entries[i].raw.len > 0)
            assert_str(log->entries[i].raw, sp_buf_str(&r->entries[i].raw));
        else
            assert_null(log->entries[i].raw.p);
    }
}

/* What is left of the log when only its first `len` bytes are there. */
static void check_torn(const struct random_log *r, size_t len)
{
    struct sp_str text = sp_str_sub(sp_buf_str(&r->text), 0, len);
    struct sessionlog log;
    size_t n = 0;

    if (len < r->header_end) {
        assert_int_equal(parse(text, &log), -EINVAL);
        if (len <= r->header_start)
            assert_string_equal(error.text, "empty log");
        else
            assert_non_null(strstr(error.text, ": not a stretto log header: "));
        return;
    }
    while (n < r->n_entries && r->entries[n].end <= len)
        n++;
    if (parse(text, &log) != 0)
        fail_msg("%zu bytes of '%.*s': %s", len, SP_STR_ARG(sp_buf_str(&r->text)), error.text);
    assert_same(&log, r, n);
    sessionlog_deinit(&log);
}

static void sessionlog_gives_the_whole_entries_of_a_log_torn_anywhere(void **state)
{
    struct json_gen g = {.state = 20261};

    (void)state;
    for (int round = 0; round < 60; round++) {
        struct random_log r = random_log_make(&g);

        for (size_t len = 0; len <= r.text.len; len++)
            check_torn(&r, len);
        random_log_deinit(&r);
    }
}

static void write_log(struct sp_buf *b, const struct sessionlog *log)
{
    sessionlog_write_header(b, &log->header);
    for (size_t i = 0; i < log->n_entries; i++)
        sessionlog_write_entry(b, &log->entries[i]);
}

static void sessionlog_writes_back_what_reads_as_the_same(void **state)
{
    struct json_gen g = {.state = 20262};

    (void)state;
    for (int round = 0; round < 500; round++) {
        struct random_log r = random_log_make(&g);
        struct sp_buf once = {0}, twice = {0};
        struct sessionlog log;

        assert_int_equal(parse(sp_buf_str(&r.text), &log), 0);
        write_log(&once, &log);
        sessionlog_deinit(&log);
        assert_int_equal(parse(sp_buf_str(&once), &log), 0);
        assert_same(&log, &r, r.n_entries);
        assert_int_equal(log.header.version, 2);
        assert_int_equal(log.header.started_unix_ms, 9);
        assert_int_equal(log.header.n_command, 1);
        assert_str(log.header.command[0], SP_STR("\xe2\x82\xac"));
        write_log(&twice, &log);
        assert_str(sp_buf_str(&twice), sp_buf_str(&once));
        sessionlog_deinit(&log);
        sp_buf_deinit(&once);
        sp_buf_deinit(&twice);
        random_log_deinit(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessionlog_gives_the_whole_entries_of_a_log_torn_anywhere),
        cmocka_unit_test(sessionlog_writes_back_what_reads_as_the_same),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
