#pragma once

/*
 * What a server's tools are, as its listings in session logs say: which only read, which write,
 * what they are for, and what their input has to look like.
 *
 * Thread: any, one at a time.
 */

#include "base/sp_arena.h"
#include "base/sp_map.h"
#include "trace/sessionlog.h"

enum manifest_kind {
    MANIFEST_READ,
    MANIFEST_WRITE,
    MANIFEST_GENERIC, /* unknown: it may write */
};

struct manifest_arg {
    struct sp_str name;
    struct sp_str text;
};

struct manifest_tool {
    struct sp_str name;
    enum manifest_kind kind;
    bool has_doc;
    struct sp_str summary;
    struct manifest_arg *args; /* in byte order of their names */
    size_t n_args;
    struct sp_str contract; /* see manifest_put_contract(); p is NULL for none */
};

/* A zeroed struct is a manifest without tools. Views look into its memory. */
struct manifest {
    struct manifest_tool *tools; /* in no particular order; moves when one is added */
    size_t n_tools;
    size_t max_tools; /* private, as the rest */
    struct sp_map by_name;
    struct sp_arena arena;
};

void manifest_deinit(struct manifest *m);

/* The tool of that name; NULL when it has none. */
const struct manifest_tool *manifest_find(const struct manifest *m, struct sp_str name);

/*
 * Adds what a log's listings say: answers of the server to tools/list requests of the client, pages
 * and repeated listings alike. Of a tool listed twice the later listing counts, in a log and across
 * logs, which come in order. What has no inputSchema leaves the contract; what has no doc removes
 * an earlier one of the same log, but none of an earlier log.
 */
void manifest_add_log(struct manifest *m, const struct sessionlog *log);

/* Adds a tool, or sets its kind and replaces its doc. Texts are copied; `contract` is ignored. */
void manifest_set(struct manifest *m, const struct manifest_tool *tool);

/*
 * Appends the contract of an input schema: its properties as NAME:TYPE, with "!" if required,
 * sorted by bytes and joined by ", ".
 *
 * schema: a JSON value's span.
 */
void manifest_put_contract(struct sp_buf *b, struct sp_str schema);

/* The kind's name: read, write, generic. */
struct sp_str manifest_kind_name(enum manifest_kind kind);

/* Appends the canonical JSON of domain, tools, docs and contracts. */
void manifest_put(struct sp_buf *b, const struct manifest *m, struct sp_str domain);
