#pragma once

/*
 * Puts stretto-proxy before the servers of a host's configuration, and takes it out again, by edits
 * that keep every other byte of the file: comments, trailing commas, indentation, line ends.
 *
 * A server that is a command,
 *
 *     "command": "npx", "args": ["-y", "notes"]
 *
 * becomes
 *
 *     "command": "stretto-proxy",
 *     "args": ["--record", DIR, "--domain", NAME, "--", "npx", "-y", "notes"]
 *
 * and one at a "url" (or "serverUrl") the same with "--upstream" and the URL. Its headers become
 * variables of its "env", each with an "--upstream-header" that names it, and a "type" becomes
 * "stdio".
 *
 * A server whose command is a program named stretto-proxy counts as wrapped.
 *
 * Thread: any, one at a time.
 */

#include "base/sp_alloc.h"
#include "base/sp_arena.h"
#include "base/sp_err.h"
#include "config/hostconfig.h"

/* How servers are wrapped. */
struct wrap_how {
    struct sp_str proxy;  /* the program, as the host is to start it */
    struct sp_str record; /* where sessions go; empty: ~/.stretto/logs/DOMAIN of each server */
};

/* What became of a server. */
enum wrap_outcome {
    WRAP_CHANGED,  /* it was wrapped, or unwrapped: its bytes are the ones it had */
    WRAP_REBUILT,  /* it was unwrapped by what its command line says */
    WRAP_AS_IT_IS, /* it was wrapped, or unwrapped, already */
    WRAP_SKIPPED,
};

struct wrap_server {
    struct sp_str table; /* where it is listed, as in hostconfig.h */
    struct sp_str name;
    enum wrap_outcome outcome;
    struct sp_str why;    /* it was skipped; "" otherwise */
    struct sp_str remark; /* what a user should know about one that was changed; or "" */
    struct sp_str record; /* where it now records; "" unless wrapped */
};

struct wrap {
    struct sp_buf text; /* of the whole file */
    size_t n_changed;
    struct wrap_server *servers; /* the chosen ones, table by table */
    size_t n;
    struct sp_arena arena;
};

/*
 * Wraps the servers of those names; all for none.
 *
 * ret:     the caller's, wrap_deinit().
 * Returns: 0; negative, told in ret_err, when the text is no JSON with comments, lists no servers,
 *          or lacks one of `names`, or when a named one cannot be wrapped.
 */
int wrap_text(struct sp_str text, const struct wrap_how *how, const struct sp_str *names,
              size_t n_names, struct wrap *ret, struct sp_err *ret_err) SP_MUST_CHECK;

/*
 * Unwraps them.
 *
 * befores: texts of the file from before, newest first. A server gets back the bytes it has in the
 *          first of them that, wrapped, gives the bytes it has now; where none does, as after an
 *          edit by hand, it is rebuilt from its command line. One that is of no use is passed over.
 */
int wrap_undo_text(struct sp_str text, const struct sp_str *befores, size_t n_befores,
                   const struct sp_str *names, size_t n_names, struct wrap *ret,
                   struct sp_err *ret_err) SP_MUST_CHECK;

/* A zeroed struct is fine. */
void wrap_deinit(struct wrap *w);

/*
 * Whether a server of a file runs behind the proxy.
 *
 * ret: gets the command that starts the proxy, if so.
 */
bool wrap_proxy_of(const struct jsonc *c, const struct hostconfig_server *server,
                   struct sp_buf *ret);

/*
 * Appends a server's name as a domain: characters other than ASCII letters, digits, "-", "_" and
 * "." become "-", and "." and "-" at its start are left out; "server" when nothing is left.
 */
void wrap_put_domain(struct sp_buf *b, struct sp_str name);

/* Whether a name is a domain by these rules. */
bool wrap_is_domain(struct sp_str name);
