#pragma once

/*
 * A server's entry in a configuration, and edits of it; private to wrap*.c.
 *
 * Thread: any, one at a time.
 */

#include "config/hostconfig.h"
#include "config/splice.h"
#include "config/wrap.h"

/* The members that matter. */
enum wrap_entry_member {
    WRAP_COMMAND,
    WRAP_ARGS,
    WRAP_URL, /* "url" or "serverUrl" */
    WRAP_HEADERS,
    WRAP_ENV,
    WRAP_TYPE,
    WRAP_OTHER, /* the first that says the host signs in by itself */
    WRAP_N_MEMBERS,
};

struct wrap_member {
    struct sp_str name; /* spans of the plain text; `p` is NULL when there is no such member */
    struct sp_str value;
};

struct wrap_entry {
    const struct jsonc *c;
    const struct hostconfig_server *server;
    struct wrap_member of[WRAP_N_MEMBERS];
    bool is_unclear; /* one of the members occurs twice, or as both "url" and "serverUrl" */
};

/* Reads an entry; one that is no object has no members. */
struct wrap_entry wrap_entry_read(const struct jsonc *c, const struct hostconfig_server *server);

bool wrap_entry_has(const struct wrap_entry *e, enum wrap_entry_member which);

/* Whether the command is stretto-proxy, by whatever path. */
bool wrap_entry_is_wrapped(const struct wrap_entry *e);

/* The entry's bytes as they are. */
struct sp_str wrap_entry_source(const struct wrap_entry *e);

/* Replaces a span of the plain text by `text`. */
void wrap_entry_replace(const struct wrap_entry *e, struct splice *s, struct sp_str span,
                        struct sp_str text);

/*
 * What separates a new member, or element, from the one at `span` when it is put beside it: a
 * comma, and the line end and indentation that `span` has before it, or a space when it stands
 * behind something on its line, or nothing where the file has none behind colons either.
 */
void wrap_entry_put_comma(struct sp_buf *b, const struct wrap_entry *e, struct sp_str span);

/* The same for elements of a new list on one line. */
void wrap_entry_put_close_comma(struct sp_buf *b, const struct wrap_entry *e);

/* Appends NAME and a colon in the way of the entry. */
void wrap_entry_put_name(struct sp_buf *b, const struct wrap_entry *e, const char *name);

/* Takes members out of an object, with their commas and, of one alone on its lines, the lines. */
void wrap_entry_remove(const struct wrap_entry *e, struct splice *s, struct sp_str object,
                       const bool *is_out);

/* Puts the proxy in. Returns whether it did; if not, `ret_why` says why not, and may be a text. */
bool wrap_put(const struct wrap_entry *e, const struct wrap_how *how, struct splice *s,
              const char **ret_why);

/*
 * Takes the proxy out by what the entry says.
 *
 * url_name: what the file calls a URL.
 */
bool wrap_undo(const struct wrap_entry *e, const char *url_name, struct splice *s,
               const char **ret_why);
