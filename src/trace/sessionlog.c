/*
 * Reading session logs, and writing them back.
 *
 * A log is read in one pass. Each line is scanned once, whole; then one walk over its members finds
 * those that count. Nothing is copied but what has to be unescaped, so that a log takes its own
 * size and an entry's worth for each line.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "base/sp_file.h"
#include "base/sp_unicode.h"
#include "base/sp_utf8.h"
#include "base/sp_utf8_seq.h"
#include "json/jcanon.h"
#include "json/jget.h"
#include "json/jput.h"
#include "trace/logformat.h"
#include "trace/sessionlog.h"
#include "trace/turns.h"

/* An entry is one level around its message, and so is a header around its command. */
#define MAX_DEPTH (JSCAN_LOG_DEPTH + 1)

/* More than most headers take. */
#define HEADER_SIZE ((size_t)4096)

#define OLDEST_VERSION 1

enum { VERSION, SESSION, STARTED, COMMAND, DOMAIN, AGENT_MODEL, N_HEADER_MEMBERS };
enum { T_MS, FROM, MESSAGE, RAW, N_ENTRY_MEMBERS };

/* A walk over the lines that are not blank. */
struct lines {
    struct sp_str line; /* without its LF; a CR before that is JSON's white space and stays */
    size_t number;      /* of all lines, from 1 */
    struct sp_str rest; /* behind the line */
};

static bool is_blank(struct sp_str line)
{
    while (line.len > 0) {
        if (!sp_unicode_is_space(sp_utf8_next(&line)))
            return false;
    }
    return true;
}

static bool lines_next(struct lines *l)
{
    while (l->rest.len > 0) {
        size_t n = sp_str_find(l->rest, '\n');

        l->line = sp_str_sub(l->rest, 0, n);
        l->rest = sp_str_sub(l->rest, n < l->rest.len ? n + 1 : n, l->rest.len);
        l->number++;
        if (!is_blank(l->line))
            return true;
    }
    return false;
}

/* How many bytes at the end are the beginning of a UTF-8 sequence that is cut off; 0 for none. */
static size_t cut_len(struct sp_str text)
{
    for (size_t n = 1; n <= 3 && n <= text.len; n++) {
        /* What may follow a lead begins at 80 or ends at BF, and A0 is in all that end there. */
        unsigned char low[4] = {0x80, 0x80, 0x80, 0x80};
        unsigned char high[4] = {0xa0, 0xa0, 0xa0, 0xa0};

        memcpy(low, text.p + text.len - n, n);
        memcpy(high, text.p + text.len - n, n);
        if (sp_utf8_seq_len(low, 4) > n || sp_utf8_seq_len(high, 4) > n)
            return n;
    }
    return 0;
}

/*
 * Whether a log's text is UTF-8. A sequence that a crash has cut off at the end does no harm: it
 * becomes NUL bytes, which are no white space and in no JSON, and makes its line a torn one.
 */
static bool make_utf8(struct sp_buf *text)
{
    size_t n_cut = cut_len(sp_buf_str(text));

    if (n_cut > 0)
        memset(text->p + text->len - n_cut, '\0', n_cut);
    return sp_utf8_is_valid(sp_buf_str(text));
}

/*
 * Scans a line and finds the values of its members; a `p` of NULL for one that it has not.
 *
 * Returns: NULL, or what is wrong with it.
 */
static const char *read_members(struct sp_str line, const struct sp_str *names, size_t n_names,
                                struct sp_str *ret_values)
{
    struct jscan found;

    if (!jscan(line, MAX_DEPTH, &found))
        return "not JSON";
    if (found.type != JSCAN_OBJECT)
        return "not an object";
    for (struct jget_iter it = jget_iter(found.value); jget_next(&it);) {
        for (size_t i = 0; i < n_names; i++) {
            if (jget_is_text(it.name, names[i])) {
                ret_values[i] = it.value;
                break;
            }
        }
    }
    return NULL;
}

static bool is_type(struct sp_str value, enum jscan_type type)
{
    return value.p != NULL && jget_type(value) == type;
}

