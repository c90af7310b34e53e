/*
 * Parses any bytes as a session log. Of a log that is read, spans lie inside its text and hold what
 * they should; written back and read again it is the same, and then written the same. What is
 * refused leaves nothing behind but an error. A log that ends in a newline stays what it is when a
 * crash tears the next line.
 */

#include <errno.h>
#include <stdlib.h>

#include "json/jcanon.h"
#include "trace/sessionlog.h"
#include "trace/tracemsg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Parses a copy of the text; whether it is a log. */
static bool parse(struct sp_str text, struct sessionlog *ret)
{
    static struct sp_err error;
    struct sp_buf copy = {0};
    int err;

    error.text[0] = '\0';
    sp_buf_add(&copy, text);
    err = sessionlog_parse(&copy, ret, &error);
    require(copy.p == NULL);
    require(err == 0 || ((err == -EINVAL || err == -EILSEQ) && error.text[0] != '\0'));
    return err == 0;
}

static void check_span(const struct sessionlog *log, struct sp_str span)
{
    if (span.p == NULL)
        return;
    require(span.len > 0);
    require(span.p >= log->text.p && span.p + span.len <= log->text.p + log->text.len);
}

static void check_messages(const struct sessionlog_entry *entry)
{
    struct sp_buf text = {0};
    struct tracemsg m;

    for (struct tracemsg_iter it = tracemsg_iter(entry->from, entry->t_ms, entry->message);
         tracemsg_next(&it, &m);) {
        sp_buf_clear(&text);
        require(jget_type(m.text) == JSCAN_OBJECT);
        require(!tracemsg_is_request(&m) || !tracemsg_is_response(&m));
        if (m.id.p != NULL)
            tracemsg_call_id(m.id, &text);
        if (tracemsg_is_response(&m))
            (void)tracemsg_result_text(&m, &text); /* whether it failed is of no interest */
    }
    sp_buf_deinit(&text);
}

static void check_log(const struct sessionlog *log)
{
    struct jscan found;

    require(log->header.version == 1 || log->header.version == 2);
    require(log->header.session.p != NULL);
    for (size_t i = 0; i < log->n_entries; i++) {
        const struct sessionlog_entry *entry = &log->entries[i];

        check_span(log, entry->message);
        check_span(log, entry->raw);
        require(entry->message.p == NULL || jscan(entry->message, JSCAN_LOG_DEPTH, &found));
        require(entry->message.p == NULL || found.type != JSCAN_NULL);
        require(entry->raw.p == NULL || jget_type(entry->raw) == JSCAN_STRING);
        check_messages(entry);
    }
}

static void write_log(struct sp_buf *b, const struct sessionlog *log)
{
    sessionlog_write_header(b, &log->header);
    for (size_t i = 0; i < log->n_entries; i++)
        sessionlog_write_entry(b, &log->entries[i]);
}

static bool is_same(struct sp_str a, struct sp_str b)
{
    struct sp_buf x = {0};
    struct sp_buf y = {0};
    bool is = (a.p == NULL) == (b.p == NULL);

    if (is && a.p != NULL) {
        jcanon(&x, a);
        jcanon(&y, b);
        is = sp_str_eq(sp_buf_str(&x), sp_buf_str(&y));
    }
    sp_buf_deinit(&x);
    sp_buf_deinit(&y);
    return is;
}

static void check_write_back(const struct sessionlog *log)
{
    struct sp_buf once = {0};
    struct sp_buf twice = {0};
    struct sessionlog again;

    write_log(&once, log);
    require(parse(sp_buf_str(&once), &again));
    require(sp_str_eq(log->header.session, again.header.session));
    require(log->header.n_command == again.header.n_command);
    require(log->n_entries == again.n_entries);
    for (size_t i = 0; i < log->n_entries; i++) {
        require(log->entries[i].t_ms == again.entries[i].t_ms);
        require(log->entries[i].from == again.entries[i].from);
        require(is_same(log->entries[i].message, again.entries[i].message));
        require(is_same(log->entries[i].raw, again.entries[i].raw));
    }
    write_log(&twice, &again);
    require(sp_str_eq(sp_buf_str(&once), sp_buf_str(&twice)));
    sessionlog_deinit(&again);
    sp_buf_deinit(&once);
    sp_buf_deinit(&twice);
}

static void check_torn(struct sp_str text, size_t n_entries)
{
    struct sp_buf torn = {0};
    struct sessionlog log;

    sp_buf_add(&torn, text);
    sp_buf_add(&torn, SP_STR("{\"t_ms\":1,\"from\":\"client\",\"raw\":\"\xe2\x82"));
    require(parse(sp_buf_str(&torn), &log));
    require(log.n_entries == n_entries);
    sessionlog_deinit(&log);
    sp_buf_deinit(&torn);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sp_str text = {(const char *)data, size};
    struct sessionlog log = {.n_entries = 42};

    if (!parse(text, &log)) {
        require(log.n_entries == 42 && log.text.p == NULL);
        return 0;
    }
    check_log(&log);
    check_write_back(&log);
    if (sp_str_ends(text, SP_STR("\n")))
        check_torn(text, log.n_entries);
    sessionlog_deinit(&log);
    return 0;
}
