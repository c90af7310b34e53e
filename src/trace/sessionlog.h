#pragma once

/*
 * Reads session logs, one at a time and whole (docs/formats.md): version 1 or 2, a torn last line
 * left by a crash dropped, anything else that is wrong an error that names the path and the line.
 *
 * Thread: any.
 */

#include "base/sp_arena.h"
#include "base/sp_err.h"
#include "mcp/line.h"

struct turns;

struct sessionlog_header {
    uint64_t version;
    struct sp_str session; /* texts are unescaped */
    uint64_t started_unix_ms;
    struct sp_str *command; /* the server's command, or its URL alone */
    size_t n_command;
    struct sp_str domain; /* p is NULL for none, as in the next */
    struct sp_str agent_model;
};

struct sessionlog_entry {
    uint64_t t_ms;
    enum line_from from;
    struct sp_str message; /* a value's span, nested at most 126 deep; p is NULL for none */
    struct sp_str raw;     /* a string's span, as written; p is NULL for none */
};

/* All views look into `text` or `arena`. */
struct sessionlog {
    struct sessionlog_header header;
    struct sessionlog_entry *entries;
    size_t n_entries;
    struct sp_buf text; /* private, as the next */
    struct sp_arena arena;
};

/*
 * Reads the log at `path`.
 *
 * ret:     the caller's, ended by sessionlog_deinit(); untouched on failure.
 * Returns: 0, or negative, told in ret_err: "reading PATH: …" when the file cannot be read or is
 * not UTF-8, else "parsing PATH: …".
 */
int sessionlog_read(const char *path, struct sessionlog *ret, struct sp_err *ret_err);

/*
 * The same with a text in the file's place; errors begin with neither.
 *
 * Owns:    takes the text over, on failure too, and leaves an empty buffer.
 * Returns: 0; -EILSEQ when the text is not UTF-8; -EINVAL for anything else that is wrong.
 */
int sessionlog_parse(struct sp_buf *text, struct sessionlog *ret, struct sp_err *ret_err);

/*
 * Reads as much of a log as its header takes, which is all that is judged. Errors as
 * sessionlog_read().
 *
 * ret: has no entries.
 */
int sessionlog_read_header(const char *path, struct sessionlog *ret, struct sp_err *ret_err);

/* Makes the turns of a log, read to its end; the caller's. */
struct turns *sessionlog_turns(const struct sessionlog *log);

/* Leaves a zeroed struct, for which it may be called as well. */
void sessionlog_deinit(struct sessionlog *log);

/* Appends a header line: members in the format's order, all of them, LF at the end. */
void sessionlog_write_header(struct sp_buf *b, const struct sessionlog_header *header);

/*
 * Appends an entry's line, its values in canonical JSON, whole numbers with all their digits (an id
 * must stay the same), LF at the end. Absent members are left
 * out.
 */
void sessionlog_write_entry(struct sp_buf *b, const struct sessionlog_entry *entry);