static bool is_none(struct sp_str value)
{
    return value.p == NULL || jget_type(value) == JSCAN_NULL;
}

static bool read_u64(struct sp_str value, uint64_t *ret)
{
    return value.p != NULL && jget_u64(value, ret);
}

/* The text of a string: where it stands if it has no escapes, else in the log's arena. */
static struct sp_str text_of(struct sessionlog *log, struct sp_str string)
{
    struct sp_str text = sp_str_sub(string, 1, string.len - 1);
    struct sp_buf b = {0};

    if (sp_str_find(text, '\\') == text.len)
        return text;
    jget_text(string, &b);
    text = sp_arena_copy(&log->arena, sp_buf_str(&b));
    sp_buf_deinit(&b);
    return text;
}

/* Whether the value is a string, null or not there; the latter two leave `ret` without text. */
static bool read_optional(struct sessionlog *log, struct sp_str value, struct sp_str *ret)
{
    if (is_none(value))
        return true;
    if (!is_type(value, JSCAN_STRING))
        return false;
    *ret = text_of(log, value);
    return true;
}

/* Whether the value is an array of strings, or not there. */
static bool read_command(struct sessionlog *log, struct sp_str value)
{
    size_t n = 0;

    if (value.p == NULL)
        return true;
    if (jget_type(value) != JSCAN_ARRAY)
        return false;
    for (struct jget_iter it = jget_iter(value); jget_next(&it); n++) {
        if (jget_type(it.value) != JSCAN_STRING)
            return false;
    }
    log->header.command = sp_arena_alloc(&log->arena, n * sizeof *log->header.command);
    for (struct jget_iter it = jget_iter(value); jget_next(&it);)
        log->header.command[log->header.n_command++] = text_of(log, it.value);
    return true;
}

/* Reads the header's members but the version; NULL, or what is wrong with them. */
static const char *read_header_values(struct sessionlog *log, const struct sp_str *values)
{
    struct sessionlog_header *header = &log->header;

    if (!is_type(values[SESSION], JSCAN_STRING))
        return "no 'session' that is a string";
    if (!read_u64(values[STARTED], &header->started_unix_ms))
        return "no 'started_unix_ms' that is an unsigned integer";
    if (!read_command(log, values[COMMAND]))
        return "'server_command' is not an array of strings";
    if (!read_optional(log, values[DOMAIN], &header->domain))
        return "'domain' is neither a string nor null";
    if (!read_optional(log, values[AGENT_MODEL], &header->agent_model))
        return "'agent_model' is neither a string nor null";
    header->session = text_of(log, values[SESSION]);
    return NULL;
}

static int read_header(struct sessionlog *log, const struct lines *l, struct sp_err *ret_err)
{
    static const struct sp_str names[N_HEADER_MEMBERS] = {
        [VERSION] = SP_STR("stretto_mcp_log"), [SESSION] = SP_STR("session"),
        [STARTED] = SP_STR("started_unix_ms"), [COMMAND] = SP_STR("server_command"),
        [DOMAIN] = SP_STR("domain"),           [AGENT_MODEL] = SP_STR("agent_model"),
    };
    struct sp_str values[N_HEADER_MEMBERS] = {0};
    uint64_t *version = &log->header.version;
    const char *fault = read_members(l->line, names, N_HEADER_MEMBERS, values);

    if (fault == NULL && !read_u64(values[VERSION], version))
        fault = "no 'stretto_mcp_log' that is an unsigned integer";
    /* What else a header of another version holds is not ours to judge. */
    if (fault == NULL && (*version < OLDEST_VERSION || *version > LOGFORMAT_VERSION)) {
        sp_err_set(ret_err, "line %zu: version %" PRIu64 ", but only versions %d and %d are read",
                   l->number, *version, OLDEST_VERSION, LOGFORMAT_VERSION);
        return -EINVAL;
    }
    if (fault == NULL)
        fault = read_header_values(log, values);
    if (fault != NULL) {
        sp_err_set(ret_err, "line %zu: not a stretto log header: %s", l->number, fault);
        return -EINVAL;
    }
    return 0;
}

