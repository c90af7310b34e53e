/* Looks for hosts that run the proxy. */

#include <stdlib.h>
#include <unistd.h>

#include "cmd/doctor_hosts.h"
#include "cmd/programs.h"
#include "config/wrap.h"

/* What is found in all files; lines are added to the findings in the end. */
struct hosts {
    const char *home;
    struct findings found; /* a list: an element a file that lists servers */
    struct findings wrong; /* files that cannot be read, and proxies that cannot be started */
    size_t n_wrapped;
};

/*
 * Whether a host finds the program by this command. What is relative, or has a variable of the host
 * in it, only the host can tell.
 */
static bool can_start(const char *command)
{
    char *found;
    bool is_found;

    if (command[0] == '/')
        return programs_is(command);
    if (strchr(command, '/') != NULL || strchr(command, '\\') != NULL)
        return true;
    found = programs_on_path(command);
    is_found = found != NULL;
    free(found);
    return is_found;
}

/* Counts the servers of a file that run behind the proxy, and looks whether that can be started. */
static size_t count_wrapped(struct hosts *h, const char *shown, const struct jsonc *c,
                            const struct hostconfig *config)
{
    struct sp_buf command = {0};
    size_t n = 0;

    for (size_t i = 0; i < config->n; i++) {
        sp_buf_clear(&command);
        if (!wrap_proxy_of(c, &config->servers[i], &command))
            continue;
        n++;
        if (!can_start(sp_buf_cstr(&command)))
            findings_add(&h->wrong, FINDINGS_PROBLEM,
                         "%s: server '%.*s' is to be run by %s, which is not there", shown,
                         SP_STR_ARG(config->servers[i].name), command.p);
    }
    sp_buf_deinit(&command);
    return n;
}

static void look_at_text(struct hosts *h, const char *shown, struct sp_str text)
{
    struct hostconfig config;
    struct jsonc c;
    struct sp_err err;

    if (jsonc_read(text, &c, &err) < 0) {
        findings_add(&h->wrong, FINDINGS_NOTE, "%s cannot be read: %s", shown, err.text);
        return;
    }
    hostconfig_read(&c, &config);
    if (config.n > 0) {
        size_t n = count_wrapped(h, shown, &c, &config);

        findings_add_item(&h->found, "%s: %zu of %zu server%s", shown, n, config.n,
                          config.n == 1 ? "" : "s");
        h->n_wrapped += n;
    }
    hostconfig_deinit(&config);
    jsonc_deinit(&c);
}

/* Looks at a file, if it is there. */
static void look_at(struct hosts *h, const char *path)
{
    struct sp_buf text = {0}, shown = {0};
    struct sp_err err;

    if (access(path, F_OK) < 0)
        return;
    findings_put_path(&shown, path, h->home);
    if (hostconfig_load(path, &text, &err) < 0)
        findings_add(&h->wrong, FINDINGS_NOTE, "%s", err.text);
    else
        look_at_text(h, sp_buf_cstr(&shown), sp_buf_str(&text));
    sp_buf_deinit(&text);
    sp_buf_deinit(&shown);
}

static void look_below(struct hosts *h, const char *dir, const char *const *files)
{
    struct sp_buf path = {0};

    for (; *files != NULL; files++) {
        sp_buf_clear(&path);
        sp_buf_addf(&path, "%s/%s", dir, *files);
        look_at(h, sp_buf_cstr(&path));
    }
    sp_buf_deinit(&path);
}

void doctor_hosts(struct findings *f, const char *home)
{
    struct hosts h = {.home = home};
    char *project = getcwd(NULL, 0);

    if (home != NULL)
        look_below(&h, home, hostconfig_home_files);
    if (project != NULL && (home == NULL || strcmp(project, home) != 0))
        look_below(&h, project, hostconfig_project_files);
    free(project);

    if (h.found.text.len == 0)
        findings_add(f, FINDINGS_NOTE,
                     "no configuration of an MCP host was found ('stretto init' "
                     "prints one)");
    else if (h.n_wrapped == 0)
        findings_add(f, FINDINGS_NOTE,
                     "no host runs a server behind the proxy ('stretto init "
                     "--wrap FILE' changes that)");
    else
        findings_add(f, FINDINGS_OK, "servers that hosts run behind the proxy");
    sp_buf_add(&f->text, sp_buf_str(&h.found.text));
    sp_buf_add(&f->text, sp_buf_str(&h.wrong.text));
    f->n_problems += h.wrong.n_problems;
    findings_deinit(&h.found);
    findings_deinit(&h.wrong);
}
