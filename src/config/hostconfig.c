/* The known hosts, and where their files list servers. */

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/sp_alloc.h"
#include "base/sp_file.h"
#include "config/hostconfig.h"
#include "json/jget.h"

#define DESKTOP_FILE "claude_desktop_config.json"

/* How many bytes a configuration has at most. */
#define MAX_SIZE ((size_t)64 * 1024 * 1024)

const struct hostconfig_host hostconfig_hosts[] = {
    {"claude-code", .key = "mcpServers", .has_add = true,
     .where = "a project's .mcp.json, or run the command"},
    {"claude-desktop", .key = "mcpServers", .has_bare_path = true,
     .where = "~/Library/Application Support/Claude/" DESKTOP_FILE " (macOS),\n"
              "%APPDATA%\\Claude\\" DESKTOP_FILE " (Windows) or\n"
              "~/.config/Claude/" DESKTOP_FILE " (Linux)"},
    {"cursor", .key = "mcpServers", .where = "~/.cursor/mcp.json, or a project's .cursor/mcp.json"},
    {"vscode", .key = "servers", .has_type = true,
     .where = "a workspace's .vscode/mcp.json, or what 'MCP: Open User Configuration' opens"},
    {"windsurf", .key = "mcpServers", .where = "~/.codeium/windsurf/mcp_config.json"},
    {"zed", .key = "context_servers",
     .where = "~/.config/zed/settings.json, or a project's .zed/settings.json"},
    {"json", .key = "mcpServers", .where = "any host that reads such a file"},
    {.name = NULL},
};

const char *const hostconfig_home_files[] = {
    ".claude.json",
    ".codeium/windsurf/mcp_config.json",
    ".config/Claude/" DESKTOP_FILE,
    ".config/Code/User/mcp.json",
    ".config/zed/settings.json",
    ".cursor/mcp.json",
    "Library/Application Support/Claude/" DESKTOP_FILE,
    "Library/Application Support/Code/User/mcp.json",
    NULL,
};

const char *const hostconfig_project_files[] = {
    ".cursor/mcp.json", ".mcp.json", ".vscode/mcp.json", ".zed/settings.json", NULL,
};

const struct hostconfig_host *hostconfig_host(const char *name)
{
    for (const struct hostconfig_host *host = hostconfig_hosts; host->name != NULL; host++) {
        if (strcmp(host->name, name) == 0)
            return host;
    }
    return NULL;
}

const struct hostconfig_host *hostconfig_by_file(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (strcmp(slash != NULL ? slash + 1 : path, DESKTOP_FILE) == 0)
        return hostconfig_host("claude-desktop");
    return NULL;
}

int hostconfig_load(const char *path, struct sp_buf *ret, struct sp_err *ret_err)
{
    struct stat st;
    int err = stat(path, &st) < 0 ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;

    if (err == 0)
        err = sp_file_read(path, MAX_SIZE + 1, ret);
    if (err == 0 && ret->len > MAX_SIZE)
        err = -EFBIG;
    if (err < 0)
        sp_err_set(ret_err, "reading %s: %s", path,
                   err == -EINVAL ? "it is not a regular file" : sp_err_cause(err));
    return err;
}

static void add(struct hostconfig *h, struct hostconfig_server server)
{
    if ((h->n & (h->n - 1)) == 0)
        h->servers = sp_realloc(h->servers, (h->n > 0 ? h->n * 2 : 1) * sizeof *h->servers);
    h->servers[h->n++] = server;
}

/* Adds the servers of an object; of another value none. */
static void add_table(struct hostconfig *h, struct sp_str table, struct sp_str path, bool has_type)
{
    if (jget_type(table) != JSCAN_OBJECT)
        return;
    h->n_tables++;
    path = sp_arena_copy(&h->arena, path);
    for (struct jget_iter it = jget_iter(table); jget_next(&it);) {
        struct sp_buf name = {0};

        jget_text(it.name, &name);
        add(h, (struct hostconfig_server){path, sp_arena_copy(&h->arena, sp_buf_str(&name)),
                                          it.value, has_type});
        sp_buf_deinit(&name);
    }
}

static void add_projects(struct hostconfig *h, struct sp_str projects)
{
    if (jget_type(projects) != JSCAN_OBJECT)
        return;
    for (struct jget_iter it = jget_iter(projects); jget_next(&it);) {
        struct sp_buf path = {0};
        struct sp_str table;

        if (jget_member(it.value, SP_STR("mcpServers"), &table)) {
            sp_buf_add(&path, SP_STR("projects."));
            jget_text(it.name, &path);
            sp_buf_add(&path, SP_STR(".mcpServers"));
            add_table(h, table, sp_buf_str(&path), false);
        }
        sp_buf_deinit(&path);
    }
}

void hostconfig_read(const struct jsonc *c, struct hostconfig *ret)
{
    struct sp_str inner;

    *ret = (struct hostconfig){0};
    if (jget_type(c->value) != JSCAN_OBJECT)
        return;
    if (jget_member(c->value, SP_STR("mcpServers"), &inner))
        add_table(ret, inner, SP_STR("mcpServers"), false);
    if (jget_member(c->value, SP_STR("servers"), &inner))
        add_table(ret, inner, SP_STR("servers"), true);
    if (jget_member(c->value, SP_STR("mcp"), &inner) &&
        jget_member(inner, SP_STR("servers"), &inner))
        add_table(ret, inner, SP_STR("mcp.servers"), true);
    if (jget_member(c->value, SP_STR("context_servers"), &inner))
        add_table(ret, inner, SP_STR("context_servers"), false);
    if (jget_member(c->value, SP_STR("projects"), &inner))
        add_projects(ret, inner);
}

void hostconfig_deinit(struct hostconfig *h)
{
    free(h->servers);
    sp_arena_deinit(&h->arena);
    *h = (struct hostconfig){0};
}