static bool read_from(struct sp_str value, enum line_from *ret)
{
    static const enum line_from sides[] = {LINE_CLIENT, LINE_SERVER, LINE_PROXY, LINE_CONTEXT};

    for (size_t i = 0; value.p != NULL && i < sizeof sides / sizeof *sides; i++) {
        if (jget_is_text(value, logformat_from(sides[i]))) {
            *ret = sides[i];
            return true;
        }
    }
    return false;
}

/* Reads an entry; NULL, or what is wrong with its line. */
static const char *read_entry(struct sp_str line, struct sessionlog_entry *ret)
{
    static const struct sp_str names[N_ENTRY_MEMBERS] = {
        [T_MS] = SP_STR("t_ms"),
        [FROM] = SP_STR("from"),
        [MESSAGE] = SP_STR("message"),
        [RAW] = SP_STR("raw"),
    };
    struct sp_str values[N_ENTRY_MEMBERS] = {0};
    const char *fault = read_members(line, names, N_ENTRY_MEMBERS, values);

    if (fault != NULL)
        return fault;
    *ret = (struct sessionlog_entry){0};
    if (!read_u64(values[T_MS], &ret->t_ms))
        return "no 't_ms' that is an unsigned integer";
    if (!read_from(values[FROM], &ret->from))
        return "no 'from' that is 'client', 'server', 'proxy' or 'context'";
    if (!is_none(values[RAW]) && !is_type(values[RAW], JSCAN_STRING))
        return "'raw' is neither a string nor null";
    if (!is_none(values[MESSAGE]))
        ret->message = values[MESSAGE];
    if (!is_none(values[RAW]))
        ret->raw = values[RAW];
    return NULL;
}

static int read_entries(struct sessionlog *log, struct lines *l, struct sp_err *ret_err)
{
    bool may_be_torn = !sp_str_ends(sp_buf_str(&log->text), SP_STR("\n"));
    size_t max = 0;

    while (lines_next(l)) {
        size_t number = l->number;
        const char *fault;

        if (log->n_entries == max) {
            max = max > 0 ? 2 * max : 64;
            log->entries = sp_realloc(log->entries, max * sizeof *log->entries);
        }
        fault = read_entry(l->line, &log->entries[log->n_entries]);
        if (fault == NULL) {
            log->n_entries++;
        } else if (!may_be_torn || lines_next(l)) {
            sp_err_set(ret_err, "line %zu: not an entry of a log: %s", number, fault);
            return -EINVAL;
        }
    }
    return 0;
}

static int read_text(struct sessionlog *log, struct sp_err *ret_err)
{
    struct lines l = {.rest = sp_buf_str(&log->text)};
    int err;

    if (!make_utf8(&log->text)) {
        sp_err_set(ret_err, "not valid UTF-8");
        return -EILSEQ;
    }
    if (!lines_next(&l)) {
        sp_err_set(ret_err, "empty log");
        return -EINVAL;
    }
    err = read_header(log, &l, ret_err);
    return err < 0 ? err : read_entries(log, &l, ret_err);
}

int sessionlog_parse(struct sp_buf *text, struct sessionlog *ret, struct sp_err *ret_err)
{
    struct sessionlog log = {.text = *text};
    int err;

    *text = (struct sp_buf){0};
    err = read_text(&log, ret_err);
    if (err < 0)
        sessionlog_deinit(&log);
    else
        *ret = log;
    return err;
}

/* Parses what was read of a file; takes the text over. */
static int parse_file(const char *path, struct sp_buf *text, struct sessionlog *ret,
                      struct sp_err *ret_err)
{
    int err = sessionlog_parse(text, ret, ret_err);

    if (err < 0)
        sp_err_prefix(ret_err, "%s %s", err == -EILSEQ ? "reading" : "parsing", path);
    return err;
}

