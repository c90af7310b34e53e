#pragma once

/*
 * The session log's text: JSON Lines, a header and one entry per line that crossed the proxy
 * (docs/formats.md).
 *
 * Thread: any.
 */

#include "base/sp_buf.h"
#include "mcp/line.h"

#define LOGFORMAT_VERSION 2

struct logformat_header {
    const char *session;      /* the session id */
    uint64_t started_unix_ms; /* the instant the id names */
    char *const *command;     /* the server's command line, ended by NULL; or NULL: see url */
    const char *url;          /* the server's URL when it has no command */
    const char *domain;       /* NULL for none */
    const char *agent_model;  /* NULL for none */
};

/* Appends the header line, LF included; command and URL go through secret.h. */
void logformat_header(struct sp_buf *b, const struct logformat_header *header);

/* The name that an entry has for a side. */
struct sp_str logformat_from(enum line_from from);

/*
 * One line's entry is HEAD, BODY and "}\n". When the line is JSON, BODY is its own text and stays
 * where it is, so that a long line is never copied. Otherwise BODY is that text as a JSON string
 * and is appended to the head.
 *
 * b:       gets HEAD, and BODY when the line is not JSON.
 * Returns: BODY as a view into the line when it is JSON; an empty view otherwise.
 */
struct sp_str logformat_entry(struct sp_buf *b, const struct line *line);

/* What ends every entry. */
#define LOGFORMAT_TAIL SP_STR("}\n")
