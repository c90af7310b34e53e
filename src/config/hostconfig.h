#pragma once

/*
 * The hosts whose configuration is known, and where in a configuration servers are listed.
 *
 * Thread: any.
 */

#include "base/sp_arena.h"
#include "config/jsonc.h"

struct hostconfig_host {
    const char *name;   /* as --host has it */
    const char *key;    /* of the object that holds the servers, by their names */
    bool has_type;      /* whether a server states its "type" */
    bool has_add;       /* whether the host has a command of its own to add a server */
    bool has_bare_path; /* whether it starts servers with a minimal PATH */
    const char *where;  /* the file, for a user to find it */
};

/* The hosts; ends with one whose name is NULL. */
extern const struct hostconfig_host hostconfig_hosts[];

/* Where they keep them: below the user's home, and in a project's directory. End with NULL. */
extern const char *const hostconfig_home_files[];
extern const char *const hostconfig_project_files[];

/* The host of that name; NULL when it is not known. */
const struct hostconfig_host *hostconfig_host(const char *name);

/* The hosts whose file has this name alone, as "claude_desktop_config.json"; NULL for none. */
const struct hostconfig_host *hostconfig_by_file(const char *path);

/*
 * Reads a configuration file whole, up to 64 MiB.
 *
 * Returns: 0, or negative, told in ret_err: "reading PATH: CAUSE".
 */
int hostconfig_load(const char *path, struct sp_buf *ret, struct sp_err *ret_err) SP_MUST_CHECK;

struct hostconfig_server {
    struct sp_str table; /* where it is listed, as "projects./home/a.mcpServers" */
    struct sp_str name;
    struct sp_str value; /* a span of the plain text, of any type */
    bool has_type;
};

struct hostconfig {
    struct hostconfig_server *servers; /* in the order of the file, table by table */
    size_t n;
    size_t n_tables;
    struct sp_arena arena;
};

/*
 * Finds all servers of a file: those in "mcpServers" (most hosts), "servers" or "mcp" "servers" (VS
 * Code), "context_servers" (Zed), and the "mcpServers" of each of "projects" (Claude Code).
 *
 * c:   stays as long as `ret` does.
 * ret: the caller's, hostconfig_deinit().
 */
void hostconfig_read(const struct jsonc *c, struct hostconfig *ret);

/* A zeroed struct is fine. */
void hostconfig_deinit(struct hostconfig *h);