static int read_file(const char *path, size_t max, struct sp_buf *ret, struct sp_err *ret_err)
{
    int err = sp_file_read(path, max, ret);

    if (err < 0) {
        sp_buf_deinit(ret);
        sp_err_set(ret_err, "reading %s: %s", path, sp_err_cause(err));
    }
    return err;
}

int sessionlog_read(const char *path, struct sessionlog *ret, struct sp_err *ret_err)
{
    struct sp_buf text = {0};
    int err = read_file(path, SIZE_MAX, &text, ret_err);

    return err < 0 ? err : parse_file(path, &text, ret, ret_err);
}

/* Cuts off what follows the first line that is not blank; whether there is one that ends in LF. */
static bool cut_behind_header(struct sp_buf *text)
{
    struct sp_str rest = sp_buf_str(text);

    while (rest.len > 0) {
        size_t n = sp_str_find(rest, '\n');
        struct sp_str line = sp_str_sub(rest, 0, n);

        if (n == rest.len)
            return false;
        rest = sp_str_sub(rest, n + 1, rest.len);
        /* A line that is not UTF-8 is the header too, a bad one. */
        if (!sp_utf8_is_valid(line) || !is_blank(line)) {
            text->len = (size_t)(rest.p - text->p);
            return true;
        }
    }
    return false;
}

int sessionlog_read_header(const char *path, struct sessionlog *ret, struct sp_err *ret_err)
{
    struct sp_buf text = {0};

    for (size_t max = HEADER_SIZE;; max *= 2) {
        int err = read_file(path, max, &text, ret_err);
        bool is_whole = text.len < max;

        if (err < 0)
            return err;
        if (cut_behind_header(&text) || is_whole)
            break;
        sp_buf_clear(&text);
    }
    return parse_file(path, &text, ret, ret_err);
}

void sessionlog_deinit(struct sessionlog *log)
{
    free(log->entries);
    sp_buf_deinit(&log->text);
    sp_arena_deinit(&log->arena);
    *log = (struct sessionlog){0};
}

static void put_optional(struct sp_buf *b, struct sp_str text)
{
    if (text.p != NULL)
        jput_string(b, text);
    else
        sp_buf_add(b, SP_STR("null"));
}

void sessionlog_write_header(struct sp_buf *b, const struct sessionlog_header *header)
{
    sp_buf_addf(b, "{\"stretto_mcp_log\":%" PRIu64 ",\"session\":", header->version);
    jput_string(b, header->session);
    sp_buf_addf(b, ",\"started_unix_ms\":%" PRIu64 ",\"server_command\":[",
                header->started_unix_ms);
    for (size_t i = 0; i < header->n_command; i++) {
        if (i > 0)
            sp_buf_add_char(b, ',');
        jput_string(b, header->command[i]);
    }
    sp_buf_add(b, SP_STR("],\"domain\":"));
    put_optional(b, header->domain);
    sp_buf_add(b, SP_STR(",\"agent_model\":"));
    put_optional(b, header->agent_model);
    sp_buf_add(b, LOGFORMAT_TAIL);
}

void sessionlog_write_entry(struct sp_buf *b, const struct sessionlog_entry *entry)
{
    sp_buf_addf(b, "{\"t_ms\":%" PRIu64 ",\"from\":", entry->t_ms);
    jput_string(b, logformat_from(entry->from));
    if (entry->message.p != NULL) {
        sp_buf_add(b, SP_STR(",\"message\":"));
        jcanon_exact(b, entry->message);
    }
    if (entry->raw.p != NULL) {
        sp_buf_add(b, SP_STR(",\"raw\":"));
        jcanon(b, entry->raw);
    }
    sp_buf_add(b, LOGFORMAT_TAIL);
}

struct turns *sessionlog_turns(const struct sessionlog *log)
{
    const struct sessionlog_header *header = &log->header;
    struct turns *turns = turns_new(header->session, header->domain, header->agent_model);

    for (size_t i = 0; i < log->n_entries; i++) {
        const struct sessionlog_entry *entry = &log->entries[i];

        turns_feed(turns, entry->from, entry->t_ms, entry->message);
    }
    return turns;
}
